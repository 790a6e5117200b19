"""The verifier of tables beside which packets may choose: what more must hold so that nothing deadlocks."""

from dataclasses import replace

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.graph.distances import distances_from
from topoloom.routing.choices import AnyShortest, Detour, Escape, Layers
from topoloom.routing.routing import HOP, Routing
from topoloom.routing.verification.verification import Verification

#: Cycles through choices are searched in the square of so many switches.
_MOST_SWITCHES = 8192


def with_choice(routing: Routing, tables: Verification, work: Work) -> Verification:
    """The verdict on tables and what packets may choose beside them, from that on the tables alone.

    * `AnyShortest`: no cycle among the turns of all shortest paths, in the one virtual channel (Dally and Seitz, 1987).
    * `Escape`: the tables reach everything from everywhere, and have no cycle. If packets may leave them again, there must be
      none either when everything counts that a packet may do between two channels of the tables: Duato's extended channel
      dependencies (IEEE TPDS 6(10), 1995). If not, they are the only dependencies.
    * `Detour`: both parts have virtual channels of their own, and packets only ever change from the first to the second: no
      cycle if the tables have none.

    Parameters
    ----------
    routing : Routing
        The tables, with the choice that packets have beside them.
    tables : Verdict
        On the tables alone.
    work : Work
        Its stop ends the search for cycles.

    Returns
    -------
    Verdict
        With the virtual channels of both, and a cycle where there is one.

    Raises
    ------
    Stopped
        `work` was stopped.
    """
    choice = routing.choice
    if isinstance(choice, Detour):
        virtual_channels = 2 * tables.virtual_channels_used
        return replace(
            tables,
            virtual_channels_used=virtual_channels,
            virtual_channel_pairs=np.pad(
                tables.virtual_channel_pairs, (0, virtual_channels - tables.virtual_channel_pairs.size)
            ),
        )
    if isinstance(choice, AnyShortest):
        return _with_cycle(routing, tables, _any_shortest(routing, work), 1)
    if isinstance(choice, Escape):
        virtual_channels = tables.virtual_channels_used
        found = replace(
            tables,
            virtual_channels_used=virtual_channels + choice.virtual_channels,
            virtual_channel_pairs=np.append(tables.virtual_channel_pairs, [0] * choice.virtual_channels),
        )
        if tables.cycle or tables.fault or not choice.returns or routing.virtual_channel_rule == HOP:
            return found
        return _with_cycle(routing, found, _extended(routing, virtual_channels, work), virtual_channels)
    return tables


def with_layers(routing: Routing, layers: list[Routing], tables: Verification, work: Work) -> Verification:
    """The verdict where layers of tables share virtual channels by switch: no cycle among the paths of pairs in layers they may
    take.

    Parameters
    ----------
    routing : Routing
        The first layer's tables, and which layers each pair may take.
    layers : list of Routing
        The tables of every layer, on the same network.
    tables : Verdict
        On the first layer alone.
    work : Work
        Its stop ends the search for cycles.

    Returns
    -------
    Verdict
        `tables`, with a cycle where there is one.

    Raises
    ------
    Stopped
        `work` was stopped.
    """
    from topoloom.routing.verification.kernels.choices import layer_turns
    from topoloom.routing.verification.kernels.follow import find_cycle

    channels = routing.channels
    turns = np.zeros(channels.turn_first[-1], np.uint64)
    allowed = routing.choice.allowed if isinstance(routing.choice, Layers) else None
    for number, layer in enumerate(layers):
        takes = np.ones(layer.ports.shape, np.bool_) if allowed is None else (allowed >> number & 1).astype(np.bool_)
        virtual_channels = (
            np.zeros(layer.ports.shape, np.uint8) if layer.virtual_channels is None else layer.virtual_channels
        )
        layer_turns(
            channels.first,
            channels.to,
            channels.back,
            channels.turn_first,
            layer.ports,
            virtual_channels,
            takes,
            routing.carriers,
            turns,
            work.flag,
        )
        work.check()
    ring = find_cycle(
        channels.first, channels.to, channels.back, channels.turn_first, turns, tables.virtual_channels_used, True
    )
    return _with_cycle(routing, tables, np.asarray(ring, np.int64), tables.virtual_channels_used)


def _with_cycle(routing: Routing, verification: Verification, ring: np.ndarray, virtual_channels: int) -> Verification:
    cycle, vc = named(routing, ring, virtual_channels)
    return replace(verification, cycle=cycle, cycle_virtual_channel=vc)


def named(routing: Routing, ring: np.ndarray, virtual_channels: int) -> tuple[tuple[tuple[int, int], ...], int]:
    """The channels of a cycle, given as channel * virtual channels + virtual channel, by their switches, the first again for
    the last; its virtual channel.

    Parameters
    ----------
    routing : Routing
        Whose channels they are.
    ring : int[k]
        The cycle: channel * virtual channels + virtual channel of each channel in it; empty: none.
    virtual_channels : int
        Virtual channels of each channel.

    Returns
    -------
    cycle : tuple of (int, int)
        The switches at the ends of each channel, the first channel once more at the end; empty: none.
    vc : int
        Of the first; -1: none.
    """
    channels, closed = routing.channels, np.append(ring, ring[:1]) // virtual_channels
    ends = zip(channels.origin[closed].tolist(), channels.to[closed].tolist(), strict=True)
    return tuple(ends), int(ring[0]) % virtual_channels if ring.size else -1


def _any_shortest(routing: Routing, work: Work) -> np.ndarray:
    """A cycle among the turns of all shortest paths of data; empty: none."""
    from topoloom.routing.verification.kernels.choices import all_turns
    from topoloom.routing.verification.kernels.follow import find_cycle

    channels = routing.channels
    turns = np.zeros(channels.turn_first[-1], np.uint64)
    wanted = np.flatnonzero(routing.carriers)
    for begin in range(0, wanted.size, 64):
        work.check()
        some = wanted[begin : begin + 64]
        distance = distances_from(routing.topology, some, 1)
        all_turns(channels.first, channels.to, channels.back, channels.turn_first, distance, routing.carriers, turns)
    return np.asarray(
        find_cycle(channels.first, channels.to, channels.back, channels.turn_first, turns, 1, False), np.int64
    )


def _extended(routing: Routing, virtual_channels: int, work: Work) -> np.ndarray:
    """A cycle among the extended dependencies of what packets escape to; empty: none."""
    from topoloom.routing.verification.kernels.choices import extended_cycle

    topology, channels = routing.topology, routing.channels
    n = topology.switches
    if n > _MOST_SWITCHES:
        raise InputError(
            f"{topology.name}: {n} switches; whether packets that return from their escape deadlock is checked for up to"
            f" {_MOST_SWITCHES} (engine silla-duato, which does not return, has no such limit)"
        )
    distance = distances_from(topology, np.arange(n), 1).astype(np.uint16)
    table = np.zeros((0, 0), np.uint8) if routing.virtual_channels is None else routing.virtual_channels
    work.begin(None, "")
    cycle = extended_cycle(
        channels.first,
        channels.to,
        channels.back,
        routing.ports,
        table,
        virtual_channels,
        distance,
        routing.carriers,
        work.flag,
    )
    work.check()
    return np.asarray(cycle, np.int64)
