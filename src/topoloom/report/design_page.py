"""The report of a design, a page to work in: requirement, candidates, the winner on its floor, and files beside it."""

from collections.abc import Sequence
from math import isnan
from typing import Any

from markupsafe import Markup

from topoloom._version import __version__
from topoloom.cabling.cabling import Cabling
from topoloom.core.pages.templating import rendered
from topoloom.cost.bill import Bill
from topoloom.cost.parts import Parts
from topoloom.designer.design import Design
from topoloom.designer.measure import Candidate, maximum_channel_load
from topoloom.designer.offers import CUT_SEEDS
from topoloom.figures.candidates import draw_candidates, draw_hop_shares
from topoloom.figures.interval_curves import interval_curves_svg
from topoloom.figures.style import svg_of
from topoloom.placement.layout.layout import Layout
from topoloom.report.assessment_tables import assessment_curves, networks_side_by_side, sentences
from topoloom.report.design_data import design_data, families_of
from topoloom.report.design_tables import (
    MOST_ROWS,
    WORDS,
    beyond,
    dropped_rows,
    ranking,
    requirement_table,
    table_iv,
    usual,
)
from topoloom.report.floor_data import floor_data, rack_power_w
from topoloom.report.floorplan import floorplan_svg
from topoloom.report.page import cards, figure, page, table
from topoloom.report.scripting import DESIGN
from topoloom.report.shortlist_files import SHORTLIST
from topoloom.report.side_by_side import side_by_side

#: How a measuring that was cut short is told.
_ENDS = {"done": "", "deadline": "The time was over", "interrupted": "Interrupted"}
#: The figures that the plots of the page replace where scripts run.
_REPLACED = ("cost-latency.svg", "power-bisection.svg")
#: What the files of a design hold, those to name first.
_FILES = {
    "candidates.csv": "every candidate, dropped ones too",
    "design.json": "the whole design, as a record",
    "topology.json": "the winner's switches, links and hosts",
    "cables.csv": "every cable: both ends with ports, length, product",
    "bill.csv": "the winner's bill",
    "floor.toml": "the floor",
    "floorplan.svg": "the floor plan, to print",
    "hosts.csv": "where each host stands",
    "racks.csv": "what each rack holds",
    "cost-latency.svg": "cost against latency",
    "power-bisection.svg": "power against bisection",
    "hops.svg": "how far apart switches are",
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
    beside: Sequence[str] = (),
) -> str:
    """The whole report as one self-contained HTML page.

    It is whole without a script: first rows, figures, floor plan. With scripts the candidates can be sorted, filtered, plotted
    and compared, and the floor looked at.

    Parameters
    ----------
    design : Design
        The ranking, with the need that it answers.
    parts : Parts
        The need's catalogue.
    layout : Layout or None
        The winner's; None: the page has no part about the winner.
    bill : Bill or None
        The winner's; None: the page has no part about the winner.
    drawn : dict of str to (SVG, caption), optional
        The figures by their file's name, where they are drawn already.
    plan : str, optional
        The winner's floor plan as SVG, where it is drawn already.
    cables : Cabling, optional
        The winner's: with them the floor can be worked with.
    beside : sequence of str
        The files beside the page, which it links to.

    Returns
    -------
    str
        An HTML document that fetches nothing.
    """
    requirement, best = design.requirement, design.winner
    shortlist = networks_side_by_side(design.shortlist) if design.shortlist else None
    curves = assessment_curves(design.shortlist)
    fitted = parts.rate_gbps is None or parts.rate_gbps[0] <= requirement.rate_gbps <= parts.rate_gbps[1]
    by_limit = ", ".join(f"{WORDS.get(limit, limit)}: {count}" for limit, count in design.dropped_by.items())
    winner, floor = None, None
    if best is not None and layout is not None and bill is not None:
        watts = rack_power_w(layout, parts, requirement.rate_gbps)
        winner = _winner(layout, bill, floorplan_svg(layout, watts=watts) if plan is None else plan)
        floor = None if cables is None else floor_data(cables, watts)
    figures = design_figures(design) if drawn is None else drawn
    body = rendered(
        "design.html",
        title=requirement.title,
        version=__version__,
        design=design,
        requirement=requirement_table(design, parts),
        parts=parts,
        prices_of="" if fitted or parts.rate_gbps is None else f"{parts.rate_gbps[0]:g} to {parts.rate_gbps[1]:g}",
        rate_gbps=f"{requirement.rate_gbps:g}",
        cut_short=_ENDS[design.ended],
        considered=len(design.ranked) + len(design.dropped),
        by_limit=by_limit,
        dropped=dropped_rows(design),
        best=best,
        answer="" if best is None else _answer(best),
        ranking=ranking(design) if design.ranked else "",
        beyond="" if design.search is None else beyond(design.search),
        usual=usual(design),
        most_rows=MOST_ROWS,
        shortlist="" if shortlist is None else side_by_side(shortlist),
        told=sentences(design.shortlist, SHORTLIST) if design.shortlist else "",
        minutes=f"{requirement.minutes:g}",
        curves=[figure(interval_curves_svg(one), "") for one in curves],
        replaced=[figure(*one) for name, one in figures.items() if name in _REPLACED],
        figures=[figure(*one) for name, one in figures.items() if name not in _REPLACED],
        winner=winner,
        table_iv=table_iv() if "besta-2014/table-iv" in requirement.compare else "",
        cut_seeds=CUT_SEEDS,
        files=[(name, what) for name, what in _FILES.items() if name in beside],
    )
    return page(requirement.title, [body], design_data(design, floor, shortlist, curves), DESIGN)


