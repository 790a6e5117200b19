"""Schedules as flows: messages with max-min fair rates along tables, or along paths of their own."""

import time
from dataclasses import dataclass

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.simulation.flows.empty_state import empty_state, with_room
from topoloom.simulation.flows.network import longest_walk
from topoloom.simulation.flows.operations import RECV, SEND
from topoloom.simulation.flows.programs import Laid, Programs, laid
from topoloom.simulation.flows.schedule import OwnPaths, Schedule
from topoloom.simulation.flows.state import (
    COMPUTE,
    FILLINGS,
    MESSAGES,
    STEPS,
    FlowNetwork,
    Program,
    ScheduleState,
    State,
)
from topoloom.simulation.flows.waiting import stuck_text, unreceived, waiting_operations

#: Events between two looks at the clock and at who wants to stop.
_EVENTS = 100_000
#: A window of more than a message's time says nothing of rates any more.
_WIDEST = 1.0
#: Bytes of the tables of paths of their own.
_MOST_BYTES = 1 << 30


@dataclass(frozen=True, eq=False)
class FlowTimes:
    """What came of a schedule.

    Attributes
    ----------
    seconds : float
        Until the last operation is over.
    finished : float64[ranks]
        When the last operation of each rank is.
    spent : float64[ranks, labels]
        Seconds in the operations of each label of programs; none of what is written operation by operation.
    worked : float64[ranks]
        Seconds that each rank computed, on at least one cpu.
    carried : float64[channels]
        Bytes, in the order of `Routing.channels`.
    messages, fillings : int
        Messages that were sent, and how often rates were worked out again.
    cpu_s : float
        That the simulation took.
    """

    seconds: float
    finished: np.ndarray
    spent: np.ndarray
    worked: np.ndarray
    carried: np.ndarray
    messages: int
    fillings: int
    cpu_s: float


def simulate_flows(
    fabric: FlowNetwork,
    schedule: Schedule,
    homes: np.ndarray,
    *,
    window: float = 0.0,
    detached_bytes: float = 65536.0,
    eager_bytes: float = 0.0,
    work: Work | None = None,
) -> FlowTimes:
    """Simulate a schedule.

    A message travels when it is both sent and awaited. Its delays pass first, then it takes its max-min fair rate until all its
    bytes are there; then both ranks go on. Rates change when a message takes up or gives back some.

    Parameters
    ----------
    fabric : FlowNetwork
        The network (`topoloom.simulation.flows.network.flow_network`).
    schedule : Schedule
        Programs are run as they are written down, other schedules operation by operation.
    homes : int64[ranks]
        The host of each rank. Where a schedule names several network interfaces, they are the host's ports; else messages take
        these in turn.
    window : float
        0: exact, event by event. Else rates that a message changes may be out of date for this share of a message's mean
        time (the harmonic mean of the last thousand), after which they are worked out for all at once; 0 to 1. Meanwhile a new
        message takes what is free on its path, or an even share.
    detached_bytes : float
        A send of fewer bytes returns at once.
    eager_bytes : float
        A message of fewer bytes travels before it is awaited.
    work : Work, optional
        Reports progress in finished operations, and steps of collectives.

    Raises
    ------
    InputError
        Operations that wait for ever, messages that nobody receives; a window out of range; paths beyond memory.
    Stopped
        `work` was stopped.

    Notes
    -----
    O(log ranks + path) for a message that meets nobody on full channels; one that does costs the flows that it reaches, or
    with a window 1 / window fillings of all flows in the time of a message. A receive looks through those of the same ranks
    and tag; where some receive takes any, through all that lie ready for its rank.
    """
    if not 0 <= window <= _WIDEST:
        raise InputError(f"window={window:g}: give 0, which is exact, to {_WIDEST:g} times the time of a message")
    homes, limits = np.asarray(homes, np.int64), (float(detached_bytes), float(eager_bytes))
    work = Work() if work is None else work
    if isinstance(schedule.content, Programs):
        return _programs_run(fabric, schedule.name, schedule.content, homes, window, limits, work)
    return _operations_run(fabric, schedule, homes, window, limits, work)


