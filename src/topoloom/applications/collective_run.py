"""The verbs `collective` and `collective_bound`: the least time of a collective, and a schedule beside it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from topoloom.applications.checks import check_kind, check_text, check_whole
from topoloom.applications.collective_result import Collective
from topoloom.applications.flow_run import FLOWS, check_flows, fabric, machine, simulator_of
from topoloom.applications.placement import place_ranks
from topoloom.applications.settings import AppSettings
from topoloom.collectives.bound import CollectiveBound, bound_of, operation_of
from topoloom.collectives.cuts import broadcast_cut, gather_cut
from topoloom.collectives.flows import Ways, fullest_seconds, run_schedule, switches_of
from topoloom.collectives.forest import Tree, packed_forest, why_no_forest
from topoloom.collectives.network import rank_network
from topoloom.collectives.rings import binomial_tree, pair_trees, ring_order
from topoloom.collectives.schedule import CollectiveSchedule, chain_trees
from topoloom.errors import InputError, hint
from topoloom.flows.state import Fabric
from topoloom.layout.layout import Layout
from topoloom.results import provenance_of
from topoloom.routing.routing import Routing
from topoloom.topology import Topology
from topoloom.work import Work

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
_MOST_EDGES, _MOST_MESSAGES = 160_000, 60_000
#: Pieces at most, and bytes of one at least.
_MOST_PIECES, _LEAST_BYTES = 512, 4096


def collective_bound(
    network: Topology | Routing,
    operation: str,
    bytes: int = 1 << 26,
    ranks: int | None = None,
    *,
    placement: str = "linear",
    root: int = 0,
    settings: AppSettings | None = None,
    layout: Layout | None = None,
    gap: float = 0.05,
    seed: int = 1,
    jobs: int | None = None,
    work: Work | None = None,
) -> CollectiveBound:
    """The least time of a collective on a network, whatever the algorithm and the paths.

    Parameters
    ----------
    network : Topology or Routing
        Tables say nothing here.
    operation : str
        ``allreduce``, ``allgather``, ``reduce-scatter``, ``broadcast`` or ``alltoall``.
    bytes : int
        Of the vector, or of what all have together; of an all-to-all from each rank to each other.
    ranks : int, optional
        One for every host when left out.
    placement : str
        As `run_app` has it.
    root : int
        The rank that broadcasts.
    settings : AppSettings, optional
        Rates and delays.
    layout : Layout, optional
        How long every cable is.
    gap : float
        How close the flow of an all-to-all is bracketed where it is too large to be solved.
    seed : int
        Of the placement.
    jobs, work
        As everywhere.

    Returns
    -------
    CollectiveBound

    Raises
    ------
    InputError
        No such operation, more ranks than hosts, ranks that do not reach each other, a value of the wrong type.
    Stopped
        `work` was stopped.

    Examples
    --------
    >>> from topoloom import build
    >>> found = collective_bound(build("ring:n=4,hosts=1"), "allgather", 4_000_000)
    >>> round(found.bandwidth_s * 1e6)  # three megabytes into each host, at 40 Gb/s
    600
    """
    check_kind("network", network, (Topology, Routing), "a Topology or a Routing")
    topology = network if isinstance(network, Topology) else network.topology
    settings = AppSettings() if settings is None else settings
    homes, _ = _homes(topology, operation, bytes, ranks, placement, root, settings, layout, seed, jobs)
    about = {**settings.values, "placement": placement}
    found = bound_of(
        topology,
        operation,
        bytes,
        homes,
        machine(topology, settings, layout),
        root=root,
        gap=gap,
        settings=about,
        jobs=jobs,
        work=work,
    )
    return replace(found, provenance=provenance_of(topology, seed=seed, settings=about))


def collective(
    network: Routing | Topology | Sequence[Routing],
    operation: str,
    bytes: int = 1 << 26,
    ranks: int | None = None,
    *,
    algorithm: str | None = None,
    paths: str | None = None,
    pieces: int | None = None,
    placement: str = "linear",
    root: int = 0,
    settings: AppSettings | None = None,
    layout: Layout | None = None,
    simulator: str = FLOWS,
    gap: float = 0.05,
    seed: int = 1,
    jobs: int | None = None,
    work: Work | None = None,
) -> Collective:
    """A schedule of a collective, simulated as flows, and the least time beside it.

    Parameters
    ----------
    network : Routing, Topology or sequence of Routing
        As for `run_app`: tables, or a topology, which engine minimal routes.
    operation : str
        ``allreduce``, ``allgather``, ``reduce-scatter``, ``broadcast`` or ``alltoall``.
    bytes : int
        Of the vector, or of what all have together; of an all-to-all from each rank to each other.
    ranks : int, optional
        One for every host when left out; at most one a host.
    algorithm : str, optional
        One of `ALGORITHMS` that fits the operation; left out, forest where trees are packed in a minute, else ring, binomial or
        direct.
    paths : "own" or "tables", optional
        Whether messages take paths of the schedule's own or those of the tables; left out, own for forests and rings.
    pieces : int, optional
        In how many pieces each message goes; left out, as many as hide the depth of trees.
    placement : str
        As `run_app` has it.
    root : int
        The rank that broadcasts.
    settings : AppSettings, optional
        Rates and delays.
    layout : Layout, optional
        How long every cable is.
    simulator : str
        ``flows``, or ``flows:window=0.2`` as `run_app` has it.
    gap : float
        As for `collective_bound`.
    seed : int
        Of the placement.
    jobs, work
        As everywhere.

    Returns
    -------
    Collective

    Raises
    ------
    InputError
        As `collective_bound` and `run_app`; an algorithm that does not fit, or that the network is too large for.
    Stopped
        `work` was stopped.
    """
    work = Work() if work is None else work
    routings = _routings(network)
    topology = routings[0].topology
    settings = AppSettings() if settings is None else settings
    check_flows(settings)
    by = simulator_of(simulator)
    if by.name != FLOWS:
        raise InputError(f"simulator {by.text}: schedules are simulated as flows, or flows:window=0.2")
    check_whole("pieces", pieces, 1, none=True)
    homes, operation = _homes(topology, operation, bytes, ranks, placement, root, settings, layout, seed, jobs)
    if np.unique(homes).size < homes.size:
        raise InputError(f"placement {placement}: a schedule needs a host for each rank")
    chosen, along = _chosen(operation, algorithm, paths)
    there = machine(topology, settings, layout)
    about: dict[str, Any] = {**settings.values, "placement": placement, "simulator": by.text}
    bound = bound_of(topology, operation, bytes, homes, there, root=root, gap=gap, settings=about, jobs=jobs, work=work)
    net = fabric(routings, settings, layout)
    back = routings[0].channels.back.astype(np.int64)
    schedule = _schedule(topology, operation, bytes, homes, root, chosen, along, pieces, net, back, there, work)
    schedule = replace(
        schedule, provenance=provenance_of(topology, engine=routings[0].engine, seed=seed, settings=about)
    )
    times = run_schedule(schedule, net, back, window=by.window, work=work)
    return Collective(
        operation=operation,
        ranks=int(homes.size),
        bytes=int(bytes),
        algorithm=schedule.algorithm,
        paths=schedule.paths,
        engine=routings[0].engine,
        placement=placement,
        bound=bound,
        seconds=times.seconds,
        fullest_s=fullest_seconds(schedule, net, back) if schedule.trees else None,
        trees=len(schedule.trees),
        depth=schedule.depth,
        pieces=schedule.pieces,
        messages=times.messages,
        settings=settings,
        schedule=schedule,
        provenance=provenance_of(
            topology, engine=routings[0].engine, seed=seed, settings=about, timings={"cpu_s": times.cpu_s}
        ),
    )


def _routings(network: Routing | Topology | Sequence[Routing]) -> tuple[Routing, ...]:
    from topoloom.applications.run import routings_of

    return routings_of(network)


def _homes(
    topology: Topology,
    operation: str,
    size: int,
    ranks: int | None,
    placement: str,
    root: int,
    settings: AppSettings,
    layout: Layout | None,
    seed: int,
    jobs: int | None,
) -> tuple[np.ndarray, str]:
    """Checks what both verbs are given: the host of each rank, and the operation's name."""
    check_text("operation", operation, "a text, as 'allreduce'")
    check_whole("bytes", size, 0)
    check_whole("ranks", ranks, 1, none=True)
    check_whole("root", root, 0)
    check_text("placement", placement, "a text, as 'linear'")
    check_kind("settings", settings, AppSettings, "AppSettings")
    check_kind("layout", layout, (Layout, type(None)), "a Layout, as topoloom.place makes one")
    check_whole("seed", seed, 0)
    check_whole("jobs", jobs, 1, none=True)
    name = operation_of(operation)
    if not topology.hosts:
        raise InputError(f"{topology.name}: it has no hosts for the ranks; give it some, as in hosts=4")
    count = topology.hosts if ranks is None else ranks
    if placement == "optimised":
        raise InputError(
            "placement optimised: in a collective all ranks are alike; take linear, random, cabinet or file:PATH"
        )
    return place_ranks(placement, count, topology, layout, None, seed, jobs), name


