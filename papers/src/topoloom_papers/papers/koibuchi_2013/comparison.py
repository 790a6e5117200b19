"""Claims of Koibuchi 2013's sections I, V and VII: random topologies compared, and their reliability."""

from functools import lru_cache, partial
from itertools import pairwise
from statistics import fmean

from topoloom.failures.resilience import resilience
from topoloom.topologies.spec import build
from topoloom_papers.curves import Curves, Series
from topoloom_papers.long_runs import long_run
from topoloom_papers.papers.koibuchi_2013._curves import (
    LATENCY_NOTE,
    THROUGHPUT_NOTE,
    at_latency,
    commands,
    curves,
    means_of,
    ranges,
)
from topoloom_papers.papers.koibuchi_2013._switch_loads import DRAWS, LOW_4, Network, low_ns
from topoloom_papers.papers.koibuchi_2013.latency import (
    CLOS_READINGS,
    PATTERNS,
    clos_networks,
    networks,
    torus_networks,
)
from topoloom_papers.papers.koibuchi_2013.layout import laid_out
from topoloom_papers.papers.koibuchi_2013.throughput import throughputs
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, Step, check_statements, compare, listed
from topoloom_papers.words import SAME, SIMILAR, means

#: Latencies that differ by at most this count as equal, in %: Koibuchi 2013 III.D, "only between 3 % and 5 %" (RING-8 and
#: P-HYPERCUBE).
_EQUAL_PERCENT = 5.0


@lru_cache(maxsize=1)
def _rivals() -> dict[str, Network]:
    """The networks of figure 16."""
    eight, four = networks(8), torus_networks()
    nbr = "nbr:n=256,degree={},p=0.5,hosts=8,seed={{seed}}"
    return {
        "P-TORUS-4": four["P-TORUS-4"],
        "Nbr(0.5)-4": Network(nbr.format(4), "silla-duato", low=LOW_4, coarse=PATTERNS),
        "RING-4": four["RING-4"],
        "P-HYPERCUBE": eight["P-HYPERCUBE"],
        "Nbr(0.5)-8": Network(nbr.format(8), "silla-duato", coarse=PATTERNS),
        "RING-8": eight["RING-8"],
    }


def _lengths_m() -> dict[str, float]:
    """Mean cable lengths between racks in m: permuted networks in sequence, the others by Walktrap and annealing."""

    def compute() -> dict[str, float]:
        lengths_m = {}
        for name, network in _rivals().items():
            spec = network.spec.format(seed=1)
            method = ("sequential", "rows") if name.startswith("P-") else ("walktrap", "anneal")
            lengths_m[name] = round(laid_out(spec, *method).mean_between_m, 4)
        return lengths_m

    return long_run(
        "topoloom layout NETWORK --floor koibuchi-2013 --switches-per-rack 16 of those of figure 16, --cluster sequential "
        "--map rows"
        " for P-TORUS-4 and P-HYPERCUBE, --cluster walktrap --map anneal for Nbr(0.5) and RING",
        dict[str, float],
        compute,
    )


def _latencies_ns(traffic: str) -> dict[str, float]:
    return {name: fmean(low_ns(network, traffic, DRAWS)) for name, network in _rivals().items()}


def _figure(traffic: str, values: dict[str, float], what: str, unit: str) -> Curves:
    lengths_m = _lengths_m()
    return Curves(
        f"koibuchi-2013-figure-16-{what}-{traffic}",
        f"256 switches, {traffic} traffic",
        "mean length between racks [m]",
        f"{what} [{unit}]",
        tuple(Series(name, ((lengths_m[name], value),)) for name, value in values.items()),
        joined=False,
    )


_COMMAND = networks(8)["P-HYPERCUBE"].command("uniform")


