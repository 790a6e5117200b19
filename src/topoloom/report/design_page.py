"""The report of a design, an interactive page: requirement, candidates, shortlist, the winner on its floor, and files."""

from collections.abc import Sequence
from math import isnan
from typing import Any

from markupsafe import Markup

from topoloom._version import __version__
from topoloom.cabling.cabling import Cabling
from topoloom.core.amounts import in_currency
from topoloom.core.pages.templating import rendered
from topoloom.cost.bill import Bill
from topoloom.cost.facility import rack_power
from topoloom.cost.leaf_racks import leaves_apart
from topoloom.cost.parts import Parts
from topoloom.cost.price_age import expired_quotes, price_notes
from topoloom.designer.design import Design
from topoloom.designer.measure import maximum_channel_load
from topoloom.designer.measured_limits import failed_on_tables
from topoloom.designer.offers import CUT_SEEDS
from topoloom.designer.outcomes import Candidate, outcome_name
from topoloom.drawing.draw import draw_network
from topoloom.figures.candidates import draw_candidates, draw_hop_shares
from topoloom.figures.interval_curves import interval_curves_svg
from topoloom.figures.style import svg_of
from topoloom.placement.layout.layout import Layout
from topoloom.report.assessment_tables import assessment_curves, networks_side_by_side, sentences
from topoloom.report.board import board_page
from topoloom.report.design_data import design_data, families_of
from topoloom.report.design_tables import (
    MEASURE_LABELS,
    MOST_ROWS,
    dropped_rows,
    ranking,
    reference_table,
    requirement_table,
    search_gains,
    table_iv,
)
from topoloom.report.floor_data import floor_data
from topoloom.report.floorplan import floorplan_svg
from topoloom.report.on_floor import FLOOR_CAPTION, STRUCTURE_CAPTION, cable_cards
from topoloom.report.page import cards, figure, page, table
from topoloom.report.scripting import DESIGN
from topoloom.report.shortlist_files import SHORTLIST
from topoloom.report.side_by_side import side_by_side
from topoloom.topologies.spec.titles import family_title

#: How the report names the end of an incomplete run.
_ENDS = {"done": "", "deadline": "The time limit was reached", "interrupted": "Interrupted"}
#: Figures that interactive plots replace where scripts run.
_REPLACED = ("cost-latency.svg", "power-bisection.svg")
#: The files of a design and their contents, the most important first.
_FILES = {
    "candidates.csv": "all candidates, including dropped ones",
    "design.json": "the complete design, as a record",
    "topology.json": "switches, links and hosts of the winner",
    "cables.csv": "all cables: both ends with ports, length, product",
    "bill.csv": "bill of the winner",
    "bill.xlsx": "workbook of the bill: part numbers, quantities, and an order per vendor",
    "phases.xlsx": "workbook of what each phase buys, with an order per phase and vendor",
    "floor.toml": "the floor",
    "floorplan.svg": "the floor plan, for printing",
    "hosts.csv": "the position of each host",
    "racks.csv": "the contents of each rack",
    "cost-latency.svg": "cost against latency",
    "power-bisection.svg": "power against bisection",
    "hops.svg": "hops between switches",
}


def design_page(
    design: Design,
    parts: Parts,
    layout: Layout | None,
    bill: Bill | None,
    drawn: dict[str, tuple[str, str]] | None = None,
    plan: str | None = None,
    *,
    cables: Cabling | None = None,
    written: Sequence[str] = (),
) -> str:
    """The report as one self-contained HTML page.

    Without scripts the page shows the first rows, the figures and the floor plan. With scripts the candidates can be sorted,
    filtered, plotted and compared, and the floor can be explored.

    Parameters
    ----------
    design : Design
        The ranking, with its requirement.
    parts : Parts
        The need's catalogue.
    layout : Layout or None
        The winner's layout; None: the page has no section about the winner.
    bill : Bill or None
        The winner's bill; None: the page has no section about the winner.
    drawn : dict of str to (SVG, caption), optional
        The figures, by file name, if they are drawn already.
    plan : str, optional
        The winner's floor plan as SVG, if it is drawn already.
    cables : Cabling, optional
        The winner's cables: with them the floor plan is interactive.
    written : sequence of str
        Names of the files next to the page, which it links to.

    Returns
    -------
    str
        An HTML document that fetches nothing.
    """
    requirement, best = design.requirement, design.winner
    shortlist = networks_side_by_side(design.shortlist) if design.shortlist else None
    curves = assessment_curves(design.shortlist)
    price_range_fits = parts.rate_gbps is None or parts.rate_gbps[0] <= requirement.rate_gbps <= parts.rate_gbps[1]
    by_limit = ", ".join(
        f"{in_currency(MEASURE_LABELS.get(limit, limit), parts.currency)}: {count}"
        for limit, count in design.dropped_by.items()
    )
    winner, floor, power = None, None, None
    if best is not None and layout is not None and bill is not None:
        terms = requirement.terms(parts, layout.topology)
        power = rack_power(layout, terms)
        winner = _winner(layout, bill, floorplan_svg(layout, power=power) if plan is None else plan)
        winner["leaves_apart"] = leaves_apart(layout, terms)
        floor = None if cables is None else floor_data(cables, power)
    figures = design_figures(design) if drawn is None else drawn
    body = rendered(
        "design.html",
        title=requirement.title,
        version=__version__,
        board=board_page(design, parts, bill, power),
        design=design,
        requirement=requirement_table(design, parts),
        parts=parts,
        prices_of=""
        if price_range_fits or parts.rate_gbps is None
        else f"{parts.rate_gbps[0]:g} to {parts.rate_gbps[1]:g}",
        rate_gbps=f"{requirement.rate_gbps:g}",
        price_notes=[*price_notes(parts), expired_quotes(parts)],
        cut_short=_ENDS[design.ended],
        considered=len(design.ranked) + len(design.dropped),
        by_limit=by_limit,
        dropped=dropped_rows(design),
        best=best,
        answer="" if best is None else _answer(best, parts.currency),
        ranking=ranking(design) if design.ranked else "",
        search_gains="" if design.search is None else search_gains(design.search, parts.currency),
        reference_designs=reference_table(design),
        most_rows=MOST_ROWS,
        shortlist="" if shortlist is None else side_by_side(shortlist),
        reasons=sentences(design.shortlist, SHORTLIST) if design.shortlist else "",
        failed=[(outcome_name(outcome, requirement, parts), outcome) for outcome in failed_on_tables(design.dropped)],
        limits={limit: in_currency(label, parts.currency) for limit, label in MEASURE_LABELS.items()},
        minutes=f"{requirement.minutes:g}",
        curves=[figure(interval_curves_svg(curve), "") for curve in curves],
        replaced=[figure(*drawing) for name, drawing in figures.items() if name in _REPLACED],
        figures=[figure(*drawing) for name, drawing in figures.items() if name not in _REPLACED],
        winner=winner,
        table_iv=table_iv() if "besta-2014/table-iv" in requirement.compare else "",
        cut_seeds=CUT_SEEDS,
        files=[(name, content) for name, content in _FILES.items() if name in written],
    )
    return page(requirement.title, [body], design_data(design, floor, shortlist, curves), DESIGN)


