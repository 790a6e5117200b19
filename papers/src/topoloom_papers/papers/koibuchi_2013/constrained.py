"""Claims of Koibuchi 2013 on constrained shortcuts: figure 12, and the number of rack pairs with a cable."""

from dataclasses import replace
from statistics import fmean

import numpy as np

from topoloom.cost.placed import place
from topoloom.placement.floors.floor import preset
from topoloom.topologies.spec import build
from topoloom_papers._helpers import measured
from topoloom_papers.curves import Curves, Series
from topoloom_papers.long_runs import long_run
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, check_statements
from topoloom_papers.words import MUCH, SIMILAR, means

#: Parameters of the points. Gau has more points, because its diameter is compared at the next point with fewer hops.
_SHARES = {
    "nbr": tuple(round(0.1 * step, 2) for step in range(1, 11)),
    "gau": tuple(round(0.05 * step, 2) for step in range(1, 21)),
}
#: Switches and degree of the two panels of figure 12.
_DEGREES = {256: 8, 4096: 12}
#: By family and parameter: mean hops along the ring between the ends of a shortcut, diameter, and ASPL.
_Points = dict[str, dict[str, tuple[float, float, float]]]


def _points(size: int) -> _Points:
    degree = _DEGREES[size]
    seeds = range(1, 11 if size == 256 else 4)

    def compute() -> _Points:
        points: _Points = {}
        for family, parameter in (("nbr", "p"), ("gau", "alpha")):
            for share in _SHARES[family]:
                specs = [f"{family}:n={size},degree={degree},{parameter}={share},seed={seed}" for seed in seeds]
                points.setdefault(family, {})[str(share)] = _point(specs)
        points["ring"] = {"": _point([f"ring-shortcuts:n={size},degree={degree},seed={seed}" for seed in seeds])}
        return points

    return long_run(
        f"topoloom hops 'nbr:n={size},degree={degree},p=P,seed=S' and 'gau:n={size},degree={degree},alpha=P,seed=S', P 0.1 to"
        f" 1.0 by 0.1 and 0.05 to 1.0 by 0.05, and 'ring-shortcuts:n={size},degree={degree},seed=S', seeds 1 to {seeds[-1]}",
        _Points,
        compute,
    )


def _point(specs: list[str]) -> tuple[float, float, float]:
    """Means over seeds, and the most frequent diameter."""
    along, diameters, aspls = [], [], []
    for spec in specs:
        topology, hops = build(spec), measured(spec)
        apart = np.abs(np.diff(topology.links, axis=1)[:, 0])
        apart = np.minimum(apart, topology.switches - apart)
        along.append(float(apart[apart > 1].mean()))
        diameters.append(hops.diameter)
        aspls.append(hops.aspl)
    return round(fmean(along), 3), float(max(set(diameters), key=diameters.count)), round(fmean(aspls), 5)


_NAMES = {"nbr": "Nbr({})-n", "gau": "Gau({})-n", "ring": "RING-n"}


def _figure(size: int, points: _Points) -> Curves:
    ring = points["ring"][""]
    return Curves(
        f"koibuchi-2013-figure-12-{size}",
        f"Constrained shortcuts, {size:,} switches of degree {_DEGREES[size]}",
        "mean hops along the ring between the ends of a shortcut",
        "average shortest path length",
        (
            *(
                Series(
                    _NAMES[family].format("p" if family == "nbr" else "α"), tuple((x, y) for x, _, y in each.values())
                )
                for family, each in points.items()
                if family != "ring"
            ),
            Series("RING-n", ((ring[0], ring[2]),)),
        ),
    )


def _in_words(points: _Points) -> str:
    return "; ".join(
        f"{_NAMES[family].format('')[:3]} "
        + ", ".join(f"{name} {d:g} {aspl:.3f}" for name, (_, d, aspl) in each.items())
        for family, each in points.items()
    ).replace("RIN  ", "RING-n ")


def _panel(size: int) -> None:
    degree = _DEGREES[size]
    command = f"topoloom hops nbr:n={size},degree={degree},p=0.5; topoloom hops gau:n={size},degree={degree},alpha=0.7"

    @claim(
        f"koibuchi-2013/fig-12/{size}",
        f"{size:,} switches: Nbr(0.5 and above) and Gau(0.7 and above) have diameters at most one hop larger than RING-n, and"
        " comparable ASPL",
        "at most 1; comparable",
        command,
    )
    def close() -> Outcome:
        points = _points(size)
        _, diameter, aspl = points["ring"][""]
        parts = {}
        for family, least in (("nbr", 0.5), ("gau", 0.7)):
            for share, (_, other_diameter, other_aspl) in points[family].items():
                if float(share) >= least:
                    name = _NAMES[family].format(share)
                    parts[f"{name}: diameter at most one hop larger"] = other_diameter <= diameter + 1
                    parts[f"{name}: ASPL comparable"] = abs(other_aspl / aspl - 1) <= SIMILAR
        return check_statements(
            parts,
            f"diameter and ASPL: {_in_words(points)}",
            f"{means('comparable', SIMILAR)}; means over seeds, and the most frequent diameter",
            figure=_figure(size, points),
        )

    @claim(
        f"koibuchi-2013/fig-12/{size}/gaussian",
        f"{size:,} switches: Gau has lower or identical diameter and ASPL at fewer hops along the ring than Nbr",
        "a small advantage",
        command,
    )
    def gaussian() -> Outcome:
        points = _points(size)
        along, diameters, aspls = (np.array(column) for column in zip(*points["gau"].values(), strict=True))
        parts, rows = {}, []
        for share, (x, diameter, aspl) in points["nbr"].items():
            if not along[0] <= x <= along[-1]:
                continue
            gau_aspl = float(np.interp(x, along, aspls))
            # Diameters are integers: take the Gaussian network with the most hops that does not exceed x.
            gau_diameter = float(diameters[np.flatnonzero(along <= x)[-1]])
            parts[f"{_NAMES['nbr'].format(share)}: ASPL"] = gau_aspl <= aspl
            parts[f"{_NAMES['nbr'].format(share)}: diameter"] = gau_diameter <= diameter
            rows.append(
                f"p = {share}, {x:.1f} hops: {diameter:g} and {aspl:.3f}, Gau {gau_diameter:g} and {gau_aspl:.3f}"
            )
        return check_statements(
            parts,
            "; ".join(rows),
            "Gau's ASPL is interpolated to the same number of hops along the ring; its diameter is that of the next point with"
            " fewer hops",
            figure=_figure(size, points),
        )


