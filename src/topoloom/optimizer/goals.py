"""Goals other than hops: zero-load latency, power and cost of cables under a latency cap, and weighted sums of them."""

import math
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.settings import Settings, setting
from topoloom.cost.parts import Parts
from topoloom.graph.latency import Delays, latencies
from topoloom.graph.moore import moore_within
from topoloom.model.topology import Topology
from topoloom.optimizer.link_lengths import LinkLengths
from topoloom.optimizer.objective_register import OBJECTIVES

#: The terms of a weighted sum.
TERMS = ("mean", "worst", "hops", "power", "cost")
#: Rows of the table of lengths per block, for bounds.
_BLOCK = 256


class Goal(Settings, frozen=True):
    """A goal: minimise a weighted sum while the worst latency stays at or below a cap.

    Attributes
    ----------
    mean, worst : float
        Weight per nanosecond of the mean and of the worst latency.
    hops : float
        Weight per hop of the mean path: as if a switch took `hops` / `mean` nanoseconds longer.
    power, cost : float
        Weight per watt and per US dollar of the cables; `parts` has the values.
    cap_ns : float or None
        The largest allowed worst latency. Until it is met, only the excess counts (Nakano 2016, VIII.B, phase 1).
    delays : Delays
    both_ends : bool
        Whether the switches at both ends of a path count. Otherwise a path of h hops counts h switches, as the bounds 716/708
        and 2,050/1,435 ns of Nakano 2016, VIII.A do; `topoloom.graph.latency` counts h + 1.
    parts : Parts or None
    rate_gbps : float or None
        The rate of every link; when omitted, 40 or the nearest rate with prices.

    Raises
    ------
    InputError
        A value out of range, or a missing weight, catalogue of parts, or cap.

    Examples
    --------
    >>> Goal(mean=1, worst=0.2).text
    'mean=1,worst=0.2'
    """

    group: ClassVar[str] = "objective"

    mean: Annotated[float, setting("weight per nanosecond of the mean latency", least=0, most=1e9)] = 0.0
    worst: Annotated[float, setting("weight per nanosecond of the worst latency", least=0, most=1e9)] = 0.0
    hops: Annotated[float, setting("weight per hop of the mean path", least=0, most=1e9)] = 0.0
    power: Annotated[float, setting("weight per watt of the cables", least=0, most=1e9)] = 0.0
    cost: Annotated[float, setting("weight per US dollar of the cables", least=0, most=1e9)] = 0.0
    cap_ns: Annotated[float, setting("largest allowed worst latency", unit="ns", above=0, most=1e12)] | None = None
    delays: Annotated[Delays, setting("delays of switches and cables")] = Delays()
    both_ends: Annotated[bool, setting("whether the switches at both ends of a path count")] = False
    parts: Annotated[Parts | None, setting("catalogue with power and prices")] = None
    rate_gbps: Annotated[float, setting("rate of every link", unit="Gb/s", above=0)] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.delays.switch_ns + self.delays.cable_ns_per_m == 0:
            raise InputError("switch_ns=0 and cable_ns_per_m=0: at least one delay must be above 0")
        if not (self.mean or self.worst or self.power or self.cost):
            raise InputError(
                "objective: give mean, worst, power or cost a weight above 0 (objective='hops' is for hops)"
            )
        if self.hops and not self.mean:
            raise InputError("objective: hops need a weight of mean; give mean a weight, or use objective='hops'")
        if (self.power or self.cost) and self.parts is None:
            raise InputError("objective: power and cost need a catalogue of `parts`")
        if self.cap_ns is None and not (self.mean or self.worst):
            raise InputError(
                "objective: power and cost alone give short cables but long paths; give a latency cap, cap_ns"
            )

    @property
    def text(self) -> str:
        """The weights, in the form that `parse_goal` reads."""
        return ",".join(f"{term}={getattr(self, term):g}" for term in TERMS if getattr(self, term))

    @property
    def extra_ns(self) -> float:
        """The latency of every pair in addition to its hops: the first switch, if both ends count."""
        return self.delays.switch_ns if self.both_ends else 0.0

    def link_prices(self, lengths: LinkLengths) -> np.ndarray:
        """The contribution of a link of each kind to the weighted sum, float64[kinds]; inf if no product is long enough."""
        out = np.zeros(lengths.length_m.size)
        if self.parts is not None:
            rate = self.parts.link_rate(self.rate_gbps)
            for weight, price in ((self.power, self.parts.link_w), (self.cost, self.parts.link_usd)):
                if weight:
                    out += weight * price(lengths.length_m, lengths.between, rate)
        return out


