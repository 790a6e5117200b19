"""Requirements of today's machines: hosts of several ports, racks, planes, halls, what must survive, reference designs."""

from pathlib import Path

import msgspec
import pytest

from topoloom import build
from topoloom.core.errors import InputError
from topoloom.cost.placed import place
from topoloom.cost.spares import Spares
from topoloom.designer.design import design
from topoloom.designer.measure import measure
from topoloom.designer.offers import survived, worst_taper
from topoloom.designer.outcomes import Candidate, Dropped
from topoloom.designer.placing import place_candidate
from topoloom.designer.reference_designs import reference_specs
from topoloom.designer.requirement import Requirement
from topoloom.designer.requirement_files import read_requirement
from topoloom.designer.requirement_tables import (
    DesignLimits,
    FamiliesRequirement,
    FloorRequirement,
    Least,
    SwitchRequirement,
)
from topoloom.designer.switch_ports import SwitchPorts
from topoloom.designer.wiring import wirings
from topoloom.graph.load import full_bandwidth_hosts, oversubscription
from topoloom.graph.planes import plane_count
from topoloom.placement.hosts.housing import HostType, RackRule

EXAMPLES = Path(__file__).parents[2] / "examples"
HOST = HostType(name="server", nics=4, u=2, power_w=500)


def requirement(**changes):
    """32 servers of four ports on 16-port switches."""
    plain = Requirement(
        hosts=32,
        host=HOST,
        switch=SwitchRequirement(radix=16),
        parts="slimfly-2014",
        families=FamiliesRequirement(only=("fat-tree", "slimfly", "dragonfly")),
        shortlist=0,
    )
    return msgspec.structs.replace(plain, **changes)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("example", "spec", "switches"),
    [
        ("superpod-h100", "fat-tree:k=64,hosts=1016+rails:nics=8", 48),
        # Sized for 2,100 hosts. The 2:1 tree for them has 70 switches, but 42 hosts per leaf: with the leaf they do not fit
        # in a rack of 42 units, and the host cables need modules at both ends.
        # At 3:2, leaves of 38 hosts and 26 links up: 56 of them, and 56 x 26 / 64 = 22.75 spines with bundles that are uneven.
        # 54 leaves hold the first 2,048 hosts.
        ("hpc-2k-ndr", "fat-tree:k=64,hosts=2100,taper=3:2,bundles=uneven+part:hosts=2048", 54 + 23),
        ("ai-4k", "fat-tree:k=64,hosts=512,taper=2:1+planes:count=8", 144),
        ("ai-131k", "fat-tree:k=512,hosts=131072+planes:count=8", 6_144),
    ],
)
def test_the_machines_of_the_examples_are_designed(example, spec, switches):
    """Each requirement has the answer that its numbers lead to; counts are those of the reference architectures.

    H100: 32 leaves and 16 spines for 127 servers (RA-11333-001, Table 4); eight planes of 512 + 256 switches (clusters of
    131,072 accelerators, arXiv 2605.04333).
    """
    found = design(msgspec.structs.replace(read_requirement(EXAMPLES / f"{example}.toml"), shortlist=0), jobs=1)
    best = found.winner
    assert best.spec == spec
    assert best.switches == switches
    assert best.hosts >= found.requirement.hosts
    assert best.cost_usd > 0
    assert found.ended == "done"


def test_ports_are_spread_over_planes_and_rails():
    """All in one, a plane for each, two of each; rails and one switch."""
    ways = [(way.planes, way.ports, way.rails) for way in wirings(requirement(planes=(1, 2, 4)))]
    assert ways == [(1, 4, False), (1, 4, True), (2, 2, False), (2, 2, True), (4, 1, False)]
    assert [way.rails for way in wirings(requirement(planes=(1,), rails=True))] == [True]
    assert [way.suffix for way in wirings(requirement(planes=(2,)))] == [
        "+nics:count=2+planes:count=2",
        "+rails:nics=2+planes:count=2",
    ]


def test_every_candidate_has_the_ports_that_hosts_have():
    """Whatever is ranked hangs every host on the network with all its ports, in as many planes as it says."""
    found = design(requirement(), jobs=1)
    assert {one.planes for one in found.ranked} == {1, 4}
    for one in found.ranked[:12]:
        network = build(one.spec)
        assert network.endpoints.size == 4 * network.hosts
        assert plane_count(network) == one.planes


@pytest.mark.exhaustive
def test_what_everybody_buys_is_always_measured():
    """The tapered trees with rails and a Dragonfly, also where their families do not take part; then they do not win."""
    found = design(requirement(families=FamiliesRequirement(only=("slimfly",))), jobs=1)
    assert {one.family for one in found.ranked} == {"slimfly"}
    assert {one.family for one in found.usual} == {"fat-tree", "dragonfly"}
    assert [one.spec for one in found.usual] == list(reference_specs(found.requirement, found.requirement.catalogue()))
    everything = design(requirement(), jobs=1)
    ranked = {one.spec for one in everything.ranked}
    assert {one.spec for one in everything.usual if isinstance(one, Candidate)} <= ranked
    assert not design(requirement(usual=False), jobs=1).usual


