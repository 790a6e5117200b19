"""Candidates and reference designs have exactly the hosts that are needed; counts are by hand, family by family."""

import msgspec
import pytest

from topoloom import InputError, build
from topoloom.designer.candidates import enumerate_candidates
from topoloom.designer.design import design
from topoloom.designer.measure import measure
from topoloom.designer.outcomes import Candidate
from topoloom.designer.reference_designs import reference_specs
from topoloom.designer.requirement import Requirement
from topoloom.designer.requirement_tables import CableRequirement, FamiliesRequirement, SwitchRequirement
from topoloom.designer.switch_ports import SwitchPorts
from topoloom.designer.wiring import PlaneWiring, wired_spec
from topoloom.placement.hosts.housing import HostType
from topoloom.topologies.spec import FAMILIES


def requirement(hosts, radix, nics=1, **changes):
    """Hosts of some interfaces on switches of some ports."""
    return Requirement(
        hosts=hosts,
        host=HostType(name="server", nics=nics, u=2, power_w=500),
        switch=SwitchRequirement(radix=radix),
        parts="slimfly-2014",
        shortlist=0,
        **changes,
    )


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("hosts", "radix", "nics", "planes"), [(100, 16, 1, ()), (33, 12, 4, (1, 2)), (101, 16, 2, ())]
)
def test_every_candidate_has_the_hosts_that_are_needed(hosts, radix, nics, planes):
    """All families: the hosts asked for, each with all its ports; what does not build is not ranked."""
    wanted = requirement(hosts, radix, nics, planes=planes, families=FamiliesRequirement(preset="everything"))
    families = set()
    for proposal in enumerate_candidates(wanted, wanted.catalogue()):
        try:
            network = build(proposal.spec)
        except InputError:
            continue
        assert (network.hosts, network.endpoints.size) == (hosts, hosts * nics), proposal.spec
        families.add(proposal.spec.partition(":")[0])
    assert len(families) > 20


@pytest.mark.parametrize(
    ("family", "values", "hosts", "ports", "spec", "counts"),
    [
        # 722 switches of degree 29; 2,048 hosts: three on a switch, so 722 * 3 - 2,048 = 118 switches have two.
        ("slimfly", {"q": 19, "hosts": 15}, 2048, 1, "slimfly:q=19,hosts=3+populated:hosts=2048", {3: 604, 2: 118}),
        # 9 groups of 4 switches with 2 hosts: 72; 50 stay, 14 switches have two.
        ("dragonfly", {"a": 4, "h": 2, "p": 2}, 50, 1, "dragonfly:a=4,h=2,p=2,wiring=absolute", {2: 14, 1: 22}),
        # 4 x 5 switches, hosts of two ports: 33 hosts, 13 switches with two, 7 with one.
        ("torus", {"dims": (4, 5), "hosts": 4}, 33, 2, "torus:dims=4x5,hosts=4+nics:count=2", {4: 13, 2: 7}),
        # Six leaves of 8 ports in units of two: 24 hosts on the three units, 20 stay: 7, 7 and 6.
        ("fat-tree", {"k": 16, "hosts": 48}, 20, 2, "fat-tree:k=16,hosts=48+rails:nics=2", {7: 4, 6: 2, 0: 4}),
        # A tree for a number of host ports has no others.
        ("fat-tree", {"k": 16, "hosts": 100}, 100, 1, "fat-tree:k=16,hosts=100", {8: 12, 4: 1, 0: 8}),
        # Three groups of 4 leaves and 4 spines, 4 hosts on a leaf: 48, of which 40 stay.
        (
            "megafly",
            {"leaves": 4, "spines": 4, "p": 4, "h": 4, "g": 3},
            40,
            1,
            "megafly:leaves=4,spines=4,p=4,h=4,g=3,wiring=absolute",
            {4: 4, 3: 8, 0: 12},
        ),
    ],
)
def test_counts_by_hand(family, values, hosts, ports, spec, counts):
    """The spec, the hosts on every switch, and the hosts in all."""
    wired = wired_spec(FAMILIES.find(family), values, hosts, PlaneWiring(1, ports, rails="rails" in spec))
    network = build(wired.spec)
    assert wired.spec.removesuffix(f"+populated:hosts={hosts}") == spec.removesuffix(f"+populated:hosts={hosts}")
    at = network.endpoints_at.tolist()
    assert {count: at.count(count) for count in set(at)} == counts
    assert network.hosts == hosts