def parse_goal(
    text: str,
    *,
    cap_ns: float | None = None,
    delays: Delays | None = None,
    parts: Parts | None = None,
    rate_gbps: float | None = None,
) -> Goal:
    """Parse a goal: ``latency`` (mean), ``worst``, ``power``, ``cost``, or weights as ``mean=1,power=0.02``.

    ``worst`` includes a thousandth of the mean, which decides between graphs of the same worst latency.

    Parameters
    ----------
    text : str
    cap_ns, delays, parts, rate_gbps
        As for `Goal`.

    Raises
    ------
    InputError
        An unknown word or number; a missing catalogue of parts, or cap.

    Examples
    --------
    >>> parse_goal("worst").text, parse_goal("mean=1,hops=5").text
    ('mean=0.001,worst=1', 'mean=1,hops=5')
    """
    named = {
        "latency": {"mean": 1.0},
        "worst": {"worst": 1.0, "mean": 0.001},
        "power": {"power": 1.0},
        "cost": {"cost": 1.0},
    }
    weights = named.get(text) or dict(_weight(part) for part in text.split(","))
    mean, worst, hops, power, cost = (weights.get(term, 0.0) for term in TERMS)
    return Goal(
        mean=mean,
        worst=worst,
        hops=hops,
        power=power,
        cost=cost,
        cap_ns=cap_ns,
        delays=delays or Delays(),
        parts=parts,
        rate_gbps=rate_gbps,
    )


def _weight(part: str) -> tuple[str, float]:
    term, _, number = (word.strip() for word in part.partition("="))
    try:
        weight = float(number)
    except ValueError:
        weight = math.nan
    if term not in TERMS or math.isnan(weight):
        raise InputError(
            f"objective: '{part}' is unknown; choose hops, all-to-all, permutation, worst-case, latency, worst, power, cost,"
            f" {', '.join(OBJECTIVES)}, or weights as mean=1,worst=0.5 of {', '.join(TERMS)}"
        )
    return term, weight


@dataclass(frozen=True)
class LatencyBounds:
    """Lower bounds on mean and worst latency in nanoseconds; inf if the degree cannot connect the switches."""

    mean_ns: float
    worst_ns: float


