"""Places of all blocks and switches in one plane: every block in the rectangle of the block around it."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt

import numpy as np

from topoloom.drawing._parts import Part

#: The longer side of a drawing, in units.
LONGER_SIDE = 1000.0
#: The shape of a drawing whose items fill it: width over height; and the limits of one that keeps its proportion.
_WIDE, _LEAST, _MOST = 1.75, 0.5, 2.2
#: The space around the items of a block and for its name, as shares of its shorter side; the share of its cell that an
#: item fills: a block, a switch.
_PAD, _HEAD, _FILL, _SWITCH_FILL = 0.035, 0.075, 0.9, 0.58
#: The greatest side of a switch, in units; the greatest height of a block of a tier, as a share of its width.
_MOST_SIDE, _MOST_HIGH = 44.0, 0.6


@dataclass(frozen=True, eq=False)
class Arrangement:
    """Blocks and switches in one plane; blocks level by level, so parents stand before children.

    Attributes
    ----------
    parts : list of Part
        The block of each row.
    parent : int64[blocks]
        The block around each; 0 for the first, the network, itself.
    depth : int64[blocks]
        0 for the network.
    rect : float64[blocks, 4]
        Left, top, width, height.
    block : int64[switches]
        The innermost block of each switch.
    point : float64[switches, 2]
        Its middle.
    side : float64[blocks]
        The side of a switch of each block; 0 for blocks of blocks.
    """

    parts: list[Part]
    parent: np.ndarray
    depth: np.ndarray
    rect: np.ndarray
    block: np.ndarray
    point: np.ndarray
    side: np.ndarray


def arranged(network: Part, switches: int) -> Arrangement:
    """The places of all blocks and switches.

    Parameters
    ----------
    network : Part
    switches : int
        The number of switches of the network; each is in one block.

    Returns
    -------
    Arrangement
    """
    walk = list(_walk(network))
    parts = [part for part, _, _, _ in walk]
    block = np.zeros(switches, np.int64)
    point, side = np.zeros((switches, 2)), np.zeros(len(parts))
    rects = np.zeros((len(parts), 4))
    rects[0] = 0, 0, *_size(network)
    for number, (part, _, _, first_child) in enumerate(walk):
        middle, size = _items(part, rects[number])
        if part.children:
            size = size * _FILL
            rects[first_child : first_child + len(part.children)] = np.hstack(
                [middle - size / 2, np.broadcast_to(size, middle.shape)]
            )
        else:
            block[part.switches] = number
            point[part.switches] = middle
            side[number] = min(float(np.min(size)) * _SWITCH_FILL, _MOST_SIDE)
    parent = np.array([parent for _, parent, _, _ in walk])
    return Arrangement(parts, parent, np.array([depth for _, _, depth, _ in walk]), rects, block, point, side)


def _walk(network: Part) -> Iterator[tuple[Part, int, int, int]]:
    """Each block with the number of the block around it, its depth, and the number of its first child, level by level."""
    waiting: deque[tuple[Part, int, int]] = deque([(network, 0, 0)])
    number, first_child = 0, 1
    while waiting:
        part, parent, depth = waiting.popleft()
        yield part, parent, depth, first_child
        waiting.extend((child, number, depth + 1) for child in part.children)
        first_child += len(part.children)
        number += 1


def _size(network: Part) -> tuple[float, float]:
    """Width and height of the whole drawing."""
    shape = _WIDE
    if network.rigid or (all(child.rigid for child in network.children) and network.children):
        low, high = network.extent
        shape = float(np.clip((high - low)[0] / (high - low)[1], _LEAST, _MOST))
    return (LONGER_SIDE, LONGER_SIDE / shape) if shape >= 1 else (LONGER_SIDE * shape, LONGER_SIDE)


def _items(part: Part, rect: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The middle and the size of the cell of each item of a block."""
    left, top, width, height = rect
    shorter = min(width, height)
    pad, head = _PAD * shorter, _HEAD * shorter
    corner, room = np.array([left + pad, top + head]), np.array([width - 2 * pad, height - pad - head])
    low, high = part.extent
    scale = room / (high - low)
    if part.rigid:
        scale = np.full(2, scale.min())
    corner = corner + (room - scale * (high - low)) / 2
    middle = corner + (part.points - low) * scale
    size = part.cells * scale
    if part.children and not part.rigid and all(child.kind == "switches" for child in part.children):
        size = np.minimum(size, [np.inf, _MOST_HIGH * float(size[:, 0].max())])
    if not part.children and not part.rigid:
        # Squares of switches: a row of few switches in a wide block does not spread over all of it.
        size = np.full(2, min(float(size.min()), sqrt(float(room.prod()) / max(1, len(part.points)))))
    return middle, size
