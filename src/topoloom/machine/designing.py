"""The design of a machine: the choices of all networks joined under common limits, and the best machines in full."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from topoloom.core.errors import check_type
from topoloom.core.work import Work
from topoloom.cost.parts import Parts
from topoloom.designer.assessment.assessment import Assessment
from topoloom.designer.pareto import undominated
from topoloom.machine.assessing import assessed_networks, failing_network
from topoloom.machine.before_racks import groups_before_racks
from topoloom.machine.bill import MachineBill, price_machine
from topoloom.machine.choices import NetworkChoice, all_parts, choices_of, network_parts, shortened
from topoloom.machine.connecting import Room
from topoloom.machine.devices import DeviceGroup, HostKind, host_kinds
from topoloom.machine.facility import machine_facility
from topoloom.machine.machine import Machine, placed_machine
from topoloom.machine.requirement import MachineRequirement
from topoloom.model.network_folders import ASSESSMENT, NETWORKS
from topoloom.model.results import Provenance, Result

#: Most partial machines that are pursued while networks are joined.
_MOST_PARTIAL = 400


@dataclass(frozen=True)
class MachineCandidate:
    """A machine: a choice for each network, and its sums.

    Attributes
    ----------
    specs, names : dict of str to str
        The spec and the name of each network, by the network's name.
    cost_usd, power_w : float
        The bill, and the typical power of all networks; NaN where nothing is known.
    switches, racks : int
    regret : float
        The sum over the networks of how much each is worse than its best choice by its own objective, as a share of that.
    exceeds : str
        The limit that it exceeds, with the network that takes most of it; empty if none.
    """

    specs: dict[str, str]
    names: dict[str, str]
    cost_usd: float
    power_w: float
    switches: int
    racks: int
    regret: float
    exceeds: str = ""


@dataclass(frozen=True, eq=False)
class MachineDesign(Result):
    """The designs of a machine, best first.

    Attributes
    ----------
    title : str
    ranked : tuple of MachineCandidate
        Within all limits, placed and priced in full, by cost (by power where nothing has a price).
    dropped : tuple of MachineCandidate
        Placed and priced too, and beyond a limit.
    choices : dict of str to int
        How many choices of each network none of its others beats.
    joined : int
        How many machines of these choices none beats before they are placed.
    reason : str
        Why there is no machine: the limit that fails first, and its network; empty if there is one.
    assessments : dict of str to Assessment
        The full assessment of each network of the best with links of its own and compute hosts; empty with ``shortlist = 0``.
    machine : Machine or None
        The best, with the tables of its networks where they were assessed; not in the record.
    bill : MachineBill or None
        Its bill.
    """

    record_name = "machine-design"
    unrecorded = ("machine",)

    title: str
    ranked: tuple[MachineCandidate, ...]
    dropped: tuple[MachineCandidate, ...]
    choices: dict[str, int]
    joined: int
    reason: str = ""
    assessments: dict[str, Assessment] = field(default_factory=dict)
    machine: Any = None
    bill: MachineBill | None = None
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    @property
    def currency(self) -> str:
        """The currency of all amounts."""
        return "USD" if self.bill is None else self.bill.currency

    def rows(self) -> list[dict[str, Any]]:
        """One row per machine, ranked ones first: rank, the spec of each network, and its sums."""
        ranks = [*range(1, len(self.ranked) + 1), *[None] * len(self.dropped)]
        return [
            {"rank": rank, **candidate.specs}
            | {key: getattr(candidate, key) for key in ("cost_usd", "power_w", "switches", "racks", "exceeds")}
            for rank, candidate in zip(ranks, (*self.ranked, *self.dropped), strict=True)
        ]


def design_machine(
    requirement: MachineRequirement, *, jobs: int | None = None, work: Work | None = None
) -> MachineDesign:
    """Design all networks of a machine together.

    Each network is screened by its own requirement. Of its candidates those stay that no other beats in cost, power, switches
    and the network's own objective. Networks are joined one after another, and after each only the partial machines stay that
    none beats in the sums: the product of all choices is never made. The best by cost are placed in common racks, priced and
    tested against the limits of the machine; where none is within them, others that take less of what fails. The networks of
    the best machine are assessed in full. One whose network fails a measured limit is dropped, and the next is assessed.

    Parameters
    ----------
    requirement : MachineRequirement
    jobs : int, optional
        Number of processes; by default one per core.
    work : Work, optional
        Reports progress; can stop the run.

    Returns
    -------
    MachineDesign

    Raises
    ------
    InputError
        A network has no places for its devices, a rack holds no host, or a catalogue lacks a part.
    """
    check_type(requirement, MachineRequirement, "design_machine", "read_machine_file(path) reads one")
    work = Work() if work is None else work
    parts = {network.name: network_parts(requirement, network) for network in requirement.network}
    kinds = host_kinds(requirement, all_parts(requirement))
    before: dict[str, tuple[DeviceGroup, ...]] = {}
    choices_by: dict[str, list[NetworkChoice]] = {}
    # A network that another one has uplinks to comes last: these follow from the switches of all others.
    targets = {network.uplink for network in requirement.network}
    for network in sorted(requirement.network, key=lambda each: each.name in targets):
        if network.uplink:
            continue
        switches = {name: max(choice.switches for choice in some) for name, some in choices_by.items()}
        before[network.name] = groups_before_racks(requirement, kinds, parts, switches)[network.name]
        some, why = choices_of(requirement, network, before[network.name], jobs, work)
        if not some:
            return _without(requirement, {}, f"network '{network.name}': {why}")
        choices_by[network.name] = some
    choices = [choices_by[network.name] for network in requirement.network if network.name in choices_by]
    counts = {some[0].network: len(some) for some in choices}
    joined = joined_choices(choices)
    reason = failing_limit(requirement, choices)
    if reason:
        return _without(requirement, counts, reason, len(joined))
    # Only the best needs what each phase buys.
    tried = _placed(msgspec.structs.replace(requirement, phase=()), kinds, parts, joined)
    ranked = sorted((each for each in tried if not each.candidate.exceeds), key=_order)
    dropped = [each.candidate for each in tried if each.candidate.exceeds]
    assessments: dict[str, Assessment] = {}
    while ranked and requirement.shortlist:
        assessed, assessments = assessed_networks(ranked[0].machine, jobs, work)
        failed = failing_network(assessed, before, assessments)
        if not failed:
            ranked[0] = replace(ranked[0], machine=assessed)
            break
        dropped.append(replace(ranked.pop(0).candidate, exceeds=failed))
    best = ranked[0] if ranked else None
    machine, bill = (None, None) if best is None else (best.machine, best.bill)
    if machine is not None and requirement.phase:
        machine = replace(machine, requirement=requirement)
        bill = price_machine(machine, orders=True)
    return MachineDesign(
        requirement.title,
        tuple(each.candidate for each in ranked),
        tuple(dropped),
        counts,
        len(joined),
        "" if ranked else f"{dropped[0].exceeds} ({len(tried)} of {len(joined):,} machines were placed)",
        assessments if best else {},
        machine,
        bill,
        Provenance.of_run(name=requirement.title),
    )


def design_files(design: MachineDesign) -> dict[str, str | bytes]:
    """The files of a design in the folder of its machine: bill and order, and the assessments of its networks.

    Parameters
    ----------
    design : MachineDesign
    """
    files: dict[str, str | bytes] = {}
    if design.bill is not None:
        files |= {name: design.bill.content(Path(name).suffix) for name in ("bill.json", "order.csv")}
    for name, assessment in design.assessments.items():
        content = msgspec.json.format(msgspec.json.encode(assessment.record()), indent=1)
        files[f"{NETWORKS}/{name}/{ASSESSMENT}"] = content + b"\n"
    return files


@dataclass(frozen=True, eq=False)
class _Placed:
    """A machine in its racks."""

    candidate: MachineCandidate
    machine: Machine
    bill: MachineBill


def _placed(
    requirement: MachineRequirement,
    kinds: tuple[HostKind, ...],
    parts: Mapping[str, Parts],
    joined: Sequence[tuple[NetworkChoice, ...]],
) -> list[_Placed]:
    """The cheapest machines in their racks; where all exceed a limit, as many again that take least of it before placing."""
    many = max(1, requirement.shortlist)
    tried: list[_Placed] = []
    for some in (joined[:many], joined[many:]):
        if tried:
            # Racks follow from switches, and all power from that of the networks.
            column = 1 if "power" in tried[0].candidate.exceeds.partition(" ")[0] else 2
            some = sorted(some, key=lambda choices: _sums(choices)[column])[:many]
        for choices in some:
            rooms: Mapping[str, Room] = {choice.network: choice.room for choice in choices}
            machine = placed_machine(requirement, kinds, parts, rooms)
            bill = price_machine(machine, orders=True)
            tried.append(_Placed(_candidate(requirement, choices, machine, bill), machine, bill))
        if any(not each.candidate.exceeds for each in tried):
            break
    return tried


def _order(placed: _Placed) -> tuple[float, float, float]:
    candidate = placed.candidate
    cost = candidate.power_w if math.isnan(candidate.cost_usd) else candidate.cost_usd
    return cost, candidate.regret, float(candidate.switches)


def _without(requirement: MachineRequirement, counts: dict[str, int], reason: str, joined: int = 0) -> MachineDesign:
    return MachineDesign(
        requirement.title, (), (), counts, joined, reason, provenance=Provenance.of_run(name=requirement.title)
    )


def joined_choices(choices: Sequence[Sequence[NetworkChoice]]) -> list[tuple[NetworkChoice, ...]]:
    """The machines that none beats in the sums of cost, power, switches and regret, the cheapest first.

    Where there are too many, the cheapest and those that take least power, fewest switches and least regret remain.

    Parameters
    ----------
    choices : sequence of sequence of NetworkChoice
        The choices of each network.

    Returns
    -------
    list of tuple of NetworkChoice
        One choice per network in each.
    """
    partial: list[tuple[NetworkChoice, ...]] = [()]
    for some in choices:
        longer = [(*each, choice) for each in partial for choice in some]
        values = np.array([_sums(each) for each in longer])
        # Equal sums stay once, the first.
        _, first = np.unique(values, axis=0, return_index=True)
        keep = np.sort(first)
        keep = keep[undominated(values[keep])]
        order = sorted(keep.tolist(), key=lambda number: tuple(values[number]))
        partial = [longer[number] for number in shortened(order, values, _MOST_PARTIAL)]
    return partial


def _sums(some: Sequence[NetworkChoice]) -> tuple[float, float, float, float]:
    """Cost, power, switches and regret; what is not known counts as 0."""
    columns = [(choice.cost_usd, choice.power_w, choice.switches, choice.regret) for choice in some]
    # Sums in another order differ in their last digits, which must not decide.
    cost, power, switches, regret = (round(float(np.nansum(column)), 9) for column in zip(*columns, strict=True))
    return cost, power, switches, regret


def failing_limit(requirement: MachineRequirement, choices: Sequence[Sequence[NetworkChoice]]) -> str:
    """The limit that no machine can keep, by the sums before placing, and the network that takes most of it; empty if none.

    Where several fail, the one that is exceeded by the largest factor.

    Parameters
    ----------
    requirement : MachineRequirement
    choices : sequence of sequence of NetworkChoice
        The choices of each network.

    Returns
    -------
    str
    """
    limits = requirement.limits
    worst, reason = 1.0 + 1e-9, ""
    for key, limit, unit, of in (
        ("network_power_w", limits.network_power_w, "W", lambda choice: choice.power_w),
        ("cost_usd", limits.cost_usd, "USD", lambda choice: choice.cost_usd),
        ("switches", limits.switches, "switches", lambda choice: float(choice.switches)),
    ):
        if limit is None:
            continue
        least = [min((of(choice) for choice in some), default=math.nan) for some in choices]
        total = float(np.nansum(least))
        if total > limit * worst:
            worst = total / limit
            most = int(np.nanargmax(least))
            reason = _over(key, limit, total, unit, choices[most][0].network, least[most])
    return reason


def _over(key: str, limit: float, value: float, unit: str, network: str, share: float) -> str:
    return (
        f"limits.{key} = {limit:,.0f} fails first: the least of all machines is {value:,.0f} {unit}, of which network"
        f" '{network}' takes {share:,.0f}"
    )


def _candidate(
    requirement: MachineRequirement, some: Sequence[NetworkChoice], machine: Machine, bill: MachineBill
) -> MachineCandidate:
    specs = {choice.network: choice.spec for choice in some}
    names = {choice.network: choice.name for choice in some}
    for name in machine.networks:
        specs.setdefault(name, "")
        names.setdefault(name, machine.networks[name].topology.name)
    regret = sum(choice.regret for choice in some)
    sums = (bill.cost_usd, bill.power_w, bill.switches, bill.racks)
    return MachineCandidate(specs, names, *sums, regret, _exceeded(requirement, machine, bill))


def _exceeded(requirement: MachineRequirement, machine: Machine, bill: MachineBill) -> str:
    """The limit that a placed machine exceeds most, and the network that takes most of it."""
    limits = requirement.limits
    # As `topoloom facility` has it: hosts, switches, optics and further devices at their maximum.
    max_w = 0.0 if limits.power_w is None else machine_facility(machine).total.max_w or 0.0
    by_network = {
        "cost_usd": [each.cost_usd for each in bill.bills],
        "network_power_w": [each.power_w for each in bill.bills],
        "power_w": [each.power_w for each in bill.bills],
        "switches": [float(each.switches) for each in bill.bills],
        "racks": [float(each.switches) for each in bill.bills],
    }
    totals = {
        "cost_usd": bill.cost_usd,
        "network_power_w": bill.power_w,
        "power_w": max_w,
        "switches": float(bill.switches),
        "racks": float(bill.racks),
    }
    worst, words = 1.0 + 1e-9, ""
    for key, total in totals.items():
        limit = getattr(limits, key)
        if limit is not None and total > limit * worst:
            worst = total / limit
            most = bill.names[int(np.nanargmax(by_network[key]))]
            words = f"limits.{key} = {limit:,.0f}: the machine has {total:,.0f}, most of it by network '{most}'"
    return words
