"""Claims of Truong 2016 on DSN-F, an expandable distributed shortcut network: figures 1 and 3, sections 1, 3 and 4.1."""

from functools import lru_cache
from itertools import pairwise
from math import ceil, log2

from topoloom.topologies.families.dsn import dsn_f_levels
from topoloom.topologies.spec import build
from topoloom_papers._helpers import measured
from topoloom_papers.curves import Curves, Series
from topoloom_papers.papers.truong_2016._networks_by_size import FILLS, SIZES, spec
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, check_statements, compare, listed
from topoloom_papers.words import SIMILAR, SLIGHTLY, means


@claim(
    "truong-2016/section-1/fat-trees",
    "fat trees of switches with 24, 32 and 48 ports have 3,456, 8,192 and 27,648 hosts",
    "3456, 8192, 27648",
    "topoloom info fat-tree:k=24",
)
def _fat_trees() -> Outcome:
    hosts = {f"{ports} ports": build(f"fat-tree:k={ports}").hosts for ports in (24, 32, 48)}
    return compare({"24 ports": 3456, "32 ports": 8192, "48 ports": 27_648}, hosts)


@claim(
    "truong-2016/fig-1",
    "DSN-F with n = 32, p = 3: node 0 is linked to 1, 2, 13, 23 and 24",
    "1, 2, 13, 23, 24",
    "topoloom info dsn-f:n=32",
)
def _figure_1() -> Outcome:
    links = build("dsn-f:n=32").links
    neighbours = sorted(int(links[row, 1 - end]) for row, end in zip(*(links == 0).nonzero(), strict=True))
    ours = {f"neighbour {at}": value for at, value in enumerate([*neighbours, *[-1] * 5][: max(5, len(neighbours))], 1)}
    return compare({name: dict(enumerate((1, 2, 13, 23, 24), 1)).get(at, -1) for at, name in enumerate(ours, 1)}, ours)


@claim(
    "truong-2016/section-3.2/labels",
    "n = 32: p = 3, 8 supernodes, 24 nodes in layer 0; node 0 is {1, 0, 0}, 23 {3, 0, 7}, 24 {1, 1, 0}; 13 is in supernode 4",
    "3, 8, 24; {1, 0, 0}, {3, 0, 7}, {1, 1, 0}; 4",
    "topoloom info dsn-f:n=32",
)
def _labels() -> Outcome:
    labels = build("dsn-f:n=32").labels

    def of(node: int) -> str:
        return f"{labels['level'][node]}{labels['layer'][node]}{labels['group'][node]}"

    return compare(
        {"p": 3, "supernodes": 8, "layer 0": 24, "0": 100, "23": 307, "24": 110, "supernode of 13": 4},
        {
            "p": int(labels["level"].max()),
            "supernodes": int(labels["group"].max()) + 1,
            "layer 0": int((labels["layer"] == 0).sum()),
            "0": int(of(0)),
            "23": int(of(23)),
            "24": int(of(24)),
            "supernode of 13": int(labels["group"][13]),
        },
        assumption="level, layer and supernode of a node are written as one number of three digits",
    )


@claim(
    "truong-2016/section-3.3/no-rewiring",
    "DSN-F: adding a switch only adds cables for the new switch",
    "no cable unplugged",
    "topoloom hops dsn-f:n=903",
)
def _no_rewiring() -> Outcome:
    """Count links of n switches that do not exist with n + 1, or n + p, switches, for constant p."""
    lost = {closed: {"one switch": 0, "a group of p": 0} for closed in (True, False)}
    for n in range(24, 896):
        p = dsn_f_levels(n)
        for what, more in (("one switch", 1), ("a group of p", p)):
            if dsn_f_levels(n + more) == p and n % more == 0:
                for closed, most in lost.items():
                    most[what] = max(most[what], len(_links(n, closed) - _links(n + more, closed)))
    fits = lost[True] if not any(lost[True].values()) else lost[False]
    counts = {closed: listed(most.items(), "{:g}") for closed, most in lost.items()}
    note = (
        "24 to 896 switches; two readings of the links in a partly filled layer, which the paper does not describe (errata of"
        f" Truong 2016, 10): a ring from three switches on, as described for full layers: at most {counts[True]} cables"
        " unplugged, because the ring is opened for the new switch; or section 3.2's formulas, for the switches that exist:"
        f" {counts[False]}"
    )
    return compare(dict.fromkeys(fits, 0), fits, readings=2, assumption=note, reason=note)


