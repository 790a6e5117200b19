"""Positions of fields in the flat int32 arrays of a simulation: ``rec[at(g * VC_SIZE + VC_BIRTH)]``.

Only numbers, no functions: an inlined function takes Numba long to compile, and another takes long to call.
"""

import numpy as np

#: Converts an index that is never negative, so that Numba omits the check.
at = np.uint64

#: Fields per VC, port, place of the pool, host's queue (and line of the log), host's burst, and packet's record.
VC_SIZE, PORT_SIZE, PLACE_SIZE, HOST_SIZE, BURST_SIZE, PACKET_SIZE = 16, 8, 4, 8, 4, 16
#: Fields per port of `pace`.
PACE_SIZE = 4

#: `Buffers.rec`, for VC g of all input ports: words and births of its first NEAR_PACKETS packets, two fields each; the flits of
#: the first packet that have not left, once one has; the output VC that it holds (-1: none); the VC downstream of that (-1: a
#: host), or the output class that the packet requests while it chooses; the flits sent to it but not forwarded yet, including
#: those on the wire; its packets; and the places in the pool of the first and the last of further packets.
NEAR_PACKETS = 4
VC_WORD, VC_BIRTH = 0, 1
VC_LEFT, VC_OUTPUT, VC_NEXT, VC_FLITS, VC_PACKETS, VC_FURTHER, VC_FINAL = range(2 * NEAR_PACKETS, 2 * NEAR_PACKETS + 7)
#: `Buffers.port`, for port p of all switches: the first VC downstream (-1: a host), cycles on its wire, the cycle of its last
#: departure; the round-robin positions, of inputs that request it as an output and of its VCs as an input; flits of packets
#: that have requested it, counted only where detours know all queues; flits sent, and cycles of a credit.
PORT_NEXT, PORT_WIRE, PORT_LAST, PORT_OUTPUT_TURN, PORT_INPUT_TURN, PORT_ASKED, PORT_SENT, PORT_CREDIT = range(8)
#: `pace`, for port p of all switches, in a network of several rates: cycles in which it passes a number of flits, and that
#: number (a flit takes PACE_CYCLES / PACE_FLITS cycles, exactly); when its output is free, and when its host's is, both in
#: 1 / PACE_FLITS cycles.
PACE_CYCLES, PACE_FLITS, PACE_FREE, PACE_HOST_FREE = range(4)
#: `Buffers.pool`, for a place: the next place, a packet's word and birth, and the arrival of its first flit; for a packet that
#: waits at its host, its length instead of the arrival. For a flit that arrives late: its VC as the word, and its arrival.
PLACE_NEXT, PLACE_WORD, PLACE_BIRTH, PLACE_ARRIVAL = range(4)
PLACE_LENGTH = PLACE_ARRIVAL
#: `Buffers.queue`, for a host: the places of its first and last packet, their number; the VC of the last injection; flits of
#: the first packet still to inject (0: none injected yet), the record of that packet; the position in its round of all hosts;
#: the cycle before which it has no credit.
HOST_FIRST, HOST_FINAL, HOST_COUNT, HOST_VC, HOST_LEFT, HOST_PACKET, HOST_TURN, HOST_SOON = range(8)
#: `Buffers.burst`: the cycle of a host's next packet, packets to send, their destination; entry k lists the k-th host in a
#: burst. For closed loops: the round trips that a host has begun, in place of the packets.
BURST_CYCLE, BURST_PACKETS, BURST_GOAL, BURST_HOST = range(4)
#: `Buffers.round_trips`, for a place of the pool: the kind of a packet of a closed loop (0 a request, 1 its reply, 2 a request
#: to a second target, 3 the reply to that), the host that began the trip, and its first target. For a message of a schedule:
#: its operation as the owner, and its layer of tables.
TRIP_KIND, TRIP_OWNER, TRIP_ASKED, TRIP_LAYER = range(4)
#: `Buffers.packets`, for a packet with its own record: its destination's word, its source, the cycle of its creation, the
#: switch of its detour (`NO_DETOUR`, `UNDECIDED`), hops made, whether its detour is done, flits, the cycle of its injection,
#: virtual channel, layer, whether it has escaped; then as in a round trip. A free record has the next free one in its first
#: field.
(
    PACKET_WORD,
    PACKET_SOURCE,
    PACKET_BORN,
    PACKET_VIA,
    PACKET_HOPS,
    PACKET_PHASE,
    PACKET_LENGTH,
    PACKET_ENTERED,
    PACKET_VC,
    PACKET_LAYER,
    PACKET_ESCAPED,
    PACKET_KIND,
    PACKET_OWNER,
    PACKET_ASKED,
) = range(14)
PACKET_NEXT = PACKET_WORD
NO_DETOUR, UNDECIDED = -1, -2
#: `Buffers.log`, for a logged packet: its source, the switch and port of its destination, flits, the cycles of its creation,
#: injection and arrival, and the routers on its path.
LOG_SOURCE, LOG_SWITCH, LOG_PORT, LOG_LENGTH, LOG_BORN, LOG_ENTERED, LOG_ARRIVAL, LOG_ROUTERS = range(8)
#: Words between the counters of different threads, so that they do not share a line of a cache.
APART = 8
