"""`topoloom simulate` as a study: one task per load."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from topoloom.core.errors import InputError
from topoloom.core.work import Ended
from topoloom.model.results import Provenance
from topoloom.operations.catalogue.simulate import SimulateOperation
from topoloom.simulation.flits.execute import Execution, Executions
from topoloom.simulation.flits.load_curve import LoadCurve, LoadCurves
from topoloom.studies.study import Study
from topoloom.studies.sweeps.finished import finished_points

#: Arguments in which the operations of a study, or the tasks of one network, differ.
_AXES = ("topology", "engine", "traffic")
_OF_LOADS = ("loads", "saturation", "saturation_width")
#: Default width of the search for the saturation load.
_WIDTH = 0.01


def simulate_study(operations: Sequence[SimulateOperation]) -> Study:
    """Operations at several loads as a study: every network with every engine and traffic, one load per task.

    Parameters
    ----------
    operations : sequence of SimulateOperation
        All combinations of topologies, engines and kinds of traffic, otherwise equal.

    Raises
    ------
    InputError
        Traffic with and without an end are mixed.

    Examples
    --------
    >>> rings = [f"ring:n={n},hosts=1" for n in (4, 5)]
    >>> study = simulate_study([SimulateOperation(topology=ring, loads=(0.1, 0.2), saturation=True) for ring in rings])
    >>> len(study.tasks())
    6
    """
    first = operations[0]
    arguments = {name: value for name, value in first.given().items() if name not in (*_AXES, *_OF_LOADS)}
    axes = {name: list(dict.fromkeys(getattr(operation, name) for operation in operations)) for name in _AXES}
    if axes["engine"] == [None]:
        del axes["engine"]
    if len({operation.has_end for operation in operations}) > 1:
        raise InputError("traffic with an end and traffic at loads cannot be mixed; make a study of each")
    together: list[dict[str, list[Any]]] = []
    if not first.has_end:
        points: list[float | None] = [*dict.fromkeys(first.loads or ())]
        together.append(
            {
                "loads": points + [None] * first.saturation,
                "saturation": [False] * len(points) + [True] * first.saturation,
                # The points do not depend on the width, so tasks with another width reuse them.
                "saturation_width": [_WIDTH] * len(points) + [first.saturation_width] * first.saturation,
            }
        )
    return Study(operation="simulate", task=arguments, axes=axes, together=together, base=str(Path.cwd()))


def load_curves_of(study: Study, folder: str | os.PathLike[str], *, ended: Ended = "done") -> LoadCurves | Executions:
    """The result of `simulate` from the records of a study: curves by network, engine and traffic, or executions.

    Parameters
    ----------
    study : Study
        The result of `simulate_study`.
    folder : path
    ended : "done", "deadline" or "interrupted"
        How the run ended.

    Returns
    -------
    LoadCurves or Executions
        Finished points only; those of each curve in the order of the loads.

    Raises
    ------
    InputError
        The folder contains no study.
    """
    curves: dict[tuple[Any, ...], LoadCurve] = {}
    executions: list[Execution] = []
    seed = study.task.get("seed", 1)
    for labels, _, record in finished_points(study, folder):
        result = record.result_as(folder, LoadCurve, Execution)
        series_key = tuple(labels.get(name) for name in ("topology", "engine", "traffic"))
        if isinstance(result, Execution):
            executions.append(result)
        else:
            curve = curves.get(series_key, replace(result, points=()))
            curves[series_key] = replace(curve, points=curve.points + result.points, saturation=result.saturation)
    if executions:
        return Executions(tuple(executions), provenance=Provenance.of_run(seed=seed))
    return LoadCurves(tuple(curves.values()), ended=ended, provenance=Provenance.of_run(seed=seed))
