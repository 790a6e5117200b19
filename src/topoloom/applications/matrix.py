"""Who sends how much to whom: the communication matrix of a program, from its traces."""

from collections import Counter
from collections.abc import Iterable

import numpy as np

#: Bytes of SimGrid's numbered data types; the others are rare and taken for bytes.
_BYTES = {"0": 8, "1": 4, "2": 1, "3": 2, "4": 8, "5": 4, "6": 1}


def communication_matrix(traces: Iterable[str], ranks: int) -> np.ndarray:
    """The bytes that each rank sends to each other one, float64[ranks, ranks].

    `traces` are the texts of the ranks, in their order. An all-to-all counts between all pairs; all-reduce and reduce as
    recursive doubling does, what is gathered or scattered between all and the root; barriers are nothing.
    """
    bytes_to = np.zeros((ranks, ranks))
    for rank, text in enumerate(traces):
        for line, times in Counter(text.splitlines()).items():
            words = line.split()
            if len(words) > 2:
                _add(bytes_to, rank, words[1], words[2:], times, ranks)
    np.fill_diagonal(bytes_to, 0.0)
    return bytes_to


def _add(bytes_to: np.ndarray, rank: int, action: str, words: list[str], times: int, ranks: int) -> None:
    """What one line of a trace adds, which stands in it so many times."""
    if action in {"send", "isend"}:
        size = _BYTES.get(words[3], 1) if len(words) > 3 else 8
        bytes_to[rank, int(words[0])] += times * float(words[2]) * size
        return
    if action.startswith("alltoall"):
        if action == "alltoall":
            bytes_to[rank] += times * float(words[0]) * _type(words, 2)
            return
        sizes = np.array(words[1 : 1 + ranks], float)
        bytes_to[rank, : sizes.size] += times * sizes * _type(words, 2 * ranks + 2)
        return
    if action in {"allreduce", "reduce"}:
        amount = times * float(words[0]) * _type(words, 3 if action == "reduce" else 2)
        partner = 1
        while partner < ranks:
            if rank ^ partner < ranks:
                bytes_to[rank, rank ^ partner] += amount
            partner *= 2
    elif action in {"bcast", "gather", "scatter", "allgather"}:
        root = int(words[1]) if action == "bcast" and len(words) > 1 else 0
        bytes_to[root, rank] += times * float(words[0]) * 8


def _type(words: list[str], place: int) -> int:
    return _BYTES.get(words[place], 1) if len(words) > place else 8
