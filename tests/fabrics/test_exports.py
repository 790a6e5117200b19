"""Files for other tools: each says what the fabric is, read back by a reader of its own or by the tool itself."""

import csv
import ipaddress
import logging
import os
import re
import shutil
import subprocess
from pathlib import Path

import networkx as nx
import pytest
from fabric_cases import cables_of, labelled_networks
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tiers import examples
from topoloom.core.errors import InputError
from topoloom.fabric.discovery import read_fabric
from topoloom.fabric.exports.registry import EXPORTS, ExportRequest, write_export
from topoloom.fabric.exports.slurm import hostlist
from topoloom.fabric.fabric import planned_fabric
from topoloom.model.topology import Topology
from topoloom.topologies.spec import build

KINDS = [
    "air",
    "analytical",
    "anytopo",
    "booksim",
    "caminos",
    "codes",
    "containerlab",
    "flux",
    "frr",
    "garnet",
    "guid2lid",
    "htsim",
    "ibutils",
    "infragraph",
    "kueue",
    "ns3",
    "opensm",
    "simai",
    "slurm",
    "sonic",
    "srv6",
    "supersim",
    "topograph",
    "ufm",
    "volcano",
]


def made(kind, spec_or_fabric):
    """The texts of an export that needs no tables."""
    fabric = planned_fabric(build(spec_or_fabric)) if isinstance(spec_or_fabric, str) else spec_or_fabric
    return EXPORTS.find(kind).make(ExportRequest(fabric))


def test_the_register_is_known(tmp_path):
    """An export is there by its file alone; only OpenSM's and SRv6's need tables, which are made where there are none."""
    assert list(EXPORTS) == KINDS
    assert [name for name, record in EXPORTS.items() if record.tables] == ["opensm", "srv6"]
    write_export("opensm", planned_fabric(build("petersen:hosts=1")), tmp_path)
    assert len(list(tmp_path.iterdir())) >= 2
    with pytest.raises(InputError, match="did you mean 'slurm'"):
        EXPORTS.find("slurn")


@pytest.mark.parametrize(("kind", "arrow"), [("ibutils", "->"), ("ufm", "-4x-50G->")])
def test_a_cable_plan_has_every_cable_from_both_ends(kind, arrow):
    """Sections and lines of fabric.topo give back exactly the plugs of the fabric."""
    topology = Topology(links=[(0, 1), (0, 1), (1, 2)], switches=3, endpoints=[0, 0, 1, 1, 2], host=[0, 1, 0, 2, 3])
    fabric = planned_fabric(topology)
    ends, here = {}, ""
    for line in made(kind, fabric)["fabric.topo"].splitlines():
        if found := re.fullmatch(rf"   P(\d+) {re.escape(arrow)} (\w+) (\w+) P(\d+)", line):
            ends[here, int(found[1])] = found[3], int(found[4])
        elif line:
            here = line.split()[1]
    assert all(ends[other] == end for end, other in ends.items())
    links = {((f"S{u}", p), (f"S{v}", q)) for u, p, v, q in cables_of(fabric)}
    assert {pair for pair in ends.items() if pair[0] < pair[1] and pair[0][0][0] == "S"} == links
    assert len(ends) == 2 * (len(links) + topology.endpoints.size)


def test_ibdmchk_takes_the_cable_plan(tmp_path):
    """The real ibdmchk reads plan and systems, and finds every switch and host in it."""
    tool = shutil.which("ibdmchk")
    if not tool:
        pytest.skip("not installed: ibdmchk")
    write_export("ibutils", planned_fabric(build("slimfly:q=5,hosts=2")), tmp_path)
    done = subprocess.run(
        [tool, "-t", "fabric.topo", "-n", "H0/U1", "-p", "1"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "IBDM_IBNL_PATH": str(tmp_path / "ibnl")},
        check=False,
    )
    said = done.stdout + done.stderr
    assert "Defined 150/150 systems/nodes" in said
    # It routes the plan itself, by fewest hops in one virtual channel; that these paths have a credit loop is its right
    # verdict.
    assert "Scanned:9900 CA to CA paths" in said, said[-1500:]
    assert "-E- Fail" not in said


