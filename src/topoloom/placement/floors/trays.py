"""Cable trays: the paths of cables over them, and the number of cables on each section."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

#: Trays within this distance of each other are connected: drawings are not more exact.
TOUCH_M = 1e-3


@dataclass(frozen=True, eq=False)
class TrayPaths:
    """The trays as a graph, and the points where each slot's cables reach them.

    A slot's cables run along x and y to the nearest point of the nearest tray by that distance (of equally near trays, the
    first), then along the trays, and down in the same way.

    Attributes
    ----------
    nodes : float64[nodes, 2]
        Ends and crossings of trays, and the points where cables reach them.
    edges : int32[edges, 2]
        Sections of tray between neighbouring nodes.
    length_m : float64[edges]
    up : int32[slots]
        The node at which each slot's cables reach the trays.
    up_m : float64[slots]
        The distance of each slot from that node.
    tray : int32[slots]
        The tray on which that node lies.
    """

    nodes: np.ndarray
    edges: np.ndarray
    length_m: np.ndarray
    up: np.ndarray
    up_m: np.ndarray
    tray: np.ndarray

    @cached_property
    def apart_m(self) -> np.ndarray:
        """The length of a cable between any two slots, without overhead: float64[slots, slots]; inf without a path."""
        starts, number = np.unique(self.up, return_inverse=True)
        along_m, _ = self._shortest(starts)
        apart_m = along_m[number][:, self.up] + self.up_m[:, None] + self.up_m[None, :]
        np.fill_diagonal(apart_m, 0.0)
        # Sums in another order differ by rounding errors; take the smaller for symmetry.
        return np.asarray(np.minimum(apart_m, apart_m.T))

    def load(self, a: np.ndarray, b: np.ndarray, cables: np.ndarray) -> np.ndarray:
        """Number of cables on each section, int64[edges], when `cables` run from the slots `a` to the slots `b`.

        Each takes a shortest path: the one that the search from `a` finds.

        Parameters
        ----------
        a, b : int64[k]
            The slots at the ends of each bundle of cables.
        cables : int64[k]
            Number of cables in each bundle.

        Returns
        -------
        int64[edges]
            In the order of `edges`.
        """
        starts, number = np.unique(self.up[a], return_inverse=True)
        distance_m, before = self._shortest(starts)
        flow = np.zeros(distance_m.shape, np.int64)
        np.add.at(flow, (number, self.up[b]), cables)
        rows = np.arange(starts.size)
        # From the farthest node inwards, each node adds its cables to the node before it.
        for node in np.argsort(np.where(np.isinf(distance_m), -1.0, distance_m), axis=1)[:, ::-1].T:
            inner = before[rows, node]
            on = inner >= 0
            flow[rows[on], inner[on]] += flow[rows[on], node[on]]
        start, node = np.nonzero((before >= 0) & (flow > 0))
        key = _edge_key(np.stack([before[start, node], node], axis=1), len(self.nodes))
        load = np.zeros(len(self.edges), np.int64)
        np.add.at(load, np.searchsorted(_edge_key(self.edges, len(self.nodes)), key), flow[start, node])
        return load

    def _shortest(self, starts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Distances along the trays from each of `starts`, and the preceding node of each node, both [starts, nodes]."""
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import dijkstra

        graph = csr_array((self.length_m, tuple(self.edges.T)), shape=(len(self.nodes), len(self.nodes)))
        distance_m, before = dijkstra(graph, directed=False, indices=starts, return_predecessors=True)
        return distance_m, before


def tray_paths(place_m: np.ndarray, trays_m: np.ndarray) -> TrayPaths:
    """The graph of the trays, with slots at the positions `place_m`.

    Parameters
    ----------
    place_m : float64[slots, 2]
    trays_m : float64[trays, 4]
        From (x, y) to (x, y), each with a length above 0. Trays are connected wherever they touch or cross.
    """
    start, along = trays_m[:, :2], trays_m[:, 2:] - trays_m[:, :2]
    tray, points, up_m = _come_up(place_m, start, along)
    every = np.concatenate([start, trays_m[:, 2:], _crossings(start, along), points])
    # One node per position: rounding merges points that were computed in two ways.
    _, first, number = np.unique(np.round(every, 6), axis=0, return_index=True, return_inverse=True)
    nodes = every[first]
    edges = []
    for origin, step in zip(start, along, strict=True):
        length_m = np.hypot(*step)
        ahead = (nodes - origin) @ step / length_m
        aside = np.abs((nodes - origin) @ (step[1], -step[0])) / length_m
        on = np.flatnonzero((aside <= TOUCH_M) & (ahead >= -TOUCH_M) & (ahead <= length_m + TOUCH_M))
        on = on[np.argsort(ahead[on], kind="stable")]
        edges.append(np.stack([on[:-1], on[1:]], axis=1))
    # Where trays overlap, the same section occurs twice.
    ends = np.unique(np.sort(np.concatenate(edges), axis=1), axis=0).astype(np.int32)
    length_m = np.hypot(*(nodes[ends[:, 0]] - nodes[ends[:, 1]]).T)
    return TrayPaths(nodes, ends, length_m, number.reshape(-1)[-len(place_m) :].astype(np.int32), up_m, tray)


def _come_up(place_m: np.ndarray, start: np.ndarray, along: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where cables reach the trays: tray int32[slots], point float64[slots, 2], distance along x and y float64[slots].

    Along a tray, |dx| + |dy| is least at an end, or where the tray has the slot's x or y.
    """
    away = place_m[:, None, :] - start[None, :, :]
    with np.errstate(divide="ignore", invalid="ignore"):
        aligned = np.clip(np.nan_to_num(away / along, nan=0.0, posinf=0.0, neginf=0.0), 0.0, 1.0)
    shares = np.concatenate([np.zeros_like(aligned[..., :1]), np.ones_like(aligned[..., :1]), aligned], axis=2)
    far_m = np.abs(away[:, :, None, :] - shares[..., None] * along[None, :, None, :]).sum(axis=3)
    # Rounding errors must not decide which of two trays is nearer.
    best = np.round(far_m, 9).reshape(len(place_m), -1).argmin(axis=1)
    tray, which = np.divmod(best, shares.shape[2])
    every = np.arange(len(place_m))
    points = start[tray] + shares[every, tray, which][:, None] * along[tray]
    return tray.astype(np.int32), points, far_m[every, tray, which]


def _crossings(start: np.ndarray, along: np.ndarray) -> np.ndarray:
    """The crossings of two trays, float64[crossings, 2]; parallel trays do not cross, they can only touch at their ends."""
    a, b = np.triu_indices(len(start), 1)
    across = along[a, 0] * along[b, 1] - along[a, 1] * along[b, 0]
    gap = start[b] - start[a]
    with np.errstate(divide="ignore", invalid="ignore"):
        on_a = (gap[:, 0] * along[b, 1] - gap[:, 1] * along[b, 0]) / across
        on_b = (gap[:, 0] * along[a, 1] - gap[:, 1] * along[a, 0]) / across
    cross = (across != 0) & (on_a >= 0) & (on_a <= 1) & (on_b >= 0) & (on_b <= 1)
    return np.asarray(start[a[cross]] + on_a[cross, None] * along[a[cross]])


def _edge_key(ends: np.ndarray, nodes: int) -> np.ndarray:
    """One number per edge, increasing with the sorted pair of its ends, in whichever order they are given."""
    low, high = np.sort(ends.astype(np.int64), axis=1).T
    return np.asarray(low * nodes + high)
