"""`topoloom collective TOPOLOGY`: the least time of a collective, and a schedule that comes near it, simulated and written."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from topoloom.cli.declared import declared, performed
from topoloom.cli.output import print_facts, print_record, say
from topoloom.cli.presentation import Json, Threads
from topoloom.core.errors import InputError
from topoloom.core.settings import setting
from topoloom.operations.catalogue.collective import CollectiveOperation

if TYPE_CHECKING:
    from topoloom.simulation.applications.collective_result import Collective
    from topoloom.simulation.collectives.bound import CollectiveBound

#: What a schedule may be written as.
_SUFFIXES = (".json", ".xml", ".goal")


class _Output(Json, frozen=True, kw_only=True):
    output: (
        Annotated[str, setting("a .json, .xml or .goal file for the schedule", option="-o --output", metavar="FILE")]
        | None
    ) = None

    def check(self, bound: bool) -> None:
        """Refuse a file that cannot be written, before any work."""
        if self.output is not None and Path(self.output).suffix not in _SUFFIXES:
            raise InputError(
                f"{self.output}: a schedule is written as .json, as .xml for MSCCL, or as .goal for LogGOPSim"
            )
        if self.output is not None and bound:
            raise InputError("`output`: `bound` makes no schedule; omit it")


def _sections(formatter: click.HelpFormatter) -> None:
    """The operations, the algorithms and the simulators."""
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


@declared(CollectiveOperation, Threads, _Output, sections=_sections)
def command(operation: CollectiveOperation, threads: Threads, to: _Output) -> None:
    to.check(operation.bound)
    result = performed(operation, threads.jobs)
    if to.json:
        print_record(result)
    elif operation.bound:
        print_facts(_title(result), _of_bound(result))
    else:
        print_facts(_title(result.bound), [*_of_bound(result.bound), *_of_schedule(result)])
    if to.output is not None:
        _write(result, to.output, to.json)


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
