"""The arrays that the kernels of flows work on, and the codes of what ranks do."""

from typing import NamedTuple

import numpy as np

#: What a rank does next: columns of `Program.argument` by code. GROUP is which of the rank's groups peers are counted in.
COMPUTE, SEND, RECV, ISEND, IRECV, WAIT, COLLECTIVE, CLOCK = range(8)
#: Columns of `Program.argument`: a collective's algorithm stands where a message's peer does, and how often it is repeated
#: where its tag does.
GROUP, PEER, TAG, SLOT, LABEL = range(5)
ALGORITHM, TIMES = PEER, TAG
COLUMNS = 5

#: Algorithms of collectives by number; `collectives.ALGORITHMS` has their names.
RING, SHIFT, XOR, DOUBLING, HALVING, GATHER, TREE, REDUCE = range(8)

#: Of a message: free; one of its ends is posted; it travels, and takes no rate yet; it has a rate.
FREE, SENT, AWAITED, DELAYED, FLOWING = range(5)
#: Who is told of a message's end: nobody, the rank that stands still for it, or else the request of this number.
NOBODY, STANDING = -2, -1

#: Columns of `State.crowd` and of `State.share`: what is asked for together lies together.
HEAD, FLOWS = 0, 1
CAPACITY, USED = 0, 1

#: Fields of `State.counter`.
READY, HEAP, ROOM, DIRTY, FRESH, STAMP, FINISHED, STEPS, MESSAGES, FILLINGS, EVENTS = range(11)
#: Fields of `State.clock`, in seconds, but for the rate of messages' ends, which is one over them.
NOW, DIRTY_SINCE, WINDOW, HURRY = range(4)


class FlowNetwork(NamedTuple):
    """A network with its tables: n switches, c channels, h ports of hosts, r resources; seconds and bytes a second.

    A resource is what flows share: a channel or, at half duplex, a link; then hosts' links to the network and from it.

    first : int64[n + 1]; to : int32[c]
        Channels, as `Routing.channels`.
    ports : uint8 or uint16[rows, n]
        The port at each switch towards the hosts of a row: those of a switch that have the same table.
    resource : int64[c + 2 h]
        Of each channel, of each port's link to its switch, and of each from it.
    delay : float64[c]
        Of each channel's cable and the switch behind it.
    capacity : float64[r]
    switch, row : int64[h]
        Of each port of a host: its switch, and what leads to it.
    port : int32[hosts, k]
        The ports of each host; a message leaves by one and arrives at that of the same place.
    sent_from : int32[h]
        Of a port that is reached by a path of its own: the port by which all messages to it leave; else -1.
    host_delay : float
        Of a host's two links and the first switch.
    inside_rate, inside_delay : float
        Between ranks of one host.
    top : float
        No flow is faster.
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
    host_delay: float
    inside_rate: float
    inside_delay: float
    top: float


class Program(NamedTuple):
    """What ranks do, one program for each class of them.

    code : int64[k]; argument : int64[k, 5]; amount : float64[k]
        Operations, of all classes one after the other; an amount is bytes, or seconds of COMPUTE.
    first : int64[classes + 1]; of : int64[ranks]
        Where each class begins, and the class of each rank.
    group, place : int64[ranks, kinds]
        The group of each kind that a rank is in, and its number there.
    member_first : int64[groups + 1]; member : int64[...]
        The ranks of each group.
    home : int64[ranks]
        Hosts.
    detached, eager : float
        A send of fewer bytes returns at once; one of fewer bytes travels before it is awaited.
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
    detached: float
    eager: float