def test_slurm_puts_the_leaves_of_a_flat_network_under_one_root():
    """Every node is under its switch, every switch under the root, and nothing else is there."""
    text = made("slurm", "slimfly:q=5,hosts=4")["topology.conf"].splitlines()
    assert text[1] == "SwitchName=S0 Nodes=H[0-3]"
    assert text[-1] == "SwitchName=fabric Switches=S[0-49]"
    assert len(text) == 52


def test_slurm_gets_the_real_tree_of_a_fat_tree():
    """The pods of a fat tree are blocks under the root."""
    topology = build("fat-tree:k=4")
    text = made("slurm", "fat-tree:k=4")["topology.conf"]
    children = dict(re.findall(r"^SwitchName=(\S+) Switches=(\S+)$", text, re.MULTILINE))
    assert children["fabric"] == "block1-[0-3]"
    pods = {tuple(map(int, re.findall(r"\d+", children[f"block1-{i}"]))) for i in range(4)}
    # Two leaves are in one pod when a switch is next to both.
    graph = topology.to_networkx()
    near = {tuple(sorted(pair)) for pair in pods}
    assert near == {
        (a, b) for a in range(8) for b in range(a + 1, 8) if set(nx.common_neighbors(nx.Graph(graph), a, b))
    }


def test_slurm_refuses_what_has_no_nodes(tmp_path):
    """There is nothing to schedule."""
    with pytest.raises(InputError, match="no hosts"):
        write_export("slurm", build("petersen"), tmp_path)
    assert hostlist(["a1", "a3", "a4", "b", "a08"]) == "a[1,3-4],b,a08"


def test_booksim_has_every_router_node_and_link():
    """The lines give back the links from both ends and the hosts' switches."""
    topology = build("torus:dims=3x3,hosts=2")
    links, nodes = [], {}
    for line in made("booksim", "torus:dims=3x3,hosts=2")["network.anynet"].splitlines():
        words = line.split()
        router = int(words[1])
        for kind, number in zip(words[2::2], map(int, words[3::2]), strict=True):
            if kind == "node":
                nodes[number] = router
            else:
                links.append((router, number))
    assert sorted(links) == sorted(
        [(u, v) for u, v in topology.links.tolist()] + [(v, u) for u, v in topology.links.tolist()]
    )
    assert [nodes[h] for h in range(18)] == topology.endpoints.tolist()


@pytest.mark.parametrize(
    ("topology", "message"),
    [
        (Topology([(0, 1), (0, 1)], 2, [0, 1]), "joined by two links"),
        (Topology([(0, 1)], 2, [0, 1], [0, 0]), "hosts with several ports"),
        (Topology([(0, 1)], 2), "no hosts"),
    ],
)
def test_booksim_refuses_what_anynet_cannot_say(topology, message):
    """Parallel links, rails, nobody who sends."""
    with pytest.raises(InputError, match=message):
        made("booksim", planned_fabric(topology))


def routes(text):
    """{prefix: set of next hops} and {address: port} of one switch's configuration."""
    found, own = {}, {}
    port = ""
    for line in text.splitlines():
        words = line.split()
        if words[:1] == ["interface"]:
            port = words[1]
        elif words[:2] == ["ip", "address"]:
            own[ipaddress.ip_interface(words[2])] = port
        elif words[:2] == ["ip", "route"]:
            found.setdefault(ipaddress.ip_network(words[2]), set()).add(words[3])
    return found, own


