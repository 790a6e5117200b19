"""`topoloom study`: many tasks over axes, run into a folder that loses nothing; how far it is, tables and pictures of it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import msgspec

from topoloom.cli.declared import DeclaredGroup, declared
from topoloom.cli.output import print_facts, print_record, print_table, say
from topoloom.cli.presentation import Json
from topoloom.core.errors import InputError, Stopped
from topoloom.core.settings import Settings, setting
from topoloom.operations.shared import Executor, TaskJobs

if TYPE_CHECKING:
    from topoloom.studies.results import StudyResults
    from topoloom.studies.status import StudyStatus

#: Rows of the table and reasons that are printed; files have all.
_SHOWN, _REASONS = 20, 5

StudyFolder = Annotated[str, setting("the folder of a study", positional=True, metavar="DIRECTORY")]


class StudyCommands(Settings, frozen=True, kw_only=True):
    """Run an operation over axes: the tasks of STUDY.toml, into a folder that loses nothing.

    What has a record there never runs again: Ctrl-C, kill -9 and a second run go on. The file names an operation, the arguments
    that all tasks share ([task]), what is varied ([axes]), and who runs it ([run]): processes of this machine, threads,
    Dask, Slurm. `topoloom study run --help` lists the options.
    """

    group: ClassVar[str] = "study"


class RunStudy(Settings, frozen=True, kw_only=True):
    """Run the tasks of STUDY.toml that have no record in the folder yet."""

    group: ClassVar[str] = "study run"

    file: Annotated[str, setting("the study's file", positional=True, metavar="STUDY.toml")]
    output: (
        Annotated[str, setting("folder of the study's records", option="-o --output", metavar="DIRECTORY")] | None
    ) = None
    executor: Executor | None = None
    jobs: TaskJobs | None = None
    options: Annotated[
        dict[str, Any], setting("an option of the executor: workers=4; may be repeated", option="--option")
    ] = msgspec.field(default_factory=dict)
    only: Annotated[str, setting("only tasks whose axes meet it: 'load <= 0.5'", metavar="CONDITION")] | None = None
    retry_failed: Annotated[bool, setting("run tasks again that have failed")] = False
    dry_run: Annotated[bool, setting("say how many tasks there are and, from pilots, how long they take")] = False
    pilots: Annotated[int, setting("tasks that a dry run runs; 0 for none", least=0, most=1000)] = 3
    trust: Annotated[
        bool, setting("the file may run code: setup, environment, options of sbatch and of Dask's clusters")
    ] = False


@declared(RunStudy, Json)
def run_command(asked: RunStudy, to: Json) -> None:
    from topoloom.cli.progress import working
    from topoloom.studies.executor import EXECUTORS
    from topoloom.studies.run import run_study
    from topoloom.studies.store import Store
    from topoloom.studies.study import read_study

    study = read_study(asked.file, trust=asked.trust)
    EXECUTORS.find(asked.executor or study.run.executor)
    folder = asked.output
    if folder is None:
        raise InputError("-o names the folder of the study's records; give it, also with --dry-run")
    if asked.dry_run:
        with working("pilots") as work:
            run_study(study, folder, only=asked.only, most=asked.pilots, executor="processes", jobs=1, work=work)
        _print_status(_status(folder), to.json)
        return
    with working("study") as work:
        planned = study.planned(work)
        tasks = len({task.digest for _, task in planned})
    known = len(Store(folder, create=True).records())
    say(
        f"{tasks:,} task{'s' * (tasks != 1)} of {study.operation}" + (f"; {known:,} have a record" if known else ""),
        err=True,
    )
    with working("study") as work:
        results = run_study(
            study,
            folder,
            executor=asked.executor,
            jobs=asked.jobs,
            options=asked.options,
            only=asked.only,
            retry_failed=asked.retry_failed,
            planned=planned,
            work=work,
        )
    _write(results, Path(folder))
    if to.json:
        print_record(results)
    else:
        _print_results(results, folder)
    if results.ended != "done":
        raise Stopped(
            f"interrupted: {results.done + results.failed} of {results.tasks} tasks have a record; run it again to go on"
        )


class ShowStatus(Settings, frozen=True, kw_only=True):
    """How far the study in DIRECTORY is: done, failed and why, running, and the time to go."""

    group: ClassVar[str] = "study status"

    folder: StudyFolder


@declared(ShowStatus, Json)
def status_command(asked: ShowStatus, to: Json) -> None:
    _print_status(_status(asked.folder), to.json)


class PlotStudy(Settings, frozen=True, kw_only=True):
    """Draw the study in DIRECTORY: a measure over an axis, a map over two, or who wins where."""

    group: ClassVar[str] = "study plot"

    folder: StudyFolder
    kind: Annotated[Literal["lines", "heat", "winners"], setting("what is drawn")] = "lines"
    x: Annotated[str, setting("the axis to the right; the first whose values are numbers if omitted")] | None = None
    y: Annotated[str, setting("the measure upwards; of a map the other axis")] | None = None
    by: Annotated[tuple[str, ...], setting("a curve for each value of this axis; may be repeated")] = ()
    each: Annotated[str, setting("a panel for each value of this axis")] | None = None
    value: Annotated[str, setting("the measure of a map, or of winners")] | None = None
    of: Annotated[str, setting("the axis whose values compete for winning")] | None = None
    most: Annotated[bool, setting("the most wins, not the least")] = False
    where: Annotated[str, setting("only points whose axes meet it: 'load <= 0.5'", metavar="CONDITION")] | None = None
    log: Annotated[str, setting("axes in decades: x, y or xy")] = ""
    output: (
        Annotated[str, setting(".svg or .png; of winners .csv, or none to print them", option="-o --output")] | None
    ) = None


@declared(PlotStudy, Json)
def plot_command(asked: PlotStudy, to: Json) -> None:
    from topoloom.studies.pictures import draw_study
    from topoloom.studies.series import winners_of

    results = _results(asked.folder)
    if asked.kind == "winners" and asked.output is None:
        if asked.of is None:
            raise InputError("--kind winners: say whose values compete, as in --of topology")
        rows = winners_of(results, asked.of, asked.value or asked.y, most=asked.most, where=asked.where)
        if to.json:
            print_record({"winners": rows})
            return
        names = list(dict.fromkeys(name for row in rows for name in row))
        print_table([tuple(names), *(tuple(_short(row.get(name)) for name in names) for row in rows)])
        return
    if asked.output is None:
        raise InputError("-o names the picture's file, which ends in .svg or .png")
    draw_study(
        results,
        asked.output,
        kind=asked.kind,
        x=asked.x,
        y=asked.y,
        by=asked.by or None,
        each=asked.each,
        value=asked.value,
        of=asked.of,
        most=asked.most,
        where=asked.where,
        log=asked.log,
    )
    say(f"wrote {asked.output}", err=True)


class ExportStudy(Settings, frozen=True, kw_only=True):
    """Write the table of the study in DIRECTORY: .csv, .parquet, or .nc for arrays over the axes."""

    group: ClassVar[str] = "study export"

    folder: StudyFolder
    output: Annotated[str, setting("the file; its suffix says the format", option="-o --output")]


@declared(ExportStudy)
def export_command(asked: ExportStudy) -> None:
    from topoloom.studies.export import export_study

    export_study(_results(asked.folder), asked.output)
    say(f"wrote {asked.output}", err=True)


class MergeStudies(Settings, frozen=True, kw_only=True):
    """Take the records of the studies in OTHER folders into DIRECTORY."""

    group: ClassVar[str] = "study merge"

    folder: StudyFolder
    others: Annotated[tuple[str, ...], setting("folders of studies", positional=True, metavar="OTHER...")]


@declared(MergeStudies, Json)
def merge_command(asked: MergeStudies, to: Json) -> None:
    from topoloom.studies.store import Store

    sources = [Store(other) for other in asked.others]
    taken = Store(asked.folder, create=True).merge(sources)
    records = len(Store(asked.folder).records())
    if to.json:
        print_record({"taken": taken, "records": records})
    else:
        say(f"{taken:,} record{'s' * (taken != 1)} taken; {asked.folder} has {records:,}")


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
        rows.append(("taken", f"{status.seconds_done / 3600:.3g} CPU hours"))
    if status.to_go and status.seconds_to_go is not None:
        wall = time_words(status.seconds_to_go / status.cores)
        rows.append(
            (
                "to go",
                f"about {status.seconds_to_go / 3600:.3g} CPU hours, {wall} on {status.cores} cores, by the"
                f" {status.tasks_known:,} that are done",
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
    """What the folder has for people, besides the records."""
    from topoloom.report.study_page import write_study

    write_study(results, folder)


def _print_results(results: "StudyResults", folder: str) -> None:
    names = [*results.axes, *_measures(results)]
    rows = results.rows()
    print_table([tuple(names), *(tuple(_short(row.get(name)) for name in names) for row in rows[:_SHOWN])])
    if len(rows) > _SHOWN:
        say(f"... {len(rows) - _SHOWN:,} rows more in {folder}/study.csv")
    for failure in results.failures[:_REASONS]:
        where = ", ".join(f"{name}={failure[name]}" for name in results.axes)
        say(f"failed: {where}: {failure['error']}")
    if results.failed > _REASONS:
        say(f"... {results.failed - _REASONS:,} more failed; 'topoloom study status {folder}' counts the reasons")
    taken = f"{results.seconds:,.1f} s of computing: {folder}"
    say(f"{results.done:,} of {results.tasks:,} tasks done, {results.failed:,} failed; {taken}")


def _measures(results: "StudyResults") -> list[str]:
    """The measures that a row on the screen has room for: numbers that differ, the first six."""
    columns = {name: results.column(name) for name in results.measures}
    numbers = [name for name, values in columns.items() if all(isinstance(one, (int, float)) for one in values)]
    differ = [name for name in numbers if len(set(columns[name])) > 1]
    return (differ or numbers or list(results.measures))[:6]


def _short(value: Any) -> str:
    return "" if value is None else f"{value:.5g}" if isinstance(value, float) else str(value)
