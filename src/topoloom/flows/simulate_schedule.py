"""The verb `simulate_schedule`: a schedule's operations on a fabric, each when it can, messages with max-min fair rates."""

import time

import numpy as np

from topoloom.errors import InputError
from topoloom.flows.fabric import longest_path
from topoloom.flows.operations import ANY, CALC, RECV
from topoloom.flows.schedule import Schedule, place_of
from topoloom.flows.simulate import FlowTimes, check_window, empty_state, with_room
from topoloom.flows.state import FILLINGS, MESSAGES, STEPS, Fabric, Order
from topoloom.work import Work

#: Events between two looks at the clock and at who wants to stop.
_EVENTS = 100_000
#: Lists that messages are looked for in, at most.
_MOST_LISTS = 1 << 22


def simulate_schedule(
    fabric: Fabric,
    schedule: Schedule,
    homes: np.ndarray,
    *,
    window: float = 0.0,
    detached_bytes: float = 65536.0,
    eager_bytes: float = 0.0,
    work: Work | None = None,
) -> FlowTimes:
    """Simulate a schedule; messages go as `simulate_plan` has them.

    Parameters
    ----------
    fabric : Fabric
        The network (`fabric_of`).
    schedule : Schedule
    homes : int64[ranks]
        The host of each rank. Where a schedule names several network interfaces, they are the host's ports; else messages take
        these in turn.
    window, detached_bytes, eager_bytes
        As of `simulate_plan`.
    work : Work, optional
        Told of operations that are done.

    Returns
    -------
    FlowTimes
        `computed` is in seconds: how long at least one cpu of each rank computed.

    Raises
    ------
    InputError
        Operations that wait for ever, messages that nobody receives; a window out of range.
    Stopped
        `work` was stopped.

    Notes
    -----
    O(log k) for an operation, and as of `simulate_plan` for messages that meet others. A receive looks through those of the
    same ranks and tag; where some receive takes any, through all that lie ready for its rank.
    """
    from topoloom.flows.kernels.order import begin
    from topoloom.flows.kernels.ranks import DONE, FULL, STUCK
    from topoloom.flows.kernels.schedules import run_order

    check_window(window)
    work = Work() if work is None else work
    homes = np.asarray(homes, np.int64)
    order = order_of(schedule, 1e9, detached_bytes, eager_bytes)
    workers = np.zeros(order.busy.size, np.int64)
    state = empty_state(fabric, workers, longest_path(fabric, homes) + 2, window)
    began = time.process_time()
    work.begin(schedule.operations, "operations")
    begin(order)
    while True:
        end = run_order(fabric, order, state, homes, int(schedule.nics > 1), _EVENTS)
        work.reach(float(state.counter[STEPS]))
        if end == DONE and not unreceived(order):
            break
        if end in (DONE, STUCK):
            raise InputError(stuck_text(schedule, order))
        if end == FULL:
            state = with_room(state)
        work.check()
    return FlowTimes(
        seconds=float(order.finished.max()),
        finished=order.finished,
        spent=np.zeros((schedule.ranks, 0)),
        computed=order.worked,
        carried=state.carried,
        messages=int(state.counter[MESSAGES]),
        fillings=int(state.counter[FILLINGS]),
        cpu_s=time.process_time() - began,
    )


def order_of(schedule: Schedule, per_unit: float, detached_bytes: float, eager_bytes: float) -> Order:
    """A schedule before its first operation, as kernels have it.

    Parameters
    ----------
    schedule : Schedule
    per_unit : float
        Nanoseconds of a unit of the simulation's time.
    detached_bytes, eager_bytes : float
        As of `simulate_plan`.

    Returns
    -------
    Order
    """
    k, n, cpus = schedule.operations, schedule.ranks, schedule.cpus
    receives = schedule.kind == RECV
    picky = not bool(np.any((receives & (schedule.peer == ANY)) | ((schedule.kind != CALC) & (schedule.tag == ANY))))
    lists = min(_MOST_LISTS, 1 << max(4, int(receives.sum()).bit_length())) if picky else n
    amount = np.where(schedule.kind == CALC, schedule.amount / per_unit, schedule.amount)
    return Order(
        kind=schedule.kind.copy(),
        peer=schedule.peer.copy(),
        rank=schedule.rank,
        amount=amount,
        tag=schedule.tag.copy(),
        cpu=schedule.cpu.copy(),
        nic=schedule.nic.copy(),
        done_first=schedule.done_first.copy(),
        done_next=schedule.done_next.copy(),
        start_first=schedule.start_first.copy(),
        start_next=schedule.start_next.copy(),
        needs=schedule.needs,
        after=np.full(k, -1, np.int32),
        partner=np.full(k, -1, np.int32),
        phase=np.zeros(k, np.uint8),
        ready=np.zeros(k, np.int32),
        starting=np.zeros(k, np.int32),
        computing=np.zeros(n * cpus, np.int32),
        jobs=np.full((n * cpus, 2), -1, np.int32),
        busy=np.full(n * cpus, -1, np.int32),
        awaited=np.full((lists, 2), -1, np.int32),
        sent=np.full((lists, 2), -1, np.int32),
        working=np.zeros(n, np.int32),
        since=np.zeros(n),
        worked=np.zeros(n),
        finished=np.zeros(n),
        counter=np.zeros(5, np.int64),
        cpus=cpus,
        picky=int(picky),
        detached=float(detached_bytes),
        eager=np.inf if schedule.eager else float(eager_bytes),
    )


def unreceived(order: Order) -> bool:
    """Whether a message was sent that nobody has received, when nothing goes on."""
    return bool((order.sent[:, 0] >= 0).any())


def stuck_text(schedule: Schedule, order: Order) -> str:
    """Why a schedule does not end, for people: a message that is sent or awaited in vain.

    Parameters
    ----------
    schedule : Schedule
    order : Order
        When nothing goes on.

    Returns
    -------
    str
    """
    for waiting, says in ((order.awaited, "waits for a message that nobody sends"), (order.sent, "nobody receives")):
        left = waiting[waiting[:, 0] >= 0, 0]
        if left.size:
            one = int(left.min())
            peer = int(schedule.peer[one])
            told = f"tag {int(schedule.tag[one])}"
            who = "anybody" if peer == ANY else f"rank {peer}"
            what = (
                f"{says} (from {who}, {told})"
                if waiting is order.awaited
                else f"is a send that {says} (to {who}, {told})"
            )
            return f"{schedule.name}: it does not come to an end: {place_of(schedule, one)} {what}"
    return f"{schedule.name}: it does not come to an end"
