"""The order of phases: their hosts grow, and their dates follow each other."""

import re
from collections.abc import Sequence

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
        The sentence names the phase.

    Examples
    --------
    >>> check_phases([1024, 2048], ["2027-01", "2027-07"])
    """
    if not hosts:
        raise InputError("there is no phase; give the hosts after each phase, as in 1024, 2048")
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
        # A month is later than none of its days: 2027-01 and 2027-01-15 may follow each other either way.
        if date and earlier and date[: len(earlier)] < earlier[: len(date)]:
            raise InputError(
                f"phase {number} is needed by {date}, before an earlier phase ({earlier}); put the phases in the order of"
                " their dates"
            )
        earlier = date or earlier
