"""The curve of a network of Koibuchi 2013: latency against accepted traffic up to saturation, and the throughput read off it.

One rule for all curves, chosen before the runs:

* A random or permuted network has four draws, with seeds 1 to 4 of topology and traffic, and any other has one. A throughput is
  the mean of the draws.
* A load is carried if the simulator does not find the network saturated. Offered loads rise by `Network.step` while they are
  carried; between the last that is carried and the first that is not, bisection goes on to a `PARTS`-th of the step.
* The curve ends at the last load that is carried. A draw that collapses beyond it, so that it accepts less than at lower loads,
  counts like every other draw, with what it accepted before.
* Around 1.2 us, where figures 10 and 16 are read, bisection goes on to `_READ_PARTS` parts of the step; between points the
  curve is straight.

An exception remains, because these curves take minutes each: the patterns in `Network.coarse`, of 512 switches and of other
networks, keep the coarse sweep of one draw (`_sweeps`). A sixteenth of the step was tried first, and given up after two curves
for the same reason.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from statistics import fmean

from topoloom_papers.long_runs import long_run
from topoloom_papers.papers.koibuchi_2013._sweeps import COARSE_PARTS, coarse_curve, coarse_step
from topoloom_papers.papers.koibuchi_2013._switch_loads import Network, of_draws, simulated

#: Koibuchi 2013 III.D reads the throughput of figures 10 and 16 at this latency.
THROUGHPUT_NS = 1200.0
#: The end of a curve is known to a `PARTS`-th of a step, 0.6 Gbit/s (0.12 at degree 4); 1.2 us to within a `_READ_PARTS`-th.
PARTS, _READ_PARTS = 8, 4
#: Relative half width of the confidence interval of a point's latency.
_INTERVAL = 0.1
#: Steps up to which a command sweeps the loads.
_STEPS = 10

#: Accepted traffic in Gbit/s per host, and mean latency in ns, by rising load.
Curve = list[tuple[float, float]]

_UNIT = (
    "in Gbit/s per host; means of four draws, but one of 512 switches, Nbr and Gau, and of RING-4, RING-8 and PF-HYPERCUBE with"
    " 256 switches under uniform traffic"
)
THROUGHPUT_NOTE = f"throughput: the most traffic accepted before saturation (Koibuchi 2013 III.C.1), {_UNIT}"
LATENCY_NOTE = f"throughput: accepted traffic at which latency passes 1.2 us (Koibuchi 2013 III.D), {_UNIT}"


def curves(network: Network, traffic: str) -> list[Curve]:
    """The curve of each draw up to saturation, by the rule of this module; one long run."""
    if traffic in network.coarse:
        return [coarse_curve(network, traffic)]
    draws = network.draws(traffic)
    loads = f"{network.low},{network.step:g}:1:{network.step:g}"
    command = (
        f"{network.command(traffic, loads)} --interval {_INTERVAL:g}, to saturation, bisected to 1/{PARTS} of a step"
        f" there and 1/{_READ_PARTS} around {THROUGHPUT_NS:g} ns; seeds of topology and simulation"
        f" {', '.join(map(str, draws))}{network.more}"
    )
    return long_run(
        command,
        list[Curve],
        lambda: of_draws(network, draws, lambda draw: _curve(network, partial(simulated, network, traffic, draw))),
    )


def _curve(network: Network, at: Callable[[float, float], tuple[float, float, bool]]) -> Curve:
    """The curve of the draw whose loads `at` simulates, given a load and an interval."""
    fine = network.step / PARTS
    carried: dict[int, tuple[float, float]] = {}

    def carries(multiple: int) -> bool:
        accepted, ns, saturated = at(round(multiple * fine, 12), _INTERVAL)
        if not saturated:
            carried[multiple] = accepted, ns
        return not saturated

    last = 0
    while (last + PARTS) * fine <= 1 and carries(last + PARTS):
        last += PARTS
    _bisected(last, last + PARTS, 1, carries)
    passes = [multiple for multiple in sorted(carried) if carried[multiple][1] > THROUGHPUT_NS]
    if passes:
        below = max((multiple for multiple in carried if multiple < passes[0]), default=0)
        _bisected(
            below,
            passes[0],
            PARTS // _READ_PARTS,
            lambda multiple: carries(multiple) and carried[multiple][1] <= THROUGHPUT_NS,
        )
    accepted, ns, _ = at(network.low, _INTERVAL)
    return [(accepted, ns), *(carried[multiple] for multiple in sorted(carried))]


def _bisected(low: int, high: int, width: int, holds: Callable[[int], bool]) -> None:
    """Try the middles of an interval, at whose lower end something holds, until it is no wider than `width`."""
    while high - low > width:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)


def commands(networks: Iterable[Network], traffic: str) -> str:
    """A command for the throughput of each network, and how the other draws differ.

    The throughput of the first draw is in the column of accepted Gbit/s, in the last row before one is saturated; within the
    spread of simulations, as the curve has not every row.
    """
    each, several = [], False
    for network in networks:
        coarse = traffic in network.coarse
        fine = coarse_step(network) / COARSE_PARTS if coarse else network.step / PARTS
        command = network.command(traffic, f"{fine:g}:{_STEPS * network.step:g}:{fine:g}")
        each.append(f"{command}{'' if coarse else f' --interval {_INTERVAL:g}'} --seed 1")
        several |= len(network.draws(traffic)) > 1
    return "; ".join([*each, *(["the other draws: 2, 3 and 4 for both seeds"] if several else [])])


def greatest(points: Sequence[tuple[float, float]]) -> float:
    """Throughput in Gbit/s per host: the most traffic accepted before the network is saturated (Koibuchi 2013 III.C.1)."""
    return max(accepted for accepted, _ in points)


def at_latency(points: Sequence[tuple[float, float]]) -> float:
    """Throughput in Gbit/s per host: accepted traffic at a latency of 1,200 ns (Koibuchi 2013 III.D), linear between points.

    A curve that ends before counts with the most that it accepts.

    Examples
    --------
    >>> at_latency([(1.0, 600.0), (2.0, 800.0), (3.0, 1600.0)]), at_latency([(1.0, 600.0), (2.0, 800.0)])
    (2.5, 2.0)
    """
    last, most = (0.0, 0.0), 0.0
    for accepted, ns in points:
        if ns > THROUGHPUT_NS:
            return max(most, last[0] + (accepted - last[0]) * (THROUGHPUT_NS - last[1]) / (ns - last[1]))
        last, most = (accepted, ns), max(most, accepted)
    return most


def means_of(throughputs: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """The mean over the draws of each network."""
    return {label: fmean(each) for label, each in throughputs.items()}


def ranges(throughputs: Mapping[str, Sequence[float]]) -> str:
    """The range over the draws of each network that has several, in words.

    Examples
    --------
    >>> ranges({"HYPERCUBE": [17.9], "RING-8": [15.4, 16.9, 16.0, 16.2]})
    'ranges of the draws: RING-8 15.4 to 16.9'
    """
    each = [f"{label} {min(draws):.1f} to {max(draws):.1f}" for label, draws in throughputs.items() if len(draws) > 1]
    return f"ranges of the draws: {', '.join(each)}" if each else ""
