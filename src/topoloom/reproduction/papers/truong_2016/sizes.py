"""Claims of Truong 2016 about hops and cuts by size: figures 4 to 6."""

from functools import lru_cache

import numpy as np

from topoloom.figures.curves import Curves, Series
from topoloom.graph.connectivity import components
from topoloom.graph.cuts import Cuts, cuts
from topoloom.reproduction._helpers import measured
from topoloom.reproduction._load_curves import stated
from topoloom.reproduction.papers.truong_2016._networks_by_size import (
    DRAWS,
    NAMES,
    SIZES,
    ByName,
    by_size,
    figure,
    hops_of,
    spec,
    told,
)
from topoloom.reproduction.registry import Outcome, claim, judge
from topoloom.spec import build
from topoloom.topology import Topology

_MEASURES = {"4": ("diameter", "Diameter", "hops"), "5": ("aspl", "Average shortest path length", "hops")}
_COMMAND = "topoloom hops ring-shortcuts:n=1024,degree=4; topoloom hops torus:dims=32x32"


@lru_cache(maxsize=2)
def _hops(number: str) -> tuple[ByName, Curves]:
    measure, title, y = _MEASURES[number]
    values = by_size(lambda name, n: hops_of(measure, name, n))
    return values, figure(f"figure-{number}", f"{title} against size", y, values)


def _order_claims(number: str) -> None:
    measure = _MEASURES[number][0]

    @claim(
        f"truong-2016/fig-{number}/torus-highest",
        f"{measure} by size: the 2-D torus has the highest",
        "all sizes",
        _COMMAND,
    )
    def highest() -> Outcome:
        values, curves = _hops(number)
        off = sum(
            values["2-D torus"][n] <= max(values[name][n] for name in NAMES if name != "2-D torus") for n in SIZES
        )
        return judge({"sizes where not": 0}, {"sizes where not": off}, reason=told(values), figure=curves)

    @claim(f"truong-2016/fig-{number}/rr-lowest", f"{measure} by size: RR-4 has the lowest", "all sizes", _COMMAND)
    def lowest() -> Outcome:
        values, curves = _hops(number)
        others = {n: min(values[name][n] for name in NAMES if name != "RR-4") for n in SIZES}
        off = {n: values["RR-4"][n] for n in SIZES if values["RR-4"][n] >= others[n]}
        ties = {n: sum(getattr(measured(spec("RR-4", n, seed)), measure) <= others[n] for seed in DRAWS) for n in off}
        text = "; ".join(
            f"at {n} it is {value:.1f} in the mean; the best other has {others[n]:g}, as {ties[n]} of {len(DRAWS)} draws have"
            for n, value in off.items()
        )
        mean = f"RR-4: the mean of {len(DRAWS)} draws"
        return judge(
            {"sizes where not": 0},
            {"sizes where not": len(off)},
            assumption=mean,
            reason=f"{text} ({mean}; {told(values, '{:.3g}')})",
            figure=curves,
        )


_order_claims("4")
_order_claims("5")


def _below_dsn(measure: str) -> dict[int, float]:
    """By how many per cent DSN-F lies below DSN-(p-1), at each size."""
    return {n: 100 * (1 - hops_of(measure, "DSN-F", n) / hops_of(measure, "DSN", n)) for n in SIZES}


def _each(below: dict[int, float]) -> str:
    return ", ".join(f"{n}: {value:.1f} %" for n, value in below.items())


@claim(
    "truong-2016/section-4.3/diameter",
    "the diameter of DSN-F is at most 16.7 % below that of DSN",
    "16.7 %",
    "topoloom hops dsn-f:n=2048; topoloom hops dsn:n=2048",
)
def _diameter_below_dsn() -> Outcome:
    below = _below_dsn("diameter")
    return judge(
        {"%": 16.7},
        {"%": max(below.values())},
        tolerance=0.05,
        digits=4,
        figure=_hops("4")[1],
        assumption=f"DSN is DSN-(p-1), n = 32 .. 4,096; {_each(below)}",
    )


