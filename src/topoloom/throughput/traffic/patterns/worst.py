"""The worst case: the published one for some families, and for any tables a permutation that overloads a channel."""

from collections.abc import Callable

import numpy as np

from topoloom.throughput.traffic.making import check_places, to_one, to_some
from topoloom.throughput.traffic.register import PatternRequest, pattern
from topoloom.throughput.traffic.traffic import Traffic
from topoloom.throughput.traffic.worst import busy_permutation
from topoloom.topologies.spec import Choice


@pattern(
    "worst-case",
    "the published worst case of Slim Fly, fat trees, OFT and MLFM, and of families with groups (Dragonfly, Megafly, Cascade,"
    " PolarStar, Bundlefly); for other networks, the permutation that the tables serve worst",
    source="Besta 2014 V.C; Kim et al. 2008; Kathareios et al. 2015; Towles and Dally, SPAA 2002",
    by=Choice(
        ("family", "tables"), "'tables': the worst permutation of the tables, not the published case", default="family"
    ),
)
def worst_case(request: PatternRequest, by: str) -> Traffic:
    """Use the family that the network's spec names, else the tables."""
    topology = request.topology
    family = (topology.spec or "").partition("+")[0].partition(":")[0]
    grouped = "group" in topology.labels and np.unique(topology.labels["group"][topology.endpoints]).size > 1
    if by == "family" and family in _FAMILIES and grouped:
        return _FAMILIES[family](request)
    return to_one(request, busy_permutation(request.routing))


def _slimfly(request: PatternRequest) -> Traffic:
    """Four switches a, y, x, b in a row: x and a exchange traffic through y, and y and b through x, so y and x share one link.

    Besta 2014 takes all a whose path to x leads through y, which overloads x unless they take turns. One a and one b load the
    link of x and y with the hosts of two switches in each direction (errata of Besta 2014, 17), and no host with more than one.
    Rows are chosen until none is left; each remaining switch sends to the next remaining one.
    """
    routing = request.routing
    topology, first, to = routing.topology, routing.channels.first, routing.channels.to
    none, hosts = routing.none, topology.endpoints_at
    free = hosts > 0
    partner = np.full(topology.switches, -1, np.int64)

    def through(hub: int, gate: int) -> np.ndarray:
        """Return free switches that exchange traffic with `hub` through `gate`, in both directions."""
        ports = routing.ports
        near = to[first[gate] : first[gate + 1]].astype(np.int64)
        forward, back = ports[near, hub], ports[hub, near]
        usable = (forward != none) & (back != none) & free[near] & (near != hub)
        near, forward, back = near[usable], forward[usable].astype(np.int64), back[usable].astype(np.int64)
        return np.asarray(near[(to[first[hub] + forward] == gate) & (to[first[near] + back] == gate)])

    for x in range(topology.switches):
        for y in to[first[x] : first[x + 1]].tolist() if free[x] else []:
            if not free[y] or y == x:
                continue
            left, right = through(x, y), through(y, x)
            right = right[right != left[0]] if left.size else right
            if left.size and right.size:
                a, b = int(left[0]), int(right[0])
                partner[[a, x, y, b]] = x, a, b, y
                free[[a, x, y, b]] = False
                break
    rest = np.flatnonzero(free)
    partner[rest] = np.roll(rest, -1)
    return to_one(request, _same_place(topology.endpoints, hosts, partner))


def _dragonfly(request: PatternRequest) -> Traffic:
    """Every host of a group sends to random hosts of the next group.

    Between two groups there is one global link, or a few, for the hosts of a whole group. Source: Kim, Dally, Scott and Abts,
    ISCA 2008, 4.2, which Besta 2014 refers to.
    """
    number, begin, size = _groups(request)
    following = (number + 1) % size.size
    count = size[following]
    check_places(request.name, int(count.sum()))
    sender = np.repeat(np.arange(request.hosts), count)
    place = np.arange(sender.size) - np.repeat(np.cumsum(count) - count, count)
    by_group = np.argsort(number, kind="stable")
    return to_some(request, sender, by_group[begin[following[sender]] + place])


def _fat_tree(request: PatternRequest) -> Traffic:
    """Every host sends to the corresponding host in the next pod, so that every packet passes a top switch."""
    number, begin, size = _groups(request)
    by_group = np.argsort(number, kind="stable")
    place = np.empty(request.hosts, np.int64)
    place[by_group] = np.arange(request.hosts) - np.repeat(begin[:-1], size)
    following = (number + 1) % size.size
    return to_one(request, by_group[begin[following] + place % size[following]])


def _next_leaf(request: PatternRequest) -> Traffic:
    """Every host sends to the host in the same place on the next leaf of its layer, or of its group.

    Two such leaves are usually joined by only one spine, so all traffic between them passes through it. Source: Kathareios et
    al., SC 2015.
    """
    topology = request.topology
    layer = topology.labels["layer" if "layer" in topology.labels else "group"]
    leaves = np.flatnonzero(topology.endpoints_at > 0)
    partner = np.full(topology.switches, -1, np.int64)
    for number in np.unique(layer[leaves]):
        members = leaves[layer[leaves] == number]
        partner[members] = np.roll(members, -1)
    return to_one(request, _same_place(topology.endpoints, topology.endpoints_at, partner))


_FAMILIES: dict[str, Callable[[PatternRequest], Traffic]] = {
    "slimfly": _slimfly,
    "dragonfly": _dragonfly,
    "megafly": _dragonfly,
    "cascade": _dragonfly,
    "polarstar": _dragonfly,
    "bundlefly": _dragonfly,
    "fat-tree": _fat_tree,
    "kary-tree": _fat_tree,
    "oft": _next_leaf,
    "mlfm": _next_leaf,
}


def _groups(request: PatternRequest) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the group of each host (counting groups with hosts), where each group's hosts begin, and group sizes: int64."""
    topology = request.topology
    group = np.asarray(topology.labels["group"])[topology.endpoints]
    number = np.unique(group, return_inverse=True)[1].reshape(-1)
    size = np.bincount(number)
    return number, np.concatenate([[0], np.cumsum(size)]), size


def _same_place(switch: np.ndarray, hosts: np.ndarray, partner: np.ndarray) -> np.ndarray:
    """Send the k-th host of each switch to the k-th host of the partner, int64[hosts]; -1 (silent) without such a host."""
    begin = np.concatenate([[0], np.cumsum(hosts)])
    place = np.arange(switch.size) - begin[switch]
    partner_switch = partner[switch]
    return np.where(
        (partner_switch >= 0) & (partner_switch != switch) & (place < hosts[partner_switch]),
        begin[partner_switch] + place,
        -1,
    )
