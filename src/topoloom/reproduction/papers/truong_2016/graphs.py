"""Claims of Truong 2016 about DSN-F, distributed shortcut networks that grow: Theorem 1 and figure 3."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from math import log2

from topoloom.families.dsn import dsn_f_levels
from topoloom.figures.curves import Curves, Series
from topoloom.graph.cuts import cuts
from topoloom.graph.hops import hops
from topoloom.reproduction._helpers import measured
from topoloom.reproduction.papers.truong_2016._networks_by_size import SIZES
from topoloom.reproduction.registry import Outcome, claim, judge
from topoloom.spec import build
from topoloom.threads import over_cores

_LARGEST = 10_250
#: One size in fifty, and those where a layer is full, has one switch more, or the last switch before p grows.
_SAMPLED = frozenset(
    {*range(8, _LARGEST + 1, 50), 65, 1120, _LARGEST}
    | {n for p in range(2, 10) for n in (p << p, (p << p) + 1, 2 * (p << p), ((p + 1) << (p + 1)) - 1) if n <= _LARGEST}
)


@dataclass(frozen=True)
class _Size:
    """What Theorem 1 says of a network of n switches: p, the layers K = ceil(n/N), and what was measured."""

    n: int
    p: int
    layers: int
    diameter: float
    mean: float
    greatest: int

    @property
    def partial(self) -> bool:
        """Whether its last layer ends in a group of one or two switches, which are no ring (errata of Truong 2016, 10)."""
        return self.n % self.p in {1, 2}

    @property
    def too_far(self) -> bool:
        return self.diameter > 1.5 * self.p + 2 * self.layers - 2


def _each(sizes: Iterable[int]) -> list[_Size]:
    wanted = sorted(sizes)

    def measure(numbers: Iterator[int]) -> list[_Size]:
        found = []
        for number in numbers:
            n = wanted[number]
            topology, p = build(f"dsn-f:n={n}"), dsn_f_levels(n)
            degrees = topology.degrees
            diameter = hops(topology, jobs=1).diameter
            found.append(_Size(n, p, -(-n // (p << p)), diameter, float(degrees.mean()), int(degrees.max())))
        return found

    found = [size for part in over_cores(measure, len(wanted), None) for size in part]
    return sorted(found, key=lambda size: size.n)


@lru_cache(maxsize=1)
def _sampled() -> list[_Size]:
    return _each(_SAMPLED)


@lru_cache(maxsize=1)
def _every() -> list[_Size]:
    return _each(range(8, _LARGEST + 1))


@claim(
    "truong-2016/fig-1",
    "DSN-F with n = 32, p = 3: node 0 is linked to 1, 2, 13, 23 and 24",
    "1, 2, 13, 23, 24",
    "topoloom info dsn-f:n=32",
)
def _figure_1() -> Outcome:
    links = build("dsn-f:n=32").links
    found = sorted(int(links[row, 1 - end]) for row, end in zip(*(links == 0).nonzero(), strict=True))
    return replace(
        judge({"missing or more": 0}, {"missing or more": len({1, 2, 13, 23, 24} ^ set(found))}),
        ours=", ".join(map(str, found)),
    )


def _theorem_1_claims(full: bool) -> None:
    part, which = (
        ("/full", f"every n from 8 to {_LARGEST:,}") if full else ("", f"{len(_SAMPLED)} n up to {_LARGEST:,}")
    )

    @claim(
        f"truong-2016/theorem-1a{part}",
        f"DSN-F: average degree 4, greatest degree 5 ({which})",
        "4, 5",
        "topoloom info dsn-f:n=4096",
        full=full,
    )
    def degrees() -> Outcome:
        found = [size for size in (_every() if full else _sampled()) if size.p >= 3]
        closed = [size for size in found if not size.partial]
        short = sum(size.mean != 4 - 2 / size.n for size in found if size.partial)
        return judge(
            {"least mean": 4, "greatest": 5, "others": 0},
            {"least mean": min(s.mean for s in closed), "greatest": max(s.greatest for s in found), "others": short},
            assumption=f"p >= 3 (p = 2 has mean 3), and {len(closed):,} of {len(found):,} sizes; where n mod p is 1 or 2, a"
            f" group of one or two switches is no ring and the mean is 4 - 2/n (others: where it is not; errata"
            f" of Truong 2016, 10)",
        )

    @claim(
        f"truong-2016/theorem-1b{part}",
        f"DSN-F: diameter <= 3p/2 + 2K - 2 ({which})",
        "holds",
        "topoloom hops dsn-f:n=2560",
        full=full,
    )
    def diameter() -> Outcome:
        found = _every() if full else _sampled()
        with_floor = sum(s.diameter > 1.5 * s.p + 2 * (s.n // (s.p << s.p)) - 2 for s in found)
        return judge(
            {"sizes that break it": 0},
            {"sizes that break it": sum(s.too_far for s in found)},
            assumption=f"{which}, K = ceil(n/N) (errata of Truong 2016, 2); K = floor(n/N) breaks it at"
            f" {with_floor:,} of {len(found):,}"
            " sizes, such as 1120 (11 > 10.5)",
        )

    @claim(
        f"truong-2016/section-3.3/one-hop{part}",
        "DSN-F: adding a switch adds at most 1 hop to the diameter",
        "1",
        "topoloom hops dsn-f:n=897",
        full=full,
    )
    def one_hop() -> Outcome:
        found = _every() if full else _each(range(24, 897))
        more = max(b.diameter - a.diameter for a, b in pairwise(found))
        layers = {
            p: measured(f"dsn-f:n={2 * p << p}").diameter - measured(f"dsn-f:n={p << p}").diameter for p in range(3, 10)
        }
        return judge(
            {"hops": 1},
            {"hops": more},
            assumption=f"one switch, from each n to n + 1, {found[0].n} to {found[-1].n:,}; the whole second layer adds"
            f" {', '.join(f'{more:g}' for more in sorted(set(layers.values())))} (p = 3 .. 9), as many as Theorem 1b allows",
        )


_theorem_1_claims(full=False)
_theorem_1_claims(full=True)


@claim(
    "truong-2016/section-3.3/no-rewiring",
    "DSN-F: adding switches to a layer unplugs no cable",
    "0",
    "topoloom hops dsn-f:n=903",
)
def _no_rewiring() -> Outcome:
    """Links of n switches that n + 1, or n + p, do not have, as long as p stays."""
    gone = {"one switch": 0, "a group of p": 0}
    for n in range(24, 896):
        p = dsn_f_levels(n)
        for what, more in (("one switch", 1), ("a group of p", p)):
            if dsn_f_levels(n + more) == p and n % more == 0:
                gone[what] = max(gone[what], len(_links(n) - _links(n + more)))
    return judge(
        {"a group of p": 0},
        gone,
        assumption="whole groups of p are added; switch by switch, the cable that closes the group's ring moves on, where rings"
        " are closed from three switches (Truong 2016 does not say; errata of Truong 2016, 10); 24 to 896 switches",
    )


@lru_cache(maxsize=16)
def _links(n: int) -> frozenset[tuple[int, int]]:
    return frozenset((u, v) for u, v in build(f"dsn-f:n={n}").links.tolist())


@claim(
    "truong-2016/section-1/one-cabinet",
    "new switches are cabled to a single existing cabinet (DSN-F, 896 to 1,792)",
    "1",
    "topoloom info dsn-f:n=1792",
)
def _one_cabinet() -> Outcome:
    topology = build("dsn-f:n=1792")
    group, layer = topology.labels["group"], topology.labels["layer"]
    u, v = topology.links.T
    new = (layer[u] > 0) | (layer[v] > 0)
    others = int((group[u[new]] != group[v[new]]).sum())
    return judge(
        {"cables to other supernodes": 0},
        {"cables to other supernodes": others},
        assumption="as long as p stays and a cabinet holds a supernode's switches of layer 0; the split p -> p + 1 moves many"
        " cables (errata of Truong 2016, 9)",
    )


@claim(
    "truong-2016/theorem-1c",
    "DSN-F, one full layer: bisection N/p = 2^p",
    "2^p for p = 3 .. 10",
    "topoloom cuts dsn-f:n=896",
)
def _bisection() -> Outcome:
    found = {p: int(cuts(build(f"dsn-f:n={p << p}"), parts=2, seeds=16).links) for p in range(3, 11)}
    off = sum(value != 1 << p for p, value in found.items())
    return judge({"p with another cut": 0}, {"p with another cut": off}, reason=f"METIS's best: {found}")


@claim(
    "truong-2016/section-4.1/half",
    "the diameter of DSN-F is about a half of that of DSN",
    "0.5",
    "topoloom hops dsn-f:n=1024; topoloom hops dsn:n=1024",
)
def _half() -> Outcome:
    ratio = {n: measured(f"dsn-f:n={n}").diameter / measured(f"dsn:n={n}").diameter for n in SIZES}
    return judge(
        {"n = 1,024": 0.5},
        {"n = 1,024": ratio[1024]},
        right={"n = 1,024": 10 / 11},
        tolerance=0.05,
        digits=3,
        reason=f"from {min(ratio.values()):.2f} to {max(ratio.values()):.2f} for n = 32 .. 4,096 (errata of"
        f" Truong 2016, 15); the bounds"
        " differ by a half, not the diameters",
    )


@claim("truong-2016/section-4.1/levels", "p = log n + constant", "log n - p is constant", "topoloom info dsn-f:n=10240")
def _levels() -> Outcome:
    apart = {n: log2(n) - dsn_f_levels(n) for n in (24, 10_240)}
    return judge(
        {"growth from 24 to 10,240": 0},
        {"growth from 24 to 10,240": apart[10_240] - apart[24]},
        right={"growth from 24 to 10,240": log2(10 / 3)},
        tolerance=1e-9,
        digits=3,
        reason="at n = p 2^p, log n - p is log p, which grows (errata of Truong 2016, 15); the diameter is"
        " logarithmic all the same",
    )


@claim(
    "truong-2016/fig-3",
    "DSN-F from 1,024 on: +1 hop at 896 more switches; at 1,024 more slightly below 768 more",
    "diameter +1 at 1920, falls at 2048",
    "topoloom hops dsn-f:n=1920",
)
def _figure_3() -> Outcome:
    curves = figure_3()
    diameters = {int(more): value for more, value in curves.series[0].points}
    aspls = ", ".join(f"{value:.3f}" for _, value in curves.series[1].points)
    told = ", ".join(f"{value:g}" for value in diameters.values())
    return judge(
        {"step at 896": 1, "1024 minus 768": -1},
        {"step at 896": diameters[896] - diameters[768], "1024 minus 768": diameters[1024] - diameters[768]},
        figure=curves,
        assumption=f"new layers fill supernode by supernode (errata of Truong 2016, 6); diameters {told}; ASPL {aspls},"
        " which at 1024 more is above that at 768 more",
    )


@lru_cache(maxsize=1)
def figure_3() -> Curves:
    """Diameter and ASPL of 1,024 to 2,048 switches, every 128."""
    found = {more: measured(f"dsn-f:n={1024 + more}") for more in range(0, 1025, 128)}
    return Curves(
        "truong-2016-figure-3",
        "DSN-F grown from 1,024 switches",
        "switches added",
        "hops",
        (
            Series("diameter", tuple((float(more), float(h.diameter)) for more, h in found.items())),
            Series("ASPL", tuple((float(more), h.aspl) for more, h in found.items())),
        ),
    )
