"""Floors, tori and annealing of Nakano 2016's case studies (VIII)."""

from typing import Literal

import numpy as np

from topoloom.core.random_streams import Draws
from topoloom.core.searches import Budget
from topoloom.graph.geometry import Geometry
from topoloom.optimizer.goals import Goal
from topoloom.optimizer.link_lengths import LinkLengths
from topoloom.optimizer.rules import GraphRules, moves_of
from topoloom.optimizer.searches.weighted_search import WeightedSearch
from topoloom.optimizer.structures.mirror_symmetry import symmetric_grid

Kind = Literal["grid", "diagrid"]

#: Floors (rows, columns) of 72 k^2 switches, and below the tori of the same sizes. Nakano 2016 gives numbers for 4,608.
FLOORS: dict[int, dict[Kind, tuple[int, int]]] = {
    72: {"grid": (8, 9), "diagrid": (12, 6)},
    288: {"grid": (16, 18), "diagrid": (24, 12)},
    1152: {"grid": (32, 36), "diagrid": (48, 24)},
    4608: {"grid": (64, 72), "diagrid": (96, 48)},
}
TORI = {72: (3, 4, 6), 288: (6, 6, 8), 1152: (8, 12, 12), 4608: (16, 16, 18)}
KINDS: tuple[Kind, ...] = ("grid", "diagrid")


def lengths_on(kind: Kind, rows: int, columns: int, pitch_m: tuple[float, float], overhead_end_m: float) -> LinkLengths:
    """Lengths of links on a floor, in metres."""
    geometry = Geometry.grid(rows, columns) if kind == "grid" else Geometry.diagrid(rows, columns)
    return LinkLengths.of_geometry(geometry, pitch_m, overhead_end_m)


def annealed(
    kind: Kind,
    floor: tuple[int, int],
    degree: int,
    length: int,
    lengths: LinkLengths,
    goal: Goal,
    moves: int,
    cap_m: float | None,
) -> np.ndarray:
    """Anneal a mirrored graph by `moves` moves of one chain; the links are the same on every machine, int[links, 2]."""
    topology, images = symmetric_grid(kind, *floor, degree, length)
    rules = GraphRules(near=None if cap_m is None else lengths.within(cap_m))
    search = WeightedSearch(moves_of(topology, rules), lengths, goal, Draws(1), Budget(moves), images, sweeps=30)
    while not search.done:
        search.step()
    return search.best


#: The axes of a torus whose rings run down the floor, within blocks of racks, and across; then the rows and columns of a
#: block, in which a ring is a closed path.
_BLOCKS = {72: ((1, 2, 0), (2, 3)), 288: ((2, 0, 1), (2, 3)), 1152: ((0, 1, 2), (4, 3)), 4608: ((0, 1, 2), (4, 4))}


def torus_maps(switches: int) -> dict[str, np.ndarray]:
    """Placements of a torus on the floor of a grid: the point of each switch, int64[switches].

    The paper does not state the placement of its torus (errata of Nakano 2016, 10).
    """
    (down, ring, across), (rows, columns) = _BLOCKS[switches]
    index = np.indices(TORI[switches]).reshape(3, -1)
    row, column = _closed_path(rows, columns)
    width = FLOORS[switches]["grid"][1]

    def blocks(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return np.asarray((rows * x + row[index[ring]]) * width + columns * y + column[index[ring]])

    def folded(axis: int) -> np.ndarray:
        return np.asarray(_folded(TORI[switches][axis])[index[axis]])

    return {
        "row by row": np.arange(switches),
        "rings in blocks": blocks(index[down], index[across]),
        "rings in blocks, folded": blocks(folded(down), folded(across)),
    }


def _folded(side: int) -> np.ndarray:
    """Folded order of a ring on a line, int[side]: the place of each switch; no link is longer than two steps."""
    place = np.arange(side)
    return np.where(place < (side + 1) // 2, 2 * place, 2 * (side - place) - 1)


def _closed_path(rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Row and column of each step of a closed path through a block with an even number of rows.

    The path follows the first row, snakes through all columns except the first, and returns in the first column.
    """
    path = [(0, column) for column in range(columns)]
    for row in range(1, rows):
        inner = range(1, columns) if row % 2 == 0 else range(columns - 1, 0, -1)
        path += [(row, column) for column in inner]
    path += [(row, 0) for row in range(rows - 1, 0, -1)]
    row, column = np.array(path).T
    return row, column


#: Whether the switches at both ends of a path count, h + 1 for h hops: fixed for all cases, as in the rest of topoloom.
#: The paper does not state it (errata of Nakano 2016, 10); with h switches every latency is 60 ns less.
BOTH_ENDS = True
SWITCH_NS = 60.0
