"""Claims of Xu 2019 on graphs: Table 1's optimal graphs, products of graphs, Table 2, figures 3 and 4."""

from itertools import combinations_with_replacement
from math import log

import numpy as np

from topoloom.graph.cuts import exact_bisection
from topoloom.graph.hops import hops
from topoloom.graph.moore import moore_aspl, moore_diameter
from topoloom.model.topology import Topology
from topoloom.optimizer.optimize import optimize
from topoloom.topologies.spec import build
from topoloom_papers._helpers import measured
from topoloom_papers.curves import Curves, Series
from topoloom_papers.papers.xu_2019._near_moore import near_moore
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, check_statements, compare, listed
from topoloom_papers.words import SAME, means

_EIGHT = "circulant:n=8,jumps=1x4"
#: The base graphs of Table 1 and figures 3 and 4, by their names in the paper; (8,3) and (4,3) are those of figure 2.
BASES = {
    "Petersen": "petersen",
    "Heawood": "heawood",
    "Levi": "levi",
    "(16,3)": "optimal:n=16,degree=3",
    "(16,4)": "optimal:n=16,degree=4",
    "(32,3)": "optimal:n=32,degree=3",
    "(32,4)": "optimal:n=32,degree=4",
    "(8,3)": _EIGHT,
    "(4,3)": "complete:n=4",
}
#: With two more graphs that the paper names as bases of hierarchical networks (section 1).
_NAMED = {**BASES, "cube": "hypercube:n=3", "Hoffman-Singleton": "hoffman-singleton"}
_MOST_FOLDED = 40_000
_OPTIMAL = ((4, 3), (8, 3), (16, 3), (16, 4), (32, 3), (32, 4))
_SEEDS, _MOVES = (1, 2, 3), 200_000


def _table_1(id: str, vertices: int, degree: int, diameter: int, mpl: str, width: int, *, right: str = "") -> None:
    name = f"({id.replace('-', ',')})" if "-" in id else id.title()

    @claim(
        f"xu-2019/table-1/{id}",
        f"{name}: vertices, degree, diameter, MPL, bisection",
        f"{vertices}, {degree}, {diameter}, {mpl}, {width}",
        f"topoloom info {BASES[name]}",
    )
    def compute() -> Outcome:
        topology, stats = build(BASES[name]), measured(BASES[name])
        return compare(
            {"vertices": vertices, "degree": degree, "diameter": diameter, "MPL": mpl, "bisection": width},
            {
                "vertices": topology.switches,
                "degree": int(topology.degrees.max()),
                "diameter": stats.diameter,
                "MPL": stats.aspl,
                "bisection": exact_bisection(topology).links,
            },
            right={"MPL": right} if right else None,
            reason="" if id != "32-4" else "the published MPL repeats that of (32,3) (errata of Xu 2019, 1)",
        )


_table_1("petersen", 10, 3, 2, "1.67", 5)
_table_1("heawood", 14, 3, 3, "2.07", 7, right="2.08")
_table_1("levi", 30, 3, 4, "2.86", 9)
_table_1("16-3", 16, 3, 3, "2.20", 6)
_table_1("16-4", 16, 4, 3, "1.75", 12)
_table_1("32-3", 32, 3, 4, "2.94", 10)
_table_1("32-4", 32, 4, 3, "2.94", 16, right="2.35")


def _least(n: int, degree: int) -> tuple[float, int, str]:
    """The least MPL and diameter of any regular graph, and the reason why none has less."""
    bound = moore_aspl(n, degree)
    if (n, degree) != (16, 4):
        return bound, int(moore_diameter(n, degree)), "it meets Cerf's bound and Moore's"
    # 240 ordered pairs: the MPL is 26/15 if all are within two hops, plus 2/240 for each pair at three hops.
    fewest = next(apart for apart in range(3) if near_moore(16, 4, apart) is not None)
    reason = (
        f"an exhaustive search finds no graph with fewer than {fewest} pairs beyond two hops: so the bound of {bound:.4f} is"
        f" not reached, and {(416 + 2 * fewest) / 240:g} is the least"
    )
    return (416 + 2 * fewest) / 240, 3 if fewest else 2, reason


def _optimal(n: int, degree: int) -> None:
    @claim(
        f"xu-2019/section-2.1/optimal-{n}-{degree}",
        f"({n},{degree}): the graph of least MPL and least diameter, found by search and shown to be optimal",
        "least MPL, least diameter",
        f"topoloom optimize jellyfish:n={n},degree={degree},seed=1 --moves {_MOVES};"
        f" topoloom bounds --switches {n} --degree {degree}",
    )
    def compute() -> Outcome:
        mpl, diameter, reason = _least(n, degree)
        if n == degree + 1:
            graphs = [build(f"complete:n={n}")]
        else:
            starts = {seed: build(f"jellyfish:n={n},degree={degree},seed={seed}") for seed in _SEEDS}
            graphs = [optimize(start, moves=_MOVES, seed=seed, jobs=1).topology for seed, start in starts.items()]
        stats = [hops(graph) for graph in graphs]
        widths = sorted({exact_bisection(graph).links for graph in graphs})
        return check_statements(
            {
                "every search ends at the least MPL": all(abs(h.aspl - mpl) < 1e-9 for h in stats),
                "and at the least diameter": all(h.diameter == diameter for h in stats),
            },
            f"{len(stats)} searches: MPL {', '.join(f'{h.aspl:.4f}' for h in stats)}, diameter {stats[0].diameter:g},"
            f" bisection {', '.join(map(str, widths))}; least possible MPL {mpl:.4f}, diameter {diameter}",
            f"annealing from random regular graphs, {_MOVES:,} moves; {reason}",
            wrong=True,
        )