@pytest.mark.parametrize("spec", ["torus:dims=3x4,hosts=3", "fat-tree:k=4"])
def test_frr_has_all_shortest_next_hops(spec):
    """Of every switch and every prefix the next hops are exactly the neighbours that are nearer, link by link."""
    topology = build(spec)
    files = made("frr", spec)
    configs = [routes(files[f"S{s}.conf"]) for s in range(topology.switches)]
    owner = {str(address.ip): s for s, (_, own) in enumerate(configs) for address in own}
    assert len(owner) == 2 * len(topology.links) + topology.endpoints.size
    graph = nx.Graph(topology.to_networkx())
    distance = dict(nx.all_pairs_shortest_path_length(graph))
    with_hosts = set(topology.endpoints.tolist())
    rows = list(csv.DictReader(files["addresses.csv"].splitlines()))
    home = {}
    for row in rows:
        address = ipaddress.ip_interface(row["address"])
        assert owner[row["gateway"]] == int(row["switch"][1:])
        assert ipaddress.ip_address(row["gateway"]) in address.network
        prefix = next(p for p in configs[0][0] if address.ip in p)
        home[prefix] = int(row["switch"][1:])
    assert len(rows) == topology.hosts
    assert set(home.values()) == with_hosts
    for s, (found, own) in enumerate(configs):
        assert found.keys() == home.keys()
        for prefix, hops in found.items():
            to = home[prefix]
            if to == s:
                assert hops == {"blackhole"}
                continue
            assert {owner[hop] for hop in hops} == {v for v in graph[s] if distance[v][to] == distance[s][to] - 1}
            # A next hop is the far end of one of the switch's own cables.
            assert all(any(ipaddress.ip_address(hop) in mine.network for mine in own) for hop in hops)


def test_frr_refuses_what_has_no_room():
    """Parts, no hosts, more switches than 10.0.0.0/8 has prefixes for."""
    with pytest.raises(InputError, match="no path from"):
        made("frr", planned_fabric(Topology([(0, 1)], 3, [0, 2])))
    with pytest.raises(InputError, match="no hosts"):
        made("frr", "petersen")
    crowd = Topology([(i, i + 1) for i in range(299)], 300, [0] * 60_000)
    with pytest.raises(InputError, match=r"10.0.0.0/8 has no space for 300 prefixes of /15"):
        made("frr", planned_fabric(crowd))


def test_names_that_a_format_cannot_hold():
    """Blanks become one underscore; two names that are then the same are refused."""
    text = 'Switch 2 "a" # "leaf  1"\n[1] "b"[1]\nSwitch 2 "b" # "leaf_{}"\n[1] "a"[1]\n'
    assert "GSW2 leaf_1\n" in made("ufm", read_fabric(text.format(2), "x"))["fabric.topo"]
    with pytest.raises(InputError, match="two switches or hosts are called 'leaf_1'"):
        made("ufm", read_fabric(text.format(1), "x"))


def test_files_are_written_or_refused(tmp_path):
    """All files of an export lie in the folder, folders in it included; a file in the way is one sentence."""
    fabric = planned_fabric(build("petersen:hosts=1"))
    names = write_export("ibutils", fabric, tmp_path / "new")
    assert names == ["fabric.topo", "ibnl/GCA1.ibnl", "ibnl/GSW4.ibnl"]
    assert all(Path(tmp_path / "new" / name).is_file() for name in names)
    (tmp_path / "taken").write_text("")
    with pytest.raises(InputError, match="is a file; name a folder"):
        write_export("slurm", fabric, tmp_path / "taken")


@pytest.mark.parametrize("kind", sorted(set(KINDS) - {"opensm"}))
def test_any_network_gives_files_or_one_sentence(kind):
    """Whatever the network, with parallel links, rails, lonely switches and labels of any kind: files, or one InputError."""
    logging.getLogger("topoloom").setLevel(logging.ERROR)

    @settings(max_examples=examples(60), deadline=None, suppress_health_check=list(HealthCheck))
    @given(labelled_networks() | st.sampled_from(SMALL).map(build))
    def check(topology):
        try:
            files, sentence = made(kind, planned_fabric(topology)), ""
        except InputError as error:
            files, sentence = {}, str(error).removeprefix(topology.name)
        assert bool(files) != bool(sentence)
        assert "\n" not in sentence
        assert all(isinstance(content, (str, bytes)) and content for content in files.values())

    check()
    logging.getLogger("topoloom").setLevel(logging.NOTSET)


#: Networks that some simulator knows by name, as small as they are.
SMALL = (
    *(
        "complete:n=1,hosts=1",
        "complete:n=2,hosts=1",
        "ring:n=3,hosts=1",
        "mesh:dims=1x3,hosts=1",
        "torus:dims=2x2,hosts=1",
    ),
    *("clos:leaves=1,spines=1", "clos:leaves=2,spines=1,width=3", "fat-tree:k=2", "dragonfly:h=1", "megafly:leaves=1"),
)
