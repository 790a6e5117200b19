"""Ports with names: compared by name in any spelling, shown by name, and never taken for compared where a side has none."""

import json
from dataclasses import replace

import numpy as np
import pytest

from topoloom import build, compare_fabrics, diagnose, open_network
from topoloom.fabric.exports.registry import write_export
from topoloom.fabric.fabric import planned_fabric
from topoloom.fabric.identify import identify
from topoloom.fabric.port_alignment import aligned_ports
from topoloom.fabric.port_names import PortMatcher, port_numbers, split_twice

PLAN = """graph plan {
 "leaf1":"swp51" -- "spine1":"swp1"
 "leaf1":"swp52" -- "spine2":"swp1"
 "leaf2":"swp51" -- "spine1":"swp2"
 "leaf2":"swp52" -- "spine2":"swp2"
 "leaf1":"swp1s0" -- "gpu1":"eth1"
 "leaf1":"swp1s1" -- "gpu2":"eth1"
}
"""


def opened(tmp_path, text, name="found.dot"):
    """The fabric in a DOT file."""
    (tmp_path / name).write_text(text)
    return open_network(tmp_path / name).fabric


def compared(plan, actual, **options):
    """The comparison of two fabrics."""
    return compare_fabrics(plan, actual, identify(plan, actual), **options)


def test_swapped_uplinks_are_found(tmp_path):
    """Two cables in each other's ports between the right switches: TL105, by the names of the ports."""
    plan = opened(tmp_path, PLAN, "plan.dot")
    swapped = (
        PLAN.replace("swp51", "x")
        .replace('"leaf1":"swp52"', '"leaf1":"swp51"')
        .replace('"leaf1":"x"', '"leaf1":"swp52"')
        .replace("x", "swp51")
    )
    found = diagnose(plan, opened(tmp_path, swapped))
    (diagnostic,) = found.diagnostics
    assert diagnostic.code == "TL105"
    assert "leaf1 port swp51 is in spine2 port swp1, should be in spine1 port swp1" in diagnostic.text
    assert found.comparison["ports"] == "exact"
    assert {end["port_name"] for cable in found.comparison["faults"][0]["found"] for end in cable} == {
        "swp51",
        "swp52",
        "swp1",
    }


def test_numbers_do_not_depend_on_which_ports_are_in_use(tmp_path):
    """A fabric without its first ports has other numbers for the same names, and is the plan but for the missing cables."""
    plan = opened(tmp_path, PLAN, "plan.dot")
    lines = [line for line in PLAN.splitlines() if "gpu1" not in line]
    comparison = compared(plan, opened(tmp_path, "\n".join(lines)))
    assert (comparison.missing_cables, comparison.right_cables, len(comparison.faults)) == (1, 5, 1)
    assert comparison.faults[0].text == "missing: planned leaf1 port swp1s0 - gpu1 port eth1"


@pytest.mark.parametrize(
    ("written", "other"),
    [("Ethernet1/31", "Eth1/31"), ("Ethernet1/31", "Et1/31"), ("et-0/0/31", "et-0/0/31.0"), ("swp51", "SWP51")],
)
def test_other_spellings_are_the_same_port(tmp_path, written, other):
    """NX-OS and EOS shorten names, Junos adds a unit."""
    plan = opened(tmp_path, PLAN.replace("swp51", written), "plan.dot")
    comparison = compared(plan, opened(tmp_path, PLAN.replace("swp51", other)))
    assert comparison.same


def test_a_port_that_is_not_stated_is_not_a_fault(tmp_path):
    """A cable from the right port to the right device is right if the port there is not known, in the plan or the fabric."""
    plan = opened(tmp_path, PLAN, "plan.dot")
    unstated = opened(tmp_path, PLAN.replace(':"eth1"', ""))
    assert compared(plan, unstated).same
    assert compared(unstated, plan).same
    assert compared(unstated, plan).ports == "exact"


def test_a_wrong_device_is_found_without_its_port(tmp_path):
    """If the port is not known, the device at the other end still counts."""
    plan = opened(tmp_path, PLAN, "plan.dot")
    other = PLAN.replace(':"eth1"', "").replace('"gpu1"', "x").replace('"gpu2"', '"gpu1"').replace("x", '"gpu2"')
    comparison = compared(plan, opened(tmp_path, other))
    assert (comparison.swapped_cables, comparison.right_cables) == (1, 4)


