"""Claims of Namyar 2021: the abstract, and the networks of 32-port switches in the authors' artefact, github.com/USC-NSL/TUB,
whose file names state their servers. The paper itself was not at hand; the three limits are quoted from memory.
"""

from dataclasses import dataclass

from topoloom.graph.cuts import cuts
from topoloom.graph.moore import moore_aspl
from topoloom.throughput.tub import tub
from topoloom.topologies.spec import build
from topoloom_papers._helpers import known
from topoloom_papers.long_runs import long_run
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, check_statements, compare

_PORTS = 32


def _bound(spec: str) -> float:
    """The throughput upper bound of a network."""
    return long_run(f"topoloom quality {spec}", float, lambda: round(tub(build(spec)).value, 6))


def _jellyfish(servers: int, each: int) -> str:
    return f"jellyfish:n={servers // each},degree={_PORTS - each},hosts={each}"


def _xpander(servers: int, each: int) -> str:
    degree = _PORTS - each
    return f"xpander:degree={degree},lifts={servers // each // (degree + 1)},hosts={each}"


def _limit(each: int) -> int:
    """The most servers of any network with `each` servers per 32-port switch whose bound is at least 1.

    A worst permutation has at least the mean distance of all pairs, and no graph has less than Moore's: the bound is at most
    (R - H) / (H times Moore's mean distance).
    """
    degree = _PORTS - each
    least, most = degree + 1, 1 << 40
    while most - least > 1:
        middle = (least + most) // 2
        if degree / (each * moore_aspl(middle, degree)) >= 1:
            least = middle
        else:
            most = middle
    return each * least


def _limited(each: int, published: str, scale: float, unit: str) -> None:
    @claim(
        f"namyar-2021/limits/{each}-servers",
        f"32-port switches with {each} servers each: beyond this size no uni-regular topology has full throughput",
        f"{published}{unit} servers (quoted from memory; not checked against the print)",
        f"topoloom bounds --switches {_limit(each) // each} --degree {_PORTS - each}",
    )
    def compute() -> Outcome:
        servers = _limit(each)
        return compare(
            {f"servers [{unit}]": published},
            {f"servers [{unit}]": servers / scale},
            assumption=f"{servers:,} servers: the mean distance of a worst permutation is at least Moore's",
            reason="from Moore's bound on the mean distance",
        )


_limited(8, "111", 1e3, "K")
_limited(7, "256", 1e3, "K")
_limited(6, "3.97", 1e6, "M")


@claim(
    "namyar-2021/abstract/clos",
    "Clos topologies have full throughput at any size (the artefact's 8,192 and 32,768 servers)",
    "full (abstract: unlike expanders)",
    "topoloom quality fat-tree:k=32; topoloom quality pgft:m=16x16x16x8,w=1x16x16x16",
)
def _clos() -> Outcome:
    found = {"8,192": "fat-tree:k=32", "32,768": "pgft:m=16x16x16x8,w=1x16x16x16"}
    sizes = {name: build(spec).hosts for name, spec in found.items()}
    bounds = {name: _bound(spec) for name, spec in found.items()}
    return check_statements(
        {f"{name} servers: the bound is 1": abs(value - 1) < 1e-6 for name, value in bounds.items()}
        | {f"{name} servers": sizes[name] == int(name.replace(",", "")) for name in found},
        ", ".join(f"{name} servers: {value:.4f}" for name, value in bounds.items()),
        "three and four levels of 32-port switches",
        wrong=True,
    )


@claim(
    "namyar-2021/abstract/small",
    "even relatively small expander-based topologies fail to achieve full throughput (16,000 servers, 8 per 32-port switch)",
    "fail (abstract)",
    f"topoloom quality {_jellyfish(16_000, 8)}; topoloom quality {_xpander(16_000, 8)}",
)
def _small() -> Outcome:
    bounds = {"Jellyfish": _bound(_jellyfish(16_000, 8)), "Xpander": _bound(_xpander(16_000, 8))}
    return check_statements(
        {f"{name}: the bound is below 1": value < 1 for name, value in bounds.items()},
        ", ".join(f"{name} {value:.4f}" for name, value in bounds.items()),
        "relatively small: the second smallest size of the artefact",
    )


