"""A virtual channel for each pair of switches, given to tables that are there already, so that no channels wait in a cycle."""

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.core.work import Work
from topoloom.model.topology import Topology
from topoloom.routing.channels import channels_of
from topoloom.routing.registry import RoutingRequest
from topoloom.routing.routing import carriers_of

#: The virtual channels that hardware has; the kernels' words of virtual channels have room for them.
MOST_VIRTUAL_CHANNELS = 15
#: Channels looked at before that is given up: some minutes.
EFFORT = 4_000_000_000
#: Destinations whose pairs get their virtual channels in one call of the kernel.
_BLOCK = 8


def vcs_by_pair(request: RoutingRequest, ports: np.ndarray, engine: str) -> np.ndarray:
    """The virtual channel of each pair, uint8[n, n]: the first that stays free of cycles, pairs taken one after the other.

    Parameters
    ----------
    request : RoutingRequest
        Its `virtual_channels` are the most that may be taken.
    ports : uint8 or uint16[n, n]
        Tables whose paths arrive.
    engine : str
        For the message.

    Returns
    -------
    uint8[n, n]
        virtual_channels[d, s]: the virtual channel of packets from s to d.

    Raises
    ------
    InputError
        More virtual channels are needed than there may be.
    Stopped
        The request's work was stopped.

    Source: Skeie, Lysne and Theiss, Layered shortest path (LASH) routing, IPDPS 2002; cycles are looked for by Pearce and
    Kelly's order.
    """
    from topoloom.routing.trees.kernels.vc_trees import ORPHAN

    topology, most = request.topology, _most(request)
    carries = carriers_of(topology)
    vc = np.zeros((topology.switches, topology.switches), np.uint8)
    vc[np.ix_(carries, carries)] = ORPHAN
    np.fill_diagonal(vc, 0)
    order = Draws(request.seed, 5).permutation(topology.switches)
    if not place_pairs(topology, ports, vc, order, most, work=request.work):
        raise _too_few(topology, engine, most)
    return vc


def place_pairs(
    topology: Topology,
    ports: np.ndarray,
    vc: np.ndarray,
    order: np.ndarray,
    virtual_channels: int,
    *,
    lowest: int = 0,
    turns: np.ndarray | None = None,
    place: np.ndarray | None = None,
    effort: int = EFFORT,
    work: Work,
) -> bool:
    """Give every pair that has no virtual channel yet the first of some virtual channels that stays free of cycles; whether
    that was possible.

    Parameters
    ----------
    topology : Topology
    ports : uint8 or uint16[n, n]
    vc : uint8[n, n]
        ORPHAN (`trees.kernels.vc_trees`) where there is none yet; written.
    order : int64[n]
        The destinations, in the order in which their pairs are looked at.
    virtual_channels, lowest : int
        The virtual channels to choose from: `lowest` and the following, so many.
    turns : uint16[turns], optional
        The turns that these virtual channels have already, a bit a virtual channel; none when omitted.
    place : int32[virtual channels, 2 m], optional
        For each virtual channel an order of the channels in which these turns lead upwards; any when there are none.
    effort : int
        Channels that are looked at before it is given up.
    work : Work
        Told of the destinations.

    Returns
    -------
    bool
        Whether every pair has a virtual channel now; `vc` is changed in place.

    Raises
    ------
    Stopped
        `work` was stopped.
    """
    from topoloom.routing.virtual_channels.kernels.acyclic import place_orphans

    channels = channels_of(topology)
    turns = np.zeros(channels.turn_first[-1], np.uint16) if turns is None else turns
    refused = np.zeros(channels.turn_first[-1], np.uint16)
    place = np.tile(np.arange(channels.to.size, dtype=np.int32), (virtual_channels, 1)) if place is None else place
    where = channels.first, channels.to, channels.back, channels.turn_first, ports, vc, lowest, virtual_channels
    looked_at = np.zeros(2, np.int64)
    work.begin(order.size, "destinations given virtual channels")
    for start in range(0, order.size, _BLOCK):
        work.check()
        some = order[start : start + _BLOCK]
        if not place_orphans(*where, some, turns, refused, place, effort, looked_at, work.flag):
            work.check()
            return False
        work.advance(some.size)
    return True


def vcs_by_breaking_cycles(request: RoutingRequest, ports: np.ndarray, engine: str) -> np.ndarray:
    """The virtual channel of each pair, uint8[n, n]: virtual channels are filled from the first, and what closes cycles in one
    moves to the next.

    Parameters
    ----------
    request, ports, engine
        As for `vcs_by_pair`.

    Returns
    -------
    uint8[n, n]
        virtual_channels[d, s]: the virtual channel of packets from s to d.

    Raises
    ------
    InputError
        More virtual channels are needed than there may be.
    Stopped
        The request's work was stopped.

    Source: Domke, Hoefler and Nagel, Deadlock-free oblivious routing for arbitrary topologies, IPDPS 2011.
    """
    from topoloom.routing.virtual_channels.kernels.dfsssp import break_cycles, count_turns

    topology, most, work = request.topology, _most(request), request.work
    channels, vc = channels_of(topology), np.zeros((topology.switches, topology.switches), np.uint8)
    count = np.zeros(channels.turn_first[-1], np.int64)
    where = channels.first, channels.to, channels.back, channels.turn_first, ports, vc
    carries = carriers_of(topology)
    work.begin(most, "virtual channels filled")
    for number in range(most):
        count_turns(*where, number, carries, count, work.flag)
        broken = break_cycles(*where, number, carries, count, work.flag)
        work.check()
        if not broken:
            return vc
        work.advance()
    raise _too_few(topology, engine, most)


def _most(request: RoutingRequest) -> int:
    return min(request.virtual_channels or MOST_VIRTUAL_CHANNELS, MOST_VIRTUAL_CHANNELS)


def _too_few(topology: Topology, engine: str, most: int) -> InputError:
    return InputError(
        f"{topology.name}: the paths of engine {engine} need more than {most} virtual channels; engine orders does with any "
        "number"
    )
