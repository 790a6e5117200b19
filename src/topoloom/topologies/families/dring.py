"""DRing: a ring of supernodes, each linked to the two on either side."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from topoloom.model.topology import Topology
from topoloom.topologies.families._sizing import host_counts, serving
from topoloom.topologies.spec import Facts, Integer, family


def _facts(supernodes: int, size: int) -> Facts:
    switches = supernodes * size
    return Facts(
        switches, 4 * size, 4 * size, 2 * switches * size, diameter=max(-(-(supernodes // 2) // 2), 1 + (size > 1))
    )


def _sizes(hosts: int, radix: int) -> Iterator[dict[str, Any]]:
    """Every size of supernodes, with the fewest supernodes that serve the hosts."""
    for per_switch in host_counts(radix - 4):
        for size in range(1, (radix - per_switch) // 4 + 1):
            supernodes = max(5, -(-hosts // (per_switch * size)))
            yield from serving(hosts, radix, [({"supernodes": supernodes, "size": size}, supernodes * size, 4 * size)])


@family(
    "dring",
    title="DRing",
    supernodes=Integer(5, 1 << 16, "supernodes on the ring"),
    size=Integer(1, 256, "switches of a supernode; each has four links per switch of a supernode"),
    facts=_facts,
    source="Harsh, Abdu Jyothi and Godfrey, Spineless data centers, HotNets 2020, doi:10.1145/3422604.3425945",
    sizes=_sizes,
    labels={"group": "the supernode", "member": "the switch within it"},
)
def dring(supernodes: int, size: int) -> Topology:
    """Every switch is linked to all switches of the two supernodes before and the two after its own on a ring.

    Returns
    -------
    Topology
        Supernode by supernode; labels ``group`` and ``member``.

    Examples
    --------
    >>> dring(10, 2)
    Topology(topology: 20 switches, 80 links)
    """
    group, near, opposite, step = (axis.ravel() for axis in np.indices((supernodes, size, size, 2)))
    links = np.stack([group * size + near, (group + step + 1) % supernodes * size + opposite], axis=1)
    switch = np.arange(supernodes * size)
    return Topology(links=links, switches=switch.size, labels={"group": switch // size, "member": switch % size})
