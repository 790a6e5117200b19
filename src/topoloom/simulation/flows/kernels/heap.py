"""A heap of numbered items, the least key on top, whose keys may change; four stand below one, for the sake of caches.

order: items; position: where each stands, -1 outside; key: by item.
"""

import numpy as np

from topoloom.core.compiling.decorators import inner


@inner
def sift_up(order: np.ndarray, position: np.ndarray, key: np.ndarray, place: int) -> None:
    """Bring up the item at a place whose key has become less."""
    item = order[place]
    mine = key[item]
    while place > 0:
        above = (place - 1) >> 2
        other = order[above]
        if key[other] <= mine:
            break
        order[place] = other
        position[other] = place
        place = above
    order[place] = item
    position[item] = place


@inner
def sift_down(order: np.ndarray, position: np.ndarray, key: np.ndarray, size: int, place: int) -> None:
    """Bring down the item at a place whose key has become greater."""
    item = order[place]
    mine = key[item]
    while True:
        below = 4 * place + 1
        if below >= size:
            break
        for beside in range(4 * place + 2, min(4 * place + 5, size)):
            if key[order[beside]] < key[order[below]]:
                below = beside
        other = order[below]
        if key[other] >= mine:
            break
        order[place] = other
        position[other] = place
        place = below
    order[place] = item
    position[item] = place


@inner
def take_out(order: np.ndarray, position: np.ndarray, key: np.ndarray, size: int, item: int) -> int:
    """Take an item out; returns how many are left."""
    place, size = position[item], size - 1
    position[item] = -1
    if place < size:
        last = order[size]
        order[place] = last
        position[last] = place
        sift_up(order, position, key, place)
        sift_down(order, position, key, size, position[last])
    return size


@inner
def put(order: np.ndarray, position: np.ndarray, key: np.ndarray, size: int, item: int, value: float) -> int:
    """Put an item in, or change its key; returns how many there are."""
    before = key[item]
    key[item] = value
    place = position[item]
    if place < 0:
        order[size] = item
        position[item] = size
        sift_up(order, position, key, size)
        return size + 1
    if value < before:
        sift_up(order, position, key, place)
    else:
        sift_down(order, position, key, size, place)
    return size
