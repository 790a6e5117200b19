"""The verb `simulate_plan`: what ranks do on a fabric, message by message, with max-min fair rates."""

import time
from dataclasses import dataclass

import numpy as np

from topoloom.errors import InputError
from topoloom.flows.fabric import longest_path
from topoloom.flows.plan import Laid, Plan, laid
from topoloom.flows.state import (
    COMPUTE,
    EVENTS,
    FILLINGS,
    HURRY,
    MESSAGES,
    READY,
    ROOM,
    STEPS,
    WINDOW,
    Fabric,
    Program,
    State,
)
from topoloom.work import Work

#: Events between two looks at the clock and at who wants to stop.
_EVENTS = 100_000
#: A window of more than a message's time says nothing of rates any more.
_WIDEST = 1.0


@dataclass(frozen=True, eq=False)
class FlowTimes:
    """What came of a plan.

    Attributes
    ----------
    seconds : float
        Until the last rank is done.
    finished : float64[ranks]
        When each is.
    spent : float64[ranks, labels]
        Seconds in the operations of each of the plan's labels.
    computed : float64[ranks]
        Operations.
    carried : float64[channels]
        Bytes, in the order of `Routing.channels`.
    messages, fillings : int
        Messages that were sent, and how often rates were worked out anew.
    cpu_s : float
        That the simulation took.
    """

    seconds: float
    finished: np.ndarray
    spent: np.ndarray
    computed: np.ndarray
    carried: np.ndarray
    messages: int
    fillings: int
    cpu_s: float


def simulate_plan(
    fabric: Fabric,
    plan: Plan,
    homes: np.ndarray,
    *,
    flops: float = 1e11,
    window: float = 0.0,
    detached_bytes: float = 65536.0,
    eager_bytes: float = 0.0,
    longest: int | None = None,
    work: Work | None = None,
) -> FlowTimes:
    """Simulate what ranks do.

    A message travels when it is both sent and awaited. Its delays pass first, then it takes its max-min fair rate until all its
    bytes are there; then both ranks go on. Rates change when a message takes up or gives back some.

    Parameters
    ----------
    fabric : Fabric
        The network (`fabric_of`).
    plan : Plan
    homes : int64[ranks]
        The host of each rank.
    flops : float
        Operations a second of a rank.
    window : float
        0: exact, event by event. Else rates that a message changes may be out of date for this share of a message's mean
        time (the harmonic mean of the last thousand), after which they are worked out for all at once; 0 to 1. Meanwhile a new
        message takes what is free on its path, or an even share.
    detached_bytes : float
        A send of fewer bytes returns at once.
    eager_bytes : float
        A message of fewer bytes travels before it is awaited.
    longest : int, optional
        Channels on the longest path, where the caller knows; else all tables are followed for it.
    work : Work, optional
        Told of operations and steps of collectives that are done.

    Returns
    -------
    FlowTimes

    Raises
    ------
    InputError
        Ranks that wait for each other for ever; a window out of range.
    Stopped
        `work` was stopped.

    Notes
    -----
    O(log ranks + path) for a message that meets nobody on full channels; one that does costs the flows that it reaches, or
    with a window 1 / window fillings of all flows in the time of a message.
    """
    from topoloom.flows.kernels.ranks import DONE, FULL, STUCK, run

    check_window(window)
    work = Work() if work is None else work
    homes = np.asarray(homes, np.int64)
    arrays = laid(plan)
    program = _program(arrays, plan, homes, flops, detached_bytes, eager_bytes)
    most = longest_path(fabric, homes) if longest is None else longest
    state = _state(fabric, plan, most + 2, window)
    begin = time.process_time()
    work.begin(arrays.steps, "operations")
    while True:
        end = run(fabric, program, state, _EVENTS)
        work.reach(float(state.counter[STEPS]))
        if end == DONE:
            break
        if end == STUCK:
            raise InputError(_stuck(plan, program, state))
        if end == FULL:
            state = with_room(state)
        work.check()
    computes = np.where(arrays.code == COMPUTE, arrays.amount, 0.0)
    totals = np.array([computes[a:b].sum() for a, b in zip(arrays.first[:-1], arrays.first[1:], strict=True)])
    return FlowTimes(
        seconds=float(state.finished.max()),
        finished=state.finished,
        spent=state.spent,
        computed=totals[plan.of],
        carried=state.carried,
        messages=int(state.counter[MESSAGES]),
        fillings=int(state.counter[FILLINGS]),
        cpu_s=time.process_time() - begin,
    )


def check_window(window: float) -> None:
    """Refuse a window that says nothing of rates.

    Raises
    ------
    InputError
        It is below 0, or longer than a message.
    """
    if not 0 <= window <= _WIDEST:
        raise InputError(f"window={window:g}: give 0, which is exact, to {_WIDEST:g} times the time of a message")


def _stuck(plan: Plan, program: Program, state: State) -> str:
    waiting = np.flatnonzero(state.finished < 0)
    rank = int(waiting[0])
    done = int(state.at[rank] - program.first[plan.of[rank]])
    return (
        f"{plan.name}: {waiting.size} of {plan.ranks} ranks wait for ever, rank {rank} at its operation {done + 1}; a send or"
        " a receive that it needs is missing"
    )


