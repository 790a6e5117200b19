"""Tofu: the six-dimensional torus of the K computer and Fugaku."""

from collections.abc import Iterator
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.topologies.families._sizing import near_cube
from topoloom.topologies.families.torus import torus, torus_facts
from topoloom.topologies.spec import Facts, Integers, family

#: Nodes of a unit along the axes A, B and C; only B is a ring.
_UNIT = (2, 3, 2)


def _facts(dims: tuple[int, ...]) -> Facts:
    if len(dims) != 3:
        raise InputError(
            f"tofu: dims={'x'.join(map(str, dims))} has {len(dims)} numbers; it needs three, such as 24x18x17"
        )
    facts = torus_facts(dims + _UNIT)
    return replace(facts, links=facts.switches * (facts.degree or 0) // 2, hosts=facts.switches)


def _tofus(hosts: int, radix: int) -> Iterator[dict[str, Any]]:
    if radix > 10:
        yield {"dims": near_cube(-(-hosts // 12), 3, 3)}


@family(
    "tofu",
    title="Tofu torus",
    dims=Integers(1, 4096, "units along X, Y and Z"),
    facts=_facts,
    source="Ajima, Sumimoto and Shimizu, Tofu: a 6D mesh/torus interconnect for exascale computers, Computer 42(11), 2009;"
    " Ajima et al., The Tofu interconnect D, CLUSTER 2018",
    sizes=_tofus,
    labels={
        "x0 ... x5": "the coordinates X, Y, Z, A, B, C",
        "group": "the unit of 12 switches: those with the same X, Y and Z",
    },
)
def tofu(dims: tuple[int, ...]) -> Topology:
    """A torus of units of 2 x 3 x 2 nodes; a node is a switch with a host and ten links, four in its unit and six to others.

    The K computer is ``dims=24x18x17``, Fugaku ``dims=24x23x24``.

    >>> tofu((3, 3, 3))
    Topology(topology: 324 switches, 1620 links, 324 hosts)
    """
    whole = torus(dims + _UNIT)
    switch = np.arange(whole.switches)
    return whole.replace(endpoints=switch, labels={**whole.labels, "group": switch // prod(_UNIT)})
