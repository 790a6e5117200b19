"""Diameter and ASPL of all pairs: the CUDA device compared with all cores, in one run.

    python benchmarks/device.py [SPEC ...]

Needs an NVIDIA GPU. Each network is counted once before the time is taken, because the first call compiles. The counts are
compared; they are integers.
"""

import os
import sys
import time

import numpy as np

from topoloom.graph.gpu import available
from topoloom.graph.pair_counts import count_pairs
from topoloom.topologies.spec import build

_SPECS = ("jellyfish:n=10000,degree=16", "jellyfish:n=100000,degree=16", "jellyfish:n=200000,degree=16")


def main(specs: list[str]) -> None:
    """Print seconds and whether the counts are equal."""
    if not available():
        sys.exit("there is no CUDA device that Numba can use")
    print(f"{'network':32}  {'GPU [s]':>8}  {f'{os.cpu_count()} cores [s]':>12}  counts")
    for spec in specs:
        topology = build(spec)
        weight = np.ones(topology.switches, np.int64)
        found = {}
        for device in ("cuda", "cpu"):
            small = build("jellyfish:n=1000,degree=16")
            count_pairs(small, np.ones(small.switches, np.int64), None, device=device)
            start = time.perf_counter()
            pairs = count_pairs(topology, weight, None, device=device).pairs.tolist()
            found[device] = time.perf_counter() - start, pairs
        equal = "equal" if found["cuda"][1] == found["cpu"][1] else "DIFFERENT"
        print(f"{spec:32}  {found['cuda'][0]:8.2f}  {found['cpu'][0]:12.2f}  {equal}")


if __name__ == "__main__":
    main(sys.argv[1:] or list(_SPECS))
