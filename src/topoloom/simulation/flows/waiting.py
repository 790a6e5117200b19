"""The initial state of a schedule for simulators of its messages; and the reason why a schedule does not end."""

import numpy as np

from topoloom.simulation.flows.operations import ANY, CALC, RECV
from topoloom.simulation.flows.rank_operations import operation_named
from topoloom.simulation.flows.schedule import Schedule
from topoloom.simulation.flows.state import ScheduleState

#: The most lists in which messages are searched.
_MOST_LISTS = 1 << 22


def waiting_operations(schedule: Schedule, per_unit: float, detached_bytes: float, eager_bytes: float) -> ScheduleState:
    """Return a schedule before its first operation, as the kernels need it.

    Parameters
    ----------
    schedule : Schedule
    per_unit : float
        Nanoseconds per unit of the simulation's time.
    detached_bytes, eager_bytes : float
        As for `simulate_flows`.
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
    """Return whether a sent message has no receive, when nothing is in progress."""
    return bool((order.sent[:, 0] >= 0).any())


def stuck_text(schedule: Schedule, order: ScheduleState) -> str:
    """Return why a schedule does not end: a message that is sent or awaited in vain.

    Parameters
    ----------
    schedule : Schedule
    order : ScheduleState
        The state in which nothing is in progress.
    """
    s = schedule.operations
    for waiting, problem in (
        (order.awaited, "waits for a message that no rank sends"),
        (order.sent, "no rank receives"),
    ):
        left = waiting[waiting[:, 0] >= 0, 0]
        if left.size:
            operation = int(left.min())
            peer = int(s.peer[operation])
            tag = f"tag {int(s.tag[operation])}"
            partner = "any rank" if peer == ANY else f"rank {peer}"
            what = (
                f"{problem} (from {partner}, {tag})"
                if waiting is order.awaited
                else f"is a send that {problem} (to {partner}, {tag})"
            )
            return f"{schedule.name}: it does not end: {operation_named(s, operation)} {what}"
    return f"{schedule.name}: it does not end"
