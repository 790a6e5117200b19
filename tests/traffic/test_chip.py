"""The chip of Nakano 2016 VIII.C: who stands where, and who asks whom."""

import numpy as np
import pytest

from topoloom.core.errors import InputError
from topoloom.routing.route import route
from topoloom.throughput.traffic import Loop, traffic_of
from topoloom.throughput.traffic.floor_places import edges_of, rows_and_columns
from topoloom.topologies.spec import build

#: The three networks of Nakano 2016: 72 routers.
CHIPS = [
    ("torus:dims=9x8,hosts=1", "dor"),
    ("grid:rows=9,columns=8,degree=4,length=4,hosts=1", "updown"),
    ("diagrid:rows=12,columns=6,degree=4,length=4,hosts=1", "updown"),
]


def parts(loop):
    """Hosts that are processors, banks and memory controllers."""
    return np.flatnonzero(np.diff(loop.first)), np.flatnonzero(np.diff(loop.back_first)), np.unique(loop.back_to)


@pytest.mark.parametrize(("spec", "engine"), CHIPS)
def test_the_chip_has_the_parts_of_the_paper_where_it_puts_them(spec, engine):
    """8 processors, two on each edge, 64 banks, 4 controllers in the corners; Table V's flits and cycles."""
    routing = route(build(spec), engine)
    loop = traffic_of("chip", routing)
    assert isinstance(loop, Loop)
    processors, banks, memories = parts(loop)
    assert (processors.size, banks.size, memories.size) == (8, 64, 4)
    assert set(processors) | set(banks) == set(range(72))
    edges = [set(edge.tolist()) for edge in edges_of(*rows_and_columns(routing.topology))]
    assert [len(edge & set(processors)) for edge in edges] == [2, 2, 2, 2]
    corners = {switch for edge in edges for other in edges if edge is not other for switch in edge & other}
    assert set(memories) == corners
    assert (loop.request_flits, loop.reply_flits, loop.service_cycles, loop.miss_cycles) == (1, 5, 6, 160)
    assert (loop.window, loop.requests, loop.miss) == (4, 1000, 0.1)


@pytest.mark.parametrize(
    ("along", "columns"), [("even", {2, 5}), ("middle", {3, 4}), ("ends", {0, 7})], ids=["even", "middle", "ends"]
)
def test_processors_stand_where_they_are_put(along, columns):
    """Two on the top edge of eight switches: in thirds, side by side in the middle, or in its corners."""
    routing = route(build("mesh:dims=9x8,hosts=1"), "dor")
    processors, _, _ = parts(traffic_of(f"chip:along={along},memories=1", routing))
    assert {int(host) for host in processors if host < 8} >= columns
    assert processors.size == 8


def test_processors_ask_every_bank_and_banks_every_controller():
    """Each once, and nobody else."""
    loop = traffic_of("chip:processors=3,banks=5,memories=2", route(build("mesh:dims=4x4,hosts=1"), "dor"))
    processors, banks, memories = parts(loop)
    assert (processors.size, banks.size, memories.size) == (3, 5, 2)
    assert not set(processors) & set(banks)
    for host in range(16):
        asked = loop.to[loop.first[host] : loop.first[host + 1]].tolist()
        behind = loop.back_to[loop.back_first[host] : loop.back_first[host + 1]].tolist()
        assert asked == (banks.tolist() if host in processors else [])
        assert behind == (memories.tolist() if host in banks else [])


def test_a_torus_is_folded():
    """Neighbours on a ring are two steps apart or, at its ends, one."""
    row, column = rows_and_columns(build("torus:dims=9x8,hosts=1"))
    for places, side in ((row.reshape(9, 8)[:, 0], 9), (column.reshape(9, 8)[0], 8)):
        assert sorted(places.tolist()) == list(range(side))
        steps = np.abs(places - np.roll(places, 1))
        assert sorted(steps.tolist()) == [1, 1] + [2] * (side - 2)


def test_a_mesh_is_not_folded_and_other_networks_have_no_floor():
    """Three dimensions, moved links and unlabelled switches are no plane grid; a mesh is as its coordinates say."""
    row, column = rows_and_columns(build("mesh:dims=3x4"))
    assert (row * 4 + column).tolist() == list(range(12))
    for spec in ("torus:dims=3x3x3", "slimfly:q=3", "torus:dims=6x6+permute:mode=full", "ring:n=9"):
        assert rows_and_columns(build(spec)) is None


@pytest.mark.parametrize(
    "spec", ["slimfly:q=5,hosts=2", "torus:dims=6x6,hosts=2", "grid:rows=6,columns=6,degree=4,length=3,hosts=3"]
)
@pytest.mark.parametrize(("processors", "memories"), [(1, 1), (5, 3), (8, 6), (13, 7)])
def test_any_network_can_be_a_chip(spec, processors, memories):
    """Parts of any number, several hosts per switch, no floor: nobody is two processors, and controllers are no processors."""
    loop = traffic_of(f"chip:processors={processors},memories={memories},miss=1", route(build(spec)))
    asking, banks, storing = parts(loop)
    assert (asking.size, storing.size) == (processors, memories)
    assert not set(asking) & set(banks)
    assert not set(asking) & set(storing)
    assert asking.size + banks.size == loop.first.size - 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("chip:processors=16", "chip: 16 processors, 1 banks and 4 memory controllers, but mesh"),
        ("chip:banks=9", "chip: 8 processors, 9 banks"),
        ("chip:processors=13,memories=3", "processors: 13 do not fit on the edges"),
        ("chip:processors=8,memories=5", "memory controllers: 5 do not fit on the edges, which have 4 free places"),
        ("chip:miss=1.5", "chip: miss=1.5 is out of range"),
        ("chip:window=0", "chip: window=0 is out of range"),
    ],
)
def test_what_does_not_fit_on_a_chip_is_said(text, message):
    """On 4 x 4 routers, of which 12 are on the edges."""
    with pytest.raises(InputError) as error:
        traffic_of(text, route(build("mesh:dims=4x4,hosts=1"), "dor"))
    assert message in str(error.value)
