"""Patterns without shape: to anybody, to everybody in turn, to a fixed other host, to a few hot ones."""

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


@pattern("uniform", "to any other host, drawn again; to itself too with preset booksim", source="Besta 2014 V.A")
def uniform(request: PatternRequest) -> Traffic:
    """Each packet to any host but its own."""
    return to_all(request, UNIFORM)


@pattern("all-to-all", "to every other host in turn, beginning with the next")
def all_to_all(request: PatternRequest) -> Traffic:
    """The k-th packet of a host to the k-th host after it, round and round."""
    return to_all(request, ROUND)


@pattern("neighbour", "to the next host; on meshes and tori, to the next in every dimension", source=_DALLY)
def neighbour(request: PatternRequest) -> Traffic:
    """Host s to s + 1, the last to the first; where switches have coordinates, each coordinate to the next."""
    return _moved(request, lambda _side: 1)


@pattern("tornado", "just short of half way round; on meshes and tori, in every dimension", source=_DALLY)
def tornado(request: PatternRequest) -> Traffic:
    """Host s to s + ceil(N / 2) - 1, which is the worst for a ring; where switches have coordinates, each of them so far."""
    return _moved(request, lambda side: (side - 1) // 2)


@pattern("permutation", "a random permutation in which nobody sends to itself")
def permutation(request: PatternRequest) -> Traffic:
    """A random order of the hosts, and each to the next in it."""
    order = Draws(request.seed, 11).permutation(request.hosts)
    partner = np.empty(request.hosts, np.int64)
    partner[order] = np.roll(order, -1)
    return to_one(request, partner)


@pattern(
    "hotspot",
    "a share of all packets to a few hosts drawn at random, the others to any host",
    source="Pfister and Norton, IEEE ToC C-34(10), 1985",
    hosts=Integer(1, 1 << 20, "hot hosts", default=4),
    share=Real(0, 1, "share of packets that go to them", default=0.2),
)
def hotspot(request: PatternRequest, hosts: int, share: float) -> Traffic:
    """With probability `share` to one of the hot hosts (but itself), else to any host but its own.

    Returns
    -------
    Traffic
        Every host sends as much as any other.

    Raises
    ------
    InputError
        More hot hosts than hosts.
    """
    if hosts > request.hosts:
        raise InputError(f"hotspot: hosts={hosts} hot ones, but {request.topology.name} has {request.hosts} hosts")
    check_places(request.name, hosts * request.hosts)
    hot = np.sort(Draws(request.seed, 12).permutation(request.hosts)[:hosts])
    sender, to = np.repeat(np.arange(request.hosts), hosts), np.tile(hot, request.hosts)
    if hosts == 1:
        # The only hot host has none to send to; an empty list would silence it.
        others = np.flatnonzero(np.arange(request.hosts) != hot[0])
        sender, to = np.append(sender, np.full(others.size, hot[0])), np.append(to, others)
    kept = sender != to
    return to_some(request, sender[kept], to[kept], share)


def _moved(request: PatternRequest, by: Callable[[int], int]) -> Traffic:
    """Every coordinate of a host's switch so much further, if there are any that this changes; else its number."""
    hosts, topology = request.hosts, request.topology
    try:
        found = coordinates_of(topology)
        sides = np.array([dimension.side for dimension in found.dimensions])
    except InputError:
        sides = np.array([hosts])
    each = topology.endpoints_at[0]
    steps = np.array([by(side) for side in sides.tolist()])
    if sides.size < 2 or not steps.any() or (topology.endpoints != np.repeat(np.arange(topology.switches), each)).any():
        return to_one(request, (np.arange(hosts) + max(1, by(hosts))) % hosts)
    # The number of a switch by its coordinates, and from there back.
    place = np.ravel_multi_index(tuple(found.at.T), tuple(sides))
    switch = np.empty(topology.switches, np.int64)
    switch[place] = np.arange(topology.switches)
    goal = switch[np.ravel_multi_index(tuple(((found.at + steps) % sides).T), tuple(sides))]
    return to_one(request, (goal[:, None] * each + np.arange(each)).reshape(-1))
