"""Studies: a base task and axes, the tasks that they define, and the study file."""

import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Annotated, Any, ClassVar

import msgspec

from topoloom.core.errors import InputError, at, check_path, hint
from topoloom.core.files import read_text
from topoloom.core.settings import setting, shown
from topoloom.core.toml_files import LONGEST, TomlTable, parse_toml
from topoloom.core.toml_lines import line_of
from topoloom.core.work import Work
from topoloom.operations.field import fields_of
from topoloom.operations.operation import studied
from topoloom.studies.axes import axis_hint, axis_values
from topoloom.studies.conditions import conditions_hold
from topoloom.studies.filling import filled, names_in
from topoloom.studies.node import WorkerNode
from topoloom.studies.record import Record
from topoloom.studies.replications import Replicate, Replicated, further_seeds, replicated
from topoloom.studies.task import Task, task_of

#: Most points of a study, and values of an axis, unless [run] allows more: above it, an error in an axis is more likely.
MOST_POINTS = 1_000_000
#: Points between two reports of progress.
_REPORT_EVERY = 1000
#: Defaults: a new empty dict or list for each study.
_TABLE: Any = msgspec.field(default_factory=dict)
_LIST: Any = msgspec.field(default_factory=list)
#: Options of executors that a shell or a scheduler receives unchanged, or that name a sender of Python objects.
_CODE_OPTIONS = ("sbatch", "jobqueue", "address")
#: Variables that cannot load or start code; the others (PATH, LD_PRELOAD, PYTHONPATH ...) are too many to list.
_HARMLESS = re.compile(r"[A-Z]+_NUM_THREADS|TZ|LANG|LC_[A-Z]+")


class Running(TomlTable, frozen=True):
    """The table [run]: the executor and its options."""

    group: ClassVar[str] = "study [run]"

    executor: Annotated[str, setting("the executor: processes, threads, dask, slurm")] = "processes"
    jobs: Annotated[int, setting("tasks in parallel; one per core when omitted", least=1, most=100_000)] | None = None
    options: Annotated[dict[str, Any], setting("further options of the executor: [run.options]")] = msgspec.field(
        default_factory=dict
    )
    limit_s: Annotated[float, setting("time limit of a task; then it counts as failed", unit="s", above=0)] | None = (
        None
    )
    attempts: Annotated[
        int, setting("how often a task is started if its worker is lost, before it counts as failed", least=1, most=100)
    ] = 2
    most_points: Annotated[
        int, setting("most points of the axes, before `where` and `skip`", least=1, most=1_000_000_000)
    ] = MOST_POINTS
    node: Annotated[WorkerNode, setting("the resources of a task: [run.node]")] = WorkerNode()


