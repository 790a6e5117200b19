"""The simulator: flit-hops per second compared with BookSim 2, on large networks, and for 10,000 cycles of a Slim Fly.

    python benchmarks/simulator.py [--rival PATH] [--only rival,large,long,cores,whole] [--quick]

PATH is a BookSim 2 (commit 28f43299) that you built with `-O3`; without it its columns are empty. All times are CPU time of
one thread. A flit-hop is one flit that leaves one router. Our time excludes compiling, building and routing. BookSim's time is
the CPU time of a run minus that of a run of four cycles, which is setup. Runs of the two alternate, and the ratio is the
median over pairs of consecutive runs; the clock of the machine varies, so other ratios are not meaningful.

`rival`: the same network, buffers, packets and load for both, from empty routers. On Slim Flies a packet may take any of 3
virtual channels in both, the only rule of BookSim's `anynet`. Both Dragonflies have links of 10 cycles in groups and of 100
between groups (compiled into BookSim), but different virtual channels and different minimal paths. Mean latencies are printed
to show that both do the same work.

`large`: networks that BookSim does not finish in a reasonable time. `long`: 10,000 cycles, and the maximum memory of a process
that builds, routes and simulates. `cores`: wall-clock seconds of one load on one core and on two. `whole`: wall-clock seconds
on all cores for ten loads and for saturation to 0.01 of a Slim Fly of 10,830 hosts (q=19), with `fast`; with --quick of 450
hosts (q=7).
"""

import argparse
import multiprocessing
import resource
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from booksim_runs import average, text_of
from msgspec import structs

from topoloom.core.errors import InputError
from topoloom.fabric.exports.booksim import anynet_text
from topoloom.routing.route import route
from topoloom.routing.routing import Routing
from topoloom.simulation.flits.buffers import DONE, HOPS, LATENCY
from topoloom.simulation.flits.router_config import RouterConfig
from topoloom.simulation.flits.run import RouterRun
from topoloom.simulation.flits.saturation import saturation
from topoloom.simulation.flits.simulate import simulate
from topoloom.throughput.traffic import traffic_of
from topoloom.topologies.spec import build

#: Options of all runs of BookSim 2; each case adds its own.
_OPTIONS = {
    "router": "iq",
    "internal_speedup": "2.0",
    "credit_delay": 2,
    "routing_delay": 0,
    "vc_alloc_delay": 1,
    "sw_alloc_delay": 1,
    "st_final_delay": 1,
    "output_buffer_size": -1,
    "vc_allocator": "separable_input_first",
    "use_noc_latency": 0,
    "sw_allocator": "separable_input_first",
    "injection_rate_uses_flits": 1,
    "sim_type": "throughput",
    "traffic": "uniform",
    "warmup_periods": 1,
    "max_samples": 4,
    "stopping_thres": "-1.0",
    "acc_stopping_thres": "-1.0",
    "deadlock_warn_timeout": 10000,
}
#: Number of samples of a BookSim run; all packets arrive after the last one.
_SAMPLES = 4


@dataclass(frozen=True)
class Case:
    """One network and load; `cycles` of ours and of BookSim; `options` of BookSim, empty if it does not run the case."""

    name: str
    spec: str
    engine: str
    load: float
    cycles: tuple[int, int]
    config: RouterConfig = field(default_factory=RouterConfig)
    options: dict[str, Any] = field(default_factory=dict)
    cables: tuple[int, int] | None = None  # cycles within groups and between them


@dataclass(frozen=True)
class Timed:
    """A run: flit-hops, CPU seconds of one thread, mean latency in cycles, and maximum memory of the process in bytes."""

    hops: float
    seconds: float
    latency: float
    memory: int = 0

    @property
    def speed(self) -> float:
        """Million flit-hops per second."""
        return self.hops / self.seconds / 1e6


