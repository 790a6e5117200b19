"""What dies with one loss: the laws of planes and dual ToRs, and an oracle that tries every loss by itself."""

import networkx
import numpy as np
import pytest

from topoloom import InputError, Topology, blast_radius, build
from topoloom.failures.single_losses import USUAL
from topoloom.graph.planes import planes_of


def worst(spec, kind):
    """The worst loss of a kind."""
    return blast_radius(build(spec), [kind]).losses[0]


@pytest.mark.parametrize("planes", [2, 3, 8])
@pytest.mark.parametrize("spec", ["fat-tree:k=8,hosts=32", "slimfly:q=5,hosts=4"])
def test_a_plane_of_many_takes_its_share_and_cuts_nobody_off(spec, planes):
    """(P - 1) / P of every host's ports are left, to the worst-off host as to the mean."""
    found = worst(f"{spec}+planes:count={planes}", "plane")
    share = (planes - 1) / planes
    assert (found.cut_off, found.ports_least, found.uplinks_least) == (0, share, share)
    assert [found.ports_mean, found.uplinks_mean] == pytest.approx([share, share], rel=1e-12)


def test_a_single_plane_takes_everything():
    """So do all rails that meet in one network: they are one plane."""
    assert worst("slimfly:q=5,hosts=4", "plane").cut_off == 200
    assert worst("fat-tree:hosts=128,k=16+rails:nics=8", "plane").cut_off == 16


def test_a_leaf_of_single_homed_hosts_takes_them_with_it():
    """All hosts of that leaf, and no other."""
    found = worst("fat-tree:k=8,hosts=32", "leaf")
    assert (found.cut_off, found.ports_mean, found.ports_least) == (4, 28 / 32, 0)


@pytest.mark.parametrize("spec", ["fat-tree:k=8,hosts=32+rails:nics=1,ports=2", "fat-tree:k=8,hosts=32+planes:count=2"])
def test_a_leaf_of_dual_homed_hosts_leaves_half_and_cuts_nobody_off(spec):
    """Dual ToR: half rate for the hosts of that leaf, all for the others."""
    hosts, found = build(spec).hosts, worst(spec, "leaf")
    assert (found.cut_off, found.ports_least) == (0, 0.5)
    assert found.ports_mean == pytest.approx(1 - 4 * 0.5 / hosts)


def test_a_port_takes_its_share_of_one_host():
    """A single-homed host is cut off; of one with P ports (P - 1) / P are left."""
    assert worst("fat-tree:k=8,hosts=32", "port").cut_off == 1
    found = worst("fat-tree:k=8,hosts=32+planes:count=4", "port")
    assert (found.cut_off, found.ports_least, found.units) == (0, 0.75, 128)


def test_an_interface_takes_all_its_ports():
    """Of dual-ported interfaces in two planes each takes its host, if that has no other; of eight rails it takes an eighth."""
    found = blast_radius(build("fat-tree:k=8,hosts=32+planes:count=2"), ["nic"], nic_ports=2).losses[0]
    assert (found.units, found.cut_off, found.ports_least) == (32, 1, 0)
    rails = "fat-tree:hosts=256,k=32+rails:nics=8,ports=2"
    found = blast_radius(build(rails), ["nic"], nic_ports=2).losses[0]
    assert (found.units, found.cut_off, found.ports_least) == (128, 0, 7 / 8)
    alone = blast_radius(build("fat-tree:k=8,hosts=32+planes:count=2"), ["nic", "port"]).losses
    assert [(loss.units, loss.cut_off, loss.ports_least) for loss in alone] == [(64, 0, 0.5)] * 2


def test_a_spine_of_many_takes_its_share_of_the_uplinks():
    """(S - 1) / S of a leaf's uplinks are left, in one plane of P."""
    found = worst("fat-tree:k=8,hosts=32", "spine")
    assert (found.units, found.cut_off, found.ports_least, found.uplinks_least) == (4, 0, 1, 0.75)
    assert worst("fat-tree:k=8,hosts=32+planes:count=2", "spine").uplinks_least == pytest.approx((1 + 0.75) / 2)


