"""The curves of the explorer: from the records of the queue, and from studies in served folders."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from topoloom.core.errors import InputError
from topoloom.failures.degradation import Degradations
from topoloom.failures.survival import Survival, threshold_of
from topoloom.report.curve_data import (
    LoadUnits,
    curve_data,
    degradation_intervals,
    length_intervals,
    load_intervals,
    survival_intervals,
)
from topoloom.simulation.flits.execute import Execution
from topoloom.simulation.flits.load_curve import LoadCurve
from topoloom.studies.record import Record
from topoloom.studies.run import open_study, read_definition
from topoloom.studies.series import curves_of
from topoloom.web.jobs import Jobs

#: Most points of a study that is drawn.
MOST_POINTS = 50_000


def curves_of_records(jobs: Jobs, digests: Sequence[str], units: LoadUnits | None = None) -> dict[str, Any]:
    """Curves of finished tasks: latency against load; survival, lengths and throughput against failures.

    Tasks that differ only in their loads, levels or shares are one curve.

    Parameters
    ----------
    jobs : Jobs
    digests : sequence of str
        The digests of tasks; those without a record are omitted.
    units : LoadUnits, optional
        Those of load and latency; flits and cycles when omitted.

    Returns
    -------
    dict
        As from `topoloom.report.curve_data.curve_data`.
    """
    loads: dict[str, LoadCurve] = {}
    survivals: dict[str, Survival] = {}
    degradations: dict[str, Degradations] = {}
    for digest in digests:
        record = jobs.record(digest)
        if record is None or record.state != "done":
            continue
        if record.task.operation == "resilience":
            curve = record.result_as(jobs.folder, Survival)
            before = survivals.get(key := _key(record, "levels"))
            survivals[key] = curve if before is None else replace(curve, levels=before.levels + curve.levels)
        elif record.task.operation == "degradation":
            left = record.result_as(jobs.folder, Degradations)
            earlier = degradations.get(key := _key(record, "shares"))
            degradations[key] = left if earlier is None else replace(left, levels=earlier.levels + left.levels)
        elif record.task.operation == "simulate":
            load = record.result_as(jobs.folder, LoadCurve, Execution)
            if isinstance(load, LoadCurve):
                point = loads.get(key := _key(record, "loads"))
                loads[key] = load if point is None else replace(point, points=point.points + load.points)
    drawn = [load_intervals([_rising(curve) for curve in loads.values()], units)] if loads else []
    joined = [_joined(curve) for curve in survivals.values()]
    if joined:
        drawn.append(survival_intervals(joined))
    drawn += length_intervals(joined)
    if degradations:
        drawn.append(degradation_intervals([_by_share(left) for left in degradations.values()]))
    return curve_data(drawn)


def load_units(query: Mapping[str, str]) -> LoadUnits:
    """The units that a page asks for: ``ns=1``, ``gbps=1``, ``rate_gbps``, ``flit_bytes``.

    Raises
    ------
    InputError
        A number cannot be read, or is not positive.
    """
    numbers = {}
    for name in ("rate_gbps", "flit_bytes"):
        if query.get(name):
            try:
                numbers[name] = float(query[name])
            except ValueError:
                raise InputError(f"{name}: '{query[name][:20]}' is no number; write 400") from None
    return LoadUnits(ns=query.get("ns") == "1", gbps=query.get("gbps") == "1", **numbers)


def _key(record: Record, points: str) -> str:
    """The arguments of a task without those that give its points."""
    others = {name: value for name, value in record.task.arguments.items() if name != points}
    return msgspec.json.encode(others, order="sorted").decode()


def _joined(curve: Survival) -> Survival:
    levels = tuple(sorted(curve.levels, key=lambda level: level.share))
    return replace(curve, levels=levels, threshold=threshold_of(levels, curve.criterion))


def _by_share(left: Degradations) -> Degradations:
    return replace(left, levels=tuple(sorted(left.levels, key=lambda level: level.share)))


def _rising(curve: LoadCurve) -> LoadCurve:
    return replace(curve, points=tuple(sorted(curve.points, key=lambda point: point.offered)))


def curves_of_study(
    folder: Path,
    *,
    x: str | None = None,
    y: str | None = None,
    by: Sequence[str] | None = None,
    where: str | None = None,
) -> dict[str, Any]:
    """Curves of a study so far, its axes and measures, and the commands that draw the same.

    Parameters
    ----------
    folder : path
        The folder of the study.
    x, y, by, where
        As in `topoloom.studies.series.curves_of`.

    Returns
    -------
    dict
        Curves as from `topoloom.report.curve_data.curve_data`; ``title``, ``axes``, ``measures``, ``tasks``, ``done``,
        ``failed``; ``command`` and ``python``.

    Raises
    ------
    InputError
        The folder contains no study, nothing can be drawn, or an axis or measure is unknown.
    """
    if len(list(islice(read_definition(folder).points(), MOST_POINTS + 1))) > MOST_POINTS:
        raise InputError(
            f"{folder}: the study has more than {MOST_POINTS:,} points, too many to draw interactively;"
            f" 'topoloom study plot {folder}' draws them"
        )
    results = open_study(folder)
    chosen = {name: value for name, value in {"x": x, "y": y, "where": where}.items() if value is not None}
    drawn = curves_of(results, by=by, **chosen)
    options = [word for name, value in chosen.items() for word in (f"--{name}", value)]
    options += [word for name in by or () for word in ("--by", name)]
    named = ", ".join(f"{name}={value!r}" for name, value in {**chosen, **({"by": list(by)} if by else {})}.items())
    return curve_data(drawn) | {
        "title": results.title,
        "axes": results.axes,
        "measures": results.measures,
        "tasks": results.tasks,
        "done": results.done,
        "failed": results.failed,
        "command": shlex.join(["topoloom", "study", "plot", str(folder), *options, "-o", "curves.svg"]),
        "python": f"from topoloom import open_study\nopen_study({str(folder)!r}).plot({named})",
    }
