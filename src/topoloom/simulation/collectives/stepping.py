"""Forests grown step by step, for any number of ranks: nearly as good as packed trees, in seconds."""

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.simulation.collectives.forest import Tree, TreeEdge
from topoloom.simulation.collectives.network import RankNetwork

#: The most messages of a forest; and those up to which each root has several chunks.
MOST_MESSAGES, _MOST_SEVERAL = 1_200_000, 160_000
#: Steps from which on a few steps with idle channels at the end matter little.
_STEPS = 200
#: The most chunks of a broadcast.
_MOST_CHUNKS = 512


def grown_forest(network: RankNetwork, roots: np.ndarray, work: Work | None = None) -> tuple[tuple[Tree, ...], int]:
    """Return trees from each root to all ranks, grown together in steps in which every channel carries what fits in.

    Parameters
    ----------
    network : RankNetwork
        A network with one class per host, in the order of ranks, with one rank each.
    roots : int64[k]
        All ranks, or the rank that broadcasts.
    work : Work, optional
        Reports progress in messages.

    Returns
    -------
    trees : tuple of Tree
        One tree per chunk, with its `steps`.
    chunks : int
        The number of chunks of each root's data.

    Raises
    ------
    InputError
        Too many messages.
    Stopped
        `work` was stopped.

    Notes
    -----
    A step lasts as long as the slowest channel needs for a chunk. In each step, each rank gets chunks that it lacks from the
    nearest ranks that have them, the rarest chunks first, while channels have room. Unlike those of `packed_forest`, the trees
    need not achieve the bound.
    """
    from topoloom.simulation.collectives.kernels.stepping import next_step

    work = Work() if work is None else work
    n, c = network.switches, network.classes
    if roots.size * (c - 1) > MOST_MESSAGES:
        raise InputError(
            f"{network.name}: a forest of {c} ranks has {roots.size * (c - 1):,} messages, at most {MOST_MESSAGES:,} are"
            " possible; use collective_bound (`bound`) for the bound, or fewer ranks"
        )
    tail, head, capacity = network.arcs()
    by_end = np.lexsort((tail, head))
    tail, head, capacity = tail[by_end], head[by_end], capacity[by_end]
    first = np.searchsorted(head, np.arange(n + c + 1))
    unit = int(capacity.min())
    each = _chunks_of(network, roots.size, unit)
    chunks = each * roots.size
    words = -(-chunks // 64)
    number = np.arange(chunks)
    have = np.zeros((c, words), np.uint64)
    np.bitwise_or.at(have, (roots[number // each], number // 64), np.uint64(1) << (number % 64).astype(np.uint64))
    copies = np.ones(chunks, np.int64)
    most = int(capacity.sum() // unit) + c
    credit, edges, path = np.zeros(capacity.size, np.int64), np.empty((most, 4), np.int64), np.empty(most, np.int64)
    draws = np.random.default_rng(1)
    grown: list[list[TreeEdge]] = [[] for _ in range(chunks)]
    steps: list[list[int]] = [[] for _ in range(chunks)]
    paths: dict[tuple[int, ...], tuple[int, ...]] = {}
    total, done, step = chunks * (c - 1), 0, 0
    work.begin(total, "messages")
    while done < total:
        # A channel keeps less than a message of what it did not use, so that rates need not be multiples of each other.
        credit = np.minimum(credit, unit - 1) + capacity
        coming = have.copy()
        order, begin = draws.permutation(c), int(draws.integers(words))
        sent = next_step(first, tail, credit, unit, n, have, coming, copies, order, begin, edges, path)
        have, before, along = coming, 0, path.tolist()
        for sender, receiver, chunk, end in edges[:sent].tolist():
            switches = tuple(along[before:end])
            grown[chunk].append(TreeEdge(sender, receiver, paths.setdefault(switches, switches)))
            steps[chunk].append(step)
            before = end
        done, step = done + sent, step + 1
        work.reach(done)
        work.check()
    return (tuple(Tree(int(roots[i // each]), i, 1, tuple(grown[i]), tuple(steps[i])) for i in range(chunks)), each)


def _chunks_of(network: RankNetwork, roots: int, unit: int) -> int:
    """Return the chunks per root: enough for many steps, as far as messages are few."""
    others = network.classes - 1
    if roots == 1:
        return max(1, min(_MOST_CHUNKS, _MOST_SEVERAL // others))
    fastest = int(network.port_counts.max()) * network.host_units
    wanted = -(-_STEPS * fastest // (unit * others))
    return max(1, min(wanted, _MOST_SEVERAL // (roots * others)))
