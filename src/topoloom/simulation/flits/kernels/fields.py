"""Where the numbers of each thing lie in the flat int32 arrays of a simulation: ``rec[at(g * VC_SIZE + VC_BIRTH)]``.

Numbers and no functions: a function that is inlined takes Numba long to compile, and one that is not takes long to call.
"""

import numpy as np

#: An index that is never negative, which Numba need not check.
at = np.uint64

#: Numbers of a VC, of a port, of a place of the pool, of a host's queue (and of a line of the log), of a host's burst, and of a
#: packet's record.
VC_SIZE, PORT_SIZE, PLACE_SIZE, HOST_SIZE, BURST_SIZE, PACKET_SIZE = 8, 8, 4, 8, 4, 16

#: `Buffers.rec`, of VC g of all input ports: the word and the birth of its first flit, the cycle in which that arrived, the
#: places in the pool of the flit behind it and of the last one; the output VC that its packet holds (-1: none); the VC
#: downstream of that (-1: a host), or the output class that the packet asks for while it chooses; and how many flits were
#: sent to it and not sent on, those on the wire included.
VC_WORD, VC_BIRTH, VC_ARRIVAL, VC_SECOND, VC_FINAL, VC_OUTPUT, VC_NEXT, VC_FLITS = range(8)
#: `Buffers.port`, of port p of all switches: the first VC downstream (-1: a host), cycles on its wire, the cycle of its last
#: departure; where the round robins stand, of inputs that ask for it as an output and of VCs that it has as an input; flits
#: sent, and cycles of a credit.
PORT_NEXT, PORT_WIRE, PORT_LAST, PORT_OUTPUT_TURN, PORT_INPUT_TURN, PORT_SENT, PORT_CREDIT = 0, 1, 2, 3, 4, 6, 7
#: `Buffers.pool`, of a place: the place behind it, a flit's word and birth, and its arrival; of a packet that waits at its
#: host, its length instead.
PLACE_NEXT, PLACE_WORD, PLACE_BIRTH, PLACE_ARRIVAL = range(4)
PLACE_LENGTH = PLACE_ARRIVAL
#: `Buffers.queue`, of a host: the places of its first and its last packet, how many there are; the VC of the last injection;
#: flits of the first packet still to inject (0: none has been), the record of that packet; where its round through all hosts
#: stands; the cycle before which there is no credit for it.
HOST_FIRST, HOST_FINAL, HOST_COUNT, HOST_VC, HOST_LEFT, HOST_PACKET, HOST_TURN, HOST_SOON = range(8)
#: `Buffers.burst`: the cycle of a host's next packet, packets to go, their goal; the k-th host in a burst stands at place k.
#: Of closed loops: round trips that a host has begun stand in the place of the packets.
BURST_CYCLE, BURST_PACKETS, BURST_GOAL, BURST_HOST = range(4)
#: `Buffers.round_trips`, of a place of the pool: the kind of a packet of a closed loop (0 a request, 1 its reply, 2 a request
#: to a second place, 3 the reply to that), who asked first, and who was asked first. Of a message of a schedule: its operation
#: as the owner, and the layer of tables that it takes.
TRIP_KIND, TRIP_OWNER, TRIP_ASKED, TRIP_LAYER = range(4)
#: `Buffers.packets`, of a packet with a record of its own: its destination's word, its source, the cycle it was made in, the
#: switch of its detour (`NO_DETOUR`, `UNDECIDED`), hops made, whether its detour is behind it, flits, the cycle it entered
#: in, virtual channel, layer, whether it has escaped; then as of a round trip. A free record: the next one, in the first place.
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
#: `Buffers.log`, of a packet that is written down: its source, the switch and the port of its destination, flits, the cycles
#: it was made, entered and arrived in, and the routers on its path.
LOG_SOURCE, LOG_SWITCH, LOG_PORT, LOG_LENGTH, LOG_BORN, LOG_ENTERED, LOG_ARRIVAL, LOG_ROUTERS = range(8)
