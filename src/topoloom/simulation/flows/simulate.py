"""Schedules as flows: messages with max-min fair rates along tables, or along their own paths."""

import time
from dataclasses import dataclass

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.simulation.flows.empty_state import empty_state, with_room
from topoloom.simulation.flows.network import NO_GROUPS, longest_walk
from topoloom.simulation.flows.operations import RECV, SEND
from topoloom.simulation.flows.programs import Laid, Programs, laid
from topoloom.simulation.flows.schedule import OwnPaths, Schedule
from topoloom.simulation.flows.state import (
    ALONE,
    BEHIND,
    CLASH,
    COMPUTE,
    FILLINGS,
    MESSAGES,
    STEPS,
    WITHIN,
    FlowNetwork,
    Program,
    ScheduleState,
    State,
)
from topoloom.simulation.flows.undisturbed import by_events, undisturbed
from topoloom.simulation.flows.waiting import stuck_text, unreceived, waiting_operations

#: Events between two checks of the clock and for a stop.
_EVENTS = 100_000
#: The number of disturbed collectives from which on all are computed by events.
_TRIES = 3
#: The largest window, in times of a message; beyond it, rates would be meaningless.
_WIDEST = 1.0
#: The most bytes of the tables for messages' own paths.
_MOST_BYTES = 1 << 30


@dataclass(frozen=True, eq=False)
class FlowTimes:
    """The result of a simulated schedule.

    Attributes
    ----------
    seconds : float
        The time at which the last operation ends.
    finished : float64[ranks]
        The time at which the last operation of each rank ends.
    spent : float64[ranks, labels]
        Seconds in the operations of each label of programs; empty for schedules operation by operation.
    worked : float64[ranks]
        Seconds in which each rank computed on at least one CPU.
    carried : float64[channels]
        Bytes on each channel, in the order of `Routing.channels`.
    messages, fillings : int
        The number of sent messages, and how often rates were recomputed.
    head_of_line_share : float or None
        The share of bytes that travel on a channel together with flows that wait for another one farther on (`kernels.behind`):
        among routers with small buffers they wait, too, which flows leave out. None where messages split.
    cpu_s : float
        CPU time of the simulation in seconds.
    """

    seconds: float
    finished: np.ndarray
    spent: np.ndarray
    worked: np.ndarray
    carried: np.ndarray
    messages: int
    fillings: int
    head_of_line_share: float | None
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
    """Simulate a schedule with flows.

    A message travels when it is sent and its receive is posted. First its delays pass; then it has its max-min fair rate until
    all its bytes have arrived; then both ranks continue. Rates change when a message starts or ends.

    Parameters
    ----------
    fabric : FlowNetwork
        The network (`topoloom.simulation.flows.network.flow_network`).
    schedule : Schedule
        Programs run directly, other schedules operation by operation.
    homes : int64[ranks]
        The host of each rank. Where a schedule names several network interfaces, they are the host's ports; otherwise messages
        use the ports in turn.
    window : float
        0: exact, event by event. Otherwise rates may be outdated for this share of a message's mean time (the harmonic mean of
        the last thousand), after which all are recomputed at once; 0 to 1. Meanwhile a new message uses the free capacity of
        its path, or an even share.
    detached_bytes : float
        A send of fewer bytes returns at once.
    eager_bytes : float
        A message of fewer bytes travels before its receive is posted.
    work : Work, optional
        Reports progress in finished operations, and steps of collectives.

    Raises
    ------
    InputError
        Operations that wait forever, messages without a receive; a window out of range; paths that exceed memory.
    Stopped
        `work` was stopped.

    Notes
    -----
    A message without other flows on full channels takes O(log ranks + path); otherwise it costs the flows that it affects or,
    with a window, 1 / window fillings of all flows in the time of a message. A receive searches messages with the same ranks
    and tag; if some receive matches anything, it searches all messages posted for its rank. Where all ranks of a group begin a
    collective at one moment and its messages meet no others, each takes O(path), without events (`kernels.undisturbed`).
    """
    if not 0 <= window <= _WIDEST:
        raise InputError(f"window={window:g}: it must be from 0 (exact) to {_WIDEST:g} times the time of a message")
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
    from topoloom.simulation.flows.kernels.ranks import DISTURBED, DONE, FULL, STUCK, run

    arrays, begin = laid(programs, name), time.process_time()
    until, tries = undisturbed(fabric, arrays, window), 0
    program, state = programs_before(fabric, programs, arrays, homes, window, limits, until)
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
        if end == DISTURBED:
            tries += 1
            by_events(arrays, until, int(state.counter[CLASH]) - 1, more=tries < _TRIES)
            program, state = programs_before(fabric, programs, arrays, homes, window, limits, until)
        work.check()
    computes = np.where(arrays.code == COMPUTE, arrays.amount, 0.0)
    totals = np.array([computes[a:b].sum() for a, b in zip(arrays.first[:-1], arrays.first[1:], strict=True)])
    worked = totals[programs.of] / programs.flops
    return _times(state, state.finished, state.spent, worked, begin, fabric.split)


