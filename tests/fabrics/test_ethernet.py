"""Ethernet exports: FRR's own programs take the configurations, and small fabrics of them really come up."""

import csv
import ipaddress
import json
import re
import shutil
import subprocess

import networkx as nx
import numpy as np
import pytest
from lab_up import Lab, needs_lab

from topoloom import build, route
from topoloom.core.errors import InputError
from topoloom.fabric.exports.bgp import FIRST_ASN, system_numbers
from topoloom.fabric.exports.registry import ExportRequest, export_named, write_export
from topoloom.fabric.fabric import planned_fabric
from topoloom.model.topology import Topology

#: Three by two: from one corner to the other two next hops, one with twice as many shortest paths.
_MESH = "mesh:dims=2x3,hosts=1"


def made(kind, spec, tables=False):
    """The texts of an export, options in its name."""
    topology = build(spec) if isinstance(spec, str) else spec
    record, options = export_named(kind)
    return record.make(ExportRequest(planned_fabric(topology), route(topology) if tables else None), **options)


def addresses(folder, name="addresses.csv"):
    """The address of every host port, by host and by the port's number."""
    with open(folder / name) as file:
        return {(row["host"], row["host_port"]): row["address"].partition("/")[0] for row in csv.DictReader(file)}


def all_reached(lab, wanted):
    """Every host has an answer of every address."""
    return all(not lab.unanswered(host, wanted) for host in lab.hosts)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("options", ["", ":routing=bgp", ":routing=bgp,weights=paths,asn=tier"])
