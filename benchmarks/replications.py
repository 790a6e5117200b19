"""Do the intervals that end [replicate] cover the mean, and how many seeds do they need?

    python benchmarks/replications.py [--points 4000] [--simulated]

Synthetic points: values that are normal, exponential (skewed) or lognormal (very skewed), with the given coefficient of
variation, are drawn until the rule of `topoloom.studies.replications` ends, with at most 10,000 seeds. For each rule and each
first number of seeds: the share of points whose interval covers the mean, and the mean number of seeds, where `ideal` is the
number that a known standard deviation would need. `two-stage` is the rule of studies; `pooled` is Student's interval of all
the seeds of this rule, as pictures show it. For comparison, `sequential` adds one seed at a time until Student's interval of
all seeds so far is narrow enough: it ends when the interval happens to be narrow, so it covers less often.

--simulated takes a real set-up in place of synthetic values: the mean latency of a torus 4x4 at 0.8. Its 4,000 seeds are drawn
with replacement, so the true mean is that of all of them.
"""

import argparse
import math
import statistics
import time
from collections.abc import Callable, Iterator
from itertools import islice

import numpy as np
from scipy.special import stdtrit

from topoloom.model.sources import network_of
from topoloom.routing.route import route
from topoloom.simulation.flits.simulate import simulate
from topoloom.studies.replications import Replicate

_MOST = 10_000
_FIRST = (3, 5, 10, 20)


def two_stage(draws: Iterator[float], rule: Replicate) -> tuple[list[float], float]:
    """The values of a point by the rule of studies, and half its interval."""
    values = list(islice(draws, rule.least))
    while (needed := rule.seeds(values)) > len(values):
        values += islice(draws, needed - len(values))
    return values, rule.half_width(values)


def sequential(draws: Iterator[float], rule: Replicate) -> tuple[list[float], float]:
    """The values of a point, one by one until Student's interval is narrow enough, and half of it."""
    values = list(islice(draws, rule.least))
    while (half := pooled(values)) > rule.within * abs(statistics.fmean(values)) and len(values) < rule.most:
        values.append(next(draws))
    return values, half


def pooled(values: list[float]) -> float:
    """Half of Student's 95 % interval."""
    return float(stdtrit(len(values) - 1, 0.975)) * statistics.stdev(values) / math.sqrt(len(values))


def _line(
    name: str, make: Callable[[int], Iterator[float]], true: float, points: int, rule: Replicate, ideal: float
) -> None:
    hits = [0, 0, 0]
    counts = [0, 0]
    for number in range(points):
        values, half = two_stage(make(number), rule)
        off = abs(statistics.fmean(values) - true)
        hits[0] += off <= half
        hits[1] += off <= pooled(values)
        counts[0] += len(values)
        values, half = sequential(make(number), rule)
        hits[2] += abs(statistics.fmean(values) - true) <= half
        counts[1] += len(values)
    shares = "  ".join(f"{hit / points:9.3f}" for hit in hits)
    seeds = "  ".join(f"{count / points:9.1f}" for count in counts)
    print(f"{name:12} {rule.within:7.2%} {rule.least:6d} {ideal:7.1f}  {shares}  {seeds}", flush=True)


def synthetic(points: int) -> None:
    """Print the table of synthetic points."""
    kinds: dict[str, tuple[float, Callable[[np.random.Generator, int], np.ndarray]]] = {
        "normal": (0.1, lambda random, count: random.normal(1.0, 0.1, count)),
        "exponential": (1.0, lambda random, count: random.exponential(1.0, count)),
        "lognormal": (1.0, lambda random, count: random.lognormal(-math.log(2) / 2, math.sqrt(math.log(2)), count)),
    }
    for name, (variation, draw) in kinds.items():
        for ideal in (10, 40):
            within = 1.96 * variation / math.sqrt(ideal)

            def make(number: int, draw: Callable[..., np.ndarray] = draw) -> Iterator[float]:
                random = np.random.default_rng(number)
                while True:
                    yield from draw(random, 64).tolist()

            for least in _FIRST:
                rule = Replicate(value="x", within=within, least=least, most=_MOST)
                _line(name, make, 1.0, points, rule, ideal)


def simulated(points: int) -> None:
    """Print the table of the real set-up."""
    routing = route(network_of("torus:dims=4x4,hosts=1", "replications").topology, "dor")
    values = [
        simulate(routing, loads=[0.8], seed=seed, jobs=1, interval=0.1, fast=True).points[0].latency_mean
        for seed in range(1, 4001)
    ]
    true, spread = statistics.fmean(values), statistics.stdev(values)
    print(f"mean {true:.4f}, standard deviation {spread / true:.3%}, skewness {_skewness(values):.2f}")
    array = np.array(values)

    def make(number: int) -> Iterator[float]:
        random = np.random.default_rng(number)
        while True:
            yield from random.choice(array, 64).tolist()

    for ideal in (10, 40):
        for least in _FIRST[1:]:
            within = 1.96 * spread / true / math.sqrt(ideal)
            _line("torus 4x4", make, true, points, Replicate(value="x", within=within, least=least, most=_MOST), ideal)


def _skewness(values: list[float]) -> float:
    array = np.asarray(values)
    return float((((array - array.mean()) / array.std()) ** 3).mean())


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--points", type=int, default=4000, help="points per line")
    parser.add_argument("--simulated", action="store_true", help="a real set-up")
    given = parser.parse_args()
    began = time.perf_counter()
    print(f"{'':27} {'':8}  {'covered':^31}  {'seeds':^20}")
    print(f"{'values':12}  within  first   ideal  two-stage     pooled sequential  two-stage sequential")
    simulated(given.points) if given.simulated else synthetic(given.points)
    print(f"{time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
