"""Dragonfly: a local link, a global link, a local link."""

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.routing.channels import channels_of
from topoloom.routing.registry import RoutingRequest, engine
from topoloom.routing.routing import SWITCH, Routing, empty_ports


def _fits(topology: Topology) -> str | None:
    """Several groups of several switches, fully joined inside, a link between any two."""
    try:
        group = dragonfly_groups(topology)
    except InputError:
        return None
    count = int(group.max()) + 1
    if count < 2 or np.bincount(group).min() < 2:
        return None
    low, high = np.sort(group[topology.links], axis=1).T
    pairs = np.unique(low[low != high] * count + high[low != high])
    return "groups are fully joined, and any two of them linked" if pairs.size == count * (count - 1) // 2 else None


@engine(
    "dragonfly",
    "local, global, local, for groups that are fully joined inside; two virtual channels",
    safe=True,
    bytes_a_pair=4,
    fits=_fits,
)
def dragonfly(request: RoutingRequest) -> Routing:
    """Paths go to a switch of the source's group with a link to the destination's group, over that link, then to the
    destination.

    If several links join two groups, the destination decides; a switch with such a link uses its own. The global link and the
    hops after it use virtual channel 1, the local link before it virtual channel 0, so virtual channels only rise. Paths have
    at most three hops; where two global links would give two hops, the path is longer than the shortest. Source: Kim, Dally,
    Scott and Abts, ISCA 2008, 4.
    """
    topology = request.topology
    group = dragonfly_groups(topology)
    channels = channels_of(topology)
    n, ports = topology.switches, empty_ports(topology)
    port = np.arange(channels.to.size) - channels.first[channels.origin]
    inside = group[channels.origin] == group[channels.to]
    direct = np.full((n, n), -1, np.int16)
    direct[channels.origin[inside], channels.to[inside]] = port[inside]
    groups = np.unique(group).tolist()
    request.work.begin(len(groups), "groups")
    for target in groups:
        request.work.check()
        request.work.advance()
        members = np.flatnonzero(group == target)
        leads = np.flatnonzero((group[channels.to] == target) & ~inside)
        links_there = np.bincount(channels.origin[leads], minlength=n)  # links of each switch to that group
        first_there = np.searchsorted(channels.origin[leads], np.arange(n))
        count = np.bincount(group[channels.origin[leads]], minlength=int(group.max()) + 1)
        by_group = leads[np.argsort(group[channels.origin[leads]], kind="stable")]
        begin = np.concatenate([[0], np.cumsum(count)])
        outside = np.flatnonzero(group != target)
        if not count[np.unique(group[outside])].all():
            raise InputError(f"{topology.name}: some groups have no link between them; use engine orders")
        for number, d in enumerate(members.tolist()):
            gate = by_group[begin[group[outside]] + number % count[group[outside]]]
            has = links_there[outside] > 0
            at = np.where(has, first_there[outside] + number % np.maximum(links_there[outside], 1), 0)
            to_gate = direct[outside, channels.origin[gate]]
            ports[d, outside] = np.where(has, port[leads[at]], to_gate)
            others = members[members != d]
            ports[d, others] = direct[others, d]
    virtual_channels = (group[:, None] == group[None, :]).astype(np.uint8)
    for target in groups:
        gates = np.unique(channels.origin[(group[channels.to] == target) & ~inside])
        virtual_channels[np.ix_(group == target, gates)] = 1
    return Routing(topology, "dragonfly", ports, virtual_channels, SWITCH)


def dragonfly_groups(topology: Topology) -> np.ndarray:
    """The group of each switch, int64[n]; raises an error unless every group is a full mesh."""
    if "group" not in topology.labels:
        raise InputError(f"{topology.name}: its switches have no label 'group'; use engine orders")
    group = np.unique(topology.labels["group"], return_inverse=True)[1].reshape(-1)
    a, b = group[topology.links].T
    ends = np.unique(topology.links[a == b], axis=0)
    size = np.bincount(group)
    joined = np.bincount(group[ends[:, 0]], minlength=size.size)
    if not (joined == size * (size - 1) // 2).all():
        raise InputError(
            f"{topology.name}: group {int(np.argmax(joined != size * (size - 1) // 2))} is not a full mesh, as in a"
            " dragonfly; use engine orders"
        )
    return np.asarray(group)
