"""Claims of Truong 2016, section 6: NAS benchmarks on DSN-F, DSN and RR-4 against the 2-D torus (figure 9).

The paper leaves open where ranks are, which shortest paths are taken and whether links are half duplex. A claim holds only
where it holds in every set-up of these. 256 ranks on 64 switches run by SimGrid, 1,024 on 256 by flows, which are faster; 256
ranks run by both, and claims on 1,024 are judged only if the two say the same of these.
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
from topoloom_papers._app_runs import SAID_OF_SETUPS, Contest, Gain, needs_simgrid, setups, span, told
from topoloom_papers.curves import Curves
from topoloom_papers.papers.truong_2016._networks_by_size import spec
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, Verdict, compare, check_statements

_NAMES = ("DSN-F", "DSN", "RR-4")
_MACHINE = PRESETS["truong-2016"]
_HOSTS = 4
#: Switches, and what the paper prints for DSN-F, in % over the torus.
_PRINTED = {64: 23.0, 256: 70.0}
_CUT = "iterations=1,untimed=no"
_Y = "Mop/s / 2-D torus's"
#: A speed no further apart counts as comparable, in %.
_COMPARABLE = 10.0
_RANDOM_SEEDS = {64: 2, 256: 1}
#: By switches; and how far apart means by the two may be on 64 switches, in points of %.
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
_SETTINGS = (
    "40 Gb/s, 200 ns a switch, 100 Gflop/s a rank, minimal routing, four ranks a switch, class B and FT class A as printed;"
    f" each program cut to one time step; {SAID_OF_SETUPS}; links shared evenly, all-to-alls round a ring, all-reduces by"
    " recursive doubling, DT's shuffle graph, one draw of RR-4, cables without length: the paper says none of these, nor"
    " where ranks are"
)

BySetup = dict[str, dict[str, Gain]]
Found = dict[int, BySetup]


@lru_cache(maxsize=8)
def _routed(network: str) -> Routing:
    return route(build(network), "minimal")


def _contest(switches: int, simulator: str) -> Contest:
    """The figure's programs, each cut to one time step."""
    programs = {name.upper(): f"{name}:class=B,{_CUT}" for name in ("bt", "cg", "lu", "sp")}
    programs["DT"] = "dt:class=B,graph=SH"
    programs["FT"] = f"ft:class=A,{_CUT}"
    keys = {name: f"{spec(name, switches)},hosts={_HOSTS}" for name in ("2-D torus", *_NAMES)}
    ranks = switches * _HOSTS
    others = {name: keys[name] for name in _NAMES}
    return Contest(("2-D torus", keys["2-D torus"]), others, programs, ranks, _routed, simulator)


def _gains(switches: int, simulator: str = "") -> BySetup:
    """By setup, then by network: long runs, which a claim asks for once."""
    seeds = {name: _RANDOM_SEEDS[switches] if name.startswith("at random") else 1 for name in _SETUPS}
    contest = _contest(switches, simulator or _SIMULATORS[switches])
    return {setup.name: contest.gains(setup) for setup in setups(_MACHINE, seeds)}


def _all() -> Found:
    """By switches, then by setup, then by network."""
    return {switches: _gains(switches) for switches in _PRINTED}


def _differ() -> float:
    """How far apart means by SimGrid and by flows are at most on 64 switches, in points of %."""
    ours, theirs = _gains(64, FLOWS), _gains(64, SIMGRID)
    return max(
        abs(one - other)
        for setup, gains in ours.items()
        for name, gain in gains.items()
        for one, other in zip(gain.means, theirs[setup][name].means, strict=True)
    )


def _by_flows(compute: Callable[[], Outcome]) -> Callable[[], Outcome]:
    """A claim on 256 switches, which is not judged unless flows say of 64 switches what SimGrid says."""

    @wraps(compute)
    def judged() -> Outcome:
        apart = _differ()
        said = f"of 64 switches flows and SimGrid give means that are {apart:.2f} points apart at most"
        if apart > _AGREED:
            return Outcome("not run", Verdict.NOT_RUN, f"256 switches are simulated by flows, and {said}")
        outcome = compute()
        return replace(outcome, why=f"{outcome.why}; 256 switches by flows, 64 by SimGrid: {said}")

    return judged


def _figure(switches: int, found: BySetup) -> Curves:
    return relative_figure(
        f"truong-2016-figure-9-{switches}",
        f"{switches} switches, {switches * _HOSTS} ranks",
        found,
        _Y,
        {"DSN-F": _PRINTED[switches]},
    )


def _held(holds: Callable[[str], bool]) -> dict[str, bool]:
    return {f"ranks {name}": holds(name) for name in _SETUPS}


def _in_which(statements: dict[str, bool]) -> str:
    """In which setups a statement holds."""
    names = [name for name, holds in statements.items() if holds]
    return f"it holds in {len(names)} of {len(statements)} set-ups: {'; '.join(names) or 'none'}"


def _means(found: Found) -> str:
    return ". ".join(
        f"{n} switches: " + "; ".join(f"ranks {setup}: {told(gains)}" for setup, gains in by_setup.items())
        for n, by_setup in found.items()
    )


