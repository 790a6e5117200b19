"""What fails, and in which order: at random, or the most loaded, the best connected, the most cabled first."""

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
#: The stream of a seed's draws that the orders of samples come from.
_STREAM = 7


@dataclass(frozen=True, eq=False)
class Failing:
    """What fails, in an order mixed within ties (`kernels.disconnection`).

    Attributes
    ----------
    fail : str
        "links", "switches" or "racks".
    unit : int64[switches]
        The switch or rack of every switch; empty when links fail.
    order, first : int64[units]
        The first to fail first, and where the tie of each place begins.
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
        """The switches of each unit, one unit after the other: where each starts, int64[units + 1], and which, int64[n]."""
        sizes = np.bincount(self.unit, minlength=self.units)
        return np.append(0, np.cumsum(sizes)), np.argsort(self.unit, kind="stable")

    def drawn(self, state: int) -> np.ndarray:
        """The order of the sample whose stream begins at `state`: what the kernels draw, one by one, int64[units]."""
        from topoloom.failures.kernels.disconnection import whole_order

        mixed: np.ndarray = whole_order(self.order, self.first, np.array([state], np.uint64))
        return mixed


def failing(topology: Topology, fail: str, order: str, racks: np.ndarray | None, jobs: int | None = None) -> Failing:
    """The links, switches or racks of a topology in the order in which they fail.

    `load`: by the routes over both directions of a link, or into a switch, when every pair's traffic is split evenly over its
    shortest paths; a rack's is that of its switches. `degree`: by links at a switch, or at both ends of a link. `cables`:
    by the links that leave a rack. All are of the whole network: nothing is worked out again after a failure.

    Parameters
    ----------
    topology : Topology
        The network before failures.
    fail : "links", "switches" or "racks"
        What fails.
    order : str
        "random", or by what the first to fail are chosen, the greatest first; ties fail in random order.
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
        No such thing or order; no links; racks that are missing or wrong.
    """
    if fail not in ORDERS:
        raise InputError(f"fail='{fail}': {' or '.join(ORDERS)} can fail")
    if order not in ORDERS[fail]:
        raise InputError(f"order='{order}': {fail} fail in the order {', '.join(ORDERS[fail])}")
    n = topology.switches
    unit = np.empty(0, np.int64)
    if fail == "links":
        if not len(topology.links):
            raise InputError(f"{topology.name}: there is no link that could fail")
    elif fail == "switches":
        unit = np.arange(n)
    else:
        unit = _racks(topology, racks)
    worth = _worth(topology, fail, order, unit, jobs)
    ranked = np.argsort(-worth, kind="stable")
    begins = np.append(True, np.diff(worth[ranked]) != 0)
    first = np.flatnonzero(begins)[np.cumsum(begins) - 1]
    return Failing(fail, unit, ranked.astype(np.int64), first.astype(np.int64))


def states(seed: int, begin: int, end: int) -> np.ndarray:
    """Where the streams of samples begin .. end - 1 begin, uint64[end - begin]; a sample's order depends on nothing else.

    Parameters
    ----------
    seed : int
        Of all samples.
    begin, end : int
        The first sample, and the one after the last.

    Returns
    -------
    uint64[end - begin]
        The state of a random stream for each sample.
    """
    return Draws(seed, _STREAM).words(end)[begin:]


def failures_at(share: float, units: int) -> int:
    """How many of `units` a share is, the nearest whole number.

    Examples
    --------
    >>> failures_at(0.05, 90), failures_at(0.05, 92)
    (5, 5)
    """
    return int(share * units + 0.5)


def _racks(topology: Topology, racks: np.ndarray | None) -> np.ndarray:
    if racks is None:
        raise InputError(
            f"{topology.name}: say which rack each switch stands in (racks=, one number per switch), as"
            " layout.racks.assign_racks does"
        )
    found = np.asarray(racks)
    if found.shape != (topology.switches,) or found.dtype.kind not in "iu":
        raise InputError(f"{topology.name}: racks= needs one whole number for each of {topology.switches} switches")
    return np.unique(found, return_inverse=True)[1].astype(np.int64)


def _worth(topology: Topology, fail: str, order: str, unit: np.ndarray, jobs: int | None) -> np.ndarray:
    """By how much each unit is ahead in the order, float64[units]."""
    units = len(topology.links) if fail == "links" else int(unit.max()) + 1
    if order == "random":
        return np.zeros(units)
    if order == "degree":
        at = topology.degrees.astype(float)
        return at[topology.links].sum(axis=1) if fail == "links" else at
    if order == "cables":
        ends = unit[topology.links]
        return np.bincount(ends[ends[:, 0] != ends[:, 1]].ravel(), minlength=units).astype(float)
    loads = channel_loads(topology, jobs).loads
    if fail == "links":
        return _rounded(loads.sum(axis=1))
    into = np.bincount(topology.links[:, 1], loads[:, 0], topology.switches)
    into += np.bincount(topology.links[:, 0], loads[:, 1], topology.switches)
    return _rounded(np.bincount(unit, into, units))


def _rounded(loads: np.ndarray) -> np.ndarray:
    """Loads to nine digits, so that those that differ by rounding are a tie."""
    top = float(loads.max()) or 1.0
    return np.round(loads / top, 9)
