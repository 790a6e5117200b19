"""Which nodes a scheduler gets, and under which leaf: rails, planes, several adapters, names, nodes that are off."""

import re

import pytest
from test_slurm_files import made

from slurmctld import names_of, shown_by_slurm
from topoloom import InputError, build
from topoloom.fabric.discovery import read_fabric
from topoloom.fabric.exports.name_patterns import NamePattern
from topoloom.fabric.exports.nodes import listed_nodes, switch_names
from topoloom.fabric.exports.registry import ExportRequest, export_named
from topoloom.fabric.fabric import planned_fabric
from topoloom.model.topology import Topology


def net(switches, cables, hosts):
    """The text of a discovery: switches by name, cables between them, and the switch of each adapter by its name."""
    ports = {name: [] for name in switches}
    lines = []
    for first, second in cables:
        ports[first].append(f'"{second}"[{len(ports[second]) + 1}]')
        ports[second].append(f'"{first}"[{len(ports[first])}]')
    for number, (name, leaf) in enumerate(hosts):
        ports[leaf].append(f'"H{number}"[1]')
        lines.append(f'Ca 1 "H{number}" # "{name}"\n[1] "{leaf}"[{len(ports[leaf])}]\n')
    for name, ends in ports.items():
        rows = "".join(f"[{port}] {end}\n" for port, end in enumerate(ends, start=1))
        lines.append(f'Switch 64 "{name}" # "{switches[name]}"\n{rows}')
    return "\n".join(lines)


def discovered(switches, cables, hosts):
    """The fabric of such a discovery."""
    return read_fabric(net(switches, cables, hosts), "found.net")


def conf(fabric, options=""):
    """The switches of topology.conf by name, and its comments."""
    record, given = export_named(f"slurm{options}")
    text = record.make(ExportRequest(fabric), **given)["topology.conf"]
    lines = re.findall(r"^SwitchName=(\S+) (?:Nodes|Switches)=(\S+)$", text, re.M)
    return {name: names_of(members) for name, members in lines}, re.findall("^# (.*)$", text, re.M)[1:]


def storage():
    """Nodes A to F with two compute adapters and one for storage: the fabric of a question to Topograph (issue 488)."""
    hosts = [
        (f"node{letter} mlx5_{card}", "st" if card == 2 else "l1" if letter in "ABC" else "l2")
        for letter in "ABCDEF"
        for card in range(3)
    ]
    names = {"l1": "switch1", "l2": "switch2", "sp": "spine1", "st": "switch-storage1"}
    return discovered(names, [("l1", "sp"), ("l2", "sp"), ("st", "sp")], hosts)


@pytest.mark.parametrize("options", ["", ":switches=!storage", ":adapters=mlx5_[0-1]"])
def test_compute_adapters_decide_where_storage_joins_all_nodes(options):
    """By the rule and by both options: each node is under the switch of its compute adapters."""
    tree, comments = conf(storage(), options)
    assert tree == {
        "switch1": ["nodeA", "nodeB", "nodeC"],
        "switch2": ["nodeD", "nodeE", "nodeF"],
        "fabric": ["switch1", "switch2"],
    }
    assert bool(comments) == (not options)
    if comments:
        assert "6 nodes on several leaves" in comments[0]
        assert "nodeA under switch1 and not switch-storage1" in comments[0]


def test_a_storage_server_with_two_homes_is_under_one_leaf():
    """It is placed by the rule and named; the nodes with one home stay where they are."""
    hosts = [(f"n{i} mlx5_0", "l1" if i < 3 else "l2") for i in range(5)] + [
        ("stor mlx5_0", "l1"),
        ("stor mlx5_1", "l2"),
    ]
    fabric = discovered({"l1": "l1", "l2": "l2"}, [("l1", "l2")], hosts)
    tree, comments = conf(fabric)
    assert {name: sorted(members) for name, members in tree.items()} == {
        "l1": ["n0", "n1", "n2"],
        "l2": ["n3", "n4", "stor"],
        "fabric": ["l1", "l2"],
    }
    assert "1 node on several leaves" in comments[0]
    assert "stor under l2 and not l1" in comments[0]


