"""The quadratic assignment problem: costs, kernels, searches and what they refuse."""

import itertools
import time
from itertools import permutations

import numpy as np
import pytest

from topoloom import InputError
from topoloom.core.random_streams import Draws
from topoloom.placement.qap.assign import METHODS, assign, cost
from topoloom.placement.qap.kernels import annealing
from topoloom.placement.qap.problem import problem
from topoloom.placement.qap.search import Annealing, Budget, Tabu


def random_problem(n, m, seed=1, scale=1.0, density=0.7, sides="both"):
    """Whole numbers times `scale`; `sides` says which matrices are symmetric: both, flow or distance."""
    draws = Draws(seed)
    flow = draws.below(30, n * n).reshape(n, n) * (draws.uniform(n * n).reshape(n, n) < density)
    distance = draws.below(20, m * m).reshape(m, m)
    np.fill_diagonal(flow, 0)
    np.fill_diagonal(distance, 0)
    if sides in {"both", "flow"}:
        flow = flow + flow.T
    if sides in {"both", "distance"}:
        distance = distance + distance.T
    return flow * scale, distance * scale


def least_cost(flow, distance):
    n, m = len(flow), len(distance)
    return min(cost(flow, distance, place) for place in permutations(range(m), n))


@pytest.mark.sweep(7)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("n", "m"), [(2, 2), (3, 3), (1, 4), (2, 6), (5, 7), (6, 6), (7, 7)])
def test_small_problems_are_solved(method, n, m):
    """The answer costs what the best of all assignments does, empty places included."""
    for seed in range(3):
        flow, distance = random_problem(n, m, seed)
        found = assign(flow, distance, method, moves=20_000, jobs=1)
        assert found.cost == least_cost(flow, distance)
        assert found.cost == cost(flow, distance, found.place)
        assert found.place.dtype == np.int32
        assert np.unique(found.place).size == n


@pytest.mark.parametrize("sides", ["flow", "distance"])
def test_one_asymmetric_matrix_is_as_good_as_its_symmetric_part(sides):
    """Only X + X^T matters beside a symmetric matrix."""
    flow, distance = random_problem(6, 6, sides=sides)
    assert assign(flow, distance, moves=20_000, jobs=1).cost == least_cost(flow, distance)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("scale", [0.3, 1 / 3, np.pi, 1e7, 1e-3])
def test_numbers_need_not_be_whole(scale):
    """Lengths in metres, thirds and huge numbers (rounded inside) are solved all the same."""
    flow, distance = random_problem(6, 7, 4, scale)
    assert assign(flow, distance, moves=20_000, jobs=1).cost == pytest.approx(least_cost(flow, distance), rel=1e-12)


def test_lengths_on_a_floor_become_small_whole_numbers():
    """Steps of 0.6 m and 2.1 m are 2 and 7 thirds of a step: exact in float32. An irrational distance takes float64."""
    _, distance = random_problem(3, 3)
    flow = np.array([[0, 40, 0], [40, 0, 80], [0, 80, 0]])
    whole = problem(flow, np.array([[0, 0.6, 2.7], [0.6, 0, 2.1], [2.7, 2.1, 0]]))
    assert whole.distance.tolist() == [[0, 2, 9], [2, 0, 7], [9, 7, 0]]
    assert whole.flow[:3, :3].tolist() == [[0, 1, 0], [1, 0, 2], [0, 2, 0]]
    assert whole.flow.dtype == np.float32
    assert problem(flow * np.pi, distance * np.pi).flow.dtype == np.float64


@pytest.mark.parametrize("scale", [1, np.pi])
@pytest.mark.parametrize("density", [0.9, 0.02])
@pytest.mark.parametrize(("n", "m"), [(40, 40), (31, 41), (41, 41), (64, 64)])
def test_annealing_keeps_its_books(n, m, density, scale):
    """The cost that both kernels sum up from changes is that of the assignment, of the last and of the best."""
    task = problem(*random_problem(n, m, 3, scale, density))
    assert (task.sparse is not None) == (density < 0.1)
    search = Annealing(task, np.arange(m), Draws(5), Budget(30_000))
    while not search.done:
        search.step()
    assert search.cost == task.half_cost(search.best) < task.half_cost(np.arange(m))
    assert search._costs[0] == task.half_cost(search._place)
    if task.sparse is None:
        assert np.array_equal(search._near, task.distances_at(search._place))


