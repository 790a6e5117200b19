"""The rules on tapers and uplinks where rates differ: they compare Gb/s, not ports."""

import dataclasses

import numpy as np
import pytest

from topoloom import build, diagnose
from topoloom.fabric.diagnosis.evidence import HardwareLimits
from topoloom.fabric.fabric import planned_fabric
from topoloom.model.topology import Topology

#: Two leaves of four hosts at 100 Gb/s, each with one link of 400 Gb/s to a spine.
LEAVES = Topology(
    links=[(0, 2), (1, 2)],
    switches=3,
    endpoints=[0] * 4 + [1] * 4,
    link_rate_gbps=400,
    endpoint_rate_gbps=100,
    name="two leaves",
)


def _findings(network, code, taper=None, actual=None):
    limits = HardwareLimits(taper=taper)
    plan = planned_fabric(network)
    result = diagnose(plan, actual, limits=limits) if actual is not None else diagnose(plan, limits=limits)
    return [finding.text for finding in result.diagnostics if finding.code == code]


def test_four_ports_of_100_on_one_of_400_are_no_oversubscription():
    """400 on 400 Gb/s is 1:1; without rates, four ports on one link are 4:1."""
    assert _findings(LEAVES, "TL307", taper=1) == []
    plain = _findings(LEAVES.without_rates(), "TL307", taper=1)
    assert len(plain) == 2
    assert "4 host ports on 1 link upwards (4:1)" in plain[0]


def test_a_leaf_of_48_times_25_on_four_times_100_is_3_to_1():
    """1,200 Gb/s on 400 passes a limit of 3:1, and fails one of 2:1."""
    leaves = Topology(
        links=[(leaf, 2 + spine) for leaf in range(2) for spine in range(4)],
        switches=6,
        endpoints=np.repeat([0, 1], 48),
        link_rate_gbps=100,
        endpoint_rate_gbps=25,
    )
    assert _findings(leaves, "TL307", taper=3) == []
    texts = _findings(leaves, "TL307", taper=2)
    assert len(texts) == 2
    assert "1,200 Gb/s of host ports on 400 Gb/s of links upwards (3:1); the limit is 2:1" in texts[0]


def test_leaves_with_as_many_links_of_other_rates_differ():
    """Two links of 400 and two of 200: as many links, half the Gb/s; one of 800 and two of 400 are equal."""
    links, hosts = [(0, 3), (0, 4), (1, 3), (1, 4), (2, 3), (2, 4)], np.repeat([0, 1, 2], 2)
    network = Topology(links=links, switches=5, endpoints=hosts).with_rates([400] * 4 + [200] * 2, 400)
    (text,) = _findings(network, "TL306")
    assert text.startswith("2 of 3 leaves have 800 Gb/s of links upwards; ")
    assert text.endswith(" 400")
    fewer = Topology(links=[*links[:4], (2, 3)], switches=5, endpoints=hosts).with_rates([400] * 4 + [800], 400)
    assert _findings(fewer, "TL306") == []
    assert len(_findings(fewer.without_rates(), "TL306")) == 1


def test_planes_of_other_rates_are_no_fault():
    """The leaves of each plane are compared with each other, not with those of the plane of half the rate."""
    planes = build("fat-tree:k=4,hosts=16+planes:count=2")
    half = len(planes.links) // 2
    order = np.argsort(planes.labels["plane"][planes.links[:, 0]], kind="stable")
    rates = np.empty(len(planes.links))
    rates[order[:half]], rates[order[half:]] = 800, 400
    slow = planes.labels["plane"][planes.endpoints] == planes.labels["plane"].max()
    mixed = planes.with_rates(rates, np.where(slow, 400, 800))
    assert _findings(mixed, "TL306") == []
    assert _findings(mixed, "TL307", taper=1) == []


@pytest.mark.parametrize(("lost", "ratio"), [(0, "800 Gb/s of host ports on 100 Gb/s"), (1, "on 400 Gb/s")])
def test_a_lost_cable_changes_a_taper_by_its_own_rate(lost, ratio):
    """A leaf of 800 Gb/s of hosts with links of 400 and 100 upwards: the text has the Gb/s that are left."""
    plan = Topology(
        links=[(0, 2), (0, 3), (1, 2), (1, 3)],
        switches=4,
        endpoints=[0, 0, 1, 1],
        link_rate_gbps=[400, 100, 400, 100],
        endpoint_rate_gbps=400,
    )
    whole = planned_fabric(plan)
    left = np.arange(4) != lost
    actual = dataclasses.replace(
        whole,
        topology=plan.replace(links=plan.links[left], link_rate_gbps=plan.link_rate_gbps[left]),
        link_ports=whole.link_ports[left],
        link_width=whole.link_width[left],
        link_rate_gbps=whole.link_rate_gbps[left],
        link_one_sided=whole.link_one_sided[left],
        link_length_m=whole.link_length_m[left],
        link_part=whole.link_part[left],
    )
    (text,) = _findings(plan, "TL303", actual=actual)
    assert ratio in text
    assert "planned 800 Gb/s of host ports on 500 Gb/s of links upwards (1.6:1)" in text
