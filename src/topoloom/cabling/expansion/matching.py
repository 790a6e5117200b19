"""Matching the switches of one network to those of another, so that as many cables as possible stay."""

from collections import Counter
from collections.abc import Iterator

import numpy as np

from topoloom.cabling.expansion.stages import difference, switches_of_hosts
from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.core.work import Work
from topoloom.fabric.structure_matching import match_shapes
from topoloom.model.topology import Topology

#: Tries of exchanging two switches, per switch and link; the most of them, and the most ports that they look at: minutes.
_TRIES, _MOST_TRIES, _MOST_PORTS = 400, 40_000_000, 20_000_000_000
#: Tries between two checks for Ctrl-C.
_SLICE = 500_000
#: Number of searches: from the starts that keep the most links.
_SEARCHES = 4
#: Larger networks are not compared by their shapes, which needs tables of all pairs.
_MOST_FOR_SHAPES, _GUESSES = 2_048, 8


def by_labels(before: Topology, goal: Topology) -> np.ndarray | None:
    """The existing number of each switch of `goal` by the labels, int64[goal.switches], -1 for new ones.

    Switches with the same labels are matched in their order. None if a switch of `before` has no counterpart in `goal`.
    """
    if not before.labels or before.labels.keys() != goal.labels.keys():
        return None
    names = sorted(before.labels)
    keys = [list(zip(*(topology.labels[name].tolist() for name in names), strict=True)) for topology in (before, goal)]
    waiting: dict[tuple[object, ...], list[int]] = {}
    for switch, key in reversed(list(enumerate(keys[1]))):
        waiting.setdefault(key, []).append(switch)
    matching = np.full(goal.switches, -1)
    for switch, key in enumerate(keys[0]):
        places = waiting.get(key)
        if not places:
            return None
        matching[places.pop()] = switch
    return matching


def matched(
    before: Topology, goal: Topology, seed: int = 1, jobs: int | None = None, work: Work | None = None
) -> np.ndarray:
    """The existing number of each switch of `goal`, -1 for new ones, such that many links stay.

    Starts from the labels, the numbers, the shapes of both networks, and matchings grown outwards from a switch, and exchanges
    switches to keep more links (annealing). Hosts do not move: a switch is matched to one with at least as many hosts.

    Parameters
    ----------
    before, goal : Topology
    seed : int
        The same seed gives the same matching, for any number of threads.
    jobs : int, optional
        Threads; all cores by default.
    work : Work, optional
        May stop the search.

    Returns
    -------
    int64[goal.switches]
        Each number of `before` once; -1 for new switches.

    Raises
    ------
    InputError
        `goal` has fewer switches, or hosts would have to move.
    Stopped
        `work` was stopped.
    """
    if goal.switches < before.switches:
        raise InputError(
            f"{goal.name}: it has {goal.switches} switches and {before.name} {before.switches}; a network only grows into"
            " one of at least its size"
        )
    starts = [start for start in (by_labels(before, goal), _by_numbers(before, goal)) if start is not None]
    starts = [start for start in (*starts, *_by_shape(before, goal, seed)) if _hosts_stay(before, goal, start)]
    starts += _outwards(before, goal, seed)
    if not starts:
        raise InputError(
            f"{goal.name}: hosts would have to move; give it at least as many hosts on as many switches as {before.name} has"
        )
    starts.sort(key=lambda start: -_kept(before, goal, start))
    in_units = before.hosts < before.endpoints.size
    best = next((start for start in starts if not in_units or _units_stay(before, goal, start)), None)
    if best is not None and _kept(before, goal, best) == _most_kept(before, goal):
        return best
    starts += _exchanged(before, goal, starts[:_SEARCHES], seed, jobs, work)
    if in_units:
        starts = [start for start in starts if _units_stay(before, goal, start)] or starts
    return max(starts, key=lambda matching: _kept(before, goal, matching))