def test_vtysh_takes_every_configuration(tmp_path, options):
    """FRR's own reader finds no fault in any file, and finds one that is put in."""
    vtysh = shutil.which("vtysh")
    if not vtysh:
        pytest.skip("not installed: vtysh (Debian: frr)")
    write_export(f"frr{options}", planned_fabric(build("fat-tree:k=4")), tmp_path)

    def said(file):
        done = subprocess.run([vtysh, "--dryrun", "--inputfile", file], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    files = sorted(tmp_path.glob("*.conf"))
    assert files
    for file in files:
        assert said(file) == (0, "")
    text = (tmp_path / "S0.conf").read_text()
    (tmp_path / "S0.conf").write_text(text.replace("ip route", "ip rout 1", 1))
    code, told = said(tmp_path / "S0.conf")
    assert code or "Unknown command" in told


@pytest.mark.exhaustive
@needs_lab
def test_static_routes_come_up(tmp_path):
    """Every host reaches every port of every other; the kernel has the ECMP groups of the configurations, no route more."""
    write_export("containerlab", planned_fabric(build("torus:dims=3x3,hosts=1")), tmp_path)
    with Lab(tmp_path) as lab:
        lab.until(lambda: all_reached(lab, addresses(tmp_path).values()))
        for switch in ("S0", "S4"):
            wanted = {}
            for prefix, way in re.findall(r"^ip route (\S+) (\d\S+)$", (tmp_path / f"{switch}.conf").read_text(), re.M):
                wanted.setdefault(prefix, set()).add(way)
            found = {
                one["dst"]: {hop["gateway"] for hop in one.get("nexthops", [one])}
                for one in json.loads(lab.at(switch, "ip", "-j", "route"))
                if "gateway" in one or "nexthops" in one
            }
            assert found == wanted


@pytest.mark.exhaustive
@needs_lab
def test_bgp_comes_up_with_a_weight_for_every_shortest_path(tmp_path):
    """Without an address on any link all hosts reach each other, and next hops weigh as the shortest paths behind them."""
    topology = build(_MESH)
    write_export("containerlab:routing=bgp,weights=paths", planned_fabric(topology), tmp_path)
    graph = nx.Graph(topology.to_networkx())
    device = {
        f"swp{p}": far
        for (u, far), p in zip(topology.links.tolist(), topology.link_ports[:, 0].tolist(), strict=True)
        if u == 0
    }
    with Lab(tmp_path) as lab:
        lab.until(lambda: all_reached(lab, addresses(tmp_path).values()))

        def weights():
            found = {}
            for prefix, (one, *_) in json.loads(lab.vtysh("S0", "show ip route bgp json")).items():
                home = next(
                    int(host[1:])
                    for (host, _), address in addresses(tmp_path).items()
                    if ipaddress.ip_address(address) in ipaddress.ip_network(prefix)
                )
                found[home] = {device[hop["interfaceName"]]: hop["weight"] for hop in one["nexthops"]}
            return found

        shares = {}
        for home in range(1, topology.switches):
            paths = [path[1] for path in nx.all_shortest_paths(graph, 0, home)]
            shares[home] = {hop: paths.count(hop) / len(paths) for hop in set(paths)}
        assert {1 / 3, 2 / 3} == set(shares[5].values())

        def settled():
            now = weights()
            # FRR counts in whole parts of a hundred, and one way alone weighs 1.
            return now.keys() == shares.keys() and all(
                now[home]
                == (dict.fromkeys(share, 1) if len(share) == 1 else {h: int(100 * x) for h, x in share.items()})
                for home, share in shares.items()
            )

        lab.until(settled)


@pytest.mark.exhaustive
@needs_lab
def test_planes_come_up_each_for_itself(tmp_path):
    """A host reaches the ports of each plane by its own port in it, and none through another plane."""
    write_export("containerlab:routing=bgp", planned_fabric(build("ring:n=3,hosts=1+planes:count=2")), tmp_path)
    listed = addresses(tmp_path)
    with Lab(tmp_path) as lab:
        lab.until(lambda: all_reached(lab, listed.values()))
        lab.at("H0", "ip", "link", "set", "eth2", "down")
        others = {port: address for (host, port), address in listed.items() if host == "H1"}
        assert lab.unanswered("H0", [others["1"]]) == []
        assert lab.unanswered("H0", [others["2"]]) == [others["2"]]


@pytest.mark.exhaustive
@needs_lab
def test_srv6_packets_go_the_way_of_the_tables(tmp_path):
    """All host ports of both planes answer, and the cables that a packet crosses are those of the tables' path."""
    topology = build("torus:dims=3x3,hosts=1+planes:count=2")
    routing = route(topology)
    write_export("containerlab:routing=srv6", planned_fabric(topology), tmp_path, routing)
    listed = addresses(tmp_path, "addresses6.csv")
    # The far end of a diagonal, where there is more than one shortest path: of them the tables have one.
    path = _path(routing, 0, 4)
    hosts = topology.endpoints_at.tolist()
    expected = {(f"S{s}", f"swp{hosts[s] + way + 1}") for s, way in path} | {("S4", "swp1")}

    def sent(lab):
        return {
            (switch, one["ifname"]): one["stats64"]["tx"]["packets"]
            for switch in lab.nodes
            if switch not in lab.hosts
            for one in json.loads(lab.at(switch, "ip", "-j", "-s", "link"))
        }

    with Lab(tmp_path) as lab:
        lab.until(lambda: all_reached(lab, listed.values()))
        before = sent(lab)
        for _ in range(25):
            assert lab.unanswered("H0", [listed["H4", "1"]]) == []
        after = sent(lab)
    # Answers come back by the other direction of their own path; hellos of neighbours are few.
    busy = {end for end in after if after[end] - before[end] >= 20}
    back = {(f"S{s}", f"swp{hosts[s] + way + 1}") for s, way in _path(routing, 4, 0)} | {("S0", "swp1")}
    assert busy == expected | back


def _path(routing, source, target):
    """The switches of a path of tables, and the way out of each."""
    offsets, to, _ = routing.topology.csr
    found, here = [], source
    while here != target:
        found.append((here, int(routing.ports[target, here])))
        here = int(to[offsets[here] + found[-1][1]])
    return found


def test_srv6_segments_are_the_paths_of_the_tables():
    """Read back from the scripts, every segment is a cable's end, and the cables lead from the host to the destination."""
    topology = build("slimfly:q=5,hosts=1+planes:count=2")
    files = made("srv6", topology, tables=True)
    rows = list(csv.DictReader(files["addresses6.csv"].splitlines()))
    home = {row["address"].partition("/")[0]: (row["host"], int(row["switch"][1:])) for row in rows}
    leads = {}
    at = {}
    for s in range(topology.switches):
        for line in files[f"switches/S{s}.sh"].splitlines():
            if found := re.fullmatch(r"ip -6 addr add (\S+)/127 dev swp\d+ nodad", line):
                at[found[1]] = s
            elif found := re.search(r"route add (\S+)/128 encap seg6local action End.X nh6 (\S+) dev", line):
                leads[s, found[1]] = found[2]
    count = 0
    for h in range(topology.hosts):
        text = files[f"hosts/H{h}.sh"]
        mine = [int(row["switch"][1:]) for row in rows if row["host"] == f"H{h}"]
        for target, hops, device in re.findall(r"add (\S+)/128 encap seg6 mode inline segs (\S+) dev eth(\d)", text):
            here = mine[int(device) - 1]
            for hop in hops.split(","):
                here = at[leads[here, hop]]
            assert here == home[target][1]
            count += 1
    assert count == topology.hosts * (topology.endpoints.size - 2)


@pytest.mark.parametrize("spec", ["fat-tree:k=4", "pgft:m=4x4,w=1x2,p=1x2", "fat-tree:k=6"])
def test_systems_of_tiers_lose_no_shortest_path(spec):
    """RFC 7938, 5.2: whoever refuses paths with its own number still has every shortest next hop to every leaf."""
    topology = build(spec)
    systems = system_numbers(topology, "tier")
    leaves = np.flatnonzero(topology.endpoints_at)
    assert np.unique(systems[leaves]).size == leaves.size
    assert np.unique(systems).size < topology.switches
    graph = nx.Graph(topology.to_networkx())
    for a in leaves[:3].tolist():
        for b in leaves.tolist():
            for path in nx.all_shortest_paths(graph, a, b):
                assert len({int(systems[s]) for s in path}) == len(path)


def test_systems_of_switches_are_private_and_differ():
    """RFC 6996: 4200000000 to 4294967294."""
    systems = system_numbers(build("torus:dims=4x4,hosts=1"), "switch")
    assert np.unique(systems).size == 16
    assert systems.min() == FIRST_ASN == 4_200_000_000
    assert systems.max() <= 4_294_967_294


@pytest.mark.parametrize(
    ("kind", "spec", "message"),
    [
        (
            "frr:routing=bgp,asn=tier",
            "torus:dims=3x3,hosts=1",
            "switches 0 and 1 are joined and have the same distance from the hosts",
        ),
        ("frr:asn=tier", "fat-tree:k=4", "asn=tier: does not apply to static routes; add routing=bgp"),
        ("frr:weights=paths", "fat-tree:k=4", "weights=paths: does not apply to static routes"),
        ("frr:routing=ospf", "fat-tree:k=4", "'ospf' is unknown; it must be static or bgp"),
        ("frr:routes=bgp", "fat-tree:k=4", "no parameter 'routes'"),
        ("containerlab:routing=srv6", "fat-tree:k=4", "needs forwarding tables; compute them with 'topoloom route'"),
        ("containerlab:image=a b", "fat-tree:k=4", "cannot be used; write letters"),
        ("sonic:lanes=4,breakout=8", "fat-tree:k=4", "a cage of 4 lanes has at most 4 ports"),
        ("sonic:asn=tier", "fat-tree:k=4", "static routes have no AS"),
        ("sonic:rate_gbps=0.00001", "fat-tree:k=4", "out of range"),
        ("air", "petersen", "no hosts"),
        ("frr:routing=bgp", "petersen", "no hosts"),
    ],
)
def test_refusals_name_the_remedy(kind, spec, message):
    """What FRR or a file cannot say is one sentence."""
    with pytest.raises(InputError, match=re.escape(message)):
        made(kind, spec)


def test_tiers_of_leaves_that_do_not_meet_are_refused():
    """Two leaves joined only down and up again would lose each other where their spines share a number."""
    zigzag = Topology([(0, 3), (1, 3), (1, 4), (2, 4)], 5, [0, 1, 2])
    with pytest.raises(InputError, match="two of its leaves have no switch above both"):
        made("frr:routing=bgp,asn=tier", zigzag)


#: What containerlab 0.79 takes of what is written (schemas/clab.schema.json), key by key, and nothing else.
_TEXTS = {"type": "array", "minItems": 1, "items": {"type": "string"}}
_SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["name", "topology"],
    "properties": {
        "name": {"type": "string", "pattern": "^[a-zA-Z0-9][a-zA-Z0-9-._]*$"},
        "topology": {
            "type": "object",
            "additionalProperties": False,
            "required": ["nodes", "links"],
            "properties": {
                "nodes": {
                    "type": "object",
                    "propertyNames": {"pattern": "^[a-zA-Z0-9][a-zA-Z0-9._-]*$"},
                    "additionalProperties": {
                        "type": "object",
                        "additionalProperties": False,
                        "required": ["kind", "image"],
                        "properties": {
                            "kind": {"const": "linux"},
                            "image": {"type": "string"},
                            "cmd": {"type": "string"},
                            "binds": {**_TEXTS, "uniqueItems": True},
                            "exec": _TEXTS,
                            "sysctls": {"type": "object", "additionalProperties": {"type": "string"}},
                            "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                        },
                    },
                },
                "links": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "additionalProperties": False,
                        "required": ["endpoints"],
                        # The schema itself takes three ends.
                        "properties": {
                            "endpoints": {
                                "type": "array",
                                "minItems": 2,
                                "maxItems": 2,
                                "uniqueItems": True,
                                "items": {"type": "string", "pattern": r"^[^:\s]+:[^:\s]+$"},
                            }
                        },
                    },
                },
            },
        },
    },
}


