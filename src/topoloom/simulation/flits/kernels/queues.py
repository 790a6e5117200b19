"""What a switch knows of the queues at the other ends of its links, and which virtual channels a packet may choose by it."""

import numpy as np

from topoloom.core.compiling.decorators import inner
from topoloom.simulation.flits.kernels.credits import in_flight, in_flight_far
from topoloom.simulation.flits.kernels.fields import (
    PORT_ASKED,
    PORT_CREDIT,
    PORT_LAST,
    PORT_NEXT,
    PORT_SENT,
    PORT_SIZE,
    VC_FLITS,
    VC_SIZE,
    at,
)
from topoloom.simulation.flits.kernels.paces import cycles_for


@inner
def flits_at(
    long_credits: int | None,
    pace: np.ndarray | None,
    vcs: int,
    history: int,
    credit: int,
    port: np.ndarray,
    rec: np.ndarray,
    popped: np.ndarray,
    place: int,
    c: int,
) -> int:
    """Return the flits sent through a port without a returned credit: what a switch knows of the queue at the other end.

    For a port slower than the fastest one, return the cycles in which they pass it.
    """
    down, count = np.int64(port[at(place * PORT_SIZE + PORT_NEXT)]), np.int64(0)
    if down >= 0:
        if long_credits is not None:
            credit = np.int64(port[at(place * PORT_SIZE + PORT_CREDIT)])
        for v in range(vcs):
            g = down + v
            count += np.int64(rec[at(g * VC_SIZE + VC_FLITS)])
            if long_credits is not None:
                count += in_flight_far(popped, history, g, c, credit)
            elif (np.int64(popped[at(g)]) >> 32) + credit > c:
                count += in_flight(popped, g, c, credit)
        if pace is not None:
            count = cycles_for(pace, place, count)
    return count


@inner
def output_queue(pace: np.ndarray | None, port: np.ndarray, place: int, c: int) -> int:
    """Return the cycles for which an output has flits: those of packets that have requested it, and those behind the crossbar.

    `flits_at` does not tell how long these wait: it is never more than a channel carries during the round trip of a credit,
    however many packets wait in front of it.
    """
    base = place * PORT_SIZE
    flits = np.int64(port[at(base + PORT_ASKED)]) - np.int64(port[at(base + PORT_SENT)])
    if pace is not None:
        flits = cycles_for(pace, place, flits)
    return flits + max(np.int64(0), np.int64(port[at(base + PORT_LAST)]) - c)


@inner
def open_to_choice(spare: int, sent: int) -> bool:
    """Return whether a VC with `sent` flits may be chosen: it is empty, or a whole packet has room behind its flits.

    A packet with a VC waits for nothing else, so it must not wait there behind other packets: this is the assumption under
    which escape channels are verified as deadlock-free (Duato 1993, assumption 4: a queue holds flits of one message; Duato
    1996, for cut-through: a queue takes whole packets).
    """
    return sent == 0 or sent <= spare
