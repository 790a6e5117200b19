"""`topoloom study`: run many tasks over axes into a folder of records; its status, tables and pictures."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import msgspec

from topoloom.cli.declared import DeclaredGroup, declared
from topoloom.cli.output import print_facts, print_record, print_table, say
from topoloom.cli.presentation import FigureOptions, Json
from topoloom.core.amounts import amount
from topoloom.core.errors import InputError, Stopped
from topoloom.core.settings import Settings, setting
from topoloom.operations.shared import Executor, ExecutorOptions, TaskJobs
from topoloom.studies.picture_settings import PictureSettings

if TYPE_CHECKING:
    from topoloom.studies.results import StudyResults
    from topoloom.studies.status import StudyStatus

#: Most rows of the table, and most reasons of failures, that are printed; the files have all.
_SHOWN, _REASONS = 20, 5

StudyFolder = Annotated[str, setting("the folder of a study", positional=True, metavar="DIRECTORY")]


class StudyCommands(Settings, frozen=True, kw_only=True):
    """Run an operation over axes: the tasks of STUDY.toml, with one record per task in a folder.

    A task with a record never runs again: after Ctrl-C or kill -9, run the same command again and it continues. The file names
    an operation, the arguments that all tasks share ([task]), the arguments that vary ([axes]), and the executor ([run]):
    processes of this machine, threads, Dask or Slurm. `topoloom study run --help` lists the options.
    """

    group: ClassVar[str] = "study"


class RunStudy(Settings, frozen=True, kw_only=True):
    """Run the tasks of STUDY.toml that have no record in the folder."""

    group: ClassVar[str] = "study run"

    file: Annotated[str, setting("the study's file", positional=True, metavar="STUDY.toml")]
    output: (
        Annotated[str, setting("folder of the study's records", option="-o --output", metavar="DIRECTORY")] | None
    ) = None
    executor: Executor | None = None
    jobs: TaskJobs | None = None
    options: ExecutorOptions = msgspec.field(default_factory=dict)
    only: Annotated[
        tuple[str, ...],
        setting("only tasks whose axes meet this: 'load <= 0.5'; repeated, all must hold", metavar="CONDITION"),
    ] = ()
    retry_failed: Annotated[bool, setting("run failed tasks again")] = False
    dry_run: Annotated[bool, setting("print the number of tasks and, from pilot tasks, their estimated time")] = False
    pilots: Annotated[int, setting("pilot tasks that a dry run runs; 0 for none", least=0, most=1000)] = 3
    trust: Annotated[
        bool, setting("let the file run code: setup, environment, options of sbatch and of Dask's clusters")
    ] = False


@declared(RunStudy, Json)
def run_command(settings: RunStudy, to: Json) -> None:
    from topoloom.cli.progress import working
    from topoloom.studies.executor import EXECUTORS
    from topoloom.studies.replications import replications_in_words
    from topoloom.studies.run import run_study, tasks_of
    from topoloom.studies.store import Store
    from topoloom.studies.study import read_study

    study = read_study(settings.file, trust=settings.trust)
    EXECUTORS.find(settings.executor or study.run.executor)
    folder = settings.output
    if folder is None:
        raise InputError("-o is missing: it names the folder of the study's records, also with --dry-run")
    if settings.dry_run:
        with working("pilots") as work:
            run_study(study, folder, only=settings.only, most=settings.pilots, executor="processes", jobs=1, work=work)
        _print_status(_status(folder), to.json)
        return
    with working("study") as work:
        planned = study.planned(work)
    tasks = tasks_of(planned, settings.only)
    records = Store(folder, create=True).records()
    if study.replicate is not None:
        tasks = tasks_of(study.planned(records=records), settings.only)
    recorded = len(tasks.keys() & records.keys())
    say(
        f"{len(tasks):,} task{'s' * (len(tasks) != 1)} of {study.operation}"
        + (f"; {recorded:,} have a record" if recorded else ""),
        err=True,
    )
    with working("study") as work:
        results = run_study(
            study,
            folder,
            executor=settings.executor,
            jobs=settings.jobs,
            options=settings.options,
            only=settings.only,
            retry_failed=settings.retry_failed,
            planned=planned,
            work=work,
        )
    _write(results, Path(folder))
    shown = _meeting(results, settings.only)
    if to.json:
        print_record(results)
    else:
        _print_results(shown, folder)
        if study.replicate is not None:
            for line in replications_in_words(study.replicate, shown.replications, _REASONS):
                say(line)
    if results.ended != "done":
        raise Stopped(
            f"interrupted: {results.done + results.failed} of {results.tasks} tasks have a record; run it again to go on"
        )
    if shown.failures and not shown.table:
        raise InputError(f"every task failed, the first because: {shown.failures[0]['error']}")


class ShowStatus(Settings, frozen=True, kw_only=True):
    """Show the status of the study in DIRECTORY: tasks done, failed and why, running, and the remaining time."""

    group: ClassVar[str] = "study status"

    folder: StudyFolder


@declared(ShowStatus, Json)
def status_command(settings: ShowStatus, to: Json) -> None:
    _print_status(_status(settings.folder), to.json)


class PlotStudy(PictureSettings, frozen=True, kw_only=True):
    """Draw the study in DIRECTORY: a measure over an axis, a map over two axes, or the winner at each point.

    A file FIGURES.toml in place of DIRECTORY draws all its [[figure]] tables: file, study, and these options by name.
    """

    group: ClassVar[str] = "study plot"

    folder: StudyFolder
    output: (
        Annotated[
            str,
            setting("a .svg, .png, .pdf or .pgf file; for winners .csv, or none to print them", option="-o --output"),
        ]
        | None
    ) = None


@declared(PlotStudy, Json, FigureOptions)
def plot_command(settings: PlotStudy, to: Json, look: FigureOptions) -> None:
    from topoloom.studies.pictures import draw_study
    from topoloom.studies.winners import winners_of

    if settings.folder.endswith(".toml") and not Path(settings.folder).is_dir():
        _plot_file(settings, look)
        return
    results = _results(settings.folder)
    if settings.kind == "winners":
        look.refuse_changed(("style", "width", "outlines"), "winners are a table")
    if settings.kind == "winners" and settings.output is None:
        if settings.of is None:
            raise InputError("--kind winners: name the axis whose values compete, as in --of topology")
        rows = winners_of(results, settings.of, settings.value or settings.y, most=settings.most, where=settings.where)
        if to.json:
            print_record({"winners": rows})
            return
        _print_rows(rows)
        return
    if settings.output is None:
        raise InputError("-o is missing: name the picture's file, which ends in .svg, .png, .pdf or .pgf")
    draw_study(
        results, settings.output, **settings.arguments, style=look.style, width=look.width, outlines=look.outlines
    )
    say(f"wrote {settings.output}", err=True)


def _plot_file(settings: PlotStudy, look: FigureOptions) -> None:
    """Draw the figures of a file."""
    from topoloom.studies.figure_file import draw_figures

    reason = "the file of figures says it"
    settings.refuse_changed([name for name in PlotStudy.__struct_fields__ if name != "folder"], reason)
    look.refuse_changed(FigureOptions.__struct_fields__, reason)
    for path in draw_figures(settings.folder):
        say(f"wrote {path}", err=True)


class ExportStudy(Settings, frozen=True, kw_only=True):
    """Write the table of the study in DIRECTORY: .csv, .parquet, or .nc for arrays over the axes.

    With --of AXIS: the paired differences between its values over common seeds, with intervals and corrected p-values.
    """

    group: ClassVar[str] = "study export"

    folder: StudyFolder
    output: (
        Annotated[str, setting("the file; its suffix gives the format; printed if omitted", option="-o --output")]
        | None
    ) = None
    of: Annotated[str, setting("the axis whose values are compared in pairs")] | None = None
    value: Annotated[str, setting("the measure of the differences; the usual one if omitted")] | None = None
    where: Annotated[
        tuple[str, ...],
        setting("only differences at points whose axes meet this; repeated, all must hold", metavar="CONDITION"),
    ] = ()


@declared(ExportStudy, Json)
def export_command(settings: ExportStudy, to: Json) -> None:
    from topoloom.studies.export import export_study

    results = _results(settings.folder)
    if settings.of is None:
        settings.refuse_changed(("value", "where"), "it belongs to differences, whose axis `of` names")
        chosen: Any = results
    else:
        chosen = results.differences(settings.of, settings.value, where=settings.where)
    if settings.output is not None:
        export_study(chosen, settings.output)
        say(f"wrote {settings.output}", err=True)
    if to.json:
        print_record(chosen)
    elif settings.output is None and settings.of is None:
        raise InputError("-o is missing: name the table's file, which ends in .csv, .parquet or .nc")
    elif settings.output is None:
        _print_rows(chosen.rows())


class MergeStudies(Settings, frozen=True, kw_only=True):
    """Copy the records of the studies in OTHER folders into DIRECTORY."""

    group: ClassVar[str] = "study merge"

    folder: StudyFolder
    others: Annotated[tuple[str, ...], setting("folders of studies", positional=True, metavar="OTHER...")]


@declared(MergeStudies, Json)
def merge_command(settings: MergeStudies, to: Json) -> None:
    from topoloom.studies.store import Store

    sources = [Store(other) for other in settings.others]
    taken = Store(settings.folder, create=True).merge(sources)
    records = len(Store(settings.folder).records())
    if to.json:
        print_record({"taken": taken, "records": records})
    else:
        say(f"{taken:,} record{'s' * (taken != 1)} copied; {settings.folder} has {records:,}")


command = DeclaredGroup(
    StudyCommands,
    (run_command, status_command, plot_command, export_command, merge_command),
    default="run",
    usages=("STUDY.toml -o DIRECTORY [OPTIONS]", "status|plot|export|merge DIRECTORY ..."),
)


def _results(folder: str) -> "StudyResults":
    from topoloom.studies.run import open_study

    return open_study(folder)


def _status(folder: str) -> "StudyStatus":
    from topoloom.studies.run import read_definition
    from topoloom.studies.status import study_status
    from topoloom.studies.store import Store

    return study_status(read_definition(folder), Store(folder))


def _print_status(status: "StudyStatus", as_json: bool) -> None:
    from topoloom.core.work import time_words

    if as_json:
        print_record(status)
        return
    rows = [("tasks", f"{status.tasks:,}: {status.done:,} done, {status.failed:,} failed, {status.to_go:,} to go")]
    if status.seconds_done:
        rows.append(("used", f"{amount(status.seconds_done / 3600, 3)} CPU hours"))
    if status.to_go and status.seconds_to_go is not None:
        wall = time_words(status.seconds_to_go / status.cores)
        rows.append(
            (
                "to go",
                f"about {amount(status.seconds_to_go / 3600, 3)} CPU hours, {wall} on {status.cores} cores, estimated"
                f" from {status.tasks_known:,} finished tasks",
            )
        )
    if status.running is not None:
        now = status.running
        left = "" if now.seconds_left is None else f", about {time_words(now.seconds_left)} to go"
        rows.append(("running", f"{now.executor} on {now.host}: {now.finished:,} of {now.tasks:,} tasks{left}"))
    if len(status.versions) > 1:
        rows.append(("versions", ", ".join(f"{count:,} of {version}" for version, count in status.versions.items())))
    print_facts(status.title or status.operation, rows)
    for reason, count in list(status.reasons.items())[:_REASONS]:
        say(f"failed {count:,}: {reason}")


def _write(results: "StudyResults", folder: Path) -> None:
    """Write the folder's page, table and pictures, next to the records."""
    from topoloom.report.study_page import write_study

    write_study(results, folder)


