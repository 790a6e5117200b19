"""Next-hop groups as lists of segments (SRv6, MPLS): the paths of ``ksp``, and the detours of ``vlb`` by a waypoint each.

Only the source of a packet holds lists. A path is a list of its links after the first (with the first, where several links join
the two switches), and of a segment that unpacks at the destination; a path of one link needs none. A detour is a segment that
unpacks at its waypoint, after one for the first link where several lead there; from the waypoint on, the packet takes shortest
paths as others do.
"""

import numpy as np

from topoloom.routing.choices import NextHopGroups
from topoloom.routing.routing import Routing

#: State of packets on shortest paths that take no detour (any more), of engine ``vlb``.
_DIRECT = 1


def follows_paths(groups: NextHopGroups) -> bool:
    """Whether packets choose at their source only: one of several paths (``ksp``).

    Parameters
    ----------
    groups : NextHopGroups

    Returns
    -------
    bool
    """
    later = groups.group[1:]
    return groups.states > 1 and bool((groups.widths[later[later >= 0]] == 1).all())


def waypoints(routing: Routing, groups: NextHopGroups) -> np.ndarray | None:
    """Return the switch at which the detours of each state end; None if the groups are no detours (``vlb``).

    Parameters
    ----------
    routing : Routing
    groups : NextHopGroups
        Of `routing`.

    Returns
    -------
    int64[states, n] or None
        By state and destination; -1: no detour (states 0 and 1, and detours that no packet takes more than one hop on).
    """
    n, states = routing.topology.switches, groups.states
    if states <= _DIRECT or follows_paths(groups):
        return None
    begins, to, _ = routing.topology.csr
    end_of = np.full((states, n), -1, np.int64)
    for state in range(_DIRECT, states):
        goal, switch = np.nonzero(groups.group[state] >= 0)
        own = groups.group[state, goal, switch]
        widths = groups.widths[own]
        member = groups.members_of(own)
        after = groups.next_state[member]
        if ((after != state) & (after != _DIRECT)).any():
            return None
        if state == _DIRECT:
            continue
        # On the last link to its waypoint a detour becomes direct.
        last = after == _DIRECT
        goals = np.repeat(goal, widths)[last]
        ends = to[begins[np.repeat(switch, widths)[last]] + groups.port[member[last]]]
        end_of[state, goals] = ends
        if (end_of[state, goals] != ends).any():
            return None
    return end_of


def segment_counts(routing: Routing, groups: NextHopGroups) -> tuple[np.ndarray, np.ndarray]:
    """Return the segment lists of every switch as a source, one per path or detour, and the segments of the longest one.

    Parameters
    ----------
    routing : Routing
    groups : NextHopGroups
        Of `routing`.

    Returns
    -------
    lists, segments : int64[n], int64[n]
        Both 0 where the groups need no lists: one next hop, shortest paths, Spraypoint, Shortest-Union (VRFs).

    Examples
    --------
    >>> from topoloom.routing.route import route
    >>> from topoloom.topologies.spec import build
    >>> routing = route(build("ring:n=5"), "ksp:k=2")
    >>> [counts.tolist() for counts in segment_counts(routing, routing.choice)]
    [[6, 6, 6, 6, 6], [4, 4, 4, 4, 4]]
    """
    n = routing.topology.switches
    lists, longest = np.zeros(n, np.int64), np.zeros(n, np.int64)
    if follows_paths(groups):
        begins, to, _ = routing.topology.csr
        ends = np.repeat(np.arange(n), routing.topology.degrees) * n + to
        _, pair, links = np.unique(ends, return_inverse=True, return_counts=True)
        for goal in range(n):
            source, member = _members(groups, goal)
            channel = begins[source] + groups.port[member]
            at, state = to[channel].astype(np.int64), groups.next_state[member]
            # Of parallel links, a list names the first one.
            named = links[pair[channel]] > 1
            hops = np.ones(source.size, np.int64)
            moving = np.flatnonzero(at != goal)
            lists += np.bincount(source[moving], minlength=n)
            while moving.size:
                k = groups.first[groups.group[state[moving], goal, at[moving]]]
                at[moving] = to[begins[at[moving]] + groups.port[k]]
                state[moving] = groups.next_state[k]
                hops[moving] += 1
                moving = moving[at[moving] != goal]
            several = hops > 1
            np.maximum.at(longest, source[several], hops[several] + named[several])
        return lists, longest
    ends = waypoints(routing, groups)
    if ends is None or not (ends >= 0).any():
        return lists, longest
    every, begins = [np.zeros(0, np.int64)], routing.topology.csr[0]
    for goal in range(n):
        source, member = _members(groups, goal)
        state = groups.next_state[member].astype(np.int64)
        # The link and the waypoint of each detour; members that are repeated follow each other.
        way = np.where(state > _DIRECT, (begins[source] + groups.port[member]) * n + ends[state, goal], -1)
        every.append(np.unique(way[np.diff(way, prepend=-1) != 0]))
    channel, waypoint = np.divmod(np.unique(np.concatenate(every)), n)
    channel, waypoint = channel[channel >= 0], waypoint[channel >= 0]
    source = np.repeat(np.arange(n), routing.topology.degrees)[channel]
    # Where several links lead to a waypoint, a list names the first one.
    segments = 1 + (groups.widths[groups.group[_DIRECT, waypoint, source]] > 1)
    np.maximum.at(longest, source, segments)
    return np.bincount(source, minlength=n), longest


def _members(groups: NextHopGroups, goal: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the members of all sources' groups to a destination, and the source of each."""
    source = np.flatnonzero(groups.group[0, goal] >= 0)
    own = groups.group[0, goal, source]
    return np.repeat(source, groups.widths[own]), groups.members_of(own)
