"""Claims of Koibuchi 2013 on its small examples, figures 2 and 11, and on the chance that a permuted network is partitioned."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from topoloom.core.random_streams import Draws
from topoloom.cost.placed import place
from topoloom.graph.connectivity import components
from topoloom.model.topology import Topology
from topoloom.placement.floors.floor import preset
from topoloom.topologies.families.permute import permuted_once, rack_of
from topoloom.topologies.spec import build
from topoloom_papers.curves import Steps
from topoloom_papers.long_runs import long_run
from topoloom_papers.papers.koibuchi_2013._switch_loads import clos_in_other_racks
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, check_statements, compare, listed

#: Figure 2's 18 switches in 3 racks; the paper does not list its links, so that they are those of a torus.
_EXAMPLE, _EXAMPLE_RACKS = "torus:dims=3x6", 3
_EXAMPLE_DRAWS = range(1, 101)


def _cables(topology: Topology, home: np.ndarray) -> list[int]:
    """The number of cables inside each rack and between each two, by pairs of racks."""
    racks = int(home.max()) + 1
    ends = np.sort(home[topology.links], axis=1)
    counts: list[int] = np.bincount(ends[:, 0] * racks + ends[:, 1], minlength=racks * racks).tolist()
    return counts


@claim(
    "koibuchi-2013/fig-2",
    "18 switches in 3 racks: a permuted network differs from its baseline, and has as many links inside each rack and between"
    " each two",
    "conserved",
    f"topoloom build {_EXAMPLE}+permute:mode=partial,rack=6",
)
def _figure_2() -> Outcome:
    baseline = build(_EXAMPLE)
    home = rack_of(baseline.switches, _EXAMPLE_RACKS)
    cables = _cables(baseline, home)
    parts: dict[str, bool] = {}
    panels = [("baseline", baseline)]
    for mode in ("partial", "full"):
        drawn = [permuted_once(baseline, home, mode, "keep", Draws(seed, 0)) for seed in _EXAMPLE_DRAWS]
        changed = [
            set(map(tuple, np.sort(each.links).tolist())) != set(map(tuple, baseline.links.tolist())) for each in drawn
        ]
        parts[f"{mode}: every draw has the baseline's numbers of links"] = all(
            _cables(each, home) == cables for each in drawn
        )
        parts[f"{mode}: every draw differs"] = all(changed)
        panels.append((f"permuted, {mode}", drawn[0]))
    between = [cables[i * _EXAMPLE_RACKS + j] for i in range(_EXAMPLE_RACKS) for j in range(i + 1, _EXAMPLE_RACKS)]
    inside = [cables[i * _EXAMPLE_RACKS + i] for i in range(_EXAMPLE_RACKS)]
    return check_statements(
        parts,
        f"links inside the racks {', '.join(map(str, inside))}, between two {', '.join(map(str, between))}",
        f"the paper does not list the links of its example: a 3 x 6 torus; {len(_EXAMPLE_DRAWS)} draws of each method, second"
        " links between two switches kept",
        figure=Steps("koibuchi-2013-figure-2", tuple(panels)),
    )


#: Figure 11's 64 switches, whose shortcuts bypass at most this share of the ring; Nbr(p) has less than p / 2.
_SHARE = 0.35
_RING = "nbr:n=64,degree={degree},p=0.7,seed={seed}"


@claim(
    "koibuchi-2013/fig-11/shortcuts",
    "64 switches: shortcuts do not bypass more than 0.35 N switches of the ring",
    "0.35 N",
    f"topoloom build {_RING.format(degree=6, seed=1)}",
)
def _figure_11_shortcuts() -> Outcome:
    longest = {
        str(degree): max(_longest(_RING.format(degree=degree, seed=seed)) for seed in range(1, 21))
        for degree in (3, 4, 6)
    }
    return check_statements(
        {f"degree {degree}: at most {_SHARE:g} N": hops <= _SHARE * 64 for degree, hops in longest.items()},
        f"the longest shortcut in hops along the ring, by degree: {listed(longest.items(), '{:g}')}; {_SHARE:g} N is"
        f" {_SHARE * 64:g}",
        "Nbr(0.7), whose shortcuts have less than 0.7 N / 2 hops; the paper does not give the degree: three are tried, 20 draws"
        " each",
        figure=Steps("koibuchi-2013-figure-11", (("Nbr(0.7)-6", build(_RING.format(degree=6, seed=1))),)),
    )


def _longest(spec: str) -> int:
    """The most hops along the ring between two linked switches."""
    topology = build(spec)
    apart = np.abs(np.diff(topology.links, axis=1)[:, 0])
    return int(np.minimum(apart, topology.switches - apart).max())


@claim(
    "koibuchi-2013/fig-11/clusters",
    "64 switches: the graph clustering forms six clusters",
    "6",
    f"topoloom layout {_RING.format(degree=6, seed=1)} --floor koibuchi-2013 --switches-per-rack 16 --cluster walktrap --map"
    " rows",
)
def _figure_11_clusters() -> Outcome:
    racks = {}
    for size in (8, 16):
        floor = replace(preset("koibuchi-2013"), switches_per_rack=size)
        for degree in (3, 4, 6):
            layout = place(build(_RING.format(degree=degree, seed=1)), floor, "walktrap", "rows")
            racks[f"{size} per rack, degree {degree}"] = float(layout.racks)
    nearest = min(racks.values(), key=lambda each: abs(each - 6))
    note = (
        "the paper gives neither the degree nor the size of a rack for its example: degrees 3, 4 and 6, and the racks of 8 and"
        " 16 switches of its simulations; our Walktrap fills as few racks as there must be, which six of either size are not"
    )
    return compare(
        {"clusters": 6},
        {"clusters": nearest},
        readings=len(racks),
        assumption=note,
        reason=note,
        details=listed(racks.items(), "{:g}"),
    )


#: Draws of each network; fewer of the large ones, which take a hundred times as long.
_DRAWS, _LARGE_DRAWS = 1000, 50
#: "Very low": at most this share of the draws.
_VERY_LOW = 0.01
#: The networks that the paper permutes: spec, switches per rack, draws.
_PERMUTED = {
    "HYPERCUBE, 64 switches": ("hypercube:n=6", 8, _DRAWS),
    "HYPERCUBE, 256 switches": ("hypercube:n=8", 16, _DRAWS),
    "HYPERCUBE, 512 switches": ("hypercube:n=9", 16, _DRAWS),
    "HYPERCUBE, 4,096 switches": ("hypercube:n=12", 16, _LARGE_DRAWS),
    "FHYPERCUBE, 64 switches": ("folded-hypercube:n=6", 8, _DRAWS),
    "FHYPERCUBE, 4,096 switches": ("folded-hypercube:n=12", 16, _LARGE_DRAWS),
    "TORUS-4, 256 switches": ("torus:dims=16x16", 16, _DRAWS),
    "TORUS-6, 4,096 switches": ("torus:dims=16x16x16", 16, _LARGE_DRAWS),
}


def _partitioned() -> dict[str, float]:
    """The share of first draws that are disconnected, by network and method."""
    shares = {}
    for name, (spec, rack, draws) in _PERMUTED.items():
        topology = build(spec)
        home = rack_of(topology.switches, -(-topology.switches // rack))
        for mode in ("partial", "full"):
            shares[f"{name}, {mode}"] = _share(topology, home, mode, range(1, draws + 1))
    for switches in (80, 160):
        topology = build(f"myrinet-clos:switches={switches}")
        homes = {
            "16 per rack": rack_of(switches, switches // 16),
            "one switch-only rack": np.array(clos_in_other_racks(switches).homes),
        }
        for where, home in homes.items():
            shares[f"Clos, {switches} switches, {where}, full"] = _share(topology, home, "full", range(1, _DRAWS + 1))
    return shares


def _share(topology: Topology, home: np.ndarray, mode: str, seeds: Iterable[int]) -> float:
    parted = [int(components(permuted_once(topology, home, mode, "drop", Draws(seed, 0))).max()) > 0 for seed in seeds]
    return sum(parted) / len(parted)


@claim(
    "koibuchi-2013/iii-a/partitioned",
    "a permuted network is partitioned with very low probability",
    "very low",
    "topoloom build hypercube:n=8+permute:mode=partial,rack=16,doubles=drop (a warning reports a disconnected draw)",
)
def _chance() -> Outcome:
    shares = long_run(
        f"topoloom build 'SPEC+permute:mode=MODE,rack=RACK,doubles=drop,seed=S' of the permuted networks of Koibuchi 2013, S 1"
        f" to {_DRAWS:,}, to {_LARGE_DRAWS} from 4,096 switches: share of disconnected first draws",
        dict[str, float],
        _partitioned,
    )
    return check_statements(
        {f"{name}: at most {100 * _VERY_LOW:g} %": share <= _VERY_LOW for name, share in shares.items()},
        f"disconnected, % of the draws, the most: {100 * max(shares.values()):.1f}",
        f"'very low' is read as at most {100 * _VERY_LOW:g} % for every network that the paper permutes, by both methods;"
        " second links between two switches are ignored",
        details=listed([(name, 100 * share) for name, share in shares.items()], "{:.1f} %"),
    )
