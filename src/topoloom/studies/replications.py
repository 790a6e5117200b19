"""Replications of a point: seeds are added until the confidence interval of the mean is within a share of the mean."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Annotated, Any, ClassVar, Literal

from topoloom.core.errors import InputError, hint
from topoloom.core.settings import setting, shown
from topoloom.core.toml_files import TomlTable
from topoloom.studies.comparison import is_number, says_only_how_long
from topoloom.studies.record import Record

#: Why a point has no interval within the share: the most seeds are used, tasks have no record yet or failed, or the value is
#: the latency of a saturated network, or no number.
Missed = Literal["", "most seeds", "not done", "failed", "saturated", "no number"]


class Replicate(TomlTable, frozen=True, kw_only=True):
    """The table [replicate]: until which interval every point gets further seeds, in place of `seeds`.

    The rule is Stein's in two stages, for a share of the mean: the first `least` seeds of a point give the standard deviation
    s, and n seeds the mean; n is the least number for which t s / sqrt(n) is at most `within` times the absolute mean, with
    Student's t for `least` - 1 degrees of freedom. Because s is not estimated again, the interval that ends the sampling is not
    one that happens to be narrow. docs/how-to/run-studies.md has its measured coverage.

    References
    ----------
    C. Stein, "A two-sample test for a linear hypothesis whose power is independent of the variance", Annals of Mathematical
    Statistics 16, 1945; A. M. Law, "Simulation Modeling and Analysis", 5th edition, 9.4.1 (relative errors).

    Examples
    --------
    >>> rule = Replicate(value="latency_mean", within=0.1, least=3)
    >>> round(rule.half_width([10.0, 11.0, 12.0]), 3), rule.seeds([10.0, 11.0, 12.0])
    (2.484, 16)
    """

    group: ClassVar[str] = "study [replicate]"

    value: Annotated[str, setting("the column of the table whose mean is wanted", example="latency_mean")]
    within: Annotated[float, setting("half of the confidence interval, as a share of the mean", above=0, most=10)] = (
        0.01
    )
    confidence: Annotated[float, setting("the confidence of the interval", least=0.5, most=0.9999)] = 0.95
    least: Annotated[
        int, setting("seeds of every point; their standard deviation decides how many more", least=3, most=100_000)
    ] = 10
    most: Annotated[int, setting("most seeds of a point", least=3, most=1_000_000)] = 100

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.most < self.least:
            raise InputError(f"{self.group}: most={self.most} is below least={self.least}; raise it")

    def half_width(self, values: Sequence[float]) -> float:
        """Half of the interval of the mean, from at least `least` values in the order of their seeds."""
        return self._spread(values) / math.sqrt(len(values))

    def seeds(self, values: Sequence[float]) -> int:
        """The number of seeds that the interval needs by the values so far, from their number to `most`."""
        aim = self.within * abs(fmean(values))
        spread = self._spread(values)
        if spread <= aim * math.sqrt(len(values)):
            return len(values)
        return self.most if spread >= aim * math.sqrt(self.most) else math.ceil((spread / aim) ** 2)

    def _spread(self, values: Sequence[float]) -> float:
        from scipy.special import stdtrit

        return float(stdtrit(self.least - 1, (1 + self.confidence) / 2)) * stdev(values[: self.least])


@dataclass(frozen=True)
class Replicated:
    """The replications of one point.

    Attributes
    ----------
    axes : dict
        The point: its axes without the seed.
    seeds : int
        Seeds with a value.
    mean, half_width : float or None
        Of the value, in its unit: the mean, and half its confidence interval; None without enough values.
    reached : bool
        Whether the interval is within the wanted share of the mean.
    missed : "", "most seeds", "not done", "failed", "saturated" or "no number"
        Why it is not.
    """

    axes: dict[str, Any]
    seeds: int
    mean: float | None
    half_width: float | None
    reached: bool
    missed: Missed


def replicated(rule: Replicate, axes: Mapping[str, Any], records: Sequence[Record | None]) -> Replicated:
    """The replications of a point so far.

    Parameters
    ----------
    rule : Replicate
    axes : mapping
        The point, without the seed.
    records : sequence of Record or None
        In the order of the seeds, from 1; None: the task has no record yet.

    Raises
    ------
    InputError
        A finished task has no such column.
    """
    rows = [record.row for record in records if record is not None and record.state == "done"]
    for row in rows:
        check_column(rule, row)
    numbers = [float(row[rule.value]) for row in rows if is_number(row[rule.value])]
    mean = fmean(numbers) if numbers else None
    half, missed = None, ""  # type: float | None, Missed
    if None in records:
        missed = "not done"
    elif len(rows) < len(records):
        missed = "failed"
    elif len(numbers) < len(records):
        missed = "no number"
    elif says_only_how_long(rule.value, rows):
        missed = "saturated"
    else:
        half = rule.half_width(numbers)
        if rule.seeds(numbers) > len(numbers) or half > rule.within * abs(fmean(numbers)):
            missed = "most seeds" if len(numbers) >= rule.most else "not done"
    return Replicated(dict(axes), len(numbers), mean, half, not missed, missed)


def further_seeds(rule: Replicate, records: Sequence[Record | None]) -> int:
    """The number of seeds that a point needs by its records, at least their number; parameters are those of `replicated`.

    It depends only on the results of the first `least` seeds and of those that followed from them, so an interrupted study,
    and a store with further records, give the same number.
    """
    if any(record is None or record.state == "failed" for record in records):
        return len(records)
    rows = [record.row for record in records if record is not None]
    for row in rows:
        check_column(rule, row)
    if says_only_how_long(rule.value, rows) or not all(is_number(row[rule.value]) for row in rows):
        return len(records)
    return rule.seeds([float(row[rule.value]) for row in rows])


def check_column(rule: Replicate, row: Mapping[str, Any]) -> None:
    """Raise an error for a result without the column."""
    if rule.value not in row:
        raise InputError(f"{rule.group}: the results have no column '{rule.value}' ({hint(rule.value, list(row))})")


def replication_rows(replications: Sequence[Replicated]) -> list[dict[str, Any]]:
    """A table of replications: one row per point, its axes first."""
    fields = ("seeds", "mean", "half_width", "reached", "missed")
    return [each.axes | {name: getattr(each, name) for name in fields} for each in replications]


def replications_in_words(rule: Replicate, replications: Sequence[Replicated], most: int = 5) -> list[str]:
    """Lines for the screen: how many points reached the interval, and those that did not.

    Parameters
    ----------
    rule : Replicate
    replications : sequence of Replicated
    most : int
        Most points that are named.

    Returns
    -------
    list of str

    Examples
    --------
    >>> points = [Replicated({"n": 4}, 12, 2.0, 0.03, True, ""), Replicated({"n": 5}, 9, 2.0, None, False, "failed")]
    >>> replications_in_words(Replicate(value="aspl", within=0.02), points)
    ['1 of 2 points: the mean of aspl is within 2 % at 95 %, with 12 seeds', 'not within 2 %: n=5, 9 seeds: failed']
    """
    share, level = f"{100 * rule.within:g} %", f"{100 * rule.confidence:g} %"
    counts = [each.seeds for each in replications if each.reached]
    seeds = "" if not counts else f"{min(counts)} to {max(counts)}" if min(counts) < max(counts) else f"{counts[0]}"
    lines = [
        f"{len(counts):,} of {len(replications):,} points: the mean of {rule.value} is within {share} at {level}"
        + (f", with {seeds} seeds" if seeds else "")
    ]
    missed = [each for each in replications if not each.reached]
    for each in missed[:most]:
        where = "".join(f"{name}={shown(label)}, " for name, label in each.axes.items())
        by = "" if not each.mean or each.half_width is None else f", +- {100 * each.half_width / abs(each.mean):.3g} %"
        lines.append(f"not within {share}: {where}{each.seeds} seeds{by}: {each.missed}")
    return lines + ([f"... {len(missed) - most:,} more"] if len(missed) > most else [])
