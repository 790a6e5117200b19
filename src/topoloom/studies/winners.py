"""Competitors of a study: the winner at each point, and the paired differences of all pairs, over common draws."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from statistics import fmean
from typing import Any

from topoloom.core.errors import InputError, hint
from topoloom.model.results import Provenance, Result
from topoloom.studies.columns import DRAWS, Row, StudyTable, existing_column, follows, mean_of, measure_of, rows_meeting
from topoloom.studies.comparison import PairedDifference, holm, is_number, paired_difference, says_only_how_long

#: Competitors differ if the corrected p-value is at most this.
_LEVEL = 0.05


def winners_of(
    results: StudyTable,
    of: str,
    measure: str | None = None,
    *,
    most: bool = False,
    where: str | Sequence[str] | None = None,
) -> list[dict[str, Any]]:
    """The value of an axis with the least (or the most) of a measure, at each point of the other axes; means over draws.

    A point has a winner if it differs from every other competitor at 5 %, after Holm's correction for all pairs of competitors
    at all points. Competitors are compared by their differences over common draws; with one draw, by the intervals of the
    values (``latency_ci95`` of ``latency_mean``); without these, as exact values. Latencies of saturated networks do not
    compete.

    Parameters
    ----------
    results : StudyTable
    of : str
        The axis whose values compete: "topology".
    measure : str, optional
    most : bool
        Whether the most wins, instead of the least.
    where : str or sequence of str, optional
        A condition on axes.

    Returns
    -------
    list of dict
        One row per point: its axes, ``winner`` (None: a tie, or nobody competes), the best value, ``tied`` (the best and those
        that do not differ from it), ``second``, by what share the best is ahead of it (``ahead_by``), the difference of the two
        (``difference``, from ``difference_low`` to ``difference_high`` at 95 %, None if exact), its corrected ``p``, and
        ``saturated``, the competitors that are.

    Raises
    ------
    InputError
        No such axis or measure.
    """
    _, others, points = _contests(results, of, measure, most, where)
    return [
        dict(zip(others, point.key, strict=True)) | point.row() for point in points if point.ranked or point.saturated
    ]


@dataclass(frozen=True)
class StudyDifferences(Result):
    """The paired differences between the values of an axis: one row per pair of them, at each point of the other axes.

    Attributes
    ----------
    title, operation : str
        Of the study.
    of, measure : str
        The axis whose values are compared, and the compared measure.
    differences : tuple of dict
        Each row has the other axes, ``first`` and ``second`` (two values of the axis), ``draws`` (common seeds and draws),
        ``first_mean`` and ``second_mean`` over these, ``difference`` (second less first), its 95 % interval from
        ``difference_low`` to ``difference_high`` (Student's paired t; with one draw, of the intervals that the values state;
        None: exact values), ``p``, and ``p_holm``, the same after Holm's correction for all rows. Pairs without a common draw
        and latencies of saturated networks have no row.
    """

    record_name = "study-differences"

    title: str
    operation: str
    of: str
    measure: str
    differences: tuple[dict[str, Any], ...]
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    def rows(self) -> list[dict[str, Any]]:
        """The table: one row per pair at each point."""
        return [dict(row) for row in self.differences]


def paired_differences_of(
    results: StudyTable, of: str, measure: str | None = None, *, where: str | Sequence[str] | None = None
) -> StudyDifferences:
    """The paired differences of a measure between all pairs of values of an axis, over common random numbers.

    Parameters
    ----------
    results : StudyTable
    of : str
        The axis whose values are compared: "engine".
    measure : str, optional
        The usual one of the operation when omitted.
    where : str or sequence of str, optional
        A condition on axes.

    Returns
    -------
    StudyDifferences

    Raises
    ------
    InputError
        No such axis or measure, or no pair of values has a common draw.
    """
    measure, others, points = _contests(results, of, measure, False, where)
    rows = [
        dict(zip(others, point.key, strict=True)) | point.difference(first, second)
        for point in points
        for first, second in point.pairs()
    ]
    if not rows:
        raise InputError(f"no two values of '{of}' have a common draw of {measure}; run both with the same seeds")
    provenance = Provenance.of_run(name=results.title, settings={"of": of, "measure": measure})
    return StudyDifferences(results.title, results.operation, of, measure, tuple(rows), provenance)


def _contests(
    results: StudyTable, of: str, measure: str | None, most: bool, where: str | Sequence[str] | None
) -> tuple[str, list[str], list["_Contest"]]:
    """The measure, the other axes, and the competitors at each of their points, with corrected p-values."""
    rows = rows_meeting(results, where)
    if of not in results.axes:
        raise InputError(f"the study has no axis '{of}' ({hint(of, results.axes)})")
    measure = measure_of(results, rows) if measure is None else existing_column(results, measure)
    others = [name for name in results.axes if name != of and name not in DRAWS and not follows(rows, name, [of])]
    groups: dict[tuple[Any, ...], dict[Any, list[Row]]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in others), {}).setdefault(row[of], []).append(row)
    points = [_Contest(key, of_point, measure, most) for key, of_point in groups.items()]
    every = [(point, pair) for point in points for pair in point.differences]
    corrected = holm([point.differences[pair].p for point, pair in every])
    for (point, pair), p in zip(every, corrected, strict=True):
        point.p[pair] = p
    return measure, others, points


class _Contest:
    """The competitors at one point, the best first, and the differences of all pairs of them."""

    def __init__(self, key: tuple[Any, ...], rows: Mapping[Any, Sequence[Row]], measure: str, most: bool) -> None:
        self.key, self.measure, self.names = key, measure, list(rows)
        self.saturated = [name for name in rows if says_only_how_long(measure, rows[name])]
        means = {name: mean_of([row[measure] for row in of]) for name, of in rows.items() if name not in self.saturated}
        self.means = {name: mean for name, mean in means.items() if mean is not None}
        self.ranked = sorted(self.means, key=lambda name: -self.means[name] if most else self.means[name])
        self.draws = draws = {name: _by_draw(rows[name], measure) for name in self.ranked}
        error = measure.removesuffix("_mean") + "_ci95"
        halves = {name: rows[name][0].get(error) for name in self.ranked}
        self.differences = {
            (first, second): compared
            for place, first in enumerate(self.ranked)
            for second in self.ranked[place + 1 :]
            if (
                compared := paired_difference(
                    draws[first], draws[second], (_half(halves[first]), _half(halves[second]))
                )
            )
        }
        self.p: dict[tuple[Any, Any], float] = {}

    def row(self) -> dict[str, Any]:
        """The row of the table of winners; without a common draw, competitors do not differ."""
        if not self.ranked:
            return {"winner": None, self.measure: None, "saturated": ", ".join(map(str, self.saturated))}
        best, *rest = self.ranked
        tied = [best, *(name for name in rest if self.p.get((best, name), 1.0) > _LEVEL)]
        row = {"winner": best if len(tied) == 1 else None, self.measure: self.means[best]}
        row |= {"tied": ", ".join(map(str, tied))} if len(tied) > 1 else {}
        if rest:
            second, after = rest[0], self.means[rest[0]]
            row |= {"second": second, "ahead_by": abs(after - self.means[best]) / abs(after) if after else None}
            compared = self.differences.get((best, second))
            if compared is not None and compared.half_width is not None:
                row |= _interval(compared) | {"p": self.p[best, second]}
        return row | ({"saturated": ", ".join(map(str, self.saturated))} if self.saturated else {})

    def pairs(self) -> list[tuple[Any, Any]]:
        """The pairs with a common draw, in the order of the axis; `differences` have the better one first."""
        both = combinations(self.names, 2)
        return [pair for pair in both if pair in self.differences or pair[::-1] in self.differences]

    def difference(self, first: Any, second: Any) -> dict[str, Any]:
        """The row of a pair in the table of differences."""
        pair = (first, second) if (first, second) in self.differences else (second, first)
        compared = self.differences[pair]
        if pair != (first, second):
            compared = compared._replace(mean=-compared.mean)
        common = [draw for draw in self.draws[first] if draw in self.draws[second]]
        row = {"first": first, "second": second, "draws": compared.draws}
        for name, of in (("first_mean", first), ("second_mean", second)):
            row[name] = fmean(self.draws[of][draw] for draw in common)
        return row | _interval(compared) | {"p": compared.p, "p_holm": self.p[pair]}


def _interval(compared: PairedDifference) -> dict[str, float | None]:
    """A difference with its 95 % interval; None for exact values."""
    mean, half = compared.mean, compared.half_width
    low, high = (None, None) if half is None else (mean - half, mean + half)
    return {"difference": mean, "difference_low": low, "difference_high": high}


def _by_draw(rows: Sequence[Row], measure: str) -> dict[Hashable, float]:
    """The values by the draws they come from."""
    return {tuple(row.get(name) for name in DRAWS): float(row[measure]) for row in rows if is_number(row.get(measure))}


def _half(value: Any) -> float | None:
    return float(value) if is_number(value) else None
