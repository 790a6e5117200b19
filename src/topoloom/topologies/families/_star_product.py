"""The star product: one copy of a graph per vertex of another graph, linked along its edges by a bijection."""

import numpy as np

from topoloom.model.topology import Topology


def star_product(outer: np.ndarray, order: int, loops: np.ndarray, inner: np.ndarray, image: np.ndarray) -> Topology:
    """G * G': (x, a) ~ (x, b) for links ab of G'; (x, a) ~ (y, f(a)) for links xy of G, x < y; (x, a) ~ (x, f(a)) at loops.

    Parameters
    ----------
    outer : int64[m, 2]
        The links of G, each with its lower end first.
    order : int
        Vertices of G.
    loops : int64[k]
        Vertices of G with a loop.
    inner : int64[l, 2]
        The links of G'.
    image : int64[size]
        f(a) for every vertex a of G', a bijection.

    Returns
    -------
    Topology
        Switch (x, a) has the number x * size + a; labels ``group`` (x) and ``member`` (a). No parallel links.

    Notes
    -----
    Source: Bermond, Delorme and Farhi, Large graphs with given degree and diameter III, 1982.
    """
    size = image.size
    member, copies = np.arange(size), np.arange(order) * size
    inside = (inner[None, :, :] + copies[:, None, None]).reshape(-1, 2)
    ends = np.concatenate([outer, np.stack([loops, loops], axis=1)])
    between = np.stack([ends[:, :1] * size + member, ends[:, 1:] * size + image], axis=2).reshape(-1, 2)
    between = between[between[:, 0] != between[:, 1]]  # f may have fixed points
    links = np.unique(np.sort(np.concatenate([inside, between]), axis=1), axis=0)
    switch = np.arange(order * size)
    return Topology(links=links, switches=switch.size, labels={"group": switch // size, "member": switch % size})
