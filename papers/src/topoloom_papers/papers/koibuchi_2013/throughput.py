"""Claims of Koibuchi 2013 on throughput, with its curves: figures 5 to 8, 10 and 13; all are long runs."""

from dataclasses import replace
from itertools import pairwise
from statistics import fmean

from topoloom_papers.curves import Curves, Series
from topoloom_papers.papers.koibuchi_2013._escapes import accepted_beyond
from topoloom_papers.papers.koibuchi_2013._ranges import compare_range
from topoloom_papers.papers.koibuchi_2013._switch_loads import (
    Network,
    before_collapse,
    further_draws,
    gbit_s,
    greatest,
    sweep,
    throughput,
)
from topoloom_papers.papers.koibuchi_2013.latency import (
    CLOS_READINGS,
    PATTERNS,
    clos_networks,
    constrained_networks,
    networks,
    torus_networks,
)
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, check_statements, listed
from topoloom_papers.words import MUCH, SAME, SIMILAR, means

THROUGHPUT_NOTE = (
    "throughput: the most traffic accepted before saturation (Koibuchi 2013 III.C.1), in Gbit/s per host; of one draw, but of"
    " PF-CLOS the mean of four"
)
LATENCY_NOTE = (
    "throughput: accepted traffic at which latency passes 1.2 us (Koibuchi 2013 III.D), of one draw, in Gbit/s per host"
)
#: Distance of offered loads; `FINE` for networks of degree 4 and the Clos, which saturate early.
STEP, FINE = 0.05, 0.02
#: Further draws of PF-CLOS, whose draws differ most and are quick; a draw of figures 5 to 7 and 13 takes minutes.
_FURTHER = (2, 3, 4)

_Panel = tuple[Curves, dict[str, float]]


def throughputs(panel: str, traffic: str) -> dict[str, float]:
    """Throughput in Gbit/s per host before saturation of each network of figure 5, 6, 7, 8-80, 8-160 or 13."""
    return _figure(panel, traffic)[1]


def curve(network: Network, label: str, traffic: str) -> list[tuple[float, float]]:
    """The curve of a network's first draw up to saturation.

    Parameters
    ----------
    network : Network
    label : str
        Its name in the figure; networks of degree 4 and the Clos saturate early and have finer steps.
    traffic : str
        The name of a pattern.

    Returns
    -------
    list of (float, float)
        Accepted traffic in Gbit/s per host, and mean latency in ns.
    """
    early = label.endswith("-4") or "CLOS" in label
    return before_collapse(sweep(network, traffic, FINE if early else STEP))


def _figure(name: str, traffic: str) -> _Panel:
    """The curves of one panel up to saturation, of the first draw, and each network's throughput in Gbit/s per host."""
    title, panel_networks = _panel(name)
    series, loads = [], {}
    for label, network in panel_networks.items():
        points = curve(network, label, traffic)
        series.append(Series(label, tuple(points)))
        loads[label] = greatest(points)
        if label == "PF-CLOS":
            loads[label] = fmean([loads[label], *further_draws(network, traffic, FINE / 4, _FURTHER)])
    drawn = Curves(
        f"koibuchi-2013-figure-{name}-{traffic}",
        f"{title}, {traffic} traffic",
        "accepted traffic [Gbit/s per host]",
        "mean latency [ns]",
        tuple(series),
    )
    return drawn, loads


def _panel(name: str) -> tuple[str, dict[str, Network]]:
    if name in ("5", "6", "7"):
        n = {"5": 6, "6": 8, "7": 9}[name]
        return f"{2**n} switches", networks(n) | (torus_networks() if n == 8 else {})
    if name.startswith("8"):
        return f"Myrinet Clos, {name[2:]} switches", clos_networks(int(name[2:]))
    return "256 switches, constrained shortcuts", constrained_networks()


