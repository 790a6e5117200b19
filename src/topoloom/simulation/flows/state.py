"""The arrays for the kernels of flows, and the codes of ranks' operations."""

from typing import NamedTuple

import numpy as np

#: Operations of ranks. `Program.argument` has columns by code; GROUP is the kind of the rank's group in which peers are
#: counted.
COMPUTE, SEND, RECV, ISEND, IRECV, WAIT, COLLECTIVE, CLOCK = range(8)
#: Columns of `Program.argument`: a collective has its algorithm in place of a message's peer, and its repetitions in place of
#: the tag.
GROUP, PEER, TAG, SLOT, LABEL = range(5)
ALGORITHM, TIMES = PEER, TAG
COLUMNS = 5

#: Algorithms of collectives by number; for their names see `collectives.ALGORITHMS`.
RING, SHIFT, XOR, DOUBLING, HALVING, GATHER, TREE, REDUCE = range(8)

#: Phases of a message: free; one of its ends is posted; it travels, still without a rate; it has a rate.
FREE, SENT, AWAITED, DELAYED, FLOWING = range(5)
#: What is notified of a message's end: nothing, the rank that blocks for it, or else the request with this number.
NOBODY, STANDING = -2, -1

#: Columns of `State.crowd` and `State.share`: fields that are used together are stored together.
HEAD, FLOWS = 0, 1
CAPACITY, USED, HELD, OWNER = range(4)
#: Columns of `Program.until`.
ENDS, LEFT = 0, 1

#: Indices into `State.counter`.
(
    READY,
    HEAP,
    ROOM,
    DIRTY,
    FRESH,
    STAMP,
    FINISHED,
    STEPS,
    MESSAGES,
    FILLINGS,
    EVENTS,
    GATHERED,
    WHOLE,
    CLASH,
    LOOK,
    LOOKED,
    SPANS,
) = range(17)
#: Indices into `State.clock`: times in seconds, WINDOW as a share of a message's mean time, HURRY the mean of 1 / the time of a
#: message, in 1 / seconds; then bytes: of collectives without events, of flows at the moments of `kernels.behind`, and of those
#: behind others.
NOW, DIRTY_SINCE, WINDOW, HURRY, ALONE, WITHIN, BEHIND = range(7)


class FlowNetwork(NamedTuple):
    """A network with its tables: n switches, c channels, h ports of hosts, r resources; in seconds and bytes per second.

    A resource is what flows share: a channel or, for half duplex, a link; then hosts' links to the network and from it.

    first : int64[n + 1]; to : int32[c]
        The channels, as in `Routing.channels`.
    ports : uint8 or uint16[rows, n]
        The port at each switch towards the hosts of a row: hosts of one switch with the same table.
    resource : int64[c + 2 h]
        The resource of each channel, of each port's link to its switch, and of each link from it.
    delay : float64[c]
        The delay of each channel's cable and the switch after it.
    capacity : float64[r]
        The capacity of each resource.
    switch, row : int64[h]
        For each port of a host: its switch, and the row of tables that leads to it.
    port : int32[hosts, k]
        The ports of each host; a message leaves by one and arrives at the port in the same position.
    sent_from : int32[h]
        For a port that only one path reaches: the port by which all messages to it leave; else -1.
    group : int32[states, n, n]; member : int64[groups + 1]; member_port : uint16[k]; member_state : uint8[k]
        Next-hop groups, as in `choices.NextHopGroups`, which messages then follow in place of `ports`; without states: none.
    split : int
        1: every message splits evenly at every group; 0: it takes one member, by a hash of its ranks.
    hash_seed : int
        The seed of these hashes.
    host_delay : float
        The delay of both hosts' links and the first switch.
    inside_rate, inside_delay : float
        The rate and the delay between ranks of one host.
    top : float
        The highest rate of a flow.
    """

    first: np.ndarray
    to: np.ndarray
    ports: np.ndarray
    resource: np.ndarray
    delay: np.ndarray
    capacity: np.ndarray
    switch: np.ndarray
    row: np.ndarray
    port: np.ndarray
    sent_from: np.ndarray
    group: np.ndarray
    member: np.ndarray
    member_port: np.ndarray
    member_state: np.ndarray
    split: int
    hash_seed: int
    host_delay: float
    inside_rate: float
    inside_delay: float
    top: float


