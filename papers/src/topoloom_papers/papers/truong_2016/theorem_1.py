"""Claims of Truong 2016's Theorem 1 and related ones: degrees, diameter, custom routing and bisection of DSN-F."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from topoloom.core.threads import over_cores
from topoloom.graph.cuts import Cuts, cuts
from topoloom.graph.hops import hops
from topoloom.model.topology import Topology
from topoloom.routing.route import route
from topoloom.routing.verification.verify import verify_routing
from topoloom.topologies.families.dsn import dsn_f_levels
from topoloom.topologies.spec import build
from topoloom_papers._helpers import measured
from topoloom_papers.long_runs import long_run
from topoloom_papers.papers.truong_2016._networks_by_size import FILLS, SIZES
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, check_statements, compare

_LEAST, _MOST = 8, 10_250


@dataclass(frozen=True)
class _Size:
    """Measurements of a network of n switches, with p levels in K = ceil(n/N) layers of N = p 2^p switches."""

    n: int
    p: int
    diameter: int
    links: int
    greatest: int

    @property
    def layers(self) -> int:
        return -(-self.n // (self.p << self.p))

    def bound(self, layers: int) -> float:
        """The bound of the diameter in Theorem 1b, 3p/2 + 2K - 2."""
        return 1.5 * self.p + 2 * layers - 2

    @property
    def mean_is_4(self) -> bool:
        return self.links == 2 * self.n

    @property
    def partial(self) -> bool:
        """Whether its last layer ends in a group of one or two switches, which is not a ring (errata of Truong 2016, 10)."""
        return self.n % self.p in {1, 2}


@dataclass(frozen=True)
class _Summary:
    """Summary over all sizes for the claims; most fields are numbers of sizes.

    `mean_4`: mean degree 4; `two_levels`: p = 2; `partial`: p >= 3 and a last group that is not a ring, `short` of them with
    mean 4 - 2/n; `greatest`: the greatest degree; `over`: above Theorem 1b's bound with K = ceil(n/N), `over_floor`: with
    floor(n/N); `rise`: the most hops that one more switch adds to the diameter, `rise_at`: the first size where it does.
    """

    sizes: int
    mean_4: int
    two_levels: int
    partial: int
    short: int
    greatest: int
    over: int
    over_floor: int
    rise: int
    rise_at: int


def _summary() -> _Summary:
    return long_run(
        f"topoloom hops dsn-f:n=N for every N from {_LEAST} to {_MOST}", _Summary, lambda: _summed(_each(_LEAST, _MOST))
    )


def _each(least: int, most: int) -> list[_Size]:
    """Measure every size from `least` to `most`, both included."""

    def measure(numbers: Iterator[int]) -> list[_Size]:
        measured_sizes = []
        for number in numbers:
            topology = build(f"dsn-f:n={least + number}")
            n, degrees = topology.switches, topology.degrees
            diameter = int(hops(topology, jobs=1).diameter)
            measured_sizes.append(_Size(n, dsn_f_levels(n), diameter, len(topology.links), int(degrees.max())))
        return measured_sizes

    parts = over_cores(measure, most + 1 - least, None)
    return sorted((size for part in parts for size in part), key=lambda size: size.n)


def _summed(sizes: list[_Size]) -> _Summary:
    rises = [b.diameter - a.diameter for a, b in pairwise(sizes)]
    partial = [size for size in sizes if size.p >= 3 and size.partial]
    return _Summary(
        sizes=len(sizes),
        mean_4=sum(size.mean_is_4 for size in sizes),
        two_levels=sum(size.p == 2 for size in sizes),
        partial=len(partial),
        short=sum(size.links == 2 * size.n - 1 for size in partial),
        greatest=max(size.greatest for size in sizes),
        over=sum(size.diameter > size.bound(size.layers) for size in sizes),
        over_floor=sum(size.diameter > size.bound(size.n // (size.p << size.p)) for size in sizes),
        rise=max(rises),
        rise_at=sizes[rises.index(max(rises))].n,
    )


@claim(
    "truong-2016/theorem-1a",
    f"DSN-F: average degree 4, greatest degree 5 (every n from {_LEAST} to {_MOST:,})",
    "4, 5",
    "topoloom info dsn-f:n=4096; topoloom info dsn-f:n=897",
)
def _degrees() -> Outcome:
    summary = _summary()
    return check_statements(
        {
            "the mean degree is 4 at every size": summary.mean_4 == summary.sizes,
            "the greatest degree is 5": summary.greatest == 5,
        },
        f"mean 4 at {summary.mean_4:,} of {summary.sizes:,} sizes, greatest degree {summary.greatest}",
        f"the mean is 4 - 2/n at {summary.short:,} of the {summary.partial:,} sizes where n mod p is 1 or 2, as one or two"
        f" switches are not a ring (the paper does not describe how they are closed; errata of Truong 2016, 10), and less at"
        f" the {summary.two_levels} sizes with p = 2, where the ring of a supernode is one link",
        wrong=True,
    )


@claim(
    "truong-2016/theorem-1a/degrees",
    "DSN-F: as many switches have degree 3 as have degree 5 (32 to 4,096 switches)",
    "equal",
    "topoloom info dsn-f:n=1024; topoloom info dsn-f:n=1024,fill=balanced",
)
def _degrees_3_and_5() -> Outcome:
    counts = {
        fill: {n: np.bincount(build(f"dsn-f:n={n},fill={fill}").degrees, minlength=6).tolist() for n in SIZES}
        for fill in FILLS
    }
    return check_statements(
        {
            f"filled {FILLS[fill]}: at every size": all(c[3] == c[5] for c in each.values())
            for fill, each in counts.items()
        },
        "switches of degree 3 and of 5: "
        + "; ".join(
            f"filled {FILLS[fill]} {', '.join(f'{n}: {c[3]} and {c[5]}' for n, c in each.items())}"
            for fill, each in counts.items()
        ),
        "new layers are filled supernode by supernode or evenly (errata of Truong 2016, 6); in a partly filled layer some"
        " switches have degree 2 or 1 instead of 3, also if the ring of such a layer is not closed (errata of Truong 2016, 10)",
        wrong=True,
    )


@claim(
    "truong-2016/theorem-1b",
    f"DSN-F: diameter <= 3p/2 + 2K - 2 (every n from {_LEAST} to {_MOST:,})",
    "holds",
    "topoloom hops dsn-f:n=2560",
)
def _diameter() -> Outcome:
    summary = _summary()
    return check_statements(
        {"at every size": summary.over == 0},
        f"above the bound at {summary.over} of {summary.sizes:,} sizes",
        f"K = ceil(n/N) (errata of Truong 2016, 2); with K = floor(n/N) the bound is exceeded at {summary.over_floor:,} sizes,"
        " such as 1,120 (11 > 10.5)",
        readings=2,
        wrong=True,
    )


@claim(
    "truong-2016/section-3.3/one-hop",
    f"DSN-F: adding a switch adds at most 1 hop to the diameter (every n from {_LEAST} to {_MOST:,})",
    "1",
    "topoloom hops dsn-f:n=897",
)
def _one_hop() -> Outcome:
    summary = _summary()
    layers = {
        p: int(measured(f"dsn-f:n={2 * p << p}").diameter - measured(f"dsn-f:n={p << p}").diameter)
        for p in range(3, 10)
    }
    readings = {"a switch": summary.rise, "a layer": max(layers.values())}
    fits = min(readings, key=lambda what: abs(readings[what] - 1))
    note = (
        "two readings, as the paper states this for a switch and, in brackets, for the new layer: one more switch adds at most"
        f" {summary.rise}, first at {summary.rise_at} switches; a whole second layer adds, by p,"
        f" {', '.join(f'{p}: {more}' for p, more in layers.items())}, at most the 2 that Theorem 1b allows"
    )
    return compare(
        {f"hops by {fits}": 1},
        {f"hops by {fits}": readings[fits]},
        readings=len(readings),
        assumption=note,
        reason=note,
    )


#: Sizes whose routing is verified. For p from 3 to 7: one layer, one switch more, and the last size before p grows; also the
#: sizes of figure 4.
_ROUTED = sorted(
    {n for p in range(3, 8) for n in (p << p, (p << p) + 1, ((p + 1) << (p + 1)) - 1)} | {1 << e for e in range(5, 13)}
)


@claim(
    "truong-2016/theorem-1b/routing",
    "DSN-F's custom routing, in three phases: no path is longer than 3p/2 + 2K - 2",
    "holds",
    "topoloom route dsn-f:n=1024 --engine dsn-f",
)
def _routing() -> Outcome:
    routes = long_run(
        f"topoloom route dsn-f:n=N --engine dsn-f for N = {', '.join(map(str, _ROUTED))}",
        list[tuple[int, bool]],
        _routes,
    )
    sizes = [
        _Size(n, dsn_f_levels(n), most, 0, 0) for n, (most, complete) in zip(_ROUTED, routes, strict=True) if complete
    ]
    bound_less = [size.bound(size.layers) - size.diameter for size in sizes]
    text = ", ".join(f"{size.n:,}: {size.diameter}, bound {size.bound(size.layers):g}" for size in sizes)
    return check_statements(
        {
            "every pair has a path at every size": len(sizes) == len(_ROUTED),
            "no path is longer": all(size.diameter <= size.bound(size.layers) for size in sizes),
        },
        f"{len(sizes)} of {len(_ROUTED)} sizes; the longest path is {min(bound_less):g} to {max(bound_less):g} hops below the"
        " bound",
        "K = ceil(n/N) (errata of Truong 2016, 2); the engine starts the second step of the main phase as soon as all bits of"
        " the distance are ahead, which is never later than in the paper",
        readings=2,
        wrong=True,
        details=f"longest path and bound, by switches: {text}",
    )


def _routes() -> list[tuple[int, bool]]:
    """The longest path, and whether every pair has a path, at each size."""
    reports = [verify_routing(route(build(f"dsn-f:n={n}"), "dsn-f")) for n in _ROUTED]
    return [(report.max_hops, report.complete) for report in reports]


#: Sizes that are cut: every size with p = 3; for p up to 8 one layer, two layers, and the last size before p grows; one layer
#: up to p = 10; the sizes of figure 4; and 1,408, the middle of figure 3's first half.
_CUT = sorted(
    {
        *range(3 << 3, 4 << 4),
        *(n for p in range(4, 9) for n in (p << p, 2 * p << p, ((p + 1) << (p + 1)) - 1)),
        *(p << p for p in (9, 10)),
        *(1 << e for e in range(5, 13)),
        1408,
    }
)
#: Readings: where new switches are added, and whether halves may differ by a ring of p switches.
_HALVES = [(fill, slack) for fill in FILLS for slack in (False, True)]
_READINGS_NOTE = (
    "four readings: new layers are filled supernode by supernode or evenly (errata of Truong 2016, 6), and halves,"
    " 'approximately equal' in the proof, differ by at most one switch or by a ring of p"
)
_METIS_NOTE = "the best cut of METIS over 16 seeds, an upper bound of the bisection"


def _way(fill: str, slack: bool) -> str:
    return f"filled {FILLS[fill]}, halves that differ by at most {'p' if slack else 'one'}"


def _halved(n: int, fill: str, slack: bool) -> tuple[Topology, Cuts]:
    """DSN-F and its best bisection; with `slack`, the halves may differ by a ring of p switches."""
    topology = build(f"dsn-f:n={n},fill={fill}")
    # Additional switches without links allow unequal halves, because one half may get all of them. The difference of the halves
    # has the parity of n.
    p = dsn_f_levels(n)
    more = (p if (n + p) % 2 == 0 else p - 1) if slack else 0
    return topology, cuts(Topology(links=topology.links, switches=n + more), ways=2, seeds=16)


@claim(
    "truong-2016/theorem-1c",
    "DSN-F: the bisection is N/p = 2^p, where N = p 2^p is the number of switches of a layer",
    f"2^p at {len(_CUT)} sizes from {_CUT[0]} to {_CUT[-1]:,}",
    "topoloom cuts dsn-f:n=896; topoloom cuts dsn-f:n=1024; topoloom cuts dsn-f:n=1024,fill=balanced",
)
def _bisection() -> Outcome:
    expected = {n: 1 << dsn_f_levels(n) for n in _CUT}
    cut_links = {way: {n: _halved(n, *way)[1].links for n in _CUT} for way in _HALVES}
    off = {way: {n: links for n, links in each.items() if links != expected[n]} for way, each in cut_links.items()}
    best = min(_HALVES, key=lambda way: len(off[way]))
    differences = "; ".join(
        f"{_way(*way)}: different at {len(each)} of {len(_CUT)} sizes{_cuts_off(each, expected)}"
        for way, each in off.items()
    )
    least = min(min(links - expected[n] for n, links in each.items()) for each in cut_links.values())
    fewer = "no cut has fewer links than 2^p" if least >= 0 else f"a cut has {-least} links fewer than 2^p"
    note = f"{_READINGS_NOTE}; here {_way(*best)}; {fewer}"
    right = len(_CUT) - len(off[best])
    return compare(
        {"sizes with 2^p": len(_CUT)},
        {"sizes with 2^p": right},
        readings=len(_HALVES),
        assumption=note,
        reason=note,
        details=f"{differences}; {_METIS_NOTE}",
    )


def _cuts_off(off: dict[int, int], expected: dict[int, int]) -> str:
    """The first and last cuts that are not 2^p, in words."""
    if not off:
        return ""
    shown = [*off][:2] + [*off][-2:] if len(off) > 4 else [*off]
    return f", such as {', '.join(f'{n:,}: {off[n]} instead of {expected[n]}' for n in shown)}"


@claim(
    "truong-2016/section-4.4/proof",
    "the cut of 1,024 switches in 2 parts shows that the proof of theorem 1c is correct: N/p Succ and Pred links, no others",
    "128, only",
    "topoloom cuts dsn-f:n=1024; topoloom cuts dsn-f:n=1024,fill=balanced",
)
def _proof() -> Outcome:
    found, rows = {}, []
    for way in _HALVES:
        topology, cut = _halved(1024, *way)
        group, level = topology.labels["group"], topology.labels["level"]
        a, b = cut.part[topology.links].T
        u, v = topology.links[a != b].T
        # Succ links, p = 7: from level p of a supernode to level 1 of the next.
        others = int(((abs(level[u] - level[v]) != 6) | (group[u] == group[v])).sum())
        found[way] = {"links": cut.links, "not Succ or Pred": others}
        rows.append(f"{_way(*way)}: {cut.links} links, {others} of them not Succ or Pred")
    # The same four readings, and the same rule, as for the theorem itself.
    best = min(_HALVES, key=lambda way: sum(abs(found[way][name] - value) for name, value in _PROVED.items()))
    note = f"{_READINGS_NOTE}; here {_way(*best)}"
    return compare(
        _PROVED,
        found[best],
        readings=len(_HALVES),
        assumption=note,
        reason=note,
        details=f"{'; '.join(rows)}; {_METIS_NOTE}",
    )


#: The cut of 1,024 switches in the proof of Theorem 1c: N/p = 2^7 links between supernodes.
_PROVED = {"links": 128, "not Succ or Pred": 0}
