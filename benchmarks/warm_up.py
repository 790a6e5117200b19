"""Is the warm-up of `simulate` long enough, and would MSER-5 do better? The seven set-ups of interval_coverage.py.

    python benchmarks/warm_up.py [--seeds 40] [--fast] [--only 2,4] [--jobs N]

`simulate` warms up until the means of batches of 500 cycles agree. MSER-5 (White 1997) drops the first batches of a run so that
the standard error of the mean of the rest is least. Both get the same cycles of every seed: a run from the empty network of as
many cycles as `simulate` used in all, whose batches of 500 cycles are those of MSER-5: means of five observations of 100
cycles. `nothing` drops no batch of this run. For each rule: the bias (mean over the seeds less the true mean) with its standard
error, in which that of the true mean is included, and the root mean square of the errors, as shares of the true mean; `dropped`
is the median share of the cycles that MSER-5 drops.

The criterion, written before the first full run: MSER-5 replaces today's rule if
(a) the bias of today's rule is visible in a set-up, above 0.25 % and above three standard errors, and that of MSER-5 is
smaller there; or
(b) the root mean square error of MSER-5 is smaller by 5 % or more, as the geometric mean over the set-ups.
"""

import argparse
import math
import statistics
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from typing import NamedTuple

import numpy as np
from interval_coverage import LONG_RUNS, LONG_SEED, SET_UPS, SetUp, long_mean, measured_point, routed

from topoloom.simulation.flits.buffers import DONE, LATENCY
from topoloom.simulation.flits.host_ports import traffic_between_hosts
from topoloom.simulation.flits.presets import router_of
from topoloom.simulation.flits.run import RouterRun
from topoloom.throughput.traffic import Traffic

#: Cycles of a batch: five observations of 100 cycles.
_BATCH = 500


class Estimates(NamedTuple):
    """The mean latency of one seed by each rule, and the share of the cycles that MSER-5 drops."""

    today: float
    mser: float
    nothing: float
    dropped: float


def mser(values: np.ndarray) -> int:
    """The number of first values to drop, at most half: White, "An effective truncation heuristic", Simulation 69, 1997."""
    count = values.size
    squares = [float(((rest := values[first:]) - rest.mean()) @ (rest - rest.mean())) for first in range(count // 2)]
    return int(np.argmin([square / (count - first) ** 2 for first, square in enumerate(squares)])) if squares else 0


def estimates(set_up: SetUp, seed: int) -> Estimates:
    """The estimates of one seed."""
    point = measured_point(set_up, seed, None)
    routing, (_, config) = routed(set_up), router_of(set_up.preset, set_up.settings)
    traffic = traffic_between_hosts("uniform", routing, seed)
    if not isinstance(traffic, Traffic):
        raise TypeError("the traffic of a set-up has a load")
    run = RouterRun(routing, config, traffic, set_up.load, seed)
    sums = [run.network.state[[LATENCY, DONE]].copy()]
    for _ in range(point.cycles // _BATCH):
        run.go(_BATCH, 0, 1 << 60)
        sums.append(run.network.state[[LATENCY, DONE]].copy())
    latency, packets = np.diff(np.array(sums, float), axis=0).T
    first = mser(latency / packets)
    rest = float(latency[first:].sum() / packets[first:].sum())
    return Estimates(point.latency_mean, rest, float(latency.sum() / packets.sum()), first / latency.size)


def _errors(values: Sequence[float], true: float, error: float) -> tuple[float, float, float]:
    """Bias, its standard error, and the root mean square error, as shares of the true mean."""
    bias = statistics.fmean(values) - true
    own = statistics.stdev(values) / math.sqrt(len(values))
    root = math.sqrt(statistics.fmean((value - true) ** 2 for value in values))
    return bias / true, math.hypot(own, error) / true, root / true


def main() -> None:
    """Run the set-ups and print a line for each, and the criterion."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--fast", action="store_true", help="half of the long runs")
    parser.add_argument("--only", help="numbers of set-ups, from 1: 2,4")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    given = parser.parse_args()
    chosen = [SET_UPS[int(number) - 1] for number in given.only.split(",")] if given.only else SET_UPS
    long_seeds = range(LONG_SEED, LONG_SEED + (LONG_RUNS // 2 if given.fast else LONG_RUNS))
    began = time.perf_counter()
    rules = ("today", "mser", "nothing")
    print(
        f"{'set-up':26} {'true mean':>9}" + "".join(f"   {rule + ': bias':>15}    rmse" for rule in rules) + "  dropped"
    )
    ratios, visible = [], []
    with ProcessPoolExecutor(given.jobs) as pool:
        for set_up in chosen:
            seeds = list(pool.map(estimates, repeat(set_up), range(1, given.seeds + 1)))
            means = list(pool.map(long_mean, repeat(set_up), long_seeds))
            true, error = statistics.fmean(means), statistics.stdev(means) / math.sqrt(len(means))
            of = {rule: _errors([getattr(seed, rule) for seed in seeds], true, error) for rule in rules}
            text = "".join(f"   {bias:+7.2%} +-{own:6.2%} {root:7.2%}" for bias, own, root in of.values())
            dropped = statistics.median(seed.dropped for seed in seeds)
            print(f"{set_up.name:26} {true:9.3f}{text} {dropped:8.1%}", flush=True)
            (bias, own, root), (mser_bias, _, mser_root) = of["today"], of["mser"]
            ratios.append(mser_root / root)
            if abs(bias) > max(0.0025, 3 * own) and abs(mser_bias) < abs(bias):
                visible.append(set_up.name)
    ratio = math.exp(statistics.fmean(map(math.log, ratios)))
    print(f"(a) visible bias, smaller with MSER-5: {', '.join(visible) or 'nowhere'}")
    print(
        f"(b) root mean square error of MSER-5 / today's: {ratio:.3f}, geometric mean; {time.perf_counter() - began:.0f} s"
    )


if __name__ == "__main__":
    main()