def _meeting(results: "StudyResults", only: tuple[str, ...]) -> "StudyResults":
    """The results with only the rows of the points that meet a condition."""
    from topoloom.studies.conditions import conditions_hold

    if not only:
        return results
    table, failures = (
        tuple(row for row in rows if conditions_hold(only, {name: row[name] for name in results.axes}))
        for rows in (results.table, results.failures)
    )
    replications = results.replications
    if replications:
        met = {tuple(row[name] for name in results.axes if name != "seed") for row in (*table, *failures)}
        replications = tuple(each for each in replications if tuple(each.axes.values()) in met)
    return replace(results, table=table, failures=failures, replications=replications)


def _print_rows(rows: list[dict[str, Any]]) -> None:
    names = list(dict.fromkeys(name for row in rows for name in row))
    print_table([tuple(names), *(tuple(_short(row.get(name)) for name in names) for row in rows)])


def _print_results(results: "StudyResults", folder: str) -> None:
    names = [*results.axes, *_measures(results)]
    rows = results.rows()
    print_table([tuple(names), *(tuple(_short(row.get(name)) for name in names) for row in rows[:_SHOWN])])
    if len(rows) > _SHOWN:
        say(f"... {len(rows) - _SHOWN:,} more rows in {folder}/study.csv")
    for failure in results.failures[:_REASONS]:
        where = ", ".join(f"{name}={failure[name]}" for name in results.axes)
        say(f"failed: {where}{': ' if where else ''}{failure['error']}")
    if results.failed > _REASONS:
        say(f"... {results.failed - _REASONS:,} more failed; 'topoloom study status {folder}' counts the reasons")
    taken = f"{results.seconds:,.1f} s of computing: {folder}"
    say(f"{results.done:,} of {results.tasks:,} tasks done, {results.failed:,} failed; {taken}")


def _measures(results: "StudyResults") -> list[str]:
    """The measures in a row on the screen: the first six numbers that differ between tasks."""
    columns = {name: results.column(name) for name in results.measures}
    numbers = [name for name, values in columns.items() if all(isinstance(value, (int, float)) for value in values)]
    differ = [name for name in numbers if len(set(columns[name])) > 1]
    return (differ or numbers or list(results.measures))[:6]


def _short(value: Any) -> str:
    return "" if value is None else amount(value, 5) if isinstance(value, float) else str(value)
