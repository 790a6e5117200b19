"""Time to build large topologies of the catalogue, in one process; the first build of each kind is not counted.

python benchmarks/build.py
"""

import time

from topoloom import build

_SPECS = (
    "jellyfish:n=65536,degree=16",
    "ring-shortcuts:n=65536,degree=16",
    "nbr:n=65536,degree=16,p=0.2",
    "dln:n=65536,x=2,random=14",
    "slimfly:q=101",
    "torus:dims=64x64x64",
    "flattened-butterfly:dims=24x24x24",
    "grid:rows=256,columns=256,degree=8,length=6",
    "hypercube:n=16+permute:mode=partial",
)


def main() -> None:
    """Print seconds, switches and links of each topology."""
    for small in ("jellyfish:n=64,degree=4", "ring-shortcuts:n=64,degree=4", "grid:rows=8,columns=8,degree=4,length=3"):
        build(small)  # compiles the kernels
    build("hypercube:n=6+permute:mode=partial")
    for spec in _SPECS:
        start = time.perf_counter()
        topology = build(spec)
        seconds = time.perf_counter() - start
        print(f"{seconds:8.2f} s {topology.switches:9,} switches {len(topology.links):11,} links  {spec}")


if __name__ == "__main__":
    main()
