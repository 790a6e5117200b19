"""The number of cables on each section of tray."""

import numpy as np

from topoloom.placement.floors.floor import Floor
from topoloom.placement.floors.trays import TOUCH_M, tray_paths
from topoloom.placement.layout.layout import Layout


def tray_load(layout: Layout) -> tuple[np.ndarray, np.ndarray]:
    """The sections of tray, (x, y, x, y) as float64[sections, 4], and the number of cables on each, int64[sections].

    On a floor with trays, cables take the shortest path along them, and all sections are returned. On other floors, trays are
    assumed along the rows and columns of the racks: a cable runs along x in the row of its rack with the lower number, then
    along y in the column of the other rack; a section joins neighbouring x (or y) coordinates of racks, and only used sections
    are returned. Cables inside a rack use no tray. Cables to hosts that stand in racks are included.
    """
    pairs, cables = _every_bundle(layout)
    if layout.slots.rule == "trays" and layout.floor.trays_m:
        paths = tray_paths(layout.slots.place_m, np.array(layout.floor.trays_m))
        load = paths.load(layout.used[pairs[:, 0]], layout.used[pairs[:, 1]], cables)
        return np.hstack([paths.nodes[paths.edges[:, 0]], paths.nodes[paths.edges[:, 1]]]), load
    x_m, y_m = np.round(layout.place_m, 6).T
    xs, x = np.unique(x_m, return_inverse=True)
    ys, y = np.unique(y_m, return_inverse=True)
    low, high = pairs.T
    row, step, over_rows = _over(y[low], x[low], x[high], cables, (ys.size, xs.size))
    column, jump, over_columns = _over(x[high], y[low], y[high], cables, (xs.size, ys.size))
    segments = np.concatenate(
        [
            np.stack([xs[step], ys[row], xs[step + 1], ys[row]], axis=1),
            np.stack([xs[column], ys[jump], xs[column], ys[jump + 1]], axis=1),
        ]
    )
    return segments, np.concatenate([over_rows, over_columns])


def tray_capacity(floor: Floor, segments: np.ndarray) -> list[int | None]:
    """The cables that fit into each section of tray; None where the floor does not state it.

    Parameters
    ----------
    floor : Floor
    segments : float64[sections, 4]
        As `tray_load` returns them.

    Returns
    -------
    list of int or None
        Where several trays run side by side, their sum.
    """
    if not any(floor.tray_cables):
        return [None] * len(segments)
    trays = np.array(floor.trays_m)
    start, along = trays[:, :2], trays[:, 2:] - trays[:, :2]
    length_m = np.hypot(*along.T)
    out = list[int | None]()
    for middle in (segments[:, :2] + segments[:, 2:]) / 2:
        ahead = ((middle - start) * along).sum(axis=1) / length_m
        aside = np.abs((middle - start)[:, 0] * along[:, 1] - (middle - start)[:, 1] * along[:, 0]) / length_m
        own = [
            floor.tray_cables[tray] for tray in np.flatnonzero((aside <= TOUCH_M) & (ahead >= 0) & (ahead <= length_m))
        ]
        out.append(None if None in own or not own else sum(most for most in own if most is not None))
    return out


def _every_bundle(layout: Layout) -> tuple[np.ndarray, np.ndarray]:
    """The pairs of racks with cables, of links and of hosts in racks, and the number of cables of each pair."""
    pairs, cables = layout.bundles
    if layout.host_slot is None:
        return pairs, cables
    topology, out = layout.topology, layout.host_between
    hosts = np.stack([layout.rack[topology.endpoints[out]], layout.host_rack[topology.host[out]]], axis=1)
    every = np.concatenate([pairs, np.sort(hosts, axis=1)])
    return every, np.concatenate([cables, np.ones(len(hosts), np.int64)])


def _over(
    line: np.ndarray, start: np.ndarray, end: np.ndarray, cables: np.ndarray, shape: tuple[int, int]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The used steps of straight lines: the line, the step from a coordinate to the next, and the number of cables on it."""
    change = np.zeros(shape, np.int64)
    np.add.at(change, (line, np.minimum(start, end)), cables)
    np.subtract.at(change, (line, np.maximum(start, end)), cables)
    load = np.cumsum(change, axis=1)
    used, step = np.nonzero(load)
    return used, step, load[used, step]
