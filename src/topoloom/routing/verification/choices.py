"""Verification of tables with a choice for packets: the additional conditions for freedom from deadlock."""

from dataclasses import replace

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.graph.distances import distances_from
from topoloom.routing.channels import Channels
from topoloom.routing.choices import Adaptive, AnyShortest, Detour, Escape, Layers
from topoloom.routing.routing import HOP, Routing
from topoloom.routing.verification.own_choices import declared_turns
from topoloom.routing.verification.verification import Verification

#: Most switches for the search of cycles through choices, whose graph has n^2 places.
_MOST_SWITCHES = 8192


def with_choice(routing: Routing, tables: Verification, work: Work) -> Verification:
    """Return the verification of tables with the packets' choice, from the verification of the tables alone.

    * `AnyShortest`: no cycle among the turns of all shortest paths, in the one virtual channel (Dally and Seitz, 1987).
    * `Escape`: the tables connect all pairs and have no cycle. If packets may leave them again, there must be no cycle in
      Duato's extended channel dependencies either (IEEE TPDS 6(10), 1995), which include everything that a packet may do
      between two channels of the tables. If packets may not leave, the tables' dependencies are the only ones.
    * `Detour`: the two parts use separate virtual channels, and packets only change from the first to the second: no cycle if
      the tables have none.
    * `Adaptive` with `escape`: as `Escape` without return, since a packet may ask for the path of the tables in every cycle.
      With `moves`: no cycle among the turns that they allow, and a move wherever they lead. Otherwise nothing is verified.

    Parameters
    ----------
    routing : Routing
        The tables, with the choice of packets.
    tables : Verification
        The verification of the tables alone.
    work : Work
        If it is stopped, the search for cycles ends.

    Returns
    -------
    Verification
        With the virtual channels of both, and a cycle if there is one.

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
        verification = replace(
            tables,
            virtual_channels_used=virtual_channels + choice.virtual_channels,
            virtual_channel_pairs=np.append(tables.virtual_channel_pairs, [0] * choice.virtual_channels),
        )
        if tables.cycle or tables.fault or not choice.returns or routing.virtual_channel_rule == HOP:
            return verification
        return _with_cycle(routing, verification, _extended(routing, virtual_channels, work), virtual_channels)
    if isinstance(choice, Adaptive):
        return _with_function(routing, choice, tables, work)
    return tables


def _with_function(routing: Routing, choice: Adaptive, tables: Verification, work: Work) -> Verification:
    """The verification of tables with an adaptive function, whose classes are virtual channels."""
    from topoloom.routing.verification.kernels.follow import find_cycle

    if choice.escape:
        pairs = np.append(tables.virtual_channel_pairs, [0] * choice.classes)
        used = tables.virtual_channels_used + choice.classes
        return replace(tables, virtual_channels_used=used, virtual_channel_pairs=pairs)
    pairs = np.append(tables.virtual_channel_pairs[:1], [0] * (choice.classes - 1))
    alone = replace(
        tables,
        virtual_channels_used=choice.classes,
        virtual_channel_pairs=pairs,
        cycle=(),
        cycle_virtual_channel=-1,
        unverified=f"{choice.name} declares neither moves nor an escape",
    )
    if choice.moves is None:
        return alone
    declared = declared_turns(routing, choice, work)
    channels = routing.channels
    ring = find_cycle(
        channels.first, channels.to, channels.back, channels.turn_first, declared.turns, choice.classes, True
    )
    alone = replace(alone, unverified=None, fault=tables.fault or declared.fault)
    return _with_cycle(routing, alone, np.asarray(ring, np.int64), choice.classes)


def with_layers(routing: Routing, layers: list[Routing], tables: Verification, work: Work) -> Verification:
    """Return the verification of layers that share virtual channels by switch: the paths of all pairs in the layers that they
    may
    take must contain no cycle.

    Parameters
    ----------
    routing : Routing
        The first layer's tables, and the layers that each pair may take.
    layers : list of Routing
        The tables of every layer, on the same network.
    tables : Verification
        The verification of the first layer.
    work : Work
        If it is stopped, the search for cycles ends.

    Returns
    -------
    Verification
        `tables`, with a cycle if there is one.

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
    cycle, vc = named(routing.channels, ring, virtual_channels)
    return replace(verification, cycle=cycle, cycle_virtual_channel=vc)


def named(channels: Channels, ring: np.ndarray, virtual_channels: int) -> tuple[tuple[tuple[int, int], ...], int]:
    """Return the channels of a cycle as pairs of switches (the first channel is repeated at the end), and its virtual channel.

    Parameters
    ----------
    channels : Channels
        Of the network that contains the cycle.
    ring : int[k]
        The cycle: channel * virtual channels + virtual channel of each channel in it; empty: none.
    virtual_channels : int
        Number of virtual channels per channel.

    Returns
    -------
    cycle : tuple of (int, int)
        The switches at the ends of each channel, the first channel once more at the end; empty: none.
    vc : int
        The virtual channel of the first channel; -1: none.
    """
    closed = np.append(ring, ring[:1]) // virtual_channels
    ends = zip(channels.origin[closed].tolist(), channels.to[closed].tolist(), strict=True)
    return tuple(ends), int(ring[0]) % virtual_channels if ring.size else -1


def _any_shortest(routing: Routing, work: Work) -> np.ndarray:
    """A cycle among the turns of all shortest paths between carriers; empty: none."""
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
    """A cycle among the extended dependencies of the escape paths; empty: none."""
    from topoloom.routing.verification.kernels.choices import extended_cycle

    topology, channels = routing.topology, routing.channels
    n = topology.switches
    if n > _MOST_SWITCHES:
        raise InputError(
            f"{topology.name}: {n} switches; escape paths that packets may leave again are verified for up to"
            f" {_MOST_SWITCHES} (engine silla-duato, where packets stay on them, has no limit)"
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
