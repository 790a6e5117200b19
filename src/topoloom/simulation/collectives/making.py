"""The choice of a schedule for a collective: packed trees, a ring, chains, a binomial tree, or direct messages."""

from dataclasses import replace

import numpy as np

from topoloom.core.errors import InputError, hint
from topoloom.core.work import Work
from topoloom.model.topology import Topology
from topoloom.simulation.collectives.chains import CHAINS, chains
from topoloom.simulation.collectives.cuts import broadcast_cut, gather_cut
from topoloom.simulation.collectives.delays import NetworkTiming
from topoloom.simulation.collectives.forest import TooManySplitsError, Tree, packed_forest, why_no_forest
from topoloom.simulation.collectives.network import RankNetwork, rank_network
from topoloom.simulation.collectives.pair_paths import spread_pairs
from topoloom.simulation.collectives.port_rings import RINGS, chosen_rings, port_rings
from topoloom.simulation.collectives.rail_rings import RAIL_RING, rail_trees
from topoloom.simulation.collectives.rings import binomial_tree, pair_trees, ring_order
from topoloom.simulation.collectives.schedule import REDUCES, CollectiveSchedule, chain_trees
from topoloom.simulation.collectives.stepping import grown_forest
from topoloom.simulation.collectives.ways import Ways, way_switches
from topoloom.simulation.flows.state import FlowNetwork

#: Algorithms of schedules, with descriptions.
ALGORITHMS = {
    "forest": "packed trees that achieve the bound, in small pieces; for many ranks trees grown in steps that come close to it",
    "ring": "a ring of ranks, in the order of a depth-first walk over their switches",
    RINGS: "disjoint rings through all switches at once, as many as a host's ports and its switch's links can carry",
    "rail-ring": "a ring of hosts on each rail and plane, all at once, for a rank per accelerator; inside a host over scale_up",
    "chains": "a chain of hosts on each port, in the order of their switches, in small pieces",
    "binomial": "a binomial tree",
    "direct": "from each rank to each other, up to 64 at a time, in the order of ranks",
}
_FIT: dict[str, tuple[str, ...]] = {"alltoall": ("direct",), "broadcast": ("forest", CHAINS, "binomial")}
_OF_ALL = ("forest", "ring", RINGS, RAIL_RING)
#: The choices of paths, the default first: paths of the trees or rings, or those of the tables.
PATHS = ("own", "tables")
#: The most messages that a schedule lists one by one, and the most that are simulated.
_MOST_EDGES, _MOST_MESSAGES = 160_000, 40_000
#: Pieces of each message of a rail's ring, so that exchanges inside hosts overlap with it, and the most messages of all.
_RAIL_PIECES, _MOST_RAIL_MESSAGES = 8, 300_000
#: Pieces of a chain per message in a row: the last rank waits for the first piece by a twentieth of the time of all.
_CHAIN_PIECES = 20
#: Ranks up to which trees are packed even where a ring would be as good.
_FEW = 32
#: The most pieces, and the least bytes per piece.
_MOST_PIECES, _LEAST_BYTES = 512, 4096