def _programs_run(
    fabric: FlowNetwork,
    name: str,
    programs: Programs,
    homes: np.ndarray,
    window: float,
    limits: tuple[float, float],
    work: Work,
) -> FlowTimes:
    from topoloom.simulation.flows.kernels.ranks import DONE, FULL, STUCK, run

    arrays = laid(programs, name)
    program, state = programs_before(fabric, programs, arrays, homes, window, limits)
    begin = time.process_time()
    work.begin(arrays.steps, "operations")
    while True:
        end = run(fabric, program, state, _EVENTS)
        work.reach(float(state.counter[STEPS]))
        if end == DONE:
            break
        if end == STUCK:
            raise InputError(_stuck(name, program, state))
        if end == FULL:
            state = with_room(state)
        work.check()
    computes = np.where(arrays.code == COMPUTE, arrays.amount, 0.0)
    totals = np.array([computes[a:b].sum() for a, b in zip(arrays.first[:-1], arrays.first[1:], strict=True)])
    worked = totals[programs.of] / programs.flops
    return _times(state, state.finished, state.spent, worked, begin)


def programs_before(
    fabric: FlowNetwork, programs: Programs, arrays: Laid, homes: np.ndarray, window: float, limits: tuple[float, float]
) -> tuple[Program, State]:
    """Programs before their first operation, as kernels have them.

    Parameters
    ----------
    fabric : FlowNetwork
    programs : Programs
    arrays : Laid
        Theirs.
    homes : int64[ranks]
    window : float
    limits : (float, float)
        `detached_bytes` and `eager_bytes` of `simulate_flows`.

    Returns
    -------
    Program, State
    """
    of = np.asarray(programs.of, np.int64)
    program = Program(
        code=arrays.code,
        argument=arrays.argument,
        amount=np.where(arrays.code == COMPUTE, arrays.amount / programs.flops, arrays.amount),
        first=arrays.first,
        of=of,
        group=arrays.group,
        place=arrays.place,
        member_first=arrays.member_first,
        member=arrays.member,
        home=homes,
        detached=limits[0],
        eager=limits[1],
    )
    most = longest_walk(fabric, homes) + 2
    return program, empty_state(fabric, arrays.first[of], most, window, programs.requests, len(programs.labels))


def _stuck(name: str, program: Program, state: State) -> str:
    waiting = np.flatnonzero(state.finished < 0)
    rank = int(waiting[0])
    done = int(state.at[rank] - program.first[program.of[rank]])
    return (
        f"{name}: {waiting.size} of {program.of.size} ranks wait for ever, rank {rank} at its operation {done + 1}; a send or"
        " a receive that it needs is missing"
    )


def _operations_run(
    fabric: FlowNetwork, schedule: Schedule, homes: np.ndarray, window: float, limits: tuple[float, float], work: Work
) -> FlowTimes:
    from topoloom.simulation.flows.kernels.order import begin
    from topoloom.simulation.flows.kernels.ranks import DONE, FULL, STUCK
    from topoloom.simulation.flows.kernels.schedules import run_order

    operations = schedule.operations
    order = waiting_operations(schedule, 1e9, *limits)
    whose = np.arange(homes.size)
    if schedule.paths is None:
        longest = longest_walk(fabric, homes)
    else:
        fabric, order, homes, whose = _along_paths(fabric, schedule, schedule.paths, order, homes)
        longest = max((len(way.channels) for way in schedule.paths.ways if way is not None), default=0)
    state = empty_state(fabric, np.zeros(order.busy.size, np.int64), longest + 2, window)
    began = time.process_time()
    work.begin(operations.count, "operations")
    begin(order)
    while True:
        end = run_order(fabric, order, state, homes, int(operations.nics > 1), _EVENTS)
        work.reach(float(state.counter[STEPS]))
        if end == DONE and not unreceived(order):
            break
        if end in (DONE, STUCK):
            raise InputError(stuck_text(schedule, order))
        if end == FULL:
            state = with_room(state)
        work.check()
    finished = np.zeros(schedule.ranks)
    np.maximum.at(finished, whose, order.finished)
    return _times(state, finished, np.zeros((schedule.ranks, 0)), order.worked[: schedule.ranks], began)


