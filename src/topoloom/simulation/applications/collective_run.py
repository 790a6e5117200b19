"""Collectives: the lower bound on their time, and the simulated time of a schedule, new or given."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from msgspec import structs

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.model.results import provenance_of
from topoloom.model.sources import NetworkSource, network_of
from topoloom.model.topology import Topology
from topoloom.placement.layout.layout import Layout
from topoloom.routing.routing import Routing
from topoloom.simulation.applications.backends import FLOWS, Backend, backend_of, check_backend, run_schedule
from topoloom.simulation.applications.checks import check_kind, check_whole, check_words
from topoloom.simulation.applications.collective_result import Collective
from topoloom.simulation.applications.given import app_settings, at_own_rates, given, network_or_tables, usual_settings
from topoloom.simulation.applications.machine import BYTES_PER_GBIT, machine, network_as_flows
from topoloom.simulation.applications.placement import place_ranks
from topoloom.simulation.applications.rail_collectives import scale_up_domains, scale_up_of
from topoloom.simulation.applications.ranks import check_hosts
from topoloom.simulation.applications.settings import AppSettings
from topoloom.simulation.collectives.bound import CollectiveBound, bound_of, collective_operation
from topoloom.simulation.collectives.making import chosen_of, collective_schedule
from topoloom.simulation.collectives.messages import schedule_of_trees
from topoloom.simulation.collectives.msccl_check import check_msccl
from topoloom.simulation.collectives.msccl_messages import schedule_of_msccl
from topoloom.simulation.collectives.msccl_program import MSCCL, MscclProgram
from topoloom.simulation.collectives.rail_rings import RAIL_RING, accelerators_on, with_scale_up
from topoloom.simulation.collectives.schedule import CollectiveSchedule, checked_schedule
from topoloom.simulation.collectives.ways import fullest_seconds
from topoloom.simulation.flows.state import FlowNetwork


def collective_bound(
    network: NetworkSource,
    operation: str,
    bytes: int = 1 << 26,
    ranks: int | None = None,
    *,
    placement: str = "linear",
    root_rank: int = 0,
    settings: AppSettings | None = None,
    layout: Layout | None = None,
    gap: float = 0.05,
    seed: int = 1,
    jobs: int | None = None,
    work: Work | None = None,
) -> CollectiveBound:
    """Return the lower bound on the time of a collective on a network, for any algorithm and any paths.

    Parameters
    ----------
    network : NetworkSource
        The network; its tables do not matter.
    operation : str
        ``allreduce``, ``allgather``, ``reduce-scatter``, ``broadcast`` or ``alltoall``.
    bytes : int
        Bytes of the vector, or of all ranks' data together; for an all-to-all, from each rank to each other.
    ranks : int, optional
        One per host when omitted.
    placement : str
        As for `run_app`.
    root_rank : int
        The rank that broadcasts.
    settings : AppSettings, optional
        Rates and delays.
    layout : Layout, optional
        The length of every cable.
    gap : float
        The relative gap of the bracket for an all-to-all that is too large to be solved exactly.
    seed : int
        The seed of the placement.
    jobs, work
        As in other functions.

    Returns
    -------
    CollectiveBound

    Raises
    ------
    InputError
        An unknown operation, more ranks than hosts, ranks that do not reach each other, a value of the wrong type.
    Stopped
        `work` was stopped.

    Examples
    --------
    >>> from topoloom import build
    >>> result = collective_bound(build("ring:n=4,hosts=1"), "allgather", 4_000_000)
    >>> round(result.bandwidth_s * 1e6)  # three megabytes into each host, at 40 Gb/s
    600
    """
    topology, layout, settings = _without_tables(network, layout, settings)
    homes, _ = _homes(topology, operation, bytes, ranks, placement, root_rank, settings, layout, seed, jobs)
    about = {**settings.values, "placement": placement}
    bound = bound_of(
        topology,
        operation,
        bytes,
        homes,
        machine(topology, settings, layout),
        root=root_rank,
        gap=gap,
        settings=about,
        jobs=jobs,
        work=work,
    )
    return replace(bound, provenance=provenance_of(topology, seed=seed, settings=about))


def _without_tables(
    network: NetworkSource, layout: Layout | None, settings: AppSettings | None
) -> tuple[Topology, Layout | None, AppSettings]:
    """Return what `given` returns, for a network that need not be routed."""
    if isinstance(network, (Topology, Routing)):
        topology = network if isinstance(network, Topology) else network.topology
        usual = usual_settings(topology, "collective_bound")
        return topology, layout, usual if settings is None else at_own_rates(topology, settings)
    opened = network_of(network, "collective_bound")
    settings = at_own_rates(opened.topology, app_settings([opened], None, ()) if settings is None else settings)
    return opened.topology, opened.layout if layout is None else layout, settings


def collective(
    network: NetworkSource | Sequence[Routing],
    operation: str | CollectiveSchedule | MscclProgram,
    bytes: int = 1 << 26,
    ranks: int | None = None,
    *,
    algorithm: str | None = None,
    paths_from: str | None = None,
    pieces: int | None = None,
    placement: str = "linear",
    root_rank: int = 0,
    accelerators: int | None = None,
    settings: AppSettings | None = None,
    layout: Layout | None = None,
    simulator: str | None = None,
    gap: float = 0.05,
    seed: int = 1,
    jobs: int | None = None,
    work: Work | None = None,
) -> Collective:
    """Simulate a schedule of a collective, and compare it with the lower bound.

    Parameters
    ----------
    network : NetworkSource or sequence of Routing
        As for `run_app`.
    operation : str, CollectiveSchedule or MscclProgram
        ``allreduce``, ``allgather``, ``reduce-scatter``, ``broadcast`` or ``alltoall``; or an existing schedule, as
        `topoloom.read_schedule` reads it, also for other tables or another network with its hosts and the links of its paths.
        The schedule determines bytes, ranks, algorithm, paths, pieces, placement and root rank; a program of MSCCL determines
        ranks, algorithm and root rank, and its messages use the paths of the tables.
    bytes : int
        Bytes of the vector, or of all ranks' data together; for an all-to-all, from each rank to each other.
    ranks : int, optional
        One per host when omitted; at most one per host.
    algorithm : str, optional
        One of `topoloom.simulation.collectives.making.ALGORITHMS` that fits the operation; when omitted, rings where
        more than 32 ranks can use all their ports by them and their messages are long, forest where trees can be packed in a
        minute, else ring (rail-ring where hosts have several ports), chains or direct.
    paths_from : "own" or "tables", optional
        Whether messages use the schedule's own paths or those of the tables; when omitted, own for forests and rings.
    pieces : int, optional
        The number of pieces per message; when omitted, enough to hide the depth of trees. For a program of MSCCL: how often
        it runs, each time with this part of the bytes; 1 when omitted.
    placement : str
        As for `run_app`.
    root_rank : int
        The rank that broadcasts.
    accelerators : int, optional
        For algorithm ``rail-ring``: ranks per host, one per port when omitted. Ranks of a host exchange data at the rate
        `AppSettings.loopback_gbps`, each in each direction. Hosts of a layout with rack-scale units are one per unit, with
        their `scale_up` accelerators.
    settings : AppSettings, optional
        Rates and delays; when omitted, ranks of a host have the rate `scale_up_gb_per_s` of the hosts of the layout.
    layout : Layout, optional
        The length of every cable.
    simulator : str, optional
        ``flows`` (the default), ``flows:window=0.2``, ``simgrid``, ``flits`` or
        ``flits:flit_bits=256,packet_flits=64,table_router_vcs=4``.
    gap : float
        As for `collective_bound`.
    seed : int
        The seed of the placement.
    jobs, work
        As in other functions.

    Returns
    -------
    Collective

    Raises
    ------
    InputError
        As `collective_bound` and `run_app`; an algorithm that does not fit, or for which the network is too large.
    Stopped
        `work` was stopped.
    """
    work = Work() if work is None else work
    source, topology = network_or_tables(network, "collective")
    if isinstance(operation, str):
        chosen_of(collective_operation(operation), algorithm, paths_from)
    check_hosts(topology)
    inputs = given(source, layout, settings, "collective")
    routings, layout = inputs.routings, inputs.layout
    settings = inside_settings(inputs.settings, layout) if settings is None else inputs.settings
    check_kind("settings", settings, AppSettings, "AppSettings")
    if algorithm == RAIL_RING and layout is not None and layout.housing is not None:
        # Ranks of a rack-scale unit reach each other without the network, as those of a server do.
        scale_up = scale_up_of(layout.housing, topology.hosts)
        if scale_up.hosts is not None:
            topology = scale_up_domains(topology, scale_up)
            routings = tuple(replace(table, topology=topology) for table in routings)
            accelerators = scale_up.accelerators if accelerators is None else accelerators
    routing = routings[0]
    backend = backend_of(FLOWS if simulator is None else simulator)
    check_backend(backend, settings)
    if isinstance(operation, MscclProgram):
        if (algorithm, paths_from, accelerators) != (None, None, None) or ranks not in (None, operation.ranks):
            raise InputError(
                f"{operation.source}: a program of MSCCL has its own ranks ({operation.ranks}) and algorithm, and uses the"
                " paths of the tables; omit `ranks`, `algorithm`, `paths_from` and `accelerators`"
            )
        check_whole("pieces", pieces, 1, none=True)
        return _of_program(
            operation, routings, bytes, pieces or 1, placement, settings, layout, backend, gap, seed, jobs, work
        )
    if isinstance(operation, CollectiveSchedule):
        schedule = checked_schedule(operation, "schedule")
        homes, name, size, placement = (
            np.asarray(schedule.hosts, np.int64),
            schedule.operation,
            schedule.bytes,
            "schedule",
        )
        root_rank = schedule.trees[0].root if name == "broadcast" and schedule.trees else 0
        about: dict[str, Any] = {**settings.values, "simulator": backend.text}
        if np.unique(homes).size < homes.size and schedule.algorithm != RAIL_RING:
            raise InputError("the schedule has two ranks on one host")
    else:
        check_whole("pieces", pieces, 1, none=True)
        check_whole("accelerators", accelerators, 1, none=True)
        if accelerators is not None and algorithm != RAIL_RING:
            raise InputError(f"`accelerators` is for `algorithm` {RAIL_RING}; give it, or omit accelerators")
        on_host = accelerators_on(topology, accelerators) if algorithm == RAIL_RING else 1
        if ranks is not None and ranks % on_host:
            raise InputError(f"ranks={ranks}: a host has {on_host} accelerators; give a multiple of {on_host}")
        hosts = None if ranks is None else ranks // on_host
        homes, name = _homes(topology, operation, bytes, hosts, placement, root_rank, settings, layout, seed, jobs)
        schedule, size = None, bytes
        homes = np.repeat(homes, on_host)
        if np.unique(homes).size * on_host < homes.size:
            raise InputError(f"placement {placement}: a schedule needs its own host for each rank")
        chosen, along = chosen_of(name, algorithm, paths_from)
        about = {**settings.values, "placement": placement, "simulator": backend.text}
    net, back = network_as_flows(routings, settings, layout), routing.channels.back.astype(np.int64)
    if algorithm == RAIL_RING or (schedule is not None and schedule.algorithm == RAIL_RING):
        if backend.name != FLOWS:
            raise InputError(f"algorithm {RAIL_RING} has a scale-up network inside hosts; use `simulator` flows")
        net = with_scale_up(net, homes, settings.loopback_gbps * BYTES_PER_GBIT)
    rates = machine(topology, settings, layout)
    bound = bound_of(topology, name, size, homes, rates, root=root_rank, gap=gap, settings=about, jobs=jobs, work=work)
    if schedule is None:
        new_schedule = collective_schedule(
            topology, name, size, homes, root_rank, chosen, along, pieces, net, back, rates, work
        )
        provenance = provenance_of(topology, engine=routing.engine, seed=seed, settings=about)
        schedule = replace(new_schedule, provenance=provenance)
    seconds, messages, cpu_s, behind = _times(schedule, routings, net, back, settings, layout, backend, work)
    return Collective(
        operation=schedule.operation,
        ranks=schedule.ranks,
        bytes=schedule.bytes,
        algorithm=schedule.algorithm,
        paths=schedule.paths,
        engine=routing.engine,
        placement=placement,
        bound=bound,
        seconds=seconds,
        fullest_s=fullest_seconds(schedule, net, back) if schedule.trees else None,
        trees=len(schedule.trees),
        depth=schedule.depth,
        pieces=schedule.pieces,
        messages=messages,
        settings=settings,
        schedule=schedule,
        provenance=provenance_of(
            topology,
            engine=routing.engine,
            seed=schedule.provenance.seed,
            settings=bound.provenance.settings,
            timings={"cpu_s": cpu_s},
        ),
        head_of_line_share=behind,
    )


def inside_settings(settings: AppSettings, layout: Layout | None) -> AppSettings:
    """Settings in which ranks of one host exchange data as its accelerators do, where the hosts of a layout state how.

    Parameters
    ----------
    settings : AppSettings
    layout : Layout or None

    Returns
    -------
    AppSettings
    """
    if layout is None or layout.housing is None:
        return settings
    rate = scale_up_of(layout.housing, layout.topology.hosts).gb_per_s
    return settings if rate is None else structs.replace(settings, loopback_gbps=8 * rate)


def _of_program(
    program: MscclProgram,
    routings: Sequence[Routing],
    size: int,
    loops: int,
    placement: str,
    settings: AppSettings,
    layout: Layout | None,
    by: Backend,
    gap: float,
    seed: int,
    jobs: int | None,
    work: Work,
) -> Collective:
    """Return the time of a program of MSCCL, which is checked before."""
    findings, topology, engine = check_msccl(program), routings[0].topology, routings[0].engine
    ranks, root = program.ranks, findings.root
    homes, name = _homes(topology, program.operation, size, ranks, placement, root, settings, layout, seed, jobs)
    if np.unique(homes).size < homes.size:
        raise InputError(f"placement {placement}: a schedule needs its own host for each rank")
    about = {**settings.values, "placement": placement, "simulator": by.text}
    rates = machine(topology, settings, layout)
    bound = bound_of(topology, name, size, homes, rates, root=root, gap=gap, settings=about, jobs=jobs, work=work)
    result = run_schedule(
        schedule_of_msccl(program, size, loops),
        routings,
        homes,
        backend=by,
        settings=settings,
        detached_bytes=0.0,
        layout=layout,
        network=network_as_flows(routings, settings, layout),
        work=work,
    )
    return Collective(
        operation=name,
        ranks=ranks,
        bytes=size,
        algorithm=MSCCL,
        paths="tables",
        engine=engine,
        placement=placement,
        bound=bound,
        seconds=result.seconds,
        fullest_s=None,
        trees=0,
        depth=findings.depth,
        pieces=loops,
        messages=result.messages,
        settings=settings,
        schedule=program,
        provenance=provenance_of(
            topology, engine=engine, seed=seed, settings=bound.provenance.settings, timings={"cpu_s": result.cpu_s}
        ),
        head_of_line_share=result.head_of_line_share,
    )


def _times(
    schedule: CollectiveSchedule,
    routings: Sequence[Routing],
    net: FlowNetwork,
    back: np.ndarray,
    settings: AppSettings,
    layout: Layout | None,
    by: Backend,
    work: Work,
) -> tuple[float, int, float, float | None]:
    """Return simulated seconds, messages, seconds of processor time, and the share of bytes behind others (flows only)."""
    if schedule.ranks < 2:
        return 0.0, 0, 0.0, None
    result = run_schedule(
        schedule_of_trees(schedule, net, back),
        routings,
        np.asarray(schedule.hosts, np.int64),
        backend=by,
        # Every message of a collective waits for its receive, and every send waits for its message.
        settings=structs.replace(settings, eager_bytes=0),
        detached_bytes=0.0,
        layout=layout,
        network=net,
        work=work,
    )
    return result.seconds, result.messages, result.cpu_s, result.head_of_line_share


def _homes(
    topology: Topology,
    operation: str,
    size: int,
    ranks: int | None,
    placement: str,
    root_rank: int,
    settings: AppSettings,
    layout: Layout | None,
    seed: int,
    jobs: int | None,
) -> tuple[np.ndarray, str]:
    """Check the arguments of both operations; return the host of each rank, and the operation's name."""
    check_words("operation", operation, "a text, as 'allreduce'")
    check_whole("bytes", size, 0)
    check_whole("ranks", ranks, 1, none=True)
    check_whole("root_rank", root_rank, 0)
    check_words("placement", placement, "a text, as 'linear'")
    check_kind("settings", settings, AppSettings, "AppSettings")
    check_kind("layout", layout, (Layout, type(None)), "a Layout, as topoloom.place makes one")
    check_whole("seed", seed, 0)
    check_whole("jobs", jobs, 1, none=True)
    name = collective_operation(operation)
    if not topology.hosts:
        raise InputError(f"{topology.name}: no hosts for the ranks; add hosts, as in hosts=4")
    count = topology.hosts if ranks is None else ranks
    if placement == "optimised":
        raise InputError(
            "placement optimised: all ranks of a collective are equivalent; use linear, random, rack or file:PATH"
        )
    return place_ranks(placement, count, topology, layout, None, seed, jobs), name
