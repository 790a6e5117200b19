"""Where the switches of a chip are: its four edges and its corners."""

from collections.abc import Callable

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.routing.coordinates import coordinates_of


def rows_and_columns(topology: Topology) -> tuple[np.ndarray, np.ndarray] | None:
    """The row and the column of each switch on the floor, int64[n] each; None for a network that is on no plane grid.

    Grids and diagrids by their labels. Meshes and tori of two dimensions by their coordinates, of which the first is the row;
    rings are folded, as they are laid out: 0, n - 1, 1, n - 2, ... so that no cable is longer than two steps.
    """
    labels = topology.labels
    for row, column in (("row", "column"), ("y", "x")):
        if row in labels and column in labels and labels[row].dtype.kind == labels[column].dtype.kind == "i":
            return labels[row], labels[column]
    if "x0" not in labels or "x1" not in labels or "x2" in labels:
        return None
    try:
        found = coordinates_of(topology)
    except InputError:  # links were moved or added: no lines, no edges
        return None
    lines = []
    for axis, dimension in enumerate(found.dimensions):
        at = found.at[:, axis]
        folded = np.where(2 * at < dimension.side, 2 * at, 2 * (dimension.side - at) - 1)
        lines.append(folded if dimension.kind == "ring" else at)
    return lines[0], lines[1]


def edges_of(row: np.ndarray, column: np.ndarray) -> list[np.ndarray]:
    """The switches of the top, right, bottom and left edge, each in order; corners are on two.

    The first and the last switch of every row are on the left and the right edge, wherever it begins.

    Examples
    --------
    >>> row, column = np.divmod(np.arange(6), 3)
    >>> [edge.tolist() for edge in edges_of(row, column)]
    [[0, 1, 2], [2, 5], [3, 4, 5], [0, 3]]
    """
    order = np.lexsort((column, row))
    begins = np.flatnonzero(np.diff(row[order], prepend=row[order[0]] - 1))
    ends = np.append(begins[1:], order.size)
    top, bottom = order[: ends[0]], order[begins[-1] :]
    return [top, order[ends - 1], bottom, order[begins]]


#: The share of an edge at which the k-th of some stands: evenly between its corners, about its middle, or from its ends in.
ALONG: dict[str, Callable[[int, int], float]] = {
    "even": lambda k, some: (k + 1) / (some + 1),
    "middle": lambda k, some: 0.5 + (k - (some - 1) / 2) * 1e-6,
    "ends": lambda k, _: float(k % 2),
}


def along_edges(edges: list[np.ndarray], count: int, name: str, along: str = "even") -> np.ndarray:
    """`count` switches on the edges, as many on each as on any other, evenly between its corners.

    Parameters
    ----------
    edges : list of int[k]
        The switches along each edge of the floor, corners included.
    count : int
        How many are wanted.
    name : str
        The pattern, for the message.
    along : "even", "middle" or "ends"
        Where on its edge each stands: evenly between the corners, about the middle, or from the corners in.

    Returns
    -------
    int64[count]
        Edge by edge, no switch twice.

    Raises
    ------
    InputError
        The edges have fewer.
    """
    taken: list[int] = []
    for number, edge in enumerate(edges):
        here = count // 4 + (number < count % 4)
        for k in range(here):
            ideal = ALONG[along](k, here) * (edge.size - 1)
            near = np.argsort(np.abs(np.arange(edge.size) - ideal), kind="stable")
            free = [int(edge[place]) for place in near.tolist() if int(edge[place]) not in taken]
            if not free:
                raise InputError(f"{name}: {count} do not fit on the edges, of {edge.size} switches here")
            taken.append(free[0])
    return np.array(taken, np.int64)


def corners_first(edges: list[np.ndarray], count: int, taken: np.ndarray, name: str) -> np.ndarray:
    """`count` switches that are not taken: opposite corners, the other corners, and evenly along the edges.

    Parameters
    ----------
    edges : list of int[k]
        The switches along the top, right, bottom and left edge, corners included.
    count : int
        How many are wanted.
    taken : int[...]
        Switches that cannot be used.
    name : str
        The pattern, for the message.

    Returns
    -------
    int64[count]
        No switch twice.

    Raises
    ------
    InputError
        The edges have fewer that are free.
    """
    top, right, bottom, left = edges
    around = np.concatenate([top, right, bottom[::-1], left[::-1]]).tolist()
    corners = [int(switch) for switch in (top[0], bottom[-1], top[-1], bottom[0])]
    used = set(taken.tolist())
    corners = [switch for switch in dict.fromkeys(corners) if switch not in used][:count]
    rest = [switch for switch in dict.fromkeys(around) if switch not in used and switch not in corners]
    more = count - len(corners)
    if more > len(rest):
        raise InputError(
            f"{name}: {count} do not fit on the edges, of which {len(rest) + len(corners)} places are free"
        )
    return np.array(corners + [rest[k * len(rest) // more] for k in range(more)], np.int64)
