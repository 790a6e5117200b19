"""Claims of Besta 2014 on all its networks by size: Figures 1 and 5, Table II, III.A to III.C."""

from collections.abc import Callable
from functools import lru_cache

from topoloom.graph.cuts import cuts
from topoloom.graph.moore import moore_order
from topoloom.topologies.spec import build, facts_of
from topoloom_papers._helpers import measured
from topoloom_papers.curves import Curves, Series
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, check_statements, compare, listed
from topoloom_papers.words import SIMILAR, means

#: Specs of balanced networks with about 500 to 6,500 hosts (Besta 2014, III).
_BALANCED = {
    "Torus 3D": [f"torus:dims={s}x{s}x{s},hosts=1" for s in (8, 10, 12, 14, 16, 17, 18)],
    "Torus 5D": [f"torus:dims={dims},hosts=1" for dims in ("4x4x4x4x4", "5x5x4x4x4", "5x5x5x5x5", "6x5x5x5x5")],
    "Hypercube": [f"hypercube:n={n},hosts=1" for n in (9, 10, 11, 12)],
    "Long Hop": [f"longhop:n={n},extra=5,hosts=1" for n in (9, 10, 11, 12)],
    "Fat tree": [f"fat-tree:k={k}" for k in (14, 16, 18, 20, 22, 24, 26, 28)],
    "Flat. Butterfly": [f"flattened-butterfly:dims={c}x{c}x{c},hosts={c}" for c in (5, 6, 7, 8)],
    "Dragonfly": [f"dragonfly:h={h}" for h in (3, 4, 5, 6)],
    "Random top.": [
        f"dln:n={n},x=2,random={shortcuts},hosts={p}"
        for n, shortcuts, p in ((128, 11, 4), (248, 16, 4), (410, 19, 5), (820, 22, 5), (1000, 24, 6))
    ],
    "Slim Fly": [f"slimfly:q={q},hosts=full" for q in (7, 8, 9, 11, 13, 16)],
}


@lru_cache(maxsize=1)
def _mean_hops() -> dict[str, dict[int, float]]:
    """Mean hops over all pairs of hosts, by network and number of hosts."""
    means: dict[str, dict[int, float]] = {}
    for name, specs in _BALANCED.items():
        sizes = ((int(build(spec).endpoints_at.sum()), measured(spec).host_aspl or 0.0) for spec in specs)
        means[name] = dict(sizes)
    return means


def _figure_1_curves() -> Curves:
    series = tuple(
        Series(name, tuple((float(hosts), hops) for hosts, hops in points.items()))
        for name, points in _mean_hops().items()
    )
    return Curves("besta-2014-figure-1", "Mean hops, uniform traffic", "hosts", "mean hops", series)


_SIZES = "balanced networks of 500 to 6,500 hosts; hops between switches by shortest paths, over all pairs of hosts"


@claim(
    "besta-2014/fig-1",
    "Figure 1 and III.B: the mean number of hops is lowest for Slim Fly at all sizes",
    "lowest",
    "topoloom hops slimfly:q=11,hosts=full",
)
def _figure_1() -> Outcome:
    means = _mean_hops()
    highest = max(means["Slim Fly"].values())
    return check_statements(
        {
            f"every {name} has more hops than every Slim Fly": min(points.values()) > highest
            for name, points in means.items()
            if name != "Slim Fly"
        },
        "; ".join(f"{name} {min(p.values()):.3f} to {max(p.values()):.3f}" for name, p in means.items()),
        _SIZES,
        figure=_figure_1_curves(),
    )


@claim(
    "besta-2014/iii-b/asymptote",
    "the average distance approaches the diameter asymptotically for all topologies considered",
    "all topologies",
    "topoloom hops hypercube:n=12,hosts=1",
)
def _asymptote() -> Outcome:
    shares = {
        name: [(measured(spec).host_aspl or 0.0) / float(measured(spec).host_diameter or 1.0) for spec in specs]
        for name, specs in _BALANCED.items()
    }
    constant = ("Fat tree", "Flat. Butterfly", "Dragonfly", "Slim Fly")
    return check_statements(
        {f"{name}: the share rises with the size": shares[name] == sorted(shares[name]) for name in constant}
        | {f"{name}: the share exceeds two thirds": max(each) > 2 / 3 for name, each in shares.items()},
        "mean divided by diameter: "
        + "; ".join(f"{name} {each[0]:.2f} to {each[-1]:.2f}" for name, each in shares.items()),
        f"in an even torus and a hypercube of any size, the mean is half of the diameter; {_SIZES}",
        wrong=True,
    )


