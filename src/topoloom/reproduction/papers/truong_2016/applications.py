"""Claims of Truong 2016, section 6: NAS benchmarks on DSN-F, DSN and RR-4 against the 2-D torus (figure 9)."""

from functools import lru_cache

from msgspec import structs

from topoloom.applications.settings import PRESETS
from topoloom.reproduction._app_figures import relative_figure
from topoloom.reproduction._app_runs import SAID_OF_SETUPS, Contest, Setup, needs_simgrid, setups, span, told
from topoloom.reproduction.papers.truong_2016._networks_by_size import spec
from topoloom.reproduction.registry import Outcome, Verdict, claim
from topoloom.routing.route import route
from topoloom.routing.routing import Routing
from topoloom.spec import build

_NAMES = ("DSN-F", "DSN", "RR-4")
_MACHINE = PRESETS["truong-2016"]
#: Half a unit of the last place of what is read from the text would be 0.5; a cut program and another draw need more.
_NEAR = 5.0
_POINT_TO_POINT = ("BT", "CG", "LU", "SP")
_Y = "Mop/s / 2-D torus's"
_CUT = "iterations=1,untimed=no"


@lru_cache(maxsize=8)
def _routed(network: str) -> Routing:
    return route(build(network), "minimal")


def _contest(switches: int, hosts: int, class_: str) -> Contest:
    """The figure's programs, each cut to one time step; DT in the largest class whose shuffle graph has no more ranks."""
    programs = {name.upper(): f"{name}:class={class_},{_CUT}" for name in ("bt", "cg", "lu", "sp")}
    programs["DT"] = f"dt:class={'B' if class_ == 'B' else 'W'},graph=SH"
    programs["FT"] = f"ft:class=A,{_CUT}"
    keys = {name: f"{spec(name, switches)},hosts={hosts}" for name in ("2-D torus", *_NAMES)}
    return Contest(("2-D torus", keys["2-D torus"]), {n: keys[n] for n in _NAMES}, programs, switches * hosts, _routed)


_SMALL = _contest(64, 1, "A")


def _at_speed(gflops: float) -> Setup:
    return Setup(f"{gflops:g} Gflop/s", "random", structs.replace(_MACHINE, speed_gflops=gflops))


def _sensitivity(contest: Contest) -> str:
    """What computation and collectives move, of DSN-F with one placement at random."""
    speeds = [_at_speed(value) for value in (10.0, 100.0, 1000.0)]
    computing = ", ".join(
        f"{setup.name} {contest.gains(setup, ['DSN-F'], _POINT_TO_POINT)['DSN-F']}" for setup in speeds
    )
    pairs = Setup("", "random", structs.replace(_MACHINE, algorithms="alltoall:bruck"))
    here = contest.gains(speeds[1], ["DSN-F"], ["FT"])["DSN-F"]
    there = contest.gains(pairs, ["DSN-F"], ["FT"])["DSN-F"]
    return (
        f"DSN-F by a rank's speed ({', '.join(_POINT_TO_POINT)}): {computing};"
        f" FT by the all-to-all: ring {here}, Bruck's {there}"
    )


def _settings(contest: Contest, cut: str) -> str:
    return (
        f"40 Gb/s, 200 ns a switch, 100 Gflop/s a rank and minimal routing as printed; {contest.ranks} ranks, {cut};"
        f" {SAID_OF_SETUPS}; links shared evenly, all-to-alls round a ring, all-reduces by recursive doubling, DT's shuffle"
        " graph, cables without length: the paper says none of these, nor where ranks are"
    )


@claim(
    "truong-2016/fig-9/order",
    "64 switches: NAS benchmarks run faster on DSN-F and RR-4 than on the 2-D torus, on average",
    "faster",
    "topoloom reproduce truong-2016/fig-9/order",
)
@needs_simgrid
def _order() -> Outcome:
    names = ("DSN-F", "RR-4")
    seeds = {
        "in order": 1,
        "at random": 2,
        "in order by Dijkstra's paths": 1,
        "at random by Dijkstra's paths": 1,
        "in order by Floyd's paths": 1,
        "at random by Floyd's paths": 1,
    }
    by_setup = {setup.name: _SMALL.gains(setup, names) for setup in setups(_MACHINE, seeds)}
    holds = [
        setup for setup, found in by_setup.items() if all(mean > 0 for gain in found.values() for mean in gain.means)
    ]
    ours = "; ".join(f"ranks {setup}: {told(found)}" for setup, found in by_setup.items())
    why = (
        f"placement decides: it holds with ranks {', '.join(holds) or 'in none of them'}; tables move it as much;"
        f" {_sensitivity(_SMALL)}. {_settings(_SMALL, 'one a switch, class A, DT class W, cut to one time step')}"
    )
    figure = relative_figure("truong-2016-figure-9-small", "64 switches, 64 ranks", by_setup, _Y)
    return Outcome(ours, Verdict.ASSUMED if holds else Verdict.NOT_REPRODUCIBLE, why, figure=figure)


def _full(switches: int, percent: float, names: tuple[str, ...], seeds: dict[str, int]) -> None:
    contest = _contest(switches, 4, "B")

    @claim(
        f"truong-2016/fig-9/{switches}",
        f"{switches} switches: Mop/s of DSN-F above the 2-D torus, on average",
        f"+{percent:.0f} %",
        f"topoloom reproduce truong-2016/fig-9/{switches}",
        full=True,
    )
    @needs_simgrid
    def compute() -> Outcome:
        by_setup = {setup.name: contest.gains(setup, names) for setup in setups(_MACHINE, seeds)}
        near = [setup for setup, found in by_setup.items() if abs(found["DSN-F"].mean - percent) <= _NEAR]
        ours = "; ".join(f"ranks {setup}: {told(found, each=True)}" for setup, found in by_setup.items())
        reason = f"within {_NEAR:g} points with ranks {near[0]}" if near else f"in no setup within {_NEAR:g} points"
        reason += f"; paths and placements that the paper leaves open span {span(by_setup, 'DSN-F')}"
        why = f"{reason}; {_settings(contest, 'four a switch, class B, FT class A, cut to one time step')}"
        figure = relative_figure(
            f"truong-2016-figure-9-{switches}", f"{switches} switches, {contest.ranks} ranks", by_setup, _Y
        )
        return Outcome(ours, Verdict.ASSUMED if near else Verdict.NOT_REPRODUCIBLE, why, figure=figure)


_SETUPS = (
    "in order",
    "at random",
    "in order by Dijkstra's paths",
    "at random by Dijkstra's paths",
    "at random by Floyd's paths",
    "at random by Floyd's paths, half duplex",
)
_full(64, 23.0, _NAMES, {setup: 2 if setup.startswith("at random") else 1 for setup in _SETUPS})
_full(256, 70.0, ("DSN-F",), dict.fromkeys(_SETUPS, 1))
