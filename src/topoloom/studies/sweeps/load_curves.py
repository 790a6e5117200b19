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
from topoloom.studies.sweeps.kept import kept

#: What operations of one study differ in, and what tasks of one network differ in.
_AXES = ("topology", "engine", "traffic")
_OF_LOADS = ("loads", "saturation", "saturation_width")
#: How exact the load of saturation is where nobody says.
_WIDTH = 0.01


def simulate_study(operations: Sequence[SimulateOperation]) -> Study:
    """Operations at several loads as a study: every network by every engine under every traffic, one load per task.

    Parameters
    ----------
    operations : sequence of SimulateOperation
        Every combination of some topologies, engines and kinds of traffic, and else the same.

    Raises
    ------
    InputError
        Traffic with and without an end.

    Examples
    --------
    >>> rings = [f"ring:n={n},hosts=1" for n in (4, 5)]
    >>> study = simulate_study([SimulateOperation(topology=ring, loads=(0.1, 0.2), saturation=True) for ring in rings])
    >>> len(study.tasks())
    6
    """
    first = operations[0]
    arguments = {name: value for name, value in first.given().items() if name not in (*_AXES, *_OF_LOADS)}
    axes = {name: list(dict.fromkeys(getattr(one, name) for one in operations)) for name in _AXES}
    if axes["engine"] == [None]:
        del axes["engine"]
    if len({one.has_end for one in operations}) > 1:
        raise InputError("traffic that is simulated to its end and traffic at loads: make a study of each")
    together: list[dict[str, list[Any]]] = []
    if not first.has_end:
        points: list[float | None] = [*dict.fromkeys(first.loads or ())]
        together.append(
            {
                "loads": points + [None] * first.saturation,
                "saturation": [False] * len(points) + [True] * first.saturation,
                # Points do not depend on it: another width finds them done.
                "saturation_width": [_WIDTH] * len(points) + [first.saturation_width] * first.saturation,
            }
        )
    return Study(operation="simulate", task=arguments, axes=axes, together=together, base=str(Path.cwd()))


def load_curves_of(study: Study, folder: str | os.PathLike[str], *, ended: Ended = "done") -> LoadCurves | Executions:
    """What `simulate` gives of the records of a study: curves by network, engine and traffic, or executions.

    Parameters
    ----------
    study : Study
        Of `simulate_study`.
    folder : path
    ended : "done", "deadline" or "interrupted"
        How the run ended.

    Returns
    -------
    LoadCurves or Executions
        Of what is finished; the points of each curve in the order of the loads.

    Raises
    ------
    InputError
        The folder holds no study.
    """
    found: dict[tuple[Any, ...], LoadCurve] = {}
    executions: list[Execution] = []
    seed = study.task.get("seed", 1)
    for labels, _, record in kept(study, folder):
        result = record.result_as(folder, LoadCurve, Execution)
        of = tuple(labels.get(name) for name in ("topology", "engine", "traffic"))
        if isinstance(result, Execution):
            executions.append(result)
        else:
            known = found.get(of, replace(result, points=()))
            found[of] = replace(known, points=known.points + result.points, saturation=result.saturation)
    if executions:
        return Executions(tuple(executions), provenance=Provenance(seed=seed))
    return LoadCurves(tuple(found.values()), ended=ended, provenance=Provenance(seed=seed))
