"""Tables repaired after losses, plane by plane; tables that cannot be repaired are made again."""

from dataclasses import dataclass, replace

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.graph.planes import Plane, planes_of
from topoloom.model.topology import Topology
from topoloom.routing.fitting import ANY
from topoloom.routing.reroute import Rerouted, reroute
from topoloom.routing.route import route
from topoloom.routing.routing import Routing, port_type
from topoloom.routing.verification.verify import verify_routing


@dataclass(frozen=True, eq=False)
class RepairedTables:
    """Tables of what is left, verified, and the entries that changed.

    Attributes
    ----------
    routing : Routing or None
        On the remaining network; None where no link is left.
    entries, entries_broken, entries_changed, virtual_channels_changed : int or None
        As of `Rerouted`, summed over planes; None where all tables are new.
    rebuilt : bool
    notes : tuple of str
    """

    routing: Routing | None
    entries: int | None = None
    entries_broken: int | None = None
    entries_changed: int | None = None
    virtual_channels_changed: int | None = None
    rebuilt: bool = False
    notes: tuple[str, ...] = ()


def repaired_tables(
    routing: Routing, main: np.ndarray, lost: np.ndarray, surviving: Topology, *, jobs: int | None, work: Work
) -> RepairedTables:
    """Repair tables after losses.

    Parameters
    ----------
    routing : Routing
        Before the losses.
    main : bool[switches]
        The switches that are left; in each plane they are connected.
    lost : bool[links]
        Links that are lost by themselves.
    surviving : Topology
        The remaining network, with the switches of `main` numbered in their order.
    jobs : int or None
        Threads.
    work : Work

    Returns
    -------
    RepairedTables
    """
    if not len(surviving.links):
        return RepairedTables(None, notes=("no link is left, so there are no tables",))
    planes = planes_of(routing.topology)
    try:
        repairs = [_repaired(routing, plane, main, lost, len(planes) == 1, jobs, work) for plane in planes]
    except InputError as error:
        return _routed_again(routing, surviving, str(error), jobs, work)
    done = [(plane, repair) for plane, repair in zip(planes, repairs, strict=True) if repair is not None]
    if len(planes) == 1 and done[0][1].surviving.topology.switches == surviving.switches:
        whole = done[0][1].surviving
        if whole.topology.hosts != surviving.hosts:
            whole = replace(whole, topology=surviving, verification=None)
            whole = replace(whole, verification=verify_routing(whole, jobs, work=work))
    else:
        whole = _joined(routing, done, main, surviving)
        whole = replace(whole, verification=verify_routing(whole, jobs, work=work))
    return RepairedTables(
        whole,
        entries=sum(repair.entries for _, repair in done),
        entries_broken=sum(repair.entries_broken for _, repair in done),
        entries_changed=sum(repair.entries_changed for _, repair in done),
        virtual_channels_changed=sum(repair.virtual_channels_changed for _, repair in done),
        rebuilt=any(repair.rebuilt for _, repair in done),
    )


def _repaired(
    routing: Routing, plane: Plane, main: np.ndarray, lost: np.ndarray, only: bool, jobs: int | None, work: Work
) -> Rerouted | None:
    """The repaired tables of one plane; None where nothing of it is left."""
    alive = main[plane.switches]
    if not alive.any():
        return None
    own = routing if only else _of_plane(routing, plane)
    gone = np.flatnonzero(~alive)
    cables = np.flatnonzero(lost[plane.links] & alive[plane.topology.links].all(axis=1))
    return reroute(own, switches=gone.tolist(), cables=cables.tolist(), jobs=jobs, work=work)


def _of_plane(routing: Routing, plane: Plane) -> Routing:
    if routing.choice is not None:
        raise InputError("tables per host of several planes are not repaired")
    at = np.ix_(plane.switches, plane.switches)
    vcs = None if routing.virtual_channels is None else routing.virtual_channels[at]
    return replace(routing, topology=plane.topology, ports=routing.ports[at], virtual_channels=vcs, verification=None)


def _joined(routing: Routing, done: list[tuple[Plane, Rerouted]], main: np.ndarray, surviving: Topology) -> Routing:
    """The tables of all planes in one, on the remaining switches."""
    n, kind = main.size, port_type(surviving)
    ports: np.ndarray = np.full((n, n), np.iinfo(kind).max, kind)
    vcs = np.zeros((n, n), np.uint8)
    for plane, repair in done:
        at, tables = np.ix_(plane.switches, plane.switches), repair.routing
        ports[at] = np.where(tables.ports == tables.none, np.iinfo(kind).max, tables.ports)
        if tables.virtual_channels is not None:
            vcs[at] = tables.virtual_channels
    left = np.ix_(np.flatnonzero(main), np.flatnonzero(main))
    engines = {repair.routing.engine for _, repair in done}
    vc = vcs[left]
    return Routing(
        surviving,
        routing.engine if routing.engine in engines else next(iter(engines)),
        np.ascontiguousarray(ports[left]),
        np.ascontiguousarray(vc) if vc.any() else None,
        routing.virtual_channel_rule,
        provenance=routing.provenance,
    )


def _routed_again(routing: Routing, surviving: Topology, why: str, jobs: int | None, work: Work) -> RepairedTables:
    """The remaining network routed by the same engine, or by one for any network."""
    try:
        made = route(surviving, routing.engine, jobs=jobs, work=work)
    except InputError:
        made = route(surviving, ANY, jobs=jobs, work=work)
    note = f"the tables are not repaired, but made again by engine {made.engine}: {why}"
    return RepairedTables(made, rebuilt=True, notes=(note,))
