"""Random regular graphs of clusters, such as rooms, with a chosen number of links inside and between them."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.model.topology import Topology
from topoloom.topologies.families._sizing import free_degrees, host_counts, serving
from topoloom.topologies.families.random_graphs import jellyfish
from topoloom.topologies.spec import Facts, Integer, Seed, family

#: Exchanges per link between clusters; several times as many as a random order needs.
_EXCHANGES = 30


def _facts(n: int, degree: int, clusters: int, inside: int, seed: int = 1) -> Facts:
    smallest = n // clusters
    if clusters > n:
        raise InputError(f"clustered-jellyfish: clusters={clusters} is more than n={n} switches")
    if inside >= degree or inside >= smallest:
        raise InputError(
            f"clustered-jellyfish: inside={inside} must be below degree={degree}, so that clusters are linked, and below the"
            f" {smallest} switches of a cluster"
        )
    largest = -(-n // clusters)
    if degree - inside > n - largest:
        raise InputError(
            f"clustered-jellyfish: {degree - inside} links of a switch to other clusters, which have {n - largest} switches;"
            f" raise inside={inside} or lower degree={degree}"
        )
    if clusters == 2 and n % 2:
        raise InputError(f"clustered-jellyfish: two clusters must be of equal size; n={n} must be even")
    return Facts(n, degree, degree - n * degree % 2, n * degree // 2)


def _sizes(hosts: int, radix: int) -> Iterator[dict[str, Any]]:
    """Two clusters, with five of eight links inside: more than a random graph has, with about the same throughput."""
    for per_switch in host_counts(radix - 3):
        n = -(-hosts // (2 * per_switch)) * 2
        for degree in free_degrees(n, per_switch, min(radix - per_switch, 64)):
            inside = round(degree * 5 / 8)
            if inside < min(degree, n // 2):
                structure = {"n": n, "degree": degree, "clusters": 2, "inside": inside}
                yield from serving(hosts, radix, [(structure, n, degree)])


@family(
    "clustered-jellyfish",
    title="clustered Jellyfish",
    n=Integer(4, 1 << 16, "switches"),
    degree=Integer(2, 1024, "links at each switch; one switch has one less when n * degree is odd"),
    clusters=Integer(2, 1 << 12, "clusters of equal size, such as rooms; the first have one switch more if need be"),
    inside=Integer(
        0, 1023, "links of a switch to its own cluster; one switch of a cluster has one less when their sum is odd"
    ),
    seed=Seed(),
    facts=_facts,
    source="Singla, Hong, Popa and Godfrey, Jellyfish, NSDI 2012, section 6; Singla, Godfrey and Kolla, High throughput data"
    " center topology design, NSDI 2014",
    sizes=_sizes,
    labels={"group": "the cluster", "member": "the switch within it"},
)
def clustered_jellyfish(n: int, degree: int, clusters: int, inside: int, seed: int, attempt: int = 0) -> Topology:
    """A random regular graph of clusters: a chosen number of a switch's links stay inside its cluster, all others leave it.

    Returns
    -------
    Topology
        Cluster by cluster; labels ``group`` and ``member``. No parallel links.

    Raises
    ------
    InputError
        No such graph was found.

    Examples
    --------
    >>> clustered_jellyfish(40, 8, 2, 5, 1)
    Topology(topology: 40 switches, 160 links)
    """
    from topoloom.topologies.families.kernels.clustered import exchange_between

    draws = Draws(seed, attempt)
    group = np.sort(np.arange(n) % clusters)
    sizes = np.bincount(group)
    begin = np.cumsum(sizes) - sizes
    own = [_inside(size, inside, draws) + first for size, first in zip(sizes.tolist(), begin.tolist(), strict=True)]
    links = np.concatenate(own)
    ends = np.repeat(np.arange(n), degree - np.bincount(links.ravel(), minlength=n))
    ends = ends[: ends.size // 2 * 2]
    # Cluster by cluster, half of all ends apart: no end meets one of its own cluster, which has at most half of them.
    between = np.stack([ends[: ends.size // 2], ends[ends.size // 2 :]], axis=1)
    table, filled = np.empty((n, degree), np.int32), np.empty(n, np.int32)
    for _ in range(10):
        if not exchange_between(table, filled, between, group, draws.state(), _EXCHANGES * len(between)):
            return Topology(
                links=np.concatenate([links, between]),
                switches=n,
                labels={"group": group, "member": np.arange(n) - begin[group]},
            )
    raise InputError(
        f"clustered-jellyfish: no graph without parallel links was found for degree={degree} and inside={inside}; lower the"
        " degree"
    )


def _inside(switches: int, degree: int, draws: Draws) -> np.ndarray:
    """The links of a random regular graph of one cluster, int64[links, 2]."""
    if degree == 0:
        return np.empty((0, 2), np.int64)
    if degree == 1:
        return draws.permutation(switches)[: switches // 2 * 2].reshape(-1, 2)
    return jellyfish(switches, degree, draws.word() >> 1).links.astype(np.int64)
