"""Structured starts: the best of Cayley graphs, circulants, voltage lifts, algebraic graphs and random ones."""

import math

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.core.searches import Budget, Search
from topoloom.graph.moore import moore_diameter, moore_within
from topoloom.model.topology import Topology
from topoloom.optimizer.rules import GraphRules, moves_of
from topoloom.optimizer.searches.hop_search import COLD, HOT, HopSearch
from topoloom.optimizer.searches.successive_halving import SearchMethod
from topoloom.optimizer.structures.algebraic import algebraic, resized
from topoloom.optimizer.structures.groups import Group, groups_of
from topoloom.optimizer.structures.lift_search import LiftSearch
from topoloom.optimizer.structures.module_groups import groups_of_modules
from topoloom.topologies.spec import build

#: Most groups per order, and their largest order (a table of 4 MiB).
_GROUPS, _MOST_ORDER = 24, 1024
#: Classes times degree of the best lifts over many orders and degrees; lifts near this value are tried first.
_DARTS = 32
#: Moves per lift in the first round, and rounds, which determine the number of lifts for a budget; and its limits.
_FIRST_MOVES, _ROUNDS = 2000, 5
_LEAST_LIFTS, _MOST_LIFTS = 6, 120
#: Nanoseconds of a move, plus one per link end.
_MOVE_NS = 1000
#: The first and the last temperature for graphs with structure (see `hop_search.HOT`); random ones start hotter.
COOL = (0.055, 0.015)
#: The name of annealing without structure.
RANDOM = "random"
#: An order with fewer divisors than this also uses lifts of nearby orders (differences), trimmed or extended.
_FEW_DIVISORS, _NEARBY = 6, (-1, 1, -2, 2)


def candidates(switches: int, degree: int, threads: int, seconds: float | None, moves: int) -> list[SearchMethod]:
    """Return the methods to make a graph of this order and degree that the threads can try in the given time or moves.

    Cayley graphs and lifts over many groups (`LiftSearch`), algebraic graphs of about the same order, trimmed or extended and
    annealed, and annealing from a random graph; `SuccessiveHalving` finds the best. If order and degree are odd, one switch has
    one link less.

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
        Annealing from random and from algebraic graphs first, then lifts.

    Raises
    ------
    InputError
        The degree is below 2, or not below the number of switches.
    """
    if not 2 <= degree < switches:
        raise InputError(f"degree {degree} for {switches} switches: choose 2 to {switches - 1}")
    lifts = threads * _affordable(switches, degree, seconds, moves)
    return [*_unlifted(switches, degree), *_lifts(switches, degree, lifts)]


def order_share(methods: list[SearchMethod], number: int, threads: int) -> list[SearchMethod]:
    """The candidates of chain `number`, if there is one chain per thread.

    Parameters
    ----------
    methods : list of SearchMethod
        All candidates.
    number : int
        The chain, from 0.
    threads : int
        Number of chains.

    Returns
    -------
    list of SearchMethod
        Every `threads`-th one; all if that gives none.
    """
    return methods[number % threads :: threads] or methods


def least(switches: int, degree: int) -> tuple[float, float]:
    """Moore's and Cerf's bounds as a cost: (diameter, hops), hops the sum over ordered pairs.

    Examples
    --------
    >>> least(10, 3)  # the Petersen graph
    (2, 150)
    """
    hops = sum(switches - within for within in moore_within(switches, degree))
    return moore_diameter(switches, degree), switches * hops


def _affordable(switches: int, degree: int, seconds: float | None, moves: int) -> int:
    """The number of lifts that one thread can try in the first round."""
    if seconds is None:
        runs = moves / (_ROUNDS * _FIRST_MOVES)
    else:
        runs = seconds * 1e9 / _ROUNDS / (_FIRST_MOVES * (_MOVE_NS + switches * degree))
    return max(_LEAST_LIFTS, min(int(runs), _MOST_LIFTS))


def _unlifted(switches: int, degree: int) -> list[SearchMethod]:
    """The methods without lifts: annealing from a random graph, and from the algebraic ones."""
    plain = f"jellyfish:n={switches},degree={degree},seed="

    def random(draws: Draws, budget: Budget) -> Search:
        return _polish(build(f"{plain}{draws.below(1 << 31, 1)[0]}").links, switches, degree, draws, budget)

    def from_spec(spec: str) -> SearchMethod:
        def start(draws: Draws, budget: Budget) -> Search | None:
            links = resized(build(spec), switches, degree, draws)
            return None if links is None else _polish(links, switches, degree, draws, budget, COOL)

        return SearchMethod(f"{spec}, {switches} switches", start)

    return [SearchMethod(RANDOM, random), *map(from_spec, algebraic(switches, degree))]


