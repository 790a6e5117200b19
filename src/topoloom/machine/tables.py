"""The tables of a machine as texts, one source for the terminal and for pages: hosts, networks, bill."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from topoloom.core.amounts import amount, price_range
from topoloom.cost.bill import Bill
from topoloom.cost.lines import Line
from topoloom.machine.bill import MachineBill
from topoloom.machine.overview import MachineOverview
from topoloom.machine.report import MachineReport

#: The columns of hosts, of networks, of limits and of phases.
HOST_HEAD = ("hosts", "role", "count", "racks", "W each", "ports")
NETWORK_HEAD = ("network", "Gb/s", "switches", "links", "devices", "ports", "cables", "longest", "topology")
LIMIT_HEAD = ("limit", "taken most by", "unit", "taken", "most", "left", "share")
PHASE_HEAD = ("phase", "hosts that come", "switches", "cables", "racks", "to order")
#: The names of the rows that sum.
SUM, TOTAL = "sum", "total"
#: The name of the lines that networks share.
COMMON = "all networks"


@dataclass(frozen=True)
class BillRow:
    """A row of a bill as texts, without units: item, count, metres, price (or its range) and power."""

    item: str
    count: str
    metres: str
    price: str
    power: str
    priced: bool = True
    metered: bool = True


def host_rows(machine: MachineOverview) -> list[tuple[str, ...]]:
    """One row per kind of hosts, in the columns `HOST_HEAD`."""
    return [
        (
            kind.name,
            kind.role,
            f"{kind.hosts:,}",
            f"{kind.racks:,}",
            f"{kind.power_w:,.0f}" if kind.power_w else "not known",
            ", ".join(f"{name} {ports}" for name, ports in kind.ports.items()),
        )
        for kind in machine.kinds
    ]


def network_rows(machine: MachineOverview) -> list[tuple[str, ...]]:
    """One row per network, in the columns `NETWORK_HEAD`."""
    return [
        (
            network.name,
            f"{network.rate_gbps:g}",
            f"{network.switches:,}",
            f"{network.links:,}",
            f"{network.devices:,}",
            f"{network.ports:,}",
            f"{network.cables_m:,.0f} m",
            f"{network.longest_m:,.1f} m",
            network.topology,
        )
        for network in machine.networks
    ]


def bill_rows(lines: Iterable[Line], low: float, high: float, power_w: float, name: str) -> list[BillRow]:
    """One row per line, and their sum.

    Parameters
    ----------
    lines : iterable of Line
    low, high : float
        The sum of the prices.
    power_w : float
        The sum of the power, W.
    name : str
        Of the sum.

    Returns
    -------
    list of BillRow
    """
    total = _row(Line(name, 0, low, high, power_w))
    return [*(_row(line) for line in lines), total]


def machine_bill_rows(bill: MachineBill) -> dict[str, list[BillRow]]:
    """The rows of each network with their sum, by its name; and what networks share, with the total, as `COMMON`."""
    rows = {name: bill_of(each) for name, each in zip(bill.names, bill.bills, strict=True)}
    return rows | {COMMON: bill_rows(bill.common, bill.cost_low_usd, bill.cost_high_usd, bill.power_w, TOTAL)}


def bill_of(bill: Bill) -> list[BillRow]:
    """The rows of a network's bill, and their sum."""
    return bill_rows(bill.lines, bill.cost_low_usd, bill.cost_high_usd, bill.power_w, SUM)


def phase_rows(bill: MachineBill) -> list[tuple[str, ...]]:
    """What each phase buys, in the columns `PHASE_HEAD`."""
    return [
        (
            phase.name,
            ", ".join(f"{count:,} {kind}" for kind, count in phase.hosts.items()) or "none",
            f"{phase.switches:,}",
            f"{phase.cables:,}",
            f"{phase.racks:,}",
            price_range(phase.cost_low_usd, phase.cost_high_usd)
            + (f" {bill.currency}" if not math.isnan(phase.cost_low_usd) else ""),
        )
        for phase in bill.phases
    ]


def limit_rows(report: MachineReport) -> list[tuple[str, ...]]:
    """Every limit and what is left of it, the scarcest first, in the columns `LIMIT_HEAD`."""
    rows: list[tuple[str, ...]] = []
    for use in sorted(report.limits, key=lambda each: -(each.share or 0.0)):
        most = amount(use.most, 6)
        if use.value is None or use.share is None:
            rows.append((use.limit, use.where, use.unit, "unknown", most, "", ""))
            continue
        mark, left = ">= " if use.unknown else "", use.most - use.value
        rest = f"{'<= ' if use.unknown else ''}{amount(left, 6)}" if left >= 0 else f"exceeded by {amount(-left, 6)}"
        taken = f"{mark}{amount(use.value, 6)}"
        rows.append((use.limit, use.where, use.unit, taken, most, rest, f"{mark}{use.share:.1%}"))
    return rows


def _row(line: Line) -> BillRow:
    metered = not math.isnan(line.power_w)
    return BillRow(
        line.item,
        f"{line.count:,}" if line.count else "",
        f"{line.length_m:,.0f}" if line.length_m else "",
        price_range(line.cost_low_usd, line.cost_high_usd),
        f"{line.power_w:,.0f}" if metered else "no power",
        not math.isnan(line.cost_low_usd),
        metered,
    )
