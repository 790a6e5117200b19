"""SimGrid as a backend: time and memory of platforms, replays and an all-to-all; and compared with the flit simulator.

    python benchmarks/applications.py [--only platform,replay,all-to-all,agreement] [--largest 1024]

`platform`: tori of 64, 256 and 1,024 switches with 4 hosts each; two ranks start and end. Printed are the seconds and memory of
SimGrid's process, and the seconds to write its input file. `replay`: NAS skeletons of 64 and 256 ranks, complete. `all-to-all`:
64 KiB between all pairs of 1,024 ranks, by SimGrid's algorithms ring (our default) and pair. `agreement`: all-to-all on
networks of 64 hosts, by SimGrid and flit by flit.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from msgspec import structs

from topoloom.routing.route import route
from topoloom.routing.routing import Routing
from topoloom.simulation.applications.launch import run_smpi, workplace
from topoloom.simulation.applications.platform import write_fabric
from topoloom.simulation.applications.processes import ProcessLimits
from topoloom.simulation.applications.run import run_app
from topoloom.simulation.applications.settings import AppSettings
from topoloom.simulation.applications.tools import compiled, platform_library
from topoloom.simulation.flits.execute import execute
from topoloom.simulation.flits.presets import find_preset
from topoloom.simulation.flits.simulate import simulate
from topoloom.topologies.spec import build

_TORI = {64: "8x8", 256: "16x16", 1024: "32x32"}
_NOTHING = "#include <mpi.h>\nint main(int c, char **v) { MPI_Init(&c, &v); MPI_Finalize(); }\n"
#: Runs the given command and writes its CPU seconds and its maximum memory to a file.
_MEASURE = """import resource, subprocess, sys
code = subprocess.run(sys.argv[2:]).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
open(sys.argv[1], "w").write(f"{used.ru_utime + used.ru_stime} {used.ru_maxrss}")
sys.exit(code)
"""
#: Networks of 64 hosts with deadlock-free tables: (spec, engine).
_NETWORKS = (
    ("ring:n=64,hosts=1", "dfsssp-switches"),
    ("torus:dims=8x8,hosts=1", "dor"),
    ("torus:dims=4x4x4,hosts=1", "dor"),
    ("hypercube:n=6,hosts=1", "dor"),
    ("jellyfish:n=64,degree=4,hosts=1", "orders"),
    ("jellyfish:n=64,degree=8,hosts=1", "orders"),
    ("hyperx:dims=8x8,hosts=1", "dor"),
    ("pgft:m=2x4x8,w=1x4x4", "fat-tree"),
)
#: Networks of at least 1,024 hosts.
_LARGE = ("fat-tree:k=16", "slimfly:q=13,hosts=4", "jellyfish:n=256,degree=12,hosts=4", "torus:dims=16x16,hosts=4")


def main() -> None:
    """Print the selected tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="platform,replay,all-to-all,agreement")
    parser.add_argument("--largest", type=int, default=1024, help="switches of the largest platform")
    options = parser.parse_args()
    parts: dict[str, Callable[[argparse.Namespace], None]] = {
        "platform": _platform,
        "replay": _replay,
        "all-to-all": _all_to_all,
        "agreement": _agreement,
    }
    for name in options.only.split(","):
        parts[name](options)


def _platform(options: argparse.Namespace) -> None:
    print("switches  hosts  file [s]  file [MB]  SimGrid [s]  CPU [s]  memory [MB]")
    for switches, dims in _TORI.items():
        if switches > options.largest:
            continue
        routing = route(build(f"torus:dims={dims},hosts=4"), "minimal")
        settings = AppSettings()
        with workplace() as folder, tempfile.TemporaryDirectory() as other:
            (Path(other) / "nothing.c").write_text(_NOTHING)
            (Path(other) / "measure.py").write_text(_MEASURE)
            program, library = (
                compiled((Path(other) / "nothing.c",), ProcessLimits()),
                platform_library(ProcessLimits()),
            )
            used = Path(other) / "used"
            start = time.perf_counter()
            write_fabric(folder / "fabric.bin", [routing], settings)
            written = time.perf_counter() - start
            measured = ["-wrapper", f"{sys.executable} {other}/measure.py {used}", *settings.options(replay=False)]
            start = time.perf_counter()
            environment = {"TOPOLOOM_FABRIC": str(folder / "fabric.bin"), "TOPOLOOM_LOADS": str(folder / "loads")}
            run_smpi(folder, library, [0, 1], [str(program)], measured, environment, "nothing", ProcessLimits())
            took = time.perf_counter() - start
            cpu_s, memory_kb = map(float, used.read_text().split())
            size = (folder / "fabric.bin").stat().st_size / 1e6
        print(
            f"{switches:8}  {4 * switches:5}  {written:8.2f}  {size:9.1f}  {took:11.2f}  {cpu_s:7.2f}  {memory_kb / 1024:11.0f}"
        )