def _panels(traffic: str) -> None:
    @claim(
        f"koibuchi-2013/fig-16/latency/{traffic}",
        f"256 switches, {traffic} traffic: P-HYPERCUBE is best at degree 8; at degree 4 P-TORUS is the most economical, RING"
        " the fastest, Nbr(0.5) in between",
        "best; compromise",
        _COMMAND.replace("uniform", traffic),
    )
    def latency() -> Outcome:
        latencies_ns = _latencies_ns(traffic)
        best = min(latencies_ns.values())
        return check_statements(
            _best_and_between(
                {name: value <= best * (1 + _EQUAL_PERCENT / 100) for name, value in latencies_ns.items()},
                {name: -value for name, value in latencies_ns.items()},
            ),
            f"ns: {listed(latencies_ns.items(), '{:.0f}')}; m: {listed(_lengths_m().items(), '{:.2f}')}",
            f"best: no network's latency is more than {_EQUAL_PERCENT:g} % lower, and equally fast ones have longer cables;"
            " latency at low load, length between racks",
            figure=_figure(traffic, latencies_ns, "latency", "ns"),
        )

    @claim(
        f"koibuchi-2013/fig-16/throughput/{traffic}",
        f"256 switches, {traffic} traffic: P-HYPERCUBE has the best throughput for its cables; at degree 4 P-TORUS is the most"
        " economical, RING the best, Nbr(0.5) in between",
        "best; compromise",
        commands(_rivals().values(), traffic),
    )
    def load() -> Outcome:
        draws = {name: [at_latency(each) for each in curves(network, traffic)] for name, network in _rivals().items()}
        gbit_s_of = means_of(draws)
        best = max(gbit_s_of.values())
        return check_statements(
            _best_and_between({name: value >= best * (1 - SIMILAR) for name, value in gbit_s_of.items()}, gbit_s_of),
            f"Gbit/s per host: {listed(gbit_s_of.items(), '{:.1f}')}; m: {listed(_lengths_m().items(), '{:.2f}')}",
            f"best: no network's throughput is more than {100 * SIMILAR:g} % higher, and equally good ones have longer cables;"
            f" {LATENCY_NOTE}",
            figure=_figure(traffic, gbit_s_of, "throughput", "Gbit/s per host"),
            details=ranges(draws),
        )


def _best_and_between(as_good: dict[str, bool], good: dict[str, float]) -> dict[str, bool]:
    """The statements on figure 16. `as_good`: whether a network is about as good as the best; `good`: higher is better."""
    lengths_m = _lengths_m()
    parts = {"P-HYPERCUBE is as good as any": as_good["P-HYPERCUBE"]}
    for name, is_as_good in as_good.items():
        if is_as_good and name != "P-HYPERCUBE":
            parts[f"{name}, equally good, has longer cables than P-HYPERCUBE"] = (
                lengths_m[name] > lengths_m["P-HYPERCUBE"]
            )
    for low, high in pairwise(("P-TORUS-4", "Nbr(0.5)-4", "RING-4")):
        parts[f"{low} has shorter cables than {high}"] = lengths_m[low] < lengths_m[high]
        parts[f"{high} is better than {low}"] = good[high] > good[low]
    return parts


for _traffic in PATTERNS:
    _panels(_traffic)


@claim(
    "koibuchi-2013/section-i/permuted-throughput",
    "a permuted topology has identical or higher throughput: HYPERCUBE of 64, 256 and 512 switches, TORUS-4, Clos",
    "identical or higher",
    commands([networks(8)[name] for name in ("HYPERCUBE", "P-HYPERCUBE")], "uniform")
    + "; the others as figures 5 to 8 have them",
)
def _permuted_throughput() -> Outcome:
    pairs = [(panel, "HYPERCUBE", "P-HYPERCUBE") for panel in ("5", "6", "7")] + [("6", "TORUS-4", "P-TORUS-4")]
    pairs += [(panel, "CLOS", label) for panel in ("8-80", "8-160") for label in CLOS_READINGS.values()]
    gains = {}
    for panel, plain, permuted in pairs:
        for traffic in PATTERNS[:2] if panel.startswith("8") else PATTERNS:
            gbit_s_of = means_of(throughputs(panel, traffic))
            gains[f"figure {panel}, {permuted}, {traffic}"] = 100 * (gbit_s_of[permuted] / gbit_s_of[plain] - 1)
    return check_statements(
        {f"{name}: not lower": gain >= -100 * SAME for name, gain in gains.items()},
        f"%: {listed(gains.items(), '{:+.0f}')}",
        f"identical or higher: at most {100 * SAME:g} % lower; {THROUGHPUT_NOTE}",
    )


