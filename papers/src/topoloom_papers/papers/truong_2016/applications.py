"""Claims of Truong 2016, section 6: NAS benchmarks on DSN-F, DSN and RR-4 against the 2-D torus (figure 9).

The paper leaves open the placement of ranks, the choice among shortest paths and whether links are half duplex. A claim holds
only if it holds in every setup. 256 ranks on 64 switches are simulated by SimGrid, 1,024 ranks on 256 switches by flows,
which are faster. 256 ranks are simulated by both, and claims on 1,024 ranks get a verdict only if both results agree.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache, wraps
from statistics import fmean

from topoloom.routing.route import route
from topoloom.routing.routing import Routing
from topoloom.simulation.applications.backends import FLOWS, SIMGRID
from topoloom.simulation.applications.settings import PRESETS
from topoloom.topologies.spec import build
from topoloom_papers._app_figures import relative_figure
from topoloom_papers._app_runs import SETUPS_NOTE, Contest, Gain, gains_text, nearest_setup, needs_simgrid, setups, span
from topoloom_papers.curves import Curves
from topoloom_papers.papers.truong_2016._networks_by_size import spec
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, Verdict, check_statements
from topoloom_papers.words import SIMILAR, means

_NAMES = ("DSN-F", "DSN", "RR-4")
_MACHINE = PRESETS["truong-2016"]
_HOSTS = 4
#: Switches, and the published gain of DSN-F, in % over the torus.
_PUBLISHED = {64: 23.0, 256: 70.0}
_CUT = "iterations=1,untimed=no"
_Y = "Mop/s / Mop/s on the 2-D torus"
_RANDOM_SEEDS = {64: 2, 256: 1}
#: Simulator by number of switches, and the largest allowed difference of both on 64 switches, in percentage points.
_SIMULATORS = {64: SIMGRID, 256: FLOWS}
_AGREED = 2.0
_SETUPS = (
    "in order",
    "at random",
    "in order by Dijkstra's paths",
    "at random by Dijkstra's paths",
    "in order by Floyd's paths",
    "at random by Floyd's paths",
    "at random by Floyd's paths, half duplex",
)
_OPEN = f"the paper gives neither the placement of ranks nor the paths nor duplex: {len(_SETUPS)} setups were tried"
_SETTINGS = (
    "40 Gb/s, 200 ns per switch, 100 Gflop/s per rank, minimal routing, four ranks per switch, class B and FT class A as"
    f" published; each program cut to one time step; {SETUPS_NOTE}; links shared evenly, ring all-to-alls, all-reduces by"
    " recursive doubling, DT's shuffle graph, one draw of RR-4, cables of length 0: the paper states none of these"
)

BySetup = dict[str, dict[str, Gain]]
BySize = dict[int, BySetup]


@lru_cache(maxsize=8)
def _routed(network: str) -> Routing:
    return route(build(network), "minimal")


def _contest(switches: int, simulator: str) -> Contest:
    """The comparison of the figure: its programs, each cut to one time step."""
    programs = {name.upper(): f"{name}:class=B,{_CUT}" for name in ("bt", "cg", "lu", "sp")}
    programs["DT"] = "dt:class=B,graph=SH"
    programs["FT"] = f"ft:class=A,{_CUT}"
    keys = {name: f"{spec(name, switches)},hosts={_HOSTS}" for name in ("2-D torus", *_NAMES)}
    ranks = switches * _HOSTS
    others = {name: keys[name] for name in _NAMES}
    return Contest(("2-D torus", keys["2-D torus"]), others, programs, ranks, _routed, simulator)


def _gains(switches: int, simulator: str = "") -> BySetup:
    """Gains by setup and network, from long runs."""
    seeds = {name: _RANDOM_SEEDS[switches] if name.startswith("at random") else 1 for name in _SETUPS}
    contest = _contest(switches, simulator or _SIMULATORS[switches])
    return {setup.name: contest.gains(setup) for setup in setups(_MACHINE, seeds)}


def _all() -> BySize:
    """Gains by number of switches, setup and network."""
    return {switches: _gains(switches) for switches in _PUBLISHED}


def _difference() -> float:
    """Largest difference of the means by SimGrid and by flows on 64 switches, in percentage points."""
    ours, theirs = _gains(64, FLOWS), _gains(64, SIMGRID)
    return max(
        abs(by_flows - by_simgrid)
        for setup, gains in ours.items()
        for name, gain in gains.items()
        for by_flows, by_simgrid in zip(gain.means, theirs[setup][name].means, strict=True)
    )


def _by_flows(compute: Callable[[], Outcome]) -> Callable[[], Outcome]:
    """Wrap a claim on 256 switches: without a verdict unless flows agree with SimGrid on 64 switches."""

    @wraps(compute)
    def checked() -> Outcome:
        difference = _difference()
        note = f"on 64 switches the means by flows and by SimGrid differ by at most {difference:.2f} points"
        if difference > _AGREED:
            return Outcome("not run", Verdict.NOT_RUN, f"256 switches are simulated by flows, and {note}")
        outcome = compute()
        return replace(outcome, details=f"{outcome.details}; 256 switches by flows, 64 by SimGrid: {note}")

    return checked


def _figure(switches: int, gains: BySetup) -> Curves:
    return relative_figure(
        f"truong-2016-figure-9-{switches}",
        f"{switches} switches, {switches * _HOSTS} ranks",
        gains,
        _Y,
        {"DSN-F": _PUBLISHED[switches]},
    )


def _held(holds: Callable[[str], bool]) -> dict[str, bool]:
    return {f"ranks {name}": holds(name) for name in _SETUPS}


def _count(statements: dict[str, bool]) -> str:
    return f"in {sum(statements.values())} of {len(statements)} setups"


def _in_which(statements: dict[str, bool]) -> str:
    """The setups in which a statement holds, in words."""
    return f"it holds with {'; '.join(name for name, holds in statements.items() if holds) or 'none'}"


def _means(by_size: BySize) -> str:
    return ". ".join(
        f"{n} switches: " + "; ".join(f"ranks {setup}: {gains_text(gains)}" for setup, gains in by_setup.items())
        for n, by_setup in by_size.items()
    )


def _spans(by_size: BySize) -> str:
    """The range of each network's mean gain over setups, by size."""
    return "; ".join(
        f"{n} switches: {', '.join(span(by_setup, name) for name in _NAMES)}" for n, by_setup in by_size.items()
    )


