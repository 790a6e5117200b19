"""Claims of Xu 2019, section 3.1: Graph500 on the small optimal graphs, by balanced tables against Floyd's (figure 9).

The paper ran it on a cluster, which is simulated here. It states neither the placement of ranks nor the order of the messages
of a step: a claim holds only if it holds in all setups.
"""

from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean

from msgspec import structs

from topoloom.routing.balance.balance import balance_routing
from topoloom.routing.routing import Routing
from topoloom.simulation.applications.settings import PRESETS, AppSettings
from topoloom.topologies.spec import build
from topoloom_papers._app_runs import Job, needs_simgrid, run_jobs
from topoloom_papers._simgrid_paths import simgrid_routing
from topoloom_papers.curves import Curves, Series
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, check_statements

_MACHINE = PRESETS["xu-2019"]
_AT_ONCE = structs.replace(_MACHINE, algorithms="alltoallv:ompi_basic_linear,allreduce:rdb")
_GRAPHS = ((16, 3), (16, 4), (32, 3), (32, 4))
_FLOYD, _BALANCED = "tables of Floyd", "balanced tables"
_KERNELS = ("bfs", "sssp")
#: Figure 9's graph has scale 27; we generate one of scale 16 and multiply its messages by 2^11.
_SEARCH = "scale=16,grow=11"


@dataclass(frozen=True)
class _Setup:
    """Placement of ranks, number of random placements, and the machine's settings with its all-to-all algorithm."""

    placement: str
    seeds: int
    settings: AppSettings


_SETUPS = {
    f"{how}, ranks {where}": _Setup(placement, seeds, settings)
    for how, settings in (("in a ring", _MACHINE), ("all at once", _AT_ONCE))
    for where, placement, seeds in (("in order", "linear", 1), ("at random", "random", 2))
}
_OPEN = (
    "the paper gives neither the placement of ranks nor the order of messages: tested in all setups, simulated for the paper's"
    " cluster"
)
_SETTINGS = (
    "1 Gb/s full duplex and 30 us per link, as the paper simulates its cluster; one rank per switch; the edges of each level or"
    f" phase are one all-to-all, in a ring or all at once; a graph of scale 16 with messages multiplied by 2^11 ({_SEARCH}),"
    " one search, no computation; Floyd's tables use the first intermediate switch that makes a path shorter"
)

#: Speedups over Floyd's tables by graph, one value per placement.
Speeds = dict[str, list[float]]


def _name(n: int, degree: int) -> str:
    return f"({n},{degree})"


@lru_cache(maxsize=8)
def _routed(network: str) -> Routing:
    """The routing of an optimal graph with one host per switch: balanced tables, or Floyd's shortest paths."""
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
    runs = run_jobs(jobs.values(), _routed)
    return {
        _name(n, degree): [
            runs[jobs[n, degree, _BALANCED, seed]].speedup_over(runs[jobs[n, degree, _FLOYD, seed]])
            for seed in range(1, setup.seeds + 1)
        ]
        for n, degree in _GRAPHS
    }


def _all() -> dict[str, Speeds]:
    """Speedups by kernel and setup."""
    return {
        f"{kernel.upper()}, {name}": _speeds(kernel, setup) for kernel in _KERNELS for name, setup in _SETUPS.items()
    }


def _command(kernel: str, n: int, degree: int) -> str:
    return (
        f"topoloom app optimal:n={n},degree={degree},hosts=1 --engine balanced --preset xu-2019 --app"
        f" graph500:kernel={kernel},{_SEARCH} --ranks {n} (balanced tables, ranks in order; no command has Floyd's tables)"
    )


def _range(by_setup: dict[str, Speeds]) -> str:
    """The least and greatest speedup of each graph over setups."""
    graphs = next(iter(by_setup.values()))
    each = {graph: [fmean(speeds[graph]) for speeds in by_setup.values()] for graph in graphs}
    return "TEPS / TEPS with Floyd's tables: " + ", ".join(
        f"{graph} {min(values):.2f} to {max(values):.2f}" for graph, values in each.items()
    )


def _all_setups(by_setup: dict[str, Speeds]) -> str:
    return f"TEPS / TEPS with Floyd's tables: {_in_words(by_setup)}; {_SETTINGS}"


def _in_words(by_setup: dict[str, Speeds]) -> str:
    return "; ".join(
        f"{setup}: " + ", ".join(f"{graph} {fmean(values):.2f}" for graph, values in speeds.items())
        for setup, speeds in by_setup.items()
    )


def _figure(by_setup: dict[str, Speeds]) -> Curves:
    series = tuple(
        Series(setup, tuple((float(at), fmean(values)) for at, values in enumerate(speeds.values(), 1)))
        for setup, speeds in by_setup.items()
    )
    names = tuple(_name(n, degree) for n, degree in _GRAPHS)
    title, y = "Graph500 by balanced tables", "TEPS / TEPS with Floyd's tables"
    return Curves("xu-2019-figure-9", title, "graph", y, series, joined=False, x_names=names)


@claim(
    "xu-2019/fig-9/faster",
    "Graph500: balanced tables are faster than Floyd's, for BFS and SSSP, on all four optimal graphs",
    "faster",
    _command("bfs", 16, 3),
)
@needs_simgrid
def _faster() -> Outcome:
    by_setup = _all()
    return check_statements(
        {setup: all(value > 1 for values in speeds.values() for value in values) for setup, speeds in by_setup.items()},
        _range(by_setup),
        _OPEN,
        figure=_figure(by_setup),
        details=_all_setups(by_setup),
    )


@claim(
    "xu-2019/fig-9/least",
    "Graph500: (16,4) gains less from balanced tables than the other graphs",
    "less",
    _command("bfs", 16, 4),
)
@needs_simgrid
def _least() -> Outcome:
    by_setup = _all()
    return check_statements(
        {setup: min(speeds, key=lambda graph: fmean(speeds[graph])) == "(16,4)" for setup, speeds in by_setup.items()},
        _range(by_setup),
        _OPEN,
        figure=_figure(by_setup),
        details=_all_setups(by_setup),
    )


@claim(
    "xu-2019/fig-9/order-32",
    "Graph500: the graphs of order 32 gain most from balanced tables",
    "especially",
    _command("bfs", 32, 3),
)
@needs_simgrid
def _order_32() -> Outcome:
    by_setup = _all()
    means = {setup: {graph: fmean(values) for graph, values in speeds.items()} for setup, speeds in by_setup.items()}
    return check_statements(
        {
            setup: min(speeds["(32,3)"], speeds["(32,4)"]) > max(speeds["(16,3)"], speeds["(16,4)"])
            for setup, speeds in means.items()
        },
        _range(by_setup),
        f"the published order 23 is a misprint of 32 (errata of Xu 2019, 5); {_OPEN}",
        figure=_figure(by_setup),
        details=_all_setups(by_setup),
    )
