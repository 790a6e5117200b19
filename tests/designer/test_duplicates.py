"""One network under several names appears once in a design."""

import networkx as nx
import pytest

from topoloom import build, design
from topoloom.designer.duplicates import _equal
from topoloom.designer.requirement import Requirement
from topoloom.designer.requirement_tables import DesignLimits, FamiliesRequirement, SwitchRequirement


def _design(*specs: str, only: tuple[str, ...] = ("complete", "hyperx", "torus", "flattened-butterfly", "hypercube")):
    return design(
        Requirement(
            hosts=18,
            switch=SwitchRequirement(radix=8),
            families=FamiliesRequirement(only=only, specs=specs),
            limits=DesignLimits(blocking=8, cost_over_best=8),
            usual=False,
            shortlist=0,
        ),
        jobs=1,
    )


def test_no_two_ranked_networks_are_isomorphic():
    """networkx compares all pairs; a complete graph, a 3 x 3 torus and a hypercube each have several names."""
    result = _design()
    graphs = []
    for candidate in result.ranked:
        topology = build(candidate.spec.partition("+")[0])
        graph = nx.MultiGraph()
        graph.add_nodes_from((switch, {"hosts": int(n)}) for switch, n in enumerate(topology.endpoints_at))
        graph.add_edges_from(topology.links.tolist())
        for spec, hosts, other in graphs:
            same = nx.is_isomorphic(graph, other, node_match=lambda a, b: a == b)
            assert not (same and hosts == candidate.hosts), (spec, candidate.spec)
        graphs.append((candidate.spec, candidate.hosts, graph))
    same = {outcome.spec: outcome.reason for outcome in result.dropped if outcome.limit == "same"}
    assert "the same network as torus:dims=3x3" in same["flattened-butterfly:dims=3x3,hosts=2"]
    assert not set(same) & {candidate.spec for candidate in result.ranked}
    assert result.dropped_by["same"] == len(same)


def test_a_spec_that_the_user_names_stays():
    """It is measured as it is written, though another name is shorter."""
    result = _design("flattened-butterfly:dims=3x3,hosts=2")
    assert "flattened-butterfly:dims=3x3,hosts=2" in {candidate.spec for candidate in result.ranked}
    assert "torus:dims=3x3,hosts=2" in {outcome.spec for outcome in result.dropped if outcome.limit == "same"}


@pytest.mark.parametrize(
    ("first", "second", "equal"),
    [
        ("hypercube:n=4,hosts=2", "torus:dims=4x4,hosts=2", True),
        ("torus:dims=6x4,hosts=1", "torus:dims=8x3,hosts=1", False),
        ("fat-tree:k=8,hosts=32+rails:nics=2", "fat-tree:k=8,hosts=32+nics:count=2", False),
        ("complete:n=6,hosts=2", "complete:n=6,hosts=3", False),
    ],
)
def test_networks_are_equal_by_links_and_hosts(first, second, equal):
    """The 4-dimensional hypercube is the 4 x 4 torus; ports of a host on one switch are not those on two."""
    assert _equal(build(first), build(second)) is equal