class Study(TomlTable, frozen=True, kw_only=True):
    """Tasks of one operation over axes.

    A study file has the same keys; their annotations and docs/how-to/run-studies.md describe them.

    Raises
    ------
    InputError
        There is no such operation, or an axis is unused or empty.

    Examples
    --------
    >>> study = Study(
    ...     operation="hops",
    ...     task={"topology": "torus:dims={side}x{side}"},
    ...     axes={"side": [3, 4]},
    ... )
    >>> [task.arguments["topology"] for task in study.tasks()]
    ['torus:dims=3x3', 'torus:dims=4x4']
    """

    group: ClassVar[str] = "study"

    title: Annotated[str, setting("the title")] = ""
    operation: Annotated[str, setting("the operation of every task: hops, simulate, design ...")]
    task: Annotated[
        dict[str, Any], setting("arguments of all tasks; `{axis}` in a text is replaced by the axis's value")
    ] = _TABLE
    axes: Annotated[
        dict[str, Any],
        setting(
            "what is varied, each axis combined with all others: a list, a range {from, to, step} or {from, to, times}, or"
            " a table of names and values"
        ),
    ] = _TABLE
    together: Annotated[
        list[dict[str, Any]],
        setting("axes that change together, with equal numbers of values, each as under [axes]: [[together]]"),
    ] = _LIST
    where: Annotated[list[str], setting("conditions on the axes that a task must meet")] = msgspec.field(
        default_factory=list
    )
    skip: Annotated[list[dict[str, Any]], setting("combinations of values to omit: [[skip]]")] = msgspec.field(
        default_factory=list
    )
    seeds: Annotated[int, setting("run every task with the seeds 1 to this number", least=1, most=1_000_000)] | None = (
        None
    )
    replicate: (
        Annotated[
            Replicate, setting("add seeds to every point until the interval of its mean is narrow enough: [replicate]")
        ]
        | None
    ) = None
    run: Annotated[Running, setting("how the study is run: [run]")] = Running()
    base: Annotated[str, setting("the folder that relative paths start from; the file's folder when omitted")] = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        _check(self)

    @property
    def axis_names(self) -> tuple[str, ...]:
        """The names of all axes, in the order of the file, with ``seed`` last."""
        names = [*self.axes, *(name for table in self.together for name in table)]
        return (*names, "seed") if self._first_seeds is not None else tuple(names)

    @property
    def _first_seeds(self) -> int | None:
        """Seeds of every point; with `replicate`, those before others follow."""
        return self.seeds if self.replicate is None else self.replicate.least

    def points(self) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
        """The points of the study, as labels and values of all axes; the last axis changes fastest.

        With `replicate`, every point has its first seeds.
        """
        self._count()
        dimensions: list[list[dict[str, tuple[Any, Any]]]] = [
            *([{name: labelled} for labelled in axis_values(name, axis)] for name, axis in self.axes.items()),
            *(
                [
                    dict(zip(table, row, strict=True))
                    for row in zip(*(axis_values(name, axis) for name, axis in table.items()), strict=True)
                ]
                for table in self.together
            ),
            [{"seed": (seed, seed)} for seed in range(1, self._first_seeds + 1)] if self._first_seeds else [{}],
        ]
        for parts in product(*dimensions):
            merged = {name: labelled for part in parts for name, labelled in part.items()}
            labels = {name: label for name, (label, _) in merged.items()}
            if self._wanted(labels if self.replicate is None else _without_seed(labels)):
                yield labels, {name: value for name, (_, value) in merged.items()}

    def _count(self) -> int:
        """The number of points before conditions.

        Raises
        ------
        InputError
            More than `Running.most_points`.
        """
        sizes = [len(axis_values(name, axis)) for name, axis in self.axes.items()]
        sizes += [len(axis_values(*next(iter(table.items())))) for table in self.together]
        most_seeds = self.seeds if self.replicate is None else self.replicate.most
        count = math.prod(sizes) * (most_seeds or 1)
        if count > self.run.most_points:
            raise InputError(
                f"study: {count:,} points, more than {self.run.most_points:,}; shorten an axis, or set most_points in [run]"
            )
        return count

    def _wanted(self, labels: Mapping[str, Any]) -> bool:
        if any(all(labels.get(name) == value for name, value in omitted.items()) for omitted in self.skip):
            return False
        return conditions_hold(self.where, labels)

    def tasks(self, work: Work | None = None) -> list[Task]:
        """All distinct tasks, in the order of the points.

        Parameters
        ----------
        work : Work, optional
            Reports the progress.

        Raises
        ------
        InputError
            An operation does not accept a task, or there are more points than `Running.most_points`.
        Stopped
            `work` was stopped.
        """
        return list({task.digest: task for _, task in self.planned(work)}.values())

    def planned(
        self, work: Work | None = None, records: Mapping[str, Record] | None = None
    ) -> list[tuple[dict[str, Any], Task]]:
        """Every point with its task.

        Parameters
        ----------
        work : Work, optional
            Reports the progress.
        records : mapping of str to Record, optional
            The records so far, by the digest of their task: with `replicate`, they decide the further seeds of each point.

        Raises
        ------
        InputError, Stopped
            As `tasks`.
        """
        points: list[tuple[dict[str, Any], Task]] = []
        task_by_arguments: dict[bytes, Task] = {}
        work = Work() if work is None else work
        work.begin(self._count(), "points")
        reported = 0
        for labels, values in self.points():
            points.append((labels, self._task(labels, values, task_by_arguments)))
            if self.replicate is not None and labels["seed"] == self.replicate.least:
                points += self._further(
                    labels, values, points[-self.replicate.least :], records or {}, task_by_arguments
                )
            if len(points) >= reported + _REPORT_EVERY:
                reported = len(points)
                work.check()
                work.reach(reported)
        if not points:
            raise InputError("study: no task remains; loosen its conditions (where) or [[skip]]")
        return points

    def _task(self, labels: Mapping[str, Any], values: Mapping[str, Any], known: dict[bytes, Task]) -> Task:
        """The task at a point; equal arguments share one."""
        arguments = filled(self.task, values, studied(self.operation))
        key = msgspec.json.encode(arguments, order="sorted")
        if key not in known:
            try:
                known[key] = task_of(self.operation, arguments, self.base or ".")
            except InputError as error:
                at_point = ", ".join(f"{name}={shown(label)}" for name, label in labels.items())
                raise InputError(f"study: {error}" + (f" (at {at_point})" if at_point else "")) from None
        return known[key]

    def _further(
        self,
        labels: Mapping[str, Any],
        values: Mapping[str, Any],
        first: Sequence[tuple[dict[str, Any], Task]],
        records: Mapping[str, Record],
        known: dict[bytes, Task],
    ) -> list[tuple[dict[str, Any], Task]]:
        """The points with the seeds that follow the first ones, as far as the records decide them."""
        if self.replicate is None:
            return []
        points = list(first)
        while (needed := further_seeds(self.replicate, [records.get(task.digest) for _, task in points])) > len(points):
            for seed in range(len(points) + 1, needed + 1):
                at_seed = {"seed": seed}
                points.append(({**labels, **at_seed}, self._task(labels, {**values, **at_seed}, known)))
        return points[len(first) :]

    def replications(
        self, planned: Sequence[tuple[dict[str, Any], Task]], records: Mapping[str, Record]
    ) -> tuple[Replicated, ...]:
        """The replications of each point; empty without `replicate`.

        Parameters
        ----------
        planned : sequence
            The result of `planned` with these records.
        records : mapping of str to Record
        """
        if self.replicate is None:
            return ()
        groups: list[list[tuple[dict[str, Any], Task]]] = []
        for labels, task in planned:
            if labels["seed"] == 1:
                groups.append([])
            groups[-1].append((labels, task))
        return tuple(
            replicated(self.replicate, _without_seed(group[0][0]), [records.get(task.digest) for _, task in group])
            for group in groups
        )


