"""A schedule on a network as an application: by flows, or on SimGrid, with the same nouns."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from topoloom.applications.app_run import AppRun
from topoloom.applications.processes import Limits
from topoloom.applications.program import Scheduled
from topoloom.applications.settings import AppSettings
from topoloom.applications.tools import version
from topoloom.layout.layout import Layout
from topoloom.results import provenance_of
from topoloom.routing.routing import Routing


def run_schedule(
    routings: Sequence[Routing],
    program: Scheduled,
    homes: np.ndarray,
    placement: str,
    settings: AppSettings,
    layout: Layout | None,
    seed: int,
    limits: Limits,
) -> AppRun:
    """Run a schedule on SimGrid; parameters and errors are those of `run_app`.

    Parameters
    ----------
    routings : sequence of Routing
    program : Scheduled
    homes : int64[ranks]
        The host of each rank.
    placement : str
        How it came about.
    settings : AppSettings
    layout : Layout or None
    seed : int
    limits : Limits
        What stops it; it takes as long as it takes.

    Returns
    -------
    AppRun
    """
    from topoloom.applications.schedule_replay import replay

    found = replay(program.schedule, homes, routings, settings, layout, Limits(work=limits.work))
    return schedule_result(
        routings,
        program,
        homes,
        placement,
        settings,
        seed,
        seconds=found.seconds,
        worked=found.worked,
        link_bytes=found.link_bytes,
        cpu_s=found.cpu_s,
        simgrid=version(),
        about=settings.values,
    )


def schedule_result(
    routings: Sequence[Routing],
    program: Scheduled,
    homes: np.ndarray,
    placement: str,
    settings: AppSettings,
    seed: int,
    *,
    seconds: float,
    worked: np.ndarray,
    link_bytes: np.ndarray,
    cpu_s: float,
    simgrid: str,
    about: dict[str, Any],
) -> AppRun:
    """What came of a schedule, as of any program.

    Parameters
    ----------
    routings : sequence of Routing
    program : Scheduled
    homes : int64[ranks]
    placement : str
    settings : AppSettings
    seed : int
    seconds : float
        Until the last operation was done.
    worked : float64[ranks]
        Seconds that at least one cpu of each rank computed.
    link_bytes : float64[links, 2]
    cpu_s : float
        That the simulation took.
    simgrid : str
        SimGrid's version, empty for flows.
    about : dict
        Settings, for the provenance.

    Returns
    -------
    AppRun
    """
    routing = routings[0]
    return AppRun(
        program=program.name,
        network=routing.topology.name,
        engine=routing.engine,
        routing_seed=None,
        host_tables=len(routings),
        placement=placement,
        seed=int(seed),
        ranks=program.ranks,
        seconds=seconds,
        results={},
        measure="seconds",
        mops=float("nan"),
        communication=np.clip(1 - worked / seconds, 0.0, 1.0) if seconds else np.zeros(program.ranks),
        link_bytes=link_bytes,
        homes=homes,
        settings=settings,
        simgrid=simgrid,
        exit_code=0,
        output="",
        provenance=provenance_of(
            routing.topology, engine=routing.engine, seed=int(seed), settings=about, timings={"cpu_s": cpu_s}
        ),
    )
