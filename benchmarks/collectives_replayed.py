"""Schedules of collectives simulated by flows, by SimGrid and flit by flit: simulated time and computing time.

    python benchmarks/collectives_replayed.py [--bytes 4194304] [--only torus,slimfly,fat-tree] [--flits packet_flits=64]

One rank per host; links and hosts at 40 Gb/s; 200 ns per switch. An all-to-all sends a sixteenth of the bytes to each rank.
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
    options = parser.parse_args()
    others = [*(["simgrid"] if simgrid_available() else []), f"flits:{options.flits}"]
    print(f"{'network':23} {'operation':14} {'by':6} {'paths':6} {'bound':>9} {'flows':>9} {'took':>6}", end="")
    print("".join(f" {name.partition(':')[0]:>9} {'off':>7} {'took':>6}" for name in others))
    for name in options.only.split(","):
        spec, engine = _NETWORKS[name]
        routing = route(build(spec), engine)
        tables = routing.host_tables
        for operation, algorithm in _CASES:
            for paths in ("tables",) if operation == "alltoall" else ("tables", "own"):
                size = options.bytes // 16 if operation == "alltoall" else options.bytes
                began = time.perf_counter()
                flows = collective(tables, operation, size, algorithm=algorithm, paths_from=paths)
                took = time.perf_counter() - began
                line = f"{spec:23} {operation:14} {algorithm:6} {paths:6} {1e6 * flows.bound.seconds:9.1f}"
                line += f" {1e6 * flows.seconds:9.1f} {took:5.1f}s"
                for simulator in others:
                    began = time.perf_counter()
                    other = collective(tables, flows.schedule, simulator=simulator)
                    took = time.perf_counter() - began
                    off = 100 * (other.seconds / flows.seconds - 1)
                    line += f" {1e6 * other.seconds:9.1f} {off:+6.2f}% {took:5.1f}s"
                print(line, flush=True)
    print("Microseconds; off: relative to flows; took: seconds, for flows including the construction of the schedule.")


if __name__ == "__main__":
    main()
