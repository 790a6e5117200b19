"""Following installed tables from every host to every other: hops, loads, turns, and where paths end that do not arrive."""

from dataclasses import dataclass

import numpy as np

from topoloom.fabric.fabric import Fabric
from topoloom.fabric.lft import Tables
from topoloom.fabric.tables_from import entry_links
from topoloom.graph.distances import distances_from
from topoloom.routing.channels import Channels, channels_of, turn_rows

#: About as many paths are followed together.
_TOGETHER = 1 << 20
#: What ends a path before its destination: no entry, a port that leads to no switch, a cycle of entries, the home switch's own
#: entry for the destination.
NO_ENTRY, NO_LINK, CYCLE, AT_HOME = range(4)


@dataclass(frozen=True, eq=False)
class Lost:
    """Paths from one switch to one destination that do not arrive.

    Attributes
    ----------
    path : int
        The path of these pairs that is lost, if they have several.
    kind, switch, source, target, pairs : int64[lost]
        What ends them, the switch where that is, their source switch, their destination (an endpoint), and their number.
    """

    path: int

    kind: np.ndarray
    switch: np.ndarray
    source: np.ndarray
    target: np.ndarray
    pairs: np.ndarray


@dataclass(eq=False)
class Walked:
    """The sums over all pairs of host ports and all their paths.

    Attributes
    ----------
    load : int64[2 m]
        Paths over each channel.
    histogram : int64[switches + 1]
        Paths by hops.
    minimal_pairs, reached_pairs, apart_pairs : int
        Pairs all of whose paths are shortest, pairs all of whose paths arrive, and pairs that no cables join.
    fewest : int
        The sum of the fewest possible hops of all paths that arrive.
    turns : uint64[turns]
        The virtual channels (bits) that use each turn.
    virtual_channel_paths : int64[64]
        Paths by virtual channel.
    lost : list of Lost
    highest : int
        The highest virtual channel, where packets change it from hop to hop.
    """

    load: np.ndarray
    histogram: np.ndarray
    turns: np.ndarray
    virtual_channel_paths: np.ndarray
    lost: list[Lost]
    minimal_pairs: int = 0
    reached_pairs: int = 0
    apart_pairs: int = 0
    fewest: int = 0
    highest: int = 0