for _order, _degree in _OPTIMAL:
    _optimal(_order, _degree)


@claim(
    "xu-2019/section-1/bases",
    "most hierarchical networks are based on the cube, Petersen, Heawood and Hoffman-Singleton graphs of order 4, 10, 14, 50",
    "4, 10, 14, 50",
    "topoloom info hypercube:n=3; topoloom info petersen; topoloom info heawood; topoloom info hoffman-singleton",
)
def _bases() -> Outcome:
    names = ("cube", "Petersen", "Heawood", "Hoffman-Singleton")
    return compare(
        dict(zip(names, (4, 10, 14, 50), strict=True)),
        {name: build(_NAMED[name]).switches for name in names},
        right={"cube": 8},
        reason="'order 4' of the cube graph is 8 (errata of Xu 2019, 5)",
    )


@claim(
    "xu-2019/section-2.2/products",
    "the product of two graphs: orders multiply, degrees and diameters add, and both orders give isomorphic graphs",
    "holds",
    "topoloom info 'product:(optimal:n=16,degree=3)*(optimal:n=16,degree=3)'",
)
def _product() -> Outcome:
    off, pairs = [], 0
    for first, second in combinations_with_replacement(_NAMED, 2):
        a, b = build(_NAMED[first]), build(_NAMED[second])
        product = build(f"product:({_NAMED[first]})*({_NAMED[second]})")
        expected = (
            a.switches * b.switches,
            int(a.degrees.max() + b.degrees.max()),
            measured(_NAMED[first]).diameter + measured(_NAMED[second]).diameter,
        )
        agrees = (product.switches, int(product.degrees.max()), hops(product).diameter) == expected
        if not (agrees and _commutes(product, build(f"product:({_NAMED[second]})*({_NAMED[first]})"), a, b)):
            off.append(f"{first} x {second}")
        pairs += 1
    return check_statements(
        {"every rule holds for every product": not off},
        f"{pairs} products of {len(_NAMED)} base graphs, of which {len(off)} break a rule",
        "isomorphic by exchange of the coordinates",
        wrong=True,
    )


def _commutes(product: Topology, other: Topology, a: Topology, b: Topology) -> bool:
    """Whether exchanging the coordinates of one product gives the other."""
    first, second = np.divmod(product.links, b.switches)
    links = np.sort(second * a.switches + first, axis=1)
    return bool(np.array_equal(np.unique(links, axis=0), np.unique(np.sort(other.links, axis=1), axis=0)))


@claim(
    "xu-2019/table-2",
    "folded networks: (n,k)^m has n^m switches, degree k m and diameter d m, for m = 2 and 3, up to 40,000 switches",
    "holds",
    "topoloom info 'product:(petersen)*(petersen)*(petersen)'",
)
def _folded() -> Outcome:
    off, networks = [], 0
    for name, base in _NAMED.items():
        graph, diameter = build(base), measured(base).diameter
        for m in (2, 3):
            if graph.switches**m > _MOST_FOLDED:
                continue
            networks += 1
            folded = build("product:" + "*".join([f"({base})"] * m))
            expected = graph.switches**m, int(graph.degrees.max()) * m, diameter * m
            if (folded.switches, int(folded.degrees.max()), hops(folded).diameter) != expected:
                off.append(f"{name}^{m}")
    return check_statements(
        {"for every base graph": not off},
        f"{networks} networks, of which {len(off)} break the rule",
        f"the table is missing in the paper; its rule, for {', '.join(_NAMED)} (errata of Xu 2019, 5)",
        wrong=True,
    )


def _figure_3() -> Curves:
    """Diameters of folded networks up to a million switches."""
    series = []
    for name, base in {**BASES, "hypercube": "complete:n=2"}.items():
        n, diameter = build(base).switches, int(measured(base).diameter)
        most = int(log(1e6) / log(n) + 1e-9)
        series.append(Series(name, tuple((float(n**m), float(diameter * m)) for m in range(1, most + 1))))
    return Curves("xu-2019-figure-3", "Diameters of folded networks", "switches", "diameter", tuple(series), log_x=True)


def _hops_per_decade(curves: Curves) -> dict[str, float]:
    """The diameter divided by the decimal logarithm of the order, by base graph; it is the same for every power."""
    return {series.name: series.points[0][1] / log(series.points[0][0], 10) for series in curves.series}