def programs_before(
    fabric: FlowNetwork,
    programs: Programs,
    arrays: Laid,
    homes: np.ndarray,
    window: float,
    limits: tuple[float, float],
    until: np.ndarray | None = None,
) -> tuple[Program, State]:
    """Return programs before their first operation, as the kernels need them.

    Parameters
    ----------
    fabric : FlowNetwork
    programs : Programs
    arrays : Laid
        The programs as arrays.
    homes : int64[ranks]
    window : float
    limits : (float, float)
        `detached_bytes` and `eager_bytes` of `simulate_flows`.
    until : int64[k, 2], optional
        The collectives that are computed without events, as from `undisturbed`; none without it.

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
        until=np.zeros((arrays.code.size, 2), np.int64) if until is None else until,
        detached=limits[0],
        eager=limits[1],
    )
    most = longest_walk(fabric, homes) + 2
    return program, empty_state(
        fabric, arrays.first[of], most, window, programs.requests, len(programs.labels), arrays.member_first.size - 1
    )


def _stuck(name: str, program: Program, state: State) -> str:
    waiting = np.flatnonzero(state.finished < 0)
    rank = int(waiting[0])
    done = int(state.at[rank] - program.first[program.of[rank]])
    return (
        f"{name}: {waiting.size} of {program.of.size} ranks wait forever, rank {rank} at its operation {done + 1}; a matching"
        " send or receive is missing"
    )


def _operations_run(
    fabric: FlowNetwork, schedule: Schedule, homes: np.ndarray, window: float, limits: tuple[float, float], work: Work
) -> FlowTimes:
    from topoloom.simulation.flows.kernels.order import begin
    from topoloom.simulation.flows.kernels.ranks import DONE, FULL, STUCK
    from topoloom.simulation.flows.kernels.schedules import run_order

    operations = schedule.operations
    order = waiting_operations(schedule, 1e9, *limits)
    original_rank = np.arange(homes.size)
    if schedule.paths is None:
        longest = longest_walk(fabric, homes)
    else:
        fabric, order, homes, original_rank = _along_paths(fabric, schedule, schedule.paths, order, homes)
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
    np.maximum.at(finished, original_rank, order.finished)
    return _times(state, finished, np.zeros((schedule.ranks, 0)), order.worked[: schedule.ranks], began, fabric.split)


def _times(
    state: State, finished: np.ndarray, spent: np.ndarray, worked: np.ndarray, began: float, split: int
) -> FlowTimes:
    return FlowTimes(
        seconds=float(finished.max()),
        finished=finished,
        spent=spent,
        worked=worked,
        carried=state.carried,
        messages=int(state.counter[MESSAGES]),
        fillings=int(state.counter[FILLINGS]),
        head_of_line_share=_behind(state) if split == 0 else None,
        cpu_s=time.process_time() - began,
    )


def _behind(state: State) -> float:
    """Return the share of bytes behind flows that wait farther on; 0 without bytes."""
    total = float(state.clock[WITHIN] + state.clock[ALONE])
    return float(state.clock[BEHIND]) / total if total else 0.0


def _along_paths(
    fabric: FlowNetwork, schedule: Schedule, paths: OwnPaths, order: ScheduleState, homes: np.ndarray
) -> tuple[FlowNetwork, ScheduleState, np.ndarray, np.ndarray]:
    """Turn each path into a port that only this path reaches, with an extra rank that receives the path's messages.

    Returns the network with these ports, the operations with these ranks, the port of each rank, and its original rank.
    """
    kind, f, n = schedule.operations.kind, fabric, fabric.first.size - 1
    used = np.unique(paths.of[paths.of >= 0])
    ways = [way for way in (paths.ways[number] for number in used.tolist()) if way is not None]
    rows = {channels: row for row, channels in enumerate(dict.fromkeys(way.channels for way in ways))}
    if max(1, len(rows)) * n * f.ports.itemsize > _MOST_BYTES:
        raise InputError(f"{schedule.name}: {len(rows)} paths over {n} switches need too much memory")
    ports, origin = np.zeros((max(1, len(rows)), n), f.ports.dtype), np.repeat(np.arange(n), np.diff(f.first))
    for channels, row in rows.items():
        passed = np.array(channels, np.int64)
        ports[row, origin[passed]] = passed - f.first[origin[passed]]
    into, none = np.array([way.into for way in ways], np.int64), np.full(f.switch.size, -1, np.int32)
    inner, leaves, comes = np.split(f.resource, [f.to.size, f.to.size + f.switch.size])
    own = f._replace(
        ports=ports,
        group=NO_GROUPS.group,
        split=0,
        resource=np.concatenate([inner, leaves, leaves[into], comes, comes[into]]),
        switch=np.concatenate([f.switch, f.switch[into]]),
        row=np.concatenate([np.zeros(f.switch.size, np.int64), [rows[way.channels] for way in ways]]),
        port=np.arange(f.switch.size + used.size, dtype=np.int32)[:, None],
        sent_from=np.concatenate([none, np.array([way.out for way in ways], np.int32)]),
    )
    ranks, workers = homes.size + used.size, (homes.size + used.size) * order.cpus
    at_port = (homes.size + np.searchsorted(used, paths.of)).astype(np.int32)
    receives, sends = (kind == RECV) & (paths.of >= 0), (kind == SEND) & (paths.of >= 0)
    original_rank = np.arange(ranks)
    original_rank[at_port[receives]] = order.rank[receives]
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
    return own, moved, home.astype(np.int64), original_rank
