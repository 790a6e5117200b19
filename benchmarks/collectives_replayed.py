"""Schedules of collectives by flows, by SimGrid and flit by flit: the same messages, seconds simulated and seconds taken.

    python benchmarks/collectives_replayed.py [--bytes 4194304] [--only torus,slimfly,fat-tree] [--flits packet_flits=64]

Each rank a host, links and hosts at 40 Gb/s, delays of 200 ns a switch. An all-to-all sends a sixteenth of the bytes to each.
"""

import argparse
import time

from topoloom import build, collective, route
from topoloom.simulation.applications.tools import simgrid_available

_NETWORKS = {
    "torus": ("torus:dims=4x4,hosts=1", "orders"),
    "slimfly": ("slimfly:q=5,hosts=1", "orders"),
    "fat-tree": ("fat-tree:k=4", "fat-tree"),
}
_CASES = (
    ("allgather", "ring"),
    ("allgather", "forest"),
    ("allreduce", "ring"),
    ("allreduce", "forest"),
    ("reduce-scatter", "forest"),
    ("broadcast", "forest"),
    ("alltoall", "direct"),
)


def main() -> None:
    """Print one line per schedule."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bytes", type=int, default=1 << 22)
    parser.add_argument("--only", default=",".join(_NETWORKS))
    parser.add_argument("--flits", default="")
    asked = parser.parse_args()
    others = [*(["simgrid"] if simgrid_available() else []), f"flits:{asked.flits}"]
    print(f"{'network':23} {'operation':14} {'by':6} {'paths':6} {'bound':>9} {'flows':>9} {'took':>6}", end="")
    print("".join(f" {name.partition(':')[0]:>9} {'off':>7} {'took':>6}" for name in others))
    for name in asked.only.split(","):
        spec, engine = _NETWORKS[name]
        routing = route(build(spec), engine)
        tables = routing.host_tables
        for operation, algorithm in _CASES:
            for paths in ("tables",) if operation == "alltoall" else ("tables", "own"):
                size = asked.bytes // 16 if operation == "alltoall" else asked.bytes
                began = time.perf_counter()
                found = collective(tables, operation, size, algorithm=algorithm, paths_from=paths)
                took = time.perf_counter() - began
                line = f"{spec:23} {operation:14} {algorithm:6} {paths:6} {1e6 * found.bound.seconds:9.1f}"
                line += f" {1e6 * found.seconds:9.1f} {took:5.1f}s"
                for simulator in others:
                    began = time.perf_counter()
                    other = collective(tables, found.schedule, simulator=simulator)
                    took = time.perf_counter() - began
                    off = 100 * (other.seconds / found.seconds - 1)
                    line += f" {1e6 * other.seconds:9.1f} {off:+6.2f}% {took:5.1f}s"
                print(line, flush=True)
    print("Microseconds; off: beside flows, which are made and simulated in what they took.")


if __name__ == "__main__":
    main()
