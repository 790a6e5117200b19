"""What an adaptive function of one's own declares: the turns that packets may make, and whether all of them can arrive."""

from typing import NamedTuple

import numpy as np

from topoloom.core.work import Work
from topoloom.routing.choices import Adaptive
from topoloom.routing.routing import Routing


class DeclaredTurns(NamedTuple):
    """The turns of the declared moves.

    Attributes
    ----------
    turns : uint64[turns]
        By turn, in the order of `Channels.turn_first`: bit 8 a + b where a packet arrives in class a and goes on in class b.
    fault : str
        A sentence on a switch where the moves lead a packet that has no move there; empty if there is none.
    """

    turns: np.ndarray
    fault: str


def declared_turns(routing: Routing, choice: Adaptive, work: Work) -> DeclaredTurns:
    """Follow the declared moves from all switches with hosts to all others.

    Parameters
    ----------
    routing : Routing
    choice : Adaptive
        With `moves`.
    work : Work
        May stop it.

    Returns
    -------
    DeclaredTurns

    Raises
    ------
    InputError
        The moves have another shape or type.
    Stopped
        `work` was stopped.
    """
    from topoloom.routing.verification.kernels.adaptive import mark_moves

    channels, topology = routing.channels, routing.topology
    turns = np.zeros(channels.turn_first[-1], np.uint64)
    fault = ""
    work.begin(topology.switches, "destinations followed")
    for d in np.flatnonzero(routing.carriers).tolist():
        work.check()
        switch, came = mark_moves(
            channels.first,
            channels.to,
            channels.back,
            channels.turn_first,
            choice.allowed(topology, d),
            routing.carriers,
            d,
            turns,
        ).tolist()
        work.advance(1)
        if switch >= 0 and not fault:
            where = "starts there" if came < 0 else f"has come in class {came}"
            fault = f"a packet to switch {d} has no move at switch {switch}, where it {where}"
    return DeclaredTurns(turns, fault)