def test_the_only_spine_parts_the_leaves():
    """The main part is that with most hosts: here the leaf with three of six."""
    star = Topology(links=[(0, 3), (1, 3), (2, 3)], switches=4, endpoints=[0, 1, 1, 1, 2, 2], name="star")
    found = blast_radius(star, ["spine"]).losses[0]
    assert (found.worst, found.cut_off, found.ports_mean) == (3, 3, 0.5)


def oracle(topology, kind):
    """(cut off, mean and least share of ports) of every loss, by NetworkX and sets."""
    whole, planes = topology.to_networkx(), planes_of(topology)
    leaves = set(topology.endpoints.tolist())
    units = {
        "port": range(topology.endpoints.size),
        "leaf": sorted(leaves),
        "spine": sorted(set(range(topology.switches)) - leaves),
        "plane": range(len(planes)),
    }[kind]
    for unit in units:
        graph, dead = whole.copy(), set()
        if kind == "port":
            dead = {unit}
        else:
            gone = planes[unit].switches.tolist() if kind == "plane" else [unit]
            graph.remove_nodes_from(gone)
            dead = {e for e, switch in enumerate(topology.endpoints.tolist()) if switch in gone}
        good = set()
        for plane in planes:
            parts = [
                [e for e in plane.endpoints.tolist() if e not in dead and topology.endpoints[e] in part]
                for part in networkx.connected_components(graph.subgraph(plane.switches.tolist()))
            ]
            parts.sort(key=lambda part: (-len({int(topology.host[e]) for e in part}), part))
            good |= set(parts[0]) if parts else set()
        ports = np.bincount(topology.host)
        share = np.bincount(topology.host[sorted(good)], minlength=ports.size) / ports
        yield int((share == 0).sum()), float(share.mean()), float(share.min())


def test_an_oracle_that_tries_every_loss_agrees():
    """Sparse random planes whose switches part them, hosts with ports in some places twice."""
    rng = np.random.default_rng(3)
    compared = 0
    for _ in range(25):
        n, hosts = 9, 8
        tree = [(i, int(rng.integers(0, i))) for i in range(1, n)]
        more = [tuple(map(int, rng.choice(n, 2, replace=False))) for _ in range(2)]
        one = [*tree, *more]
        where = rng.integers(0, n, (2, hosts)) + np.array([[0], [n]])
        network = Topology(
            links=[*one, *((n + u, n + v) for u, v in tree)],
            switches=2 * n,
            endpoints=where.ravel(),
            host=np.tile(np.arange(hosts), 2),
        )
        for loss in blast_radius(network).losses:
            tried = list(oracle(network, loss.lose))
            assert len(tried) == loss.units
            assert loss.cut_off == max(found[0] for found in tried)
            assert any(
                (loss.cut_off, loss.ports_least) == (found[0], found[2]) and loss.ports_mean == pytest.approx(found[1])
                for found in tried
            )
            compared += 1
    assert compared == 100


def test_what_there_is_not_is_said():
    """Kinds that a network lacks, no hosts, parts that nothing joins."""
    with pytest.raises(InputError, match=r"the network has no spine \(a switch without hosts\); remove it"):
        blast_radius(build("slimfly:q=5,hosts=4"), ["spine"])
    assert [loss.lose for loss in blast_radius(build("slimfly:q=5,hosts=4")).losses] == ["port", "leaf", "plane"]
    with pytest.raises(InputError, match="lose='cabinet'"):
        blast_radius(build("slimfly:q=5,hosts=4"), ["cabinet"])
    with pytest.raises(InputError, match="the racks of this network are not known"):
        blast_radius(build("slimfly:q=5,hosts=4"), ["rack"])
    with pytest.raises(InputError, match="no hosts that a loss could cut off"):
        blast_radius(build("petersen"))
    with pytest.raises(InputError, match="neither links nor hosts join"):
        blast_radius(build("ring:n=4,hosts=1").replace(links=[(0, 1), (2, 3)]))
    with pytest.raises(InputError, match="nic_ports=3: an interface has 1 to 2 ports"):
        blast_radius(build("complete:n=2,hosts=1+planes:count=2"), nic_ports=3)


def test_a_record_has_a_row_a_loss():
    """The table is what the command prints."""
    found = blast_radius(build("fat-tree:k=4,hosts=8+planes:count=2"), nic_ports=2)
    assert [row["lose"] for row in found.rows()] == list(USUAL)
    assert type(found).from_record(found.record()) == found