def chosen_of(operation: str, algorithm: str | None, paths: str | None) -> tuple[str | None, str]:
    """Check a requested algorithm and paths; return the algorithm, or None, and the paths.

    Parameters
    ----------
    operation : str
    algorithm, paths : str or None
        The user's request.

    Returns
    -------
    algorithm : str or None
    paths : "own" or "tables"

    Raises
    ------
    InputError
        An unknown algorithm or paths, or one that does not fit.
    """
    fit = _FIT.get(operation, _OF_ALL)
    if algorithm is not None and algorithm not in fit:
        raise InputError(f"{operation} has no algorithm '{str(algorithm)[:40]}'; {hint(str(algorithm), fit)}")
    if paths is not None and paths not in PATHS:
        raise InputError(f"paths_from '{str(paths)[:40]}': {hint(str(paths), PATHS)}")
    if paths == "own" and algorithm in ("binomial", CHAINS, RAIL_RING):
        raise InputError(f"`paths_from` own: {algorithm} uses the paths of the tables; omit paths_from")
    return algorithm, paths or ("tables" if operation == "alltoall" else "own")


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
    machine: NetworkTiming,
    work: Work,
) -> CollectiveSchedule:
    """Return the schedule of a collective: trees with their paths, and the number of pieces.

    Parameters
    ----------
    topology : Topology
    operation : str
    size : int
        The bytes of the operation.
    homes : int64[ranks]
        The host of each rank.
    root : int
        The rank that broadcasts.
    chosen : str or None
        The algorithm; None: the fitting one.
    along : "own" or "tables"
    pieces : int or None
        Pieces per message; None: enough to hide the depth of trees.
    net : FlowNetwork
        The network with its tables.
    back : int64[c]
        The reverse of each channel.
    machine : NetworkTiming
    work : Work

    Raises
    ------
    InputError
        A network that is too large for the algorithm, or for all algorithms.
    Stopped
        `work` was stopped.
    """
    n = int(homes.size)
    trees: tuple[Tree, ...] = ()
    chunks, cut_in = n, 1
    if chosen == RAIL_RING:
        return _rail_ring(topology, operation, size, homes, pieces)
    listed = n * (n - 1) <= _MOST_EDGES
    many = n > _FEW and operation in (*REDUCES, "allgather")
    if chosen is None and listed and many:
        # Where the hosts' own ports are the limit, a ring achieves the same, and takes little time to simulate.
        single = topology.hosts == topology.endpoints.size
        slowest = machine.rate_gbps if machine.link_gbps is None else float(machine.link_gbps.min(initial=np.inf))
        chosen = "ring" if single and machine.host_rate_gbps <= slowest else None
    if chosen in (None, "forest", RINGS) and operation != "alltoall" and n > 1:
        apart = int(homes[root]) if operation == "broadcast" else None
        by_host = rank_network(topology, homes, **machine.rates, alike=False, apart=apart)
        if chosen == RINGS or (chosen is None and many):
            hop_s = 2 * machine.host_s + 2 * machine.switch_s + float(np.max(machine.cable_s, initial=0.0))
            trees, rings = port_rings(by_host, work) if chosen == RINGS else chosen_rings(by_host, size, hop_s, work)
            if trees:
                chosen, chunks, trees = RINGS, rings * n, _for_ranks(trees, by_host, homes, rings)
        if chosen != RINGS:
            exact = not why_no_forest(by_host, asked=chosen == "forest")
            # Beyond what can be packed, a forest is grown if it is requested, or if nothing else fits.
            if exact or chosen == "forest" or (operation != "broadcast" and not listed):
                chosen = "forest"
                trees, chunks, cut_in = _forest(by_host, operation, homes, root, size, exact, work)
    if not trees and n > 1:
        if operation == "alltoall":
            chosen, chunks = "direct", n * n
            trees = pair_trees(n) if listed else ()
            if along == "own":
                trees = _on_own_paths(topology, homes, trees, machine, work)
        elif operation == "broadcast" and chosen in (None, CHAINS):
            chosen, along, trees = CHAINS, "tables", chains(topology, homes, root)
            chunks = len(trees)
            most = _MOST_RAIL_MESSAGES // (chunks * (n - 1))
            cut_in = max(1, min(_CHAIN_PIECES * (n - 1), size // chunks // _LEAST_BYTES, most))
        elif operation == "broadcast":
            chosen, along, chunks, trees = "binomial", "tables", 1, (binomial_tree(n, root),)
        elif chosen is None and topology.endpoints.size > topology.hosts and np.unique(homes).size == n:
            # A ring uses one port of a host, the rings of rails all of them.
            return _rail_ring(topology, operation, size, homes, pieces)
        else:
            chosen = "ring"
            order, steps = ring_order(topology, homes)
            if not listed:
                raise InputError(
                    f"{topology.name}: {n} ranks are too many for a ring, at most {int(_MOST_EDGES**0.5)} are possible; use"
                    " algorithm forest, collective_bound (`bound`) for their bound, and topoloom app to simulate larger rings"
                )
            trees = chain_trees(order, steps)
    schedule = CollectiveSchedule(
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
    return replace(schedule, trees=_by_tables(schedule, net, back)) if along == "tables" else schedule


def _rail_ring(
    topology: Topology, operation: str, size: int, homes: np.ndarray, pieces: int | None
) -> CollectiveSchedule:
    """Return the schedule of `rail_rings.rail_trees`, for hosts whose ranks are successive."""
    hosts, n = homes[np.sort(np.unique(homes, return_index=True)[1])], int(homes.size)
    accelerators = n // hosts.size
    if n * (n - 1) > _MOST_EDGES:
        raise InputError(
            f"{topology.name}: {n} ranks are too many for a schedule, at most {int(_MOST_EDGES**0.5)} are possible; use"
            " rail_collective, or a design, whose shortlist has the times of all accelerators"
        )
    trees, chunks = rail_trees(topology, hosts, accelerators)
    messages = sum(len(tree.edges) for tree in trees) * (2 if operation == "allreduce" else 1)
    cut_in = min(_RAIL_PIECES, size // max(1, chunks) // _LEAST_BYTES, _MOST_RAIL_MESSAGES // max(1, messages))
    return CollectiveSchedule(
        operation=operation,
        ranks=n,
        bytes=int(size),
        algorithm=RAIL_RING,
        paths="tables",
        chunks=chunks,
        pieces=pieces or max(1, cut_in),
        hosts=homes,
        trees=trees,
    )


def _forest(
    by_host: RankNetwork, operation: str, homes: np.ndarray, root: int, size: int, exact: bool, work: Work
) -> tuple[tuple[Tree, ...], int, int]:
    """Return packed trees, or grown ones if not `exact`; the number of chunks, and the pieces that hide the trees' depth."""
    roots = np.array([0]) if operation == "broadcast" else np.arange(homes.size)
    packed, each = _packed(by_host, operation, roots, work) if exact else grown_forest(by_host, roots, work)
    chunks = each * roots.size
    trees = _for_ranks(packed, by_host, homes, None if operation == "broadcast" else each)
    if any(tree.turns for tree in trees):
        return trees, chunks, 1
    depth = max(tree.depth for tree in trees)
    messages = sum(tree.chunks * len(tree.edges) for tree in trees) * (2 if operation == "allreduce" else 1)
    least = max(1, size // chunks // _LEAST_BYTES)
    pieces = max(1, min(_MOST_PIECES, 40 * (depth - 1) + 1, least, _MOST_MESSAGES // messages))
    return trees, chunks, pieces


def _for_ranks(trees: tuple[Tree, ...], by_host: RankNetwork, homes: np.ndarray, each: int | None) -> tuple[Tree, ...]:
    """Return trees over classes, which are in the order of hosts, as trees over the ranks, with `each` chunks per root."""
    rank_on_host = {int(host): rank for rank, host in enumerate(homes)}
    rank_of = [rank_on_host[int(hosts[0])] for hosts in by_host.hosts]
    renamed = []
    for tree in trees:
        own = rank_of[tree.root]
        first = tree.first if each is None else tree.first % each + own * each
        edges = tuple(
            replace(edge, sender=rank_of[edge.sender], receiver=rank_of[edge.receiver]) for edge in tree.edges
        )
        renamed.append(replace(tree, root=own, first=first, edges=edges))
    return tuple(sorted(renamed, key=lambda tree: tree.first))


def _on_own_paths(
    topology: Topology, homes: np.ndarray, trees: tuple[Tree, ...], machine: NetworkTiming, work: Work
) -> tuple[Tree, ...]:
    """Return pairs of ranks with their own paths."""
    if not trees:
        raise InputError(
            f"{topology.name}: `paths_from` own: {homes.size} ranks have too many paths for a schedule, at most"
            f" {int(_MOST_EDGES**0.5)} ranks are possible; use paths_from tables"
        )
    by_host = rank_network(topology, homes, **machine.rates, alike=False)
    place = np.searchsorted(np.concatenate(by_host.hosts), homes)
    return spread_pairs(by_host, trees, place, work)


def _packed(by_host: RankNetwork, operation: str, roots: np.ndarray, work: Work) -> tuple[tuple[Tree, ...], int]:
    """Return packed trees and the chunks per root, or grown trees where rates divide too badly for packing."""
    cut = (broadcast_cut if operation == "broadcast" else gather_cut)(by_host, work)
    try:
        return packed_forest(by_host, cut, roots, work)
    except TooManySplitsError:
        return grown_forest(by_host, roots, work)


def _by_tables(schedule: CollectiveSchedule, net: FlowNetwork, back: np.ndarray) -> tuple[Tree, ...]:
    """Return the trees with the paths of the tables."""
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
