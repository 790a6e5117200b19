"""Candidates and reference designs have the switches and cables of the published reference architectures, for their hosts.

DGX SuperPOD: H100 (RA-11333-001 V11, Table 4), B200, B300 on Spectrum and on XDR (DGX SuperPOD Architecture, tables of larger
numbers of units). The tables of H100 count four more cables to hosts, those of the two fabric managers.
"""

import msgspec
import pytest

from topoloom import build
from topoloom.designer.candidates import enumerate_candidates
from topoloom.designer.reference_designs import reference_specs
from topoloom.designer.requirement import Requirement
from topoloom.designer.requirement_tables import FamiliesRequirement, SwitchRequirement
from topoloom.placement.hosts.housing import HostType

#: Ports of a switch, hosts of eight rails, switches of each level, and cables between leaves and spines, and above.
RAILS = [
    (64, 31, (8, 4), (256,)),
    (64, 63, (16, 8), (512,)),
    (64, 95, (24, 16), (768,)),
    (64, 127, (32, 16), (1024,)),
    (64, 64, (16, 8), (512,)),
    (64, 128, (32, 16), (1024,)),
    (64, 256, (64, 32), (2048,)),
    (64, 512, (128, 128, 64), (4096, 4096)),
    (64, 1024, (256, 256, 128), (8192, 8192)),
    (64, 2048, (512, 512, 256), (16384, 16384)),
    (144, 72, (8, 4), (576,)),
    (144, 144, (16, 8), (1152,)),
    (144, 288, (32, 18), (2304,)),
    (144, 576, (64, 36), (4608,)),
    (144, 1296, (144, 72), (10368,)),
]
#: Ports of a switch, hosts of one port, switches and cables of each level.
SINGLE = [
    (64, 1024, (32, 16), (1024,)),
    (64, 2048, (64, 32), (2048,)),
    (64, 4096, (128, 128, 64), (4096, 4096)),
    (64, 8192, (256, 256, 128), (8192, 8192)),
    (64, 16384, (512, 512, 256), (16384, 16384)),
    (64, 32768, (1024, 1024, 512), (32768, 32768)),
    (64, 65536, (2048, 2048, 1024), (65536, 65536)),
]


def counts(spec):
    """Switches and cables up of each level, hosts, and ports of hosts."""
    network = build(spec)
    level = network.labels["level"].tolist()
    lower = network.labels["level"][network.links].min(axis=1).tolist()
    levels = range(max(level) + 1)
    switches = tuple(level.count(number) for number in levels)
    return switches, tuple(lower.count(number) for number in levels[:-1]), network.hosts, network.endpoints.size


def wanted(radix, hosts, nics):
    """A requirement of that size, for fat trees."""
    return Requirement(
        hosts=hosts,
        host=HostType(nics=nics, u=10),
        switch=SwitchRequirement(radix=radix),
        parts="slimfly-2014",
        families=FamiliesRequirement(only=("fat-tree",)),
    )


@pytest.mark.sweep(4)
@pytest.mark.parametrize(("radix", "hosts", "switches", "cables"), RAILS)
def test_rails_as_published(radix, hosts, switches, cables):
    """The first reference design is the published one; it is a candidate, too."""
    requirement = wanted(radix, hosts, 8)
    spec = next(reference_specs(requirement, requirement.catalogue()))
    assert "+rails:nics=8" in spec
    assert counts(spec) == (switches, cables, hosts, 8 * hosts)
    assert spec in {proposal.spec for proposal in enumerate_candidates(requirement, requirement.catalogue())}


@pytest.mark.sweep(3)
@pytest.mark.parametrize(("radix", "hosts", "switches", "cables"), SINGLE)
def test_trees_as_published(radix, hosts, switches, cables):
    """One port per host: the table of fat trees of 64 ports."""
    requirement = wanted(radix, hosts, 1)
    spec = next(reference_specs(requirement, requirement.catalogue()))
    assert counts(spec) == (switches, cables, hosts, hosts)


@pytest.mark.parametrize(
    ("hosts", "planes", "switches", "cables"),
    # B300 on Spectrum: two planes of 400G; the cables of 800G are two of 400G each.
    [(512, 2, (128, 64), 8192), (1024, 2, (256, 128), 16384)],
)
def test_planes_as_published(hosts, planes, switches, cables):
    """Hosts of eight accelerators with a port in each of two planes, on 128 ports: 8 and 16 units of 64 hosts."""
    spec = f"fat-tree:k=128,hosts={8 * hosts}+rails:nics=8+planes:count={planes}"
    requirement = msgspec.structs.replace(wanted(128, hosts, 8 * planes), planes=(planes,))
    assert spec in {proposal.spec for proposal in enumerate_candidates(requirement, requirement.catalogue())}
    assert counts(spec) == (switches, (cables,), hosts, 8 * planes * hosts)


@pytest.mark.parametrize(("hosts", "switches", "cables"), [(1152, (36, 18), 1152), (768, (24, 12), 768)])
def test_uneven_bundles_are_proposed_next_to_even_ones(hosts, switches, cables):
    """1,152 hosts: 36 leaves of 32:32 and 18 spines, 36 * 32 / 64, where even bundles need 32; both are proposed."""
    requirement = wanted(64, hosts, 1)
    proposals = {proposal.spec for proposal in enumerate_candidates(requirement, requirement.catalogue())}
    even = f"fat-tree:k=64,hosts={hosts}"
    assert {even, f"{even},bundles=uneven"} <= proposals
    assert counts(f"{even},bundles=uneven") == (switches, (cables,), hosts, hosts)
    assert build(even).switches > sum(switches)


def test_a_leaf_is_chosen():
    """1,152 hosts within 4:1 on 64 ports: 24 leaves of 48:12 under 6 spines of 48 ports, 30 switches; 51:13 takes 31.

    24 leaves with bundles of two to each of 6 spines use 48 of their ports.
    """
    requirement = wanted(64, 1152, 1)
    proposals = {proposal.spec for proposal in enumerate_candidates(requirement, requirement.catalogue())}
    assert "fat-tree:k=64,hosts=1152,leaf=48:12" in proposals
    assert counts("fat-tree:k=64,hosts=1152,leaf=48:12") == ((24, 6), (288,), 1152, 1152)
