"""How long a load is simulated: cycles of a batch, and how many batches before and while it is measured."""

from typing import NamedTuple

#: Packets that a batch of the fast pace holds: the mean latency of so many is within some thousandths of that of all.
_PACKETS = 250_000
#: Cycles of a batch of the fast pace at least, and at most for what its packets' latency asks for.
_SHORTEST, _LONGEST_BY_LATENCY = 100, 250
#: Times that a batch of the fast pace is as long as a packet is running, so that one batch tells little of the next.
_LATENCIES = 8
#: Cycles that are measured at most, and those before, at the fast pace.
_MOST_CYCLES = 4000


#: A confidence interval of the mean latency within this share of it is tight, where nothing else is said; and what may be said.
INTERVAL, LEAST_INTERVAL, MOST_INTERVAL = 0.01, 0.0005, 0.1


class BatchPace(NamedTuple):
    """How long a load is simulated.

    Attributes
    ----------
    batch : int
        Cycles of a batch; even.
    warm : int
        Batches before measuring, at most.
    most : int
        Batches measured, at most.
    steady : float
        Means of batches that differ by no more than this share are alike.
    tight : float
        A 95 % confidence interval of the mean latency is tight when it reaches no further than this share of it.
    """

    batch: int = 500
    warm: int = 40
    most: int = 200
    steady: float = 0.03
    tight: float = INTERVAL

    def until(self, interval: float) -> "BatchPace":
        """The same, until an interval is so tight: it narrows with the square root of the batches, so more of them at most."""
        most = max(self.most, round(self.most * (self.tight / interval) ** 2))
        return self._replace(most=most, tight=interval)


USUAL = BatchPace()


def fast_pace(packets: float, latency: float = 0.0) -> BatchPace:
    """The pace of large networks, of which a short batch has as many packets as a long one of a small network.

    Parameters
    ----------
    packets : float
        That hosts make a cycle, all together.
    latency : float
        Cycles that a packet takes, where that is known.

    Returns
    -------
    BatchPace
        The usual one where fewer than 500 packets are made a cycle. Else with batches of 250,000 packets, but of 100 cycles at
        least and, up to 250, of eight times the latency; 4,000 cycles before measuring and as many measured, at most; and
        means that drift by no more a cycle than at the usual pace.

    Examples
    --------
    >>> fast_pace(100.0) == USUAL, fast_pace(5_000.0), fast_pace(5_000.0, latency=20.0).batch
    (True, BatchPace(batch=100, warm=40, most=40, steady=0.006, tight=0.01), 160)
    """
    by_packets = max(_SHORTEST, min(_PACKETS / packets if packets else USUAL.batch, USUAL.batch))
    by_latency = min(_LATENCIES * latency, _LONGEST_BY_LATENCY)
    batch = 2 * round(max(by_packets, by_latency) / 2)
    if batch >= USUAL.batch:
        return USUAL
    batches = _MOST_CYCLES // batch
    return BatchPace(batch, batches, batches, USUAL.steady * batch / USUAL.batch)