_FREE = RouterConfig(vcs=3, to_itself=True)
_ANY = {"topology": "anynet", "routing_function": "min", "num_vcs": 3, "vc_buf_size": 21}
_COMPARED = (
    Case("Slim Fly q=5, p=4", "slimfly:q=5,hosts=4", "minimal", 0.5, (20_000, 2000), _FREE, _ANY),
    Case("Slim Fly q=19, p=15", "slimfly:q=19,hosts=15", "minimal", 0.5, (1000, 200), _FREE, _ANY),
    Case(
        "Slim Fly q=19, packets of 8",
        "slimfly:q=19,hosts=15",
        "minimal",
        0.3,
        (1000, 200),
        structs.replace(_FREE, packet_flits=8),
        _ANY | {"packet_size": 8},
    ),
    Case(
        "mesh 8x8, packets of 8",
        "mesh:dims=8x8,hosts=1",
        "dor",
        0.2,
        (40_000, 4000),
        structs.replace(_FREE, packet_flits=8),
        {
            "topology": "mesh",
            "k": 8,
            "n": 2,
            "routing_function": "dim_order",
            "num_vcs": 3,
            "vc_buf_size": 21,
            "packet_size": 8,
        },
    ),
    Case(
        "Dragonfly h=4, UGAL-L",
        "dragonfly:h=4",
        "ugal-l",
        0.3,
        (4000, 800),
        RouterConfig(buffer_flits=1536, to_itself=True, detours=1, detour_threshold=30, detour_weight=2),
        {"topology": "dragonflynew", "k": 4, "n": 1, "routing_function": "ugal", "num_vcs": 3, "vc_buf_size": 256},
        (10, 100),
    ),
)
_Q43, _JELLY = "slimfly:q=43,hosts=8", "jellyfish:n=5000,degree=24,hosts=8"
_LARGE = (
    *(Case("Slim Fly q=43, p=8", _Q43, "hop-vcs", load, (cycles, 0)) for load, cycles in ((0.05, 2000), (0.5, 400))),
    *(
        Case("jellyfish 5,000 x 24, 8 hosts", _JELLY, "hop-vcs", load, (cycles, 0))
        for load, cycles in ((0.05, 1000), (0.3, 300), (0.5, 200), (0.8, 150))
    ),
)
_LONG = (Case("Slim Fly q=19, p=15, 10,000 cycles", "slimfly:q=19,hosts=15", "hop-vcs", 0.5, (10_000, 0)),)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rival", type=Path, help="a BookSim 2; omitted: only ours")
    parser.add_argument("--only", default="rival,large,long,cores,whole", help="parts, separated by commas (all)")
    parser.add_argument("--quick", action="store_true", help="a tenth of the cycles, once each")
    arguments = parser.parse_args()
    parts = arguments.only.split(",")
    if "rival" in parts:
        if arguments.rival is None:
            print("no --rival PATH: BookSim 2 is omitted")
        print(
            f"{'case':36} {'load':>5} {'ours':>8} {'BookSim':>8} {'ratio':>6}  mean latency of both (million flit-hops/s)"
        )
        for case in _COMPARED:
            print(_compared(_shorter(case, arguments.quick), arguments.rival, 1 if arguments.quick else 3), flush=True)
    for part, cases in (("large", _LARGE), ("long", _LONG)):
        if part in parts:
            print(
                f"\n{'case':36} {'load':>5} {'ours':>8} {'cycles':>7} {'seconds':>8}  most memory (million flit-hops/s)"
            )
            for case in cases:
                print(_alone(_shorter(case, arguments.quick)), flush=True)
    if "cores" in parts:
        _print_cores(replace(_LONG[0], name="Slim Fly q=19, p=15", cycles=(1000, 0)))
    if "whole" in parts:
        _print_whole("slimfly:q=7,hosts=5" if arguments.quick else "slimfly:q=19,hosts=15")


def _print_cores(case: Case) -> None:
    """Print the wall-clock times of one load on one core and on two, in turn, and the median of their ratios."""
    routing = route(build(case.spec), case.engine)
    traffic, pairs = traffic_of("uniform", routing), []
    for seed in range(6):  # the first one compiles
        times = []
        for cores in (1, 2):
            run = RouterRun(routing, case.config, traffic, case.load, seed, cores=cores)
            run.go(200, 0, 1 << 60)
            began = time.perf_counter()
            run.go(case.cycles[0], 0, 1 << 60)
            times.append(time.perf_counter() - began)
        pairs.append(times)
    one, two = (statistics.median(times) for times in zip(*pairs[1:], strict=True))
    ratio = statistics.median(times[0] / times[1] for times in pairs[1:])
    print(
        f"\n{case.name}, {case.cycles[0]:,} cycles: {one:.2f} s on one core, {two:.2f} s on two, {ratio:.2f} times as fast"
    )


def _print_whole(spec: str) -> None:
    """Print the wall-clock time of ten loads and of saturation."""
    routing = route(build(spec), "hop-vcs")
    began = time.perf_counter()
    curve = simulate(routing, loads=[load / 10 for load in range(1, 11)], fast=True)
    print(f"\n{spec}, {routing.topology.endpoints.size:,} hosts: ten loads {time.perf_counter() - began:.1f} s (wall)")
    for point in curve.points:
        mean = f"latency {point.latency_mean:.3f} +- {point.latency_ci95:.3f}" if not point.saturated else "saturated"
        print(f"  {point.offered:.1f}  accepted {point.accepted:.4f}  {mean}")
    began = time.perf_counter()
    point = saturation(routing, fast=True)
    print(f"  saturates at {point.offered:g} ({point.accepted:.4f}): {time.perf_counter() - began:.1f} s (wall)")


