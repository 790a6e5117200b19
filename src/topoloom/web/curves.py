"""The curves of the explorer: from the records of the queue, and from studies in served folders."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from topoloom.core.errors import InputError
from topoloom.failures.survival import Survival
from topoloom.report.curve_data import LoadUnits, curve_data, load_intervals, survival_intervals
from topoloom.simulation.flits.execute import Execution
from topoloom.simulation.flits.load_curve import LoadCurve
from topoloom.studies.record import Record
from topoloom.studies.run import open_study, read_definition
from topoloom.studies.series import curves_of
from topoloom.web.jobs import Jobs

#: Most points of a study that is drawn.
MOST_POINTS = 50_000


def curves_of_records(jobs: Jobs, digests: Sequence[str], units: LoadUnits | None = None) -> dict[str, Any]:
    """Curves of finished tasks: latency against load, and survival of failures.

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
    points: dict[str, LoadCurve] = {}
    survivals: list[Survival] = []
    for digest in digests:
        record = jobs.record(digest)
        if record is None or record.state != "done":
            continue
        if record.task.operation == "resilience":
            survivals.append(record.result_as(jobs.folder, Survival))
        elif record.task.operation == "simulate":
            curve = record.result_as(jobs.folder, LoadCurve, Execution)
            if isinstance(curve, LoadCurve):
                _join(points, record, curve)
    drawn = [load_intervals([_rising(curve) for curve in points.values()], units)] if points else []
    if survivals:
        drawn.append(survival_intervals(survivals))
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


def _join(curves: dict[str, LoadCurve], record: Record, curve: LoadCurve) -> None:
    """Add the points to the curve of the tasks that differ only in their loads."""
    others = {name: value for name, value in record.task.arguments.items() if name != "loads"}
    key = msgspec.json.encode(others, order="sorted").decode()
    earlier = curves.get(key)
    curves[key] = curve if earlier is None else replace(earlier, points=earlier.points + curve.points)


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
