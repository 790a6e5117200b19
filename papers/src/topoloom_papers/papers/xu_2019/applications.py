"""Claims of Xu 2019, section 3.2: balanced tables against Floyd's on products of optimal graphs (figures 11 and 12).

The paper leaves open the placement of ranks and the all-to-all algorithm. A claim holds only if it holds in all setups.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean, stdev
from tempfile import NamedTemporaryFile

from msgspec import structs

from topoloom.routing.product import product_routing
from topoloom.routing.routing import Routing
from topoloom.routing.verification.verify import verify_routing
from topoloom.simulation.applications.settings import PRESETS, AppSettings
from topoloom.simulation.flits.execute import execute
from topoloom.simulation.flits.presets import find_preset
from topoloom.topologies.spec import build
from topoloom_papers._app_runs import AppResult, Job, needs_simgrid, run_jobs
from topoloom_papers._simgrid_paths import simgrid_routing
from topoloom_papers.curves import Curves, Series
from topoloom_papers.long_runs import long_run
from topoloom_papers.papers.xu_2019.loads import PRODUCT, balanced
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, Step, check_statements, compare
from topoloom_papers.words import MUCH, means

MACHINE = PRESETS["xu-2019"]
_BRUCK = structs.replace(MACHINE, algorithms="alltoall:bruck")
_DEGREES = (3, 4)
_RANKS = 256
_SIZES = (64, 1 << 10, 1 << 13, 1 << 16, 1 << 19)
#: Bruck's algorithm is used for blocks below this size, as in MPI libraries.
_SMALL_BYTES = 200
_FLOYD, _BALANCED = "tables of Floyd", "balanced tables of its factors"
PUBLISHED_SETTINGS = (
    "8 Gflop/s, 1 Gb/s full duplex, 30 us per link as published, here also for the links of hosts; one rank per switch"
)
_OPEN = "the paper gives neither the placement of ranks nor the all-to-all algorithm"
_SETTINGS = (
    f"{PUBLISHED_SETTINGS}; Floyd's tables use the first intermediate switch that makes a path shorter; switches without delay,"
    " rates shared evenly, ring all-to-alls unless stated otherwise"
)


def _command(what: str) -> str:
    return (
        f"topoloom reproduce xu-2019/{what} (no command makes Floyd's tables, or balances the factors of a product; Python's"
        " product_routing does)"
    )


def _network(tables: str, degree: int) -> str:
    return f"(16,{degree}) x (16,{degree}) by {tables}"


@lru_cache(maxsize=8)
def _routed(network: str) -> Routing:
    """The routing of a product of optimal graphs: tables of balanced factors, or Floyd's shortest paths."""
    tables, degree = network.rpartition(" by ")[2], int(network[4])
    topology = build(PRODUCT.format(degree)).with_hosts(1)
    if tables == _FLOYD:
        return simgrid_routing(topology, "Floyd")
    factor = balanced(16, degree).routing
    return product_routing(topology, [factor, factor])


@dataclass(frozen=True)
class _Setup:
    """Placement of ranks, number of random placements, and the machine's settings with its all-to-all algorithm."""

    placement: str
    seeds: int
    settings: AppSettings


_PLACED = {"in order": ("linear", 1), "at random": ("random", 3)}
_RING = {name: _Setup(*placed, MACHINE) for name, placed in _PLACED.items()}
_BY_BRUCK = {name: _Setup(*placed, _BRUCK) for name, placed in _PLACED.items()}

#: By degree: the results of each placement with Floyd's tables and with balanced tables.
Pairs = dict[int, list[tuple[AppResult, AppResult]]]


def _both(app: str, setup: _Setup) -> Pairs:
    jobs = {
        (tables, degree, seed): Job(_network(tables, degree), app, _RANKS, setup.placement, seed, setup.settings)
        for seed in range(1, setup.seeds + 1)
        for degree in _DEGREES
        for tables in (_FLOYD, _BALANCED)
    }
    runs = run_jobs(jobs.values(), _routed)
    return {
        degree: [
            (runs[jobs[_FLOYD, degree, seed]], runs[jobs[_BALANCED, degree, seed]])
            for seed in range(1, setup.seeds + 1)
        ]
        for degree in _DEGREES
    }


