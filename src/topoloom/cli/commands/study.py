"""`topoloom study`: many tasks over axes, run into a folder that loses nothing; how far it is, tables and pictures of it."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from topoloom.cli.output import json_option, print_facts, print_record, print_table, say
from topoloom.cli.types import Whole
from topoloom.core.errors import InputError, Stopped

if TYPE_CHECKING:
    from topoloom.studies.pictures import Kind
    from topoloom.studies.results import StudyResults
    from topoloom.studies.status import StudyStatus

#: Rows of the table and reasons that are printed; files have all.
_SHOWN, _REASONS = 20, 5


class _OrFile(click.Group):
    """A group whose first word may be a study's file, which is then run."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in ("-h", "--help"):
            args = ["run", *args]
        return super().parse_args(ctx, args)

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_usage(ctx.command_path, "STUDY.toml -o DIRECTORY [OPTIONS]")
        formatter.write_usage(ctx.command_path, "status|plot|export|merge DIRECTORY ...")


@click.group(
    cls=_OrFile,
    help="""Run a verb over axes: the tasks of STUDY.toml, into a folder that loses nothing.

    What has a record there never runs again: Ctrl-C, kill -9 and a second run go on. The file has a verb, the arguments
    that all tasks share ([task]), what is varied ([axes]), and who runs it ([run]): processes of this machine, threads,
    Dask, Slurm.
    'topoloom study run --help' lists the options.
    """,
)
def command() -> None:
    pass


@command.command("run", help="Run the tasks of STUDY.toml that have no record in the folder yet.")
@click.argument("file", metavar="STUDY.toml")
@click.option("-o", "--output", "folder", type=click.Path(file_okay=False), help="Folder of the study's records.")
@click.option("--executor", help="Who runs the tasks: processes, threads, dask, slurm; in place of the file's.")
@click.option("--jobs", type=Whole(1, 100_000), help="Tasks side by side; every core when left out.")
@click.option("--option", "options", metavar="KEY=VALUE", multiple=True, help="What else the executor is told.")
@click.option("--only", metavar="CONDITION", help="Only tasks whose axes meet it: 'load <= 0.5'.")
@click.option("--retry-failed", is_flag=True, help="Run tasks again that have failed.")
@click.option("--dry-run", is_flag=True, help="Tell how many tasks there are and, from --pilots, how long they take.")
@click.option(
    "--pilots", type=Whole(0, 1000), default=3, show_default=True, help="Tasks that --dry-run runs; 0 for none."
)
@click.option(
    "--trust", is_flag=True, help="STUDY.toml may run code: setup, environment, options of sbatch and Dask's clusters."
)
@json_option
def run_command(
    file: str,
    folder: str | None,
    executor: str | None,
    jobs: int | None,
    options: tuple[str, ...],
    only: str | None,
    retry_failed: bool,
    dry_run: bool,
    pilots: int,
    trust: bool,
    as_json: bool,
) -> None:
    from topoloom.cli.progress import working
    from topoloom.studies.executor import EXECUTORS
    from topoloom.studies.run import run_study
    from topoloom.studies.store import Store
    from topoloom.studies.study import read_study

    study = read_study(file, trust=trust)
    EXECUTORS.find(executor or study.run.executor)
    if folder is None:
        raise InputError("-o names the folder of the study's records; give it, also with --dry-run")
    given: dict[str, Any] = {"executor": executor, "jobs": jobs, "options": _options(options)}
    if dry_run:
        with working("pilots") as work:
            run_study(study, folder, only=only, most=pilots, executor="processes", jobs=1, work=work)
        _tell_status(_status(folder), as_json)
        return
    with working("study") as work:
        planned = study.planned(work)
        tasks = len({task.digest for _, task in planned})
    known = len(Store(folder, create=True).records())
    say(
        f"{tasks:,} task{'s' * (tasks != 1)} of verb {study.verb}" + (f"; {known:,} have a record" if known else ""),
        err=True,
    )
    with working("study") as work:
        found = run_study(study, folder, only=only, retry_failed=retry_failed, planned=planned, work=work, **given)
    _write(found, Path(folder))
    if as_json:
        print_record(found)
    else:
        _tell(found, folder)
    if found.ended != "done":
        raise Stopped(
            f"interrupted: {found.done + found.failed} of {found.tasks} tasks have a record; run it again to go on"
        )


