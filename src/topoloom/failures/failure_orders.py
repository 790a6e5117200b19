"""What fails, and in which order: at random, or first what is most loaded, best connected or has the most cables."""

from dataclasses import dataclass

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.graph.load import channel_loads
from topoloom.model.topology import Topology

#: What can fail, and the orders for each.
ORDERS = {
    "links": ("random", "load", "degree"),
    "switches": ("random", "load", "degree"),
    "racks": ("random", "load", "cables"),
}
#: The random stream, among those of a seed, that the orders of samples are drawn from.
_STREAM = 7


@dataclass(frozen=True, eq=False)
class Failing:
    """What fails, and its order; ties are broken at random (`kernels.disconnection`).

    Attributes
    ----------
    fail : str
        "links", "switches" or "racks".
    unit : int64[switches]
        The switch or rack that each switch belongs to; empty when links fail.
    order, first : int64[units]
        The units, the first to fail first; and for each position the position where its tie begins.
    """

    fail: str
    unit: np.ndarray
    order: np.ndarray
    first: np.ndarray

    @property
    def units(self) -> int:
        """How many can fail."""
        return int(self.order.size)

    @property
    def members(self) -> tuple[np.ndarray, np.ndarray]:
        """The switches of each unit, grouped by unit: where each group starts, int64[units + 1], and the switches, int64[n]."""
        sizes = np.bincount(self.unit, minlength=self.units)
        return np.append(0, np.cumsum(sizes)), np.argsort(self.unit, kind="stable")

    def drawn(self, state: int) -> np.ndarray:
        """Return the order of the sample whose stream starts at `state`, exactly as the kernels draw it: int64[units]."""
        from topoloom.failures.kernels.disconnection import whole_order

        mixed: np.ndarray = whole_order(self.order, self.first, np.array([state], np.uint64))
        return mixed


def failing(topology: Topology, fail: str, order: str, racks: np.ndarray | None, jobs: int | None = None) -> Failing:
    """Return the links, switches or racks of a topology in the order in which they fail.

    `load`: the number of routes over both directions of a link, or into a switch, when every pair's traffic is split evenly
    over its shortest paths; a rack's load is the sum over its switches. `degree`: the links of a switch, or of both ends of a
    link. `cables`: the links that leave a rack. All are computed once, on the whole network, and not again after failures.

    Parameters
    ----------
    topology : Topology
        The network before failures.
    fail : "links", "switches" or "racks"
        What fails.
    order : str
        "random", or the quantity that decides: units with the greatest value fail first, and ties in random order.
    racks : int[switches], optional
        The rack of each switch; needed where racks fail.
    jobs : int, optional
        Threads; all cores by default.

    Returns
    -------
    Failing
        Its units in the order in which they fail.

    Raises
    ------
    InputError
        An unknown `fail` or `order`; no links; missing or wrong racks.
    """
    if fail not in ORDERS:
        raise InputError(f"fail='{fail}': use {' or '.join(ORDERS)}")
    if order not in ORDERS[fail]:
        raise InputError(f"order='{order}': for {fail} use {', '.join(ORDERS[fail])}")
    n = topology.switches
    unit = np.empty(0, np.int64)
    if fail == "links":
        if not len(topology.links):
            raise InputError(f"{topology.name}: the network has no links that could fail")
    elif fail == "switches":
        unit = np.arange(n)
    else:
        unit = _racks(topology, racks)
    priority = _worth(topology, fail, order, unit, jobs)
    ranked = np.argsort(-priority, kind="stable")
    starts = np.append(True, np.diff(priority[ranked]) != 0)
    first = np.flatnonzero(starts)[np.cumsum(starts) - 1]
    return Failing(fail, unit, ranked.astype(np.int64), first.astype(np.int64))


def states(seed: int, begin: int, end: int) -> np.ndarray:
    """Return the initial random state of samples begin .. end - 1, uint64[end - begin]; samples are independent.

    Parameters
    ----------
    seed : int
        The seed of all samples.
    begin, end : int
        The first sample, and the one after the last.

    Returns
    -------
    uint64[end - begin]
        The state of a random stream for each sample.
    """
    return Draws(seed, _STREAM).words(end)[begin:]


def failures_at(share: float, units: int) -> int:
    """Return how many of `units` a share is, rounded to the nearest whole number.

    Examples
    --------
    >>> failures_at(0.05, 90), failures_at(0.05, 92)
    (5, 5)
    """
    return int(share * units + 0.5)


def _racks(topology: Topology, racks: np.ndarray | None) -> np.ndarray:
    if racks is None:
        raise InputError(
            f"{topology.name}: give the rack of each switch (racks=, one number per switch), for example from"
            " layout.racks.assign_racks"
        )
    numbers = np.asarray(racks)
    if numbers.shape != (topology.switches,) or numbers.dtype.kind not in "iu":
        raise InputError(f"{topology.name}: racks= takes one whole number per switch, {topology.switches} in all")
    return np.unique(numbers, return_inverse=True)[1].astype(np.int64)


def _worth(topology: Topology, fail: str, order: str, unit: np.ndarray, jobs: int | None) -> np.ndarray:
    """Return the priority of each unit, float64[units]: units with a greater one fail earlier."""
    units = len(topology.links) if fail == "links" else int(unit.max()) + 1
    if order == "random":
        return np.zeros(units)
    if order == "degree":
        at = topology.degrees.astype(float)
        return at[topology.links].sum(axis=1) if fail == "links" else at
    if order == "cables":
        ends = unit[topology.links]
        return np.bincount(ends[ends[:, 0] != ends[:, 1]].ravel(), minlength=units).astype(float)
    loads = channel_loads(topology, jobs).shares
    if fail == "links":
        return _rounded(loads.sum(axis=1))
    arriving = np.bincount(topology.links[:, 1], loads[:, 0], topology.switches)
    arriving += np.bincount(topology.links[:, 0], loads[:, 1], topology.switches)
    return _rounded(np.bincount(unit, arriving, units))


def _rounded(loads: np.ndarray) -> np.ndarray:
    """Round loads to nine digits, so that loads that differ only by rounding errors are ties."""
    top = float(loads.max()) or 1.0
    return np.round(loads / top, 9)
