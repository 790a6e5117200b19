"""Accepted load with the engines levels and orders, for families without a special engine: python benchmarks/levels.py

The rule of `topoloom.routing.fitting`, fixed before the results were known: engine levels (8 virtual channels) fits networks of
diameter 2 and 3 without a special engine if, at loads of 50, 70 and 90 %, it accepts at most 1 % less than orders (with the
virtual channels that it needs) on every network below, and 5 % more on one. Uniform traffic; router slimfly-2014 with 64 flits
per port and one queue per virtual channel as in an InfiniBand switch. hop-vcs, which forwarding tables cannot express, is
shown for comparison.
"""

from topoloom.routing.route import route
from topoloom.simulation.flits.simulate import simulate
from topoloom.topologies.spec import build

NETWORKS = (
    "slimfly:q=5,hosts=4",
    "slimfly:q=7,hosts=6",
    "slimfly:q=11,hosts=8",
    "polarfly:q=7,hosts=4",
    "polarfly:q=11,hosts=6",
    "jellyfish:n=100,degree=12,hosts=6,seed=1",
    "jellyfish:n=250,degree=16,hosts=8,seed=1",
    "jellyfish:n=50,degree=5,hosts=3,seed=1",
    "ring-shortcuts:n=64,degree=8,hosts=4,seed=1",
    "petersen:hosts=2",
)
LOADS = (0.5, 0.7, 0.9)
ENGINES = ("orders", "levels", "hop-vcs")


def main() -> None:
    """Print one row per network and engine: virtual channels, and accepted load and mean latency in cycles at each load."""
    print(f"{'network':44}{'engine':>10}{'virtual_channels':>7}" + "".join(f"{load:>20.0%}" for load in LOADS))
    for spec in NETWORKS:
        try:
            network = build(spec)
        except ValueError as error:
            print(f"{spec}: {error}")
            continue
        for name in ENGINES:
            routed = route(network, name)
            virtual_channels = routed.verification.virtual_channels_used
            curve = simulate(routed, settings=[f"vcs={virtual_channels}"], loads=LOADS, fast=True)
            cells = "".join(f"{point.accepted:>11.3f}{point.latency_mean:>9.1f}" for point in curve.points)
            print(f"{spec:44}{name:>10}{virtual_channels:>7}{cells}", flush=True)


if __name__ == "__main__":
    main()
