"""Claims of Koibuchi 2013 on permuted links: conserved quantities, and figures 3 and 4 at every size."""

from dataclasses import replace
from itertools import pairwise

import numpy as np

from topoloom.cost.placed import place
from topoloom.placement.floors.floor import preset
from topoloom.placement.layout.mapping import rack_links
from topoloom.topologies.spec import build
from topoloom_papers._helpers import Spread, measured, over_seeds
from topoloom_papers.curves import Curves, Series
from topoloom_papers.long_runs import long_run
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, check_statements, compare

_SIZES = range(6, 13)
_HOPS_NOTE = "means over seeds of the ASPL, and the most frequent diameter"

#: Diameter and ASPL by dimension and network: "", "P-", "PF-" and "RING".
_Hops = dict[str, dict[str, tuple[float, float]]]


def _hops(cube: str) -> _Hops:
    """Hops of a (folded) hypercube, its permuted versions, and the ring with shortcuts of the same degree."""
    more = int(cube == "folded-hypercube")

    def seeds(n: int) -> range:
        return range(1, 21 if n < 11 else 6)

    def pair(spread: Spread) -> tuple[float, float]:
        return spread.diameter, round(spread.aspl, 5)

    def permuted() -> _Hops:
        by_mode: _Hops = {}
        for n in _SIZES:
            base = f"{cube}:n={n}+permute:mode={{mode}},rack={8 if n == 6 else 16},seed={{{{seed}}}}"
            for mode in ("partial", "full"):
                by_mode.setdefault(str(n), {})[mode] = pair(over_seeds(base.format(mode=mode), seeds(n)))
        return by_mode

    def rings() -> dict[str, tuple[float, float]]:
        specs = {n: f"ring-shortcuts:n={2**n},degree={n + more},seed={{seed}}" for n in _SIZES}
        return {str(n): pair(over_seeds(spec, seeds(n))) for n, spec in specs.items()}

    both = long_run(
        f"topoloom hops '{cube}:n=N+permute:mode=MODE,rack=16,seed=S', N 6 to 12, 8 switches per rack for N = 6, MODE"
        " partial and full, seeds 1 to 20, to 5 from N = 11",
        _Hops,
        permuted,
    )
    ring = long_run(
        f"topoloom hops 'ring-shortcuts:n=2^N,degree=N{'+1' * more},seed=S', N 6 to 12, seeds 1 to 20, to 5 from N = 11",
        dict[str, tuple[float, float]],
        rings,
    )
    hops = {}
    for n in _SIZES:
        plain = measured(f"{cube}:n={n}")
        hops[str(n)] = {
            "": (float(plain.diameter), round(plain.aspl, 5)),
            "P-": both[str(n)]["partial"],
            "PF-": both[str(n)]["full"],
            "RING": ring[str(n)],
        }
    return hops


def _in_words(hops: _Hops, names: tuple[str, ...], cube: str) -> str:
    def item(name: str, pair: tuple[float, float]) -> str:
        return f"{name if name == 'RING' else name + cube} {pair[0]:g} {pair[1]:.3f}"

    return "; ".join(f"n = {n}: {', '.join(item(name, each[name]) for name in names)}" for n, each in hops.items())


def _figure(hops: _Hops, number: int, cube: str) -> Curves:
    names = ("", "P-", "PF-", "RING")
    return Curves(
        f"koibuchi-2013-figure-{number}b",
        f"{cube}, permuted, and the ring with shortcuts of the same degree",
        "switches",
        "average shortest path length",
        tuple(
            Series(
                name if name == "RING" else name + cube,
                tuple((2.0 ** int(n), each[name][1]) for n, each in hops.items()),
            )
            for name in names
        ),
        log_x=True,
    )


def _sizes(figure: int, cube: str, short: str, but: str) -> None:
    command = f"topoloom hops {cube}:n=10+permute:mode=partial"

    @claim(
        f"koibuchi-2013/fig-{figure}/all-sizes",
        f"n = 6 .. 12: P-{short} is equivalent to or better than PF-{short}, in diameter and ASPL",
        "in all cases",
        command,
    )
    def better() -> Outcome:
        hops = _hops(cube)
        return check_statements(
            {
                f"n = {n}: P- is no worse": all(a <= b for a, b in zip(each["P-"], each["PF-"], strict=True))
                for n, each in hops.items()
            },
            f"diameter and ASPL: {_in_words(hops, ('P-', 'PF-'), short)}",
            _HOPS_NOTE,
            figure=_figure(hops, figure, short),
        )

    @claim(
        f"koibuchi-2013/fig-{figure}/improves",
        f"n = 6 .. 12: P-{short}, PF-{short} and RING improve diameter and ASPL over {short}{but}",
        "both metrics",
        command,
    )
    def improves() -> Outcome:
        hops = _hops(cube)
        parts = {
            f"n = {n}: {name} has a lower {metric}": each[name][index] < each[""][index]
            for n, each in hops.items()
            for name in ("P-", "PF-", "RING")
            for index, metric in enumerate(("diameter", "ASPL"))
            if not (but and n == "6" and metric == "diameter")
        }
        if but:
            parts["n = 6: no random topology has a lower diameter"] = all(
                hops["6"][name][0] >= hops["6"][""][0] for name in ("P-", "PF-", "RING")
            )
        names = ("", "P-", "PF-", "RING")
        return check_statements(
            parts,
            f"diameter and ASPL: {_in_words(hops, names, short)}",
            _HOPS_NOTE,
            figure=_figure(hops, figure, short),
        )


