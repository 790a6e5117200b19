"""The verbs of collectives: their least time, and a schedule beside it, which is made or was read."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from topoloom.applications.checks import check_kind, check_text, check_whole
from topoloom.applications.collective_replay import ScheduleSimulator, carried_out, schedule_simulator
from topoloom.applications.collective_result import Collective
from topoloom.applications.flow_run import FLOWS, fabric, machine
from topoloom.applications.placement import place_ranks
from topoloom.applications.run import routings_of, topology_of
from topoloom.applications.settings import AppSettings
from topoloom.collectives.bound import CollectiveBound, bound_of, operation_of
from topoloom.collectives.flows import fullest_seconds
from topoloom.collectives.making import chosen_of, schedule_of
from topoloom.collectives.schedule import CollectiveSchedule, checked_schedule
from topoloom.errors import InputError, check_type
from topoloom.flows.state import Fabric
from topoloom.layout.layout import Layout
from topoloom.results import provenance_of
from topoloom.routing.routing import Routing
from topoloom.topology import Topology
from topoloom.work import Work


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
    check_type(network, (Topology, Routing), "collective_bound", "build(spec) makes a Topology")
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
    """A schedule of a collective, simulated, and the least time beside it.

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
        One of `topoloom.collectives.making.ALGORITHMS` that fits the operation; left out, forest where trees are packed in a
        minute, else ring, binomial or direct.
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
        ``flows``, ``flows:window=0.2``, ``simgrid``, ``flits`` or ``flits:flit_bits=256,packet_flits=64,lane_vcs=4``.
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
    topology = topology_of(network, "collective")
    settings = AppSettings() if settings is None else settings
    check_kind("settings", settings, AppSettings, "AppSettings")
    by = schedule_simulator(simulator, settings)
    check_whole("pieces", pieces, 1, none=True)
    homes, operation = _homes(topology, operation, bytes, ranks, placement, root, settings, layout, seed, jobs)
    if np.unique(homes).size < homes.size:
        raise InputError(f"placement {placement}: a schedule needs a host for each rank")
    chosen, along = chosen_of(operation, algorithm, paths)
    routings = routings_of(network, "collective")
    about: dict[str, Any] = {**settings.values, "placement": placement, "simulator": by.text}
    net, there = fabric(routings, settings, layout), machine(topology, settings, layout)
    back = routings[0].channels.back.astype(np.int64)
    bound = bound_of(topology, operation, bytes, homes, there, root=root, gap=gap, settings=about, jobs=jobs, work=work)
    schedule = schedule_of(topology, operation, bytes, homes, root, chosen, along, pieces, net, back, there, work)
    schedule = replace(
        schedule, provenance=provenance_of(topology, engine=routings[0].engine, seed=seed, settings=about)
    )
    return _simulated(routings, schedule, bound, net, placement, settings, layout, by, work)


def simulate_schedule(
    network: Routing | Topology | Sequence[Routing],
    schedule: CollectiveSchedule,
    *,
    settings: AppSettings | None = None,
    layout: Layout | None = None,
    simulator: str = FLOWS,
    gap: float = 0.05,
    jobs: int | None = None,
    work: Work | None = None,
) -> Collective:
    """Simulate a schedule that was made before, also on another network or by other tables, beside the bound there.

    Parameters
    ----------
    network : Routing, Topology or sequence of Routing
        With the hosts of the schedule, and the links of its paths where they are its own.
    schedule : CollectiveSchedule
        As `topoloom.read_schedule` reads it.
    settings, layout, simulator, gap, jobs, work
        As for `collective`.

    Returns
    -------
    Collective

    Raises
    ------
    InputError
        A path over links, or a host, that the network does not have; trees that do not bring everybody what is due.
    Stopped
        `work` was stopped.
    """
    work = Work() if work is None else work
    routings = routings_of(network, "simulate_schedule")
    check_kind("schedule", schedule, CollectiveSchedule, "a CollectiveSchedule, as topoloom.read_schedule reads it")
    checked_schedule(schedule, "schedule")
    topology = routings[0].topology
    settings = AppSettings() if settings is None else settings
    check_kind("settings", settings, AppSettings, "AppSettings")
    by = schedule_simulator(simulator, settings)
    homes = np.asarray(schedule.hosts, np.int64)
    if np.unique(homes).size < homes.size:
        raise InputError("the schedule has two ranks on a host")
    about: dict[str, Any] = {**settings.values, "simulator": by.text}
    net, there = fabric(routings, settings, layout), machine(topology, settings, layout)
    root = schedule.trees[0].root if schedule.operation == "broadcast" and schedule.trees else 0
    bound = bound_of(
        topology,
        schedule.operation,
        schedule.bytes,
        homes,
        there,
        root=root,
        gap=gap,
        settings=about,
        jobs=jobs,
        work=work,
    )
    return _simulated(routings, schedule, bound, net, "schedule", settings, layout, by, work)


def _simulated(
    routings: Sequence[Routing],
    schedule: CollectiveSchedule,
    bound: CollectiveBound,
    net: Fabric,
    placement: str,
    settings: AppSettings,
    layout: Layout | None,
    by: ScheduleSimulator,
    work: Work,
) -> Collective:
    """The schedule's time beside the bound, which has the settings in its provenance."""
    routing = routings[0]
    back = routing.channels.back.astype(np.int64)
    times = carried_out(schedule, routings, net, back, settings, layout, by, work)
    about = bound.provenance
    return Collective(
        operation=schedule.operation,
        ranks=schedule.ranks,
        bytes=schedule.bytes,
        algorithm=schedule.algorithm,
        paths=schedule.paths,
        engine=routing.engine,
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
            routing.topology,
            engine=routing.engine,
            seed=schedule.provenance.seed,
            settings=about.settings,
            timings={"cpu_s": times.cpu_s},
        ),
    )


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
