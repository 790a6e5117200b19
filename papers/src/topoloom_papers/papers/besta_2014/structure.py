"""Claims of Besta 2014 on the structure of Slim Fly: Section II."""

import math
from contextlib import suppress

from topoloom.core.errors import InputError
from topoloom.graph.load import full_bandwidth_hosts
from topoloom.graph.moore import moore_order
from topoloom.graph.spectrum import spectrum
from topoloom.topologies.spec import FAMILIES, Facts, build
from topoloom_papers._helpers import measured
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, check_statements, compare, listed


def slim_flies(most: int) -> dict[int, Facts]:
    """The facts of every Slim Fly with q up to `most`."""
    flies = {}
    for q in range(3, most + 1):
        with suppress(InputError):
            flies[q] = FAMILIES.find("slimfly").known({"q": q})
    return flies


@claim(
    "besta-2014/ii-b/mms",
    "MMS graphs: 2 q^2 switches, degree (3q - delta)/2, diameter 2, every prime power q = 4w + delta",
    "holds",
    "topoloom info slimfly:q=19",
)
def _mms() -> Outcome:
    wrong = 0
    flies = slim_flies(37)
    for q in flies:
        topology, delta = build(f"slimfly:q={q}"), {0: 0, 1: 1, 3: -1}[q % 4]
        regular = set(topology.degrees.tolist()) == {(3 * q - delta) // 2}
        wrong += not (topology.switches == 2 * q * q and regular and measured(f"slimfly:q={q}").diameter == 2)
    return check_statements(
        {"each of the 18 fields up to 37 gives such a graph": not wrong and len(flies) == 18},
        f"fields {len(flies)}, of which {wrong} fail",
        wrong=True,
    )


@claim(
    "besta-2014/ii-b/hoffman-singleton",
    "q = 5 is the Hoffman-Singleton graph: 50 vertices of radix 7, 175 edges, generator sets {1, 4} and {2, 3}",
    "50, 7, 175; {1, 4}, {2, 3}",
    "topoloom info slimfly:q=5",
)
def _hoffman_singleton() -> Outcome:
    topology = build("slimfly:q=5")
    links = {(int(a), int(b)) for a, b in topology.links}
    # Switch (0, 0, y) has number y, switch (1, 0, c) number 25 + c; in a group, neighbours differ by the generators.
    sets = [sorted(y for y in range(1, 5) if (first, first + y) in links) for first in (0, 25)]
    ours = f"{topology.switches} vertices, {len(topology.links)} edges, generators {sets[0]} and {sets[1]}"
    return check_statements(
        {
            "50 vertices": topology.switches == 50,
            "all of radix 7": set(topology.degrees.tolist()) == {7},
            "175 edges": len(topology.links) == 175,
            "generators {1, 4} and {2, 3}": sets == [[1, 4], [2, 3]],
            "the diameter is 2": measured("slimfly:q=5").diameter == 2,
        },
        ours,
        wrong=True,
    )


@claim(
    "besta-2014/ii-c/orders",
    "BDF: k' = 3(u + 1)/2 and N_r = 8/27 k'^3 - 4/9 k'^2 + 2/3 k'; Delorme: k' = (v + 1)^2 and N_r = (v + 1)^2 (v^2 + 1)^2",
    "holds",
    "topoloom info bdf:u=5; topoloom info delorme:v=3",
)
def _orders() -> Outcome:
    bdf = {u: build(f"bdf:u={u}") for u in (3, 5, 7, 9, 11, 13)}
    delorme = {v: build(f"delorme:v={v}") for v in (2, 3, 4)}
    right = {u: round(8 / 27 * k**3 - 4 / 9 * k**2 + 2 / 3 * k) for u in bdf for k in [1.5 * (u + 1)]}
    return check_statements(
        {
            "BDF's radix": all(int(graph.degrees.max()) == 3 * (u + 1) // 2 for u, graph in bdf.items()),
            "BDF's order": all(graph.switches == right[u] for u, graph in bdf.items()),
            "Delorme's radix": all(int(graph.degrees.max()) == (v + 1) ** 2 for v, graph in delorme.items()),
            "Delorme's order": all(graph.switches == ((v + 1) * (v * v + 1)) ** 2 for v, graph in delorme.items()),
        },
        f"BDF {listed(((f'u = {u}', float(graph.switches)) for u, graph in bdf.items()), '{:.0f}')}; Delorme"
        f" {listed(((f'v = {v}', float(graph.switches)) for v, graph in delorme.items()), '{:.0f}')} switches",
        "radix: the greatest degree, as some switches of both graphs have fewer links; u is an odd prime power (errata of"
        " Besta 2014, 15 and 16)",
        wrong=True,
    )


@claim(
    "besta-2014/ii-b/concentration",
    "balanced concentration p = k' N_r / (2 N_r - k' - 2), about ceil(k'/2): q = 19 has p = 15",
    "15",
    "topoloom info slimfly:q=19",
)
def _concentration() -> Outcome:
    exact = full_bandwidth_hosts(build("slimfly:q=19"))
    return compare(
        {"p": 15},
        {"p": build("slimfly:q=19,hosts=full").endpoints_at.max()},
        assumption=f"15 is ceil(k'/2); the formula gives {exact:.3f}",
    )


@claim(
    "besta-2014/ii-b/ports",
    "about 67 % of each router's ports connect to the network, 33 % to endpoints",
    "67, 33 %",
    "topoloom info slimfly:q=19,hosts=15",
)
def _ports() -> Outcome:
    flies = slim_flies(256)
    shares = {
        q: 100 * (flies[q].degree or 0) / ((flies[q].degree or 0) + (flies[q].full_hosts or 0)) for q in (19, 256)
    }
    return compare(
        {"network %": "67", "endpoints %": "33"},
        {"network %": shares[256], "endpoints %": 100 - shares[256]},
        readings=2,
        digits=4,
        assumption="p = ceil(k'/2), for q = 256, near the limit of two thirds; for the paper's q = 19 they are"
        f" {shares[19]:.1f} and {100 - shares[19]:.1f}",
    )


@claim(
    "besta-2014/ii-a/sizes",
    "with diameter 2 over 100K endpoints with 64 or 108 ports, nearly 200,000 with 108; tens of millions with diameter 3",
    "100,000; 200,000; tens of millions",
    "topoloom families slimfly --hosts 200000 --radix 108",
)
def _largest() -> Outcome:
    def most(ports: int) -> tuple[int, int]:
        """Hosts and q of the largest balanced Slim Fly."""
        sizes = {}
        for q, facts in slim_flies(127).items():
            degree = int(facts.degree or 0)
            if degree + -(-degree // 2) <= ports:
                sizes[facts.switches * -(-degree // 2)] = q
        largest = max(sizes)
        return largest, sizes[largest]

    hosts = {ports: most(ports) for ports in (64, 108)}
    # At most 2/3 of the 108 ports lead to routers: the Moore bound of that degree, with hosts on all remaining ports.
    bound = {diameter: moore_order(72, diameter) * 36 for diameter in (2, 3)}
    return check_statements(
        {
            "over 100,000 hosts with 108 ports": hosts[108][0] > 100_000,
            "over 100,000 hosts with 64 ports": hosts[64][0] > 100_000,
            "nearly 200,000 hosts with 108 ports": 180_000 <= hosts[108][0] <= 200_000,
            "tens of millions with diameter 3": bound[3] >= 10_000_000,
        },
        f"largest balanced Slim Fly: {'; '.join(f'{ports} ports {n:,} hosts (q = {q})' for ports, (n, q) in hosts.items())};"
        f" Moore's bound with 72 links and 36 hosts per router: {bound[2]:,} with diameter 2, {bound[3]:,} with diameter 3",
        "p = ceil(k'/2); 'an example network with 108-port routers would have nearly 200,000 endpoints' is the size of the"
        " bound: MMS graphs reach 8/9 of it",
        wrong=True,
    )


@claim(
    "besta-2014/conclusion/expander",
    "the structure of the graph has the properties of an expander graph",
    "expander",
    "topoloom expander slimfly:q=19",
)
def _expander() -> Outcome:
    specs = {
        "SF": "slimfly:q=19",
        "DF": "dragonfly:h=7",
        "T3D": "torus:dims=22x22x22",
        "FBF-3": "flattened-butterfly:dims=10x10x10",
    }
    ends = {name: spectrum(build(spec)) for name, spec in specs.items()}
    bound = {q: 2 * math.sqrt(int(facts.degree or 0) - 1) for q, facts in slim_flies(19).items() if q >= 5}
    second = {q: spectrum(build(f"slimfly:q={q}")).second for q in bound}
    gap = {name: 1 - each.second / each.largest for name, each in ends.items()}
    return check_statements(
        {f"q = {q}: the second eigenvalue is at most 2 sqrt(k' - 1)": value <= bound[q] for q, value in second.items()}
        | {"the gap is wider than that of the others": gap["SF"] > max(value for n, value in gap.items() if n != "SF")},
        f"1 - second / largest eigenvalue: {listed(gap.items())}",
        "an expander: the second eigenvalue within 2 sqrt(k' - 1), as Ramanujan graphs and random ones",
        details="second eigenvalue and bound by q: "
        + "; ".join(f"{q}: {second[q]:.2f}, {bound[q]:.2f}" for q in bound),
    )
