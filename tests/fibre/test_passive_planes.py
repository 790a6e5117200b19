"""Planes whose links share panels: the faults of a plane's discovery are those of the shared cords and trunks."""

import numpy as np
import pytest
from planted_parts import Planted, fabric_of, lldp

from in_process import run
from topoloom import Network, Topology, diagnose
from topoloom.fabric.fabric_parts import part_of
from topoloom.fabric.plane_matching import compare_planes
from topoloom.graph.planes import planes_of
from topoloom.model.results import Provenance


def two_planes():
    """Eight switches in two racks; the even ones are a plane, the odd ones another, and both share both trunks."""
    links = [(low + side, high + side) for side in (0, 1) for low in (0, 2) for high in (4, 6) for _ in range(3)]
    links += [(side, side + 2) for side in (0, 1)]
    hosts = np.arange(8)
    return Topology(links=np.array(sorted(links)), switches=8, endpoints=hosts, host=hosts // 2, name="two planes")


@pytest.fixture(scope="module")
def network():
    topology = two_planes()
    return Network(topology, topology.name, "memory", Provenance()).placed(
        parts="ethernet-2026", rate_gbps=400, panels="racks", map="rows", switches_per_rack=4
    )


@pytest.fixture
def exchanged(network):
    """Both trunks in each other's panel in the second rack."""
    planted = Planted.of(network)
    first, second = np.flatnonzero(network.layout.plant.is_trunk).tolist()
    planted.exchange((first, 1), (second, 1))
    return planted


def test_the_planes_share_the_trunks(network):
    plant = network.layout.plant
    links, first = plant.carried
    for trunk in np.flatnonzero(plant.is_trunk).tolist():
        assert set(network.topology.links[links[first[trunk] : first[trunk + 1]], 0] % 2) == {0, 1}


@pytest.mark.parametrize("chosen", [[0], [1], [0, 1]])
def test_a_wrong_trunk_is_named_from_one_plane_and_from_all(network, exchanged, chosen):
    """One plane shows twelve of the 24 links that follow, by its own numbers of switches."""
    plan, found = network.fabric, fabric_of(network.fabric, exchanged)
    planes = planes_of(found.topology)
    several = compare_planes(plan, network.facts, [part_of(found, planes[number]) for number in chosen])
    assert several.planes == tuple(chosen)
    result = diagnose(several.plan, several.actual, match=several.match, facts=several.facts)
    (root,) = [each for each in result.diagnostics if not each.because_of]
    assert root.code == "TL601"
    assert len(root.planned) == 12 * len(chosen)
    names = {end.node for cable in root.planned for end in cable}
    assert names <= {f"S{switch}" for number in chosen for switch in planes_of(plan.topology)[number].switches.tolist()}
    assert [part.split()[0] for part in root.parts] == ["trunk", "trunk"]


def test_a_cord_of_the_other_plane_is_named_by_its_switch(network):
    """A cord of the odd plane that is out, from the discovery of the odd plane: its switch has the name of the whole plan."""
    planted, plant = Planted.of(network), network.layout.plant
    odd = int(np.flatnonzero(~plant.is_trunk & (plant.ends[:, 0, 0] == 1))[0])
    planted.out.add(odd)
    found = fabric_of(network.fabric, planted)
    several = compare_planes(network.fabric, network.facts, [part_of(found, planes_of(found.topology)[1])])
    result = diagnose(several.plan, several.actual, match=several.match, facts=several.facts)
    (root,) = [each for each in result.diagnostics if not each.because_of]
    assert root.code == "TL602"
    assert "S1 port" in root.text


def test_cords_of_two_planes_in_each_others_ports_are_named_from_one(network, tmp_path):
    """The odd plane hears switches of the even one, which its part of the plan does not have: both cords are named."""
    planted, plant = Planted.of(network), network.layout.plant
    even, odd = (int(np.flatnonzero(~plant.is_trunk & (plant.ends[:, 0, 0] == switch))[0]) for switch in (0, 1))
    planted.exchange((even, 1), (odd, 1))
    network.save(tmp_path / "net")
    heard = lldp(tmp_path / "heard", planted, without=(0, 2, 4, 6))
    done = run("verify", tmp_path / "net", "--plane", heard, "--skip-hosts", "--ignore", "TL101", "--json")
    (found,) = [each for each in done.record["diagnostics"] if not each["because_of"]]
    assert found["code"] == "TL601"
    assert {part.split(" port ")[0].split()[-1] for part in found["parts"]} == {"S0", "S1"}


def test_the_rules_of_a_plan_count_the_links_that_are_compared(network):
    """Of 24 links through panels, a plane has twelve."""
    planes = planes_of(network.topology)
    several = compare_planes(network.fabric, network.facts, [part_of(network.fabric, planes[1])])
    passive = several.facts.passive
    assert int(passive.compared.sum()) == 12
    assert passive.others == ["S0", "S2", "S4", "S6"]


def test_verify_names_the_trunk_from_the_file_of_a_plane(network, exchanged, tmp_path):
    """`verify --plane`: from what the switches of one plane print."""
    network.save(tmp_path / "net")
    heard = lldp(tmp_path / "heard", exchanged, without=(0, 2, 4, 6))
    done = run("verify", tmp_path / "net", "--plane", heard, "--skip-hosts", "--only", "TL6xx", "--json")
    assert done.code == 3
    assert [each["code"] for each in done.record["diagnostics"] if not each["because_of"]] == ["TL601"]
