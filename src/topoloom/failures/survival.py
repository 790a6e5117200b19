"""The result of `resilience`: how likely a network survives each number of failures."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from topoloom.core.work import Ended
from topoloom.failures.degradation import Degradation
from topoloom.failures.lifetime import Lifetime, wilson
from topoloom.figures.style import Axes, drawn
from topoloom.figures.survival import draw_survival
from topoloom.model.results import Provenance, Result, json_value

#: What must hold of the surviving network.
Metric = Literal["disconnection", "diameter", "aspl"]


@dataclass(frozen=True)
class Level:
    """One share of failures.

    Attributes
    ----------
    share : float
        Of all links, switches or racks.
    failures : int
        How many that is.
    samples, survived : int
        Random orders evaluated, and those in which the network survives this many failures.
    probability, low, high : float
        survived / samples, and its 95 % confidence interval (Wilson's).
    mean, worst : float or None
        The mean and the worst diameter or ASPL over the connected samples; None where none is connected or lengths are not
        measured.
    """

    share: float
    failures: int
    samples: int
    survived: int
    probability: float
    low: float
    high: float
    mean: float | None = None
    worst: float | None = None


@dataclass(frozen=True)
class Survival(Result):
    """A survival curve.

    Attributes
    ----------
    name : str
        The network's name.
    spec : str or None
        Rebuilds the network exactly; None where it came from a file.
    switches, links, hosts : int
        Its size.
    fail, metric, order, of : str
        What fails, the metric, the order of failures, and the switches that it concerns.
    units : int
        How many links, switches or racks can fail.
    levels : tuple of Level
        By rising share.
    criterion : float
        The least probability with which a level counts as survived.
    whole, most : float or None
        Diameter or ASPL of the whole network, and its limit after failures, in hops; None for disconnection.
    threshold : float
        The last share up to which every level is survived; 0 if none.
    exact : float or None
        The same in single failures: the largest share such that every number of failures up to it is survived. None where it
        was not computed.
    seed, samples : int
        The seed of the random orders, and their number.
    ended : "done", "deadline" or "interrupted"
        Unless "done", with fewer samples than asked for.
    time_to_disconnection : Lifetime or None
        The result of `lifetime` for the same network; None when not computed.
    degradation : tuple of Degradation
        The results of `degradation`, one per share.
    planes : int
        How many planes the network has; with several, survival means that all surviving hosts reach each other.
    """

    record_name = "survival"
    record_version = 3
    derived = ("survives", "widest")

    name: str
    spec: str | None
    switches: int
    links: int
    hosts: int
    fail: str
    metric: Metric
    order: str
    of: str
    units: int
    levels: tuple[Level, ...]
    criterion: float
    whole: float | None
    most: float | None
    threshold: float
    exact: float | None
    seed: int
    samples: int
    ended: Ended = "done"
    time_to_disconnection: Lifetime | None = None
    degradation: tuple[Degradation, ...] = ()
    planes: int = 1
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    def rows(self) -> list[dict[str, Any]]:
        """One row per level."""
        return [json_value(level) for level in self.levels]

    @drawn()
    def plot(self, axes: "Axes") -> None:
        """Draw the probability to survive against the share that has failed, with its interval."""
        draw_survival(axes, [self])

    @property
    def widest(self) -> float:
        """The width of the widest confidence interval of a level; more samples make it narrower."""
        return max(level.high - level.low for level in self.levels)

    @property
    def survives(self) -> str:
        """What survival means for this curve, as a sentence."""
        if self.planes > 1:
            return f"all surviving hosts reach each other, each pair through some plane; P >= {self.criterion:g}"
        between = "all surviving switches" if self.of == "switches" else "all surviving switches with hosts"
        what = {
            "disconnection": f"{between} are connected",
            "diameter": f"{between} are connected, at most {_number(self.most)} hops apart",
            "aspl": f"{between} are connected, at most {_number(self.most)} hops apart on average",
        }[self.metric]
        return f"{what}; P >= {self.criterion:g}"


@dataclass(frozen=True)
class Survivals(Result):
    """Survival curves of several networks, for comparison.

    Attributes
    ----------
    topologies : tuple of Survival
        One per network, in the given order.
    """

    record_name = "survivals"
    record_version = 3
    derived = ("ended",)

    topologies: tuple[Survival, ...]
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    @property
    def ended(self) -> Ended:
        """How the last curve ended: "done", or with fewer samples than asked for."""
        return self.topologies[-1].ended if self.topologies else "done"

    def rows(self) -> list[dict[str, Any]]:
        """One row per network and level."""
        return [{"name": curve.name, **row} for curve in self.topologies for row in curve.rows()]

    @drawn()
    def plot(self, axes: "Axes") -> None:
        """Draw all curves on one pair of axes."""
        draw_survival(axes, self.topologies)


def level_of(
    share: float, failures: int, samples: int, survived: int, mean: float | None = None, worst: float | None = None
) -> Level:
    """Return a level with its confidence interval.

    Parameters
    ----------
    share : float
        The share of units that failed, from 0 to 1.
    failures : int
        How many units that is.
    samples, survived : int
        Samples in all, and those that met the criterion.
    mean, worst : float, optional
        Mean and worst length over the samples, in hops, where it was measured.

    Returns
    -------
    Level
        With the share that survived and its 95 % interval (Wilson's).
    """
    low, high = wilson(survived, samples)
    return Level(share, failures, samples, survived, survived / samples, low, high, mean, worst)


def threshold_of(levels: Sequence[Level], criterion: float) -> float:
    """Return the last share up to which every level has at least this probability; 0 if the first level does not.

    Examples
    --------
    >>> threshold_of([level_of(share, 0, 100, survived) for share, survived in ((0.1, 99), (0.2, 80), (0.3, 40))], 0.75)
    0.2
    """
    threshold = 0.0
    for level in levels:
        if level.probability < criterion:
            break
        threshold = level.share
    return threshold


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}".rstrip("0").rstrip(".")