@command.command("status", help="How far the study in DIRECTORY is: done, failed and why, running, and the time to go.")
@click.argument("folder", metavar="DIRECTORY")
@json_option
def status_command(folder: str, as_json: bool) -> None:
    _tell_status(_status(folder), as_json)


@command.command("plot", help="Draw the study in DIRECTORY: a measure over an axis, a map over two, or who wins where.")
@click.argument("folder", metavar="DIRECTORY")
@click.option(
    "--kind", type=click.Choice(["lines", "heat", "winners"]), default="lines", show_default=True, help="What is drawn."
)
@click.option("--x", help="The axis to the right; the first whose values are numbers when left out.")
@click.option("--y", help="The measure upwards; of a map the other axis.")
@click.option("--by", multiple=True, help="A curve for each value of this axis; may be repeated.")
@click.option("--each", help="A panel for each value of this axis.")
@click.option("--value", help="The measure of a map, or of winners.")
@click.option("--of", help="The axis whose values compete for winning.")
@click.option("--most", is_flag=True, help="The most wins, not the least.")
@click.option("--where", metavar="CONDITION", help="Only points whose axes meet it: 'load <= 0.5'.")
@click.option("--log", default="", help="Axes in decades: x, y or xy.")
@click.option("-o", "--output", help=".svg or .png; of winners .csv, or none to print them.")
@json_option
def plot_command(
    folder: str,
    kind: "Kind",
    x: str | None,
    y: str | None,
    by: tuple[str, ...],
    each: str | None,
    value: str | None,
    of: str | None,
    most: bool,
    where: str | None,
    log: str,
    output: str | None,
    as_json: bool,
) -> None:
    from topoloom.studies.pictures import draw_study
    from topoloom.studies.series import winners_of

    results = _results(folder)
    if kind == "winners" and output is None:
        if of is None:
            raise InputError("--kind winners: say whose values compete, as in --of topology")
        rows = winners_of(results, of, value or y, most=most, where=where)
        if as_json:
            print_record({"winners": rows})
            return
        names = list(dict.fromkeys(name for row in rows for name in row))
        print_table([tuple(names), *(tuple(_short(row.get(name)) for name in names) for row in rows)])
        return
    if output is None:
        raise InputError("-o names the picture's file, which ends in .svg or .png")
    draw_study(
        results,
        output,
        kind=kind,
        x=x,
        y=y,
        by=by or None,
        each=each,
        value=value,
        of=of,
        most=most,
        where=where,
        log=log,
    )
    say(f"wrote {output}", err=True)


@command.command(
    "export", help="Write the table of the study in DIRECTORY: .csv, .parquet, or .nc for arrays over the axes."
)
@click.argument("folder", metavar="DIRECTORY")
@click.option("-o", "--output", required=True, help="The file; its name says which.")
def export_command(folder: str, output: str) -> None:
    from topoloom.studies.export import export_study

    export_study(_results(folder), output)
    say(f"wrote {output}", err=True)


@command.command("merge", help="Take the records of the studies in OTHER folders into DIRECTORY.")
@click.argument("folder", metavar="DIRECTORY")
@click.argument("others", metavar="OTHER...", nargs=-1, required=True)
@json_option
def merge_command(folder: str, others: tuple[str, ...], as_json: bool) -> None:
    from topoloom.studies.store import Store

    sources = [Store(other) for other in others]
    taken = Store(folder, create=True).merge(sources)
    if as_json:
        print_record({"taken": taken, "records": len(Store(folder).records())})
    else:
        say(f"{taken:,} record{'s' * (taken != 1)} taken; {folder} has {len(Store(folder).records()):,}")