def test_names_that_end_in_the_planned_numbers_are_compared(tmp_path):
    """A plan with numbers knows swp3 as port 3; names that do not end in them cannot be compared, so ports are not."""
    plan = build("fat-tree:k=4")
    fabric = open_network("fat-tree:k=4").fabric
    named = [dict(zip(range(1, 5), [f"swp{port}" for port in range(1, 5)], strict=True))] * 20
    same = replace(
        fabric, made="x", switch_port_names=tuple(named), host_port_names=tuple({1: "eth1"} for _ in range(16))
    )
    assert compared(plan, same).ports == "exact"
    assert compared(plan, same).same
    other = [dict(zip(range(1, 5), "abcd", strict=True))] * 20
    assert (
        compared(
            plan, replace(same, switch_port_names=tuple(other), host_port_names=tuple({1: "x"} for _ in range(16)))
        ).ports
        == "any"
    )


def test_alignment_keeps_every_cable():
    """Whatever the names, the aligned fabric has the cables of the discovery, and each plug once."""
    fabric = open_network("fat-tree:k=4").fabric
    generator = np.random.default_rng(3)
    for _ in range(20):
        names = tuple(
            {
                port: f"swp{number}"
                for port, number in zip(range(1, 5), generator.permutation(6)[:4].tolist(), strict=True)
            }
            for _ in range(20)
        )
        actual = replace(fabric, made="x", switch_port_names=names)
        plan = replace(fabric, made="y", switch_port_names=tuple(names[s] for s in generator.permutation(20).tolist()))
        aligned = aligned_ports(plan, actual, identify(plan, actual)).actual
        assert np.array_equal(aligned.topology.links, fabric.topology.links)
        at_switch = np.concatenate([aligned.topology.links.ravel(), aligned.topology.endpoints])
        ports = np.concatenate([aligned.link_ports.ravel(), aligned.endpoint_ports])
        assert np.unique(np.stack([at_switch, ports]), axis=1).shape[1] == ports.size


def test_numbers_of_ports():
    """The numbers in names that differ in nothing else, else the natural order."""
    assert port_numbers(["swp10", "swp9"]) == {"swp10": 10, "swp9": 9}
    assert port_numbers(["Ethernet0", "Ethernet8"]) == {"Ethernet0": 1, "Ethernet8": 2}
    assert port_numbers(["swp1s1", "swp1s0", "swp10"]) == {"swp1s0": 1, "swp1s1": 2, "swp10": 3}


def test_whole_ports_and_their_lanes():
    """A port that is there whole and split is found in every maker's form."""
    assert split_twice(["Ethernet1/1", "Ethernet1/1/1", "et-0/0/0", "et-0/0/0:1"]) == [
        ("Ethernet1/1", ["Ethernet1/1/1"]),
        ("et-0/0/0", ["et-0/0/0:1"]),
    ]


def test_an_alias_is_a_name():
    """SONiC's alias leads to the port, unless it is itself the name of another."""
    matcher = PortMatcher({"Ethernet0": 1, "etp2": 2}, {"etp1a": "Ethernet0", "etp2": "Ethernet0"})
    assert (matcher.number("etp1a"), matcher.number("etp2"), matcher.number("nothing")) == (1, 2, None)


@pytest.mark.parametrize("breakout", [1, 2])
def test_ports_of_a_sonic_export_are_compared_with_the_numbers_of_its_spec(tmp_path, breakout):
    """Ethernet8 with 8 lanes is port 2; two swapped cables are found by their ports."""
    spec = "clos:leaves=4,spines=2"
    write_export(f"sonic:breakout={breakout}", planned_fabric(build(spec)), tmp_path)
    comparison = diagnose(spec, tmp_path).comparison
    assert (comparison["ports"], comparison["same"]) == ("exact", True)
    path = tmp_path / "S0" / "config_db.json"
    content = json.loads(path.read_text())
    table = content["DEVICE_NEIGHBOR"]
    first, other = (port for port, facts in table.items() if facts["name"] in ("S4", "S5"))
    table[first], table[other] = table[other], table[first]
    for far, facts in ((table[first]["name"], first), (table[other]["name"], other)):
        at = tmp_path / far / "config_db.json"
        whole = json.loads(at.read_text())
        next(entry for entry in whole["DEVICE_NEIGHBOR"].values() if entry["name"] == "S0")["port"] = facts
        at.write_text(json.dumps(whole))
    path.write_text(json.dumps(content))
    (found,) = diagnose(spec, tmp_path).diagnostics
    assert found.code == "TL105"
    assert f"port {first}" in found.text


def test_a_cable_of_one_end_is_named_by_the_names_of_its_ports(tmp_path, caplog):
    """The warning has swp51, not the number behind it"""
    for name, heard in (("leaf1", {"swp51": ("spine1", "swp7")}), ("spine1", {"swp9": ("leaf2", "swp1")})):
        entries = {
            port: {"lldp": {"neighbor": {"x": {"chassis": {"system-name": far}, "port": {"name": at}}}}}
            for port, (far, at) in heard.items()
        }
        (tmp_path / f"{name}.json").write_text(json.dumps(entries))
    open_network(tmp_path)
    assert "the first leaf1 port swp51 to spine1 port swp7" in caplog.text
