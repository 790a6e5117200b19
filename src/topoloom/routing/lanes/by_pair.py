"""Lanes for tables that are there already, so that nothing waits in a cycle."""

import numpy as np

from topoloom.draws import Draws
from topoloom.errors import InputError
from topoloom.routing.channels import channels_of, turn_places
from topoloom.routing.registry import Request
from topoloom.routing.routing import carriers_of

#: The lanes that hardware has; the kernels' words of lanes have room for them.
MOST_LANES = 15
#: Channels looked at before that is given up: some minutes.
EFFORT = 4_000_000_000


def placed(request: Request, ports: np.ndarray, engine: str) -> np.ndarray:
    """The lane of each pair, uint8[n, n]: the first that stays free of cycles, pairs taken one after the other.

    Source: Skeie, Lysne and Theiss, Layered shortest path (LASH) routing, IPDPS 2002; cycles are looked for by Pearce and
    Kelly's order.

    Raises
    ------
    InputError
        More lanes are needed than there may be.
    """
    from topoloom.routing.lanes.kernels.acyclic import place_orphans
    from topoloom.routing.trees.kernels.lane_trees import ORPHAN

    topology, channels = request.topology, channels_of(request.topology)
    n, most = topology.switches, min(request.lanes or MOST_LANES, MOST_LANES)
    turn_first = turn_places(channels)
    carries = carriers_of(topology)
    lane = np.zeros((n, n), np.uint8)
    lane[np.ix_(carries, carries)] = ORPHAN
    np.fill_diagonal(lane, 0)
    turns, refused = (np.zeros(turn_first[-1], np.uint16) for _ in range(2))
    place = np.tile(np.arange(channels.to.size, dtype=np.int32), (most, 1))
    order = Draws(request.seed, 5).permutation(n)
    done = place_orphans(
        channels.first,
        channels.to,
        channels.back,
        turn_first,
        ports,
        lane,
        0,
        most,
        order,
        turns,
        refused,
        place,
        EFFORT,
    )
    if not done:
        raise InputError(
            f"{topology.name}: the paths of engine {engine} need more than {most} lanes; engine orders does with any number"
        )
    return lane
