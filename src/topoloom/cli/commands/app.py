"""`topoloom app TOPOLOGY...`: MPI programs on routed networks, simulated by SimGrid."""

import math
from typing import TYPE_CHECKING

import click

from topoloom.cli.output import json_option, print_facts, print_json, print_table, say
from topoloom.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from topoloom.applications.program import Program
    from topoloom.applications.registry import Application
    from topoloom.applications.run import AppRun
    from topoloom.applications.settings import Settings
    from topoloom.applications.sweep import Case, Compared

#: Random placements, or tables of seeds, in one call.
_MOST_SEEDS = 1000


class _Help(click.Command):
    """Lists the applications with their parameters."""

    def format_epilog(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from topoloom.applications.registry import applications
        from topoloom.applications.settings import PRESETS

        with formatter.section("Applications"):
            formatter.write_dl([(_usage(found), found.description) for found in applications().values()])
        with formatter.section("Presets"):
            formatter.write_text(", ".join(PRESETS))


def _usage(found: "Application") -> str:
    keys = ",".join(f"{key}=" for key in found.parameters)
    return f"{found.name}:{keys}" if keys else found.name


@click.command(
    cls=_Help,
    help="""Run MPI programs on TOPOLOGY (a spec, a file, or a folder of topoloom layout -o), simulated by SimGrid.

    Several topologies, programs and placements are all combined, and set beside a baseline. Messages take the ways of our
    tables, hop by hop. What decides a time besides the network is a setting, and printed: --set KEY=VALUE.
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
    help="Your own program: a .c, .f or .f90 file, or a folder of them; may be repeated.",
)
@click.option(
    "--make", help="Build the folder of --mpi by its Makefile: what make is asked for, as in 'cg CLASS=A NPROCS=64'."
)
@click.option("--args", "arguments", default="", help="What your program is called with.")
@click.option(
    "--trace",
    multiple=True,
    type=click.Path(),
    help="Your own traces: a folder with an index, as SimGrid's -trace-ti writes; may be repeated.",
)
@click.option("--ranks", type=click.IntRange(1, 1 << 20), help="MPI ranks; one for every host when left out.")
@click.option(
    "--routing",
    "engines",
    multiple=True,
    default=("minimal",),
    show_default=True,
    help="An engine of topoloom route for all topologies, or one for each, in their order.",
)
@click.option(
    "--routing-seeds",
    type=click.IntRange(1, _MOST_SEEDS),
    default=1,
    show_default=True,
    help="Tables of so many seeds.",
)
@click.option(
    "--host-tables",
    type=click.IntRange(1, 1 << 10),
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
@click.option("--preset", default="truong-2016", show_default=True, help="The settings to begin with (below).")
@click.option("--set", "changes", metavar="KEY=VALUE", multiple=True, help="Change a setting: rate_gbps=100.")
@click.option("--floor", help="Place topologies on this floor, row by row, for their cables' lengths.")
@click.option(
    "--seed", default=1, show_default=True, type=click.IntRange(0, (1 << 31) - 1), help="Of placements and tables."
)
@click.option("--jobs", type=click.IntRange(1, 1024), help="Simulations side by side; every core when left out.")
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
    ranks: int | None,
    engines: tuple[str, ...],
    routing_seeds: int,
    host_tables: int | None,
    placements: tuple[str, ...],
    baseline: str | None,
    preset: str,
    changes: tuple[str, ...],
    floor: str | None,
    seed: int,
    jobs: int | None,
    folder: str | None,
    as_json: bool,
) -> None:
    from dataclasses import asdict

    from topoloom.applications.run import plain
    from topoloom.applications.sweep import compared
    from topoloom.cli.folders import writable_folder
    from topoloom.report.app_page import write_apps

    programs: list[str | Program] = [*apps, *_own(mpi, make, arguments, trace)]
    if not programs:
        raise InputError("say what runs: --app NAME (topoloom app --help lists them), --mpi FILE or --trace FOLDER")
    settings = _settings(preset, changes)
    where = [(how, number) for text in placements for how, number in _placements(text, seed)]
    networks = _networks(topologies, engines)
    beside = next(iter(networks)) if baseline is None else baseline
    if beside not in networks:
        raise InputError(f"--baseline {beside}: it is none of the topologies; name one of them ({', '.join(networks)})")
    out = writable_folder(folder) if folder is not None else None
    cases = [
        case
        for label, (name, engine) in networks.items()
        for case in _cases(label, name, engine, host_tables, seed, routing_seeds, floor, jobs)
    ]
    runs = _run_all(cases, programs, ranks, where, settings, jobs, beside, out)
    rows = compared(runs, beside)
    if out is not None:
        write_apps(out, runs, rows, beside)
    if as_json:
        found = [plain(run) | {"spec": case.name, "routing_seed": case.routing_seed} for case, run in runs]
        print_json(
            found[0] if len(found) == 1 else {"runs": found, "baseline": beside, "compared": [asdict(r) for r in rows]}
        )
        return
    _tell(runs, rows, beside)
    if out is not None:
        say(f"wrote {out}")


def _run_all(
    cases: list["Case"],
    programs: list["str | Program"],
    ranks: int | None,
    where: list[tuple[str, int]],
    settings: "Settings",
    jobs: int | None,
    baseline: str,
    out: "Path | None",
) -> list[tuple["Case", "AppRun"]]:
    """All runs; where the sweep is ended, or a run fails, the folder gets those that are finished."""
    from topoloom.applications.sweep import compared, run_all
    from topoloom.cli.countdown import Countdown
    from topoloom.report.app_page import write_apps

    done: list[tuple[Case, AppRun]] = []
    wanted = len(programs) * len(cases) * len(where)

    def finished(case: "Case", run: "AppRun") -> None:
        done.append((case, run))
        countdown.done(1.0)

    with Countdown("applications", [1.0] * wanted, "runs") as countdown:
        try:
            return run_all(cases, programs, ranks, where, settings, jobs, finished)
        except (KeyboardInterrupt, InputError):
            if out is not None and done:
                write_apps(out, done, compared(done, baseline), baseline)
                say(f"{len(done)} of {wanted} runs are finished: wrote {out}", err=True)
            raise


def _own(mpi: tuple[str, ...], make: str | None, arguments: str, trace: tuple[str, ...]) -> list["Program"]:
    from topoloom.applications.users_programs import program_from, trace_from, words

    if len(mpi) != 1 and (make is not None or arguments):
        option = "--make" if make is not None else "--args"
        raise InputError(f"{option} is for one program of your own; give it with one --mpi")
    given = words(arguments, "--args")
    return [*(program_from(path, given, make) for path in mpi), *(trace_from(path) for path in trace)]


def _settings(preset: str, changes: tuple[str, ...]) -> "Settings":
    from topoloom.applications.settings import PRESETS, changed
    from topoloom.errors import hint

    if preset not in PRESETS:
        raise InputError(f"no preset '{preset[:40]}'; {hint(preset, PRESETS)}")
    given = {}
    for text in changes:
        key, sign, value = text.partition("=")
        if not sign:
            raise InputError(f"--set {text[:60]}: write KEY=VALUE")
        given[key.strip()] = value.strip()
    return changed(PRESETS[preset], given)


def _placements(text: str, seed: int) -> list[tuple[str, int]]:
    """``random*5`` is five placements, each with a seed of its own."""
    how, sign, times = text.partition("*")
    if not sign or how.startswith("file:"):
        return [(text, seed)]
    if how == "linear":
        raise InputError(f"--placement {text[:40]}: there is one linear placement; random*5 draws five")
    if not times.isdecimal() or not 1 <= int(times) <= _MOST_SEEDS:
        raise InputError(f"--placement {text[:40]}: how many seeds? write random*5")
    return [(how, seed + number) for number in range(int(times))]


def _networks(topologies: tuple[str, ...], engines: tuple[str, ...]) -> dict[str, tuple[str, str]]:
    """Each topology with its engine, by what people call it: also by the engine where the same topology comes again."""
    if len(engines) not in (1, len(topologies)):
        raise InputError(
            f"--routing names {len(engines)} engines for {len(topologies)} topologies; give one, or one for each"
        )
    found = {}
    for name, engine in zip(topologies, engines if len(engines) > 1 else engines * len(topologies), strict=True):
        label = name if topologies.count(name) == 1 else f"{name} by {engine}"
        if label in found:
            raise InputError(f"{name}: it is given twice with the same engine; once is enough")
        found[label] = name, engine
    return found


def _cases(
    label: str,
    name: str,
    engine: str,
    host_tables: int | None,
    seed: int,
    seeds: int,
    floor: str | None,
    jobs: int | None,
) -> list["Case"]:
    """The network with tables of each seed, one or more for the hosts of a switch."""
    from topoloom.applications.sweep import Case
    from topoloom.layout.place import place
    from topoloom.opening import open_network
    from topoloom.routing.host_routings import host_routings
    from topoloom.routing.registry import engines

    opened = open_network(name)
    network, layout = opened.topology, opened.layout
    if layout is None and floor is not None:
        layout = place(network, floor, map="rows")
    count = host_tables or (int(network.endpoints_at.max(initial=1)) if engines.find(engine).by_host else 1)
    return [
        Case(label, host_routings(network, engine, count, seed=number, jobs=jobs), layout, number)
        for number in range(seed, seed + seeds)
    ]


def _tell(runs: list[tuple["Case", "AppRun"]], rows: list["Compared"], baseline: str) -> None:
    from topoloom.applications.sweep import CELLS

    first = runs[0][1]
    if len(runs) == 1:
        _tell_one(first)
        return
    print_table([CELLS, *(row.cells for row in rows)])
    say(f"speed: {baseline} = 1, seed by seed")
    say(f"\nSimGrid {first.simgrid}: {_words(first)}")


def _tell_one(run: "AppRun") -> None:
    waits, fullest, use = 100 * run.communication, run.link_bytes.max(initial=0.0), 100 * run.link_use.max(initial=0.0)
    facts = [
        ("seconds", f"{run.seconds:.9g}, simulated"),
        *((name, f"{value:.6g} {unit}".rstrip(" -")) for name, (value, unit) in run.results.items()),
        ("not computing", f"{waits.mean():.1f} % of the time of a rank, at most {waits.max():.1f} %"),
        (
            "links",
            f"{run.link_bytes.sum() / 1e6:,.3f} MB over all, {fullest / 1e6:,.3f} MB ({use:.1f} %) over the fullest",
        ),
        ("placement", f"{run.placement}, seed {run.seed}"),
        ("tables", run.engine + (f", {run.host_tables} for the hosts of a switch" if run.host_tables > 1 else "")),
        ("settings", _words(run)),
        ("simulation", f"SimGrid {run.simgrid}, {run.cpu_s:.2f} s of CPU"),
    ]
    if not math.isnan(run.mops):
        facts.insert(1, ("Mop/s", f"{run.mops:,.1f}"))
    if run.code:
        facts.append(("exit code", f"{run.code}, after MPI_Finalize"))
    print_facts(f"{run.program}, {run.ranks} {'ranks' if run.ranks > 1 else 'rank'} on {run.topology}", facts)
    if run.output:
        say(f"\n{run.output.rstrip()}")


def _words(run: "AppRun") -> str:
    words = run.settings.words.items()
    return ", ".join(f"{key}={value:g}" if isinstance(value, float) else f"{key}={value}" for key, value in words)