def _most_kept(before: Topology, goal: Topology) -> int:
    """An upper bound of the links that any matching keeps.

    A switch keeps no more than if its bundles of parallel links, the largest first, met those of the best switch of `goal`.
    """
    had, has = _bundles(before), _bundles(goal)
    width = max(len(bundles) for bundles in (*had, *has))
    wanted = np.array([bundles + (0,) * (width - len(bundles)) for bundles in has])
    most = sum(
        count * int(np.minimum(wanted, np.array(bundles + (0,) * (width - len(bundles)))).sum(axis=1).max())
        for bundles, count in had.items()
    )
    return min(most // 2, len(before.links))


def _bundles(topology: Topology) -> Counter[tuple[int, ...]]:
    """How many switches have these numbers of links to their neighbours, the largest first."""
    pairs, count = np.unique(topology.links, axis=0, return_counts=True)
    links: list[list[int]] = [[] for _ in range(topology.switches)]
    for (u, v), parallel in zip(pairs.tolist(), count.tolist(), strict=True):
        links[u].append(parallel)
        links[v].append(parallel)
    return Counter(tuple(sorted(own, reverse=True)) for own in links)


def _exchanged(
    before: Topology, goal: Topology, starts: list[np.ndarray], seed: int, jobs: int | None, work: Work | None
) -> list[np.ndarray]:
    """The result of annealing from each start."""
    from topoloom.cabling.expansion.kernels.matching import exchange
    from topoloom.core.searches import metropolis_table
    from topoloom.core.threads import over_cores

    new, standing = goal.csr, Topology(links=before.links, switches=goal.switches).csr
    counts, accepted = _counts(before, goal.switches), metropolis_table()
    # A try looks at the ports of two switches of the goal twice, and at those of two existing ones once.
    ports = 8 * len(goal.links) / goal.switches + 4 * len(before.links) / before.switches
    tries = int(min(_MOST_TRIES, _TRIES * (goal.switches + len(goal.links)), _MOST_PORTS / max(1.0, ports)))
    matchings = [_whole(start, before) for start in starts]

    def task(numbers: Iterator[int]) -> None:
        for number in numbers:
            draw, gains = Draws(seed, number).state(), np.zeros(2, np.int64)
            place, best = matchings[number].copy(), matchings[number]
            for begin in range(0, tries, _SLICE):
                if work is not None and work.stopped:
                    return
                exchange(
                    new[0],
                    new[1],
                    standing[0],
                    standing[1],
                    place,
                    goal.endpoints_at,
                    counts,
                    accepted,
                    draw,
                    begin,
                    min(tries, begin + _SLICE),
                    tries,
                    best,
                    gains,
                )

    over_cores(task, len(matchings), jobs, work)
    if work is not None:
        work.check()
    return [np.where(place < before.switches, place, -1) for place in matchings]


def _by_numbers(before: Topology, goal: Topology) -> np.ndarray:
    numbers = np.arange(goal.switches)
    return np.where(numbers < before.switches, numbers, -1)


def _by_shape(before: Topology, goal: Topology, seed: int) -> list[np.ndarray]:
    """The matching by the shapes of both networks, which recognises a renumbered network if all else fails."""
    if goal.switches > _MOST_FOR_SHAPES or not len(before.links):
        return []
    shapes = match_shapes(goal, before, seed=seed, tries=_GUESSES)
    matching = np.full(goal.switches, -1)
    identified = np.flatnonzero(shapes.planned >= 0)
    matching[shapes.planned[identified]] = identified
    lost = np.setdiff1d(np.arange(before.switches), identified)
    matching[np.flatnonzero(matching < 0)[: lost.size]] = lost
    return [matching]


def _counts(topology: Topology, switches: int) -> np.ndarray:
    """Hosts at each switch, 0 for new ones."""
    counts = np.zeros(switches, np.int64)
    counts[: topology.switches] = topology.endpoints_at
    return counts


def _whole(matching: np.ndarray, before: Topology) -> np.ndarray:
    """A matching with numbers for the new switches as well."""
    place = matching.copy()
    place[matching < 0] = np.arange(before.switches, matching.size)
    return place


def _hosts_stay(before: Topology, goal: Topology, matching: np.ndarray) -> bool:
    stays = matching >= 0
    return bool((goal.endpoints_at[stays] >= before.endpoints_at[matching[stays]]).all())


def _units_stay(before: Topology, goal: Topology, matching: np.ndarray) -> bool:
    """Whether the goal has hosts on the same switches as all existing hosts, whose ports are on several."""
    had = Counter(switches_of_hosts(before.endpoints, before.host))
    return had <= Counter(switches_of_hosts(matching[goal.endpoints], goal.host))


def _kept(before: Topology, goal: Topology, matching: np.ndarray) -> int:
    """The number of links that stay."""
    place = _whole(matching, before)
    moved = Topology(links=place[goal.links], switches=goal.switches)
    return len(difference(before, moved)[2])


def _outwards(before: Topology, goal: Topology, seed: int) -> list[np.ndarray]:
    """Matchings grown from a pair of switches: the pair with the most matched neighbours comes next."""
    from topoloom.cabling.expansion.kernels.matching import grown

    counts, old = _counts(before, goal.switches), before.csr
    draws = Draws(seed)
    ends = np.argsort(-before.degrees, kind="stable")[:1], draws.below(before.switches, 3)
    matchings = []
    for source in np.concatenate(ends).tolist():
        fits = np.flatnonzero(goal.endpoints_at >= counts[source])
        if not fits.size:
            return []
        near = fits[np.argsort(np.abs(goal.degrees[fits] - before.degrees[source]), kind="stable")]
        place = np.full(goal.switches, -1)
        if grown(goal.csr[0], goal.csr[1], old[0], old[1], place, goal.endpoints_at, counts, source, int(near[0])):
            matchings.append(place)
    return matchings
