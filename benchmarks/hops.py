"""Diameter and ASPL of all pairs: topoloom compared with igraph, NetworKit, rustworkx and SciPy, in one run.

    python benchmarks/hops.py [--quick] [--jobs N]

Every tool gets the same graph in its own format; only the call is timed, the best of several repeats for fast calls. A peer
that would need too long for all sources is timed on a sample of them and scaled by n / sample; the table marks it as "sampled".
Agreement: each tool's ASPL is compared with topoloom's; the distances of a sampled tool are compared with topoloom's from the
same sources.
"""

import argparse
import os
import platform
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from topoloom.core.random_streams import Draws
from topoloom.graph.distances import distances_from
from topoloom.graph.hops import hops
from topoloom.model.topology import Topology
from topoloom.topologies.spec import build

#: Seconds that one peer may take on one graph; slower peers are sampled.
_PATIENCE_SECONDS = 20.0
_GRAPHS = {
    "256, degree 16": "jellyfish:n=256,degree=16",
    "1,024, degree 11": "jellyfish:n=1024,degree=11",
    "4,096, degree 12": "jellyfish:n=4096,degree=12",
    "10,000, degree 16": "jellyfish:n=10000,degree=16",
    "slim fly q=19": "slimfly:q=19",
    "torus 22x22x22": "torus:dims=22x22x22",
}
_QUICK = ["1,024, degree 11", "10,000, degree 16"]


@dataclass(frozen=True)
class Peer:
    """A tool: `prepare(topology)` returns its graph, `total(graph, sources)` the sum of hops from the sources.

    `sources` is None for all sources; then a tool may use its routine for all pairs. A tool without any other routine
    (`by_source` is False) always runs on all sources.
    """

    name: str
    package: str
    prepare: Callable[[Topology], Any]
    total: Callable[[Any, np.ndarray | None], float]
    by_source: bool = True


def _igraph(topology: Topology) -> Any:
    import igraph

    return igraph.Graph(n=topology.switches, edges=topology.links.tolist())


def _igraph_total(graph: Any, sources: np.ndarray | None) -> float:
    if sources is None:
        n = graph.vcount()
        return float(graph.average_path_length(directed=False) * n * (n - 1))
    return float(np.sum(graph.distances(source=sources.tolist())))


def _networkit(topology: Topology) -> Any:
    import networkit

    u, v = topology.links.T
    return networkit.GraphFromCoo((u.astype(np.uint64), v.astype(np.uint64)), n=topology.switches)


def _networkit_total(graph: Any, sources: np.ndarray | None) -> float:
    import networkit

    total = 0.0
    for part in _parts(graph.numberOfNodes(), sources):  # the n x n matrix at once is not faster
        search = networkit.distance.SPSP(graph, part.tolist())  # on all its threads
        search.run()
        total += float(np.sum(search.getDistances(asarray=True)))
    return total


def _rustworkx(topology: Topology) -> Any:
    import rustworkx

    graph = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(topology.switches))
    graph.add_edges_from_no_data([tuple(link) for link in topology.links.tolist()])
    return graph


def _rustworkx_total(graph: Any, _sources: np.ndarray | None) -> float:
    import rustworkx

    n = graph.num_nodes()
    return float(rustworkx.unweighted_average_shortest_path_length(graph) * n * (n - 1))  # on all its threads


def _scipy(topology: Topology) -> Any:
    from scipy.sparse import coo_array

    u, v = topology.links.T
    n = topology.switches
    return coo_array((np.ones(2 * u.size), (np.append(u, v), np.append(v, u))), shape=(n, n)).tocsr()


def _scipy_total(graph: Any, sources: np.ndarray | None) -> float:
    from scipy.sparse.csgraph import dijkstra

    parts = _parts(graph.shape[0], sources)
    return sum(float(dijkstra(graph, directed=True, unweighted=True, indices=part).sum()) for part in parts)


def _parts(n: int, sources: np.ndarray | None) -> list[np.ndarray]:
    """The sources, or all n, in parts of 512."""
    chosen = np.arange(n) if sources is None else sources
    return [chosen[at : at + 512] for at in range(0, chosen.size, 512)]