@lru_cache(maxsize=32)
def _links(n: int, closed: bool) -> frozenset[tuple[int, int]]:
    """Links of DSN-F; if not `closed`, the ring of a partly filled layer ends at its first and last switch."""
    topology = build(f"dsn-f:n={n}")
    u, v = topology.links.T
    group, layer, level = (topology.labels[key] for key in ("group", "layer", "level"))
    closing = (group[u] == group[v]) & (layer[u] == layer[v]) & (abs(level[u] - level[v]) > 1)
    partial = abs(level[u] - level[v]) < dsn_f_levels(n) - 1
    return frozenset((a, b) for a, b in topology.links[closed | ~(closing & partial)].tolist())


@claim(
    "truong-2016/abstract/one-rack",
    "a new set of nodes is cabled to a single existing rack (DSN-F, 896 to 1,792)",
    "1",
    "topoloom info dsn-f:n=1792",
)
def _one_rack() -> Outcome:
    topology = build("dsn-f:n=1792")
    group, layer = topology.labels["group"], topology.labels["layer"]
    reached: dict[int, set[int]] = {}
    for u, v in topology.links.tolist():
        for new, old in ((u, v), (v, u)):
            if layer[new] > 0 and layer[old] == 0:
                reached.setdefault(int(group[new]), set()).add(int(group[old]))
    most = max(map(len, reached.values()))
    return compare(
        {"racks": 1},
        {"racks": most},
        assumption="for constant p, with one rack per supernode for its switches of layer 0 and another for those of layer 1:"
        f" the maximum over {len(reached)} new racks; when p grows, supernodes are split and many cables move (errata of Truong"
        " 2016, 9)",
    )


