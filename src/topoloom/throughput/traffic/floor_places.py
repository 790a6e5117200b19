"""Where switches are on a floor or a chip: rows, columns, the four edges and the corners."""

from collections.abc import Callable

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.routing.coordinates import coordinates_of


def rows_and_columns(topology: Topology) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the row and the column of each switch on the floor, int64[n] each; None for a network without a plane grid.

    Grids and diagrids use their labels. Meshes and tori of two dimensions use their coordinates, the first of which is the row;
    rings are folded, as in their layout: 0, n - 1, 1, n - 2, ... so that no cable is longer than two steps.
    """
    labels = topology.labels
    for row, column in (("row", "column"), ("y", "x")):
        if row in labels and column in labels and labels[row].dtype.kind == labels[column].dtype.kind == "i":
            return labels[row], labels[column]
    if "x0" not in labels or "x1" not in labels or "x2" in labels:
        return None
    try:
        coordinates = coordinates_of(topology)
    except InputError:  # links were moved or added, so rows and columns are undefined
        return None
    lines = []
    for axis, dimension in enumerate(coordinates.dimensions):
        position = coordinates.at[:, axis]
        folded = np.where(2 * position < dimension.side, 2 * position, 2 * (dimension.side - position) - 1)
        lines.append(folded if dimension.kind == "ring" else position)
    return lines[0], lines[1]


def edges_of(row: np.ndarray, column: np.ndarray) -> list[np.ndarray]:
    """Return the switches of the top, right, bottom and left edge, each in order; corners are on two edges.

    The left and right edges are the first and the last switch of every row, wherever the row begins.

    Examples
    --------
    >>> row, column = np.divmod(np.arange(6), 3)
    >>> [edge.tolist() for edge in edges_of(row, column)]
    [[0, 1, 2], [2, 5], [3, 4, 5], [0, 3]]
    """
    order = np.lexsort((column, row))
    starts = np.flatnonzero(np.diff(row[order], prepend=row[order[0]] - 1))
    ends = np.append(starts[1:], order.size)
    top, bottom = order[: ends[0]], order[starts[-1] :]
    return [top, order[ends - 1], bottom, order[starts]]


#: The position along an edge, as a share, of the k-th of n switches: evenly spaced, about the middle, or from the ends inwards.
ALONG: dict[str, Callable[[int, int], float]] = {
    "even": lambda k, some: (k + 1) / (some + 1),
    "middle": lambda k, some: 0.5 + (k - (some - 1) / 2) * 1e-6,
    "ends": lambda k, _: float(k % 2),
}


def along_edges(edges: list[np.ndarray], count: int, name: str, along: str = "even") -> np.ndarray:
    """Return `count` switches on the edges, the same number on each edge (to within one).

    Parameters
    ----------
    edges : list of int[k]
        The switches along each edge of the floor, corners included.
    count : int
        The number of switches.
    name : str
        The pattern, for the message.
    along : "even", "middle" or "ends"
        Their places on an edge: evenly between the corners, about the middle, or from the corners inwards.

    Returns
    -------
    int64[count]
        Edge by edge, no switch twice.

    Raises
    ------
    InputError
        The edges have too few switches.
    """
    taken: list[int] = []
    for number, edge in enumerate(edges):
        on_this_edge = count // 4 + (number < count % 4)
        for k in range(on_this_edge):
            ideal = ALONG[along](k, on_this_edge) * (edge.size - 1)
            near = np.argsort(np.abs(np.arange(edge.size) - ideal), kind="stable")
            free = [int(edge[place]) for place in near.tolist() if int(edge[place]) not in taken]
            if not free:
                raise InputError(f"{name}: {count} do not fit on the edges: edge {number} has {edge.size} switches")
            taken.append(free[0])
    return np.array(taken, np.int64)


def corners_first(edges: list[np.ndarray], count: int, taken: np.ndarray, name: str) -> np.ndarray:
    """Return `count` free switches: two opposite corners, the other corners, then evenly along the edges.

    Parameters
    ----------
    edges : list of int[k]
        The switches along the top, right, bottom and left edge, corners included.
    count : int
        The number of switches.
    taken : int[...]
        Switches that cannot be used.
    name : str
        The pattern, for the message.

    Returns
    -------
    int64[count]
        The switches, each once.

    Raises
    ------
    InputError
        The edges have too few free switches.
    """
    top, right, bottom, left = edges
    around = np.concatenate([top, right, bottom[::-1], left[::-1]]).tolist()
    corners = [int(switch) for switch in (top[0], bottom[-1], top[-1], bottom[0])]
    used = set(taken.tolist())
    corners = [switch for switch in dict.fromkeys(corners) if switch not in used][:count]
    rest = [switch for switch in dict.fromkeys(around) if switch not in used and switch not in corners]
    more = count - len(corners)
    if more > len(rest):
        raise InputError(f"{name}: {count} do not fit on the edges, which have {len(rest) + len(corners)} free places")
    return np.array(corners + [rest[k * len(rest) // more] for k in range(more)], np.int64)
