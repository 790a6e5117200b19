"""Which schedule a collective gets: trees packed, a ring, a binomial tree, or each to each."""

from dataclasses import replace

import numpy as np

from topoloom.core.errors import InputError, hint
from topoloom.core.work import Work
from topoloom.model.topology import Topology
from topoloom.simulation.collectives.cuts import broadcast_cut, gather_cut
from topoloom.simulation.collectives.delays import Machine
from topoloom.simulation.collectives.forest import Tree, packed_forest, why_no_forest
from topoloom.simulation.collectives.network import RankNetwork, rank_network
from topoloom.simulation.collectives.rings import binomial_tree, pair_trees, ring_order
from topoloom.simulation.collectives.schedule import CollectiveSchedule, chain_trees
from topoloom.simulation.collectives.ways import Ways, way_switches
from topoloom.simulation.flows.state import FlowNetwork

#: Algorithms by operation, and what they are.
ALGORITHMS = {
    "forest": "trees packed so that they take no more than the bound, in small pieces",
    "ring": "a ring of ranks, as a depth-first walk meets their switches",
    "binomial": "a binomial tree",
    "direct": "from each to each, to 64 at a time, which are further on in the order of ranks",
}
_FIT: dict[str, tuple[str, ...]] = {"alltoall": ("direct",), "broadcast": ("forest", "binomial")}
_RINGS = ("forest", "ring")
#: By which paths, the default first; what trees and rings are made for.
PATHS = ("own", "tables")
#: Messages of a schedule that stand in it one by one, and those that are simulated.
_MOST_EDGES, _MOST_MESSAGES = 160_000, 40_000
#: Ranks up to which trees are packed also where a ring would do.
_FEW = 32
#: Pieces at most, and bytes of one at least.
_MOST_PIECES, _LEAST_BYTES = 512, 4096


def chosen_of(operation: str, algorithm: str | None, paths: str | None) -> tuple[str | None, str]:
    """The algorithm, if one is asked for, and the paths.

    Parameters
    ----------
    operation : str
    algorithm, paths : str or None
        What is asked for.

    Returns
    -------
    algorithm : str or None
    paths : "own" or "tables"

    Raises
    ------
    InputError
        One that there is not, or that does not fit.
    """
    fit = _FIT.get(operation, _RINGS)
    if algorithm is not None and algorithm not in fit:
        raise InputError(f"no algorithm '{str(algorithm)[:40]}' of {operation}; {hint(str(algorithm), fit)}")
    if paths is not None and paths not in PATHS:
        raise InputError(f"paths_from '{str(paths)[:40]}': {hint(str(paths), PATHS)}")
    if paths == "own" and (algorithm in ("direct", "binomial") or operation == "alltoall"):
        raise InputError(f"`paths_from` own: {algorithm or 'direct'} goes along the tables; omit it")
    return algorithm, paths or "own"


