"""`topoloom app TOPOLOGY...`: MPI programs on routed networks, simulated by SimGrid, as flows, or flit by flit."""

import math
from typing import TYPE_CHECKING, Annotated, ClassVar

import click

from topoloom.cli.declared import declared, running
from topoloom.cli.output import print_facts, print_record, print_table, say
from topoloom.cli.presentation import Json, PlotOptions, StudyOptions
from topoloom.core.amounts import amount
from topoloom.core.errors import InputError, Stopped
from topoloom.core.settings import Settings, setting
from topoloom.operations.catalogue.app import AppOperation, applications_run, names_of

if TYPE_CHECKING:
    from topoloom.core.work import Work
    from topoloom.simulation.applications.app_run import AppRun
    from topoloom.simulation.applications.app_runs import AppRuns
    from topoloom.simulation.applications.program import Program
    from topoloom.simulation.applications.registry import Application
    from topoloom.simulation.applications.settings import AppSettings

_EXAMPLES = (
    "topoloom app torus:dims=8x8,hosts=1 --app cg:class=S --ranks 64",
    "topoloom app fat-tree:k=8 slimfly:q=5,hosts=3 --app alltoall:bytes=65536 --ranks 128 --placement random*5 -o out",
    "topoloom app slimfly:q=5,hosts=3 --app training:model=gpt3-175b,tp=2,pp=8 --ranks 64 --simulator flows",
    "topoloom app torus:dims=4x4,hosts=1 --app goal:file=trace.bin --simulator flows",
    "topoloom app torus:dims=8x8,hosts=1 --mpi NPB3.3-MPI --make 'cg CLASS=A NPROCS=64' --ranks 64 --time-limit 600",
)


class _Own(Settings, frozen=True, kw_only=True):
    """The user's own programs, which run on this machine; only the command line has these options."""

    group: ClassVar[str] = "program"

    mpi: Annotated[
        tuple[str, ...],
        setting(
            "your own program, which is compiled and run: a .c, .f or .f90 file, or a folder of them; may be repeated",
            metavar="PATH",
        ),
    ] = ()
    make: (
        Annotated[
            str,
            setting(
                "build with the Makefile in the folder of --mpi, in a copy: the arguments of make, as in 'cg CLASS=A NPROCS=64'"
            ),
        ]
        | None
    ) = None
    args: Annotated[str, setting("the arguments of your program")] = ""
    trace: Annotated[
        tuple[str, ...],
        setting(
            "your own traces: a folder with an index, as SimGrid's -trace-ti writes; may be repeated", metavar="PATH"
        ),
    ] = ()

    def programs(self, time_limit_s: float, work: "Work") -> "list[Program]":
        """The compiled programs and the traces."""
        from topoloom.simulation.applications.users_programs import argument_words, program_from, trace_from

        if len(self.mpi) != 1 and (self.make is not None or self.args):
            option = "--make" if self.make is not None else "--args"
            raise InputError(f"{option} is for one program of your own; give it with one --mpi")
        words = argument_words(self.args, "--args")
        built = (program_from(path, words, self.make, time_limit_s=time_limit_s, work=work) for path in self.mpi)
        return [*built, *(trace_from(path) for path in self.trace)]


class _Output(Json, frozen=True, kw_only=True):
    baseline: Annotated[str, setting("the topology that the others are compared with; the first if omitted")] | None = (
        None
    )
    routing_seeds: Annotated[
        int, setting("tables of this many seeds, from the seed of the tables on", least=1, most=1000)
    ] = 1
    goal: (
        Annotated[
            str,
            setting(
                "write the program as a GOAL schedule for LogGOPSim and ATLAHS to this file (.bin: binary), and run nothing",
                metavar="FILE",
            ),
        ]
        | None
    ) = None
    output: (
        Annotated[
            str,
            setting(
                "folder for runs.csv, ranks.csv, links.csv, app.html and bars.svg",
                option="-o --output",
                metavar="DIRECTORY",
            ),
        ]
        | None
    ) = None


