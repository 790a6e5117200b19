"""Checks of arguments of the Python functions: mistakes are refused in one sentence before anything runs."""

import math
from numbers import Integral, Real
from typing import Any

from topoloom.core.errors import InputError
from topoloom.core.settings import shown
from topoloom.core.work import Work
from topoloom.simulation.applications.processes import ProcessLimits


def check_kind(name: str, value: Any, kinds: type | tuple[type, ...], what: str) -> None:
    """Refuse a value that has none of the types.

    Parameters
    ----------
    name : str
        The parameter, for the message.
    value : object
        The given value.
    kinds : type or tuple of types
        The accepted types.
    what : str
        The accepted values in words, for the message.

    Raises
    ------
    InputError
        The value has none of the types.

    Examples
    --------
    >>> check_kind("layout", 3, str, "a Layout")
    Traceback (most recent call last):
        ...
    topoloom.core.errors.InputError: layout=3: give a Layout
    """
    if not isinstance(value, kinds):
        raise InputError(f"{name}={shown(value)}: give {what}")


def check_words(name: str, value: Any, what: str) -> None:
    """Refuse a value that is not a text, and texts with a zero byte, which file names cannot have.

    Parameters
    ----------
    name : str
        The parameter, for the message.
    value : object
        The given value.
    what : str
        The accepted values in words, for the message.

    Raises
    ------
    InputError
        The value is not a text, or contains a zero byte.
    """
    if not isinstance(value, str) or "\0" in value:
        raise InputError(f"{name}={shown(value)}: give {what}")


def check_whole(name: str, value: Any, least: int, *, none: bool = False) -> None:
    """Refuse a value that is not a whole number of at least `least`; with `none`, None is accepted.

    Parameters
    ----------
    name : str
        The parameter, for the message.
    value : object
        The given value; True and False do not count as numbers.
    least : int
        The smallest accepted value.
    none : bool
        Whether None is accepted, too.

    Raises
    ------
    InputError
        The value is not accepted.
    """
    if none and value is None:
        return
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise InputError(f"{name}={shown(value)}: give a whole number of at least {least}")


def limits_of(time_limit_s: Any, work: Work | None) -> ProcessLimits:
    """Return the limits of processes.

    Raises
    ------
    InputError
        `time_limit_s` is not a number above 0.
    """
    is_number = isinstance(time_limit_s, Real) and not isinstance(time_limit_s, bool)
    if not is_number or math.isnan(time_limit_s) or time_limit_s <= 0:
        raise InputError(f"time_limit_s={shown(time_limit_s)}: give a number of seconds above 0")
    return ProcessLimits(float(time_limit_s), Work() if work is None else work)