def read_study(path: str | os.PathLike[str], *, trust: bool = False) -> Study:
    """The study in a TOML file; its paths are relative to the file's folder.

    Parameters
    ----------
    path : path
    trust : bool
        Whether the file may run code: shell lines, variables of workers, options of sbatch and of Dask's clusters. Without
        it, a file with such keys is refused, so that an unknown study can only compute.

    Returns
    -------
    Study

    Raises
    ------
    InputError
        ``file:line: reason`` for anything that cannot be read or used, and for keys that run code without `trust`.
    """
    check_path(path, "read_study", "name a file")
    source = os.fspath(path)
    text = read_text(Path(path), LONGEST)
    study = parse_toml(text, Study, source)
    running = () if trust else _code_in(study)
    if running:
        raise at(
            source,
            line_of(text, running),
            f"{'.'.join(running)} can run code in a shell, a loader or a cluster; if you trust the file, say so:"
            " `trust`",
        )
    try:
        base = Path(source).parent / study.base if study.base else Path(source).parent
        return msgspec.structs.replace(study, base=str(base.resolve()))
    except OSError as error:
        raise at(source, None, str(error)) from None


def _code_in(study: Study) -> tuple[str, ...]:
    """The first key that lets the study run code, as a path; empty where it can only compute."""
    node = study.run.node
    if node.setup:
        return ("run", "node", "setup")
    for name in node.environment:
        if not _HARMLESS.fullmatch(name):
            return ("run", "node", "environment", name)
    return next((("run", "options", name) for name in _CODE_OPTIONS if study.run.options.get(name)), ())


def _check(study: Study) -> None:
    """Raise an error for axes that are empty, repeated or unused."""
    kind = studied(study.operation)
    arguments = [field.name for field in fields_of(kind)]
    seen: set[str] = set()
    fields = _fields_of(study)
    seeded = "[replicate]" if study.replicate is not None else None if study.seeds is None else "`seeds`"
    if study.seeds is not None and study.replicate is not None:
        raise InputError("study: `seeds` and [replicate] both give the seeds of every point; keep one of them")
    for name, axis in (*study.axes.items(), *((n, a) for table in study.together for n, a in table.items())):
        if name in seen or (name == "seed" and seeded is not None):
            raise InputError(f"study: the axis '{name}' is defined twice; keep one of them")
        seen.add(name)
        if _sets(study.task, name.split(".")):
            raise InputError(f"study: [task] and the axis '{name}' both set {name}; keep one of them")
        if not axis_values(name, axis):
            raise InputError(f"study: the axis '{name}' has no values; give some, or remove the axis")
        top = name.partition(".")[0]
        if top not in arguments and name not in fields:
            raise InputError(
                f"study: the axis '{name}' is not an argument of {kind.group} ({axis_hint(name, kind.group, arguments)}),"
                f" and no text contains {{{name}}}"
            )
    for table in study.together:
        if not table:
            raise InputError("study: a [[together]] has no axes; give it some, or remove it")
        lengths = {name: len(axis_values(name, axis)) for name, axis in table.items()}
        if len(set(lengths.values())) > 1:
            lengths_text = ", ".join(f"{name} {length}" for name, length in lengths.items())
            raise InputError(f"study: axes that change together need equal numbers of values, not {lengths_text}")
    if seeded is not None and "seed" not in arguments:
        raise InputError(f"study: {kind.group} has no random draws, so seeds have no effect; remove {seeded}")
    if seeded is not None and "seed" in study.task:
        raise InputError(f"study: {seeded} and the seed of [task] both set the seed of every task; keep one of them")
    # With [replicate], the results decide which seeds there are.
    names = [name for name in study.axis_names if study.replicate is None or name != "seed"]
    for combination in study.skip:
        for name in combination:
            if name not in names:
                raise InputError(f"study: [[skip]] names '{name}', which is not an axis ({hint(name, names)})")
    missing = sorted(name for name in fields if name not in study.axis_names)
    if missing:
        raise InputError(f"study: a text contains {{{missing[0]}}}, which is not an axis; add it under [axes]")


def _without_seed(labels: Mapping[str, Any]) -> dict[str, Any]:
    return {name: label for name, label in labels.items() if name != "seed"}


def _sets(task: Mapping[str, Any], path: Sequence[str]) -> bool:
    """Whether the arguments of all tasks have a value at a path of keys."""
    inner: Any = task
    for part in path:
        if not isinstance(inner, Mapping) or part not in inner:
            return False
        inner = inner[part]
    return True


def _fields_of(study: Study) -> set[str]:
    """The names in braces in all texts of the study."""
    return set(names_in([study.task, study.axes, study.together]))
