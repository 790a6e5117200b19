"""Operations before the first of them, as kernels have them, for whoever simulates their messages; and why they do not end."""

import numpy as np

from topoloom.simulation.flows.operations import ANY, CALC, RECV
from topoloom.simulation.flows.rank_operations import operation_named
from topoloom.simulation.flows.schedule import Schedule
from topoloom.simulation.flows.state import ScheduleState

#: Lists that messages are looked for in, at most.
_MOST_LISTS = 1 << 22


def waiting_operations(schedule: Schedule, per_unit: float, detached_bytes: float, eager_bytes: float) -> ScheduleState:
    """A schedule before its first operation, as kernels have it.

    Parameters
    ----------
    schedule : Schedule
    per_unit : float
        Nanoseconds of a unit of the simulation's time.
    detached_bytes, eager_bytes : float
        As of `simulate_flows`.

    Returns
    -------
    ScheduleState
    """
    s = schedule.operations
    k, n, cpus = s.count, s.ranks, s.cpus
    receives = s.kind == RECV
    picky = not bool(np.any((receives & (s.peer == ANY)) | ((s.kind != CALC) & (s.tag == ANY))))
    lists = min(_MOST_LISTS, 1 << max(4, int(receives.sum()).bit_length())) if picky else n
    amount = np.where(s.kind == CALC, s.amount / per_unit, s.amount)
    return ScheduleState(
        kind=s.kind.copy(),
        peer=s.peer.copy(),
        rank=s.rank,
        amount=amount,
        tag=s.tag.copy(),
        cpu=s.cpu.copy(),
        nic=s.nic.copy(),
        done_first=s.done_first.copy(),
        done_next=s.done_next.copy(),
        start_first=s.start_first.copy(),
        start_next=s.start_next.copy(),
        needs=s.needs,
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


def unreceived(order: ScheduleState) -> bool:
    """Whether a message was sent that nobody has received, when nothing goes on."""
    return bool((order.sent[:, 0] >= 0).any())


def stuck_text(schedule: Schedule, order: ScheduleState) -> str:
    """Why a schedule does not end, for people: a message that is sent or awaited in vain.

    Parameters
    ----------
    schedule : Schedule
    order : ScheduleState
        When nothing goes on.

    Returns
    -------
    str
    """
    s = schedule.operations
    for waiting, says in ((order.awaited, "waits for a message that nobody sends"), (order.sent, "nobody receives")):
        left = waiting[waiting[:, 0] >= 0, 0]
        if left.size:
            one = int(left.min())
            peer = int(s.peer[one])
            tag = f"tag {int(s.tag[one])}"
            who = "anybody" if peer == ANY else f"rank {peer}"
            what = (
                f"{says} (from {who}, {tag})"
                if waiting is order.awaited
                else f"is a send that {says} (to {who}, {tag})"
            )
            return f"{schedule.name}: it does not come to an end: {operation_named(s, one)} {what}"
    return f"{schedule.name}: it does not come to an end"
