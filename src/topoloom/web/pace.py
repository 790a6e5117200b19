"""The rate of requests: a token bucket that fills with time, and that requests empty."""

from time import monotonic


class RequestPace:
    """Limits requests to a rate in the long run.

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
        """Count one more request, and return whether it is within the limit."""
        now = monotonic()
        self._left = min(self._burst, self._left + (now - self._last) * self._per_second) - 1
        self._last = now
        allowed = self._left >= 0
        self._left = max(self._left, -1.0)
        return allowed
