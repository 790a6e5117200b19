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
from topoloom.studies.sweeps.finished import finished_points

#: Arguments in which the operations of a study, or the tasks of one network and program, differ.
_AXES = ("topology", "engine", "app", "placement", "seed", "routing_seed")


def app_study(operations: Sequence[AppOperation], routing_seeds: int = 1) -> Study:
    """Operations as a study: every program on every network with every placement, with tables of each seed.

    Parameters
    ----------
    operations : sequence of AppOperation
        All combinations of networks, programs and placements, otherwise equal; placement ``random*5`` gives five tasks.
    routing_seeds : int
        Number of seeds for tables.

    Raises
    ------
    InputError
        An operation has no application.

    Examples
    --------
    >>> asked = AppOperation(topology="ring:n=4,hosts=1", app="alltoall:bytes=4096", placement="random*3")
    >>> [task.arguments.get("seed", 1) for task in app_study([asked]).tasks()]
    [1, 2, 3]
    """
    first = operations[0]
    arguments = {name: value for name, value in first.given().items() if name not in _AXES}
    pairs = list(dict.fromkeys((operation.topology, operation.engine) for operation in operations))
    networks: dict[str, list[Any]] = {"topology": [topology for topology, _ in pairs]}
    if first.engine is not None:
        networks["engine"] = [engine for _, engine in pairs]
    where = placements_of(list(dict.fromkeys(operation.placement for operation in operations)), first.seed)
    axes: dict[str, Any] = {"app": list(dict.fromkeys(operation.app for operation in operations))}
    together: list[dict[str, list[Any]]] = [
        networks,
        {"placement": [how for how, _ in where], "seed": [placement_seed for _, placement_seed in where]},
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
    """The result of `run_apps` from the records of a study.

    Parameters
    ----------
    study : Study
        The result of `app_study`.
    folder : path
    baseline : str, optional
        The topology that the others are compared with; the first when omitted.
    ended : "done", "deadline" or "interrupted"
        How the run ended.

    Raises
    ------
    InputError
        The folder contains no study, nothing is done, or the baseline is none of the networks.
    """
    networks: list[str] = []
    runs: list[AppRun] = []
    topologies = study.together[0]["topology"]
    for labels, _, record in finished_points(study, folder):
        name = labels["topology"]
        if topologies.count(name) > 1:
            name = f"{name} by {labels['engine']}"
        networks.append(name)
        runs.append(replace(record.result_as(folder, AppRun), network=name))
    if not runs:
        raise InputError(f"{os.fspath(folder)}: no run is finished")
    reference = str(topologies[0]) if baseline is None else baseline
    if baseline is None and topologies.count(reference) > 1:
        reference = networks[0]
    settings = {"networks": list(dict.fromkeys(networks)), **runs[0].settings.values}
    provenance = Provenance.of_run(seed=min(run.seed for run in runs), settings=settings)
    return AppRuns(tuple(runs), reference, len(study.tasks()), "", ended, provenance)
