"""How fast somebody may ask: a bucket that fills by the second and is emptied by requests."""

from time import monotonic


class RequestPace:
    """Requests that come no faster than a rate in the long run.

    Parameters
    ----------
    burst : float
        Requests that may come at once.
    per_second : float
        Requests per second in the long run.
    """

    def __init__(self, burst: float, per_second: float) -> None:
        self._burst, self._per_second = burst, per_second
        self._left, self._last = burst, monotonic()

    def allows(self) -> bool:
        """Whether one more request, now, is within the pace."""
        now = monotonic()
        self._left = min(self._burst, self._left + (now - self._last) * self._per_second) - 1
        self._last = now
        allowed = self._left >= 0
        self._left = max(self._left, -1.0)
        return allowed
