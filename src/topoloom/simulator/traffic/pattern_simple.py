"""Patterns without shape: to anybody, to everybody in turn, to a fixed other host, to a few hot ones."""

import numpy as np

from topoloom.draws import Draws
from topoloom.errors import InputError
from topoloom.simulator.traffic.kinds import ROUND, UNIFORM, Traffic, check_places, to_all, to_one, to_some
from topoloom.simulator.traffic.registry import Asked, pattern
from topoloom.spec import Integer, Real

_DALLY = "Dally and Towles 2003, 3.2"


@pattern("uniform", "to any other host, drawn anew; to itself too with preset booksim", source="004 V.A")
def uniform(asked: Asked) -> Traffic:
    """Each packet to any host but its own."""
    return to_all(asked.name, UNIFORM, asked.hosts)


@pattern("all-to-all", "to every other host in turn, beginning with the next")
def all_to_all(asked: Asked) -> Traffic:
    """The k-th packet of a host to the k-th host after it, round and round."""
    return to_all(asked.name, ROUND, asked.hosts)


@pattern("neighbour", "to the next host", source=_DALLY)
def neighbour(asked: Asked) -> Traffic:
    """Host s to s + 1; the last to the first."""
    return _moved(asked, 1)


@pattern("tornado", "to the host just short of half way round", source=_DALLY)
def tornado(asked: Asked) -> Traffic:
    """Host s to s + ceil(N / 2) - 1, which is the worst for a ring."""
    return _moved(asked, max(1, (asked.hosts - 1) // 2))


@pattern("permutation", "a random permutation in which nobody sends to itself")
def permutation(asked: Asked) -> Traffic:
    """A random order of the hosts, and each to the next in it."""
    order = Draws(asked.seed, 11).permutation(asked.hosts)
    partner = np.empty(asked.hosts, np.int64)
    partner[order] = np.roll(order, -1)
    return to_one(asked.name, partner)


@pattern(
    "hotspot",
    "a share of all packets to a few hosts drawn at random, the others to any host",
    source="Pfister and Norton, IEEE ToC C-34(10), 1985",
    hosts=Integer(1, 1 << 20, "hot hosts", default=4),
    share=Real(0, 1, "share of packets that go to them", default=0.2),
)
def hotspot(asked: Asked, hosts: int, share: float) -> Traffic:
    """With probability `share` to one of the hot hosts (but itself), else to any host but its own."""
    if hosts > asked.hosts:
        raise InputError(f"hotspot: hosts={hosts} hot ones, but {asked.routing.topology.name} has {asked.hosts} hosts")
    check_places(asked.name, hosts * asked.hosts)
    hot = np.sort(Draws(asked.seed, 12).permutation(asked.hosts)[:hosts])
    sender, to = np.repeat(np.arange(asked.hosts), hosts), np.tile(hot, asked.hosts)
    if hosts == 1:
        # The only hot host has none to send to; an empty list would silence it.
        others = np.flatnonzero(np.arange(asked.hosts) != hot[0])
        sender, to = np.append(sender, np.full(others.size, hot[0])), np.append(to, others)
    kept = sender != to
    return to_some(asked.name, sender[kept], to[kept], asked.hosts, share)


def _moved(asked: Asked, by: int) -> Traffic:
    return to_one(asked.name, (np.arange(asked.hosts) + by) % asked.hosts)
