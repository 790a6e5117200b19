"""The tables of a design's report as HTML: requirement, ranking, reference designs, dropped candidates, Table IV."""

from collections import Counter
from typing import Any

from markupsafe import Markup

from topoloom.core.amounts import amount, in_currency
from topoloom.core.settings import described, written
from topoloom.cost.parts import Parts
from topoloom.cost.parts_files import load_parts
from topoloom.cost.table_iv import COLUMNS
from topoloom.designer.design import Design
from topoloom.designer.outcomes import MEASURES, Dropped
from topoloom.designer.requirement import DEFAULT_BLOCKING, Requirement
from topoloom.designer.search import Searched
from topoloom.report.page import table
from topoloom.topologies.spec.titles import network_title

#: Rows of the ranking on a page without scripts; candidates.csv has all.
MOST_ROWS = 40
_MOST_FAMILIES = 6

#: Labels of limits and measures for readers.
MEASURE_LABELS = {
    "diameter": "diameter between hosts' switches [hops]",
    "worst_latency_ns": "worst zero-load latency [ns]",
    "mean_latency_ns": "mean zero-load latency [ns]",
    "cost_per_host_usd": "cost per host [USD]",
    "power_per_host_w": "power per host [W]",
    "longest_cable_m": "longest cable [m]",
    "mean_cable_m": "mean cable [m]",
    "oversubscription": "oversubscription (by mean channel load)",
    "maximum_channel_load": "maximum channel load [link rates]",
    "cost_usd": "cost [USD]",
    "power_w": "power [W]",
    "switches": "switches",
    "racks": "racks",
    "host_aspl": "mean hops between hosts",
    "cost_over_best": "cost per host, as a multiple of the cheapest design",
    "radix": "too few ports per switch",
    "hosts": "too few hosts",
    "floor": "does not fit on the floor",
    "facility": "more than the room supplies or carries",
    "parts": "no suitable part or price",
    "size": "too large to measure",
    "construction": "could not be built",
    "same": "duplicate of another network",
    "taper": "taper: ports down per port up, at any level",
    "blocking": "blocking factor: host ports per link up at a tree's narrowest level; oversubscription elsewhere",
    "survives": "failures that must not cut off a host",
    "grow_to_hosts": "hosts after a later growth, for which a design is sized",
    "bisection_gbps_per_host": "bisection bandwidth [Gb/s per host]",
    "all_to_all_ms": "all to all, by formula [ms]",
    "all_reduce_ms": "all-reduce, by formula [ms]",
    "step_ms": "a step, by formula [ms]",
}
#: Presets of families, in words.
_PRESETS = {
    "supported": "those that vendors support (preset supported); preset everything measures all",
    "everything": "all (preset everything)",
}


def requirement_table(design: Design, parts: Parts) -> Markup:
    requirement = design.requirement
    floor = requirement.floor.floor()
    rows = [
        ("hosts", f"{requirement.hosts:,}"),
        ("switch", f"up to {requirement.radix} ports, {requirement.switch.delay_ns:g} ns delay"),
        ("links", f"{requirement.rate_gbps:g} Gb/s, {requirement.cable.delay_ns_per_m:g} ns per metre of cable"),
        (
            "floor",
            f"{floor.name}: {floor.places}; places of {floor.width_m:g} m x {floor.depth_m:g} m; cables of"
            f" {floor.inside_m:g} m inside a rack; between racks, {floor.cable_rule}",
        ),
        ("parts", parts.name),
        ("minimise", in_currency(MEASURE_LABELS[requirement.minimize], parts.currency)),
    ]
    if requirement.host is not None:
        rows += _host_rows(design)
    rows += _plan_rows(requirement)
    limits_per_rack = [("switches", floor.switches_per_rack), ("hosts", floor.hosts_per_rack)]
    if any(most is not None for _, most in limits_per_rack):
        rows.append(
            (
                "per rack",
                "at most " + " and ".join(f"{most} {what}" for what, most in limits_per_rack if most is not None),
            )
        )
    if not requirement.families.only:
        rows.append(("families", _PRESETS[requirement.families.preset]))
    for what, names in (
        ("only these families", requirement.families.only),
        ("without these families", requirement.families.leave_out),
        ("additional specs", requirement.families.specs),
    ):
        if names:
            rows.append((what, ", ".join(names)))
    if requirement.cable.hosts:
        rows.append(("bill", "includes a cable for every host"))
    for limit in requirement.limits.__struct_fields__:
        value = getattr(requirement.limits, limit)
        if value is not None:
            default = " (the default)" if limit == "blocking" and value == DEFAULT_BLOCKING else ""
            rows.append(
                ("limit", f"{in_currency(MEASURE_LABELS[limit], parts.currency)}: at most {amount(value, 6)}{default}")
            )
    if requirement.least.survives:
        rows.append(("must survive", "the loss of any one " + ", any one ".join(requirement.least.survives)))
    for key in ("bisection_gbps_per_host", "grow_to_hosts"):
        if getattr(requirement.least, key) is not None:
            rows.append(("at least", f"{MEASURE_LABELS[key]}: {amount(getattr(requirement.least, key), 6)}"))
    return table(["", "required"], rows, text=frozenset({0, 1}))


