"""Symmetric grids: mirror images of the floor, and a start with this symmetry."""

import numpy as np

from topoloom.core.errors import InputError
from topoloom.graph.geometry import Geometry
from topoloom.model.topology import Topology
from topoloom.topologies.spec import build


def symmetric_grid(
    kind: str, rows: int, columns: int, degree: int, length: int, seed: int = 1, *, turned: bool = False
) -> tuple[Topology, np.ndarray]:
    """Make a K-regular, L-restricted graph of copies of a part of the floor; return it with its symmetries.

    A grid is mirrored along each axis with an even number of switches; a diagrid with an even number of rows is rotated by 180
    degrees (its mirror images do not map switches onto switches). No link connects two copies yet: random moves that keep the
    symmetry mix them (`HopSearch` and `WeightedSearch`, `sweeps`). `turned`: a square grid is rotated by 90 degrees instead,
    which keeps lengths only if a step has the same length along both axes.

    Parameters
    ----------
    kind : "grid" or "diagrid"
        The kind of floor.
    rows, columns : int
        Switches along its sides.
    degree : int
        K, the links at each switch.
    length : int
        L, the longest link, in steps.
    seed : int
        Seed of the random links.
    turned : bool
        Turn a square grid by quarters, in place of mirroring it.

    Returns
    -------
    topology : Topology
        With the labels of `kind`, "grid" or "diagrid".
    images : int32[g, n]
        The image of every switch under each symmetry, the identity first; g is 4, 2, or 1 if no symmetry leaves each copy an
        even number of link ends.

    Raises
    ------
    InputError
        Another kind of floor, or a part of it cannot be built with this degree and length.

    Examples
    --------
    >>> topology, images = symmetric_grid("grid", 6, 8, degree=4, length=3)
    >>> topology.switches, len(topology.links), images[:, 0].tolist()
    (48, 96, [0, 7, 40, 47])
    """
    if kind not in {"grid", "diagrid"}:
        raise InputError(f"kind '{kind}' is unknown; choose grid or diagrid")
    geometry = Geometry.grid(rows, columns) if kind == "grid" else Geometry.diagrid(rows, columns)
    number = np.arange(rows * columns).reshape(rows, columns)
    images, part = [number], [rows, columns]

    def ends_fit(parts: int) -> bool:
        return rows * columns // parts * degree % 2 == 0

    if kind == "diagrid":
        if rows % 2 == 0 and ends_fit(2):
            images.append(number[::-1, ::-1])
            part[0] //= 2
    elif turned and rows == columns and rows % 2 == 0 and ends_fit(4):
        images = [np.rot90(number, quarter) for quarter in range(4)]
        part = [rows // 2, columns // 2]
    else:
        if columns % 2 == 0 and ends_fit(2):
            images.append(number[:, ::-1])
            part[1] //= 2
        if rows % 2 == 0 and ends_fit(2 * len(images)):
            images += [image[::-1] for image in images]
            part[0] //= 2
    part_graph = build(f"{kind}:rows={part[0]},columns={part[1]},degree={degree},length={length},seed={seed}")
    flat = np.stack([image.ravel() for image in images]).astype(np.int32)
    inside = number[: part[0], : part[1]].ravel()
    links = np.concatenate([image[inside][part_graph.links] for image in flat])
    x, y = geometry.points.T
    labels = {"x": x, "y": y} if kind == "grid" else {"row": y, "column": x // 2}
    name = f"{kind}({rows} x {columns}, {len(flat)} copies)"
    return Topology(links=links, switches=geometry.points.shape[0], labels=labels, name=name), flat


def symmetric_start(
    topology: Topology, geometry: Geometry | None, length: int | None, seed: int, *, must: bool, turned: bool = False
) -> tuple[Topology, np.ndarray] | None:
    """Replace a topology on a full grid with equal degrees by one of `symmetric_grid`; return it with its symmetries.

    Parameters
    ----------
    topology : Topology
        The network that gives size and degree.
    geometry : Geometry or None
        The grid of its switches; None: none.
    length : int or None
        The longest link, in steps.
    seed : int
        Seed of the random links.
    must : bool
        Whether to raise an error if there is no such start.
    turned : bool
        Turn a square grid by quarters, in place of mirroring it.

    Returns
    -------
    topology : Topology
        The symmetric network.
    images : int32[g, n]
        The image of every switch under each symmetry, the identity first.

    Raises
    ------
    InputError
        There is no such start and `must` is True; otherwise None is returned.
    """
    reason = "it has no switches on a grid (labels x, y or row, column)"
    if geometry is not None and length is not None:
        kind = geometry.kind
        rows, columns = (int(axis.max()) + 1 for axis in (geometry.points[:, 1], geometry.points[:, 0]))
        columns = columns if kind == "grid" else -(-columns // 2)
        whole = Geometry.grid(rows, columns) if kind == "grid" else Geometry.diagrid(rows, columns)
        degree = int(topology.degrees.max())
        if not np.array_equal(whole.points, geometry.points):
            reason = "its switches do not fill a grid row by row"
        elif (topology.degrees != degree).any():
            reason = "its switches have different degrees"
        else:
            try:
                start, images = symmetric_grid(kind, rows, columns, degree, length, seed, turned=turned)
            except InputError as error:
                reason = f"a part of the grid cannot be built ({error})"
            else:
                if len(images) > 1:
                    return topology.replace(links=start.links), images
                reason = "no mirror image or half turn maps its switches onto each other"
    if must:
        raise InputError(f"{topology.name}: no symmetric start: {reason}; omit symmetric")
    return None
