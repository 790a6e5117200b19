"""Claims of Truong 2016 about DSN-F, distributed shortcut networks that grow: figures 1 and 3, and sections 1, 3 and 4.1."""

from functools import lru_cache
from itertools import pairwise
from math import log2

from topoloom.families.dsn import dsn_f_levels
from topoloom.figures.curves import Curves, Series
from topoloom.reproduction._helpers import measured
from topoloom.reproduction.papers.truong_2016._networks_by_size import CLOSE, SIZES, spec
from topoloom.reproduction.registry import claim
from topoloom.reproduction.verdicts import Outcome, judge, listed, stated
from topoloom.spec import build


@claim(
    "truong-2016/section-1/fat-trees",
    "fat trees of switches with 24, 32 and 48 ports have 3,456, 8,192 and 27,648 hosts",
    "3456, 8192, 27648",
    "topoloom info fat-tree:k=24",
)
def _fat_trees() -> Outcome:
    hosts = {f"{ports} ports": build(f"fat-tree:k={ports}").hosts for ports in (24, 32, 48)}
    return judge({"24 ports": 3456, "32 ports": 8192, "48 ports": 27_648}, hosts)


@claim(
    "truong-2016/fig-1",
    "DSN-F with n = 32, p = 3: node 0 is linked to 1, 2, 13, 23 and 24",
    "1, 2, 13, 23, 24",
    "topoloom info dsn-f:n=32",
)
def _figure_1() -> Outcome:
    links = build("dsn-f:n=32").links
    found = sorted(int(links[row, 1 - end]) for row, end in zip(*(links == 0).nonzero(), strict=True))
    ours = {f"neighbour {at}": value for at, value in enumerate([*found, *[-1] * 5][: max(5, len(found))], 1)}
    return judge({name: dict(enumerate((1, 2, 13, 23, 24), 1)).get(at, -1) for at, name in enumerate(ours, 1)}, ours)


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

    return judge(
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
        assumption="level, layer and supernode of a node are told as one number of three digits",
    )


@claim(
    "truong-2016/section-3.3/no-rewiring",
    "DSN-F: adding a switch only adds cables for the new switch",
    "no rewiring",
    "topoloom hops dsn-f:n=903",
)
def _no_rewiring() -> Outcome:
    """Links of n switches that n + 1, or n + p, do not have, as long as p stays."""
    gone = {"one switch": 0, "a group of p": 0}
    for n in range(24, 896):
        p = dsn_f_levels(n)
        for what, more in (("one switch", 1), ("a group of p", p)):
            if dsn_f_levels(n + more) == p and n % more == 0:
                gone[what] = max(gone[what], len(_links(n) - _links(n + more)))
    return stated(
        {f"none is unplugged for {what}": count == 0 for what, count in gone.items()},
        f"cables unplugged at most for {listed(gone.items(), '{:g}')}",
        "24 to 896 switches; switches of a layer are in a ring, and one that a switch is added to has a link less between the"
        " others, from three on (errata of Truong 2016, 10)",
        wrong=True,
    )


@lru_cache(maxsize=16)
def _links(n: int) -> frozenset[tuple[int, int]]:
    return frozenset((u, v) for u, v in build(f"dsn-f:n={n}").links.tolist())


@claim(
    "truong-2016/abstract/one-cabinet",
    "a new node set is cabled to a single existing cabinet (DSN-F, 896 to 1,792)",
    "1",
    "topoloom info dsn-f:n=1792",
)
def _one_cabinet() -> Outcome:
    topology = build("dsn-f:n=1792")
    group, layer = topology.labels["group"], topology.labels["layer"]
    reached: dict[int, set[int]] = {}
    for one, other in topology.links.tolist():
        for new, old in ((one, other), (other, one)):
            if layer[new] > 0 and layer[old] == 0:
                reached.setdefault(int(group[new]), set()).add(int(group[old]))
    most = max(map(len, reached.values()))
    return judge(
        {"cabinets": 1},
        {"cabinets": most},
        assumption="as long as p stays, and where a cabinet holds a supernode's switches of layer 0 and another those"
        f" of layer 1: the most of {len(reached)} new ones; when p grows, supernodes are split and many cables move (errata of"
        " Truong 2016, 9)",
    )


@claim(
    "truong-2016/section-4.1/half",
    "the diameter of DSN-F is about a half of that of DSN",
    "a half",
    "topoloom hops dsn-f:n=1024; topoloom hops dsn:n=1024",
)
def _half() -> Outcome:
    ratio = {str(n): measured(f"dsn-f:n={n}").diameter / measured(f"dsn:n={n}").diameter for n in SIZES}
    return stated(
        {"from 0.4 to 0.6 at every size": all(0.4 <= value <= 0.6 for value in ratio.values())},
        f"DSN-F's diameter over DSN's, by switches: {listed(ratio.items(), '{:.2f}')}",
        "about a half, in no number in the paper, is taken as 0.4 to 0.6; the bounds differ by a half, not the diameters"
        " (errata of Truong 2016, 15)",
        wrong=True,
    )


@claim(
    "truong-2016/section-4.1/degree",
    "the average degree of DSN-F is a bit higher than that of DSN, the maximum still 5",
    "a bit, 5",
    "topoloom info dsn-f:n=1024; topoloom info dsn:n=1024",
)
def _degree() -> Outcome:
    found = {name: {n: build(spec(name, n)).degrees for n in SIZES} for name in ("DSN-F", "DSN")}
    more = {str(n): float(found["DSN-F"][n].mean() - found["DSN"][n].mean()) for n in SIZES}
    most = {name: max(int(degrees.max()) for degrees in row.values()) for name, row in found.items()}
    return stated(
        {
            "higher at every size": min(more.values()) > 0,
            "by less than half a link": max(more.values()) < 0.5,
            "the greatest is 5": most["DSN-F"] == 5,
        },
        f"links a switch more than DSN, by switches: {listed(more.items(), '{:.2f}')}; greatest degree {most['DSN-F']}",
        "a bit, in no number in the paper, is taken as less than half a link; 32 to 4,096 switches",
        wrong=True,
    )