def _host_rows(design: Design) -> list[tuple[str, str]]:
    """What the requirement says of hosts and racks."""
    host, rack = design.requirement.host, design.requirement.rack
    if host is None:
        return []
    ports = f"{design.requirement.ports_per_host} port{'s' * (design.requirement.ports_per_host > 1)} on this network"
    watts = f"{host.power_w:,.0f} W" if host.power_w else "power not known"
    power = "" if rack.power_w is None else f", {rack.power_w / 1000:g} kW"
    return [
        ("host", f"{host.name}: {ports}, {host.units:g} unit{'s' * (host.units != 1)}, {watts}"),
        ("rack", f"{rack.u:g} units{power}; leaf switches: {rack.leaf}"),
    ]


def _plan_rows(requirement: Requirement) -> list[tuple[str, str]]:
    """Planes, rails, phases, spares and the machine room, where the requirement names them."""
    rows = []
    if requirement.planes:
        rows.append(("planes", " or ".join(map(str, requirement.planes))))
    if requirement.rails is not None:
        rows.append(("ports of a host", "each to another leaf (rails)" if requirement.rails else "all to one switch"))
    for number, phase in enumerate(requirement.phase, 1):
        rows.append((f"phase {number}", f"{phase.hosts:,} hosts{f' by {phase.by}' if phase.by else ''}"))
    for what, given in (("spares", requirement.spares), ("facility", requirement.facility)):
        if given is None:
            continue
        for key in described(type(given)):
            value = getattr(given, key.name)
            if value is not None and (what == "spares" or written(value) != key.default):
                rows.append((what, f"{key.description}: {amount(value, 6)} {key.unit or ''}".rstrip()))
    return rows


def search_gains(search: Searched, currency: str = "USD") -> Markup:
    """The gains of the search beyond the catalogue, one row per measure."""
    rows = [
        (
            in_currency(MEASURE_LABELS.get(gain.measure, gain.measure), currency),
            amount(gain.catalogue, 6),
            amount(gain.found, 6) if gain.share > 0 else "-",
            f"{gain.share:.1%}" if gain.share > 0 else "none",
            gain.catalogue_spec,
            gain.found_spec if gain.share > 0 else "-",
        )
        for gain in search.gains
    ]
    head = ["", "best of the catalogue", "best of the search", "better by", "spec in the catalogue", "spec found"]
    return table(head, rows, text=frozenset({0, 4, 5}))


