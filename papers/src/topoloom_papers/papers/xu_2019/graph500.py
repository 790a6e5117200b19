"""Claims of Xu 2019, section 3.1: Graph500 on the small optimal graphs, by balanced tables against Floyd's (figure 9).

The paper ran it on a cluster, which is simulated here. Where ranks are, and how the messages of a step follow each other, it
does not say: a claim holds only where it holds in all set-ups.
"""

from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean

from msgspec import structs

from topoloom.routing.balance.balance import balance_routing
from topoloom.routing.routing import Routing
from topoloom.simulation.applications.settings import PRESETS, AppSettings
from topoloom.topologies.spec import build
from topoloom_papers._app_runs import Job, needs_simgrid, ran
from topoloom_papers._simgrid_paths import simgrid_routing
from topoloom_papers.curves import Curves, Series
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, check_statements

_MACHINE = PRESETS["xu-2019"]
_AT_ONCE = structs.replace(_MACHINE, algorithms="alltoallv:ompi_basic_linear,allreduce:rdb")
_GRAPHS = ((16, 3), (16, 4), (32, 3), (32, 4))
_FLOYD, _BALANCED = "tables of Floyd", "balanced tables"
_KERNELS = ("bfs", "sssp")
#: Figure 9's graph has scale 27; one of scale 16 is drawn, whose messages count 2^11 times.
_SEARCH = "scale=16,grow=11"


@dataclass(frozen=True)
class _Setup:
    """Where ranks are, in how many random placements, and the machine with its all-to-all."""

    placement: str
    seeds: int
    settings: AppSettings


_SETUPS = {
    f"{how}, ranks {where}": _Setup(placement, seeds, settings)
    for how, settings in (("round a ring", _MACHINE), ("all at once", _AT_ONCE))
    for where, placement, seeds in (("in order", "linear", 1), ("at random", "random", 2))
}
_ASSUMED = (
    "1 Gb/s full duplex and 30 us a link, as the paper simulates its cluster; a rank a switch; the edges of each level or phase"
    f" as one all-to-all, round a ring or all at once; a graph of scale 16, whose messages count 2^11 times ({_SEARCH}), one"
    " search, no computation; Floyd's tables by the first middle switch that makes a path shorter"
)

#: By graph, how many times as fast as with Floyd's tables, a placement each.
Speeds = dict[str, list[float]]


def _name(n: int, degree: int) -> str:
    return f"({n},{degree})"


@lru_cache(maxsize=8)
def _routed(network: str) -> Routing:
    """An optimal graph, a host a switch, by tables of even loads, or by Floyd's shortest paths."""
    name, _, tables = network.partition(" by ")
    n, degree = name.strip("()").split(",")
    topology = build(f"optimal:n={n},degree={degree}").with_hosts(1)
    return simgrid_routing(topology, "Floyd") if tables == _FLOYD else balance_routing(topology, exact=True).routing


def _speeds(kernel: str, setup: _Setup) -> Speeds:
    app = f"graph500:kernel={kernel},{_SEARCH}"
    jobs = {
        (n, degree, tables, seed): Job(f"{_name(n, degree)} by {tables}", app, n, setup.placement, seed, setup.settings)
        for n, degree in _GRAPHS
        for seed in range(1, setup.seeds + 1)
        for tables in (_FLOYD, _BALANCED)
    }
    runs = ran(jobs.values(), _routed)
    return {
        _name(n, degree): [
            runs[jobs[n, degree, _BALANCED, seed]].speed_beside(runs[jobs[n, degree, _FLOYD, seed]])
            for seed in range(1, setup.seeds + 1)
        ]
        for n, degree in _GRAPHS
    }


def _all() -> dict[str, Speeds]:
    """By kernel and setup."""
    return {
        f"{kernel.upper()}, {name}": _speeds(kernel, setup) for kernel in _KERNELS for name, setup in _SETUPS.items()
    }


def _told(found: dict[str, Speeds]) -> str:
    return "; ".join(
        f"{setup}: " + ", ".join(f"{graph} {fmean(values):.2f}" for graph, values in speeds.items())
        for setup, speeds in found.items()
    )


def _figure(found: dict[str, Speeds]) -> Curves:
    series = tuple(
        Series(setup, tuple((float(at), fmean(values)) for at, values in enumerate(speeds.values(), 1)))
        for setup, speeds in found.items()
    )
    names = tuple(_name(n, degree) for n, degree in _GRAPHS)
    title, y = "Graph500 by balanced tables", "TEPS / TEPS with Floyd's tables"
    return Curves("xu-2019-figure-9", title, "graph", y, series, joined=False, x_names=names)


@claim(
    "xu-2019/fig-9/faster",
    "Graph500: balanced tables are faster than Floyd's, for BFS and SSSP, on all four optimal graphs",
    "faster",
    "topoloom reproduce xu-2019/fig-9/faster",
)
@needs_simgrid
def _faster() -> Outcome:
    found = _all()
    return check_statements(
        {setup: all(value > 1 for values in speeds.values() for value in values) for setup, speeds in found.items()},
        f"TEPS over those with Floyd's tables: {_told(found)}",
        _ASSUMED,
        figure=_figure(found),
    )


@claim(
    "xu-2019/fig-9/least",
    "Graph500: (16,4) gains less from balanced tables than the other graphs",
    "less",
    "topoloom reproduce xu-2019/fig-9/least",
)
@needs_simgrid
def _least() -> Outcome:
    found = _all()
    return check_statements(
        {setup: min(speeds, key=lambda graph: fmean(speeds[graph])) == "(16,4)" for setup, speeds in found.items()},
        f"TEPS over those with Floyd's tables: {_told(found)}",
        _ASSUMED,
        figure=_figure(found),
    )


@claim(
    "xu-2019/fig-9/order-32",
    "Graph500: the graphs of order 32 gain most from balanced tables",
    "especially",
    "topoloom reproduce xu-2019/fig-9/order-32",
)
@needs_simgrid
def _order_32() -> Outcome:
    found = _all()
    means = {setup: {graph: fmean(values) for graph, values in speeds.items()} for setup, speeds in found.items()}
    return check_statements(
        {
            setup: min(speeds["(32,3)"], speeds["(32,4)"]) > max(speeds["(16,3)"], speeds["(16,4)"])
            for setup, speeds in means.items()
        },
        f"TEPS over those with Floyd's tables: {_told(found)}",
        f"the paper prints order 23, which is 32 (errata of Xu 2019, 5); {_ASSUMED}",
        figure=_figure(found),
    )
