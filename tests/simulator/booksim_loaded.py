"""Loaded configurations of BookSim 2 for both simulators: 40 by hand, others drawn at random, and the rule of judging.

It names networks and options of BookSim, and has none of BookSim's text. tests/simulator/test_booksim_loaded.py and
benchmarks/booksim_agreement.py use it.
"""

import math
import random
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.stats import t as student

from topoloom.routing.route import route
from topoloom.routing.routing import Routing, empty_ports
from topoloom.simulation.flits.router_config import RouterConfig
from topoloom.simulation.flits.simulate import simulate
from topoloom.topologies.spec import build

#: Shares of the load of saturation at which both are run, and the seeds of each.
SHARES, SEEDS = (0.4, 0.75), (1, 2, 3, 4)
#: The most cases outside of forty, and the seed and number of those drawn at random.
MOST_OUTSIDE, DRAW_SEED, DRAWN = 2, 47, 30
#: Options of every run of BookSim, though some are its defaults. Delays of routing and of the crossbar are at most one cycle,
#: since BookSim's router takes one batch at a time through a longer stage.
BASE: dict[str, Any] = {
    "use_noc_latency": 0,
    "injection_rate_uses_flits": 1,
    "vc_alloc_delay": 1,
    "sw_alloc_delay": 1,
    "st_prepare_delay": 0,
    "st_final_delay": 1,
}
#: Packets of 1 and 5 flits, 3 to 2; and of 1 and 9 flits, 4 to 1.
_MIXED = {"packet_size": "{{1,5}}", "packet_size_rate": "{{3,2}}"}
_WIDE = {"packet_size": "{{1,9}}", "packet_size_rate": "{{4,1}}"}
_MIXES = {"{{1,5}}": "1:0.6,5:0.4", "{{1,9}}": "1:0.8,9:0.2"}


@dataclass(frozen=True)
class Network:
    """A network of both: the spec and engine here, the options there, and the traffics whose hosts have the same numbers."""

    spec: str
    engine: str | None  # None: the tables of BookSim's `anynet`
    options: dict[str, Any]
    traffics: tuple[str, ...] = ("uniform",)
    vcs: tuple[int, ...] = (1, 2, 3, 4, 8)

    @property
    def rings(self) -> bool:
        """Whether packets without virtual channels of the routing can wait for each other forever."""
        return self.engine is None and not self.spec.startswith("pgft")


_ANYNET = {"topology": "anynet", "routing_function": "min"}
NETWORKS = {
    "mesh": Network(
        "mesh:dims=8x8,hosts=1",
        "dor",
        {"topology": "mesh", "k": 8, "n": 2, "routing_function": "dim_order"},
        ("uniform", "transpose", "bitcomp", "bitrev", "shuffle", "tornado"),
    ),
    "mesh3d": Network(
        "mesh:dims=4x4x4,hosts=1",
        "dor",
        {"topology": "mesh", "k": 4, "n": 3, "routing_function": "dim_order"},
        ("uniform", "bitcomp", "bitrev"),
    ),
    "torus": Network(
        "torus:dims=8x8,hosts=1",
        "dor-random",
        {"topology": "torus", "k": 8, "n": 2, "routing_function": "dim_order"},
        ("uniform", "transpose", "tornado"),
        (2, 4, 8),
    ),
    "flatfly": Network(
        "flattened-butterfly:dims=4x4,hosts=4",
        "dor",
        {"topology": "flatfly", "k": 4, "n": 2, "c": 4, "routing_function": "ran_min"}
        | {"x": 4, "y": 4, "xr": 2, "yr": 2},
        ("uniform", "bitcomp"),
    ),
    "fattree": Network(
        "kary-tree:k=4,n=3",
        "nca",
        {"topology": "fattree", "k": 4, "n": 3, "routing_function": "nca"},
        ("uniform", "bitcomp"),
    ),
    "slimfly": Network("slimfly:q=5,hosts=2", None, _ANYNET, vcs=(2, 3, 4)),
    "jellyfish": Network("jellyfish:n=20,degree=4,hosts=3", None, _ANYNET, vcs=(2, 3, 4)),
    "tree": Network("pgft:m=4x4x2,w=1x1x1", None, _ANYNET, vcs=(1, 2, 3, 4)),
}
#: Names of patterns that differ.
_TRAFFICS = {"bitcomp": "bit-complement", "bitrev": "bit-reversal"}