@claim(
    "namyar-2021/abstract/large",
    "beyond a certain size expander-based topologies have no full throughput (32,000 servers, 8 per 32-port switch)",
    "no full throughput (abstract; the artefact's example)",
    f"topoloom quality {_jellyfish(32_000, 8)}; topoloom quality {_xpander(32_000, 8)}",
)
def _large() -> Outcome:
    bounds = {"Jellyfish": _bound(_jellyfish(32_000, 8)), "Xpander": _bound(_xpander(32_000, 8))}
    return check_statements(
        {f"{name}: the bound is below 1": value < 1 for name, value in bounds.items()},
        ", ".join(f"{name} {value:.4f}" for name, value in bounds.items()),
    )


@claim(
    "namyar-2021/abstract/falls",
    "with the servers per switch the size at which Jellyfish loses full throughput falls (16,000 and 32,000 servers; 6, 7 and 8"
    " per switch)",
    "falls (the artefact's range of sizes)",
    f"topoloom quality {_jellyfish(32_000, 7)}; topoloom quality {_jellyfish(32_000, 6)}",
)
def _falls() -> Outcome:
    bounds = {(servers, each): _bound(_jellyfish(servers, each)) for servers in (16_000, 32_000) for each in (6, 7, 8)}
    return check_statements(
        {
            f"{servers:,} servers: the bound falls with the servers per switch": bounds[servers, 6]
            > bounds[servers, 7]
            > bounds[servers, 8]
            for servers in (16_000, 32_000)
        }
        | {
            f"{each} per switch: no higher at 32,000 servers": bounds[32_000, each] <= bounds[16_000, each] + 1e-9
            for each in (6, 7, 8)
        },
        "; ".join(f"{servers:,} servers, {each} each: {value:.3f}" for (servers, each), value in bounds.items()),
    )


@dataclass(frozen=True)
class _Cut:
    """Links of the narrowest halves found, and hosts."""

    links: int
    hosts: int


@claim(
    "namyar-2021/abstract/bisection",
    "no full throughput although the bisection bandwidth is full (Jellyfish, 32,000 servers, 7 per 32-port switch)",
    "even if it has full bisection bandwidth (abstract)",
    f"topoloom cuts {_jellyfish(32_000, 7)}; topoloom quality {_jellyfish(32_000, 7)}",
)
def _bisection() -> Outcome:
    spec = _jellyfish(32_000, 7)

    def halves() -> _Cut:
        topology = build(spec)
        return _Cut(int(cuts(topology, 2).links), topology.hosts)

    cut, bound = long_run(f"topoloom cuts {spec}", _Cut, halves), _bound(spec)
    return check_statements(
        {
            "the bisection found has a link for every host of a half": cut.links >= cut.hosts / 2,
            "the throughput bound is below 1": bound < 1,
        },
        f"bisection {cut.links:,} links for {cut.hosts // 2:,} hosts, throughput bound {bound:.4f}",
        "the narrowest of the halves that METIS finds",
    )


#: Servers of the artefact's Xpanders, by servers per switch.
_XPANDERS = {
    6: (8_100, 16_038, 32_076, 64_152, 128_142),
    7: (8_008, 16_016, 32_032, 64_064, 128_128),
    8: (8_000, 16_000, 32_000, 64_000, 128_000),
}


@claim(
    "namyar-2021/artefact/xpanders",
    "the artefact's 15 Xpanders of 32-port switches: each size is that of a lifted full mesh",
    "15 sizes from 8,000 to 128,142 servers (names of files)",
    "topoloom reproduce namyar-2021/artefact/xpanders",
)
def _xpanders() -> Outcome:
    off = []
    for each, sizes in _XPANDERS.items():
        for servers in sizes:
            facts = known(_xpander(servers, each))
            if facts is None or facts.switches * each != servers or (facts.degree or 0) + each != _PORTS:
                off.append(f"{servers:,}")
    count = sum(map(len, _XPANDERS.values()))
    return check_statements(
        {"each is switches times servers per switch of a lift": not off},
        f"{count - len(off)} of {count} sizes{': not ' + ', '.join(off) if off else ''}",
        wrong=True,
    )
