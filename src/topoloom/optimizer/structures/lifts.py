"""Voltage lifts as arrays for the kernels, and the links of a lift."""

import numpy as np

from topoloom.optimizer.kernels.lifts import Lift, random_lift
from topoloom.optimizer.structures.groups import Group


def drawn_lift(group: Group, classes: int, degree: int, state: np.ndarray) -> Lift | None:
    """Return a random lift with `classes` * `group.order` switches of `degree` links; None if no simple one was found.

    With an odd number of darts and a group without involutions, the switches of the last class have one link less.

    Parameters
    ----------
    group : Group
    classes, degree : int
    state : uint64[1]
        The random stream (`Draws.state`).

    Returns
    -------
    Lift or None
        With random voltages.
    """
    degrees = np.full(classes, degree, np.int32)
    if classes * degree % 2 and not group.involutions.size:
        degrees[-1] -= 1
    darts = classes * degree
    table = np.empty((classes * group.order, degree), np.int32)
    head, voltage, back = (np.empty(darts, np.int32) for _ in range(3))
    lift = Lift(group.times, group.inverse, group.involutions, degrees, head, voltage, back, table)
    return lift if random_lift(lift, state) else None


def links_of_darts(group: Group, head: np.ndarray, voltage: np.ndarray, degree: int) -> np.ndarray:
    """The links of the lift with these darts, int32[m, 2] with u < v, sorted.

    Parameters
    ----------
    group : Group
    head, voltage : int[classes * degree]
        Dart d of class d // degree leads from its switch x to switch x * voltage[d] of class head[d]; head -1: no dart.
    degree : int

    Returns
    -------
    int32[m, 2]
        Links, u < v.

    Examples
    --------
    >>> from topoloom.optimizer.structures.groups import cyclic
    >>> links_of_darts(cyclic(5), np.array([0, 0, 1, 1, 1, 0]), np.array([1, 4, 0, 2, 3, 0]), 3).tolist()[:4]  # Petersen
    [[0, 1], [0, 4], [0, 5], [1, 2]]
    """
    order = group.order
    dart = np.flatnonzero(head >= 0)
    u = (dart // degree)[:, None] * order + np.arange(order)
    v = head[dart, None].astype(np.int64) * order + group.times[voltage[dart]]
    links: np.ndarray = np.stack([u[u < v], v[u < v]], axis=1).astype(np.int32)
    return links[np.lexsort(links.T[::-1])]
