"""The curves of the explorer: of records of the queue, and of studies in folders that are served."""

import shlex
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from topoloom.core.errors import InputError
from topoloom.failures.survival import Survival
from topoloom.report.curve_data import curve_data, load_intervals, survival_intervals
from topoloom.simulation.flits.execute import Execution
from topoloom.simulation.flits.load_curve import LoadCurve
from topoloom.studies.record import Record
from topoloom.studies.run import open_study, read_definition
from topoloom.studies.series import curves_of
from topoloom.web.jobs import Jobs

#: Points of a study that is drawn.
MOST_POINTS = 50_000


def curves_of_records(jobs: Jobs, digests: Sequence[str]) -> dict[str, Any]:
    """Curves of tasks that are done: latency against load, survival of failures.

    Parameters
    ----------
    jobs : Jobs
    digests : sequence of str
        Of tasks; those that have no record yet are omitted.

    Returns
    -------
    dict
        As `topoloom.report.curve_data.curve_data` makes it.
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
    drawn = [load_intervals([_rising(curve) for curve in points.values()])] if points else []
    if survivals:
        drawn.append(survival_intervals(survivals))
    return curve_data(drawn)


def _join(curves: dict[str, LoadCurve], record: Record, curve: LoadCurve) -> None:
    """Points that differ in nothing but their loads are one curve."""
    others = {name: value for name, value in record.task.arguments.items() if name != "loads"}
    key = msgspec.json.encode(others, order="sorted").decode()
    known = curves.get(key)
    curves[key] = curve if known is None else replace(known, points=known.points + curve.points)


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
    """Curves of a study as far as it is done, what else can be drawn of it, and how to get the same by hand.

    Parameters
    ----------
    folder : path
        Of the study.
    x, y, by, where
        As `topoloom.studies.series.curves_of` takes them.

    Returns
    -------
    dict
        Curves as `topoloom.report.curve_data.curve_data` makes them; ``title``, ``axes``, ``measures``, ``tasks``, ``done``,
        ``failed``; ``command`` and ``python``.

    Raises
    ------
    InputError
        No study lies there, nothing can be drawn, or an axis or measure is not known.
    """
    if len(list(islice(read_definition(folder).points(), MOST_POINTS + 1))) > MOST_POINTS:
        raise InputError(
            f"{folder}: the study has more than {MOST_POINTS:,} points, too many to draw while you wait;"
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
