"""The operation `route`: an engine makes the tables of a topology, and the verifier checks them before they are returned."""

import time
from dataclasses import replace

import numpy as np

from topoloom.core.errors import InputError, check_made
from topoloom.core.random_streams import Draws
from topoloom.core.work import Work
from topoloom.graph.connectivity import in_parts
from topoloom.graph.planes import plane_count
from topoloom.model.results import provenance_of
from topoloom.model.sources import NetworkSource, taken
from topoloom.model.topology import Topology
from topoloom.placement.layout.layout import Layout
from topoloom.routing.channels import bundle_starts
from topoloom.routing.fitting import ANY, fitting_engine
from topoloom.routing.memory import check_memory, needed_bytes
from topoloom.routing.planes import joined_planes
from topoloom.routing.rated import rated_tables
from topoloom.routing.registry import Engine, RoutingRequest, engines
from topoloom.routing.routing import Routing
from topoloom.routing.verification.verification import Verification
from topoloom.routing.verification.verify import verify_routing

#: Larger tables must be kept in files: two tables of 32,768 x 32,768 bytes take 2 GB.
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
    """Make forwarding tables for every switch and destination of a topology, and verify them.

    Parameters
    ----------
    topology : NetworkSource
        Connected.
    engine : str, optional
        When omitted, the engine that fits the network (`topoloom.routing.fitting.fitting_engine`): that of fat trees, dimension
        order, the Dragonfly's, ``levels`` for diameters of 2 and 3, otherwise ``orders``, which is deadlock-free on any graph.
        ``orders`` is also the default if virtual channels, a folder or a root are given. `topoloom route --help` lists all.
    virtual_channels : int, optional
        Most virtual channels; as many as the engine needs when omitted.
    seed : int
    jobs : int, optional
        Threads; every core when omitted. The same seed gives the same tables with any number of them.
    layout : Layout, optional
        The places of the switches; engine ``latency`` needs it.
    folder : str, optional
        Keep the tables in files of this folder (``tables/ports.npy``, ``tables/virtual_channels.npy``) instead of in memory:
        for more than 32,768 switches. Engines ``orders``, ``updown`` and ``minimal`` support this, with one round less of load
        balancing. The files get these names when the routing is saved in the folder; until then the old tables stay there.
    check : int, optional
        Verify the paths to this many random destinations only: a sample, not a verification of all.
    host : (int, int), optional
        (i, k): tables for every k-th host of each switch, from host i on. Engine ``fat-tree`` gives these hosts other paths
        than the other hosts of the switch; every engine gives them other ones of parallel cables
        (`topoloom.host_routings`).
    root : int, optional
        The root switch of up*/down* paths (engines ``updown`` and ``nue``); a switch with the most links when omitted.
    work : Work, optional
        Receives the progress of trees and of verified destinations.

    Returns
    -------
    Routing
        With its verification.

    Raises
    ------
    InputError
        No such engine; a root that is not a switch, or an engine without roots; a topology that is not connected, or that the
        engine cannot route; fewer virtual channels than the engine needs; tables that do not fit in memory.
    Stopped
        `work` was stopped before the tables were made and verified.

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
        raise InputError(in_parts(topology, ", and they are not planes that share hosts"))
    if planes > 1:
        _check_planes(topology, folder, root)

    def made_by(engine: Engine, by_rates: bool) -> Routing:
        def made(network: Topology, own: Layout | None) -> Routing:
            request = RoutingRequest(network, virtual_channels, seed, jobs, own, folder, host, root, work)
            tables = engine.make(request)
            check_made(tables, Routing, f"engine {engine.name}", "a Routing")
            if tables.topology is not network and tables.topology != network:
                raise InputError(
                    f"engine {engine.name} returns tables of {tables.topology.name}, another network than"
                    f" {network.name}, which it was given"
                )
            if host is None or engine.by_host:
                return tables
            return _shifted_over_parallel_cables(tables, host[0])

        if planes == 1:
            return rated_tables(topology, made, layout) if by_rates else made(topology, layout)
        return joined_planes(
            topology, lambda plane, own: rated_tables(plane, made, own) if by_rates else made(plane, own), layout
        )

    # Tables in files, and tables that are only sampled, are made as if all links had the same rate.
    by_rates = topology.mixed and folder is None and check is None
    try:
        routed = made_by(chosen, by_rates)
    except InputError:
        if not fitted:
            raise
        # The fitting engine is a guess by the family of the network. If it makes no tables, use the engine that routes any
        # network.
        chosen, engine, fitted = engines.find(ANY), ANY, ""
        routed = made_by(chosen, by_rates)
    work.check()
    made = time.monotonic()
    sample = None if check is None else np.sort(Draws(seed, 10).permutation(topology.switches)[:check])
    verification = verify_routing(routed, jobs, sample, work=work)
    if by_rates and verification.cycle and chosen.safe:
        # The engine avoids cycles of parallel links, which may be cycles of the links that they stand for.
        routed = made_by(chosen, False)
        verification = verify_routing(routed, jobs, work=work)
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
    """Raise the errors that can be found before the work starts."""
    if virtual_channels is not None and virtual_channels < 1:
        raise InputError(f"{topology.name}: virtual_channels={virtual_channels}; at least one is needed")
    if topology.switches > _MOST_SWITCHES and folder is None:
        raise InputError(
            f"{topology.name}: {topology.switches} switches; only tables of up to {_MOST_SWITCHES} are kept in memory;"
            " name a folder"
        )
    if folder is not None and not chosen.streams:
        names = ", ".join(name for name, record in engines.items() if record.streams)
        raise InputError(
            f"{topology.name}: engine {chosen.name} keeps its tables in memory; engines that use a folder: {names}"
        )
    if layout is not None and layout.topology != topology:
        raise InputError(
            f"{topology.name}: the layout is of {layout.topology.name}; give the layout of the same topology"
        )
    needed = needed_bytes(topology, chosen.bytes_a_pair, jobs=jobs, in_files=folder is not None)
    check_memory(topology, chosen.name, needed, streams=chosen.streams)


def _check_planes(topology: Topology, folder: str | None, root: int | None) -> None:
    """Raise an error for options that only a single plane supports."""
    for what, value in (("a folder", folder), ("a root", root)):
        if value is not None:
            raise InputError(f"{topology.name}: {what} is not possible with several planes; give a single plane")


def _check_root(topology: Topology, chosen: Engine, root: int) -> None:
    if not chosen.rooted:
        names = ", ".join(name for name, record in engines.items() if record.rooted)
        raise InputError(f"{topology.name}: engine {chosen.name} has no root; those that do: {names}")
    if not 0 <= root < topology.switches:
        raise InputError(f"{topology.name}: root={root} is not a switch; switches are 0 to {topology.switches - 1}")


def _check_promises(
    topology: Topology, chosen: Engine, routed: Routing, verification: Verification, virtual_channels: int | None
) -> None:
    """Check that the tables keep the engine's promises and the limit of virtual channels."""
    wrong = (
        verification.fault
        or (f"channels wait in a cycle: {verification.cycle}" if verification.cycle and chosen.safe else "")
        or ("" if verification.minimal or not routed.minimal else "paths are longer than promised")
    )
    origin = engines.origin(chosen.name)
    if wrong and origin != "here":
        raise InputError(f"{topology.name}: the tables of engine {chosen.name} (package {origin}) are wrong: {wrong}")
    if wrong:
        raise RuntimeError(
            f"engine {chosen.name} on {topology.name}: {wrong}"
        )  # a bug of topoloom, not the user's mistake
    if virtual_channels is not None and verification.virtual_channels_used > virtual_channels:
        raise InputError(
            f"{topology.name}: virtual_channels={virtual_channels}, but engine {chosen.name} needs"
            f" {verification.virtual_channels_used}; engine orders takes any number"
        )


def _shifted_over_parallel_cables(routing: Routing, step: int) -> Routing:
    """Return the same paths between switches, with every path moved `step` cables further among parallel cables.

    All channels between two switches are permuted in the same way, so deadlock-free tables stay deadlock-free.
    """
    channels, ports = routing.channels, routing.ports
    if not channels.to.size:
        return routing
    starts = bundle_starts(channels.origin, channels.to)
    first_parallel = np.flatnonzero(starts)[np.cumsum(starts) - 1]
    width = np.bincount(first_parallel, minlength=first_parallel.size)[first_parallel]
    place = np.arange(first_parallel.size)
    port = first_parallel + (place - first_parallel + step) % width - channels.first[channels.origin]
    filled = ports != routing.none
    at = np.where(filled, channels.first[:-1][None, :] + ports, 0)
    return replace(routing, ports=np.where(filled, port[at], routing.none).astype(ports.dtype))
