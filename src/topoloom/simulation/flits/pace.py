"""How long a load is simulated: cycles per batch, and batches before and during the measurement."""

from typing import NamedTuple

#: Packets per batch of the fast pace: enough to determine the mean latency to some thousandths.
_PACKETS = 250_000
#: Cycles per batch of the fast pace: the least, and the most that its packets' latency may require.
_SHORTEST, _LONGEST_BY_LATENCY = 100, 250
#: A batch of the fast pace lasts at least this many mean latencies, so that batches are nearly independent.
_LATENCIES = 8
#: The most measured cycles, and the most cycles before, at the fast pace.
_MOST_CYCLES = 4000


#: The relative half width of the 95 % confidence interval of the mean latency: usual, least and most.
INTERVAL, LEAST_INTERVAL, MOST_INTERVAL = 0.01, 0.0005, 0.1


class BatchPace(NamedTuple):
    """How long a load is simulated.

    Attributes
    ----------
    batch : int
        Cycles per batch; an even number.
    warm : int
        The most batches before measuring.
    most : int
        The most measured batches.
    steady : float
        Means of batches that differ by at most this share count as equal.
    tight : float
        The measurement ends when the half width of the 95 % confidence interval of the mean latency is at most this share of
        it; at the usual pace, of the interval for independent batches.
    """

    batch: int = 500
    warm: int = 40
    most: int = 200
    steady: float = 0.03
    tight: float = INTERVAL

    def until(self, interval: float) -> "BatchPace":
        """Return the pace for another interval; its width falls with the square root of the batches, so their limit changes."""
        most = max(self.most, round(self.most * (self.tight / interval) ** 2))
        return self._replace(most=most, tight=interval)

    def longer(self, times: int) -> "BatchPace":
        """Return the pace with batches of `times` as many cycles.

        Parameters
        ----------
        times : int
        """
        return self._replace(batch=self.batch * times)


USUAL = BatchPace()


def fast_pace(packets: float, latency: float = 0.0) -> BatchPace:
    """Return the pace for large networks, where a short batch has as many packets as a long batch of a small network.

    Parameters
    ----------
    packets : float
        Packets per cycle of all hosts together.
    latency : float
        The latency of a packet in cycles, if known.

    Returns
    -------
    BatchPace
        The usual pace below 500 packets per cycle. Otherwise batches of 250,000 packets, with at least 100 cycles and up to 250
        cycles for eight times the latency; at most 4,000 cycles before measuring and as many measured; and means that drift,
        per cycle, at most as much as at the usual pace.

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
