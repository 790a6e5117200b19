"""A heap of numbered items with the least key on top; keys may change; each item has up to four children, for cache locality.

order, key: the items and their keys by place, so that the keys of siblings lie together; position: the place of each item, -1
if it is not in the heap.
"""

import numpy as np

from topoloom.core.compiling.decorators import inner


@inner
def sift_up(order: np.ndarray, position: np.ndarray, key: np.ndarray, place: int) -> None:
    """Move the item at a place up, after its key has decreased."""
    item, item_key = order[place], key[place]
    while place > 0:
        above = (place - 1) >> 2
        above_key = key[above]
        if above_key <= item_key:
            break
        other = order[above]
        order[place], key[place] = other, above_key
        position[other] = place
        place = above
    order[place], key[place] = item, item_key
    position[item] = place


@inner
def sift_down(order: np.ndarray, position: np.ndarray, key: np.ndarray, size: int, place: int) -> None:
    """Move the item at a place down, after its key has increased."""
    item, item_key = order[place], key[place]
    while True:
        below = 4 * place + 1
        if below >= size:
            break
        least = key[below]
        for sibling in range(4 * place + 2, min(4 * place + 5, size)):
            if key[sibling] < least:
                below, least = sibling, key[sibling]
        if least >= item_key:
            break
        other = order[below]
        order[place], key[place] = other, least
        position[other] = place
        place = below
    order[place], key[place] = item, item_key
    position[item] = place


@inner
def take_out(order: np.ndarray, position: np.ndarray, key: np.ndarray, size: int, item: int) -> int:
    """Remove an item; return the size of the heap."""
    place, size = position[item], size - 1
    position[item] = -1
    if place < size:
        last = order[size]
        order[place], key[place] = last, key[size]
        position[last] = place
        sift_up(order, position, key, place)
        sift_down(order, position, key, size, position[last])
    return size


@inner
def put(order: np.ndarray, position: np.ndarray, key: np.ndarray, size: int, item: int, value: float) -> int:
    """Insert an item, or change its key; return the size of the heap."""
    place = position[item]
    if place < 0:
        order[size], key[size] = item, value
        position[item] = size
        sift_up(order, position, key, size)
        return size + 1
    before = key[place]
    key[place] = value
    if value < before:
        sift_up(order, position, key, place)
    else:
        sift_down(order, position, key, size, place)
    return size
