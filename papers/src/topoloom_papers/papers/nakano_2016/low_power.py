"""Claims of Nakano 2016, VIII.B: the least power with a worst latency below 1 us (figures 12 and 13).

Any cable length; racks of 0.6 m x 2.1 m; 1 m of cable overhead at each end.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import msgspec

from topoloom.cost.parts import Parts
from topoloom.cost.parts_files import load_parts
from topoloom.cost.placed import place
from topoloom.optimizer.goals import Goal, Weighed, latency_bounds, weigh
from topoloom.optimizer.link_lengths import LinkLengths
from topoloom.placement.floors.floor import preset
from topoloom.topologies.spec import build
from topoloom_papers.curves import Curves, Series
from topoloom_papers.long_runs import long_run
from topoloom_papers.papers.nakano_2016._case_floors import (
    BOTH_ENDS,
    FLOORS,
    KINDS,
    TORI,
    Kind,
    annealed,
    lengths_on,
    torus_maps,
)
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, check_statements, compare, listed

_CAP_NS, _PORTS, _RATE = 1000.0, 36, 40.0
#: Longest link, in steps, of the graph from which a search starts, and moves of the search.
#: For 4,608 switches twice that of 1,152, as the paper's guideline for four times as many switches says (VII, 2).
_B_LENGTH = {72: 5, 288: 8, 1152: 8, 4608: 16}
_B_MOVES = {72: 10_000, 288: 20_000, 1152: 100_000, 4608: 20_000}


@lru_cache(maxsize=1)
def _catalogue() -> Parts:
    """Power and reach of cables from Nakano 2016, prices from Besta 2014, which it cites; cables are chosen by reach."""
    powers, prices = load_parts("nakano-2016"), load_parts("slimfly-2014")
    cables = tuple(
        msgspec.structs.replace(
            price, use="any", reach_m=own.reach_m, rates_gbps=own.rates_gbps, power_w_per_end=own.power_w_per_end
        )
        for own, price in zip(powers.cable, prices.cable, strict=True)
    )
    return msgspec.structs.replace(powers, cable=cables, unpriced=("switch",))


@dataclass(frozen=True)
class _Power:
    """A network's worst latency (ns), power (W), cost (USD), share of electric cables, and the least worst latency (ns)."""

    worst_ns: float
    network_w: float
    network_usd: float
    electric: float
    least_worst_ns: float = 0.0


def _power(weighed: Weighed, switches: int) -> _Power:
    parts = _catalogue()
    return _Power(
        weighed.worst_ns,
        weighed.cable_w + switches * parts.switch_w(_PORTS, _RATE),
        weighed.cable_usd + switches * load_parts("slimfly-2014").switch_usd(_PORTS),
        # A degree of 6 means three cables per switch.
        1 - weighed.cable_w / parts.cable[1].both_ends_w / (3 * switches),
    )


def _goal() -> Goal:
    return Goal(power=1.0, cap_ns=_CAP_NS, parts=_catalogue(), rate_gbps=_RATE, both_ends=BOTH_ENDS)


def _low_power(kind: Kind, switches: int) -> _Power:
    def compute() -> _Power:
        floor, goal = FLOORS[switches][kind], _goal()
        lengths = lengths_on(kind, *floor, (0.6, 2.1), 1.0)
        links = annealed(kind, floor, 6, _B_LENGTH[switches], lengths, goal, _B_MOVES[switches], None)
        least = latency_bounds(lengths, 6, math.inf, goal.delays, both_ends=BOTH_ENDS)
        return replace(_power(weigh(links, lengths, goal), switches), least_worst_ns=least.worst_ns)

    rows, columns = FLOORS[switches][kind]
    command = (
        f"topoloom optimize {kind}:rows={rows},columns={columns},degree=6,length={_B_LENGTH[switches]} --symmetric"
        f" --objective power --cap-ns {_CAP_NS:g} --pitch-m 0.6,2.1 --overhead-m 1 --moves {_B_MOVES[switches]} --chains 1"
        " (both end switches count; any link)"
    )
    return long_run(command, _Power, compute)


def _joint_torus(switches: int) -> _Power:
    def compute() -> _Power:
        rows, columns = FLOORS[switches]["grid"]
        hall = replace(preset("nakano-grid"), rows=rows, columns=columns, width_m=0.6, depth_m=2.1, overhead_end_m=1.0)
        layout = place(build(f"torus:dims={'x'.join(map(str, TORI[switches]))}"), hall, jobs=1)
        return _power(weigh(layout.topology.links, LinkLengths.of_layout(layout), _goal()), switches)

    sides = "x".join(map(str, TORI[switches]))
    floor = FLOORS[switches]["grid"]
    command = f"topoloom layout torus:dims={sides} on {floor} racks of 0.6 x 2.1 m (both end switches count)"
    return long_run(command, _Power, compute)


