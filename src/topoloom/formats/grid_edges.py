"""Edge lists on a grid: ``x,y x,y`` per line, from the labels x and y."""

import numpy as np

from topoloom.core.errors import InputError
from topoloom.formats import edges
from topoloom.formats._registry import Format, register
from topoloom.model.topology import Topology


def write(topology: Topology) -> str:
    """The links as pairs of grid points; first, one line ``# switch x,y`` per switch without links.

    Raises
    ------
    InputError
        The switches have no whole-number labels x and y, or two share a point.
    """
    missing = [key for key in ("x", "y") if key not in topology.labels or topology.labels[key].dtype.kind != "i"]
    if missing:
        raise InputError(
            f"{topology.name}: grid-edges needs labels x and y with whole numbers; it lacks {' and '.join(missing)}"
            " (the format edges needs no labels)"
        )
    points = np.stack([topology.labels["x"], topology.labels["y"]], axis=1)
    if np.abs(points).max() >= 10**9:
        raise InputError(f"{topology.name}: a coordinate has ten digits; grid-edges holds up to nine")
    if len(np.unique(points, axis=0)) < topology.switches:
        raise InputError(
            f"{topology.name}: two switches share a grid point; grid-edges identifies switches by their points"
        )
    alone = edges.formatted_rows(points[topology.degrees == 0], "# switch {},{}\n")
    return alone + edges.formatted_rows(points[topology.links].reshape(-1, 4), "{},{} {},{}\n")


register(
    Format(
        name="grid-edges",
        suffixes=(".gridedges",),
        description="edge list of grid points: x,y x,y per line (order/degree competition, grid category)",
        keeps=frozenset({"isolated"}),
        read=edges.read,
        write=write,
    )
)
