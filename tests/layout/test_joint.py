"""Joint placement: its kernels' arithmetic, what it may not break, and that it never loses."""

import numpy as np
import pytest

from topoloom import build
from topoloom.core.random_streams import Draws
from topoloom.core.searches import Budget, Effort
from topoloom.placement.clustering.packing import links_between
from topoloom.placement.floors.floor import preset
from topoloom.placement.floors.slots import Slots
from topoloom.placement.layout import joint as joint_module
from topoloom.placement.layout.joint import JointAnnealing, Seating, nearest_slots
from topoloom.placement.layout.kernels.joint import swap_switches
from topoloom.placement.layout.longest import shorten_longest
from topoloom.placement.layout.plan import fewer_links_between
from topoloom.placement.layout.prices import Prices, above_prices, cable_prices, length_prices, lengths_m
from topoloom.placement.layout.racks import switch_demands

_ROOM = preset("koibuchi-2013")


def _small(spec="jellyfish:n=60,degree=5,seed=3", racks=9, seats=8):
    """A topology in sequence on a floor with empty seats and an empty slot."""
    topology = build(spec)
    slots = _ROOM.slots_for(racks)
    start = (np.arange(topology.switches) // seats).astype(np.int32)
    seating = Seating(np.full(len(slots), seats), np.zeros((topology.switches, 0)), np.zeros((len(slots), 0)))
    return topology, slots, start, seating


def joint(topology, slots, start, seating, prices, seed=1, jobs=None):
    """Joint placement for as many tries as the size asks for."""
    return joint_module.joint(topology, slots, start, seating, prices, Effort(seed, jobs=jobs))


def _started(topology, slots, start, seating, prices, seed):
    """An annealing run that has not made a step."""
    return JointAnnealing(
        topology, slots, nearest_slots(slots), start, seating, prices, Draws(seed), Budget(10**6), 0.25
    )


@pytest.mark.sweep(1)
@pytest.mark.parametrize("spec", ["jellyfish:n=60,degree=5,seed=3", "hypercube:n=5", "ring-shortcuts:n=50,degree=4"])
@pytest.mark.parametrize("with_table", [True, False])
def test_the_change_that_a_kernel_reports_is_the_change_of_the_price(spec, with_table):
    """Thousands of swaps made at any price: the sum of the changes is the price after less the price before."""
    topology, slots, start, seating = _small(spec)
    prices = length_prices(_ROOM, slots)
    if not with_table:
        x, y = slots.place_m.T.astype(np.float32)
        prices = Prices(None, x, y, np.float32(2.0), 2.0)
    run = _started(topology, slots, start, seating, prices, 5)
    before = prices.total(topology, start)
    change = run._swap_switches(run._near.shape[1], np.inf, 5000)
    run._swap_racks(np.inf, 0)
    assert prices.total(topology, run.best) == pytest.approx(before + change, abs=1e-2)


def test_parallel_links_between_the_two_that_swap_keep_their_price():
    """Two switches joined by two cables change places: nothing but their other cables changes."""
    base = build("ring:n=8")
    topology = base.replace(links=np.concatenate([base.links, base.links]), spec=None)
    _, slots, _, _ = _small()
    start = np.repeat(np.arange(4), 2).astype(np.int32)
    seating = Seating(np.full(len(slots), 2), np.zeros((8, 0)), np.zeros((len(slots), 0)))
    prices = length_prices(_ROOM, slots)
    run = _started(topology, slots, start, seating, prices, 1)
    for _ in range(200):
        before = prices.total(topology, run.best)
        change = run._swap_switches(run._near.shape[1], np.inf, 1)
        assert prices.total(topology, run.best) == pytest.approx(before + change, abs=1e-3)


def test_a_rack_moves_with_all_that_is_in_it():
    """After rack moves the same switches share racks, and the reported change is the price's."""
    topology, slots, start, seating = _small()
    prices = length_prices(_ROOM, slots)
    run = _started(topology, slots, start, seating, prices, 7)
    run._swap_racks(np.inf, 50)
    moved = run.best
    assert not np.array_equal(moved, start)
    _, before = np.unique(start, return_inverse=True)
    pairs = {tuple(pair) for pair in np.stack([before, moved], axis=1).tolist()}
    assert len(pairs) == 8
    assert sorted(run._used.tolist() + run._closed.tolist()) == list(range(len(slots)))


def test_no_limit_is_overrun():
    """Seats and hosts per rack hold however the switches move; half of the switches carry six hosts."""
    topology = build("jellyfish:n=60,degree=5,seed=3")
    topology = topology.replace(endpoints=np.repeat(np.arange(0, 60, 2), 6), host=None, spec=None)
    _, slots, start, _ = _small()
    loads = switch_demands(topology)[:, 1:2]
    seating = Seating(np.full(len(slots), 8), loads, np.full((len(slots), 1), 27.0))
    found = joint(topology, slots, start, seating, length_prices(_ROOM, slots), seed=2)
    assert np.bincount(found).max() <= 8
    assert np.bincount(found, loads[:, 0]).max() <= 27
    # The limit binds: 24 hosts are four such switches, a fifth would not fit.
    assert np.bincount(found, loads[:, 0]).max() == 24


@pytest.mark.sweep(1)
@pytest.mark.parametrize("seed", range(3))
def test_joint_is_never_worse_than_its_start_and_keeps_its_word(seed):
    """The same seed gives the same layout; from its own answer it finds nothing worse."""
    topology, slots, start, seating = _small()
    prices = length_prices(_ROOM, slots)
    found = joint(topology, slots, start, seating, prices, seed)
    assert np.array_equal(found, joint(topology, slots, start, seating, prices, seed, jobs=1))
    assert prices.total(topology, found) < 0.9 * prices.total(topology, start)
    again = joint(topology, slots, found, seating, prices, seed + 10)
    assert prices.total(topology, again) <= prices.total(topology, found)


def test_a_small_floor_is_laid_out_at_its_best():
    """Six switches in pairs on three slots of a row: the best of all ways, found by trying them all."""
    from itertools import permutations

    topology = build("jellyfish:n=6,degree=3,seed=1")
    slots = Slots(("a", "b", "c"), np.array([[0.0, 0], [1, 0], [5, 0]]), np.full((3, 3), np.inf))
    prices = length_prices(_ROOM, slots)
    seating = Seating(np.full(3, 2), np.zeros((6, 0)), np.zeros((3, 0)))
    ways = (np.array(order) // 2 for order in permutations(range(6)))
    best = min(prices.total(topology, way) for way in ways)
    found = joint(topology, slots, np.array([0, 0, 1, 1, 2, 2], np.int32), seating, prices)
    assert prices.total(topology, found) == pytest.approx(best)


def test_a_price_with_a_step_keeps_cables_below_it():
    """With copper for 10 USD up to 6 m and optics for 100 beyond, cost prefers more cables of 6 m over a shorter sum."""
    topology, slots, start, seating = _small("nbr:n=128,degree=5,p=0.3", 16)

    def price(length_m, between):
        return np.where(length_m <= 6.0, 10.0, 100.0) + 0.01 * length_m

    by_cost = joint(topology, slots, start, seating, cable_prices(_ROOM, slots, price))
    by_length = joint(topology, slots, start, seating, length_prices(_ROOM, slots))
    length_m = lengths_m(_ROOM, slots)
    a, b = topology.links.T
    copper = [int((length_m[slot[a], slot[b]] <= 6.0).sum()) for slot in (by_cost, by_length)]
    assert copper[0] > copper[1]


@pytest.mark.exhaustive
def test_the_longest_cable_shrinks():
    """Below that of the shortest layout, which in turn is below the sequence's; never longer than the start."""
    topology, slots, start, seating = _small("jellyfish:n=120,degree=4,seed=2", 16)
    prices = length_prices(_ROOM, slots)
    short = joint(topology, slots, start, seating, prices)
    found = shorten_longest(topology, _ROOM, slots, short, seating, Effort())
    length_m = lengths_m(_ROOM, slots)
    a, b = topology.links.T
    longest = [float(length_m[slot[a], slot[b]].max()) for slot in (found, short, start)]
    assert longest[0] < longest[1] <= longest[2]


def test_above_prices_prefer_fewer_long_cables():
    """A cable above the limit costs more than a whole room of cables below it saves."""
    length_m = np.array([[2.0, 10.0], [10.0, 2.0]])
    prices = above_prices(length_m, 9.0)
    assert prices.table[0, 1] > 2.0
    assert above_prices(length_m, 10.0).table[0, 1] == pytest.approx(0.1)


@pytest.mark.exhaustive
def test_local_improvement_never_cuts_more_links():
    """Fewer links between racks than the sequence's, no rack above the fullest."""
    topology = build("ring-shortcuts:n=256,degree=6")
    rack = (np.arange(256) // 16).astype(np.int32)
    found = fewer_links_between(topology, rack, switch_demands(topology), Effort())
    assert links_between(topology, found) < links_between(topology, rack)
    assert np.bincount(found).max() == 16
    cube = build("hypercube:n=8")
    # Subcubes are optimal (Harper 1964).
    assert links_between(cube, fewer_links_between(cube, rack, switch_demands(cube), Effort())) == 256 * 4 // 2


def test_the_nearest_slots_come_first():
    """Every row lists all other slots, at distances that do not fall."""
    slots = _ROOM.slots_for(20)
    order = nearest_slots(slots)
    for slot, row in enumerate(order):
        assert sorted([slot, *row.tolist()]) == list(range(len(slots)))
        assert (np.diff(slots.matrix_m[slot, row]) >= -1e-12).all()


def test_a_network_without_links_stays_where_it_is():
    """Nothing to shorten: the start comes back."""
    topology = build("ring:n=8").replace(links=np.zeros((0, 2), int), spec=None)
    _, slots, _, _ = _small()
    start = np.zeros(8, np.int32)
    seating = Seating(np.full(len(slots), 8), np.zeros((8, 0)), np.zeros((len(slots), 0)))
    assert joint(topology, slots, start, seating, length_prices(_ROOM, slots)) is start


def test_the_kernel_takes_every_swap_at_an_infinite_temperature():
    """The draw decides nothing there: as many swaps as tries that meet another occupant's slot."""
    topology, slots, start, seating = _small(racks=8)
    prices = length_prices(_ROOM, slots)
    run = _started(topology, slots, start, seating, prices, 5)
    _, made = swap_switches(
        *run._graph,
        *run._prices,
        run._seat0,
        run._seats,
        run._occupant,
        run._seat,
        run._slot,
        run._near,
        run._near.shape[1],
        0,
        run._loads,
        run._room,
        run._thresholds,
        np.float32(np.inf),
        1000,
        run._state,
    )
    assert made == 1000
