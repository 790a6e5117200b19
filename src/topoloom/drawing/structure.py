"""The blocks of a network: by planes, then by the labels of its family; without labels by its links, racks or numbers."""

import numpy as np

from topoloom.drawing._lattices import cube_axes, cube_part, lattice_axes, lattice_part, tiled_part
from topoloom.drawing._parts import Part, block_part, grid_points, points_part, rows_part, switch_part
from topoloom.drawing._tiers import Levels, found_levels, groups_part, is_row_of_levels, tiers_part
from topoloom.graph.connectivity import components
from topoloom.graph.geometry import geometry_of
from topoloom.model.topology import Topology
from topoloom.placement.layout.layout import Layout

#: Most parts without links between them that are drawn side by side.
_MOST_PARTS = 64
#: Most racks that are drawn without blocks for their rows.
_MOST_RACKS = 60


def structure_part(topology: Topology, layout: Layout | None = None) -> Part:
    """The blocks of a network by its structure.

    Parameters
    ----------
    topology : Topology
    layout : Layout, optional
        Racks are blocks if nothing else is known.

    Returns
    -------
    Part
        The network, with blocks in blocks down to every switch.
    """
    every = np.arange(topology.switches)
    label = next((name for name in ("plane", "rail") if name in topology.labels), "")
    if label:
        of = np.unique(topology.labels[label], return_inverse=True)[1].reshape(-1)
    else:
        of = components(topology)
        label = "part"
        sizes = np.bincount(of)
        if sizes.size > _MOST_PARTS or sizes.min() < 2:
            of = np.zeros_like(of)
    if of.max(initial=0) == 0:
        return _inner(topology, "network", topology.name, every, layout)
    count = int(of.max()) + 1
    blocks = [_inner(topology, label, f"{label} {number}", every[of == number], layout) for number in range(count)]
    points = grid_points(count, count if count <= 3 else None)
    return Part("network", topology.name, points, tuple(blocks))


def _inner(topology: Topology, kind: str, name: str, switches: np.ndarray, layout: Layout | None) -> Part:
    """The blocks of a plane."""
    labels = topology.labels
    if lattice_axes(topology):
        return lattice_part(topology, kind, name, switches)
    geometry = geometry_of(topology)
    if geometry is not None:
        return tiled_part(kind, name, geometry.points[switches].astype(np.float64), switches)
    levelled = "level" in labels and np.unique(labels["level"]).size > 1
    if levelled and not is_row_of_levels(topology):
        return tiers_part(Levels.labelled(topology), kind, name, switches)
    if "group" in labels and 1 < np.unique(labels["group"][switches]).size < switches.size:
        return groups_part(topology, kind, name, switches)
    if switches.size == topology.switches and (at := cube_axes(topology)) is not None:
        return cube_part(kind, name, switches, at)
    if (levels := found_levels(topology)) is not None:
        return tiers_part(levels, kind, name, switches)
    if layout is not None and switches.size == topology.switches:
        return racks_part(layout).called(kind, name)
    return switch_part(kind, name, switches, "switch", "ring")


def racks_part(layout: Layout) -> Part:
    """The blocks of a network by racks, where they stand on the floor; many racks are parted into rows.

    Parameters
    ----------
    layout : Layout

    Returns
    -------
    Part
        Racks without switches are omitted.
    """
    topology, names = layout.topology, layout.rack_names
    order = np.argsort(layout.rack, kind="stable")
    racks, first = np.unique(layout.rack[order], return_index=True)
    pieces = np.split(order, first[1:])
    place = layout.slots.place_m[layout.used[racks]].astype(np.float64)
    parts = [
        switch_part("rack", names[rack], piece, "switch", "grid") for rack, piece in zip(racks, pieces, strict=True)
    ]
    rows = np.unique(place[:, 1])
    if len(parts) <= _MOST_RACKS or rows.size == 1:
        if rows.size == 1:
            return block_part("network", topology.name, parts, "row")
        return points_part("network", topology.name, _steps(place), parts)
    blocks = []
    for number, y in enumerate(rows[::-1].tolist(), start=1):
        row = [parts[at] for at in np.flatnonzero(place[:, 1] == y)]
        blocks.append((block_part("row", f"row {number}: {row[0].name} to {row[-1].name}", row, "row"), 1.0))
    return rows_part("network", topology.name, blocks)


def _steps(place: np.ndarray) -> np.ndarray:
    """Places in metres as places of a lattice: columns and rows without the width of aisles."""
    x, y = (np.unique(axis, return_inverse=True)[1].reshape(-1).astype(np.float64) for axis in place.T)
    return np.stack([x, -y], axis=1)
