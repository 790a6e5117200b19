"""SLURM's files: topology.conf read by the real slurmctld, topology.yaml by a schema and readers of our own."""

import dataclasses
import re

import msgspec
import numpy as np
import pytest

from slurmctld import names_of, shown_by_slurm
from topoloom import InputError, build, place
from topoloom.fabric.exports.registry import ExportRequest, export_named
from topoloom.fabric.exports.slurm import block_sizes
from topoloom.fabric.fabric import planned_fabric
from topoloom.model.topology import Topology
from topoloom.placement.hosts.housing import HostType, Housing, OtherHosts, RackRule


def made(options, spec, layout=None):
    """The files for a network, read by their options."""
    record, given = export_named(f"slurm{options}")
    fabric = planned_fabric(build(spec) if isinstance(spec, str) else spec)
    return record.make(ExportRequest(fabric, layout=layout), **given)


@pytest.mark.parametrize("spec", ["fat-tree:k=4", "slimfly:q=5,hosts=2", "pgft:m=2x3x2,w=1x2x2,p=1x1x1"])
def test_slurmctld_prints_the_tree_back(tmp_path, spec):
    """Leaves hold their own hosts, a switch all nodes of what is under it, one root all; every level is one more."""
    topology = build(spec)
    found = shown_by_slurm(tmp_path, made("", spec)["topology.conf"], f"H[0-{topology.hosts - 1}]")
    for leaf in np.unique(topology.endpoints).tolist():
        mine = {f"H{h}" for h in topology.host[topology.endpoints == leaf].tolist()}
        assert found.pop(f"S{leaf}") == (0, mine, set())
    whole = {f"H{h}" for h in range(topology.hosts)}
    assert sum(nodes == whole for _, nodes, _ in found.values()) == 1
    if spec.startswith("fat-tree"):
        pods = sorted(sorted(nodes) for level, nodes, _ in found.values() if level == 1)
        assert pods == sorted(sorted(f"H{h}" for h in range(4 * pod, 4 * pod + 4)) for pod in range(4))
        assert [level for level, nodes, _ in found.values() if nodes == whole] == [2]


def test_slurmctld_knows_nodes_by_their_racks_names(tmp_path):
    """Hosts that stand in racks of their own are the nodes node0001, node0002, ... of the labels."""
    topology = build("fat-tree:k=4")
    layout = place(topology, housing=Housing(host=HostType(u=1)))
    text = made("", topology, layout)["topology.conf"]
    found = shown_by_slurm(tmp_path, text, "node[0001-0016]")
    assert found["S0"] == (0, {"node0001", "node0002"}, set())


#: topology.yaml(5) of Slurm 25.05, and torus3d of 26.05: what may stand where.
_NODES = {"type": "string", "pattern": r"^[^\s]+$"}
_SCHEMA = {
    "type": "array",
    "minItems": 1,
    "items": {
        "type": "object",
        "additionalProperties": False,
        "required": ["topology", "cluster_default"],
        "oneOf": [{"required": [kind]} for kind in ("tree", "block", "torus3d")],
        "properties": {
            "topology": {"type": "string"},
            "cluster_default": {"type": "boolean"},
            "tree": {
                "type": "object",
                "additionalProperties": False,
                "required": ["switches"],
                "properties": {
                    "switches": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "additionalProperties": False,
                            "required": ["switch"],
                            "oneOf": [{"required": ["nodes"]}, {"required": ["children"]}],
                            "properties": {
                                "switch": {"type": "string", "maxLength": 64},
                                "nodes": _NODES,
                                "children": _NODES,
                            },
                        },
                    }
                },
            },
            "block": {
                "type": "object",
                "additionalProperties": False,
                "required": ["block_sizes", "blocks"],
                "properties": {
                    "block_sizes": {"type": "array", "minItems": 1, "items": {"type": "integer", "minimum": 1}},
                    "blocks": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "additionalProperties": False,
                            "required": ["block", "nodes"],
                            "properties": {"block": {"type": "string"}, "nodes": _NODES},
                        },
                    },
                },
            },
            "torus3d": {
                "type": "object",
                "additionalProperties": False,
                "required": ["toruses"],
                "properties": {
                    "toruses": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "additionalProperties": False,
                            "required": ["name", "dims", "nodes"],
                            "properties": {
                                "name": {"type": "string"},
                                "nodes": _NODES,
                                "dims": {
                                    "type": "object",
                                    "additionalProperties": False,
                                    "required": ["x", "y", "z"],
                                    "properties": {axis: {"type": "integer", "minimum": 1} for axis in "xyz"},
                                },
                            },
                        },
                    }
                },
            },
        },
    },
}


