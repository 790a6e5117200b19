"""`topoloom simulate` as a study: a task a load."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from topoloom.core.errors import InputError
from topoloom.core.work import Ended
from topoloom.model.results import Provenance
from topoloom.simulation.flits.execute import Execution, Executions
from topoloom.simulation.flits.load_curve import LoadCurve, LoadCurves, Saturation
from topoloom.simulation.flits.sweep import has_end
from topoloom.studies.study import Study
from topoloom.studies.sweeps.kept import kept

#: How exact the load of saturation is where nobody says.
WIDTH = 0.01


def simulate_study(
    topologies: Sequence[str],
    engines: Sequence[str] | None = None,
    traffics: Sequence[str] = ("uniform",),
    *,
    loads: Sequence[float] = (0.1, 0.3, 0.5, 0.7, 0.9),
    saturation: bool = False,
    width: float = WIDTH,
    **arguments: Any,
) -> Study:
    """Every network by every engine under every traffic at every load.

    Parameters
    ----------
    topologies : sequence of str
        Specs, files or folders.
    engines : sequence of str, optional
        When omitted: the installed tables, else those of the engine that fits.
    traffics : sequence of str
    loads : sequence of float
        Not used by traffic that goes to its end.
    saturation : bool
        Find the load of saturation of each, too.
    width : float
        How exact that is.
    **arguments
        What the verb simulate takes beside: preset, set, between, lanes, fast, interval, seed.

    Returns
    -------
    Study

    Raises
    ------
    InputError
        An argument that the verb has not; traffic with and without an end.

    Examples
    --------
    >>> study = simulate_study(["ring:n=4,hosts=1", "complete:n=4,hosts=1"], ["dor"], loads=[0.1, 0.2], saturation=True)
    >>> len(study.tasks())
    6
    """
    axes: dict[str, Any] = {"topology": list(dict.fromkeys(topologies))}
    if engines is not None:
        axes["engine"] = list(dict.fromkeys(engines))
    axes["traffic"] = list(dict.fromkeys(traffics))
    ends = {has_end(traffic) for traffic in traffics}
    if len(ends) > 1:
        raise InputError("traffic that is simulated to its end and traffic at loads: make a study of each")
    together: list[dict[str, list[Any]]] = []
    if ends == {False}:
        points: list[float | None] = [*dict.fromkeys(float(load) for load in loads)]
        together.append(
            {
                "load": points + [None] * saturation,
                "saturation": [False] * len(points) + [True] * saturation,
                # Points do not depend on it: another width finds them done.
                "width": [WIDTH] * len(points) + [width] * saturation,
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
    saturations: dict[tuple[Any, ...], Saturation] = {}
    executions: list[Execution] = []
    seed = study.task.get("seed", 1)
    for labels, _, record in kept(study, folder):
        result = record.result_as(folder, LoadCurve, Saturation, Execution)
        of = tuple(labels.get(name) for name in ("topology", "engine", "traffic"))
        if isinstance(result, Execution):
            executions.append(result)
        elif isinstance(result, Saturation):
            saturations[of] = result
        else:
            known = found.get(of)
            found[of] = result if known is None else replace(known, points=known.points + result.points)
    if executions:
        return Executions(tuple(executions), provenance=Provenance(seed=seed))
    curves = tuple(replace(curve, saturation=saturations.get(of)) for of, curve in found.items())
    return LoadCurves(curves, ended=ended, provenance=Provenance(seed=seed))
