"""Cable lists: one row per cable, hosts and ports included."""

import csv
import io
import logging

import numpy as np
import pytest
from format_cases import SAMPLE, texts, topologies
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tiers import examples
from topoloom import InputError, build
from topoloom.formats import cables
from topoloom.formats.cable_reader import read_cables
from topoloom.model.topology import Topology

HEADER = "cable,kind,a_rack,a_switch,a_port,b_rack,b_switch,b_port,length_m,medium"
quick = settings(max_examples=examples(60), deadline=None, suppress_health_check=list(HealthCheck))


def read(*lines):
    """What the reader makes of lines."""
    return cables.read("\n".join(lines).encode(), "net.csv")


def test_what_is_written():
    """A header, the links, the hosts, with the ports of the topology; then the switches, name and spec on the first."""
    pair = Topology([(0, 1)], 2, endpoints=[0, 1, 1], host=[0, 0, 1], labels={"x": [3, 4]}, name="pair", spec="pair:")
    assert cables.write(pair).splitlines() == [
        "cable,kind,a_switch,a_port,b_switch,b_port,topology,spec,label_x",
        "1,link,0,2,1,3,,,",
        "2,host,0,1,host 0,1,,,",
        "3,host,1,1,host 0,2,,,",
        "4,host,1,2,host 1,1,,,",
        ",switch,0,,,,pair,pair:,3",
        ",switch,1,,,,,,4",
    ]


def test_every_port_is_used_once():
    """No two cables of a list share a port, and ports are 1 .. radix without gaps."""
    topology = build("slimfly:q=5,hosts=3")
    ports = {switch: [] for switch in range(topology.switches)}
    for row in csv.DictReader(cables.write(topology).splitlines()):
        if row["kind"] != "switch":
            ports[int(row["a_switch"])].append(int(row["a_port"]))
        if row["kind"] == "link":
            ports[int(row["b_switch"])].append(int(row["b_port"]))
    assert all(sorted(used) == list(range(1, 11)) for used in ports.values())


@quick
@given(topologies(texts), st.randoms(use_true_random=False))
def test_a_list_that_names_hosts_by_range_comes_back_in_any_order(topology, random):
    """Hosts on the rows of their switches, labels of any text, rows sorted by any spreadsheet: the same topology."""
    header, *rows = csv.reader(io.StringIO(cables.write(topology), newline=""))
    links = [row for row in rows if row[1] == "link"]
    listed = {name: [row[i] for row in links] for i, name in enumerate(header[:6])}
    text = cables.cable_list(listed, cables.switch_rows(topology, hosts=True))
    header, *rows = csv.reader(io.StringIO(text, newline=""))
    random.shuffle(rows)
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="\r\n", delimiter=";", quoting=csv.QUOTE_ALL).writerows([header, *rows])
    again = cables.read(out.getvalue().encode(), "net.csv")
    assert again == topology
    assert [values.dtype.kind for values in again.labels.values()] == [v.dtype.kind for v in topology.labels.values()]


def test_hosts_of_a_switch_are_ranges():
    """Hosts in the order of their ports, runs as `first..last`; both ports of a host with two."""
    topology = Topology([(0, 1)], 2, endpoints=[0, 0, 0, 0, 1, 1, 1], host=[0, 1, 2, 4, 3, 0, 1])
    columns = cables.switch_rows(topology, hosts=True)
    assert columns["hosts"] == ["0..2 4", "3 0..1"]


def test_no_cell_is_a_formula():
    """Texts that a spreadsheet would compute get a quote before them, which the reader takes away again."""
    evil = ["=1+1", "+1", "-1", "@x", "'=1", "'", "\t=", "'it"]
    topology = Topology([], 8, labels={"t": np.array(evil)}, name="=HYPERLINK(1)", spec="@x")
    text = cables.write(topology)
    cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
    assert not [cell for cell in cells if cell[:1] in ("=", "+", "-", "@", "\t")]
    back = cables.read(text.encode(), "net.csv")
    assert (back, back.name, back.spec) == (topology, topology.name, topology.spec)


def test_where_switches_stand_is_read():
    """Racks of the switches and lengths of the links, in the topology's order, with their lines."""
    listed = read_cables(
        b"kind;a_switch;a_port;a_rack;b_switch;b_port;b_rack;length_m\n"
        b"link;2;;B;1;;A;2,5\nlink;0;;A;1;;A;ordered\nswitch;3;;'=C;;;;\n",
        "net.csv",
    )
    assert listed.topology == Topology([(0, 1), (1, 2)], 4)
    said = [(switch, listed.racks[rack], line) for switch, rack, line in listed.stands.tolist()]
    assert said == [(2, "B", 2), (1, "A", 2), (0, "A", 3), (1, "A", 3), (3, "=C", 4)]
    assert np.array_equal(listed.length_m, [np.nan, 2.5], equal_nan=True)
    assert listed.line.tolist() == [3, 2]


