"""Cable lists: one row a cable, hosts and ports included."""

import csv
import logging

import numpy as np
import pytest
from format_cases import SAMPLE

from topoloom import InputError, build
from topoloom.formats import cables
from topoloom.topology import Topology

HEADER = ",".join(cables.COLUMNS)


def read(*lines):
    """What the reader makes of lines."""
    return cables.read("\n".join(lines).encode(), "net.csv")


def test_what_is_written():
    """A header, the links, then the hosts, with the ports of the topology."""
    pair = Topology([(0, 1)], 2, endpoints=[0, 1, 1], host=[0, 0, 1])
    assert cables.write(pair).splitlines() == [
        HEADER,
        "1,link,,0,2,,1,3,,",
        "2,host,,0,1,,host 0,1,,",
        "3,host,,1,1,,host 0,2,,",
        "4,host,,1,2,,host 1,1,,",
    ]


def test_every_port_is_used_once():
    """No two cables of a list share a port, and ports are 1 .. radix without gaps."""
    topology = build("slimfly:q=5,hosts=3")
    ports = {switch: [] for switch in range(topology.switches)}
    for _, kind, _, a, a_port, _, b, b_port, *_ in cables.cable_rows(topology):
        ports[a].append(a_port)
        if kind == "link":
            ports[b].append(b_port)
    assert all(sorted(used) == list(range(1, 11)) for used in ports.values())


def test_a_layout_fills_cabinets_lengths_and_media():
    """Cabinets come from switches; lengths and media from cables; what is not known stays empty."""
    triangle = Topology([(0, 1), (1, 2), (0, 2)], 3, endpoints=[1])
    rows = list(
        cables.cable_rows(
            triangle, cabinet=np.array(["A,1", "A,1", "B"]), length_m=np.array([1.5, 2.00049, np.nan]),
            medium=np.array(["copper", "copper", "fibre"]),
        )
    )  # fmt: skip
    assert rows[1] == (2, "link", "A,1", 0, 2, "B", 2, 1, 2.0, "copper")
    assert rows[2][-2:] == ("", "fibre")
    assert rows[3] == (4, "host", "A,1", 1, 1, "", "host 0", 1, "", "")
    text = cables.csv_text(rows)
    assert [tuple(row.values()) for row in csv.DictReader(text.splitlines())] == [tuple(map(str, row)) for row in rows]
    assert cables.read(text.encode(), "net.csv") == triangle


@pytest.mark.parametrize("field", ["cabinet", "length_m", "medium"])
def test_arrays_of_another_shape_are_refused(field):
    """Each array has one value for each switch, or for each cable."""
    with pytest.raises(InputError, match=f"{field} has shape"):
        list(cables.cable_rows(SAMPLE, **{field: np.zeros(3)}))


def test_lists_from_spreadsheets_are_read():
    """Semicolons, capitals, spaces, other orders and more columns, empty rows, plain host numbers, ports left out."""
    topology = read(
        "Rack;B_Port;b_switch;A_Port;a_switch;kind;note", ";;;;;;", "r1;2; 1;1;0;Link;x", "", "r1;;0;;1;HOST;", ";;;;;;"
    )
    assert topology == Topology([(0, 1)], 2, endpoints=[1])


def test_the_order_of_rows_does_not_matter():
    """Rows may stand in any order: hosts keep their numbers, endpoints the order of their ports."""
    header, *rows = cables.write(SAMPLE).splitlines()
    assert read(header, *rows[::-1]) == SAMPLE.replace(labels={}, endpoints=SAMPLE.endpoints, host=SAMPLE.host)


def test_other_port_numbers_are_told(caplog):
    """Topoloom numbers ports itself, and says so when the file had others; its own are silent."""
    read(HEADER, "1,link,,0,7,,1,1,,")
    assert "topoloom numbers ports itself" in caplog.text
    caplog.clear()
    with caplog.at_level(logging.WARNING):
        cables.read(cables.write(SAMPLE).encode(), "net.csv")
    assert not caplog.text


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (["cable,kind,a_switch,b_switch"], "net.csv:1: columns a_port, b_port missing; a cable list has cable,kind"),
        (["kind,kind,a_switch,a_port,b_switch,b_port"], "net.csv:1: the header names a column twice"),
        ([HEADER], "net.csv: holds no cables"),
        ([HEADER, "1,link,,0,1,,1,1,"], "net.csv:2: 9 columns; the header has 10"),
        ([HEADER, "1,link,,0,1,,1,1,,,"], "net.csv:2: 11 columns"),
        ([HEADER, "1,cable,,0,1,,1,1,,"], "net.csv:2: kind is 'cable'; it must be link, host or switch"),
        ([HEADER, "1,link,,0,1,,0,2,,"], "net.csv:2: switch 0 is linked to itself"),
        ([HEADER, "1,link,,-1,1,,0,2,,"], "net.csv:2: a_switch is '-1'; switches are numbers"),
        ([HEADER, "1,link,,0,1,,x,2,,"], "net.csv:2: b_switch is 'x'; switches are numbers"),
        ([HEADER, "1,link,,0,0,,1,2,,"], "net.csv:2: a_port is '0'; a port is a number from 1"),
        ([HEADER, "1,link,,0,1,,1,1.5,,"], "net.csv:2: b_port is '1.5'"),
        ([HEADER, "1,link,,0,1,,999999,1,,"], "net.csv:2: a switch past 1031; .* without large gaps"),
        ([HEADER, "1,link,,0,1,,1000000000000,1,,"], "net.csv:2: b_switch is '1000000000000'"),
        ([HEADER, "1,host,,0,1,,server,1,,"], "net.csv:2: b_switch is 'server'; on a host's row it is the host"),
        ([HEADER, "1,host,,0,1,,host 1,1,,"], "net.csv: hosts must be numbered 0, 1, 2"),
        (
            [HEADER, "1,link,,0,1,,1,1,,", "", "2,link,,2,1,,0,1,,"],
            "net.csv:4: port 1 of switch 0 already has the cable of line 2",
        ),
        (
            [HEADER, "1,host,,0,1,,host 0,1,,", "2,host,,0,2,,host 0,1,,"],
            "net.csv:3: port 1 of host 0 already has the cable of line 2",
        ),
        ([HEADER, '1,link,,0,1,,"1'], "net.csv:2: is not CSV"),
        ([HEADER, "1,link," + "x" * 200_000], "net.csv:2: is not CSV: field larger than"),
    ],
)
def test_wrong_rows_are_named(lines, reason):
    """A row that is no cable is answered with file, line and what a row holds."""
    with pytest.raises(InputError, match=reason):
        read(*lines)
