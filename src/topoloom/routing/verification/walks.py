"""Walks along the tables of a part of a network: loads, hops, and the turns whose cycles block packets."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from topoloom.core.threads import over_cores
from topoloom.core.work import Work
from topoloom.graph.distances import distances_from
from topoloom.model.arrays import frozen
from topoloom.routing.channels import turn_rows
from topoloom.routing.choices import Escape
from topoloom.routing.routing import HOP, PAIR, SWITCH, Routing
from topoloom.routing.verification.choices import named
from topoloom.routing.verification.parts import FollowedPart

Fewest = Callable[[np.ndarray], np.ndarray]

#: The switches at the ends of the channels that wait in a cycle, the first channel once more at the end; and the virtual
#: channel of the first.
Cycle = tuple[tuple[tuple[int, int], ...], int]

#: Destinations per task of a thread.
_BLOCK = 64
#: Virtual channels that fit into one byte.
_NARROW = 8
#: Most hops for which distances to 64 destinations are computed together.
_MOST_ROUNDS = 32


class WalkSums(NamedTuple):
    """The sums over all followed paths of a layer; see `verification.kernels.follow`."""

    channel_load: np.ndarray
    switch_load: np.ndarray
    histogram: np.ndarray
    virtual_channel_pairs: np.ndarray
    counts: np.ndarray
    examples: list[np.ndarray]


class Walks:
    """The walks along the layers of a part, and the cycles among the turns that they make.

    Parameters
    ----------
    routing : Routing
        Of the whole network.
    part : FollowedPart
    used : list of int
        The virtual channels of each layer.
    jobs : int or None
        Threads.
    work : Work
    fewest : callable (destinations int64[k]) -> int32[k, at least n], optional
        The fewest hops to each of at most 64 destinations, -1 if there is no path; those of the topology when omitted.
    """

    def __init__(
        self, routing: Routing, part: FollowedPart, used: list[int], jobs: int | None, work: Work, fewest: Fewest | None
    ) -> None:
        self._part, self._used, self._jobs, self._work = part, used, jobs, work
        self._fewest = partial(_fewest_hops, part) if fewest is None else fewest
        self._rule = routing.virtual_channel_rule
        # With escape paths, a packet may enter the tables at any switch.
        anywhere = isinstance(routing.choice, Escape)
        self._sources = np.ones(part.topology.switches, np.bool_) if anywhere else part.carriers
        self._turn_row = turn_rows(part.channels)
        # Packets of different layers meet, so the turns of all layers together must close no cycle.
        self._together = len(used) > 1 and self._rule == PAIR
        # One array per thread, of all layers together: switches of 512 ports have a hundred million turns per plane.
        self._turns: list[np.ndarray] = []
        self._cycles: dict[int, Cycle] = {}

    def walked(self, layer: int) -> WalkSums:
        """The sums over the paths of a layer.

        Raises
        ------
        Stopped
            The work was stopped.
        """
        sums = self._walk(layer)
        if not self._together:
            self._keep_cycle(layer)
        return sums

    def cycles(self) -> dict[int, Cycle]:
        """The cycles that the walks close, by layer; one that only several layers close together is that of the last."""
        if self._together and self._keep_cycle(len(self._used) - 1):
            for layer in range(len(self._used)):
                self._walk(layer)
                if self._keep_cycle(layer):
                    break
        return self._cycles

    def _walk(self, layer: int) -> WalkSums:
        from topoloom.routing.verification.kernels.follow import follow

        part, channels, work = self._part, self._part.channels, self._work
        n, wanted = part.topology.switches, part.destinations
        # Not writeable, whoever made them: arrays of each kind have their own compiled kernel.
        ports, own = part.table(layer)
        ports = frozen(ports.view())
        virtual_channels = frozen(np.empty((0, 0), np.uint8) if own is None else own.view())

        def walk(blocks: Iterator[int]) -> WalkSums:
            try:
                turns = self._turns.pop()
            except IndexError:
                turns = np.zeros(channels.turn_first[-1], self._word)
            sums = WalkSums(
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
                    self._turn_row,
                    ports,
                    virtual_channels,
                    self._rule == SWITCH,
                    self._sources,
                    part.carriers,
                    some,
                    self._fewest(some),
                    turns,
                    *sums[:5],
                    sums.examples[0],
                )
                work.advance(some.size)
            self._turns.append(turns)
            return sums

        work.begin(wanted.size, "destinations followed")
        of_threads = over_cores(walk, max(1, -(-wanted.size // _BLOCK)), self._jobs)
        work.check()
        load, passing, histogram, pairs, counts = (
            np.sum([sums[place] for sums in of_threads], axis=0) for place in range(5)
        )
        counts[4] = max(sums.counts[4] for sums in of_threads)
        return WalkSums(load, passing, histogram, pairs, counts, [sums.examples[0] for sums in of_threads])

    @property
    def _word(self) -> type:
        """The type of a turn: a bit per virtual channel, in as few bytes as possible, because turns are accessed at random."""
        return np.uint8 if max(self._used) <= _NARROW and self._rule != SWITCH else np.uint64

    def _keep_cycle(self, layer: int) -> bool:
        """Keep a cycle among the turns so far as that of a layer, if there is one, and forget the turns."""
        from topoloom.routing.verification.kernels.follow import find_cycle

        turns, *others = self._turns
        self._turns.clear()
        # A packet's next channel is in a higher virtual channel if that is the number of its hops.
        if self._rule == HOP:
            return False
        for other in others:
            np.bitwise_or(turns, other, out=turns)
        channels, place, used = self._part.channels, self._part.places[0], max(self._used)
        ring = find_cycle(
            channels.first, channels.to, channels.back, channels.turn_first, turns, used, self._rule == SWITCH
        )
        ends, virtual_channel = named(channels, np.asarray(ring, np.int64), used)
        if ends:
            self._cycles[layer] = tuple((int(place[a]), int(place[b])) for a, b in ends), virtual_channel
        return bool(ends)


def _fewest_hops(part: FollowedPart, some: np.ndarray) -> np.ndarray:
    """Hops to each of at most 64 destinations, int32[k, at least n]; -1 if there is no path."""
    from topoloom.routing.verification.kernels.nearest import hops_to

    n = part.topology.switches
    distance = np.empty((some.size, 16 * ((n + 15) // 16 | 1)), np.int32)
    if hops_to(part.channels.first, part.channels.to, some, _MOST_ROUNDS, distance):
        return distance
    return distances_from(part.topology, some, 1)
