"""The arrays of a simulation for the compiled kernels: constant data, changing data, and rules."""

from typing import NamedTuple

import numpy as np

from topoloom.simulation.flows.state import ScheduleState

#: Indices into `Buffers.state`: free places of the pool, hosts with waiting packets, the next host that makes a packet, the
#: random stream, flits that left a router, the cycle, first free packet record, next event of a trace.
FREE, BACKLOG, NEXT, RANDOM, HOPS, TIME, RECORD, EVENT = 0, 1, 2, 3, 4, 5, 6, 7
#: For packets created in the window: packets made and arrived, the sums of latency, routers, and cycles before leaving the
#: host.
MADE, DONE, LATENCY, ROUTERS, WAITED = 8, 9, 10, 11, 12
#: Flits that arrived and that entered, at any time; packets logged; round trips ended; when the last packet of a trace or a
#: trip arrived; hosts in a burst; packets in the network.
FLITS, INJECTED, LOGGED, ENDED, LAST_END, BURSTS, INSIDE = 13, 14, 15, 16, 17, 18, 19
#: A move of an adaptive function that is not allowed, in five places: 1 + switch (0: none), destination, class, port, next
#: class.
WRONG = 20
#: Grants of an allocator that are no matching: 1 + 2 * switch, and 1 more for those of the switch; 0: none.
UNMATCHED = 25
#: Replies with a load: the first and the one after the last in the ring, those measured, and the sum of their round trips.
READY, WAITING, RETURNED, ROUND_TRIP = 26, 27, 28, 29
#: The last period of the calendar whose late arrivals have been entered.
PERIOD = 30

#: What packets choose: nothing, any shortest path (drawn, or the shorter queue of two), paths with an escape, detours,
#: members of groups, what a function of one's own says. A function with an escape is ESCAPE.
TABLES, ANY, SHORTER, ESCAPE, DETOUR, GROUPS, OWN = 0, 1, 2, 3, 4, 5, 6
#: Where the virtual channel comes from: the table, the hop, the packet.
IN_TABLE, BY_HOP, BY_PACKET = 0, 1, 2


class RouterNetwork(NamedTuple):
    """The constant data. Port p of switch r has index r * ports + p, with as many ports as VC words have slots for.

    Attributes
    ----------
    outputs : uint8 or uint16[layers * n * n]
        By layer, switch and destination: the output class, port << log2(slots) | first VC.
    vc : uint8[layers * n * n] or empty
        By layer, source and destination: a packet's virtual channel.
    home : int32[hosts]
        Each host's word: switch << 16 | port << 7.
    host_at : int32[ports]
        The host of each port, -1: none.
    distance : uint8[n * n] or empty
        The hops between switches.
    near : int64[n * n * k] or empty
        By switch and destination: the ports on a shortest path, as bits of k words. For next-hop groups: the place in this
        array of the group by state, switch and destination (0: none), then the places of the groups' first members, then the
        members as port << 8 | next state.
    allowed : int64[n * n] or empty
        By source and destination: the layers that a packet may take, as bits.
    layer_at : int64[n * ports] or empty
        The layer of packets to the host at each port, where it is not random; or the first layer + 2^16 * the number of layers
        among which it is drawn.
    group : int32[n] or empty
        The group of each switch; packets within a group make no detour, and detours avoid the packet's own group.
    spans : int64[VCs]
        The number of VCs of the class that begins at each VC.
    """

    outputs: np.ndarray
    vc: np.ndarray
    home: np.ndarray
    host_at: np.ndarray
    distance: np.ndarray
    near: np.ndarray
    allowed: np.ndarray
    layer_at: np.ndarray
    group: np.ndarray
    spans: np.ndarray


class Buffers(NamedTuple):
    """The changing data; for the layout see `kernels.fields` and `kernels.router`.

    `pool` has places for packets and late flits; `spare` has the numbers of free places, and the next one to use is last.
    `since` has for each VC the cycles in which its first packets arrived, or the first will have been routed; it is empty where
    nothing depends on it. `later` has the first place of the late arrivals of each period, -1: none; it is empty where no flit
    can be late.
    `routed` has the VCs whose packet has been routed when the step ends, as bits; it is empty where routing takes no time.
    `ejected` has for each host and VC the place of the oldest of `room` entries and these, the cycles in which the last flits
    left; it is empty where a host's VCs share their credits. `streams` has the random stream of each switch; it is empty where
    all draw from that of the run.
    """

    pool: np.ndarray
    spare: np.ndarray
    rec: np.ndarray
    popped: np.ndarray
    port: np.ndarray
    calendar: np.ndarray
    later: np.ndarray
    timers: np.ndarray
    since: np.ndarray
    here: np.ndarray
    more: np.ndarray
    behind: np.ndarray
    held: np.ndarray
    active: np.ndarray
    pending: np.ndarray
    unowned: np.ndarray
    asked: np.ndarray
    choosing: np.ndarray
    routed: np.ndarray
    ejected: np.ndarray
    fresh: np.ndarray
    touched: np.ndarray
    nearest: np.ndarray
    winner: np.ndarray
    tried: np.ndarray
    queue: np.ndarray
    backlog: np.ndarray
    burst: np.ndarray
    packets: np.ndarray
    round_trips: np.ndarray
    histogram: np.ndarray
    log: np.ndarray
    streams: np.ndarray
    state: np.ndarray