def collective_schedule(
    topology: Topology,
    operation: str,
    size: int,
    homes: np.ndarray,
    root: int,
    chosen: str | None,
    along: str,
    pieces: int | None,
    net: FlowNetwork,
    back: np.ndarray,
    machine: Machine,
    work: Work,
) -> CollectiveSchedule:
    """The schedule of a collective: its trees, with their paths, and in how many pieces they go.

    Parameters
    ----------
    topology : Topology
    operation : str
    size : int
        Bytes.
    homes : int64[ranks]
        A host a rank.
    root : int
        The rank that broadcasts.
    chosen : str or None
        The algorithm; None: the one that fits.
    along : "own" or "tables"
    pieces : int or None
        Pieces of a message; None: as many as hide the depth of trees.
    net : FlowNetwork
        With the tables.
    back : int64[c]
        The channel that leads the other way.
    machine : Machine
    work : Work

    Raises
    ------
    InputError
        A network that is too large for the algorithm, or for any.
    Stopped
        `work` was stopped.
    """
    n = int(homes.size)
    trees: tuple[Tree, ...] = ()
    chunks, cut_in = n, 1
    if chosen is None and n > _FEW and operation in ("allreduce", "allgather", "reduce-scatter"):
        # Where hosts' own ports are what holds back, a ring reaches the same, and is simulated in a moment.
        single = topology.hosts == topology.endpoints.size
        chosen = "ring" if single and machine.host_rate_gbps <= machine.rate_gbps else None
    if chosen in (None, "forest") and operation != "alltoall" and n > 1:
        apart = int(homes[root]) if operation == "broadcast" else None
        lone = rank_network(topology, homes, machine.rate_gbps, machine.host_rate_gbps, alike=False, apart=apart)
        why = why_no_forest(lone, asked=chosen == "forest")
        if why and chosen == "forest":
            raise InputError(f"{topology.name}: {why}; take algorithm {_FIT.get(operation, _RINGS)[1]}")
        if not why:
            chosen = "forest"
            trees, chunks, cut_in = _forest(lone, operation, homes, root, size, work)
    if not trees and n > 1:
        if operation == "alltoall":
            chosen, along, chunks = "direct", "tables", n * n
            trees = pair_trees(n) if n * (n - 1) <= _MOST_EDGES else ()
        elif operation == "broadcast":
            chosen, along, chunks, trees = "binomial", "tables", 1, (binomial_tree(n, root),)
        else:
            chosen = "ring"
            order, steps = ring_order(topology, homes)
            if n * (n - 1) > _MOST_EDGES:
                raise InputError(
                    f"{topology.name}: {n} ranks are too many for a schedule, {int(_MOST_EDGES**0.5)} at most; their bound:"
                    " collective_bound (`bound`), and topoloom app simulates rings of more"
                )
            trees = chain_trees(order, steps)
    found = CollectiveSchedule(
        operation=operation,
        ranks=n,
        bytes=int(size),
        algorithm=chosen or "direct",
        paths=along,
        chunks=chunks if n > 1 else 0,
        pieces=pieces or cut_in,
        hosts=homes,
        trees=trees,
    )
    return replace(found, trees=_by_tables(found, net, back)) if along == "tables" else found


def _forest(
    lone: RankNetwork, operation: str, homes: np.ndarray, root: int, size: int, work: Work
) -> tuple[tuple[Tree, ...], int, int]:
    """Packed trees, their ranks numbered as the caller's; how many chunks there are; how many pieces hide the depth."""
    # Classes are in the order of hosts, the root's first; ranks in the caller's.
    rank_of = np.empty(homes.size, np.int64)
    by_host = {int(host): rank for rank, host in enumerate(homes)}
    for place, hosts in enumerate(lone.hosts):
        rank_of[place] = by_host[int(hosts[0])]
    if operation == "broadcast":
        made, each = packed_forest(lone, broadcast_cut(lone, work), np.array([0]), work)
        chunks = each
    else:
        made, each = packed_forest(lone, gather_cut(lone, work), np.arange(homes.size), work)
        chunks = each * homes.size
    trees = []
    for tree in made:
        own = int(rank_of[tree.root])
        first = tree.first if operation == "broadcast" else tree.first % each + own * each
        edges = tuple(
            replace(one, sender=int(rank_of[one.sender]), receiver=int(rank_of[one.receiver])) for one in tree.edges
        )
        trees.append(Tree(own, first, tree.chunks, edges))
    trees.sort(key=lambda tree: tree.first)
    depth = max(tree.depth for tree in trees)
    messages = sum(tree.chunks * len(tree.edges) for tree in trees) * (2 if operation == "allreduce" else 1)
    least = max(1, size // chunks // _LEAST_BYTES)
    pieces = max(1, min(_MOST_PIECES, 40 * (depth - 1) + 1, least, _MOST_MESSAGES // messages))
    return tuple(trees), chunks, pieces


def _by_tables(schedule: CollectiveSchedule, net: FlowNetwork, back: np.ndarray) -> tuple[Tree, ...]:
    """The trees with the paths of the tables."""
    ways = Ways(schedule, net, back)
    return tuple(
        replace(
            tree,
            edges=tuple(
                replace(edge, switches=way_switches(ways.down(tree, number), net))
                for number, edge in enumerate(tree.edges)
            ),
        )
        for tree in schedule.trees
    )
