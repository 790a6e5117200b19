"""Detects deadlock: flits wait, none has moved, and channels wait for each other in a cycle (unlike in saturation)."""

import numpy as np

from topoloom.core.errors import InputError
from topoloom.routing.choices import Adaptive, NextHopGroups
from topoloom.routing.routing import Routing
from topoloom.simulation.flits.buffers import TIME
from topoloom.simulation.flits.kernels.fields import NEAR_PACKETS, VC_FLITS, VC_NEXT, VC_OUTPUT, VC_SIZE
from topoloom.simulation.flits.kernels.flits import TIMES
from topoloom.simulation.flits.network_state import NetworkState


def check_moving(routing: Routing, at: NetworkState) -> None:
    """Raise `InputError` that names the VCs of a cycle, if flits wait; none has moved for a batch of cycles.

    Parameters
    ----------
    routing : Routing
        The tables of the packets.
    at : NetworkState
        The current state of the routers.

    Raises
    ------
    InputError
        A deadlock.
    """
    if not at.buffers.rec[VC_FLITS::VC_SIZE].any():
        return
    if _on_the_wire(at):
        return
    waiting = waiting_cycle(at)
    if not waiting:
        return
    shift, ports = at.rules.slot_bits, at.ports
    names = []
    for g in waiting:
        port = g >> shift
        names.append(f"switch {port // ports} port {port % ports} VC {g & ((1 << shift) - 1)}")
    remedy = "use an engine whose tables are deadlock-free (orders; lash for a directed network)"
    if isinstance(routing.choice, NextHopGroups):
        remedy = f"give its groups a class per hop ({routing.engine.partition(':')[0]}:lossless=yes)"
    elif isinstance(routing.choice, Adaptive):
        remedy = f"let the function '{routing.choice.name}' declare moves without a cycle, or give it an escape"
    raise InputError(
        f"{routing.topology.name}: deadlock by the tables of engine {routing.engine}: {' waits for '.join(names[:9])}"
        f"{' ...' if len(names) > 9 else ''}; {remedy}"
    )


def _on_the_wire(at: NetworkState) -> bool:
    """Return whether a VC's first flit has yet to arrive, or to be routed."""
    buffers = at.buffers
    coming = np.bitwise_or.reduce(buffers.calendar.reshape(at.rules.slots + 1, -1), axis=0) & ~buffers.here
    if coming.any() or (buffers.later >= 0).any():
        return True
    if not buffers.since.size:
        return False
    words = np.bitwise_or.reduce(buffers.timers.reshape(TIMES, -1), axis=0)
    waiting = np.unpackbits(words.view(np.uint8), bitorder="little").astype(bool)
    return bool((buffers.since[::NEAR_PACKETS][waiting] >= at.state[TIME]).any())


def waiting_cycle(at: NetworkState) -> list[int]:
    """Return input VCs that wait for each other in a cycle, the first again at the end; empty if there is no cycle."""
    words = at.rules.words
    per_router = words * 64
    record = at.buffers.rec.reshape(-1, VC_SIZE)
    owner = {}
    for g in np.flatnonzero((record[:, VC_OUTPUT] >= 0) & (record[:, VC_FLITS] > 0)).tolist():
        owner[(g // per_router) * per_router + int(record[g, VC_OUTPUT])] = g
    waits: dict[int, int] = {}
    asked = at.buffers.asked.reshape(-1, words + 1)
    for g in np.flatnonzero(record[:, VC_FLITS]).tolist():
        if record[g, VC_OUTPUT] >= 0:
            if record[g, VC_NEXT] >= 0:
                waits[g] = int(record[g, VC_NEXT])
            continue
        base = (g // per_router) * per_router
        own = g - base
        rows = np.flatnonzero(asked[base : base + per_router, own >> 6] >> (own & 63) & 1)
        for row in rows.tolist():
            out = (row % at.ports << at.rules.slot_bits) + row // at.ports
            for vc in range(at.rules.width):
                if base + out + vc in owner:
                    waits[g] = owner[base + out + vc]
                    break
    for start in waits:
        seen: dict[int, int] = {}
        trail: list[int] = []
        g = start
        while g in waits and g not in seen:
            seen[g] = len(trail)
            trail.append(g)
            g = waits[g]
        if g in seen:
            return [*trail[seen[g] :], g]
    return []
