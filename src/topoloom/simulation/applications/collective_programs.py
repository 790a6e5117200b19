"""Collectives as programs of ranks, and as traces with the same messages for SimGrid."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from topoloom.core.errors import InputError
from topoloom.simulation.applications.flow_algorithms import algorithms_of
from topoloom.simulation.applications.nas.actions import TraceLines
from topoloom.simulation.applications.program import AsSchedule, Moved, RankTraces
from topoloom.simulation.applications.settings import AppSettings
from topoloom.simulation.collectives.bound import OPERATIONS as BOUNDED

if TYPE_CHECKING:
    from topoloom.simulation.applications.app_run import Measurement
    from topoloom.simulation.applications.schedule_run import ScheduleRun
    from topoloom.simulation.flows.programs import Programs, Script

#: The code of the datatype byte in SimGrid's traces.
_BYTE = 6


def mpi_collective(name: str, operation: str, ranks: int, size: int, repeats: int) -> AsSchedule:
    """Return an MPI collective by the algorithm that the settings choose, as ``alltoall.c`` and ``allreduce.c`` time it.

    Parameters
    ----------
    name : str
        A label for messages.
    operation : "alltoall" or "allreduce"
    ranks : int
    size : int
        Bytes to each rank, or bytes of the vector.
    repeats : int
    """

    def programs(settings: AppSettings) -> "Programs":
        from topoloom.simulation.flows.programs import Script, all_alike

        script = Script()
        algorithms = algorithms_of(operation, settings, name)
        if len(algorithms) == 1:
            script.collective(algorithms[0], size, times=repeats)
        else:
            for algorithm in algorithms * repeats:
                script.collective(algorithm, size)
        return all_alike(ranks, script, settings.speed_gflops * 1e9)

    def results(run: "ScheduleRun", _: AppSettings) -> "dict[str, Measurement]":
        from topoloom.simulation.applications.app_run import Measurement

        time = run.seconds / repeats
        sent = size * (ranks - 1) if operation == "alltoall" else size
        measurements = {"time": Measurement(time, "s"), "bandwidth": Measurement(sent / time, "B/s")}
        if operation == "allreduce":
            measurements["bus_bandwidth"] = Measurement(2.0 * (ranks - 1) / ranks * size / time, "B/s")
        return measurements

    return AsSchedule(programs, results)


def _rooms(group: int, ranks: int) -> None:
    if ranks % group:
        raise InputError(f"collective: group={group} must divide the ranks, {ranks}")


def _two_levels(size: float, group: int) -> list[tuple[str, float, int]]:
    """The parts of a hierarchical all-reduce: reduce-scatter in groups, all-reduce across them, all-gather in groups."""
    part = size / group
    return [("ring", size, 1), ("ring", part, 2), ("ring", part, 2), ("ring", size, 1)]


#: The parts of each operation by algorithm, as (algorithm, bytes, kind of group), from bytes, ranks of a group and ranks.
OPERATIONS: dict[str, dict[str, Callable[[float, int, int], list[tuple[str, float, int]]]]] = {
    "allreduce": {
        "ring": lambda size, group, ranks: [("ring", size, 0), ("ring", size, 0)],
        "doubling": lambda size, group, ranks: [("doubling", size, 0)],
        "halving": lambda size, group, ranks: [("halving", size, 0)],
        "hierarchical": lambda size, group, ranks: _two_levels(size, group),
    },
    "reduce-scatter": {"ring": lambda size, group, ranks: [("ring", size, 0)]},
    "allgather": {
        "ring": lambda size, group, ranks: [("ring", size, 0)],
        "doubling": lambda size, group, ranks: [("gather", size / ranks, 0)],
    },
    "alltoall": {
        "shift": lambda size, group, ranks: [("shift", size, 0)],
        "xor": lambda size, group, ranks: [("xor", size, 0)],
    },
    "moe": {"shift": lambda size, group, ranks: [("shift", size, 1), ("shift", size, 1)]},
    "broadcast": {"tree": lambda size, group, ranks: [("tree", size, 0)]},
    "pipeline": {"chain": lambda size, group, ranks: []},
}


def collective_traces(ranks: int, operation: str, algorithm: str, size: int, group: int, repeats: int) -> RankTraces:
    """Return a collective as a program of ranks, which all simulators run message by message.

    Parameters
    ----------
    ranks : int
    operation, algorithm : str
        Keys of `OPERATIONS`; the algorithm "default" is the operation's first.
    size : int
        Bytes of the vector; for ``alltoall`` and ``moe``, from each rank to each other of its group; for ``pipeline``, to the
        next.
    group : int
        Ranks per group: a node for ``hierarchical``, experts for ``moe``.
    repeats : int

    Raises
    ------
    InputError
        An algorithm that the operation does not have, a group that does not divide the ranks, or a number of ranks that must be
        a power of two and is not.
    """
    import numpy as np

    from topoloom.simulation.flows.collectives import algorithm_on
    from topoloom.simulation.flows.programs import Programs, Script

    if ranks < 2:
        raise InputError(f"collective: {ranks} rank; at least 2 are needed")
    algorithms = OPERATIONS[operation]
    chosen = next(iter(algorithms)) if algorithm == "default" else algorithm
    if chosen not in algorithms:
        raise InputError(f"collective: {operation} has no algorithm {chosen}; use {', '.join(algorithms)}")
    group = group or ranks
    _rooms(group, ranks)
    parts = algorithms[chosen](float(size), group, ranks)
    for name, _, kind in parts:
        algorithm_on(name, (ranks, group, ranks // group)[kind])
    rank = np.arange(ranks)
    groups = (np.zeros(ranks, np.int64), rank // group, rank % group)
    name = f"collective({operation},{chosen},bytes={size}{f',group={group}' if group < ranks else ''})"
    if operation == "pipeline":
        scripts = tuple(_link(number, ranks, size, repeats) for number in range(ranks))
        programs = Programs(scripts, rank, groups)
    else:
        script = Script()
        for algorithm_name, bytes_, kind in parts * repeats:
            script.collective(algorithm_name, bytes_, kind)
        programs = Programs((script,), np.zeros(ranks, np.int64), groups)
    # There is a bound for a single operation over all ranks: not for experts in groups, nor for a pipeline. An exchange of
    # experts within one group of all ranks is an all-to-all there and back.
    alone = operation in BOUNDED or (operation == "moe" and group == ranks)
    times = repeats * (2 if operation == "moe" else 1)
    moved = Moved("alltoall" if operation == "moe" else operation, size * times) if alone else None
    return RankTraces(name, ranks, lambda number: trace_text(programs, number), programs=programs, moved=moved)


def _link(number: int, ranks: int, size: int, repeats: int) -> "Script":
    """Return the script of a rank in a pipeline: it receives from the rank before and sends to the next."""
    from topoloom.simulation.flows.programs import Script

    script = Script()
    for _ in range(repeats):
        if number:
            script.receive(number - 1, room=size)
        if number + 1 < ranks:
            script.send(number + 1, size)
    return script


def trace_text(programs: "Programs", rank: int) -> str:
    """Return a rank's trace in SimGrid's format, with its collectives message by message.

    Parameters
    ----------
    programs : Programs
        Programs of collectives, sends and receives.
    rank : int
    """
    import numpy as np

    from topoloom.simulation.flows.kernels.steps import step_of, steps_of
    from topoloom.simulation.flows.state import ALGORITHM, COLLECTIVE, GROUP, PEER, SEND, TAG, TIMES

    lines, me = [f"{rank} init\n"], TraceLines(rank)
    script = programs.scripts[programs.of[rank]]
    for code, argument, amount in zip(script.code, script.argument, script.amount, strict=True):
        numbers = programs.groups[argument[GROUP]]
        members = np.flatnonzero(numbers == numbers[rank])
        if code != COLLECTIVE:
            peer, tag = int(members[argument[PEER]]), argument[TAG]
            lines.append(
                me.send(peer, tag, int(amount), _BYTE) if code == SEND else me.recv(peer, tag, int(amount), _BYTE)
            )
            continue
        place = int(np.searchsorted(members, rank))
        for _ in range(argument[TIMES]):
            for step in range(steps_of(argument[ALGORITHM], members.size)):
                to, out, source, _in = step_of(argument[ALGORITHM], step, place, members.size, amount)
                if source >= 0:
                    lines.append(me.irecv(int(members[source]), 0, int(_in), _BYTE))
                if to >= 0:
                    lines.append(me.isend(int(members[to]), 0, int(out), _BYTE))
                if source >= 0 or to >= 0:
                    lines.append(me.waitall((source >= 0) + (to >= 0)))
    return "".join([*lines, f"{rank} finalize\n"])
