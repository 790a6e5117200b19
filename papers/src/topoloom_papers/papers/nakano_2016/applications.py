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
from topoloom_papers._app_runs import SETUPS_NOTE, Contest, Gain, Setup, gains_text, needs_simgrid, setups, span
from topoloom_papers.curves import Curves
from topoloom_papers.papers.nakano_2016._case_floors import TORI
from topoloom_papers.papers.nakano_2016.low_latency import low_latency_links
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, Step, check_statements, compare

#: Traces replay with SimGrid's own collectives only; its MVAPICH2 selector works for compiled programs (MM).
_MACHINE = PRESETS["nakano-2016"]
_REPLAY = structs.replace(_MACHINE, collectives="default", algorithms=AppSettings().algorithms)
_NEAR = 5.0
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
_NEIGHBOURS, _TO_ALL = ("CG", "LU"), ("FT", "IS")


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
    " selector, ring all-to-alls and all-reduces by recursive doubling; SimGrid 3.32, links shared evenly; the paper gives"
    " neither rate, speed, placement, routing nor duplex; our graphs of VIII.A, annealed for latency"
)


def _figure(by_setup: dict[str, dict[str, Gain]]) -> Curves:
    return relative_figure(
        "nakano-2016-figure-11", "288 switches, 256 ranks", by_setup, "speed / speed on the 3-D torus"
    )


@claim(
    "nakano-2016/fig-11/288",
    "288 switches: NAS benchmarks (class B) and MM on grid and diagrid above the 3-D torus, on average",
    "+70 %, +49 %",
    "topoloom reproduce nakano-2016/fig-11/288",
)
@needs_simgrid
def _figure_11() -> Outcome:
    by_setup = _measured(_CONTEST, _N)
    published = {"grid": 70.0, "diagrid": 49.0}
    nearest = min(by_setup, key=lambda name: sum(abs(by_setup[name][k].mean - published[k]) for k in published))
    spans = ", ".join(span(by_setup, name) for name in published)
    note = (
        f"the nearest of {len(by_setup)} setups: ranks {nearest}; over the placements and paths that the paper leaves open:"
        f" {spans};"
        f" {'; '.join(f'ranks {name}: {gains_text(gains, each=True)}' for name, gains in by_setup.items())}; {_SETTINGS}"
    )
    return compare(
        {name: f"{value:.0f}" for name, value in published.items()},
        {name: by_setup[nearest][name].mean for name in published},
        step=Step(_NEAR, "points: the effect of another random placement"),
        readings=len(by_setup),
        digits=3,
        assumption=note,
        reason=note,
        figure=_figure(by_setup),
    )


@claim(
    "nakano-2016/fig-11/order",
    "288 switches: grid and diagrid outperform the 3-D torus, on average",
    "outperform",
    "topoloom reproduce nakano-2016/fig-11/order",
)
@needs_simgrid
def _order() -> Outcome:
    by_setup = _measured(_CONTEST, _N)
    return check_statements(
        {f"{kind}, ranks {name}": gain.mean > 0 for name, gains in by_setup.items() for kind, gain in gains.items()},
        "; ".join(f"ranks {name}: {gains_text(gains)}" for name, gains in by_setup.items()),
        f"in all setups that were tried, as the paper leaves them open; {_SETTINGS}",
        figure=_figure(by_setup),
    )


@claim(
    "nakano-2016/fig-11/programs",
    "288 switches: seven of eight programs run faster than on the torus; FT and MM (all-to-all) do, and there the diagrid"
    " is slightly ahead of the grid",
    "7 of 8; FT, MM; slightly",
    "topoloom reproduce nakano-2016/fig-11/programs",
)
@needs_simgrid
def _programs() -> Outcome:
    by_setup = _measured(_CONTEST, _N)
    faster = {
        f"{kind}, ranks {name}": [app for app, values in gain.programs.items() if fmean(values) > 0]
        for name, gains in by_setup.items()
        for kind, gain in gains.items()
    }
    ahead = {
        f"{app}, ranks {name}": fmean(gains["diagrid"].programs[app]) - fmean(gains["grid"].programs[app])
        for name, gains in by_setup.items()
        for app in ("FT", "MM")
    }
    return check_statements(
        {f"seven or eight of eight on the {name}": len(apps) >= 7 for name, apps in faster.items()}
        | {f"FT and MM on the {name}": {"FT", "MM"} <= set(apps) for name, apps in faster.items()}
        | {f"the diagrid is up to 10 points ahead for {name}": 0 < points <= 10 for name, points in ahead.items()},
        "; ".join(f"{name} {len(apps)} of 8: {', '.join(apps)}" for name, apps in faster.items()),
        f"in all setups that were tried, as the paper leaves them open; slightly: by up to 10 points; {_SETTINGS}",
        figure=_figure(by_setup),
    )
