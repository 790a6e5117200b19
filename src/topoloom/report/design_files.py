"""What a design leaves in its folder."""

import math
from pathlib import Path
from typing import Any

import msgspec

from topoloom.cabling.cabling import Cabling, cable
from topoloom.cabling.files import housing_files, network_files
from topoloom.cabling.labels import label
from topoloom.cabling.lists import cables_csv
from topoloom.cost.bill import Bill
from topoloom.csv_files import csv_text
from topoloom.designer.design import Design
from topoloom.designer.measure import MEASURES, place_candidate, priced
from topoloom.floors.floor_text import floor_toml
from topoloom.folders import write_folder
from topoloom.layout.layout import Layout
from topoloom.network_folders import HOSTS, HOUSING, RACKS, TABLES, refuse_other_network
from topoloom.report.design_page import design_figures, design_page
from topoloom.report.floor_data import rack_watts
from topoloom.report.floorplan import floorplan_svg
from topoloom.spec import build

_OF_A_WINNER = (
    "topology.json",
    "provenance.json",
    "cables.csv",
    "floor.toml",
    "bill.csv",
    HOUSING,
    HOSTS,
    RACKS,
    "floorplan.svg",
    "cost-latency.svg",
    "power-bisection.svg",
    "hops.svg",
)


def write_design(design: Design, folder: str | Path) -> list[Path]:
    """Write the report and the tables, and the winner's files if there is a winner; returns what was written.

    The folder has all of them, or is as it was; what an earlier design left of a winner goes.

    Raises
    ------
    InputError
        The folder cannot be made or written.
    """
    files: dict[str, str | bytes] = {"candidates.csv": candidates_csv(design), "design.json": design_json(design)}
    parts = design.need.catalogue()
    layout: Layout | None = None
    bill: Bill | None = None
    plan: str | None = None
    cables: Cabling | None = None
    if design.winner is not None:
        topology = build(design.winner.spec)
        refuse_other_network(folder, topology.digest, "design")
        layout = design.layout or place_candidate(topology, design.need, parts, design.winner.map)
        bill = priced(layout, design.need, parts)
        cables = cable(layout, parts, design.need.rate_gbps, design.need.cable.hosts)
        plan = floorplan_svg(layout, cables.link_medium, rack_watts(layout, parts, design.need.rate_gbps))
        files |= network_files(topology, "design")
        files["cables.csv"] = cables_csv(cables, label(cables))
        files["bill.csv"] = bill_csv(bill)
        files["floor.toml"] = floor_toml(layout.floor, layout.slots)
        files |= housing_files(cables, label(cables))
        files["floorplan.svg"] = plan
    drawn = design_figures(design)
    files |= {name: svg for name, (svg, _) in drawn.items()}
    files["report.html"] = design_page(design, parts, layout, bill, drawn, plan, cables=cables, beside=tuple(files))
    return write_folder(folder, files, stale=[*_OF_A_WINNER, f"{TABLES}/*"])


def candidates_csv(design: Design) -> str:
    """Every candidate, ranked ones first: rank, Pareto, the limit that dropped it, and what was measured of it."""
    columns = ("rank", "pareto", "spec", "family", "dropped", "map", *MEASURES)
    return csv_text(columns, ([_cell(row[column]) for column in columns] for row in design.rows()))


def _cell(value: Any) -> str | int | None:
    if isinstance(value, bool):
        return "yes" if value else ""
    return f"{value:.10g}" if isinstance(value, float) else value


def design_json(design: Design) -> str:
    """The design's record, as `Design.save` writes it."""
    return msgspec.json.format(msgspec.json.encode(design.record()), indent=1).decode() + "\n"


def _known(value: float, digits: int) -> str | None:
    """A number with so many digits; an empty cell where it is not known."""
    return None if math.isnan(value) else f"{value:.{digits}f}"


def bill_csv(bill: Bill) -> str:
    """The bill's lines and its sums."""
    columns = ("item", "count", "length_m", "cost_usd", "power_w", "cost_low_usd", "cost_high_usd")
    rows: list[list[object]] = [
        [
            line.item,
            line.count,
            f"{line.length_m:.1f}" if line.length_m else None,
            *(_known(value, digits) for value, digits in ((line.cost_usd, 2), (line.power_w, 1))),
            *(_known(value, 2) for value in (line.cost_low_usd, line.cost_high_usd)),
        ]
        for line in bill.lines
    ]
    low, high = bill.cost_low_usd, bill.cost_high_usd
    rows.append(["sum", None, None, f"{bill.cost_usd:.2f}", f"{bill.power_w:.1f}", f"{low:.2f}", f"{high:.2f}"])
    rows.append(
        [
            "a host",
            None,
            None,
            f"{bill.cost_per_host_usd:.4f}",
            f"{bill.power_per_host_w:.4f}",
            f"{bill.per_host(low):.4f}",
            f"{bill.per_host(high):.4f}",
        ]
    )
    return csv_text(columns, rows)
