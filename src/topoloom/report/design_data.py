"""The data of a design's page, as one JSON value: candidates, columns, families with their looks, floor and curves."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from topoloom.core.amounts import in_currency
from topoloom.designer.design import Design
from topoloom.figures.interval_curves import IntervalCurves
from topoloom.figures.marks import looks
from topoloom.report.curve_data import curve_data, look_of
from topoloom.report.design_tables import MEASURE_LABELS, why_dropped
from topoloom.report.scripting import short_number
from topoloom.report.side_by_side import SideBySide
from topoloom.topologies.spec.titles import family_title, network_title


class Column(NamedTuple):
    """A column of candidates.

    `better` is ``low`` or ``high`` where that end is better, ``""`` where neither is; `shown` is whether the table has the
    column at first.
    """

    key: str
    label: str
    unit: str = ""
    decimals: int = 0
    better: str = ""
    shown: bool = True

    @property
    def title(self) -> str:
        """The label with its unit."""
        return f"{self.label} [{self.unit}]" if self.unit else self.label


#: In the order of the table.
COLUMNS = (
    Column("cost_per_host_usd", "cost per host", "USD", 1, "low"),
    Column("cost_usd", "cost", "USD", 0, "low", shown=False),
    Column("power_per_host_w", "power per host", "W", 2, "low"),
    Column("power_w", "power", "W", 0, "low", shown=False),
    Column("mean_latency_ns", "mean latency", "ns", 0, "low"),
    Column("worst_latency_ns", "worst latency", "ns", 0, "low"),
    Column("hosts", "hosts"),
    Column("switches", "switches", "", 0, "low"),
    Column("radix", "ports", shown=False),
    Column("links", "links", "", 0, "", shown=False),
    Column("diameter", "diameter", "hops", 0, "low"),
    Column("host_aspl", "mean hops", "", 3, "low"),
    Column("oversubscription", "over-subscr.", "", 2, "low"),
    Column("blocking", "blocking", "", 2, "low"),
    Column("maximum_channel_load", "max. channel load", "link rates", 2, "low"),
    Column("bisection_per_host", "bisection", "links per host", 3, "high"),
    Column("bisection_gbps_per_host", "bisection bandwidth", "Gb/s per host", 1, "high", shown=False),
    Column("bisection_links", "bisection", "links", 0, "high", shown=False),
    Column("taper", "taper", "", 2, "low", shown=False),
    Column("planes", "planes", "", 0, "", shown=False),
    Column("room_hosts", "room for more", "hosts", 0, "high"),
    Column("racks", "racks", "", 0, "low"),
    Column("mean_cable_m", "mean cable", "m", 2, "low", shown=False),
    Column("longest_cable_m", "longest cable", "m", 1, "low"),
    Column("host_cable_m", "mean host cable", "m", 2, "low", shown=False),
    Column("all_to_all_ms", "all to all, by formula", "ms", 3, "low"),
    Column("all_reduce_ms", "all-reduce, by formula", "ms", 3, "low"),
    Column("step_ms", "a step, by formula", "ms", 3, "low"),
)


_WORDS = ("spec", "name", "family", "rank", "pareto", "dropped", "map", "reason")


def families_of(design: Design) -> list[str]:
    """All families, in the order of their best candidates; families without a ranked candidate last."""
    return list(
        dict.fromkeys(
            [candidate.family for candidate in design.ranked] + [candidate.family for candidate in design.dropped]
        )
    )


def design_data(
    design: Design,
    floor: dict[str, Any] | None = None,
    shortlist: SideBySide | None = None,
    curves: Sequence[IntervalCurves] = (),
) -> dict[str, Any]:
    """The data of a design's page.

    Parameters
    ----------
    design : Design
    floor : dict, optional
        The winner's floor, from `floor_data`.
    shortlist : SideBySide, optional
    curves : sequence of IntervalCurves

    Returns
    -------
    dict
        JSON values. Measures that no candidate has are omitted; numbers have nine significant digits.
    """
    rows = [row | {"name": network_title(row["spec"])} for row in design.rows()]
    reasons = [None] * len(design.ranked) + [
        why_dropped(candidate, design.requirement) or None for candidate in design.dropped
    ]
    # The measure that the ranks follow comes first, so that they agree with what a reader sees.
    objective = design.requirement.minimize
    ordered = sorted(COLUMNS, key=lambda column: column.key != objective)
    columns = [
        column._replace(shown=column.shown or column.key == objective, unit=in_currency(column.unit, design.currency))
        for column in ordered
        if any(row[column.key] is not None for row in rows)
    ]
    cells = [
        [row[word] for word in _WORDS[:-1]] + [reason] + [short_number(row[column.key]) for column in columns]
        for row, reason in zip(rows, reasons, strict=True)
    ]
    return {
        "title": design.requirement.title,
        "fields": [*_WORDS, *(column.key for column in columns)],
        "rows": cells,
        "columns": [column._asdict() for column in columns],
        "families": {
            family: [*look_of(look), family_title(family)] for family, look in looks(families_of(design)).items()
        },
        "limits": {
            limit: in_currency(MEASURE_LABELS.get(limit, limit), design.currency) for limit in design.dropped_by
        },
        "floor": floor,
        "shortlist": None if shortlist is None else shortlist.plain(),
        **curve_data(curves),
    }
