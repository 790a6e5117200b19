"""Figures of tables against walks in Python, against the verifier, and against closed forms of trees."""

from collections import Counter

import numpy as np
import pytest

from topoloom import build, route
from topoloom.cli.routing_text import with_lost
from topoloom.core.errors import InputError
from topoloom.fabric.fabric import planned_fabric
from topoloom.fabric.infiniband import real_ports
from topoloom.fabric.lft import Tables
from topoloom.fabric.minhop import minhop_tables
from topoloom.fabric.table_verifier import verify_tables
from topoloom.fabric.tables_compared import compare_tables, table_figures
from topoloom.model.topology import Topology
from topoloom.routing.choices import Layers
from topoloom.routing.routing import Routing
from topoloom.routing.tree_order import tree_order
from topoloom.routing.trees.least_load import least_channel_load
from topoloom.routing.trees.ranked import ranked_tables


def walked(fabric, ports, source, target):
    """The channels (switch, port) from one host port to another, followed in Python; None if it does not arrive."""
    topology = fabric.topology
    leads = {
        (int(s), int(p)): int(t)
        for ends, plugs in zip(topology.links.tolist(), fabric.link_ports.tolist(), strict=True)
        for s, p, t in ((ends[0], plugs[0], ends[1]), (ends[1], plugs[1], ends[0]))
    }
    at, home, path = int(topology.endpoints[source]), int(topology.endpoints[target]), []
    while len(path) <= topology.switches:
        port = int(ports[at, target])
        if at == home and port == fabric.endpoint_ports[target]:
            return path
        if (at, port) not in leads:
            return None
        path.append((at, port))
        at = leads[at, port]
    return None


def by_hand(fabric, ports):
    """Maximum channel load, lost pairs, and the largest load of each shift, of tables followed in Python."""
    k = fabric.topology.endpoints.size
    paths = {(i, j): walked(fabric, ports, i, j) for i in range(k) for j in range(k) if i != j}
    load = Counter(channel for path in paths.values() if path for channel in path)
    shifts = [
        max([1, *Counter(c for i in range(k) for c in paths[i, (i + shift) % k] or ()).values()])
        for shift in range(1, k)
    ]
    return max(load.values()), sum(path is None for path in paths.values()), shifts


@pytest.mark.parametrize("spec", ["fat-tree:k=4", "torus:dims=3x3,hosts=2", "complete:n=4,hosts=2"])
def test_loads_and_shifts_are_those_of_paths_followed_one_by_one(spec):
    """Loads, shifts and lost pairs equal a walk in Python, also with a hole, a loop and a wrong host port."""
    fabric = planned_fabric(build(spec))
    ports = real_ports(route(fabric.topology), fabric)
    damaged = ports.copy()
    damaged[0, -fabric.topology.switches - 1] = -1
    damaged[int(fabric.topology.endpoints[0]), 0] = fabric.endpoint_ports[1]
    for tables in (ports, damaged):
        figures = table_figures(tables, fabric)
        load, lost, shifts = by_hand(fabric, tables)
        assert figures.max_channel_load == load
        assert figures.unreachable_pairs == lost
        served = not lost
        assert figures.shift_throughput == pytest.approx(served * len(shifts) / sum(shifts))
        assert figures.worst_shift_throughput == served / max(shifts)
        assert (figures.shifts, figures.shifts_sampled) == (len(shifts), False)


def test_a_fat_tree_by_host_passes_all_shifts_and_loads_every_channel_alike():
    """d-mod-k: no contention in any shift (Zahavi 2010), and the verifier counts the same maximum channel load."""
    fabric = planned_fabric(build("fat-tree:k=4"))
    routing = route(fabric.topology, "fat-tree-hosts")
    figures = table_figures(routing, fabric)
    ports = real_ports(routing, fabric)
    verified = verify_tables(Tables("made", ports.astype(np.int16), {}), fabric)
    assert figures.max_channel_load == verified.max_channel_load == 14
    assert (figures.shift_throughput, figures.uniform_throughput, figures.max_hops) == (1.0, 1.0, 4)
    assert figures.mean_hops == pytest.approx(verified.mean_hops)


def test_paths_of_a_pair_share_its_data_evenly():
    """With two paths each channel has half of the pairs of both; a path that is lost counts its pair once."""
    fabric = planned_fabric(build("fat-tree:k=4"))
    one, other = (real_ports(route(fabric.topology, "orders", seed=seed), fabric) for seed in (1, 2))
    both = table_figures([one, other], fabric)
    assert both.paths_per_pair == 2
    assert (
        both.max_channel_load
        <= (table_figures(one, fabric).max_channel_load + table_figures(other, fabric).max_channel_load) / 2
    )
    holed = other.copy()
    holed[0, 4] = -1  # switch 0 has hosts 0 and 1
    assert table_figures([holed, holed], fabric).unreachable_pairs == 2
    assert table_figures([one, holed], fabric).unreachable_pairs == 2


