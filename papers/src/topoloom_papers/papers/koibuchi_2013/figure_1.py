"""Claims of Koibuchi 2013's Figure 1: random shortcuts save hops but need longer cables."""

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from topoloom.cost.placed import place
from topoloom.placement.floors.floor import preset
from topoloom.topologies.spec import build
from topoloom_papers._helpers import measured
from topoloom_papers.curves import Curves, Series
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, Step, check_statements, compare, listed

#: The other topologies of the figure, with 2^10 switches.
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


def _by_degree(
    metric: Literal["diameter", "aspl"],
) -> tuple[dict[str, list[tuple[int, float]]], dict[int, float], dict[int, float]]:
    """A metric by degree: of the other topologies, of the ring with shortcuts, and of this ring at the others' degrees."""

    def ring(k: int) -> float:
        return float(getattr(measured(f"ring-shortcuts:n=1024,degree={k},seed=1"), metric))

    others = {
        name: [(int(build(spec).degrees.max()), getattr(measured(spec), metric)) for spec in specs]
        for name, specs in _OTHERS.items()
    }
    return others, {k: ring(k) for k in _DEGREES}, {k: ring(k) for points in others.values() for k, _ in points}


@claim(
    "koibuchi-2013/fig-1a",
    "2^10 switches: for a given degree ring and random shortcuts have a lower diameter than seven other topologies; a"
    " small number of shortcuts is sufficient",
    "lower; sharp initial drop",
    "topoloom hops ring-shortcuts:n=1024,degree=10",
)
def _figure_1a() -> Outcome:
    others, ring, at = _by_degree("diameter")
    series = [Series("ring and shortcuts", tuple((float(k), float(d)) for k, d in ring.items()))]
    series += [Series(name, tuple((float(k), float(d)) for k, d in points)) for name, points in others.items()]
    return check_statements(
        {
            f"{name}, degree {k}: the ring with shortcuts has a lower diameter": at[k] < diameter
            for name, points in others.items()
            for k, diameter in points
        }
        | {"one shortcut per switch reduces the ring's diameter by nine tenths": ring[3] <= 0.1 * 512},
        "ring and shortcuts "
        + ", ".join(f"{k}: {d:g}" for k, d in ring.items())
        + "; "
        + "; ".join(f"{name} {', '.join(f'{k}: {d:g}' for k, d in points)}" for name, points in others.items()),
        "diameters by degree; seed 1; twisted is read as crossed (errata of Koibuchi 2013, 10)",
        figure=Curves("koibuchi-2013-figure-1a", "Diameter of 2^10 switches", "degree", "hops", tuple(series)),
    )


@claim(
    "koibuchi-2013/fig-1a/aspl",
    "2^10 switches: results are similar for the average shortest path length; for a given degree ring and random shortcuts have"
    " a lower one than seven other topologies",
    "similar",
    "topoloom hops ring-shortcuts:n=1024,degree=10",
)
def _figure_1a_aspl() -> Outcome:
    others, ring, at = _by_degree("aspl")
    return check_statements(
        {
            f"{name}, degree {k}: the ring with shortcuts has a lower ASPL": at[k] < aspl
            for name, points in others.items()
            for k, aspl in points
        }
        # In a ring of even N the mean over u != v is N^2 / 4 / (N - 1).
        | {"one shortcut per switch reduces the ring's ASPL by nine tenths": ring[3] <= 0.1 * 1024**2 / 4 / 1023},
        f"ring and shortcuts {listed([(str(k), aspl) for k, aspl in ring.items()])}; "
        + "; ".join(
            f"{name} {listed([(str(k), aspl) for k, aspl in points])}, the ring there"
            f" {listed([(str(k), at[k]) for k, _ in points])}"
            for name, points in others.items()
        ),
        "ASPL by degree; seed 1; twisted is read as crossed (errata of Koibuchi 2013, 10)",
    )


_SIZES = tuple(range(6, 13))


def _mean_lengths() -> dict[str, list[tuple[float, float]]]:
    """Mean lengths in m of all cables and of those between racks, by network, for N = 64 .. 4,096."""
    floor = replace(preset("koibuchi-2013"), switches_per_rack=16)
    lengths_m: dict[str, list[tuple[float, float]]] = {}
    for n in _SIZES:
        specs = {
            "RING-n": f"ring-shortcuts:n={2**n},degree={n},seed=1",
            "hypercube": f"hypercube:n={n}",
            # A torus of n/2 dimensions (n even) has as many links as the hypercube.
            "torus": f"torus:dims={'x'.join(['4'] * (n // 2))}" if n % 2 == 0 else "",
        }
        for name, spec in specs.items():
            if spec:
                layout = place(build(spec), floor, "sequential", "rows")
                lengths_m.setdefault(name, []).append((round(layout.mean_length_m, 4), round(layout.mean_between_m, 4)))
    return lengths_m


#: Readings of "mean cable" in figure 1b, as functions of the mean lengths in m of (all cables, cables between racks).
_LENGTHS: dict[str, Callable[[tuple[float, float]], float]] = {
    "all cables, 2 m inside a rack and 2 m at each end between them (Koibuchi 2013 III.D)": lambda both: both[0],
    "those between racks": lambda both: both[1],
    "those between racks without 2 m at each end": lambda both: both[1] - 4,
}


@claim(
    "koibuchi-2013/fig-1b",
    "the mean cable of ring and random shortcuts is about three times as long as that of hypercube and torus of the same"
    " degree",
    "about 3",
    "topoloom layout ring-shortcuts:n=4096,degree=12 --floor koibuchi-2013 --switches-per-rack 16 --cluster sequential --map "
    "rows",
)
def _figure_1b() -> Outcome:
    lengths_m = _mean_lengths()
    readings = {
        reading: {
            # A torus of rings of four exists at every second size; both lists end at 4,096 switches.
            name: [
                length(a) / length(b)
                for a, b in zip(lengths_m["RING-n"][:: 1 if name == "hypercube" else 2], lengths_m[name], strict=True)
            ]
            for name in ("hypercube", "torus")
        }
        for reading, length in _LENGTHS.items()
    }
    nearest = min(readings.values(), key=lambda each: sum(abs(times[-1] - 3) for times in each.values()))
    ratios = "; ".join(
        f"{reading}: over {name} {', '.join(f'{value:.2f}' for value in times)}"
        for reading, each in readings.items()
        for name, times in each.items()
    )
    note = "in canonical order and in sequence, as in the paper; N = 64 .. 4,096 (tori: 64, 256 ..), compared at 4,096"
    series = tuple(
        Series(
            name,
            tuple(
                (2.0**n, mean_m)
                for n, (mean_m, _) in zip(_SIZES if name != "torus" else _SIZES[::2], by_size, strict=True)
            ),
        )
        for name, by_size in lengths_m.items()
    )
    return compare(
        {f"times the {name}'s": "3" for name in nearest},
        {f"times the {name}'s": times[-1] for name, times in nearest.items()},
        step=Step(0.5, "half of one, for 'about three'"),
        readings=len(readings),
        digits=3,
        assumption=note,
        reason=note,
        details=ratios,
        figure=Curves(
            "koibuchi-2013-figure-1b",
            "Mean cable length, in sequence",
            "switches",
            "mean length [m]",
            series,
            log_x=True,
        ),
    )
