"""The values of an axis: a list, a range by steps or by factors, or named values."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from topoloom.core.errors import InputError, hint
from topoloom.core.settings import described, shown

#: Most values of a range, and the greatest number in it: above that, steps are below the precision of a float.
_MOST_VALUES, _LARGEST = 10_000_000, 1e300
_RANGE = ({"from", "to", "step"}, {"from", "to", "times"})
#: Keys of ranges in other tools: a table of these alone is meant as a range, not as a table of named values.
_LIKE_RANGE = {"from", "to", "step", "times", "start", "stop", "by", "factor", "count"}


def axis_values(name: str, axis: Any) -> list[tuple[Any, Any]]:
    """The values of an axis, each with its label.

    Parameters
    ----------
    name : str
    axis : list, range or mapping
        As in the study: values, the keys of a range, or values by name.

    Returns
    -------
    list of (label, value)

    Raises
    ------
    InputError
        It is none of these, or a range with wrong keys or numbers.

    Examples
    --------
    >>> axis_values("side", {"from": 4, "to": 16, "times": 2})
    [(4, 4), (8, 8), (16, 16)]
    """
    if isinstance(axis, Mapping) and set(axis) in _RANGE:
        return [(number, number) for number in _range(name, axis)]
    if isinstance(axis, Mapping):
        _refuse_half_range(name, axis)
        return list(axis.items())
    if isinstance(axis, (list, tuple, range)):
        return [(value if _scalar(value) else str(number), value) for number, value in enumerate(axis, 1)]
    raise InputError(
        f"study: the axis '{name}' must be a list, a range {{from, to, step}} or a table of names, not {shown(axis)}"
    )


def axis_hint(name: str, operation: str, arguments: Sequence[str]) -> str:
    """A hint for an axis that is not an argument of the operation: a router setting, or the most similar argument.

    Parameters
    ----------
    name, operation : str
        The axis, and the operation of the study.
    arguments : sequence of str
        The names of the operation's arguments.

    Returns
    -------
    str
        Part of a message.
    """
    from topoloom.simulation.flits.router_config import RouterConfig

    if operation == "simulate" and name in [field.name for field in described(RouterConfig)]:
        return f"a router setting: set.{name}"
    return hint(name, arguments)


def _refuse_half_range(name: str, axis: Mapping[str, Any]) -> None:
    """Raise an error for a table that is meant as a range but is none; it would be read as a table of named values."""
    keys = list(axis)
    if not keys or not ({"from", "to"} & set(keys) or set(keys) <= _LIKE_RANGE):
        return
    wrong = [key for key in keys if key not in set().union(*_RANGE)]
    missing = [key for key in ("from", "to") if key not in keys]
    if wrong:
        reason = f"{shown(wrong[0])} is not a key of a range"
    elif missing:
        reason = f"the range has no '{missing[0]}'"
    else:
        reason = "a range has either a step or a factor, 'times'"
    raise InputError(f"study: axis {name}: {reason}; write {{ from, to, step }} or {{ from, to, times }}")


def _range(name: str, axis: Mapping[str, Any]) -> list[float]:
    """The values of a range, ends included, by steps or by factors."""
    numbers = list(axis.values())
    if not all(
        isinstance(number, (int, float)) and not isinstance(number, bool) and abs(number) <= _LARGEST
        for number in numbers
    ):
        raise InputError(f"study: the range of axis '{name}' needs numbers up to {_LARGEST:g}")
    first, last = axis["from"], axis["to"]
    by = axis.get("step", axis.get("times"))
    if ("step" in axis and by <= 0) or ("times" in axis and (by <= 1 or first <= 0)) or last < first:
        raise InputError(f"study: the range of axis '{name}' must increase, by a step above 0 or a factor above 1")
    values: list[float] = []
    steps = (last - first) / by if "step" in axis else math.log(last / first) / math.log(by)
    if steps >= _MOST_VALUES:
        raise InputError(f"study: the range of axis '{name}' has {steps + 1:,.0f} values; at most {_MOST_VALUES:,}")
    while True:
        try:
            at_step = first + len(values) * by if "step" in axis else first * by ** len(values)
        except OverflowError:  # far beyond the last value
            return values
        value = at_step if isinstance(at_step, int) else round(at_step, 12)
        if value > last * (1 + 1e-12):
            return values
        values.append(value)


def _scalar(value: Any) -> bool:
    return isinstance(value, (str, int, float, bool)) or value is None