def walk(tables: Tables, fabric: Fabric, levels: np.ndarray | None, sl2vl: np.ndarray | None = None) -> Walked:
    """Follow all paths of all pairs of host ports.

    Parameters
    ----------
    tables : Tables
    fabric : Fabric
    levels : uint8[endpoints, endpoints], uint8[k * paths, endpoints, endpoints] or None
        levels[to, from], or levels[path, to, from], k times for the addresses of a source (`read_levels`). Paths are counted in
        the virtual channels of the first address.
    sl2vl : uint8[switches, ports + 1, ports + 1, 16], optional
        The virtual channel of each level, from 0 to 7, at every switch, in-port and out-port (`read_sl2vl`): packets change it
        from hop to hop. Turns then have one bit for each pair of virtual channels, 8 * (before) + (after).
    """
    topology = fabric.topology
    n, k, channels = topology.switches, topology.endpoints.size, channels_of(topology)
    walked = Walked(
        np.zeros(channels.to.size, np.int64),
        np.zeros(n + 1, np.int64),
        np.zeros(int(channels.turn_first[-1]), np.uint64),
        np.zeros(64, np.int64),
        [],
    )
    paths = [(ports, entry_links(ports, fabric)) for ports in map(tables.path, range(tables.paths))]
    sources = np.flatnonzero(topology.endpoints_at)
    order = np.argsort(topology.endpoints, kind="stable")
    size = max(1, _TOGETHER // max(1, sources.size))
    for begin in range(0, k, size):
        _walk_block(walked, fabric, channels, paths, order[begin : begin + size], sources, levels, sl2vl)
    return walked


def _walk_block(
    walked: Walked,
    fabric: Fabric,
    channels: Channels,
    paths: list[tuple[np.ndarray, np.ndarray]],
    targets: np.ndarray,
    sources: np.ndarray,
    levels: np.ndarray | None,
    sl2vl: np.ndarray | None,
) -> None:
    """Follow the paths from all source switches to some endpoints, and add them to the sums."""
    topology = fabric.topology
    homes = topology.endpoints[targets]
    each, place = np.unique(homes, return_inverse=True)
    fewest = distances_from(topology, each, 1)[place.reshape(-1)][:, sources]
    pairs = np.repeat(topology.endpoints_at[sources][None, :], targets.size, axis=0)
    pairs[homes[:, None] == sources[None, :]] -= 1
    apart = fewest < 0
    walked.apart_pairs += int(pairs[apart].sum())
    pairs[apart] = 0
    all_arrive, all_minimal = np.ones(pairs.shape, bool), np.ones(pairs.shape, bool)
    for number, (ports, links) in enumerate(paths):
        depth, end = _depths(channels, links, targets, homes, sources)
        right = ports[homes, targets] == fabric.endpoint_ports[targets]
        depth[~right] = -1
        arrived = depth >= 0
        walked.histogram += np.bincount(depth[arrived], pairs[arrived], walked.histogram.size).astype(np.int64)
        walked.fewest += int((pairs * fewest)[arrived].sum())
        _record_losses(walked, number, links, targets, homes, sources, pairs, arrived, end, right, all_arrive)
        all_arrive &= arrived
        all_minimal &= depth == fewest
        masks = None
        if levels is None:
            walked.virtual_channel_paths[0] += int(pairs[arrived].sum())
        else:
            variants = levels[None] if levels.ndim == 2 else levels[number :: len(paths)]
            own = variants[0]
            masks = _masks(own[targets], topology.endpoints, sources)
            for other in variants[1:]:
                masks |= _masks(other[targets], topology.endpoints, sources)
            arriving = np.repeat(arrived, topology.endpoints_at[sources], axis=1)
            by_switch = np.argsort(topology.endpoints, kind="stable")
            used = own[np.ix_(targets, by_switch)][arriving & (by_switch[None, :] != targets[:, None])]
            walked.virtual_channel_paths += np.bincount(used, minlength=walked.virtual_channel_paths.size)
        arriving_pairs = np.where(arrived, pairs, 0)
        if sl2vl is None:
            _add_loads(walked, channels, links, targets, homes, sources, arriving_pairs, masks)
            continue
        _add_loads(walked, channels, links, targets, homes, sources, arriving_pairs, None, turns=False)
        _add_turns_by_hop(walked, fabric, channels, links, targets, homes, sources, arriving_pairs, masks, sl2vl)
    walked.reached_pairs += int(pairs[all_arrive].sum())
    walked.minimal_pairs += int(pairs[all_arrive & all_minimal].sum())


def _depths(
    channels: Channels, links: np.ndarray, targets: np.ndarray, homes: np.ndarray, sources: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The hops from every source to the home of every target, and the switch where a path ends; int64[targets, sources].

    The hops are -1 for paths that do not arrive. A path in a cycle ends at one of the cycle's switches.
    """
    n = links.shape[0]
    depth = np.full((targets.size, sources.size), -1, np.int64)
    end = np.repeat(sources[None, :], targets.size, axis=0)
    row, column = np.nonzero(homes[:, None] != sources[None, :])
    depth[homes[:, None] == sources[None, :]] = 0
    now = sources[column]
    for hop in range(1, n + 1):
        link = links[now, targets[row]]
        moves = link >= 0
        row, column, now = row[moves], column[moves], now[moves]
        now = channels.to[channels.first[now] + link[moves]]
        end[row, column] = now
        here = now == homes[row]
        depth[row[here], column[here]] = hop
        row, column, now = row[~here], column[~here], now[~here]
        if not row.size:
            break
    return depth, end


def _add_loads(
    walked: Walked,
    channels: Channels,
    links: np.ndarray,
    targets: np.ndarray,
    homes: np.ndarray,
    sources: np.ndarray,
    pairs: np.ndarray,
    masks: np.ndarray | None,
    turns: bool = True,
) -> None:
    """Add the loads and turns of the paths that arrive; `masks`: the virtual channels of each target and source, as bits."""
    turn_row = turn_rows(channels)
    row, column = np.nonzero((pairs > 0) & (homes[:, None] != sources[None, :]))
    now, before = sources[column], np.full(row.size, -1, np.int64)
    weight = pairs[row, column]
    mask = np.ones(row.size, np.uint64) if masks is None else masks[row, column]
    while row.size:
        link = links[now, targets[row]].astype(np.int64)
        channel = channels.first[now] + link
        walked.load += np.bincount(channel, weight, walked.load.size).astype(np.int64)
        turned = before >= 0
        turn = turn_row[before[turned]] + link[turned]
        for bit in np.unique(mask).tolist() if turns else ():
            of_bit = turn[mask[turned] == bit]
            walked.turns[np.unique(of_bit)] |= np.uint64(bit)
        now = channels.to[channel]
        onward = now != homes[row]
        row, now, before, weight, mask = row[onward], now[onward], channel[onward], weight[onward], mask[onward]


def _add_turns_by_hop(
    walked: Walked,
    fabric: Fabric,
    channels: Channels,
    links: np.ndarray,
    targets: np.ndarray,
    homes: np.ndarray,
    sources: np.ndarray,
    pairs: np.ndarray,
    masks: np.ndarray | None,
    sl2vl: np.ndarray,
) -> None:
    """Add the turns of the paths that arrive, with the virtual channels in which packets arrive and continue."""
    turn_row, real = turn_rows(channels), fabric.channel_ports
    topology = fabric.topology
    row, column = np.nonzero((pairs > 0) & (homes[:, None] != sources[None, :]))
    mask = np.ones(row.size, np.uint64) if masks is None else masks[row, column]
    for level in range(sl2vl.shape[-1]):
        with_level = (mask >> np.uint64(level) & np.uint64(1)).astype(bool)
        if not with_level.any():
            continue
        at, to_row = sources[column[with_level]], row[with_level]
        # Hosts of a switch may enter different virtual channels: the channels of all its host ports count.
        first = channels.first[at] + links[at, targets[to_row]]
        entered = np.zeros((at.size, 16), bool)
        for switch in np.unique(at).tolist():
            here = np.flatnonzero(at == switch)
            for port in np.unique(fabric.endpoint_ports[topology.endpoints == switch]).tolist():
                entered[here, sl2vl[switch, port, real[first[here]], level]] = True
        walker, vc = np.nonzero(entered)
        to_row, before = to_row[walker], first[walker]
        walked.highest = max(walked.highest, int(vc.max(initial=0)))
        while to_row.size:
            now = channels.to[before]
            onward = now != homes[to_row]
            to_row, before, vc, now = to_row[onward], before[onward], vc[onward], now[onward]
            link = links[now, targets[to_row]].astype(np.int64)
            channel = channels.first[now] + link
            then = sl2vl[now, real[channels.back[before]], real[channel], level].astype(np.int64)
            walked.highest = max(walked.highest, int(then.max(initial=0)))
            bits = 8 * vc + then
            for bit in np.unique(bits[bits < 64]).tolist():
                walked.turns[np.unique(turn_row[before[bits == bit]] + link[bits == bit])] |= np.uint64(1) << np.uint64(
                    bit
                )
            before, vc = channel, then


def _masks(levels: np.ndarray, home: np.ndarray, sources: np.ndarray) -> np.ndarray:
    """The virtual channels of all pairs from each source switch to each target, as bits, uint64[targets, sources].

    Parameters
    ----------
    levels : uint8[targets, endpoints]
    home : int[endpoints]
    sources : int64[sources]
        All switches with endpoints, ascending.
    """
    order = np.argsort(home, kind="stable")
    starts = np.searchsorted(home[order], sources)
    bits = np.uint64(1) << levels[:, order].astype(np.uint64)
    return np.bitwise_or.reduceat(bits, starts, axis=1)


def _record_losses(
    walked: Walked,
    path: int,
    links: np.ndarray,
    targets: np.ndarray,
    homes: np.ndarray,
    sources: np.ndarray,
    pairs: np.ndarray,
    arrived: np.ndarray,
    end: np.ndarray,
    right: np.ndarray,
    before: np.ndarray,
) -> None:
    """Record the pairs that this path loses, and no path before has lost."""
    row, column = np.nonzero(~arrived & before & (pairs > 0))
    if not row.size:
        return
    switch = end[row, column]
    link = links[switch, targets[row]]
    kind = np.select([link == -1, link == -2], [NO_ENTRY, NO_LINK], CYCLE)
    # A path that would arrive, if the home switch had the right entry.
    wrong = (switch == homes[row]) | ((sources[column] == homes[row]) & ~right[row])
    kind, switch = np.where(wrong, AT_HOME, kind), np.where(wrong, homes[row], switch)
    walked.lost.append(Lost(path, kind, switch, sources[column], targets[row], pairs[row, column]))
