"""Cascade: Cray's Dragonfly, whose groups are flattened butterflies of two racks."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.topologies.families.hyperx import hyperx
from topoloom.topologies.families.megafly import dealt_links
from topoloom.topologies.spec import Facts, Integer, family

#: Parallel cables between two switches of different chassis in a group.
_CHASSIS_WIDTH = 3


def _pair_links(groups: int, pair_links: int | None, chassis: int, blades: int, h: int) -> int:
    """The number of links between two groups; when omitted, as many as the ports allow."""
    most = chassis * blades * h // (groups - 1)
    if most < 1 or (pair_links is not None and pair_links > most):
        ports = chassis * blades * h
        remedy = f"at most {most} links per pair" if most else f"at most {ports + 1} groups"
        raise InputError(f"groups={groups}: a group has {ports} ports to other groups; choose {remedy}")
    return most if pair_links is None else pair_links


def _facts(groups: int, pair_links: int | None, chassis: int, blades: int, h: int, p: int) -> Facts:
    pair_links = _pair_links(groups, pair_links, chassis, blades, h)
    each, ports = chassis * blades, (groups - 1) * pair_links
    inside = blades - 1 + _CHASSIS_WIDTH * (chassis - 1)
    return Facts(
        groups * each,
        inside + -(-ports // each),
        inside + ports // each,
        groups * each * inside // 2 + pair_links * groups * (groups - 1) // 2,
        hosts=groups * each * p,
    )


def _cascades(hosts: int, radix: int) -> Iterator[dict[str, Any]]:
    """Yield whole groups of six chassis of 16 switches, with all or half of the ports between groups in use."""
    for p in (4, 8):
        groups = -(-hosts // (96 * p))
        h = min(10, radix - 30 - p)
        if groups >= 2 and h >= 1 and groups - 1 <= 96 * h:
            most = 96 * h // (groups - 1)
            for pair_links in sorted({most, -(-most // 2)}):
                yield {"groups": groups, "pair_links": pair_links, "h": h, "p": p}


@family(
    "cascade",
    title="Cray Cascade Dragonfly",
    groups=Integer(2, 1 << 16, "groups"),
    pair_links=Integer(
        1, 4096, "links between any two groups; as many as there are ports for when omitted", default=None
    ),
    chassis=Integer(1, 64, "chassis of a group", default=6),
    blades=Integer(1, 64, "switches of a chassis, one on each blade", default=16),
    h=Integer(1, 64, "ports of a switch to other groups", default=10),
    p=Integer(0, 256, "hosts of a switch", default=4),
    facts=_facts,
    source="Faanes et al., Cray Cascade: a scalable HPC system based on a Dragonfly network, SC 2012. Which switch carries"
    " which link between groups is not public: they are dealt out in turn",
    sizes=_cascades,
    labels={"group": "the group", "chassis": "the chassis within its group", "member": "the switch within its group"},
)
def cascade(groups: int, pair_links: int | None, chassis: int, blades: int, h: int, p: int) -> Topology:
    """Cray's Cascade (XC): groups of 6 chassis of 16 switches, each chassis a full mesh, triple links between them.

    An Aries switch has 40 ports for links: 15 to its chassis, 15 to the switches at the same position in the other chassis
    (three each), and 10 to other groups. 10 ports allow at most 241 groups with four links between any two.

    Returns
    -------
    Topology
        Group by group; labels ``group``, ``chassis`` and ``member``.

    Raises
    ------
    InputError
        More links between groups than the ports allow.

    Examples
    --------
    >>> cascade(15, None, 6, 16, 10, 4)
    Topology(topology: 1440 switches, 28740 links, 5760 hosts)
    """
    pair_links = _pair_links(groups, pair_links, chassis, blades, h)
    each = chassis * blades
    inside = hyperx((chassis, blades), (_CHASSIS_WIDTH, 1)).links.astype(np.int64)
    local = (inside[None, :, :] + (np.arange(groups) * each)[:, None, None]).reshape(-1, 2)
    switch = np.arange(groups * each)
    member = switch % each
    return Topology(
        links=np.concatenate([local, dealt_links(groups, each, pair_links)]),
        switches=groups * each,
        endpoints=np.repeat(switch, p),
        labels={"group": switch // each, "chassis": member // blades, "member": member},
    )
