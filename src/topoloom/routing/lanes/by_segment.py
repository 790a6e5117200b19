"""Lanes by segment: a packet changes to the next lane at each turn that one order of the switches forbids."""

from collections.abc import Iterator

import numpy as np

from topoloom.errors import InputError
from topoloom.random_streams import Draws
from topoloom.routing.channels import channels_of
from topoloom.routing.registry import Request
from topoloom.routing.routing import carriers_of
from topoloom.threads import over_cores

#: Orders that are tried.
_TRIES = 4
#: Lanes by switch that the judge can tell apart.
_MOST_LANES = 8


def segment_lanes(request: Request, ports: np.ndarray, engine: str) -> np.ndarray:
    """Lanes by switch, uint8[n, n], for any tables whose paths arrive: the fewest of a few orders.

    Without its forbidden turns no path closes a cycle (`lanes.kernels.orders`), and the lane only rises: so whatever the
    tables, nothing waits in cycles. A path with few turns left begins in a high lane: a switch knows its lane from the
    destination alone.

    Parameters
    ----------
    request : Request
    ports : uint8 or uint16[n, n]
    engine : str
        For the message.

    Returns
    -------
    uint8[n, n]
        lanes[d, s]: the lane in which switch s sends on what goes to d.

    Raises
    ------
    InputError
        A path has more such turns than there may be lanes.
    Stopped
        The request's work was stopped.
    """
    from topoloom.routing.lanes.kernels.dfsssp import count_turns
    from topoloom.routing.lanes.kernels.orders import ranked, rising
    from topoloom.routing.lanes.kernels.segments import segments_left

    topology, channels = request.topology, channels_of(request.topology)
    n, carries = topology.switches, carriers_of(topology)
    count, one_lane = np.zeros(channels.turn_first[-1], np.int64), np.zeros((n, n), np.uint8)
    count_turns(
        channels.first,
        channels.to,
        channels.back,
        channels.turn_first,
        ports,
        one_lane,
        0,
        carries,
        count,
        request.work.flag,
    )
    weight = count.astype(np.float64)
    ties, best, fewest = Draws(request.seed, 6), np.empty((0, 0), np.uint8), 256
    blocks = -(-n // 64)
    request.work.begin(_TRIES * blocks, "blocks of destinations given lanes")
    for attempt in range(_TRIES):
        request.work.check()
        # The first order counts pairs; others only whether any pair turns there at all, for the worst path decides.
        wanted = weight if attempt == 0 else np.minimum(weight, 1.0) + weight / max(1.0, weight.max(initial=0.0))
        rank = ranked(channels.first, channels.to, channels.back, channels.turn_first, wanted, ties.uniform(n) * 1e-3)
        rises = rising(channels.first, channels.to, rank[None, :])
        left = np.zeros((n, n), np.uint8)

        def count_segments(numbers: Iterator[int], rises: np.ndarray = rises, left: np.ndarray = left) -> None:
            for block in numbers:
                segments_left(channels.first, channels.to, ports, rises, block * 64, min(n, block * 64 + 64), left)

        over_cores(count_segments, blocks, request.jobs, request.work)
        used = int(left[np.ix_(carries, carries)].max(initial=0))
        if used < fewest:
            fewest, best = used, left
    request.work.check()
    if fewest >= _MOST_LANES:
        raise InputError(
            f"{topology.name}: the paths of engine {engine} take {fewest + 1} lanes by segments, more than {_MOST_LANES};"
            " engine hop-lanes or orders does with any network"
        )
    return np.maximum(fewest - best.astype(np.int16), 0).astype(np.uint8)
