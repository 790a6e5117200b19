"""Stages: a growing network after each step, its switches numbered in the order of their arrival."""

import re
from dataclasses import dataclass

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.topologies.families._shuffle_boxes import ShuffleBoxes

_SIZE = re.compile(r", [0-9]+ (switches|hosts|links)$")


@dataclass(frozen=True)
class TrunkWork:
    """The work of a step on shuffle boxes, in trunks and cords; `drained_links` carry no traffic meanwhile."""

    new_boxes: int
    trunks_cut: int
    trunk_ends_connected: int
    cords_connected: int
    drained_links: int


@dataclass(frozen=True, eq=False)
class Stage:
    """The network after a step, a title that describes the step; its work on shuffle boxes, and these, if it has some.

    Switches keep their numbers through all stages; new ones are numbered after the existing ones.
    """

    title: str
    topology: Topology
    trunk_work: TrunkWork | None = None
    boxes: ShuffleBoxes | None = None


@dataclass(frozen=True, eq=False)
class Growth:
    """The plan of a method: the stages, of which the last is the goal.

    Attributes
    ----------
    stages : tuple of Stage
    number : int64[switches] or None
        The number in `goal` of each switch of the last stage; None if the goal has no spec.
    goal : Topology or None
        The resulting network, with its own numbers.
    slot : dict of int to int
        Slots for new switches that the method has chosen.
    plane : int64[switches] or None
        The plane of each switch of the last stage; None without planes.
    """

    stages: tuple[Stage, ...]
    number: np.ndarray | None = None
    goal: Topology | None = None
    slot: dict[int, int] | None = None
    plane: np.ndarray | None = None


def renumbered(goal: Topology, standing: np.ndarray, before: Topology) -> Topology:
    """`goal` with the numbers of the existing switches, and hosts that keep their numbers.

    Parameters
    ----------
    goal : Topology
    standing : int64[goal.switches]
        The number in the result of each of its switches.
    before : Topology
        The existing network, whose hosts stay on their switches.

    Returns
    -------
    Topology
        Switch i is the existing switch i, or a new one.

    Raises
    ------
    InputError
        A host would have to move.
    """
    labels = {}
    for name, values in goal.labels.items():
        moved = np.empty_like(values)
        moved[standing] = values
        labels[name] = moved
    if before.hosts < before.endpoints.size or goal.hosts < goal.endpoints.size:
        endpoints, host = _hosts_by_ports(before, goal, standing)
    else:
        counts = np.empty(goal.switches, np.int64)
        counts[standing] = goal.endpoints_at
        endpoints, host = hosts_of(before, counts)
    return Topology(
        links=standing[goal.links],
        switches=goal.switches,
        endpoints=endpoints,
        host=host,
        labels=labels,
        name=goal.name,
    )


def switches_of_hosts(endpoints: np.ndarray, host: np.ndarray) -> list[tuple[int, ...]]:
    """The switches of the ports of each host, ascending; one tuple per host."""
    if not host.size:
        return []
    order = np.lexsort((endpoints, host))
    first = np.searchsorted(host[order], np.arange(1, int(host.max()) + 1))
    return [tuple(ports.tolist()) for ports in np.split(endpoints[order], first)]