_sizes(3, "hypercube", "HYPERCUBE", "")
_sizes(4, "folded-hypercube", "FHYPERCUBE", ", except for the diameter when n = 6")


@claim(
    "koibuchi-2013/fig-3/gaps",
    "the gaps between P-HYPERCUBE and RING-n increase as n increases",
    "they increase",
    "topoloom hops hypercube:n=10+permute:mode=partial; topoloom hops ring-shortcuts:n=1024,degree=10",
)
def _gaps() -> Outcome:
    hops = _hops("hypercube")
    gaps = {n: [a - b for a, b in zip(each["P-"], each["RING"], strict=True)] for n, each in hops.items()}
    return check_statements(
        {
            f"n = {m}: the gap in ASPL is larger than for n = {n}, that in diameter not smaller": (
                gaps[m][1] > gaps[n][1] and gaps[m][0] >= gaps[n][0]
            )
            for n, m in pairwise(gaps)
        },
        "gaps in diameter and ASPL: " + ", ".join(f"n = {n}: {d:g}, {aspl:.3f}" for n, (d, aspl) in gaps.items()),
        _HOPS_NOTE,
        figure=_figure(hops, 3, "HYPERCUBE"),
    )


@claim(
    "koibuchi-2013/fig-4/ring-diameter",
    "n = 6 .. 12: P-FHYPERCUBE leads to the same diameter as RING-(n+1)",
    "the same",
    "topoloom hops folded-hypercube:n=10+permute:mode=partial; topoloom hops ring-shortcuts:n=1024,degree=11",
)
def _ring_diameter() -> Outcome:
    hops = _hops("folded-hypercube")
    return check_statements(
        {f"n = {n}: the same": each["P-"][0] == each["RING"][0] for n, each in hops.items()},
        ", ".join(f"n = {n}: {each['P-'][0]:g} and {each['RING'][0]:g}" for n, each in hops.items()),
        _HOPS_NOTE,
    )


#: Two ways to treat a second link between the same two switches (Koibuchi 2013 III.A).
_DOUBLES = {"keep": "kept", "drop": "ignored"}


@claim(
    "koibuchi-2013/iii-a/conserved",
    "both permutations conserve the links between each two racks, and with them bisection bandwidth and cable length",
    "conserved",
    "topoloom layout hypercube:n=10+permute:mode=partial --floor koibuchi-2013 --switches-per-rack 16 --cluster sequential "
    "--map rows",
)
def _conserved() -> Outcome:
    floor = replace(preset("koibuchi-2013"), switches_per_rack=16)
    parts: dict[str, bool] = {}
    rows: list[str] = []
    for name, spec in {
        "TORUS-4": "torus:dims=16x16",
        "TORUS-6": "torus:dims=16x16x16",
        "HYPERCUBE": "hypercube:n=10",
        "FHYPERCUBE": "folded-hypercube:n=10",
    }.items():
        plain = place(build(spec), floor, "sequential", "rows")
        between = rack_links(plain.topology, plain.rack)
        for short, mode in (("P", "partial"), ("PF", "full")):
            lengths_m = {}
            for doubles, what in _DOUBLES.items():
                permuted = place(
                    build(f"{spec}+permute:mode={mode},rack=16,doubles={doubles}"), floor, "sequential", "rows"
                )
                lengths_m[doubles] = permuted.total_m
                parts[f"{short}-{name}, second links {what}"] = (
                    np.array_equal(rack_links(permuted.topology, permuted.rack), between)
                    and abs(permuted.total_m - plain.total_m) < 1e-6
                )
            rows.append(
                f"{short}-{name} {lengths_m['keep']:,.0f} m, {lengths_m['drop']:,.0f} m with second links ignored; before:"
                f" {plain.total_m:,.0f} m"
            )
    return check_statements(
        parts,
        "; ".join(rows),
        "second links between two switches are kept, or ignored, as in Koibuchi 2013 III.A if they are prohibited; the paper"
        " does not state which",
        details="bisection bandwidth is conserved if all links are and the cut divides no rack",
    )