def test_sparse_and_dense_kernels_are_one_search():
    """With the same draws both try and accept the same exchanges."""
    task = problem(*random_problem(50, 50, 3, density=0.02))
    found = []
    for dense in (True, False):
        place, best, costs, row = (
            np.arange(50, dtype=np.int32),
            np.arange(50, dtype=np.int32),
            np.zeros(2),
            np.array([0, 50]),
        )
        rest = (place, best, costs, row, Draws(2).state(), np.ones(4096, np.float32), np.float32(20), 50_000)
        if dense:
            tried = annealing.anneal_dense(task.flow, task.distances_at(place), *rest)
        else:
            tried = annealing.anneal_sparse(*task.sparse, task.distance, *rest)
        found.append((place.tolist(), best.tolist(), costs.tolist(), row.tolist(), tried))
    assert found[0] == found[1]
    assert found[0][4] >= 50_000


@pytest.mark.parametrize("scale", [1, np.pi])
@pytest.mark.parametrize(("n", "m"), [(24, 24), (17, 26), (33, 33), (64, 64)])
def test_tabu_knows_the_change_of_every_exchange(n, m, scale):
    """After hundreds of exchanges the matrix of changes, cost and own distances are what recomputing gives."""
    task = problem(*random_problem(n, m, 7, scale))
    search = Tabu(task, np.arange(m), Draws(3), Budget(10**6))
    search._iterations = 700
    search.step()
    search.step()
    place = search._place
    assert sorted(place.tolist()) == list(range(m))
    assert not np.array_equal(place, np.arange(m))
    assert search._costs[0] == task.half_cost(place)
    assert search.cost == task.half_cost(search.best) < task.half_cost(np.arange(m))
    x, y = search._work[0], search._work[1]
    for u in range(1, m):
        for v in range(min(u, n)):
            other = place.copy()
            other[[u, v]] = other[[v, u]]
            # The last exchange is applied by the next sweep.
            known = search._changes[u, v] - (x[u] - x[v]) * (y[u] - y[v])
            assert known == task.half_cost(other) - task.half_cost(place)
            assert search._tabu_until[u, v] == min(search._returns[u, place[v]], search._returns[v, place[u]])


def test_tabu_leaves_a_local_optimum():
    """It goes on where no exchange is better: from an assignment that annealing took for the best, to a better one."""
    flow, distance = random_problem(20, 20, 11)
    start = assign(flow, distance, "anneal", moves=500, jobs=1)
    assert assign(flow, distance, "tabu", start.place, moves=1_000_000, jobs=1).cost < start.cost


@pytest.mark.parametrize("method", METHODS)
def test_a_seed_is_an_answer(method):
    """The same whatever the threads; another seed begins elsewhere."""
    flow, distance = random_problem(30, 34, 9)
    answers = [assign(flow, distance, method, seed=2, moves=3_000, jobs=jobs).place.tolist() for jobs in (1, 2, 3)]
    assert answers[0] == answers[1] == answers[2]
    assert assign(flow, distance, method, seed=3, moves=3_000, jobs=1).place.tolist() != answers[0]


@pytest.mark.parametrize("method", METHODS)
def test_a_start_is_never_made_worse(method):
    """Even a search of one move keeps an optimal start."""
    flow, distance = random_problem(7, 7, 2)
    best = min(permutations(range(7)), key=lambda place: cost(flow, distance, place))
    kept = assign(flow, distance, method, start=best, moves=1, jobs=1)
    assert kept.cost == cost(flow, distance, best)
    flow, distance = random_problem(20, 25, 2)
    start = Draws(4).permutation(25)[:20]
    assert assign(flow, distance, method, start=start, moves=5_000, jobs=1).cost < cost(flow, distance, start)


def test_seconds_are_used_up(monkeypatch):
    """A search goes on until its deadline, by a clock that goes on a millisecond each time somebody looks, and no longer."""
    flow, distance = random_problem(12, 12)
    looks = itertools.count()
    with monkeypatch.context() as patched:
        patched.setattr(time, "monotonic", lambda: next(looks) / 1000)
        found = assign(flow, distance, seconds=0.3, jobs=1)
    assert 300 < next(looks) < 1000
    assert found.cost <= assign(flow, distance, moves=20_000, jobs=1).cost


