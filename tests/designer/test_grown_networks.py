"""Networks that are sized for a later growth and built in part: what is bought now, what later, and no cable moves."""

import csv

import pytest

from topoloom import InputError, build, design, open_network
from topoloom.designer.candidates import enumerate_candidates
from topoloom.designer.measure import measure
from topoloom.designer.outcomes import Candidate
from topoloom.designer.reference_designs import reference_specs
from topoloom.designer.requirement import Requirement
from topoloom.designer.requirement_tables import (
    DesignLimits,
    FamiliesRequirement,
    Least,
    PhaseRequirement,
    SwitchRequirement,
)
from topoloom.designer.wiring import whole_spec
from topoloom.graph.load import full_bandwidth_hosts
from topoloom.graph.planes import planes_of
from topoloom.placement.hosts.housing import HostType
from topoloom.report.design_files import write_design


def requirement(hosts, later, radix=16, nics=2, **changes):
    """Hosts of some interfaces, one in each plane, that grow later."""
    return Requirement(
        **{
            "hosts": hosts,
            "least": Least(grow_to_hosts=later),
            "host": HostType(name="server", nics=nics, u=2, power_w=500),
            "planes": (nics,),
            "switch": SwitchRequirement(radix=radix),
            "parts": "slimfly-2014",
            "shortlist": 0,
            "usual": False,
        }
        | changes
    ).filled()


def cables(folder):
    """Both ends of each cable of a folder's list, with their ports, by its number."""
    with (folder / "cables.csv").open(newline="") as file:
        return {
            row["cable"]: frozenset({(row["a_switch"], row["a_port"]), (row["b_switch"], row["b_port"])})
            for row in csv.DictReader(file)
            if row["kind"] in {"link", "host"}
        }


@pytest.mark.parametrize(("hosts", "later"), [(128, 192), pytest.param(16, 100, marks=pytest.mark.exhaustive)])
def test_a_design_is_sized_for_the_growth_and_built_in_part(hosts, later, tmp_path):
    """Two planes: the bill of now is that of the first phase, that of the end the sum; cables by the lists of both folders."""
    made = design(requirement(hosts, later, families=FamiliesRequirement(only=("fat-tree",))), jobs=1)
    best, grown = made.winner, made.phases_of(made.best)
    assert (best.hosts, best.planes) == (hosts, 2)
    assert best.hosts + best.room_hosts >= later
    assert [phase.hosts for phase in grown.phases] == [hosts, later]
    assert grown.phases[0].cost_usd == pytest.approx(best.cost_usd)
    assert grown.phases[0].power_w == pytest.approx(best.power_w)
    assert grown.left_over == ()
    write_design(made, tmp_path / "out")
    now, end = tmp_path / "out" / "phases" / "1", tmp_path / "out" / "phases" / "2"
    winner = open_network(tmp_path / "out")
    assert winner.topology == open_network(now).topology == build(best.spec)
    assert winner.bill.cost_usd == pytest.approx(open_network(now).bill.cost_usd)
    assert open_network(end).bill.cost_usd == pytest.approx(grown.cost_usd)
    earlier, later_cables = cables(now), cables(end)
    assert earlier.items() <= later_cables.items()
    assert cables(tmp_path / "out").keys() == earlier.keys()
    assert len(later_cables) == open_network(end).topology.endpoints.size + len(open_network(end).topology.links)
    # A leaf of the end has as much bandwidth per host as the limits of the requirement ask for.
    for plane in planes_of(build(whole_spec(best.spec))):
        each = plane.topology.endpoints_at
        assert each[each > 0].mean() <= full_bandwidth_hosts(plane.topology) * 2 * (1 + 1e-9)


def test_phases_come_before_the_growth():
    """[[phase]] and grow_to_hosts together: the growth is the last phase, without a date."""
    wanted = requirement(
        64,
        128,
        phase=(PhaseRequirement(32, "2027-01"), PhaseRequirement(64, "2027-07")),
        families=FamiliesRequirement(only=("fat-tree",)),
    )
    made = design(wanted, jobs=1)
    grown = made.phases_of(made.best)
    assert [(phase.hosts, phase.by) for phase in grown.phases] == [(32, "2027-01"), (64, "2027-07"), (128, "")]
    assert grown.phases[1].total_usd == pytest.approx(made.winner.cost_usd)
    assert grown.moved == 0
    assert made.no_phases == {}


@pytest.mark.sweep(1)
@pytest.mark.parametrize(("hosts", "later", "radix", "nics"), [(60, 100, 16, 1), (33, 50, 12, 2)])
def test_every_family_is_sized_for_the_growth(hosts, later, radix, nics):
    """All families: the hosts of now are built, with all their ports, as a part of a network for those of then."""
    wanted = requirement(
        hosts, later, radix, nics, planes=(), families=FamiliesRequirement(preset="everything"), usual=True
    )
    specs = [proposal.spec for proposal in enumerate_candidates(wanted, wanted.catalogue())]
    families = set()
    for spec in {*specs, *reference_specs(wanted, wanted.catalogue())}:
        try:
            now, then = build(spec), build(whole_spec(spec))
        except InputError:
            continue
        assert (now.hosts, now.endpoints.size, then.hosts) == (hosts, hosts * nics, later), spec
        families.add(spec.partition(":")[0])
    assert len(families) > 20


def test_limits_hold_now_and_after_the_growth():
    """2:1 leaves exceed a blocking factor of 1; of a torus 4x4, oversubscription is that of the hosts that it has in the end.

    4x4 torus by hand: mean distance with the own switch 2, degree 4, so full bandwidth for 4 / 2 = 2 hosts per switch.
    """
    wanted = requirement(16, 64, radix=8, nics=1, limits=DesignLimits(blocking=1e6))
    parts = wanted.catalogue()
    outcome = measure("torus:dims=4x4,hosts=4+part:hosts=16", wanted, parts)
    assert isinstance(outcome, Candidate)
    assert outcome.oversubscription == pytest.approx(4 / 2 * 15 / 16, rel=0.07)
    assert (outcome.hosts, outcome.room_hosts) == (16, 48)
    tight = requirement(16, 64, radix=8, nics=1, limits=DesignLimits(oversubscription=1.5, blocking=1e6))
    assert measure("torus:dims=4x4,hosts=4+part:hosts=16", tight, parts).limit == "oversubscription"
    few = requirement(16, 65, radix=8, nics=1)
    assert measure("torus:dims=4x4,hosts=4+part:hosts=16", few, parts).limit == "grow_to_hosts"


@pytest.mark.exhaustive
def test_16384_accelerators_in_two_planes_grow_to_24576():
    """128 ports, by hand per plane: 384 leaves of 64, of which 256 come now, in pods with their aggregation switches."""
    wanted = requirement(16_384, 24_576, radix=128, families=FamiliesRequirement(only=("fat-tree",)))
    spec = "fat-tree:k=128,hosts=24576+planes:count=2+part:hosts=16384"
    assert spec in [
        proposal.spec for proposal in enumerate_candidates(wanted, wanted.catalogue()) if not proposal.passed
    ]
    now, then = build(spec), build(whole_spec(spec))
    assert (now.hosts, then.hosts) == (16_384, 24_576)
    assert [int((network.endpoints_at > 0).sum()) for network in (now, then)] == [2 * 256, 2 * 384]
    level = now.labels["level"]
    assert int((level[now.links] == 0).any(axis=1).sum()) == 2 * 16_384
