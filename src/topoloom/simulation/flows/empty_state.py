"""The initial state of a simulation of flows, and room for more messages."""

import numpy as np

from topoloom.core.allowance import free_bytes
from topoloom.core.errors import InputError
from topoloom.simulation.flows.state import BEHIND, READY, ROOM, SPANS, WINDOW, FlowNetwork, State

#: Memory of a message per channel of its path: `State.path`, `weight`, `next` and `back`.
_BYTES_PER_CHANNEL = 20


def empty_state(
    fabric: FlowNetwork, at: np.ndarray, most: int, window: float, requests: int = 0, labels: int = 1, groups: int = 0
) -> State:
    """Return a simulation at its beginning, without messages.

    Parameters
    ----------
    fabric : FlowNetwork
    at : int64[ranks]
        Where the operations of each rank, or of each CPU of a schedule, begin.
    most : int
        The number of resources on the longest path.
    window : float
        As for `simulate_flows`.
    requests, labels, groups : int
        The requests of a rank, the labels of time, and the groups of ranks.

    Returns
    -------
    State
        The state with room for some messages; `with_room` adds more.

    Raises
    ------
    InputError
        Messages that split need more memory than is free.
    """
    n, r, m = at.size, fabric.capacity.size, 2 * at.size + 64
    # A power of two, so that a shift of a node's number gives that of its flow.
    most = 1 << (most - 1).bit_length()
    nodes = fabric.group.shape[0] * fabric.group.shape[1] if fabric.split else 1
    if fabric.split:
        _check_room(m, most)
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
        sender_wait=np.zeros(m, whole),
        receiver_wait=np.zeros(m, whole),
        hops=np.zeros(m, short),
        after=np.zeros(m, short),
        left=np.zeros(m),
        rate=np.zeros(m),
        since=np.zeros(m),
        started=np.zeros(m),
        fair=np.zeros(m),
        path=np.zeros((m, most), short),
        weight=np.ones(m * most if fabric.split else 1),
        next=np.zeros(m * most, short),
        back=np.zeros(m * most, short),
        neck=np.full(m, -1, short),
        flow_mark=np.zeros(m, short),
        is_fresh=np.zeros(m, np.int8),
        crowd=np.tile(np.array([-1, 0], short), (r, 1)),
        mark=np.zeros(r, short),
        open=np.zeros(r, short),
        is_dirty=np.zeros(r, np.int8),
        weigh=np.zeros(r),
        share=np.stack([fabric.capacity, *np.zeros((3, r))], axis=1),
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
        affected=np.zeros(m, short),
        channels=np.zeros(r, short),
        turn=np.zeros(len(fabric.port), whole),
        fate=np.zeros(nodes, np.uint8),
        node=np.zeros(nodes, whole),
        trail=np.zeros(nodes, whole),
        tried=np.zeros(nodes, whole),
        part=np.zeros(nodes),
        late=np.zeros(nodes),
        here=np.zeros(groups, whole),
        here_at=np.zeros(groups, whole),
        gathered=np.zeros(n, short),
        is_gathered=np.zeros(n, np.int8),
        pace=np.zeros((n, 4)),
        way=np.full((n, most + 2), -1, short),
        part_bytes=np.zeros(n),
        ahead=np.full((r, 2), -1, short),
        counter=np.zeros(SPANS + 1, whole),
        clock=np.zeros(BEHIND + 1),
    )
    state.counter[READY], state.counter[ROOM] = n, m
    state.clock[WINDOW] = window
    return state


def _check_room(messages: int, most: int) -> None:
    """Refuse messages that split over up to `most` channels where memory is too small for them."""
    needed, free = _BYTES_PER_CHANNEL * messages * most, free_bytes()
    if free is not None and needed > free:
        raise InputError(
            f"{messages:,} messages that split over up to {most:,} channels need {needed / 1e9:,.1f} GB of memory, and"
            f" {free / 1e9:,.1f} GB are free; use hashes (flows:split=hash), or fewer ranks"
        )


#: The arrays with one row per message; `with_room` extends them.
_BY_MESSAGE = (
    *(
        "source",
        "goal",
        "tag",
        "phase",
        "sender_wait",
        "receiver_wait",
        "hops",
        "after",
        "left",
        "rate",
        "since",
        "started",
        "fair",
    ),
    *("path", "neck", "flow_mark", "is_fresh", "room", "fresh", "affected", "order", "position", "key"),
)


def with_room(state: State) -> State:
    """Return the state with room for twice as many messages; as for `empty_state`, memory may be too small for splits."""
    m, most = state.path.shape
    if state.weight.size > 1:
        _check_room(m, most)
    changed = {}
    for name in _BY_MESSAGE:
        old = getattr(state, name)
        more = np.full((m, *old.shape[1:]), -1 if name == "position" else 0, old.dtype)
        changed[name] = np.concatenate([old, more])
    for name in ("next", "back", *(("weight",) if state.weight.size > 1 else ())):
        old = getattr(state, name)
        changed[name] = np.concatenate([old, np.ones(m * most, old.dtype)])
    # Free messages form a stack; new ones are put on top.
    free = int(state.counter[ROOM])
    changed["room"][free : free + m] = np.arange(2 * m - 1, m - 1, -1)
    state.counter[ROOM] += m
    return state._replace(**changed)