def _replay(_options: argparse.Namespace) -> None:
    print("\nprogram    ranks  simulated [s]  wall [s]  CPU of SimGrid [s]")
    for switches, dims in ((64, "8x8"), (256, "16x16")):
        routing = route(build(f"torus:dims={dims},hosts=1"), "minimal")
        for name in ("cg", "ft", "is", "mg", "ep"):
            start = time.perf_counter()
            run = run_app(routing, f"{name}:class=A", switches)
            took = time.perf_counter() - start
            print(
                f"{run.program:9}  {switches:5}  {run.seconds:13.6f}  {took:8.1f}  {run.provenance.timings['cpu_s']:18.1f}",
                flush=True,
            )


def _all_to_all(_options: argparse.Namespace) -> None:
    print("\nall-to-all of 64 KiB among 1,024 ranks")
    print(f"{'network':34}  algorithm  simulated [s]  CPU of SimGrid [s]")
    for spec in _LARGE:
        routing = route(build(spec), "minimal")
        for algorithm in ("ring", "pair"):
            run = run_app(
                routing, "alltoall:bytes=65536", 1024, settings=AppSettings(algorithms=f"alltoall:{algorithm}")
            )
            print(
                f"{spec:34}  {algorithm:9}  {run.results['time'].value:13.4f}  {run.provenance.timings['cpu_s']:18.1f}",
                flush=True,
            )


def _agreement(_options: argparse.Namespace) -> None:
    """Share of its link that a host uses: hosts that send all the time, all packets at once, and MPI's all-to-all of 64 KiB."""
    print("\nshare of a host's link in all-to-alls on 64 hosts")
    print(f"{'network':34}  flits, endless  flits, at once  SimGrid, ring  SimGrid, pairs")
    rows = []
    for spec, engine in _NETWORKS:
        routing = route(build(spec), engine)
        config = structs.replace(find_preset("booksim"), vcs=8, packet_flits=4)
        endless = simulate(routing, "all-to-all", config, loads=[1.0]).points[0].accepted
        row = [endless, _once(routing, 64), *(_share(routing, name) for name in ("ring", "pair"))]
        rows.append(row)
        print(f"{spec:34}  {row[0]:14.3f}  {row[1]:14.3f}  {row[2]:13.3f}  {row[3]:14.3f}", flush=True)
    for name, column in zip(("flits, endless", "flits, at once", "ring", "pairs"), np.array(rows).T, strict=True):
        print(f"{name}: {' < '.join(_NETWORKS[at][0].partition(',hosts')[0] for at in np.argsort(column))}")


def _share(routing: Routing, algorithm: str) -> float:
    """Share of a host's link in SimGrid's all-to-all."""
    settings = AppSettings(algorithms=f"alltoall:{algorithm}", switch_ns=0)
    run = run_app(routing, "alltoall:bytes=65536", settings=settings)
    hosts = routing.topology.endpoints.size
    return float((hosts - 1) * 65536 / run.results["time"].value / (settings.rate_gbps * 1e9 / 8))


def _once(routing: Routing, flits: int) -> float:
    """The same if each host sends one packet to each other host, all created at cycle 0, in the order s + 1, s + 2, ..."""
    hosts = routing.topology.endpoints.size
    lines = ["cycle,source,destination,flits\n"] + [
        f"0,{source},{(source + step) % hosts},{flits}\n" for step in range(1, hosts) for source in range(hosts)
    ]
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as trace:
        trace.write("".join(lines))
        trace.flush()
        config = structs.replace(find_preset("booksim"), vcs=8)
        return (hosts - 1) * flits / execute(routing, f"trace:{trace.name}", config).cycles


if __name__ == "__main__":
    main()