def test_changed_paths_are_counted_in_pairs_of_hosts_and_worse_tables_are_known():
    """One entry of a leaf changes the paths from all hosts of this leaf to one host; the same tables change none."""
    fabric = planned_fabric(build("fat-tree:k=4"))
    routing = route(fabric.topology, "fat-tree-hosts")
    ports = real_ports(routing, fabric)
    changed = ports.copy()
    changed[0, 4] = 7 - ports[0, 4]  # leaf 0 has ports 3 and 4 up
    assert compare_tables(ports, routing, fabric).paths_changed == 0
    compared = compare_tables(ports, changed, fabric)
    assert compared.paths_changed == 2
    assert compared.worse
    assert not compare_tables(changed, ports, fabric).worse


def test_tables_of_another_fabric_are_refused():
    """The sentence has both sizes."""
    fabric = planned_fabric(build("fat-tree:k=4"))
    with pytest.raises(InputError, match="20 switches and 16 host ports"):
        table_figures(np.zeros((3, 3), np.int16), fabric)


def unlabelled(leaves, spines, hosts):
    """A two-level tree with a cable from each leaf to each spine, as a discovery finds it: without levels."""
    links = [(leaf, leaves + spine) for leaf in range(leaves) for spine in range(spines)]
    return Topology(links, leaves + spines, np.repeat(np.arange(leaves), hosts), name="discovered")


@pytest.mark.parametrize(("leaves", "spines", "hosts"), [(3, 2, 4), (4, 4, 4), (6, 3, 6)])
def test_shifts_of_an_evenly_wired_tree_have_only_the_contention_of_its_taper(leaves, spines, hosts):
    """d-mod-k: in the worst shift, hosts / spines packets share a cable (Zahavi et al., CCPE 2010)."""
    topology = unlabelled(leaves, spines, hosts)
    fabric = planned_fabric(topology)
    figures = table_figures(real_ports(route(topology, "fat-tree-hosts"), fabric), fabric)
    assert figures.worst_shift_throughput == spines / hosts
    assert figures.max_channel_load == (leaves - 1) * hosts * hosts / spines


def digits_of(topology, fabric, spines):
    """d-mod-k in `unlabelled`, by hand: host h goes through spine h modulo the number of spines."""
    leaves, hosts = topology.switches - spines, topology.hosts
    ports = np.full((topology.switches, hosts + topology.switches), -1)
    for host, home in enumerate(topology.endpoints.tolist()):
        ports[:leaves, host] = hosts // leaves + 1 + host % spines  # the first ports have hosts
        ports[leaves:, host] = 1 + home
        ports[home, host] = fabric.endpoint_ports[host]
    return ports


@pytest.mark.parametrize(("leaves", "spines", "hosts"), [(8, 3, 4), (12, 6, 8), (24, 16, 20)])
def test_loads_are_even_without_slower_shifts_where_spines_do_not_divide_hosts(leaves, spines, hosts):
    """No channel has more than must leave a leaf, and the shifts are as fast as with d-mod-k."""
    topology = unlabelled(leaves, spines, hosts)
    fabric = planned_fabric(topology)
    even = real_ports(route(topology, "fat-tree-hosts"), fabric)
    compared = compare_tables(digits_of(topology, fabric, spines), even, fabric)
    assert (compared.before.unreachable_pairs, compared.after.unreachable_pairs) == (0, 0)
    assert compared.after.max_channel_load == least_channel_load(topology) < compared.before.max_channel_load
    assert not compared.slower_shifts


def test_slower_shifts_are_said_next_to_better_loads():
    """Three cables up for four hosts, and even loads by a search that does not look at shifts."""
    topology = unlabelled(8, 3, 4)
    fabric = planned_fabric(topology)
    tables = ranked_tables(topology, tree_order(topology).level, 4)
    searched = real_ports(Routing(topology, "even", tables[0], choice=Layers(tuple(tables[1:]), by_host=True)), fabric)
    compared = compare_tables(digits_of(topology, fabric, 3), searched, fabric)
    assert not compared.worse
    assert compared.slower_shifts


def test_tables_that_lose_a_host_have_no_figure_that_is_better():
    """Without the entries of any one host, its pairs are lost: throughput is 0, and no other figure claims to be complete."""
    fabric = planned_fabric(build("fat-tree:k=4"))
    ports = real_ports(route(fabric.topology), fabric)
    good = table_figures(ports, fabric)
    assert (good.lost_pairs, good.apart_pairs) == (0, 0)
    for host in range(fabric.topology.endpoints.size):
        damaged = ports.copy()
        damaged[:, host] = -1
        figures = table_figures(damaged, fabric)
        assert figures.lost_pairs == figures.unreachable_pairs == 15
        assert (figures.uniform_throughput, figures.shift_throughput, figures.worst_shift_throughput) == (0, 0, 0)
        assert compare_tables(ports, damaged, fabric).worse
        assert with_lost("max_channel_load", "7", 15) == "at least 7 (15 pairs do not arrive)"


def test_pairs_that_no_cables_join_are_not_lost():
    """Two separate stars: pairs between them are apart, and throughput is that of each star."""
    fabric = planned_fabric(Topology(links=[(0, 1), (2, 3)], endpoints=[0, 1, 2, 3], switches=4))
    figures = table_figures(minhop_tables(fabric), fabric)
    assert (figures.pairs, figures.unreachable_pairs, figures.apart_pairs, figures.lost_pairs) == (12, 8, 8, 0)
    assert figures.uniform_throughput > 0
