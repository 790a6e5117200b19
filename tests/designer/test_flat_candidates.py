"""Flat families are candidates of a design, in sizes that can be built."""

import pytest

from topoloom import build
from topoloom.designer.candidates import enumerate_candidates
from topoloom.designer.requirement import Requirement
from topoloom.designer.requirement_tables import FamiliesRequirement, SwitchRequirement
from topoloom.topologies.spec import FAMILIES


@pytest.mark.parametrize("name", ["shuffled", "dring", "clustered-jellyfish"])
def test_flat_families_are_candidates(name):
    """1,000 hosts on switches of 36 ports: several sizes, and the first and last have the hosts and ports that are there."""
    wanted = Requirement(
        hosts=1000,
        switch=SwitchRequirement(radix=36),
        parts="slimfly-2014",
        families=FamiliesRequirement(only=(name,)),
        shortlist=0,
        usual=False,
    )
    specs = [proposal.spec for proposal in enumerate_candidates(wanted, wanted.catalogue())]
    assert len(specs) >= 5
    assert all(spec.startswith(f"{name}:") for spec in specs)
    for spec in (specs[0], specs[-1]):
        topology = build(spec)
        assert topology.hosts == 1000
        assert topology.radix <= 36


def test_a_shuffled_candidate_has_several_boxes_per_switch():
    """With one cord per switch a network falls apart, and with few boxes the same switches meet again and again."""
    for values in FAMILIES.find("shuffled").sizes(10_000, 64):
        assert values["degree"] % 4 == 0
        assert values["degree"] >= 8
        assert values["n"] * values["degree"] >= 128 * 15
