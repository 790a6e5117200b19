"""Ancestors: up to the nearest common ancestor and down, for trees in which not every top switch reaches all leaves."""

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.model.topology import Topology
from topoloom.routing.channels import channels_of
from topoloom.routing.engines.fat_tree import levels_of
from topoloom.routing.levels_below import reach
from topoloom.routing.registry import RoutingRequest, engine
from topoloom.routing.routing import Routing, carriers_of, empty_ports, host_weights
from topoloom.routing.trees.shortest import fill_minimal

#: Rounds after the first, in which each tree is removed and rebuilt.
_ROUNDS = 3


def _fits(topology: Topology) -> str | None:
    """Return a reason for networks of two levels in which any two leaves share a spine, but not every spine links all
    leaves.
    """
    try:
        level = levels_of(topology)
    except InputError:
        return None
    if level.max() != 1:
        return None
    whole, joined = reach(topology, level)
    return "two levels, and any two leaves share a spine" if joined and not whole else None


@engine(
    "ancestors",
    "up to a nearest common ancestor and down, for trees in which any two lowest switches have one; one virtual channel",
    safe=True,
    fits=_fits,
)
def ancestors(request: RoutingRequest) -> Routing:
    """For orthogonal fat trees, multi-layer full meshes and random folded Clos networks, which fat-tree's digits do not fit.

    Paths rise, then fall, so one virtual channel is deadlock-free. Of the paths over nearest common ancestors, the one with the
    smallest maximum channel load so far (in pairs of hosts) is taken. Up to three levels no path is longer than the shortest.
    Source: Kathareios et al., Cost-effective diameter-two topologies, SC 2015 (minimal routing of OFT and MLFM).
    """
    from topoloom.routing.trees.kernels.ancestors import ancestor_trees

    topology = request.topology
    level = levels_of(topology)
    channels, ports = channels_of(topology), empty_ports(topology)
    none = int(np.iinfo(ports.dtype).max)
    carries = np.flatnonzero(carriers_of(topology))
    load = np.zeros(channels.to.size, np.int64)
    rising = np.argsort(level, kind="stable")
    order = carries[Draws(request.seed).permutation(carries.size)]
    weight = host_weights(topology)
    request.work.begin(order.size * (1 + _ROUNDS), "destinations")
    for again in range(1 + _ROUNDS):
        for some in np.array_split(order, max(1, order.size // 64)):
            request.work.check()
            lost = ancestor_trees(
                channels.first, channels.to, level, rising, some, weight, ports, none, load, again > 0
            )
            if lost >= 0:
                raise InputError(
                    f"{topology.name}: switch {lost} has no common ancestor with another switch;"
                    " engine orders routes any network"
                )
            request.work.advance(some.size)
    others = np.setdiff1d(np.arange(topology.switches), carries)
    if others.size:
        fill_minimal(topology, others, ports, 0, request.jobs, work=request.work)
    return Routing(topology, "ancestors", ports, minimal=bool(level.max(initial=0) <= 2))
