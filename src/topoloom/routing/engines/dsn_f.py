"""The routing of DSN-F: down to layer 0, along layer 0 to the destination's supernode by the bits of the distance, and up
again.
"""

from collections.abc import Callable

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.routing.channels import channels_of
from topoloom.routing.registry import RoutingRequest, engine
from topoloom.routing.routing import SWITCH, Routing, empty_ports
from topoloom.routing.virtual_channels.by_segment import segment_vcs


@engine("dsn-f", "DSN-F's own: at most 3p/2 + 2K - 2 hops (Truong 2016, Theorem 1)", safe=True)
def dsn_f(request: RoutingRequest) -> Routing:
    """Make tables by destination that never take more hops than the paper's three phases.

    A switch of layer 0 proceeds level by level: it takes the shortcut of level k if bit k of the distance in supernodes is set,
    otherwise the local link. It does so once all remaining bits are at levels before the destination's; until then it goes
    round its local ring towards the destination's level. So it may begin the second step of the main phase earlier than in the
    paper, never later. Source: Truong 2016 4.1; errata of Truong 2016, 1-3 (the last level continues in the next supernode).
    """
    topology = request.topology
    level, layer, group, p = _labels(topology)
    n, supernodes = topology.switches, 1 << p
    place = np.full((int(layer.max()) + 1, supernodes, p), -1, np.int64)
    place[layer, group, level] = np.arange(n)
    number = place[0, group, level]  # the switch of layer 0 under each
    in_layer_0 = layer == 0
    up = np.where(layer + 1 < place.shape[0], place[np.minimum(layer + 1, place.shape[0] - 1), group, level], -1)
    down = np.where(layer > 0, place[np.maximum(layer - 1, 0), group, level], -1)
    after, before = place[0, group, (level + 1) % p], place[0, group, (level - 1) % p]
    short = place[0, (group + (1 << (p - 1 - level))) % supernodes, (level + 1) % p]
    levels = np.arange(p)
    port_to = _ports_to(topology)
    ports = empty_ports(topology)
    request.work.begin(n, "destinations")
    for d in range(n):
        request.work.check()
        request.work.advance()
        apart = (group[d] - group) % supernodes
        ahead = (level[d] - level) % p  # levels up to the destination's level
        wanted = ((apart[:, None] >> (p - 1 - levels)) & 1).astype(np.bool_)  # bit of each level
        left = ((levels - level[:, None]) % p * wanted).max(
            axis=1, initial=0
        )  # levels up to the farthest bit that is set
        ready = (apart > 0) & ((ahead == 0) | (left < ahead))
        here = wanted[np.arange(n), level]
        round_ring = np.where(2 * ahead <= p, after, before)
        target = np.where(ready, np.where(here, short, after), round_ring)
        same = number == number[d]
        target = np.where(in_layer_0, target, down)
        target = np.where(same, np.where(layer < layer[d], up, down), target)
        target[d] = d
        ports[d] = port_to(np.arange(n), target)
    np.fill_diagonal(ports, np.iinfo(ports.dtype).max)
    return Routing(topology, "dsn-f", ports, segment_vcs(request, ports, "dsn-f"), SWITCH)


def _ports_to(topology: Topology) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """Return a function that finds the ports of switches towards neighbours."""
    channels = channels_of(topology)
    n = topology.switches
    keys = channels.origin.astype(np.int64) * n + channels.to

    def find(origin: np.ndarray, target: np.ndarray) -> np.ndarray:
        """The first port of each origin that leads to its target."""
        wanted = origin * n + target
        at = np.minimum(np.searchsorted(keys, wanted), keys.size - 1)
        linked = keys[at] == wanted
        if not (linked | (origin == target)).all():
            bad = int(np.flatnonzero(~linked & (origin != target))[0])
            raise InputError(
                f"{topology.name}: no link {int(origin[bad])} - {int(target[bad])}, which a DSN-F has; use engine"
                " orders"
            )
        return np.asarray(at - channels.first[origin])

    return find


def _labels(topology: Topology) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Level (from 0), layer and supernode of each switch, and how many levels there are."""
    if not {"level", "layer", "group"} <= set(topology.labels):
        raise InputError(f"{topology.name}: not a DSN-F (its switches have no labels level, layer, group)")
    level, layer, group = (np.asarray(topology.labels[name], np.int64) for name in ("level", "layer", "group"))
    p = int(level.max())
    if int(group.max()) + 1 != 1 << p or int((layer == 0).sum()) != p << p:
        raise InputError(f"{topology.name}: not a DSN-F: {p} levels require {1 << p} supernodes of {p} switches each")
    return level - 1, layer, group, p
