"""Trees for all destinations, on all cores, in groups that exchange loads after each turn; threads do not change the result."""

from collections.abc import Callable, Iterator

import numpy as np

from topoloom.core.threads import over_cores
from topoloom.core.work import Work

#: Groups of destinations, which know each other's loads of the previous turn. The number is fixed, so that the result does not
#: depend on the number of threads, and small, because loads that are not known yet are not balanced.
_GROUPS = 4
#: Up to this many destinations, all trees are made one after the other.
_SMALL = 512


def make_trees(
    destinations: np.ndarray,
    load: np.ndarray,
    make: Callable[[np.ndarray, np.ndarray, bool], int],
    rounds: int,
    jobs: int | None,
    turn: int = 8,
    *,
    most: int | None = None,
    work: Work,
) -> int:
    """Make the trees of all destinations, then make them again `rounds` times with the loads of all others known.

    Parameters
    ----------
    destinations : int64[k]
        In the order in which they are made.
    load : int64[2 m]
        Pairs over each channel; updated.
    make : callable
        Makes the trees of some destinations. Arguments: the destinations, the loads to update, and whether the trees exist
        already and must be removed first. Returns a count; the counts of the last round are summed.
    rounds : int
    jobs : int or None
        Threads; every core when omitted. No tree depends on them.
    turn : int
        Destinations that a group takes at a time.
    most : int, optional
        The last round ends early if its count is larger: the trees are of no use then.
    work : Work
        Receives the progress of trees.

    Returns
    -------
    int
        The sum of what `make` returned in the last round.

    Raises
    ------
    Stopped
        `work` was stopped before all trees were made.
    """
    if not destinations.size:
        return 0
    work.begin(destinations.size * (rounds + 1), "trees")
    groups = 1 if destinations.size <= _SMALL else _GROUPS
    counted = 0
    for number in range(rounds + 1):
        counted = 0
        for part in np.array_split(destinations, -(-destinations.size // (groups * turn))):
            work.check()
            counted += _one_turn(np.array_split(part, min(groups, part.size)), load, make, number > 0, jobs)
            work.advance(part.size)
            if number == rounds and most is not None and counted > most:
                return counted
    work.check()
    return counted


def _one_turn(
    groups: list[np.ndarray],
    load: np.ndarray,
    make: Callable[[np.ndarray, np.ndarray, bool], int],
    again: bool,
    jobs: int | None,
) -> int:
    if len(groups) == 1:
        return make(groups[0], load, again)
    changes: list[np.ndarray] = [load] * len(groups)
    counts = [0] * len(groups)

    def make_groups(numbers: Iterator[int]) -> None:
        for number in numbers:
            group_load = load.copy()
            counts[number] = make(groups[number], group_load, again)
            changes[number] = group_load - load

    over_cores(make_groups, len(groups), jobs)
    for change in changes:
        load += change
    return sum(counts)