def _times(state: State, finished: np.ndarray, spent: np.ndarray, worked: np.ndarray, began: float) -> FlowTimes:
    return FlowTimes(
        seconds=float(finished.max()),
        finished=finished,
        spent=spent,
        worked=worked,
        carried=state.carried,
        messages=int(state.counter[MESSAGES]),
        fillings=int(state.counter[FILLINGS]),
        cpu_s=time.process_time() - began,
    )


def _along_paths(
    fabric: FlowNetwork, schedule: Schedule, paths: OwnPaths, order: ScheduleState, homes: np.ndarray
) -> tuple[FlowNetwork, ScheduleState, np.ndarray, np.ndarray]:
    """Each path becomes a port that is reached by it alone, and a rank at that port receives what comes along it.

    Returns the network with these ports, the operations with these ranks, the port of each rank, and whose it is.
    """
    kind, f, n = schedule.operations.kind, fabric, fabric.first.size - 1
    used = np.unique(paths.of[paths.of >= 0])
    ways = [way for way in (paths.ways[number] for number in used.tolist()) if way is not None]
    rows = {channels: row for row, channels in enumerate(dict.fromkeys(way.channels for way in ways))}
    if max(1, len(rows)) * n * f.ports.itemsize > _MOST_BYTES:
        raise InputError(f"{schedule.name}: {len(rows)} paths over {n} switches are too many to be simulated")
    ports, origin = np.zeros((max(1, len(rows)), n), f.ports.dtype), np.repeat(np.arange(n), np.diff(f.first))
    for channels, row in rows.items():
        passed = np.array(channels, np.int64)
        ports[row, origin[passed]] = passed - f.first[origin[passed]]
    into, none = np.array([way.into for way in ways], np.int64), np.full(f.switch.size, -1, np.int32)
    inner, leaves, comes = np.split(f.resource, [f.to.size, f.to.size + f.switch.size])
    own = f._replace(
        ports=ports,
        resource=np.concatenate([inner, leaves, leaves[into], comes, comes[into]]),
        switch=np.concatenate([f.switch, f.switch[into]]),
        row=np.concatenate([np.zeros(f.switch.size, np.int64), [rows[way.channels] for way in ways]]),
        port=np.arange(f.switch.size + used.size, dtype=np.int32)[:, None],
        sent_from=np.concatenate([none, np.array([way.out for way in ways], np.int32)]),
    )
    ranks, workers = homes.size + used.size, (homes.size + used.size) * order.cpus
    at_port = (homes.size + np.searchsorted(used, paths.of)).astype(np.int32)
    receives, sends = (kind == RECV) & (paths.of >= 0), (kind == SEND) & (paths.of >= 0)
    whose = np.arange(ranks)
    whose[at_port[receives]] = order.rank[receives]
    moved = order._replace(
        rank=np.where(receives, at_port, order.rank),
        peer=np.where(sends, at_port, order.peer),
        computing=np.zeros(workers, np.int32),
        jobs=np.full((workers, 2), -1, np.int32),
        busy=np.full(workers, -1, np.int32),
        working=np.zeros(ranks, np.int32),
        since=np.zeros(ranks),
        worked=np.zeros(ranks),
        finished=np.zeros(ranks),
    )
    home = np.concatenate([f.port[homes, 0], np.arange(f.switch.size, f.switch.size + used.size)])
    return own, moved, home.astype(np.int64), whose
