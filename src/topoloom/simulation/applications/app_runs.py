"""AppRuns: the runs of a sweep, and each network compared with a baseline."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from topoloom.core.work import Ended
from topoloom.figures.app_bars import draw_app_bars
from topoloom.figures.style import Axes, drawn
from topoloom.model.results import Provenance, Result
from topoloom.simulation.applications.app_run import AppRun


@dataclass(frozen=True)
class Compared:
    """A program on a network, compared with the same program on the baseline.

    Attributes
    ----------
    program, network, placement : str
    measure, unit : str
        What is compared (`AppRun.measured`): a time, or a bandwidth in B/s.
    mean, least, most : float
        The measure over seeds and tables: mean, least and most.
    faster, slowest, fastest : float
        The speed relative to the baseline, seed by seed: the mean of the ratios, the least and the most.
    runs : int
    bound_share : float or None
        The mean ratio of the lower bound of a collective to its simulated time; None for other programs.
    """

    program: str
    network: str
    placement: str
    measure: str
    unit: str
    mean: float
    least: float
    most: float
    faster: float
    slowest: float
    fastest: float
    runs: int
    bound_share: float | None = None

    @property
    def cells(self) -> tuple[str, ...]:
        """One row of a table, as text."""
        return (
            self.program,
            self.network,
            self.placement,
            str(self.runs),
            self.measure,
            *(short_value(value, self.unit) for value in (self.mean, self.least, self.most)),
            *(f"{value:.3f}" for value in (self.faster, self.slowest, self.fastest)),
            "-" if self.bound_share is None else f"{self.bound_share:.3f}",
        )


#: The headings of `Compared.cells`.
CELLS = (
    "program",
    "network",
    "placement",
    "runs",
    "measure",
    "mean",
    "least",
    "most",
    "speed",
    "slowest",
    "fastest",
    "bound",
)


@dataclass(frozen=True, eq=False)
class AppRuns(Result):
    """Programs on several networks, under several placements and tables.

    Attributes
    ----------
    runs : tuple of AppRun
        The finished runs, in the order program, network, placement.
    baseline : str
        The network that the others are compared with.
    wanted : int
        How many runs were requested.
    failure : str
        Why a run failed, which ended the sweep; empty when none failed.
    ended : "done", "deadline" or "interrupted"
    """

    record_name = "app-runs"
    record_version = 3
    derived = ("compared",)

    runs: tuple[AppRun, ...]
    baseline: str
    wanted: int
    failure: str
    ended: Ended
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    @property
    def compared(self) -> tuple[Compared, ...]:
        """Each program under each kind of placement on each network, compared with the baseline.

        Where the baseline has no run of the same seeds, as after an interrupted sweep, the speed is NaN.
        """
        return tuple(compared(self.runs, self.baseline))

    def rows(self) -> list[dict[str, Any]]:
        """One row per run."""
        return [row for run in self.runs for row in run.rows()]

    @drawn()
    def plot(self, axes: "Axes") -> None:
        """Draw the speed of each network relative to the baseline: groups of bars per program and placement, a bar per
        network."""
        draw_app_bars(axes, self.compared, self.baseline)


def short_value(value: float, unit: str) -> str:
    """Format a value with four digits, an SI prefix and its unit.

    >>> short_value(0.00033618, "s"), short_value(2.7e10, "B/s"), short_value(0.0, "s")
    ('336.2 us', '27 GB/s', '0 s')
    """
    exponent = min(4, max(-3, math.floor(math.log10(abs(value)) / 3))) if value and math.isfinite(value) else 0
    return f"{value / 1000.0**exponent:.4g} {('', 'k', 'M', 'G', 'T', 'n', 'u', 'm')[exponent]}{unit}"


def compared(runs: Sequence[AppRun], baseline: str) -> list[Compared]:
    """Return each program under each kind of placement on each network, compared with the network `baseline`."""
    runs_of: dict[tuple[str, str], dict[str, dict[tuple[int, int | None], AppRun]]] = {}
    for run in runs:
        by_network = runs_of.setdefault((run.program, run.placement), {})
        by_network.setdefault(run.network, {})[run.seed, run.routing_seed] = run
    rows = []
    for (program, placement), by_network in runs_of.items():
        base = by_network.get(baseline, {})
        for name, network_runs in by_network.items():
            values = [run.measured.value for run in network_runs.values()]
            ratios = [
                ratio
                for key, run in network_runs.items()
                if key in base and not math.isnan(ratio := relative_speed(run, base[key]))
            ]
            sample = next(iter(network_runs.values()))
            shares = [run.bound_share for run in network_runs.values() if run.bound_share is not None]
            rows.append(
                Compared(
                    program,
                    name,
                    placement,
                    sample.measure,
                    sample.measured.unit,
                    fmean(values),
                    min(values),
                    max(values),
                    fmean(ratios) if ratios else math.nan,
                    min(ratios, default=math.nan),
                    max(ratios, default=math.nan),
                    len(values),
                    fmean(shares) if shares else None,
                )
            )
    return rows


def relative_speed(run: AppRun, base: AppRun) -> float:
    """Return the speed of a run relative to another, by their measure; NaN where one of them is 0."""
    own, other = run.measured, base.measured
    if not own.value or not other.value:
        return math.nan
    return own.value / other.value if own.unit == "B/s" else other.value / own.value
