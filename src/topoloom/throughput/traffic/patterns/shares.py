"""Patterns of a part of the machine: a share of its hosts is active or busier, or partners are as far apart as possible."""

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.throughput.traffic.making import MOST_LISTED, between_groups, to_one
from topoloom.throughput.traffic.register import PatternRequest, pattern
from topoloom.throughput.traffic.traffic import MATRIX, Traffic
from topoloom.topologies.spec import Choice, Real

_OF = Choice(("hosts", "switches"), "whether hosts are drawn one by one, or whole switches", default="hosts")
#: The streams of random draws; those of other patterns are below.
_CLIQUE, _HUBS, _MATCHING, _SKEWED = 13, 14, 15, 16


@pattern(
    "clique",
    f"to any other host of the active ones; between switches only where over {MOST_LISTED:,} pairs would be listed",
    share=Real(0, 1, "share of the hosts that are active, at least two of them", default=0.5),
    of=_OF,
    of_hosts=True,
)
def clique(request: PatternRequest, share: float, of: str) -> Traffic:
    """The active hosts exchange an all-to-all; the others are silent."""
    active = _drawn(request, share, of, _CLIQUE, least=2)
    return between_groups(request, [(active, active)])


@pattern(
    "hubs",
    "hubs to any host that is no hub, and those to any hub; between switches only where the lists would be too long",
    share=Real(0, 1, "share of the hosts that are hubs, at least one, and not all", default=0.5),
    of=_OF,
    of_hosts=True,
)
def hubs(request: PatternRequest, share: float, of: str) -> Traffic:
    """Traffic between hubs and all others; with few hubs, their links are the limit."""
    hub = _drawn(request, share, of, _HUBS)
    others = np.setdiff1d(np.arange(request.hosts), hub)
    if not others.size:
        hub, others = hub[:-1], hub[-1:]
    return between_groups(request, [(hub, others), (others, hub)])


@pattern(
    "matching",
    "the active hosts exchange in random pairs; with of=switches, all hosts of a switch with those of another",
    share=Real(0, 1, "share of the hosts that are active, at least two of them", default=0.5),
    of=_OF,
    of_hosts=True,
)
def matching(request: PatternRequest, share: float, of: str) -> Traffic:
    """Pairs of hosts send to each other; the hosts that a smaller partner switch lacks are silent."""
    partner = np.full(request.hosts, -1, np.int64)
    if of == "hosts":
        chosen = _order(request, request.hosts, share, _MATCHING, least=2)
        pairs = [(chosen[0 : chosen.size & ~1 : 2], chosen[1::2])]
    else:
        switches = np.unique(request.switch)
        chosen = switches[_order(request, switches.size, share, _MATCHING, least=2)]
        at = [np.flatnonzero(request.switch == switch) for switch in chosen.tolist()]
        # The only switch with hosts has no partner: its own hosts are paired.
        pairs = [(at[0][0::2], at[0][1::2])] if len(at) == 1 else list(zip(at[0::2], at[1::2], strict=False))
    for left, right in pairs:
        both = min(left.size, right.size)
        partner[left[:both]], partner[right[:both]] = right[:both], left[:both]
    return to_one(request, partner)


@pattern(
    "skewed",
    "hosts of hot switches send and receive most of all traffic; amounts between switches, for throughput",
    source="Kassing et al., SIGCOMM 2017, Skew",
    share=Real(0, 1, "share of the switches that are hot, at least one of them", default=0.04),
    heat=Real(0, 1, "the probability that an end of a flow is at a hot switch", default=0.77),
)
def skewed(request: PatternRequest, share: float, heat: float) -> Traffic:
    """Both ends of a flow are drawn alike: at a hot switch with probability `heat`; the busiest host sends at its full rate."""
    switches = np.unique(request.switch)
    hot = switches[_order(request, switches.size, share, _SKEWED, least=1)]
    rate = np.ones(request.hosts) if request.rate is None else request.rate
    is_hot = np.isin(request.switch, hot)
    weight = rate.copy()
    if 0 < is_hot.sum() < request.hosts:
        weight[is_hot] *= heat / rate[is_hot].sum()
        weight[~is_hot] *= (1.0 - heat) / rate[~is_hot].sum()
    weight /= weight.sum()
    # A host sends p (1 - p) of all traffic, as none goes to itself; the one that uses most of its link is at its rate.
    scale = 1.0 / float((weight * (1.0 - weight) / rate).max())
    n = request.topology.switches
    at = np.bincount(request.switch, weight, n)
    demand = np.outer(at, at) * scale
    demand[np.diag_indices(n)] -= np.bincount(request.switch, weight**2, n) * scale
    return Traffic(
        request.name, request.switch, n, MATRIX, matrix=np.maximum(demand, 0.0), rate=request.rate, limit=1.0
    )


@pattern(
    "farthest",
    "to a host on another switch; the switches' partners are as far apart as possible: the permutation of the bound TUB",
    source="Namyar et al., SIGCOMM 2021",
)
def farthest(request: PatternRequest) -> Traffic:
    """The hosts of a switch send to those of its partner in a maximal permutation; hosts that the partner lacks are silent."""
    from topoloom.throughput.one_pattern import MOST_TUB
    from topoloom.throughput.tub import tub

    topology = request.topology
    if topology.switches > MOST_TUB:
        raise InputError(
            f"{topology.name}: {topology.switches:,} switches; the farthest partners are computed for at most {MOST_TUB:,}"
        )
    partner = tub(topology).partner
    order = np.argsort(request.switch, kind="stable")
    first = np.searchsorted(request.switch[order], np.arange(topology.switches + 1))
    place = np.empty(request.hosts, np.int64)
    place[order] = np.arange(request.hosts) - first[request.switch[order]]
    goal = partner[request.switch]
    reached = place < (first[1:] - first[:-1])[goal]
    to = np.where(reached, order[np.minimum(first[goal] + place, request.hosts - 1)], -1)
    alone = to == np.arange(request.hosts)
    if alone.all():  # a single switch: its hosts send to the next one
        return to_one(request, np.roll(np.arange(request.hosts), -1))
    return to_one(request, np.where(alone, -1, to))


def _order(request: PatternRequest, count: int, share: float, stream: int, *, least: int) -> np.ndarray:
    """Return a random share of 0 .. count - 1 in random order, at least `least` of them where there are as many."""
    chosen = max(min(least, count), round(share * count))
    return Draws(request.seed, stream).permutation(count)[:chosen]


def _drawn(request: PatternRequest, share: float, of: str, stream: int, *, least: int = 1) -> np.ndarray:
    """Return the hosts that are drawn one by one or as the hosts of whole switches, ascending."""
    if of == "hosts":
        return np.sort(_order(request, request.hosts, share, stream, least=least))
    switches = np.unique(request.switch)
    chosen = switches[_order(request, switches.size, share, stream, least=least)]
    return np.flatnonzero(np.isin(request.switch, chosen))
