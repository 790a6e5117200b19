"""Mean cable length by layout method: the paper's two steps, METIS first, and joint placement, in one run.

    python benchmarks/layout.py [--seconds 30] [--large-seconds 60] [--only hypercube-12,ring-12] [--jobs N]

Koibuchi 2013's floor: racks of 16 switches, 0.6 m x 2.1 m, 2 m inside, 2 m at each end of a cable between racks; the mean is
over all cables between switches, in metres. `two steps` is Koibuchi 2013 IV: switches in sequence, racks mapped by annealing;
`bound` is a lower bound of the length of every layout. Every search has the same time: --seconds with 4,096 switches,
--large-seconds with 8,192. The speed of the kernel is measured in CPU time of one thread.
"""

import argparse
import time
from dataclasses import replace

from topoloom.core.random_streams import Draws
from topoloom.core.searches import Budget
from topoloom.cost.placed import place
from topoloom.placement.floors.floor import preset
from topoloom.placement.layout.joint import JointAnnealing, nearest_slots, seating_for
from topoloom.placement.layout.prices import length_prices
from topoloom.placement.layout.racks import switch_demands
from topoloom.topologies.spec import build

_SPECS = {
    "hypercube-12": "hypercube:n=12",
    "nbr-12": "nbr:n=4096,degree=12,p=0.5",
    "ring-12": "ring-shortcuts:n=4096,degree=12",
    "hypercube-13": "hypercube:n=13",
    "nbr-13": "nbr:n=8192,degree=13,p=0.5",
    "ring-13": "ring-shortcuts:n=8192,degree=13",
}
_METHODS = {
    "sequence, serpentine": ("sequential", "serpentine"),
    "two steps": ("sequential", "anneal"),
    "METIS, mapped": ("metis", "anneal"),
    "joint": ("sequential", "joint"),
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--large-seconds", type=float, default=60.0)
    parser.add_argument("--only", default=",".join(_SPECS))
    parser.add_argument("--jobs", type=int)
    options = parser.parse_args()
    floor = replace(preset("koibuchi-2013"), switches_per_rack=16)
    print(f"{'topology':14}" + "".join(f"{method:>22}" for method in _METHODS) + f"{'bound':>10}{'moves/s':>12}")
    for name in options.only.split(","):
        topology = build(_SPECS[name])
        seconds = options.seconds if topology.switches <= 4096 else options.large_seconds
        cells, bound = [], 0.0
        for cluster, mapping in _METHODS.values():
            layout = place(topology, floor, cluster, mapping, seconds=seconds, jobs=options.jobs)
            cells.append(layout.mean_length_m)
            bound = layout.length_bound_m / len(topology.links)
        speed = _speed(_SPECS[name])
        print(
            f"{name:14}" + "".join(f"{cell:22.3f}" for cell in cells) + f"{bound:10.3f}{speed / 1e6:10.1f} M",
            flush=True,
        )


def _speed(spec: str, tries: int = 5_000_000) -> float:
    """Swaps of two switches tried per second of CPU time, at a temperature at which about one in ten is accepted."""
    topology = build(spec)
    floor = replace(preset("koibuchi-2013"), switches_per_rack=16)
    layout = place(topology, floor, "sequential", "rows")
    seating = seating_for(layout.slots, layout.slot, switch_demands(topology))
    prices = length_prices(floor, layout.slots)
    near = nearest_slots(layout.slots)
    run = JointAnnealing(topology, layout.slots, near, layout.slot, seating, prices, Draws(1), Budget(tries), 0.05)
    began = time.process_time()
    while not run.done:
        run.step()
    return tries / (time.process_time() - began)


if __name__ == "__main__":
    main()
