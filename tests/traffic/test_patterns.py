"""Traffic: each pattern is what its source says, for any number of hosts."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.routing.route import route
from topoloom.routing.routing import Routing
from topoloom.throughput.traffic import LISTS, PATTERNS, ROUND, UNIFORM, Loop, Trace, traffic_of
from topoloom.throughput.traffic.patterns.stencil import sides_of
from topoloom.topologies.spec import build

HOSTS = st.integers(2, 200)


def network(hosts):
    """Two switches, the hosts shared out evenly."""
    topology = Topology(links=[(0, 1)], switches=2, endpoints=np.arange(hosts) % 2, name="two")
    return Routing(topology, "by hand", np.array([[255, 0], [0, 255]], np.uint8))


def lists(traffic):
    """Each host's list."""
    return [traffic.to[a:b].tolist() for a, b in zip(traffic.first, traffic.first[1:], strict=False)]


def bits(number, width):
    return [number >> i & 1 for i in range(width)]


MOVES = {
    "bit-complement": lambda s, b, i: 1 - s[i],
    "bit-reversal": lambda s, b, i: s[b - i - 1],
    "shuffle": lambda s, b, i: s[(i - 1) % b],
    # With an odd number of bits the lower half is the shorter one.
    "transpose": lambda s, b, i: s[(i + b // 2) % b],
}


@pytest.mark.parametrize("name", MOVES)
@given(hosts=HOSTS)
def test_patterns_on_bits_are_their_formulas(name, hosts):
    """Besta 2014 V.B bit by bit; hosts from the largest power of two on neither send nor are sent to."""
    traffic = traffic_of(name, network(hosts))
    width = hosts.bit_length() - 1
    for host, to in enumerate(lists(traffic)):
        if host >> width:
            assert to == []
        else:
            own = bits(host, width)
            assert [bits(t, width) for t in to] == [[MOVES[name](own, width, i) for i in range(width)]]
    assert np.flatnonzero(traffic.senders).tolist() == np.flatnonzero(traffic.receivers).tolist()
    assert traffic.senders.sum() == 1 << width


@given(hosts=HOSTS)
def test_shift_goes_to_one_of_two_hosts_half_way_round(hosts):
    """Besta 2014 V.B: d = s mod N/2 or that + N/2, so every host is on two lists, its own among them."""
    traffic = traffic_of("shift", network(hosts))
    n = 1 << hosts.bit_length() - 1
    assert lists(traffic) == [[s % (n // 2), s % (n // 2) + n // 2] if s < n else [] for s in range(hosts)]
    assert (np.bincount(traffic.to) == 2).all()


@pytest.mark.parametrize("name", ["tornado", "neighbour", "permutation"])
@given(hosts=HOSTS, seed=st.integers(0, 9))
def test_each_host_has_one_partner_that_no_other_has(name, hosts, seed):
    """A permutation in which nobody sends to itself."""
    traffic = traffic_of(name, network(hosts), seed)
    assert np.diff(traffic.first).tolist() == [1] * hosts
    assert sorted(traffic.to.tolist()) == list(range(hosts))
    assert (traffic.to != np.arange(hosts)).all()


def test_tornado_and_neighbour_go_so_far_round():
    """One step, and one short of half way (Dally and Towles 2003, Table 3.1)."""
    assert traffic_of("neighbour", network(8)).to.tolist() == [1, 2, 3, 4, 5, 6, 7, 0]
    assert traffic_of("tornado", network(8)).to.tolist() == [3, 4, 5, 6, 7, 0, 1, 2]


def test_tornado_and_neighbour_move_every_coordinate():
    """On an 8 x 4 torus with two hosts per switch: 3 and 1 further, or 1 and 1, at the same place of the switch."""
    torus = route(build("torus:dims=8x4,hosts=2"))
    at = [np.asarray(torus.topology.labels[name]) for name in ("x0", "x1")]
    for name, steps in (("tornado", (3, 1)), ("neighbour", (1, 1))):
        to = traffic_of(name, torus).to
        for axis, (side, step) in enumerate(zip((8, 4), steps, strict=True)):
            assert ((at[axis][to // 2] - at[axis][np.arange(64) // 2]) % side == step).all()
        assert (to % 2 == np.arange(64) % 2).all()


def test_a_seed_gives_the_same_random_choices_everywhere():
    """Permutation and hot hosts are pinned; another seed gives others."""
    assert traffic_of("permutation", network(8)).to.tolist() == traffic_of("permutation", network(8), 1).to.tolist()
    assert traffic_of("permutation", network(8)).to.tolist() != traffic_of("permutation", network(8), 2).to.tolist()
    hot = [np.unique(traffic_of("hotspot", network(100), seed).to).tolist() for seed in (1, 1, 2)]
    assert hot[0] == hot[1] != hot[2]


@given(hosts=st.integers(2, 60), data=st.data())
def test_a_share_goes_to_the_hot_hosts(hosts, data):
    """Every host lists the hot ones but itself; the only hot host there is sends to anybody."""
    hot = data.draw(st.integers(1, hosts))
    traffic = traffic_of(f"hotspot:hosts={hot},share=0.25", network(hosts))
    assert traffic.share == 0.25
    assert traffic.senders.all()
    assert traffic.receivers.all()
    found = set().union(*(lists(traffic)[h] for h in range(hosts))) if hot > 1 else set(lists(traffic)[0])
    if hot > 1:
        assert len(found) == hot
        assert all(set(to) == found - {host} for host, to in enumerate(lists(traffic)))
    else:
        assert sorted(len(to) for to in lists(traffic)) == sorted([1] * (hosts - 1) + [hosts - 1])
        assert all(host not in to for host, to in enumerate(lists(traffic)))


@pytest.mark.parametrize(("name", "kind"), [("uniform", UNIFORM), ("all-to-all", ROUND)])
def test_traffic_to_all_has_no_lists(name, kind):
    """Nothing is written out, and all send and get."""
    traffic = traffic_of(name, network(5))
    assert (traffic.kind, traffic.first.size, traffic.to.size, traffic.share, traffic.hosts) == (kind, 0, 0, 1.0, 5)
    assert traffic.senders.tolist() == traffic.receivers.tolist() == [True] * 5


@pytest.mark.parametrize("edges", ["open", "periodic"])
@given(sides=st.lists(st.integers(1, 6), min_size=2, max_size=3), more=st.integers(0, 3))
def test_stencils_are_grid_graphs(edges, sides, more):
    """The lists are the neighbours in NetworkX's grid, each once; hosts beyond the grid are silent."""
    points = int(np.prod(sides))
    if points < 2:
        return
    keys = ("rows", "columns") if len(sides) == 2 else ("layers", "rows", "columns")
    settings = ",".join(f"{key}={side}" for key, side in zip(keys, sides, strict=True))
    traffic = traffic_of(f"stencil-{len(sides)}d:{settings},edges={edges}", network(points + more))
    graph = nx.grid_graph(sides[::-1], periodic=edges == "periodic")
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    number = {point: int(np.ravel_multi_index(point, sides)) for point in graph}
    wanted = {number[point]: sorted(number[other] for other in graph[point]) for point in graph}
    for host, to in enumerate(lists(traffic)):
        assert sorted(to) == wanted.get(host, [])


@given(hosts=st.integers(1, 5000), dimensions=st.integers(2, 3))
def test_grids_are_near_square_and_waste_little(hosts, dimensions):
    """No side is below half of what equal ones would have, and few hosts stay silent."""
    sides = sides_of(hosts, (None,) * dimensions)
    equal = hosts ** (1 / dimensions)
    assert np.prod(sides) <= hosts
    assert min(sides) >= max(1, int(equal / 2) - 1)
    # A line of hosts that is left over, once for each side but the last.
    assert hosts - np.prod(sides) < 2 * dimensions * (equal + 1) ** (dimensions - 1)


def test_grids_use_all_hosts_where_sides_divide_them():
    """16 x 16, 10 x 20 and 95 x 114 leave no host out; 97 is a prime."""
    found = [sides_of(hosts, (None, None)) for hosts in (256, 200, 10830, 97)]
    assert found == [(16, 16), (10, 20), (95, 114), (9, 10)]
    assert sides_of(64, (None, None, None)) == (4, 4, 4)
    assert sides_of(64, (None, 2, None)) == (4, 2, 8)


def test_every_pattern_has_words_for_the_help():
    """A line, settings with words, and how it is written."""
    for name, record in PATTERNS.items():
        assert record.words.startswith(record.help)
        assert record.usage.startswith(name)
        assert all(parameter.description for parameter in record.parameters.values())
    assert "hosts=4, share=0.2 (Pfister" in PATTERNS["hotspot"].words
    assert "rows=, columns=, edges=open" in PATTERNS["stencil-2d"].words
    assert PATTERNS["trace"].usage == "trace:FILE"


@pytest.mark.parametrize("name", [name for name, record in PATTERNS.items() if record.rest is None])
def test_every_pattern_works_between_two_hosts_and_more(name):
    """Arrays of the promised types, in range, that cannot be written to; two calls give the same."""
    routing = route(build("hypercube:n=3,hosts=2"), "minimal")
    text = name if name != "chip" else "chip:processors=2,memories=2"
    for routed in (routing, network(5)):
        made, again = traffic_of(text, routed), traffic_of(text, routed)
        assert made.name == text
        for first, to in [(made.first, made.to)] + (
            [(made.back_first, made.back_to)] if isinstance(made, Loop) else []
        ):
            assert (first.dtype, to.dtype) == (np.int64, np.int32)
            assert not first.flags.writeable
            assert not to.flags.writeable
            assert not first.size or (first[0], first[-1]) == (0, to.size)
            assert to.size == 0 or 0 <= to.min() <= to.max() < routed.topology.endpoints.size
        assert not isinstance(made, Trace)
        assert np.array_equal(made.to, again.to)
        if not isinstance(made, Loop) and made.kind == LISTS:
            assert made.first.size == made.hosts + 1 == routed.topology.endpoints.size + 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hotspott", "no traffic pattern named 'hotspott' (did you mean 'hotspot'?)"),
        ("x", "no traffic pattern named 'x' (there are all-to-all, among, bit-complement"),
        ("", "no traffic pattern named '' (there are"),
        ("uniform:x=1", "uniform: no parameter 'x' (it takes none)"),
        ("hotspot:share=2", "hotspot: share=2 is out of range; it must be 0 to 1"),
        ("hotspot:hosts=9", "hotspot: hosts=9 is more than the 6 hosts of two"),
        ("hotspot:hosts=9,hosts=3", "hotspot: hosts is given twice"),
        ("stencil-2d:rows=7", "stencil-2d:rows=7: a grid of 7 x 1, but two has 6 hosts; give shorter sides"),
        ("stencil-3d:rows=2,columns=2,layers=2", "a grid of 2 x 2 x 2, but two has 6 hosts"),
        ("stencil-2d:rows=1,columns=1", "stencil-2d:rows=1,columns=1: no host sends; two has 6 hosts"),
        ("stencil-2d:edges=round", "stencil-2d: edges='round' is unknown; it must be open or periodic"),
        ("worst-case:by=x", "worst-case: by='x' is unknown; it must be family or tables"),
        ("trace", "trace: the file is missing; write trace:FILE"),
    ],
)
def test_what_cannot_be_is_said_in_one_sentence(text, message):
    """Names, settings and sizes that do not fit."""
    with pytest.raises(InputError) as error:
        traffic_of(text, network(6))
    assert message in str(error.value)


def test_lists_that_take_too_much_memory_are_refused_before_they_are_made():
    """A million hosts, and all of them hot."""
    with pytest.raises(InputError, match="pairs of hosts are too many"):
        traffic_of("hotspot:hosts=1000", network(1 << 20))


SETTINGS = [*sorted({key for record in PATTERNS.values() for key in record.parameters}), "x", ""]
VALUES = st.one_of(
    st.integers(-2, 40).map(str), st.sampled_from(["0.5", "nan", "inf", "open", "tables", "", "9" * 25, "=", "a:b"])
)
WRITTEN = st.builds(
    lambda name, given: name + ":" * bool(given) + ",".join(f"{key}={value}" for key, value in given),
    st.sampled_from([name for name in PATTERNS if name != "worst-case"]),
    st.lists(st.tuples(st.sampled_from(SETTINGS), VALUES), max_size=4),
)


@given(text=WRITTEN | st.text(max_size=12), hosts=st.integers(0, 30))
def test_whatever_is_written_gives_traffic_or_one_sentence(text, hosts):
    """No traceback, whatever the settings; what is made has hosts of the network only."""
    try:
        made = traffic_of(text, network(hosts))
    except InputError:
        return
    assert made.name == text
    if not isinstance(made, Trace):
        assert made.to.size == 0 or 0 <= made.to.min() <= made.to.max() < hosts
