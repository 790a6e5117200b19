"""Claims of Xu 2019 on forwarding loads: balanced routing of the small graphs (figure 8), and of their products (figure 10)."""

from collections.abc import Callable
from functools import lru_cache, partial
from statistics import fmean, stdev

import numpy as np

from topoloom.graph.product import cartesian_product
from topoloom.model.topology import Topology
from topoloom.routing.balance.balance import BalancedRouting, EvenLoads, balance_paths, balance_routing
from topoloom.routing.balance.evenness import unevenness
from topoloom.routing.product import product_routing
from topoloom.routing.verification.verify import verify_routing
from topoloom.topologies.spec import build
from topoloom_papers._simgrid_paths import floyd
from topoloom_papers.curves import Curves, Series
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, Step, check_statements, compare
from topoloom_papers.words import SLIGHTLY, means

PRODUCT = "product:(optimal:n=16,degree={0})*(optimal:n=16,degree={0})"
#: The engine `product` takes other tables for its factors.
_IN_PYTHON = "(the factor; no command balances the factors of a product, but product_routing does with balanced tables)"
_SIZES = ((16, 3), (16, 4), (32, 3), (32, 4))
#: Floyd's paths depend on the numbering of switches: besides the original one, this many random numberings are tried.
_NUMBERINGS = 15
_OURS = f"Floyd's paths depend on the numbering of switches, which the paper does not give: ours, and {_NUMBERINGS} random ones"
_NUMBERED = (
    "Floyd's algorithm replaces a path by one through the first intermediate switch that makes it shorter, which depends on the"
    f" numbering of switches, which the paper does not give: ours, and {_NUMBERINGS} random numberings"
)


@lru_cache(maxsize=8)
def balanced(n: int, degree: int) -> BalancedRouting:
    """Tables of an optimal graph with the most even loads (exact search)."""
    return balance_routing(build(f"optimal:n={n},degree={degree}"), exact=True)


@lru_cache(maxsize=8)
def _floyds(spec: str) -> tuple[np.ndarray, ...]:
    """Pairs through each switch by Floyd's paths, int64[n] per numbering: as built, then random."""
    return tuple(map(_floyd_loads, _numbered(spec)))


def _numbered(spec: str) -> list[Topology]:
    """A network as built, and with random numberings of its switches."""
    topology, random = build(spec), np.random.default_rng(1)
    orders = [np.arange(topology.switches), *(random.permutation(topology.switches) for _ in range(_NUMBERINGS))]
    return [Topology(links=order[topology.links], switches=topology.switches) for order in orders]


def _floyd_loads(topology: Topology) -> np.ndarray:
    """Number of ordered pairs whose Floyd path passes through each switch, int64[n]; ends do not count."""
    n, next_switch = topology.switches, floyd(topology)
    load = np.zeros(n, np.int64)
    at, goal = np.divmod(np.arange(n * n), n)
    while at.size:
        at = next_switch[at, goal]
        at, goal = at[at != goal], goal[at != goal]
        load += np.bincount(at, minlength=n)
    return load


def _ranges(loads: tuple[np.ndarray, ...]) -> str:
    """The least and greatest load as built, and the greatest over all numberings, in words."""
    most = [int(load.max()) for load in loads]
    return f"{loads[0].min()} to {loads[0].max()}, the greatest {min(most)} to {max(most)} by numbering"


def _figure(name: str, title: str, loads: dict[str, np.ndarray]) -> Curves:
    series = tuple(
        Series(label, tuple((float(at), float(value)) for at, value in enumerate(load.tolist(), 1)))
        for label, load in loads.items()
    )
    return Curves(f"xu-2019-{name}", title, "node", "forwarding load", series)


