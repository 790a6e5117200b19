"""Networks for all-to-all at equal ports: the torus, the best twisted torus, and the best network that `optimize` finds.

    python benchmarks/throughput_search.py [--cases 4x4x8,8x8x8,16x16x16] [--moves N] [--seed 1] [--jobs 1] [--keep FOLDER]
                                           [--given FOLDER] [--lattices N] [--cubes SIDE] [--tables] [--flits] [--floor]

Every network of a case has the same switches, six links each, and as many hosts. Printed for each: the throughput of uniform
traffic per switch in units of a link's rate, as a feasible flow and an upper bound that differ by less than 1 % (exactly if
the network has symmetries); the bound by hops; the bound of all networks of this order and degree (Moore); with --tables the
throughput of deadlock-free tables in at most 4 virtual channels; with --flits the load at which their flits saturate; with
--floor the longest cable and the total length, in racks of 16 switches.

The best twisted torus is searched for among all tori of three dimensions with any twist (lattices: Hermite normal forms), or
in a sample drawn by the seed if there are more than --lattices. Ours is found by `optimize TORUS --for all-to-all --start
structured --moves N`; --given FOLDER reads SHAPE.edges from there instead, --keep FOLDER writes them. With --cubes 4 only the
links between cubes of 4 x 4 x 4, and those that close their rings, are changed (`--fix`), as with optical switches between
racks; then the torus and, if the shape has one, the twisted torus of real machines are shown for comparison.
"""

import argparse
import math
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.cost.placed import place
from topoloom.formats import load, save
from topoloom.graph.bounds import bounds_of_order
from topoloom.model.topology import Topology
from topoloom.optimizer.kernels.even_loads import even_cost
from topoloom.optimizer.kernels.lifts import Lift
from topoloom.optimizer.optimize import optimize
from topoloom.optimizer.traffic_goals import order_bound, uniform_certificate
from topoloom.placement.floors.floor import PRESETS
from topoloom.routing.route import route
from topoloom.routing.routing import Routing
from topoloom.routing.verification.verify import verify_routing
from topoloom.simulation.flits.router_config import RouterConfig
from topoloom.simulation.flits.saturation import saturation
from topoloom.throughput.traffic import uniform_remote
from topoloom.throughput.traffic.loads import table_loads
from topoloom.throughput.tub import uniform_bound
from topoloom.topologies.spec import build

#: Moves of our search for each case, and hosts per switch with which the links and not the hosts are the limit.
_MOVES = {"4x4x8": 2_000_000, "8x8x8": 400_000, "16x16x16": 16_000}
_HOSTS = {"4x4x8": 4, "8x8x8": 2, "16x16x16": 2}
#: Virtual channels, and number of seeds of the tables; the best seed counts.
_VIRTUAL_CHANNELS, _SEEDS = 4, 16
#: Seconds for the placement.
_PLACE_SECONDS = 5.0