@pytest.mark.exhaustive
def test_what_everybody_buys_has_four_levels_where_three_are_too_few():
    """200 hosts on 8-port switches, of which three levels take 128; with rails the leaves go into units."""
    few = requirement(
        hosts=200, host=HostType(u=1), switch=SwitchRequirement(radix=8), families=FamiliesRequirement(only=("torus",))
    )
    trees = [spec for spec in reference_specs(few, few.catalogue()) if not spec.startswith("dragonfly")]
    assert [spec.partition(":")[0] for spec in trees] == ["pgft"] * 3
    found = design(few, jobs=1)
    full, tapered, dropped = (one for one in found.usual if one.family == "pgft")
    assert all(isinstance(one, Candidate) and one.hosts == 200 and one.diameter == 6 for one in (full, tapered))
    assert full.switches > tapered.switches
    assert dropped.limit == "blocking", "six hosts on two uplinks are beyond 2:1"
    several = requirement(hosts=100, host=HostType(nics=2, u=1), switch=SwitchRequirement(radix=8))
    rails = [spec for spec in reference_specs(several, several.catalogue()) if spec.startswith("pgft")]
    assert rails
    assert all(build(spec).hosts == 100 and "+rails:nics=2" in spec for spec in rails)
    # More than four levels take: told as before.
    many = requirement(hosts=5000, host=HostType(u=1), switch=SwitchRequirement(radix=8))
    assert next(reference_specs(many, many.catalogue())).startswith("fat-tree")


@pytest.mark.exhaustive
def test_what_is_offered_at_least_is_held():
    """Planes survive the loss of a leaf, rails too; ports on one switch do not. Bandwidth and room to grow as asked."""
    found = design(requirement(least=Least(survives=("leaf",))), jobs=1)
    assert all("leaf" in one.survives for one in found.ranked)
    assert found.dropped_by["survives"] > 0
    wide = design(requirement(least=Least(bisection_gbps_per_host=160.0)), jobs=1)
    assert all(one.bisection_gbps_per_host >= 160 * (1 - 1e-9) for one in wide.ranked)
    assert any("Gb/s per host" in (one.reason or "") for one in wide.dropped)
    roomy = design(requirement(least=Least(grow_to_hosts=36)), jobs=1)
    assert all(one.hosts + one.room_hosts >= 36 for one in roomy.ranked)


def test_losses_are_counted_by_hand():
    """One port: nothing. Ports on one switch: a port. A port in each plane: all. Rails: a leaf, but for a tree of one."""
    tree = "fat-tree:k=8,hosts=32"
    assert survived(build(tree), 1) == frozenset()
    assert survived(build(f"{tree}+nics:count=2"), 1) == {"port"}
    assert survived(build(f"{tree}+planes:count=2"), 2) == {"port", "leaf", "plane"}
    assert survived(build(f"{tree}+rails:nics=2"), 1) == {"port", "leaf"}


def test_tapers_and_idle_ports_are_counted_by_hand():
    """2:1 at the leaves; a ring of 8-port switches with three hosts each has three idle ports on each."""
    assert worst_taper(build("fat-tree:k=12,hosts=32,taper=2:1")) == 2
    assert worst_taper(build("fat-tree:k=8,hosts=32")) == 1
    assert worst_taper(build("ring:n=5,hosts=3")) is None
    assert SwitchPorts(8, 40, 40, ()).idle_hosts(build("ring:n=5,hosts=3")) == 15


@pytest.mark.exhaustive
def test_a_hall_is_the_same_for_layout_and_design(tmp_path):
    """The default placement of the finalist is that of `place` with the same file."""
    path = EXAMPLES / "floors" / "hall.toml"
    wanted = requirement(
        floor=FloorRequirement(file=str(path)), rack=RackRule(u=20), families=FamiliesRequirement(only=("fat-tree",))
    )
    found = design(wanted, jobs=1)
    best = found.winner
    layout = place(build(best.spec), str(path), housing=wanted.housing, switch_w=16 * 2.8)
    assert found.layout.total_m == pytest.approx(layout.total_m)
    assert best.mean_cable_m == pytest.approx(layout.mean_length_m)


def test_a_tree_of_planes_costs_what_its_planes_do():
    """Eight planes have eight times the switches and the links of one, whose measures they share."""
    one = measure(
        "fat-tree:k=16,hosts=32+nics:count=1", requirement(host=HostType(u=1), hosts=16), requirement().catalogue()
    )
    eight = measure("fat-tree:k=16,hosts=32+planes:count=4", requirement(), requirement().catalogue())
    assert isinstance(one, Candidate)
    assert isinstance(eight, Candidate)
    assert (eight.switches, eight.links) == (4 * one.switches, 4 * one.links)
    assert (eight.diameter, eight.host_aspl, eight.oversubscription) == (
        one.diameter,
        one.host_aspl,
        one.oversubscription,
    )
    assert eight.bisection_links == 4 * one.bisection_links