def _answer(best: Candidate, currency: str) -> Markup:
    return cards(
        [
            (f"{best.switches:,}", f"switches, up to {best.radix} ports used"),
            (f"{best.hosts:,}", "hosts"),
            (f"{best.diameter}", "hops at most (diameter)"),
            (f"{best.host_aspl:.3f}", "mean hops between hosts"),
            (f"{best.cost_per_host_usd:,.1f}", f"{currency} per host"),
            (f"{best.power_per_host_w:.2f}", "W per host"),
            (f"{best.worst_latency_ns:,.0f} ns", "worst latency without load"),
            (f"{best.racks}", f"racks, longest cable {best.longest_cable_m:.1f} m"),
        ]
    )


def design_figures(design: Design) -> dict[str, tuple[str, str]]:
    """The trade-offs as figures: file name to (SVG text, caption); empty without ranked candidates."""
    if not design.ranked:
        return {}
    chosen = list(design.ranked)
    named, families = design.leading(), families_of(design)
    titles = {family: family_title(family) for family in families}
    leading = [candidate for _, candidate in named]
    figures = {
        "cost-latency.svg": (
            svg_of(
                lambda axes: draw_candidates(
                    axes,
                    chosen,
                    design.pareto,
                    lambda c: c.cost_per_host_usd,
                    lambda c: c.mean_latency_ns,
                    (in_currency("cost [USD per host]", design.currency), "mean zero-load latency [ns]"),
                    named,
                    families,
                    titles,
                )
            ),
            "Cost against latency; lower left is better. Rings mark the Pareto front; numbers are ranks, of the best candidate"
            " of each leading family.",
        )
    }
    wide = [c for c in chosen if c.bisection_per_host]
    if wide:
        figures["power-bisection.svg"] = (
            svg_of(
                lambda axes: draw_candidates(
                    axes,
                    wide,
                    design.pareto,
                    lambda c: c.power_per_host_w,
                    lambda c: c.bisection_per_host or 0.0,
                    ("power [W per host]", "bisection [links per host]"),
                    [(rank, c) for rank, c in named if c in wide],
                    families,
                    titles,
                )
            ),
            f"Power against bisection (METIS, best of {CUT_SEEDS} seeds); upper left is better. Numbers are ranks.",
        )
    figures["hops.svg"] = (
        svg_of(lambda axes: draw_hop_shares(axes, leading[:5]), 8.6, 4.2),
        "Hops between switches, for the best candidate of each leading family.",
    )
    return figures


def _or_dash(value: float) -> str:
    return "-" if isnan(value) else f"{value:,.0f}"


def _winner(layout: Layout, bill: Bill, plan: str) -> dict[str, Any]:
    """The section about the winner on its floor."""
    rows = [
        [
            line.item,
            f"{line.count:,}",
            f"{line.length_m:,.0f}" if line.length_m else "",
            _or_dash(line.cost_usd),
            _or_dash(line.power_w),
        ]
        for line in bill.lines
    ]
    rows.append(["sum", "", "", f"{bill.cost_usd:,.0f}", f"{bill.power_w:,.0f}"])
    rows.append(["per host", "", "", f"{bill.cost_per_host_usd:,.2f}", f"{bill.power_per_host_w:,.3f}"])
    head = ["item", "count", "metres", f"cost [{bill.currency}]", "power [W]"]
    return {
        "maximum_load": maximum_channel_load(layout.topology) if layout.topology.links.size else None,
        "structure": figure(draw_network(layout).svg(), STRUCTURE_CAPTION),
        "plan": figure(plan, FLOOR_CAPTION),
        "cables": cable_cards(layout),
        "bill": table(head, rows, text=frozenset({0}), best=len(rows) - 2),
    }
