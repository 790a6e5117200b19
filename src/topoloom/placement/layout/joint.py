"""Joint placement: searches the slot of every switch directly, by the true price of all cables.

Clustering first and mapping the racks afterwards (Koibuchi 2013 IV) minimises the number of cables between racks and then
their length; but the fewest cables are not always the shortest. Joint placement swaps any two switches on the floor as long as
the total price falls (simulated annealing over a shrinking window of slots), moves whole racks to empty slots, and never
returns a result worse than the start.
"""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from topoloom.core.random_streams import Draws
from topoloom.core.searches import Budget, Effort, metropolis_table, run_searches
from topoloom.core.threads import cores
from topoloom.model.topology import Topology
from topoloom.placement.clustering.packing import rounded_up
from topoloom.placement.floors.slots import Slots
from topoloom.placement.layout.prices import MOST_IN_TABLE, Prices

#: Without a time limit: tries per switch and run, within bounds. 8,192 switches take some fifteen seconds on two cores.
_TRIES_PER_SWITCH = 8_000
_FEWEST_TRIES, _MOST_TRIES = 1_000_000, 200_000_000
#: Small networks have more runs, because they end more easily in poor minima; with a time limit, also longer ones.
_TRIES_IN_ALL = 16_000_000
_LONGER = 16

#: Temperatures as shares of the median change of a random swap. Hot forgets the start; warm keeps its structure.
_HOT, _WARM, _COLD = 0.25, 0.03, 0.01
_STEPS = 200
#: Most tries between two temperatures: some milliseconds.
_CHUNK = 50_000
#: Most racks that are tried on empty slots between two temperatures.
_MOST_MOVES = 2_000
_NEAREST = 8
#: Of 256 tries, those that go to a neighbour's rack, where all racks are at equal distances.
_GUIDED = 224
#: Nearest slots that are listed for each slot of a floor too large to list all.
_LISTED = 1024


@dataclass(frozen=True, eq=False)
class Seating:
    """The capacity of slots: seats int64[slots]; loads float64[switches, k] and limits float64[slots, k] of k resources."""

    seats: np.ndarray
    loads: np.ndarray
    limits: np.ndarray


def seating_for(slots: Slots, slot: np.ndarray, loads: np.ndarray) -> Seating:
    """The capacity of the slots: the floor's limits or, without limits, the load of the fullest racks of a first layout.

    Parameters
    ----------
    slots : Slots
        The slots, with their limits.
    slot : int[switches]
        The slot of each switch in a first layout.
    loads : float64[switches, 3]
        Switches (1 each), hosts and watts, as in `Slots.limits`.

    Returns
    -------
    Seating
        A load that is equal for all switches limits their number, and is not listed among the loads.
    """
    held = np.zeros((len(slots), loads.shape[1]))
    np.add.at(held, slot, loads)
    limits = rounded_up(slots.limits)
    limits[np.isinf(limits).all(axis=1)] = held.max(axis=0)
    limits[np.isinf(limits[:, 0]), 0] = held[:, 0].max()
    seats = np.minimum(limits[:, 0], len(loads)).astype(np.int64)
    counted = []
    for what in range(1, loads.shape[1]):
        each = loads[:, what]
        if (each == each[0]).all():
            # All switches have the same load, so its limit is a limit on their number.
            if each[0] > 0:
                seats = np.floor(np.minimum(seats, limits[:, what] / each[0])).astype(np.int64)
        else:
            counted.append(what)
    return Seating(seats, loads[:, counted], limits[:, counted])