class Program(NamedTuple):
    """The operations of ranks, with one program per class of ranks.

    code : int64[k]; argument : int64[k, 5]; amount : float64[k]
        The operations of all classes, one class after the other; an amount is bytes, or seconds for COMPUTE.
    first : int64[classes + 1]; of : int64[ranks]
        Where each class begins, and the class of each rank.
    group, place : int64[ranks, kinds]
        The group of each rank for each kind, and the rank's number in it.
    member_first : int64[groups + 1]; member : int64[...]
        The ranks of each group.
    home : int64[ranks]
        The host of each rank.
    until : int64[k, 2]
        Where the consecutive collectives of one group end that begin with this operation, and that may be computed as
        `kernels.undisturbed` does (0: none); and how many of their last steps need events nevertheless.
    detached, eager : float
        A send of fewer bytes returns at once; a message of fewer bytes travels before its receive is posted.
    """

    code: np.ndarray
    argument: np.ndarray
    amount: np.ndarray
    first: np.ndarray
    of: np.ndarray
    group: np.ndarray
    place: np.ndarray
    member_first: np.ndarray
    member: np.ndarray
    home: np.ndarray
    until: np.ndarray
    detached: float
    eager: float


class State(NamedTuple):
    """The state of a simulation, with a row per rank, message (m) or resource (r).

    at, step, again, pending, waits : int64[ranks]
        The operation, its step (-1: not begun), its repetition, messages it blocks for, the request it waits for.
    began, finished : float64[ranks]
        When the current operation began, and when the rank ended (-1: not yet).
    request : int8[ranks, slots]
        1 while in use.
    spent : float64[ranks, labels]
        Seconds of each label's operations.
    awaited, sent : int64[ranks, 2]
        The first and last message posted on one side only, by the receiving rank.
    source, goal, tag, phase, sender_wait, receiver_wait : int64[m]; hops, after : int32[m]
        Ranks, tag and phase, what is notified at either end (see NOBODY), resources on its path, and the next message in a
        queue.
    left, rate, since, started, fair : float64[m]
        Bytes left, the rate, the time of both values, when the message began, and the new rate while it is computed.
    path : int32[m, most]
        The resources on each path, or on all paths of a message that splits.
    weight : float64[m * most], or float64[1] without splits
        The share of its rate that a message has on each of them, by m * most + position; else 1.
    next, back : int32[m * most]
        Links of the list of a resource's flows, by m * most + position on the path; -1 ends it in either direction.
    neck : int32[m]
        The bottleneck of a flow: a full resource where no flow is faster; -1 for a flow at the top rate.
    flow_mark : int32[m]; is_fresh : int8[m]
        The last filling that affected a flow (negative: added, and not filled yet); whether it is in `fresh`.
    crowd : int32[r, 2]; share : float64[r, 4]
        The first flow of a resource and their number; its capacity and the used part, in bytes per second (0 only without
        flows), and until when, and by which operation, it is held by a collective without events.
    mark, open : int32[r]; weigh, spare, level : float64[r]
        Marks of a filling, flows without a rate, their weights together, the capacity left for them, and the share at which it
        is full (-1: not full).
    carried : float64[c]
        The bytes carried by each channel.
    order, position : int32[ranks + m]; key : float64[ranks + m]
        A heap of the next events: ranks that compute, and messages; keys by place.
    rise_order, rise_position : int32[r]; rise_key : float64[r]
        A heap of resources, by the even share of each flow; keys by place.
    ready : int64[ranks + 2]; room, fresh, affected : int32[m]; dirty, channels : int32[r]; is_dirty : int8[r]
        Ranks that can continue; free messages; new flows, flows to fill, and resources with outdated rates; scratch of a
        filling.
    turn : int64[hosts]
        The number of messages that each host has sent over the network, which use its ports in turn.
    fate : uint8[nodes]; node, trail, tried : int64[nodes]; part, late : float64[nodes]
        Scratch of a message that splits, by state and switch: as `verification.kernels.groups.nodes_from`; its share there, and
        the delay from there on. One node without splits.
    here, here_at : int64[groups]; gathered : int32[ranks]; is_gathered : int8[ranks]
        Ranks that have begun the same collective at this moment: their number and the operation by group; their list.
    pace : float64[ranks, 4]; way : int32[ranks, most + 2]; part_bytes : float64[ranks]
        Times of a rank in a collective without events, the path of its last message, and the parts of a ring's vector.
    ahead : int32[r, 2]
        Two bottlenecks farther on of flows on a resource; scratch of `kernels.behind`, -1 between calls.
    counter : int64[17]; clock : float64[7]
    """

    at: np.ndarray
    step: np.ndarray
    again: np.ndarray
    pending: np.ndarray
    waits: np.ndarray
    began: np.ndarray
    finished: np.ndarray
    request: np.ndarray
    spent: np.ndarray
    awaited: np.ndarray
    sent: np.ndarray
    source: np.ndarray
    goal: np.ndarray
    tag: np.ndarray
    phase: np.ndarray
    sender_wait: np.ndarray
    receiver_wait: np.ndarray
    hops: np.ndarray
    after: np.ndarray
    left: np.ndarray
    rate: np.ndarray
    since: np.ndarray
    started: np.ndarray
    fair: np.ndarray
    path: np.ndarray
    weight: np.ndarray
    next: np.ndarray
    back: np.ndarray
    neck: np.ndarray
    flow_mark: np.ndarray
    is_fresh: np.ndarray
    crowd: np.ndarray
    mark: np.ndarray
    open: np.ndarray
    is_dirty: np.ndarray
    weigh: np.ndarray
    share: np.ndarray
    spare: np.ndarray
    level: np.ndarray
    carried: np.ndarray
    order: np.ndarray
    position: np.ndarray
    key: np.ndarray
    rise_order: np.ndarray
    rise_position: np.ndarray
    rise_key: np.ndarray
    ready: np.ndarray
    room: np.ndarray
    dirty: np.ndarray
    fresh: np.ndarray
    affected: np.ndarray
    channels: np.ndarray
    turn: np.ndarray
    fate: np.ndarray
    node: np.ndarray
    trail: np.ndarray
    tried: np.ndarray
    part: np.ndarray
    late: np.ndarray
    here: np.ndarray
    here_at: np.ndarray
    gathered: np.ndarray
    is_gathered: np.ndarray
    pace: np.ndarray
    way: np.ndarray
    part_bytes: np.ndarray
    ahead: np.ndarray
    counter: np.ndarray
    clock: np.ndarray