class Rules(NamedTuple):
    """Numbers of the configuration, all int.

    Attributes
    ----------
    switches, words, slot_bits, many, history
        Switches; words of 64 VC bits per router; log2 of the VC slots per port; 1 if packets have several flits, or records,
        and more if credits wait: (cycles of a credit + AHEAD) << many are at least a VC's credits in flight; words of a VC's
        history of sent flits, 0: one, that of short credits.
    slots, period, flits
        Cycles of the calendar less 1, a power of two less 1; log2 of the cycles of its periods; flits per packet, where packets
        have no records.
    vcs, speedup, tenths, room, spare, credit, host_credit, inject, route, hold
        VCs per port; internal steps per cycle, or, unless 0, in ten; flits per VC; the most flits in a VC such that the
        longest packet still fits; cycles of a credit, of one to a host, from a host to its router, of routing, and of the
        allocation of a VC in addition to its step.
    bound, eject, eject_trip, last_vcs
        Flits of an output queue, and of one to a host; cycles from a flit's leaving to a host until its credit; VCs that a
        packet may take to its host: all, or 1: the VC by which it arrived, and then hosts choose the VC of injection at random.
    vc_rule, width, choice, escapes, returns
        Where virtual channels come from (`IN_TABLE` ...); VCs per virtual channel; what packets choose (`TABLES` ...); VCs of
        the virtual channels that packets escape to; 1 where they may return from them.
    tries, knows, threshold, over, longest
        For detours: how many are compared; 0: queues are unknown, 1: those at the source are known, 2: all; flits by which the
        queue on the table's path may be longer; the weight of the detour's queue in 1/256, 0: hops decide; most hops, 0: any.
    whole
        1: a packet advances only where all of it has room (virtual cut-through).
    tail
        1: a VC is free again when all its credits are back (`wait_for_tail_credit`).
    most
        The most packets that wait at a host; packets beyond that are lost.
    itself
        1: uniform traffic also includes the sender itself.
    """

    switches: int
    words: int
    slot_bits: int
    many: int
    history: int
    slots: int
    period: int
    flits: int
    vcs: int
    speedup: int
    tenths: int
    room: int
    spare: int
    credit: int
    host_credit: int
    inject: int
    route: int
    hold: int
    bound: int
    eject: int
    eject_trip: int
    last_vcs: int
    vc_rule: int
    width: int
    choice: int
    escapes: int
    returns: int
    tries: int
    knows: int
    threshold: int
    over: int
    longest: int
    whole: int
    tail: int
    most: int
    itself: int


#: How a host with several ports chooses one for a packet: in turn, by a hash of the two hosts, the shortest queue.
SPREADS = ("round-robin", "hash", "least-loaded")
ROUND_ROBIN, HASH, LEAST_LOADED = 0, 1, 2


