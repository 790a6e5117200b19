"""Matching the switches of two networks by shape alone: a plan and the actual network, perhaps with a few wrong cables.

Pairs of switches that are surely the same are anchors. A switch is distinguished by its view of the anchors: its hops to each,
and the number of walks of two and of three links to each. The pair with the fewest differences becomes the next anchor; if
several pairs are equally good, as is usual in symmetrical networks, one is chosen at random. A wrong cable changes few of
these numbers, so it does not mislead the search; a wrong guess does, and then the search starts again with other guesses. At
the end every switch is assigned to the planned switch that most of its neighbours support.
"""

from dataclasses import dataclass

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.graph.distances import distances_from
from topoloom.model.topology import Topology

#: Square tables of this many switches fit in memory and take acceptable time.
_MOST_SWITCHES = 4096
_TRIES = 40
#: Of several anchors found at once, at most this many are used for views: the others add little.
_VIEWS = 8
#: Number of tries without improvement after which to stop, by the share of links that agree in the best match.
_PATIENCE = ((0.98, 2), (0.9, 10))
_ROUNDS = 30


@dataclass(frozen=True, eq=False)
class Shapes:
    """A match of two networks by shape.

    Attributes
    ----------
    planned : int64[switches of the actual network]
        The planned switch for each actual switch; -1: none.
    agree : int
        Number of links in both networks.
    links : int
        Number of links of the larger network.
    """

    planned: np.ndarray
    agree: int
    links: int

    @property
    def share(self) -> float:
        """Share of the links that agree; 1 if there are no links."""
        return self.agree / self.links if self.links else 1.0


def match_shapes(
    plan: Topology, actual: Topology, known: np.ndarray | None = None, *, seed: int = 1, tries: int = _TRIES
) -> Shapes:
    """The best of several matches of two networks: the one with the most links that agree.

    Parameters
    ----------
    plan, actual : Topology
        Host counts matter too: switches with equally many hosts are more likely the same.
    known : int64[switches of actual], optional
        The planned switch of each switch that is known already; -1: not known.
    seed, tries : int
        Seed and number of guesses; the same seed gives the same match.

    Returns
    -------
    Shapes
        The planned switch of each actual switch, and the number of links that both networks then have.

    Raises
    ------
    InputError
        The networks have too many switches for tables in memory.
    """
    most = max(plan.switches, actual.switches)
    if most > _MOST_SWITCHES:
        raise InputError(
            f"{actual.name}: {most} switches; matching by shape takes up to {_MOST_SWITCHES}: give names, GUIDs or a map"
        )
    start = np.full(actual.switches, -1, np.int64) if known is None else known.astype(np.int64)
    sides = _Side(plan), _Side(actual)
    best, since = _attempt(*sides, start, Draws(seed, 0)), 0
    for number in range(tries):
        attempt = best if number == 0 else _attempt(*sides, start, Draws(seed, number))
        since += 1
        if number == 0 or attempt.agree > best.agree:
            best, since = attempt, 0
        whole = best.agree == best.links
        # Without anything to guess, a second try would repeat the first.
        enough = any(best.share >= share and since >= patience for share, patience in _PATIENCE)
        if whole or enough or (start >= 0).all():
            break
    return best


class _Side:
    """One of the two networks: its switches' views of each other, and the local counts of each switch."""

    def __init__(self, topology: Topology) -> None:
        from scipy.sparse import coo_array

        n = topology.switches
        self.topology = topology
        ends = topology.links
        ones = np.ones(2 * len(ends), np.float32)
        rows, columns = np.concatenate([ends[:, 0], ends[:, 1]]), np.concatenate([ends[:, 1], ends[:, 0]])
        self.links = coo_array((ones, (rows, columns)), (n, n)).tocsr()
        one_link = self.links.toarray()
        two_links = one_link @ one_link
        three_links = two_links @ one_link
        #: The views of each switch, int32[n, n] each: hops to, and walks of two and of three links to, every other switch.
        self.seen = [
            distances_from(topology, np.arange(n)).astype(np.int32),
            two_links.astype(np.int32),
            three_links.astype(np.int32),
        ]
        # Local counts, float64[n, 6]: hosts, and closed walks of two to six links through the switch.
        self.own = np.stack(
            [
                topology.endpoints_at.astype(np.float64),
                two_links.diagonal(),
                three_links.diagonal(),
                (two_links * two_links).sum(axis=1),
                (two_links * three_links).sum(axis=1),
                (three_links * three_links).sum(axis=1),
            ],
            axis=1,
        ).astype(np.float64)


def _attempt(plan: _Side, actual: _Side, given_match: np.ndarray, draws: Draws) -> Shapes:
    """One match, with random choices among equally good pairs."""
    match = _anchored(plan, actual, given_match, draws)
    best = _agreeing(plan, actual, match)
    for _ in range(_ROUNDS):
        better = _by_neighbours(plan, actual, match, given_match)
        agree = _agreeing(plan, actual, better)
        if agree <= best:
            break
        match, best = better, agree
    return Shapes(match, best, max(len(plan.topology.links), len(actual.topology.links)))


