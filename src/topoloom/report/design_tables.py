"""The tables of a design's report as HTML: requirement, ranking, reference designs, what was dropped, Table IV."""

from collections import Counter
from typing import Any

from markupsafe import Markup

from topoloom.cost.parts import Parts
from topoloom.cost.parts_files import load_parts
from topoloom.cost.table_iv import COLUMNS
from topoloom.designer.design import Design
from topoloom.designer.measure import MEASURES, Dropped
from topoloom.designer.requirement import Requirement
from topoloom.designer.search import Searched
from topoloom.report.page import table

#: So many rows of the ranking are there without a script; candidates.csv has all.
MOST_ROWS = 40
_MOST_FAMILIES = 6

#: Limits and measures in words.
WORDS = {
    "diameter": "diameter between hosts' switches [hops]",
    "worst_latency_ns": "worst zero-load latency [ns]",
    "mean_latency_ns": "mean zero-load latency [ns]",
    "cost_per_host_usd": "cost per host [USD]",
    "power_per_host_w": "power per host [W]",
    "longest_cable_m": "longest cable [m]",
    "mean_cable_m": "mean cable [m]",
    "oversubscription": "oversubscription (mean channel load)",
    "maximum_channel_load": "load of the busiest channel [link rates]",
    "cost_usd": "cost [USD]",
    "power_w": "power [W]",
    "switches": "switches",
    "racks": "racks",
    "host_aspl": "mean hops between hosts",
    "cost_over_best": "cost per host in multiples of the cheapest design",
    "radix": "switch radix (found when built)",
    "hosts": "hosts (too few when built)",
    "floor": "room on the floor",
    "parts": "parts that exist",
    "size": "too large to be measured",
    "construction": "could not be built",
    "same": "the same network as another, found in the search",
    "taper": "ports down for one up at a level",
    "survives": "what may fail without cutting a host off",
    "grow_to_hosts": "hosts that idle ports could take",
    "bisection_gbps_per_host": "bandwidth between halves [Gb/s per host]",
    "all_to_all_ms": "all to all, by formula [ms]",
    "all_reduce_ms": "all-reduce, by formula [ms]",
    "step_ms": "a step, by formula [ms]",
}


def requirement_table(design: Design, parts: Parts) -> Markup:
    requirement = design.requirement
    floor = requirement.floor.floor()
    places = (
        f"{floor.rows} rows x {floor.columns} places"
        if floor.rows and floor.columns
        else "as many rows as places in a row, or one fewer"
    )
    rows = [
        ("hosts", f"{requirement.hosts:,}"),
        ("switch", f"up to {requirement.radix} ports, {requirement.switch.delay_ns:g} ns to pass"),
        ("links", f"{requirement.rate_gbps:g} Gb/s, {requirement.cable.delay_ns_per_m:g} ns a metre of cable"),
        (
            "floor",
            f"{floor.name}: {places}; places of {floor.width_m:g} m x {floor.depth_m:g} m; cables of {floor.inside_m:g} m"
            f" inside a rack, Manhattan distance + {2 * floor.overhead_end_m:g} m between",
        ),
        ("parts", parts.name),
        ("minimise", WORDS[requirement.minimize]),
    ]
    if requirement.host is not None:
        rows += _host_rows(design)
    held = [("switches", floor.switches_per_rack), ("hosts", floor.hosts_per_rack)]
    if any(most is not None for _, most in held):
        rows.append(("a rack", "at most " + " and ".join(f"{most} {what}" for what, most in held if most is not None)))
    for what, names in (
        ("only", requirement.families.only),
        ("leave out", requirement.families.leave_out),
        ("besides", requirement.families.specs),
    ):
        if names:
            rows.append((what, ", ".join(names)))
    if requirement.cable.hosts:
        rows.append(("bill", "a cable for every host, too"))
    for limit in requirement.limits.__struct_fields__:
        value = getattr(requirement.limits, limit)
        if value is not None:
            rows.append(("limit", f"{WORDS[limit]}: at most {value:,g}"))
    if requirement.least.survives:
        rows.append(("must survive", "any one " + ", any one ".join(requirement.least.survives)))
    for least in ("bisection_gbps_per_host", "grow_to_hosts"):
        if getattr(requirement.least, least) is not None:
            rows.append(("at least", f"{WORDS[least]}: {getattr(requirement.least, least):,g}"))
    return table(["", "what is needed"], rows, text=frozenset({0, 1}))