def _speeds(pairs: Pairs) -> dict[int, list[float]]:
    """Speedup over Floyd's tables, by degree, one value per placement."""
    return {degree: [ours.speedup_over(floyd) for floyd, ours in each] for degree, each in pairs.items()}


def _shares(speeds: Mapping[int, list[float]]) -> str:
    """Times in % of the time with Floyd's tables, in words."""
    parts = []
    for degree, values in speeds.items():
        share = sorted(100 / value for value in values)
        spread = f" ({share[0]:.1f} to {share[-1]:.1f})" if len(share) > 1 else ""
        parts.append(f"(16,{degree}) {fmean(share):.1f} %{spread}")
    return ", ".join(parts)


def _at_once(size: int) -> dict[int, float]:
    """Time with balanced tables in % of the time with Floyd's, by degree, if all messages are sent at once.

    The simulation is flit by flit, because SimGrid takes many minutes for each case. A flit has 8 bytes, a cycle is 64 ns, a
    link takes 469 cycles (30 us), and buffers are large enough for all messages.
    """
    messages = f"{_RANKS} ranks send {size} B to each other at once on (16,3) x (16,3) and (16,4) x (16,4)"
    command = f"topoloom simulate --traffic trace: {messages}; --preset booksim, 8 VCs, links of 469 cycles of 64 ns"
    percents = long_run(f"{command}, flits of 8 B, {_FLOYD}, and {_BALANCED}", list[float], lambda: _cycles(size))
    return dict(zip(_DEGREES, percents, strict=True))


def _cycles(size: int) -> list[float]:
    config = structs.replace(
        find_preset("booksim"), vcs=8, link_cycles=469, host_cycles=469, buffer_flits=1 << 15, cycle_ns=64.0
    )
    rows = [
        f"0,{source},{(source + step) % _RANKS},{(size + 16) // 8}"
        for step in range(1, _RANKS)
        for source in range(_RANKS)
    ]
    with NamedTemporaryFile("w", suffix=".csv") as file:
        file.write("\n".join(["cycle,source,destination,flits", *rows]) + "\n")
        file.flush()
        cycles = {
            (tables, degree): execute(_routed(_network(tables, degree)), f"trace:{file.name}", config).cycles
            for tables in (_BALANCED, _FLOYD)
            for degree in _DEGREES
        }
    return [100 * cycles[_BALANCED, degree] / cycles[_FLOYD, degree] for degree in _DEGREES]


def _max_load(degree: int) -> float:
    """Maximum channel load with balanced tables in % of that with Floyd's."""
    most = [int(verify_routing(_routed(_network(tables, degree))).channel_load.max()) for tables in (_BALANCED, _FLOYD)]
    return 100 * most[0] / most[1]


@claim(
    "xu-2019/fig-11/small",
    "all-to-all of small messages: time with balanced tables down to half of that with Floyd's",
    "half",
    _command("fig-11/small"),
)
@needs_simgrid
def _small() -> Outcome:
    shares_of = {
        f"{how}, ranks {name}": {k: [100 / value for value in values] for k, values in _speeds(pairs).items()}
        for how, setups in (("Bruck's", _BY_BRUCK), ("ring", _RING))
        for name, setup in setups.items()
        for pairs in (_both("alltoall:bytes=64", setup),)
    }
    for size in (64, 1008):
        shares_of[f"{size} B to all at once"] = {k: [share] for k, share in _at_once(size).items()}
    least = {setup: min(fmean(values) for values in shares.values()) for setup, shares in shares_of.items()}
    nearest = min(least, key=lambda setup: abs(least[setup] - 50))
    note = (
        f"{nearest}, the nearest of {len(least)} setups, and the product that gains more; {_OPEN}, nor what a small message is."
        " Without queues both tables take the same time, as both have shortest paths"
    )
    each = "; ".join(
        f"{setup}: {', '.join(f'(16,{k}) {fmean(values):.1f} %' for k, values in shares.items())}"
        for setup, shares in shares_of.items()
    )
    return compare(
        {"%": "50"},
        {"%": least[nearest]},
        step=Step(5, "half of ten percent, for 'half'"),
        readings=len(least),
        assumption=note,
        reason=note,
        digits=3,
        details=f"% of the time with Floyd's tables: {each}. 64 bytes in a ring never queue; Bruck's algorithm sends blocks of"
        " 8 kB in 8 steps; messages to all at once queue at the channel with the maximum load, which with balanced tables is"
        f" {_max_load(3):.0f} % ((16,4): {_max_load(4):.0f} %) of that with Floyd's; they are simulated by our flit simulator,"
        f" as SimGrid takes many minutes; {_SETTINGS}",
    )