def _anchored(plan: _Side, actual: _Side, given_match: np.ndarray, draws: Draws) -> np.ndarray:
    """Assign a planned switch to every actual switch, anchor after anchor; returns the match, int64[n]."""
    n, m = actual.topology.switches, plan.topology.switches
    match = given_match.copy()
    # Local counts weigh less than one anchor's view, so that they decide only where anchors do not.
    scale = np.maximum(1.0, np.abs(plan.own).max(axis=0))
    apart = np.zeros((n, m), np.float32)
    for column in range(plan.own.shape[1]):
        actual_counts, planned_counts = actual.own[:, column] / scale[column], plan.own[:, column] / scale[column]
        apart += np.minimum(1, 20 * np.abs(actual_counts[:, None] - planned_counts[None, :])).astype(np.float32) / 2
    free, left = match < 0, np.ones(m, bool)
    left[match[match >= 0]] = False
    for x in np.flatnonzero(match >= 0).tolist():
        _add_view(plan, actual, x, int(match[x]), apart)
    apart[~free] = np.inf
    apart[:, ~left] = np.inf
    while free.any() and left.any():
        pairs = _next_pairs(apart, free, draws)
        for x, u in pairs[:_VIEWS]:
            _add_view(plan, actual, x, u, apart)
        for x, u in pairs:
            match[x] = u
            free[x] = left[u] = False
            apart[x] = np.inf
            apart[:, u] = np.inf
    return match


def _add_view(plan: _Side, actual: _Side, x: int, u: int, apart: np.ndarray) -> None:
    """Add to the differences of every pair of switches those in their view of the anchor (x, u); apart: float32[n, m]."""
    for actual_view, planned_view in zip(actual.seen, plan.seen, strict=True):
        apart += actual_view[x][:, None] != planned_view[u][None, :]


def _next_pairs(apart: np.ndarray, free: np.ndarray, draws: Draws) -> list[tuple[int, int]]:
    """The next anchors, most certain first, by the gap to the second best; if none is certain, one random choice."""
    every = np.arange(len(apart))
    nearest = apart.argmin(axis=1)
    lowest = apart[every, nearest]
    apart[every, nearest] = np.inf
    second = apart.min(axis=1)
    apart[every, nearest] = lowest
    gap = np.full(len(apart), -1.0)
    gap[free] = np.minimum(second[free], np.float32(1e6)) - lowest[free]
    order = np.lexsort((lowest, -gap))
    most = float(gap[order[0]])
    if most >= 1:
        # Pairs at least half as certain as the best; if two claim one planned switch, the more certain pair.
        sure = order[gap[order] >= max(1.0, most / 2)]
        _, first = np.unique(nearest[sure], return_index=True)
        return [(int(x), int(nearest[x])) for x in sure[np.sort(first)].tolist()]
    # A random choice among the equals of the switch that has the fewest.
    near = apart <= lowest[:, None] + np.float32(0.5)
    equals = np.where(free, near.sum(axis=1), len(apart[0]) + 1)
    place = int(np.lexsort((lowest, equals))[0])
    choices = np.flatnonzero(near[place])
    return [(place, int(choices[int(draws.below(choices.size, 1)[0])]))]


def _agreeing(plan: _Side, actual: _Side, match: np.ndarray) -> int:
    """Number of links of the actual network that are also links of the plan."""
    number = plan.topology.switches
    ends = match[actual.topology.links]
    ends = np.sort(ends[(ends >= 0).all(axis=1)], axis=1)
    small, large = ends.T
    actual_keys, actual_counts = np.unique(small * number + large, return_counts=True)
    planned = plan.topology.links.astype(np.int64)
    planned_keys, planned_counts = np.unique(planned[:, 0] * number + planned[:, 1], return_counts=True)
    _, in_actual, in_plan = np.intersect1d(actual_keys, planned_keys, assume_unique=True, return_indices=True)
    return int(np.minimum(actual_counts[in_actual], planned_counts[in_plan]).sum())


def _by_neighbours(plan: _Side, actual: _Side, match: np.ndarray, given_match: np.ndarray) -> np.ndarray:
    """The match that the neighbours of each switch support, given a match, int64[n]."""
    from scipy.optimize import linear_sum_assignment

    n, m = actual.topology.switches, plan.topology.switches
    rows = np.where(match[:, None] >= 0, plan.links.toarray()[np.maximum(match, 0)], 0)
    votes = np.asarray(actual.links @ rows)
    votes -= np.float32(0.25) * (actual.topology.endpoints_at[:, None] != plan.topology.endpoints_at[None, :])
    placed = np.flatnonzero(match >= 0)
    votes[placed, match[placed]] += np.float32(0.5)
    fixed = np.flatnonzero(given_match >= 0)
    votes[fixed, given_match[fixed]] += np.float32(n + m)
    supported = np.full(n, -1, np.int64)
    assigned, planned = linear_sum_assignment(votes, maximize=True)
    supported[assigned] = planned
    return supported