def latency_bounds(
    lengths: LinkLengths, degree: int, cap_m: float = math.inf, delays: Delays | None = None, *, both_ends: bool = False
) -> LatencyBounds:
    """Compute lower bounds on the zero-load latency for `degree` links per switch, none longer than `cap_m`.

    At most md(i) switches are within i hops of a switch, by Moore's bound and by the length that i links can span (Nakano 2016,
    IV); a path is at least as long as the distance of its ends. At L = 6 the bounds are 716/708 and 2,050/1,435 ns for 4,608
    switches.

    Parameters
    ----------
    lengths : LinkLengths
        The length of a link between any two switches.
    degree : int
        Most links per switch.
    cap_m : float
        The longest cable, in metres; inf: no limit.
    delays : Delays, optional
        Of switches and cables; topoloom's defaults when omitted.
    both_ends : bool
        Whether a path of h hops counts h + 1 switches instead of h.

    Returns
    -------
    LatencyBounds
        Mean and worst, in ns; inf if that degree cannot connect the switches.

    Raises
    ------
    InputError
        The longest cable is not longer than the overhead at its ends.

    Examples
    --------
    >>> from topoloom.graph.geometry import Geometry
    >>> found = latency_bounds(LinkLengths.of_geometry(Geometry.grid(10, 10)), degree=4, cap_m=3)
    >>> round(found.mean_ns, 2), found.worst_ns  # 60 * 3.3297 + 5 * 20 / 3 and 60 * 6 + 5 * 18
    (233.12, 450.0)
    """
    delays = delays or Delays()
    n = len(lengths)
    moore = np.array(moore_within(n, degree))
    if moore[-1] < n:
        return LatencyBounds(math.inf, math.inf)
    apart_m = (
        np.maximum(lengths.length_m - lengths.overhead_m, 0.0) if lengths.metric else np.zeros(lengths.length_m.size)
    )
    reach_m = cap_m - lengths.overhead_m
    if reach_m <= 0 and apart_m.any():
        raise InputError(
            f"a cable of {cap_m:g} m is not longer than the overhead at its ends, {lengths.overhead_m:g} m; allow longer cables"
        )
    # The fewest hops of a pair by its distance alone; rounding must not add one.
    spans = np.zeros(apart_m.size) if reach_m <= 0 else apart_m / reach_m
    fewest = np.maximum(1, np.ceil(spans - 1e-9)).astype(np.int64) if n > 1 else np.ones(1, np.int64)
    rounds = max(int(fewest.max()), moore.size - 1)
    m = np.concatenate([moore, np.full(rounds + 1 - moore.size, n)])
    hop_ns = float(delays.link_ns(np.array(lengths.overhead_m)))
    alone_ns = hop_ns * fewest + delays.cable_ns_per_m * apart_m
    hops, metres, worst_ns, most = 0, 0.0, 0.0, 0
    for first in range(0, n, _BLOCK):
        kinds = lengths.kind[first : first + _BLOCK].astype(np.int64)
        every = np.arange(len(kinds))
        others = np.ones(kinds.shape, bool)
        others[every, first + every] = False
        cells = (every[:, None] * (rounds + 1) + fewest[kinds])[others]
        d = 1 + np.bincount(cells, minlength=len(kinds) * (rounds + 1)).reshape(-1, rounds + 1).cumsum(axis=1)
        left = n - np.minimum(m, d)
        hops += int(left.sum())
        most = max(most, int((left > 0).sum(axis=1).max()))
        metres += float(apart_m[kinds][others].sum())
        worst_ns = max(worst_ns, float(alone_ns[kinds][others].max(initial=0.0)))
    pairs = max(1, n * (n - 1))
    mean_ns = (hop_ns * hops + delays.cable_ns_per_m * metres) / pairs
    shortest_m = float(apart_m[apart_m > 0].min(initial=math.inf)) if lengths.metric else 0.0
    if most:
        # A pair with the most hops is at least as far apart as the nearest two switches.
        worst_ns = max(worst_ns, hop_ns * most + delays.cable_ns_per_m * (shortest_m if shortest_m < math.inf else 0.0))
    extra_ns = delays.switch_ns if both_ends else 0.0
    return LatencyBounds(mean_ns + extra_ns, worst_ns + extra_ns)


@dataclass(frozen=True)
class Weighed:
    """The values of a graph for a goal: zero-load latency, and power and cost of its cables (NaN if unknown)."""

    mean_ns: float
    worst_ns: float
    cable_w: float
    cable_usd: float
    longest_m: float
    mean_length_m: float


def weigh(links: np.ndarray, lengths: LinkLengths, goal: Goal) -> Weighed:
    """Compute mean and worst latency over pairs of switches, and power and cost of the cables, for any weights of the goal.

    Parameters
    ----------
    links : int[m, 2]
    lengths : LinkLengths
    goal : Goal

    Returns
    -------
    Weighed
        Latencies in ns, power in watts and cost in US dollars of all cables, longest and mean cable in metres.

    Examples
    --------
    >>> from topoloom.graph.geometry import Geometry
    >>> found = weigh(np.array([[0, 1], [1, 2]]), LinkLengths.of_geometry(Geometry.grid(1, 3)), Goal(mean=1))
    >>> found.worst_ns, round(found.mean_ns, 3)
    (130.0, 86.667)
    """
    topology = Topology(links=links, switches=len(lengths))
    length_m = lengths.between_m(*topology.links.T)
    delays = goal.delays
    latency = latencies(topology, length_m, delays.switch_ns, delays.cable_ns_per_m, "switches")
    # `latencies` counts the switches at both ends.
    less_ns = delays.switch_ns - goal.extra_ns
    cable_w = cable_usd = math.nan
    if goal.parts is not None:
        rate = goal.parts.link_rate(goal.rate_gbps)
        between = lengths.between[lengths.kind[topology.links[:, 0], topology.links[:, 1]]]
        cable_w = float(goal.parts.link_w(length_m, between, rate).sum())
        if "cable" not in goal.parts.unpriced:
            cable_usd = float(goal.parts.link_usd(length_m, between, rate).sum())
    return Weighed(
        latency.mean_ns - less_ns,
        latency.max_ns - less_ns,
        cable_w,
        cable_usd,
        float(length_m.max(initial=0.0)),
        float(length_m.mean()) if length_m.size else 0.0,
    )
