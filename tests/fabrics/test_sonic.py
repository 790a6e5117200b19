"""SONiC's config_db.json by the rules of its YANG models, and against the network that it is of.

The rules are those of sonic-net/sonic-buildimage, src/sonic-yang-models/yang-models (read at 086b03bd): sonic-port,
sonic-interface, sonic-breakout_cfg, sonic-static-route, sonic-bgp-global, sonic-bgp-neighbor, sonic-device_metadata.
"""

import ipaddress
import json
import re

import networkx as nx
import numpy as np
import pytest

from topoloom import build
from topoloom.fabric.exports.registry import ExportRequest, export_named
from topoloom.fabric.fabric import planned_fabric

_TABLES = {
    "DEVICE_METADATA",
    "PORT",
    "BREAKOUT_CFG",
    "INTERFACE",
    "STATIC_ROUTE",
    "BGP_GLOBALS",
    "BGP_GLOBALS_AF",
    "BGP_GLOBALS_AF_NETWORK",
    "BGP_NEIGHBOR",
    "BGP_NEIGHBOR_AF",
    "DEVICE_NEIGHBOR",
    "DEVICE_NEIGHBOR_METADATA",
}


def databases(options, topology):
    """The database of every switch, after the rules of the models."""
    record, given = export_named(f"sonic{options}")
    files = record.make(ExportRequest(planned_fabric(topology)), **given)
    found = {}
    for name, text in files.items():
        if name.endswith("/config_db.json"):
            found[name.partition("/")[0]] = json.loads(text)
    for name, tables in found.items():
        assert tables.keys() <= _TABLES
        assert all(
            isinstance(value, str) for table in tables.values() for row in table.values() for value in row.values()
        )
        here = tables["DEVICE_METADATA"]["localhost"]
        assert here["hostname"] == name
        assert here["type"] in ("ToRRouter", "SpineRouter")
        assert here.get("docker_routing_config_mode", "unified") in ("separated", "unified", "split", "split-unified")
        lanes = []
        for port, row in tables["PORT"].items():
            own = list(map(int, row["lanes"].split(",")))
            lanes += own
            # SONiC calls a port by its first lane, counted from 0.
            assert port == f"Ethernet{own[0] - 1}"
            assert 1 <= int(row["speed"]) <= 1_600_000
            assert 68 <= int(row["mtu"]) <= 9216
            assert row["admin_status"] in ("up", "down")
        assert len(set(lanes)) == len(lanes)
        assert len({row["alias"] for row in tables["PORT"].values()}) == len(tables["PORT"])
        for parent, row in tables["BREAKOUT_CFG"].items():
            assert parent in tables["PORT"]
            ways, rate = re.fullmatch(r"(\d+)x([\d.]+)G", row["brkout_mode"]).groups()
            cage = [one for one in tables["PORT"].values() if one["index"] == tables["PORT"][parent]["index"]]
            assert len(cage) == int(ways)
            assert {float(one["speed"]) for one in cage} == {float(rate) * 1000}
        for key in tables["INTERFACE"]:
            port, _, address = key.partition("|")
            # Every address hangs on a port that routes, and that is there.
            assert port in tables["PORT"]
            assert port in tables["INTERFACE"]
            assert not address or ipaddress.ip_interface(address).network.prefixlen == 31
        for key, row in tables.get("STATIC_ROUTE", {}).items():
            vrf, prefix = key.split("|")
            assert vrf == "default"
            ipaddress.ip_network(prefix)
            assert len({value.count(",") for value in row.values()}) == 1
            assert set(row["ifname"].split(",")) <= set(tables["PORT"])
            assert set(row["blackhole"].split(",")) == {"false"}
            assert set(row["nexthop-vrf"].split(",")) == {"default"}
        for key in tables.get("BGP_NEIGHBOR", {}):
            assert key.split("|")[1] in tables["PORT"]
            assert f"{key}|ipv4_unicast" in tables["BGP_NEIGHBOR_AF"]
    return found