def _base(n: int, degree: int) -> None:
    name, spec = f"({n},{degree})", f"optimal:n={n},degree={degree}"

    @claim(
        f"xu-2019/fig-8/{n}-{degree}",
        f"{name}: forwarding loads with balanced routing, the most even possible",
        "10 to 12, not all equal" if (n, degree) == (16, 4) else "all equal, the objective 0",
        f"topoloom route {spec} --engine balanced",
    )
    def compute() -> Outcome:
        tables, free = balanced(n, degree), balance_paths(build(spec))
        least, most = int(tables.load.min()), int(tables.load.max())
        note = (
            f"the objective is {tables.value:g}; no tables have less than {tables.bound:g} (free paths per pair:"
            f" {free.value:g}); directed pairs are counted (errata of Xu 2019, 3)"
        )
        figure = _figure(
            f"figure-8-{n}-{degree}", f"Loads of {name}", {"balanced": tables.load, "Floyd": _floyds(spec)[0]}
        )
        if (n, degree) == (16, 4):
            ours = {"least": least, "greatest": most}
            return compare({"least": 10, "greatest": 12}, ours, assumption=note, reason=note, figure=figure)
        equal = {"all equal": least == most, "the objective is 0": tables.value == 0}
        return check_statements(equal, f"loads {least} to {most}", note, figure=figure)

    @claim(
        f"xu-2019/fig-8/{n}-{degree}-floyd",
        f"{name}: without balancing the loads fluctuate in an extensive range, with balancing less",
        "more than balanced",
        f"topoloom route {spec} --engine balanced (the balanced loads; no command makes Floyd's tables)",
    )
    def unbalanced() -> Outcome:
        even, loads = balanced(n, degree).load, _floyds(spec)
        spans = [int(np.ptp(load)) for load in loads]
        return check_statements(
            {"the range of loads is wider in every numbering": min(spans) > np.ptp(even)},
            f"Floyd's {_ranges(loads)}, their ranges {min(spans)} to {max(spans)} wide; balanced {even.min()} to {even.max()}",
            _NUMBERED,
        )


for _n, _degree in _SIZES:
    _base(_n, _degree)


_SHARE = "deviation over the mean"
#: Measures of imbalance: the two of the paper, and one that does not grow with the network.
_IMBALANCES: dict[str, Callable[[np.ndarray], float]] = {
    "sum of squared differences from the mean": unevenness,
    "range": lambda load: float(np.ptp(load)),
    _SHARE: lambda load: float(load.std() / load.mean()),
}


@claim(
    "xu-2019/section-3.1/imbalance",
    "without balancing the loads of (16,4) are the least imbalanced of the four graphs",
    "least",
    "topoloom reproduce xu-2019/section-3.1/imbalance (no command makes Floyd's tables)",
)
def _imbalance() -> Outcome:
    spread = {
        how: {
            f"({n},{degree})": [imbalance(load) for load in _floyds(f"optimal:n={n},degree={degree}")]
            for n, degree in _SIZES
        }
        for how, imbalance in _IMBALANCES.items()
    }

    def least(values: dict[str, list[float]]) -> bool:
        return all(max(values["(16,4)"]) < min(others) for name, others in values.items() if name != "(16,4)")

    in_words = {
        how: ", ".join(
            f"{name} {values[0]:.4g} ({min(values):.4g} to {max(values):.4g})" for name, values in each.items()
        )
        for how, each in spread.items()
    }
    share = in_words.pop(_SHARE)
    return check_statements(
        {f"by the {how}, in every numbering": least(spread[how]) for how in in_words},
        "Floyd's loads as built, with the range over all numberings in brackets: "
        + "; ".join(f"{how}: {each}" for how, each in in_words.items()),
        "the paper measures imbalance by the objective of its eq. 1, and gives the range of loads; by the deviation over the"
        f" mean, which it does not use, (16,4) is {'' if least(spread[_SHARE]) else 'not '}least in every numbering. {_OURS}",
        details=f"{_SHARE}: {share}. {_NUMBERED}",
    )


