"""Collective: a schedule's simulated time beside the least that there is."""

from dataclasses import dataclass, field
from typing import Any

from topoloom.figures.style import COLOURS, Axes, drawn
from topoloom.model.results import Provenance, Result
from topoloom.simulation.applications.settings import AppSettings
from topoloom.simulation.collectives.bound import CollectiveBound
from topoloom.simulation.collectives.schedule import CollectiveSchedule


@dataclass(frozen=True, eq=False)
class Collective(Result):
    """What a schedule of a collective takes, and the least that any does.

    Attributes
    ----------
    operation : str
    ranks : int
    bytes : int
        Of the vector, or of what all have together; of an all-to-all from each rank to each other.
    algorithm : "forest", "ring", "binomial" or "direct"
    paths : "own" or "tables"
    engine : str
        Of the tables.
    placement : str
        ``schedule``: where a schedule that was made before has its ranks.
    bound : CollectiveBound
    seconds : float
        Simulated, by the simulator that stands in the provenance's settings.
    fullest_s : float or None
        What the busiest channel, or host's link, needs for all that the schedule sends over it; None: nobody has counted it.
    trees, depth, pieces, messages : int
        Of the schedule: its trees, messages in a row, pieces of a message; and messages that were simulated.
    settings : AppSettings
    schedule : CollectiveSchedule or None
        Not in the record: `CollectiveSchedule.save`, or ``topoloom collective -o``, writes it.
    """

    record_name = "collective"
    derived = ("share", "gap")
    unrecorded = ("schedule",)

    operation: str
    ranks: int
    bytes: int
    algorithm: str
    paths: str
    engine: str
    placement: str
    bound: CollectiveBound
    seconds: float
    fullest_s: float | None
    trees: int
    depth: int
    pieces: int
    messages: int
    settings: AppSettings
    schedule: CollectiveSchedule | None = None
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    @property
    def share(self) -> float:
        """The least time over the schedule's: 1 where it cannot be quicker; 1 for no time at all."""
        return self.bound.seconds / self.seconds if self.seconds else 1.0

    @property
    def gap(self) -> float:
        """How much longer than the least, as a share of that."""
        return self.seconds / self.bound.seconds - 1.0 if self.bound.seconds else 0.0

    def rows(self) -> list[dict[str, Any]]:
        """One row."""
        asked = ("ranks", "bytes", "algorithm", "paths", "engine", "placement")
        found = ("fullest_s", "seconds", "share", "trees", "depth", "pieces", "messages")
        return [
            {
                "operation": self.operation,
                "network": self.provenance.name,
                **{name: getattr(self, name) for name in asked},
                "bound_s": self.bound.seconds,
                "bandwidth_s": self.bound.bandwidth_s,
                "exact": self.bound.exact,
                **{name: getattr(self, name) for name in found},
                **self.settings.values,
            }
        ]

    @drawn()
    def plot(self, axes: "Axes") -> None:
        """Draw the schedule's time beside the least, and what channels alone take of both."""
        bars = {"bound: bytes": self.bound.bandwidth_s, "bound": self.bound.seconds}
        if self.fullest_s is not None:
            bars["schedule: fullest channel"] = self.fullest_s
        bars["schedule"] = self.seconds
        axes.barh(list(bars)[::-1], [1e6 * value for value in list(bars.values())[::-1]], color=COLOURS[0])
        axes.set_xlabel("time [us]")
        axes.set_title(f"{self.operation} by {self.algorithm} on {self.provenance.name}", loc="left")