@dataclass(frozen=True)
class Case:
    """A network, a traffic, and the options of BookSim's router and packets that differ from its defaults."""

    network: str
    traffic: str
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Network, traffic and options as text, unique among the cases."""
        return " ".join([self.network, self.traffic, *(f"{key}={value}" for key, value in self.options.items())])

    @property
    def booksim(self) -> dict[str, Any]:
        """The options of BookSim's run, all that differ from its defaults but for load, seed and length."""
        return BASE | NETWORKS[self.network].options | {"traffic": self.traffic} | self.options


def _both(allocator: str, **options: Any) -> dict[str, Any]:
    return {"vc_allocator": allocator, "sw_allocator": allocator} | options


_SIMPLE = _both("separable_input_first")


def _case(network: str, traffic: str = "uniform", /, **options: Any) -> Case:
    """A case with four VCs of eight flits and separable allocators, input first, unless its options say otherwise."""
    return Case(network, traffic, {"num_vcs": 4, "vc_buf_size": 8} | _SIMPLE | options)


#: The cases by hand: delays, packets, buffers, allocators, speedups and the wait for the credit of a tail.
BY_HAND = (
    _case("mesh", routing_delay=1, credit_delay=1),
    _case("mesh", routing_delay=1, credit_delay=2, internal_speedup=2.0),
    _case("mesh", "transpose", routing_delay=1),
    _case("torus", routing_delay=1, credit_delay=4),
    _case("flatfly", routing_delay=1, credit_delay=1, internal_speedup=2.0, num_vcs=2),
    _case("fattree", routing_delay=1, credit_delay=2),
    _case("slimfly", routing_delay=1, credit_delay=1),
    _case("jellyfish", routing_delay=1, credit_delay=2, internal_speedup=2.0),
    _case("tree", routing_delay=1, credit_delay=1),
    _case("mesh3d", routing_delay=0, credit_delay=0),
    # Packets
    _case("mesh", routing_delay=0, packet_size=8, vc_buf_size=4),
    _case("mesh", routing_delay=1, packet_size=20, num_vcs=2, internal_speedup=2.0),
    _case("torus", routing_delay=0, packet_size=8, vc_buf_size=4),
    _case("flatfly", routing_delay=0, packet_size=4, vc_buf_size=2, credit_delay=1),
    _case("fattree", routing_delay=1, packet_size=8, vc_buf_size=4),
    _case("tree", routing_delay=0, packet_size=16, num_vcs=3),
    _case("mesh", routing_delay=0, **_MIXED),
    _case("slimfly", routing_delay=0, credit_delay=1, **_MIXED),
    _case("torus", routing_delay=1, vc_buf_size=16, **_WIDE),
    _case("jellyfish", routing_delay=0, packet_size=5, internal_speedup=2.0),
    # Buffers
    _case("mesh", routing_delay=0, num_vcs=8, vc_buf_size=2),
    _case("torus", routing_delay=0, vc_buf_size=2, internal_speedup=2.0, credit_delay=2),
    _case("fattree", routing_delay=0, num_vcs=1, vc_buf_size=32),
    _case("mesh3d", routing_delay=0, output_buffer_size=4, internal_speedup=2.0),
    _case("flatfly", routing_delay=1, output_buffer_size=2, internal_speedup=2.0, packet_size=4),
    _case("mesh", "bitcomp", routing_delay=0, num_vcs=1, vc_buf_size=16),
    # Allocators
    _case("mesh", routing_delay=0, **_both("separable_output_first")),
    _case("torus", routing_delay=0, **_both("islip")),
    _case("flatfly", routing_delay=1, num_vcs=2, **_both("wavefront")),
    _case("fattree", routing_delay=0, **_both("max_size")),
    _case("mesh", "transpose", routing_delay=0, **_both("separable_input_first(matrix)")),
    _case("slimfly", routing_delay=1, vc_allocator="islip", sw_allocator="wavefront"),
    _case("mesh3d", routing_delay=0, packet_size=4, **_both("separable_output_first(matrix)")),
    _case("jellyfish", routing_delay=0, internal_speedup=2.0, vc_allocator="islip(2)", sw_allocator="max_size"),
    # Speedups
    _case(
        "mesh",
        "transpose",
        routing_delay=0,
        credit_delay=2,
        input_speedup=2,
        num_vcs=8,
        wait_for_tail_credit=1,
        **_both("islip"),
    ),
    _case("torus", routing_delay=0, output_speedup=2),
    _case("flatfly", routing_delay=0, input_speedup=2, output_speedup=2, packet_size=2),
    # The wait for the credit of a tail
    _case("mesh", routing_delay=0, wait_for_tail_credit=1, packet_size=4, num_vcs=2),
    _case("torus", routing_delay=0, wait_for_tail_credit=1, num_vcs=8, vc_buf_size=4),
    _case("fattree", "bitcomp", routing_delay=1, wait_for_tail_credit=1, **_MIXED),
)


