"""The effect of a move on the delays of all pairs: shortest paths are repaired instead of searched again.

A row holds the least delays from one source. When links are removed and added, the algorithm of Ramalingam and Reps (J.
Algorithms 21, 1996) repairs it in time that grows with the number of changes: first the switches that lose their last shortest
path, in order of their delays; then Dijkstra's algorithm over these and over switches that get nearer. A source needs no work
if none of its shortest paths uses a removed link and no added link shortens one.

Delays are whole numbers of a unit, so sums are exact and the same on every machine.
"""

from typing import NamedTuple

import numpy as np

from topoloom.core.compiling.decorators import inner, kernel, stage

#: The delay that means no path.
FAR = 65535
#: The state of a switch while a row is repaired.
_KNOWN, _WAITS, _CHANGED = 0, 1, 2
#: A whole number inside a kernel.
Whole = int | np.signedinteger


class RepairScratch(NamedTuple):
    """Scratch of one search, used for all its rows one after the other.

    heads : int32[FAR + 1]
        The first entry in the bucket of each delay; -1 between calls.
    entry, after : int32[n (K + 2) + 64]
        The waiting switches, and the next entry in the same bucket.
    mark : uint8[n]
        See `_KNOWN`; zero between calls.
    changed, before : int32[n], uint16[n]
        The switches of a row that changed, and their delays before.
    """

    heads: np.ndarray
    entry: np.ndarray
    after: np.ndarray
    mark: np.ndarray
    changed: np.ndarray
    before: np.ndarray


@stage
def _push(heads: np.ndarray, entry: np.ndarray, after: np.ndarray, size: int, key: Whole, v: Whole) -> None:
    entry[size] = v
    after[size] = heads[key]
    heads[key] = size


@inner
def fill_row(table: np.ndarray, delay: np.ndarray, source: int, row: np.ndarray, work: RepairScratch) -> None:
    """Write to row[v] the least delay from source to v, uint16[n]; FAR if there is no path."""
    heads, entry, after, mark = work.heads, work.entry, work.after, work.mark
    row[:] = FAR
    row[source] = 0
    mark[:] = _CHANGED
    _push(heads, entry, after, 0, 0, source)
    _settle(table, delay, row, work, 1, 0, 0)
    mark[:] = _KNOWN


@inner
def _settle(
    table: np.ndarray, delay: np.ndarray, row: np.ndarray, work: RepairScratch, size: int, key: Whole, count: int
) -> int:
    """Dijkstra's algorithm from the `size` waiting switches, none below `key`; return the new number of changed switches."""
    heads, entry, after, mark, changed, before = work
    degree = np.uint64(table.shape[1])
    waiting = size
    while waiting > 0:
        top = heads[key]
        if top < 0:
            key += 1
            continue
        heads[key] = after[top]
        waiting -= 1
        v = np.uint64(entry[top])
        if row[v] != key:
            continue
        for slot in range(degree):
            x = np.uint64(table[v, slot])
            nearer = key + np.int64(delay[v, slot])
            if nearer < row[x]:
                if mark[x] != _CHANGED:
                    mark[x] = _CHANGED
                    changed[count] = x
                    before[count] = row[x]
                    count += 1
                row[x] = nearer
                _push(heads, entry, after, size, nearer, np.int64(x))
                size += 1
                waiting += 1
    return count


@kernel
def touches(row: np.ndarray, gone: np.ndarray, come: np.ndarray) -> bool:
    """Whether a removed link may be on a shortest path of this source, or an added link shortens one.

    gone, come: int32[links, 3], both ends and the delay.
    """
    for i in range(len(gone)):
        apart = np.int64(row[gone[i, 0]]) - np.int64(row[gone[i, 1]])
        if abs(apart) == gone[i, 2]:
            return True
    for i in range(len(come)):
        apart = np.int64(row[come[i, 0]]) - np.int64(row[come[i, 1]])
        if abs(apart) > come[i, 2]:
            return True
    return False


@inner
def repair_row(
    table: np.ndarray, delay: np.ndarray, row: np.ndarray, gone: np.ndarray, come: np.ndarray, work: RepairScratch
) -> int:
    """Update a source's delays in place; table and delay are those after the move.

    Returns the number of changed switches; `work.changed` and `work.before` hold the switches and their earlier delays.
    """
    heads, entry, after, mark, changed, before = work
    degree = np.uint64(table.shape[1])
    size = 0
    key: Whole = FAR
    for i in range(len(gone)):
        a, b = gone[i, 0], gone[i, 1]
        apart = np.int64(row[b]) - np.int64(row[a])
        if abs(apart) == gone[i, 2]:
            v = b if apart > 0 else a
            if mark[v] == _KNOWN:
                mark[v] = _WAITS
                at = np.int64(row[v])
                _push(heads, entry, after, size, at, v)
                size += 1
                key = at if at < key else key
    # A switch is visited after all nearer ones, so it is then known whether it still has a shortest path.
    waiting, count = size, 0
    while waiting > 0:
        top = heads[key]
        if top < 0:
            key += 1
            continue
        heads[key] = after[top]
        waiting -= 1
        v = np.uint64(entry[top])
        stands = False
        for slot in range(degree):
            x = np.uint64(table[v, slot])
            if np.int64(row[x]) + np.int64(delay[v, slot]) == key and mark[x] != _CHANGED:
                stands = True
                break
        if stands:
            continue
        mark[v] = _CHANGED
        changed[count] = v
        before[count] = key
        count += 1
        for slot in range(degree):
            x = np.uint64(table[v, slot])
            further = key + np.int64(delay[v, slot])
            if row[x] == further and mark[x] == _KNOWN:
                mark[x] = _WAITS
                _push(heads, entry, after, size, further, np.int64(x))
                size += 1
                waiting += 1
    for i in range(size):
        if mark[entry[i]] == _WAITS:
            mark[entry[i]] = _KNOWN
    # Propagate from the neighbours with unchanged delays ...
    size, key = 0, FAR
    for i in range(count):
        v = np.uint64(changed[i])
        nearest: Whole = FAR
        for slot in range(degree):
            x = np.uint64(table[v, slot])
            if mark[x] != _CHANGED:
                over = np.int64(row[x]) + np.int64(delay[v, slot])
                nearest = over if over < nearest else nearest
        row[v] = nearest
        if nearest < FAR:
            _push(heads, entry, after, size, nearest, np.int64(v))
            size += 1
            key = nearest if nearest < key else key
    # ... and over the added links.
    for i in range(len(come)):
        for end in range(2):
            a, b = come[i, end], come[i, 1 - end]
            nearer = np.int64(row[a]) + come[i, 2]
            if nearer < row[b]:
                if mark[b] != _CHANGED:
                    mark[b] = _CHANGED
                    changed[count] = b
                    before[count] = row[b]
                    count += 1
                row[b] = nearer
                _push(heads, entry, after, size, nearer, b)
                size += 1
                key = nearer if nearer < key else key
    count = _settle(table, delay, row, work, size, key, count)
    for i in range(count):
        mark[changed[i]] = _KNOWN
    return count
