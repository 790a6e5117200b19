"""Phases as text: one row per phase, and the sentences on what comes when."""

import math
from typing import TYPE_CHECKING

from topoloom.cli.output import print_facts, print_table, say
from topoloom.core.amounts import with_currency

if TYPE_CHECKING:
    from topoloom.cabling.expansion.phases.phase import Phase, Phases


def print_phases(phases: "Phases") -> None:
    """Print one row per phase, and the sentences on what comes when."""
    print_facts(
        f"{phases.provenance.name} in {len(phases.phases)} phase{'s' * (len(phases.phases) != 1)}",
        [
            ("moved", f"{phases.moved:,} cables"),
            ("left over", ", ".join(f"{line.count} {line.item}" for line in phases.left_over) or "nothing"),
            ("cost", "not known" if math.isnan(phases.cost_usd) else with_currency(phases.cost_usd, phases.currency)),
        ],
    )
    head = (
        "phase",
        "by",
        "hosts",
        "switches",
        "new cables",
        "moved",
        "racks",
        "ports kept",
        "kW",
        f"cost {phases.currency}",
        "buys",
    )
    say()
    print_table([head, *map(_row, phases.phases)])
    say()
    for sentence in (*phases.timing(), *phases.verified()):
        say(sentence)


def _row(phase: "Phase") -> tuple[str, ...]:
    new = ", ".join(f"{count:,} {level}" for level, count in phase.new_switches.items())
    return (
        str(phase.number),
        phase.by,
        f"{phase.hosts:,}",
        f"{phase.switches:,}",
        f"{phase.new_cables:,}",
        f"{phase.moved:,}",
        f"{phase.racks:,}",
        f"{phase.ports_reserved:,}",
        f"{phase.power_w / 1000:,.1f}",
        f"{phase.cost_usd:,.0f}",
        new or "no switches",
    )
