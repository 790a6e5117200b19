"""`topoloom collective TOPOLOGY`: the least time of a collective, and a schedule that comes near it, simulated and written."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from topoloom.cli.output import json_option, print_facts, print_record, say
from topoloom.cli.types import Number, Size, Whole
from topoloom.core.errors import InputError

if TYPE_CHECKING:
    from topoloom.simulation.applications.collective_result import Collective
    from topoloom.simulation.collectives.bound import CollectiveBound

#: What a schedule may be written as.
_SUFFIXES = (".json", ".xml", ".goal")


class _Help(click.Command):
    """Lists the operations and the algorithms."""

    def format_epilog(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from topoloom.core.settings import described
        from topoloom.simulation.applications.backends import SIMULATORS
        from topoloom.simulation.applications.schedule_run import FlitSettings
        from topoloom.simulation.collectives.bound import OPERATIONS
        from topoloom.simulation.collectives.making import ALGORITHMS

        with formatter.section("Operations, and what --bytes is of"):
            formatter.write_dl(list(OPERATIONS.items()))
        with formatter.section("Algorithms"):
            formatter.write_dl(list(ALGORITHMS.items()))
        with formatter.section("Simulators"):
            formatter.write_dl(list(SIMULATORS.items()))
        with formatter.section("What flits: takes, as in flits:flit_bits=512,packet_flits=32"):
            formatter.write_dl(
                [(f"{one.name}={one.default}", f"{one.description} ({one.accepts})") for one in described(FlitSettings)]
            )


@click.command(
    cls=_Help,
    help="The least time of a collective on TOPOLOGY (a spec, a file, or a folder that topoloom wrote), whatever the algorithm"
    " and the paths; and a schedule beside it: trees packed so that no channel carries more than the bound asks, or rings,"
    " simulated as flows, on SimGrid or flit by flit. -o writes the schedule as JSON, as XML for MSCCL, or as GOAL.",
)
@click.argument("topology")
@click.option(
    "--operation", default="allreduce", show_default=True, help="Which (below); all-reduce and the like, too."
)
@click.option("--bytes", type=Size(), default=1 << 26, show_default="64MiB", help="4096, 64MiB, 1.5GB (below).")
@click.option(
    "--schedule",
    "schedule_file",
    type=click.Path(dir_okay=False),
    help="Simulate the schedule in this .json file, which -o wrote, also on another network.",
)
@click.option("--ranks", type=Whole(1, 1 << 20), help="Ranks, at most one a host; one for every host when left out.")
@click.option("--bound", is_flag=True, help="The least time alone, without a schedule; also of large networks.")
@click.option(
    "--algorithm", help="How (below); left out, forest where trees are packed in a minute, else a simpler one."
)
@click.option(
    "--paths", help="own: those of the schedule; tables: those of the tables. Own for forests and rings when left out."
)
@click.option(
    "--pieces", type=Whole(1, 1 << 16), help="Pieces of a message; as many as hide the trees' depth when left out."
)
@click.option("--placement", default="linear", show_default=True, help="linear, random, cabinet, file:PATH.")
@click.option("--root", type=Whole(0, 1 << 20), default=0, show_default=True, help="The rank that broadcasts.")
@click.option(
    "--engine",
    help="An engine of topoloom route; when omitted, the installed tables, else those of the engine that fits.",
)
@click.option(
    "--host-tables", type=Whole(1, 1 << 10), help="Tables for the hosts of a switch, as topoloom app has them."
)
@click.option(
    "--preset",
    help="The settings to begin with, of topoloom app; truong-2016, at the rate that a folder remembers, when omitted.",
)
@click.option(
    "--set", "changes", metavar="KEY=VALUE", multiple=True, help="Change a setting of topoloom app: rate_gbps=400."
)
@click.option(
    "--simulator", default="flows", show_default=True, help="flows, flows:window=0.2, simgrid, flits (below)."
)
@click.option(
    "--gap", type=Number(above=0), default=0.05, show_default=True, help="How close an all-to-all's flow is bracketed."
)
@click.option(
    "--seed", type=Whole(0, (1 << 31) - 1), default=1, show_default=True, help="Of the placement and the tables."
)
@click.option("--jobs", type=Whole(1, 1024), help="Threads; every core when left out.")
@click.option(
    "-o", "--output", "path", type=click.Path(dir_okay=False), help="A .json, .xml or .goal file for the schedule."
)
@json_option
def command(
    topology: str,
    operation: str,
    bytes: int,
    schedule_file: str | None,
    ranks: int | None,
    bound: bool,
    algorithm: str | None,
    paths: str | None,
    pieces: int | None,
    placement: str,
    root: int,
    engine: str | None,
    host_tables: int | None,
    preset: str | None,
    changes: tuple[str, ...],
    simulator: str,
    gap: float,
    seed: int,
    jobs: int | None,
    path: str | None,
    as_json: bool,
) -> None:
    from topoloom.cli.placing import refuse_given
    from topoloom.cli.progress import working
    from topoloom.cli.tables import saved_tables
    from topoloom.network.opening import open_network
    from topoloom.simulation.applications.collective_run import collective, collective_bound
    from topoloom.simulation.applications.given import app_settings
    from topoloom.simulation.applications.sweep import cases_of
    from topoloom.simulation.collectives.bound import collective_operation
    from topoloom.simulation.collectives.schedule import read_schedule

    operation = collective_operation(operation)
    if path is not None and Path(path).suffix not in _SUFFIXES:
        raise InputError(f"{path}: a schedule is written as .json, as .xml for MSCCL, or as .goal for LogGOPSim")
    if bound:
        refuse_given(
            ("schedule_file", "algorithm", "paths", "pieces", "engine", "host_tables", "simulator", "path"),
            "--bound makes no schedule",
        )
    if schedule_file is not None:
        given = ("operation", "bytes", "ranks", "algorithm", "paths", "pieces", "placement", "root")
        refuse_given(given, "the schedule in the file has its own")
    schedule = None if schedule_file is None else read_schedule(schedule_file)
    network = open_network(topology)
    settings = app_settings([network], preset, changes)
    if not bound:
        saved_tables(network, ("engine", "host_tables"))
    with working("collective") as work:
        if bound:
            least = collective_bound(
                network.topology,
                operation,
                bytes,
                ranks,
                placement=placement,
                root=root,
                settings=settings,
                layout=network.layout,
                gap=gap,
                seed=seed,
                jobs=jobs,
                work=work,
            )
        else:
            case = cases_of(network.source, network, engine, host_tables=host_tables, seed=seed, jobs=jobs, work=work)[
                0
            ]
            common: dict[str, Any] = {
                "settings": settings,
                "layout": network.layout,
                "simulator": simulator,
                "gap": gap,
                "jobs": jobs,
                "work": work,
            }
            found = (
                collective(case.routings, schedule, **common)
                if schedule is not None
                else collective(
                    case.routings,
                    operation,
                    bytes,
                    ranks,
                    algorithm=algorithm,
                    paths=paths,
                    pieces=pieces,
                    placement=placement,
                    root=root,
                    seed=seed,
                    **common,
                )
            )
    if bound:
        if as_json:
            print_record(least)
        else:
            print_facts(_title(least), _of_bound(least))
        return
    if as_json:
        print_record(found)
    else:
        print_facts(_title(found.bound), [*_of_bound(found.bound), *_of_schedule(found)])
    if path is not None:
        _write(found, path, as_json)


def _title(bound: "CollectiveBound") -> str:
    return f"{bound.operation} of {bound.bytes:,} bytes, {bound.ranks} ranks on {bound.provenance.name}"


def _of_bound(bound: "CollectiveBound") -> list[tuple[str, str]]:
    rows = [
        ("bound", _time(bound.seconds)),
        ("bytes alone", f"{_time(bound.bandwidth_s)}: {bound.how}"),
        ("delays alone", f"{_time(bound.farthest_s)} to the farthest rank, {_time(bound.first_s)} to the nearest"),
    ]
    if bound.cut_gbps:
        where = f"{bound.parts} parts" if bound.operation == "allreduce" else f"the side of {bound.parts} ranks"
        if bound.operation == "broadcast":
            where = "the root's side"
        rows.append(("cut", f"{bound.cut_gbps:,.6g} Gb/s leave {where}"))
    if bound.bandwidth_s:
        rows.append(("a rank's share", f"{bound.bus_gbps:,.6g} Gb/s"))
    if bound.reached_s is None:
        rows.append(("reached", "nobody knows"))
    else:
        how = "the least that there is" if bound.exact else f"{_time(bound.reached_s)} is known to be enough"
        rows.append(("reached", f"bytes alone: {how}"))
    return rows


def _of_schedule(found: "Collective") -> list[tuple[str, str]]:
    paths = "paths of its own" if found.paths == "own" else f"the paths of the tables ({found.engine})"
    rows = [("schedule", f"{found.algorithm}, {paths}")]
    if found.trees:
        rows.append(("trees", f"{found.trees}, {found.depth} messages deep, {found.pieces} pieces a message"))
    if found.fullest_s is not None:
        rows.append(("fullest channel", _time(found.fullest_s)))
    return [
        *rows,
        ("simulated", f"{_time(found.seconds)}, {100 * found.gap:.1f} % over the bound"),
        ("simulation", f"{found.provenance.settings['simulator']}, {found.messages:,} messages"),
    ]


def _time(seconds: float) -> str:
    from topoloom.simulation.applications.app_runs import short_value

    return short_value(seconds, "s")


def _write(found: "Collective", path: str, as_json: bool) -> None:
    """The schedule into a file of the kind that its name asks for."""
    from topoloom.core.files import write_atomically
    from topoloom.simulation.applications.schedules import schedule_of_program
    from topoloom.simulation.collectives.msccl import msccl_xml, over_limits
    from topoloom.simulation.workloads.goal import save_goal

    schedule = found.schedule
    if schedule is None or (not schedule.trees and schedule.ranks > 1):
        raise InputError(f"{path}: {found.ranks} ranks send too many messages to each other for a file; take fewer")
    if Path(path).suffix == ".json":
        schedule.save(path)
    elif Path(path).suffix == ".goal":
        save_goal(schedule_of_program(schedule), path)
    else:
        write_atomically(path, msccl_xml(schedule))
        over = over_limits(schedule)
        if over:
            say(f"{path}: more than MSCCL's executor for NCCL takes: {over}", err=True)
    say(f"wrote {path}", err=as_json)
