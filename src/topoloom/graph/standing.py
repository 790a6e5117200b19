"""The positions of switches in a picture of the graph: on their grid, by levels, in groups, or on a circle."""

from collections.abc import Mapping
from typing import Literal

import numpy as np

from topoloom.graph.geometry import geometry_of
from topoloom.model.topology import Topology

How = Literal["grid", "levels", "groups", "lattice", "circle"]

#: The radius of a group's circle, relative to half the distance between neighbouring groups.
_WITHIN = 0.72
#: The offset of a step in the third dimension of a lattice, in cells, so that few points cover each other.
_ASKEW = (0.4, 0.3)
#: The offset of a step in each further dimension, in widths of the picture of all earlier dimensions.
_APART = 1.25


def standing(topology: Topology) -> tuple[How, np.ndarray]:
    """Positions in the plane, x to the right and y upwards, from the switches' labels.

    Returns
    -------
    how : "grid", "levels", "groups", "lattice" or "circle"
    points : float64[switches, 2]
        Within -1 .. 1.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> how, points = standing(build("fat-tree:k=4"))
    >>> how, points.shape, float(abs(points).max())
    ('levels', (20, 2), 1.0)
    """
    labels, n = topology.labels, topology.switches
    geometry = geometry_of(topology)
    if geometry is not None:
        points = geometry.points.astype(np.float64)
        return "grid", _fitted(points * [1, -1])
    if "level" in labels and len(np.unique(labels["level"])) > 1:
        return "levels", _fitted(_levels(labels), evenly=False)
    if "group" in labels and 1 < len(np.unique(labels["group"])) < n:
        return "groups", _fitted(_groups(labels["group"]))
    axes = sorted((name for name in labels if name[:1] == "x" and name[1:].isdecimal()), key=lambda name: int(name[1:]))
    if len(axes) > 1:
        return "lattice", _fitted(_lattice([labels[name] for name in axes]))
    turn = 2 * np.pi * np.arange(n) / max(1, n)
    return "circle", _fitted(np.stack([np.sin(turn), np.cos(turn)], axis=1))


def _levels(labels: Mapping[str, np.ndarray]) -> np.ndarray:
    """One row per level, each spread over the whole width, group by group."""

    level = np.unique(labels["level"], return_inverse=True)[1].ravel()
    group = np.unique(labels["group"], return_inverse=True)[1].ravel() if "group" in labels else np.zeros_like(level)
    points = np.zeros((level.size, 2))
    for row in range(int(level.max()) + 1):
        switches = np.flatnonzero(level == row)
        ordered = switches[np.argsort(group[switches], kind="stable")]
        points[ordered, 0] = (np.arange(switches.size) + 0.5) / switches.size * 2 - 1
        points[ordered, 1] = row
    return points


def _groups(group: np.ndarray) -> np.ndarray:
    """Groups on a circle, and the switches of each group on a smaller circle."""
    names, number, sizes = np.unique(group, return_inverse=True, return_counts=True)
    number = number.ravel()
    order = np.argsort(number, kind="stable")
    within = np.empty(number.size)
    within[order] = np.arange(number.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    turn, inner = 2 * np.pi * number / len(names), 2 * np.pi * within / sizes[number]
    room = _WITHIN * np.sin(np.pi / len(names)) if len(names) > 1 else 0.5
    around = np.stack([np.sin(turn), np.cos(turn)], axis=1)
    own = np.stack([np.sin(turn + inner), np.cos(turn + inner)], axis=1)
    return around + room * own * (sizes[number] > 1)[:, None]


def _lattice(axes: list[np.ndarray]) -> np.ndarray:
    """Three dimensions as an oblique box; each further dimension moves whole copies, in turn to the right and upwards."""
    points = np.stack([axes[0], axes[1]], axis=1).astype(np.float64)
    if len(axes) > 2:
        points += np.asarray(axes[2])[:, None] * _ASKEW
    for at, values in enumerate(axes[3:]):
        side = at % 2
        points[:, side] += (np.ptp(points[:, side]) + 1) * _APART * values
    return points


def _fitted(points: np.ndarray, *, evenly: bool = True) -> np.ndarray:
    """Move and scale points into -1 .. 1; `evenly`: by the same factor in both directions."""
    if not len(points):
        return points
    low, high = points.min(axis=0), points.max(axis=0)
    half = np.maximum((high - low) / 2, 1e-12)
    fitted: np.ndarray = (points - (low + high) / 2) / (half.max() if evenly else half)
    return fitted