def _program(
    arrays: Laid, plan: Plan, homes: np.ndarray, flops: float, detached_bytes: float, eager_bytes: float
) -> Program:
    return Program(
        code=arrays.code,
        argument=arrays.argument,
        amount=np.where(arrays.code == COMPUTE, arrays.amount / flops, arrays.amount),
        first=arrays.first,
        of=np.asarray(plan.of, np.int64),
        group=arrays.group,
        place=arrays.place,
        member_first=arrays.member_first,
        member=arrays.member,
        home=homes,
        detached=float(detached_bytes),
        eager=float(eager_bytes),
    )


def _state(fabric: Fabric, plan: Plan, most: int, window: float) -> State:
    """All ranks at their beginning."""
    return empty_state(fabric, _firsts(plan), most, window, plan.requests, len(plan.labels))


def empty_state(fabric: Fabric, at: np.ndarray, most: int, window: float, requests: int = 0, labels: int = 1) -> State:
    """A simulation at its beginning, without a message.

    Parameters
    ----------
    fabric : Fabric
    at : int64[ranks]
        Where the operations of each rank, or of each cpu of a schedule, begin.
    most : int
        Resources on the longest path.
    window : float
        As of `simulate_plan`.
    requests, labels : int
        Of a rank.

    Returns
    -------
    State
        With room for some messages; `with_room` makes more.
    """
    n, r, m = at.size, fabric.capacity.size, 2 * at.size + 64
    # A power of two, so that a flow's number is its node's by a shift of bits.
    most = 1 << (most - 1).bit_length()
    whole, short = np.int64, np.int32
    ready = np.zeros(n + 2, whole)
    ready[:n] = np.arange(n)[::-1]
    state = State(
        at=at,
        step=np.full(n, -1),
        again=np.zeros(n, whole),
        pending=np.zeros(n, whole),
        waits=np.full(n, -1),
        began=np.zeros(n),
        finished=np.full(n, -1.0),
        request=np.zeros((n, max(1, requests)), np.int8),
        spent=np.zeros((n, labels)),
        awaited=np.full((n, 2), -1),
        sent=np.full((n, 2), -1),
        source=np.zeros(m, whole),
        goal=np.zeros(m, whole),
        tag=np.zeros(m, whole),
        phase=np.zeros(m, whole),
        teller=np.zeros(m, whole),
        listener=np.zeros(m, whole),
        hops=np.zeros(m, short),
        after=np.zeros(m, short),
        left=np.zeros(m),
        rate=np.zeros(m),
        since=np.zeros(m),
        started=np.zeros(m),
        fair=np.zeros(m),
        path=np.zeros((m, most), short),
        next=np.zeros(m * most, short),
        back=np.zeros(m * most, short),
        neck=np.full(m, -1, short),
        flow_mark=np.zeros(m, short),
        is_fresh=np.zeros(m, np.int8),
        crowd=np.tile(np.array([-1, 0], short), (r, 1)),
        mark=np.zeros(r, short),
        open=np.zeros(r, short),
        is_dirty=np.zeros(r, np.int8),
        share=np.stack([fabric.capacity, np.zeros(r)], axis=1),
        spare=np.zeros(r),
        level=np.zeros(r),
        carried=np.zeros(fabric.to.size),
        order=np.zeros(n + m, short),
        position=np.full(n + m, -1, short),
        key=np.zeros(n + m),
        rise_order=np.zeros(r, short),
        rise_position=np.full(r, -1, short),
        rise_key=np.zeros(r),
        ready=ready,
        room=np.arange(m, dtype=short)[::-1].copy(),
        dirty=np.zeros(r, short),
        fresh=np.zeros(m, short),
        found=np.zeros(m, short),
        channels=np.zeros(r, short),
        turn=np.zeros(len(fabric.port), whole),
        counter=np.zeros(EVENTS + 1, whole),
        clock=np.zeros(HURRY + 1),
    )
    state.counter[READY], state.counter[ROOM] = n, m
    state.clock[WINDOW] = window
    return state


def _firsts(plan: Plan) -> np.ndarray:
    """Where the script of each rank begins, int64[ranks]."""
    lengths = [len(script.code) for script in plan.scripts]
    first = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return np.asarray(first[plan.of])


#: What has a row a message, and what a new row holds.
_BY_MESSAGE = (
    *(
        "source",
        "goal",
        "tag",
        "phase",
        "teller",
        "listener",
        "hops",
        "after",
        "left",
        "rate",
        "since",
        "started",
        "fair",
    ),
    *("path", "neck", "flow_mark", "is_fresh", "room", "fresh", "found", "order", "position", "key"),
)


def with_room(state: State) -> State:
    """The same with room for twice as many messages."""
    m, most = state.path.shape
    changed = {}
    for name in _BY_MESSAGE:
        old = getattr(state, name)
        more = np.full((m, *old.shape[1:]), -1 if name == "position" else 0, old.dtype)
        changed[name] = np.concatenate([old, more])
    for name in ("next", "back"):
        old = getattr(state, name)
        changed[name] = np.concatenate([old, np.zeros(m * most, old.dtype)])
    # Free messages lie on top of each other; those that are new lie above.
    free = int(state.counter[ROOM])
    changed["room"][free : free + m] = np.arange(2 * m - 1, m - 1, -1)
    state.counter[ROOM] += m
    return state._replace(**changed)
