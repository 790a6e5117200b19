"""Networks that were taken the whole way, as designs side by side: a group of rows a step, a column a network."""

from collections.abc import Sequence

from topoloom.assessment.assessment import Assessment, figure_keys
from topoloom.assessment.figure import Figure
from topoloom.report.side_by_side import Group, Row, SideBySide, Value

_BETTER = {"less": "low", "more": "high", "": ""}


def networks_side_by_side(networks: Sequence[Assessment], names: Sequence[str] | None = None) -> SideBySide:
    """Every figure of every network; where a routing-free bound is known, it stands in a row of its own under the figure.

    Parameters
    ----------
    networks : sequence of Assessment
    names : sequence of str, optional
        Of the columns; the networks' own when left out.

    Returns
    -------
    SideBySide
    """
    groups: dict[str, list[Row]] = {}
    for key in figure_keys(tuple(networks)):
        figures = [one.figure(key) for one in networks]
        first = next(one for one in figures if one is not None)
        rows = groups.setdefault(first.group, [])
        rows.append(Row(first.label, tuple(map(_value, figures)), first.unit, _BETTER[first.better]))
        if any(one is not None and one.bound is not None for one in figures):
            bounds = tuple(None if one is None or one.bound is None else Value(one.bound) for one in figures)
            rows.append(Row("at most", bounds, first.unit))
    titles = tuple(one.name for one in networks) if names is None else tuple(names)
    return SideBySide(titles, tuple(Group(title, tuple(rows)) for title, rows in groups.items()))


def _value(figure: Figure | None) -> Value | None:
    if figure is None or figure.value is None:
        return None
    return Value(figure.value, figure.low, figure.high, figure.how)