def _by_setup(by_size: BySize, names: Callable[[dict[str, Gain]], list[str]]) -> str:
    """The names that a function selects for each size and setup, in one line."""
    return "; ".join(
        f"{n} switches, ranks {setup}: {', '.join(names(gains)) or 'none'}"
        for n, by_setup in by_size.items()
        for setup, gains in by_setup.items()
    )


def _command(*sizes: int) -> str:
    """The commands of the setup with ranks in order on balanced shortest paths."""
    parts = []
    for switches in sizes:
        contest = _contest(switches, _SIMULATORS[switches])
        networks = " ".join((contest.baseline[1], *contest.others.values()))
        programs = " ".join(f"--app {app}" for app in contest.programs.values())
        by = f" --simulator {contest.simulator}" if contest.simulator != SIMGRID else ""
        parts.append(f"topoloom app {networks} --engine minimal {programs} --ranks {contest.ranks}{by}")
    return f"{'; '.join(parts)} (ranks in order; --placement random: at random; no command has SimGrid's tables)"


_BOTH = _command(64, 256)


def _average(switches: int, percent: float) -> None:
    def compute() -> Outcome:
        by_setup = _gains(switches)
        return nearest_setup(
            "DSN-F",
            percent,
            by_setup,
            _OPEN,
            details="; ".join(f"ranks {setup}: {gains_text(gains, each=True)}" for setup, gains in by_setup.items())
            + f"; {_SETTINGS}",
            figure=_figure(switches, by_setup),
        )

    claim(
        f"truong-2016/fig-9/{switches}",
        f"{switches} switches: Mop/s of DSN-F above the 2-D torus, on average",
        f"+{percent:.0f} %",
        _command(switches),
    )(needs_simgrid(_by_flows(compute) if _SIMULATORS[switches] == FLOWS else compute))


for _switches, _percent in _PUBLISHED.items():
    _average(_switches, _percent)


