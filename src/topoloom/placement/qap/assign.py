"""The quadratic assignment problem (QAP): assign facilities to places so that large flows have short distances.

Here racks are assigned to the places of a floor, with the number of cables between two racks as their flow. Simulated
annealing finds good assignments, and robust tabu search (Taillard 1991) improves them.
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
#: Number of runs without `seconds`: fixed, because the result must not depend on the number of cores.
RUNS = 4
#: Annealing moves of a run with `seconds`, in units of m^2: longer runs gain less than more runs.
_LONG = 3000
#: Time of a tabu iteration in annealing moves, in units of m; each method has half of a run's time.
_ITERATION = 2.5
#: Most places for tabu search: for more, it would need gigabytes, and minutes for a few iterations.
_MOST_TABU = 2048


@dataclass(frozen=True, eq=False)
class Assignment(Result):
    """An assignment of facilities to places.

    Attributes
    ----------
    place : int32[n]
        The place of each facility; no two are equal.
    cost : float
        The sum over all ordered pairs of flow[i, j] * distance[place[i], place[j]].
    ended : "done", "deadline" or "interrupted"
        "done" if the search was completed; otherwise why `work` ended it early.
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
    """A good assignment of n facilities to m >= n places; the search also decides which places stay empty.

    Parameters
    ----------
    flow : float[n, n]
        An array or a SciPy sparse matrix.
    distance : float[m, m]
        One of the two matrices must be symmetric.
    method : "anneal", "tabu" or "both"
        "both" is annealing, then robust tabu search from its result (above 2,048 places, annealing only).
    start : int[n], optional
        An assignment to start from; the result is never worse.
    seed : int
    seconds : float, optional
        Time to use, on every core, in ever more runs: the result depends on the machine. If omitted, four runs of a fixed
        length give the same result on every machine.
    moves : int, optional
        The length of each of those four runs: exchanges that annealing tries (tabu search, which tries all exchanges at once,
        makes moves / 2.5 m iterations). If omitted, a second or two for 100 places and some seconds for 500.
    jobs : int, optional
        Number of threads; one per core when omitted.
    runs : int, optional
        Number of runs instead of four.
    work : Work, optional
        Reports the runs; when it is stopped, the best assignment so far is returned.

    Raises
    ------
    InputError
        The matrices do not match, or neither is symmetric; `start` is not an assignment; `method`, `seconds`, `moves` or
        `runs` is out of range.

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
        start_places = None if start is None else np.append(first, np.setdiff1d(np.arange(m), first))
        task = problem(flow, distance)
        if method == "both" and m > _MOST_TABU:
            method = "anneal"
        threads = cores(jobs)
        until = ENDLESS if seconds is None else time.monotonic() + seconds
        annealing_moves, tabu_moves = _lengths(m, moves, seconds)

        def search(number: int) -> Search:
            draws = Draws(seed, number)
            place = draws.permutation(m) if start_places is None else start_places
            if method == "tabu":
                return Tabu(task, place, draws, Budget(tabu_moves if seconds is None else MOST_ITERATIONS, until))
            if method == "anneal":
                return Annealing(task, place, draws, Budget(annealing_moves, until))
            halfway = (time.monotonic() + until) / 2
            return AnnealingThenTabu(task, place, draws, Budget(annealing_moves, halfway), Budget(tabu_moves, until))

        together = threads if seconds is not None else RUNS if runs is None else runs
        assigned = run_searches(search, together, threads, until, what="runs of mapping", work=work)
        candidates.append(assigned[:n])
    priced = [(_cost(flow, distance, place), place) for place in candidates]
    best, place = min(priced, key=lambda pair: pair[0])
    provenance = Provenance.of_run(
        seed=seed,
        settings=json_value({"method": method, "seconds": seconds, "moves": moves, "runs": runs}),
        timings={"seconds": time.monotonic() - began},
    )
    return Assignment(place.astype(np.int32), best, work.ended, provenance)


def cost(flow: Any, distance: Any, place: Any) -> float:
    """The cost of an assignment: the sum over all ordered pairs of flow[i, j] * distance[place[i], place[j]].

    Parameters
    ----------
    flow : float[n, n]
        Flows between facilities.
    distance : float[places, places]
        Distances between places, at least as many as facilities.
    place : int[n]
        The place of each facility; no two are equal.

    Returns
    -------
    float
        In units of flow times distance.

    Raises
    ------
    InputError
        The matrices do not match, or `place` (int[n]) is not an assignment.

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
    """Moves of annealing and iterations of tabu search in a run of both."""
    if seconds is not None:
        moves = max(_LONG * m * m, 10_000_000)
    if moves is not None:
        return moves, min(1 + int(moves / (_ITERATION * m)), MOST_ITERATIONS)
    moves = max(2 * m * m, min(4000 * m * m, 10_000_000, 4_000_000_000 // m))
    return moves, 1 + min(int(moves / (_ITERATION * m)), 2_000_000_000 // (m * m))


def _check_search(method: str, seconds: float | None, moves: int | None, runs: int | None) -> None:
    if method not in METHODS:
        raise InputError(f"method '{method}'; give one of {', '.join(METHODS)}")
    if seconds is not None and (moves is not None or runs is not None):
        raise InputError("give seconds, or moves and runs, not both")
    if seconds is not None and not 0 < seconds < float("inf"):
        raise InputError(f"seconds={seconds}: give a finite number above 0")
    if moves is not None and moves < 1:
        raise InputError(f"moves={moves}: give 1 or more")
    if runs is not None and runs < 1:
        raise InputError(f"runs={runs}: give 1 or more")


def _checked_place(place: Any, n: int, m: int, name: str) -> np.ndarray:
    """`place` as int64[n], checked: different places below m."""
    places = np.asarray(place)
    if places.shape != (n,) or not (places.size == 0 or np.issubdtype(places.dtype, np.integer)):
        raise InputError(f"{name} must hold {n} whole numbers, the place of each facility")
    if places.size and (places.min() < 0 or places.max() >= m or np.unique(places).size != n):
        raise InputError(f"{name} must hold {n} different places from 0 to {m - 1}")
    return places.astype(np.int64)
