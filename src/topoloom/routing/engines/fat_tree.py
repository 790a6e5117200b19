"""Fat trees: up to a common ancestor that depends on the destination, then down."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.routing.channels import bundle_starts, channels_of
from topoloom.routing.choices import AnyShortest, Layers
from topoloom.routing.engines.minimal_hosts import largest_load
from topoloom.routing.levels_below import reach
from topoloom.routing.memory import MOST_HOST_ENTRIES
from topoloom.routing.registry import RoutingRequest, engine
from topoloom.routing.routing import Routing, carriers_of, empty_ports
from topoloom.routing.tree_order import tree_order
from topoloom.routing.trees.digits import ranks, strides
from topoloom.routing.trees.least_load import least_channel_load
from topoloom.routing.trees.ranked import ranked_tables
from topoloom.routing.trees.shortest import fill_minimal
from topoloom.routing.trees.turned import shift_time, turned_tables
from topoloom.routing.trees.uneven import uneven_tables, wired_evenly


def _fits(topology: Topology) -> str | None:
    """Return a reason if the engine fits: a tree of several levels; None otherwise.

    Links join neighbouring levels, hosts are on level 0, every switch below the top has a link upwards, and every top switch
    reaches all lowest switches.
    """
    try:
        level = levels_of(topology)
    except InputError:
        return None
    top = int(level.max())
    if not top:
        return None
    rising = np.zeros(topology.switches, np.int64)
    np.maximum.at(rising, topology.links[:, 0], level[topology.links[:, 1]])
    np.maximum.at(rising, topology.links[:, 1], level[topology.links[:, 0]])
    whole = (rising[level < top] == level[level < top] + 1).all() and reach(topology, level)[0]
    return "a tree by its levels" if whole else None


@engine(
    "fat-tree",
    "modulo routing for fat trees and Clos networks: up by digits, down from the ancestor; one virtual channel",
    safe=True,
    by_host=True,
    fits=_fits,
    together="fat-tree-hosts",
)
def fat_tree(request: RoutingRequest) -> Routing:
    """Up by the digits of the destination's number among the lowest switches, and down from the nearest common ancestor.

    Paths between switches with hosts rise and then fall, so one virtual channel is deadlock-free. d-mod-k uses the digits of
    the destination host. Here a destination is a switch with all its hosts, and one tree would serve it through a single
    ancestor. So the sender's number is added to the digit, and all channels of a level carry the same number of pairs. Tables
    for some hosts of a switch (`RoutingRequest.host`) are those of d-mod-k, without this addition.
    Source: Zahavi, Johnson, Kerbyson and Lang, Optimized InfiniBand fat-tree routing for shift all-to-all communication
    patterns, CCPE 22(2), 2010.
    """
    if request.host is None:
        return Routing(request.topology, "fat-tree", _tables(request)[0], minimal=True)
    number, hosts = request.host
    together = _uneven(request, hosts)
    ports = _tables(request, [number], hosts)[0] if together is None else together[number]
    return Routing(request.topology, "fat-tree", ports, minimal=True)


#: Hosts times channels of trees above which loads decide only if digits leave a channel more than it must carry.
_MOST_SEARCHED = 20_000_000
#: Bytes per pair of switches that are assumed to be free.
_BYTES_A_PAIR = 64


def _fits_hosts(topology: Topology) -> str | None:
    """Return a reason for trees without labels: networks from a file, or discovered."""
    if "level" in topology.labels or not topology.hosts or tree_order(topology) is None:
        return None
    return "a tree by the distances from its hosts"


@engine(
    "fat-tree-hosts",
    "d-mod-k: the tables of fat-tree, one per host of a switch, for hosts with separate addresses; one virtual channel",
    safe=True,
    bytes_a_pair=_BYTES_A_PAIR,
    fits=_fits_hosts,
)
def fat_tree_hosts(request: RoutingRequest) -> Routing:
    """d-mod-k for every host of a switch: packets to a host use the table of its index at the switch.

    If there are more hosts than tables, host i uses table i modulo the number of tables. Where bundles of a level have
    different widths, or cables are missing, the digits of d-mod-k would lead packets of one host through different ancestors
    and down the same cables; then loads decide together with the digits (`uneven_tables`). A tree without the label ``level``
    is recognised by the distances from its hosts (`tree_order`). If it is wired evenly, it gets d-mod-k, in which no shift of
    all hosts has contention that the tapers do not make; else, or where others load no channel as much, the senders turn the
    digits (`turned_tables`) or loads decide (`ranked_tables`), whichever is better.
    """
    topology = request.topology
    hosts = int(topology.endpoints_at.max(initial=1))
    count = max(1, min(hosts, MOST_HOST_ENTRIES // topology.switches**2))
    if "level" not in topology.labels:
        order = tree_order(topology)
        if order is None:
            raise _refusal(topology, "its switches have no label 'level', and are no tree by the distances from hosts")
        return _discovered(request, order.level, count)
    tables = _uneven(request, count)
    if tables is None:
        tables = _tables_of_hosts(request, count)
    return _by_host(topology, tables, minimal=True)


def _discovered(request: RoutingRequest, level: np.ndarray, count: int) -> Routing:
    """Of several tables those with the smallest maximum channel load, and of these those with the fastest shifts."""
    topology, work = request.topology, request.work
    least = least_channel_load(topology, level)
    digits = _digits(request, level, count)
    turned = (turned_tables(topology, level, count, turns, least, work) for turns in (False, True))
    choices = [*([] if digits is None else [digits]), *(_by_host(topology, list(tables)) for tables in turned)]
    large = topology.hosts * topology.links.size > _MOST_SEARCHED
    if not large or min(largest_load(tables) for tables in choices) > least:
        choices.append(_by_host(topology, list(ranked_tables(topology, level, count, request.jobs, work))))
    loads = [largest_load(tables) for tables in choices]
    return min((tables for tables, load in zip(choices, loads, strict=True) if load == min(loads)), key=shift_time)


def _by_host(topology: Topology, tables: Sequence[np.ndarray], *, minimal: bool = False) -> Routing:
    choice = Layers(tuple(tables[1:]), by_host=True) if len(tables) > 1 else None
    return Routing(topology, "fat-tree-hosts", tables[0], minimal=minimal, choice=choice)


def _digits(request: RoutingRequest, level: np.ndarray, count: int) -> Routing | None:
    """d-mod-k in a tree with the given levels; None if it is not wired evenly, or not every top switch reaches all leaves."""
    labelled = replace(request.topology, labels={**request.topology.labels, "level": level})
    if _fits(labelled) is None or not wired_evenly(level, channels_of(labelled)):
        return None
    return _by_host(request.topology, _tables_of_hosts(replace(request, topology=labelled), count), minimal=True)


@engine("nca", "adaptive in fat trees: any path up to a nearest common ancestor", safe=True)
def nearest_common_ancestor(request: RoutingRequest) -> Routing:
    """Any channel on a shortest path at every switch: up through any ancestor, then down; the tables are those of fat-tree."""
    return Routing(request.topology, "nca", _tables(request)[0], minimal=True, choice=AnyShortest())


@engine("anca", "adaptive in fat trees: of two random paths up the one with the shorter queue", safe=True)
def adaptive_nearest_common_ancestor(request: RoutingRequest) -> Routing:
    """As nca, but a packet draws two channels and takes the one with fewer waiting flits (Besta 2014 V compares with it)."""
    choice = AnyShortest(by_queue=True)
    return Routing(request.topology, "anca", _tables(request)[0], minimal=True, choice=choice)


def _uneven(request: RoutingRequest, count: int) -> list[np.ndarray] | None:
    """Tables for `count` hosts of every switch of a tree that is not wired evenly; None for other trees."""
    topology, level, channels = request.topology, levels_of(request.topology), channels_of(request.topology)
    if count < 2 or wired_evenly(level, channels) or not reach(topology, level)[0]:
        return None
    rank = ranks(topology, level)
    ups = np.bincount(channels.origin, weights=level[channels.to] > level[channels.origin], minlength=level.size)
    if (ups[level < level.max()] == 0).any():
        return None
    most = [int(ups[level == low].max(initial=1)) for low in range(int(level.max()))]
    ports = np.stack([empty_ports(topology)] * count)
    stride = strides(most, int((level == 0).sum()) * count)
    uneven_tables(topology, channels, level, rank, stride, count, ports, request.work)
    # No path between hosts ends at the other switches; all tables have the same paths to them.
    others = np.flatnonzero(level > 0)
    fill_minimal(topology, others, ports[0], 0, request.jobs, work=request.work)
    ports[1:, others] = ports[0, others]
    return list(ports)


def _tables_of_hosts(request: RoutingRequest, count: int) -> list[np.ndarray]:
    """A table for each of `count` hosts of every switch: all lead to switches without hosts on the same paths."""
    return list(_tables(request, range(count), count))


def _tables(request: RoutingRequest, numbers: Sequence[int] | None = None, hosts: int = 1) -> np.ndarray:
    """The tables for some of the `hosts` of every switch, by their numbers; one table for all hosts if these are omitted.

    Returns
    -------
    uint8 or uint16[tables, n, n]
    """
    topology, by_host = request.topology, numbers is not None
    level = levels_of(topology)
    channels = channels_of(topology)
    rises = level[channels.to] > level[channels.origin]
    ports = np.stack([empty_ports(topology)] * (1 if numbers is None else len(numbers)))
    rank = ranks(topology, level)
    leaves = np.flatnonzero(level == 0)[np.argsort(rank[level == 0])]
    ups = np.bincount(channels.origin, weights=rises, minlength=topology.switches).astype(np.int64)
    place = rank - np.searchsorted(np.sort(level), level)  # index of each switch in its level
    stride = strides([int(ups[level == low].max(initial=1)) for low in range(int(level.max()))], leaves.size * hosts)
    sender_digit = np.zeros_like(place) if by_host else place // stride[level]
    in_order = np.lexsort((rank[channels.to], channels.origin))
    upward = np.append(in_order[rises[in_order]], -1)  # upward channels, switch by switch; the last entry means none
    first_up = np.searchsorted(channels.origin[upward[:-1]], np.arange(topology.switches))
    falling = [np.flatnonzero(~rises & (level[channels.origin] == high)) for high in range(1, int(level.max()) + 1)]
    # Destinations take turns on parallel cables down to a switch; the counter is that of the first cable.
    bundled = not bundle_starts(channels.origin, channels.to).all()
    turn = np.zeros(channels.to.size, np.int64)
    carries = carriers_of(topology)
    in_switch = np.array([0] if numbers is None else numbers)[:, None]
    request.work.begin(leaves.size, "destinations")
    for leaf, d in enumerate(leaves.tolist()):
        request.work.check()
        request.work.advance()
        number = leaf * hosts + in_switch
        up = upward[np.where(ups > 0, first_up + (number // stride[level] + sender_digit) % np.maximum(ups, 1), -1)]
        ports[:, d] = np.where(ups > 0, up - channels.first[:-1], ports[:, d])
        under = np.zeros(topology.switches, np.bool_)
        under[d] = True
        passed = np.zeros(topology.switches, np.bool_)
        passed[carries] = True
        for low, down in enumerate(falling):
            leads = down[under[channels.to[down]]]
            origin = channels.origin[leads]
            count = np.bincount(origin, minlength=topology.switches)
            begin = np.searchsorted(origin, np.arange(topology.switches))
            over = np.flatnonzero(count)
            if bundled and by_host:
                # In the table of a host, paths come down on the cable of the bundle that they would go up on (d-mod-k).
                own = number // stride[low] % max(1, int(ups[level == low].max()))
                chosen = leads[begin[over] + own % count[over]]
            elif bundled:
                rising = np.flatnonzero(passed & ~under & (level == low) & (ups > 0))
                passed[channels.to[up[0, rising]]] = True
                first = leads[begin[over]]
                chosen = leads[begin[over] + turn[first] % count[over]]
                turn[first] += passed[over]
            else:
                chosen = leads[begin[over] + (number + place[over]) % count[over]]
            ports[:, d, over] = chosen - channels.first[over]
            under[over] = True
        ports[:, d, d] = np.iinfo(ports.dtype).max
        if not (under | (ups > 0)).all():
            raise _refusal(topology, "a top switch has no link to a lower switch above the destination")
    others = np.flatnonzero(level > 0)
    if others.size:
        fill_minimal(topology, others, ports[0], 0, request.jobs, work=request.work)
        ports[1:, others] = ports[0, others]
    return ports


def levels_of(topology: Topology) -> np.ndarray:
    """The level of each switch, int64[n]; links join neighbouring levels only, and hosts hang on level 0."""
    if "level" not in topology.labels:
        raise _refusal(topology, "its switches have no label 'level'")
    level = np.asarray(topology.labels["level"], np.int64)
    u, v = topology.links[:, 0], topology.links[:, 1]
    if not (np.abs(level[u] - level[v]) == 1).all() or (level[carriers_of(topology)] > 0).any():
        raise _refusal(topology, "links must join neighbouring levels, and hosts hang on level 0")
    return level


def _refusal(topology: Topology, why: str) -> InputError:
    return InputError(f"{topology.name}: not a fat tree: {why}; use engine orders")
