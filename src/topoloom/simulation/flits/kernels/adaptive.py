"""What an adaptive function may ask of the routers, and the call of it."""

from collections.abc import Callable

import numpy as np

from topoloom.core.compiling.decorators import inner
from topoloom.routing.verification.kernels.follow import ACROSS
from topoloom.simulation.flits.buffers import RANDOM, WRONG, Rules
from topoloom.simulation.flits.kernels.fields import (
    PACKET_HOPS,
    PACKET_LENGTH,
    PACKET_PHASE,
    PACKET_SIZE,
    PACKET_VIA,
    PORT_NEXT,
    PORT_SIZE,
    VC_FLITS,
    VC_SIZE,
    at,
)
from topoloom.simulation.flits.kernels.flits import below
from topoloom.simulation.flits.kernels.paces import cycles_for
from topoloom.simulation.flits.kernels.queues import flits_at, open_to_choice
from topoloom.simulation.flits.own_choice import At, OwnArrays


@inner
def links(own: At, switch: int) -> int:
    """Return the number of links of a switch; its ports have the numbers 0 .. links - 1."""
    return own.degrees[at(switch)]


@inner
def neighbour(own: At, switch: int, port: int) -> int:
    """Return the switch at the other end of a link."""
    down = np.int64(own.ports[at((switch * own.places + port) * PORT_SIZE + PORT_NEXT)])
    return (down >> own.slot_bits) // own.places


@inner
def hops_between(own: At, first: int, second: int) -> int:
    """Return the hops of a shortest path between two switches."""
    return np.int64(own.distance[at(first * own.degrees.size + second)])


@inner
def table_port(own: At, switch: int, to: int) -> int:
    """Return the port of the tables at a switch for packets to another one."""
    return np.int64(own.outputs[at(switch * own.degrees.size + to)]) >> own.slot_bits


@inner
def queue(own: At, switch: int, port: int) -> int:
    """Return the queue at the other end of a link as `flits_at` has it, in flits or in cycles of a slower port."""
    place = switch * own.places + port
    if own.history:
        flits = flits_at(1, None, own.many_vcs, own.history, own.credit, own.ports, own.vcs, own.sent, place, own.cycle)
    else:
        flits = flits_at(
            None, None, own.many_vcs, own.history, own.credit, own.ports, own.vcs, own.sent, place, own.cycle
        )
    return cycles_for(own.pace, place, flits) if own.pace.size else flits


@inner
def available(own: At, port: int, vc_class: int) -> bool:
    """Return whether a packet may have a virtual channel of a class at a port of its switch at once (see `open_to_choice`)."""
    down = np.int64(own.ports[at((own.switch * own.places + port) * PORT_SIZE + PORT_NEXT)])
    first = own.first_vc + vc_class * own.width
    cell = (port << own.slot_bits) + first
    idle = own.unowned[at(own.word + (cell >> 6))] >> (cell & 63)
    some = False
    for v in range(own.width):
        flits = np.int64(own.vcs[at((down + first + v) * VC_SIZE + VC_FLITS)])
        some |= (idle >> v) & 1 != 0 and open_to_choice(own.spare, flits)
    return some


@inner
def draw(own: At, most: int) -> int:
    """Return a random whole number from 0 to most - 1, of the run's stream."""
    return below(own.state, RANDOM, most)


@inner
def own_output(
    adaptive: Callable,
    arrays: OwnArrays,
    rules: Rules,
    slot_bits: int,
    vcs: int,
    ports: int,
    history: int,
    outputs: np.ndarray,
    port: np.ndarray,
    rec: np.ndarray,
    popped: np.ndarray,
    unowned: np.ndarray,
    packets: np.ndarray,
    state: np.ndarray,
    b: int,
    r: int,
    goal: int,
    came: int,
    vc: int,
    packet: int,
    c: int,
) -> int:
    """Return the output class that the function chooses; -1: none yet, or the path of the tables.

    came, vc: the port and the VC by which the packet arrived. A move that was not declared, or that does not exist, is kept in
    ``state[WRONG]``, and the packet waits.
    """
    base, words = packet * PACKET_SIZE, arrays.words
    memory = arrays.memory[packet * words : (packet + 1) * words]
    if packets[at(base + PACKET_PHASE)] == 0:
        memory[:] = 0
        packets[at(base + PACKET_PHASE)], packets[at(base + PACKET_VIA)] = 1, r
    degree, width, first = arrays.degrees[at(r)], rules.width, rules.escapes
    arrived = (vc - first) // width if came < degree and vc >= first else np.int64(-1)
    seen = At(
        r,
        goal,
        np.int64(packets[at(base + PACKET_VIA)]),
        np.int64(packets[at(base + PACKET_HOPS)]),
        came,
        arrived,
        np.int64(packets[at(base + PACKET_LENGTH)]),
        c,
        memory,
        arrays.data,
        arrays.learned,
        arrays.degrees,
        arrays.distance,
        outputs,
        port,
        rec,
        popped,
        unowned,
        state,
        arrays.pace,
        slot_bits,
        vcs,
        ports,
        history,
        rules.credit,
        first,
        width,
        rules.spare,
        b,
    )
    out, vc_class = adaptive(seen)
    if out < 0:
        return np.int64(-1)
    right = out < degree and 0 <= vc_class < arrays.classes
    if right and arrays.turns.size and arrived >= 0:
        turn = arrays.turn_first[at(r)] + came * degree + out
        right = arrays.turns[at(turn)] >> np.uint64(ACROSS * arrived + vc_class) & np.uint64(1) != 0
    if not right:
        state[WRONG] = 1 + r
        state[WRONG + 1], state[WRONG + 2], state[WRONG + 3], state[WRONG + 4] = goal, arrived, out, vc_class
        return np.int64(-1)
    if arrays.escape and not available(seen, out, vc_class):
        return np.int64(-1)
    return (out << slot_bits) + first + vc_class * width
