"""A virtual channel for each pair of switches of existing tables, so that no channels wait for each other in a cycle."""

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.core.work import Work
from topoloom.model.topology import Topology
from topoloom.routing.channels import channels_of
from topoloom.routing.registry import RoutingRequest
from topoloom.routing.routing import carriers_of

#: The most virtual channels of hardware; they fit into the kernels' 16-bit words.
MOST_VIRTUAL_CHANNELS = 15
#: Most channels visited before the search fails: a few minutes.
EFFORT = 4_000_000_000
#: Destinations per call of the kernel.
_BLOCK = 8


def vcs_by_pair(request: RoutingRequest, ports: np.ndarray, engine: str) -> np.ndarray:
    """Give each pair, one after the other, the first virtual channel that stays free of cycles, uint8[n, n].

    Parameters
    ----------
    request : RoutingRequest
        Its `virtual_channels` are the most that may be used.
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

    Source: Skeie, Lysne and Theiss, Layered shortest path (LASH) routing, IPDPS 2002; cycles are found by the order of Pearce
    and Kelly.
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
    """Give every pair without a virtual channel the first of the given ones that stays free of cycles; return whether all got
    one.

    Parameters
    ----------
    topology : Topology
    ports : uint8 or uint16[n, n]
    vc : uint8[n, n]
        ORPHAN (`trees.kernels.vc_trees`) for pairs without one; updated.
    order : int64[n]
        The destinations, in the order in which their pairs are handled.
    virtual_channels, lowest : int
        The virtual channels to choose from: this many, from `lowest` on.
    turns : uint16[turns], optional
        The turns already in these virtual channels, one bit per virtual channel; none when omitted.
    place : int32[virtual channels, 2 m], optional
        For each virtual channel, an order of the channels in which these turns lead upwards; any order if there are none.
    effort : int
        Most channels visited before the search fails.
    work : Work
        Receives the progress of destinations.

    Returns
    -------
    bool
        Whether every pair has a virtual channel now.

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
    """Give each pair a virtual channel, uint8[n, n]: all start in the first, and pairs on cycles move to the next one.

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
        f"{topology.name}: the paths of engine {engine} need more than {most} virtual channels; engine orders works with any "
        "number"
    )