def joint(
    topology: Topology,
    slots: Slots,
    start: np.ndarray,
    seating: Seating,
    prices: Prices,
    effort: Effort,
    hot: bool = True,
) -> np.ndarray:
    """The slot of every switch, int32[switches], as cheap as annealing finds; never more expensive than `start`.

    There are two kinds of runs, at least one of each: a hot one (unless `hot` is False), which forgets the start, and a warm
    one, which keeps its structure, since regular families are best laid out in their own order. Without a time limit the
    result depends on the seed alone; when the work of `effort` is stopped, it is the best so far.

    Parameters
    ----------
    topology : Topology
    slots : Slots
    start : int32[switches]
        The slot of every switch to start from.
    seating : Seating
    prices : Prices
    effort : Effort
    hot : bool

    Returns
    -------
    int32[switches]
        The slot of each switch; `start` itself where nothing cheaper was found.
    """
    if effort.stopped or not len(topology.links) or np.unique(start).size < 2:
        return start
    seconds, threads = effort.seconds, cores(effort.jobs)
    tries = int(np.clip(topology.switches * _TRIES_PER_SWITCH, _FEWEST_TRIES, _MOST_TRIES))
    runs = int(np.clip(_TRIES_IN_ALL // tries, 2, 8)) if seconds is None else max(2, threads)
    until = float("inf") if seconds is None else time.monotonic() + seconds
    order = nearest_slots(slots)

    def annealing(number: int) -> JointAnnealing:
        first = _HOT if hot and number % 2 == 0 else _WARM
        budget = Budget(tries if seconds is None else _LONGER * tries, until)
        return JointAnnealing(topology, slots, order, start, seating, prices, Draws(effort.seed, number), budget, first)

    best = run_searches(annealing, runs, threads, until, what="runs of joint placement", work=effort.work)
    return best if prices.total(topology, best) < prices.total(topology, start) else start


class JointAnnealing:
    """One run: the state that the kernels change, cooled geometrically from `hot` to `_COLD` times the median change."""

    def __init__(
        self,
        topology: Topology,
        slots: Slots,
        order: np.ndarray,
        start: np.ndarray,
        seating: Seating,
        prices: Prices,
        draws: Draws,
        budget: Budget,
        hot: float,
    ) -> None:
        n, m = topology.switches, len(slots)
        first, neighbour, link = topology.csr
        self._topology, self._priced = topology, prices
        # Each direction of a link stores the position of the other one, and the slot that the link leads to.
        pairs = np.argsort(link, kind="stable").reshape(-1, 2)
        back = np.empty(2 * len(topology.links), np.int32)
        back[pairs[:, 0]], back[pairs[:, 1]] = pairs[:, 1], pairs[:, 0]
        led_to = start.astype(np.uint32)[neighbour]
        self._graph = (np.asarray(first, np.int32), np.asarray(neighbour, np.int32), back, led_to)
        self._prices: tuple[Any, Any, Any, Any] = (prices.table, prices.x, prices.y, prices.extra)
        self._state = draws.state()
        self._thresholds = metropolis_table()
        self._seats = seating.seats.astype(np.int32)
        self._seat0 = (np.cumsum(self._seats) - self._seats).astype(np.int32)
        in_all = int(self._seats.sum())
        # Seats are assigned in the order of the slots; empty seats get numbers from n on.
        by_slot = np.argsort(start, kind="stable")
        taken = np.bincount(start, minlength=m)
        seat = self._seat0[start[by_slot]] + np.arange(n) - (np.cumsum(taken) - taken)[start[by_slot]]
        self._occupant = np.full(in_all, -1, np.int32)
        self._occupant[seat] = by_slot
        self._occupant[self._occupant < 0] = np.arange(n, in_all)
        self._seat = np.empty(in_all, np.int32)
        self._seat[self._occupant] = np.arange(in_all)
        self._slot = np.repeat(np.arange(m, dtype=np.int32), self._seats)[self._seat]
        k = seating.loads.shape[1]
        self._loads = np.concatenate([seating.loads, np.zeros((in_all - n, k))])
        held = np.zeros((m, k))
        np.add.at(held, start, seating.loads)
        self._room = seating.limits - held
        _, kind = np.unique(np.column_stack([self._seats, seating.limits]), axis=0, return_inverse=True)
        self._kind = kind.astype(np.int32).reshape(-1)
        self._used = np.flatnonzero(taken).astype(np.int32)
        self._closed = np.flatnonzero((taken == 0) & (self._seats > 0)).astype(np.int32)
        self._order = order
        # Where all slots are at equal distances, none is near: try all, and mainly those of neighbours.
        self._flat = slots.given_m is not None and np.unique(slots.given_m).size == 2
        self._near = self._nearest_open()
        self._budget, self._hot = budget, hot
        self._chunk = min(_CHUNK, max(1, budget.moves // _STEPS))
        self._relocated = 0
        self.done = self._used.size < 2 and not self._closed.size
        self._typical = self._typical_change()

    @property
    def best(self) -> np.ndarray:
        """The current slot of every switch, int32[switches]."""
        return self._slot[: self._topology.switches].copy()

    @property
    def share(self) -> float:
        return 1.0 if self.done else self._budget.share

    @property
    def cost(self) -> float:
        """The current price of all cables."""
        return self._priced.total(self._topology, self.best)

    def step(self) -> None:
        """Some milliseconds of tries at the current temperature; at the end of the budget, only improvements."""
        share = self._budget.share
        self.done = share >= 1.0
        temperature = self._typical * (self._hot * (_COLD / self._hot) ** share if not self.done else 1e-6)
        window = self._near.shape[1]
        if window:
            if not self._flat:
                window = min(window, max(_NEAREST, int(window * (1.0 - share) ** 2)))
            # The last step is long, to leave no swap nearby that improves the result.
            self._swap_switches(window, temperature, self._chunk * (20 if self.done else 1))
        self._budget.spent += self._chunk
        if self._closed.size and int(share * _STEPS) > self._relocated:
            self._relocated = int(share * _STEPS)
            self._swap_racks(temperature, min(40 * self._closed.size, _MOST_MOVES))

    def _swap_switches(self, window: int, temperature: float, tries: int) -> float:
        from topoloom.placement.layout.kernels.joint import swap_switches

        change, _ = swap_switches(
            *self._graph,
            *self._prices,
            self._seat0,
            self._seats,
            self._occupant,
            self._seat,
            self._slot,
            self._near,
            window,
            _GUIDED if self._flat else 0,
            self._loads,
            self._room,
            self._thresholds,
            np.float32(temperature),
            tries,
            self._state,
        )
        return float(change)

    def _swap_racks(self, temperature: float, tries: int) -> None:
        from topoloom.placement.layout.kernels.joint import swap_racks

        _, moved = swap_racks(
            *self._graph,
            *self._prices,
            self._seat0,
            self._seats,
            self._occupant,
            self._seat,
            self._slot,
            self._kind,
            self._used,
            self._closed,
            self._loads,
            self._room,
            self._thresholds,
            np.float32(temperature),
            tries,
            self._state,
        )
        if moved:
            self._near = self._nearest_open()

    def _typical_change(self) -> float:
        """The median change of a swap with any effect, over a thousand random ones; the state is restored afterwards."""
        state: tuple[np.ndarray, ...] = (self._occupant, self._seat, self._slot, self._room, self._graph[3])
        before = [array.copy() for array in state]
        changes = []
        if self._near.shape[1]:
            changes = [abs(self._swap_switches(self._near.shape[1], np.inf, 1)) for _ in range(1000)]
        for array, values in zip(state, before, strict=True):
            array[:] = values
        changes = [change for change in changes if change > 0]
        return float(np.median(changes)) if changes else 1.0

    def _nearest_open(self) -> np.ndarray:
        """For each used slot the other used slots, nearest first, int32[slots, k]; rows of unused slots are undefined."""
        is_open = np.zeros(self._seats.size, bool)
        is_open[self._used] = True
        rows = self._order[self._used]
        fits = is_open[rows]
        k = int(fits.sum(axis=1).min()) if len(rows) else 0
        first = np.cumsum(fits, axis=1) <= k
        near = np.zeros((self._seats.size, k), np.int32)
        near[self._used] = rows[fits & first].reshape(len(rows), k)
        return near


def nearest_slots(slots: Slots) -> np.ndarray:
    """For each slot the other slots, nearest first, int32[slots, k]: all up to `MOST_IN_TABLE` slots, else 1,024."""
    count = len(slots)
    if count > MOST_IN_TABLE and slots.given_m is None:
        from scipy.spatial import cKDTree

        norm = 1 if slots.rule == "manhattan" else 2
        _, order = cKDTree(slots.place_m).query(slots.place_m, _LISTED + 1, p=norm)
        return np.asarray(order[:, 1:], np.int32)
    listed = count - 1 if count <= MOST_IN_TABLE else _LISTED
    near = np.empty((count, listed), np.int32)
    every = np.arange(count)
    for slot in range(count):
        apart_m = slots.apart_m(np.full(count, slot), every)
        apart_m[slot] = -1.0
        near[slot] = np.argsort(apart_m, kind="stable")[1 : listed + 1]
    return near