@pytest.mark.parametrize("options", ["", ":routing=bgp,image=quay.io/frr:v10", ":routing=srv6"])
@pytest.mark.parametrize(
    "spec",
    ["fat-tree:k=4", "torus:dims=2x3,hosts=2+planes:count=2", Topology([(0, 1), (0, 1)], 2, [0, 1, 1], [0, 0, 1])],
)
def test_containerlab_s_file(spec, options):
    """It keeps to the schema, and to what the schema lets pass: known nodes, a port once, names that Linux can hold."""
    import jsonschema
    import yaml

    topology = build(spec) if isinstance(spec, str) else spec
    files = made(f"containerlab{options}", topology, tables="srv6" in options)
    told = yaml.safe_load(files["fabric.clab.yml"])
    jsonschema.validate(told, _SCHEMA)
    nodes = told["topology"]["nodes"]
    ends = [tuple(end.split(":")) for link in told["topology"]["links"] for end in link["endpoints"]]
    assert len(set(ends)) == len(ends) == 2 * (len(topology.links) + topology.endpoints.size)
    assert {node for node, _ in ends} <= set(nodes)
    assert len(nodes) == topology.switches + topology.hosts
    assert max(len(port) for _, port in ends) <= 15
    assert "eth0" not in {port for _, port in ends}
    # What is bound is there, and what is there is bound.
    bound = {one.partition(":")[0] for node in nodes.values() for one in node.get("binds", [])}
    assert bound == {name for name in files if name.endswith(".conf") or name == "daemons"}
    # A host speaks of its own ports only, and has an address on each.
    for name, node in nodes.items():
        if node["labels"]["role"] == "host":
            mine = {port for at, port in ends if at == name}
            assert set(re.findall(r"eth\d+", " ".join(node["exec"]))) == mine
            assert {
                line.split()[-1 if "nodad" not in line else -2] for line in node["exec"] if " addr add " in line
            } == mine