def _answer(best: Candidate) -> Markup:
    return cards(
        [
            (f"{best.switches:,}", f"switches of {best.radix} ports"),
            (f"{best.hosts:,}", "hosts"),
            (f"{best.diameter}", "hops at most"),
            (f"{best.host_aspl:.3f}", "mean hops between hosts"),
            (f"{best.cost_per_host_usd:,.1f}", "USD per host"),
            (f"{best.power_per_host_w:.2f}", "W per host"),
            (f"{best.worst_latency_ns:,.0f} ns", "worst latency, no load"),
            (f"{best.racks}", f"racks, longest cable {best.longest_cable_m:.1f} m"),
        ]
    )


def design_figures(design: Design) -> dict[str, tuple[str, str]]:
    """The trade-offs as figures: file name to (SVG text, caption); none without candidates."""
    if not design.ranked:
        return {}
    chosen = list(design.ranked)
    named, families = design.leading(), families_of(design)
    leading = [candidate for _, candidate in named]
    found = {
        "cost-latency.svg": (
            svg_of(
                lambda axes: draw_candidates(
                    axes,
                    chosen,
                    design.pareto,
                    lambda c: c.cost_per_host_usd,
                    lambda c: c.mean_latency_ns,
                    ("cost [USD per host]", "mean zero-load latency [ns]"),
                    named,
                    families,
                )
            ),
            "Cost against latency; lower left is better. Ringed: the Pareto front. Numbers are ranks: the best of each of the"
            " leading families.",
        )
    }
    wide = [c for c in chosen if c.bisection_per_host]
    if wide:
        found["power-bisection.svg"] = (
            svg_of(
                lambda axes: draw_candidates(
                    axes,
                    wide,
                    design.pareto,
                    lambda c: c.power_per_host_w,
                    lambda c: c.bisection_per_host or 0.0,
                    ("power [W per host]", "bisection [links a host]"),
                    [(rank, c) for rank, c in named if c in wide],
                    families,
                )
            ),
            f"Power against bisection (METIS, best of {CUT_SEEDS} seeds); upper left is better. Numbers are ranks.",
        )
    found["hops.svg"] = (
        svg_of(lambda axes: draw_hop_shares(axes, leading[:5]), 8.6, 4.2),
        "How far apart switches are, for the best of each of the leading families.",
    )
    return found


def _known(value: float) -> str:
    return "-" if isnan(value) else f"{value:,.0f}"


def _winner(layout: Layout, bill: Bill, plan: str) -> dict[str, Any]:
    """What the page shows of the winner on its floor."""
    caption = (
        "Racks at their places, in the colour of what they draw or, where no watts are known, of how many cables leave"
        " them; cables by length; and how many lie on each stretch of tray."
    )
    inside = int((~layout.between).sum())
    cables = cards(
        [
            (f"{inside:,}", f"inside racks, {layout.floor.inside_m:g} m each"),
            (f"{layout.length_m.size - inside:,}", "between racks"),
            (f"{layout.mean_length_m:.2f} m", "mean length"),
            (f"{layout.longest_m:.1f} m", "longest"),
            (f"{layout.length_m.sum() / 1000:,.2f} km", "in all"),
        ]
    )
    rows = [
        [
            line.item,
            f"{line.count:,}",
            f"{line.length_m:,.0f}" if line.length_m else "",
            _known(line.cost_usd),
            _known(line.power_w),
        ]
        for line in bill.lines
    ]
    rows.append(["sum", "", "", f"{bill.cost_usd:,.0f}", f"{bill.power_w:,.0f}"])
    rows.append(["per host", "", "", f"{bill.cost_per_host_usd:,.2f}", f"{bill.power_per_host_w:,.3f}"])
    head = ["item", "count", "metres", "cost [USD]", "power [W]"]
    return {
        "busiest": maximum_channel_load(layout.topology) if layout.topology.links.size else None,
        "plan": figure(plan, caption),
        "cables": cables,
        "bill": table(head, rows, text=frozenset({0}), best=len(rows) - 2),
    }
