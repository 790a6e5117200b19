"""Claims of Kim 2008 on paths and cost: the abstract, and what notes on the paper say of its routing. The paper itself was not
at hand; the notes are those of a Chinese introduction to the Dragonfly in a public repository (its text has "UGAL-LVC_H").
"""

from functools import cache

import numpy as np

from topoloom.cost.bill import price
from topoloom.cost.placed import place
from topoloom.routing.route import route
from topoloom.routing.verification.verify import verify_routing
from topoloom.topologies.spec import build
from topoloom_papers.long_runs import long_run
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, Step, check_statements, compare

#: The network of the paper's simulations: p = h = 4, a = 8, 33 groups, 1,056 hosts.
EXAMPLE = "dragonfly:a=8,h=4,p=4"


@cache
def _hop_kinds() -> tuple[int, int, int]:
    """The most hops, global and local hops of any path of the minimal tables."""
    routing = route(build(EXAMPLE), "dragonfly")
    topology = routing.topology
    n, group = topology.switches, topology.labels["group"]
    most = [0, 0, 0]
    for source in range(n):
        for goal in range(n):
            if source != goal:
                path = np.array(routing.path(source, goal))
                across = int((group[path[1:]] != group[path[:-1]]).sum())
                most = [max(a, b) for a, b in zip(most, (len(path) - 1, across, len(path) - 1 - across), strict=True)]
    return most[0], most[1], most[2]


@claim(
    "kim-2008/abstract/one-global",
    "each minimally routed packet traverses at most one global channel (all pairs of 264 routers, p = h = 4, a = 8)",
    "at most one (abstract)",
    f"topoloom route {EXAMPLE} --engine dragonfly",
)
def _one_global() -> Outcome:
    hops, across, inside = _hop_kinds()
    return check_statements(
        {"at most one global channel": across <= 1},
        f"at most {hops} hops, {across} of them global, {inside} local",
        wrong=True,
    )


@claim(
    "kim-2008/section-4/minimal-vcs",
    "minimal routing needs two virtual channels against deadlock",
    "2 (notes on the paper)",
    f"topoloom route {EXAMPLE} --engine dragonfly",
)
def _minimal_vcs() -> Outcome:
    topology = build(EXAMPLE)
    two = verify_routing(route(topology, "dragonfly"))
    one = verify_routing(route(topology, "minimal"))
    return check_statements(
        {
            "two are enough: no cycle in the verified dependencies": bool(two.deadlock_free)
            and two.virtual_channels_used == 2,
            "one is not: the shortest paths in one virtual channel have a cycle": not one.deadlock_free
            and one.virtual_channels_used == 1,
        },
        f"engine dragonfly, {two.virtual_channels_used} virtual channels: {_freedom(two.deadlock_free)}; shortest paths in"
        f" {one.virtual_channels_used}: {_freedom(one.deadlock_free)}",
        wrong=True,
    )


def _freedom(deadlock_free: bool | None) -> str:
    return "free of deadlock" if deadlock_free else "with a cycle"


@claim(
    "kim-2008/section-4/valiant-hops",
    "a path by a random intermediate group has at most two global and three local channels, five hops",
    "2, 3, 5 (notes on the paper)",
    f"topoloom route {EXAMPLE} --engine dragonfly",
)
def _valiant_hops() -> Outcome:
    hops, across, inside = _detours()
    return compare(
        {"hops": 5, "global": 2, "local": 3},
        {"hops": hops, "global": across, "local": inside},
        assumption="minimal to the first router that is reached in the intermediate group, and minimal on from there; from a"
        " group to all others through all others",
    )


@cache
def _detours() -> tuple[int, int, int]:
    """The most hops, global and local hops of paths from the routers of a group to all others by any third group."""
    routing = route(build(EXAMPLE), "dragonfly")
    group = routing.topology.labels["group"]
    members = [np.flatnonzero(group == number) for number in range(int(group.max()) + 1)]

    @cache
    def leg(source: int, goal: int) -> tuple[int, int]:
        """Hops of a minimal path, and how many of them are global."""
        path = np.array(routing.path(source, goal))
        return len(path) - 1, int((group[path[1:]] != group[path[:-1]]).sum())

    most = [0, 0, 0]
    for source in members[0].tolist():
        for between in range(1, len(members)):
            path = routing.path(source, int(members[between][0]))
            at = next(at for at, switch in enumerate(path) if group[switch] == between)
            for goal in (
                int(goal) for number in range(1, len(members)) if number != between for goal in members[number]
            ):
                hops, across = leg(path[at], goal)
                most = [max(a, b) for a, b in zip(most, (at + hops, 1 + across, at - 1 + hops - across), strict=True)]
    return most[0], most[1], most[2]


#: 16,384 hosts on routers of at most 64 ports: the three topologies that the abstract compares.
_PRICED = {
    "dragonfly": "dragonfly:a=32,h=16,p=16,g=32",
    "flattened butterfly": "flattened-butterfly:dims=16x16x4,hosts=16",
    "folded Clos": "fat-tree:k=64,hosts=16384",
}


def _per_host(name: str) -> float:
    """USD per host with the parts of Besta 2014, rack by rack on a near-square floor."""
    spec = _PRICED[name]
    return long_run(
        f"topoloom cost {spec} --map rows --parts slimfly-2014",
        float,
        lambda: round(price(place(build(spec), map="rows"), parts="slimfly-2014").cost_per_host_usd, 2),
    )


def _cheaper(other: str, published: int) -> None:
    @claim(
        f"kim-2008/abstract/cost-{other.rsplit(maxsplit=1)[-1].lower()}",
        f"at 16K nodes the Dragonfly reduces cost compared with a {other}",
        f"by {published} % (abstract: configurations of 16K nodes and more)",
        f"topoloom cost {_PRICED['dragonfly']} {_PRICED[other]} --map rows",
    )
    def compute() -> Outcome:
        ours, theirs = _per_host("dragonfly"), _per_host(other)
        note = (
            f"16,384 hosts, routers of at most 64 ports, electrical and optical cables by length with the prices of Besta 2014:"
            f" {ours:,.0f} against {theirs:,.0f} USD per host; the paper's prices of 2008 are not known to us"
        )
        return compare(
            {"saved [%]": published},
            {"saved [%]": 100 * (1 - ours / theirs)},
            step=Step(0.5, "half of the last digit"),
            digits=3,
            assumption=note,
            reason=note,
        )


_cheaper("flattened butterfly", 20)
_cheaper("folded Clos", 52)