_PEERS = [
    Peer("igraph", "igraph", _igraph, _igraph_total),
    Peer("NetworKit", "networkit", _networkit, _networkit_total),
    Peer("rustworkx", "rustworkx", _rustworkx, _rustworkx_total, by_source=False),
    Peer("SciPy", "scipy", _scipy, _scipy_total),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="two graphs only")
    parser.add_argument("--jobs", type=int, help="threads of topoloom; every core when omitted")
    arguments = parser.parse_args()
    print(_machine())
    hops(build("petersen"))  # Numba loads its cached kernels, or compiles them, before any clock starts
    print(f"\n{'graph':20} {'tool':10} {'seconds':>10} {'times ours':>11}  ASPL")
    slowest_ratio: dict[str, float] = {}
    for name in _QUICK if arguments.quick else _GRAPHS:
        best = _graph(name, build(_GRAPHS[name]), arguments.jobs)
        if best:
            slowest_ratio[name] = best
    print("\nThe fastest peer takes, in units of ours:")
    for name, ratio in slowest_ratio.items():
        print(f"  {name:20} {ratio:8.0f}")


def _graph(name: str, topology: Topology, jobs: int | None) -> float | None:
    """Print one block of the table; returns the ratio of the fastest peer's time to ours."""
    seconds, ours = _best_of(lambda: hops(topology, jobs))
    print(f"{name:20} {'topoloom':10} {seconds:10.5f} {1:11.1f}  {ours.aspl:.6f}")
    n, fastest = topology.switches, None
    total = ours.aspl * n * (n - 1)
    for peer in _installed():
        graph = peer.prepare(topology)
        taken, result, note = _timed(peer, graph, topology, total)
        print(
            f"{'':20} {peer.name:10} {taken:10.5f} {taken / seconds:11.1f}  {result / (n * (n - 1)):.6f}{note}",
            flush=True,
        )
        fastest = taken if fastest is None else min(fastest, taken)
    return fastest / seconds if fastest else None


def _timed(peer: Peer, graph: Any, topology: Topology, total: float) -> tuple[float, float, str]:
    """Seconds for all sources (scaled if sampled), the sum of hops over all pairs, and a remark on both."""
    n = topology.switches
    few = Draws(1).permutation(n)[: max(8, n // 500)]
    expected = 0.0
    if peer.by_source:
        start = time.perf_counter()
        peer.total(graph, few)
        expected = (time.perf_counter() - start) * n / few.size
    if expected <= _PATIENCE_SECONDS:
        seconds, result = _best_of(lambda: peer.total(graph, None))
        _agree(peer, result, total)
        return seconds, result, ""
    sample = Draws(1).permutation(n)[: max(8, int(n * _PATIENCE_SECONDS / 2 / expected))]
    start = time.perf_counter()
    result = peer.total(graph, sample)
    seconds = (time.perf_counter() - start) * n / sample.size
    _agree(peer, result, float(distances_from(topology, sample).sum()))
    return seconds, result * n / sample.size, f" (sampled: {sample.size} sources, scaled to {n})"


def _agree(peer: Peer, result: float, expected: float) -> None:
    if abs(result - expected) > 1e-6 * expected:
        raise SystemExit(f"{peer.name} finds {result} hops in all, topoloom {expected}: one of them is wrong")


def _best_of(call: Callable[[], Any]) -> tuple[float, Any]:
    """The least time of a call, over one repeat if it takes a second and up to 30 if it is fast, and its result."""
    best, spent, result = float("inf"), 0.0, None
    for _ in range(30):
        start = time.perf_counter()
        result = call()
        taken = time.perf_counter() - start
        best, spent = min(best, taken), spent + taken
        if spent > 1.0:
            break
    return best, result


def _installed() -> Iterator[Peer]:
    for peer in _PEERS:
        try:
            version(peer.package)
        except PackageNotFoundError:
            continue
        yield peer


def _machine() -> str:
    """The processor and the versions of tools: the heading of the table."""
    model = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            model = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), model)
    except OSError:
        pass
    versions = []
    for package in ("topoloom", "numba", *(peer.package for peer in _PEERS)):
        try:
            versions.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            versions.append(f"{package} not installed")
    return f"{model}, {len(os.sched_getaffinity(0))} cores\n{', '.join(versions)}"


if __name__ == "__main__":
    main()