@claim(
    "koibuchi-2013/section-ii-b/uniform-degree",
    "all proposed topologies have uniform node degree: permuted HYPERCUBE and TORUS-4, Nbr(0.5)-8, Gau(1.0)-8, 256 switches",
    "uniform",
    "topoloom build nbr:n=256,degree=8,p=0.5",
)
def _uniform_degree() -> Outcome:
    specs = {
        f"{short}-{name}, second links {what}": f"{spec}+permute:mode={mode},rack=16,doubles={doubles},seed={{seed}}"
        for name, spec in (("HYPERCUBE", "hypercube:n=8"), ("TORUS-4", "torus:dims=16x16"))
        for short, mode in (("P", "partial"), ("PF", "full"))
        for doubles, what in _DOUBLES.items()
    }
    specs |= {
        "Nbr(0.5)-8": "nbr:n=256,degree=8,p=0.5,seed={seed}",
        "Gau(1.0)-8": "gau:n=256,degree=8,alpha=1.0,seed={seed}",
    }
    seeds = range(1, 11)
    degrees = {name: [build(spec.format(seed=seed)).degrees for seed in seeds] for name, spec in specs.items()}
    return check_statements(
        {
            f"{name}: all switches have the same number of links": all(np.ptp(draw) == 0 for draw in each)
            for name, each in degrees.items()
        },
        "; ".join(
            f"{name} {sum(np.ptp(draw) == 0 for draw in each)} of {len(each)},"
            f" least degree {min(int(draw.min()) for draw in each)}"
            for name, each in degrees.items()
        ),
        f"number of draws with uniform degree, seeds 1 to {seeds[-1]}; a second link is ignored if duplicates are prohibited"
        " (Koibuchi 2013 III.A), and a vertex without a possible partner gets no link (IV.B.1)",
        wrong=True,
    )


@claim(
    "koibuchi-2013/section-iii-b/tori",
    "P- and PF-TORUS outperform TORUS, P- is more effective than PF-; RING-n is ahead of P-TORUS by a larger gap than of"
    " P-HYPERCUBE and P-FHYPERCUBE; 256 and 4,096 switches",
    "Table 1",
    "topoloom hops torus:dims=16x16+permute:mode=partial",
)
def _tori() -> Outcome:
    parts: dict[str, bool] = {}
    rows: list[str] = []
    for n, torus, degree, seeds in (
        (8, "torus:dims=16x16", 4, range(1, 21)),
        (12, "torus:dims=16x16x16", 6, range(1, 6)),
    ):
        specs = {
            "P-": f"{torus}+permute:mode=partial,seed={{seed}}",
            "PF-": f"{torus}+permute:mode=full,seed={{seed}}",
            "RING": f"ring-shortcuts:n={2**n},degree={degree},seed={{seed}}",
        }
        plain = measured(torus)
        hops = {"": (float(plain.diameter), plain.aspl)}
        for name, spec in specs.items():
            spread = over_seeds(spec, seeds)
            hops[name] = spread.diameter, spread.aspl
        gaps = {f"TORUS-{degree}": [a - b for a, b in zip(hops["P-"], hops["RING"], strict=True)]}
        for cube in ("hypercube", "folded-hypercube"):
            each = _hops(cube)[str(n)]
            gaps[cube] = [a - b for a, b in zip(each["P-"], each["RING"], strict=True)]
        for index, metric in enumerate(("diameter", "ASPL")):
            at = f"{2**n} switches, {metric}: "
            parts |= {
                f"{at}P- below TORUS": hops["P-"][index] < hops[""][index],
                f"{at}PF- below TORUS": hops["PF-"][index] < hops[""][index],
                f"{at}P- below PF-": hops["P-"][index] < hops["PF-"][index],
                f"{at}RING below P-": hops["RING"][index] < hops["P-"][index],
                f"{at}the gap is the largest": max(gaps, key=lambda name: gaps[name][index]) == f"TORUS-{degree}",
            }
        rows.append(
            f"{2**n} switches: {_in_words({str(n): hops}, tuple(hops), f'TORUS-{degree}')}; gaps "
            + ", ".join(f"{name} {diameter:g} and {aspl:.3f}" for name, (diameter, aspl) in gaps.items())
        )
    return check_statements(parts, "; ".join(rows), _HOPS_NOTE)


@claim(
    "koibuchi-2013/section-iii-b/compute-nodes",
    "4,096 switches with 36 ports, 12 of them for links: 24 compute nodes each, and the total",
    "24; 98k",
    "topoloom hops hypercube:n=12",
)
def _compute_nodes() -> Outcome:
    links = int(build("hypercube:n=12").degrees.max())
    return compare({"each": 24, "thousands": "98"}, {"each": 36 - links, "thousands": 2**12 * (36 - links) / 1000})