def _at_latency(labels: tuple[str, ...], traffic: str) -> dict[str, float]:
    """Throughput in Gbit/s per host of networks of figure 6 as figure 10 reads it."""
    return {
        label: throughput(curve(network, label, traffic))
        for label, network in _panel("6")[1].items()
        if label in labels
    }


def _in_words(throughputs: dict[str, float]) -> str:
    return ", ".join(f"{label} {value:.1f}" for label, value in throughputs.items())


def _command(name: str, label: str, traffic: str) -> str:
    return _panel(name)[1][label].command(traffic, "0.01:0.5:0.05")


def _alike(panel: _Panel, labels: tuple[str, ...], word: str, threshold: float) -> Outcome:
    """Whether the throughputs of some networks differ by no more than a word allows."""
    drawn, loads = panel
    compared = [loads[label] for label in labels]
    spread = max(compared) / min(compared) - 1
    return check_statements(
        {f"the greatest is within {100 * threshold:g} % of the least": spread <= threshold},
        f"spread {100 * spread:.1f} %: {_in_words({label: loads[label] for label in labels})}",
        f"{means(word, threshold)}; {THROUGHPUT_NOTE}",
        figure=drawn,
    )


#: The figure whose P-HYPERCUBE is simulated beyond saturation, and the load, in flits per host and cycle.
_COLLAPSE_OF, _BEYOND = "5", 0.5


def _with_collapse(outcome: Outcome) -> Outcome:
    """The outcome, with what was tried against the collapse of P-HYPERCUBE beyond saturation in its details."""
    tried = accepted_beyond(_panel(_COLLAPSE_OF)[1]["P-HYPERCUBE"], _BEYOND)
    return replace(
        outcome,
        details=f"P-HYPERCUBE at an offered {gbit_s(_BEYOND):.0f} Gbit/s, beyond saturation, accepts, by variant of the"
        f" routing: {listed(tried.items(), '{:.1f}')}",
    )


def _hypercubes(figure: str, n: int, traffic: str) -> None:
    labels = tuple(networks(n))

    @claim(
        f"koibuchi-2013/fig-{figure}/throughput/{traffic}",
        f"throughput of all hypercubes and RING-{n}, {2**n} switches, {traffic} traffic",
        "similar",
        _command(figure, f"RING-{n}", traffic),
    )
    def compute() -> Outcome:
        outcome = _alike(_figure(figure, traffic), labels, "similar", SIMILAR)
        return _with_collapse(outcome) if (figure, traffic) == (_COLLAPSE_OF, "uniform") else outcome


def _tori(traffic: str) -> None:
    @claim(
        f"koibuchi-2013/fig-6/throughput/torus-4/{traffic}",
        f"throughput, 256 switches, {traffic} traffic: TORUS-4 saturates first, then PF-, P-TORUS-4, RING-4",
        "the order",
        _command("6", "RING-4", traffic),
    )
    def compute() -> Outcome:
        drawn, throughputs = _figure("6", traffic)
        tori = {label: throughputs[label] for label in ("TORUS-4", "PF-TORUS-4", "P-TORUS-4", "RING-4")}
        return check_statements(
            {f"{first} before {second}": a < b for (first, a), (second, b) in pairwise(tori.items())},
            _in_words(tori),
            THROUGHPUT_NOTE,
            figure=drawn,
        )

    @claim(
        f"koibuchi-2013/fig-10/degree-4/{traffic}",
        f"throughput: RING-4 above P-TORUS-4, 256 switches, {traffic} traffic",
        "100-150 %",
        _command("6", "RING-4", traffic),
    )
    def gain() -> Outcome:
        loads = _at_latency(("P-TORUS-4", "RING-4"), traffic)
        ours = 100 * (loads["RING-4"] / loads["P-TORUS-4"] - 1)
        note = f"{LATENCY_NOTE}: {_in_words(loads)}"
        return compare_range(100, 150, {"%": ours}, assumption=note, reason=note, figure=_figure("6", traffic)[0])


