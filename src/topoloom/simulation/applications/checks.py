"""What Python callers give by mistake, refused in a sentence before anything runs."""

import math
from numbers import Integral, Real
from typing import Any

from topoloom.core.errors import InputError
from topoloom.core.settings import shown
from topoloom.core.work import Work
from topoloom.simulation.applications.processes import ProcessLimits


def check_kind(name: str, value: Any, kinds: type | tuple[type, ...], what: str) -> None:
    """Refuse a value that is of none of the types.

    Parameters
    ----------
    name : str
        The parameter, for the message.
    value : object
        What was given.
    kinds : type or tuple of types
        What may be given.
    what : str
        That in words.

    Raises
    ------
    InputError
        It is none of them.

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
    """Refuse what is no text, and texts with a zero byte, which no file's name may have.

    Parameters
    ----------
    name : str
        The parameter, for the message.
    value : object
        What was given.
    what : str
        In words, what may be given.

    Raises
    ------
    InputError
        It is no text, or holds a zero byte.
    """
    if not isinstance(value, str) or "\0" in value:
        raise InputError(f"{name}={shown(value)}: give {what}")


def check_whole(name: str, value: Any, least: int, *, none: bool = False) -> None:
    """Refuse what is no whole number from `least` on; with `none`, None may be.

    Parameters
    ----------
    name : str
        The parameter, for the message.
    value : object
        What was given; True and False are no numbers.
    least : int
        The smallest that may be given.
    none : bool
        Whether None may be given, too.

    Raises
    ------
    InputError
        It is none of these.
    """
    if none and value is None:
        return
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise InputError(f"{name}={shown(value)}: give a whole number from {least} on")


def limits_of(time_limit_s: Any, work: Work | None) -> ProcessLimits:
    """The limits of processes.

    Raises
    ------
    InputError
        `time_limit_s` is no number above 0.
    """
    known = isinstance(time_limit_s, Real) and not isinstance(time_limit_s, bool)
    if not known or math.isnan(time_limit_s) or time_limit_s <= 0:
        raise InputError(f"time_limit_s={shown(time_limit_s)}: give a number of seconds above 0")
    return ProcessLimits(float(time_limit_s), Work() if work is None else work)
