"""AppRun: the result of an MPI program on a network."""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from topoloom.figures.style import COLOURS, Axes, drawn
from topoloom.model.results import Provenance, Result
from topoloom.simulation.applications.settings import AppSettings


@dataclass(frozen=True)
class Measurement:
    """A number that a program reports, and its unit: s, B/s, flop/s, or empty."""

    value: float
    unit: str


@dataclass(frozen=True, eq=False)
class AppRun(Result):
    """The result of an MPI program on a network.

    Attributes
    ----------
    program : str
        A label for messages and tables: ``alltoall(bytes=65536,repeats=1)``.
    network, engine : str
        The name of the network (in a comparison, the name that the caller gave), and the engine of its tables.
    routing_seed : int or None
        The seed of the tables, where the caller gives one.
    host_tables : int
        The number of tables, which serve the hosts of a switch in turn.
    placement : str
        The kind of placement.
    seed : int
        The seed of the placement.
    ranks : int
    seconds : float
        Simulated time, from MPI_Init to MPI_Finalize.
    results : dict of str to Measurement
        Numbers that a program reports on lines ``result NAME VALUE UNIT``, as topoloom's own programs do, or a trace by its
        marks (``clock``).
    measure : str
        The number by which networks are compared: one of `results`, or ``seconds``.
    mops : float
        Million operations per second, as the program counts and times them; NaN where it counts none, or where the timed part
        is unknown.
    communication : float64[ranks]
        The share of time in which each rank does not compute.
    link_bytes : float64[links, 2]
        Bytes on each link, from its lower to its higher switch and back; SimGrid adds 16 bytes per message, flows do not.
    homes : int64[ranks]
        The host of each rank.
    settings : AppSettings
    simgrid : str
        SimGrid's version; empty for the simulator flows.
    exit_code : int
        The exit code of the program, which reached MPI_Finalize in any case.
    output : str
        The program's output, without the result lines of topoloom's own programs.
    bound_s : float or None
        For a collective, the lower bound on its seconds for any algorithm and any tables; else None.
    head_of_line_share : float or None
        For the simulator flows, the share of bytes that travel on a channel together with flows that wait for another channel
        farther on. Flows have no packets and no buffers; where routers' buffers fill, such bytes wait with the others
        (head-of-line blocking), and the time is longer. 0: nothing of that kind. None for other simulators, and for messages
        that split (``split=even``).
    link_gbps : float64[links]
        The rate of each link, where rates differ; else empty. Not in records.
    """

    record_name = "app-run"
    unrecorded = ("link_gbps",)
    record_version = 3
    derived = (
        "bound_share",
        "communication_mean",
        "communication_most",
        "link_bytes_total",
        "link_bytes_most",
        "link_use_mean",
        "link_use_most",
    )

    program: str
    network: str
    engine: str
    routing_seed: int | None
    host_tables: int
    placement: str
    seed: int
    ranks: int
    seconds: float
    results: dict[str, Measurement]
    measure: str
    mops: float
    communication: np.ndarray
    link_bytes: np.ndarray
    homes: np.ndarray
    settings: AppSettings
    simgrid: str
    exit_code: int
    output: str
    bound_s: float | None = None
    head_of_line_share: float | None = None
    link_gbps: np.ndarray = field(default_factory=lambda: np.empty(0), compare=False, repr=False)
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    @property
    def simulator(self) -> str:
        """The simulator: ``simgrid``, ``flows`` or ``flows:window=0.2``."""
        return str(self.provenance.settings.get("simulator", "simgrid"))

    @property
    def simulated_by(self) -> str:
        """The simulator for display, with SimGrid's version."""
        return f"SimGrid {self.simgrid}" if self.simgrid else self.simulator

    @property
    def link_use(self) -> np.ndarray:
        """The load of each link relative to its capacity in the simulated seconds, per direction, float64[links, 2]."""
        rate_gbps = self.link_gbps[:, None] if self.link_gbps.size else self.settings.rate_gbps
        capacity = rate_gbps * 1e9 / 8 * self.seconds
        return self.link_bytes / capacity if self.seconds else np.zeros_like(self.link_bytes)

    @property
    def measured(self) -> Measurement:
        """The number by which networks are compared: in s, or in B/s where more is better."""
        return self.results.get(self.measure, Measurement(self.seconds, "s"))

    @property
    def bound_share(self) -> float | None:
        """The lower bound over the simulated seconds: 1 where nothing can be faster; None where no bound is known."""
        if self.bound_s is None:
            return None
        return self.bound_s / self.seconds if self.seconds else 1.0

    @property
    def communication_mean(self) -> float:
        """The mean share of time in which a rank does not compute."""
        return float(self.communication.mean())

    @property
    def communication_most(self) -> float:
        """The same for the rank that computes least."""
        return float(self.communication.max())

    @property
    def link_bytes_total(self) -> float:
        """The sum of bytes over all links."""
        return float(self.link_bytes.sum())

    @property
    def link_bytes_most(self) -> float:
        """The bytes on the fullest link, in its fuller direction."""
        return float(self.link_bytes.max(initial=0.0))

    @property
    def link_use_mean(self) -> float:
        """The mean of `link_use`; 0 without links."""
        return float(self.link_use.mean()) if self.link_use.size else 0.0

    @property
    def link_use_most(self) -> float:
        """The `link_use` of the fullest link."""
        return float(self.link_use.max(initial=0.0))

    def rows(self) -> list[dict[str, Any]]:
        """One row: the inputs of the run, and its results."""
        value, unit = self.measured.value, self.measured.unit
        inputs = ("program", "network", "engine", "host_tables", "routing_seed", "placement", "seed", "ranks")
        return [
            {
                **{name: getattr(self, name) for name in inputs},
                "seconds": float(f"{self.seconds:.9g}"),
                "bound_s": None if self.bound_s is None else float(f"{self.bound_s:.9g}"),
                "bound_share": None if self.bound_share is None else round(self.bound_share, 6),
                "measure": self.measure,
                "value": float(f"{value:.9g}"),
                "unit": unit,
                "mops": None if math.isnan(self.mops) else float(f"{self.mops:.6g}"),
                "communication_mean": round(self.communication_mean, 6),
                "communication_most": round(self.communication_most, 6),
                "head_of_line_share": None if self.head_of_line_share is None else round(self.head_of_line_share, 6),
                "link_bytes_total": round(self.link_bytes_total),
                "link_bytes_most": round(self.link_bytes_most),
                "link_use_most": round(self.link_use_most, 6),
                "exit_code": self.exit_code,
                "simgrid": self.simgrid,
                "simulator": self.simulator,
                **self.settings.values,
            }
        ]

    @drawn()
    def plot(self, axes: "Axes") -> None:
        """Draw the use of links, each in both directions, as a share of its rate, fullest first."""
        use = 100 * np.sort(self.link_use, axis=None)[::-1]
        axes.plot(np.arange(1, use.size + 1), use, color=COLOURS[0], drawstyle="steps-mid")
        axes.set_xlabel("directions of links, fullest first [number]")
        axes.set_ylabel("use of the rate [%]")
        axes.set_title(f"{self.program} on {self.network}", loc="left")
