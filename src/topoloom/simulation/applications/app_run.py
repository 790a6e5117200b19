"""AppRun: what an MPI program did on a network."""

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
    """What an MPI program did on a network.

    Attributes
    ----------
    program : str
        For people: ``alltoall(bytes=65536,repeats=1)``.
    network, engine : str
        What the network is called (in a comparison by its caller), and the engine of its tables.
    routing_seed : int or None
        Of the tables, where the caller says it.
    host_tables : int
        How many tables there are for the hosts of a switch, in turn.
    placement : str
    seed : int
        Of the placement.
    ranks : int
    seconds : float
        Simulated, from MPI_Init to MPI_Finalize.
    results : dict of str to Measurement
        What a program says by lines ``result NAME VALUE UNIT``, as topoloom's own do, or a trace by its marks (``clock``).
    measure : str
        By what networks are compared: one of `results`, or ``seconds``.
    mops : float
        Million operations a second, as the program counts and times them; NaN where it counts none, or where nobody knows
        what it times.
    communication : float64[ranks]
        The share of the time that each rank does not compute.
    link_bytes : float64[links, 2]
        What each link carried, from its lower switch to its higher and back; SimGrid, not flows, adds 16 bytes to a message.
    homes : int64[ranks]
        The host of each rank.
    settings : AppSettings
    simgrid : str
        SimGrid's version; empty where flows were simulated.
    exit_code : int
        What the program returned, as a program says that it failed; it had reached MPI_Finalize nonetheless.
    output : str
        What it printed, without the results of one of topoloom's own.
    bound_s : float or None
        Of a collective the least seconds that any algorithm takes, by any tables; else None.
    """

    record_name = "app-run"
    record_version = 2
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
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    @property
    def simulator(self) -> str:
        """What simulated it: ``simgrid``, ``flows`` or ``flows:window=0.2``."""
        return str(self.provenance.settings.get("simulator", "simgrid"))

    @property
    def simulated_by(self) -> str:
        """The same for people, with SimGrid's version."""
        return f"SimGrid {self.simgrid}" if self.simgrid else self.simulator

    @property
    def link_use(self) -> np.ndarray:
        """What each link carried over what it could have in the simulated seconds, each direction, float64[links, 2]."""
        could = self.settings.rate_gbps * 1e9 / 8 * self.seconds
        return self.link_bytes / could if could else np.zeros_like(self.link_bytes)

    @property
    def measured(self) -> Measurement:
        """What networks are compared by: in s, or in B/s where more is better."""
        return self.results.get(self.measure, Measurement(self.seconds, "s"))

    @property
    def bound_share(self) -> float | None:
        """The least seconds over the simulated ones: 1 where nothing is quicker; None where nobody knows them."""
        if self.bound_s is None:
            return None
        return self.bound_s / self.seconds if self.seconds else 1.0

    @property
    def communication_mean(self) -> float:
        """The share of the time that a rank does not compute, on average."""
        return float(self.communication.mean())

    @property
    def communication_most(self) -> float:
        """The same of the rank that computes least."""
        return float(self.communication.max())

    @property
    def link_bytes_total(self) -> float:
        """Bytes over all links."""
        return float(self.link_bytes.sum())

    @property
    def link_bytes_most(self) -> float:
        """Bytes over the fullest link, in its fuller direction."""
        return float(self.link_bytes.max(initial=0.0))

    @property
    def link_use_mean(self) -> float:
        """`link_use` on average; 0 without links."""
        return float(self.link_use.mean()) if self.link_use.size else 0.0

    @property
    def link_use_most(self) -> float:
        """`link_use` of the fullest link."""
        return float(self.link_use.max(initial=0.0))

    def rows(self) -> list[dict[str, Any]]:
        """One row: all that decides the run, and what came of it."""
        value, unit = self.measured.value, self.measured.unit
        decided = ("program", "network", "engine", "host_tables", "routing_seed", "placement", "seed", "ranks")
        return [
            {
                **{name: getattr(self, name) for name in decided},
                "seconds": float(f"{self.seconds:.9g}"),
                "bound_s": None if self.bound_s is None else float(f"{self.bound_s:.9g}"),
                "bound_share": None if self.bound_share is None else round(self.bound_share, 6),
                "measure": self.measure,
                "value": float(f"{value:.9g}"),
                "unit": unit,
                "mops": None if math.isnan(self.mops) else float(f"{self.mops:.6g}"),
                "communication_mean": round(self.communication_mean, 6),
                "communication_most": round(self.communication_most, 6),
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
        """Draw how full links are: each in both directions, by the share of its rate that it carried, fullest first."""
        use = 100 * np.sort(self.link_use, axis=None)[::-1]
        axes.plot(np.arange(1, use.size + 1), use, color=COLOURS[0], drawstyle="steps-mid")
        axes.set_xlabel("directions of links, fullest first")
        axes.set_ylabel("use of the rate [%]")
        axes.set_title(f"{self.program} on {self.network}", loc="left")
