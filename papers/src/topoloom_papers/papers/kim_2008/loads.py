"""Claims of Kim 2008's figure 8: load curves of MIN, VAL, UGAL-G and UGAL-L on 1,056 hosts, for uniform random and worst-case
traffic. The paper was not at hand: numbers are quoted from memory where a claim says so; what notes on the paper say of its
routing is marked likewise.
"""

import math

from topoloom_papers._load_curves import Contender, LoadPoint, above, latency_figure, saturates, swept
from topoloom_papers.curves import Curves
from topoloom_papers.papers.kim_2008.structure import EXAMPLE
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, Step, check_statements, compare
from topoloom_papers.words import SAME, SIMILAR, means

#: Single-flit packets, 3 virtual channels with 16 flits each, and cables that take the same time everywhere.
_SETTINGS = ("vcs=3", "buffer_flits=48")
_CURVES = {
    "MIN": Contender("MIN", EXAMPLE, "dragonfly", _SETTINGS),
    "VAL": Contender("VAL", EXAMPLE, "valiant", _SETTINGS),
    "UGAL-G": Contender("UGAL-G", EXAMPLE, "ugal-g", _SETTINGS),
    "UGAL-L": Contender("UGAL-L", EXAMPLE, "ugal-l", _SETTINGS),
}
#: Steps of the search for saturation; of MIN in the worst case, whose 1/32 is below two steps of the first, a finer one.
_WIDTH, _FINE = 0.02, 0.001
_UNIFORM, _WORST = "uniform", "worst-case"
_LOADS = (0.1, 0.2, 0.3, 0.4)
_STEP = Step(0.03, "a step of the drawn curves and the search's width")
_SAID = f"1,056 hosts, p = h = 4, a = 8; packets of one flit, 3 virtual channels of 16 flits; saturation to {_WIDTH:g}"


def _saturation(name: str, traffic: str) -> float:
    """The greatest load that a routing carries."""
    return saturates(_CURVES[name], traffic, _WIDTH, (1,))[0]


def _swept(traffic: str) -> dict[str, list[LoadPoint]]:
    return {name: swept(_CURVES[name], traffic, _LOADS) for name in ("VAL", "UGAL-G", "UGAL-L")}


def _figure(traffic: str, letter: str) -> Curves:
    return latency_figure(f"kim-2008-figure-8{letter}", f"Latency, {traffic} traffic", _swept(traffic))


@claim(
    "kim-2008/fig-8a/val",
    "uniform random traffic: VAL carries half of the capacity",
    "0.5 (quoted from memory; not checked against the print)",
    f"topoloom simulate {EXAMPLE} --engine valiant --traffic uniform --loads 1 --saturation --saturation-width {_WIDTH:g}",
)
def _uniform_val() -> Outcome:
    return compare(
        {"VAL": 0.5},
        {"VAL": _saturation("VAL", _UNIFORM)},
        step=_STEP,
        digits=3,
        assumption=_SAID,
        reason=_SAID,
        figure=_figure(_UNIFORM, "a"),
    )


@claim(
    "kim-2008/fig-8a/min",
    "uniform random traffic: MIN carries more than VAL, and both UGAL as much as MIN",
    "more, as much (the purpose of adaptive routing, after the abstract)",
    f"topoloom simulate {EXAMPLE} --engine dragonfly --traffic uniform --loads 1 --saturation --saturation-width {_WIDTH:g}",
)
def _uniform_min() -> Outcome:
    found = {name: _saturation(name, _UNIFORM) for name in _CURVES}
    return check_statements(
        {
            "MIN carries more than VAL": above(found["MIN"], found["VAL"]),
            "UGAL-G carries as much as MIN": found["UGAL-G"] >= (1 - SAME) * found["MIN"],
            "UGAL-L carries as much as MIN": found["UGAL-L"] >= (1 - SAME) * found["MIN"],
        },
        ", ".join(f"{name} {value:.2f}" for name, value in found.items()),
        f"{means('as much', SAME)}; {_SAID}",
    )


@claim(
    "kim-2008/fig-8b/val-min",
    "worst-case traffic: VAL carries about half of the capacity, MIN 1/(a h) of it",
    "0.5, 0.031 (quoted from memory; not checked against the print)",
    f"topoloom simulate {EXAMPLE} --engine valiant --traffic worst-case --loads 1 --saturation --saturation-width {_WIDTH:g};"
    f" topoloom simulate {EXAMPLE} --engine dragonfly --traffic worst-case --loads 1 --saturation --saturation-width {_FINE:g}",
)
def _worst_val() -> Outcome:
    return compare(
        {"VAL": 0.5, "MIN": 1 / 32},
        {"VAL": _saturation("VAL", _WORST), "MIN": saturates(_CURVES["MIN"], _WORST, _FINE, (1,))[0]},
        step=Step({"VAL": 0.03, "MIN": round(SIMILAR / 32, 4)}, "of the drawn curves and the search; of MIN a tenth"),
        digits=3,
        assumption=f"each group sends to the next one. {_SAID}, of MIN to {_FINE:g}",
        reason=_SAID,
        figure=_figure(_WORST, "b"),
    )


@claim(
    "kim-2008/fig-8b/ugal-g",
    "worst-case traffic: UGAL with global information approaches the throughput of VAL",
    "approaches (abstract: that of ideal adaptive routing)",
    f"topoloom simulate {EXAMPLE} --engine ugal-g --traffic worst-case --loads 1 --saturation --saturation-width {_WIDTH:g}",
)
def _worst_ugal_g() -> Outcome:
    ideal, val = _saturation("UGAL-G", _WORST), _saturation("VAL", _WORST)
    return check_statements(
        {"close to VAL's": ideal >= (1 - SIMILAR) * val},
        f"UGAL-G {ideal:.2f}, VAL {val:.2f}",
        f"{means('approaches', SIMILAR)}; {_SAID}",
    )


@claim(
    "kim-2008/fig-8b/ugal-l",
    "worst-case traffic: with local queues only, adaptive routing gives degraded performance",
    "degraded (abstract)",
    f"topoloom simulate {EXAMPLE} --engine ugal-l --traffic worst-case --loads 0.1,0.2,0.3,0.4",
)
def _worst_ugal_l() -> Outcome:
    curves = _swept(_WORST)
    local, ideal = (
        {point.offered: point.latency_mean for point in curves[name] if not point.saturated}
        for name in ("UGAL-L", "UGAL-G")
    )
    both = [load for load in local if load in ideal]
    throughput = {name: _saturation(name, _WORST) for name in ("UGAL-L", "UGAL-G")}
    more = [(local[load] or math.inf) / (ideal[load] or math.inf) - 1 for load in both]
    return check_statements(
        {
            "its latency is at no load that both carry lower, unless about equal": bool(more) and min(more) >= -SAME,
            "and at the highest of them higher, by more than about equal": bool(more) and more[-1] > SAME,
            "it carries no more": not above(throughput["UGAL-L"], throughput["UGAL-G"]),
        },
        "; ".join(f"load {load:g}: UGAL-L {local[load]}, UGAL-G {ideal[load]} cycles" for load in both)
        + f"; saturation {throughput['UGAL-L']:.2f} and {throughput['UGAL-G']:.2f}",
        f"{means('about equal', SAME)}; two readings: higher at every load, or equal at low load, which fits; {_SAID}",
        readings=2,
        figure=_figure(_WORST, "b"),
    )
