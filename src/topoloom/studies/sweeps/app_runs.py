"""`topoloom app` as a study: one task per run."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from topoloom.core.errors import InputError
from topoloom.core.work import Ended
from topoloom.model.results import Provenance
from topoloom.operations.catalogue.app import AppOperation
from topoloom.simulation.applications.app_run import AppRun
from topoloom.simulation.applications.app_runs import AppRuns
from topoloom.simulation.applications.sweep import placements_of
from topoloom.studies.study import Study
from topoloom.studies.sweeps.kept import kept

#: What operations of one study differ in, and what tasks of one network and program differ in.
_AXES = ("topology", "engine", "app", "placement", "seed", "routing_seed")


def app_study(operations: Sequence[AppOperation], routing_seeds: int = 1) -> Study:
    """Operations as a study: every program on every network under every placement, with tables of each seed.

    Parameters
    ----------
    operations : sequence of AppOperation
        Every combination of some networks, programs and placements, and else the same; placement ``random*5`` is five tasks.
    routing_seeds : int
        Tables of this many seeds.

    Raises
    ------
    InputError
        An operation without an application.

    Examples
    --------
    >>> asked = AppOperation(topology="ring:n=4,hosts=1", app="alltoall:bytes=4096", placement="random*3")
    >>> [task.arguments.get("seed", 1) for task in app_study([asked]).tasks()]
    [1, 2, 3]
    """
    first = operations[0]
    arguments = {name: value for name, value in first.given().items() if name not in _AXES}
    pairs = list(dict.fromkeys((one.topology, one.engine) for one in operations))
    networks: dict[str, list[Any]] = {"topology": [topology for topology, _ in pairs]}
    if first.engine is not None:
        networks["engine"] = [engine for _, engine in pairs]
    where = placements_of(list(dict.fromkeys(one.placement for one in operations)), first.seed)
    axes: dict[str, Any] = {"app": list(dict.fromkeys(one.app for one in operations))}
    together: list[dict[str, list[Any]]] = [
        networks,
        {"placement": [how for how, _ in where], "seed": [its for _, its in where]},
    ]
    seed = first.tables_seed
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
        The topology that the others are set beside; the first when omitted.
    ended : "done", "deadline" or "interrupted"
        How the run ended.

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