def _sections(formatter: click.HelpFormatter) -> None:
    """Examples, the applications with their parameters, the simulators, the presets and the settings."""
    from topoloom.core.settings import described
    from topoloom.simulation.applications.backends import SIMULATORS
    from topoloom.simulation.applications.registry import APPLICATIONS
    from topoloom.simulation.applications.settings import PRESETS, AppSettings

    with formatter.section("Examples"):
        for line in _EXAMPLES:
            formatter.write(f"  {line}\n")
    with formatter.section("Applications"):
        formatter.write_dl([(_usage(application), application.description) for application in APPLICATIONS.values()])
    with formatter.section("Simulators"):
        formatter.write_dl(list(SIMULATORS.items()))
    with formatter.section("Presets"):
        formatter.write_text(", ".join(PRESETS))
    with formatter.section("Settings"):
        formatter.write_dl(
            [
                (
                    f"{field.name}={field.default or 'none'}",
                    f"{field.description}{f' [{field.unit}]' if field.unit else ''}",
                )
                for field in described(AppSettings)
            ]
        )


def _usage(application: "Application") -> str:
    keys = ",".join(f"{key}=" for key in application.parameters)
    return f"{application.name}:{keys}" if keys else application.name


@declared(
    AppOperation,
    _Own,
    StudyOptions,
    _Output,
    PlotOptions,
    several=(("topology", "engine"), "app", "placement"),
    sections=_sections,
)
def command(
    operations: list[AppOperation], own: _Own, study_options: StudyOptions, to: _Output, look: PlotOptions
) -> None:
    from topoloom.core.folders import check_folder
    from topoloom.report.app_page import write_apps

    look.check()
    first, names = operations[0], names_of(operations)
    if first.app is None and not (own.mpi or own.trace):
        raise InputError(
            "no program is named; give --app NAME (topoloom app --help lists them), --mpi FILE or --trace FOLDER"
        )
    if to.baseline is not None and to.baseline not in names:
        raise InputError(
            f"--baseline {to.baseline} is not one of the topologies; name one of them ({', '.join(names)})"
        )
    if to.goal is not None:
        for group, options in ((study_options, ("study",)), (to, ("output", "json")), (look, ("plot",))):
            group.refuse_changed(options, "a schedule is written, and nothing is run (--goal)")
        _write_goal(to.goal, operations, own)
        return
    if study_options.study is not None:
        own.refuse_changed(("mpi", "make", "args", "trace"), "a study runs applications by their names (--app)")
        to.refuse_changed(("output",), "the study's folder has its records and its page")
        _run_as_study(operations, study_options.study, study_options.jobs, to, look)
        return
    if to.output is not None:
        check_folder(to.output)
    with running(first.doing, study_options.jobs) as context:
        cases, runs = applications_run(
            operations,
            context,
            lambda: own.programs(first.time_limit, context.work),
            baseline=to.baseline,
            routing_seeds=to.routing_seeds,
        )
    if to.output is not None:
        write_apps(to.output, runs, cases)
    if to.json or not runs.failure:
        _show(runs, to.json, look)
    if to.output is not None:
        partial = "" if len(runs.runs) == runs.wanted else f"{len(runs.runs)} of {runs.wanted} runs are finished: "
        say(f"{partial}wrote {to.output}", err=to.json or bool(partial))
    if runs.failure:
        raise InputError(runs.failure)
    if runs.ended != "done":
        raise Stopped(f"interrupted: {len(runs.runs)} of {runs.wanted} runs are finished")


def _run_as_study(
    operations: list[AppOperation], folder: str, jobs: int | None, to: _Output, look: PlotOptions
) -> None:
    from topoloom.cli.kept_study import end_of, run_in_folder
    from topoloom.studies.sweeps.app_runs import app_runs_of, app_study

    study = app_study(operations, to.routing_seeds)
    ended = run_in_folder(study, folder, jobs)
    _show(app_runs_of(study, folder, to.baseline, ended=ended), to.json, look)
    end_of(study, folder, ended)


