"""One figure of an assessment: its value, its interval and its method."""

from math import inf
from typing import Literal

import msgspec

#: Whether less or more of a figure is better; "" where neither is.
Better = Literal["less", "more", ""]


#: An interval is narrow if its ends are within this share of the value.
TIGHT = 0.005


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """A figure of a network.

    Attributes
    ----------
    key : str
        Its identifier, with the unit at the end: ``latency_60_cycles``.
    label, unit : str
        For readers.
    group : str
        The heading that it belongs to: "Throughput".
    value : float or None
        None: there is no value, and `how` gives the reason.
    low, high : float or None
        The ends of its interval; None: the value is exact, or one draw without an interval, as `how` says.
    bound : float or None
        The limit for any network of these links, or for any routing; None: not known.
    how : str
        The method, and the meaning of the interval.
    by_hand : str
        The command that gives the same value, with FOLDER for the network's folder; empty where it belongs to another figure.
    better : "less", "more" or ""
    """

    key: str
    label: str
    unit: str = ""
    group: str = ""
    value: float | int | None
    low: float | int | None = None
    high: float | int | None = None
    bound: float | int | None = None
    how: str = ""
    by_hand: str = ""
    better: Better = ""

    @property
    def wide(self) -> bool:
        """Whether its interval reaches further than `TIGHT` of its value; False without an interval."""
        ends = [end for end in (self.low, self.high) if end is not None]
        return self.value is not None and any(abs(end - self.value) > TIGHT * abs(self.value) for end in ends)

    def overlaps(self, other: "Figure") -> bool:
        """Whether the intervals of the same figure of two networks have a point in common; a value is its own interval.

        Examples
        --------
        >>> half = Figure(key="saturation", label="saturation load", value=0.5, high=0.55)
        >>> [half.overlaps(Figure(key="saturation", label="saturation load", value=load)) for load in (0.55, 0.6)]
        [True, False]
        """
        (low, high), (other_low, other_high) = self._ends, other._ends
        return low <= other_high and other_low <= high

    @property
    def _ends(self) -> tuple[float, float]:
        """The ends of its interval: the value in place of those that are not known, and all numbers without a value."""
        if self.value is None:
            return -inf, inf
        return self.value if self.low is None else self.low, self.value if self.high is None else self.high