def _host_rows(design: Design) -> list[tuple[str, str]]:
    """What the need says of hosts and racks."""
    host, rack = design.requirement.host, design.requirement.rack
    if host is None:
        return []
    ports = f"{design.requirement.ports_per_host} port{'s' * (design.requirement.ports_per_host > 1)} on this network"
    power = "" if rack.power_w is None else f", {rack.power_w / 1000:g} kW"
    return [
        ("a host", f"{host.name}: {ports}, {host.u:g} units, {host.power_w:,.0f} W"),
        ("a rack", f"{rack.u:g} units{power}; leaves: {rack.leaf}"),
    ]


def beyond(search: Searched) -> Markup:
    """What the search beyond the catalogue gains, one row per measure."""
    rows = [
        (
            WORDS.get(gain.measure, gain.measure),
            f"{gain.catalogue:,.6g}",
            f"{gain.found:,.6g}" if gain.share > 0 else "-",
            f"{gain.share:.1%}" if gain.share > 0 else "none",
            gain.catalogue_spec,
            gain.found_spec if gain.share > 0 else "-",
        )
        for gain in search.gains
    ]
    head = ["", "best of the catalogue", "best found", "better by", "of the catalogue", "found"]
    return table(head, rows, text=frozenset({0, 4, 5}))


def ranking(design: Design) -> Markup:
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
            "-" if c.maximum_channel_load is None else f"{c.maximum_channel_load:.2f}",
            "-" if c.bisection_per_host is None else f"{c.bisection_per_host:.3f}",
            str(c.racks),
            f"{c.mean_cable_m:.2f}",
            f"{c.longest_cable_m:.1f}",
            c.map,
        ]
        for number, c in enumerate(design.ranked, 1)
    ]
    if all(c.maximum_channel_load is None for c in design.ranked):
        gone = head.index("busiest channel")
        head, rows = head[:gone] + head[gone + 1 :], [row[:gone] + row[gone + 1 :] for row in rows]
    return table(head, rows[:MOST_ROWS], best=0)


def usual(design: Design) -> Markup | str:
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
            passes = f"past a limit: {WORDS.get(one.limit, one.limit)}{'; ' + one.reason if one.reason else ''}"
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


def table_iv() -> Markup:
    """Slim Fly against the other columns of Table IV: printed, recomputed with the print's assumptions, exact."""
    parts = load_parts("slimfly-2014")
    rows = []
    for one in COLUMNS:
        count = one.as_published() if one.as_published is not None else None
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


def why_dropped(one: Dropped, requirement: Requirement) -> str:
    """Why a candidate is out: what it said itself, or what was measured beside what is allowed."""
    if one.reason:
        return one.reason
    most, found = getattr(requirement.limits, one.limit, None), one.known.get(one.limit)
    if one.limit == "cost_over_best":
        return f"over {most:g} times the cheapest design" if most is not None else ""
    if most is None:
        return ""
    return f"at most {most:,g}" if found is None else f"{found:,.4g}, at most {most:,g}"


def dropped_rows(design: Design) -> Markup | str:
    """What was dropped, one row per limit: how many, of which families, and an example with its reason."""
    if not design.dropped:
        return ""
    rows = []
    for limit, count in design.dropped_by.items():
        those = [one for one in design.dropped if one.limit == limit]
        families = Counter(one.family for one in those).most_common()
        told = ", ".join(f"{family} {many}" for family, many in families[:_MOST_FAMILIES])
        more = f", and {len(families) - _MOST_FAMILIES} more" if len(families) > _MOST_FAMILIES else ""
        rows.append(
            [
                WORDS.get(limit, limit),
                f"{count:,}",
                told + more,
                those[0].spec,
                why_dropped(those[0], design.requirement),
            ]
        )
    return table(["dropped by", "candidates", "families", "spec", "why this one"], rows, text=frozenset({0, 2, 4}))
