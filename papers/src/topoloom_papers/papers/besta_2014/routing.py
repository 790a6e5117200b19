"""Claims of Besta 2014 on routing: IV.B to IV.D."""

from collections.abc import Callable
from functools import wraps

import numpy as np

from topoloom.graph.distances import distance_matrix
from topoloom.routing.route import route
from topoloom.routing.verification.verify import verify_routing
from topoloom.topologies.spec import build
from topoloom_papers._load_curves import Contender, LoadPoint, not_below, swept
from topoloom_papers.long_runs import LONG_RUNS, long_run
from topoloom_papers.opensm_lanes import Lanes, missing_tools, opensm_lanes
from topoloom_papers.papers.besta_2014.loads import SETUP_NOTE, SLIMFLY, TITLES, curves
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, Verdict, check_statements, listed

#: Number of detours that UGAL draws; the best of them is compared with the shortest path.
_DETOURS = (2, 4, 10)
#: Loads below the published saturation of all protocols but VAL.
_PATTERN_LOADS = {"uniform": (0.3, 0.5, 0.7)}


def _selections(engine: str, name: str) -> None:
    @claim(
        f"besta-2014/iv-c/{engine}",
        f"{name}: of 2 to 10 random paths to choose from, four give the lowest latency",
        "4",
        Contender("", SLIMFLY, engine, ("detours=4",)).command("uniform", " --loads 0.3,0.5,0.7"),
    )
    def compute() -> Outcome:
        means = {
            pattern: {
                count: sum(_cycles(point) for point in points) / len(points)
                for count in _DETOURS
                for points in [swept(Contender("", SLIMFLY, engine, (f"detours={count}",)), pattern, loads)]
            }
            for pattern, loads in _PATTERN_LOADS.items()
        }
        best = {pattern: min(each.values()) for pattern, each in means.items()}
        return check_statements(
            {
                f"{pattern}: four are within 1 % of the best of 2, 4 and 10": means[pattern][4] <= 1.01 * best[pattern]
                for pattern in means
            },
            "mean cycles by paths: "
            + "; ".join(
                f"{pattern} {listed(((str(count), cycles) for count, cycles in each.items()), '{:.2f}')}"
                for pattern, each in means.items()
            ),
            "the paper names neither pattern nor load; the worst case is not run: "
            + ", ".join(f"{pattern} at {' '.join(map(str, loads))}" for pattern, loads in _PATTERN_LOADS.items()),
            details=SETUP_NOTE,
        )


_selections("ugal-g", "UGAL-G")
_selections("ugal-l", "UGAL-L")


@claim(
    "besta-2014/iv-c/ideal",
    "UGAL-G approximates the ideal of UGAL, and so a way to evaluate UGAL-L: it carries no less",
    "ideal",
    "topoloom simulate slimfly:q=19,hosts=15 --engine ugal-g --traffic shift --fast --loads 1",
)
def _ideal() -> Outcome:
    accepted = {
        title.lower(): {name: points[name][-1].accepted for name in ("SF-UGAL-G", "SF-UGAL-L")}
        for part, title in TITLES.items()
        for points in [curves(part)]
    }
    return check_statements(
        {f"{name}: UGAL-G is not below UGAL-L": not_below(*each.values()) for name, each in accepted.items()},
        "accepted at full load: " + "; ".join(f"{name} {listed(each.items())}" for name, each in accepted.items()),
        "the four patterns of Figure 6; UGAL-G sums the flits that wait for the outputs of a path",
        details=SETUP_NOTE,
    )


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
        {"2, 3 and 4 hops, and no others": lengths == {2, 3, 4}},
        f"{', '.join(map(str, sorted(lengths)))} hops",
        "q = 5",
        wrong=True,
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


def _needs_opensm(compute: Callable[[], Outcome]) -> Callable[[], Outcome]:
    """Wrap a claim that asks OpenSM: without the program its outcome is "not run" instead of an error."""

    @wraps(compute)
    def checked() -> Outcome:
        lacking = missing_tools() if LONG_RUNS.again else []
        return Outcome("not run", Verdict.NOT_RUN, f"not installed: {', '.join(lacking)}") if lacking else compute()

    return checked


#: Slim Flies with a balanced number of hosts per switch up to q = 11; with one host, beyond what OpenSM brings up in a minute.
_LANE_FLIES = {q: f"slimfly:q={q},hosts={hosts}" for q, hosts in ((5, 4), (7, 6), (8, 6), (9, 7), (11, 9))} | {
    q: f"slimfly:q={q},hosts=1" for q in (13, 16, 17, 19)
}
_LANE_NOTE = "OpenSM 3.3.23 (Debian 12) on ibsim; the paper does not name its version of OFED"


@claim(
    "besta-2014/iv-d/slimfly-lanes",
    "OFED's DFSSSP consistently needs three virtual channels for all Slim Flies",
    "3",
    "topoloom reproduce besta-2014/iv-d/slimfly-lanes --full",
)
@_needs_opensm
def _slimfly_lanes() -> Outcome:
    used = {q: _lanes(spec) for q, spec in _LANE_FLIES.items()}
    return check_statements(
        {f"q = {q} needs three": lanes.needed == 3 for q, lanes in used.items()},
        listed(((f"q = {q}", float(lanes.needed)) for q, lanes in used.items()), "{:.0f}"),
        f"{_LANE_NOTE}; balanced hosts up to q = 11, then one per switch; q = 5 has one shortest path per pair of switches",
    )


@claim(
    "besta-2014/iv-d/random-lanes",
    "OFED's DFSSSP needs between 8 and 15 virtual lanes for DLN of 338 endpoints and 1,682 endpoints",
    "8 (338), 15 (1,682)",
    "topoloom reproduce besta-2014/iv-d/random-lanes --full",
)
@_needs_opensm
def _random_lanes() -> Outcome:
    lanes = _lanes("dln:n=338,x=2,random=17,hosts=1")
    return check_statements(
        {"338 need about 8": 7 <= lanes.needed <= 9},
        f"338: {lanes.needed}",
        f"{_LANE_NOTE}; 338 is read as routers with one endpoint, as it is 2 q^2 for q = 13, with that Slim Fly's degree;"
        " about: one more or less. Not run: 1,682, whose lanes OpenSM assigns for more than half an hour",
    )


def _lanes(spec: str) -> Lanes:
    return long_run(f"python -m topoloom_papers.opensm_lanes {spec}", Lanes, lambda: opensm_lanes(spec))


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
        "the paper names neither pattern nor load",
        details=SETUP_NOTE,
    )