def test_names_become_names_of_machines():
    """What a container cannot be called is changed; two that are then the same are refused."""
    from topoloom.fabric.discovery import read_fabric
    from topoloom.fabric.exports.containerlab import IMAGE

    switches = 'Switch 3 "a" # "MF0;leaf 1:MQM8700/U1"\n[1] "b"[1]\n[2] "x"[1]\nSwitch 2 "b" # "{}"\n[1] "a"[1]\n'
    text = switches + 'Ca 1 "x" # "n1 HCA-1"\n[1] "a"[2]\n'
    record, options = export_named("containerlab")
    files = record.make(ExportRequest(read_fabric(text.format("spine"), "x")), **options)
    assert '"MF0-leaf-1-MQM8700-U1"' in files["fabric.clab.yml"]
    assert '"n1-HCA-1"' in files["fabric.clab.yml"]
    assert options["image"] == IMAGE
    with pytest.raises(InputError, match="two switches or hosts are called 'mf0-leaf-1-mqm8700-u1'"):
        record.make(ExportRequest(read_fabric(text.format("mf0 leaf 1 mqm8700 u1"), "x")), **options)


def test_air_has_every_node_and_cable():
    """The JSON has the nodes and links of the network, `os` for each, and the containerlab file's cables."""
    import yaml

    files = made("air:os=sonic-vs,oob=yes", "fat-tree:k=4")
    told = json.loads(files["fabric.air.json"])
    assert told["format"] == "JSON"
    assert told["content"]["oob"] is True
    nodes, links = told["content"]["nodes"], told["content"]["links"]
    assert all(node["os"] for node in nodes.values())
    assert nodes["S0"] == {"os": "sonic-vs", "cpu": 2, "memory": 4096, "storage": 20}
    lab = yaml.safe_load(made("containerlab", "fat-tree:k=4")["fabric.clab.yml"])["topology"]
    assert nodes.keys() == lab["nodes"].keys()
    assert [[f"{end['node']}:{end['interface']}" for end in link] for link in links] == [
        link["endpoints"] for link in lab["links"]
    ]
    hosts = [name for name in nodes if name.startswith("H")]
    assert len(hosts) == 16
    for host in hosts:
        assert files[f"hosts/{host}.sh"].splitlines()[2:] == lab["nodes"][host]["exec"]


def test_a_design_s_folder_goes_without_labs():
    """What is written only where it is asked for says so in the register."""
    assert [name for name in ("air", "containerlab", "srv6", "sonic", "frr") if export_named(name)[0].asked] == [
        "air",
        "containerlab",
        "srv6",
    ]