# Table II: diameters.

_TABLE_II: dict[str, tuple[str, Callable[[], dict[str, float]], dict[str, float]]] = {
    "tori": (
        "T3D ceil(3/2 cube root N_r), T5D ceil(5/2 fifth root N_r): 33 and 16 for N of 10,648 and 10,368",
        lambda: {"T3D": measured("torus:dims=22x22x22").diameter, "T5D": measured("torus:dims=8x6x6x6x6").diameter},
        {"T3D": 33, "T5D": 16},
    ),
    "hypercube": (
        "HC ceil(log2 N_r): 13 for N = 8,192",
        lambda: {"HC": measured("hypercube:n=13").diameter},
        {"HC": 13},
    ),
    "high-radix": (
        "FT-3 4, FBF-3 3, DF 3, SF 2: of the sizes of Table IV",
        lambda: {
            "FT-3": measured("fat-tree:k=34").host_diameter or 0.0,
            "FBF-3": measured("flattened-butterfly:dims=10x10x10").diameter,
            "DF": measured("dragonfly:h=7").diameter,
            "SF": measured("slimfly:q=19").diameter,
        },
        {"FT-3": 4, "FBF-3": 3, "DF": 3, "SF": 2},
    ),
}


def _table_ii(key: str) -> None:
    what, ours, published = _TABLE_II[key]

    @claim(
        f"besta-2014/table-ii/{key}",
        f"diameter: {what}",
        ", ".join(f"{value:g}" for value in published.values()),
        "topoloom hops slimfly:q=19" if key == "high-radix" else "topoloom hops torus:dims=22x22x22",
    )
    def compute() -> Outcome:
        note = "exact for even sides only; an odd side s gives floor(s/2) per dimension (errata of Besta 2014, 14)"
        return compare(published, ours(), assumption=note if key == "tori" else "")


for _key in _TABLE_II:
    _table_ii(_key)


@claim(
    "besta-2014/table-ii/random",
    "diameter of DLN: 3 to 10, and three in the paper's examples (III.D)",
    "3 to 10",
    "topoloom hops dln:n=820,x=2,random=22",
)
def _random() -> Outcome:
    specs = [spec.partition(",hosts")[0] for spec in _BALANCED["Random top."]] + ["dln:n=1366,x=2,random=30"]
    diameters = {spec: measured(spec).diameter for spec in specs}
    sparse = {n: measured(f"dln:n={n},x=2,random=2").diameter for n in (128, 512, 2048, 8192)}
    return check_statements(
        {
            "each of the examples, with the radix of a Slim Fly of that size, has diameter 3": set(diameters.values())
            == {3},
            "none has more than 10": max(diameters.values()) <= 10,
        },
        "; ".join(f"{spec} {diameter:g}" for spec, diameter in diameters.items())
        + f"; with 2 shortcuts per switch {listed(((f'{n} switches', d) for n, d in sparse.items()), '{:g}')}",
        "3 to 10 are cited from Koibuchi et al. 2012 (ISCA), whose degrees and sizes this paper does not give: compared for the"
        " networks of this paper, including the largest of Table III",
    )


@claim(
    "besta-2014/table-ii/long-hop",
    "LH-HC of 2^8 .. 2^13 endpoints has diameter 4 to 6",
    "4 to 6",
    "topoloom hops longhop:n=8,extra=5; topoloom hops longhop:n=13,extra=5",
)
def _long_hops() -> Outcome:
    diameters = {
        extra: [int(measured(f"longhop:n={n},extra={extra}").diameter) for n in range(8, 14)] for extra in (4, 5, 6)
    }
    return compare(
        {"least": 4, "greatest": 6},
        {"least": min(diameters[5]), "greatest": max(diameters[5])},
        readings=3,
        assumption="the paper does not state the number L of extra ports; diameters for 2^8 .. 2^13: "
        + "; ".join(f"L = {extra}: {', '.join(map(str, each))}" for extra, each in diameters.items()),
        reason=f"diameters {diameters}",
    )


