"""Claims of Koibuchi 2013 on diameters and average shortest path lengths: Table 1, figures 3 and 4 at n = 12."""

from collections import Counter
from statistics import fmean, stdev

from topoloom_papers._helpers import Spread, measured, over_seeds
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, Step, compare

_SELF = "the paper's ASPL counts pairs of a switch with itself (denominator N^2); over u != v it is {:.4f}"


def _compare_draw(diameter: float, aspl: str, spread: Spread) -> Outcome:
    """Compare one published draw of a random topology with our means over seeds; the ASPL has the paper's denominator."""
    counts = Counter(spread.diameters)
    note = f"{len(spread.aspls)} seeds: " + ", ".join(f"{counts[hops]} of diameter {hops}" for hops in sorted(counts))
    return compare(
        {"diameter": diameter, "ASPL": aspl},
        {"diameter": fmean(spread.diameters), "ASPL": spread.aspl_including_self},
        step=Step(
            {"diameter": round(2 * stdev(spread.diameters), 2), "ASPL": round(2 * spread.deviation, 4)},
            "two standard deviations over seeds, because one draw is published",
        ),
        assumption=note,
        reason=note,
    )


def _torus(id: str, what: str, spec: str, diameter: int, aspl: str) -> None:
    @claim(f"koibuchi-2013/table-1/{id}", what, f"diameter {diameter}, ASPL {aspl}", f"topoloom hops {spec}")
    def compute() -> Outcome:
        hops = measured(spec)
        return compare(
            {"diameter": diameter, "ASPL": aspl},
            {"diameter": hops.diameter, "ASPL": hops.aspl_including_self},
            assumption=_SELF.format(hops.aspl),
        )


def _random(id: str, what: str, spec: str, diameter: int, aspl: str, seeds: range) -> None:
    @claim(
        f"koibuchi-2013/table-1/{id}",
        what,
        f"diameter {diameter}, ASPL {aspl}",
        f"topoloom hops '{spec.format(seed=1)}' (seeds 1..{seeds[-1]})",
    )
    def compute() -> Outcome:
        return _compare_draw(diameter, aspl, over_seeds(spec, seeds))


_T4, _T6 = "torus:dims=16x16", "torus:dims=16x16x16"
_PARTIAL, _FULL = "+permute:mode=partial,seed={seed}", "+permute:mode=full,seed={seed}"
_torus("torus-4", "TORUS-4, 256 switches", _T4, 16, "8.00")
_torus("torus-6", "TORUS-6, 4,096 switches", _T6, 24, "12.00")
_random("p-torus-4", "P-TORUS-4, 256 switches", _T4 + _PARTIAL, 10, "5.59", range(1, 21))
_random("ring-4", "RING-4, 256 switches", "ring-shortcuts:n=256,degree=4,seed={seed}", 7, "4.38", range(1, 21))
_random("p-torus-6", "P-TORUS-6, 4,096 switches", _T6 + _PARTIAL, 16, "8.41", range(1, 6))
_random("pf-torus-6", "PF-TORUS-6, 4,096 switches", _T6 + _FULL, 17, "8.70", range(1, 6))
_random("ring-6", "RING-6, 4,096 switches", "ring-shortcuts:n=4096,degree=6,seed={seed}", 7, "5.06", range(1, 6))


_random("pf-torus-4", "PF-TORUS-4, 256 switches", _T4 + _FULL, 11, "5.96", range(1, 21))


@claim(
    "koibuchi-2013/fig-3/hypercube-12",
    "P-HC, n = 12: diameter RING + 3 = HC - 4; ASPL RING + 0.72, HC - 1.63",
    "3, 4, 0.72, 1.63",
    "topoloom hops hypercube:n=12+permute:mode=partial; topoloom hops ring-shortcuts:n=4096,degree=12",
)
def _figure_3() -> Outcome:
    cube = measured("hypercube:n=12")
    permuted = over_seeds("hypercube:n=12" + _PARTIAL, range(1, 3))
    ring = over_seeds("ring-shortcuts:n=4096,degree=12,seed={seed}", range(1, 3))
    return compare(
        {"over RING": 3, "below HC": 4, "ASPL over RING": "0.72", "ASPL below HC": "1.63"},
        {
            "over RING": permuted.diameter - ring.diameter,
            "below HC": cube.diameter - permuted.diameter,
            "ASPL over RING": permuted.aspl - ring.aspl,
            "ASPL below HC": cube.aspl - permuted.aspl,
        },
        step=Step(
            {"ASPL over RING": 0.01, "ASPL below HC": 0.01}, "one unit in the last published digit of the difference"
        ),
    )


@claim(
    "koibuchi-2013/fig-4/folded-12",
    "P-FHC, n = 12: diameter RING-13; ASPL 0.23 over RING-13, 1.24 below FHC",
    "0, 0.23, 1.24",
    "topoloom hops folded-hypercube:n=12+permute:mode=partial; topoloom hops ring-shortcuts:n=4096,degree=13",
)
def _figure_4() -> Outcome:
    folded = measured("folded-hypercube:n=12")
    permuted = over_seeds("folded-hypercube:n=12" + _PARTIAL, range(1, 3))
    ring = over_seeds("ring-shortcuts:n=4096,degree=13,seed={seed}", range(1, 3))
    return compare(
        {"over RING": 0, "ASPL over RING": "0.23", "ASPL below FHC": "1.24"},
        {
            "over RING": permuted.diameter - ring.diameter,
            "ASPL over RING": permuted.aspl - ring.aspl,
            "ASPL below FHC": folded.aspl - permuted.aspl,
        },
        step=Step(
            {"ASPL over RING": 0.01, "ASPL below FHC": 0.01}, "one unit in the last published digit of the difference"
        ),
        assumption="the text has RING-n and HYPERCUBE; it means RING-(n+1) and FHYPERCUBE (errata of Koibuchi 2013, 4)",
    )


@claim(
    "koibuchi-2013/fig-4/two-hops",
    "permutation improves the diameter of FHC by up to two hops",
    "2",
    "topoloom hops folded-hypercube:n=6+permute:mode=partial (n = 6 .. 12)",
)
def _two_hops() -> Outcome:
    gains = {}
    for n in range(6, 13):
        rack = 8 if n == 6 else 16
        spread = over_seeds(f"folded-hypercube:n={n}+permute:mode=partial,rack={rack},seed={{seed}}", range(1, 4))
        gains[n] = measured(f"folded-hypercube:n={n}").diameter - min(spread.diameters)
    return compare(
        {"largest gain": 2},
        {"largest gain": max(gains.values())},
        right={"largest gain": 1},
        reason=f"gains for n = 6 .. 12: {', '.join(str(int(g)) for g in gains.values())}",
    )