def test_times_of_collectives_are_their_formulas():
    """All-reduce at the rate of all ports of a host; all to all besides by the busiest channel."""
    found = design(requirement(minimize="step_ms", families=FamiliesRequirement(only=("fat-tree",))), jobs=1)
    best = found.winner
    rate = 4 * 40e6
    hosts = best.hosts
    rounds = 2 * (hosts - 1).bit_length()
    reduce = 2 * (hosts - 1) / hosts * 256 * 2**23 / rate + rounds * best.worst_latency_ns * 1e-6
    assert best.all_reduce_ms == pytest.approx(reduce)
    spread = 256 * 2**23 / rate * max(1.0, best.maximum_channel_load) + best.mean_latency_ns * 1e-6
    assert best.all_to_all_ms == pytest.approx(spread)
    assert best.step_ms == pytest.approx(reduce + spread)


@pytest.mark.exhaustive
def test_spares_and_room_limits_are_in_the_bill():
    """Spares cost; a limit of power for the room drops what is past it."""
    plain, more = (design(requirement(spares=some, usual=False), jobs=1).winner for some in (None, Spares(switches=50)))
    assert more.cost_usd > plain.cost_usd
    found = design(requirement(limits=DesignLimits(power_w=plain.power_w), usual=False), jobs=1)
    assert all(one.power_w <= plain.power_w * (1 + 1e-9) for one in found.ranked)


def answered(path):
    """The design of a file; where a need is well formed, and nothing can serve it, what is dropped says why."""
    found = design(read_requirement(path), jobs=1)
    if not found.ranked:
        reasons = {one.reason for one in found.dropped if isinstance(one, Dropped) and one.reason}
        raise InputError("; ".join(sorted(reasons)))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "planes = [8]\n[switch]\nradix = 16\n[host]\nnics = 1\nu = 1\n",
            r"planes = 8: 'host' has 1 port on this network",
        ),
        (
            "[switch]\nradix = 16\n[host]\nu = 8\npower_w = 14_000\n[rack]\npower_w = 10_000\n",
            "holds no host of 14,000 W",
        ),
        (
            "[switch]\nradix = 16\n[families]\nspecs = ['fat-tree:k=8,hosts=16,taper=3:0']\n",
            r"families.specs: .*taper=3:0",
        ),
        ("[switch]\nproduct = 'SN9'\n", "catalogue 'slimfly-2014' has no switch 'SN9'"),
        ("[switch]\n", "switch.radix is missing"),
        ("[switch]\nradix = 16\n[floor]\nfile = 'no.toml'\n", "floor.file: .*no.toml"),
        (
            "[switch]\nradix = 16\n[floor]\nfile = 'no.toml'\nrows = 3\n",
            "a floor file describes the whole floor; remove rows here",
        ),
        ("[switch]\nradix = 16\n[host]\nnics = 0\n", "host.nics = 0: it is a whole number from 1"),
        ("prices = 'no.toml'\n[switch]\nradix = 16\n", "prices: .*no.toml"),
        (
            "[switch]\nradix = 16\n[least]\nsurvives = ['rack']\n",
            'least.survives.* it is one of "leaf", "plane", "port"',
        ),
    ],
)
def test_needs_that_cannot_be_are_one_sentence(tmp_path, text, words):
    """What no plane, rack, tree or file can be, with the numbers that do not go together."""
    path = tmp_path / "need.toml"
    path.write_text(
        "hosts = 16\nparts = 'slimfly-2014'\n" + text
        if not text.startswith(("planes", "prices"))
        else "hosts = 16\n" + text
    )
    with pytest.raises(InputError, match=words):
        answered(path)


def test_a_need_can_be_placed_by_hand():
    """The layout of a candidate is that of its need: hosts in racks, switches fed."""
    wanted = requirement()
    layout = place_candidate(build("fat-tree:k=16,hosts=128+rails:nics=4"), wanted, wanted.catalogue())
    assert layout.housing == wanted.housing
    assert layout.host_cables == 128


def test_a_design_is_at_least_as_oversubscribed_as_its_leaves():
    """Leaves of 48 hosts of 200 Gb/s under 16 links of 400: 9.6 to 6.4 Tb/s, 1.5 to 1, of which 63 of 64 parts leave a leaf."""
    network = build("megafly:leaves=16,spines=16,p=48,h=32,g=4+rates:links=400,hosts=200")
    assert full_bandwidth_hosts(network) > 46  # by the mean load: its global links are spare
    assert oversubscription(network) == pytest.approx(1.5 * 63 / 64)
    # In two levels both rules are one: 2 to 1, of which 7 of 8 parts leave.
    assert oversubscription(build("clos:leaves=8,spines=4,hosts=8")) == pytest.approx(2 * 7 / 8)
    # Links of direct networks also carry the traffic of other switches: the mean load decides.
    direct = build("slimfly:q=5,hosts=3")
    assert oversubscription(direct) == 3 / full_bandwidth_hosts(direct)
