"""Schedules on routers: messages divided into packets, and operations that start after their arrival."""

import numpy as np

from topoloom.core.compiling.decorators import inner, kernel
from topoloom.simulation.flits.buffers import BEGUN, MESSAGES, THINGS, Buffers, Demand, Play, RouterNetwork
from topoloom.simulation.flits.kernels.fields import PLACE_SIZE, TRIP_LAYER, TRIP_OWNER, at
from topoloom.simulation.flits.kernels.sources import enqueue, port_of
from topoloom.simulation.flows.kernels.heap import put, take_out
from topoloom.simulation.flows.kernels.order import begin, computed, ended, go_on
from topoloom.simulation.flows.state import COMPUTING, STARTING


@kernel
def go(net: RouterNetwork, s: Buffers, demand: Demand, play: Play, c: int) -> None:
    """Process all events up to a cycle, and start the operations that they permit."""
    o, w = play.order, play.order.busy.size
    if play.counter[BEGUN] == 0:
        play.counter[BEGUN] = 1
        begin(o)
        go_on(o, 0.0)
        _start(net, s, demand, play, 0)
    while play.counter[THINGS] > 0 and play.key[0] <= c:
        item = play.heap[0]
        now = play.key[0]
        play.counter[THINGS] = take_out(play.heap, play.place, play.key, play.counter[THINGS], item)
        if item < w:
            computed(o, item, now)
        else:
            play.counter[MESSAGES] += 1
            ended(o, item - w, now)
        _start(net, s, demand, play, c)


@inner
def _start(net: RouterNetwork, s: Buffers, demand: Demand, play: Play, c: int) -> None:
    """Start CPUs that compute, and queue the packets of messages at their hosts."""
    o, w = play.order, play.order.busy.size
    for k in range(o.counter[COMPUTING]):
        cpu = o.computing[k]
        ends = c + np.ceil(o.amount[o.busy[cpu]] - 1e-9)
        play.counter[THINGS] = put(play.heap, play.place, play.key, play.counter[THINGS], cpu, ends)
    o.counter[COMPUTING] = 0
    for k in range(o.counter[STARTING]):
        i = o.starting[k]
        source, goal = play.home[o.rank[i]], play.home[o.peer[i]]
        if source == goal:
            # A message within a host takes one cycle, without the network.
            play.counter[THINGS] = put(play.heap, play.place, play.key, play.counter[THINGS], w + i, c + 1.0)
            continue
        flits = np.int64(np.ceil(max(o.amount[i], 1.0) / play.flit_bytes))
        play.to_come[i] = (flits + play.packet_flits - 1) // play.packet_flits
        while flits > 0:
            n, to = source, goal
            if play.out.size:
                n, to = np.int64(play.out[i]), np.int64(play.into[i])
            elif demand.owner.size:
                q, count = port_of(demand, s.queue, source, goal)
                if play.by_nic:
                    q = o.nic[i] % count
                n, to = np.int64(demand.ports[source * count + q]), np.int64(demand.ports[goal * count + q])
            length = flits if flits < play.packet_flits else play.packet_flits
            place = enqueue(s.pool, s.spare, s.queue, s.backlog, s.state, n, np.int64(net.home[at(to)]), c, length)
            s.round_trips[at(place * PLACE_SIZE + TRIP_OWNER)] = i
            s.round_trips[at(place * PLACE_SIZE + TRIP_LAYER)] = play.layer[i] if play.layer.size else 0
            flits -= length
            if play.unsent.size:
                # Its other packets follow one by one, alternating with those of other messages.
                play.unsent[i], flits = flits, np.int64(0)
    o.counter[STARTING] = 0


@kernel
def packet_arrived(play: Play, i: int, arrival: int) -> None:
    """Count a packet of a message as arrived; with the last one, the message ends."""
    play.to_come[i] -= 1
    if play.to_come[i] == 0:
        item = play.order.busy.size + i
        play.counter[THINGS] = put(play.heap, play.place, play.key, play.counter[THINGS], item, np.float64(arrival))