@claim(
    "xu-2019/section-2.3/directed",
    "directed routing would be more effective than undirected routing: it has more choices to avoid congestion",
    "more effective",
    "topoloom route optimal:n=16,degree=4 --engine balanced (directed; no command balances undirected pairs)",
)
def _directed() -> Outcome:
    graphs = {f"({n},{degree})": build(f"optimal:n={n},degree={degree}") for n, degree in _SIZES}
    ways: dict[str, Callable[..., EvenLoads]] = {
        "free paths per pair": balance_paths,
        "tables": partial(balance_routing, exact=True),
    }
    statements, rows = {}, []
    for way, balance in ways.items():
        # An unordered pair counts as two ordered pairs.
        loads = {
            name: (balance(graph, directed=True).load, 2 * balance(graph, directed=False).load)
            for name, graph in graphs.items()
        }
        for how, imbalance in _IMBALANCES.items():
            if how == _SHARE:
                continue
            values = {name: [imbalance(load) for load in both] for name, both in loads.items()}
            statements[f"{way}: a smaller {how}, unless that of undirected routing is 0"] = all(
                directed < undirected or undirected == 0 for directed, undirected in values.values()
            )
            each = ", ".join(
                f"{name} {directed:g} and {undirected:g}" for name, (directed, undirected) in values.items()
            )
            rows.append(f"{way}, {how} {each}")
    return check_statements(
        statements,
        f"better by {sum(statements.values())} of {len(statements)} comparisons",
        "compared by the objective of the paper's eq. 1 and by the range of loads, for free paths and for tables",
        details=f"directed and undirected: {'; '.join(rows)}; shortest paths of the four graphs with the least possible"
        " objective; in undirected routing, the path back is the reversed path; loads count ordered pairs (errata of Xu 2019,"
        " 3); on three of the graphs undirected loads are also all equal",
    )


@claim(
    "xu-2019/proposition-1",
    "products of graphs with equal loads have equal loads",
    "holds",
    "topoloom route 'product:(petersen)*(petersen)' --engine product",
)
def _proposition() -> Outcome:
    specs = ("petersen", "heawood", "optimal:n=16,degree=3", "hypercube:n=3", "complete:n=5")
    routings = {spec: balance_routing(build(spec), exact=True) for spec in specs}
    off, pairs = 0, 0
    for first in specs:
        for second in specs:
            loads = [int(routings[spec].load.max()) for spec in (first, second)]
            sizes = [routings[spec].routing.topology.switches for spec in (first, second)]
            product = cartesian_product([routings[spec].routing.topology for spec in (first, second)])
            report = verify_routing(product_routing(product, [routings[spec].routing for spec in (first, second)]))
            expected = sizes[1] * loads[0] + sizes[0] * loads[1] + (sizes[0] - 1) * (sizes[1] - 1)
            off += bool((report.switch_load != expected).any())
            pairs += 1
    return check_statements(
        {"all loads equal, in every product": off == 0},
        f"{pairs} products of {len(specs)} graphs, of which {off} have unequal loads",
        "each load follows the formula; the published proof omits the turning switch, which adds (N1 - 1) (N2 - 1) everywhere"
        " (errata of Xu 2019, 4)",
        wrong=True,
    )


def _product_load(degree: int) -> np.ndarray:
    routing = balanced(16, degree).routing
    return verify_routing(product_routing(build(PRODUCT.format(degree)), [routing, routing])).switch_load


def _figure_10(degree: int) -> Curves:
    return _figure(
        f"figure-10-16-{degree}",
        f"Loads of (16,{degree}) x (16,{degree})",
        {"balanced": _product_load(degree), "Floyd": _floyds(PRODUCT.format(degree))[0]},
    )


