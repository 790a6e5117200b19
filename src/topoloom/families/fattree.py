"""Fat trees: the three-level tree of k-port switches, and the k-ary n-tree."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from topoloom.errors import InputError
from topoloom.spec import Facts, Integer, family
from topoloom.topology import Topology

_LABELS = {
    "level": "0 for the switches with hosts, up to the top",
    "group": "the pod; top switches form one group of their own",
}


def _fat_tree_facts(k: int, pods: int | None = None) -> Facts:
    if k % 2:
        raise InputError(f"fat-tree: k={k} must be even (nearest: {k - 1}, {k + 1}); half of a switch's ports face up")
    pods, p = k if pods is None else pods, k // 2
    if not 2 <= pods <= k:
        raise InputError(f"fat-tree: pods={pods} is out of range; the top switches have k={k} ports, so 2 to {k} pods")
    return Facts(
        pods * k + p * p, k, min(p, pods), 2 * pods * p * p, 4, hosts=pods * p * p, full_hosts=p, carriers=pods * p
    )


def _fat_trees(hosts: int, radix: int) -> Iterator[dict[str, Any]]:
    found = [k for k in range(2, radix + 1, 2) if k**3 // 4 >= hosts]
    if found:
        yield {"k": found[0]}


@family(
    "fat-tree",
    k=Integer(2, 512, "ports of a switch, even"),
    pods=Integer(2, 512, "pods that stand, up to k; with fewer, ports of the top switches stay free", default=None),
    facts=_fat_tree_facts,
    source="Leiserson 1985; Besta 2014's FT-3: 5 p^2 switches, 2 p^3 hosts, p = k/2 (errata of Besta 2014, 6)",
    sizes=_fat_trees,
    aliases=("ft3", "fat-tree-3"),
    labels=_LABELS,
)
def fat_tree(k: int, pods: int | None = None) -> Topology:
    """Three levels of k-port switches: k pods of k/2 edge and k/2 aggregation switches, k^2/4 core switches.

    >>> fat_tree(4)
    Topology(topology: 20 switches, 32 links, 16 hosts)
    """
    p = k // 2
    pods = k if pods is None else pods
    pod, edge, aggregation = (axis.ravel() for axis in np.indices((pods, p, p)))
    edges = pods * p
    inside = np.stack([pod * p + edge, edges + pod * p + aggregation], axis=1)
    # Aggregation switch j of every pod reaches the p cores j p .. j p + p - 1.
    up = np.stack([edges + pod * p + edge, 2 * edges + edge * p + aggregation], axis=1)
    level = np.repeat([0, 1, 2], [edges, edges, p * p])
    # The top switches are group k whether all pods stand or not.
    group = np.concatenate([np.repeat(np.arange(pods), p), np.repeat(np.arange(pods), p), np.full(p * p, k)])
    return Topology(
        links=np.concatenate([inside, up]),
        switches=pods * k + p * p,
        endpoints=np.repeat(np.arange(edges), p),
        labels={"level": level, "group": group},
    )


def _kary_facts(k: int, n: int) -> Facts:
    switches = n * k ** (n - 1)
    return Facts(
        switches,
        (0, k, 2 * k)[min(n, 3) - 1],
        k if n > 1 else 0,
        (n - 1) * k**n,
        2 * (n - 1),
        hosts=k**n,
        full_hosts=k,
        carriers=k ** (n - 1),
    )


def _kary_trees(hosts: int, radix: int) -> Iterator[dict[str, Any]]:
    for n in (2, 3, 4):
        found = [k for k in range(2, radix // 2 + 1) if k**n >= hosts]
        if found:
            yield {"k": found[0], "n": n}


@family(
    "kary-tree",
    k=Integer(2, 4096, "links up from a switch; it has 2k ports"),
    n=Integer(1, 12, "levels", default=3),
    facts=_kary_facts,
    source="Petrini and Vanneschi, k-ary n-trees, IPPS 1997; Besta 2014 simulates k=22, n=3 (errata of Besta 2014, 6)",
    sizes=_kary_trees,
    aliases=("k-ary-n-tree",),
    labels={"level": "0 for the switches with hosts, up to the top", "group": "the subtree below the top level"},
)
def kary_tree(k: int, n: int) -> Topology:
    """The k-ary n-tree: n levels of k^(n-1) switches, k^n hosts at the lowest level.

    Switch w (n - 1 digits in base k) of level l is linked to the k switches of level l + 1 that differ from it in
    digit l alone.
    """
    row = k ** (n - 1)
    word = np.arange(row)
    links = [np.empty((0, 2), np.int64)]
    for level in range(n - 1):
        weight = k**level
        cleared = word - word // weight % k * weight
        above = cleared[:, None] + weight * np.arange(k)
        ends = np.broadcast_to(word[:, None] + level * row, above.shape), above + (level + 1) * row
        links.append(np.stack(ends, axis=-1).reshape(-1, 2))
    top = np.arange(n * row) // row
    subtree = np.where(top == n - 1, k, np.tile(word, n) // max(1, row // k)) if n > 1 else np.zeros(row, int)
    return Topology(
        links=np.concatenate(links),
        switches=n * row,
        endpoints=np.repeat(word, k),
        labels={"level": top, "group": subtree},
    )
