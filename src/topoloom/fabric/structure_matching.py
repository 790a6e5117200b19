"""Which switch is which, by the shape of two networks alone: one planned, one as it is, perhaps with a few wrong cables.

Pairs of switches that are surely the same are anchors. What a switch sees of the anchors (its hops to each, and how many walks
of two and of three links lead there) tells it from others: the pair with the fewest differences is taken as the next anchor,
and where several are as good, which is the rule in symmetrical networks, one of them by chance. A wrong cable changes little of
what is seen, so it does not lead astray; a wrong guess does, and then the whole is tried again with other guesses. In the
end every switch is given to the one that most of its neighbours speak for.
"""

from dataclasses import dataclass

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.graph.distances import distances_from
from topoloom.model.topology import Topology

#: Square tables of so many switches fit in memory and in patience.
_MOST_SWITCHES = 4096
_TRIES = 40
#: Of several anchors found at once, so many are looked from: the others add little.
_LOOKS = 8
#: How many tries that better nothing follow the best one, by the share of the links that agree in it.
_PATIENCE = ((0.98, 2), (0.9, 10))
_ROUNDS = 30


@dataclass(frozen=True, eq=False)
class Shapes:
    """A match of two networks.

    Attributes
    ----------
    planned : int64[switches of the actual network]
        The planned switch that each is; -1: none.
    agree : int
        Links that are in both.
    links : int
        Links of the larger network.
    """

    planned: np.ndarray
    agree: int
    links: int

    @property
    def share(self) -> float:
        """Of the links, those that agree; 1 when there are none."""
        return self.agree / self.links if self.links else 1.0


def match_shapes(
    plan: Topology, actual: Topology, known: np.ndarray | None = None, *, seed: int = 1, tries: int = _TRIES
) -> Shapes:
    """The match of two networks that most links agree with, of those tried.

    Parameters
    ----------
    plan, actual : Topology
        Hosts count too: switches with as many are likelier the same.
    known : int64[switches of actual], optional
        The planned switch of those that are known; -1: not known.
    seed, tries : int
        Of the guesses; the same seed gives the same match.

    Returns
    -------
    Shapes
        The planned switch of each actual one, and how many links both networks then have.

    Raises
    ------
    InputError
        More switches than tables fit in memory for.
    """
    most = max(plan.switches, actual.switches)
    if most > _MOST_SWITCHES:
        raise InputError(
            f"{actual.name}: {most} switches; by shape up to {_MOST_SWITCHES} are told apart: give names, GUIDs or a map"
        )
    start = np.full(actual.switches, -1, np.int64) if known is None else known.astype(np.int64)
    sides = _Side(plan), _Side(actual)
    best, since = _attempt(*sides, start, Draws(seed, 0)), 0
    for number in range(tries):
        found = best if number == 0 else _attempt(*sides, start, Draws(seed, number))
        since += 1
        if number == 0 or found.agree > best.agree:
            best, since = found, 0
        whole = best.agree == best.links
        # Without anything to guess a second try would be the first.
        enough = any(best.share >= share and since >= patience for share, patience in _PATIENCE)
        if whole or enough or (start >= 0).all():
            break
    return best


class _Side:
    """One of the two networks: what its switches see of each other, and what each is on its own."""

    def __init__(self, topology: Topology) -> None:
        from scipy.sparse import coo_array

        n = topology.switches
        self.topology = topology
        ends = topology.links
        ones = np.ones(2 * len(ends), np.float32)
        rows, columns = np.concatenate([ends[:, 0], ends[:, 1]]), np.concatenate([ends[:, 1], ends[:, 0]])
        self.links = coo_array((ones, (rows, columns)), (n, n)).tocsr()
        one = self.links.toarray()
        two = one @ one
        three = two @ one
        #: How many ways a pair may be told by: hops, walks of two links and of three.
        self.seen = [
            distances_from(topology, np.arange(n)).astype(np.int32),
            two.astype(np.int32),
            three.astype(np.int32),
        ]
        # Closed walks through a switch, of two to six links, and its hosts.
        self.own = np.stack(
            [
                topology.endpoints_at.astype(np.float64),
                two.diagonal(),
                three.diagonal(),
                (two * two).sum(axis=1),
                (two * three).sum(axis=1),
                (three * three).sum(axis=1),
            ],
            axis=1,
        ).astype(np.float64)


