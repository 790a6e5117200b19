"""Dragonfly: groups that are full meshes, joined by global links."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.topologies.spec import Choice, Facts, Integer, family

_MOST = 4096


def _completed(a: int | None, h: int | None, p: int | None, g: int | None) -> tuple[int, int, int, int]:
    """Complete the four sizes with the balance a = 2p = 2h and the largest g = a h + 1."""
    if h is None:
        if p is None and a is None:
            raise InputError("dragonfly: give at least one of a=, h= and p= (balanced: a = 2p = 2h)")
        h = p if p is not None else max(1, (a or 0) // 2)
    a = 2 * h if a is None else a
    p = h if p is None else p
    g = a * h + 1 if g is None else g
    if not 2 <= g <= a * h + 1:
        raise InputError(f"dragonfly: g={g} groups, but a={a} switches with h={h} global links reach 2 to {a * h + 1}")
    return a, h, p, g


def _facts(a: int | None, h: int | None, p: int | None, g: int | None, wiring: str) -> Facts:
    a, h, p, g = _completed(a, h, p, g)
    copies = a * h // (g - 1)
    whole = copies * (g - 1) == a * h
    return Facts(
        switches=a * g,
        degree=a - 1 + h if a > 1 else copies * (g - 1),
        degree_min=a - 1 + h if whole else None,
        links=g * a * (a - 1) // 2 + copies * g * (g - 1) // 2,
        diameter=3 if copies == 1 and a > 1 else None,
        hosts=a * g * p,
        full_hosts=h,
    )


def _dragonflies(hosts: int, radix: int) -> Iterator[dict[str, Any]]:
    """Yield balanced groups (a = 2h, p = h) for every h, larger groups and more hosts per switch, with the fewest groups each.

    Besta 2014 VI.B.4 searches all with a >= 2h and p >= h, which keeps the global links fully used; this function does the same
    in steps of a quarter.
    """
    for h in range(1, (radix + 1) // 4 + 1):
        for a in sorted({2 * h, 5 * h // 2, 3 * h, 4 * h}):
            for p in sorted({h, -(-5 * h // 4), -(-3 * h // 2)}):
                groups = -(-hosts // (a * p))
                if a - 1 + h + p <= radix and 2 <= groups <= a * h + 1:
                    yield {"a": a, "h": h, "p": p, "g": groups}


@family(
    "dragonfly",
    title="Dragonfly",
    a=Integer(1, _MOST, "switches in a group", default=None),
    h=Integer(1, _MOST, "global links of a switch", default=None),
    p=Integer(0, _MOST, "hosts of a switch", default=None),
    g=Integer(2, 1 << 22, "groups", default=None),
    wiring=Choice(("absolute", "palmtree"), "which switches of two groups the global links join", "absolute"),
    facts=_facts,
    source="Kim, Dally, Scott and Abts, Technology-driven, highly-scalable Dragonfly topology, ISCA 2008; Besta 2014 DF",
    sizes=_dragonflies,
    labels={"group": "the group", "member": "the switch within its group"},
)
def dragonfly(a: int | None, h: int | None, p: int | None, g: int | None, wiring: str) -> Topology:
    """Groups of `a` fully joined switches, each with `h` global links and `p` hosts; balanced a = 2p = 2h by default.

    With fewer groups than a h + 1, every pair of groups gets floor(a h / (g - 1)) links and the other ports stay free.
    Global link l of group i (of g - 1 in one copy) goes, `absolute`, to group l if l < i else l + 1, arriving on link i
    or i - 1; `palmtree`, to group (i - l - 1) mod g, arriving on link g - 2 - l. Link l belongs to switch l // h.

    Returns
    -------
    Topology
        Group by group; labels ``group`` and ``member``.

    Raises
    ------
    InputError
        None of a, h and p is given, or the groups are not 2 to a h + 1.

    Examples
    --------
    >>> dragonfly(4, 2, 2, None, "absolute")
    Topology(topology: 36 switches, 90 links, 72 hosts)
    """
    a, h, p, g = _completed(a, h, p, g)
    first, second = np.triu_indices(a, 1)
    group = np.arange(g)[:, None] * a
    local = np.stack([group + first, group + second], axis=-1).reshape(-1, 2)
    links = np.concatenate([local, global_links(a, h, g, wiring)])
    switch = np.arange(a * g)
    return Topology(
        links=links, switches=a * g, endpoints=np.repeat(switch, p), labels={"group": switch // a, "member": switch % a}
    )


def global_links(a: int, h: int, g: int, wiring: str) -> np.ndarray:
    """Links between `g` groups of `a` switches with `h` global links each, switches numbered group by group.

    Parameters
    ----------
    a, h, g : int
        Switches per group, global links per switch, groups.
    wiring : str
        ``absolute``: a group's links go to the other groups in order; ``palmtree``: starting with the group before it.

    Returns
    -------
    int64[m, 2]
    """
    copy, source, link = (axis.ravel() for axis in np.indices((a * h // (g - 1), g, g - 1)))
    if wiring == "absolute":
        target = link + (link >= source)
        back = source - (source > target)
    else:
        target = (source - link - 1) % g
        back = g - 2 - link
    once = source < target
    sender = source * a + (copy * (g - 1) + link) // h
    receiver = target * a + (copy * (g - 1) + back) // h
    return np.stack([sender[once], receiver[once]], axis=1)
