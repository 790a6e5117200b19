"""The arrays of a simulation, as the compiled kernels take them: what stays, what changes, and the rules."""

from typing import NamedTuple

import numpy as np

from topoloom.simulation.flows.state import ScheduleState

#: Places in `Buffers.state`: free places of the pool, hosts that have packets waiting, the next host that makes a packet,
#: the random stream, flits that left a router, the cycle, first free packet record, next event of a trace.
FREE, BACKLOG, NEXT, RANDOM, HOPS, TIME, RECORD, EVENT = 0, 1, 2, 3, 4, 5, 6, 7
#: Of packets born in the window: how many were made and arrived, their latency, routers, and cycles before they left the host.
MADE, DONE, LATENCY, ROUTERS, WAITED = 8, 9, 10, 11, 12
#: Flits that arrived and that entered, at any time; packets logged; round trips ended, and when the last packet
#: of a trace or a trip arrived; hosts in a burst; packets in the network.
FLITS, INJECTED, LOGGED, ENDED, LAST_END, BURSTS, INSIDE = 13, 14, 15, 16, 17, 18, 19

#: What packets choose: nothing, any shortest path (drawn, or the shorter queue of two), paths with an escape, detours.
TABLES, ANY, SHORTER, ESCAPE, DETOUR = 0, 1, 2, 3, 4
#: Virtual channels: in the table, by hop, by packet.
IN_TABLE, BY_HOP, BY_PACKET = 0, 1, 2


class RouterNetwork(NamedTuple):
    """What stays. Port p of switch r has place r * ports + p, with as many ports as VC words have slots for.

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
        Hops.
    near : int64[n * n * k] or empty
        By switch and destination: the ports on a shortest path, as bits of k words.
    allowed : int64[n * n] or empty
        By source and destination: the layers that a packet may take, as bits.
    layer_at : int64[n * ports] or empty
        The layer by which packets go to the host in each port, where that is not drawn.
    group : int32[n] or empty
        Of each switch; packets within one make no detour, nor is a detour to one's own.
    spans : int64[VCs]
        How many VCs the class has that begins at each VC.
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
    """What changes; `kernels.fields` and `kernels.router` say how it is laid out.

    `pool` has places for flits and packets that wait, `spare` the numbers of those that are free, the next one to take last.
    """

    pool: np.ndarray
    spare: np.ndarray
    rec: np.ndarray
    popped: np.ndarray
    port: np.ndarray
    calendar: np.ndarray
    active: np.ndarray
    pending: np.ndarray
    unowned: np.ndarray
    asked: np.ndarray
    choosing: np.ndarray
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
    state: np.ndarray


class Rules(NamedTuple):
    """Numbers, all int but those said.

    Attributes
    ----------
    words, slot_bits, many, history
        Words of 64 VC bits a router; log2 of the VC slots a port; 1: packets have several flits, or records; words of a VC's
        history of flits sent on, 0: one, that of short credits.
    vcs, speedup, room, spare, credit, host_credit, inject, hold
        VCs a port; internal steps a cycle; flits a VC; flits in a VC at most beside which the longest packet has room;
        cycles of a credit, of one to a host, from a host to its router, and of the allocation of a VC beyond the step that it
        takes.
    bound, eject, last_vcs
        Flits of an output queue, and of one to a host; VCs that a packet may take to its host: all, or 1: that which it has
        come by, and then hosts draw the VC that they inject into.
    vc_rule, width, choice, escapes, returns
        How virtual channels are known (`IN_TABLE` ...); VCs a virtual channel; what packets choose (`TABLES` ...); VCs of the
        virtual channels that packets escape to; 1 where they may return from them.
    tries, knows, threshold, over, longest
        Of detours: how many are compared; 0: nothing is known of queues, 1: those at the source, 2: all; flits that the queue
        on the path of the tables may be longer; what the detour's queue counts, in 1/256, 0: hops decide; most hops, 0: any.
    whole
        1: a packet goes on only where all of it has room (virtual cut-through).
    most
        Packets that wait at a host; what is made beyond that is lost.
    itself
        1: uniform traffic goes to its own host too.
    """

    words: int
    slot_bits: int
    many: int
    history: int
    vcs: int
    speedup: int
    room: int
    spare: int
    credit: int
    host_credit: int
    inject: int
    hold: int
    bound: int
    eject: int
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
    most: int
    itself: int


#: How a host with several ports chooses one for a packet: one after the other, by the two hosts, the one with the least queue.
SPREADS = ("round-robin", "hash", "least-loaded")
ROUND_ROBIN, HASH, LEAST_LOADED = 0, 1, 2


class Demand(NamedTuple):
    """What hosts send.

    Attributes
    ----------
    kind : int
        0 to any host, 1 to one of a list, 2 to one after the other (`topoloom.throughput.traffic`).
    first, to : int64[hosts + 1], int32[k]
        Each host's list.
    share : float
        Of packets that go by the lists; the others go to any host.
    load : float
        Packets (bursts) a host and cycle.
    burst : float
        Packets a burst on average; 1: no bursts.
    lengths, shares : int32[k], float64[k]
        Flits of a packet, and the share of packets that have no more than those.
    events : int32[4 * k]
        A trace: cycle, source, destination, flits.
    owner, ports, turn : int32[endpoints], int32[hosts * k], int32[hosts]
        Hosts with k ports: the host of each endpoint, the endpoints of each host, and the port of its last packet. Empty where
        every host has one.
    spread : int
        How a packet's port is chosen, out of `SPREADS`.
    loop : int64[8]
        Round trips, empty where there are none: flits of a request and of a reply; cycles of service at the first and second
        place; the share, in 2**-32, of requests that go on to a second; trips a host; cycles
        that it waits before each but the first.
    back_first, back_to : int64[hosts + 1], int32[k]
        The second places of each first one.
    """

    kind: int
    first: np.ndarray
    to: np.ndarray
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
    loop: np.ndarray
    back_first: np.ndarray
    back_to: np.ndarray


#: Of `Play.counter`: things in the heap; whether it has begun; messages that have ended.
THINGS, BEGUN, MESSAGES = range(3)


class Play(NamedTuple):
    """A schedule running among routers: k operations, w cpus.

    order : ScheduleState
        Its times are cycles.
    home : int64[ranks]
        Hosts.
    to_come : int32[k]
        Packets of each message that have not arrived.
    heap, place : int32[w + k]; key : float64[w + k]
        What happens next: cpus that are done, and the message of send i at w + i; by cycle.
    counter : int64[3]
    flit_bytes : float
    packet_flits : int
        Of a packet, at most.
    by_nic : int
        1: a message takes the port of its network interface.
    out, into : int32[k] or empty
        The endpoints that the message of each send leaves and arrives by.
    layer : int32[k] or empty
        The layer of tables by which it goes.
    unsent : int64[k] or empty
        Flits of each message whose packets do not wait at the host yet; empty where all do from its start.
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
