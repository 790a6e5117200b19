"""Bundles: the links between visible blocks and switches, counted; and the scale from which a block shows its inside."""

from dataclasses import dataclass

import numpy as np

#: The least side of a switch and of a block when the block around them opens, and that at which it opens in any case, in
#: pixels.
_SWITCH_PX, _BLOCK_PX, _SURE_PX = 11.0, 26.0, 60.0
#: Pixels of the outline of a block per bundle that ends in it.
_PX_PER_BUNDLE = 2.6


@dataclass(frozen=True, eq=False)
class Bundles:
    """Links between visible nodes: a block has its number, a switch its number plus the number of blocks.

    Attributes
    ----------
    ends : int64[bundles, 2]
        The two nodes of each bundle, ascending.
    count : int64[bundles]
        The links of each.
    nodes : int64[n]
        All visible nodes.
    inside : int64[n]
        The links inside each of them.
    of : int64[links]
        The bundle of each link; -1 for links inside a node.
    """

    ends: np.ndarray
    count: np.ndarray
    nodes: np.ndarray
    inside: np.ndarray
    of: np.ndarray


def visible_nodes(parent: np.ndarray, block: np.ndarray, opened: np.ndarray) -> np.ndarray:
    """The visible node of each switch: itself if all blocks around it are open, else the outermost closed one.

    Parameters
    ----------
    parent : int64[blocks]
        The block around each, with a smaller number.
    block : int64[switches]
        The innermost block of each switch.
    opened : bool[blocks]

    Returns
    -------
    int64[switches]
    """
    blocks = parent.size
    shown = np.full(blocks, -1)
    for number, around in enumerate(parent.tolist()):
        outer = shown[around] if number else -1
        shown[number] = outer if outer >= 0 else (-1 if opened[number] else number)
    outer = shown[block]
    return np.where(outer >= 0, outer, blocks + np.arange(block.size))


def bundled(shown: np.ndarray, links: np.ndarray) -> Bundles:
    """Links as bundles between visible nodes.

    Parameters
    ----------
    shown : int64[switches]
        The visible node of each switch.
    links : int[links, 2]

    Returns
    -------
    Bundles
        Each link is counted once: in a bundle, or inside a node.
    """
    nodes = np.unique(shown)
    ends = shown[links]
    low, high = ends.min(axis=1), ends.max(axis=1)
    own = low == high
    inside = np.bincount(np.searchsorted(nodes, low[own]), minlength=nodes.size)
    size = int(nodes.max(initial=0)) + 1
    keys, place, count = np.unique(low[~own] * size + high[~own], return_inverse=True, return_counts=True)
    of = np.full(low.size, -1)
    of[~own] = place.reshape(-1)
    return Bundles(np.stack(np.divmod(keys, size), axis=1), count, nodes, inside, of)


def opening_scales(
    parent: np.ndarray, depth: np.ndarray, rect: np.ndarray, block: np.ndarray, side: np.ndarray, links: np.ndarray
) -> np.ndarray:
    """The scale, in pixels per unit, from which each block is drawn open: its items are large enough, and its lines legible.

    Parameters
    ----------
    parent, depth, rect, block, side
        As in `Arrangement`.
    links : int[links, 2]

    Returns
    -------
    float64[blocks]
        0 for the network.
    """
    blocks = parent.size
    ending = np.zeros(blocks)
    around = np.concatenate([parent, block])
    node = blocks + np.arange(block.size)
    deep = np.concatenate([depth, depth[block] + 1])
    for level in range(int(deep.max()), 0, -1):
        node = np.where(deep[node] > level, around[node], node)
        ends = bundled(node, links).ends
        inner = np.where(deep[ends] == level, around[ends], -1)
        once = inner[:, 1].copy()
        once[inner[:, 0] == inner[:, 1]] = -1
        for column in (inner[:, 0], once):
            ending += np.bincount(column[column >= 0], minlength=blocks)
    least = np.where(side > 0, side, np.inf)
    np.minimum.at(least, parent[1:], np.minimum(rect[1:, 2], rect[1:, 3]))
    least[~np.isfinite(least)] = 1.0
    legible = _PX_PER_BUNDLE * ending / (rect[:, 2] + rect[:, 3])
    scale = np.clip(legible, np.where(side > 0, _SWITCH_PX, _BLOCK_PX) / least, _SURE_PX / least)
    # Blocks of a block open together: their sizes differ little, and one open among closed ones looks like an exception.
    kind = parent * 2 + (side > 0)
    most = np.zeros(int(kind.max()) + 1)
    np.maximum.at(most, kind[1:], scale[1:])
    scale[1:] = most[kind[1:]]
    scale[0] = 0
    return np.asarray(scale)