@claim("truong-2016/section-4.1/levels", "p = log n + constant", "log n - p is constant", "topoloom info dsn-f:n=10240")
def _levels() -> Outcome:
    apart = {f"{p << p:,}": log2(p << p) - dsn_f_levels(p << p) for p in range(3, 11)}
    return stated(
        {"the same at every n": max(apart.values()) - min(apart.values()) < 1e-9},
        f"log n - p, by n: {listed(apart.items(), '{:.2f}')}",
        "at n = p 2^p, log n - p is log p, which grows (errata of Truong 2016, 15); the diameter is logarithmic all the same",
        wrong=True,
    )


@claim(
    "truong-2016/section-4.1/three-halves",
    "the bound 3p/2 + 2K - 2 is approximately 3 log n / 2",
    "approximately equal",
    "topoloom info dsn-f:n=4096",
)
def _three_halves() -> Outcome:
    ratio = {}
    for n in SIZES:
        p = dsn_f_levels(n)
        ratio[f"{n:,}"] = (1.5 * p + 2 * -(-n // (p << p)) - 2) / (1.5 * log2(n))
    return stated(
        {"within a tenth at every size": all(abs(value - 1) <= 0.1 for value in ratio.values())},
        f"the bound over 3 log n / 2, by switches: {listed(ratio.items(), '{:.2f}')}",
        "approximately, in no number in the paper, is taken as within a tenth; K = ceil(n/N) (errata of Truong 2016, 2)",
        wrong=True,
    )


def _grown() -> tuple[dict[int, int], dict[int, float], Curves]:
    """Diameter and ASPL by switches added to 1,024, and the figure."""
    curves = figure_3()
    diameter, aspl = ({int(more): value for more, value in series.points} for series in curves.series)
    return {more: int(value) for more, value in diameter.items()}, aspl, curves


_FILLED = "new layers fill supernode by supernode (errata of Truong 2016, 6)"


@claim(
    "truong-2016/fig-3",
    "DSN-F grown from 1,024 switches: the diameter increases 1 hop above 768 more switches",
    "1",
    "topoloom hops dsn-f:n=1792; topoloom hops dsn-f:n=1920",
)
def _figure_3() -> Outcome:
    diameter, _, curves = _grown()
    return judge(
        {"hops": 1},
        {"hops": diameter[896] - diameter[768]},
        figure=curves,
        assumption=f"{_FILLED}; diameters every 128 switches {', '.join(map(str, diameter.values()))}",
    )


@claim(
    "truong-2016/fig-3/split",
    "DSN-F grown from 1,024 switches: at 1,024 more the diameter is slightly lower than at 768 more",
    "slightly lower",
    "topoloom hops dsn-f:n=1792; topoloom hops dsn-f:n=2048",
)
def _figure_3_split() -> Outcome:
    diameter, aspl, curves = _grown()
    fall = diameter[768] - diameter[1024]
    return stated(
        {"it is lower, by one hop": fall == 1},
        f"diameter {diameter[768]} at 768 more, {diameter[1024]} at 1,024 more",
        f"slightly is taken as one hop, the least that it can be; {_FILLED}; the ASPL is {aspl[768]:.3f} and {aspl[1024]:.3f}",
        figure=curves,
    )


@claim(
    "truong-2016/fig-3/modest",
    "DSN-F grown from 1,024 switches: diameter and ASPL slightly increase with the number of nodes (abstract: modestly)",
    "slightly",
    "topoloom hops dsn-f:n=1024; topoloom hops dsn-f:n=2048",
)
def _figure_3_modest() -> Outcome:
    diameter, aspl, curves = _grown()
    values = {"diameter": {more: float(value) for more, value in diameter.items()}, "ASPL": aspl}
    statements = {}
    for name, found in values.items():
        until = [value for more, value in found.items() if more <= 896]
        statements[f"the {name} never falls till 896 more"] = all(a <= b for a, b in pairwise(until))
        statements[f"the {name} rises till then"] = found[896] > found[0]
        statements[f"the {name} never rises by more than a fifth"] = max(found.values()) <= (1 + CLOSE) * found[0]
    told = "; ".join(
        f"{name} {', '.join(f'{value:.4g}' for value in found.values())}" for name, found in values.items()
    )
    return stated(
        statements,
        f"every 128 switches: {told}",
        "slightly, in no number in the paper, is taken as by no more than a fifth; from 896 to 1,024 more supernodes are split,"
        f" where the paper's diameter falls; {_FILLED}",
        figure=curves,
    )


@lru_cache(maxsize=1)
def figure_3() -> Curves:
    """Diameter and ASPL of 1,024 to 2,048 switches, every 128."""
    found = {more: measured(f"dsn-f:n={1024 + more}") for more in range(0, 1025, 128)}
    return Curves(
        "truong-2016-figure-3",
        "DSN-F grown from 1,024 switches",
        "switches added",
        "hops",
        (
            Series("diameter", tuple((float(more), float(h.diameter)) for more, h in found.items())),
            Series("ASPL", tuple((float(more), h.aspl) for more, h in found.items())),
        ),
    )
