"""How even loads are, and a bound that no choice of shortest paths can beat."""

from collections.abc import Iterator

import numpy as np

from topoloom.core.threads import over_cores
from topoloom.core.work import Work
from topoloom.model.topology import Topology
from topoloom.routing.channels import Channels, channels_of
from topoloom.routing.routing import carriers_of

#: Destinations per task of a thread.
_BLOCK = 64
#: Most and fewest price updates, and the channels visited in all of them: large networks get fewer updates.
_MOST_PRICES, _FEWEST_PRICES, _EFFORT = 200, 4, 300_000_000
#: Prices are whole numbers: _SCALE units make a price of one, and sums stay below _MOST_PAID, so that they fit an int64.
_SCALE, _MOST_PAID = 256.0, 2.0**62


def unevenness(load: np.ndarray) -> float:
    """The sum of the squared differences from the mean; 0 if all loads are equal.

    Source: Xu, Huang and Deng, Optimal routing for a family of scalable interconnection networks (Xu 2019), eq. 1.

    Examples
    --------
    >>> unevenness(np.array([10, 11, 12, 12]))
    2.75
    """
    size, total = load.size, int(load.sum())
    return (int(load @ load) * size - total * total) / size if size else 0.0


def even_squares(total: int, size: int) -> int:
    """The least sum of squares of `size` whole numbers with sum `total`.

    Examples
    --------
    >>> even_squares(7, 3)  # 2, 2, 3
    17
    """
    level, rest = divmod(total, max(1, size))
    return size * level * level + rest * (2 * level + 1)


def least_squares(
    topology: Topology, by_channels: bool, load: np.ndarray, jobs: int | None = None, *, work: Work | None = None
) -> int:
    """A lower bound on the sum of squared loads over all choices of shortest paths, whether or not they fit into tables.

    Parameters
    ----------
    topology : Topology
        Connected.
    by_channels : bool
        Whether `load` is of channels; otherwise of switches.
    load : int64[2 m] or int64[n]
        The loads of any shortest paths; the more even they are, the better the bound.
    jobs : int, optional
        Threads; the bound does not depend on them.
    work : Work, optional
        Receives the progress of price updates. If it is stopped, the best bound so far is returned.

    Returns
    -------
    int

    Notes
    -----
    For any numbers y, sum(load^2) >= sum(2 y load - y^2). The right side is at least the total cost of all pairs, each on its
    cheapest shortest path where a switch or channel costs 2 y, minus sum(y^2). The best y are the loads of paths that may be
    split; steps towards the loads of the cheapest paths approach them (Frank and Wolfe, 1956). Sums of squares of whole
    loads with the same total differ by even numbers, so the bound is rounded up to the next possible value.
    """
    work = Work() if work is None else work
    squares, total = int(load @ load), int(load.sum())
    least = even_squares(total, load.size)
    if squares == least:
        return least
    channels, y, pairs = channels_of(topology), load.astype(np.float64), carriers_of(topology).astype(np.int64)
    times = _EFFORT // (topology.switches * channels.to.size)
    times = min(_MOST_PRICES, max(_FEWEST_PRICES, times))
    work.begin(times, "prices of the bound")
    for _ in range(times):
        scale = _SCALE
        while 2 * scale * y.max() * total > _MOST_PAID:
            scale /= 2
        price = np.rint(2 * scale * y).astype(np.int64)
        paid, cheap = _cheapest(channels, price, pairs, by_channels, jobs, work)
        if work.stopped:
            break
        work.advance()
        exact = price / (2 * scale)
        bound = int(np.ceil(paid / scale - float(exact @ exact) - 1e-6 - 1e-12 * squares))
        least = max(least, bound + (bound - squares) % 2)
        if least >= squares:
            return squares
        away = y - cheap
        length = float(away @ away)
        if length < 1e-9:
            break
        y -= min(1.0, max(0.0, float(away @ y) / length)) * away
        if float(y @ y) <= least:  # the loads of split paths: no prices give a better bound
            break
    return least


def _cheapest(
    channels: Channels, price: np.ndarray, pairs: np.ndarray, by_channels: bool, jobs: int | None, work: Work
) -> tuple[int, np.ndarray]:
    """The least total cost of all pairs, and the loads of the paths with this cost."""
    from topoloom.routing.balance.kernels.prices import cheapest

    n = channels.first.size - 1

    def pay(blocks: Iterator[int]) -> tuple[int, np.ndarray]:
        paid, load = 0, np.zeros(price.size, np.int64)
        for block in blocks:
            if work.stopped:
                break
            some = np.arange(block * _BLOCK, min(n, (block + 1) * _BLOCK))
            paid += cheapest(channels.first, channels.to, some, price, by_channels, load, pairs)
        return paid, load

    parts = over_cores(pay, -(-n // _BLOCK), jobs)
    return sum(int(paid) for paid, _ in parts), np.sum([load for _, load in parts], axis=0)
