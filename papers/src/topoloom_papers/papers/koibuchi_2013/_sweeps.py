"""The coarse curve of one draw, of networks whose four draws have not been simulated by the rule of `_curves`.

Offered loads are multiples of 4.8 Gbit/s, at degree 4 of 1.9, up to the first point that is above 2 us or saturated; two more
points bisect the interval in which latency passes 1.2 us. The curve ends where accepted traffic or latency falls by more than
chance: packets that wait beyond saturation have not arrived when the simulation ends.
"""

from collections.abc import Sequence

from topoloom_papers.long_runs import long_run
from topoloom_papers.papers.koibuchi_2013._switch_loads import LOW_4, Network, simulated

#: Offered loads are multiples of this part of a step, after so many bisections.
_BISECTIONS = 2
COARSE_PARTS = 2**_BISECTIONS
_HIGHEST_NS, _BISECTED_NS = 2000.0, 1200.0
#: Least ratio of the latency of a saturated network to that of an almost empty one.
_LOADED = 1.5
#: Beyond saturation, accepted traffic is below this share of what was accepted before, or latency of that of the load before.
_FALLS, _FALLS_NS = 0.99, 0.95


def coarse_step(network: Network) -> float:
    """The distance of offered loads before bisection, in flits per host and cycle."""
    return 0.02 if network.low == LOW_4 else 0.05


def coarse_curve(network: Network, traffic: str) -> list[tuple[float, float]]:
    """Accepted traffic in Gbit/s per host and mean latency in ns of the first draw up to saturation; one long run."""
    step = coarse_step(network)
    loads = f"{network.low},{step:g}:1:{step:g}"
    command = f"{network.command(traffic, loads)} to 2 us, and around 1.2 us"
    return before_collapse(long_run(command, list[tuple[float, float]], lambda: _sweep(network, traffic)))


def _sweep(network: Network, traffic: str) -> list[tuple[float, float]]:
    # Accepted traffic, latency and whether the curve ends there, by offered load.
    by_load: dict[float, tuple[float, float, bool]] = {}
    step = coarse_step(network)

    def add(loads: list[float]) -> None:
        for load in loads:
            accepted, ns, saturated = simulated(network, traffic, 1, load)
            low_ns = by_load[network.low][1] if by_load else ns
            # A few packets may be missing by chance; at true saturation the latency has risen as well.
            by_load[load] = accepted, ns, ns > _HIGHEST_NS or (saturated and ns > _LOADED * low_ns)

    add([network.low, step])
    while not any(over for _, _, over in by_load.values()) and max(by_load) < 1:
        last = max(by_load)
        add([load for load in (round(last + step, 6), round(last + 2 * step, 6)) if load <= 1])
    for _ in range(_BISECTIONS):
        passed = [load for load, (_, ns, over) in by_load.items() if ns > _BISECTED_NS or over]
        below = [load for load in by_load if not passed or load < min(passed)]
        if passed and below:
            add([round((min(passed) + max(below)) / 2, 6)])
    points = []
    for load in sorted(by_load):
        points.append(by_load[load][:2])
        if by_load[load][2]:
            break
    return points


def before_collapse(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The points of a curve up to saturation: to where accepted traffic or latency falls, by more than chance.

    Examples
    --------
    >>> before_collapse([(1.0, 500.0), (2.0, 600.0), (0.6, 1900.0), (2.1, 1200.0)])
    [(1.0, 500.0), (2.0, 600.0)]
    >>> before_collapse([(1.0, 500.0), (2.0, 900.0), (2.1, 700.0)])
    [(1.0, 500.0), (2.0, 900.0)]
    """
    rising: list[tuple[float, float]] = []
    for accepted, ns in points:
        falls = rising and (accepted < _FALLS * max(before for before, _ in rising) or ns < _FALLS_NS * rising[-1][1])
        if falls:
            break
        rising.append((accepted, ns))
    return rising