def test_servers_of_rails_are_billed_as_needed():
    """256 servers of eight rails, tapered 4:1 on 64 ports: 256 servers and 2,048 host cables, in six units with room for 306.

    Leaves of 51 ports down: six units of eight leaves. Room: 51 ports down and 13 up are 64, so 306 - 256 = 50.
    """
    wanted = requirement(256, 64, 8, cable=CableRequirement(hosts=True))
    spec = next(spec for spec in reference_specs(wanted, wanted.catalogue()) if "taper=4:1" in spec)
    assert spec == "fat-tree:k=64,hosts=2448,taper=4:1+rails:nics=8+populated:hosts=256"
    measured = measure(spec, wanted, wanted.catalogue())
    assert isinstance(measured, Candidate)
    assert (measured.hosts, measured.room_hosts) == (256, 50)
    assert measured.cost_usd == pytest.approx(measured.cost_per_host_usd * 256)
    # 43 hosts on a leaf, and 13 links up: 48 leaves have 2,048 ports and 624 links.
    assert measured.taper == pytest.approx(2048 / 624)


def test_the_pod_of_127_hosts():
    """DGX SuperPOD H100 of four units: 32 leaves, 16 spines, 1,016 host links, and room for the host whose ports UFM takes."""
    wanted = requirement(127, 64, 8)
    spec = next(spec for spec in reference_specs(wanted, wanted.catalogue()))
    network = build(spec)
    assert (network.switches, len(network.links), network.endpoints.size) == (48, 1024, 1016)
    assert SwitchPorts(64, 40, 40, ()).idle_hosts(network) // 8 == 1


def test_room_that_is_not_needed_is_not_cheap():
    """A Slim Fly with room for 10,952 hosts costs 2,048 hosts what its 722 switches cost: no Pareto point by cost."""
    wanted = requirement(2048, 64, families=FamiliesRequirement(only=("slimfly", "fat-tree")), usual=False)
    wanted = msgspec.structs.replace(wanted, host=None)
    parts = wanted.catalogue()
    large = measure("slimfly:q=19,hosts=3+populated:hosts=2048", wanted, parts)
    whole = measure("slimfly:q=19,hosts=15", wanted, parts)
    # The Slim Fly of 2,048 hosts and more with the fewest switches: q = 9, 162 switches of 13 hosts.
    small = measure("slimfly:q=9,hosts=13+populated:hosts=2048", wanted, parts)
    assert all(isinstance(outcome, Candidate) for outcome in (large, whole, small))
    assert large.hosts == small.hosts == 2048
    assert large.cost_per_host_usd > 2 * small.cost_per_host_usd
    assert whole.cost_per_host_usd < large.cost_per_host_usd / 2
    assert large.room_hosts >= 10_830 - 2048


@pytest.mark.exhaustive
def test_the_design_ranks_needed_hosts():
    """Every ranked network has the hosts, and its cost per host is its cost over them."""
    result = design(
        requirement(100, 16, families=FamiliesRequirement(only=("slimfly", "dragonfly", "fat-tree"))), jobs=1
    )
    assert result.ranked
    for candidate in result.ranked:
        assert candidate.hosts == 100
        assert candidate.cost_usd == pytest.approx(100 * candidate.cost_per_host_usd)
    assert {outcome.hosts for outcome in result.usual if isinstance(outcome, Candidate)} == {100}