def _by_size(name: str, bruck: bool) -> dict[int, dict[int, list[float]]]:
    """Speedups over Floyd's tables, by message size and degree."""
    return {
        size: _speeds(_both(f"alltoall:bytes={size}", (_BY_BRUCK if bruck and size < _SMALL_BYTES else _RING)[name]))
        for size in _SIZES
    }


def _figure_11() -> tuple[dict[str, dict[int, dict[int, list[float]]]], Curves]:
    """Speedups by setup, message size and degree; and the figure."""
    times_of = {
        f"{how}, ranks {name}": _by_size(name, bruck)
        for how, bruck in (("Bruck's below 200 B", True), ("ring", False))
        for name in _PLACED
    }
    series = tuple(
        Series(
            f"(16,{k}) x (16,{k}), {setup}",
            tuple((float(size), fmean(1 / value for value in times[size][k])) for size in _SIZES),
        )
        for setup, times in times_of.items()
        for k in _DEGREES
    )
    title, y = "All-to-all, 256 ranks", "time / time with Floyd's tables"
    return times_of, Curves("xu-2019-figure-11", title, "bytes per rank", y, series, log_x=True)


def _all_sizes() -> str:
    times_of, _ = _figure_11()
    return (
        "time in % of the time with Floyd's tables. "
        + ". ".join(
            f"{setup}: " + "; ".join(f"{size} B: {_shares(speeds)}" for size, speeds in times.items())
            for setup, times in times_of.items()
        )
        + f". {_SETTINGS}"
    )


@claim(
    "xu-2019/fig-11/faster",
    "all-to-all up to 512 kB: balanced tables are faster than Floyd's",
    "faster",
    _command("fig-11/faster"),
)
@needs_simgrid
def _sizes() -> Outcome:
    times_of, figure = _figure_11()
    faster = {
        f"{setup}, {size} B": all(value > 1 for values in speeds.values() for value in values)
        for setup, times in times_of.items()
        for size, speeds in times.items()
    }
    return check_statements(
        faster,
        f"faster in {sum(faster.values())} of {len(faster)} cases",
        f"tested for {len(_SIZES)} sizes in {len(times_of)} setups; {_OPEN}",
        figure=figure,
        details=_all_sizes(),
    )


@claim(
    "xu-2019/fig-11/mostly-small",
    "all-to-all up to 512 kB: balanced tables gain most over Floyd's with the smallest messages",
    "most when small",
    _command("fig-11/mostly-small"),
)
@needs_simgrid
def _mostly_small() -> Outcome:
    times_of, figure = _figure_11()
    largest = {
        f"{setup}, (16,{k})": max(_SIZES, key=lambda size: fmean(times[size][k]))
        for setup, times in times_of.items()
        for k in _DEGREES
    }
    return check_statements(
        {name: size == _SIZES[0] for name, size in largest.items()},
        "the largest gain is at: " + ", ".join(f"{size} B" for size in sorted(set(largest.values()))),
        f"tested for {len(_SIZES)} sizes in {len(times_of)} setups; {_OPEN}",
        figure=figure,
        details=_all_sizes(),
    )


def _bandwidth(degree: int, percent: str) -> None:
    @claim(
        f"xu-2019/fig-12/bandwidth-16-{degree}",
        f"(16,{degree}) x (16,{degree}): effective bandwidth with balanced tables above that with Floyd's",
        f"+{percent} %",
        _command(f"fig-12/bandwidth-16-{degree}"),
    )
    @needs_simgrid
    def compute() -> Outcome:
        gains = {
            f"ranks {name}": [100 * (value - 1) for value in _speeds(_both("beff:loops=1", setup))[degree]]
            for name, setup in _RING.items()
        }
        nearest = min(gains, key=lambda name: abs(fmean(gains[name]) - float(percent)))
        spread = 2 * stdev(gains[nearest]) if len(gains[nearest]) > 1 else 0.0
        note = f"{nearest}, the nearer of {len(gains)} placements, as the paper gives none; our b_eff program, each size once"
        return compare(
            {"%": percent},
            {"%": fmean(gains[nearest])},
            step=Step(round(spread, 2), "two standard deviations over random placements"),
            readings=len(gains),
            assumption=note,
            reason=note,
            digits=3,
            details="; ".join(f"{name}: {', '.join(f'{gain:+.1f} %' for gain in each)}" for name, each in gains.items())
            + f"; {PUBLISHED_SETTINGS}",
        )


