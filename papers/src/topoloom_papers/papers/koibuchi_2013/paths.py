"""Claims of Koibuchi 2013 VI on the time to compute paths: figure 17 and section I."""

import time

from topoloom.model.topology import Topology
from topoloom.routing.route import route
from topoloom.topologies.spec import build
from topoloom_papers.curves import Curves, Series
from topoloom_papers.long_runs import long_run
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, check_statements, listed

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


#: A random topology of tens of thousands of switches, and what "a few minutes" is read as, in seconds.
_LARGE = "ring-shortcuts:n=20000,degree=14"
_FEW_MINUTES_S = 300.0


@claim(
    "koibuchi-2013/section-i/tens-of-thousands",
    "paths of random topologies with tens of thousands of switches (RING-14, 20,000 switches): only a few minutes",
    "a few minutes",
    "topoloom route ring-shortcuts:n=20000,degree=14 --engine updown --jobs 1 --check 1",
)
def _tens_of_thousands() -> Outcome:
    def compute() -> float:
        _warm_up("updown")
        return _seconds(build(_LARGE), "updown")

    seconds = long_run(f"topoloom route {_LARGE} --engine updown --jobs 1 --check 1", float, compute)
    return check_statements(
        {f"under {_FEW_MINUTES_S:g} s": seconds < _FEW_MINUTES_S},
        f"{seconds:.0f} s",
        f"a few minutes: under {_FEW_MINUTES_S / 60:g}; up*/down* paths by one thread, processor time, without verification",
    )
