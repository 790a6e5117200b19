"""Engine ancestors: paths that rise to a nearest common ancestor and fall, in one virtual channel."""

import numpy as np
import pytest

from topoloom import InputError, build, hops, route
from topoloom.routing.engines.fat_tree import levels_of
from topoloom.routing.levels_below import reach

_SPECS = [
    "oft:q=3",
    "mlfm:h=4,layers=3",
    "random-folded-clos:k=8,leaves=30,levels=3",
    "random-folded-clos:k=8,leaves=16,levels=4",
    "fat-tree:k=6",
]


def _path(routing, source: int, goal: int) -> list[int]:
    """The switches that a packet passes, by the tables."""
    first, to, _ = routing.topology.csr
    path = [source]
    while path[-1] != goal:
        path.append(int(to[first[path[-1]] + routing.ports[goal, path[-1]]]))
        assert len(path) < 20
    return path


@pytest.mark.sweep(2)
@pytest.mark.parametrize("spec", _SPECS)
def test_paths_rise_and_then_fall(spec):
    """No path of hosts goes up after it went down, so that no cycle of channels is there; one virtual channel."""
    topology = build(spec)
    level = topology.labels["level"]
    routing = route(topology, "ancestors")
    leaves = np.flatnonzero(topology.endpoints_at)
    for source in leaves[::3].tolist():
        for goal in leaves[::4].tolist():
            steps = np.diff(level[_path(routing, source, goal)])
            assert (np.abs(steps) == 1).all()
            assert (np.diff(steps) <= 0).all()
    assert routing.verification.virtual_channels_used == 1
    assert routing.verification.deadlock_free
    assert routing.verification.complete


@pytest.mark.parametrize("spec", _SPECS[:3])
def test_paths_of_hosts_are_shortest_up_to_three_levels(spec):
    """The longest is the farthest apart that two leaves are."""
    topology = build(spec)
    assert route(topology, "ancestors").verification.stretch == 1.0


def test_a_network_without_common_ancestors_is_refused():
    """By its name, with what routes it; and the fitting engine is another one."""
    topology = build("random-folded-clos:k=4,leaves=40,levels=2")
    with pytest.raises(
        InputError, match="has no common ancestor with another switch; engine orders routes any network"
    ):
        route(topology, "ancestors")
    assert route(topology).engine == "orders"


@pytest.mark.parametrize("spec", [*_SPECS, "random-folded-clos:k=4,leaves=40,levels=2", "clos:leaves=5,spines=3"])
def test_reach_is_what_walks_down_find(spec):
    """Which lowest switches lie below a switch, by powers of the matrix of links down."""
    topology = build(spec)
    level = levels_of(topology)
    n = topology.switches
    down = np.eye(n, dtype=np.int64)
    for u, v in topology.links.tolist():
        down[max(u, v, key=level.__getitem__), min(u, v, key=level.__getitem__)] = 1
    below = np.linalg.matrix_power(down, int(level.max())) > 0
    leaves, tops = level == 0, level == level.max()
    joined = (below[:, leaves].T.astype(int) @ below[:, leaves].astype(int) > 0).all()
    assert reach(topology, level) == (bool(below[np.ix_(tops, leaves)].all()), bool(joined))


def test_loads_of_a_full_mesh_of_layers_are_even():
    """h = 4: with h layers the pairs of one place can be spread evenly, and 0.95 of full rate get through (orders: 0.79)."""
    from topoloom.throughput.traffic import uniform_remote
    from topoloom.throughput.traffic.loads import table_loads

    topology = build("mlfm:h=4")
    assert table_loads(route(topology), uniform_remote(topology)).throughput >= 0.95 - 1e-9
    assert hops(topology).diameter == 4