def _bound(n: int) -> float:
    """The bound of DSN-F's diameter in Theorem 1b, 3p/2 + 2K - 2 with K = ceil(n/N) (errata of Truong 2016, 2)."""
    p = dsn_f_levels(n)
    return 1.5 * p + 2 * -(-n // (p << p)) - 2


def _dsn_bound(n: int) -> float:
    """2.5 log n + r: r, which the paper does not define, is n mod ceil(log n), the switches of the incomplete supernode."""
    return 2.5 * log2(n) + n % ceil(log2(n))


@claim(
    "truong-2016/section-4.1/half",
    "the diameter of DSN-F is about a half of that of DSN",
    "a half",
    "topoloom hops dsn-f:n=1024; topoloom hops dsn:n=1024",
)
def _half() -> Outcome:
    ratio = {str(n): measured(f"dsn-f:n={n}").diameter / measured(f"dsn:n={n}").diameter for n in SIZES}
    bounds = {str(n): _bound(n) / _dsn_bound(n) for n in SIZES}
    readings = [all(abs(value / 0.5 - 1) <= SIMILAR for value in each.values()) for each in (ratio, bounds)]
    return check_statements(
        {"about a half at every size, by diameters or by bounds": any(readings)},
        f"DSN-F's diameter divided by DSN's, by switches: {listed(ratio.items(), '{:.2f}')}; bounds:"
        f" {listed(bounds.items(), '{:.2f}')}",
        f"{means('about', SIMILAR)}; two readings: the diameters (errata of Truong 2016, 15), or the bounds 3p/2 + 2K - 2 and"
        " 2.5 log n + r that the paper compares",
        readings=2,
        wrong=True,
    )


@claim(
    "truong-2016/section-4.1/dsn-diameter",
    "the diameter of DSN is about 2.5 log n + r with r < log n",
    "2.5 log n + r",
    "topoloom hops dsn:n=1024",
)
def _dsn_diameter() -> Outcome:
    bound = {n: _dsn_bound(n) for n in SIZES}
    diameter = {n: float(measured(f"dsn:n={n}").diameter) for n in SIZES}
    equal = sum(abs(diameter[n] / bound[n] - 1) <= SIMILAR for n in SIZES)
    return check_statements(
        {"at most that at every size": all(diameter[n] <= bound[n] for n in SIZES)},
        f"diameter, and 2.5 log n + r: {', '.join(f'{n:,}: {diameter[n]:g}, {bound[n]:g}' for n in SIZES)}",
        f"two readings: a bound, as for DSN-F in Theorem 1b, or the diameter itself, which is 'about' that at {equal} of"
        f" {len(SIZES)} sizes; r, which the paper does not define, is n mod ceil(log n), the switches of the last, incomplete"
        " supernode",
        readings=2,
    )


@claim(
    "truong-2016/section-4.1/degree",
    "the average degree of DSN-F is a bit higher than that of DSN, the maximum is still 5",
    "a bit, 5",
    "topoloom info dsn-f:n=1024; topoloom info dsn:n=1024",
)
def _degree() -> Outcome:
    by_size = {name: {n: build(spec(name, n)).degrees for n in SIZES} for name in ("DSN-F", "DSN")}
    more = {str(n): float(by_size["DSN-F"][n].mean() - by_size["DSN"][n].mean()) for n in SIZES}
    most = {name: max(int(degrees.max()) for degrees in row.values()) for name, row in by_size.items()}
    return check_statements(
        {
            "higher at every size": min(more.values()) > 0,
            "by less than half a link": max(more.values()) < 0.5,
            "the greatest is 5": most["DSN-F"] == 5,
        },
        f"additional links per switch compared with DSN, by switches: {listed(more.items(), '{:.2f}')}; greatest degree"
        f" {most['DSN-F']}",
        "a bit, without a number in the paper, is read as less than half a link; 32 to 4,096 switches",
        wrong=True,
    )


@claim("truong-2016/section-4.1/levels", "p = log n + constant", "log n - p is constant", "topoloom info dsn-f:n=10240")
def _levels() -> Outcome:
    apart = {f"{p << p:,}": log2(p << p) - dsn_f_levels(p << p) for p in range(3, 11)}
    return check_statements(
        {"the same at every n": max(apart.values()) - min(apart.values()) < 1e-9},
        f"log n - p, by n: {listed(apart.items(), '{:.2f}')}",
        "at n = p 2^p, log n - p is log p, which grows (errata of Truong 2016, 15); the diameter is still logarithmic",
        wrong=True,
    )


@claim(
    "truong-2016/section-4.1/three-halves",
    "the bound 3p/2 + 2K - 2 is approximately 3 log n / 2",
    "approximately equal",
    "topoloom info dsn-f:n=4096",
)
def _three_halves() -> Outcome:
    ratio = {f"{n:,}": _bound(n) / (1.5 * log2(n)) for n in SIZES}
    # A full layer, n = p 2^p: K = 1, and log n is p + log p.
    limit = {f"p = {p}": p / (p + log2(p)) for p in (4, 8, 16, 64, 256, 1024)}
    readings = {
        "at every size of figure 4": all(abs(value - 1) <= SIMILAR for value in ratio.values()),
        "as n grows": all(a < b for a, b in pairwise(limit.values())) and max(limit.values()) >= 1 - SIMILAR,
    }
    return check_statements(
        {"approximately equal at every size, or as n grows": any(readings.values())},
        f"the bound divided by 3 log n / 2, by switches: {listed(ratio.items(), '{:.2f}')}",
        f"{means('approximately', SIMILAR)}; K = ceil(n/N) (errata of Truong 2016, 2); two readings: at the sizes of figure 4,"
        f" or as n grows, which fits but needs p of about 64; with one full layer: {listed(limit.items(), '{:.2f}')}",
        readings=2,
        wrong=True,
    )


def _grown(fill: str) -> tuple[dict[int, int], dict[int, float]]:
    """Diameter and ASPL by the number of switches added to 1,024."""
    diameter, aspl = ({int(more): value for more, value in series.points} for series in figure_3(fill).series)
    return {more: int(value) for more, value in diameter.items()}, aspl


_FILL_NOTE = (
    "two readings: new layers are filled supernode by supernode, in the order of switch numbers, or evenly, as the split of"
    " supernodes assumes (errata of Truong 2016, 6)"
)


@claim(
    "truong-2016/fig-3",
    "DSN-F grown from 1,024 switches: the diameter increases by 1 hop beyond 768 more switches",
    "1",
    "topoloom hops dsn-f:n=1792; topoloom hops dsn-f:n=1920",
)
def _figure_3() -> Outcome:
    diameter = {fill: _grown(fill)[0] for fill in FILLS}
    more = {fill: by_added[896] - by_added[768] for fill, by_added in diameter.items()}
    fits = min(FILLS, key=lambda fill: abs(more[fill] - 1))
    rows = "; ".join(f"{FILLS[fill]} {', '.join(map(str, by_added.values()))}" for fill, by_added in diameter.items())
    note = f"{_FILL_NOTE}; diameters every 128 switches, filled {rows}"
    return compare({"hops": 1}, {"hops": more[fits]}, readings=2, figure=figure_3(fits), assumption=note, reason=note)


@claim(
    "truong-2016/fig-3/split",
    "DSN-F grown from 1,024 switches: at 1,024 more the diameter is slightly lower than at 768 more",
    "slightly lower",
    "topoloom hops dsn-f:n=1792; topoloom hops dsn-f:n=2048",
)
def _figure_3_split() -> Outcome:
    statements, rows, aspls = {}, [], []
    for fill, how in FILLS.items():
        diameter, aspl = _grown(fill)
        statements[f"filled {how}: it is lower, by one hop"] = diameter[768] - diameter[1024] == 1
        rows.append(f"filled {how}: diameter {diameter[768]} at 768 more, {diameter[1024]} at 1,024 more")
        aspls.append(f"{aspl[768]:.3f} and {aspl[1024]:.3f}")
    return check_statements(
        statements,
        "; ".join(rows),
        f"slightly is read as one hop, the least possible difference; {_FILL_NOTE}; the ASPL is {'; '.join(aspls)}",
        figure=figure_3(),
    )


@claim(
    "truong-2016/fig-3/modest",
    "DSN-F grown from 1,024 switches: diameter and ASPL slightly increase with the number of nodes (abstract: modestly)",
    "slightly",
    "topoloom hops dsn-f:n=1024; topoloom hops dsn-f:n=2048; topoloom hops dsn-f:n=1024,fill=balanced",
)
def _figure_3_modest() -> Outcome:
    statements, rows, spans = {}, [], []
    for fill, how in FILLS.items():
        diameter, aspl = _grown(fill)
        values = {"diameter": {more: float(value) for more, value in diameter.items()}, "ASPL": aspl}
        for name, by_added in values.items():
            until = [value for more, value in by_added.items() if more <= 896]
            statements[f"filled {how}: the {name} never falls up to 896 more"] = all(a <= b for a, b in pairwise(until))
            statements[f"filled {how}: the {name} rises up to there"] = by_added[896] > by_added[0]
            statements[f"filled {how}: the {name} never rises more than slightly"] = (
                max(by_added.values()) <= (1 + SLIGHTLY) * by_added[0]
            )
            spans.append(f"{name}, filled {how}, {by_added[0]:.4g} to at most {max(by_added.values()):.4g}")
            rows.append(f"{name}, filled {how}, {', '.join(f'{value:.4g}' for value in by_added.values())}")
    return check_statements(
        statements,
        "; ".join(spans),
        f"{means('slightly', SLIGHTLY)}; from 896 to 1,024 more, supernodes are split, and the paper's diameter falls; filled"
        " supernode by supernode or evenly (errata of Truong 2016, 6)",
        figure=figure_3(),
        details=f"every 128 switches: {'; '.join(rows)}; {_FILL_NOTE}",
    )


@lru_cache(maxsize=2)
def figure_3(fill: str = "id") -> Curves:
    """Figure 3: diameter and ASPL of 1,024 to 2,048 switches, every 128."""
    by_added = {more: measured(f"dsn-f:n={1024 + more},fill={fill}") for more in range(0, 1025, 128)}
    return Curves(
        "truong-2016-figure-3",
        "DSN-F grown from 1,024 switches",
        "switches added",
        "hops",
        (
            Series("diameter", tuple((float(more), float(h.diameter)) for more, h in by_added.items())),
            Series("ASPL", tuple((float(more), h.aspl) for more, h in by_added.items())),
        ),
    )
