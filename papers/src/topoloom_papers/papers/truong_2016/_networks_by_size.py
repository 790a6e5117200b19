"""Truong 2016's comparison by size: its four networks with 32 to 4,096 switches, on its floor and with its prices."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from statistics import fmean

import msgspec
import numpy as np

from topoloom.cost.parts_files import load_parts
from topoloom.cost.placed import place
from topoloom.model.topology import Topology
from topoloom.placement.floors.floor import preset
from topoloom.placement.layout.layout import Layout
from topoloom.topologies.spec import build
from topoloom_papers._helpers import measured
from topoloom_papers.curves import Curves, Series
from topoloom_papers.long_runs import long_run

SIZES = tuple(2**e for e in range(5, 13))
NAMES = ("DSN-F", "DSN", "2-D torus", "RR-4")
#: The torus with racks of square blocks, in addition to racks of rows: Truong 2016 does not state how it fills racks.
BLOCKS = "2-D torus, blocks"
#: Where new switches of DSN-F are added, by the value of the family's parameter `fill` (errata of Truong 2016, 6).
FILLS = {"id": "supernode by supernode", "balanced": "evenly"}
#: Seeds of RR-4, which is random; Truong 2016 does not state how many networks were drawn.
DRAWS = range(1, 11)
#: Truong 2016 5.2: 40 Gb/s, and the same mean number of links per switch in all four networks.
RATE_GBPS = 40.0
LINKS_PER_SWITCH = 4
#: Clustering into racks: supernodes stay together (Truong 2016 5.1, errata of Truong 2016, 13); the other networks fill racks
#: in the order of switches, two rows of the torus per rack if they fit.
_RACKS = {"DSN-F": "groups", BLOCKS: "walktrap"}

ByName = Mapping[str, Mapping[int, float]]


def spec(name: str, n: int, seed: int = 1) -> str:
    """The spec of a network of n switches; the torus is as square as possible, DSN is DSN-(p - 1)."""
    short = 1 << (n.bit_length() - 1) // 2
    return {
        "DSN-F": f"dsn-f:n={n}",
        "DSN": f"dsn:n={n}",
        "2-D torus": f"torus:dims={n // short}x{short}",
        BLOCKS: f"torus:dims={n // short}x{short}",
        "RR-4": f"ring-shortcuts:n={n},degree=4,seed={seed}",
    }[name]


def hops_of(measure: str, name: str, n: int) -> float:
    """The diameter or ASPL; for RR-4 the mean over ten draws."""
    seeds = DRAWS if name == "RR-4" else (1,)
    return fmean(float(getattr(measured(spec(name, n, seed)), measure)) for seed in seeds)


@dataclass(frozen=True)
class Cables:
    """The part of a layout that is kept, for figures 7 and 8.

    `mean_m`: mean cable length; `inside`: share of links inside racks, in %; `usd`: cost of the cables in USD per switch;
    `kinds`: for DSN-F's Local, Layer, Succ (and Pred) links and Shortcuts, their number, the % inside racks, the mean length.
    """

    n: int
    racks: int
    mean_m: float
    inside: float
    usd: float
    kinds: dict[str, tuple[int, float, float]]


def cabled(name: str) -> dict[int, Cables]:
    """The cables of a network at each size on Truong 2016's floor: 16 switches per rack, racks placed by annealing."""
    cluster = _RACKS.get(name, "sequential")
    sizes = ", ".join(spec(name, n) for n in SIZES)
    layouts = long_run(
        f"topoloom layout SPEC --floor koibuchi-2013 --switches-per-rack 16 --cluster {cluster} --map anneal for SPEC = "
        f"{sizes}",
        list[Cables],
        lambda: [_cables(name, n) for n in SIZES],
    )
    return {cables.n: cables for cables in layouts}


def laid_out(name: str, n: int, map: str = "anneal", cluster: str = "", seed: int = 1) -> Layout:
    """Place a network on Truong 2016's floor: 16 switches per rack, racks placed by annealing (as in Koibuchi 2013 IV.D)."""
    floor = replace(preset("koibuchi-2013"), switches_per_rack=16)
    return place(build(spec(name, n)), floor, cluster or _RACKS.get(name, "sequential"), map, seed=seed)


def _cables(name: str, n: int) -> Cables:
    layout = laid_out(name, n)
    inside = ~layout.between
    usd = float(load_parts("slimfly-2014").link_usd(layout.length_m, layout.between, RATE_GBPS).sum()) / n
    kinds = {}
    if name == "DSN-F":
        for kind, of_kind in _kinds(layout.topology).items():
            if of_kind.any():
                share, mean = 100 * float(inside[of_kind].mean()), float(layout.length_m[of_kind].mean())
                kinds[kind] = (int(of_kind.sum()), round(share, 3), round(mean, 4))
    mean_m, share = round(layout.mean_length_m, 5), round(100 * float(inside.mean()), 4)
    return Cables(n, layout.racks, mean_m, share, round(usd, 4), kinds)


def _kinds(topology: Topology) -> dict[str, np.ndarray]:
    """A mask of the links of each kind of DSN-F, bool[links]."""
    group, layer, level = (topology.labels[key] for key in ("group", "layer", "level"))
    u, v = topology.links.T
    same, p = group[u] == group[v], int(level.max())
    succ = ~same & (np.abs(level[u] - level[v]) == p - 1)
    return {
        "Local": same & (layer[u] == layer[v]),
        "Layer": same & (layer[u] != layer[v]),
        "Succ": succ,
        "Shortcut": ~same & ~succ,
    }


def switch_usd(ports: int) -> float:
    """Price of a switch by Besta 2014's line, extended to fewer ports than Besta 2014 has, as in Truong 2016."""
    line = msgspec.structs.replace(load_parts("slimfly-2014").switch, least_ports=0)
    return float(line.line_usd(ports).mean())


def node_usd(cables: Cables) -> float:
    """Cost per node in USD: a switch with the mean number of links as ports, and its share of the cables."""
    return switch_usd(LINKS_PER_SWITCH) + cables.usd


def by_size(value: Callable[[str, int], float], *names: str) -> ByName:
    """Compute a value for each network and size."""
    return {name: {n: value(name, n) for n in SIZES} for name in names or NAMES}


def figure(name: str, title: str, y: str, values: ByName) -> Curves:
    """A figure of values against the number of switches."""
    series = tuple(
        Series(label, tuple((float(n), value) for n, value in points.items())) for label, points in values.items()
    )
    return Curves(f"truong-2016-{name}", title, "switches", y, series, log_x=True)


def in_words(values: ByName, form: str = "{:.2f}") -> str:
    """The values in one line."""
    return "; ".join(f"{name} {', '.join(map(form.format, points.values()))}" for name, points in values.items())


def percent_above(values: ByName, name: str, other: str) -> dict[int, float]:
    """How much higher the values of `name` are than those of `other`, in % at each size."""
    return {n: 100 * (value / values[other][n] - 1) for n, value in values[name].items()}


def at_sizes(values: Mapping[int, float]) -> str:
    """Signed percentages at each size, in one line."""
    return ", ".join(f"{n}: {value:+.1f} %" for n, value in values.items())


def span(values: Mapping[int, float]) -> str:
    """The least and the greatest of signed percentages."""
    return f"{min(values.values()):+.1f} to {max(values.values()):+.1f} %"


def most(values: Mapping[int, float], count: int = 2) -> list[int]:
    """The sizes with the greatest values."""
    return sorted(values, key=lambda n: values[n])[-count:]