def _write_goal(path: str, operations: list[AppOperation], own: _Own) -> None:
    """Write one program as a schedule; the topology only gives the number of ranks."""
    from topoloom.network.opening import open_network
    from topoloom.simulation.applications.ranks import ranks_on
    from topoloom.simulation.applications.registry import opened
    from topoloom.simulation.applications.schedules import schedule_of_program
    from topoloom.simulation.applications.users_programs import trace_from
    from topoloom.simulation.workloads.goal import save_goal

    first = operations[0]
    apps = {operation.app for operation in operations if operation.app is not None}
    if own.mpi or len(apps) + len(own.trace) != 1 or len(names_of(operations)) != 1:
        raise InputError(
            "--goal writes one program on one topology, of --app or --trace; a program of --mpi cannot be written"
        )
    app = trace_from(own.trace[0]) if first.app is None else opened(first.app)
    ranks = ranks_on(open_network(first.topology).topology, app, first.ranks)
    schedule = schedule_of_program(app, ranks, first.settings_on([]))
    save_goal(schedule, path)
    say(
        f"wrote {path}: {schedule.ranks} ranks, {schedule.operations.count:,} operations, {schedule.messages:,} messages"
    )


def _show(runs: "AppRuns", as_json: bool, look: PlotOptions) -> None:
    from topoloom.figures.app_bars import app_bars

    if look.plot is not None and runs.runs:
        look.draw(lambda: app_bars(runs.compared, runs.baseline), "Speed of applications")
        say(f"wrote {look.plot}", err=True)
    if as_json:
        print_record(runs.runs[0] if runs.wanted == 1 else runs)
    else:
        _print_runs(runs)


def _print_runs(runs: "AppRuns") -> None:
    from topoloom.simulation.applications.app_runs import CELLS

    first = runs.runs[0]
    if runs.wanted == 1:
        _print_run(first)
        return
    print_table([CELLS, *(row.cells for row in runs.compared)])
    say(f"speed: {runs.baseline} = 1, seed by seed")
    if any(row.bound_share is not None for row in runs.compared):
        say("bound: the least time of any algorithm and tables over the simulated one")
    say(f"\n{first.simulated_by}: {_words(first.settings)}")


def _print_run(run: "AppRun") -> None:
    from topoloom.simulation.applications.schedule_run import head_of_line_text

    facts = [
        ("seconds", f"{run.seconds:.9g}, simulated"),
        *((name, f"{amount(result.value, 6)} {result.unit}".rstrip(" -")) for name, result in run.results.items()),
        (
            "not computing",
            f"{100 * run.communication_mean:.1f} % of the time of a rank, at most {100 * run.communication_most:.1f} %",
        ),
        (
            "links",
            f"{run.link_bytes_total / 1e6:,.3f} MB over all, {run.link_bytes_most / 1e6:,.3f} MB"
            f" ({100 * run.link_use_most:.1f} %) over the fullest",
        ),
        ("placement", f"{run.placement}, seed {run.seed}"),
        ("tables", run.engine + (f", {run.host_tables} for the hosts of a switch" if run.host_tables > 1 else "")),
        ("settings", _words(run.settings)),
        ("simulation", ", ".join([run.simulated_by, *(f"{s:.2f} s of CPU" for s in run.provenance.timings.values())])),
    ]
    if run.head_of_line_share is not None:
        facts.append(("omitted", f"packets and buffers; {head_of_line_text(run.head_of_line_share)}"))
    if run.bound_s is not None:
        facts.insert(
            1 + len(run.results), ("bound", f"{run.bound_s:.9g}, {100 * (run.bound_share or 0):.1f} % of the seconds")
        )
    if not math.isnan(run.mops):
        facts.insert(1, ("Mop/s", f"{run.mops:,.1f}"))
    if run.exit_code:
        facts.append(("exit code", f"{run.exit_code}, after MPI_Finalize"))
    print_facts(f"{run.program}, {run.ranks} {'ranks' if run.ranks > 1 else 'rank'} on {run.provenance.name}", facts)
    if run.output:
        say(f"\n{run.output.rstrip()}")


def _words(settings: "AppSettings") -> str:
    from topoloom.core.settings import written

    return ", ".join(f"{key}={written(value)}" for key, value in settings.values.items())
