"""Current Dragonfly variants: Dragonfly+ (Megafly), whose groups are two-level trees, and HPE Slingshot."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.topologies.families.dragonfly import global_links
from topoloom.topologies.spec import Choice, Facts, Integer, family

_MOST = 4096


def _sized(leaves: int, spines: int | None, p: int | None, h: int | None, g: int | None) -> tuple[int, int, int, int]:
    """Spines, hosts per leaf, global links per spine and groups; omitted values follow from a balanced network."""
    spines = leaves if spines is None else spines
    p = spines if p is None else p
    h = leaves if h is None else h
    g = spines * h + 1 if g is None else g
    if not 2 <= g <= spines * h + 1:
        raise InputError(f"g={g} groups, but {spines} spines with {h} global links each reach 2 to {spines * h + 1}")
    return spines, p, h, g


def _megafly_facts(leaves: int, spines: int | None, p: int | None, h: int | None, g: int | None, wiring: str) -> Facts:
    spines, p, h, g = _sized(leaves, spines, p, h, g)
    copies = spines * h // (g - 1)
    return Facts(
        (leaves + spines) * g,
        max(leaves + min(h, copies * (g - 1)), spines),
        None,
        g * leaves * spines + copies * g * (g - 1) // 2,
        hosts=leaves * p * g,
        full_hosts=spines,
        carriers=leaves * g,
    )


def _megaflies(hosts: int, radix: int) -> Iterator[dict[str, Any]]:
    half = radix // 2
    for leaves in sorted({half, half * 3 // 4, half // 2}):
        if leaves >= 1:
            groups = -(-hosts // (leaves * (radix - leaves)))
            spines = min(leaves, radix - leaves)
            if 2 <= groups <= spines * (radix - leaves) + 1:
                yield {"leaves": leaves, "spines": spines, "p": radix - spines, "h": radix - leaves, "g": groups}


@family(
    "megafly",
    title="Dragonfly+",
    leaves=Integer(1, _MOST, "switches of a group that carry hosts"),
    spines=Integer(1, _MOST, "switches of a group that carry global links; as many when omitted", default=None),
    p=Integer(0, _MOST, "hosts of a leaf; as many as spines when omitted", default=None),
    h=Integer(1, _MOST, "global links of a spine; as many as leaves when omitted", default=None),
    g=Integer(2, 1 << 22, "groups; the most when omitted", default=None),
    wiring=Choice(("absolute", "palmtree"), "which spines of two groups the global links join", "absolute"),
    facts=_megafly_facts,
    source="Shpiner et al., Dragonfly+, HiPINEB 2017; Flajslik, Borch and Parker, Megafly, ISC 2018",
    sizes=_megaflies,
    aliases=("dragonfly-plus",),
    labels={"group": "the group", "level": "0 for leaves, 1 for spines"},
)
def megafly(leaves: int, spines: int | None, p: int | None, h: int | None, g: int | None, wiring: str) -> Topology:
    """Groups of leaves and spines, each leaf linked to each spine of its group; global links between the spines of all groups.

    Balanced on k ports: k/2 leaves with k/2 hosts, k/2 spines with k/2 global links, and at most k^2/4 + 1 groups. With fewer
    groups, every pair has several links, as in a Dragonfly.

    Returns
    -------
    Topology
        Group by group, leaves first; labels ``group`` and ``level``.

    Raises
    ------
    InputError
        More groups than the global links allow.

    Examples
    --------
    >>> megafly(2, None, None, None, None, "absolute")
    Topology(topology: 20 switches, 30 links, 20 hosts)
    """
    spines, p, h, g = _sized(leaves, spines, p, h, g)
    each = leaves + spines
    group, leaf, spine = (axis.ravel() for axis in np.indices((g, leaves, spines)))
    inside = np.stack([group * each + leaf, group * each + leaves + spine], axis=1)
    among = global_links(spines, h, g, wiring)
    switch = np.arange(each * g)
    level = switch % each >= leaves
    return Topology(
        links=np.concatenate([inside, among // spines * each + leaves + among % spines]),
        switches=each * g,
        endpoints=np.repeat(switch[~level], p),
        labels={"group": switch // each, "level": level.astype(np.int64)},
    )


def _slingshot_facts(groups: int, pair_links: int, switches: int, p: int) -> Facts:
    ports = (groups - 1) * pair_links
    most, least = -(-ports // switches), ports // switches
    return Facts(
        groups * switches,
        switches - 1 + most,
        switches - 1 + least,
        groups * switches * (switches - 1) // 2 + pair_links * groups * (groups - 1) // 2,
        hosts=groups * switches * p,
    )


def _slingshots(hosts: int, radix: int) -> Iterator[dict[str, Any]]:
    for switches in (16, 32):
        for p in sorted({radix // 4, radix // 4 - radix // 16}):
            groups = -(-hosts // (switches * max(1, p)))
            most = (radix - p - (switches - 1)) * switches // max(1, groups - 1)
            for pair_links in sorted({most, -(-most // 2)}):
                if groups >= 2 and p >= 1 and pair_links >= 1:
                    yield {"groups": groups, "pair_links": pair_links, "switches": switches, "p": p}


@family(
    "slingshot",
    title="Slingshot Dragonfly",
    groups=Integer(2, 1 << 16, "groups"),
    pair_links=Integer(1, _MOST, "links between any two groups"),
    switches=Integer(1, _MOST, "switches of a group, all joined to each other", default=32),
    p=Integer(0, _MOST, "hosts of a switch", default=16),
    facts=_slingshot_facts,
    source="HPE Slingshot, 64 ports: 16 to hosts, 31 inside a group of 32, up to 17 between groups (Aurora: arXiv 2512.04291)."
    " Which switch carries which link between groups is not public: they are dealt out in turn",
    sizes=_slingshots,
    labels={"group": "the group", "member": "the switch within its group"},
)
def slingshot(groups: int, pair_links: int, switches: int, p: int) -> Topology:
    """HPE Slingshot's Dragonfly: groups of 32 switches in a full mesh, with any number of links between two groups.

    The links of a group, in order of the other groups, are assigned to its switches in turn, so the numbers of links of two
    switches differ by at most one. Aurora's compute groups are ``groups=166,pair_links=2``, Frontier's
    ``groups=74,pair_links=4``.

    Returns
    -------
    Topology
        Group by group; labels ``group`` and ``member``.

    Examples
    --------
    >>> slingshot(74, 4, 32, 16)
    Topology(topology: 2368 switches, 47508 links, 37888 hosts)
    """
    first, second = np.triu_indices(switches, 1)
    begin = np.arange(groups)[:, None] * switches
    local = np.stack([begin + first, begin + second], axis=-1).reshape(-1, 2)
    among = dealt_links(groups, switches, pair_links)
    switch = np.arange(groups * switches)
    return Topology(
        links=np.concatenate([local, among]),
        switches=groups * switches,
        endpoints=np.repeat(switch, p),
        labels={"group": switch // switches, "member": switch % switches},
    )


def dealt_links(groups: int, switches: int, pair_links: int) -> np.ndarray:
    """Make `pair_links` links between any two groups, assigned in turn to the switches of both; switches are numbered group by
    group.

    Parameters
    ----------
    groups, switches, pair_links : int
        Groups, switches per group, links between two groups.

    Returns
    -------
    int64[m, 2]
        The numbers of links of two switches of a group differ by at most one.
    """
    a, b = np.triu_indices(groups, 1)
    a, b, copy = np.repeat(a, pair_links), np.repeat(b, pair_links), np.tile(np.arange(pair_links), a.size)
    # The index of a link among those of its group, in order of the other groups.
    out, back = ((b - 1) * pair_links + copy) % switches, (a * pair_links + copy) % switches
    return np.stack([a * switches + out, b * switches + back], axis=1)