@claim(
    "xu-2019/fig-10/16-3",
    "(16,3) x (16,3): forwarding loads with balanced routing",
    "all equal",
    f"topoloom route optimal:n=16,degree=3 --engine balanced {_IN_PYTHON}",
)
def _product_3() -> Outcome:
    load = _product_load(3)
    return check_statements(
        {"all equal": bool(load.min() == load.max())},
        f"loads {load.min()} to {load.max()}",
        "16 * 18 + 16 * 18 + 15 * 15 = 801, by proposition 1 with the turning switch (errata of Xu 2019, 4)",
        figure=_figure_10(3),
    )


@claim(
    "xu-2019/fig-10/16-4",
    "(16,4) x (16,4): with balanced routing, by proposition 1, a little fluctuation, less than with Floyd's paths",
    "a little",
    f"topoloom route optimal:n=16,degree=4 --engine balanced {_IN_PYTHON}",
)
def _product_4() -> Outcome:
    load, loads = _product_load(4), _floyds(PRODUCT.format(4))
    free = balance_routing(build(PRODUCT.format(4))).load
    off = float(max(load.max() - load.mean(), load.mean() - load.min()) / load.mean())
    return check_statements(
        {
            "not all equal": bool(load.min() < load.max()),
            "a little": off <= SLIGHTLY,
            "a smaller range than Floyd's in every numbering": min(int(np.ptp(floyd_load)) for floyd_load in loads)
            > np.ptp(load),
        },
        f"loads {load.min()} to {load.max()}, at most {100 * off:.1f} % off their mean; Floyd's {_ranges(loads)}",
        f"{means('a little', SLIGHTLY)} of the mean; balanced directly, not coordinate by"
        f" coordinate, they are {free.min()} to {free.max()}; {_NUMBERED}",
        figure=_figure_10(4),
    )


@claim(
    "xu-2019/fig-10/floyd",
    "(16,3) x (16,3): the largest load of Floyd's shortest paths",
    "about 2000",
    "topoloom reproduce xu-2019/fig-10/floyd (no command makes Floyd's tables)",
)
def _floyd() -> Outcome:
    whole = [int(load.max()) for load in _floyds(PRODUCT.format(3))]
    factors = [
        int(_floyd_loads(cartesian_product([factor, factor])).max()) for factor in _numbered("optimal:n=16,degree=3")
    ]
    readings = {"of the product": whole, "of its factor": factors}
    numbers = "; ".join(
        f"{name}: {fmean(most):.0f} on average, {min(most)} to {max(most)}, deviation {stdev(most):.0f}"
        for name, most in readings.items()
    )
    note = f"{_OURS}. Two readings: random numberings of the product, or of its factor"
    fits = min(readings, key=lambda name: abs(fmean(readings[name]) - 2000))
    return compare(
        {f"greatest, numbering {fits}": 2000},
        {f"greatest, numbering {fits}": fmean(readings[fits])},
        step=Step(2 * stdev(readings[fits]), "two standard deviations over numberings"),
        readings=len(readings),
        digits=4,
        assumption=note,
        reason=note,
        figure=_figure_10(3),
        details=f"random numberings {numbers}; as built {whole[0]}. {_NUMBERED}",
    )


@claim(
    "xu-2019/fig-10/degrees",
    "the higher degree reduces the average forwarding load: (16,4) x (16,4) compared with (16,3) x (16,3)",
    "reduces",
    f"topoloom hops '{PRODUCT.format(3)}'; topoloom hops '{PRODUCT.format(4)}' (the mean load is the switches less one, times"
    " the ASPL less one)",
)
def _degrees() -> Outcome:
    means = {degree: (_product_load(degree).mean(), _floyds(PRODUCT.format(degree))[0].mean()) for degree in (3, 4)}
    return check_statements(
        {"balanced": bool(means[4][0] < means[3][0]), "by Floyd's paths": bool(means[4][1] < means[3][1])},
        "; ".join(
            f"(16,{degree}) x (16,{degree}): {ours:.1f}, Floyd's {other:.1f}" for degree, (ours, other) in means.items()
        ),
        "the mean load is the same for any choice of shortest paths",
        wrong=True,
    )
