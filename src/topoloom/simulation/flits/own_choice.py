"""What an adaptive function of one's own sees, and what the kernels keep for it."""

from typing import NamedTuple

import numpy as np


class At(NamedTuple):
    """A packet at the head of a virtual channel, and what its switch knows. Arrays after `learned` are the simulator's.

    Attributes
    ----------
    switch, destination, source : int
        Where the packet is, the switch of its destination, and where it entered.
    hops : int
        Links that it has taken.
    port : int
        The link by which it came, as a port of this switch; at least the number of links of the switch where a host sent it.
    vc_class : int
        The class in which it came; -1 where a host sent it.
    flits, cycle : int
        Its length, and the time.
    memory : int64[Adaptive.memory]
        Its own numbers, which the function may change.
    data, learned : int64[...], float64[...]
        Those of `Adaptive`.
    """

    switch: int
    destination: int
    source: int
    hops: int
    port: int
    vc_class: int
    flits: int
    cycle: int
    memory: np.ndarray
    data: np.ndarray
    learned: np.ndarray
    degrees: np.ndarray
    distance: np.ndarray
    outputs: np.ndarray
    ports: np.ndarray
    vcs: np.ndarray
    sent: np.ndarray
    unowned: np.ndarray
    state: np.ndarray
    pace: np.ndarray
    slot_bits: int
    many_vcs: int
    places: int
    history: int
    credit: int
    first_vc: int
    width: int
    spare: int
    word: int


class OwnArrays(NamedTuple):
    """What the kernels keep for an adaptive function.

    Attributes
    ----------
    degrees : int64[n]
    distance : uint8[n * n]
        Hops of shortest paths, by switch and destination.
    memory : int64[packets * words]
    words, classes : int
    data, learned : int64[...], float64[...]
    turns, turn_first : uint64[turns] or empty, int64[n + 1]
        The declared turns, as `DeclaredTurns`; empty where any turn is allowed.
    pace : int64[...]
        As in `kernels.router`; empty where all ports have the same rate.
    escape, again : int
        1: as in `Adaptive`.
    """

    degrees: np.ndarray
    distance: np.ndarray
    memory: np.ndarray
    words: int
    classes: int
    data: np.ndarray
    learned: np.ndarray
    turns: np.ndarray
    turn_first: np.ndarray
    pace: np.ndarray
    escape: int
    again: int
