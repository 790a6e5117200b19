"""Equal groups of a switch become one: hashes of groups, and their comparison."""

import numpy as np

from topoloom.core.compiling.decorators import kernel


@kernel
def hash_rows(first: np.ndarray, port: np.ndarray, next_state: np.ndarray, n: int, key: np.ndarray) -> None:
    """Write the hash of each row's switch (row % n) and members first[row] .. first[row + 1] - 1 to `key`, uint64[rows]."""
    for row in range(key.size):
        z = np.uint64(row % n + 1) * np.uint64(0x9E3779B97F4A7C15)
        for m in range(first[row], first[row + 1]):
            z += np.uint64((np.int64(port[m]) << 8) + np.int64(next_state[m]) + 1) * np.uint64(0xD6E8FEB86659FD93)
            z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            z ^= z >> np.uint64(31)
        key[row] = z


@kernel
def hash_sets(first: np.ndarray, port: np.ndarray, next_state: np.ndarray, key: np.ndarray) -> None:
    """Write a hash of each group's members, whatever their order, to `key`, uint64[groups]."""
    for group in range(key.size):
        total = np.uint64(first[group + 1] - first[group])
        for m in range(first[group], first[group + 1]):
            z = np.uint64((np.int64(port[m]) << 8) + np.int64(next_state[m]) + 1) * np.uint64(0x9E3779B97F4A7C15)
            z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            total += z ^ (z >> np.uint64(31))
        key[group] = total


@kernel
def differing_row(
    first: np.ndarray, port: np.ndarray, next_state: np.ndarray, n: int, like: np.ndarray, rows: np.ndarray
) -> int:
    """Return the first place of `rows` whose row differs from row like[place], or -1; both int64[k]."""
    for place in range(rows.size):
        a, b = rows[place], like[place]
        if a % n != b % n or first[a + 1] - first[a] != first[b + 1] - first[b]:
            return place
        for j in range(first[a + 1] - first[a]):
            if port[first[a] + j] != port[first[b] + j] or next_state[first[a] + j] != next_state[first[b] + j]:
                return place
    return -1
