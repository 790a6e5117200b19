"""The verifier of tables: whether every pair arrives, in how many hops, and whether channels can wait for each other in a
cycle.

It shares no code with the engines, so that it does not repeat their mistakes.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import NamedTuple

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.threads import over_cores
from topoloom.core.work import Work
from topoloom.graph.distances import distances_from
from topoloom.model.results import provenance_of
from topoloom.model.sources import NetworkSource, taken
from topoloom.routing.channels import turn_rows
from topoloom.routing.choices import Escape, Layers, NextHopGroups
from topoloom.routing.routing import HOP, PAIR, SWITCH, Routing
from topoloom.routing.verification.choices import named, with_choice, with_layers
from topoloom.routing.verification.groups import verify_groups
from topoloom.routing.verification.verification import Verification, fault_of, together

Fewest = Callable[[np.ndarray], np.ndarray]

#: Destinations per task of a thread.
_BLOCK = 64
#: Virtual channels are the bits of a 64-bit word.
_MOST_VIRTUAL_CHANNELS = 64
#: Virtual channels that fit into one byte.
_NARROW = 8
#: Most hops for which distances to 64 destinations are computed together.
_MOST_ROUNDS = 32


def verify_routing(
    routing: NetworkSource, jobs: int | None = None, destinations: np.ndarray | None = None, *, work: Work | None = None
) -> Verification:
    """Follow a routing's tables from every switch to every other, and search the channel dependencies for cycles.

    Parameters
    ----------
    routing : NetworkSource
        The installed tables, otherwise those of the fitting engine. The tables may come from any source.
    jobs : int, optional
        Threads; every core when omitted.
    destinations : int64[k], optional
        Follow only paths to these, each once; all when omitted. A sample without a cycle does not verify deadlock freedom.
    work : Work, optional
        Receives the progress of followed destinations.

    Returns
    -------
    Verification

    Raises
    ------
    InputError
        More virtual channels than the verifier supports.
    Stopped
        `work` was stopped before all paths were followed.

    Notes
    -----
    A channel waits for the next one on a path in the same virtual channel. Only turns that some path makes count, in the
    virtual channels of these paths; without a cycle among them, packets cannot block each other for ever (Dally and Seitz, IEEE
    Transactions on Computers, 1987). If a packet's virtual channel is its number of hops, it only waits for higher virtual
    channels, so there is no cycle (Gopal, 1985). Only paths between switches with hosts count (`Routing.carriers`), in loads
    too. For packets with a choice, see the conditions in `verification.choices.with_choice`, and for next-hop groups
    `verification.groups.verify_groups`; with layers of tables, every pair is counted once per layer.
    """
    routing = taken(routing, Routing, "verify_routing")
    work = Work() if work is None else work
    if isinstance(routing.choice, NextHopGroups):
        return verify_groups(routing, routing.choice, jobs, destinations, work)
    if not isinstance(routing.choice, Layers):
        return with_choice(routing, walked_tables(routing, jobs, destinations, work)[0], work)
    turns, none = np.zeros(0, np.uint8), np.zeros(0, np.int64)
    channel_load, switch_load = (
        np.zeros(routing.channels.to.size, np.int64),
        np.zeros(routing.topology.switches, np.int64),
    )
    verifications = []
    for layer in _layers_of(routing, routing.choice):
        of_layer, layer_turns = walked_tables(layer, jobs, destinations, work)
        # Summed here: the loads of hundreds of layers of a large plane would be gigabytes.
        channel_load += of_layer.channel_load
        switch_load += of_layer.switch_load
        verifications.append(replace(of_layer, channel_load=none, switch_load=none))
        # Into the same array where its type suffices: switches of 512 ports have gigabytes of turns.
        wide = turns.size and turns.dtype == np.result_type(turns, layer_turns)
        turns = np.bitwise_or(turns, layer_turns, out=turns if wide else None) if turns.size else layer_turns
        del layer_turns
    verification = together(verifications, channel_load, switch_load)
    if routing.choice.virtual_channels is not None and not routing.choice.by_host:
        return with_layers(routing, list(_layers_of(routing, routing.choice)), verification, work)
    if verification.cycle or routing.virtual_channel_rule != PAIR:
        return verification
    # Packets of different layers meet, so their turns together must close no cycle.
    ring = _cycle(routing, turns, verification.virtual_channels_used)
    cycle, cycle_virtual_channel = named(routing, ring, verification.virtual_channels_used)
    return replace(verification, cycle=cycle, cycle_virtual_channel=cycle_virtual_channel)


def _layers_of(routing: Routing, choice: Layers) -> Iterator[Routing]:
    """Yield the tables of every layer as a routing; those of planes are made as they are read."""
    virtual_channels = choice.virtual_channels or (routing.virtual_channels,) * len(choice.ports)
    tables = zip(chain([routing.ports], choice.ports), (routing.virtual_channels, *virtual_channels), strict=True)
    for ports, own in tables:
        yield replace(routing, ports=ports, virtual_channels=own, choice=None)


def walked_tables(
    routing: Routing, jobs: int | None, destinations: np.ndarray | None, work: Work, fewest: Fewest | None = None
) -> tuple[Verification, np.ndarray]:
    """The verification of the tables alone, without choices of packets, and the virtual channels that use each turn.

    Parameters
    ----------
    routing : Routing
    jobs, destinations, work
        As for `verify_routing`.
    fewest : callable (destinations int64[k]) -> int32[k, at least n], optional
        The fewest hops to each of at most 64 destinations, -1 if there is no path; those of the topology when omitted.

    Returns
    -------
    Verification, uint8 or uint64[turns]

    Raises
    ------
    InputError
        More virtual channels than the verifier supports.
    """
    from topoloom.routing.verification.kernels.follow import ACROSS

    n = routing.topology.switches
    virtual_channels = np.empty((0, 0), np.uint8) if routing.virtual_channels is None else routing.virtual_channels
    wanted = np.arange(n) if destinations is None else destinations
    virtual_channels_used = (
        1 + max((int(virtual_channels[d].max(initial=0)) for d in wanted), default=0) if virtual_channels.size else 1
    )
    most = ACROSS if routing.virtual_channel_rule == SWITCH else _MOST_VIRTUAL_CHANNELS
    if virtual_channels_used > most:
        raise InputError(
            f"{routing.topology.name}: virtual channel {virtual_channels_used - 1}; virtual channels are 0 to {most - 1}"
        )
    walked = _walked(
        routing,
        virtual_channels,
        virtual_channels_used,
        wanted,
        jobs,
        work,
        partial(_fewest_hops, routing) if fewest is None else fewest,
    )
    work.check()
    reached = int(walked.histogram.sum())
    max_hops = int(np.flatnonzero(walked.histogram)[-1]) if reached else 0
    hops = int(walked.histogram @ np.arange(n))
    lost, stuck, shortest, apart, most_hops, fewest_hops = walked.counts.tolist()
    by_hop = routing.virtual_channel_rule == HOP
    ring = np.empty(0, np.int64) if by_hop else _cycle(routing, walked.turns, virtual_channels_used)
    cycle, cycle_virtual_channel = named(routing, ring, virtual_channels_used)
    by_first_hop = np.append(reached, np.zeros(max(0, most_hops - 1), np.int64))
    verification = Verification(
        pairs=wanted.size * (n - 1),
        reached_pairs=reached,
        minimal_pairs=shortest,
        apart_pairs=apart,
        fault=fault_of(lost, stuck, walked.examples),
        mean_hops=hops / reached if reached else 0.0,
        max_hops=max_hops,
        histogram=walked.histogram[: max_hops + 1],
        stretch=hops / fewest_hops if fewest_hops and not lost + stuck else 1.0,
        virtual_channels_used=max(1, most_hops) if by_hop else virtual_channels_used,
        virtual_channel_pairs=by_first_hop if by_hop else walked.virtual_channel_pairs[:virtual_channels_used],
        cycle=cycle,
        cycle_virtual_channel=cycle_virtual_channel,
        channel_load=walked.channel_load,
        switch_load=walked.switch_load,
        checked_destinations=None if wanted.size >= n else int(wanted.size),
        provenance=provenance_of(routing.topology, engine=routing.engine),
    )
    return verification, walked.turns


class _Walked(NamedTuple):
    """The sums over all followed paths; see `verification.kernels.follow`."""

    turns: np.ndarray
    channel_load: np.ndarray
    switch_load: np.ndarray
    histogram: np.ndarray
    virtual_channel_pairs: np.ndarray
    counts: np.ndarray
    examples: list[np.ndarray]


def _walked(
    routing: Routing,
    virtual_channels: np.ndarray,
    virtual_channels_used: int,
    wanted: np.ndarray,
    jobs: int | None,
    work: Work,
    fewest: Fewest,
) -> _Walked:
    from topoloom.routing.verification.kernels.follow import follow

    topology, channels = routing.topology, routing.channels
    n, across = topology.switches, routing.virtual_channel_rule == SWITCH
    # With escape paths, a packet may enter the tables at any switch.
    sources = np.ones(n, np.bool_) if isinstance(routing.choice, Escape) else routing.carriers
    turn_row = turn_rows(channels)
    # One bit per virtual channel, in as few bytes as possible, because turns are accessed at random.
    word = np.uint8 if virtual_channels_used <= _NARROW and not across else np.uint64

    def walk(blocks: Iterator[int]) -> _Walked:
        sums = _Walked(
            np.zeros(channels.turn_first[-1], word),
            np.zeros(channels.to.size, np.int64),
            np.zeros(n, np.int64),
            np.zeros(n, np.int64),
            np.zeros(256, np.int64),
            np.zeros(6, np.int64),
            [np.full((2, 2), -1, np.int64)],
        )
        for block in blocks:
            if work.stopped:
                break
            some = wanted[block * _BLOCK : (block + 1) * _BLOCK]
            follow(
                channels.first,
                channels.to,
                turn_row,
                routing.ports,
                virtual_channels,
                across,
                sources,
                routing.carriers,
                some,
                fewest(some),
                *sums[:6],
                sums.examples[0],
            )
            work.advance(some.size)
        return sums

    work.begin(wanted.size, "destinations followed")
    parts = over_cores(walk, max(1, -(-wanted.size // _BLOCK)), jobs)
    # Half a billion turns if switches have 512 ports: merge in place, without a copy.
    turns = parts[0].turns
    for part in parts[1:]:
        np.bitwise_or(turns, part.turns, out=turns)
    load, passing, histogram, pairs, counts = (np.sum([part[i] for part in parts], axis=0) for i in range(1, 6))
    counts[4] = max(part.counts[4] for part in parts)
    return _Walked(turns, load, passing, histogram, pairs, counts, [part.examples[0] for part in parts])


def _fewest_hops(routing: Routing, some: np.ndarray) -> np.ndarray:
    """Hops to each of at most 64 destinations, int32[k, at least n]; -1 if there is no path."""
    from topoloom.routing.verification.kernels.nearest import hops_to

    n = routing.topology.switches
    distance = np.empty((some.size, 16 * ((n + 15) // 16 | 1)), np.int32)
    if hops_to(routing.channels.first, routing.channels.to, some, _MOST_ROUNDS, distance):
        return distance
    return distances_from(routing.topology, some, 1)


def _cycle(routing: Routing, turns: np.ndarray, virtual_channels: int) -> np.ndarray:
    """A cycle of channels, each as channel * virtual channels + virtual channel; empty: none."""
    from topoloom.routing.verification.kernels.follow import find_cycle

    channels, across = routing.channels, routing.virtual_channel_rule == SWITCH
    return np.asarray(
        find_cycle(channels.first, channels.to, channels.back, channels.turn_first, turns, virtual_channels, across),
        np.int64,
    )
