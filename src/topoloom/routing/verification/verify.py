"""The verifier of tables: whether every pair arrives, in how many hops, and whether channels can wait for each other in a
cycle.

It shares no code with the engines, so that it does not repeat their mistakes.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.model.results import provenance_of
from topoloom.model.sources import NetworkSource, taken
from topoloom.routing.choices import Layers, NextHopGroups
from topoloom.routing.routing import HOP, SWITCH, Routing
from topoloom.routing.verification.choices import with_choice, with_layers
from topoloom.routing.verification.groups import verify_groups
from topoloom.routing.verification.parts import (
    FollowedPart,
    layer_count,
    parts_to_follow,
    table_virtual_channels,
    tables_of_layer,
    whole_part,
)
from topoloom.routing.verification.verification import Verification, fault_of, together
from topoloom.routing.verification.walks import Cycle, Fewest, Walks, WalkSums

#: Virtual channels are the bits of a 64-bit word.
_MOST_VIRTUAL_CHANNELS = 64


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
    verification = followed_tables(routing, jobs, destinations, work)
    if not isinstance(routing.choice, Layers):
        return with_choice(routing, verification, work)
    if routing.choice.virtual_channels is not None and not routing.choice.by_host:
        return with_layers(routing, list(_layers_of(routing)), verification, work)
    return verification


def _layers_of(routing: Routing) -> Iterator[Routing]:
    """Yield the tables of every layer as a routing."""
    for layer in range(layer_count(routing)):
        ports, virtual_channels = tables_of_layer(routing, layer)
        yield replace(routing, ports=ports, virtual_channels=virtual_channels, choice=None)


def followed_tables(
    routing: Routing, jobs: int | None, destinations: np.ndarray | None, work: Work, fewest: Fewest | None = None
) -> Verification:
    """The verification of the tables of all layers, without choices of packets; equal planes are followed once.

    Parameters
    ----------
    routing : Routing
    jobs, destinations, work
        As for `verify_routing`.
    fewest : callable (destinations int64[k]) -> int32[k, at least n], optional
        The fewest hops to each of at most 64 destinations, -1 if there is no path; those of the topology when omitted.

    Returns
    -------
    Verification

    Raises
    ------
    InputError
        More virtual channels than the verifier supports.
    """
    n, layers = routing.topology.switches, layer_count(routing)
    wanted = np.arange(n) if destinations is None else destinations
    used = [_virtual_channels_used(routing, layer, wanted) for layer in range(layers)]
    channel_load, switch_load = np.zeros(routing.channels.to.size, np.int64), np.zeros(n, np.int64)
    sums = [_Sums(n) for _ in range(layers)]
    # `fewest` has the numbers of the whole network.
    for part in parts_to_follow(routing, destinations) if fewest is None else [whole_part(routing, destinations)]:
        walks = Walks(routing, part, used, jobs, work, fewest)
        # Summed here: the loads of hundreds of layers of a large plane would be gigabytes.
        of_channels = np.zeros(part.channels.to.size, np.int64)
        of_switches = np.zeros(part.topology.switches, np.int64)
        for layer in range(layers):
            walked = walks.walked(layer)
            sums[layer].add(walked, part, n)
            of_channels += walked.channel_load
            of_switches += walked.switch_load
        for place in part.places:
            switch_load[place] = of_switches
            channel_load[_channels_at(routing, part, place)] = of_channels
        for layer, cycle in walks.cycles().items():
            sums[layer].cycle = sums[layer].cycle if sums[layer].cycle[0] else cycle
    of_layers = [_of_layer(routing, wanted, each, count) for each, count in zip(sums, used, strict=True)]
    return together(of_layers, channel_load, switch_load)


def _virtual_channels_used(routing: Routing, layer: int, wanted: np.ndarray) -> int:
    """The highest virtual channel of a layer plus one.

    Raises
    ------
    InputError
        More virtual channels than the verifier supports.
    """
    from topoloom.routing.verification.kernels.follow import ACROSS

    own = table_virtual_channels(routing, layer)
    used = 1 if own is None else 1 + max((int(own[d].max(initial=0)) for d in wanted), default=0)
    most = ACROSS if routing.virtual_channel_rule == SWITCH else _MOST_VIRTUAL_CHANNELS
    if used > most:
        raise InputError(f"{routing.topology.name}: virtual channel {used - 1}; virtual channels are 0 to {most - 1}")
    return used


def _channels_at(routing: Routing, part: FollowedPart, place: np.ndarray) -> np.ndarray:
    """The channels of the whole network that are those of a part, int64[channels of the part]."""
    own = part.channels
    moved = routing.channels.first[place] - own.first[:-1]
    return np.asarray(np.arange(own.to.size) + moved[own.origin])


class _Sums:
    """The sums over all followed paths of a layer of the whole network."""

    def __init__(self, switches: int) -> None:
        self.histogram = np.zeros(switches, np.int64)
        self.virtual_channel_pairs, self.counts = np.zeros(256, np.int64), np.zeros(6, np.int64)
        self.examples: list[np.ndarray] = []
        self.cycle: Cycle = (), -1

    def add(self, walked: WalkSums, part: FollowedPart, switches: int) -> None:
        """Add those of a part, for each of its equal planes; no path leads to the other planes."""
        planes, own = len(part.places), part.topology.switches
        self.histogram[:own] += planes * walked.histogram
        self.virtual_channel_pairs += planes * walked.virtual_channel_pairs
        most_hops = max(self.counts[4], walked.counts[4])
        self.counts += planes * walked.counts
        self.counts[3] += planes * part.destinations.size * (switches - own)
        self.counts[4] = most_hops
        self.examples += [np.where(pair < 0, -1, part.places[0][pair]) for pair in walked.examples]


def _of_layer(routing: Routing, wanted: np.ndarray, sums: _Sums, used: int) -> Verification:
    """The verification of a layer, without its loads."""
    n, none = routing.topology.switches, np.zeros(0, np.int64)
    reached = int(sums.histogram.sum())
    max_hops = int(np.flatnonzero(sums.histogram)[-1]) if reached else 0
    hops = int(sums.histogram @ np.arange(n))
    lost, stuck, shortest, apart, most_hops, fewest_hops = sums.counts.tolist()
    by_hop = routing.virtual_channel_rule == HOP
    by_first_hop = np.append(reached, np.zeros(max(0, most_hops - 1), np.int64))
    cycle, cycle_virtual_channel = sums.cycle
    return Verification(
        pairs=wanted.size * (n - 1),
        reached_pairs=reached,
        minimal_pairs=shortest,
        apart_pairs=apart,
        fault=fault_of(lost, stuck, sums.examples),
        mean_hops=hops / reached if reached else 0.0,
        max_hops=max_hops,
        histogram=sums.histogram[: max_hops + 1],
        stretch=hops / fewest_hops if fewest_hops and not lost + stuck else 1.0,
        virtual_channels_used=max(1, most_hops) if by_hop else used,
        virtual_channel_pairs=by_first_hop if by_hop else sums.virtual_channel_pairs[:used],
        cycle=cycle,
        cycle_virtual_channel=cycle_virtual_channel,
        channel_load=none,
        switch_load=none,
        checked_destinations=None if wanted.size >= n else int(wanted.size),
        provenance=provenance_of(routing.topology, engine=routing.engine),
    )