for _size in _DEGREES:
    _panel(_size)

_PAIRED = range(8, 14)
_PAIRS = {
    "RING-n": "ring-shortcuts:n={size},degree={n}",
    "Nbr(0.5)-n": "nbr:n={size},degree={n},p=0.5",
    "Gau(1.0)-n": "gau:n={size},degree={n},alpha=1.0",
}


def _pairs() -> dict[str, dict[str, float]]:
    """Share of rack pairs with a cable, in % of all pairs, by network and number of switches."""

    def compute() -> dict[str, dict[str, float]]:
        floor = replace(preset("koibuchi-2013"), switches_per_rack=16)
        shares: dict[str, dict[str, float]] = {}
        for n in _PAIRED:
            for name, spec in _PAIRS.items():
                layout = place(build(spec.format(size=2**n, n=n)), floor, "walktrap", "rows")
                possible = layout.racks * (layout.racks - 1) / 2
                shares.setdefault(name, {})[str(2**n)] = round(100 * layout.rack_pairs / possible, 2)
        return shares

    return long_run(
        "topoloom layout 'FAMILY:n=2^N,degree=N' --floor koibuchi-2013 --switches-per-rack 16 --cluster walktrap --map rows, of"
        " ring-shortcuts, nbr with p=0.5 and gau with alpha=1.0, N 8 to 13",
        dict[str, dict[str, float]],
        compute,
    )


def _shares(by_network: dict[str, dict[str, float]]) -> str:
    return "; ".join(
        f"{name} {', '.join(f'{share:.0f}' for share in by_size.values())} %" for name, by_size in by_network.items()
    )


_PAIRS_NOTE = "N = 256, 512 .. 8,192, degree log2 N, 16 switches per rack by Walktrap; seed 1"
_PAIRS_COMMAND = (
    "topoloom layout gau:n=4096,degree=12,alpha=1.0 --floor koibuchi-2013 "
    "--switches-per-rack 16 --cluster walktrap --map rows"
)


@claim(
    "koibuchi-2013/iv-b/pairs",
    "many more pairs of racks are directly connected with Gau(1.0) than with Nbr(0.5)",
    "much larger",
    _PAIRS_COMMAND,
)
def _gau_pairs() -> Outcome:
    shares = _pairs()
    gau, nbr = shares["Gau(1.0)-n"], shares["Nbr(0.5)-n"]
    # Where Nbr connects nearly all pairs of racks, no network has many more.
    possible = [size for size in gau if nbr[size] * (1 + MUCH) < 100]
    return check_statements(
        {f"N = {size}: more than {100 * MUCH:g} % more": gau[size] > nbr[size] * (1 + MUCH) for size in possible},
        f"pairs of racks with a cable, in % of all: {_shares(shares)}; Gau above Nbr"
        f" {', '.join(f'{100 * (gau[size] / nbr[size] - 1):.0f}' for size in gau)} %",
        f"{means('much larger', MUCH)}, at the sizes where it can be, N = {', '.join(possible)}",
        details=_PAIRS_NOTE,
    )


@claim(
    "koibuchi-2013/section-i/all-pairs",
    "random shortcuts without constraint (RING-n) tend to connect all pairs of racks",
    "all",
    _PAIRS_COMMAND.replace("gau:n=4096,degree=12,alpha=1.0", "ring-shortcuts:n=4096,degree=12"),
)
def _ring_pairs() -> Outcome:
    return _all_pairs("RING-n")


@claim(
    "koibuchi-2013/section-vii/all-pairs",
    "constrained shortcuts (Nbr(0.5)-n): any two racks have links between them",
    "any two",
    _PAIRS_COMMAND.replace("gau:n=4096,degree=12,alpha=1.0", "nbr:n=4096,degree=12,p=0.5"),
)
def _nbr_pairs() -> Outcome:
    return _all_pairs("Nbr(0.5)-n")


def _all_pairs(name: str) -> Outcome:
    shares = _pairs()[name]
    return check_statements(
        {f"N = {size}: 95 % or more of all pairs": share >= 95 for size, share in shares.items()},
        f"pairs of racks with a cable, in % of all: {_shares({name: shares})}",
        "all: 95 % or more; no error of the paper, which gives neither sizes nor its limit of Walktrap's clusters; from N ="
        " 4,096 there are more pairs than cables",
        details=_PAIRS_NOTE,
    )
