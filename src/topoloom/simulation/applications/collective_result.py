"""Collective: the simulated time of a schedule, compared with the lower bound."""

from dataclasses import dataclass, field
from typing import Any

from topoloom.figures.style import COLOURS, Axes, drawn
from topoloom.model.results import Provenance, Result
from topoloom.simulation.applications.settings import AppSettings
from topoloom.simulation.collectives.bound import CollectiveBound


@dataclass(frozen=True, eq=False)
class Collective(Result):
    """The simulated time of a schedule of a collective, and the lower bound for any schedule.

    Attributes
    ----------
    operation : str
    ranks : int
    bytes : int
        Bytes of the vector, or of all ranks' data together; for an all-to-all, from each rank to each other.
    algorithm : "forest", "ring", "rings", "rail-ring", "chains", "binomial", "direct" or "msccl"
    paths : "own" or "tables"
    engine : str
        The engine of the tables.
    placement : str
        The placement of ranks; ``schedule`` when a given schedule fixes it.
    bound : CollectiveBound
    seconds : float
        Simulated time; the provenance's settings name the simulator.
    fullest_s : float or None
        The time that the most loaded channel, or host's link, needs for its share of the schedule; None: not computed.
    trees, depth, pieces, messages : int
        The schedule's trees, successive messages and pieces per message (of a program of MSCCL: how often it runs); and the
        messages simulated.
    head_of_line_share : float or None
        For the simulator flows, the share of bytes that travel on a channel together with flows that wait for another channel
        farther on. Flows have no packets and no buffers; where routers' buffers fill, such bytes wait with the others
        (head-of-line blocking), and the time is longer. 0: nothing of that kind. None for other simulators, and for messages
        that split (``split=even``).
    settings : AppSettings
    schedule : CollectiveSchedule, MscclProgram or None
        Not part of the record: `CollectiveSchedule.save`, or ``topoloom collective -o``, writes it.
    """

    record_name = "collective"
    record_version = 2
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
    # Any, not a union: a record cannot hold a union of dataclasses; this field is not recorded.
    schedule: Any = None
    head_of_line_share: float | None = None
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    @property
    def share(self) -> float:
        """The lower bound over the schedule's time: 1 where it cannot be faster, or takes no time."""
        return self.bound.seconds / self.seconds if self.seconds else 1.0

    @property
    def gap(self) -> float:
        """How much longer the schedule takes than the lower bound, relative to the bound."""
        return self.seconds / self.bound.seconds - 1.0 if self.bound.seconds else 0.0

    def rows(self) -> list[dict[str, Any]]:
        """One row."""
        inputs = ("ranks", "bytes", "algorithm", "paths", "engine", "placement")
        measured = ("fullest_s", "seconds", "share", "trees", "depth", "pieces", "messages", "head_of_line_share")
        return [
            {
                "operation": self.operation,
                "network": self.provenance.name,
                **{name: getattr(self, name) for name in inputs},
                "bound_s": self.bound.seconds,
                "bandwidth_s": self.bound.bandwidth_s,
                "exact": self.bound.exact,
                **{name: getattr(self, name) for name in measured},
                **self.settings.values,
            }
        ]

    @drawn()
    def plot(self, axes: "Axes") -> None:
        """Draw the schedule's time, the lower bound, and the part of both that channels alone need."""
        bars = {"bound: bytes": self.bound.bandwidth_s, "bound": self.bound.seconds}
        if self.fullest_s is not None:
            bars["schedule: fullest channel"] = self.fullest_s
        bars["schedule"] = self.seconds
        axes.barh(list(bars)[::-1], [1e6 * value for value in list(bars.values())[::-1]], color=COLOURS[0])
        axes.set_xlabel("time [us]")
        axes.set_title(f"{self.operation} by {self.algorithm} on {self.provenance.name}", loc="left")
