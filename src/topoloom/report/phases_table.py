"""The table of phases in a report."""

from markupsafe import Markup

from topoloom.cabling.expansion.phases.phase import Phases
from topoloom.core.amounts import amount, in_currency
from topoloom.report.page import table

_HEAD = (
    "phase",
    "by",
    "hosts",
    "buys",
    "cables",
    "moved",
    "racks",
    "ports kept free",
    "power [kW]",
    "cost [USD]",
    "sum [USD]",
)


def phases_summary(phases: Phases | None) -> Markup | str:
    """One row per phase: what it buys, what moves, and its cost; empty without phases."""
    if phases is None:
        return ""
    rows = [
        (
            str(phase.number),
            phase.by or "-",
            f"{phase.hosts:,}",
            ", ".join(f"{count:,} {level}" for level, count in phase.new_switches.items()) or "no switches",
            f"{phase.new_cables:,}",
            f"{phase.moved:,}",
            f"{phase.racks:,}",
            f"{phase.ports_reserved:,}",
            amount(phase.power_w / 1000),
            f"{phase.cost_usd:,.0f}",
            f"{phase.total_usd:,.0f}",
        )
        for phase in phases.phases
    ]
    return table([in_currency(head, phases.currency) for head in _HEAD], rows, text=frozenset({1, 3}))