def ranking(design: Design) -> Markup:
    head = [
        "rank",
        "network",
        "spec",
        in_currency("cost [USD per host]", design.currency),
        "power [W per host]",
        "mean latency [ns]",
        "worst latency [ns]",
        "hosts",
        "switches",
        "ports",
        "dia- meter",
        "mean hops",
        "over-subscr.",
        "max. channel load",
        "bisection [links per host]",
        "racks",
        "mean cable [m]",
        "longest cable [m]",
        "placement",
    ]
    rows = [
        [
            ("\u25cf " if c.spec in design.pareto else "") + str(number),
            network_title(c.spec),
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
        unknown = head.index("max. channel load")
        head, rows = head[:unknown] + head[unknown + 1 :], [row[:unknown] + row[unknown + 1 :] for row in rows]
    return table(head, rows[:MOST_ROWS], text=frozenset({1}), best=0)


def reference_table(design: Design) -> Markup | str:
    """An installed network and the reference designs compared with the best: their cost, and the limit that they exceed."""
    best = design.winner
    compared = [*([] if design.installed is None else [design.installed]), *design.usual]
    if best is None or not compared:
        return ""
    head = [
        "network",
        "spec",
        in_currency("cost [USD]", design.currency),
        "compared with the best",
        "power [W]",
        "switches",
        "over-subscr.",
        "diameter",
        "mean latency [ns]",
        "",
    ]
    rows = []
    for outcome in (best, *(reference for reference in compared if reference.spec != best.spec)):
        measures: Any = (
            outcome.known if isinstance(outcome, Dropped) else {key: getattr(outcome, key) for key in MEASURES}
        )
        cost = measures.get("cost_usd")
        exceeds = ""
        if isinstance(outcome, Dropped):
            limit, reason = (
                in_currency(MEASURE_LABELS.get(outcome.limit, outcome.limit), design.currency),
                f"; {outcome.reason}" if outcome.reason else "",
            )
            exceeds = f"exceeds a limit: {limit}{reason}"
        rows.append(
            [
                network_title(outcome.spec),
                outcome.spec,
                _shown(cost, ",.0f"),
                "the best" if outcome is best else "-" if cost is None else f"{cost / best.cost_usd - 1:+.1%}",
                _shown(measures.get("power_w"), ",.0f"),
                _shown(measures.get("switches"), ",.0f"),
                _shown(measures.get("oversubscription"), ".2f"),
                _shown(measures.get("diameter"), ".0f"),
                _shown(measures.get("mean_latency_ns"), ",.0f"),
                exceeds,
            ]
        )
    return table(head, rows, text=frozenset({0, 9}))


def _shown(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)


def table_iv() -> Markup:
    """Slim Fly and the other columns of Table IV: published, recomputed under the paper's assumptions, and exact."""
    parts = load_parts("slimfly-2014")
    rows = []
    for column in COLUMNS:
        count = column.as_published() if column.as_published is not None else None
        bill = column.exact()
        rows.append(
            [
                column.title,
                f"{column.printed.hosts:,}",
                f"{column.printed.cost_usd:,.0f}",
                "-" if count is None else f"{count.cost_usd(parts):,.2f}",
                f"{bill.cost_per_host_usd:,.1f}",
                f"{column.printed.power_w:g}",
                f"{bill.power_per_host_w:.3f}",
                column.assumption + ("; " + column.note if column.note else ""),
            ]
        )
    head = [
        "network",
        "hosts",
        "published [USD per host]",
        "recomputed [USD per host]",
        "exact [USD per host]",
        "published [W per host]",
        "exact [W per host]",
        "why they differ",
    ]
    return table(head, rows, text=frozenset({0, 7}), best=len(rows) - 1)


def why_dropped(candidate: Dropped, requirement: Requirement) -> str:
    """The reason why a candidate is out: its own, or the measured value with the limit."""
    if candidate.reason:
        return candidate.reason
    most, value = getattr(requirement.limits, candidate.limit, None), candidate.known.get(candidate.limit)
    if candidate.limit == "cost_over_best":
        return f"more than {most:g} times the cheapest design" if most is not None else ""
    if most is None:
        return ""
    return f"at most {amount(most, 6)}" if value is None else f"{amount(value)}, at most {amount(most, 6)}"


def dropped_rows(design: Design) -> Markup | str:
    """The dropped candidates, one row per limit: their number, their families, and an example with its reason."""
    if not design.dropped:
        return ""
    rows = []
    for limit, count in design.dropped_by.items():
        candidates = [candidate for candidate in design.dropped if candidate.limit == limit]
        families = Counter(candidate.family for candidate in candidates).most_common()
        listed = ", ".join(f"{family} {many}" for family, many in families[:_MOST_FAMILIES])
        more = f", and {len(families) - _MOST_FAMILIES} more" if len(families) > _MOST_FAMILIES else ""
        rows.append(
            [
                in_currency(MEASURE_LABELS.get(limit, limit), design.currency),
                f"{count:,}",
                listed + more,
                candidates[0].spec,
                why_dropped(candidates[0], design.requirement),
            ]
        )
    return table(
        ["dropped by", "candidates", "families", "spec", "reason for this one"], rows, text=frozenset({0, 2, 4})
    )