def _shorter(case: Case, quick: bool) -> Case:
    return replace(case, cycles=(case.cycles[0] // 10, case.cycles[1] // 10)) if quick else case


def _compared(case: Case, rival: Path | None, repeats: int) -> str:
    """One line of the table: the medians of both, and of their ratio."""
    routing = route(build(case.spec), case.engine)
    heading = f"{case.name:36} {case.load:5.2f}"
    try:
        _ours(replace(case, cycles=(2, 0)), routing, 1)  # compiles, or refuses
    except InputError as error:
        return f"{heading}  omitted: {error}"
    pairs = [
        (_ours(case, routing, turn), _theirs(case, rival, turn) if rival else None) for turn in range(1, repeats + 1)
    ]
    ours = statistics.median(own.speed for own, _ in pairs)
    latency = f"{pairs[0][0].latency:.2f}"
    both = [(own, other) for own, other in pairs if other is not None]
    if not both:
        return f"{heading} {ours:8.2f} {'-':>8} {'-':>6}  {latency}"
    theirs = statistics.median(other.speed for _, other in both)
    ratio = statistics.median(own.speed / other.speed for own, other in both)
    return f"{heading} {ours:8.2f} {theirs:8.3f} {ratio:6.1f}  {latency} / {both[0][1].latency:.2f}"


def _alone(case: Case) -> str:
    """One line of the table without BookSim; the run has its own process, so that its memory can be measured."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        run = pool.submit(_in_own_process, case).result()
    return (
        f"{case.name:36} {case.load:5.2f} {run.speed:8.2f} {case.cycles[0]:7} {run.seconds:8.1f} "
        f" {run.memory / 2**20:,.0f} MiB"
    )


def _in_own_process(case: Case) -> Timed:
    routing = route(build(case.spec), case.engine)
    _ours(replace(case, cycles=(2, 0)), routing, 1)  # compiles
    run = _ours(case, routing, 1)
    return replace(run, memory=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)


def _ours(case: Case, routing: Routing, seed: int) -> Timed:
    """Run our simulator without `simulate`, to time the kernel only."""
    cables, topology = None, routing.topology
    if case.cables is not None:
        group = np.asarray(topology.labels["group"])
        cables = np.where(group[topology.links[:, 0]] == group[topology.links[:, 1]], *case.cables)
    run = RouterRun(routing, case.config, traffic_of("uniform", routing), case.load, seed, cables=cables)
    seconds = _seconds(lambda: run.go(case.cycles[0], 0, 1 << 60), resource.RUSAGE_THREAD)
    state = run.network.state
    return Timed(float(state[HOPS]), seconds, float(state[LATENCY]) / max(1, int(state[DONE])))


def _theirs(case: Case, rival: Path, seed: int) -> Timed:
    """Run BookSim and subtract its setup; injected flits arrive before the run ends."""
    options = _OPTIONS | case.options | {"injection_rate": case.load, "seed": seed}
    topology = build(case.spec)
    network = anynet_text(topology) if options["topology"] == "anynet" else None
    sample = case.cycles[1] // _SAMPLES
    text, seconds = _run(rival, options | {"sample_period": sample}, network)
    _, setup = _run(rival, options | {"sample_period": 1}, network)
    flits = _average(text, "Injected flit rate") * topology.endpoints.size * sample * _SAMPLES
    return Timed(flits * _average(text, "Hops"), seconds - setup, _average(text, "Packet latency"))


def _run(rival: Path, options: dict[str, Any], network: str | None) -> tuple[str, float]:
    outputs: list[str] = []
    seconds = _seconds(lambda: outputs.append(text_of(rival, options, network)), resource.RUSAGE_CHILDREN)
    return outputs[0], seconds


def _average(text: str, label: str) -> float:
    value = average(text, label)
    if value is None:
        raise SystemExit(f"the rival printed no '{label} average'; it ended with:\n{text[-500:]}")
    return value


def _seconds(call: Callable[[], None], who: int) -> float:
    """CPU seconds of a call in user mode, of this thread or of finished children."""
    before, start = resource.getrusage(who).ru_utime, time.thread_time()
    call()
    if who == resource.RUSAGE_THREAD:
        return time.thread_time() - start
    return resource.getrusage(who).ru_utime - before


if __name__ == "__main__":
    main()