def lattices(n: int) -> Iterator[tuple[int, int, int, int, int, int]]:
    """All Hermite normal forms a, b, c, d, e, f of n = a d f: a box of a x d x f whose wraps are twisted by b, c and e."""
    for a in (a for a in range(1, n + 1) if n % a == 0):
        for d in (d for d in range(1, n // a + 1) if n // a % d == 0):
            f = n // a // d
            for b in range(d):
                for c in range(f):
                    for e in range(f):
                        yield a, b, c, d, e, f


def lattice_table(form: tuple[int, int, int, int, int, int]) -> np.ndarray:
    """The six neighbours of each point of Z^3 over the rows (a, b, c), (0, d, e), (0, 0, f), int32[n, 6]."""
    a, b, c, d, e, f = form
    x, y, z = np.indices((a, d, f)).reshape(3, -1)
    out = []
    for axis in range(3):
        for step in (1, -1):
            i, j, k = x + (axis == 0) * step, y + (axis == 1) * step, z + (axis == 2) * step
            over = np.floor_divide(i, a)
            i, j, k = i - over * a, j - over * b, k - over * c
            over = np.floor_divide(j, d)
            j, k = j - over * d, k - over * e
            out.append((i * d + j) * f + k % f)
    return np.stack(out, axis=1).astype(np.int32)


def best_lattice(n: int, most: int, seed: int) -> tuple[Topology, int]:
    """The twisted torus of n switches with the highest throughput, and the number of candidates."""
    forms = list(lattices(n)) if n <= 1024 else [form for form in lattices(n) if min(form[0], form[3], form[5]) >= 4]
    if len(forms) > most:
        forms = [forms[i] for i in Draws(seed).permutation(len(forms))[:most]]
    costs = []
    # One voltage-graph vertex with six darts: the lattice table is its lift.
    identity, darts = np.zeros((1, 1), np.int32), np.arange(6, dtype=np.int32)
    inverse, degree, back = np.arange(n, dtype=np.int32), np.array([6], np.int32), darts ^ 1
    best = math.inf
    for form in forms:
        table = lattice_table(form)
        if (np.diff(np.sort(table, axis=1), axis=1) == 0).any() or (table == np.arange(n)[:, None]).any():
            continue  # doubled links, or loops
        lift = Lift(identity, inverse, darts[:0], degree, darts * 0, darts, back, table)
        cost = even_cost(lift, np.ones(n), 64.0, 1.05 * best, np.zeros(6))
        best = min(best, cost)
        costs.append((cost, form))
    graphs = [_lattice(form, n) for _, form in sorted(costs)[:10]]
    return max(graphs, key=lambda graph: uniform_certificate(graph).lower), len(forms)


def _lattice(form: tuple[int, int, int, int, int, int], n: int) -> Topology:
    table = lattice_table(form).astype(np.int64)
    ends = np.stack([np.repeat(np.arange(n), 3), table[:, ::2].ravel()], axis=1)
    a, b, c, d, e, f = form
    x, y, z = np.indices((a, d, f)).reshape(3, -1)
    return Topology(
        links=ends,
        switches=n,
        name=f"twisted torus {a}x{d}x{f}, twists {b} {c} {e}",
        labels={"x0": x, "x1": y, "x2": z},
    )


def best_tables(graph: Topology, seeds: int) -> tuple[Routing, float, str]:
    """The deadlock-free tables in at most 4 virtual channels with the highest uniform throughput, this throughput, and a
    description.
    """
    results = []
    drawn = [(engine, seed) for engine in ("segments-even", "orders-even") for seed in range(1, seeds + 1)]
    for engine, seed in [("dor", 1), *drawn]:
        try:
            tables = route(graph, engine, virtual_channels=None if engine == "dor" else _VIRTUAL_CHANNELS, seed=seed)
        except InputError:
            continue  # dimension order works only on the plain torus, and long paths may need more virtual channels
        throughput = table_loads(tables, uniform_remote(graph)).network
        results.append((tables, throughput, f"{engine}, seed {seed}"))
    return max(results, key=lambda result: result[1])


def inside_cubes(torus: Topology, side: int) -> np.ndarray:
    """A mask of the links inside a cube of this side, bool[m]; links from its last switch to its first are outside."""
    at = np.stack([torus.labels[f"x{axis}"] for axis in range(3)], axis=1)
    u, v = torus.links.T
    return np.asarray((at[u] // side == at[v] // side).all(axis=1) & (np.abs(at[u] - at[v]).sum(axis=1) == 1))


def twisted_of_machines(shape: str) -> list[Topology]:
    """The twisted torus of this shape in real machines, if there is one: n x n x 2n and n x 2n x 2n."""
    try:
        return [build(f"twisted-torus:dims={shape}").replace(name="twisted torus, as built")]
    except InputError:
        return []


def floor(graph: Topology) -> str:
    """The longest cable and the total length, with 16 switches per rack."""
    hall = replace(PRESETS["koibuchi-2013"], switches_per_rack=16)
    layout = place(graph, hall, "metis", seconds=_PLACE_SECONDS, jobs=1)
    return f"longest {layout.longest_m:.1f} m, total {layout.total_m:,.0f} m"


def case(shape: str, options: argparse.Namespace) -> None:
    """Print the block of one shape."""
    torus = build(f"torus:dims={shape}")
    n = torus.switches
    if options.cubes:
        others, candidates = twisted_of_machines(shape), 0
    else:
        twisted, candidates = best_lattice(n, options.lattices, options.seed)
        others = [twisted]
    if options.given:
        ours = load(Path(options.given) / f"{shape}.edges").replace(name="ours")
    else:
        result = optimize(
            torus,
            "all-to-all",
            start="given" if options.cubes else "structured",
            fix=inside_cubes(torus, options.cubes) if options.cubes else None,
            moves=options.moves or _MOVES.get(shape, 20_000),
            seed=options.seed,
            jobs=options.jobs,
        )
        ours = result.topology.replace(name=f"ours: {result.start}", labels={})
        print(f"{shape}: found in {result.seconds:.0f} s, {result.moves} moves, seed {options.seed}")
        if options.keep:
            Path(options.keep).mkdir(parents=True, exist_ok=True)
            save(ours, Path(options.keep) / f"{shape}.edges")
    pairs = n * (n - 1)
    most = order_bound(torus, bounds_of_order(n, 6).aspl)
    print(f"{shape}: {n} switches of 6 links, {pairs} pairs; no network exceeds {most:.4f}; {candidates} twisted tori")
    base = None
    for graph in (torus.replace(name="torus"), *others, ours):
        began = time.monotonic()
        flow = uniform_certificate(graph)
        took = time.monotonic() - began
        base = base or flow.lower
        row = f"  {graph.name:48s} {flow.lower:.4f} .. {flow.upper:.4f} ({flow.lower / base:.3f} x torus; {took:.1f} s)"
        row += f"  by hops {uniform_bound(graph):.4f}  gap to the bound {most / flow.lower - 1:.1%}"
        print(row, flush=True)
        if options.tables or options.flits:
            tables, throughput, how = best_tables(graph.with_hosts(_HOSTS.get(shape, 2)), _SEEDS if n <= 1024 else 1)
            hosts = _HOSTS.get(shape, 2)
            row = f"    tables: {throughput * hosts:.4f} ({how}; {verify_routing(tables).virtual_channels_used} VCs)"
            if options.flits:
                config = RouterConfig(vcs=_VIRTUAL_CHANNELS)
                at = saturation(tables, "uniform", config, fast=n > 200)
                row += f"; flits saturate at {at.offered * hosts:.3f} ({hosts} hosts per switch at {at.offered:.3f})"
            print(row, flush=True)
        if options.floor:
            print(f"    cables: {floor(graph)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", default="4x4x8,8x8x8")
    parser.add_argument("--moves", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep")
    parser.add_argument("--given")
    parser.add_argument("--lattices", type=int, default=40_000)
    parser.add_argument("--cubes", type=int, help="links inside cubes of this side stay")
    parser.add_argument("--tables", action="store_true")
    parser.add_argument("--flits", action="store_true")
    parser.add_argument("--floor", action="store_true")
    options = parser.parse_args()
    for shape in options.cases.split(","):
        case(shape, options)


if __name__ == "__main__":
    main()
