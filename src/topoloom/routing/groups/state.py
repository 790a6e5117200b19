"""The forwarding state of next-hop groups per switch, against the limits of its ASIC, and edge-disjoint paths of pairs."""

from dataclasses import dataclass

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.model.sources import NetworkSource, taken
from topoloom.routing.choices import NextHopGroups
from topoloom.routing.groups.making import next_hop_groups_of
from topoloom.routing.groups.segments import segment_counts
from topoloom.routing.routing import HOP, Routing
from topoloom.routing.verification.verify import verify_routing
from topoloom.topologies.spec import Integer, Parameter, read_settings

#: Pairs of switches that are sampled for edge-disjoint paths.
PAIRS = 200
_MOST = 1 << 31
#: What an ASIC may limit; a user's values, as they differ by its model and its profile.
LIMITS: dict[str, Parameter] = {
    "routes": Integer(1, _MOST, "prefixes of all VRFs", default=None),
    "groups": Integer(1, _MOST, "next-hop groups of two members or more", default=None),
    "members": Integer(1, _MOST, "members of these groups", default=None),
    "width": Integer(1, _MOST, "members of one group", default=None),
    "lists": Integer(1, _MOST, "segment lists of SRv6 or MPLS", default=None),
    "segments": Integer(1, _MOST, "segments of one list", default=None),
}


@dataclass(frozen=True)
class NextHopState:
    """The next-hop groups of the switches, and what they do for the packets.

    Attributes
    ----------
    states : int
        States of a packet: VRFs, or the phases of its path.
    lossless : bool
        Whether packets change their class at every hop, so that links without loss cannot deadlock.
    routes : int
        The most prefixes of a switch over all states; where all destinations of a state have the same group, a default route.
    groups, members, width : int
        The most next-hop groups of two members or more of a switch, the most members of these groups together, and the most
        members of one group.
    route_members : int
        The most next hops of a switch, each counted for every route that has it, as without shared groups.
    mean_hops : float
        The expected hops of all pairs of switches.
    hop_shares : list of float
        The share of the pairs' traffic that makes 0, 1, 2, ... hops.
    disjoint_pairs : int
        Pairs of switches for which edge-disjoint paths are counted.
    disjoint_least, disjoint_mean, disjoint_most : int, float, int
        Their paths without a common link, over the next hops that their packets may take.
    exceeded : list of str
        A sentence per limit that a switch exceeds.
    lists, segments : int
        The most segment lists of a switch, where SRv6 or MPLS carry its paths (``ksp``) or detours (``vlb``), and the most
        segments of a list (`topoloom.routing.groups.segments`); else 0.
    """

    states: int
    lossless: bool
    routes: int
    groups: int
    members: int
    width: int
    route_members: int
    mean_hops: float
    hop_shares: list[float]
    disjoint_pairs: int
    disjoint_least: int
    disjoint_mean: float
    disjoint_most: int
    exceeded: list[str]
    lists: int = 0
    segments: int = 0


def next_hop_state(
    routing: NetworkSource, limits: str | None = None, *, pairs: int | None = PAIRS, seed: int = 1
) -> NextHopState:
    """Return the forwarding state of a routing's next-hop groups.

    Parameters
    ----------
    routing : NetworkSource
        Tables of one next hop, or of next-hop groups (``ecmp``, ``spraypoint``, ``shortest-union``, ``ksp``, ``vlb``).
    limits : str, optional
        Limits of the switches' ASIC: ``groups=1024,members=16384,width=64,routes=65536,lists=4096,segments=6``, or some.
    pairs : int or None
        Random pairs of switches with hosts for which edge-disjoint paths are counted; None: all.
    seed : int
        Of these pairs.

    Returns
    -------
    NextHopState

    Raises
    ------
    InputError
        Unknown limits, no pairs, or a choice of packets that next-hop groups cannot express.

    Examples
    --------
    >>> from topoloom.routing.route import route
    >>> state = next_hop_state(route("complete:n=5", "spraypoint"), "groups=0")
    Traceback (most recent call last):
        ...
    topoloom.core.errors.InputError: ASIC limits: groups=0 is out of range; it must be 1 to 2147483648
    >>> state = next_hop_state(route("complete:n=5", "spraypoint"), "width=2")
    >>> state.states, state.width, state.exceeded
    (2, 4, ['a next-hop group of 4 members at switch 0; the limit is 2'])
    """
    routing = taken(routing, Routing, "next_hop_state")
    wanted, _ = read_settings("ASIC limits", LIMITS, limits or "")
    if pairs is not None and pairs < 1:
        raise InputError(f"pairs={pairs}: at least one is needed")
    groups = next_hop_groups_of(routing)
    counts = group_counts(groups)
    counts["lists"], counts["segments"] = segment_counts(routing, groups)
    verification = routing.verification or verify_routing(routing)
    paths = disjoint_paths_of_groups(routing, groups, _pairs(routing, pairs, seed))
    return NextHopState(
        states=groups.states,
        lossless=routing.virtual_channel_rule == HOP,
        **{name: int(values.max(initial=0)) for name, values in counts.items()},
        mean_hops=verification.mean_hops,
        hop_shares=(verification.histogram / max(1, verification.reached_pairs)).tolist(),
        disjoint_pairs=paths.size,
        disjoint_least=int(paths.min()) if paths.size else 0,
        disjoint_mean=float(paths.mean()) if paths.size else 0.0,
        disjoint_most=int(paths.max(initial=0)),
        exceeded=_exceeded(counts, wanted),
    )


