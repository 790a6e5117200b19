"""Do 95 % intervals of the mean latency cover the true mean? Seven set-ups, forty seeds each.

    python benchmarks/interval_coverage.py [--interval SHARE] [--seeds 40] [--fast] [--only 2,4] [--jobs N]
    python benchmarks/interval_coverage.py --series

For each set-up, `simulate` measures one load with the seeds 1, 2, ...; the share of seeds whose interval covers the true mean
is printed with its own 95 % interval (Clopper and Pearson). A method is sound where this interval holds 0.95. The true mean
is that of sixteen long runs with other seeds (eight with --fast), whose own 95 % interval is printed; it is much narrower than
those under test. `half width` is the median of the tested intervals, and `needed` the half width that would cover 95 % if the
means of the seeds were normal: 1.96 times their standard deviation. `bias` is the mean of all seeds less the true mean. With
--interval, `simulate` measures until the interval is within this share of the mean. --series takes made series instead, whose
consecutive values have a known correlation, and prints the share of intervals that cover their mean.
"""

import argparse
import math
import statistics
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import repeat

import numpy as np
from scipy.signal import lfilter
from scipy.stats import beta, t

from topoloom.model.sources import network_of
from topoloom.routing.route import route
from topoloom.routing.routing import Routing
from topoloom.simulation.flits.buffers import DONE, LATENCY
from topoloom.simulation.flits.host_ports import traffic_between_hosts
from topoloom.simulation.flits.latency_interval import half_width
from topoloom.simulation.flits.point import Point
from topoloom.simulation.flits.presets import router_of
from topoloom.simulation.flits.run import RouterRun
from topoloom.simulation.flits.simulate import simulate
from topoloom.throughput.traffic import Traffic

#: Long runs for the true mean, the first of their seeds, and their first cycles, which are not measured, as a share.
LONG_RUNS, LONG_SEED, _WARM = 16, 1001, 0.1


@dataclass(frozen=True)
class SetUp:
    """One network and load; `cycles` of each long run; an even number."""

    name: str
    spec: str
    engine: str
    load: float
    cycles: int
    preset: str = "booksim"
    settings: tuple[str, ...] = ()


SET_UPS = (
    SetUp("Slim Fly q=5, 0.5", "slimfly:q=5,hosts=4", "hop-vcs", 0.5, 10_000, "slimfly-2014"),
    SetUp("Slim Fly q=5, 0.9", "slimfly:q=5,hosts=4", "hop-vcs", 0.9, 50_000, "slimfly-2014"),
    SetUp("torus 8x8, 0.3", "torus:dims=8x8,hosts=1", "dor", 0.3, 20_000),
    SetUp("torus 8x8, 0.65", "torus:dims=8x8,hosts=1", "dor", 0.65, 60_000),
    SetUp("Dragonfly h=2 UGAL-L, 0.6", "dragonfly:h=2", "ugal-l", 0.6, 20_000),
    SetUp("fat tree k=4 ECMP, 0.7", "fat-tree:k=4", "ecmp", 0.7, 100_000),
    SetUp("mesh 8x8, 8 flits, 0.35", "mesh:dims=8x8,hosts=1", "dor", 0.35, 150_000, settings=("packet_flits=8",)),
)


def routed(set_up: SetUp) -> Routing:
    return route(network_of(set_up.spec, "interval_coverage").topology, set_up.engine)


def measured_point(set_up: SetUp, seed: int, interval: float | None) -> Point:
    """The measurement under test."""
    curve = simulate(
        routed(set_up),
        "uniform",
        set_up.preset,
        settings=set_up.settings,
        loads=[set_up.load],
        seed=seed,
        jobs=1,
        interval=interval,
    )
    return curve.points[0]