def _lifts(switches: int, degree: int, most: int) -> list[SearchMethod]:
    """Lifts of this order; if it has few divisors, or no regular graph, also lifts of nearby orders, resized.

    Groups of modules are additional ones, half as many as others.
    """
    divisors = [b for b in range(1, switches) if switches % b == 0]
    even = switches * degree % 2 == 0
    orders = [switches] if even and len(divisors) >= _FEW_DIVISORS else [switches, *(switches + s for s in _NEARBY)]
    methods: dict[str, SearchMethod] = {}
    for groups, share in ((groups_of, 1), (groups_of_modules, 2)):
        ranked: list[tuple[float, int, SearchMethod]] = []
        for order in orders:
            for classes in (b for b in range(1, order) if order % b == 0 and order // b <= _MOST_ORDER):
                for place, group in enumerate(groups(order // classes, _GROUPS)):
                    penalty = abs(math.log(classes * degree / _DARTS)) + 0.1 * place
                    ranked.append((penalty, len(ranked), _lift(group, classes, switches, degree)))
        for _, _, method in sorted(ranked)[: -(-most // share)]:
            methods.setdefault(method.name, method)
    return list(methods.values())


def _lift(group: Group, classes: int, switches: int, degree: int) -> SearchMethod:
    name = f"lift over {group.name}, {classes} classes" if classes > 1 else f"Cayley graph of {group.name}"
    bound = least(switches, degree)

    def start(draws: Draws, budget: Budget) -> Search:
        return LiftSearch(group, classes, degree, draws, budget, bound)

    def start_fitted(draws: Draws, budget: Budget) -> Search:
        half = _FirstHalf(budget)
        return _FittedLift(LiftSearch(group, classes, degree, draws, half), switches, degree, draws, budget)

    exact = classes * group.order == switches and switches * degree % 2 == 0
    return (
        SearchMethod(name, start, start_fitted) if exact else SearchMethod(f"{name}, {switches} switches", start_fitted)
    )


def _polish(
    links: np.ndarray, switches: int, degree: int, draws: Draws, budget: Budget, heat: tuple[float, float] = (HOT, COLD)
) -> HopSearch:
    """Start plain annealing from given links."""
    start = moves_of(Topology(links=links, switches=switches), GraphRules())
    return HopSearch(start, draws, budget, least(switches, degree), hot=heat[0], cold=heat[1])


class _FirstHalf(Budget):
    """The first half of another budget."""

    def __init__(self, whole: Budget) -> None:
        super().__init__(whole.moves // 2, work=whole.work)
        self._whole = whole

    @property
    def share(self) -> float:
        """The used share of the half."""
        return min(1.0, max(super().share, 2 * self._whole.share))


class _FittedLift:
    """Search a lift of another order, or with free ports, for half of a budget; then resize and anneal it."""

    def __init__(self, lift: LiftSearch, switches: int, degree: int, draws: Draws, budget: Budget) -> None:
        self._lift, self._switches, self._degree, self._draws, self._budget = lift, switches, degree, draws, budget
        self._polish: HopSearch | None = None
        self._failed = False

    @property
    def best(self) -> np.ndarray:
        return np.empty((0, 2), np.int32) if self._polish is None else self._polish.best

    @property
    def cost(self) -> tuple[float, ...]:
        return (np.inf, np.inf) if self._polish is None else self._polish.cost

    @property
    def share(self) -> float:
        return self._budget.share if self._polish is None else self._polish.share

    @property
    def done(self) -> bool:
        return self._failed if self._polish is None else self._polish.done

    def step(self) -> None:
        """Make a step of the current search."""
        if self._polish is not None:
            self._polish.step()
        elif not self._lift.done:
            self._lift.step()
        else:
            self._budget.spent += self._lift.moves
            graph = Topology(links=self._lift.best, switches=self._lift.switches)
            links = resized(graph, self._switches, self._degree, self._draws)
            if links is None:
                self._failed = True
            else:
                self._polish = _polish(links, self._switches, self._degree, self._draws, self._budget, COOL)
