"""Claims of Koibuchi 2013's Figure 1: what random shortcuts gain in hops and cost in cable."""

from dataclasses import replace

from topoloom.figures.curves import Curves, Series
from topoloom.floors.floor import preset
from topoloom.layout.place import place
from topoloom.reproduction._helpers import measured
from topoloom.reproduction.registry import claim
from topoloom.reproduction.verdicts import Outcome, Step, judge, stated
from topoloom.spec import build

#: Of 2^10 switches.
_OTHERS = {
    "2-D torus": ("torus:dims=32x32",),
    "3-D torus": ("torus:dims=16x8x8",),
    "4-D torus": ("torus:dims=8x8x4x4",),
    "hypercube": ("hypercube:n=10",),
    "twisted hypercube": ("crossed-cube:n=10",),
    "folded hypercube": ("folded-hypercube:n=10",),
    "flattened butterfly": tuple(f"flattened-butterfly:dims={dims}" for dims in ("4x4x4x4x4", "8x8x16", "32x32")),
}
_DEGREES = (3, 4, 5, 6, 8, 10, 11, 12, 15, 16, 20, 29, 40, 62)


@claim(
    "koibuchi-2013/fig-1a",
    "2^10 switches: for a given degree ring and random shortcuts have a lower diameter than seven other topologies; a"
    " small number"
    " of shortcuts is sufficient",
    "lower; sharp initial drop",
    "topoloom hops ring-shortcuts:n=1024,degree=10",
)
def _figure_1a() -> Outcome:
    others = {
        name: [(int(build(spec).degrees.max()), measured(spec).diameter) for spec in specs]
        for name, specs in _OTHERS.items()
    }
    ring = {k: measured(f"ring-shortcuts:n=1024,degree={k},seed=1").diameter for k in _DEGREES}
    at = {
        k: measured(f"ring-shortcuts:n=1024,degree={k},seed=1").diameter
        for points in others.values()
        for k, _ in points
    }
    series = [Series("ring and shortcuts", tuple((float(k), float(d)) for k, d in ring.items()))]
    series += [Series(name, tuple((float(k), float(d)) for k, d in points)) for name, points in others.items()]
    return stated(
        {
            f"{name}, degree {k}: the ring with shortcuts has a lower diameter": at[k] < diameter
            for name, points in others.items()
            for k, diameter in points
        }
        | {"one shortcut a switch takes nine tenths of the ring's diameter away": ring[3] <= 0.1 * 512},
        "ring and shortcuts "
        + ", ".join(f"{k}: {d:g}" for k, d in ring.items())
        + "; "
        + "; ".join(f"{name} {', '.join(f'{k}: {d:g}' for k, d in points)}" for name, points in others.items()),
        "diameters by degree; seed 1; twisted is read as crossed (errata of Koibuchi 2013, 10)",
        figure=Curves("koibuchi-2013-figure-1a", "Diameter of 2^10 switches", "degree", "hops", tuple(series)),
    )


_SIZES = tuple(range(6, 13))


def _mean_lengths() -> dict[str, list[tuple[float, float]]]:
    """Metres of a mean cable between switches and of one between cabinets, by network, for N = 64 .. 4,096."""
    floor = replace(preset("koibuchi-2013"), switches_per_cabinet=16)
    found: dict[str, list[tuple[float, float]]] = {}
    for n in _SIZES:
        specs = {
            "RING-n": f"ring-shortcuts:n={2**n},degree={n},seed=1",
            "hypercube": f"hypercube:n={n}",
            # As many links as a hypercube has: a torus of n/2 dimensions, n even.
            "torus": f"torus:dims={'x'.join(['4'] * (n // 2))}" if n % 2 == 0 else "",
        }
        for name, spec in specs.items():
            if spec:
                layout = place(build(spec), floor, "sequential", "rows")
                found.setdefault(name, []).append((round(layout.mean_length_m, 4), round(layout.mean_between_m, 4)))
    return found


@claim(
    "koibuchi-2013/fig-1b",
    "the mean cable of ring and random shortcuts is about three times as long as that of hypercube and torus of the same"
    " degree",
    "about 3",
    "topoloom layout ring-shortcuts:n=4096,degree=12 --floor koibuchi-2013 --cabinet 16 --cluster sequential --map rows",
)
def _figure_1b() -> Outcome:
    found = _mean_lengths()
    ring, cube = found["RING-n"], found["hypercube"]
    readings = {
        "all cables": [a / b for (a, _), (b, _) in zip(ring, cube, strict=True)],
        "those between cabinets": [a / b for (_, a), (_, b) in zip(ring, cube, strict=True)],
        "the same without 2 m at each end": [(a - 4) / (b - 4) for (_, a), (_, b) in zip(ring, cube, strict=True)],
    }
    nearest = min(readings, key=lambda name: abs(readings[name][-1] - 3))
    torus = ", ".join(f"{one:.1f}" for one, _ in found["torus"])
    told = "; ".join(f"{name} {', '.join(f'{value:.2f}' for value in each)}" for name, each in readings.items())
    told = f"RING-n over hypercube for N = 64 .. 4,096, judged at 4,096: {told}; torus {torus} m on average"
    series = tuple(
        Series(
            name,
            tuple((2.0**n, one[0]) for n, one in zip(_SIZES if name != "torus" else _SIZES[::2], each, strict=True)),
        )
        for name, each in found.items()
    )
    return judge(
        {"times": "3"},
        {"times": readings[nearest][-1]},
        step=Step(0.5, "half of one, for 'about three'"),
        readings=len(readings),
        digits=3,
        assumption=told,
        reason=told,
        figure=Curves(
            "koibuchi-2013-figure-1b",
            "Mean cable length, in sequence",
            "switches",
            "mean length [m]",
            series,
            log_x=True,
        ),
    )
