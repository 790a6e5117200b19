"""Survival curves: seconds for 20 levels, by failing part and metric; and compared with NetworkX and igraph.

    python benchmarks/resilience.py [--only fly,large,others] [--samples 1000] [--jobs N]

`fly`: the 722-switch Slim Fly (q = 19); target: 20 levels x 1,000 samples in seconds. `large`: 10,000 switches with 100,000
links. `others`: the same computation, one level and sample at a time, with NetworkX, and with igraph if it is installed; time
for 20 levels x 1,000 samples, extrapolated from a few samples. Compiling is not counted.
"""

import argparse
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

from topoloom.failures.resilience import resilience
from topoloom.model.topology import Topology
from topoloom.topologies.spec import build

_LEVELS = [0.05 * step for step in range(20)]


def main() -> None:
    """Print the selected tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="fly,large,others")
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--jobs", type=int)
    options = parser.parse_args()
    for fail in ("links", "switches"):
        for metric in ("disconnection", "aspl"):
            resilience(build("petersen"), fail, metric, samples=2)
    parts: dict[str, Callable[[argparse.Namespace], None]] = {"fly": _fly, "large": _large, "others": _others}
    for name in options.only.split(","):
        parts[name](options)


def _fly(options: argparse.Namespace) -> None:
    fly = build("slimfly:q=19")
    print(
        f"{fly.name}: {fly.switches} switches, {len(fly.links)} links; {len(_LEVELS)} levels x {options.samples} samples"
    )
    _rows(fly, options, ("links", "switches"), ("disconnection", "diameter", "aspl"), options.samples)


def _large(options: argparse.Namespace) -> None:
    for spec, samples in (("jellyfish:n=10000,degree=20", options.samples), ("slimfly:q=71", options.samples)):
        network = build(spec)
        print(f"\n{network.name}: {network.switches} switches, {len(network.links)} links")
        _rows(network, options, ("links", "switches"), ("disconnection",), samples)
        _rows(network, options, ("links",), ("diameter", "aspl"), max(1, samples // 50))


def _rows(
    network: Topology, options: argparse.Namespace, fails: tuple[str, ...], metrics: tuple[str, ...], samples: int
) -> None:
    for fail in fails:
        for metric in metrics:
            began = time.perf_counter()
            result = resilience(network, fail, metric, levels=_LEVELS, samples=samples, jobs=options.jobs)
            seconds = time.perf_counter() - began
            print(
                f"{fail:10}{metric:15}{samples:7} samples{seconds:9.3f} s  threshold {result.threshold:.2f}", flush=True
            )


def _others(options: argparse.Namespace) -> None:
    fly = build("slimfly:q=19")
    print(
        f"\n{fly.name}: the same disconnection of links, {len(_LEVELS)} levels x {options.samples} samples, extrapolated"
    )
    random = np.random.default_rng(1)
    libraries: dict[str, Callable[[np.ndarray], Any]] = {}
    import networkx

    libraries["networkx"] = lambda links: networkx.is_connected(_network(networkx.Graph(), fly.switches, links))
    if find_spec("igraph") is not None:
        import igraph

        libraries["igraph"] = lambda links: igraph.Graph(fly.switches, links.tolist()).is_connected()
    for name, connected in libraries.items():
        few = 3
        began = time.perf_counter()
        for _ in range(few):
            order = random.permutation(len(fly.links))
            for level in _LEVELS:
                connected(fly.links[order[int(level * order.size + 0.5) :]])
        seconds = (time.perf_counter() - began) * options.samples / few
        print(f"{name:12}{seconds:9.1f} s")


def _network(graph: Any, switches: int, links: np.ndarray) -> Any:
    graph.add_nodes_from(range(switches))
    graph.add_edges_from(links.tolist())
    return graph


if __name__ == "__main__":
    main()
