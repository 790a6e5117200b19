"""The report of a design: requirement, ranking, trade-offs, and the winner on its floor."""

from typing import Any

from markupsafe import Markup

from topoloom._version import __version__
from topoloom.cost.bill import Bill
from topoloom.cost.parts import Parts, load_parts
from topoloom.cost.table_iv import COLUMNS
from topoloom.designer.design import Design
from topoloom.designer.measure import MEASURES, Candidate, Dropped, busiest_channel
from topoloom.designer.offers import CUT_SEEDS
from topoloom.figures.candidates import draw_candidates, draw_hop_shares
from topoloom.figures.style import svg_of
from topoloom.layout.layout import Layout
from topoloom.pages.templating import rendered
from topoloom.report.floorplan import floorplan_svg
from topoloom.report.page import cards, figure, page, table

_MOST_ROWS = 40
#: How a measuring that was cut short is told.
_ENDS = {"done": "", "deadline": "The time was over", "interrupted": "Interrupted"}


def design_page(
    design: Design,
    parts: Parts,
    layout: Layout | None,
    bill: Bill | None,
    drawn: dict[str, tuple[str, str]] | None = None,
    plan: str | None = None,
) -> str:
    """The whole report as one self-contained HTML page.

    Layout and bill are the winner's, `drawn` are the figures, `plan` is the winner's floor plan; what is left out is drawn.

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
    drawn : dict of str to (title, SVG), optional
        The figures by their file's name, where they are drawn already.
    plan : str, optional
        The winner's floor plan as SVG, where it is drawn already.

    Returns
    -------
    str
        An HTML document that fetches nothing.
    """
    need, best = design.need, design.winner
    fitted = parts.rate_gbps is None or parts.rate_gbps[0] <= need.rate_gbps <= parts.rate_gbps[1]
    dropped = ", ".join(f"{_WORDS.get(limit, limit)}: {count}" for limit, count in design.dropped_by.items())
    winner = None
    if best is not None and layout is not None and bill is not None:
        winner = _winner(layout, bill, floorplan_svg(layout) if plan is None else plan)
    body = rendered(
        "design.html",
        title=need.title,
        version=__version__,
        design=design,
        requirement=_requirement(design, parts),
        parts=parts,
        prices_of="" if fitted or parts.rate_gbps is None else f"{parts.rate_gbps[0]:g} to {parts.rate_gbps[1]:g}",
        rate_gbps=f"{need.rate_gbps:g}",
        cut_short=_ENDS[design.ended],
        considered=len(design.ranked) + len(design.dropped),
        dropped=dropped,
        best=best,
        answer="" if best is None else _answer(best),
        ranking=_ranking(design),
        usual=_usual(design),
        most_rows=_MOST_ROWS,
        figures=[figure(*one) for one in (design_figures(design) if drawn is None else drawn).values()],
        winner=winner,
        table_iv=_table_iv() if "besta-2014/table-iv" in need.compare else "",
        cut_seeds=CUT_SEEDS,
    )
    return page(need.title, [body])


def _requirement(design: Design, parts: Parts) -> Markup:
    need = design.need
    floor = need.floor.floor()
    places = (
        f"{floor.rows} rows x {floor.columns} places"
        if floor.rows and floor.columns
        else "as many rows as places in a row, or one fewer"
    )
    rows = [
        ("hosts", f"{need.hosts:,}"),
        ("switch", f"up to {need.radix} ports, {need.switch.delay_ns:g} ns to pass"),
        ("links", f"{need.rate_gbps:g} Gb/s, {need.cable.delay_ns_per_m:g} ns a metre of cable"),
        (
            "floor",
            f"{floor.name}: {places}; places of {floor.width_m:g} m x {floor.depth_m:g} m; cables of {floor.inside_m:g} m"
            f" inside a cabinet, Manhattan distance + {2 * floor.overhead_end_m:g} m between",
        ),
        ("parts", parts.name),
        ("minimise", _WORDS[need.minimize]),
    ]
    if need.host is not None:
        rows += _host_rows(design)
    held = [("switches", floor.switches_per_cabinet), ("hosts", floor.hosts_per_cabinet)]
    if any(most is not None for _, most in held):
        rows.append(
            ("a cabinet", "at most " + " and ".join(f"{most} {what}" for what, most in held if most is not None))
        )
    for what, names in (
        ("only", need.families.only),
        ("leave out", need.families.leave_out),
        ("besides", need.families.specs),
    ):
        if names:
            rows.append((what, ", ".join(names)))
    if need.cable.hosts:
        rows.append(("bill", "a cable for every host, too"))
    for limit in need.limits.__struct_fields__:
        value = getattr(need.limits, limit)
        if value is not None:
            rows.append(("limit", f"{_WORDS[limit]}: at most {value:,g}"))
    if need.least.survives:
        rows.append(("must survive", "any one " + ", any one ".join(need.least.survives)))
    for least in ("bisection_gbps_per_host", "grow_to_hosts"):
        if getattr(need.least, least) is not None:
            rows.append(("at least", f"{_WORDS[least]}: {getattr(need.least, least):,g}"))
    return table(["", "what is needed"], rows, text=frozenset({0, 1}))


