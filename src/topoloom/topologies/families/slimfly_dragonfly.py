"""Dragonfly whose groups are Slim Flies."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.topologies.families._galois import prime_power
from topoloom.topologies.families.dragonfly import global_links
from topoloom.topologies.families.slimfly import slimfly, slimfly_facts
from topoloom.topologies.spec import Choice, Facts, Integer, family


def _groups(q: int, h: int, g: int | None) -> int:
    """The number of groups, checked; the largest possible one when `g` is omitted."""
    most = 2 * q * q * h + 1
    if g is not None and not 2 <= g <= most:
        raise InputError(f"slimfly-dragonfly: g={g} groups, but {most - 1} global links per group allow 2 to {most}")
    return most if g is None else g


def _facts(q: int, h: int, g: int | None, wiring: str) -> Facts:
    group, groups = slimfly_facts(q), _groups(q, h, g)
    copies = group.switches * h // (groups - 1)
    whole = copies * (groups - 1) == group.switches * h
    degree = (group.degree or 0) + h
    return Facts(
        switches=groups * group.switches,
        degree=degree,
        degree_min=degree if whole else None,
        links=groups * (group.links or 0) + copies * groups * (groups - 1) // 2,
    )


def _sizes(hosts: int, radix: int) -> Iterator[dict[str, Any]]:
    """As many global links as hosts per switch: a quarter or a third of the links within a group.

    A path takes about 1.9 links in each of two groups and one global link, so links within groups carry about as much as
    hosts send.
    """
    for q in (q for q in range(3, min(radix, 65)) if prime_power(q)):
        group = slimfly_facts(q)
        degree = group.degree or 0
        for p in sorted({-(-degree // 4), -(-degree // 3)}):
            groups = -(-hosts // (group.switches * p))
            if degree + 2 * p <= radix and 2 <= groups <= group.switches * p + 1:
                yield {"q": q, "h": p, "g": groups, "hosts": p}


@family(
    "slimfly-dragonfly",
    title="Dragonfly of Slim Flies",
    q=Integer(3, 64, "parameter of the Slim Fly in each group: a prime power 4w-1, 4w or 4w+1"),
    h=Integer(1, 256, "global links of a switch"),
    g=Integer(2, 1 << 22, "groups", default=None),
    wiring=Choice(("absolute", "palmtree"), "which switches of two groups their global link joins", "absolute"),
    facts=_facts,
    source="Besta 2014 VII.B, which names the network without its sizes; Kim, Dally, Scott and Abts, ISCA 2008",
    sizes=_sizes,
    labels={"group": "the group", "member": "the switch within its group"},
)
def slimfly_dragonfly(q: int, h: int, g: int | None, wiring: str) -> Topology:
    """A Dragonfly whose groups of 2 q^2 switches are Slim Flies instead of full meshes; each switch has `h` global links.

    Returns
    -------
    Topology
        Group by group; labels ``group`` and ``member``.

    Raises
    ------
    InputError
        q is not such a prime power, or g is not 2 to 2 q^2 h + 1.

    Examples
    --------
    >>> slimfly_dragonfly(3, 1, None, "absolute")
    Topology(topology: 342 switches, 1026 links)
    """
    group, groups = slimfly(q), _groups(q, h, g)
    inside = (group.links[None, :, :] + group.switches * np.arange(groups)[:, None, None]).reshape(-1, 2)
    links = np.concatenate([inside, global_links(group.switches, h, groups, wiring)])
    switch = np.arange(groups * group.switches)
    labels = {"group": switch // group.switches, "member": switch % group.switches}
    return Topology(links=links, switches=switch.size, labels=labels)