def drawn(count: int = DRAWN, seed: int = DRAW_SEED) -> list[Case]:
    """Return configurations drawn at random from the space of those by hand; none of them is one of those."""
    draws, cases = random.Random(seed), list[Case]()
    known = {case.name for case in BY_HAND}
    while len(cases) < count:
        network = draws.choice(list(NETWORKS))
        traffic = draws.choice(NETWORKS[network].traffics)
        options: dict[str, Any] = {
            "num_vcs": draws.choice(NETWORKS[network].vcs),
            "vc_buf_size": draws.choice((2, 4, 8, 16, 32)),
            "routing_delay": draws.choice((0, 1)),
            "credit_delay": draws.choice((0, 1, 2, 4)),
            "internal_speedup": draws.choice((1.0, 2.0)),
        }
        options |= draws.choice(
            ({"packet_size": 1}, {"packet_size": 2}, {"packet_size": 4}, {"packet_size": 8}, _MIXED)
        )
        allocators = ("separable_input_first", "separable_output_first", "islip", "wavefront", "max_size")
        for key in ("vc_allocator", "sw_allocator"):
            allocator = draws.choice(allocators)
            matrix = allocator.startswith("separable") and draws.random() < 0.3
            options[key] = f"{allocator}(matrix)" if matrix else allocator
        if draws.random() < 0.25:
            options["wait_for_tail_credit"] = 1
        if options["internal_speedup"] == 2.0 and draws.random() < 0.3:
            options["output_buffer_size"] = draws.choice((2, 4, 8))
        if options["internal_speedup"] == 1.0 and draws.random() < 0.3:
            options |= {"input_speedup": draws.choice((1, 2)), "output_speedup": draws.choice((1, 2))}
        case = Case(network, traffic, options)
        # Long packets in short buffers of networks with rings end in deadlock in both.
        longest = 5 if isinstance(options["packet_size"], str) else options["packet_size"]
        if case.name not in known and not (NETWORKS[network].rings and options["vc_buf_size"] < max(4, longest)):
            known.add(case.name)
            cases.append(case)
    return cases


