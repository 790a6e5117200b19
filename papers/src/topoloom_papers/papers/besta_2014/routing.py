"""Claims of Besta 2014 on routing, and on sizes other than those of Figure 6: IV.B to IV.D, V."""

import numpy as np

from topoloom.graph.distances import distance_matrix
from topoloom.routing.route import route
from topoloom.routing.verification.verify import verify_routing
from topoloom.topologies.spec import build
from topoloom_papers._load_curves import Contender, LoadPoint, swept
from topoloom_papers.long_runs import long_run
from topoloom_papers.papers.besta_2014.loads import SETUP_NOTE, SLIMFLY
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, check_statements, listed

#: Number of detours that UGAL draws; the best of them is compared with the shortest path.
_DETOURS = (1, 2, 3, 4, 6, 8, 10)
_LOADS = (0.3, 0.5, 0.7)


def _selections(engine: str, name: str) -> None:
    @claim(
        f"besta-2014/iv-c/{engine}",
        f"{name}: of 2 to 10 random paths to choose from, four give the lowest latency",
        "4",
        Contender("", SLIMFLY, engine, ("detours=4",)).command("uniform", " --loads 0.3,0.5,0.7"),
    )
    def compute() -> Outcome:
        curves = {
            count: swept(Contender("", SLIMFLY, engine, (f"detours={count}",)), "uniform", _LOADS) for count in _DETOURS
        }
        means = {count: sum(_cycles(point) for point in points) / len(points) for count, points in curves.items()}
        best = min(means[count] for count in _DETOURS if 2 <= count <= 10)
        return check_statements(
            {"four are within 1 % of the best of 2 to 10": means[4] <= 1.01 * best},
            f"mean latency over loads of {', '.join(f'{load:g}' for load in _LOADS)}, by paths:"
            f" {listed(((str(count), cycles) for count, cycles in means.items()), '{:.2f}')} cycles",
            f"random traffic; the paper names neither pattern nor load; {SETUP_NOTE}",
        )


_selections("ugal-g", "UGAL-G")
_selections("ugal-l", "UGAL-L")


def _cycles(point: LoadPoint) -> float:
    return point.latency_mean or 0.0


@claim("besta-2014/iv-b/hops", "paths by VAL have 2, 3 or 4 hops", "2, 3, 4", "topoloom hops slimfly:q=5")
def _detours() -> Outcome:
    distance = _distances("slimfly:q=5")
    n = len(distance)
    lengths = {
        int(distance[source, middle] + distance[middle, goal])
        for source in range(n)
        for goal in range(n)
        for middle in range(n)
        if source != goal and middle not in (source, goal)
    }
    return check_statements(
        {"2, 3 and 4 hops, and no others": lengths == {2, 3, 4}}, f"{sorted(lengths)} hops", "q = 5", wrong=True
    )


@claim(
    "besta-2014/iv-d/channels",
    "with one virtual channel per hop, MIN needs at most two, adaptive routing four, and neither deadlocks",
    "2, 4",
    "topoloom route slimfly:q=19 --engine hop-vcs",
)
def _channels() -> Outcome:
    verifications = [verify_routing(route(build(f"slimfly:q={q}"), "hop-vcs")) for q in (5, 9, 19)]
    diameters = [int(_distances(f"slimfly:q={q}").max()) for q in (5, 9, 19)]
    return check_statements(
        {
            "MIN needs two": {report.virtual_channels_used for report in verifications} == {2},
            "MIN is free of deadlock": all(report.deadlock_free for report in verifications),
            # Hop k takes channel k, so the channel numbers rise along every path and no cycle is possible.
            "the longest detour has four hops": {2 * diameter for diameter in diameters} == {4},
        },
        f"MIN {', '.join(str(report.virtual_channels_used) for report in verifications)};"
        f" detours {', '.join(str(2 * diameter) for diameter in diameters)} hops",
        "q = 5, 9 and 19; all tables are verified; detours take one channel per hop, in ascending order; the simulations use"
        " three channels for MIN and four for detours, section V has three for all",
        wrong=True,
    )


def _distances(spec: str) -> np.ndarray:
    """Hops between all pairs of switches, int[n, n]."""
    return distance_matrix(build(spec))


@claim(
    "besta-2014/iv-d/slimfly-lanes",
    "DFSSSP needs three virtual channels for all Slim Flies",
    "3",
    "topoloom route slimfly:q=19 --engine dfsssp",
)
def _slimfly_vcs() -> Outcome:
    used = {q: _virtual_channels(f"slimfly:q={q}") for q in (5, 7, 8, 9, 11, 13, 16, 17, 19)}
    return check_statements(
        {f"q = {q} needs three": virtual_channels == 3 for q, virtual_channels in used.items()},
        listed(((f"q = {q}", float(virtual_channels)) for q, virtual_channels in used.items()), "{:.0f}"),
        "our DFSSSP, which breaks cycles at their weakest turn and fills virtual channels in order, seed 1",
    )


