"""DSN-x and DSN-F: distributed shortcut networks, and the variant that grows."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.topologies.families._sizing import host_counts, serving
from topoloom.topologies.spec import Choice, Facts, Integer, family


def _dsn_levels(n: int) -> int:
    """p = ceil(log2 n)."""
    return (n - 1).bit_length()


def _dsn_facts(n: int, x: int | None) -> Facts:
    p = _dsn_levels(n)
    if x is not None and not 1 <= x <= p - 1:
        raise InputError(f"dsn: x={x} is out of range; n={n} has p={p} levels, and x is 1 to {p - 1}")
    return Facts(n)


def _dsns(hosts: int, radix: int) -> Iterator[dict[str, Any]]:
    for per_switch in host_counts(radix - 5):
        n = -(-hosts // per_switch)
        if n >= 16:
            yield from serving(hosts, radix, [({"n": n}, n, 5)])


@family(
    "dsn",
    title="distributed shortcut network",
    n=Integer(8, 1 << 22, "switches"),
    x=Integer(
        1, 21, "levels that have a shortcut, 1 to p - 1 with p = ceil(log2 n); the default is p - 1", default=None
    ),
    facts=_dsn_facts,
    source="Nguyen et al., Distributed shortcut networks, ICPP 2013; Truong 2016 2.1; errata of Truong 2016, 11",
    sizes=_dsns,
    labels={"level": "1 .. p", "group": "the supernode: p switches in a row"},
)
def dsn(n: int, x: int | None) -> Topology:
    """DSN-x: a ring; a switch of level l <= x has a shortcut to the next level-(l+1) switch at least n/2^l further on."""
    p = _dsn_levels(n)
    x = p - 1 if x is None else x
    switch = np.arange(n)
    level = switch % p + 1
    links = [np.stack([switch, (switch + 1) % n], axis=1)]
    for low in range(1, x + 1):
        start = switch[level == low]
        goal = switch[level == low + 1]
        # The first switch of the next level at or after start + floor(n / 2^l) along the ring.
        wanted = start + (n >> low)
        index = np.searchsorted(goal, wanted % n)
        target = goal[index % goal.size]
        keep = target != start
        links.append(np.stack([start[keep], target[keep]], axis=1))
    ends = np.unique(np.sort(np.concatenate(links), axis=1), axis=0)
    return Topology(links=ends, switches=n, labels={"level": level, "group": switch // p})


def dsn_f_levels(n: int) -> int:
    """The integer p with p 2^p <= n < (p + 1) 2^(p + 1)."""
    p = 1
    while (p + 1) << (p + 1) <= n:
        p += 1
    return p


def _dsn_f_facts(n: int, fill: str) -> Facts:
    p = dsn_f_levels(n)
    layer = p << p
    exact = n % layer == 0 and n // layer <= 1 and p >= 3
    # Theorem 1c: the bisection of a network with full layers is 2^p; for one layer, it is exact.
    return Facts(
        n, degree=4 if exact else None, links=2 * n if exact else None, bisection_links=1 << p if exact else None
    )


@family(
    "dsn-f",
    title="flexible distributed shortcut network",
    n=Integer(8, 1 << 22, "switches"),
    fill=Choice(("id", "balanced"), "where new switches go: supernode by supernode, or spread evenly", "id"),
    facts=_dsn_f_facts,
    source="Truong 2016 3.2; errata of Truong 2016, 1-10",
    sizes=_dsns,
    labels={"level": "1 .. p", "layer": "0 for the switches with shortcuts", "group": "the supernode"},
)
def dsn_f(n: int, fill: str) -> Topology:
    """DSN-F: 2^p supernodes in a ring, each of layers of up to p switches; layer 0 carries the shortcuts.

    Switch {level l, layer k, supernode s}: its layer is a ring (closed from three switches on); a layer link goes to
    {l, k - 1, s}; {p, 0, s} - {1, 0, s + 1} closes the ring of supernodes; {l, 0, s} with l < p has a shortcut to
    {l + 1, 0, s + 2^(p - l)}. A new layer fills supernode 0 first (`id`, the paper's numbering), or one switch in every
    supernode in turn (`balanced`, which the transformation to p + 1 assumes: errata of Truong 2016, 6).
    """
    return dsn_f_layers(n, dsn_f_levels(n), fill)


def dsn_f_layers(n: int, p: int, fill: str) -> Topology:
    """DSN-F with `p` levels and n switches, also for the n at which the next p begins (Truong 2016 3.3 splits it there).

    Parameters
    ----------
    n : int
        Switches.
    p : int
        Levels; 2^p supernodes.
    fill : str
        Placement of the switches after the first full layer: "id", supernode by supernode, or "balanced", spread evenly.

    Returns
    -------
    Topology
        Labels ``level``, ``layer`` and ``group``.
    """
    supernodes, layer_size = 1 << p, p << p
    switch = np.arange(n)
    layer = switch // layer_size
    inside = switch % layer_size
    balanced = (layer > 0) & (fill == "balanced")
    level = np.where(balanced, inside // supernodes, inside % p)  # from 0 here
    group = np.where(balanced, inside % supernodes, inside // p)
    place = np.full((n // layer_size + 1, supernodes, p), -1)
    place[layer, group, level] = switch
    links = _layer_rings(place)
    below = switch[layer > 0]
    links.append(np.stack([below, place[layer[below] - 1, group[below], level[below]]], axis=1))
    s = np.arange(supernodes)
    links.append(np.stack([place[0, s, p - 1], place[0, (s + 1) % supernodes, 0]], axis=1))
    for low in range(1, p):
        links.append(np.stack([place[0, s, low - 1], place[0, (s + (1 << (p - low))) % supernodes, low]], axis=1))
    ends = np.concatenate(links)
    low, high = np.minimum(ends[:, 0], ends[:, 1]), np.maximum(ends[:, 0], ends[:, 1])
    # Remove duplicates with one number per link: sorting rows takes thirty times as long, and Theorem 1 is checked for every n.
    once = np.unique(low[low != high] * n + high[low != high])
    ends = np.stack(np.divmod(once, n), axis=1)
    return Topology(links=ends, switches=n, labels={"level": level + 1, "layer": layer, "group": group})


def _layer_rings(place: np.ndarray) -> list[np.ndarray]:
    """The rings of all layers of all supernodes, a list of int64[m, 2]; a partly filled layer is closed from 3 switches on."""
    p = place.shape[2]
    links = []
    for low in range(p - 1):
        pair = place[:, :, low : low + 2].reshape(-1, 2)
        links.append(pair[(pair >= 0).all(axis=1)])
    count = (place >= 0).sum(axis=2)
    closed = count >= 3
    first = place[closed][:, 0]
    last = place[closed][np.arange(first.size), count[closed] - 1]
    links.append(np.stack([first, last], axis=1))
    return links
