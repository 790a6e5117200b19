"""Flows compared with SimGrid and flits in one run, and large cases that only flows can simulate.

    python benchmarks/flows.py [--only agreement,contended,flits,waiting,step,large-step,all-to-all]
        [--seconds 150]

`agreement`: collectives, NAS skeletons and steps of training on 16 and 64 ranks: simulated seconds by SimGrid and by flows, and
the computing time of both. `contended`: time steps of NAS programs on 256 randomly placed ranks, with most channels full.
`flits`: each host sends to one other host, flit by flit and as a flow, with 4 and with 8 virtual channels; the column `paced`
is for flits with no host sending faster than the slowest flow, `behind` the `head_of_line_share` of the flows. `waiting`: why
two patterns on a Slim Fly take longer flit by flit: the same with other numbers of virtual channels, buffers and flits per
packet.
`step`, `large-step`: a step of GPT-3 175B on 1,024 and on 32,768 accelerators. `all-to-all`: 64 KiB between all pairs of 16,384
hosts, by pairs, exactly on a fat tree and with a window on a Slim Fly. These are stopped after `--seconds`, and the total time
is extrapolated.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from msgspec import structs

from topoloom.core.errors import Stopped
from topoloom.core.work import Work
from topoloom.routing.host_routings import host_routings
from topoloom.routing.route import route
from topoloom.routing.routing import Routing
from topoloom.simulation.applications.machine import network_as_flows
from topoloom.simulation.applications.registry import program_of
from topoloom.simulation.applications.run import run_app
from topoloom.simulation.applications.schedules import as_schedule
from topoloom.simulation.applications.settings import AppSettings
from topoloom.simulation.flits.execute import execute
from topoloom.simulation.flits.presets import find_preset
from topoloom.simulation.flows.network import flow_network
from topoloom.simulation.flows.programs import Programs, Script
from topoloom.simulation.flows.schedule import Schedule
from topoloom.simulation.flows.simulate import simulate_flows
from topoloom.topologies.spec import build

#: 200 Gb/s per host, and an accelerator that reaches half of an A100's 312 Tflop/s.
_GPUS = AppSettings(speed_gflops=156_000, rate_gbps=200)
_AGREEMENT = (
    "alltoall:bytes=1000",
    "alltoall:bytes=100000",
    "allreduce:bytes=1048576",
    "collective:operation=allreduce,algorithm=hierarchical,group=4",
    "collective:operation=moe,group=8",
    "cg:class=A",
    "lu:class=W",
    "mg:class=A",
    "training:model=gpt3-175b,layers=8,tp=4,pp=4,zero=1,batch=32",
    "training:model=mixtral-8x7b,layers=4,tp=2,pp=2,ep=4,batch=32,sequence=1024",
)
_CUT = "iterations=1,untimed=no"
_CONTENDED = (*(f"{name}:class=B,{_CUT}" for name in ("bt", "cg", "lu", "sp")), f"ft:class=A,{_CUT}")
_CYCLE_S, _FLIT_BYTES, _PACKETS, _FLITS = 1.6e-9, 8, 200, 16


def main() -> None:
    """Print the selected tables."""
    parts: dict[str, Callable[[float], None]] = {
        "agreement": _agreement,
        "contended": _contended,
        "flits": _flits,
        "waiting": _waiting,
        "step": _step,
        "large-step": _large_step,
        "all-to-all": _all_to_all,
    }
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(parts))
    parser.add_argument("--seconds", type=float, default=150.0)
    options = parser.parse_args()
    for name in options.only.split(","):
        parts[name](options.seconds)


def _agreement(_: float) -> None:
    _head()
    for spec, ranks in (("torus:dims=4x4,hosts=1", 16), ("slimfly:q=5,hosts=2", 64)):
        routing = route(build(spec))
        run_app(routing, "alltoall:bytes=100", ranks, simulator="flows")  # compiles
        for app in _AGREEMENT:
            _compared_with_simgrid(
                routing, app, ranks, "linear", _GPUS if app.startswith("training") else AppSettings()
            )
    print("SimGrid adds 16 bytes to a message; the order of messages that are ready at the same time differs.")


def _contended(_: float) -> None:
    _head()
    for spec in ("torus:dims=8x8,hosts=4", "dsn-f:n=64,hosts=4"):
        routing = route(build(spec))
        run_app(routing, "alltoall:bytes=100", 16, simulator="flows")  # compiles
        for app in _CONTENDED:
            _compared_with_simgrid(routing, app, 256, "random", AppSettings())


def _head() -> None:
    print(f"{'ranks':>5} {'application':64} {'SimGrid':>11} {'flows':>11} {'off':>7} {'took':>7} {'took':>7}")


def _compared_with_simgrid(routing: Routing, app: str, ranks: int, placement: str, settings: AppSettings) -> None:
    """Print the simulated and the computing times of both."""
    simulated, took = [], []
    for simulator in ("simgrid", "flows"):
        begin = time.perf_counter()
        run = run_app(routing, app, ranks, placement=placement, settings=settings, simulator=simulator)
        simulated.append(run.measured.value)
        took.append(time.perf_counter() - begin)
    off = 100 * (simulated[1] / simulated[0] - 1)
    print(
        f"{ranks:5} {app:64} {simulated[0]:11.6g} {simulated[1]:11.6g} {off:+6.2f}% {took[0]:6.2f}s {took[1]:6.2f}s",
        flush=True,
    )


def _flits(_: float) -> None:
    print(
        f"\n{'network':26} {'vcs':>3} {'pairs':10} {'flits':>8} {'flows':>9} {'off':>8} {'paced':>8} {'behind':>7}  (cycles)"
    )
    for spec, engine in (
        ("torus:dims=4x4,hosts=1", "dor"),
        ("slimfly:q=5,hosts=1", "orders"),
        ("fat-tree:k=4", "fat-tree"),
    ):
        routing = route(build(spec), engine)
        hosts = routing.topology.endpoints.size
        order = np.random.default_rng(3).permutation(hosts)
        for vcs in (4, 8):
            for name, to in (
                ("random", order),
                ("one on", (np.arange(hosts) + 1) % hosts),
                ("two to one", _twos(hosts)),
            ):
                pairs = [(a, int(b)) for a, b in enumerate(to) if a != b]
                by_flits, flows = _by_flits(routing, pairs, vcs, _FLITS), _as_flows(routing, pairs)
                by_flows = flows.seconds / _CYCLE_S
                paced = _by_flits(routing, pairs, vcs, int(by_flows / _PACKETS))
                off = 100 * (by_flows / by_flits - 1)
                print(
                    f"{spec:26} {vcs:3} {name:10} {by_flits:8} {by_flows:9.0f} {off:+7.2f}% {paced:8}"
                    f" {flows.head_of_line_share:7.3f}",
                    flush=True,
                )
    print(
        "Flows share a channel by flow; in a virtual channel packets wait behind those of others (head-of-line blocking)."
    )


def _waiting(_: float) -> None:
    routing = route(build("slimfly:q=5,hosts=1"), "orders")
    hosts = routing.topology.endpoints.size
    print(f"\n{'pairs':10} {'flows':>6} {'vcs':>4} {'buffer':>6} {'packet':>6} {'flits':>6} {'longer':>8}  (cycles)")
    for name, to in (("one on", (np.arange(hosts) + 1) % hosts), ("two to one", _twos(hosts))):
        pairs = [(a, int(b)) for a, b in enumerate(to) if a != b]
        by_flows = _as_flows(routing, pairs).seconds / _CYCLE_S
        for vcs, buffer_flits, size in (
            *((vcs, 16 * vcs, _FLITS) for vcs in (4, 8, 16, 32)),
            *((4, buffer_flits, _FLITS) for buffer_flits in (256, 512, 1024, 2048, 4096)),
            (4, 64, 1),
        ):
            cycles = _by_flits(routing, pairs, vcs, size, buffer_flits=buffer_flits, size=size)
            longer = 100 * (cycles / by_flows - 1)
            print(f"{name:10} {by_flows:6.0f} {vcs:4} {buffer_flits:6} {size:6} {cycles:6} {longer:+7.1f}%", flush=True)


def _twos(hosts: int) -> np.ndarray:
    return (np.arange(hosts) // 2 * 2 + 5) % hosts


def _by_flits(routing, pairs, vcs, apart, buffer_flits=64, size=_FLITS):  # type: ignore[no-untyped-def]
    """Cycles until all packets of `size` flits have arrived; each host creates one every `apart` cycles."""
    routers = structs.replace(find_preset("booksim"), link_cycles=5, host_cycles=1, vcs=vcs, buffer_flits=buffer_flits)
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace.csv"
        lines = [f"{number * apart},{a},{b},{size}\n" for number in range(_PACKETS * _FLITS // size) for a, b in pairs]
        trace.write_text("cycle,source,destination,flits\n" + "".join(lines))
        return execute(routing, f"trace:{trace}", routers).cycles


def _as_flows(routing, pairs):  # type: ignore[no-untyped-def]
    """The same, simulated as flows."""
    hosts, links, rate = routing.topology.endpoints.size, len(routing.topology.links), _FLIT_BYTES / _CYCLE_S
    net = flow_network(
        [routing],
        link_rate=rate,
        host_rate=rate,
        cable_s=np.full(links, 5 * _CYCLE_S),
        switch_s=2 * _CYCLE_S,
        host_s=_CYCLE_S,
    )
    scripts = tuple(Script() for _ in range(hosts))
    for slot, (a, b) in enumerate(pairs):
        scripts[a].post_send(slot, b, _PACKETS * _FLITS * _FLIT_BYTES, slot)
        scripts[b].post_receive(slot, a, slot)
    for slot, (_, b) in enumerate(pairs):
        scripts[b].wait(slot)
    programs = Programs(scripts, np.arange(hosts), (np.zeros(hosts, np.int64),))
    return simulate_flows(net, Schedule("pairs", programs), np.arange(hosts))


def _step(seconds: float) -> None:
    tables = host_routings(build("fat-tree:k=16"), "fat-tree", 8)
    _timed(
        "GPT-3 175B, tp 8, pp 8, dp 16, batch 1,536, on fat-tree:k=16",
        tables,
        "training:model=gpt3-175b,tp=8,pp=8",
        1024,
        0,
        seconds,
    )


def _large_step(seconds: float) -> None:
    name = "GPT-3 175B, tp 8, pp 8, dp 512, batch 1,536, on fat-tree:k=64,pods=32"
    tables = host_routings(build("fat-tree:k=64,pods=32"), "fat-tree", 32)
    _timed(name, tables, "training:model=gpt3-175b,tp=8,pp=8", 32768, 0.0, seconds)


def _all_to_all(seconds: float) -> None:
    app = "alltoall:bytes=65536"
    tables = host_routings(build("fat-tree:k=64,pods=16"), "fat-tree", 32)
    _timed("all-to-all by pairs on fat-tree:k=64,pods=16, exact", tables, app, 16384, 0.0, seconds)
    tables = host_routings(build("slimfly:q=27,hosts=12"), "minimal", 1)
    _timed("all-to-all by pairs on slimfly:q=27,hosts=12, window 0.2", tables, app, 16384, 0.2, seconds)


def _timed(name, tables, app, ranks, window, seconds):  # type: ignore[no-untyped-def]
    """Simulate, and print the computing time, extrapolated if it was stopped."""
    net, schedule = network_as_flows(tables, _GPUS, None), as_schedule(program_of(app, ranks), _GPUS)
    work, begin = Work(seconds=seconds), time.perf_counter()
    try:
        outcome = simulate_flows(net, schedule, np.arange(ranks), window=window, work=work)
    except Stopped:
        took, share = time.perf_counter() - begin, work.progress.done / (work.progress.total or 1)
        print(f"{name}: {100 * share:.1f} % in {took:.0f} s; {took / share:.0f} s in total", flush=True)
        return
    took = time.perf_counter() - begin
    print(
        f"{name}: {outcome.seconds:.6g} s simulated, {outcome.messages:,} messages, {outcome.fillings:,} fillings,"
        f" in {took:.0f} s, {outcome.cpu_s:.0f} s of CPU",
        flush=True,
    )


if __name__ == "__main__":
    main()
