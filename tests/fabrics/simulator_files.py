"""What the tests of the exports for simulators share: files of an export, and readers of the documented grammars."""

import re
import struct

import networkx as nx

from topoloom.fabric.cable_lengths import lengths_in
from topoloom.fabric.exports.registry import EXPORTS, ExportRequest
from topoloom.fabric.exports.settings import ExportSettings
from topoloom.fabric.fabric import planned_fabric
from topoloom.topologies.spec import build


def files(kind, network, routing=None, layout=None, **settings):
    """The files of an export, by name, of a spec or a topology."""
    topology = build(network) if isinstance(network, str) else network
    lengths = None if layout is None else lengths_in(layout, topology)
    order = ExportRequest(planned_fabric(topology), routing, ExportSettings(**settings), lengths)
    return dict(EXPORTS.find(kind).make(order))


def ns3_network(text):
    """ASTRA-sim's grammar: the switches, and of each cable its ends, its rate in Gb/s and its delay in ns."""
    words = text.split()
    nodes, switches, links = (int(word) for word in words[:3])
    ids = [int(word) for word in words[3 : 3 + switches]]
    return nodes, ids, _cables(words[3 + switches :], links)


def simai_network(text):
    """SimAI's grammar: the first line's numbers and GPU, NVSwitches, switches, cables."""
    words = text.split()
    nodes, each, nvswitches, switches, links = (int(word) for word in words[:5])
    ids = [int(word) for word in words[6 : 6 + nvswitches + switches]]
    cables = _cables(words[6 + nvswitches + switches :], links)
    return (nodes, each, words[5]), ids[:nvswitches], ids[nvswitches:], cables


def _cables(words, links):
    assert len(words) == 5 * links
    found = []
    for a, b, rate, delay, error in zip(*[iter(words)] * 5, strict=True):
        found.append((int(a), int(b), float(rate.removesuffix("Gbps")), float(delay.removesuffix("ns"))))
        assert rate.endswith("Gbps")
        assert delay.endswith("ns")
        assert error == "0"
    return found


def htsim_tiers(text):
    """The header of a .topo, and a dict of numbers for each tier, keys in small letters."""
    header, tiers = {}, []
    for line in text.splitlines():
        words = line.lower().split()
        if not words:
            continue
        if words[0] == "tier":
            assert int(words[1]) == len(tiers)
            tiers.append({})
        else:
            assert re.fullmatch(r"\d+", words[1]), line
            (tiers[-1] if tiers else header)[words[0]] = int(words[1])
    return header, tiers


def htsim_graph(text):
    """The graph that htsim wires from a .topo, by the rules of its set_custom_params and init_network; hosts included."""
    header, tiers = htsim_tiers(text)
    hosts, pod = header["nodes"], header["podsize"]
    assert header["tiers"] == len(tiers)
    pods = hosts // pod
    assert hosts == pods * pod
    leaves = hosts // tiers[0]["radix_down"]
    per_pod = leaves // pods
    ups = hosts * tiers[0]["downlink_speed_gbps"] // (tiers[1]["downlink_speed_gbps"] * tiers[0]["oversubscribed"])
    assert tiers[0]["radix_down"] // tiers[0]["radix_up"] == tiers[0]["oversubscribed"]
    middles = ups // (pods * tiers[1]["radix_down"])
    assert middles * tiers[1]["bundle"] == tiers[0]["radix_up"]
    graph = nx.MultiGraph()
    graph.add_edges_from((("host", h), ("leaf", h // tiers[0]["radix_down"])) for h in range(hosts))
    for leaf in range(leaves):
        group = leaf // per_pod if len(tiers) == 3 else 0
        ends = range(group * middles, (group + 1) * middles) if len(tiers) == 3 else range(middles * pods)
        for middle in ends:
            graph.add_edges_from([(("leaf", leaf), ("middle", middle))] * tiers[1]["bundle"])
    if len(tiers) == 3:
        over = ups // tiers[1]["oversubscribed"]
        cores = over // tiers[2]["radix_down"]
        assert cores * tiers[2]["bundle"] // middles == tiers[1]["radix_up"]
        for middle in range(middles * pods):
            for core in range(cores // middles):
                ends = ("middle", middle), ("core", core * middles + middle % middles)
                graph.add_edges_from([ends] * tiers[2]["bundle"])
    return graph


def with_hosts(topology):
    """A topology as a graph with a node for each host."""
    graph = nx.MultiGraph()
    graph.add_nodes_from(("switch", s) for s in range(topology.switches))
    graph.add_edges_from((("switch", u), ("switch", v)) for u, v in topology.links.tolist())
    ends = zip(topology.host.tolist(), topology.endpoints.tolist(), strict=True)
    graph.add_edges_from((("host", h), ("switch", s)) for h, s in ends)
    return graph


def int32(data, width):
    """Rows of little-endian int32."""
    return list(struct.iter_unpack(f"<{width}i", data))


def conf(text):
    """The settings of a CODES configuration."""
    return dict(re.findall(r'^\s*([\w-]+)="([^"]*)";$', text, re.MULTILINE))
