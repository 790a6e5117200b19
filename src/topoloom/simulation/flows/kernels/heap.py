"""A heap of numbered items with the least key on top; keys may change; each item has up to four children, for cache locality.

order: the items by place; position: the place of each item, -1 if not in the heap; key: by item.
"""

import numpy as np

from topoloom.core.compiling.decorators import inner


@inner
def sift_up(order: np.ndarray, position: np.ndarray, key: np.ndarray, place: int) -> None:
    """Move the item at a place up, after its key has decreased."""
    item = order[place]
    item_key = key[item]
    while place > 0:
        above = (place - 1) >> 2
        other = order[above]
        if key[other] <= item_key:
            break
        order[place] = other
        position[other] = place
        place = above
    order[place] = item
    position[item] = place


@inner
def sift_down(order: np.ndarray, position: np.ndarray, key: np.ndarray, size: int, place: int) -> None:
    """Move the item at a place down, after its key has increased."""
    item = order[place]
    item_key = key[item]
    while True:
        below = 4 * place + 1
        if below >= size:
            break
        for sibling in range(4 * place + 2, min(4 * place + 5, size)):
            if key[order[sibling]] < key[order[below]]:
                below = sibling
        other = order[below]
        if key[other] >= item_key:
            break
        order[place] = other
        position[other] = place
        place = below
    order[place] = item
    position[item] = place


@inner
def take_out(order: np.ndarray, position: np.ndarray, key: np.ndarray, size: int, item: int) -> int:
    """Remove an item; return the size of the heap."""
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
    """Insert an item, or change its key; return the size of the heap."""
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
