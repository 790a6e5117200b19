"""`topoloom app` as a study: a task a run."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from topoloom.core.errors import InputError
from topoloom.core.work import Ended
from topoloom.model.results import Provenance
from topoloom.simulation.applications.app_run import AppRun
from topoloom.simulation.applications.app_runs import AppRuns
from topoloom.simulation.applications.sweep import placements_of
from topoloom.studies.study import Study
from topoloom.studies.sweeps.kept import kept

#: Tables of different seeds, at most; more are no axis, but a mistake.
_MOST_SEEDS = 1_000_000


def app_study(
    apps: Sequence[str],
    topologies: Sequence[str],
    engines: Sequence[str] | None = None,
    placements: Sequence[str] = ("linear",),
    *,
    routing_seeds: int = 1,
    seed: int = 1,
    **arguments: Any,
) -> Study:
    """Every program on every network under every placement, with tables of each seed.

    Parameters
    ----------
    apps : sequence of str
    topologies : sequence of str
        Specs, files or folders.
    engines : sequence of str, optional
        One for all topologies, or one for each. When omitted: the installed tables, else those of the engine that fits.
    placements : sequence of str
        As `run_apps` takes them; ``random*5`` is five tasks.
    routing_seeds : int
        Tables of so many seeds.
    seed : int
        Of the first placement and the first tables.
    **arguments
        What the verb app takes beside: ranks, host_tables, floor, preset, set, simulator, time_limit.

    Returns
    -------
    Study

    Raises
    ------
    InputError
        An argument that the verb has not; engines for another number of topologies.

    Examples
    --------
    >>> study = app_study(["alltoall:bytes=4096"], ["ring:n=4,hosts=1"], placements=["linear", "random*3"])
    >>> [task.arguments.get("seed", 1) for task in study.tasks()]
    [1, 1, 2, 3]
    """
    networks: dict[str, list[Any]] = {"topology": list(topologies)}
    if engines is not None:
        if len(engines) not in (1, len(topologies)):
            raise InputError(f"{len(engines)} engines for {len(topologies)} topologies; give one, or one for each")
        networks["engine"] = list(engines) * (len(topologies) // len(engines))
    where = placements_of(placements, seed)
    axes: dict[str, Any] = {"app": list(dict.fromkeys(apps))}
    together: list[dict[str, list[Any]]] = [
        networks,
        {"placement": [how for how, _ in where], "seed": [its for _, its in where]},
    ]
    if routing_seeds > _MOST_SEEDS:
        raise InputError(f"routing_seeds={routing_seeds}; they are 1 to {_MOST_SEEDS:,}")
    if routing_seeds > 1:
        together.insert(1, {"routing_seed": list(range(seed, seed + routing_seeds))})
    else:
        arguments["routing_seed"] = seed
    return Study(operation="app", task=arguments, axes=axes, together=together, base=str(Path.cwd()))


def app_runs_of(
    study: Study, folder: str | os.PathLike[str], baseline: str | None = None, *, ended: Ended = "done"
) -> AppRuns:
    """What `run_apps` gives of the records of a study.

    Parameters
    ----------
    study : Study
        Of `app_study`.
    folder : path
    baseline : str, optional
        The topology that the others are set beside; the first when left out.
    ended : "done", "deadline" or "interrupted"
        How the run ended.

    Returns
    -------
    AppRuns

    Raises
    ------
    InputError
        The folder holds no study, or nothing is done; the baseline is none of the networks.
    """
    networks: list[str] = []
    runs: list[AppRun] = []
    topologies = study.together[0]["topology"]
    for labels, _, record in kept(study, folder):
        name = labels["topology"]
        if topologies.count(name) > 1:
            name = f"{name} by {labels['engine']}"
        networks.append(name)
        runs.append(replace(record.result_as(folder, AppRun), network=name))
    if not runs:
        raise InputError(f"{os.fspath(folder)}: no run is finished")
    beside = str(topologies[0]) if baseline is None else baseline
    if baseline is None and topologies.count(beside) > 1:
        beside = networks[0]
    settings = {"networks": list(dict.fromkeys(networks)), **runs[0].settings.values}
    provenance = Provenance(seed=min(run.seed for run in runs), settings=settings)
    return AppRuns(tuple(runs), beside, len(study.tasks()), "", ended, provenance)