_bandwidth(3, "20.0")
_bandwidth(4, "13.8")


def _ft_app(class_: str) -> str:
    return f"ft:class={class_},iterations=1,untimed=no"


def _ft(class_: str) -> dict[str, dict[int, list[float]]]:
    """Speedups of NAS FT over Floyd's tables, by setup and degree."""
    return {name: _speeds(_both(_ft_app(class_), setup)) for name, setup in _RING.items()}


def _ft_faster(class_: str) -> None:
    @claim(
        f"xu-2019/fig-12/ft-{class_.lower()}",
        f"NAS FT class {class_}: performance increases tremendously with balanced tables",
        "tremendously",
        _command(f"fig-12/ft-{class_.lower()}"),
    )
    @needs_simgrid
    def compute() -> Outcome:
        speeds_of = _ft(class_)
        ours = "; ".join(f"ranks {name}: {_shares(speeds)}" for name, speeds in speeds_of.items())
        return check_statements(
            {
                f"ranks {name}: tremendously faster on both": all(
                    value > 1 + MUCH for v in speeds.values() for value in v
                )
                for name, speeds in speeds_of.items()
            },
            ours,
            f"{means('tremendously', MUCH)}; time in % of the time with Floyd's tables, one iteration; {_OPEN}",
            details=_SETTINGS,
        )


_ft_faster("A")
_ft_faster("C")


@claim(
    "xu-2019/fig-12/ft-most",
    "NAS FT gains more from balanced tables in class C than in class A",
    "especially class C",
    _command("fig-12/ft-most"),
)
@needs_simgrid
def _ft_most() -> Outcome:
    small, large = _ft("A"), _ft("C")
    return check_statements(
        {
            f"ranks {name}: on (16,{k}) x (16,{k})": fmean(large[name][k]) > fmean(small[name][k])
            for name in _RING
            for k in _DEGREES
        },
        "; ".join(f"ranks {name}: class A {_shares(small[name])}, class C {_shares(large[name])}" for name in _RING),
        f"time in % of the time with Floyd's tables, one iteration; {_OPEN}",
        details=_SETTINGS,
    )


@claim(
    "xu-2019/fig-12/degrees",
    "the higher degree improves the throughput: (16,4) x (16,4) compared with (16,3) x (16,3)",
    "improves",
    _command("fig-12/degrees"),
)
@needs_simgrid
def _degrees() -> Outcome:
    apps = {"b_eff": "beff:loops=1", "all-to-all of 64 kB": f"alltoall:bytes={1 << 16}", "FT C": _ft_app("C")}
    statements, rows, ratios = {}, [], list[float]()
    for app, program in apps.items():
        for name, setup in _RING.items():
            pairs = _both(program, setup)
            for at, tables in enumerate((_FLOYD, _BALANCED)):
                faster = [high[at].speedup_over(low[at]) for low, high in zip(pairs[3], pairs[4], strict=True)]
                statements[f"{app}, ranks {name}, {tables}"] = min(faster) > 1
                ratios.append(fmean(faster))
                rows.append(f"{app}, ranks {name}, {tables} {ratios[-1]:.2f}")
    return check_statements(
        statements,
        f"faster in {sum(statements.values())} of {len(statements)} cases, by {100 * (min(ratios) - 1):.0f} to"
        f" {100 * (max(ratios) - 1):.0f} %",
        f"b_eff, all-to-all and FT, by both tables; {_OPEN}",
        details=f"speed of (16,4) x (16,4) over (16,3) x (16,3): {'; '.join(rows)}; {_SETTINGS}",
    )