def _attempt(plan: _Side, actual: _Side, known: np.ndarray, draws: Draws) -> Shapes:
    """One match, with guesses where several pairs are as good."""
    match = _anchored(plan, actual, known, draws)
    best = _agreeing(plan, actual, match)
    for _ in range(_ROUNDS):
        better = _by_neighbours(plan, actual, match, known)
        agree = _agreeing(plan, actual, better)
        if agree <= best:
            break
        match, best = better, agree
    return Shapes(match, best, max(len(plan.topology.links), len(actual.topology.links)))


def _anchored(plan: _Side, actual: _Side, known: np.ndarray, draws: Draws) -> np.ndarray:
    """Every switch of the actual network given a planned one, anchor after anchor."""
    n, m = actual.topology.switches, plan.topology.switches
    match = known.copy()
    # What switches are on their own: a share of an anchor's say, so that it decides only where anchors do not.
    scale = np.maximum(1.0, np.abs(plan.own).max(axis=0))
    apart = np.zeros((n, m), np.float32)
    for column in range(plan.own.shape[1]):
        mine, theirs = actual.own[:, column] / scale[column], plan.own[:, column] / scale[column]
        apart += np.minimum(1, 20 * np.abs(mine[:, None] - theirs[None, :])).astype(np.float32) / 2
    free, left = match < 0, np.ones(m, bool)
    left[match[match >= 0]] = False
    for x in np.flatnonzero(match >= 0).tolist():
        _look(plan, actual, x, int(match[x]), apart)
    apart[~free] = np.inf
    apart[:, ~left] = np.inf
    while free.any() and left.any():
        pairs = _next_pairs(apart, free, draws)
        for x, u in pairs[:_LOOKS]:
            _look(plan, actual, x, u, apart)
        for x, u in pairs:
            match[x] = u
            free[x] = left[u] = False
            apart[x] = np.inf
            apart[:, u] = np.inf
    return match


def _look(plan: _Side, actual: _Side, x: int, u: int, apart: np.ndarray) -> None:
    """Count for every pair of switches what they see differently of an anchor."""
    for mine, theirs in zip(actual.seen, plan.seen, strict=True):
        apart += mine[x][:, None] != theirs[u][None, :]


def _next_pairs(apart: np.ndarray, free: np.ndarray, draws: Draws) -> list[tuple[int, int]]:
    """The next anchors, the surest first, by how much worse the next best is; where none is sure, one guess."""
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
        # Those half as sure at least, and of two that want the same the surer one.
        sure = order[gap[order] >= max(1.0, most / 2)]
        _, first = np.unique(nearest[sure], return_index=True)
        return [(int(x), int(nearest[x])) for x in sure[np.sort(first)].tolist()]
    # One of the equals of the switch that has the fewest.
    near = apart <= lowest[:, None] + np.float32(0.5)
    equals = np.where(free, near.sum(axis=1), len(apart[0]) + 1)
    place = int(np.lexsort((lowest, equals))[0])
    choices = np.flatnonzero(near[place])
    return [(place, int(choices[int(draws.below(choices.size, 1)[0])]))]


def _agreeing(plan: _Side, actual: _Side, match: np.ndarray) -> int:
    """Links of the actual network that are links of the plan too."""
    number = plan.topology.switches
    ends = match[actual.topology.links]
    ends = np.sort(ends[(ends >= 0).all(axis=1)], axis=1)
    mine, many = np.unique(ends[:, 0] * number + ends[:, 1], return_counts=True)
    planned = plan.topology.links.astype(np.int64)
    theirs, more = np.unique(planned[:, 0] * number + planned[:, 1], return_counts=True)
    _, here, there = np.intersect1d(mine, theirs, assume_unique=True, return_indices=True)
    return int(np.minimum(many[here], more[there]).sum())


def _by_neighbours(plan: _Side, actual: _Side, match: np.ndarray, known: np.ndarray) -> np.ndarray:
    """The match that the neighbours of each switch speak for, under a match."""
    from scipy.optimize import linear_sum_assignment

    n, m = actual.topology.switches, plan.topology.switches
    rows = np.where(match[:, None] >= 0, plan.links.toarray()[np.maximum(match, 0)], 0)
    votes = np.asarray(actual.links @ rows)
    votes -= np.float32(0.25) * (actual.topology.endpoints_at[:, None] != plan.topology.endpoints_at[None, :])
    placed = np.flatnonzero(match >= 0)
    votes[placed, match[placed]] += np.float32(0.5)
    fixed = np.flatnonzero(known >= 0)
    votes[fixed, known[fixed]] += np.float32(n + m)
    found = np.full(n, -1, np.int64)
    one, other = linear_sum_assignment(votes, maximize=True)
    found[one] = other
    return found