def group_counts(groups: NextHopGroups) -> dict[str, np.ndarray]:
    """Return routes, groups, members, width and route_members of every switch, each int64[n]; see `NextHopState`.

    Equal groups of a switch are one, in whatever states and order their members stand.
    """
    n, widths = groups.group.shape[-1], groups.widths
    owner = np.full(widths.size, -1, np.int64)
    routes, route_members = np.zeros(n, np.int64), np.zeros(n, np.int64)
    for table in groups.group:
        filled = table >= 0
        switch = np.broadcast_to(np.arange(n), (n, n))[filled]
        owner[table[filled]] = switch
        route_counts = filled.sum(axis=0)
        lowest = np.where(filled, table, widths.size).min(axis=0)
        same = (lowest == table.max(axis=0)) & (route_counts > 1)
        routes += np.where(same, 1, route_counts)
        own = np.bincount(switch, widths[table[filled]], n).astype(np.int64)
        route_members += np.where(same, own // np.maximum(route_counts, 1), own)
    several = _one_each(groups, owner) & (widths > 1)
    width = np.zeros(n, np.int64)
    np.maximum.at(width, owner[owner >= 0], widths[owner >= 0])
    return {
        "routes": routes,
        "groups": np.bincount(owner[several], minlength=n),
        "members": np.bincount(owner[several], widths[several], n).astype(np.int64),
        "width": width,
        "route_members": route_members,
    }


def _one_each(groups: NextHopGroups, owner: np.ndarray) -> np.ndarray:
    """Return which groups are used and the first of those that have the same switch and members, bool[groups]."""
    from topoloom.routing.groups.kernels.interning import hash_sets

    key = np.empty(owner.size, np.uint64)
    hash_sets(groups.first, groups.port, groups.next_state, key)
    order = np.lexsort((key, owner))
    begins = np.ones(owner.size, np.bool_)
    begins[1:] = (np.diff(owner[order]) != 0) | (key[order][1:] != key[order][:-1])
    first = np.zeros(owner.size, np.bool_)
    first[order[begins]] = True
    return first & (owner >= 0)


def _exceeded(counts: dict[str, np.ndarray], limits: dict[str, int | None]) -> list[str]:
    """Return a sentence per limit that a switch exceeds: the worst switch, and how many do."""
    sentences = []
    for name, limit in limits.items():
        over = np.flatnonzero(counts[name] > limit) if limit is not None else np.zeros(0, np.int64)
        if not over.size:
            continue
        worst = int(counts[name].argmax())
        value = f"{int(counts[name][worst]):,}"
        what = {
            "routes": f"{value} routes",
            "groups": f"{value} next-hop groups",
            "members": f"{value} members of next-hop groups",
            "width": f"a next-hop group of {value} members",
            "lists": f"{value} segment lists",
            "segments": f"a list of {value} segments",
        }[name]
        more = f" ({over.size:,} switches exceed it)" if 1 < over.size < counts[name].size else ""
        sentences.append(f"{what} at switch {worst}; the limit is {limit:,}{more}")
    return sentences


def _pairs(routing: Routing, count: int | None, seed: int) -> np.ndarray:
    """Return ordered pairs of different switches with hosts: random ones, or all; int64[k, 2]."""
    carriers = np.flatnonzero(routing.carriers)
    k = carriers.size
    total = k * (k - 1)
    places = np.arange(total) if count is None or count >= total else Draws(seed, 30).permutation(total)[:count]
    source, rest = places // max(1, k - 1), places % max(1, k - 1)
    return np.stack([carriers[source], carriers[rest + (rest >= source)]], axis=1).astype(np.int64)


def disjoint_paths_of_groups(routing: Routing, groups: NextHopGroups, pairs: np.ndarray) -> np.ndarray:
    """Return the most paths without a common link of each pair, over the next hops that its packets may take.

    A maximum flow over the union of these next hops, in any state.

    Parameters
    ----------
    routing : Routing
    groups : NextHopGroups
        Of `routing`.
    pairs : int64[k, 2]
        Source and destination.

    Returns
    -------
    int64[k]
    """
    from topoloom.routing.groups.kernels.disjoint import disjoint_group_paths

    channels, counts = routing.channels, np.zeros(len(pairs), np.int64)
    members = groups.group, groups.first, groups.port, groups.next_state
    disjoint_group_paths(channels.first, channels.to, channels.back, *members, np.ascontiguousarray(pairs), counts)
    return counts


def tunnel_entries(routing: Routing) -> np.ndarray:
    """Return the entries of each switch if every path of every pair were a tunnel, with an entry at each of its switches.

    Parameters
    ----------
    routing : Routing
        Of engine ``ksp``, or another with one next hop after the source.

    Returns
    -------
    int64[n]

    Raises
    ------
    InputError
        Packets choose between next hops after their source, too.

    Examples
    --------
    >>> from topoloom.routing.route import route
    >>> from topoloom.topologies.spec import build
    >>> tunnel_entries(route(build("ring:n=3"), "ksp")).tolist()
    [10, 10, 10]
    """
    from topoloom.routing.verification.kernels.groups import add_group_loads

    topology, groups, channels = routing.topology, next_hop_groups_of(routing), routing.channels
    widths = np.append(groups.widths, 0)
    if (widths[groups.group[1:]] > 1).any() or (groups.states == 1 and (groups.widths > 1).any()):
        raise InputError(f"{topology.name}: engine {routing.engine} has no paths per pair; give tables of engine ksp")
    paths = widths[groups.group[0]].astype(np.float64)
    sent = np.zeros(channels.to.size)
    members = groups.group, groups.first, groups.port, groups.next_state
    nothing = np.zeros(channels.to.size, np.bool_), sent, np.zeros(0)
    add_group_loads(channels.first, channels.to, *members, 0, paths, *nothing)
    # Each path leaves every switch on it but the last one.
    entries = np.bincount(channels.origin, sent, topology.switches) + paths.sum(axis=1)
    return np.asarray(np.rint(entries), np.int64)
