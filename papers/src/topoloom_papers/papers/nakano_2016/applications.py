"""Claims of Nakano 2016, VIII.A.3: NAS benchmarks and matrix products on grid and diagrid against the 3-D torus (figure 11)."""

from dataclasses import replace
from functools import lru_cache
from statistics import fmean

from msgspec import structs

from topoloom.model.topology import Topology
from topoloom.routing.route import route
from topoloom.routing.routing import Routing
from topoloom.simulation.applications.settings import PRESETS, AppSettings
from topoloom.topologies.spec import build
from topoloom_papers._app_figures import relative_figure
from topoloom_papers._app_runs import (
    SETUPS_NOTE,
    Contest,
    Gain,
    Setup,
    gains_text,
    nearest_setup,
    needs_simgrid,
    setups,
    span,
)
from topoloom_papers.curves import Curves
from topoloom_papers.papers.nakano_2016._case_floors import TORI
from topoloom_papers.papers.nakano_2016.low_latency import low_latency_links
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, check_statements, listed
from topoloom_papers.words import SLIGHTLY, means

#: Traces replay with SimGrid's own collectives only; its MVAPICH2 selector works for compiled programs (MM).
_MACHINE = PRESETS["nakano-2016"]
_REPLAY = structs.replace(_MACHINE, collectives="default", algorithms=AppSettings().algorithms)
_CUT = "iterations=1,untimed=no"
_SETUPS = (
    "in order",
    "at random",
    "in order by Dijkstra's paths",
    "at random by Dijkstra's paths",
    "in order by Floyd's paths",
    "at random by Floyd's paths",
    "at random by Floyd's paths, half duplex",
)
_PRODUCTS_AND_FT = ("FT", "MM")


@lru_cache(maxsize=8)
def _routed(network: str) -> Routing:
    """The routing of ``torus 288``, ``grid 288`` or ``diagrid 288``: one host per switch, shortest paths."""
    kind, size = network.split()
    switches = int(size)
    if kind == "torus":
        topology = build(f"torus:dims={'x'.join(map(str, TORI[switches]))}")
    else:
        links = low_latency_links("grid" if kind == "grid" else "diagrid", switches)
        topology = Topology(links=links, switches=switches, name=network)
    return route(topology.with_hosts(1), "minimal")


def _contest(switches: int, ranks: int, class_: str, names: tuple[str, ...]) -> Contest:
    programs = {name.upper(): f"{name}:class={class_},{_CUT}" for name in names}
    others = {kind: f"{kind} {switches}" for kind in ("grid", "diagrid")}
    return Contest(("torus", f"torus {switches}"), others, programs, ranks, _routed)


def _products(contest: Contest, n: int) -> Contest:
    return replace(contest, programs={"MM": f"matmul:n={n}"})


def _both(setup: str) -> tuple[Setup, Setup]:
    """The setups for traces and for MM."""
    (traces,), (products,) = (setups(machine, {setup: 1}) for machine in (_REPLAY, _MACHINE))
    return traces, products


def _measured(contest: Contest, n: int) -> dict[str, dict[str, Gain]]:
    """The gains over all programs, by setup and network."""
    by_setup = {}
    for name in _SETUPS:
        traces, products = _both(name)
        by_setup[name] = _merged(contest.gains(traces), _products(contest, n).gains(products))
    return by_setup


def _merged(nas: dict[str, Gain], products: dict[str, Gain]) -> dict[str, Gain]:
    """Merge the gains of NAS programs and MM: one mean over all programs, by network."""
    merged = {}
    for name, gain in nas.items():
        programs = gain.programs | products[name].programs
        merged[name] = Gain(programs, [sum(v) / len(programs) for v in zip(*programs.values(), strict=True)])
    return merged


#: Side of the matrices of MM.
_N = 2048
_CONTEST = _contest(288, 256, "B", ("bt", "cg", "lu", "ft", "is", "mg", "sp"))
_SETTINGS = (
    f"60 ns per switch, cables of 5 m at 5 ns/m as in the paper; {_CONTEST.ranks} ranks on 288 switches, NAS class B cut to one"
    f" iteration, MM of {_N} x {_N}, 40 Gb/s, 100 Gflop/s per rank; {SETUPS_NOTE}; MVAPICH2's"
    " collectives for MM, which is our program (SUMMA) and not the example of SimGrid 3.12; for traces, which replay without a"
    " selector, ring all-to-alls and all-reduces by recursive doubling; SimGrid 3.32, links shared evenly; our graphs of"
    " VIII.A, annealed for latency"
)
_OPEN = (
    f"the paper gives neither rate, speed, placement, routing nor duplex: {len(_SETUPS)} setups of placement and paths were"
    " tried"
)
_OPTIMIZE = (
    "topoloom optimize grid:rows=16,columns=18,degree=6,length=6,hosts=1 --symmetric --objective mean=1,worst=0.02 --moves 4000"
    " --chains 1 -o grid.json"
)


def _command(app: str) -> str:
    """The commands of the setup with shortest paths and ranks in order; no command makes Floyd's and Dijkstra's tables."""
    machine = "--preset nakano-2016" if app.startswith("matmul") else "--set switch_ns=60 --set cable_m=5"
    return (
        f"{_OPTIMIZE}; topoloom app torus:dims=6x6x8,hosts=1 grid.json --engine minimal {machine} --app {app} --ranks 256"
        " (ranks in order, on another draw of the grid; no command has SimGrid's tables)"
    )


