"""The files with which tables go into a running OpenSM: the lines of its configuration, and the pairs with service levels."""

import numpy as np
import pytest

from topoloom.fabric.deployment import deployment_notes, levelled_share, opensm_conf
from topoloom.fabric.exports.registry import EXPORTS, ExportRequest
from topoloom.fabric.fabric import planned_fabric
from topoloom.routing.route import route
from topoloom.topologies.spec import build


@pytest.mark.parametrize(
    ("spec", "engine"),
    [
        ("slimfly:q=5,hosts=2", "levels"),
        ("torus:dims=3x3,hosts=1", "dfsssp-switches"),
        ("fat-tree:k=4", "fat-tree-hosts"),
    ],
)
def test_the_share_of_pairs_with_a_service_level(spec, engine):
    """Counted host by host."""
    routing = route(build(spec), engine)
    ends, layer = routing.topology.endpoints, routing.layer_of_ports
    pairs = levelled = 0
    for target, home in enumerate(ends.tolist()):
        table = routing.host_tables[layer[target]]
        for source in ends[ends != home].tolist():
            pairs += 1
            levelled += table.virtual_channels is not None and table.virtual_channels[home, source] > 0
    assert levelled_share(routing) == levelled / pairs


def test_tables_without_service_levels_need_two_lines():
    """The engine and its file; a policy, the lanes of the levels and their shares only where there are levels."""
    words = [line.split()[0] for line in opensm_conf(levels=False).splitlines() if not line.startswith("#")]
    assert words == ["routing_engine", "lfts_file"]
    words = [line.split()[0] for line in opensm_conf(levels=True).splitlines() if not line.startswith("#")]
    assert words[2:] == ["qos", "qos_policy_file", "qos_sl2vl", "qos_high_limit", "qos_vlarb_high", "qos_vlarb_low"]


def test_an_export_says_what_the_tables_do_not_do():
    """Failover always; service levels where some pairs need them."""
    advice = EXPORTS.find("opensm").advice
    for spec, count in (("fat-tree:k=4", 2), ("slimfly:q=5,hosts=2", 3), ("fat-tree:k=4+planes:count=2", 2)):
        topology = build(spec)
        sentences = advice(ExportRequest(planned_fabric(topology), route(topology)))
        assert len(sentences) == count
        assert "does not route around a lost cable" in sentences[0]
    assert deployment_notes([route(build("slimfly:q=5,hosts=2"))])[2].startswith("83.0% of the pairs")


def test_levels_of_several_tables_are_weighted_by_their_hosts():
    """Two switches with two hosts each: half of the ordered pairs between the switches use the second virtual channel."""
    topology = build("complete:n=2,hosts=2")
    routing = route(topology, "minimal")
    assert levelled_share(routing) == 0.0
    one_way = type(routing)(topology, "test", routing.ports, np.array([[0, 1], [0, 0]], np.uint8))
    assert levelled_share(one_way) == 0.5
