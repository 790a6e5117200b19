"""`topoloom app TOPOLOGY...`: MPI programs on routed networks, simulated by SimGrid, or as flows."""

import math
from typing import TYPE_CHECKING

import click

from topoloom.cli.kept_study import end_of, run_kept, study_option
from topoloom.cli.output import json_option, print_facts, print_record, print_table, say
from topoloom.cli.types import Number, Whole
from topoloom.core.errors import InputError, Stopped

if TYPE_CHECKING:
    from topoloom.core.work import Work
    from topoloom.network import Network
    from topoloom.simulation.applications.app_run import AppRun
    from topoloom.simulation.applications.app_runs import AppRuns
    from topoloom.simulation.applications.program import Program
    from topoloom.simulation.applications.registry import Application
    from topoloom.simulation.applications.settings import AppSettings
    from topoloom.simulation.applications.sweep import Case

#: Tables of seeds in one call.
_MOST_SEEDS = 1000


class _Help(click.Command):
    """Lists the applications with their parameters, the presets and the settings."""

    def format_epilog(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from topoloom.core.settings import described
        from topoloom.simulation.applications.registry import APPLICATIONS
        from topoloom.simulation.applications.settings import PRESETS, AppSettings

        with formatter.section("Examples"):
            for line in _EXAMPLES:
                formatter.write(f"  {line}\n")
        with formatter.section("Applications"):
            formatter.write_dl([(_usage(found), found.description) for found in APPLICATIONS.values()])
        with formatter.section("Presets"):
            formatter.write_text(", ".join(PRESETS))
        with formatter.section("Settings"):
            formatter.write_dl(
                [
                    (f"{one.name}={one.default or 'none'}", f"{one.description}{f' [{one.unit}]' if one.unit else ''}")
                    for one in described(AppSettings)
                ]
            )


_EXAMPLES = (
    "topoloom app torus:dims=8x8,hosts=1 --app cg:class=S --ranks 64",
    "topoloom app fat-tree:k=8 slimfly:q=5,hosts=3 --app alltoall:bytes=65536 --ranks 128 --placement random*5 -o out",
    "topoloom app slimfly:q=5,hosts=3 --app training:model=gpt3-175b,tp=2,pp=8 --ranks 64 --simulator flows",
    "topoloom app torus:dims=4x4,hosts=1 --app goal:file=trace.bin --simulator flows",
    "topoloom app torus:dims=8x8,hosts=1 --mpi NPB3.3-MPI --make 'cg CLASS=A NPROCS=64' --ranks 64 --time-limit 600",
)


def _usage(found: "Application") -> str:
    keys = ",".join(f"{key}=" for key in found.parameters)
    return f"{found.name}:{keys}" if keys else found.name


@click.command(
    cls=_Help,
    help="""Run MPI programs on TOPOLOGY (a spec, a file, or a folder that topoloom wrote), simulated by SimGrid, or
    as flows (--simulator flows).

    Several topologies, programs and placements are all combined, and set beside a baseline. Messages take the paths of our
    tables, hop by hop. What decides a time besides the network is a setting, and printed: --set KEY=VALUE.

    --mpi and --make run your code on this machine with your rights: the compiler on your sources, your Makefile, and your
    program, in the current folder. When a run is over, or past --time-limit, all processes that came of it are ended.
    """,
)
@click.argument("topologies", metavar="TOPOLOGY...", nargs=-1, required=True)
@click.option(
    "--app", "apps", multiple=True, metavar="NAME[:KEY=VALUE,...]", help="An application (below); may be repeated."
)
@click.option(
    "--mpi",
    multiple=True,
    type=click.Path(),
    help="Your own program, which is compiled and run: a .c, .f or .f90 file, or a folder of them; may be repeated.",
)
@click.option(
    "--make",
    help="Run the Makefile of the folder of --mpi, in a copy: what make is asked for, as in 'cg CLASS=A NPROCS=64'.",
)
@click.option("--args", "arguments", default="", help="What your program is called with.")
@click.option(
    "--trace",
    multiple=True,
    type=click.Path(),
    help="Your own traces: a folder with an index, as SimGrid's -trace-ti writes; may be repeated.",
)
@click.option(
    "--time-limit",
    type=Number(above=0, unit="seconds"),
    default=3600.0,
    show_default="3600",
    help="Seconds that building your own program may take, and each run of it; then it is ended.",
)
@click.option("--ranks", type=Whole(1, 1 << 20), help="MPI ranks; one for every host when left out.")
@click.option(
    "--engine",
    "engines",
    multiple=True,
    help="An engine of topoloom route for all topologies, or one for each, in their order; when omitted, the installed tables"
    " of a folder, else those of the engine that fits.",
)
@click.option(
    "--routing-seeds", type=Whole(1, _MOST_SEEDS), default=1, show_default=True, help="Tables of so many seeds."
)
@click.option(
    "--host-tables",
    type=Whole(1, 1 << 10),
    help="Tables for the hosts of a switch: with 4 its first four hosts are led by a table each, the fifth as the first. One"
    " for all when left out, but one for each with engine fat-tree.",
)
@click.option(
    "--placement",
    "placements",
    multiple=True,
    default=("linear",),
    show_default=True,
    help="linear, random, random*5 (five seeds), cabinet, optimised, file:PATH; may be repeated.",
)
@click.option("--baseline", help="The topology that the others are set beside; the first when left out.")
@click.option(
    "--preset",
    help="The settings to begin with (below); truong-2016, at the rate that a folder remembers, when omitted.",
)
@click.option("--set", "changes", metavar="KEY=VALUE", multiple=True, help="Change a setting (below): rate_gbps=100.")
@click.option("--floor", help="Place topologies on this floor, row by row, for their cables' lengths.")
@click.option(
    "--simulator",
    default="simgrid",
    show_default=True,
    help="simgrid, or flows: ours, for traces, schedules, alltoall, allreduce, collective and training, also on 16,384 ranks;"
    " with flows:window=0.2 rates may be out of date for a fifth of a message's time; or flits: the same among routers.",
)
@click.option("--seed", default=1, show_default=True, type=Whole(0, (1 << 31) - 1), help="Of placements and tables.")
@click.option("--jobs", type=Whole(1, 1024), help="Simulations side by side; every core when left out.")
@click.option(
    "--goal",
    type=click.Path(dir_okay=False),
    help="Write the program as a GOAL schedule for LogGOPSim and ATLAHS to this file (.bin: binary), and run nothing.",
)
@study_option("a run")
@click.option(
    "-o",
    "--output",
    "folder",
    type=click.Path(file_okay=False),
    help="Folder for runs.csv, ranks.csv, links.csv, app.html and bars.svg.",
)
@json_option
def command(
    topologies: tuple[str, ...],
    apps: tuple[str, ...],
    mpi: tuple[str, ...],
    make: str | None,
    arguments: str,
    trace: tuple[str, ...],
    time_limit: float,
    ranks: int | None,
    engines: tuple[str, ...],
    routing_seeds: int,
    host_tables: int | None,
    placements: tuple[str, ...],
    baseline: str | None,
    preset: str | None,
    changes: tuple[str, ...],
    floor: str | None,
    simulator: str,
    seed: int,
    jobs: int | None,
    goal: str | None,
    study_folder: str | None,
    folder: str | None,
    as_json: bool,
) -> None:
    from topoloom.cli.placing import refuse_given
    from topoloom.cli.progress import working
    from topoloom.core.folders import check_folder
    from topoloom.network.opening import open_network
    from topoloom.report.app_page import write_apps
    from topoloom.simulation.applications.backends import backend_of
    from topoloom.simulation.applications.given import DEFAULT_PRESET, app_settings
    from topoloom.simulation.applications.registry import opened as opened_program
    from topoloom.simulation.applications.settings import PRESETS, with_changes
    from topoloom.simulation.applications.sweep import placements_of, programs_on, run_apps

    if not (apps or mpi or trace):
        raise InputError("say what runs: --app NAME (topoloom app --help lists them), --mpi FILE or --trace FOLDER")
    asked = with_changes(PRESETS.find(preset or DEFAULT_PRESET), changes)
    backend_of(simulator)
    placements_of(placements, seed)
    networks = _networks(topologies, engines)
    beside = next(iter(networks)) if baseline is None else baseline
    if beside not in networks:
        raise InputError(f"--baseline {beside}: it is none of the topologies; name one of them ({', '.join(networks)})")
    if goal is not None:
        refuse_given(("study_folder", "folder", "as_json"), "a schedule is written, and nothing is run (--goal)")
        _write_goal(goal, topologies, apps, mpi, trace, ranks, asked)
        return
    if study_folder is not None:
        from topoloom.studies.sweeps.app_runs import app_runs_of, app_study

        refuse_given(("mpi", "make", "arguments", "trace"), "a study runs applications by their names (--app)")
        refuse_given(("folder",), "the study's folder has its records and its page")
        study = app_study(
            apps,
            topologies,
            engines or None,
            placements,
            routing_seeds=routing_seeds,
            seed=seed,
            ranks=ranks,
            host_tables=host_tables,
            floor=floor,
            preset=preset,
            set={name: asked.values[name] for name in (text.partition("=")[0] for text in changes)},
            simulator=simulator,
            time_limit=time_limit,
        )
        ended = run_kept(study, study_folder, jobs)
        _show(app_runs_of(study, study_folder, baseline, ended=ended), as_json)
        end_of(study, study_folder, ended)
        return
    if folder is not None:
        check_folder(folder)
    names = list(dict.fromkeys(topologies))
    opened = dict(zip(names, _on_floor([open_network(name) for name in names], floor), strict=True))
    settings = app_settings(opened.values(), preset, changes)
    with working("applications") as work:
        programs: list[str | Program] = [
            *map(opened_program, dict.fromkeys(apps)),
            *_users(mpi, make, arguments, trace, time_limit, work),
        ]
        programs_on(
            {label: opened[name].topology for label, (name, _) in networks.items()},
            programs,
            ranks,
            simulator,
            settings,
        )
        cases = [
            case
            for label, (name, engine) in networks.items()
            for case in _cases(label, opened[name], engine, host_tables, seed, routing_seeds, jobs, work)
        ]
        runs = run_apps(
            cases,
            programs,
            ranks,
            placements,
            settings=settings,
            baseline=beside,
            seed=seed,
            jobs=jobs,
            time_limit_s=time_limit,
            simulator=simulator,
            work=work,
        )
    if folder is not None:
        write_apps(folder, runs, cases)
    if as_json or not runs.failure:
        _show(runs, as_json)
    if folder is not None:
        some = "" if len(runs.runs) == runs.wanted else f"{len(runs.runs)} of {runs.wanted} runs are finished: "
        say(f"{some}wrote {folder}", err=as_json or bool(some))
    if runs.failure:
        raise InputError(runs.failure)
    if runs.ended != "done":
        raise Stopped(f"interrupted: {len(runs.runs)} of {runs.wanted} runs are finished")


def _write_goal(
    path: str,
    topologies: tuple[str, ...],
    apps: tuple[str, ...],
    mpi: tuple[str, ...],
    trace: tuple[str, ...],
    ranks: int | None,
    settings: "AppSettings",
) -> None:
    """Write one program as a schedule; a topology only says how many ranks there are."""
    from topoloom.network.opening import open_network
    from topoloom.simulation.applications.ranks import ranks_on
    from topoloom.simulation.applications.registry import opened
    from topoloom.simulation.applications.schedules import schedule_of_program
    from topoloom.simulation.applications.users_programs import trace_from
    from topoloom.simulation.workloads.goal import save_goal

    if mpi or len(apps) + len(trace) != 1 or len(topologies) != 1:
        raise InputError("--goal: one program on one topology is written (--app or --trace); a program of code is none")
    app = opened(apps[0]) if apps else trace_from(trace[0])
    schedule = schedule_of_program(app, ranks_on(open_network(topologies[0]).topology, app, ranks), settings)
    save_goal(schedule, path)
    say(
        f"wrote {path}: {schedule.ranks} ranks, {schedule.operations.count:,} operations, {schedule.messages:,} messages"
    )


def _users(
    mpi: tuple[str, ...], make: str | None, arguments: str, trace: tuple[str, ...], time_limit: float, work: "Work"
) -> list["Program"]:
    from topoloom.simulation.applications.users_programs import argument_words, program_from, trace_from

    if len(mpi) != 1 and (make is not None or arguments):
        option = "--make" if make is not None else "--args"
        raise InputError(f"{option} is for one program of your own; give it with one --mpi")
    given = argument_words(arguments, "--args")
    built = (program_from(path, given, make, time_limit_s=time_limit, work=work) for path in mpi)
    return [*built, *(trace_from(path) for path in trace)]


def _networks(topologies: tuple[str, ...], engines: tuple[str, ...]) -> dict[str, tuple[str, str | None]]:
    """Each topology with its engine, by what people call it: also by the engine where the same topology comes again."""
    each: tuple[str | None, ...] = engines if len(engines) > 1 else (engines or (None,)) * len(topologies)
    if len(each) != len(topologies):
        raise InputError(
            f"--engine names {len(engines)} engines for {len(topologies)} topologies; give one, or one for each"
        )
    found = {}
    for name, engine in zip(topologies, each, strict=True):
        label = name if topologies.count(name) == 1 else f"{name} by {engine}"
        if label in found:
            raise InputError(f"{name}: it is given twice with the same engine; once is enough")
        found[label] = name, engine
    return found


def _on_floor(networks: "list[Network]", floor: str | None) -> "list[Network]":
    """Networks, on a floor row by row where one is named and they have no layout."""
    from topoloom.cli.placing import placing_of
    from topoloom.network.laying_out import all_laid_out

    return networks if floor is None else all_laid_out(networks, **placing_of({"floor": floor}, networks), map="rows")


def _cases(
    label: str,
    opened: "Network",
    engine: str | None,
    host_tables: int | None,
    seed: int,
    seeds: int,
    jobs: int | None,
    work: "Work",
) -> list["Case"]:
    """The network with tables of each seed."""
    from topoloom.cli.tables import saved_tables
    from topoloom.simulation.applications.sweep import cases_of

    saved_tables(opened, ("engines", "host_tables", "routing_seeds"))
    return cases_of(label, opened, engine, host_tables=host_tables, seed=seed, seeds=seeds, jobs=jobs, work=work)


def _show(runs: "AppRuns", as_json: bool) -> None:
    if as_json:
        print_record(runs.runs[0] if runs.wanted == 1 else runs)
    else:
        _print_runs(runs)


def _print_runs(runs: "AppRuns") -> None:
    from topoloom.simulation.applications.app_runs import CELLS

    first = runs.runs[0]
    if runs.wanted == 1:
        _tell_one(first)
        return
    print_table([CELLS, *(row.cells for row in runs.compared)])
    say(f"speed: {runs.baseline} = 1, seed by seed")
    if any(row.bound_share is not None for row in runs.compared):
        say("bound: the least time of any algorithm and tables over the simulated one")
    say(f"\n{first.simulated_by}: {_words(first.settings)}")


def _tell_one(run: "AppRun") -> None:
    facts = [
        ("seconds", f"{run.seconds:.9g}, simulated"),
        *((name, f"{one.value:.6g} {one.unit}".rstrip(" -")) for name, one in run.results.items()),
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
