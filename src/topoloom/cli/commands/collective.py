"""`topoloom collective TOPOLOGY`: the least time of a collective, and a schedule close to it, simulated and written."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from topoloom.cli.declared import declared, performed
from topoloom.cli.output import print_facts, print_record, say
from topoloom.cli.presentation import Json, Threads
from topoloom.core.amounts import amount
from topoloom.core.errors import InputError
from topoloom.core.settings import setting
from topoloom.operations.catalogue.collective import CollectiveOperation

if TYPE_CHECKING:
    from topoloom.simulation.applications.collective_result import Collective
    from topoloom.simulation.collectives.bound import CollectiveBound
    from topoloom.simulation.collectives.msccl_program import MscclProgram

#: The formats of a schedule's file.
_SUFFIXES = (".json", ".xml", ".goal")


class _Output(Json, frozen=True, kw_only=True):
    output: (
        Annotated[str, setting("a .json, .xml or .goal file for the schedule", option="-o --output", metavar="FILE")]
        | None
    ) = None

    def check(self, operation: CollectiveOperation) -> None:
        """Refuse a file that cannot be written, before any work."""
        from topoloom.simulation.collectives.msccl_program import begins_as_xml

        if self.output is not None and Path(self.output).suffix not in _SUFFIXES:
            raise InputError(
                f"{self.output}: a schedule is written as .json, as .xml for MSCCL, or as .goal for LogGOPSim"
            )
        if self.output is not None and operation.bound:
            raise InputError("`output`: `bound` makes no schedule; omit it")
        program = operation.schedule is not None and begins_as_xml(operation.schedule)
        if program and self.output is not None and Path(self.output).suffix != ".goal":
            raise InputError(f"{self.output}: a schedule of MSCCL is written as .goal only")


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
            [
                (f"{field.name}={field.default}", f"{field.description} ({field.accepts})")
                for field in described(FlitSettings)
            ]
        )


@declared(CollectiveOperation, Threads, _Output, sections=_sections)
def command(operation: CollectiveOperation, threads: Threads, to: _Output) -> None:
    to.check(operation)
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
        rows.append(("cut", f"{amount(bound.cut_gbps, 6)} Gb/s leave {where}"))
    if bound.bandwidth_s:
        rows.append(("per rank", f"{amount(bound.bus_gbps, 6)} Gb/s"))
    if bound.reached_s is None:
        rows.append(("reached", "not known"))
    else:
        how = "the exact minimum" if bound.exact else f"{_time(bound.reached_s)} is known to be enough"
        rows.append(("reached", f"bytes alone: {how}"))
    return rows


def _of_schedule(result: "Collective") -> list[tuple[str, str]]:
    from topoloom.simulation.applications.schedule_run import head_of_line_text
    from topoloom.simulation.collectives.msccl_program import MscclProgram

    paths = "its own paths" if result.paths == "own" else f"the paths of the tables ({result.engine})"
    rows = [("schedule", f"{_of_algorithm(result)}, {paths}")]
    if isinstance(result.schedule, MscclProgram):
        rows += _of_program(result.schedule, result)
    if result.trees:
        rows.append(("trees", f"{result.trees}, {result.depth} messages deep, {result.pieces} pieces per message"))
    if result.fullest_s is not None:
        rows.append(("fullest channel", _time(result.fullest_s)))
    share = result.head_of_line_share
    omitted = [("omitted", f"packets and buffers; {head_of_line_text(share)}")] if share is not None else []
    return [
        *rows,
        ("simulated", f"{_time(result.seconds)}, {100 * result.gap:.1f} % over the bound"),
        ("simulation", f"{result.provenance.settings['simulator']}, {result.messages:,} messages"),
        *omitted,
    ]


def _of_algorithm(result: "Collective") -> str:
    from topoloom.simulation.collectives.port_rings import RINGS

    if result.algorithm != RINGS:
        return result.algorithm
    return f"{result.algorithm}, {result.trees // max(1, result.ranks)} at once"


def _of_program(program: "MscclProgram", result: "Collective") -> list[tuple[str, str]]:
    """Return what the check of a program says, and where the executor would not select it."""
    from topoloom.simulation.collectives.msccl_check import check_msccl

    places = [
        text for text, stated in (("in place", program.in_place), ("out of place", program.out_of_place)) if stated
    ]
    order = "in any order of blocks" if check_msccl(program).ordered else "the order of blocks is not checked: too many"
    steps = max(len(block.steps) for blocks in program.blocks for block in blocks)
    blocks = max(map(len, program.blocks))
    times = "once" if result.pieces == 1 else f"{result.pieces} times"
    rows = [
        ("checked", f"{program.operation} is right on all ranks, {' and '.join(places)}; {order}"),
        ("program", f"{blocks} blocks per rank, {steps} steps per block, {result.depth} messages deep, run {times}"),
    ]
    least, most = program.bytes_from, program.bytes_to
    if (least is not None and result.bytes < least) or (most is not None and result.bytes > most):
        rows.append(("not selected", f"MSCCL runs it for {least or 0:,} to {most or 0:,} bytes, not {result.bytes:,}"))
    return rows


def _time(seconds: float) -> str:
    from topoloom.simulation.applications.app_runs import short_value

    return short_value(seconds, "s")


def _write(result: "Collective", path: str, as_json: bool) -> None:
    """Write the schedule to a file, in the format of its suffix."""
    from topoloom.core.files import write_atomically
    from topoloom.simulation.applications.schedules import schedule_of_program
    from topoloom.simulation.collectives.msccl import msccl_xml, over_limits
    from topoloom.simulation.collectives.msccl_messages import schedule_of_msccl
    from topoloom.simulation.collectives.msccl_program import MscclProgram
    from topoloom.simulation.workloads.goal import save_goal

    schedule = result.schedule
    if isinstance(schedule, MscclProgram):
        save_goal(schedule_of_msccl(schedule, result.bytes, result.pieces), path)
        say(f"wrote {path}", err=as_json)
        return
    if schedule is None or (not schedule.trees and schedule.ranks > 1):
        raise InputError(f"{path}: {result.ranks} ranks exchange too many messages for a file; take fewer ranks")
    if Path(path).suffix == ".json":
        schedule.save(path)
    elif Path(path).suffix == ".goal":
        save_goal(schedule_of_program(schedule), path)
    else:
        write_atomically(path, msccl_xml(schedule))
        over = over_limits(schedule)
        if over:
            say(f"{path} exceeds the limits of MSCCL's executor for NCCL: {over}", err=True)
    say(f"wrote {path}", err=as_json)
