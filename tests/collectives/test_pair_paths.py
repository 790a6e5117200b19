"""All-to-alls on their own paths: real paths, no channel much fuller than the bound asks, the same after a file."""

from itertools import pairwise

import pytest

from topoloom import AppSettings, InputError, build, collective, read_schedule


@pytest.mark.parametrize(
    ("spec", "over"),
    [
        ("torus:dims=4x4,hosts=1", 1.001),
        ("jellyfish:n=40,degree=5,hosts=2", 1.06),
        ("ring:n=4,hosts=1+planes:count=2", 1.35),
    ],
)
def test_paths_are_links_and_share_the_load(spec, over, tmp_path):
    """Each path joins the switches of its ranks, and together they load channels nearly evenly."""
    topology = build(spec)
    result = collective(topology, "alltoall", 65536, paths_from="own")
    links = {(a, b) for u, v in topology.links.tolist() for a, b in ((u, v), (v, u))}
    ports = list(zip(topology.host.tolist(), topology.endpoints.tolist(), strict=True))
    for tree in result.schedule.trees:
        (edge,) = tree.edges
        assert (edge.sender, edge.switches[0]) in ports
        assert (edge.receiver, edge.switches[-1]) in ports
        assert set(pairwise(edge.switches)) <= links
    assert (result.algorithm, result.paths) == ("direct", "own")
    assert result.bound.bandwidth_s * (1 - 1e-5) <= result.fullest_s <= over * result.bound.bandwidth_s
    assert result.bound.seconds * (1 - 1e-5) <= result.seconds
    result.schedule.save(tmp_path / "it.json")
    assert collective(topology, read_schedule(tmp_path / "it.json")).seconds == result.seconds


def test_own_paths_are_faster_than_tables_on_a_random_graph():
    """By the tables of shortest paths some channels are half as full again; flit by flit the order is the same."""
    topology = build("jellyfish:n=40,degree=5,hosts=2")
    own, tables = (collective(topology, "alltoall", 65536, paths_from=paths) for paths in ("own", "tables"))
    assert own.seconds < 0.85 * tables.seconds
    assert collective(topology, "alltoall", 65536).seconds == tables.seconds


def test_own_paths_flit_by_flit():
    """On tables of layers, within a few per cent of flows."""
    topology = build("torus:dims=3x3,hosts=1")
    flows, flits = (
        collective(topology, "alltoall", 65536, paths_from="own", simulator=simulator).seconds
        for simulator in ("flows", "flits")
    )
    assert flits == pytest.approx(flows, rel=0.1)


def test_too_many_pairs_are_refused():
    """With what works instead."""
    topology = build("complete:n=2,hosts=201")
    with pytest.raises(InputError, match=r"402 ranks have too many paths .* use paths_from tables"):
        collective(topology, "alltoall", 1, paths_from="own", settings=AppSettings())
