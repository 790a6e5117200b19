"""Patterns without structure: to a random host, to all hosts in turn, to a fixed host, to a few hot hosts."""

from collections.abc import Callable

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.routing.coordinates import coordinates_of
from topoloom.throughput.traffic.making import check_places, to_all, to_one, to_some
from topoloom.throughput.traffic.register import PatternRequest, pattern
from topoloom.throughput.traffic.traffic import ROUND, UNIFORM, Traffic
from topoloom.topologies.spec import Integer, Real

_DALLY = "Dally and Towles 2003, 3.2"


@pattern(
    "uniform",
    "to any other host, drawn for each packet; also to itself with preset booksim",
    source="Besta 2014 V.A",
    of_hosts=True,
)
def uniform(request: PatternRequest) -> Traffic:
    """Each packet goes to a random host other than its own."""
    return to_all(request, UNIFORM)


@pattern("all-to-all", "to every other host in turn, starting with the next", of_hosts=True)
def all_to_all(request: PatternRequest) -> Traffic:
    """The k-th packet of a host goes to the k-th host after it, cyclically."""
    return to_all(request, ROUND)


@pattern("neighbour", "to the next host; on meshes and tori, to the next in every dimension", source=_DALLY)
def neighbour(request: PatternRequest) -> Traffic:
    """Host s sends to s + 1, the last to the first; where switches have coordinates, to the next one in each coordinate."""
    return _moved(request, lambda _side: 1)


@pattern("tornado", "just short of half way around; on meshes and tori, in every dimension", source=_DALLY)
def tornado(request: PatternRequest) -> Traffic:
    """Host s sends to s + ceil(N / 2) - 1, the worst case of a ring; where switches have coordinates, that far in each."""
    return _moved(request, lambda side: (side - 1) // 2)


@pattern("permutation", "a random permutation in which no host sends to itself", of_hosts=True)
def permutation(request: PatternRequest) -> Traffic:
    """The hosts are put in random order, and each sends to the next one."""
    order = Draws(request.seed, 11).permutation(request.hosts)
    partner = np.empty(request.hosts, np.int64)
    partner[order] = np.roll(order, -1)
    return to_one(request, partner)


@pattern(
    "hotspot",
    "a share of all packets to a few random hosts, the others to any host",
    source="Pfister and Norton, IEEE ToC C-34(10), 1985",
    hosts=Integer(1, 1 << 20, "hot hosts", default=4),
    share=Real(0, 1, "share of packets to the hot hosts", default=0.2),
    of_hosts=True,
)
def hotspot(request: PatternRequest, hosts: int, share: float) -> Traffic:
    """With probability `share` a packet goes to one of the hot hosts (other than its own), else to any other host.

    Returns
    -------
    Traffic
        Traffic in which all hosts send equally.

    Raises
    ------
    InputError
        More hot hosts than the network has hosts.
    """
    if hosts > request.hosts:
        raise InputError(f"hotspot: hosts={hosts} is more than the {request.hosts} hosts of {request.topology.name}")
    check_places(request.name, hosts * request.hosts)
    hot = np.sort(Draws(request.seed, 12).permutation(request.hosts)[:hosts])
    sender, to = np.repeat(np.arange(request.hosts), hosts), np.tile(hot, request.hosts)
    if hosts == 1:
        # The only hot host has no hot host to send to; an empty list would silence it.
        others = np.flatnonzero(np.arange(request.hosts) != hot[0])
        sender, to = np.append(sender, np.full(others.size, hot[0])), np.append(to, others)
    to_others = sender != to
    return to_some(request, sender[to_others], to[to_others], share)


def _moved(request: PatternRequest, by: Callable[[int], int]) -> Traffic:
    """Move every coordinate of a host's switch by `by(side)`, if this changes any; else move the host's number."""
    hosts, topology = request.hosts, request.topology
    try:
        coordinates = coordinates_of(topology)
        sides = np.array([dimension.side for dimension in coordinates.dimensions])
    except InputError:
        sides = np.array([hosts])
    hosts_per_switch = topology.endpoints_at[0]
    steps = np.array([by(side) for side in sides.tolist()])
    if (
        sides.size < 2
        or not steps.any()
        or (topology.endpoints != np.repeat(np.arange(topology.switches), hosts_per_switch)).any()
    ):
        return to_one(request, (np.arange(hosts) + max(1, by(hosts))) % hosts)
    # Map coordinates to switches, and destinations back to switches.
    place = np.ravel_multi_index(tuple(coordinates.at.T), tuple(sides))
    switch = np.empty(topology.switches, np.int64)
    switch[place] = np.arange(topology.switches)
    destination = switch[np.ravel_multi_index(tuple(((coordinates.at + steps) % sides).T), tuple(sides))]
    return to_one(request, (destination[:, None] * hosts_per_switch + np.arange(hosts_per_switch)).reshape(-1))
