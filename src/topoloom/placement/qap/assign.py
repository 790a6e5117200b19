"""The quadratic assignment problem: facilities onto places, so that what flows much does not flow far.

Racks onto the places of a floor, with the cables between two racks as their flow. Simulated annealing finds good
assignments, robust tabu search (Taillard 1991) makes them better.
"""

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.core.searches import ENDLESS, Budget, Search, run_searches
from topoloom.core.threads import cores
from topoloom.core.work import Ended, Work
from topoloom.model.results import Provenance, Result, json_value
from topoloom.placement.qap.problem import matrices, problem
from topoloom.placement.qap.search import MOST_ITERATIONS, Annealing, AnnealingThenTabu, Tabu

METHODS = ("anneal", "tabu", "both")
#: Runs without `seconds`: a fixed number, for the answer must not depend on the cores.
RUNS = 4
#: Annealing moves of a run with `seconds`, in units of m^2: longer runs gain less than more runs.
_LONG = 3000
#: An iteration of tabu search takes as long as so many annealing moves, in units of m; each has half of a run's time.
_ITERATION = 2.5
#: More places than this are annealed only: tabu search would need gigabytes, and minutes for a few iterations.
_MOST_TABU = 2048


@dataclass(frozen=True, eq=False)
class Assignment(Result):
    """Facilities on places.

    Attributes
    ----------
    place : int32[n]
        The place of each facility; no two are the same.
    cost : float
        The sum over all ordered pairs of flow[i, j] * distance[place[i], place[j]].
    ended : "done", "deadline" or "interrupted"
        Whether the search went through, or `work` ended it early.
    """

    record_name = "assignment"

    place: np.ndarray
    cost: float
    ended: Ended = "done"
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    def rows(self) -> list[dict[str, Any]]:
        """One row per facility: ``facility`` and ``place``."""
        return [{"facility": number, "place": place} for number, place in enumerate(self.place.tolist())]


def assign(
    flow: Any,
    distance: Any,
    method: str = "both",
    start: Any = None,
    seed: int = 1,
    seconds: float | None = None,
    moves: int | None = None,
    jobs: int | None = None,
    *,
    runs: int | None = None,
    work: Work | None = None,
) -> Assignment:
    """A good assignment of n facilities to m >= n places; which places stay empty is part of the search.

    Parameters
    ----------
    flow : float[n, n]
        An array or a SciPy sparse matrix.
    distance : float[m, m]
        One of the two matrices must be symmetric.
    method : "anneal", "tabu" or "both"
        "both" is annealing, then robust tabu search from its best (above 2,048 places annealing only).
    start : int[n], optional
        An assignment to begin with; the answer is never worse.
    seed : int
    seconds : float, optional
        Use so much time, on every core, in ever new runs: the answer depends on the machine. Left out, four runs of a
        fixed length give the same answer on every machine.
    moves : int, optional
        The length of each of those four: exchanges that annealing tries (tabu search, which tries all of them at once,
        makes moves / 2.5 m). Left out, a second or two for 100 places and some seconds for 500.
    jobs : int, optional
        Threads; every core when omitted.
    runs : int, optional
        So many in the place of four.
    work : Work, optional
        Told of the runs; when it is stopped the best so far is the answer.

    Raises
    ------
    InputError
        The matrices do not fit, or are both asymmetric; `start` is no assignment; `method`, `seconds`, `moves` or `runs`
        makes no sense.

    Examples
    --------
    >>> ring = [[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]]
    >>> row = [[abs(i - j) for j in range(4)] for i in range(4)]
    >>> assign(ring, row).cost
    12.0
    """
    _check_search(method, seconds, moves, runs)
    flow, distance = matrices(flow, distance)
    n, m = len(flow), len(distance)
    first = np.arange(n) if start is None else _checked_place(start, n, m, "start")
    candidates = [first]
    work = Work() if work is None else work
    began = time.monotonic()
    if n > 0 and m > 1:
        given = None if start is None else np.append(first, np.setdiff1d(np.arange(m), first))
        task = problem(flow, distance)
        if method == "both" and m > _MOST_TABU:
            method = "anneal"
        threads = cores(jobs)
        until = ENDLESS if seconds is None else time.monotonic() + seconds
        annealing_moves, tabu_moves = _lengths(m, moves, seconds)

        def search(number: int) -> Search:
            draws = Draws(seed, number)
            place = draws.permutation(m) if given is None else given
            if method == "tabu":
                return Tabu(task, place, draws, Budget(tabu_moves if seconds is None else MOST_ITERATIONS, until))
            if method == "anneal":
                return Annealing(task, place, draws, Budget(annealing_moves, until))
            halfway = (time.monotonic() + until) / 2
            return AnnealingThenTabu(task, place, draws, Budget(annealing_moves, halfway), Budget(tabu_moves, until))

        together = threads if seconds is not None else RUNS if runs is None else runs
        found = run_searches(search, together, threads, until, what="runs of mapping", work=work)
        candidates.append(found[:n])
    priced = [(_cost(flow, distance, place), place) for place in candidates]
    best, place = min(priced, key=lambda pair: pair[0])
    provenance = Provenance(
        seed=seed,
        settings=json_value({"method": method, "seconds": seconds, "moves": moves, "runs": runs}),
        timings={"seconds": time.monotonic() - began},
    )
    return Assignment(place.astype(np.int32), best, work.ended, provenance)