def test_ctrl_c_ends_a_search_with_its_best(monkeypatch):
    """With a deadline and without, the best so far comes back, and says so."""
    from topoloom.core import searches

    flow, distance = random_problem(12, 12)
    whole, calls = searches.over_cores, []

    def interrupted(work, blocks, jobs):
        calls.append(blocks)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return whole(work, blocks, jobs)

    monkeypatch.setattr(searches, "over_cores", interrupted)
    found = assign(flow, distance, seconds=600, jobs=1)
    assert found.cost < cost(flow, distance, np.arange(12))
    assert found.ended == "interrupted"
    assert len(calls) == 2
    calls[:] = [1]
    assert assign(flow, distance, moves=10**9, jobs=1).ended == "interrupted"


def test_diagonals_count():
    """A constant is added where it is one; where it depends on the places, the problem is refused."""
    flow, distance = random_problem(5, 5)
    own = np.arange(5) + 1.0
    assert assign(flow + np.diag(own), distance + 3 * np.eye(5), moves=20_000, jobs=1).cost == (
        least_cost(flow, distance) + 3 * own.sum()
    )
    assert assign(flow + 2 * np.eye(5), distance + np.diag(own), moves=20_000, jobs=1).cost == (
        least_cost(flow, distance) + 2 * own.sum()
    )
    with pytest.raises(InputError, match="diagonals that vary"):
        assign(flow + np.diag(own), distance + np.diag(own))
    with pytest.raises(InputError, match="diagonals that vary"):
        assign(flow[:4, :4] + 2 * np.eye(4), distance + np.diag(own))


def test_a_sparse_flow_is_a_flow():
    """A SciPy matrix gives the same answer as the array."""
    from scipy.sparse import coo_array

    flow, distance = random_problem(20, 20, density=0.2)
    assert (
        assign(coo_array(flow), distance, moves=2_000, jobs=1).cost == assign(flow, distance, moves=2_000, jobs=1).cost
    )


def test_nothing_to_assign():
    """No facility, one facility, no flows: an answer that costs nothing."""
    assert assign([], [[0, 1], [1, 0]]).place.tolist() == []
    assert assign(np.zeros((0, 0)), np.zeros((0, 0))).cost == 0
    assert assign([[0]], [[0]]).place.tolist() == [0]
    assert assign([[2]], [[3]]).cost == 6
    idle = assign(np.zeros((4, 4)), np.ones((5, 5)) - np.eye(5), moves=100, jobs=1)
    assert idle.cost == 0
    assert np.unique(idle.place).size == 4
    assert cost(np.zeros((0, 0)), [], []) == 0


@pytest.mark.parametrize(
    ("flow", "distance", "options", "message"),
    [
        (np.ones((2, 3)), np.ones((3, 3)), {}, "the flow matrix is 2 x 3; it must be square"),
        (np.ones((2, 2)), 5, {}, "the distance matrix is a number; it must be square"),
        (np.ones((3, 3)), np.ones((2, 2)), {}, "3 facilities for 2 places"),
        ([[0, np.nan], [1, 0]], np.ones((2, 2)), {}, r"flow\[0, 1\] is nan"),
        (np.ones((2, 2)), [[0, 1], [np.inf, 0]], {}, r"distance\[1, 0\] is inf"),
        ([["a", 0], [0, 0]], np.ones((2, 2)), {}, "contains an entry that is not a number"),
        ([[0, 1], [0, 0]], [[0, 1], [0, 0]], {}, "neither the flow nor the distance matrix is symmetric"),
        (np.ones((2, 2)), np.ones((2, 2)), {"method": "luck"}, "method 'luck'; give one of anneal, tabu, both"),
        (np.ones((2, 2)), np.ones((2, 2)), {"seconds": 1, "moves": 5}, "not both"),
        (np.ones((2, 2)), np.ones((2, 2)), {"seconds": 0}, "seconds=0"),
        (np.ones((2, 2)), np.ones((2, 2)), {"moves": 0}, "moves=0"),
        (np.ones((2, 2)), np.ones((2, 2)), {"jobs": 0}, "jobs=0"),
        (np.ones((2, 2)), np.ones((2, 2)), {"start": [0, 0]}, "start must hold 2 different places from 0 to 1"),
        (np.ones((2, 2)), np.ones((2, 2)), {"start": [0, 2]}, "start must hold 2 different places from 0 to 1"),
        (np.ones((2, 2)), np.ones((2, 2)), {"start": [0]}, "start must hold 2 whole numbers"),
        (np.ones((2, 2)), np.ones((2, 2)), {"start": [0.5, 1]}, "start must hold 2 whole numbers"),
    ],
)
def test_bad_input_is_answered_in_a_sentence(flow, distance, options, message):
    """What is wrong, and what would do."""
    with pytest.raises(InputError, match=message):
        assign(flow, distance, **options)