@lru_cache(maxsize=1)
def _power_tori() -> dict[str, dict[int, _Power]]:
    """Tori in the placements of VIII.A, by placement and size."""
    tori: dict[str, dict[int, _Power]] = {}
    for switches in _SIZES:
        torus = build(f"torus:dims={'x'.join(map(str, TORI[switches]))}")
        lengths = lengths_on("grid", *FLOORS[switches]["grid"], (0.6, 2.1), 1.0)
        for name, point in torus_maps(switches).items():
            tori.setdefault(name, {})[switches] = _power(weigh(point[torus.links], lengths, _goal()), switches)
    return tori


_SIZES = tuple(FLOORS)
_ASSUMED = (
    "the paper gives neither sizes nor the placement of its torus: 72 to 4,608 switches as in VIII.A, and"
    " the torus in joint placement and as in VIII.A"
)
_SETTINGS = (
    "h + 1 switches on a path of h hops, as in VIII.A; switches of 36 ports at Besta 2014's prices; the axes of a diagrid are"
    f" its diagonals; a search lowers the worst latency until it is below 1 us, then the power; at 4,608 in"
    f" {_B_MOVES[4608]:,} moves, and its torus in joint placement is row by row or in a serpentine"
)


def _tori() -> dict[str, dict[int, _Power]]:
    """Tori by placement and size; only the joint placements are long runs."""
    return {"torus, joint": {n: _joint_torus(n) for n in _SIZES}} | {
        f"torus, {name}": each for name, each in _power_tori().items()
    }


def _graphs() -> dict[Kind, dict[int, _Power]]:
    return {kind: {n: _low_power(kind, n) for n in _SIZES} for kind in KINDS}


def _above_tori(measure: str) -> dict[str, dict[str, float]]:
    """How much higher a measure of grids and diagrids is than of the torus of their size, in %, by the torus's placement."""
    graphs = _graphs()
    return {
        name: {
            f"{kind} {n:,}": 100 * (getattr(graphs[kind][n], measure) / getattr(torus[n], measure) - 1)
            for kind in KINDS
            for n in _SIZES
        }
        for name, torus in _tori().items()
    }


def _in_words(by_torus: dict[str, dict[str, float]]) -> str:
    return "; ".join(f"{name}: {listed(each.items(), '{:+.1f}')}" for name, each in by_torus.items())


def _over_size(number: str, title: str, y: str, values: dict[str, dict[int, float]]) -> Curves:
    series = tuple(Series(name, tuple((float(n), value) for n, value in each.items())) for name, each in values.items())
    return Curves(f"nakano-2016-figure-{number}", title, "switches", y, series, log_x=True)


def _relative(number: str, title: str, measure: str) -> Curves:
    graphs, torus = _graphs(), _tori()["torus, joint"]
    values: dict[str, dict[int, float]] = {
        kind: {n: getattr(graphs[kind][n], measure) / getattr(torus[n], measure) for n in _SIZES} for kind in KINDS
    }
    return _over_size(number, title, "relative to the torus in joint placement", values)


_OPTIMIZE = (
    "topoloom optimize grid:rows=16,columns=18,degree=6,length=8 --symmetric --objective power --cap-ns 940 --pitch-m 0.6,2.1"
    " --overhead-m 1 --parts nakano-2016 --moves 20000 --chains 1"
)
_COMMAND = (
    f"{_OPTIMIZE} -o grid.json; topoloom layout torus:dims=6x6x8 --floor nakano-grid --rows 16 --columns 18 -o torus; topoloom"
    " hops torus --latency (288 switches; h switches count, so the cap is 60 ns less; another draw)"
)


def _least_reachable() -> str:
    """What the bounds say about the cap, at 4,608 switches."""
    return ", ".join(f"{kind} {each[4608].least_worst_ns:.1f} ns" for kind, each in _graphs().items())


