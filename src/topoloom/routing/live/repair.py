"""Repair of tables with holes: few other entries change, paths are shortest ones, and pairs keep their virtual channels where
these stay acyclic."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.core.work import Work
from topoloom.graph.connectivity import components
from topoloom.model.capacities import capacities
from topoloom.model.topology import Topology
from topoloom.routing.live.destinations import Destinations
from topoloom.routing.route import route
from topoloom.routing.trees.relief import Rows, relieved
from topoloom.routing.virtual_channels.by_pair import MOST_VIRTUAL_CHANNELS

#: Entries that work change only where the maximum channel load would rise by more than this factor, and more
#: than by the pairs of one entry.
_FAR_ABOVE = 1.02


class Distances(NamedTuple):
    """The lengths of the paths that a repair aims at, by home switch.

    Attributes
    ----------
    near, region, queue, reached : int32[n, n], uint8[n, n], int32[n, n], int64[n]
        As the kernel `distances` writes them.
    rises : bool[2 m]
        Whether a channel leads upwards in a tree; of size 0: no tree.
    """

    near: np.ndarray
    region: np.ndarray
    queue: np.ndarray
    reached: np.ndarray
    rises: np.ndarray


class Repaired(NamedTuple):
    """Tables without holes.

    Attributes
    ----------
    ports, virtual_channels : uint8 or uint16[R, n], uint8[R, G]
    rebuilt : bool
        Whether all tables are new because there were too few virtual channels for a repair.
    """

    ports: np.ndarray
    virtual_channels: np.ndarray
    rebuilt: bool


def distances_to(destinations: Destinations, rises: np.ndarray) -> Distances:
    """The lengths of shortest paths to every switch; in a tree (`rises`), of those that rise and then fall.

    Switches without such a path get the shortest path to a switch that has one.
    """
    from topoloom.routing.trees.kernels.rows import distances

    n, channels = destinations.topology.switches, destinations.channels
    near, region = np.empty((n, n), np.int32), np.empty((n, n), np.uint8)
    queue, reached = np.empty((n, n), np.int32), np.empty(n, np.int64)
    distances(channels.first, channels.to, rises, np.arange(n), near, region, queue, reached)
    return Distances(near, region, queue, reached, rises)


def repair(
    destinations: Destinations,
    before: np.ndarray,
    vcs_before: np.ndarray,
    *,
    stays: np.ndarray,
    aims: Distances,
    shortest_before: np.ndarray,
    least: float = np.inf,
    virtual_channels: int | None = None,
    more_channels: bool = True,
    longer: bool = False,
    safe: bool = True,
    jobs: int | None = None,
    work: Work,
) -> Repaired:
    """Fill the holes of tables, so that every switch reaches every destination to which it has a path.

    Parameters
    ----------
    destinations : Destinations
    before : uint8 or uint16[R, n]
        The installed entries that work; the highest value of the type elsewhere. No loops.
    vcs_before : uint8[R, G]
        Installed virtual channels; ORPHAN (`trees.kernels.vc_trees`) for pairs without one.
    stays : bool[R, n]
        Holes that are not filled.
    aims : Distances
        The lengths of the paths that are wanted.
    shortest_before : int32[n, n]
        The shortest paths in the fabric before, by home and switch; -1 where there was none.
    least : float
        In a tree, further entries change, at most as many again, where a channel would have over 2 % more pairs of hosts than
        this and than any channel had before.
    virtual_channels : int, optional
        Most virtual channels; 15 when omitted.
    more_channels : bool
        Whether more virtual channels than are installed come before longer paths.
    longer : bool
        Whether longer paths come first.
    safe : bool
        Whether `before` is deadlock-free, so that the result must be too.
    jobs : int, optional
        Threads.
    work : Work

    Raises
    ------
    Stopped
        `work` was stopped.
    """
    from topoloom.routing.trees.kernels.vc_trees import ORPHAN

    most = min(virtual_channels or MOST_VIRTUAL_CHANNELS, MOST_VIRTUAL_CHANNELS)
    had = vcs_before[destinations.data]
    few = min(most, int(had[had != ORPHAN].max(initial=0)) + 1)
    tables = [_shortest(destinations, before, stays, aims, shortest_before, least, work)]
    if not safe:
        vcs = np.where(vcs_before == ORPHAN, 0, vcs_before).astype(np.uint8)
        return Repaired(tables[0][0], vcs, False)
    for which, channels, keep_old in _attempts(few, most, more_channels, longer):
        if which and len(tables) == 1:
            tables.append(_nearest(destinations, before, *tables[0], stays, work))
        ports, moved = tables[which]
        vc = vcs_before.copy()
        if _placed(destinations, before, ports, vc, moved, channels, keep_old, work):
            return Repaired(ports, vc, False)
    try:
        return made_anew(destinations, before.dtype, most, jobs, work)
    except InputError:  # too few virtual channels: what cannot be verified is reported as such
        return Repaired(tables[0][0], np.where(vcs_before == ORPHAN, 0, vcs_before).astype(np.uint8), False)


def made_anew(destinations: Destinations, entry: np.dtype, most: int, jobs: int | None, work: Work) -> Repaired:
    """Tables of the engine that needs the fewest virtual channels, for each part of a fabric that fell apart.

    Parameters
    ----------
    destinations : Destinations
    entry : dtype
        Of the tables: uint8 or uint16.
    most : int
        Most virtual channels.
    jobs : int, optional
        Threads.
    work : Work

    Returns
    -------
    Repaired
        Rows of one switch are equal, and so are their virtual channels.

    Raises
    ------
    InputError
        A part needs more virtual channels.
    Stopped
        `work` was stopped.
    """
    topology, none = destinations.topology, np.iinfo(entry).max
    ports = np.full((topology.switches,) * 2, none, entry)
    vcs = np.zeros((topology.switches,) * 2, np.uint8)
    part_of = components(topology)
    for part in range(int(part_of.max()) + 1):
        switches = np.flatnonzero(part_of == part)
        if switches.size == 1:
            continue
        links = part_of[topology.links[:, 0]] == part
        # The links of a switch keep their order, so entries are those of the whole fabric.
        alone = Topology(np.searchsorted(switches, topology.links[links]), switches.size, name=topology.name)
        made = route(alone, "orders", virtual_channels=most, jobs=jobs, work=work)
        here = np.ix_(switches, switches)
        ports[here] = np.where(made.ports == made.none, none, made.ports)
        if made.virtual_channels is not None:
            vcs[here] = made.virtual_channels
    return Repaired(ports[destinations.home], vcs[np.ix_(destinations.home, destinations.source)], True)


def _attempts(few: int, most: int, more_channels: bool, first: bool) -> Iterator[tuple[bool, int, bool]]:
    """In this order: longer paths, virtual channels, and whether the old turns are kept, so that steps can be mixed."""
    counts = [most] if more_channels else sorted({few, most})
    for channels in counts:
        for longer in (first, not first):
            for keep_old in (True, False):
                yield longer, channels, keep_old


def _shortest(
    destinations: Destinations,
    before: np.ndarray,
    stays: np.ndarray,
    aims: Distances,
    shortest_before: np.ndarray,
    least: float,
    work: Work,
) -> tuple[np.ndarray, np.ndarray]:
    """Tables with shortest paths, and which paths changed."""
    from topoloom.routing.live.kernels.shortest import shorten
    from topoloom.routing.trees.kernels.rows import loads_of

    channels, none = destinations.channels, int(np.iinfo(before.dtype).max)
    ports, moved = before.copy(), np.zeros(before.shape, np.bool_)
    ways = channels.first, channels.to
    load = loads_of(*ways, ports, none, destinations.home, destinations.weight, destinations.hosts)
    near, region, queue, reached, rises = aims
    scale = 1.0 / capacities(destinations.topology).channels
    largest = max(least, float((load * scale).max(initial=0.0)))
    changed = shorten(
        *ways,
        rises,
        ports,
        none,
        destinations.home,
        destinations.weight,
        destinations.hosts,
        stays,
        destinations.home,
        near,
        region,
        queue,
        reached,
        shortest_before,
        load,
        moved,
        work.flag,
    )
    work.check()
    if not rises.size:
        return ports, moved
    # In a tree every path that rises and then falls is free of deadlock, whatever the other entries are.
    rows = Rows(
        ports, destinations.home, destinations.weight, destinations.home, destinations.hosts, rises, near, region, scale
    )
    ports, fullest = relieved(channels, rows, largest, may_change=ports != before, moved=moved, work=work)
    least_move = float(destinations.weight.max(initial=0) * destinations.hosts.max(initial=0))
    if fullest > _FAR_ABOVE * largest + least_move:
        ports = relieved(channels, rows._replace(ports=ports), largest, most=changed, moved=moved, work=work)[0]
    return ports, moved


def _nearest(
    destinations: Destinations,
    before: np.ndarray,
    shortest: np.ndarray,
    moved: np.ndarray,
    stays: np.ndarray,
    work: Work,
) -> tuple[np.ndarray, np.ndarray]:
    """Tables in which a switch that lost its channel takes a neighbour with a path, though it may be longer."""
    from topoloom.routing.trees.kernels.repair import repair_trees
    from topoloom.routing.trees.kernels.rows import loads_of

    channels, none = destinations.channels, int(np.iinfo(before.dtype).max)
    rows = np.flatnonzero(moved.any(axis=1) & ~stays.any(axis=1))
    ports, changed = before[rows], np.zeros((rows.size, before.shape[1]), np.bool_)
    load = loads_of(
        channels.first, channels.to, before, none, destinations.home, destinations.weight, destinations.hosts
    )
    alive = np.ones(destinations.topology.switches, np.bool_)
    where = channels.first, channels.to, channels.back
    repair_trees(*where, ports, none, destinations.home[rows], alive, load, changed, work.flag)
    work.check()
    tables, paths = shortest.copy(), moved.copy()
    tables[rows], paths[rows] = ports, changed
    return tables, paths


def _placed(
    destinations: Destinations,
    before: np.ndarray,
    ports: np.ndarray,
    vc: np.ndarray,
    moved: np.ndarray,
    most: int,
    keep_old: bool,
    work: Work,
) -> bool:
    """Write to `vc` a virtual channel for every pair with a changed path, its own if possible; return whether all have one."""
    from topoloom.routing.live.kernels.mixtures import keep_vcs, mixed_turns
    from topoloom.routing.trees.kernels.repair import ordered
    from topoloom.routing.trees.kernels.vc_trees import ORPHAN

    none, where = int(np.iinfo(ports.dtype).max), destinations.turns_at
    source, data = destinations.source, destinations.data
    vc[destinations.weight == 0] = 0
    vc[destinations.home[:, None] == source] = 0
    row, group = np.nonzero(vc == ORPHAN)
    moved = moved.copy()
    moved[row, source[group]] = True
    turns = np.zeros(destinations.channels.turn_first[-1], np.uint16)
    old = vc.copy()
    if not keep_old:
        old[moved[:, source]] = ORPHAN
    tables = before if keep_old else ports
    mixed_turns(*where, tables, tables, none, old, old, source, data, turns, work.flag)
    work.check()
    place = np.stack([ordered(*where, turns, 1 << number) for number in range(most)])
    rows = data[Draws(1, 9).permutation(data.size)]
    for again in (False, True):
        orphans = keep_vcs(
            *where, ports, none, moved, destinations.home, source, rows, vc, turns, place, again, work.flag
        )
        work.check()
        if not orphans:
            vc[vc == ORPHAN] = 0
            return True
    return False