class Demand(NamedTuple):
    """The traffic of hosts.

    Attributes
    ----------
    kind : int
        0 to any host, 1 to a host of a list, 2 to all in turn (`topoloom.throughput.traffic`).
    first, to : int64[hosts + 1], int32[k]
        Each host's list.
    weights : float64[k]
        The share of a sender's packets that go to an entry of its list or one before it; empty where all entries are equal.
    pace : float64[hosts]
        The share of the busiest host's packets that each host creates; empty where all create as many.
    share : float
        The share of packets that use the lists; the others go to any host.
    load : float
        Packets (or bursts) per host and time of a flit on its port: a cycle, where all rates are the same.
    burst : float
        Mean packets per burst; 1: no bursts.
    lengths, shares : int32[k], float64[k]
        Flits per packet, and the share of packets with at most that many.
    events : int32[4 * k]
        A trace: cycle, source, destination, flits.
    owner, ports, turn : int32[endpoints], int32[hosts * k], int32[hosts]
        Hosts with k ports: the host of each endpoint, the endpoints of each host, and the port of its last packet. Empty where
        every host has one.
    spread : int
        How a packet's port is chosen: an index of `SPREADS`.
    port_rate, host_rate, to_any, due : float64[endpoints], float64[hosts], float64[hosts], float64[endpoints]
        The rate of each endpoint, and of all ports of each host, as shares of the highest; the share of its rate that a host
        sends to any host in uniform traffic; and what each endpoint has sent per rate, for turns in proportion to rates. Empty
        where all endpoints have the same rate.
    slot_cycles, slot_flits, stride : int
        Where rates differ: the fastest endpoint sends `slot_flits` flits in `slot_cycles` cycles; the order in which hosts take
        their turns, coprime with their number.
    loop : int64[8]
        Round trips; empty without them: flits of a request and of a reply; cycles of service at the first and second target;
        the share, in 2**-32, of requests that go on to a second target; trips per host; cycles that a host waits before each
        trip but the first; 1 where every packet of traffic with a load is a request, 0 else.
    replies : int64[4 * k]
        Replies that wait for the service of their request, in a ring: the cycle in which each is created, the endpoints that
        send and receive it, and the cycle in which its request was created. Empty where requests have no load.
    back_first, back_to : int64[hosts + 1], int32[k]
        The second targets of each first one.
    """

    kind: int
    first: np.ndarray
    to: np.ndarray
    weights: np.ndarray
    pace: np.ndarray
    share: float
    load: float
    burst: float
    lengths: np.ndarray
    shares: np.ndarray
    events: np.ndarray
    owner: np.ndarray
    ports: np.ndarray
    turn: np.ndarray
    spread: int
    port_rate: np.ndarray
    host_rate: np.ndarray
    to_any: np.ndarray
    due: np.ndarray
    slot_cycles: int
    slot_flits: int
    stride: int
    loop: np.ndarray
    replies: np.ndarray
    back_first: np.ndarray
    back_to: np.ndarray


#: Of `Play.counter`: entries in the heap; whether it has begun; messages that have ended.
THINGS, BEGUN, MESSAGES = range(3)


class Play(NamedTuple):
    """A schedule that runs on routers, with k operations and w CPUs.

    order : ScheduleState
        The state of the schedule; its times are cycles.
    home : int64[ranks]
        The host of each rank.
    to_come : int32[k]
        Packets of each message that have not arrived.
    heap, place : int32[w + k]; key : float64[w + k]
        Next events by cycle: CPUs that finish, and the message of send i at w + i; keys by place.
    counter : int64[3]
    flit_bytes : float
    packet_flits : int
        The most flits per packet.
    by_nic : int
        1: a message takes the port of its network interface.
    out, into : int32[k] or empty
        The endpoints by which the message of each send leaves and arrives.
    layer : int32[k] or empty
        The layer of tables that it uses.
    unsent : int64[k] or empty
        Flits of each message whose packets are not yet queued at the host; empty where all are queued from the start.
    """

    order: ScheduleState
    home: np.ndarray
    to_come: np.ndarray
    heap: np.ndarray
    place: np.ndarray
    key: np.ndarray
    counter: np.ndarray
    flit_bytes: float
    packet_flits: int
    by_nic: int
    out: np.ndarray
    into: np.ndarray
    layer: np.ndarray
    unsent: np.ndarray


class NetworkPart(NamedTuple):
    """The switches that one of several threads simulates, and its messages to the others.

    A VC that is fed from another part has a copy there, behind all VCs in `Buffers.rec` and `Buffers.popped`: the sender keeps
    its credits. A message has four numbers: a VC, and the word, birth and arrival of a flit for it; a copy, and the cycle in
    which its VC forwarded a flit; or -1 - the number of a record that is free again.

    Attributes
    ----------
    number, parts : int
        This part, and how many there are.
    first, last : int
        Its switches, without the last.
    vcs : int
        VCs of all switches: the number of the first copy.
    original, where : int32[copies]
        The VC of each copy, and the part that has it.
    copy, sender : int32[ports]
        The first of the copies of the VCs of each input port that another part feeds, -1: none; and that part.
    records : int
        Packets' records per part.
    most : int
        The most messages from one part to another while its switches are visited once.
    box, sent : int32[2 * parts * parts * most * 4], int64[2 * parts * parts * 8]
        By parity of the visit, sender and receiver: messages, and their number.
    visits : int64[parts * 8]
        Finished visits of each part.
    """

    number: int
    parts: int
    first: int
    last: int
    vcs: int
    original: np.ndarray
    where: np.ndarray
    copy: np.ndarray
    sender: np.ndarray
    records: int
    most: int
    box: np.ndarray
    sent: np.ndarray
    visits: np.ndarray