def _host_rows(design: Design) -> list[tuple[str, str]]:
    """What the need says of hosts and racks."""
    host, rack = design.need.host, design.need.rack
    if host is None:
        return []
    ports = f"{design.need.ports_per_host} port{'s' * (design.need.ports_per_host > 1)} on this network"
    power = "" if rack.power_w is None else f", {rack.power_w / 1000:g} kW"
    return [
        ("a host", f"{host.name}: {ports}, {host.u:g} units, {host.power_w:,.0f} W"),
        ("a rack", f"{rack.u:g} units{power}; leaves: {rack.leaf}"),
    ]


_WORDS = {
    "diameter": "diameter between hosts' switches [hops]",
    "worst_latency_ns": "worst zero-load latency [ns]",
    "mean_latency_ns": "mean zero-load latency [ns]",
    "cost_per_host_usd": "cost a host [USD]",
    "power_per_host_w": "power a host [W]",
    "longest_cable_m": "longest cable [m]",
    "mean_cable_m": "mean cable [m]",
    "oversubscription": "oversubscription (mean channel load)",
    "busiest_channel": "load of the busiest channel [link rates]",
    "cost_usd": "cost [USD]",
    "power_w": "power [W]",
    "switches": "switches",
    "cabinets": "cabinets",
    "host_aspl": "mean hops between hosts",
    "cost_over_best": "cost a host in multiples of the cheapest design",
    "radix": "switch radix (found when built)",
    "hosts": "hosts (too few when built)",
    "floor": "room on the floor",
    "parts": "parts that exist",
    "size": "too large to be measured",
    "construction": "could not be built",
    "taper": "ports down for one up at a level",
    "survives": "what may fail without cutting a host off",
    "grow_to_hosts": "hosts that idle ports could take",
    "bisection_gbps_per_host": "bandwidth between halves [Gb/s a host]",
    "all_to_all_ms": "all to all, by formula [ms]",
    "all_reduce_ms": "all-reduce, by formula [ms]",
    "step_ms": "a step, by formula [ms]",
}


def _answer(best: Candidate) -> Markup:
    return cards(
        [
            (f"{best.switches:,}", f"switches of {best.radix} ports"),
            (f"{best.hosts:,}", "hosts"),
            (f"{best.diameter}", "hops at most"),
            (f"{best.host_aspl:.3f}", "mean hops between hosts"),
            (f"{best.cost_per_host_usd:,.1f}", "USD a host"),
            (f"{best.power_per_host_w:.2f}", "W a host"),
            (f"{best.worst_latency_ns:,.0f} ns", "worst latency, no load"),
            (f"{best.cabinets}", f"cabinets, longest cable {best.longest_cable_m:.1f} m"),
        ]
    )


def _ranking(design: Design) -> Markup:
    head = [
        "rank",
        "spec",
        "cost [USD/ host]",
        "power [W/ host]",
        "mean latency [ns]",
        "worst latency [ns]",
        "hosts",
        "switches",
        "ports",
        "dia- meter",
        "mean hops",
        "over- subscr.",
        "busiest channel",
        "bisection [links/ host]",
        "cabi- nets",
        "mean cable [m]",
        "longest cable [m]",
        "placement",
    ]
    rows = [
        [
            ("\u25cf " if c.spec in design.pareto else "") + str(number),
            c.spec,
            f"{c.cost_per_host_usd:,.1f}",
            f"{c.power_per_host_w:.2f}",
            f"{c.mean_latency_ns:,.0f}",
            f"{c.worst_latency_ns:,.0f}",
            f"{c.hosts:,}",
            f"{c.switches:,}",
            str(c.radix),
            str(c.diameter),
            f"{c.host_aspl:.3f}",
            f"{c.oversubscription:.2f}",
            "-" if c.busiest_channel is None else f"{c.busiest_channel:.2f}",
            "-" if c.bisection_per_host is None else f"{c.bisection_per_host:.3f}",
            str(c.cabinets),
            f"{c.mean_cable_m:.2f}",
            f"{c.longest_cable_m:.1f}",
            c.map,
        ]
        for number, c in enumerate(design.ranked, 1)
    ]
    if all(c.busiest_channel is None for c in design.ranked):
        gone = head.index("busiest channel")
        head, rows = head[:gone] + head[gone + 1 :], [row[:gone] + row[gone + 1 :] for row in rows]
    return table(head, rows[:_MOST_ROWS], best=0)


