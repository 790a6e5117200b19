"""An all-to-all on its own paths: one path per pair of ranks, chosen so that no channel carries much more than it must."""

from dataclasses import replace

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.simulation.collectives.forest import Tree
from topoloom.simulation.collectives.network import RankNetwork

#: How often each pair chooses its path, and how steeply channels become longer: e for this part of the fullest one's time.
_ROUNDS, _STEEP = 3, 12.0


def spread_pairs(
    network: RankNetwork, trees: tuple[Tree, ...], place: np.ndarray, work: Work | None = None
) -> tuple[Tree, ...]:
    """Return pairs of ranks with the switches of their paths.

    Parameters
    ----------
    network : RankNetwork
        A network with one class per host.
    trees : tuple of Tree
        One tree with one edge per pair of ranks, step by step (`rings.pair_trees`).
    place : int64[ranks]
        The class of each rank.
    work : Work, optional
        Reports progress in paths.

    Returns
    -------
    tuple of Tree
        The same trees; the ports of hosts with several take turns.

    Raises
    ------
    InputError
        Ports of two hosts without a path between them.
    Stopped
        `work` was stopped.

    Notes
    -----
    Pairs choose one after the other, in random order, the path whose channels' lengths sum up to the least; a length grows
    exponentially with the load (Garg and Könemann, SIAM J. Comput. 37(2), 2007). Then each chooses again, without its own load.
    """
    from topoloom.simulation.collectives.kernels.spreading import spread

    work = Work() if work is None else work
    order = np.argsort(network.tail, kind="stable")
    tail, to = network.tail[order], network.head[order]
    first = np.searchsorted(tail, np.arange(network.switches + 1))
    length = network.link_units / network.capacity[order]
    ports = [[switch for switch, count in ports.items() for _ in range(count)] for ports in network.ports]
    load, path = np.zeros(tail.size), np.empty(network.switches, np.int64)
    chosen: list[np.ndarray] = [np.empty(0, np.int64)] * len(trees)
    ends = []
    for number, tree in enumerate(trees):
        source, goal = ports[place[tree.edges[0].sender]], ports[place[tree.edges[0].receiver]]
        # All pairs of a step use one port of each host, the next step the next one.
        step = number // place.size
        ends.append((source[step % len(source)], goal[step % len(goal)]))
    draws = np.random.default_rng(1)
    work.begin(_ROUNDS * len(trees), "paths")
    # The first round does not know the fullest channel's time: it is at least that of all channels on average.
    fullest = len(trees) / max(1, tail.size)
    for turn in range(_ROUNDS):
        for done, number in enumerate(draws.permutation(len(trees)).tolist()):
            source, goal = ends[number]
            if source == goal:
                continue
            load[chosen[number]] -= 1
            count = spread(first, to, length, load, source, goal, _STEEP / fullest, path)
            if not count:
                raise InputError(
                    f"{network.name}: no path joins switches {source} and {goal}, where hosts of an all-to-all have ports; use"
                    " paths_from tables"
                )
            chosen[number] = path[:count][::-1].copy()
            load[chosen[number]] += 1
            if done % 1024 == 0:
                work.reach(turn * len(trees) + done)
                work.check()
        fullest = max(1.0, float((load * length).max(initial=0.0)))
    return tuple(
        replace(tree, edges=(replace(tree.edges[0], switches=(ends[i][0], *to[chosen[i]].tolist())),))
        for i, tree in enumerate(trees)
    )
