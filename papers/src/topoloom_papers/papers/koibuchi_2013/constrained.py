"""Claims of Koibuchi 2013 on constrained shortcuts: figure 12, and how many pairs of racks they join."""

from dataclasses import replace
from statistics import fmean

import numpy as np

from topoloom.placement.floors.floor import preset
from topoloom.placement.layout.place import place
from topoloom.topologies.spec import build
from topoloom_papers._helpers import measured
from topoloom_papers.curves import Curves, Series
from topoloom_papers.long_runs import long_run
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, stated

#: Gau's points lie closer, for its diameter is compared at its next point with fewer hops.
_SHARES = {
    "nbr": tuple(round(0.1 * step, 2) for step in range(1, 11)),
    "gau": tuple(round(0.05 * step, 2) for step in range(1, 21)),
}
#: Of figure 12: switches, and the degree of each of its two panels.
_DEGREES = {256: 8, 4096: 12}
#: ASPLs that differ by no more are comparable, in %: our reading, settled beforehand.
_COMPARABLE = 5.0

#: By family and parameter: mean hops along the ring between a shortcut's ends, diameter and ASPL.
_Points = dict[str, dict[str, tuple[float, float, float]]]


def _points(size: int) -> _Points:
    degree = _DEGREES[size]
    seeds = range(1, 11 if size == 256 else 4)

    def compute() -> _Points:
        found: _Points = {}
        for family, parameter in (("nbr", "p"), ("gau", "alpha")):
            for share in _SHARES[family]:
                specs = [f"{family}:n={size},degree={degree},{parameter}={share},seed={seed}" for seed in seeds]
                found.setdefault(family, {})[str(share)] = _point(specs)
        found["ring"] = {"": _point([f"ring-shortcuts:n={size},degree={degree},seed={seed}" for seed in seeds])}
        return found

    return long_run(
        f"topoloom hops 'nbr:n={size},degree={degree},p=P,seed=S' and 'gau:n={size},degree={degree},alpha=P,seed=S', P 0.1 to"
        f" 1.0 by 0.1 and 0.05 to 1.0 by 0.05, and 'ring-shortcuts:n={size},degree={degree},seed=S', seeds 1 to {seeds[-1]}",
        _Points,
        compute,
    )


def _point(specs: list[str]) -> tuple[float, float, float]:
    """Means over seeds; the diameter that most have."""
    along, diameters, aspls = [], [], []
    for spec in specs:
        topology, found = build(spec), measured(spec)
        apart = np.abs(np.diff(topology.links, axis=1)[:, 0])
        apart = np.minimum(apart, topology.switches - apart)
        along.append(float(apart[apart > 1].mean()))
        diameters.append(found.diameter)
        aspls.append(found.aspl)
    return round(fmean(along), 3), float(max(set(diameters), key=diameters.count)), round(fmean(aspls), 5)


_NAMES = {"nbr": "Nbr({})-n", "gau": "Gau({})-n", "ring": "RING-n"}


def _figure(size: int, points: _Points) -> Curves:
    ring = points["ring"][""]
    return Curves(
        f"koibuchi-2013-figure-12-{size}",
        f"Constrained shortcuts, {size:,} switches of degree {_DEGREES[size]}",
        "hops along the ring between a shortcut's ends, on average",
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


def _told(points: _Points) -> str:
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
            for share, (_, found, other) in points[family].items():
                if float(share) >= least:
                    name = _NAMES[family].format(share)
                    parts[f"{name}: diameter at most one hop larger"] = found <= diameter + 1
                    parts[f"{name}: ASPL within {_COMPARABLE:g} %"] = other <= aspl * (1 + _COMPARABLE / 100)
        return stated(
            parts,
            f"diameter and ASPL: {_told(points)}",
            f"comparable: within {_COMPARABLE:g} %; means over seeds, and the diameter that most have",
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
        parts, told = {}, []
        for share, (x, diameter, aspl) in points["nbr"].items():
            if not along[0] <= x <= along[-1]:
                continue
            same = float(np.interp(x, along, aspls))
            # Diameters are whole: that of the Gaussian network with the most hops that are no more.
            other = float(diameters[np.flatnonzero(along <= x)[-1]])
            parts[f"{_NAMES['nbr'].format(share)}: ASPL"] = same <= aspl
            parts[f"{_NAMES['nbr'].format(share)}: diameter"] = other <= diameter
            told.append(f"p = {share}, {x:.1f} hops: {diameter:g} and {aspl:.3f}, Gau {other:g} and {same:.3f}")
        return stated(
            parts,
            "; ".join(told),
            "Gau's ASPL between its points, where as many hops along the ring are bypassed; its diameter at the next point with"
            " fewer",
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
    """Of all pairs of racks, those with a cable, in %, by network and number of switches."""

    def compute() -> dict[str, dict[str, float]]:
        floor = replace(preset("koibuchi-2013"), switches_per_rack=16)
        found: dict[str, dict[str, float]] = {}
        for n in _PAIRED:
            for name, spec in _PAIRS.items():
                layout = place(build(spec.format(size=2**n, n=n)), floor, "walktrap", "rows")
                possible = layout.racks * (layout.racks - 1) / 2
                found.setdefault(name, {})[str(2**n)] = round(100 * layout.rack_pairs / possible, 2)
        return found

    return long_run(
        "topoloom layout 'FAMILY:n=2^N,degree=N' --floor koibuchi-2013 --switches-per-rack 16 --cluster walktrap --map rows, of"
        " ring-shortcuts, nbr with p=0.5 and gau with alpha=1.0, N 8 to 13",
        dict[str, dict[str, float]],
        compute,
    )


def _shares(found: dict[str, dict[str, float]]) -> str:
    return "; ".join(f"{name} {', '.join(f'{share:.0f}' for share in each.values())} %" for name, each in found.items())


_PAIRS_READ = "N = 256, 512 .. 8,192, degree log2 N, 16 switches per rack by Walktrap; seed 1"
_PAIRS_COMMAND = (
    "topoloom layout gau:n=4096,degree=12,alpha=1.0 --floor koibuchi-2013 "
    "--switches-per-rack 16 --cluster walktrap --map rows"
)


@claim(
    "koibuchi-2013/iv-b/pairs",
    "many more pairs of racks are joined directly with Gau(1.0) than with Nbr(0.5)",
    "much larger",
    _PAIRS_COMMAND,
)
def _gau_pairs() -> Outcome:
    found = _pairs()
    gau, nbr = found["Gau(1.0)-n"], found["Nbr(0.5)-n"]
    return stated(
        {f"N = {size}: half as many again or more": gau[size] >= 1.5 * nbr[size] for size in gau},
        f"pairs of racks with a cable, of all: {_shares(found)}",
        f"much larger: half as many again or more; {_PAIRS_READ}",
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
    found = _pairs()
    return stated(
        {f"N = {size}: 95 % or more of all pairs": share >= 95 for size, share in found[name].items()},
        f"pairs of racks with a cable, of all: {_shares({name: found[name]})}",
        f"all: 95 % or more; {_PAIRS_READ}; from N = 4,096 it cannot be: 24,576 cables for 32,640 pairs of 256 racks",
        wrong=True,
    )