def _usual(design: Design) -> Markup | str:
    """What everybody buys beside the best: how much more or less it costs, and the limit that it passes."""
    best = design.winner
    if best is None or not design.usual:
        return ""
    head = [
        "spec",
        "cost [USD]",
        "beside the best",
        "power [W]",
        "switches",
        "over- subscr.",
        "diameter",
        "mean latency [ns]",
        "",
    ]
    rows = []
    for one in (best, *(one for one in design.usual if one.spec != best.spec)):
        known: Any = one.known if isinstance(one, Dropped) else {key: getattr(one, key) for key in MEASURES}
        cost = known.get("cost_usd")
        passes = ""
        if isinstance(one, Dropped):
            passes = f"past a limit: {_WORDS.get(one.limit, one.limit)}{'; ' + one.reason if one.reason else ''}"
        rows.append(
            [
                one.spec,
                _shown(cost, ",.0f"),
                "the best" if one is best else "-" if cost is None else f"{cost / best.cost_usd - 1:+.1%}",
                _shown(known.get("power_w"), ",.0f"),
                _shown(known.get("switches"), ",.0f"),
                _shown(known.get("oversubscription"), ".2f"),
                _shown(known.get("diameter"), ".0f"),
                _shown(known.get("mean_latency_ns"), ",.0f"),
                passes,
            ]
        )
    return table(head, rows, text=frozenset({0, 8}))


def _shown(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)


def design_figures(design: Design) -> dict[str, tuple[str, str]]:
    """The trade-offs as figures: file name to (SVG text, caption); none without candidates."""
    if not design.ranked:
        return {}
    chosen = list(design.ranked)
    named = design.leading()
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
                    ("cost [USD a host]", "mean zero-load latency [ns]"),
                    named,
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
                    ("power [W a host]", "bisection [links a host]"),
                    [(rank, c) for rank, c in named if c in wide],
                )
            ),
            f"Power against bisection (METIS, best of {CUT_SEEDS} seeds); upper left is better. Numbers are ranks.",
        )
    found["hops.svg"] = (
        svg_of(lambda axes: draw_hop_shares(axes, leading[:5]), 8.6, 4.2),
        "How far apart switches are, for the best of each of the leading families.",
    )
    return found


def _winner(layout: Layout, bill: Bill, plan: str) -> dict[str, Any]:
    """What the page shows of the winner on its floor."""
    caption = (
        "Cabinets at their places, the darker the more cables leave them; cables by length; and how many lie on each stretch"
        " of tray."
    )
    inside = int((~layout.between).sum())
    cables = cards(
        [
            (f"{inside:,}", f"inside cabinets, {layout.floor.inside_m:g} m each"),
            (f"{layout.length_m.size - inside:,}", "between cabinets"),
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
            f"{line.cost_usd:,.0f}",
            f"{line.power_w:,.0f}",
        ]
        for line in bill.lines
    ]
    rows.append(["sum", "", "", f"{bill.cost_usd:,.0f}", f"{bill.power_w:,.0f}"])
    rows.append(["a host", "", "", f"{bill.cost_per_host_usd:,.2f}", f"{bill.power_per_host_w:,.3f}"])
    head = ["item", "count", "metres", "cost [USD]", "power [W]"]
    return {
        "busiest": busiest_channel(layout.topology) if layout.topology.links.size else None,
        "plan": figure(plan, caption),
        "cables": cables,
        "bill": table(head, rows, text=frozenset({0}), best=len(rows) - 2),
    }


def _table_iv() -> Markup:
    """Slim Fly against the other columns of Table IV: printed, recomputed with the print's assumptions, exact."""
    parts = load_parts("slimfly-2014")
    rows = []
    for one in COLUMNS:
        count = one.as_printed() if one.as_printed is not None else None
        bill = one.exact()
        rows.append(
            [
                one.title,
                f"{one.printed.hosts:,}",
                f"{one.printed.cost_usd:,.0f}",
                "-" if count is None else f"{count.cost_usd(parts):,.2f}",
                f"{bill.cost_per_host_usd:,.1f}",
                f"{one.printed.power_w:g}",
                f"{bill.power_per_host_w:.3f}",
                one.assumption + ("; " + one.note if one.note else ""),
            ]
        )
    head = [
        "network",
        "hosts",
        "printed [USD/host]",
        "as printed [USD/host]",
        "exact [USD/host]",
        "printed [W/host]",
        "exact [W/host]",
        "why they differ",
    ]
    return table(head, rows, text=frozenset({0, 7}), best=len(rows) - 1)
