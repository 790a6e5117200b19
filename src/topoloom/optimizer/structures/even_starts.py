"""Structured starts for throughput: Cayley graphs and lifts, annealed for even loads of uniform traffic."""

import math

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.core.searches import Budget, Search
from topoloom.optimizer.searches.even_search import EvenSearch
from topoloom.optimizer.searches.successive_halving import SearchMethod
from topoloom.optimizer.structures.groups import Group, groups_of
from topoloom.optimizer.structures.lifts import drawn_lift

#: Most and fewest groups per order, most elements of their tables together, and the largest order (a table of 16 MiB).
_GROUPS, _LEAST_GROUPS, _ELEMENTS, _MOST_ORDER = 16, 5, 1 << 24, 2048
#: Most classes of lifts to try, and the number that is best if there is time (docs/how-to/optimize-for-all-to-all.md).
_MOST_CLASSES, _BEST_CLASSES = 16, 2.5
#: The penalty of a group's rank, in logarithms of classes.
_LATER = 0.1
#: Fewest and most candidates per thread.
_LEAST, _MOST = 4, 40
#: Nanoseconds of a move per switch, link end and class; moves of a candidate in the first round; and rounds.
_SLOT_NS, _FIRST_MOVES, _ROUNDS = 8.0, 1500, 4


def even_candidates(switches: int, degree: int, threads: int, seconds: float | None, moves: int) -> list[SearchMethod]:
    """Return groups and numbers of classes whose lifts have this order and degree, as many as fit the budget.

    Parameters
    ----------
    switches, degree : int
    threads : int
    seconds : float or None
        The time of each thread.
    moves : int
        Moves per thread, without a time budget.

    Returns
    -------
    list of SearchMethod
        Sorted by experience over many orders, the best first.

    Raises
    ------
    InputError
        No regular graph has this order and degree, or no group was found.
    """
    if not 2 <= degree < switches or switches * degree % 2:
        raise InputError(
            f"start='structured': no graph of {switches} switches has {degree} links per switch; use start='given'"
        )
    ranked: list[tuple[float, int, SearchMethod]] = []
    for classes in range(1, min(switches // 2, _MOST_CLASSES) + 1):
        order = switches // classes
        if switches % classes == 0 and order <= _MOST_ORDER:
            # The fewer elements commute, the fewer paths coincide: two steps in one order and in the other.
            groups = groups_of(order, max(_LEAST_GROUPS, min(_GROUPS, _ELEMENTS // order**2)))
            groups.sort(key=lambda group: float((group.times == group.times.T).mean()))
            for place, group in enumerate(groups):
                if classes * degree % 2 == 0 or group.involutions.size:
                    penalty = abs(math.log(classes / _BEST_CLASSES)) + _LATER * place
                    ranked.append((penalty, len(ranked), _candidate(group, classes, degree)))
    if not ranked:
        raise InputError(f"start='structured': no group fits {switches} switches of {degree} links; use start='given'")
    if seconds is None:
        runs = moves / (_ROUNDS * _FIRST_MOVES)
    else:
        runs = seconds * 1e9 / (_ROUNDS * _FIRST_MOVES * _SLOT_NS * switches * degree * _BEST_CLASSES)
    most = threads * max(_LEAST, min(int(runs), _MOST))
    return [method for _, _, method in sorted(ranked)[:most]]


def _candidate(group: Group, classes: int, degree: int) -> SearchMethod:
    name = f"lift over {group.name}, {classes} classes" if classes > 1 else f"Cayley graph of {group.name}"

    def start(draws: Draws, budget: Budget) -> Search | None:
        lift = drawn_lift(group, classes, degree, draws.state())
        return None if lift is None else EvenSearch(lift, group, np.ones(classes * group.order), draws, budget)

    return SearchMethod(name, start)
