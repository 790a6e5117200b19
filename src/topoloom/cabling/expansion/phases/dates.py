"""The order of phases: their hosts grow, and their dates follow each other."""

import re
from calendar import monthrange
from collections.abc import Callable, Sequence

import numpy as np

from topoloom.core.errors import InputError

#: A year, a month or a day.
_DATE = re.compile(r"[0-9]{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?)?")


def check_phases(hosts: Sequence[int], by: Sequence[str] = ()) -> None:
    """Refuse phases that do not grow, and dates that are not in order.

    Parameters
    ----------
    hosts : sequence of int
        The hosts after each phase.
    by : sequence of str
        The date of each phase: ``2027``, ``2027-01`` or ``2027-01-15``; empty where none is stated.

    Raises
    ------
    InputError
        The sentence names the phase; or the hosts are no whole numbers, or a date is no text.

    Examples
    --------
    >>> check_phases([1024, 2048], ["2027-01", "2027-07"])
    """
    if not _all(hosts, _is_count):
        raise InputError("the hosts after each phase are whole numbers, as in [1024, 2048]")
    if not _all(by, lambda date: isinstance(date, str)):
        raise InputError('the dates of phases are texts, as in ["2027-01", "2027-07"]')
    if not hosts:
        raise InputError("there is no phase; give the hosts after each phase, as in 1024, 2048")
    if hosts[0] < 1:
        raise InputError(f"phase 1 has {hosts[0]:,} hosts; every phase needs at least one")
    for number in range(1, len(hosts)):
        if hosts[number] <= hosts[number - 1]:
            raise InputError(
                f"phase {number + 1} has {hosts[number]:,} hosts and phase {number} {hosts[number - 1]:,}; every phase must"
                " have more hosts than the phase before"
            )
    if by and len(by) != len(hosts):
        raise InputError(f"there are {len(by)} dates for {len(hosts)} phases; give one date for each phase, or none")
    earlier = ""
    for number, date in enumerate(by, 1):
        if date and not _DATE.fullmatch(date):
            raise InputError(f"phase {number} is needed by {date[:40]!r}; write a date as 2027, 2027-01 or 2027-01-15")
        if len(date) == len("2027-01-15") and int(date[8:]) > monthrange(int(date[:4]) or 4, int(date[5:7]))[1]:
            raise InputError(f"phase {number} is needed by {date}, a day that its month does not have")
        if date and date == earlier:
            raise InputError(
                f"phase {number} is needed by {date}, as the phase before; make both one phase, or write the month or day"
            )
        # A month is later than none of its days: 2027-01 and 2027-01-15 may follow each other either way.
        if date and earlier and date[: len(earlier)] < earlier[: len(date)]:
            raise InputError(
                f"phase {number} is needed by {date}, before an earlier phase ({earlier}); put the phases in the order of"
                " their dates"
            )
        earlier = date or earlier


def _is_count(value: object) -> bool:
    """Whether a value is a whole number."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _all(values: object, fits: Callable[[object], bool]) -> bool:
    """Whether a value is a list, all of whose elements fit."""
    return isinstance(values, list | tuple | np.ndarray) and all(map(fits, values))
