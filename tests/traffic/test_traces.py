"""Traces: what a CSV file says, and what is wrong with it."""

import csv

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topoloom.core.errors import InputError
from topoloom.routing.route import route
from topoloom.throughput.traffic import Trace, traffic_of
from topoloom.topologies.spec import build

NAMES = ("cycle", "source", "destination", "flits")


@pytest.fixture(scope="module")
def routing():
    """Eight hosts."""
    return route(build("hypercube:n=3,hosts=1"), "minimal")


PACKETS = st.lists(
    st.tuples(st.integers(0, 1 << 30), st.integers(0, 7), st.integers(0, 7), st.integers(1, 1024)),
    min_size=1,
    max_size=30,
)


@given(packets=PACKETS, order=st.permutations(range(4)))
def test_a_trace_is_its_packets_by_cycle(tmp_path_factory, packets, order):
    """Written by Python's own csv, columns in any order; packets of one cycle stay in the order of the file."""
    routing = route(build("hypercube:n=3,hosts=1"), "minimal")
    path = tmp_path_factory.mktemp("trace") / "a:b,c=d.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([NAMES[i] for i in order])
        writer.writerows([[packet[i] for i in order] for packet in packets])
    found = traffic_of(f"trace:{path}", routing)
    assert isinstance(found, Trace)
    read = list(
        zip(*(array.tolist() for array in (found.cycle, found.source, found.destination, found.flits)), strict=True)
    )
    assert read == sorted(packets, key=lambda packet: packet[0])
    assert [a.dtype for a in (found.cycle, found.source, found.destination, found.flits)] == [np.int64, *[np.int32] * 3]
    assert not found.cycle.flags.writeable


def test_flits_may_be_left_out_and_comments_are_skipped(tmp_path, routing):
    """One flit then; spaces, empty lines, lines with # and Windows' line ends do no harm."""
    path = tmp_path / "t.csv"
    path.write_bytes(b"\xef\xbb\xbf# a trace\r\n\r\ncycle, source ,destination\r\n5,1,2\r\n# more\r\n3, 7 ,0\r\n")
    found = traffic_of(f"trace:{path}", routing)
    assert (found.cycle.tolist(), found.source.tolist(), found.flits.tolist()) == ([3, 5], [7, 1], [1, 1])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ":1: the first line is ''; it must name the columns cycle, source, destination, flits"),
        ("cycle,source\n", ":1: the first line is 'cycle,source'"),
        ("1,2,3\n", ":1: the first line is '1,2,3'"),
        ("cycle,source,destination,size\n", "must name the columns cycle"),
        ("cycle,source,destination\n", ": no packets; add lines with cycle"),
        ("cycle,source,destination\n1,2\n", ":2: 2 cells; the first line has 3"),
        ("cycle,source,destination\n1,2,3\n\n1,8,3\n", ":4: source '8'; it must be a whole number from 0 to 7"),
        ("cycle,source,destination\n1,2,-3\n", ":2: destination '-3'; it must be a whole number from 0 to 7"),
        ("cycle,source,destination\n1.5,2,3\n", ":2: cycle '1.5'; it must be a whole number from 0 to 1073741824"),
        ("cycle,source,destination\n99999999999999,2,3\n", ":2: cycle '99999999999999'"),
        ("cycle,source,destination,flits\n1,2,3,0\n", ":2: flits '0'; it must be a whole number from 1 to 1024"),
        ("cycle,source,destination,flits\n1,2,3,\n", ":2: flits ''"),
        ("cycle,source,destination,flits\n1,2,3,٣\n", ":2: flits '٣'"),
    ],
)
def test_what_is_wrong_with_a_trace_is_said_with_its_line(tmp_path, routing, text, message):
    """Columns, cells, numbers."""
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as error:
        traffic_of(f"trace:{path}", routing)
    assert str(error.value).startswith(str(path))
    assert message in str(error.value)


def test_a_trace_that_is_not_there_is_one_sentence(tmp_path, routing):
    """No file, a folder, not UTF-8."""
    (tmp_path / "b").write_bytes(b"\xff\xfe")
    for name, message in (("a", "cannot be read"), ("", "is a folder"), ("b", "is not UTF-8")):
        with pytest.raises(InputError, match=message):
            traffic_of(f"trace:{tmp_path}/{name}", routing)