@claim(
    "besta-2014/iv-d/random-lanes",
    "DFSSSP needs 8 to 15 virtual channels for DLN of 338 and 1,682 endpoints",
    "8, 15",
    "topoloom route dln:n=338,x=2,random=17 --engine dfsssp",
)
def _random_vcs() -> Outcome:
    used = {spec: _virtual_channels(spec) for spec in ("dln:n=338,x=2,random=17", "dln:n=1682,x=2,random=41")}
    few, many = used.values()
    return check_statements(
        {"338 need about 8": 7 <= few <= 9, "1,682 need about 15": 14 <= many <= 16},
        listed(((spec, float(virtual_channels)) for spec, virtual_channels in used.items()), "{:.0f}"),
        "338 and 1,682 are read as routers, because they are 2 q^2 for q = 13 and 29, with the degree of the Slim Fly of that"
        " size; about: one more or less",
    )


def _virtual_channels(spec: str) -> int:
    def compute() -> int:
        virtual_channels = route(build(spec), "dfsssp").virtual_channels
        return 1 if virtual_channels is None else int(virtual_channels.max()) + 1

    return long_run(f"topoloom route {spec} --engine dfsssp --seed 1", int, compute)


#: Networks of about 1,000, 2,000 and 5,000 hosts, and those of figure 6.
_SIZES = {
    "SF-UGAL-L": ("ugal-l", ("slimfly:q=9,hosts=7", "slimfly:q=11,hosts=9", "slimfly:q=16,hosts=12", SLIMFLY)),
    "DF-UGAL-L": ("ugal-l", ("dragonfly:h=4", "dragonfly:h=5", "dragonfly:h=6", "dragonfly:h=7")),
    "FT-ANCA": ("anca", ("kary-tree:k=10,n=3", "kary-tree:k=13,n=3", "kary-tree:k=17,n=3", "kary-tree:k=22,n=3")),
}


@claim(
    "besta-2014/v/sizes",
    "networks of N about 1K, 2K and 5K: latency varies by at most 10 % compared with 10K",
    "10 %",
    Contender("", "slimfly:q=9,hosts=7", "ugal-l").command("uniform", " --loads 0.3,0.5,0.7"),
)
def _other_sizes() -> Outcome:
    off: dict[str, float] = {}
    for name, (engine, specs) in _SIZES.items():
        *smaller, largest = (
            [_cycles(p) for p in swept(Contender(name, spec, engine), "uniform", _LOADS)] for spec in specs
        )
        shares = [
            abs(latency / reference - 1)
            for cycles in smaller
            for latency, reference in zip(cycles, largest, strict=True)
            if reference and latency
        ]
        off[name] = 100 * max(shares)
    return check_statements(
        {f"{name} varies by 10 % or less": value <= 10 for name, value in off.items()},
        f"maximum, in %: {listed(off.items(), '{:.1f}')}",
        f"random traffic at loads of {', '.join(f'{load:g}' for load in _LOADS)}; {SETUP_NOTE}",
    )


@claim(
    "besta-2014/iv-b",
    "Valiant's paths limited to 3 hops have a higher average latency, because fewer paths can be chosen",
    "higher",
    Contender("", SLIMFLY, "valiant-3").command("uniform", " --loads 0.1,0.2,0.3,0.4"),
)
def _three_hops() -> Outcome:
    loads = (0.1, 0.2, 0.3, 0.4)
    curves = {
        pattern: {engine: swept(Contender("", SLIMFLY, engine), pattern, loads) for engine in ("valiant", "valiant-3")}
        for pattern in ("uniform", "worst-case")
    }
    latencies = "; ".join(
        f"{pattern}, {'3 hops' if engine == 'valiant-3' else 'any'}: "
        + ", ".join("saturated" if point.saturated else f"{_cycles(point):.1f}" for point in points)
        for pattern, each in curves.items()
        for engine, points in each.items()
    )
    return check_statements(
        {
            f"{pattern}, load {load:g}: it is higher, or saturated": short.saturated or _cycles(short) > _cycles(whole)
            for pattern, each in curves.items()
            for load, whole, short in zip(loads, each["valiant"], each["valiant-3"], strict=True)
            if not whole.saturated
        },
        f"cycles at loads of {', '.join(f'{load:g}' for load in loads)}: {latencies}",
        f"the paper names neither pattern nor load; {SETUP_NOTE}",
    )