def _by_setup(found: Found, tell: Callable[[dict[str, Gain]], list[str]]) -> str:
    """Names of each size and setup, in one line."""
    return "; ".join(
        f"{n} switches, ranks {setup}: {', '.join(tell(gains)) or 'none'}"
        for n, by_setup in found.items()
        for setup, gains in by_setup.items()
    )


def _command(what: str) -> str:
    return f"topoloom reproduce truong-2016/fig-9/{what}"


def _average(switches: int, percent: float) -> None:
    def compute() -> Outcome:
        found = _gains(switches)
        each = "; ".join(f"ranks {setup}: {told(gains, each=True)}" for setup, gains in found.items())
        apart = (
            f"placements, paths and duplex that the paper leaves open span {span(found, 'DSN-F')}; {each}; {_SETTINGS}"
        )
        return compare(
            {f"ranks {setup}": f"{percent:.0f}" for setup in found},
            {f"ranks {setup}": gains["DSN-F"].mean for setup, gains in found.items()},
            assumption=apart,
            reason=apart,
            digits=3,
            figure=_figure(switches, found),
        )

    claim(
        f"truong-2016/fig-9/{switches}",
        f"{switches} switches: Mop/s of DSN-F above the 2-D torus, on average",
        f"+{percent:.0f} %",
        _command(str(switches)),
    )(needs_simgrid(_by_flows(compute) if _SIMULATORS[switches] == FLOWS else compute))


for _switches, _percent in _PRINTED.items():
    _average(_switches, _percent)


@claim(
    "truong-2016/fig-9/order",
    "NAS benchmarks run faster on DSN-F, DSN and RR than on the 2-D torus, on average, at 64 and 256 switches",
    "faster",
    _command("order"),
)
@needs_simgrid
@_by_flows
def _order() -> Outcome:
    found = _all()
    held = _held(
        lambda setup: all(mean > 0 for one in found.values() for gain in one[setup].values() for mean in gain.means)
    )
    return check_statements(held, _means(found), f"{_in_which(held)}; {_SETTINGS}", figure=_figure(64, found[64]))


@claim(
    "truong-2016/fig-9/larger",
    "as the network becomes large, DSN-F, DSN and RR improve more over the 2-D torus",
    "more at 256 switches than at 64",
    _command("larger"),
)
@needs_simgrid
@_by_flows
def _larger() -> Outcome:
    found = {switches: _gains(switches, FLOWS) for switches in _PRINTED}
    held = _held(lambda setup: all(found[256][setup][name].mean > found[64][setup][name].mean for name in _NAMES))
    return check_statements(held, _means(found), f"{_in_which(held)}; {_SETTINGS}", figure=_figure(256, found[256]))


@claim("truong-2016/fig-9/tendency", "DSN-F has a similar performance tendency as RR", "similar", _command("tendency"))
@needs_simgrid
@_by_flows
def _tendency() -> Outcome:
    found = _all()
    held = _held(lambda setup: not any(_apart(one[setup]) for one in found.values()))
    how = "similar is taken as: every program gains over the torus on both, or loses on both"
    text = f"programs that gain on one alone: {_by_setup(found, _apart)}"
    return check_statements(held, text, f"{how}; {_in_which(held)}; {_SETTINGS}")


def _apart(gains: dict[str, Gain]) -> list[str]:
    """The programs that gain over the torus on one of DSN-F and RR-4, and lose on the other."""
    ours, random = (gains[name].programs for name in ("DSN-F", "RR-4"))
    return [app for app in ours if (fmean(ours[app]) > 0) != (fmean(random[app]) > 0)]


@claim(
    "truong-2016/fig-9/no-universal",
    "there is no universal topology: none is the fastest in all benchmarks",
    "none",
    _command("no-universal"),
)
@needs_simgrid
@_by_flows
def _no_universal() -> Outcome:
    found = _all()
    held = _held(lambda setup: all(len(_fastest(one[setup])) > 1 for one in found.values()))
    text = f"networks that are the fastest in a program: {_by_setup(found, _fastest)}"
    return check_statements(held, text, f"{_in_which(held)}; {_SETTINGS}")


def _fastest(gains: dict[str, Gain]) -> list[str]:
    """The networks, the torus among them, that are the fastest in one program or another."""
    found = set()
    for app in next(iter(gains.values())).programs:
        means = {name: fmean(gain.programs[app]) for name, gain in gains.items()} | {"2-D torus": 0.0}
        found.add(max(means, key=lambda name: means[name]))
    return sorted(found)


@claim(
    "truong-2016/abstract/comparable",
    "DSN-F performs comparably to the 2-D torus in some parallel applications",
    "some",
    "topoloom reproduce truong-2016/abstract/comparable",
)
@needs_simgrid
@_by_flows
def _comparable() -> Outcome:
    found = _all()
    held = _held(lambda setup: all(_near(one[setup]) for one in found.values()))
    how = f"comparable is taken as within {_COMPARABLE:g} %, some as one program or more at each size"
    text = f"programs as fast as on the torus: {_by_setup(found, _near)}"
    return check_statements(held, text, f"{how}; {_in_which(held)}; {_SETTINGS}")


def _near(gains: dict[str, Gain]) -> list[str]:
    """The programs that are as fast on DSN-F as on the torus, or nearly so."""
    return [app for app, values in gains["DSN-F"].programs.items() if abs(fmean(values)) <= _COMPARABLE]
