"""Delorme's graphs of diameter three, from the symplectic generalised quadrangle."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from topoloom.model.topology import Topology
from topoloom.topologies.families._galois import field, prime_power, projective_points, require_prime_power
from topoloom.topologies.families._sizing import serving
from topoloom.topologies.spec import Facts, Integer, family


def _facts(v: int) -> Facts:
    require_prime_power("delorme", "v", v)
    points = (v + 1) * (v * v + 1)
    # A flag (p on l) would be linked to itself: those points * (v + 1) switches have one link less.
    links = (points**2 * (v + 1) ** 2 - points * (v + 1)) // 2
    return Facts(points**2, (v + 1) ** 2, (v + 1) ** 2 - 1, links, 3)


def _delormes(hosts: int, radix: int) -> Iterator[dict[str, Any]]:
    powers = (v for v in range(2, int(radix**0.5) + 1) if prime_power(v))
    yield from serving(hosts, radix, (({"v": v}, ((v + 1) * (v * v + 1)) ** 2, (v + 1) ** 2) for v in powers))


@family(
    "delorme",
    title="Delorme graph",
    v=Integer(2, 9, "a prime power"),
    facts=_facts,
    source="Delorme, Grands graphes de degre et diametre donnes, Europ. J. Comb. 6, 1985; Besta 2014 II.C;"
    " errata of Besta 2014, 16",
    sizes=_delormes,
    labels={"point": "the point of the quadrangle", "line": "the line", "group": "the point"},
)
def delorme(v: int) -> Topology:
    """Pairs (point, line) of the quadrangle W(3, v); (p, l) ~ (p', l') when p lies on l' and p' on l."""
    points = projective_points(v, 3)
    gf = field(v)
    on_line = _totally_isotropic_lines(points, gf.add, gf.mul, gf.negative)
    lines_of = [np.flatnonzero((on_line == point).any(axis=1)) for point in range(len(points))]
    through = np.array(lines_of)
    count = len(points)
    point, line = (axis.ravel() for axis in np.indices((count, len(on_line))))
    others = (on_line[line][:, :, None] * len(on_line) + through[point][:, None, :]).reshape(point.size, -1)
    switch = np.broadcast_to(np.arange(point.size)[:, None], others.shape)
    keep = switch < others
    links = np.stack([switch[keep], others[keep]], axis=1)
    return Topology(links=links, switches=point.size, labels={"point": point, "line": line, "group": point})


def _totally_isotropic_lines(points: np.ndarray, add: np.ndarray, mul: np.ndarray, negative: np.ndarray) -> np.ndarray:
    """The lines of W(3, v), each as its v + 1 points: int64[lines, v + 1].

    The symplectic form is x0 y1 - x1 y0 + x2 y3 - x3 y2; a line is a clique of pairwise orthogonal points.
    """
    x, y = points[:, None, :], points[None, :, :]
    first = add[mul[x[..., 0], y[..., 1]], negative[mul[x[..., 1], y[..., 0]]]]
    second = add[mul[x[..., 2], y[..., 3]], negative[mul[x[..., 3], y[..., 2]]]]
    orthogonal = add[first, second] == 0
    lines = set()
    for p in range(len(points)):
        for q in np.flatnonzero(orthogonal[p]):
            if q > p:
                # The points orthogonal to both p and q are exactly those of the line through them.
                lines.add(tuple(np.flatnonzero(orthogonal[p] & orthogonal[q]).tolist()))
    return np.array(sorted(lines))