def _hosts_by_ports(before: Topology, goal: Topology, standing: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Endpoints and their hosts where hosts have several ports: an existing host becomes one with ports on the same switches.

    Raises
    ------
    InputError
        The larger network has no host with ports on the switches of an existing one.
    """
    places = switches_of_hosts(standing[goal.endpoints], goal.host)
    waiting: dict[tuple[int, ...], list[int]] = {}
    for goal_host in range(len(places) - 1, -1, -1):
        waiting.setdefault(places[goal_host], []).append(goal_host)
    fresh = np.ones(goal.hosts, bool)
    for standing_host, place in enumerate(switches_of_hosts(before.endpoints, before.host)):
        if not waiting.get(place):
            on = ", ".join(map(str, place[:8])) + (", .." if len(place) > 8 else "")
            raise InputError(
                f"{before.name}: host {standing_host} has ports on switches {on}, and no free host of {goal.name} has its ports"
                " there; hosts do not move: give a larger network with the same units of hosts"
            )
        fresh[waiting[place].pop()] = False
    added = fresh[goal.host]
    number = before.hosts + np.cumsum(fresh) - 1
    endpoints = np.concatenate([before.endpoints, standing[goal.endpoints[added]]])
    return endpoints, np.concatenate([before.host, number[goal.host[added]]])


def grown_name(before: Topology, size: str) -> str:
    """The name of the existing network, with the new size in place of that of an earlier growth."""
    return f"{_SIZE.sub('', before.name)}, {size}"


def hosts_of(before: Topology, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Endpoints and their hosts if switch i has counts[i] of them: existing ones stay, new ones get the next numbers.

    Where each host has the same number of ports, all on one switch, so have new hosts.
    """
    each = _ports_on_one_switch(before)
    had = np.zeros(counts.size, np.int64)
    had[: before.switches] = before.endpoints_at
    if (counts < had).any():
        switch = int(np.argmax(counts < had))
        raise InputError(
            f"{before.name}: switch {switch} has {had[switch]} hosts and would keep {counts[switch]}; hosts do not move:"
            " give the larger network at least as many hosts on each switch"
        )
    if ((counts - had) % each).any():
        switch = int(np.argmax((counts - had) % each > 0))
        raise InputError(
            f"{before.name}: switch {switch} would get {counts[switch] - had[switch]} host ports, but a host has {each}; give a"
            f" multiple of {each}"
        )
    more = np.repeat(np.arange(counts.size), counts - had)
    endpoints = np.concatenate([before.endpoints, more])
    return endpoints, np.concatenate([before.host, before.hosts + np.arange(more.size) // each])


def _ports_on_one_switch(before: Topology) -> int:
    """The ports of each host, all on one switch.

    Raises
    ------
    InputError
        Hosts have ports on several switches, or different numbers of them.
    """
    if before.hosts in (0, before.endpoints.size):
        return 1
    ports = np.bincount(before.host, minlength=before.hosts)
    switch = np.zeros(before.hosts, np.int64)
    switch[before.host] = before.endpoints
    if np.ptp(ports) or (switch[before.host] != before.endpoints).any():
        raise InputError(
            f"{before.name}: a host has ports on several switches of a plane (rails), which this method cannot give to new"
            " hosts; name the larger network (into), or grow by method channels, which keeps the hosts unchanged"
        )
    return int(ports[0])


def hosts_with(before: Topology, switches: int, each: int) -> tuple[np.ndarray, np.ndarray]:
    """`hosts_of` with `each` hosts on every new switch, up to `switches` in total.

    Parameters
    ----------
    before : Topology
        The existing network, whose hosts stay.
    switches : int
        Switches of the larger network.
    each : int
        Number of hosts on each new switch.

    Returns
    -------
    endpoints, host : int64[endpoints]
        The switch of each host port and its host, as in `Topology`: the existing ones first.

    Raises
    ------
    InputError
        Hosts have several ports, or a switch would lose hosts.
    """
    counts = np.full(switches, each)
    counts[: before.switches] = before.endpoints_at
    return hosts_of(before, counts)


def stages_between(
    before: Topology, after: Topology, part: np.ndarray, titles: list[str], ports: int | None = None
) -> list[Stage]:
    """The stages from one network to another, part by part.

    A new link arrives with the later of its new switches, or, between existing switches, with the later part of its two ends. A
    link that goes is removed with the later part of its ends; earlier if new links come to both its ends in one part (they
    take its place), or if its port is needed; a link without any part goes in the last stage. A link that is needed for
    connectedness stays until other links replace it, as long as its ports are not needed.

    Parameters
    ----------
    before, after : Topology
        Numbered alike; switches from before.switches on are new.
    part : int64[after.switches]
        The part in which each switch is processed, from 0; -1 for none. New switches must have one, and be numbered in the
        order of their parts.
    titles : list of str
        A description of each part.
    ports : int, optional
        The number of ports of every switch; by default as many as the fuller of the two networks needs.

    Returns
    -------
    list of Stage
        One per part, in the order of `titles`.
    """
    n, parts = after.switches, len(titles)
    new = np.arange(n) >= before.switches
    ports = max(before.radix, after.radix) if ports is None else ports
    after = _hosts_in_order(before, after, part)
    removed, added, unchanged = difference(before, after)
    ends_part = part[added]
    fresh = new[added]
    comes = np.where(fresh.any(axis=1), np.where(fresh, ends_part, -1).max(axis=1), ends_part.max(axis=1)).clip(0)
    goes = part[removed].max(axis=1)
    goes[goes < 0] = parts - 1
    degree = np.bincount(before.links.ravel(), minlength=n)
    waiting = np.arange(len(removed))
    room = ports - after.endpoints_at
    stages = []
    for now in range(parts):
        arriving = added[comes == now]
        quota = np.bincount(arriving.ravel(), minlength=n)
        gone = _replaced(removed[waiting], quota, goes[waiting] <= now)
        degree += quota - np.bincount(removed[waiting[gone]].ravel(), minlength=n)
        crowded = _crowded(removed[waiting], degree, room, gone)
        if now == parts - 1:
            stages.append(Stage(titles[now], after))
            break
        gone |= crowded
        fixed = np.concatenate([unchanged, added[comes <= now]])
        gone &= ~_bridges(fixed, removed[waiting], gone, degree, room)
        waiting = waiting[~gone]
        links = np.concatenate([fixed, removed[waiting]])
        standing = int(np.count_nonzero(~new | (part <= now)))
        stages.append(Stage(titles[now], _standing(links, standing, after, before, part, now)))
    return stages


def _hosts_in_order(before: Topology, after: Topology, part: np.ndarray) -> Topology:
    """`after` with its new hosts numbered part by part, in the order of their arrival."""
    fresh = np.arange(before.hosts, after.hosts)
    arrival, first = _arrival(after, part)
    number = np.arange(after.hosts)
    number[fresh[np.lexsort((fresh, first[fresh], arrival[fresh]))]] = fresh
    return after.replace(endpoints=after.endpoints, host=number[after.host])


def _arrival(topology: Topology, part: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The part with which each host arrives, that of its last switch, and its first switch; int64[hosts] each."""
    arrival, first = np.full(topology.hosts, -1), np.full(topology.hosts, topology.switches)
    np.maximum.at(arrival, topology.host, part[topology.endpoints])
    np.minimum.at(first, topology.host, topology.endpoints)
    return arrival, first


def _replaced(links: np.ndarray, quota: np.ndarray, due: np.ndarray) -> np.ndarray:
    """The links that go because they are due, or because new links come to both their ends; bool[links]."""
    gone, quota = due.copy(), quota - np.bincount(links[due].ravel(), minlength=quota.size)
    for row in np.flatnonzero(~due & (quota[links] > 0).all(axis=1)).tolist():
        u, v = links[row]
        if quota[u] > 0 and quota[v] > 0:
            gone[row] = True
            quota[u] -= 1
            quota[v] -= 1
    return gone


def _bridges(
    fixed: np.ndarray, links: np.ndarray, gone: np.ndarray, degree: np.ndarray, room: np.ndarray
) -> np.ndarray:
    """Of the links that would go, those that stay for now because the network would not be connected without them; bool[links].

    `fixed` are the links that stay anyway. `degree` is updated.
    """
    from topoloom.graph.connectivity import components

    stays = np.zeros(len(links), bool)
    n = degree.size
    piece = components(Topology(links=np.concatenate([fixed, links[~gone]]), switches=n)).astype(np.int64)
    for row in np.flatnonzero(gone).tolist():
        u, v = links[row]
        if piece[u] != piece[v] and degree[u] < room[u] and degree[v] < room[v]:
            stays[row] = True
            degree[[u, v]] += 1
            piece[piece == piece[v]] = piece[u]
    return stays


def _crowded(links: np.ndarray, degree: np.ndarray, room: np.ndarray, leaving: np.ndarray) -> np.ndarray:
    """Further links that go because a switch has more links than ports; bool[links]. `degree` is updated."""
    gone = np.zeros(len(links), bool)
    full = (degree > room)[links] & ~leaving[:, None]
    # First those that free a port at both their ends.
    for row in np.concatenate([np.flatnonzero(full.all(axis=1)), np.flatnonzero(full.any(axis=1))]).tolist():
        u, v = links[row]
        if not gone[row] and (degree[u] > room[u] or degree[v] > room[v]):
            gone[row] = True
            degree[[u, v]] -= 1
    return gone


def _standing(
    links: np.ndarray, switches: int, after: Topology, before: Topology, part: np.ndarray, now: int
) -> Topology:
    """The network of a stage: with hosts of the existing switches, and of new switches that have arrived."""
    present = (after.host < before.hosts) | (_arrival(after, part)[0] <= now)[after.host]
    return Topology(
        links=links,
        switches=switches,
        endpoints=after.endpoints[present],
        host=after.host[present],
        name=f"{after.name}, growing",
    )


def difference(before: Topology, after: Topology) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The links that go, come and stay, int64[..., 2] each; of parallel links, as many as both networks have stay."""
    n = after.switches
    keys = [links[:, 0].astype(np.int64) * n + links[:, 1] for links in (before.links, after.links)]
    every, place = np.unique(np.concatenate(keys), return_inverse=True)
    had, has = (
        np.bincount(where, minlength=every.size)
        for where in (place.ravel()[: keys[0].size], place.ravel()[keys[0].size :])
    )
    return tuple(  # type: ignore[return-value]  # three of them
        np.stack(np.divmod(np.repeat(every, count.clip(0)), n), axis=1)
        for count in (had - has, has - had, np.minimum(had, has))
    )
