"""The table of a study for drawing and comparing: its rows, columns and random draws."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any, Protocol

from topoloom.core.errors import InputError, hint
from topoloom.studies.comparison import is_number
from topoloom.studies.conditions import conditions_hold, conditions_text

#: Measures that are drawn by default, per operation; of other operations, the first number that differs.
_DEFAULT_MEASURES = (
    "latency_mean",
    "saturation",
    "uniform_throughput",
    "cost_per_host_usd",
    "total_usd",
    "seconds",
    "threshold",
    "aspl",
    "links",
    "mean_length_m",
    "max_hops",
    "diameter",
)
#: Names of axes that are random draws, which are averaged over by default.
DRAWS = ("seed", "draw")

Row = Mapping[str, Any]


class StudyTable(Protocol):
    """A study's results for drawing: the names of its axes and measures, and one row per point with both."""

    @property
    def title(self) -> str: ...
    @property
    def operation(self) -> str: ...
    @property
    def axes(self) -> tuple[str, ...]: ...
    @property
    def measures(self) -> tuple[str, ...]: ...
    @property
    def table(self) -> tuple[dict[str, Any], ...]: ...
    def rows(self) -> list[dict[str, Any]]:
        """The table: one row per finished point."""
        ...


def rows_meeting(results: StudyTable, where: str | Sequence[str] | None) -> list[Row]:
    """The rows of the points that meet a condition.

    Parameters
    ----------
    results : StudyTable
    where : str, sequence of str or None
        A condition on axes, or several that all must hold.

    Returns
    -------
    list of dict

    Raises
    ------
    InputError
        There are none.
    """
    rows: list[Row] = [
        row for row in results.rows() if conditions_hold(where, {name: row[name] for name in results.axes})
    ]
    if not rows:
        unmet = f"no finished task meets {conditions_text(where or '')}"
        problem = unmet if results.table else "no task of the study is done"
        raise InputError(f"{problem}, so there is nothing to draw")
    return rows


def existing_column(results: StudyTable, name: str) -> str:
    """The name of a column, if it exists; otherwise an error with the choices."""
    names = [*results.axes, *results.measures]
    if name not in names:
        raise InputError(f"the study has no column '{name}' ({hint(name, names)})")
    return name


def measure_of(results: StudyTable, rows: Sequence[Row]) -> str:
    """The usual measure of the operation, or the first number that varies.

    Raises
    ------
    InputError
        No measure is a number.
    """
    numbers = [name for name in results.measures if any(is_number(row.get(name)) for row in rows)]
    if not numbers:
        raise InputError("no measure of the study is a number, so there is nothing to draw")
    differ = [name for name in numbers if len({row.get(name) for row in rows}) > 1]
    return next((name for name in _DEFAULT_MEASURES if name in numbers), (differ or numbers)[0])


def different_values(rows: Sequence[Row], name: str) -> list[Any]:
    """The different values of a column: numbers in their order, others as they come."""
    values = list(dict.fromkeys(row[name] for row in rows))
    return sorted(values) if all(is_number(each) for each in values) else values


def follows(rows: Sequence[Row], name: str, named: Sequence[str]) -> bool:
    """Whether an axis has one value at each point of the named axes, because it changes together with them.

    Parameters
    ----------
    rows : sequence of dict
    name : str
        The axis.
    named : sequence of str
        Other axes.

    Returns
    -------
    bool

    Examples
    --------
    >>> follows([{"n": 4, "label": "small"}, {"n": 8, "label": "large"}], "label", ["n"])
    True
    """
    seen: dict[tuple[Any, ...], Any] = {}
    return all(seen.setdefault(tuple(row[axis] for axis in named), row[name]) == row[name] for row in rows)


def mean_of(values: Sequence[Any]) -> float | None:
    """The mean of the numbers among some values; None without any."""
    numbers = [float(value) for value in values if is_number(value)]
    return fmean(numbers) if numbers else None