def ways_of(fabric, cage):
    """The switch at the far end of each of SONiC's ports."""
    topology, found = fabric.topology, {}
    for (u, v), (p, q) in zip(topology.links.tolist(), fabric.link_ports.tolist(), strict=True):
        found[u, f"Ethernet{(p - 1) * cage}"] = v
        found[v, f"Ethernet{(q - 1) * cage}"] = u
    return found


@pytest.mark.parametrize(
    ("options", "width"), [("", 8), (":lanes=8,breakout=2,rate_gbps=400", 4), (":lanes=4,breakout=4", 1)]
)
def test_static_routes_are_all_shortest_next_hops(options, width):
    """Of every switch and prefix the ports lead to exactly the neighbours that are nearer, whose addresses are named."""
    topology = build("torus:dims=3x4,hosts=2")
    found = databases(options, topology)
    far = ways_of(planned_fabric(topology), width)
    owner, home = {}, {}
    for name, tables in found.items():
        for key in tables["INTERFACE"]:
            if "|" in key:
                port, _, address = key.partition("|")
                owner[address.partition("/")[0]] = int(name[1:]), port
                if (int(name[1:]), port) not in far:
                    home[ipaddress.ip_interface(address).ip] = int(name[1:])
    graph = nx.Graph(topology.to_networkx())
    distance = dict(nx.all_pairs_shortest_path_length(graph))
    for name, tables in found.items():
        s = int(name[1:])
        assert len(tables["STATIC_ROUTE"]) == topology.switches - 1
        for key, row in tables["STATIC_ROUTE"].items():
            prefix = ipaddress.ip_network(key.partition("|")[2])
            (to,) = {switch for address, switch in home.items() if address in prefix}
            hops = [far[s, port] for port in row["ifname"].split(",")]
            assert sorted(hops) == sorted(v for v in graph[s] if distance[v][to] == distance[s][to] - 1)
            assert [owner[gate][0] for gate in row["nexthop"].split(",")] == hops


def test_bgp_has_a_neighbour_on_every_link_and_its_own_number():
    """Numbers differ from neighbours', router ids from all others', and leaves announce the prefix of their hosts."""
    topology = build("fat-tree:k=4")
    found = databases(":routing=bgp,asn=tier,hwsku=Force10-S6000,platform=x86_64-kvm_x86_64-r0", topology)
    far = ways_of(planned_fabric(topology), 8)
    system = {int(name[1:]): tables["BGP_GLOBALS"]["default"]["local_asn"] for name, tables in found.items()}
    assert len({tables["BGP_GLOBALS"]["default"]["router_id"] for tables in found.values()}) == topology.switches
    leaves = set(np.unique(topology.endpoints).tolist())
    for name, tables in found.items():
        s = int(name[1:])
        here = tables["DEVICE_METADATA"]["localhost"]
        assert (here["hwsku"], here["bgp_asn"]) == ("Force10-S6000", system[s])
        assert here["frr_mgmt_framework_config"] == "true"
        neighbours = {key.split("|")[1] for key in tables["BGP_NEIGHBOR"]}
        assert neighbours == {port for switch, port in far if switch == s}
        assert all(system[far[s, port]] != system[s] for port in neighbours)
        assert all(tables["INTERFACE"][port] == {"ipv6_use_link_local_only": "enable"} for port in neighbours)
        assert int(tables["BGP_GLOBALS_AF"]["default|ipv4_unicast"]["max_ebgp_paths"]) == len(neighbours)
        assert ("BGP_GLOBALS_AF_NETWORK" in tables) == (s in leaves)


def test_ports_without_a_cable_in_a_split_cage_are_down():
    """Three cables in cages split in two: the fourth port is there, and down."""
    topology = build("ring:n=3,hosts=1")
    tables = databases(":breakout=2", topology)["S0"]
    assert [row["admin_status"] for row in tables["PORT"].values()] == ["up", "up", "up", "down"]
    assert [row["alias"] for row in tables["PORT"].values()] == ["etp1a", "etp1b", "etp2a", "etp2b"]
