"""Clos networks of two levels (leaf and spine), and Myrinet's two three-level ones."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.topologies.families._sizing import host_counts
from topoloom.topologies.spec import Choice, Facts, Integer, family


def _leaf_spine_facts(leaves: int, spines: int, width: int) -> Facts:
    return Facts(
        leaves + spines,
        width * max(leaves, spines),
        width * min(leaves, spines),
        leaves * spines * width,
        2 if leaves * spines > 1 else 1,
        hosts=leaves * spines * width,
        full_hosts=spines * width,
        carriers=leaves,
    )


def _leaf_spines(hosts: int, radix: int) -> Iterator[dict[str, Any]]:
    """Yield leaves with p hosts and the other ports up, and spines with as many parallel links as their ports allow."""
    for per_leaf in host_counts(radix - 1):
        leaves = -(-hosts // per_leaf)
        if leaves > radix or leaves < 2:
            continue
        width = radix // leaves
        spines = min(radix - per_leaf, per_leaf) // width
        if spines:
            yield {"leaves": leaves, "spines": spines, "width": width, "hosts": per_leaf}


@family(
    "clos",
    title="leaf-spine network",
    leaves=Integer(1, 65536, "leaf switches, which carry the hosts"),
    spines=Integer(1, 65536, "spine switches"),
    width=Integer(1, 1024, "parallel links between a leaf and a spine", default=1),
    facts=_leaf_spine_facts,
    source="Clos, Bell System Technical Journal 32, 1953",
    sizes=_leaf_spines,
    aliases=("leaf-spine",),
    labels={"level": "0 for leaves, 1 for spines", "group": "0 for the first leaf, ...; spines form one group"},
)
def clos(leaves: int, spines: int, width: int) -> Topology:
    """Two levels: every leaf is linked to every spine; a leaf has as many hosts as links up.

    Returns
    -------
    Topology
        Leaves are numbered first; labels ``level`` and ``group``.
    """
    leaf, spine = (axis.ravel() for axis in np.indices((leaves, spines)))
    return Topology(
        links=np.tile(np.stack([leaf, leaves + spine], axis=1), (width, 1)),
        switches=leaves + spines,
        endpoints=np.repeat(np.arange(leaves), spines * width),
        labels={
            "level": np.repeat([0, 1], [leaves, spines]),
            "group": np.concatenate([np.arange(leaves), np.full(spines, leaves)]),
        },
    )


_MYRINET = {80: 4, 160: 8}  # switches: blocks of 8 leaves and 8 middle switches


def _myrinet_facts(switches: int, wiring: str) -> Facts:
    if switches not in _MYRINET:
        raise InputError(f"myrinet-clos: switches={switches} does not exist; choose 80 or 160")
    hosts = 64 * _MYRINET[switches]
    return Facts(switches, 16, 8, 2 * hosts, 4, hosts=hosts, full_hosts=8, carriers=8 * _MYRINET[switches])


@family(
    "myrinet-clos",
    title="Myrinet Clos",
    switches=Integer(80, 160, "80 (256 hosts) or 160 (512 hosts)"),
    wiring=Choice(
        ("spread", "parallel"), "a middle switch's 8 uplinks: to 8 top switches, or several to each", "spread"
    ),
    facts=_myrinet_facts,
    source="Koibuchi 2013 III.C with [30]; the uplinks' wiring is not given there (errata of Koibuchi 2013,"
    " 11), so both variants are offered",
    sizes=lambda hosts, radix: (
        {"switches": n} for n, blocks in _MYRINET.items() if 64 * blocks >= hosts and radix >= 16
    ),
    labels={"level": "0 leaf, 1 middle, 2 top", "group": "the block of 8 leaves and 8 middles; tops form one group"},
)
def myrinet_clos(switches: int, wiring: str) -> Topology:
    """Myrinet's Clos of 16-port crossbars: blocks of 8 leaves fully joined to 8 middles, and top switches."""
    blocks = _MYRINET[switches]
    leaves, tops = 8 * blocks, 4 * blocks
    block, low, high = (axis.ravel() for axis in np.indices((blocks, 8, 8)))
    inside = np.stack([block * 8 + low, leaves + block * 8 + high], axis=1)
    # `low` is now the middle switch of its block, `high` one of its 8 uplinks.
    if wiring == "spread":
        top = low % (tops // 8) * 8 + high
    else:
        top = low * (tops // 8) + high % (tops // 8)
    up = np.stack([leaves + block * 8 + low, 2 * leaves + top], axis=1)
    level = np.repeat([0, 1, 2], [leaves, leaves, tops])
    group = np.concatenate([np.repeat(np.arange(blocks), 8)] * 2 + [np.full(tops, blocks)])
    return Topology(
        links=np.concatenate([inside, up]),
        switches=switches,
        endpoints=np.repeat(np.arange(leaves), 8),
        labels={"level": level, "group": group},
    )