def test_rails_of_a_unit_are_one_switch(tmp_path):
    """Leaves with equal nodes are one, also if an adapter is down; slurmctld reads the tree, and units are blocks."""
    spec = "fat-tree:k=8,hosts=32+rails:nics=4"
    text = made("", spec)["topology.conf"]
    shown = shown_by_slurm(tmp_path, text, "H[0-7]")
    assert shown["S0"] == (0, {"H0", "H1", "H2", "H3"}, set())
    assert shown["S4"] == (0, {"H4", "H5", "H6", "H7"}, set())
    assert "# S0 stands for S[0-3]" in text
    blocks = made(":topology=block", spec)["topology.conf"]
    assert re.findall("Nodes=(.*)", blocks) == ["H[0-3]", "H[4-7]"]
    hosts = [(f"n{i} mlx5_{rail}", f"r{rail}") for i in range(4) for rail in range(3) if (i, rail) != (2, 0)]
    links = [(f"r{rail}", "top") for rail in range(3)]
    tree, comments = conf(discovered({name: name for name in ("r0", "r1", "r2", "top")}, links, hosts))
    assert tree == {"r0": ["n0", "n1", "n2", "n3"], "fabric": ["r0"]}
    assert comments[-1] == "r0 stands for r[0-2]"
    for rail in range(3):
        tree, comments = conf(
            discovered({name: name for name in ("r0", "r1", "r2", "top")}, links, hosts), f":rail={rail}"
        )
        assert tree[f"r{rail}"] == [f"n{i}" for i in range(4) if (i, rail) != (2, 0)]
        assert comments == ["1 node (n2) without a selected cable: omitted"] * (rail == 0)


def test_parts_that_no_cable_joins_have_a_root_each(tmp_path):
    """slurmctld accepts several roots; a comment says which option needs one."""
    topology = build("fat-tree:k=4")
    pods = [s for s in range(topology.switches) if topology.labels["level"][s] < 2]
    keep = {s: i for i, s in enumerate(pods)}
    links = [(keep[u], keep[v]) for u, v in topology.links.tolist() if u in keep and v in keep]
    parts = Topology(links, len(pods), [keep[s] for s in topology.endpoints.tolist()])
    text = made("", parts)["topology.conf"]
    assert "# 4 roots: no cable joins these parts" in text
    shown = shown_by_slurm(tmp_path, text, "H[0-15]")
    roots = [nodes for name, (level, nodes, _) in shown.items() if name.startswith("fabric")]
    assert sorted(map(sorted, roots)) == sorted(sorted(f"H{4 * pod + i}" for i in range(4)) for pod in range(4))
    alone = made("", Topology([(0, 1)], 3, [0, 1, 2]))["topology.conf"]
    assert re.findall("^SwitchName=(.*)$", alone, re.M) == [
        "S0 Nodes=H0",
        "S1 Nodes=H1",
        "S2 Nodes=H2",
        "fabric0 Switches=S[0-1]",
    ]


def test_names_are_short_and_unique():
    """Domains and models go, where the rest is unique; switches without a name are called by their GUIDs."""
    switches = {
        "a": "MF0;leaf1:MQM8700/U1",
        "b": "MF0;core:MCS8500/L16/U2",
        "c": "SwitchIB Mellanox",
        "d": "SwitchIB Mellanox",
    }
    cables = [("a", "b"), ("b", "c"), ("c", "d")]
    hosts = [
        ("n1.site.org mlx5_0", "a"),
        ("n2.x mlx5_0", "b"),
        ("n2.y mlx5_0", "b"),
        ("MT4129 ConnectX7 Mellanox", "c"),
    ]
    fabric = discovered(switches, cables, hosts)
    tree, comments = conf(fabric)
    assert tree["leaf1"] == ["n1"]
    assert tree["core/L16/U2"] == ["n2.x", "n2.y"]
    assert "1 adapter" in comments[0]
    assert "without a host's name" in comments[0]
    names = switch_names(fabric)
    assert len(set(names)) == 4
    assert all(
        name.startswith("S-") and name.endswith(f"{guid:016x}")
        for name, guid in zip(names[2:], fabric.switch_guids.tolist()[2:], strict=True)
    )


def test_nodes_that_are_off_are_under_their_earlier_leaf(tmp_path):
    """A node of the list without a cable gets the leaf of the earlier discovery, or is reported; others are not written."""
    switches, cables = {"l1": "l1", "l2": "l2"}, [("l1", "l2")]
    now = discovered(switches, cables, [("n1", "l1"), ("n3", "l2"), ("ufm", "l2")])
    (tmp_path / "nodes").write_text("n[1-3]\nn4\n")
    (tmp_path / "old.net").write_text(net(switches, cables, [("n1", "l1"), ("n2", "l1"), ("n3", "l2")]))
    tree, comments = conf(now, f":node_list={tmp_path / 'nodes'}")
    assert tree == {"l1": ["n1"], "l2": ["n3"], "fabric": ["l1", "l2"]}
    assert any("2 nodes (n2, n4)" in line and "without a cable: omitted" in line for line in comments)
    assert any("1 host (ufm) not in" in line for line in comments)
    tree, comments = conf(now, f":node_list={tmp_path / 'nodes'},earlier={tmp_path / 'old.net'}")
    assert tree == {"l1": ["n1", "n2"], "l2": ["n3"], "fabric": ["l1", "l2"]}
    assert any("1 node (n4)" in line and "omitted" in line for line in comments)
    with pytest.raises(InputError, match="add node_list="):
        conf(now, f":earlier={tmp_path / 'old.net'}")


