"""Packets with records that have arrived: log them, and send replies."""

import numpy as np

from topoloom.core.compiling.decorators import inner, kernel
from topoloom.simulation.flits.buffers import (
    ENDED,
    LAST_END,
    LOGGED,
    RANDOM,
    READY,
    RETURNED,
    ROUND_TRIP,
    WAITING,
    Buffers,
    Demand,
    Play,
    RouterNetwork,
)
from topoloom.simulation.flits.kernels.fields import (
    BURST_PACKETS,
    BURST_SIZE,
    HOST_SIZE,
    LOG_ARRIVAL,
    LOG_BORN,
    LOG_ENTERED,
    LOG_LENGTH,
    LOG_PORT,
    LOG_ROUTERS,
    LOG_SOURCE,
    LOG_SWITCH,
    PACKET_ASKED,
    PACKET_BORN,
    PACKET_ENTERED,
    PACKET_HOPS,
    PACKET_KIND,
    PACKET_LENGTH,
    PACKET_OWNER,
    PACKET_SIZE,
    PACKET_SOURCE,
    PACKET_WORD,
    PLACE_SIZE,
    TRIP_ASKED,
    TRIP_KIND,
    TRIP_OWNER,
    at,
)
from topoloom.simulation.flits.kernels.flits import below
from topoloom.simulation.flits.kernels.schedules import packet_arrived
from topoloom.simulation.flits.kernels.sources import enqueue, goal_of
from topoloom.throughput.traffic.traffic import LISTS

#: Indices into `Demand.loop`.
REQUEST, REPLY, SERVICE, SECOND, MISS, TRIPS, THINK, OPEN = 0, 1, 2, 3, 4, 5, 6, 7


@kernel
def send(
    net: RouterNetwork, s: Buffers, kind: int, owner: int, asked: int, source: int, goal: int, born: int, length: int
) -> None:
    """Queue a packet of the round trip that `owner` began and whose first target is `asked`."""
    place = enqueue(s.pool, s.spare, s.queue, s.backlog, s.state, source, np.int64(net.home[at(goal)]), born, length)
    s.round_trips[at(place * PLACE_SIZE + TRIP_KIND)] = kind
    s.round_trips[at(place * PLACE_SIZE + TRIP_OWNER)] = owner
    s.round_trips[at(place * PLACE_SIZE + TRIP_ASKED)] = asked


@inner
def ask_for(net: RouterNetwork, s: Buffers, demand: Demand, n: int, born: int) -> None:
    """Begin a round trip of a host."""
    goal = goal_of(LISTS, demand.first, demand.to, demand.weights, 1.0, 0, s.queue, s.state, n, net.home.size)
    send(net, s, 0, n, goal, n, goal, born, demand.loop[REQUEST])
    s.burst[at(n * BURST_SIZE + BURST_PACKETS)] += 1


@kernel
def begin_round_trips(net: RouterNetwork, s: Buffers, demand: Demand, window: int) -> None:
    """Begin as many round trips as may be in progress, at every host that has targets."""
    for n in range(net.home.size):
        if demand.first[at(n)] < demand.first[at(n + 1)]:
            for _ in range(min(window, demand.loop[TRIPS])):
                ask_for(net, s, demand, n, 0)


@inner
def answer(s: Buffers, demand: Demand, owner: int, asked: int, born: int, arrival: int) -> None:
    """Note the reply to a request with a load, which is created after its service; where too many wait, it is lost."""
    state, ring = s.state, demand.replies
    places = ring.size >> 2
    if state[WAITING] - state[READY] < places:
        line = (state[WAITING] % places) << 2
        ring[at(line)] = arrival + demand.loop[SERVICE]
        ring[at(line + 1)] = asked
        ring[at(line + 2)] = owner
        ring[at(line + 3)] = born
        state[WAITING] += 1


@kernel
def arrived(
    net: RouterNetwork, s: Buffers, demand: Demand, play: Play | None, packet: int, arrival: int, begin: int, end: int
) -> None:
    """Handle the arrival of a packet's last flit: log the packet, and send its reply."""
    packets, state = s.packets, s.state
    born = np.int64(packets[at(packet * PACKET_SIZE + PACKET_BORN)])
    if begin <= born < end and (state[LOGGED] << 3) + 8 <= s.log.size:
        line = state[LOGGED]
        s.log[at(line * HOST_SIZE + LOG_SOURCE)] = packets[at(packet * PACKET_SIZE + PACKET_SOURCE)]
        word = np.int64(packets[at(packet * PACKET_SIZE + PACKET_WORD)])
        s.log[at(line * HOST_SIZE + LOG_SWITCH)] = word >> 16
        s.log[at(line * HOST_SIZE + LOG_PORT)] = (word >> 7) & 511
        s.log[at(line * HOST_SIZE + LOG_LENGTH)] = packets[at(packet * PACKET_SIZE + PACKET_LENGTH)]
        s.log[at(line * HOST_SIZE + LOG_BORN)] = born
        s.log[at(line * HOST_SIZE + LOG_ENTERED)] = packets[at(packet * PACKET_SIZE + PACKET_ENTERED)]
        s.log[at(line * HOST_SIZE + LOG_ARRIVAL)] = arrival
        s.log[at(line * HOST_SIZE + LOG_ROUTERS)] = packets[at(packet * PACKET_SIZE + PACKET_HOPS)] + 1
        state[LOGGED] += 1
    state[LAST_END] = max(state[LAST_END], arrival)
    if play is not None:
        packet_arrived(play, np.int64(packets[at(packet * PACKET_SIZE + PACKET_OWNER)]), arrival)
    loop = demand.loop
    if loop.size:
        kind, owner, asked = (
            np.int64(packets[at(packet * PACKET_SIZE + PACKET_KIND)]),
            np.int64(packets[at(packet * PACKET_SIZE + PACKET_OWNER)]),
            np.int64(packets[at(packet * PACKET_SIZE + PACKET_ASKED)]),
        )
        if loop[OPEN]:
            if kind == 0:
                answer(s, demand, owner, asked, born, arrival)
            else:
                state[ENDED] += 1
                if begin <= born < end:
                    state[RETURNED] += 1
                    state[ROUND_TRIP] += arrival - asked
        elif kind == 0 and loop[MISS] and np.int64(below(state, RANDOM, 1 << 32)) < loop[MISS]:
            begin2, end2 = demand.back_first[at(asked)], demand.back_first[at(asked + 1)]
            second = np.int64(demand.back_to[at(begin2 + below(state, RANDOM, end2 - begin2))])
            send(net, s, 2, owner, asked, asked, second, arrival + loop[SERVICE], loop[REQUEST])
        elif kind == 0 or kind == 3:
            send(net, s, 1, owner, asked, asked, owner, arrival + loop[SERVICE], loop[REPLY])
        elif kind == 2:
            word = np.int64(packets[at(packet * PACKET_SIZE + PACKET_WORD)])
            ports = net.host_at.size // (s.active.size // s.fresh.size)
            here = np.int64(net.host_at[at((word >> 16) * ports + ((word >> 7) & 511))])
            send(net, s, 3, owner, asked, here, asked, arrival + loop[SECOND], loop[REPLY])
        else:
            state[ENDED] += 1
            if np.int64(s.burst[at(owner * BURST_SIZE + BURST_PACKETS)]) < loop[TRIPS]:
                ask_for(net, s, demand, owner, arrival + loop[THINK])
