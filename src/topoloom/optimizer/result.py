"""What an optimisation gives: the graph, what it measures, the bounds beside it, and how it was found."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from topoloom.topology import Topology


@dataclass(frozen=True)
class Limits:
    """What no graph of the order, degree and rules can beat: `hops` is the sum over ordered pairs."""

    diameter: float
    hops: float
    pairs: int

    @property
    def aspl(self) -> float:
        """The least ASPL."""
        return self.hops / self.pairs if self.pairs else 0.0


@dataclass(frozen=True, eq=False)
class Progress:
    """The best so far of an optimisation under way.

    `cost` is what the search compares: (diameter, hops of all ordered pairs) for hops; for other goals (ordered pairs out
    of reach, nanoseconds beyond the cap, weighted sum). `links` (int32[m, 2]) are the best graph's.
    """

    links: np.ndarray
    cost: tuple[float, ...]
    moves: int
    seconds: float
    share: float

    @property
    def moves_per_s(self) -> float:
        """Moves tried in a second, by all chains together."""
        return self.moves / self.seconds if self.seconds > 0 else 0.0


@dataclass(frozen=True, eq=False)
class Optimized:
    """The best graph that was found.

    Attributes
    ----------
    topology : Topology
        The switches, hosts and labels that were given, with other links; every degree is as it was.
    objective : str
        What was made least.
    components, diameter, aspl : int, int or float, float
        Measured anew on the result; inf when it is not connected.
    diameter_bound, aspl_bound : float
        No graph with this order, degree and length limit has less (`topoloom.bounds`).
    values : mapping of str to float
        What a goal beyond hops is made of: ``mean_ns`` and ``worst_ns`` with their bounds, ``cable_w``, ``cable_usd`` (NaN
        without a catalogue that says), ``longest_m``, ``mean_length_m``.
    moves : int
        Moves tried, by all chains together, those of earlier sessions included.
    seconds : float
        Of wall time, likewise.
    seed : int
    start : str
        Where it began: "given", or the structure that was found.
    ended : "bound", "moves", "time" or "interrupted"
        Why it ended; "bound": nothing better exists.
    """

    topology: Topology
    objective: str
    components: int
    diameter: float
    aspl: float
    diameter_bound: float
    aspl_bound: float
    moves: int
    seconds: float
    seed: int
    start: str
    ended: str
    values: Mapping[str, float] = field(default_factory=dict)

    @property
    def moves_per_s(self) -> float:
        """Moves tried in a second."""
        return self.moves / self.seconds if self.seconds > 0 else 0.0

    @property
    def gap(self) -> float:
        """By what share the ASPL is above its bound; inf when the graph is not connected."""
        return self.aspl / self.aspl_bound - 1 if self.aspl_bound else 0.0