def cost(flow: Any, distance: Any, place: Any) -> float:
    """What an assignment costs: the sum over all ordered pairs of flow[i, j] * distance[place[i], place[j]].

    Parameters
    ----------
    flow : float[n, n]
        Between facilities.
    distance : float[places, places]
        Between places, at least as many as facilities.
    place : int[n]
        The place of each facility, none twice.

    Returns
    -------
    float
        In units of flow times distance.

    Raises
    ------
    InputError
        The matrices do not fit, or `place` (int[n]) is no assignment.

    Examples
    --------
    >>> cost([[0, 3], [3, 0]], [[0, 5, 1], [5, 0, 2], [1, 2, 0]], [2, 0])
    6.0
    """
    flow, distance = matrices(flow, distance)
    return _cost(flow, distance, _checked_place(place, len(flow), len(distance), "place"))


def _cost(flow: np.ndarray, distance: np.ndarray, place: np.ndarray) -> float:
    return float(np.sum(flow * distance[np.ix_(place, place)]))


def _lengths(m: int, moves: int | None, seconds: float | None) -> tuple[int, int]:
    """Moves of annealing and iterations of tabu search in a run that has both."""
    if seconds is not None:
        moves = max(_LONG * m * m, 10_000_000)
    if moves is not None:
        return moves, min(1 + int(moves / (_ITERATION * m)), MOST_ITERATIONS)
    moves = max(2 * m * m, min(4000 * m * m, 10_000_000, 4_000_000_000 // m))
    return moves, 1 + min(int(moves / (_ITERATION * m)), 2_000_000_000 // (m * m))


def _check_search(method: str, seconds: float | None, moves: int | None, runs: int | None) -> None:
    if method not in METHODS:
        raise InputError(f"method '{method}'; known are {', '.join(METHODS)}")
    if seconds is not None and (moves is not None or runs is not None):
        raise InputError("give seconds, or moves and runs, not both")
    if seconds is not None and not 0 < seconds < float("inf"):
        raise InputError(f"seconds={seconds}: a search needs some time, and an end")
    if moves is not None and moves < 1:
        raise InputError(f"moves={moves}: a search needs at least one")
    if runs is not None and runs < 1:
        raise InputError(f"runs={runs}: a search needs at least one")


def _checked_place(place: Any, n: int, m: int, name: str) -> np.ndarray:
    """int64[n]: different places below m."""
    found = np.asarray(place)
    if found.shape != (n,) or not (found.size == 0 or np.issubdtype(found.dtype, np.integer)):
        raise InputError(f"{name} must hold {n} whole numbers, the place of each facility")
    if found.size and (found.min() < 0 or found.max() >= m or np.unique(found).size != n):
        raise InputError(f"{name} must hold {n} different places from 0 to {m - 1}")
    return found.astype(np.int64)