def views(options, spec, layout=None):
    """The views of topology.yaml by their kinds, after the schema and the rules of the manual page."""
    import jsonschema
    import yaml

    text = made(options, spec, layout)["topology.yaml"]
    told = yaml.safe_load(text)
    jsonschema.validate(told, _SCHEMA)
    assert [view["cluster_default"] for view in told] == [True] + [False] * (len(told) - 1)
    assert len({view["topology"] for view in told}) == len(told)
    # "Must be the first attribute".
    assert [line for line in text.splitlines() if line.startswith("- ")] == [
        f"- topology: {v['topology']}" for v in told
    ]
    found = {kind: view[kind] for view in told for kind in ("tree", "block", "torus3d") if kind in view}
    if "block" in found:
        sizes, blocks = found["block"]["block_sizes"], [names_of(one["nodes"]) for one in found["block"]["blocks"]]
        assert all(len(block) >= sizes[0] for block in blocks)
        assert all(size % sizes[0] == 0 and (size // sizes[0]).bit_count() == 1 for size in sizes)
        assert sizes == sorted(set(sizes))
        assert sizes[-1] <= sum(map(len, blocks))
        nodes = [node for block in blocks for node in block]
        assert len(nodes) == len(set(nodes))
    return found


def test_the_tree_of_topology_yaml_is_that_of_topology_conf():
    """Switch by switch the same, in the same order."""
    for spec in ("fat-tree:k=4", "slimfly:q=5,hosts=2"):
        conf = made("", spec)["topology.conf"]
        lines = re.findall(r"^SwitchName=(\S+) (Nodes|Switches)=(\S+)$", conf, re.M)
        found = [
            (one["switch"], "Nodes" if "nodes" in one else "Switches", one.get("nodes") or one["children"])
            for one in views(":file=yaml", spec)["tree"]["switches"]
        ]
        assert found == lines
    assert made(":file=both", "fat-tree:k=4").keys() == {"topology.conf", "topology.yaml"}


def test_groups_of_a_dragonfly_are_blocks():
    """All nodes of a group, and no other, are one."""
    topology = build("dragonfly:p=2,a=4,h=2")
    found = [set(names_of(one["nodes"])) for one in views(":file=yaml", topology)["block"]["blocks"]]
    group = topology.labels["group"][topology.endpoints]
    wanted = [{f"H{h}" for h in topology.host[group == number].tolist()} for number in range(9)]
    assert found == wanted


def test_pods_leaves_and_racks_are_blocks():
    """By the option; racks are those of the layout."""
    topology = build("fat-tree:k=4")

    def sizes(kind, layout=None):
        blocks = views(f":file=yaml,blocks={kind}", topology, layout)["block"]["blocks"]
        return [len(names_of(one["nodes"])) for one in blocks]

    assert sizes("pod") == [4] * 4
    assert sizes("leaf") == [2] * 8
    layout = place(topology, housing=Housing(host=HostType(u=1)))
    racks = np.bincount(layout.host_rack)
    assert sorted(sizes("rack", layout)) == sorted(racks[racks > 0].tolist())
    with pytest.raises(InputError, match="the racks of nodes are not known"):
        sizes("rack")
    with pytest.raises(InputError, match="no groups; use blocks=pod"):
        made(":file=yaml,blocks=group", "petersen:hosts=1")


def test_a_torus_of_three_dimensions_is_one():
    """Nodes in order, x fastest, and neighbours along x, y and z are those of the network."""
    topology = build("torus:dims=2x3x4,hosts=1")
    (torus,) = views(":file=yaml", topology)["torus3d"]["toruses"]
    dims, nodes = torus["dims"], names_of(torus["nodes"])
    assert (dims["x"], dims["y"], dims["z"]) == (4, 3, 2)
    home = {f"H{h}": s for h, s in zip(topology.host.tolist(), topology.endpoints.tolist(), strict=True)}
    at = np.array([home[node] for node in nodes]).reshape(dims["z"], dims["y"], dims["x"])
    links = {frozenset(pair) for pair in topology.links.tolist()}
    for axis in range(3):
        pairs = zip(at.ravel().tolist(), np.roll(at, -1, axis).ravel().tolist(), strict=True)
        assert {frozenset(pair) for pair in pairs} <= links


@pytest.mark.parametrize("spec", ["mesh:dims=2x3x4,hosts=1", "torus:dims=4x4,hosts=1", "torus:dims=3x3x3,hosts=2"])
def test_what_is_no_such_torus_is_none(spec):
    """A mesh, two dimensions, two hosts per switch: no view of its own, and a sentence for who asks."""
    assert "torus3d" not in views(":file=yaml", spec)
    with pytest.raises(InputError, match="topology=torus3d needs a three-dimensional torus with one host per switch"):
        made(":file=yaml,topology=torus3d", spec)
    with pytest.raises(InputError, match="add file=yaml"):
        made(":topology=torus3d", spec)


def test_blocks_in_topology_conf():
    """topology/block's lines: a name and nodes each, and the sizes."""
    text = made(":topology=block", "fat-tree:k=4")["topology.conf"].splitlines()
    assert text[0] == "# slurm.conf: TopologyPlugin=topology/block"
    assert text[1] == "BlockName=b0 Nodes=H[0-3]"
    assert text[-1] == "BlockSizes=4,8,16"
    for options in (":blocks=leaf", ":file=yaml,topology=tree,blocks=leaf"):
        with pytest.raises(InputError, match="blocks=leaf: no blocks are written; add topology=block"):
            made(options, "fat-tree:k=4")
    assert block_sizes([["a"] * 5, ["a"] * 3]) == [3, 6]


def test_names_that_are_too_long_are_refused():
    """Slurm takes 64 letters of a switch's name."""
    fabric = planned_fabric(Topology([(0, 1)], 2, [0, 1]))
    object.__setattr__(fabric, "switch_names", ("a" * 65, "b"))
    record, options = export_named("slurm")
    with pytest.raises(InputError, match="accepts names of at most 64 characters"):
        record.make(ExportRequest(fabric), **options)


def test_rack_scale_units_are_blocks():
    """Four racks of 18 trays are blocks of 18, by the layout alone; login nodes are in none, and a comment says so.

    Slurm 22.05 of Debian has no topology/block, so the form is checked by the manual page's rules.
    """
    topology = build("clos:leaves=4,spines=3,width=6,hosts=18+planes:count=4")
    layout = place(topology, housing=Housing(host=HostType(u=1), rack=RackRule(u=48, unit_hosts=18)), map="rows")
    block = views(":file=yaml", topology, layout)["block"]
    assert block["block_sizes"] == [18, 36, 72]
    hosts = [f"node{number:04d}" for number in range(1, 73)]
    assert [names_of(one["nodes"]) for one in block["blocks"]] == [hosts[at : at + 18] for at in range(0, 72, 18)]
    login = OtherHosts(hosts=18, host=HostType(u=1, node="login"))
    mixed = dataclasses.replace(layout, housing=msgspec.structs.replace(layout.housing, others=(login,)))
    text = made(":topology=block", topology, mixed)["topology.conf"].splitlines()
    assert "# 18 nodes (login0001, login0002, login0003, login0004, ...) in no rack-scale unit: in no block" in text
    assert [line for line in text if line.startswith("Block")][-2:] == [
        "BlockName=b2 Nodes=node[0037-0054]",
        "BlockSizes=18,36",
    ]


def test_slurmctld_reads_the_tree_of_rack_scale_units(tmp_path):
    """The leaves of a rack's rails are one switch with its 18 trays."""
    topology = build("clos:leaves=4,spines=3,width=6,hosts=18+planes:count=4")
    layout = place(topology, housing=Housing(host=HostType(u=1), rack=RackRule(u=48, unit_hosts=18)), map="rows")
    found = shown_by_slurm(tmp_path, made("", topology, layout)["topology.conf"], "node[0001-0072]")
    assert sorted(len(nodes) for level, nodes, _ in found.values() if level == 0) == [18] * 4