@claim(
    "truong-2016/fig-9/order",
    "NAS benchmarks run faster on DSN-F, DSN and RR than on the 2-D torus, on average, at 64 and 256 switches",
    "faster",
    _BOTH,
)
@needs_simgrid
@_by_flows
def _order() -> Outcome:
    by_size = _all()
    held = _held(
        lambda setup: all(mean > 0 for size in by_size.values() for gain in size[setup].values() for mean in gain.means)
    )
    return check_statements(
        held,
        f"{_count(held)}; {_spans(by_size)}",
        _OPEN,
        figure=_figure(64, by_size[64]),
        details=f"{_in_which(held)}; {_means(by_size)}; {_SETTINGS}",
    )


@claim(
    "truong-2016/fig-9/larger",
    "as the network becomes large, DSN-F, DSN and RR improve more over the 2-D torus",
    "more at 256 switches than at 64",
    _BOTH,
)
@needs_simgrid
@_by_flows
def _larger() -> Outcome:
    by_size = {switches: _gains(switches, FLOWS) for switches in _PUBLISHED}
    held = _held(lambda setup: all(by_size[256][setup][name].mean > by_size[64][setup][name].mean for name in _NAMES))
    return check_statements(
        held,
        f"{_count(held)}; {_spans(by_size)}",
        f"both sizes by flows; {_OPEN}",
        figure=_figure(256, by_size[256]),
        details=f"{_means(by_size)}; {_SETTINGS}",
    )


@claim("truong-2016/fig-9/tendency", "DSN-F has a similar performance tendency as RR", "similar", _BOTH)
@needs_simgrid
@_by_flows
def _tendency() -> Outcome:
    by_size = _all()
    held = _held(lambda setup: not any(_one_sided(size[setup]) for size in by_size.values()))
    return check_statements(
        held,
        f"{_count(held)}",
        f"similar is read as: every program gains over the torus on both, or loses on both; {_OPEN}",
        details=f"programs that gain on only one: {_by_setup(by_size, _one_sided)}; {_SETTINGS}",
    )


def _one_sided(gains: dict[str, Gain]) -> list[str]:
    """Programs that gain over the torus on one of DSN-F and RR-4, and lose on the other."""
    ours, random = (gains[name].programs for name in ("DSN-F", "RR-4"))
    return [app for app in ours if (fmean(ours[app]) > 0) != (fmean(random[app]) > 0)]


@claim(
    "truong-2016/fig-9/no-universal",
    "there is no universal topology: none is the fastest in all benchmarks",
    "none",
    _BOTH,
)
@needs_simgrid
@_by_flows
def _no_universal() -> Outcome:
    by_size = _all()
    held = _held(lambda setup: all(len(_fastest(size[setup])) > 1 for size in by_size.values()))
    return check_statements(
        held,
        f"{_count(held)}",
        f"more than one network is the fastest in a program, at both sizes; {_OPEN}",
        details=f"networks that are the fastest in a program: {_by_setup(by_size, _fastest)}; {_SETTINGS}",
    )


def _fastest(gains: dict[str, Gain]) -> list[str]:
    """The networks, including the torus, that are the fastest in at least one program."""
    fastest = set()
    for app in next(iter(gains.values())).programs:
        means = {name: fmean(gain.programs[app]) for name, gain in gains.items()} | {"2-D torus": 0.0}
        fastest.add(max(means, key=lambda name: means[name]))
    return sorted(fastest)


@claim(
    "truong-2016/abstract/comparable",
    "DSN-F performs comparably to the 2-D torus in some parallel applications",
    "some",
    _BOTH,
)
@needs_simgrid
@_by_flows
def _comparable() -> Outcome:
    by_size = _all()
    held = _held(lambda setup: all(_near(size[setup]) for size in by_size.values()))
    return check_statements(
        held,
        f"{_count(held)}",
        f"{means('comparable', SIMILAR)}, some as at least one program at each size; {_OPEN}",
        details=f"programs as fast as on the torus: {_by_setup(by_size, _near)}; {_SETTINGS}",
    )


def _near(gains: dict[str, Gain]) -> list[str]:
    """Programs that are about as fast on DSN-F as on the torus."""
    return [app for app, values in gains["DSN-F"].programs.items() if abs(fmean(values)) <= 100 * SIMILAR]