def router_of(case: Case) -> RouterConfig:
    """Return our router for the options of a case."""
    options = case.booksim
    vcs, size = options["num_vcs"], options.get("packet_size", 1)
    allocators, rounds, arbiters = zip(
        *(_allocator(options[key]) for key in ("vc_allocator", "sw_allocator")), strict=True
    )
    return RouterConfig(
        to_itself=True,
        vcs=vcs,
        buffer_flits=vcs * options["vc_buf_size"],
        output_flits=max(0, options.get("output_buffer_size", -1)),
        speedup=int(options.get("internal_speedup", 1)),
        input_speedup=options.get("input_speedup", 1),
        output_speedup=options.get("output_speedup", 1),
        credit_cycles=options.get("credit_delay", 0) + 1,
        credits_per_cycle=1,
        host_credits="per-vc",
        route_cycles=options.get("routing_delay", 1),
        crossbar_cycles=options["st_prepare_delay"] + options["st_final_delay"] - 1,
        vc_allocator=allocators[0],
        switch_allocator=allocators[1],
        allocator_rounds=max(rounds),
        vc_arbiter=arbiters[0],
        switch_arbiter=arbiters[1],
        vc_choice="any",
        wait_for_tail_credit=bool(options.get("wait_for_tail_credit", 0)),
        packet_flits=1 if isinstance(size, str) else size,
        packet_mix=_MIXES[size] if isinstance(size, str) else "",
    )


#: BookSim's names of allocators, and ours.
_ALLOCATORS = {
    "separable_input_first": "separable-input-first",
    "separable_output_first": "separable-output-first",
    "islip": "islip",
    "wavefront": "wavefront",
    "max_size": "maximum-size",
}


def _allocator(text: str) -> tuple[str, int, str]:
    """Return our name of an allocator, its rounds, and its arbiter, round robin where it has none: ``islip(2)``."""
    name, _, setting = text.rstrip(")").partition("(")
    arbiter = (setting or "round_robin").replace("_", "-") if name.startswith("separable") else "round-robin"
    return _ALLOCATORS[name], int(setting or 1) if name == "islip" else 1, arbiter


def tables_of(case: Case) -> Routing:
    """Return the tables of a case's network: those of its engine, or for `anynet` the paths by switches of low numbers."""
    network = NETWORKS[case.network]
    topology = build(network.spec)
    if network.engine is not None:
        return route(topology, network.engine)
    offsets, to, _ = topology.csr
    n, ports = topology.switches, empty_ports(topology)
    for start in range(n):
        # Breadth first; a switch is reached from the first of its neighbours by (distance, number).
        first, level = np.full(n, -1), [start]
        first[start] = start
        while level:
            reached: list[int] = []
            for switch in level:
                for next_one in to[offsets[switch] : offsets[switch + 1]].tolist():
                    if first[next_one] < 0:
                        first[next_one] = next_one if switch == start else first[switch]
                        reached.append(next_one)
            level = sorted(reached)
        own = to[offsets[start] : offsets[start + 1]].tolist()
        for goal in range(n):
            if goal != start:
                ports[goal, start] = own.index(int(first[goal]))
    return Routing(topology, "lowest-switches", ports, minimal=True)


def our_means(case: Case, load: float, seeds: tuple[int, ...] = SEEDS) -> list[float]:
    """Return our mean latency in cycles at a load, per seed."""
    routing, router = tables_of(case), router_of(case)
    traffic = _TRAFFICS.get(case.traffic, case.traffic)
    return [simulate(routing, traffic, router, loads=[load], seed=seed).points[0].latency_mean for seed in seeds]


@dataclass(frozen=True)
class Verdict:
    """Means of both at one load, and the half width of the 95 % interval of their difference."""

    ours: float
    theirs: float
    width: float

    @property
    def outside(self) -> bool:
        """Whether the means differ by more than twice the interval."""
        return not abs(self.ours - self.theirs) <= 2 * self.width


def verdict(ours: list[float], theirs: list[float]) -> Verdict:
    """Judge two samples of means by Welch's interval for the difference of two means."""
    shares = [float(np.var(means, ddof=1)) / len(means) for means in (ours, theirs)]
    total = sum(shares)
    if not total:
        return Verdict(float(np.mean(ours)), float(np.mean(theirs)), 0.0)
    freedom = total**2 / sum(share**2 / (len(means) - 1) for share, means in zip(shares, (ours, theirs), strict=True))
    return Verdict(float(np.mean(ours)), float(np.mean(theirs)), float(student.ppf(0.975, freedom)) * math.sqrt(total))