@claim(
    "truong-2016/section-4.3/aspl",
    "the ASPL of DSN-F is at most 4.6 % below that of DSN",
    "4.6 %",
    "topoloom hops dsn-f:n=256; topoloom hops dsn:n=256",
)
def _aspl_below_dsn() -> Outcome:
    below = _below_dsn("aspl")
    return judge(
        {"%": 4.6},
        {"%": max(below.values())},
        tolerance=0.05,
        digits=4,
        figure=_hops("5")[1],
        reason=f"with DSN-(p-1): {_each(below)}; which DSN-x is meant is not said, and with smaller x the ASPL of DSN is"
        " larger still",
    )


_PARTS = range(2, 7)


@lru_cache(maxsize=32)
def _cut(name: str, parts: int) -> Cuts:
    return cuts(build(spec(name, 1024)), parts=parts)


@lru_cache(maxsize=1)
def _figure_6() -> tuple[dict[str, np.ndarray], Curves]:
    total = {name: np.array([_cut(name, parts).links for parts in _PARTS]) for name in NAMES}
    series = tuple(
        Series(name, tuple((float(parts), float(links)) for parts, links in zip(_PARTS, values.tolist(), strict=True)))
        for name, values in total.items()
    )
    return total, Curves("truong-2016-figure-6", "Cuts of 1,024 switches", "parts", "links cut", series)


_TOTAL = (
    "the total cut, not the least between any two parts (errata of Truong 2016, 14), the best of 8 runs of"
    " METIS with refinement"
)


def _cuts_told() -> str:
    return "; ".join(f"{name} {', '.join(map(str, values.tolist()))}" for name, values in _figure_6()[0].items())


@claim(
    "truong-2016/fig-6",
    "cuts of 1,024 switches in 2 .. 6 parts: wider than the torus, narrower than RR-4",
    "the order of the curves",
    "topoloom cuts dsn-f:n=1024 --parts 6",
)
def _cuts() -> Outcome:
    total, curves = _figure_6()
    statements = {
        f"{name} between": bool((total["2-D torus"] < total[name]).all() and (total[name] < total["RR-4"]).all())
        for name in ("DSN-F", "DSN")
    }
    return stated(statements, _cuts_told(), _TOTAL, curves)


@claim(
    "truong-2016/section-4.4/similar",
    "cuts of DSN and DSN-F are similar but for 2 and 4 parts, where that of DSN-F is narrower",
    "similar at 3, 5, 6",
    "topoloom cuts dsn-f:n=1024 --parts 4; topoloom cuts dsn:n=1024 --parts 4",
)
def _similar() -> Outcome:
    total, curves = _figure_6()
    apart = dict(zip(_PARTS, (100 * (total["DSN-F"] / total["DSN"] - 1)).tolist(), strict=True))
    text = ", ".join(f"{parts} parts: {value:+.1f} %" for parts, value in apart.items())
    return stated(
        {
            "narrower at 2 and 4 alone": {parts for parts, value in apart.items() if value < 0} == {2, 4},
            "farthest apart at 2 and 4": set(sorted(apart, key=lambda parts: abs(apart[parts]))[-2:]) == {2, 4},
        },
        f"DSN-F against DSN: {text}",
        f"{_TOTAL}; at 4 parts they are nearest, at 3, 5 and 6 DSN-F is the wider",
        curves,
    )


@claim(
    "truong-2016/section-4.4/succ-links",
    "cuts in 2 and in 4 parts pass only Succ and Pred links",
    "100 %, 100 %",
    "topoloom cuts dsn-f:n=896 --parts 4",
)
def _succ_links() -> Outcome:
    topology = build("dsn-f:n=896")
    group, level = topology.labels["group"], topology.labels["level"]
    u, v = topology.links.T
    # One layer, p = 7: level p of a supernode to level 1 of the next.
    ring = (np.abs(level[u] - level[v]) == 6) & (group[u] != group[v])
    pieces = int(components(Topology(topology.links[~ring], topology.switches)).max()) + 1
    share = {}
    for parts in (2, 4):
        part = cuts(topology, parts=parts, seeds=16).part
        share[f"{parts} parts"] = 100 * float(ring[part[u] != part[v]].mean())
    return judge(
        {"2 parts": 100, "4 parts": 100},
        share,
        right={"4 parts": 50},
        reason=f"896 switches, one full layer: without its Succ links the network falls into {pieces} pieces, not 4; the best"
        " cut in 4 also passes the 128 shortcuts to the second supernode after, for its parts are the supernodes s by s mod 4",
    )
