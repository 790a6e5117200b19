"""Virtual channels by segment: a packet moves to a higher virtual channel at each turn that an order of the switches
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

#: Orders to try, and additional orders while the paths need more virtual channels than wanted.
_TRIES, _MORE = 4, 28
#: Most virtual channels by switch that the verifier supports.
MOST_VIRTUAL_CHANNELS = 8
#: Destinations per task of a thread, and per call of the kernel.
_BLOCK = 64
#: Rounds of spreading virtual channels: later ones know the loads of all other destinations.
_ROUNDS = 2


@dataclass(frozen=True, eq=False)
class _Segments:
    """The forbidden turns of an order: `left` on each path, uint8[n, n] by destination; where it `rises`; the `most` on a
    path.
    """

    left: np.ndarray
    rises: np.ndarray
    most: int

    @property
    def virtual_channels(self) -> int:
        """The number of virtual channels that the paths need."""
        return self.most + 1


def segment_vcs(request: RoutingRequest, ports: np.ndarray, engine: str) -> np.ndarray:
    """Return virtual channels by switch, uint8[n, n], for any tables whose paths arrive; the best of a few orders is taken.

    Without forbidden turns, no path closes a cycle (`virtual_channels.kernels.orders`), and the virtual channel only rises; so
    any tables are deadlock-free. A path with few forbidden turns begins in a high virtual channel, so the destination alone
    determines the virtual channel at a switch.

    Parameters
    ----------
    request : RoutingRequest
    ports : uint8 or uint16[n, n]
    engine : str
        For the message.

    Returns
    -------
    uint8[n, n]
        virtual_channels[d, s]: the virtual channel in which switch s forwards packets to d.

    Raises
    ------
    InputError
        A path has more forbidden turns than virtual channels allow.
    Stopped
        The request's work was stopped.
    """
    segments = _checked(_fewest(request, ports, 1, 0), request, engine, MOST_VIRTUAL_CHANNELS)
    return np.maximum(segments.most - segments.left.astype(np.int16), 0).astype(np.uint8)


def even_segment_vcs(
    request: RoutingRequest, ports: np.ndarray, engine: str, virtual_channels: int, most: int
) -> np.ndarray:
    """Return virtual channels by switch that rise at every forbidden turn, and elsewhere so that all virtual channels have even
    loads.

    Each destination's tree gets virtual channels from its root outwards. A switch takes the virtual channel in which its
    channel has the fewest pairs so far, among those that leave enough lower virtual channels for the forbidden turns of all
    paths that arrive through it.

    Parameters
    ----------
    request : RoutingRequest
    ports : uint8 or uint16[n, n]
        Tables whose paths arrive.
    engine : str
        For messages.
    virtual_channels, most : int
        How many to use, and the most if the paths need more.

    Returns
    -------
    uint8[n, n]
        virtual_channels[d, s]: the virtual channel in which switch s forwards packets to d.

    Raises
    ------
    InputError
        Paths need more than `most` virtual channels.
    Stopped
        The request's work was stopped.
    """
    from topoloom.routing.virtual_channels.kernels.segments import spread_segments

    topology, channels = request.topology, channels_of(request.topology)
    segments = _checked(_fewest(request, ports, virtual_channels, _MORE), request, engine, most)
    virtual_channels = max(virtual_channels, segments.virtual_channels)
    vc = np.zeros((topology.switches, topology.switches), np.uint8)
    load = np.zeros((channels.to.size, virtual_channels), np.int64)
    where = channels.first, channels.to, ports, segments.rises, host_weights(topology)
    request.work.begin(_ROUNDS * topology.switches, "destinations whose virtual channels are spread")
    for number in range(_ROUNDS):
        order = Draws(request.seed, 23 + number).permutation(topology.switches)
        for begin in range(0, order.size, _BLOCK):
            request.work.check()
            some = order[begin : begin + _BLOCK]
            spread_segments(*where, some, number > 0, load, vc)
            request.work.advance(some.size)
    return vc


def _checked(segments: _Segments, request: RoutingRequest, engine: str, most: int) -> _Segments:
    """Return `segments` unless they need more than `most` virtual channels."""
    if segments.virtual_channels > most:
        raise InputError(
            f"{request.topology.name}: the paths of engine {engine} need {segments.virtual_channels} virtual channels by "
            "segments, more than"
            f" {most}; use engine hop-vcs or orders"
        )
    return segments


def _fewest(request: RoutingRequest, ports: np.ndarray, wanted: int, more: int) -> _Segments:
    """Return the segments of the order, out of a few, that needs the fewest virtual channels; try up to `more` further orders
    while
    it needs more than `wanted`.
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
    # The first order counts pairs; the others count mainly whether any pair turns there, because the worst path decides.
    any_pair = np.minimum(weight, 1.0) + weight / max(1.0, weight.max(initial=0.0))
    work.begin(None, "orders of the switches")

    def tried(spared: np.ndarray) -> _Segments:
        work.check()
        rank = ranked(*where, spared, ties.uniform(topology.switches) * 1e-3)
        work.advance()
        return _segments(channels, ports, carries, rising(channels.first, channels.to, rank[None, :]), request)

    latest = best = tried(weight)
    for attempt in range(1, _TRIES + more):
        if attempt >= _TRIES and best.virtual_channels <= wanted:
            break
        if more and latest.virtual_channels > wanted:
            # From now on, turns of the paths with the most forbidden turns weigh more.
            worst = turns_of(latest.left, latest.most)
            any_pair = any_pair + worst / max(1.0, worst.max(initial=0.0))
        latest = tried(any_pair)
        best = latest if latest.most < best.most else best
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
