"""Two-level trees in which any two leaves share a spine, mostly exactly one: the orthogonal fat tree and the MLFM."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from topoloom.model.topology import Topology
from topoloom.topologies.families._galois import line_points, prime_power, require_prime_power
from topoloom.topologies.spec import Facts, Integer, family

_SOURCE = "Kathareios, Minkenberg, Prisacari, Rodriguez and Hoefler, Cost-effective diameter-two topologies, SC 2015"
_LEVELS = "0 for leaves, which carry the hosts, 1 for spines"


def _oft_facts(q: int) -> Facts:
    require_prime_power("oft", "q", q)
    points = q * q + q + 1
    return Facts(
        3 * points,
        2 * (q + 1),
        q + 1,
        2 * points * (q + 1),
        3,
        hosts=2 * points * (q + 1),
        full_hosts=q + 1,
        carriers=2 * points,
    )


def _ofts(hosts: int, radix: int) -> Iterator[dict[str, Any]]:
    """Yield the smallest tree for the hosts, with as many hosts per leaf as links up, and with half as many more."""
    powers = [q for q in range(2, radix // 2) if prime_power(q)]
    for share in (1.0, 1.5):
        for q in powers:
            each = int((q + 1) * share)
            if 2 * (q * q + q + 1) * each >= hosts and q + 1 + each <= radix:
                yield {"q": q, "hosts": each}
                break


@family(
    "oft",
    title="orthogonal fat tree",
    q=Integer(2, 128, "a prime power; a leaf has q + 1 links"),
    facts=_oft_facts,
    source=_SOURCE
    + "; Valerio, Moser and Melliar-Smith, Recursively scalable fat-trees as interconnection networks, 1994",
    sizes=_ofts,
    aliases=("orthogonal-fat-tree",),
    labels={
        "level": _LEVELS,
        "layer": "0 and 1 for the two leaves of each point, 2 for spines",
        "group": "a column of q points, or the lines through a point of the polar line of point 0; 0 for point 0 and that line",
    },
)
def oft(q: int) -> Topology:
    """The two-level orthogonal fat tree: two leaves for every point of PG(2, q), a spine for every line, linked by incidence.

    Any two points have one line, so two leaves share one spine, and the two leaves of one point share q + 1 spines. The
    2 (q^2 + q + 1) leaves with q + 1 hosts each have twice as many hosts as a Slim Fly with the same number of ports.

    >>> oft(3)
    Topology(topology: 39 switches, 104 links, 104 hosts)
    """
    on_line = line_points(q)
    count = len(on_line)
    line = np.repeat(np.arange(count), q + 1)
    point = on_line.ravel()
    links = np.concatenate([np.stack([layer * count + point, 2 * count + line], axis=1) for layer in (0, 1)])
    # The lines through point 0 are columns of q other points each. A line has the column of its pole.
    column = np.zeros(count, np.int64)
    for number, points in enumerate(on_line[(on_line == 0).any(axis=1)]):
        column[points[points != 0]] = number + 1
    return Topology(
        links=links,
        switches=3 * count,
        endpoints=np.repeat(np.arange(2 * count), q + 1),
        labels={
            "level": np.repeat([0, 0, 1], count),
            "layer": np.repeat([0, 1, 2], count),
            "group": np.tile(column, 3),
        },
    )


def _mlfm_facts(h: int, layers: int | None) -> Facts:
    layers = h if layers is None else layers
    leaves, spines = layers * (h + 1), h * (h + 1) // 2
    return Facts(
        leaves + spines,
        max(h, 2 * layers),
        min(h, 2 * layers),
        leaves * h,
        None if h == 1 else 3 if h == 2 else 4,
        hosts=leaves * h,
        full_hosts=h,
        carriers=leaves,
    )


def _mlfms(hosts: int, radix: int) -> Iterator[dict[str, Any]]:
    """Yield the smallest full mesh for every number of layers that the ports of a spine allow, with half of a leaf's ports
    up.
    """
    for share in (1.0, 1.5):
        for h in range(2, radix):
            each = int(h * share)
            layers = -(-hosts // ((h + 1) * each))
            if h + each <= radix and 2 * layers <= radix:
                yield {"h": h, "layers": layers, "hosts": each}


@family(
    "mlfm",
    title="multi-layer full mesh",
    h=Integer(1, 1024, "links of a leaf; a layer has h + 1 leaves"),
    layers=Integer(1, 2048, "layers; h when omitted", default=None),
    facts=_mlfm_facts,
    source=_SOURCE + "; Fujitsu Laboratories, July 2014",
    sizes=_mlfms,
    aliases=("multi-layer-full-mesh",),
    labels={
        "level": _LEVELS,
        "group": "the layer of a leaf; spines form one group",
        "member": "the leaf within its layer; the number of a spine",
    },
)
def mlfm(h: int, layers: int | None) -> Topology:
    """The multi-layer full mesh: layers of h + 1 leaves, and one spine per pair of places, linked to both places of all layers.

    Two leaves in different places share one spine; leaves in the same place of two layers share h spines.

    >>> mlfm(3, None)
    Topology(topology: 18 switches, 36 links, 36 hosts)
    """
    layers = h if layers is None else layers
    leaves, (first, second) = layers * (h + 1), np.triu_indices(h + 1, 1)
    spine = leaves + np.arange(first.size)
    begin = np.arange(layers)[:, None] * (h + 1)
    links = [np.stack(np.broadcast_arrays(begin + end, spine), axis=-1).reshape(-1, 2) for end in (first, second)]
    return Topology(
        links=np.concatenate(links),
        switches=leaves + spine.size,
        endpoints=np.repeat(np.arange(leaves), h),
        labels={
            "level": np.repeat([0, 1], [leaves, spine.size]),
            "group": np.concatenate([np.repeat(np.arange(layers), h + 1), np.full(spine.size, layers)]),
            "member": np.concatenate([np.tile(np.arange(h + 1), layers), np.arange(spine.size)]),
        },
    )
