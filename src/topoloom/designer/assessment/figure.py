"""One figure of an assessment: its value, its interval, and how it was got."""

from typing import Literal

import msgspec

#: Whether less or more of a figure is better; "" where that is no matter of better.
Better = Literal["less", "more", ""]


#: An interval that reaches no further than this share of its value is narrow enough.
TIGHT = 0.005


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """A figure of a network.

    Attributes
    ----------
    key : str
        What it is, with its unit at the end: ``latency_60_cycles``.
    label, unit : str
        For people.
    group : str
        What it belongs to, for people: "Throughput".
    value : float or None
        None: there is none, and `how` says why.
    low, high : float or None
        Its interval; None: it is exact, or one draw without an interval, as `how` says.
    bound : float or None
        What no network of these links, or no routing, can pass; None: nobody knows.
    how : str
        How it was got, and what its interval is.
    by_hand : str
        The command that gives the same, with FOLDER for the network's folder; empty where it is part of another's.
    better : "less", "more" or ""
    """

    key: str
    label: str
    unit: str = ""
    group: str = ""
    value: float | None
    low: float | None = None
    high: float | None = None
    bound: float | None = None
    how: str = ""
    by_hand: str = ""
    better: Better = ""

    @property
    def wide(self) -> bool:
        """Whether its interval reaches further than `TIGHT` of its value; one without an interval is not wide."""
        ends = [end for end in (self.low, self.high) if end is not None]
        return self.value is not None and any(abs(end - self.value) > TIGHT * abs(self.value) for end in ends)
