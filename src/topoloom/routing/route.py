"""The operation `route`: an engine makes the tables of a topology, and the verifier follows them before anybody gets them."""

import time
from dataclasses import replace

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.core.work import Work
from topoloom.graph.connectivity import component_count
from topoloom.graph.planes import plane_count
from topoloom.model.results import provenance_of
from topoloom.model.sources import NetworkSource, taken
from topoloom.model.topology import Topology
from topoloom.placement.layout.layout import Layout
from topoloom.routing.fitting import ANY, fitting_engine
from topoloom.routing.memory import check_memory, needed_bytes
from topoloom.routing.planes import joined_planes
from topoloom.routing.registry import Engine, RoutingRequest, engines
from topoloom.routing.routing import Routing
from topoloom.routing.verification.verification import Verification
from topoloom.routing.verification.verify import verify_routing

#: More rows than this are kept in files: two tables of bytes of 32,768 squared are 2 GB.
_MOST_SWITCHES = 1 << 15


def route(
    topology: NetworkSource,
    engine: str | None = None,
    *,
    virtual_channels: int | None = None,
    seed: int = 1,
    jobs: int | None = None,
    layout: Layout | None = None,
    folder: str | None = None,
    check: int | None = None,
    host: tuple[int, int] | None = None,
    root: int | None = None,
    work: Work | None = None,
) -> Routing:
    """Forwarding tables for every switch and destination of a topology, with the verifier's verdict on them.

    Parameters
    ----------
    topology : NetworkSource
        Connected.
    engine : str, optional
        Left out, the one that fits the network (`topoloom.routing.fitting.fitting_engine`): that of fat trees, dimension order,
        the Dragonfly's, ``levels`` for diameters of 2 and 3, else ``orders``, which is free of deadlock on any graph, and is
        also taken where virtual channels, a folder for tables or a root are asked for. `topoloom route --help` lists all.
    virtual_channels : int, optional
        At most so many virtual channels; as many as the engine needs when omitted.
    seed : int
    jobs : int, optional
        Threads; every core when omitted. The same seed gives the same tables with any number of them.
    layout : Layout, optional
        Where the topology's switches stand; engine ``latency`` needs it.
    folder : str, optional
        Keep the tables in files there (``tables/ports.npy``, ``tables/virtual_channels.npy``) instead of in memory: for more
        than 32,768 switches. Engines ``orders``, ``updown`` and ``minimal`` can; loads are evened in one round less. The files
        get these names when the routing is saved in the folder; until then the folder's old tables stay.
    check : int, optional
        Follow the paths to so many destinations only, drawn by the seed: a sample, no proof.
    host : (int, int), optional
        Tables for some hosts of each switch only: every so many-th (the second) from one on (the first). Engine ``fat-tree``
        leads them over other paths than the switch's other hosts, any engine over other ones of parallel cables
        (`topoloom.host_routings`).
    root : int, optional
        The switch that up*/down* paths go up to (engines ``updown`` and ``nue``); one of most links when omitted.
    work : Work, optional
        Told of trees that are made and destinations that are followed.

    Returns
    -------
    Routing
        With its verdict.

    Raises
    ------
    InputError
        No such engine; a root that is no switch, or an engine that has none; a topology in parts, or one that the engine
        cannot route; fewer virtual channels than the engine needs; tables that do not fit in memory.
    Stopped
        `work` was stopped before the tables stood and were followed.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> routed = route(build("slimfly:q=5"), "orders")
    >>> routed.verification.virtual_channels_used, routed.verification.minimal, routed.verification.deadlock_free
    (2, True, True)
    >>> routed.path(0, 49)
    [0, 4, 49]
    """
    topology = taken(topology, Topology, "route")
    work = Work() if work is None else work
    began = time.monotonic()
    fitted = ""
    if engine is None:
        engine, fitted = ANY, ""
        if virtual_channels is None and folder is None and root is None and plane_count(topology):
            engine, fitted = fitting_engine(topology)
    chosen = engines.find(engine)
    _check(topology, chosen, virtual_channels, jobs, layout, folder)
    if root is not None:
        _check_root(topology, chosen, root)
    planes = plane_count(topology)
    if planes == 0:
        raise InputError(
            f"{topology.name}: {component_count(topology)} parts that no link joins, nor hosts with ports in several of them;"
            " route each, or link them"
        )
    if planes > 1:
        _check_planes(topology, folder, root)

    def made_by(engine: Engine) -> Routing:
        if planes == 1:
            return engine.make(RoutingRequest(topology, virtual_channels, seed, jobs, layout, folder, host, root, work))
        return joined_planes(
            topology,
            lambda plane, own: engine.make(
                RoutingRequest(plane, virtual_channels, seed, jobs, own, None, host, None, work)
            ),
            layout,
        )

    try:
        routed = made_by(chosen)
    except InputError:
        if not fitted:
            raise
        # What fits is a guess by the kind of the network; where it has no tables after all, there is one that always has.
        chosen, engine, fitted = engines.find(ANY), ANY, ""
        routed = made_by(chosen)
    work.check()
    if host is not None and not chosen.by_host:
        routed = _on_other_cables(routed, host[0])
    made = time.monotonic()
    sample = None if check is None else np.sort(Draws(seed, 10).permutation(topology.switches)[:check])
    verification = verify_routing(routed, jobs, sample, work=work)
    _check_promises(topology, chosen, routed, verification, virtual_channels)
    provenance = provenance_of(
        topology,
        engine=engine,
        seed=seed,
        settings={"virtual_channels": virtual_channels, "check": check, "host": host}
        | ({} if root is None else {"root": root})
        | ({"fits": fitted} if fitted else {}),
        timings={"tables_s": made - began, "judge_s": time.monotonic() - made},
    )
    return replace(routed, verification=verification, provenance=provenance)


