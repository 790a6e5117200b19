"""The family `wheel`: switch 0 is the hub, the others form a ring around it."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from topoloom.model.topology import Topology
from topoloom.topologies.spec import Facts, Integer, family


def _facts(rim: int) -> Facts:
    return Facts(rim + 1, degree=rim, degree_min=3, links=2 * rim, diameter=1 if rim == 3 else 2)


def _sizes(hosts: int, radix: int) -> Iterator[dict[str, Any]]:
    for rim in range(3, radix):
        if (rim + 1) * (radix - rim) >= hosts:
            yield {"rim": rim, "hosts": -(-hosts // (rim + 1))}


@family("wheel", rim=Integer(3, 1000, "switches of the rim"), facts=_facts, source="any book on graphs", sizes=_sizes)
def wheel(rim: int) -> Topology:
    """A hub that is linked to every switch of a ring."""
    ring = np.arange(1, rim + 1)
    spokes = np.stack([np.zeros_like(ring), ring], axis=1)
    around = np.stack([ring, ring % rim + 1], axis=1)
    return Topology(links=np.concatenate([spokes, around]), switches=rim + 1)