def _figure(by_setup: dict[str, dict[str, Gain]]) -> Curves:
    return relative_figure(
        "nakano-2016-figure-11", "288 switches, 256 ranks", by_setup, "speed / speed on the 3-D torus"
    )


def _each(by_setup: dict[str, dict[str, Gain]], *, programs: bool = False) -> str:
    return "; ".join(f"ranks {name}: {gains_text(gains, each=programs)}" for name, gains in by_setup.items())


def _mean_claim(kind: str, percent: int) -> None:
    @claim(
        f"nakano-2016/fig-11/{kind}",
        f"288 switches: NAS benchmarks (class B) and MM on the {kind} above the 3-D torus, on average",
        f"+{percent} %",
        _command(f"ft:class=B,{_CUT}"),
    )
    @needs_simgrid
    def compute() -> Outcome:
        by_setup = _measured(_CONTEST, _N)
        return nearest_setup(
            kind,
            percent,
            by_setup,
            _OPEN,
            details=f"{_each(by_setup, programs=True)}; {_SETTINGS}",
            figure=_figure(by_setup),
        )


_mean_claim("grid", 70)
_mean_claim("diagrid", 49)


@claim(
    "nakano-2016/fig-11/order",
    "288 switches: grid and diagrid outperform the 3-D torus, on average",
    "outperform",
    _command(f"lu:class=B,{_CUT}"),
)
@needs_simgrid
def _order() -> Outcome:
    by_setup = _measured(_CONTEST, _N)
    return check_statements(
        {f"{kind}, ranks {name}": gain.mean > 0 for name, gains in by_setup.items() for kind, gain in gains.items()},
        ", ".join(span(by_setup, kind) for kind in ("grid", "diagrid")),
        f"tested in all setups; {_OPEN}",
        figure=_figure(by_setup),
        details=f"{_each(by_setup)}; {_SETTINGS}",
    )


def _faster(gain: Gain) -> list[str]:
    """The programs that run faster than on the torus."""
    return [app for app, values in gain.programs.items() if fmean(values) > 0]


def _count_of_programs(by_setup: dict[str, dict[str, Gain]]) -> str:
    return "; ".join(
        f"ranks {name}: {', '.join(f'{kind} {len(_faster(gain))}' for kind, gain in gains.items())}"
        for name, gains in by_setup.items()
    )


@claim(
    "nakano-2016/fig-11/seven",
    "288 switches: seven of eight programs run faster than on the torus",
    "7 of 8",
    _command(f"bt:class=B,{_CUT}"),
)
@needs_simgrid
def _seven() -> Outcome:
    by_setup = _measured(_CONTEST, _N)
    return check_statements(
        {
            f"at least seven on the {kind}, ranks {name}": len(_faster(gain)) >= 7
            for name, gains in by_setup.items()
            for kind, gain in gains.items()
        },
        f"programs of eight that are faster: {_count_of_programs(by_setup)}",
        f"tested in all setups; {_OPEN}",
        figure=_figure(by_setup),
        details=f"{_each(by_setup, programs=True)}; {_SETTINGS}",
    )


@claim(
    "nakano-2016/fig-11/all-to-all",
    "288 switches: FT and MM, which send all-to-all, run faster than on the torus, as latencies are lower",
    "FT, MM faster",
    _command(f"ft:class=B,{_CUT}"),
)
@needs_simgrid
def _all_to_all() -> Outcome:
    by_setup = _measured(_CONTEST, _N)
    return check_statements(
        {
            f"{app} on the {kind}, ranks {name}": fmean(gain.programs[app]) > 0
            for name, gains in by_setup.items()
            for kind, gain in gains.items()
            for app in _PRODUCTS_AND_FT
        },
        "; ".join(
            f"{app} on the {kind} {min(values):+.0f} to {max(values):+.0f} %"
            for app in _PRODUCTS_AND_FT
            for kind in ("grid", "diagrid")
            for values in ([fmean(gains[kind].programs[app]) for gains in by_setup.values()],)
        ),
        f"tested in all setups; {_OPEN}",
        figure=_figure(by_setup),
        details=f"{_each(by_setup, programs=True)}; {_SETTINGS}",
    )


@claim(
    "nakano-2016/fig-11/slightly",
    "288 switches: in FT and MM the diagrid slightly outperforms the grid, whose worst latency is higher",
    "slightly",
    _command(f"matmul:n={_N}"),
)
@needs_simgrid
def _slightly() -> Outcome:
    by_setup = _measured(_CONTEST, _N)
    above = {
        f"{app}, ranks {name}": 100
        * ((100 + fmean(gains["diagrid"].programs[app])) / (100 + fmean(gains["grid"].programs[app])) - 1)
        for name, gains in by_setup.items()
        for app in _PRODUCTS_AND_FT
    }
    return check_statements(
        {f"slightly ahead in {name}": 0 < value <= 100 * SLIGHTLY for name, value in above.items()},
        f"diagrid above grid {min(above.values()):+.1f} to {max(above.values()):+.1f} %, ahead in"
        f" {sum(value > 0 for value in above.values())} of {len(above)}",
        f"{means('slightly', SLIGHTLY)}; tested in all setups; {_OPEN}",
        figure=_figure(by_setup),
        details=f"diagrid above grid: {listed(above.items(), '{:+.1f} %')}; {_SETTINGS}",
    )