# Figure 5: the Moore bound, and bisection.


@lru_cache(maxsize=1)
def _figure_5a_curves() -> Curves:
    flies = [facts for q in range(4, 68) if (facts := _facts(f"slimfly:q={q}")) is not None and facts[0] <= 100]
    degrees = range(4, 101, 2)
    series = (
        Series("Moore bound 2", tuple((float(k), float(moore_order(k, 2))) for k in degrees), True),
        Series("Slim Fly MMS", tuple(sorted((float(k), float(n)) for k, n in flies))),
        Series("Fat tree 2", tuple((float(k), 1.5 * k) for k in degrees)),
        Series("Flat. Butterfly 2", tuple((float(k), float((k // 2 + 1) ** 2)) for k in degrees)),
    )
    return Curves("besta-2014-figure-5a", "Diameter 2", "network radix k'", "switches", series)


def _facts(spec: str) -> tuple[int, int] | None:
    """Degree and switches; None if the family has no such member."""
    from topoloom.core.errors import InputError

    try:
        facts = facts_of(spec)
    except InputError:
        return None
    return None if facts is None or facts.degree is None else (int(facts.degree), int(facts.switches))


@claim(
    "besta-2014/fig-5a",
    "k' = 96: MMS has 8,192 routers, 12 % worse than the Moore bound of 9,217",
    "8192, 9217, 12 %",
    "topoloom bounds --switches 8192 --degree 96",
)
def _figure_5a() -> Outcome:
    order, bound = _order("slimfly:q=64"), moore_order(96, 2)
    return compare(
        {"routers": 8192, "bound": 9217, "%": "12"},
        {"routers": order, "bound": bound, "%": 100 * (bound / order - 1)},
        cut=True,
        readings=2,
        assumption="the bound lies 12.5 % above MMS, which lies 11.1 % below the bound",
        digits=4,
        figure=_figure_5a_curves(),
    )


def _generators(switches: int) -> int:
    """The fewest generators with which a Cayley graph of bit strings, such as any Long Hop, can have diameter two."""
    m = 0
    while m + m * (m - 1) // 2 < switches - 1:
        m += 1
    return m


@claim(
    "besta-2014/fig-5a/others",
    "other graphs of diameter 2 (Long Hop, fat tree of two stages, flattened butterfly of two levels) are up to several"
    " orders of magnitude worse than the bound",
    "up to several orders",
    "topoloom info flattened-butterfly:dims=49x49",
)
def _others() -> Outcome:
    bound = moore_order(96, 2)
    most_hops = max(2**n for n in range(2, 16) if _generators(2**n) <= 96)
    sizes = {
        "Long Hop, at most": most_hops,
        "fat tree": 96 * 3 // 2,
        "flattened butterfly": _order("flattened-butterfly:dims=49x49"),
    }
    worse = {name: bound / order for name, order in sizes.items()}
    return check_statements(
        {"one of them is at least two orders of magnitude below the bound": max(worse.values()) >= 100},
        f"k' = 96: bound {bound}; times below it: {listed(worse.items(), '{:.1f}')}",
        "several orders: at least two. The paper does not give E-S-1's codes: 2^n switches of k' links have diameter 2 only if"
        " k' + k'(k' - 1)/2 >= 2^n - 1, by counting",
        figure=_figure_5a_curves(),
    )


@claim(
    "besta-2014/fig-5a/long-hop",
    "a Long Hop of diameter 2 (E-S-1) with 50,000 endpoints requires routers of radix about 340",
    "340",
    "topoloom hops flattened-butterfly:dims=128x256,hosts=2; topoloom hops flattened-butterfly:dims=256x256,hosts=1",
)
def _long_hop_radix() -> Outcome:
    # A flattened butterfly of 2^a x 2^b is a Long Hop: its generators are all masks of the first a bits, or of the last b.
    ranges = {}
    for n, spec, hosts in ((15, "flattened-butterfly:dims=128x256", 2), (16, "flattened-butterfly:dims=256x256", 1)):
        facts = facts_of(spec)
        most = int(facts.degree or 0) if facts is not None and facts.diameter == 2 else 2**n - 1
        ranges[f"2^{n} routers with {hosts} each"] = (_generators(2**n) + hosts, most + hosts)
    return check_statements(
        {f"{name}: no fewer than about 340": least >= 340 * (1 - SIMILAR) for name, (least, _) in ranges.items()}
        | {f"{name}: no more than about 340": most <= 340 * (1 + SIMILAR) for name, (_, most) in ranges.items()},
        "; ".join(f"{name}: {least} to {most} ports" for name, (least, most) in ranges.items()),
        "least by counting, as for other graphs; most from a flattened butterfly, which is a Long Hop of diameter 2. The paper"
        f" does not give E-S-1's codes; {means('about', SIMILAR)}",
    )


@claim(
    "besta-2014/fig-5b",
    "diameter 3 near k' = 96: DEL 68 %, BDF 30 %, DF 14 % of the Moore bound, FBF about 3x below DF",
    "68, 30, 14, 3",
    "topoloom info bdf:u=13; topoloom info delorme:v=5",
)
def _figure_5b() -> Outcome:
    share = {
        "DEL %": 100 * _order("delorme:v=9") / moore_order(100, 3),
        "BDF %": 100 * _order("bdf:u=61") / moore_order(93, 3),
        "DF %": 100 * _order("dragonfly:a=65,h=32") / moore_order(96, 3),
        "DF/FBF": _order("dragonfly:a=65,h=32") / _order("flattened-butterfly:dims=33x33x33"),
    }
    radices = range(4, 101, 4)
    members: dict[str, list[tuple[int, int] | None]] = {
        "Delorme": [_facts(f"delorme:v={v}") for v in range(2, 10)],
        "BDF": [_facts(f"bdf:u={u}") for u in range(3, 64)],
        "Dragonfly": [_facts(f"dragonfly:h={h}") for h in range(1, 34)],
        "Flat. Butterfly 3": [(3 * (c - 1), c**3) for c in range(2, 35)],
    }
    series = [Series("Moore bound 3", tuple((float(k), float(moore_order(k, 3))) for k in radices), True)]
    series += [
        Series(name, tuple((float(k), float(n)) for k, n in sorted(point for point in points if point is not None)))
        for name, points in members.items()
    ]
    return compare(
        {"DEL %": "68", "BDF %": "30", "DF %": "14", "DF/FBF": "3"},
        share,
        reason="DF (a = 65, h = 32) and FBF (33 x 33 x 33) at k' = 96; DEL and BDF, which have no member there, at v = 9 (k' ="
        " 100) and u = 61 (k' = 93); for large k' DF, BDF and DF/FBF tend to 4/27 = 14.8 %, 8/27 = 29.6 % and 4",
        digits=4,
        figure=Curves("besta-2014-figure-5b", "Diameter 3", "network radix k'", "switches", tuple(series)),
    )


def _order(spec: str) -> int:
    facts = facts_of(spec)
    return facts.switches if facts is not None else 0


@claim(
    "besta-2014/iii-c/bisection",
    "bisection of HC and FT-3 N/2, LH-HC 3N/2, FBF-3 N/4, DF about (N + 2p^2 - 1)/4",
    "4096, 256, 12288, 64, 272",
    "topoloom cuts longhop:n=13,extra=5; topoloom cuts flattened-butterfly:dims=4x4x4; topoloom cuts dragonfly:h=4",
)
def _bisections() -> Outcome:
    specs = {
        "HC": "hypercube:n=13",
        "FT-3": "kary-tree:k=8,n=3",
        "LH-HC": "longhop:n=13,extra=5",
        "FBF-3": "flattened-butterfly:dims=4x4x4",
        "DF": "dragonfly:h=4",
    }
    note = (
        "METIS's best cut over 16 seeds, an upper bound of the bisection; 8,192, 512, 8,192, 256 and 1,056 hosts; LH-HC has"
        " five links per switch more than the hypercube, as in Table IV; (N + 2p^2 - 1)/4 is 271.75"
    )
    return compare(
        {"HC": 8192 / 2, "FT-3": 512 / 2, "LH-HC": 3 * 8192 / 2, "FBF-3": 256 / 4, "DF": "272"},
        {name: _cut(spec) for name, spec in specs.items()},
        assumption=note,
        reason=note,
    )


@claim("besta-2014/iii-c/tori", "bisection of tori 2N/k': 8 x 8 x 8", "170.7", "topoloom cuts torus:dims=8x8x8")
def _tori_bisection() -> Outcome:
    return compare(
        {"T3D": f"{2 * 512 / 6:.1f}"},
        {"T3D": _cut("torus:dims=8x8x8")},
        right={"T3D": 2 * 512 / 8},
        reason="a torus is cut across its longest ring, through 2N/(ring length) links, for any k' (errata of"
        " Besta 2014, 13)",
    )


def _cut(spec: str) -> float:
    return float(cuts(build(spec), seeds=16).links)


#: Rate of a link.
_GBPS = 10.0


@lru_cache(maxsize=1)
def _bandwidths() -> dict[str, list[tuple[float, float]]]:
    """Points (hosts, bisection bandwidth in Gb/s) by network, up to 20,000 hosts."""
    cut_links: dict[str, list[tuple[float, float]]] = {
        "Torus 3D": [(s**3, 2 * s**2) for s in range(6, 28, 2)],
        "Torus 5D": [(s**5, 2 * s**4) for s in (4, 6)],
        "Hypercube": [(2**n, 2 ** (n - 1)) for n in range(8, 15)],
        "Long Hop": [(2**n, 3 * 2 ** (n - 1)) for n in range(8, 15)],
        "Fat tree": [(k**3 / 4, k**3 / 8) for k in range(8, 44, 4)],
        "Flat. Butterfly": [(c**4, c**4 / 4) for c in range(4, 12)],
        "Dragonfly": [(n := 2 * h * h * (2 * h * h + 1), (n + 2 * h * h - 1) / 4) for h in range(2, 9)],
    }
    flies = {q: build(f"slimfly:q={q},hosts=full") for q in (5, 7, 9, 11, 13, 16, 17, 19, 23)}
    cut_links["Slim Fly"] = [(t.endpoints_at.sum(), cuts(t, seeds=4).links) for t in flies.values()]
    random = {spec: build(spec) for spec in (*_BALANCED["Random top."], "dln:n=1386,x=2,random=19,hosts=7")}
    cut_links["Random top."] = [(t.endpoints_at.sum(), cuts(t, seeds=4).links) for t in random.values()]
    return {name: sorted((float(n), _GBPS * float(b)) for n, b in points) for name, points in cut_links.items()}


@claim(
    "besta-2014/fig-5c",
    "bisection bandwidth up to 20,000 hosts: Slim Fly higher than DF, FBF-3, T3D and T5D",
    "higher",
    "topoloom cuts slimfly:q=19,hosts=full",
)
def _figure_5c() -> Outcome:
    bandwidths = _bandwidths()
    share = {name: [b / n for n, b in points if n >= 500] for name, points in bandwidths.items()}
    below = ("Dragonfly", "Flat. Butterfly", "Torus 3D", "Torus 5D")
    return check_statements(
        {
            f"every Slim Fly has more per host than every {name}": min(share["Slim Fly"]) > max(share[name])
            for name in below
        },
        "Gb/s per host: " + "; ".join(f"{name} {min(each):.2f} to {max(each):.2f}" for name, each in share.items()),
        "500 hosts and more; formulas of III.C, tori 2N/(ring length); Slim Fly and DLN by METIS's best cut, as in the paper,"
        " which is an upper bound of the true one; with III.C's 2N/k' tori have 3.33 and 2",
        wrong=True,
        figure=Curves(
            "besta-2014-figure-5c",
            "Bisection bandwidth, 10 Gb/s per link",
            "hosts",
            "Gb/s",
            tuple(Series(name, tuple(points)) for name, points in bandwidths.items()),
        ),
    )