_HOLDS = {True: "below all others", False: "not below all others"}


@claim(
    "xu-2019/fig-3/minimal",
    "the diameters of folded Petersen networks are minimal, the same as of folded (32,4)",
    "minimal, same",
    "topoloom info 'product:(petersen)*(petersen)'",
)
def _petersen_minimal() -> Outcome:
    curves = _figure_3()
    per_decade = _hops_per_decade(curves)
    others = {name: value for name, value in per_decade.items() if name not in ("Petersen", "(32,4)")}
    largest = max(per_decade["Petersen"], per_decade["(32,4)"])
    by_singleton = int(measured(_NAMED["Hoffman-Singleton"]).diameter) / log(
        build(_NAMED["Hoffman-Singleton"]).switches, 10
    )
    tables = {name: value for name, value in others.items() if name not in ("(8,3)", "(4,3)")}
    below = {
        "the base graphs of Table 1 and the hypercube": largest < min(tables.values()),
        "also (8,3) and (4,3) of figure 2": largest < min(others.values()),
    }
    return check_statements(
        {
            "Petersen and (32,4) are below all others": any(below.values()),
            "and about equal": abs(per_decade["Petersen"] / per_decade["(32,4)"] - 1) <= SAME,
        },
        f"hops for ten times the switches: {listed(per_decade.items(), '{:.3f}')}",
        "orders differ, so diameters are compared by their ratio to the logarithm of the order; two readings of the networks of"
        f" figure 3, which the text does not list: {'; '.join(f'{which}: {_HOLDS[holds]}' for which, holds in below.items())};"
        f" {means('same', SAME)}",
        readings=len(below),
        figure=curves,
        details=f"Hoffman-Singleton, a base of other networks (section 1), has {by_singleton:.3f}",
    )


@claim(
    "xu-2019/fig-3/hypercube",
    "the hypercube provides the most scales of folded networks",
    "most",
    "topoloom families hypercube",
)
def _hypercube_scales() -> Outcome:
    curves = _figure_3()
    scales = {series.name: len(series.points) for series in curves.series}
    others = max(count for name, count in scales.items() if name != "hypercube")
    return check_statements(
        {"more than of any other": scales["hypercube"] > others},
        f"orders up to a million: {listed(scales.items(), '{:.0f}')}",
        figure=curves,
        wrong=True,
    )


@claim(
    "xu-2019/fig-3/16",
    "the diameter of folded (16,4) is the same as of folded (16,3)",
    "same",
    "; ".join(f"topoloom info 'product:(optimal:n=16,degree={k})*(optimal:n=16,degree={k})'" for k in (3, 4)),
)
def _same_16() -> Outcome:
    curves = _figure_3()
    points = {series.name: series.points for series in curves.series}
    text = "; ".join(f"{name}: {', '.join(f'{y:g}' for _, y in points[name])}" for name in ("(16,3)", "(16,4)"))
    return check_statements({"at every power": points["(16,3)"] == points["(16,4)"]}, text, figure=curves, wrong=True)


#: The products of section 2.2, and the dimension of the hypercube with as many switches.
_GAPS = (("(8,3)", "(8,3)", 6), ("(32,4)", "(8,3)", 8), ("(32,4)", "(32,4)", 10))


@claim(
    "xu-2019/fig-4/gaps",
    "(8,3) x (8,3), (32,4) x (8,3) and (32,4) x (32,4) lie between the orders 10, 100, 1,000 and 10,000 of folded Petersen"
    " networks, with lower diameters than hypercubes",
    "64, 256, 1,024; lower",
    "topoloom info 'product:(optimal:n=32,degree=4)*(optimal:n=32,degree=4)'",
)
def _gaps() -> Outcome:
    rows, statements = [], {}
    points = []
    for first, second, dimensions in _GAPS:
        stats = measured(f"product:({BASES[first]})*({BASES[second]})")
        order = build(BASES[first]).switches * build(BASES[second]).switches
        rows.append(f"{first} x {second}: {order}, diameter {stats.diameter:g}, the hypercube's {dimensions}")
        statements[f"{first} x {second} is not a power of 10"] = order == 1 << dimensions
        statements[f"{first} x {second} has a lower diameter than the hypercube"] = stats.diameter < dimensions
        points.append((float(order), float(stats.diameter)))
    cubes = tuple((float(1 << d), float(d)) for d in range(2, 11))
    curves = Curves(
        "xu-2019-figure-4",
        "Diameters of products of different graphs",
        "switches",
        "diameter",
        (
            Series("products", tuple(points)),
            Series("hypercube", cubes),
            Series("Petersen", ((10, 2), (100, 4), (1000, 6))),
        ),
        log_x=True,
    )
    return check_statements(
        statements,
        "; ".join(rows),
        "(8,3) is the graph of 8 switches with the least MPL, diameter 2 (the drawing of figure 2 is missing)",
        figure=curves,
        wrong=True,
    )