def test_domains_are_blocks(tmp_path):
    """The NVLink domains of a file: the trays of each NVL72 are a block of 18; nodes without a domain are refused."""
    topology = build("fat-tree:hosts=72,k=16")
    (tmp_path / "domains.csv").write_text("node,domain\n" + "".join(f"H{h},rack{h // 18}\n" for h in range(72)))
    text = made(f":topology=block,domains={tmp_path / 'domains.csv'}", topology)["topology.conf"]
    assert re.findall("Nodes=(.*)", text) == [f"H[{18 * r}-{18 * r + 17}]" for r in range(4)]
    assert text.splitlines()[-1] == "BlockSizes=18,36,72"
    (tmp_path / "few.csv").write_text("H0,a\n")
    with pytest.raises(InputError, match="has no domain for 71 nodes"):
        made(f":topology=block,domains={tmp_path / 'few.csv'}", topology)
    with pytest.raises(InputError, match="give domains=FILE"):
        made(":topology=block,blocks=domain", topology)


def test_a_generated_name_is_not_that_of_a_switch():
    """A real switch may be called fabric."""
    tree, _ = conf(discovered({"a": "fabric", "b": "l2"}, [("a", "b")], [("n1", "a"), ("n2", "b")]))
    assert tree == {"fabric": ["n1"], "l2": ["n2"], "fabric_": ["fabric", "l2"]}


def test_patterns_match_whole_parts_of_names():
    """Letters and digits are parts; leading zeros fix the width; ! selects the others."""
    cases = {
        "mlx5_[0-7]": ("mlx5_0 mlx5_7", "mlx5_8 mlx5_10 mlx4_1"),
        "mlx5_1": ("mlx5_1", "mlx5_10 mlx5_11"),
        "node[001-016,20]": ("node001 node016 node20", "node1 node017 node020"),
        "node[A-C]": ("nodeA nodeC", "nodeD nodea"),
        "storage": ("storage switch-storage1 storage/L1", "storages"),
        "leaf*-a": ("leaf1-a leaf22-a", "leaf1-b"),
        "n?+m1": ("n1 m1 nx", "m2"),
        "!gw+ufm": ("node1", "gw1 ufm"),
    }
    for text, (yes, no) in cases.items():
        pattern = NamePattern(text)
        assert all(map(pattern.matches, yes.split())), text
        assert not any(map(pattern.matches, no.split())), text
    for wrong in ("", "!", "a+", "n[1", "n]1", "n[]", "n[3-1]", "n[1-x]", "*" * 9, "a" * 20_000):
        with pytest.raises(InputError):
            NamePattern(wrong)


def test_options_that_select_nothing_are_refused():
    """A pattern without a match, a rail that no node has, adapters of hosts without any."""
    fabric = storage()
    for options, reason in (
        (":nodes=x[1-3]", r"no node has such a name; they are called nodeA, nodeB, nodeC, nodeD, \.\.\."),
        (":switches=!leaf", "no switch with nodes has such a name"),
        (":adapters=hfi1_[0-3]", "no adapter has such a name"),
        (":rail=3", "no node has an adapter of this number"),
        (":nodes=nodeA,switches=switch2", "no node is left to schedule"),
    ):
        with pytest.raises(InputError, match=reason):
            conf(fabric, options)
    with pytest.raises(InputError, match="hosts have no names of adapters"):
        conf(planned_fabric(build("petersen:hosts=1")), ":adapters=mlx5_0")
    for text in ("", "node[1-\n", "node]", "n[9-1]\n", "n[1-99999999]\n"):
        with pytest.raises(InputError):
            listed_nodes(text, "nodes.txt")


def test_a_host_on_a_spine_hides_pods_until_it_is_omitted():
    """A UFM server on a core switch joins the pods at once; without it they are blocks."""
    names = {name: name for name in ("l1", "l2", "l3", "l4", "a1", "a2", "core")}
    cables = [("l1", "a1"), ("l2", "a1"), ("l3", "a2"), ("l4", "a2"), ("a1", "core"), ("a2", "core")]
    hosts = [(f"n{i}", f"l{i}") for i in range(1, 5)]
    fabric = discovered(names, cables, [*hosts, ("ufm", "core")])
    assert conf(fabric)[0]["fabric"] == ["l1", "l2", "l3", "l4", "core"]
    tree, _ = conf(fabric, ":nodes=!ufm")
    assert tree["fabric"] == ["block1-0", "block1-1"]
    assert (tree["block1-0"], tree["block1-1"]) == (["l1", "l2"], ["l3", "l4"])