def _chosen(operation: str, algorithm: str | None, paths: str | None) -> tuple[str | None, str]:
    """The algorithm, if one is asked for, and the paths."""
    fit = _FIT.get(operation, _RINGS)
    if algorithm is not None and algorithm not in fit:
        raise InputError(f"no algorithm '{str(algorithm)[:40]}' of {operation}; {hint(str(algorithm), fit)}")
    if paths is not None and paths not in PATHS:
        raise InputError(f"paths '{str(paths)[:40]}': {hint(str(paths), PATHS)}")
    if paths == "own" and (algorithm in ("direct", "binomial") or operation == "alltoall"):
        raise InputError(f"paths own: {algorithm or 'direct'} goes along the tables; leave it out")
    return algorithm, paths or "own"


def _schedule(
    topology: Topology,
    operation: str,
    size: int,
    homes: np.ndarray,
    root: int,
    chosen: str | None,
    along: str,
    pieces: int | None,
    net: Fabric,
    back: np.ndarray,
    there: Any,
    work: Work,
) -> CollectiveSchedule:
    """The schedule: its trees, with their paths, and in how many pieces they go."""
    n = int(homes.size)
    trees: tuple[Tree, ...] = ()
    chunks, cut_in = n, 1
    if chosen in (None, "forest") and operation != "alltoall" and n > 1:
        apart = int(homes[root]) if operation == "broadcast" else None
        lone = rank_network(topology, homes, there.rate_gbps, there.host_rate_gbps, alike=False, apart=apart)
        why = why_no_forest(lone)
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
                    " collective_bound (topoloom collective --bound), and topoloom app simulates rings of more"
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
    lone: Any, operation: str, homes: np.ndarray, root: int, size: int, work: Work
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


def _by_tables(schedule: CollectiveSchedule, net: Fabric, back: np.ndarray) -> tuple[Tree, ...]:
    """The trees with the paths of the tables."""
    ways = Ways(schedule, net, back)
    return tuple(
        replace(
            tree,
            edges=tuple(
                replace(edge, switches=switches_of(ways.down(tree, number), net))
                for number, edge in enumerate(tree.edges)
            ),
        )
        for tree in schedule.trees
    )
