"""Claims of Koibuchi 2013 VI on the time to compute paths: figure 17 and section I."""

import time

from topoloom.model.topology import Topology
from topoloom.routing.route import route
from topoloom.topologies.spec import build
from topoloom_papers.curves import Curves, Series
from topoloom_papers.long_runs import long_run
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, check_statements, listed
from topoloom_papers.words import SIMILAR, means

_PATHS = tuple(range(8, 15))


@claim(
    "koibuchi-2013/fig-17",
    "paths to every destination by one thread, RING-14 of 16,384 switches: computing time",
    "under 82 s",
    "topoloom route ring-shortcuts:n=16384,degree=14 --engine updown --jobs 1 --check 1",
)
def _paths() -> Outcome:
    seconds = {engine: {2 ** int(n): value for n, value in _path_seconds(engine).items()} for engine in _ENGINES}
    rows = "; ".join(
        f"{engine} {listed([(f'{size:,}', value) for size, value in by_size.items()], '{:.2f}')}"
        for engine, by_size in seconds.items()
    )
    return check_statements(
        {f"{what}: under 82 s": seconds[engine][16384] < 82 for engine, what in _ENGINES.items()},
        ", ".join(f"{what} {seconds[engine][16384]:.1f} s" for engine, what in _ENGINES.items()),
        "the next hop at every switch to every destination, without verification; processor time on the machine on which the"
        f" project is tested, in seconds by number of switches: {rows}",
        figure=Curves(
            "koibuchi-2013-figure-17",
            "Computing paths of RING-log2 N, one thread",
            "switches",
            "seconds",
            tuple(
                Series(engine, tuple((float(n), s) for n, s in by_size.items())) for engine, by_size in seconds.items()
            ),
            log_x=True,
        ),
    )


#: Engines: plain shortest paths, and the deadlock-free paths of the paper's simulation.
_ENGINES = {"minimal": "shortest paths", "updown": "up*/down* paths"}


def _path_seconds(engine: str) -> dict[str, float]:
    def compute() -> dict[str, float]:
        _warm_up(engine)
        return {str(n): _seconds(build(f"ring-shortcuts:n={2**n},degree={n}"), engine) for n in _PATHS}

    return long_run(
        f"topoloom route ring-shortcuts:n=2^N,degree=N --engine {engine} --jobs 1 --check 1, N 8 to 14",
        dict[str, float],
        compute,
    )


def _warm_up(engine: str) -> None:
    """Compile and load the kernels of an engine."""
    route(build("ring-shortcuts:n=64,degree=6"), engine, jobs=1, check=1)


def _seconds(topology: Topology, engine: str) -> float:
    """Processor time in seconds of one thread that computes all paths."""
    began = time.process_time()
    route(topology, engine, jobs=1, check=1)
    return round(time.process_time() - began, 4)


#: Networks of 2^n switches and n links each, as figure 17 compares them.
_COMPARED = {
    "RING-14": "ring-shortcuts:n=16384,degree=14",
    "HYPERCUBE": "hypercube:n=14",
    "Nbr(0.5)-14": "nbr:n=16384,degree=14,p=0.5",
}

#: The shortest of this many computations counts, because other programs can only lengthen one.
_TIMES = 2


@claim(
    "koibuchi-2013/fig-17/similar",
    "paths to every destination by one thread, 16,384 switches: HYPERCUBE and Nbr(0.5)-14 take about as long as RING-14",
    "similar results",
    "topoloom route nbr:n=16384,degree=14,p=0.5 --engine updown --jobs 1 --check 1",
)
def _similar_time() -> Outcome:
    seconds = _compared_seconds()
    return check_statements(
        {
            f"{name} within {100 * SIMILAR:g} % of RING-14": (
                max(seconds[name], seconds["RING-14"]) <= min(seconds[name], seconds["RING-14"]) * (1 + SIMILAR)
            )
            for name in ("HYPERCUBE", "Nbr(0.5)-14")
        },
        listed(seconds.items(), "{:.1f} s"),
        f"{means('similar', SIMILAR)}; up*/down* paths, processor time, the shortest of {_TIMES}; the paper's reason is the"
        " same number of vertices and edges, and Dijkstra's algorithm",
    )


def _compared_seconds() -> dict[str, float]:
    def compute() -> dict[str, float]:
        _warm_up("updown")
        return {
            name: min(_seconds(topology, "updown") for _ in range(_TIMES))
            for name, topology in ((name, build(spec)) for name, spec in _COMPARED.items())
        }

    return long_run(
        f"topoloom route SPEC --engine updown --jobs 1 --check 1, SPEC {', '.join(_COMPARED.values())}, the shortest of"
        f" {_TIMES}",
        dict[str, float],
        compute,
    )


#: Random topologies of tens of thousands of switches, and what "a few minutes" is read as, in seconds.
_LARGE = {"RING-14": "ring-shortcuts:n=20000,degree=14", "Nbr(0.5)-14": "nbr:n=20000,degree=14,p=0.5"}
_FEW_MINUTES_S = 300.0


@claim(
    "koibuchi-2013/section-i/tens-of-thousands",
    "paths of random topologies with tens of thousands of switches (RING-14, Nbr(0.5)-14, 20,000 switches): only a few minutes",
    "a few minutes",
    "topoloom route ring-shortcuts:n=20000,degree=14 --engine updown --jobs 1 --check 1",
)
def _tens_of_thousands() -> Outcome:
    def compute() -> dict[str, float]:
        _warm_up("updown")
        return {name: _seconds(build(spec), "updown") for name, spec in _LARGE.items()}

    seconds = long_run(
        f"topoloom route SPEC --engine updown --jobs 1 --check 1, SPEC {', '.join(_LARGE.values())}",
        dict[str, float],
        compute,
    )
    return check_statements(
        {f"{name}: under {_FEW_MINUTES_S:g} s": value < _FEW_MINUTES_S for name, value in seconds.items()},
        listed(seconds.items(), "{:.0f} s"),
        f"a few minutes: under {_FEW_MINUTES_S / 60:g}; up*/down* paths by one thread, processor time, without verification",
    )