@claim("nakano-2016/fig-13/torus", "most tori miss a worst latency of 1 us", "most miss", _COMMAND)
def _tori_miss() -> Outcome:
    tori = _tori()
    missed = {name: sum(power.worst_ns > _CAP_NS for power in each.values()) for name, each in tori.items()}
    return check_statements(
        {f"{name}: most miss it": 2 * count > len(_SIZES) for name, count in missed.items()},
        "; ".join(f"{name}: {count} of {len(_SIZES)} miss" for name, count in missed.items()),
        _ASSUMED,
        figure=_figure_13(),
        details=f"{_in_ns(tori)}; {_SETTINGS}",
    )


@claim("nakano-2016/fig-13/graphs", "most grids and diagrids meet a worst latency of 1 us", "most meet", _COMMAND)
def _graphs_meet() -> Outcome:
    graphs = _graphs()
    met = [f"{kind} {n:,}" for kind, each in graphs.items() for n, power in each.items() if power.worst_ns <= _CAP_NS]
    return check_statements(
        {"most meet it": 2 * len(met) > len(KINDS) * len(_SIZES)},
        f"{len(met)} of {len(KINDS) * len(_SIZES)}: {', '.join(met)}",
        f"{_ASSUMED}; at 4,608 no graph can have less than {_least_reachable()}",
        figure=_figure_13(),
        details=f"{_in_ns(graphs)}; {_SETTINGS}",
    )


def _in_ns(values: Mapping[str, dict[int, _Power]] | Mapping[Kind, dict[int, _Power]]) -> str:
    return "worst latency in ns by size: " + "; ".join(
        f"{name} {', '.join(f'{n:,}: {power.worst_ns:.0f}' for n, power in each.items())}"
        for name, each in values.items()
    )


def _figure_13() -> Curves:
    worst = {
        name: {n: power.worst_ns for n, power in each.items()} for name, each in [*_tori().items(), *_graphs().items()]
    }
    return _over_size("13", "Worst zero-load latency after optimisation", "ns", worst)


@claim(
    "nakano-2016/fig-12/power", "grid and diagrid increase the network's power over the torus's", "increase", _COMMAND
)
def _more_power() -> Outcome:
    above = _above_tori("network_w")
    values = [value for each in above.values() for value in each.values()]
    return check_statements(
        {f"{name} draws more than {torus}": value > 0 for torus, each in above.items() for name, value in each.items()},
        f"{min(values):+.1f} to {max(values):+.1f} % against the torus, more in"
        f" {sum(value > 0 for value in values)} of {len(values)}",
        _ASSUMED,
        figure=_relative("12-power", "Network power", "network_w"),
        details=f"% above the torus: {_in_words(above)}; {_SETTINGS}",
    )


def _cost_claim(which: str, percent: str, choose: Callable[[Iterable[float]], float]) -> None:
    @claim(
        f"nakano-2016/fig-12/cost-{which}",
        f"the {which} increase of the network's cost over the torus's, of grids and diagrids (0.7 to 33 %)",
        f"{percent} %",
        _COMMAND,
    )
    def compute() -> Outcome:
        above = _above_tori("network_usd")
        ends = {name: choose(each.values()) for name, each in above.items()}
        nearest = min(ends, key=lambda name: abs(ends[name] - float(percent)))
        note = f"against the {nearest}; {_ASSUMED}"
        return compare(
            {"%": percent},
            {"%": ends[nearest]},
            readings=len(ends),
            digits=3,
            assumption=note,
            reason=note,
            figure=_relative("12-cost", "Network cost", "network_usd"),
            details=f"% above the torus: {_in_words(above)}; {_SETTINGS}",
        )


_cost_claim("least", "0.7", min)
_cost_claim("greatest", "33", max)


def _electric_claim(which: str, percent: str, choose: Callable[[Iterable[float]], float]) -> None:
    @claim(
        f"nakano-2016/section-viii-b/electric-{which}",
        f"the {which} share of electric cables between switches, of grids and diagrids (19 to 100 %)",
        f"{percent} %",
        f"{_OPTIMIZE} (it prints the cables' power: optical ones draw it)",
    )
    def compute() -> Outcome:
        shares = {
            f"{kind} {n:,}": 100 * power.electric for kind, each in _graphs().items() for n, power in each.items()
        }
        note = "the paper gives no sizes: 72 to 4,608 switches as in VIII.A"
        return compare(
            {"%": percent},
            {"%": choose(shares.values())},
            digits=3,
            assumption=note,
            reason=note,
            details=f"{listed(shares.items(), '{:.0f} %')}; {_SETTINGS}",
        )


_electric_claim("least", "19", min)
_electric_claim("greatest", "100", max)
