"""Claims of Nakano 2016, VIII.B: the least power with a worst latency below 1 us (figures 12 and 13).

Any cable length; racks of 0.6 m x 2.1 m; 1 m of cable overhead at each end.
"""

from dataclasses import dataclass, replace
from functools import lru_cache

import msgspec

from topoloom.cost.parts import Parts
from topoloom.cost.parts_files import load_parts
from topoloom.cost.placed import place
from topoloom.optimizer.goals import Goal, Weighed, weigh
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
_B_LENGTH = {72: 5, 288: 8, 1152: 8}
_B_MOVES = {72: 10_000, 288: 20_000, 1152: 100_000}


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
    """A network's worst latency (ns), power (W), cost (USD), and the share of electric cables."""

    worst_ns: float
    network_w: float
    network_usd: float
    electric: float


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
        return _power(weigh(links, lengths, goal), switches)

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


_SIZES = (72, 288, 1152)
_ASSUMED = (
    "h + 1 switches on a path of h hops, as in VIII.A; the paper gives no sizes and no placement of its torus: here in joint"
    " placement, and as in VIII.A; switches of 36 ports at Besta 2014's prices; the axes of a diagrid are its diagonals"
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


@claim(
    "nakano-2016/fig-13",
    "worst zero-load latency after optimisation: most tori miss 1 us, most grids and diagrids meet it",
    "most miss; most meet",
    "topoloom reproduce nakano-2016/fig-13",
)
def _figure_13() -> Outcome:
    tori, graphs = _tori(), _graphs()
    parts = {
        f"{name}: most miss it": 2 * sum(power.worst_ns > _CAP_NS for power in each.values()) > len(_SIZES)
        for name, each in tori.items()
    }
    met = sum(power.worst_ns <= _CAP_NS for each in graphs.values() for power in each.values())
    parts["most grids and diagrids meet it"] = 2 * met > len(KINDS) * len(_SIZES)
    worst = {name: {n: power.worst_ns for n, power in each.items()} for name, each in [*tori.items(), *graphs.items()]}
    return check_statements(
        parts,
        "; ".join(f"{name} {', '.join(f'{n:,}: {ns:.0f}' for n, ns in each.items())}" for name, each in worst.items())
        + " ns",
        _ASSUMED,
        figure=_over_size("13", "Worst zero-load latency after optimisation", "ns", worst),
    )


@claim(
    "nakano-2016/fig-12/power",
    "grid and diagrid increase the network's power over the torus's",
    "increase",
    "topoloom reproduce nakano-2016/fig-12",
)
def _more_power() -> Outcome:
    above = _above_tori("network_w")
    return check_statements(
        {f"{name} draws more than {torus}": value > 0 for torus, each in above.items() for name, value in each.items()},
        f"% above the torus: {_in_words(above)}",
        _ASSUMED,
        figure=_relative("12-power", "Network power", "network_w"),
    )


@claim(
    "nakano-2016/fig-12/cost",
    "the network's cost is 0.7 to 33 % above the torus's",
    "0.7-33 %",
    "topoloom reproduce nakano-2016/fig-12",
)
def _more_cost() -> Outcome:
    above = _above_tori("network_usd")
    note = f"% above the torus: {_in_words(above)}; {_ASSUMED}"
    ends = {name: (min(each.values()), max(each.values())) for name, each in above.items()}
    least, most = min(ends.values(), key=lambda pair: abs(pair[0] - 0.7) + abs(pair[1] - 33))
    return compare(
        {"least %": "0.7", "greatest %": "33"},
        {"least %": least, "greatest %": most},
        readings=len(ends),
        digits=3,
        assumption=note,
        reason=note,
        figure=_relative("12-cost", "Network cost", "network_usd"),
    )


@claim(
    "nakano-2016/section-viii-b/electric",
    "19 to 100 % of the cables of grids and diagrids are electric",
    "19-100 %",
    "topoloom reproduce nakano-2016/section-viii-b/electric",
)
def _electric() -> Outcome:
    shares = {f"{kind} {n:,}": 100 * power.electric for kind, each in _graphs().items() for n, power in each.items()}
    note = f"{listed(shares.items(), '{:.0f} %')}; {_ASSUMED}"
    return compare(
        {"least %": "19", "greatest %": "100"},
        {"least %": min(shares.values()), "greatest %": max(shares.values())},
        digits=3,
        assumption=note,
        reason=note,
    )
