"""Virtual channels by segment: a packet changes to a higher virtual channel at each turn that one order of the switches
forbids.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.core.threads import over_cores
from topoloom.routing.channels import Channels, channels_of
from topoloom.routing.registry import RoutingRequest
from topoloom.routing.routing import carriers_of, host_weights

#: Orders that are tried, and how many more while the paths take more virtual channels than are wanted.
_TRIES, _MORE = 4, 28
#: Virtual channels by switch that the verifier can tell apart.
MOST_VIRTUAL_CHANNELS = 8
#: Destinations that a thread looks at a time, and whose virtual channels are spread in one call.
_BLOCK = 64
#: Times that virtual channels are spread: later ones know what all other destinations take.
_ROUNDS = 2


@dataclass(frozen=True, eq=False)
class _Segments:
    """An order's forbidden turns: those left on each path, uint8[n, n] by destination; where it rises; the most on a path."""

    left: np.ndarray
    rises: np.ndarray
    most: int

    @property
    def virtual_channels(self) -> int:
        """How many virtual channels the paths take."""
        return self.most + 1


def segment_vcs(request: RoutingRequest, ports: np.ndarray, engine: str) -> np.ndarray:
    """Virtual channels by switch, uint8[n, n], for any tables whose paths arrive: the fewest of a few orders.

    Without its forbidden turns no path closes a cycle (`virtual_channels.kernels.orders`), and the virtual channel only rises:
    so whatever the tables, nothing waits in cycles. A path with few turns left begins in a high virtual channel: a switch knows
    its virtual channel from the destination alone.

    Parameters
    ----------
    request : RoutingRequest
    ports : uint8 or uint16[n, n]
    engine : str
        For the message.

    Returns
    -------
    uint8[n, n]
        virtual channels[d, s]: the virtual channel in which switch s sends on what goes to d.

    Raises
    ------
    InputError
        A path has more such turns than there may be virtual channels.
    Stopped
        The request's work was stopped.
    """
    found = _checked(_fewest(request, ports, 1, 0), request, engine, MOST_VIRTUAL_CHANNELS)
    return np.maximum(found.most - found.left.astype(np.int16), 0).astype(np.uint8)


def even_segment_vcs(
    request: RoutingRequest, ports: np.ndarray, engine: str, virtual_channels: int, most: int
) -> np.ndarray:
    """Virtual channels by switch that rise at every turn which the order forbids, and elsewhere so that all virtual channels
    carry alike.

    Each destination's tree gets virtual channels from its root outwards: a switch takes the virtual channel in which its
    channel has the fewest pairs so far, of those that leave the virtual channels below for the turns of the longest path that
    comes in through it.

    Parameters
    ----------
    request : RoutingRequest
    ports : uint8 or uint16[n, n]
        Tables whose paths arrive.
    engine : str
        For messages.
    virtual_channels, most : int
        How many are used; and at the most, where the paths take more.

    Returns
    -------
    uint8[n, n]
        virtual channels[d, s]: the virtual channel in which switch s sends on what goes to d.

    Raises
    ------
    InputError
        Paths take more than `most` virtual channels.
    Stopped
        The request's work was stopped.
    """
    from topoloom.routing.virtual_channels.kernels.segments import spread_segments

    topology, channels = request.topology, channels_of(request.topology)
    found = _checked(_fewest(request, ports, virtual_channels, _MORE), request, engine, most)
    virtual_channels = max(virtual_channels, found.virtual_channels)
    vc = np.zeros((topology.switches, topology.switches), np.uint8)
    load = np.zeros((channels.to.size, virtual_channels), np.int64)
    where = channels.first, channels.to, ports, found.rises, host_weights(topology)
    request.work.begin(_ROUNDS * topology.switches, "destinations whose virtual channels are spread")
    for number in range(_ROUNDS):
        order = Draws(request.seed, 23 + number).permutation(topology.switches)
        for begin in range(0, order.size, _BLOCK):
            request.work.check()
            some = order[begin : begin + _BLOCK]
            spread_segments(*where, some, number > 0, load, vc)
            request.work.advance(some.size)
    return vc


def _checked(found: _Segments, request: RoutingRequest, engine: str, most: int) -> _Segments:
    """The same, if it takes no more virtual channels than there may be."""
    if found.virtual_channels > most:
        raise InputError(
            f"{request.topology.name}: the paths of engine {engine} take {found.virtual_channels} virtual channels by "
            "segments, more than"
            f" {most}; engine hop-vcs or orders does with any network"
        )
    return found


def _fewest(request: RoutingRequest, ports: np.ndarray, wanted: int, more: int) -> _Segments:
    """The segments of that order of a few which takes the fewest virtual channels; `more` orders while these are more than
    `wanted`.
    """
    from topoloom.routing.virtual_channels.kernels.dfsssp import count_turns
    from topoloom.routing.virtual_channels.kernels.orders import ranked, rising

    topology, channels, work = request.topology, channels_of(request.topology), request.work
    carries, ties = carriers_of(topology), Draws(request.seed, 6)
    where = channels.first, channels.to, channels.back, channels.turn_first

    def turns_of(vc: np.ndarray, number: int) -> np.ndarray:
        count = np.zeros(channels.turn_first[-1], np.int64)
        count_turns(*where, ports, vc, number, carries, count, work.flag)
        return count.astype(np.float64)

    weight = turns_of(np.zeros(ports.shape, np.uint8), 0)
    # The first order counts pairs; others only whether any pair turns there at all, for the worst path decides.
    any_pair = np.minimum(weight, 1.0) + weight / max(1.0, weight.max(initial=0.0))
    work.begin(None, "orders of the switches")

    def tried(spared: np.ndarray) -> _Segments:
        work.check()
        rank = ranked(*where, spared, ties.uniform(topology.switches) * 1e-3)
        work.advance()
        return _segments(channels, ports, carries, rising(channels.first, channels.to, rank[None, :]), request)

    found = best = tried(weight)
    for attempt in range(1, _TRIES + more):
        if attempt >= _TRIES and best.virtual_channels <= wanted:
            break
        if more and found.virtual_channels > wanted:
            # What the paths with the most turns pass weighs more from now on.
            worst = turns_of(found.left, found.most)
            any_pair = any_pair + worst / max(1.0, worst.max(initial=0.0))
        found = tried(any_pair)
        best = found if found.most < best.most else best
    work.check()
    return best


def _segments(
    channels: Channels, ports: np.ndarray, carries: np.ndarray, rises: np.ndarray, request: RoutingRequest
) -> _Segments:
    from topoloom.routing.virtual_channels.kernels.segments import segments_left

    n = ports.shape[0]
    left = np.zeros((n, n), np.uint8)

    def count(numbers: Iterator[int]) -> None:
        for block in numbers:
            begin = block * _BLOCK
            segments_left(channels.first, channels.to, ports, rises, begin, min(n, begin + _BLOCK), left)

    over_cores(count, -(-n // _BLOCK), request.jobs, request.work, counted=False)
    return _Segments(left, rises, int(left[np.ix_(carries, carries)].max(initial=0)))
