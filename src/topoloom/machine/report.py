"""All figures of a machine together: its devices, its bill, its room, and how far each is from its limit."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from topoloom.core.errors import check_type
from topoloom.cost.facility import Facility, Supply
from topoloom.cost.facility_limits import LimitedSum
from topoloom.machine.bill import MachineBill, price_machine
from topoloom.machine.facility import machine_facility, room_limits
from topoloom.machine.machine import HOW, Machine
from topoloom.machine.overview import MachineOverview, overview
from topoloom.model.results import Provenance, Result


@dataclass(frozen=True)
class LimitUse:
    """A limit that the machine file states, and what the machine takes of it.

    Attributes
    ----------
    limit : str
        The table and the key: ``[rack] power_w``.
    where : str
        ``machine``, or the rack or row that takes the largest share of it.
    value : float or None
        None where it is not known.
    most : float
        The limit.
    unit : str
    unknown : int
        The devices whose figure is not known; `value` is a lower bound then.
    """

    limit: str
    where: str
    value: float | None
    most: float
    unit: str
    unknown: int = 0

    @property
    def share(self) -> float | None:
        """What is taken, as a share of the limit."""
        return None if self.value is None else self.value / self.most

    @property
    def exceeded(self) -> bool:
        """Whether more is taken, but for rounding."""
        return self.value is not None and self.value > self.most * (1 + 1e-9)


@dataclass(frozen=True)
class MachineReport(Result):
    """All figures of a machine.

    Attributes
    ----------
    title : str
    overview : MachineOverview
        As `overview` returns it.
    bill : MachineBill
        As `price_machine` returns it.
    facility : Facility
        As `machine_facility` returns it, also where a limit is exceeded.
    limits : tuple of LimitUse
        Every limit that the machine file states.
    exceeded : str
        The first limit of a rack, a row or the room that is exceeded, in one sentence; empty if none.
    """

    record_name = "machine-report"

    title: str
    overview: MachineOverview
    bill: MachineBill
    facility: Facility
    limits: tuple[LimitUse, ...]
    exceeded: str = ""
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    def rows(self) -> list[dict[str, Any]]:
        """One row per limit, with the share that is taken."""
        return [{**vars(each), "share": each.share} for each in self.limits]


def machine_report(machine: Machine) -> MachineReport:
    """All figures of a machine: its devices, its bill, its room and its limits.

    Parameters
    ----------
    machine : Machine

    Returns
    -------
    MachineReport

    Raises
    ------
    InputError
        A catalogue has no suitable switch or cable; or the catalogues have several currencies.
    """
    check_type(machine, Machine, "machine_report", HOW)
    bill, room = price_machine(machine), machine_facility(machine, tested=False)
    title, (limits, exceeded) = machine.requirement.title, limits_in_use(machine, bill, room)
    return MachineReport(title, overview(machine), bill, room, limits, exceeded, Provenance.of_run(name=title))


def limits_in_use(machine: Machine, bill: MachineBill, room: Facility) -> tuple[tuple[LimitUse, ...], str]:
    """Every limit that a machine file states, with what the machine takes of it.

    Parameters
    ----------
    machine : Machine
    bill : MachineBill
        As `price_machine` returns it.
    room : Facility
        As `machine_facility` returns it, also where a limit is exceeded.

    Returns
    -------
    (tuple of LimitUse, str)
        And the first limit of a rack, a row or the room that is exceeded, in one sentence; empty if none.
    """
    sums = room_limits(machine, room)
    exceeded = next((words for each in sums if (words := each.exceeded)), "")
    return (*_of_machine(machine, bill, room.total), *_of_contents(machine), *fullest(sums)), exceeded


def _of_machine(machine: Machine, bill: MachineBill, total: Supply) -> Iterator[LimitUse]:
    """Yield the limits of the whole machine."""
    values: dict[str, tuple[float | None, str, int]] = {
        "cost_usd": (bill.cost_usd, bill.currency, 0),
        "power_w": (total.max_w, "W", total.max_unknown),
        "network_power_w": (bill.power_w, "W", 0),
        "racks": (float(bill.racks), "racks", 0),
        "switches": (float(bill.switches), "switches", 0),
    }
    for key, (value, unit, unknown) in values.items():
        most = getattr(machine.requirement.limits, key)
        if most is not None:
            taken = None if value is None or math.isnan(value) else value
            yield LimitUse(f"[limits] {key}", "machine", taken, float(most), unit, unknown)


def _of_contents(machine: Machine) -> Iterator[LimitUse]:
    """Yield the limits of what stands in a rack, with the fullest one."""
    rule = machine.requirement.rack
    fullest = int(machine.racks.load[:, 0].argmax())
    yield LimitUse(
        "[rack] u", f"rack {machine.rack_names[fullest]}", float(machine.racks.load[fullest, 0]), rule.u, "units"
    )
    contents = machine.racks.contents
    for key, column in (("switches", 0), ("hosts", 1)):
        most = getattr(rule, key)
        if most is not None:
            rack = int(contents[:, column].argmax())
            yield LimitUse(
                f"[rack] {key}", f"rack {machine.rack_names[rack]}", float(contents[rack, column]), float(most), key
            )


def fullest(sums: Iterable[LimitedSum]) -> list[LimitUse]:
    """Each limit once, with the rack or row that takes most of it.

    Parameters
    ----------
    sums : iterable of LimitedSum
    """
    most_of: dict[str, LimitUse] = {}
    for each in sums:
        use = LimitUse(each.limit, each.where, each.value, each.most, each.unit, each.unknown)
        before = most_of.setdefault(each.limit, use)
        if (use.share or 0.0) > (before.share or 0.0):
            most_of[each.limit] = use
    return list(most_of.values())