class State(NamedTuple):
    """A simulation; ranks, messages (m) and resources have a row each.

    at, step, again, pending, waits : int64[ranks]
        The operation, its step (-1: not begun), its repetition, messages it stands still for, the request it waits for.
    began, finished : float64[ranks]
    request : int8[ranks, slots]
        1 while running.
    spent : float64[ranks, labels]
        Seconds of each label's operations.
    awaited, sent : int64[ranks, 2]
        First and last message that is posted on one side, by the rank that receives.
    source, goal, tag, phase, teller, listener : int64[m]; hops, after : int32[m]
        Ranks, the message's state, who is told of its end, resources on its path, and the next message in a queue.
    left, rate, since, started, fair : float64[m]
        Bytes left, their rate, since when they are right, when the message began, and the new rate while it is worked out.
    path : int32[m, most]
        Resources.
    next, back : int32[m * most]
        The flows of a resource, by m * most + place on the path; back of the first is -1.
    neck : int32[m]
        The bottleneck of a flow: a full resource where nobody is faster; -1 of one that is as fast as any can be.
    flow_mark : int32[m]; is_fresh : int8[m]
        The filling that has found a flow last (less than 0: found, and not filled up yet); whether it stands in `fresh`.
    crowd : int32[r, 2]; share : float64[r, 2]
        The first flow of a resource, and how many there are; what it carries a second, and what flows take of it.
    mark, open : int32[r]; spare, level : float64[r]
        Marks of a filling, flows without a rate yet, what is left for them, and the share at which none is (-1: there is some).
    carried : float64[c]
        Bytes of each channel.
    order, position : int32[ranks + m]; key : float64[ranks + m]
        A heap of what happens next: ranks that compute, and messages.
    rise_order, rise_position : int32[r]; rise_key : float64[r]
        A heap of resources, by the share that each could give its flows.
    ready : int64[ranks + 2]; room, fresh, found : int32[m]; dirty, channels : int32[r]; is_dirty : int8[r]
        Ranks that can go on; free messages; flows and resources whose rates are out of date; room for a filling.
    turn : int64[hosts]
        Messages that each host has begun to send over the network: they take its ports in turn.
    counter : int64[11]; clock : float64[4]
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
    teller: np.ndarray
    listener: np.ndarray
    hops: np.ndarray
    after: np.ndarray
    left: np.ndarray
    rate: np.ndarray
    since: np.ndarray
    started: np.ndarray
    fair: np.ndarray
    path: np.ndarray
    next: np.ndarray
    back: np.ndarray
    neck: np.ndarray
    flow_mark: np.ndarray
    is_fresh: np.ndarray
    crowd: np.ndarray
    mark: np.ndarray
    open: np.ndarray
    is_dirty: np.ndarray
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
    found: np.ndarray
    channels: np.ndarray
    turn: np.ndarray
    counter: np.ndarray
    clock: np.ndarray


#: Fields of `ScheduleState.counter`: operations that have become ready, that were looked at, that are done; lengths of lists.
READY_COUNT, SEEN, OVER, STARTING, COMPUTING = range(5)


class ScheduleState(NamedTuple):
    """A schedule that is run: k operations of n ranks, w = n cpus workers, and b lists of messages (n, or a power of two).

    kind : uint8[k]; peer, rank : int32[k]; amount : float64[k]; tag : int64[k]; cpu, nic : uint8[k]
        As `Schedule`; amounts of computing in the unit of time of whoever simulates.
    done_first, start_first : int64[k + 1]; done_next, start_next : int32[...]
        As `Schedule`.
    needs : int32[k]
        What each operation still waits for.
    after, partner, phase : int32[k], int32[k], uint8[k]
        The next in a list; the receive that a send has met (-1: none); POSTED and the others of `kernels.order`.
    ready, starting : int32[k]; computing : int32[w]
        Operations in the order in which they could start; sends that set out and cpus that begin, until somebody takes them.
    jobs : int32[w, 2]; busy : int32[w]
        First and last operation that waits for a cpu; the one that it computes, -1: none.
    awaited, sent : int32[b, 2]
        First and last receive that waits, and send that lies ready.
    working : int32[n]; since, worked, finished : float64[n]
        Cpus of a rank that compute, since when one does, how long one did, and when its last operation ended.
    counter : int64[5]
    cpus : int
    picky : int
        1: no receive takes any rank or tag, so that lists are by both.
    detached, eager : float
        As `Program`.
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