#: Indices into `ScheduleState.counter`: operations that are ready, that were processed, that are done; lengths of lists.
READY_COUNT, SEEN, OVER, STARTING, COMPUTING = range(5)


class ScheduleState(NamedTuple):
    """The state of a running schedule: k operations of n ranks, w = n cpus CPUs, and b lists of messages (n, or a power of
    two).

    kind : uint8[k]; peer, rank : int32[k]; amount : float64[k]; tag : int64[k]; cpu, nic : uint8[k]
        As in `Operations`; amounts of computing are in the simulator's unit of time.
    done_first, start_first : int64[k + 1]; done_next, start_next : int32[...]
        As in `Operations`.
    needs : int32[k]
        How many operations each operation still waits for.
    after, partner, phase : int32[k], int32[k], uint8[k]
        The next in a list; the receive that matches a send (-1: none); POSTED and other phases of `kernels.order`.
    ready, starting : int32[k]; computing : int32[w]
        Operations in the order of readiness; sends and CPUs that start, until the simulator takes them.
    jobs : int32[w, 2]; busy : int32[w]
        The first and last operation that waits for a CPU; the operation that it computes, -1: none.
    awaited, sent : int32[b, 2]
        The first and last waiting receive, and posted send.
    working : int32[n]; since, worked, finished : float64[n]
        The computing CPUs of a rank, since when at least one computes, the total of such time, and when its last operation
        ended.
    counter : int64[5]
    cpus : int
    picky : int
        1: no receive matches any rank or tag, so that lists are by both.
    detached, eager : float
        As in `Program`.
    """

    kind: np.ndarray
    peer: np.ndarray
    rank: np.ndarray
    amount: np.ndarray
    tag: np.ndarray
    cpu: np.ndarray
    nic: np.ndarray
    done_first: np.ndarray
    done_next: np.ndarray
    start_first: np.ndarray
    start_next: np.ndarray
    needs: np.ndarray
    after: np.ndarray
    partner: np.ndarray
    phase: np.ndarray
    ready: np.ndarray
    starting: np.ndarray
    computing: np.ndarray
    jobs: np.ndarray
    busy: np.ndarray
    awaited: np.ndarray
    sent: np.ndarray
    working: np.ndarray
    since: np.ndarray
    worked: np.ndarray
    finished: np.ndarray
    counter: np.ndarray
    cpus: int
    picky: int
    detached: float
    eager: float
