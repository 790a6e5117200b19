"""A lower bound on the total cable length of any layout, from how well the topology expands."""

import numpy as np

from topoloom.graph.spectrum import spectrum
from topoloom.placement.layout.layout import Layout

#: Most slots whose distances are compared pair by pair.
_MOST_COMPARED = 4096


def length_bound_m(layout: Layout) -> float:
    """A lower bound, in metres, on the total cable length of all layouts on these slots, over all links.

    Counts the links across every line between two neighbouring columns, and rows, of slots. With k of the n switches on one
    side, at least max(lambda k (n - k) / n, D(k) - 2 I(k)) links cross it (lambda: the algebraic connectivity, Fiedler 1973;
    D(k): the least sum of k degrees; I(k): the most links among k switches); each crossing costs the distance of the two
    lines. k is any number that the seats of both sides allow, and the least count is used. Links that must leave their rack,
    counted in the same way, cost their overhead, and at least the distance of the two nearest slots. The bound holds for
    every layout that keeps the slots' limits and, where there are none, has no fuller rack than the fullest of `layout`.

    Distances that are not Manhattan distances enter by their least ratio to these over all pairs of slots.
    """
    topology, floor, slots = layout.topology, layout.floor, layout.slots
    n, links = topology.switches, len(topology.links)
    if not links:
        return 0.0
    fullest = float(np.bincount(layout.slot).max())
    seats = np.minimum(np.where(np.isinf(slots.limits[:, 0]), fullest, slots.limits[:, 0]), n)
    least = _fewest_links_out(layout)
    crossing_m = 0.0
    for axis in (0, 1):
        line, side = np.unique(np.round(slots.place_m[:, axis], 9), return_inverse=True)
        before = np.cumsum(np.bincount(side.reshape(-1), seats))[:-1]
        most = np.minimum(before, n).astype(int)
        fewest = np.maximum(0.0, n - (seats.sum() - before)).astype(int)
        for apart_m, low, high in zip(np.diff(line).tolist(), fewest.tolist(), most.tolist(), strict=True):
            crossing_m += apart_m * float(least[low : high + 1].min())
    largest = int(seats.max())
    leaving = 0.0
    if largest < n:
        each = least[1 : largest + 1] / np.arange(1, largest + 1)
        leaving = float(np.ceil(n * each.min() / 2 - 1e-6))
    apart_m = max(crossing_m * _least_ratio(layout), leaving * _nearest_m(layout))
    overhead_m = 2 * floor.overhead_end_m - floor.inside_m
    return float(apart_m + floor.inside_m * links + overhead_m * (leaving if overhead_m > 0 else links))


def _fewest_links_out(layout: Layout) -> np.ndarray:
    """For k = 0 .. n: a lower bound on the links between any k switches and the others, float64[n + 1]."""
    topology = layout.topology
    n = topology.switches
    k = np.arange(n + 1)
    # Slightly less than computed, because the eigenvalue has about ten correct digits.
    connectivity = max(0.0, spectrum(topology).algebraic_connectivity * (1 - 1e-8))
    expanding = connectivity * k * (n - k) / n
    degrees = np.sort(topology.degrees)
    parallel = int(np.unique(topology.links, axis=0, return_counts=True)[1].max())
    few = np.concatenate([[0], np.cumsum(degrees)]) - parallel * k * (k - 1.0)
    return np.asarray(np.maximum(expanding, np.maximum(np.maximum(few, few[::-1]), 0.0)))


def _least_ratio(layout: Layout) -> float:
    """The least ratio of a cable's path to the Manhattan distance over all pairs of slots."""
    slots = layout.slots
    if slots.given_m is None and slots.rule == "manhattan":
        return 1.0
    if len(slots) > _MOST_COMPARED:
        return 1 / np.sqrt(2) if slots.given_m is None else 0.0
    steps = np.abs(slots.place_m[:, None, :] - slots.place_m[None, :, :]).sum(axis=2)
    apart = steps > 0
    return float((slots.matrix_m[apart] / steps[apart]).min()) if apart.any() else 0.0


def _nearest_m(layout: Layout) -> float:
    """The distance of the two slots nearest to each other, m; 0 with one slot."""
    slots = layout.slots
    if len(slots) < 2:
        return 0.0
    if slots.given_m is not None:
        return float(slots.given_m[~np.eye(len(slots), dtype=bool)].min())
    from scipy.spatial import cKDTree

    apart_m, _ = cKDTree(slots.place_m).query(slots.place_m, 2, p=1 if slots.rule == "manhattan" else 2)
    return float(apart_m[:, 1].min())
