"""Verification of next-hop groups: all walks are followed, and the turns of all of them are searched for cycles."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from topoloom.core.threads import over_cores
from topoloom.core.work import Work
from topoloom.graph.distances import distances_from
from topoloom.model.results import provenance_of
from topoloom.routing.choices import NextHopGroups
from topoloom.routing.routing import HOP, Routing
from topoloom.routing.verification.choices import named
from topoloom.routing.verification.verification import Verification, fault_of

#: Destinations per call of a kernel; the fixed number of partial sums, so that results do not depend on the threads.
_BLOCK, _SUMS = 32, 16
#: Hops up to which walks are counted in the first attempt.
_HOPS = 16


class GroupWalks(NamedTuple):
    """The sums over all walks; see `verification.kernels.groups.follow_groups`."""

    turns: np.ndarray
    load: np.ndarray
    by_hops: np.ndarray
    counts: np.ndarray
    examples: list[np.ndarray]
    most: int


def verify_groups(
    routing: Routing, groups: NextHopGroups, jobs: int | None, destinations: np.ndarray | None, work: Work
) -> Verification:
    """Return the verification of next-hop groups: every walk of every pair arrives, and no channels wait in a cycle.

    Hops and loads are expected values, as every group splits evenly: the pairs by hops and over channels are rounded, and the
    mean of hops is exact. A pair arrives where all its walks do, and it is minimal where all of them are shortest.

    Parameters
    ----------
    routing : Routing
    groups : NextHopGroups
        Of `routing`.
    jobs : int or None
    destinations : int64[k] or None
        As for `verify_routing`.
    work : Work

    Returns
    -------
    Verification

    Raises
    ------
    Stopped
        `work` was stopped.
    """
    from topoloom.routing.verification.kernels.follow import find_cycle
    from topoloom.routing.verification.kernels.groups import spread_turns

    topology, channels = routing.topology, routing.channels
    n, by_hop = topology.switches, routing.virtual_channel_rule == HOP
    wanted = np.arange(n) if destinations is None else destinations
    work.begin(wanted.size, "destinations followed")
    followed = _followed(routing, groups, wanted, not by_hop, _HOPS, jobs, work)
    if followed.most >= _HOPS:
        followed = _followed(routing, groups, wanted, not by_hop, followed.most + 1, jobs, work)
    ring = np.zeros(0, np.int64)
    if not by_hop:
        turns = np.zeros(channels.turn_first[-1], np.uint8)
        spread_turns(channels.first, channels.to, channels.back, channels.turn_first, followed.turns, turns)
        ring = find_cycle(channels.first, channels.to, channels.back, channels.turn_first, turns, 1, False)
    cycle, cycle_virtual_channel = named(channels, np.asarray(ring, np.int64), 1)
    lost, stuck, shortest, apart, most_hops, fewest = followed.counts.tolist()
    reached = wanted.size * (n - 1) - lost - stuck - apart
    hops = float(followed.by_hops @ np.arange(followed.by_hops.size))
    most = followed.most if reached else 0
    classes = max(1, most_hops) if by_hop else 1
    return Verification(
        pairs=wanted.size * (n - 1),
        reached_pairs=reached,
        minimal_pairs=shortest,
        apart_pairs=apart,
        fault=fault_of(lost, stuck, followed.examples),
        mean_hops=hops / reached if reached else 0.0,
        max_hops=most,
        histogram=_whole(followed.by_hops[: most + 1], reached),
        stretch=hops / fewest if fewest and not lost + stuck else 1.0,
        virtual_channels_used=classes,
        virtual_channel_pairs=np.append(reached, np.zeros(classes - 1, np.int64)),
        cycle=cycle,
        cycle_virtual_channel=cycle_virtual_channel,
        channel_load=np.rint(followed.load).astype(np.int64),
        switch_load=np.rint(_through(routing, followed.load, wanted)).astype(np.int64),
        checked_destinations=None if wanted.size >= n else int(wanted.size),
        provenance=provenance_of(topology, engine=routing.engine),
    )


def _followed(
    routing: Routing, groups: NextHopGroups, wanted: np.ndarray, search: bool, hops: int, jobs: int | None, work: Work
) -> GroupWalks:
    """Follow the walks to the `wanted` switches, counting those of fewer than `hops` hops, and their turns where `search`."""
    from topoloom.routing.verification.kernels.groups import follow_groups

    channels = routing.channels
    parts = min(_SUMS, max(1, wanted.size))
    words = -(-int(routing.topology.degrees.max(initial=1)) // 64) if search else 0
    shape = channels.to.size if search else 0, words
    sums = [
        GroupWalks(
            np.zeros((0, 0), np.uint64),
            np.zeros(channels.to.size),
            np.zeros(hops),
            np.zeros(6, np.int64),
            [np.full((2, 2), -1, np.int64)],
            0,
        )
        for _ in range(parts)
    ]

    def walk(numbers: Iterator[int]) -> tuple[np.ndarray, int]:
        turns = np.zeros(shape, np.uint64)
        most = 0
        for number in numbers:
            own = wanted[number * wanted.size // parts : (number + 1) * wanted.size // parts]
            for begin in range(0, own.size, _BLOCK):
                if work.stopped:
                    break
                some = own[begin : begin + _BLOCK]
                longest = follow_groups(
                    channels.first,
                    channels.to,
                    groups.group,
                    groups.first,
                    groups.port,
                    groups.next_state,
                    routing.carriers,
                    some,
                    distances_from(routing.topology, some, 1),
                    turns,
                    sums[number].load,
                    sums[number].by_hops,
                    sums[number].counts,
                    sums[number].examples[0],
                )
                most = max(most, int(longest))
                work.advance(some.size)
        return turns, most

    walked = over_cores(walk, parts, jobs)
    work.check()
    load, by_hops = (np.sum([part.load for part in sums], axis=0), np.sum([part.by_hops for part in sums], axis=0))
    counts = np.sum([part.counts for part in sums], axis=0)
    counts[4] = max(part.counts[4] for part in sums)
    turns = np.bitwise_or.reduce([turns for turns, _ in walked])
    most = max(most for _, most in walked)
    return GroupWalks(turns, load, by_hops, counts, [part.examples[0] for part in sums], most)


def _whole(expected: np.ndarray, total: int) -> np.ndarray:
    """Return whole numbers whose sum is `total`, near to the expected ones."""
    return np.diff(np.rint(np.cumsum(expected)).astype(np.int64), prepend=0) if total else expected.astype(np.int64)


def _through(routing: Routing, load: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Return the expected pairs through each switch that is neither their first nor their last, float64[n].

    A walk may come back to its first switch, where it then counts.
    """
    carries = routing.carriers
    arriving = np.bincount(routing.channels.to, load, carries.size)
    ending = np.zeros(carries.size)
    ending[wanted] = carries[wanted] * (carries.sum() - 1)
    return arriving - ending