def _check(
    topology: Topology,
    chosen: Engine,
    virtual_channels: int | None,
    jobs: int | None,
    layout: Layout | None,
    folder: str | None,
) -> None:
    """What can be refused before anything is begun."""
    if virtual_channels is not None and virtual_channels < 1:
        raise InputError(f"{topology.name}: lanes={virtual_channels}; at least one is needed")
    if topology.switches > _MOST_SWITCHES and folder is None:
        raise InputError(
            f"{topology.name}: {topology.switches} switches; tables for up to {_MOST_SWITCHES} are kept in memory: name a"
            " folder for them"
        )
    if folder is not None and not chosen.streams:
        names = ", ".join(name for name, record in engines.items() if record.streams)
        raise InputError(f"{topology.name}: engine {chosen.name} keeps its tables in memory; in a folder: {names}")
    if layout is not None and layout.topology != topology:
        raise InputError(
            f"{topology.name}: the layout is of {layout.topology.name}; give the layout of the same topology"
        )
    needed = needed_bytes(topology, chosen.bytes_a_pair, jobs=jobs, in_files=folder is not None)
    check_memory(topology, chosen.name, needed, streams=chosen.streams)


def _check_planes(topology: Topology, folder: str | None, root: int | None) -> None:
    """What is of one plane only."""
    for what, value in (("tables in files", folder), ("a root", root)):
        if value is not None:
            raise InputError(f"{topology.name}: {what} with planes is not possible; give a single plane")


def _check_root(topology: Topology, chosen: Engine, root: int) -> None:
    if not chosen.rooted:
        names = ", ".join(name for name, record in engines.items() if record.rooted)
        raise InputError(f"{topology.name}: engine {chosen.name} has no root; those that do: {names}")
    if not 0 <= root < topology.switches:
        raise InputError(f"{topology.name}: root={root} is no switch; they are 0 to {topology.switches - 1}")


def _check_promises(
    topology: Topology, chosen: Engine, routed: Routing, verification: Verification, virtual_channels: int | None
) -> None:
    """What an engine promises must hold, and the virtual channels that were asked for suffice."""
    wrong = (
        verification.fault
        or (f"channels wait in a cycle: {verification.cycle}" if verification.cycle and chosen.safe else "")
        or ("" if verification.minimal or not routed.minimal else "paths are longer than promised")
    )
    origin = engines.origin(chosen.name)
    if wrong and origin != "here":
        raise InputError(f"{topology.name}: the tables of engine {chosen.name} (package {origin}) are wrong: {wrong}")
    if wrong:
        raise RuntimeError(f"engine {chosen.name} on {topology.name}: {wrong}")  # our mistake, never the user's
    if virtual_channels is not None and verification.virtual_channels_used > virtual_channels:
        raise InputError(
            f"{topology.name}: lanes={virtual_channels}, but engine {chosen.name} needs {verification.virtual_channels_used}; "
            "engine orders takes any"
            " number"
        )


def _on_other_cables(routing: Routing, step: int) -> Routing:
    """The same paths from switch to switch, on the cable so many further on wherever cables run in parallel.

    All channels between two switches trade places alike, so that what is free of deadlock stays so.
    """
    channels, ports = routing.channels, routing.ports
    if not channels.to.size:
        return routing
    starts = np.r_[True, (np.diff(channels.to) != 0) | (np.diff(channels.origin) != 0)]
    first_parallel = np.flatnonzero(starts)[np.cumsum(starts) - 1]
    width = np.bincount(first_parallel, minlength=first_parallel.size)[first_parallel]
    place = np.arange(first_parallel.size)
    port = first_parallel + (place - first_parallel + step) % width - channels.first[channels.origin]
    known = ports != routing.none
    at = np.where(known, channels.first[:-1][None, :] + ports, 0)
    return replace(routing, ports=np.where(known, port[at], routing.none).astype(ports.dtype))