def long_mean(set_up: SetUp, seed: int) -> float:
    """The mean latency of the packets that arrive in a long run."""
    routing, (_, config) = routed(set_up), router_of(set_up.preset, set_up.settings)
    traffic = traffic_between_hosts("uniform", routing, seed)
    if not isinstance(traffic, Traffic):
        raise TypeError("the traffic of a set-up has a load")
    run = RouterRun(routing, config, traffic, set_up.load, seed)
    run.go(2 * round(_WARM * set_up.cycles / 2), 0, 1 << 60)
    before = run.network.state.copy()
    run.go(set_up.cycles, 0, 1 << 60)
    after = run.network.state
    return float(after[LATENCY] - before[LATENCY]) / float(after[DONE] - before[DONE])


def binomial_interval(hits: int, tries: int) -> tuple[float, float]:
    """The 95 % interval of a share by Clopper and Pearson."""
    low = float(beta.ppf(0.025, hits, tries - hits + 1)) if hits else 0.0
    high = float(beta.ppf(0.975, hits + 1, tries - hits)) if hits < tries else 1.0
    return low, high


def _line(set_up: SetUp, points: Sequence[Point], long_means: Sequence[float]) -> str:
    count, true = len(long_means), statistics.fmean(long_means)
    error = float(t.ppf(0.975, count - 1)) * statistics.stdev(long_means) / math.sqrt(count)
    means = [point.latency_mean for point in points]
    hits = sum(abs(point.latency_mean - true) <= point.latency_ci95 for point in points)
    low, high = binomial_interval(hits, len(points))
    return (
        f"{set_up.name:26} {true:8.3f} +- {error:.3f} {hits:4d} of {len(points)} {low:7.3f} to {high:.3f}"
        f"{'  ' if low <= 0.95 <= high else ' *'}"
        f"{statistics.median(point.latency_ci95 for point in points) / true:11.2%}"
        f"{1.96 * statistics.stdev(means) / true:8.2%}{(statistics.fmean(means) - true) / true:+8.2%}"
        f"{statistics.median(point.cycles for point in points):9.0f}"
    )


def series_covered(correlation: float, count: int, series: int = 2000) -> float:
    """The share of intervals of `half_width` that cover the mean of autoregressive series of order 1."""
    random = np.random.default_rng(1)
    covered = 0
    for _ in range(series):
        noise = random.standard_normal(count) * math.sqrt(1 - correlation**2)
        noise[0] = random.standard_normal()
        values = lfilter([1.0], [1.0, -correlation], noise)
        covered += abs(values.mean()) <= half_width(values.tolist())
    return covered / series


def print_series() -> None:
    """Print the coverage of made series."""
    counts = (10, 20, 40, 200)
    print("correlation  " + "  ".join(f"{count:>4} values" for count in counts))
    for correlation in (0.0, 0.3, 0.6, 0.8):
        shares = "  ".join(f"{series_covered(correlation, count):11.3f}" for count in counts)
        print(f"{correlation:11.1f}  {shares}")


def main() -> None:
    """Run the set-ups and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--interval", type=float, help="measure until the interval is within this share of the mean")
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--fast", action="store_true", help="half of the long runs")
    parser.add_argument("--only", help="numbers of set-ups, from 1: 2,4")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--series", action="store_true", help="made series of known correlation, not simulations")
    given = parser.parse_args()
    if given.series:
        print_series()
        return
    chosen = [SET_UPS[int(number) - 1] for number in given.only.split(",")] if given.only else SET_UPS
    seeds = range(1, given.seeds + 1)
    long_seeds = range(LONG_SEED, LONG_SEED + (LONG_RUNS // 2 if given.fast else LONG_RUNS))
    began = time.perf_counter()
    print(
        f"{'set-up':26} {'true mean':>17} {'covered':>11} {'95 % of share':>17} {'half width':>12} needed    bias   cycles"
    )
    with ProcessPoolExecutor(given.jobs) as pool:
        for set_up in chosen:
            points = list(pool.map(measured_point, repeat(set_up), seeds, repeat(given.interval)))
            long_means = list(pool.map(long_mean, repeat(set_up), long_seeds))
            print(_line(set_up, points, long_means), flush=True)
    print(f"* the interval of the share does not hold 0.95; {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
