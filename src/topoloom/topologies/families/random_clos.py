"""Random folded Clos networks: the levels of a fat tree, with random links between them."""

from collections.abc import Iterator
from math import log
from typing import Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.model.topology import Topology
from topoloom.topologies.spec import Facts, Integer, Seed, family

#: Swaps of link ends tried per link; the links are well mixed after a few.
_SWAPS = 10


def _facts(k: int, leaves: int, levels: int, seed: int = 1) -> Facts:
    if k % 2:
        raise InputError(
            f"random-folded-clos: k={k} must be even (nearest: {k - 1}, {k + 1}); half of the ports face up"
        )
    if leaves % 2 or leaves < k:
        near = max(k, leaves + leaves % 2)
        raise InputError(f"random-folded-clos: leaves={leaves} must be even and at least k={k} (nearest: {near})")
    half = k // 2
    return Facts(
        leaves * (levels - 1) + leaves // 2,
        k,
        half,
        leaves * (levels - 1) * half,
        hosts=leaves * half,
        full_hosts=half,
        carriers=leaves,
    )


def _clos(hosts: int, radix: int) -> Iterator[dict[str, Any]]:
    """Yield the fewest levels at which any two leaves have a common ancestor: (k/2)^(2 (levels - 1)) >= n ln n."""
    k = radix // 2 * 2
    leaves = max(k, -(-hosts // (k // 2)) + 1 & ~1) if k else 0
    fitting = [levels for levels in (2, 3, 4, 5) if (k / 2) ** (2 * (levels - 1)) >= leaves * log(max(2, leaves))]
    if k >= 4 and fitting:
        yield {"k": k, "leaves": leaves, "levels": fitting[0]}


@family(
    "random-folded-clos",
    title="random folded Clos",
    k=Integer(2, 4096, "ports of a switch").also_called("radix"),
    leaves=Integer(2, 1 << 22, "switches with hosts, even; as many on every level but the top, which has half as many"),
    levels=Integer(2, 6, "levels", default=3),
    seed=Seed(),
    facts=_facts,
    source="Camarero, Martinez and Beivide, Random folded Clos topologies for datacenter networks, HPCA 2017",
    sizes=_clos,
    aliases=("rfc",),
    labels={
        "level": "0 for the switches with hosts, up to the top",
        "group": "the leaf itself; each level above is a group",
    },
)
def random_folded_clos(k: int, leaves: int, levels: int, seed: int, attempt: int = 0) -> Topology:
    """A fat tree with random links from level to level: k/2 up, k/2 down (or hosts), for any number of leaves.

    Any two of n leaves almost certainly have a common ancestor if (k/2)^(2 (levels - 1)) is well above n ln n.

    Returns
    -------
    Topology
        Level by level; labels ``level`` and ``group``. No parallel links.

    Examples
    --------
    >>> random_folded_clos(4, 8, 3, 1)
    Topology(topology: 20 switches, 32 links, 16 hosts)
    """
    from topoloom.topologies.families.kernels.random import bipartite_swaps

    half, draws = k // 2, Draws(seed, attempt)
    links = []
    for low in range(levels - 1):
        above = leaves // 2 if low == levels - 2 else leaves
        table = (np.arange(leaves * half) % above).astype(np.int32).reshape(leaves, half)
        bipartite_swaps(table, draws.state(), _SWAPS * table.size)
        lower = np.repeat(np.arange(leaves), half)
        links.append(np.stack([low * leaves + lower, (low + 1) * leaves + table.ravel()], axis=1))
    level = np.minimum(np.arange(leaves * (levels - 1) + leaves // 2) // leaves, levels - 1)
    return Topology(
        links=np.concatenate(links),
        switches=level.size,
        endpoints=np.repeat(np.arange(leaves), half),
        labels={"level": level, "group": np.where(level > 0, leaves - 1 + level, np.arange(level.size))},
    )
