"""What a design leaves in its folder."""

from pathlib import Path
from typing import Any

import msgspec

from topoloom._version import __version__
from topoloom.cabling.cabling import cable
from topoloom.cabling.files import network_files
from topoloom.cabling.labels import label
from topoloom.cabling.lists import cables_csv
from topoloom.cost.bill import Bill, price
from topoloom.cost.parts import load_parts
from topoloom.csv_files import csv_text
from topoloom.designer.design import Design
from topoloom.designer.measure import MEASURES, numbers, place_candidate
from topoloom.floors.floor_text import floor_toml
from topoloom.folders import write_folder
from topoloom.layout.layout import Layout
from topoloom.report.design_page import design_figures, design_page
from topoloom.report.floorplan import floorplan_svg
from topoloom.spec import build

_OF_A_WINNER = (
    "topology.json",
    "provenance.json",
    "cables.csv",
    "floor.toml",
    "bill.csv",
    "floorplan.svg",
    "cost-latency.svg",
    "power-bisection.svg",
    "hops.svg",
)


def write_design(design: Design, folder: str | Path) -> list[Path]:
    """Write the report and the tables, and the winner's files if there is a winner; returns what was written."""
    files: dict[str, str | bytes] = {"candidates.csv": candidates_csv(design), "design.json": design_json(design)}
    layout: Layout | None = None
    bill: Bill | None = None
    plan: str | None = None
    if design.winner is not None:
        topology = build(design.winner.spec)
        layout = place_candidate(topology, design.need)
        parts = load_parts(design.need.parts)
        bill = price(layout, parts, design.need.rate_gbps, host_cables=design.need.cable.hosts)
        files |= network_files(topology, "design")
        cables = cable(layout, parts, design.need.rate_gbps, design.need.cable.hosts)
        files["cables.csv"] = cables_csv(cables, label(cables))
        files["bill.csv"] = bill_csv(bill)
        files["floor.toml"] = floor_toml(layout.floor, layout.slots)
        files["floorplan.svg"] = plan = floorplan_svg(layout, cables.link_medium)
    drawn = design_figures(design)
    files |= {name: svg for name, (svg, _) in drawn.items()}
    files["report.html"] = design_page(design, layout, bill, drawn, plan)
    # What this design does not have (no winner, no figures) must not be left over from an earlier one.
    return write_folder(folder, files, stale=_OF_A_WINNER)


def candidates_csv(design: Design) -> str:
    """Every candidate, ranked ones first: rank, Pareto, the limit that dropped it, and what was measured of it."""
    rows = [["rank", "pareto", "spec", "family", "dropped", *MEASURES]]
    for number, c in enumerate(design.ranked, 1):
        known = numbers(c)
        pareto = "yes" if c.spec in design.pareto else ""
        rows.append([str(number), pareto, c.spec, c.family, "", *(_cell(known.get(key)) for key in MEASURES)])
    rows += [
        ["", "", out.spec, out.family, out.limit, *(_cell(out.known.get(key)) for key in MEASURES)]
        for out in design.dropped
    ]
    return csv_text(rows[0], rows[1:])


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def design_json(design: Design) -> str:
    """The design as data: version, need, ranking, what was dropped and why."""
    content = {
        "format": "topoloom-design",
        "version": 1,
        "made_by": f"topoloom {__version__}",
        "need": msgspec.to_builtins(design.need),
        "winner": design.winner.spec if design.winner else None,
        "unmeasured": design.unmeasured,
        "dropped_by": design.dropped_by,
        "pareto": sorted(design.pareto),
        "ranked": [msgspec.to_builtins(c) for c in design.ranked],
        "dropped": [msgspec.to_builtins(c) for c in design.dropped],
    }
    return msgspec.json.format(msgspec.json.encode(content), indent=1).decode() + "\n"


def bill_csv(bill: Bill) -> str:
    """The bill's lines and its sums."""
    rows = [["item", "count", "length_m", "cost_usd", "power_w", "cost_low_usd", "cost_high_usd"]]
    rows += [
        [
            line.item,
            str(line.count),
            f"{line.length_m:.1f}" if line.length_m else "",
            f"{line.cost_usd:.2f}",
            f"{line.power_w:.1f}",
            f"{line.cost_low_usd:.2f}",
            f"{line.cost_high_usd:.2f}",
        ]
        for line in bill.lines
    ]
    low, high = bill.cost_low_usd, bill.cost_high_usd
    rows.append(["sum", "", "", f"{bill.cost_usd:.2f}", f"{bill.power_w:.1f}", f"{low:.2f}", f"{high:.2f}"])
    rows.append(
        [
            "a host",
            "",
            "",
            f"{bill.cost_per_host_usd:.4f}",
            f"{bill.power_per_host_w:.4f}",
            f"{bill.per_host(low):.4f}",
            f"{bill.per_host(high):.4f}",
        ]
    )
    return csv_text(rows[0], rows[1:])