@claim(
    "koibuchi-2013/section-iii-c/ring-throughput",
    "RING-n has better throughput than all HYPERCUBE versions, 64, 256 and 512 switches, all three patterns",
    "better",
    commands(networks(8).values(), "uniform") + "; the others as figures 5 to 7 have them",
)
def _ring_throughput() -> Outcome:
    parts: dict[str, bool] = {}
    rows: list[str] = []
    for panel, n in (("5", 6), ("6", 8), ("7", 9)):
        for traffic in PATTERNS:
            others = means_of({name: throughputs(panel, traffic)[name] for name in networks(n)})
            ring = others.pop(f"RING-{n}")
            parts |= {f"{2**n} switches, {traffic}: above {name}": ring > load for name, load in others.items()}
            rows.append(f"{2**n} switches, {traffic}: RING-{n} {ring:.1f}, {listed(others.items(), '{:.1f}')}")
    return check_statements(
        parts,
        "; ".join(rows),
        f"{THROUGHPUT_NOTE}; for its latency see koibuchi-2013/fig-5/order, fig-6/order and fig-7/order",
    )


@claim(
    "koibuchi-2013/section-vii/latency",
    "the largest improvement of latency by permutation: direct topologies, indirect ones",
    "about 15 %, about 25 %",
    networks(8)["P-HYPERCUBE"].command("transpose"),
)
def _largest_improvement() -> Outcome:
    cubes = {f"HYPERCUBE, {2**n} switches": (networks(n)["P-HYPERCUBE"], networks(n)["HYPERCUBE"]) for n in (6, 8, 9)}
    tori = {"TORUS-4": (torus_networks()["P-TORUS-4"], torus_networks()["TORUS-4"])}
    gains = {
        f"{name}, {traffic}": 100 * (1 - fmean(low_ns(better, traffic, DRAWS)) / fmean(low_ns(worse, traffic, DRAWS)))
        for name, (better, worse) in {**cubes, **tori}.items()
        for traffic in PATTERNS
    }
    most = {kind: max(gains[name] for name in gains if name.startswith(kind)) for kind in ("HYPERCUBE", "TORUS-4")}
    indirect = {
        reading: max(
            100 * (1 - fmean(low_ns(clos[label], traffic, DRAWS)) / fmean(low_ns(clos["CLOS"], traffic, DRAWS)))
            for clos in (clos_networks(80), clos_networks(160))
            for traffic in PATTERNS
        )
        for reading, label in CLOS_READINGS.items()
    }
    nearest = min(indirect.values(), key=lambda gain: abs(gain - 25))
    note = (
        f"the largest over all networks; direct: {listed(most.items(), '{:.1f}')}; indirect:"
        f" {listed(indirect.items(), '{:.1f}')}; the paper's figure 6 has 17.2 % for one of the hypercubes; all direct ones:"
        f" {listed(gains.items(), '{:.1f}')}"
    )
    return compare(
        {"direct, %": "15", "indirect, %": "25"},
        {"direct, %": max(most.values()), "indirect, %": nearest},
        step=Step(2.5, "half of five, for '~'"),
        readings=len(indirect),
        digits=3,
        assumption=note,
        reason=note,
    )


@claim(
    "koibuchi-2013/section-v/reliability",
    "permuted, constrained and random shortcuts have similar reliability: P-HYPERCUBE, Nbr(0.5)-8, RING-8, 256 switches",
    "similar",
    "topoloom resilience ring-shortcuts:n=256,degree=8 --interval-width 0.005",
)
def _reliability() -> Outcome:
    specs = {
        "P-HYPERCUBE": "hypercube:n=8+permute:mode=partial,rack=16",
        "Nbr(0.5)-8": "nbr:n=256,degree=8,p=0.5",
        "RING-8": "ring-shortcuts:n=256,degree=8",
    }
    failing = {
        name: long_run(f"topoloom resilience {spec} --interval-width 0.005", float, partial(_three_quarters, spec))
        for name, spec in specs.items()
    }
    spread = 100 * (max(failing.values()) / min(failing.values()) - 1)
    return check_statements(
        {f"the greatest is within {100 * SIMILAR:.0f} % of the least": spread <= 100 * SIMILAR},
        f"{listed(failing.items(), '{:.1f}')} % of all links",
        f"the share of random link failures after which the network is still connected in three quarters of the orders;"
        f" {means('similar', SIMILAR)}",
    )


def _three_quarters(spec: str) -> float:
    exact = resilience(build(spec), interval_width=0.005).exact
    return round(100 * (exact or 0.0), 3)
