"""Parallel-ports generalised fat trees (PGFT) and, with single cables, extended generalised fat trees (XGFT)."""

from math import prod

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.topologies.spec import Facts, Integers, family

_MOST = 4096


def _pgft_facts(m: tuple[int, ...], w: tuple[int, ...], p: tuple[int, ...] | None = None) -> Facts:
    p = _checked(m, w, p)
    h = len(m)
    nodes = [prod(m[level:]) * prod(w[:level]) for level in range(1, h + 1)]
    ups = [w[level] * p[level] for level in range(1, h)] + [0]
    downs = [0] + [m[level] * p[level] for level in range(1, h)]
    degrees = [up + down for up, down in zip(ups, downs, strict=True)]
    return Facts(
        sum(nodes),
        max(degrees),
        min(degrees),
        sum(prod(m[level:]) * prod(w[: level + 1]) * p[level] for level in range(1, h)),
        2 * (h - 1) if w[0] == 1 and all(count > 1 for count in m[1:]) else None,
        hosts=prod(m),
        carriers=nodes[0],
    )


def _checked(m: tuple[int, ...], w: tuple[int, ...], p: tuple[int, ...] | None) -> tuple[int, ...]:
    """Check the parameters; return `p`, by default one cable on every level."""
    p = (1,) * len(m) if p is None else p
    if not len(m) == len(w) == len(p):
        raise InputError(f"m, w and p have {len(m)}, {len(w)} and {len(p)} levels; give each the same number of values")
    if prod(m) * w[0] * p[0] > 1 << 24:
        raise InputError(
            f"{prod(m):,} hosts with {w[0] * p[0]} ports are too many; at most {1 << 24:,} ports are built"
        )
    return p


@family(
    "pgft",
    title="fat tree",
    m=Integers(1, _MOST, "children of a switch of each level from the lowest, whose children are hosts"),
    w=Integers(1, _MOST, "parents of a node of the level below, from the hosts'"),
    p=Integers(1, _MOST, "parallel cables to each of them; one when omitted", default=None),
    facts=_pgft_facts,
    source="XGFT: Oehring, Ibel, Das and Kumar, On generalized fat trees, IPPS 1995; PGFT: Zahavi, Fat-tree routing and node"
    " ordering providing contention free traffic for MPI global collectives, JPDC 72(11), 2012",
    sizes=lambda hosts, radix: (),  # family fat-tree proposes the usual ones
    aliases=("xgft",),
    labels={"level": "0 for the switches with hosts, up to the top", "group": "the subtree below the top level"},
)
def pgft(m: tuple[int, ...], w: tuple[int, ...], p: tuple[int, ...] | None = None) -> Topology:
    """PGFT(h; m1..mh; w1..wh; p1..ph): any fat tree of equal subtrees; hosts have w1 p1 ports.

    A node of level l is (l; a_h .. a_1) with a_i < w_i for i <= l and a_i < m_i above; nodes of neighbouring levels l and l + 1
    are linked by p_{l+1} cables if all their digits except a_{l+1} are equal.

    Returns
    -------
    Topology
        Numbered level by level; labels ``level`` and ``group``. Hosts with several ports are one host with several endpoints.

    Examples
    --------
    >>> pgft((32, 32, 4), (1, 32, 2), (1, 1, 16))
    Topology(topology: 320 switches, 8192 links, 4096 hosts)
    >>> pgft((4, 4), (2, 4))  # each host on two leaves, and no link joins the two halves
    Topology(topology: 16 switches, 32 links, 16 hosts)
    """
    p = _checked(m, w, p)
    h = len(m)
    nodes = [prod(m[level:]) * prod(w[:level]) for level in range(h + 1)]
    begin = np.cumsum([0, *nodes[1:]])
    links = [np.empty((0, 2), np.int64)]
    for level in range(1, h):
        low, high = _joined(m, w, level)
        pairs = np.stack([begin[level - 1] + low, begin[level] + high], axis=1)
        links.append(np.repeat(pairs, p[level], axis=0))
    host, leaf = (np.repeat(each, p[0]) for each in _joined(m, w, 0))
    top = np.concatenate([_digit(m, w, level, h - 1) for level in range(1, h)] + [np.full(nodes[h], m[-1])])
    return Topology(
        links=np.concatenate(links),
        switches=int(begin[-1]),
        endpoints=leaf,
        host=host,
        labels={"level": np.repeat(np.arange(h), nodes[1:]), "group": top},
    )


def _bases(m: tuple[int, ...], w: tuple[int, ...], level: int) -> list[int]:
    """The number of values of each digit of a node of a level, a_1 first."""
    return [*w[:level], *m[level:]]


def _digit(m: tuple[int, ...], w: tuple[int, ...], level: int, place: int) -> np.ndarray:
    """One digit of every node of a level, int64[nodes]; nodes are numbered by their digits, a_h the most significant."""
    bases = _bases(m, w, level)
    return np.arange(prod(bases)) // prod(bases[:place]) % bases[place]


def _joined(m: tuple[int, ...], w: tuple[int, ...], level: int) -> tuple[np.ndarray, np.ndarray]:
    """The linked nodes of a level and of the level above, int64 each, one entry per node and parent."""
    below, above = _bases(m, w, level), _bases(m, w, level + 1)
    node = np.arange(prod(below))
    weight = prod(below[:level])
    high, rest = node // (weight * below[level]), node % weight
    parent = high[:, None] * (weight * above[level]) + np.arange(above[level]) * weight + rest[:, None]
    return np.repeat(node, above[level]), parent.ravel()