def _options(texts: tuple[str, ...]) -> dict[str, Any]:
    """``KEY=VALUE`` as a table: numbers, yes and no, texts."""
    found: dict[str, Any] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise InputError(f"--option '{text[:60]}': write KEY=VALUE, as in workers=4")
        found[key.strip()] = _value(value.strip())
    return found


def _value(text: str) -> Any:
    if text in ("yes", "no", "true", "false"):
        return text in ("yes", "true")
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def _results(folder: str) -> "StudyResults":
    from topoloom.studies.run import open_study

    return open_study(folder)


def _status(folder: str) -> "StudyStatus":
    from topoloom.studies.run import read_definition
    from topoloom.studies.status import study_status
    from topoloom.studies.store import Store

    return study_status(read_definition(folder), Store(folder))


def _tell_status(found: "StudyStatus", as_json: bool) -> None:
    from topoloom.core.work import time_words

    if as_json:
        print_record(found)
        return
    rows = [("tasks", f"{found.tasks:,}: {found.done:,} done, {found.failed:,} failed, {found.to_go:,} to go")]
    if found.seconds_done:
        rows.append(("taken", f"{found.seconds_done / 3600:.3g} CPU hours"))
    if found.to_go and found.seconds_to_go is not None:
        wall = time_words(found.seconds_to_go / found.cores)
        rows.append(
            (
                "to go",
                f"about {found.seconds_to_go / 3600:.3g} CPU hours, {wall} on {found.cores} cores, as the"
                f" {found.tasks_known:,} that are done tell",
            )
        )
    if found.running is not None:
        now = found.running
        left = "" if now.seconds_left is None else f", about {time_words(now.seconds_left)} to go"
        rows.append(("running", f"{now.executor} on {now.host}: {now.finished:,} of {now.tasks:,} tasks{left}"))
    if len(found.versions) > 1:
        rows.append(("versions", ", ".join(f"{count:,} of {version}" for version, count in found.versions.items())))
    print_facts(found.title or found.verb, rows)
    for reason, count in list(found.reasons.items())[:_REASONS]:
        say(f"failed {count:,}: {reason}")


def _write(found: "StudyResults", folder: Path) -> None:
    """What the folder has for people, beside the records."""
    from topoloom.report.study_page import write_study

    write_study(found, folder)


def _tell(found: "StudyResults", folder: str) -> None:
    names = [*found.axes, *_telling(found)]
    rows = found.rows()
    print_table([tuple(names), *(tuple(_short(row.get(name)) for name in names) for row in rows[:_SHOWN])])
    if len(rows) > _SHOWN:
        say(f"... {len(rows) - _SHOWN:,} rows more in {folder}/study.csv")
    for failure in found.failures[:_REASONS]:
        where = ", ".join(f"{name}={failure[name]}" for name in found.axes)
        say(f"failed: {where}: {failure['error']}")
    if found.failed > _REASONS:
        say(f"... {found.failed - _REASONS:,} more failed; 'topoloom study status {folder}' counts the reasons")
    say(
        f"{found.done:,} of {found.tasks:,} tasks done, {found.failed:,} failed; {found.seconds:,.1f} s of computing: {folder}"
    )


def _telling(found: "StudyResults") -> list[str]:
    """The measures that a row on the screen has room for: numbers that differ, the first six."""
    columns = {name: found.column(name) for name in found.measures}
    numbers = [name for name, values in columns.items() if all(isinstance(one, (int, float)) for one in values)]
    differ = [name for name in numbers if len(set(columns[name])) > 1]
    return (differ or numbers or list(found.measures))[:6]


def _short(value: Any) -> str:
    return "" if value is None else f"{value:.5g}" if isinstance(value, float) else str(value)