for _traffic in PATTERNS:
    _hypercubes("5", 6, _traffic)
    _hypercubes("6", 8, _traffic)
    _tori(_traffic)
    _hypercubes("7", 9, _traffic)


def _clos(switches: int, traffic: str) -> None:
    name = f"8-{switches}"

    @claim(
        f"koibuchi-2013/fig-8/throughput-{switches}/{traffic}",
        f"throughput of the Clos and the permuted one, {switches} switches, {traffic} traffic",
        "sensibly the same",
        _command(name, "PF-CLOS", traffic),
    )
    def compute() -> Outcome:
        drawn, loads = _figure(name, traffic)
        apart = {
            reading: max(loads["CLOS"], loads[label]) / min(loads["CLOS"], loads[label]) - 1
            for reading, label in CLOS_READINGS.items()
        }
        return check_statements(
            {f"{reading}: within {100 * SAME:g} %": value <= SAME for reading, value in apart.items()},
            f"difference: {listed([(reading, 100 * value) for reading, value in apart.items()], '{:.1f} %')};"
            f" {_in_words(loads)}",
            f"{means('sensibly the same', SAME)}, with all sizes of racks that were tried, as the paper gives no size;"
            " up*/down* by the levels of the Clos, and from one root where the permuted one has none",
            figure=drawn,
            details=THROUGHPUT_NOTE,
        )


for _switches in (80, 160):
    _clos(_switches, "uniform")
    _clos(_switches, "transpose")


@claim(
    "koibuchi-2013/fig-13/uniform",
    "throughput of RING-8, Nbr(0.4)-, Nbr(0.5)-, Gau(0.7)-, Gau(1.0)-8, uniform traffic",
    "sensibly the same",
    _command("13", "Nbr(0.5)-8", "uniform"),
)
def _constrained_uniform() -> Outcome:
    return _alike(_figure("13", "uniform"), tuple(_panel("13")[1]), "sensibly the same", SAME)


@claim(
    "koibuchi-2013/fig-13/transpose",
    "throughput, transpose traffic: Nbr(0.4)-8 and Gau(0.7)-8 significantly below the three others",
    "both are",
    _command("13", "Nbr(0.4)-8", "transpose"),
)
def _constrained_transpose() -> Outcome:
    drawn, loads = _figure("13", "transpose")
    least = min(loads[label] for label in ("RING-8", "Nbr(0.5)-8", "Gau(1.0)-8"))
    return check_statements(
        {
            f"{label} is more than {100 * MUCH:g} % below": loads[label] < least * (1 - MUCH)
            for label in ("Nbr(0.4)-8", "Gau(0.7)-8")
        },
        _in_words(loads),
        f"{means('significantly', MUCH)}, compared with the least of the three others; {THROUGHPUT_NOTE}",
        figure=drawn,
    )


def _degree_8(traffic: str, published: str, less: bool) -> None:
    @claim(
        f"koibuchi-2013/fig-10/degree-8/{traffic}",
        f"throughput: RING-8 above P-HYPERCUBE, 256 switches, {traffic} traffic",
        published,
        _command("6", "RING-8", traffic),
    )
    def compute() -> Outcome:
        loads = _at_latency(("RING-8", "P-HYPERCUBE"), traffic)
        gain = 100 * (loads["RING-8"] / loads["P-HYPERCUBE"] - 1)
        parts = {"lower": gain < 0} if less else {"higher": gain > 0, "by less than 0.04 %": gain < 0.04}
        return check_statements(
            parts,
            f"{gain:+.2f} %: P-HYPERCUBE {loads['P-HYPERCUBE']:.2f}, RING-8 {loads['RING-8']:.2f}",
            f"{LATENCY_NOTE}; two draws differ by more than 0.04 %",
            figure=_figure("6", traffic)[0],
        )


_degree_8("uniform", "less than 0.04 %", False)
_degree_8("transpose", "less than 0.04 %", False)
_degree_8("bit-reversal", "lower", True)
