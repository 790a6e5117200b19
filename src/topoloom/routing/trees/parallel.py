"""Trees for all destinations, side by side on all cores, with loads that are shared now and then: the same for any threads."""

from collections.abc import Callable, Iterator

import numpy as np

from topoloom.threads import over_cores

#: Groups of destinations that know each other's loads of the turn before: fixed, so that the answer does not depend on the
#: number of threads, and few, for what is not known yet is not balanced.
_GROUPS = 4
#: Up to so many switches all trees are made one after the other.
_SMALL = 512


def spread(
    destinations: np.ndarray,
    load: np.ndarray,
    make: Callable[[np.ndarray, np.ndarray, bool], int],
    rounds: int,
    jobs: int | None,
    turn: int = 8,
) -> int:
    """Make the trees of all destinations, and `rounds` times anew with the loads of the others known.

    Parameters
    ----------
    destinations : int64[k]
        In the order in which they are made.
    load : int64[2 m]
        Pairs over each channel; kept in step.
    make : callable
        Makes the trees of some destinations: given them, loads of its own to add to, and whether trees are made anew, which
        it takes out first. Returns a count; those of the last round are summed up.
    turn : int
        Destinations that a group takes at a time.
    """
    if not destinations.size:
        return 0
    groups = 1 if destinations.size <= _SMALL else _GROUPS
    counted = 0
    for number in range(rounds + 1):
        counted = sum(
            _turn(np.array_split(part, min(groups, part.size)), load, make, number > 0, jobs)
            for part in np.array_split(destinations, -(-destinations.size // (groups * turn)))
        )
    return counted


def _turn(
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

    def work(numbers: Iterator[int]) -> None:
        for number in numbers:
            own = load.copy()
            counts[number] = make(groups[number], own, again)
            changes[number] = own - load

    over_cores(work, len(groups), jobs)
    for change in changes:
        load += change
    return sum(counts)
