"""Files of Topograph, Kueue, Volcano and Flux, by the rules of the programs that read them; all say the same tree as Slurm."""

import json
import re
from itertools import pairwise

import pytest
import yaml
from test_slurm_files import made as slurm_made

from slurmctld import names_of
from topoloom import InputError, build
from topoloom.fabric.exports.kubernetes_names import node_name, object_names
from topoloom.fabric.exports.registry import ExportRequest, export_named
from topoloom.fabric.fabric import planned_fabric
from topoloom.model.topology import Topology

_OBJECT = re.compile(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?")
_VALUE = re.compile(r"[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?")
SPECS = ["fat-tree:k=4", "slimfly:q=5,hosts=2", "fat-tree:k=8,hosts=32+rails:nics=4", "ring:n=3,hosts=1+planes:count=2"]


def made(kind, topology, options=""):
    """The files of an export."""
    record, given = export_named(f"{kind}{options}")
    fabric = planned_fabric(build(topology) if isinstance(topology, str) else topology)
    return record.make(ExportRequest(fabric), **given)


def paths(topology):
    """The switches above each node, leaf first, by Slurm's topology.conf."""
    lines = re.findall(r"^SwitchName=(\S+) (Nodes|Switches)=(\S+)$", slurm_made("", topology)["topology.conf"], re.M)
    parent = {member: name for name, _, members in lines for member in names_of(members)}

    def up(name):
        return [parent[name], *up(parent[name])] if name in parent else []

    return {node: up(node) for _, kind, members in lines if kind == "Nodes" for node in names_of(members)}


@pytest.mark.parametrize("spec", SPECS)
def test_topograph(spec):
    """Each switch has one parent, each node one block of a known switch, and there is no ring of switches."""
    model = yaml.safe_load(made("topograph", spec)["model.yaml"])
    assert set(model) == {"switches", "blocks"}
    parent = {}
    for name, switch in model["switches"].items():
        assert set(switch) <= {"labels", "annotations", "switches"}
        for child in switch.get("switches", []):
            assert child not in parent
            assert child in model["switches"]
            parent[child] = name
    found = {}
    for block in model["blocks"]:
        assert set(block) <= {"switch", "nodes", "labels", "annotations"}
        for node in (name for part in block["nodes"] for name in names_of(part)):
            assert node not in found
            found[node] = path = [block["switch"]]
            while path[-1] in parent:
                path.append(parent[path[-1]])
                assert len(path) < 20
    assert found == paths(spec)


def test_topograph_has_domains(tmp_path):
    """The nodes of a leaf are divided by their NVLink domains."""
    (tmp_path / "d.csv").write_text("H0,a\nH1,b\n" + "".join(f"H{h},c{h // 2}\n" for h in range(2, 16)))
    model = yaml.safe_load(made("topograph", "fat-tree:k=4", f":domains={tmp_path / 'd.csv'}")["model.yaml"])
    found = [(block["switch"], block["nodes"], *block["annotations"].values()) for block in model["blocks"]]
    assert found[:3] == [("S0", ["H0"], "a"), ("S0", ["H1"], "b"), ("S1", ["H[2-3]"], "c1")]


@pytest.mark.parametrize("spec", SPECS)
def test_kueue(spec):
    """At most 16 levels, widest first, the host last; every node has every label, and labels are valid values."""
    files = made("kueue", spec)
    topology = yaml.safe_load(files["topology.yaml"])
    assert (topology["apiVersion"], topology["kind"]) == ("kueue.x-k8s.io/v1beta2", "Topology")
    levels = [level["nodeLabel"] for level in topology["spec"]["levels"]]
    assert 1 <= len(levels) <= 16
    assert len(set(levels)) == len(levels)
    assert levels[-1] == "kubernetes.io/hostname"
    labels = {}
    for line in files["labels.sh"].splitlines():
        if line.startswith("kubectl label node "):
            _, _, _, node, _, *pairs = line.split()
            labels[node] = dict(pair.split("=", 1) for pair in pairs)
    assert all(set(levels[:-1]) == set(own) for own in labels.values())
    assert all(_OBJECT.fullmatch(node) and all(map(_VALUE.fullmatch, own.values())) for node, own in labels.items())
    for node, path in paths(spec).items():
        own = [labels[node.lower()][key] for key in reversed(levels[:-1])]
        assert own[: len(path)] == [name.lower() for name in path]
        assert set(own[len(path) :]) <= {own[len(path) - 1]}
    # A narrower level never joins nodes that a wider one separates.
    for wide, narrow in pairwise(levels[:-1]):
        above = {}
        assert all(above.setdefault(own[narrow], own[wide]) == own[wide] for own in labels.values())


@pytest.mark.parametrize("spec", SPECS)
def test_volcano(spec):
    """Nodes are members of tier 1 only, groups are one tier above their highest member, and each has one parent."""
    documents = [one for one in yaml.safe_load_all(made("volcano", spec)["hypernodes.yaml"]) if one]
    by_name = {one["metadata"]["name"]: one for one in documents}
    assert len(by_name) == len(documents)
    parent = {}
    for name, one in by_name.items():
        assert (one["apiVersion"], one["kind"]) == ("topology.volcano.sh/v1alpha1", "HyperNode")
        assert _OBJECT.fullmatch(name)
        members = [(member["type"], member["selector"]["exactMatch"]["name"]) for member in one["spec"]["members"]]
        kinds = {kind for kind, _ in members}
        assert kinds == ({"Node"} if one["spec"]["tier"] == 1 else {"HyperNode"})
        if kinds == {"HyperNode"}:
            assert one["spec"]["tier"] == 1 + max(by_name[member]["spec"]["tier"] for _, member in members)
        for member in members:
            assert member not in parent
            parent[member] = name
    for node, path in paths(spec).items():
        kind, name, found = "Node", node.lower(), []
        while (kind, name) in parent:
            found.append(name := parent[kind, name])
            kind = "HyperNode"
        assert found == [switch.lower() for switch in path]


@pytest.mark.parametrize("spec", SPECS)
def test_flux(spec):
    """A tree by containment edges whose paths are those of the names; ids are unique; ranks are 0 to n - 1."""
    graph = json.loads(made("flux", spec, ":cores=2,gpus=1")["graph.json"])["graph"]
    nodes = {node["id"]: node["metadata"] for node in graph["nodes"]}
    assert len(nodes) == len(graph["nodes"]) == len({one["uniq_id"] for one in nodes.values()})
    assert len({one["paths"]["containment"] for one in nodes.values()}) == len(nodes)
    parent = {edge["target"]: edge["source"] for edge in graph["edges"]}
    assert len(parent) == len(graph["edges"]) == len(nodes) - 1
    for key, one in nodes.items():
        above = nodes[parent[key]]["paths"]["containment"] if key in parent else ""
        assert one["paths"]["containment"] == f"{above}/{one['name']}"
    own = {one["name"]: one for one in nodes.values() if one["type"] == "node"}
    assert sorted(one["rank"] for one in own.values()) == list(range(len(own)))
    wanted = paths(spec)
    assert {name: one["paths"]["containment"].split("/")[2:-1] for name, one in own.items()} == {
        node: path[::-1] for node, path in wanted.items()
    }
    kinds = [one["type"] for one in nodes.values()]
    assert (kinds.count("core"), kinds.count("gpu")) == (2 * len(own), len(own))


def test_uneven_parts_have_every_level():
    """A lone leaf beside a larger part: Kueue gets all labels, Volcano a HyperNode of tier 1 without a parent."""
    topology = Topology([(0, 1)], 3, [0, 1, 2])
    labels = re.findall("kubectl label node h2 --overwrite (.*)", made("kueue", topology)["labels.sh"])[0].split()
    assert labels == ["fabric.topograph.run/tier-0=s2", "fabric.topograph.run/tier-1=s2"]
    tiers = [one["spec"]["tier"] for one in yaml.safe_load_all(made("volcano", topology)["hypernodes.yaml"]) if one]
    assert tiers == [1, 1, 1, 2]


def test_names_that_kubernetes_refuses():
    """Names are made valid or refused, and two of one form are not joined."""
    assert object_names(["MF0;a:b/U1"]) == {"MF0;a:b/U1": "mf0-a-b-u1"}
    for names in (["a_b", "a-b"], ["#"], ["x" * 64]):
        with pytest.raises(InputError):
            object_names(names)
    assert node_name("Node1.x") == "node1.x"
    with pytest.raises(InputError, match="small letters"):
        node_name("node_1")