def test_lists_from_spreadsheets_are_read():
    """Semicolons, capitals, spaces, other orders and more columns, empty rows, plain host numbers, ports omitted."""
    topology = read(
        "Rack;B_Port;b_switch;A_Port;a_switch;kind;note", ";;;;;;", "r1;2; 1;1;0;Link;x", "", "r1;;0;;1;HOST;", ";;;;;;"
    )
    assert topology == Topology([(0, 1)], 2, endpoints=[1])


def test_the_order_of_rows_does_not_matter():
    """Rows may stand in any order: hosts keep their numbers, endpoints the order of their ports."""
    header, *rows = cables.write(SAMPLE).splitlines()
    assert read(header, *rows[::-1]) == SAMPLE


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
        (
            ["cable,kind,a_switch,b_switch"],
            "net.csv:1: columns a_port, b_port missing; topoloom's cable list has kind, a_switch",
        ),
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
        ([HEADER, "1,link,,0,1,,999999,1,,"], "net.csv:2: a switch above 1031; .* without large gaps"),
        ([HEADER, "1,link,,0,1,,1000000000000,1,,"], "net.csv:2: b_switch is '1000000000000'"),
        ([HEADER, "1,host,,0,1,,server,1,,"], "net.csv:2: b_switch is 'server'; on the row of a host, write the host"),
        ([HEADER, "1,host,,0,1,,host 1,1,,"], "net.csv: hosts must be numbered 0, 1, 2"),
        (
            [HEADER, "1,link,,0,1,,1,1,,", "", "2,link,,2,1,,0,1,,"],
            "net.csv:4: port 1 of switch 0 already has the cable of line 2",
        ),
        (
            [HEADER, "1,host,,0,1,,host 0,1,,", "2,host,,0,2,,host 0,1,,"],
            "net.csv:3: port 1 of host 0 already has the cable of line 2",
        ),
        (
            ["kind,a_switch,a_port,b_switch,b_port", "switch,1,,,", "switch,1,,,"],
            "net.csv:3: switch 1 already has the row",
        ),
        (
            [f"{HEADER},label_x", "1,link,,0,1,,1,1,,,"],
            "net.csv: switch 0 has no row of kind switch; a list with label",
        ),
        ([f"{HEADER},label_x", ",switch,,0,,,,,,,a"], "net.csv:2: 'label_x' is 'a'; it must be a number"),
        ([f"{HEADER},label_x", ",switch,,0,,,,,,,nan"], "net.csv:2: 'label_x' is 'nan'; it must be a number"),
        ([f"{HEADER},label_x,label_x:text"], "net.csv:1: the header names a column twice"),
        ([f"{HEADER},hosts", ",switch,,0,,,,,,,1-2"], r"net.csv:2: hosts holds '1-2'; .* '0..14 20'"),
        ([f"{HEADER},hosts", ",switch,,0,,,,,,,2..1"], r"net.csv:2: hosts holds '2..1'"),
        ([f"{HEADER},hosts", ",switch,,0,,,,,,,0..999999999"], r"net.csv:2: hosts holds '0..999999999'"),
        (
            [f"{HEADER},hosts", "1,host,,0,1,,host 0,1,,,", ",switch,,0,,,,,,,0"],
            "net.csv:3: port 1 of switch 0 already has the cable of line 2",
        ),
        ([HEADER, '1,link,,0,1,,"1'], "net.csv:2: is not CSV"),
        ([HEADER, "1,link," + "x" * 200_000], "net.csv:2: is not CSV: field larger than"),
    ],
)
def test_wrong_rows_are_named(lines, reason):
    """A row that is no cable is answered with file, line and what a row holds."""
    with pytest.raises(InputError, match=reason):
        read(*lines)


def test_a_misspelt_column_is_reported(caplog):
    """A column that is nearly one that is read does not vanish without a word; people's own columns do."""
    text = "kind,a_switch,a_port,b_switch,b_port,lenght_m,ordered by\nlink,0,1,1,1,3,Ada\n"
    cables.read(text.encode(), "x.csv")
    assert [record.getMessage() for record in caplog.records] == [
        "x.csv:1: the column 'lenght_m' was not read; did you mean length_m?"
    ]
