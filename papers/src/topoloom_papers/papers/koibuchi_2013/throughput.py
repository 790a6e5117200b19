"""Claims of Koibuchi 2013 on throughput, with its curves: figures 5 to 8, 10 and 13; all are long runs."""

from dataclasses import replace
from itertools import pairwise

from topoloom_papers.curves import Curves, Series
from topoloom_papers.papers.koibuchi_2013._curves import (
    LATENCY_NOTE,
    THROUGHPUT_NOTE,
    at_latency,
    commands,
    curves,
    greatest,
    means_of,
    ranges,
)
from topoloom_papers.papers.koibuchi_2013._escapes import accepted_beyond
from topoloom_papers.papers.koibuchi_2013._ranges import compare_range
from topoloom_papers.papers.koibuchi_2013._switch_loads import Network, gbit_s
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

#: A panel's curves, and the throughputs of each network's draws in Gbit/s per host.
_Panel = tuple[Curves, dict[str, list[float]]]


def throughputs(panel: str, traffic: str) -> dict[str, list[float]]:
    """Throughputs in Gbit/s per host of the draws of each network of figure 5, 6, 7, 8-80, 8-160 or 13."""
    return _figure(panel, traffic)[1]


def _figure(name: str, traffic: str) -> _Panel:
    """The curves of one panel, of the first draw, and the throughputs of all draws."""
    title, panel_networks = _panel(name)
    by_label = {label: curves(network, traffic) for label, network in panel_networks.items()}
    drawn = Curves(
        f"koibuchi-2013-figure-{name}-{traffic}",
        f"{title}, {traffic} traffic",
        "accepted traffic [Gbit/s per host]",
        "mean latency [ns]",
        tuple(Series(label, tuple(draws[0])) for label, draws in by_label.items()),
    )
    return drawn, {label: [greatest(draw) for draw in draws] for label, draws in by_label.items()}


def _panel(name: str) -> tuple[str, dict[str, Network]]:
    if name in ("5", "6", "7"):
        n = {"5": 6, "6": 8, "7": 9}[name]
        return f"{2**n} switches", networks(n) | (torus_networks() if n == 8 else {})
    if name.startswith("8"):
        return f"Myrinet Clos, {name[2:]} switches", clos_networks(int(name[2:]))
    return "256 switches, constrained shortcuts", constrained_networks()


def _at_latency(labels: tuple[str, ...], traffic: str) -> dict[str, list[float]]:
    """Throughputs in Gbit/s per host of the draws of networks of figure 6, as figure 10 reads them."""
    return {label: [at_latency(draw) for draw in curves(_panel("6")[1][label], traffic)] for label in labels}


def _in_words(throughputs: dict[str, float]) -> str:
    return ", ".join(f"{label} {value:.1f}" for label, value in throughputs.items())


def _commands(name: str, traffic: str, labels: tuple[str, ...] = ()) -> str:
    """Commands for the throughputs of a panel's networks, or of those named."""
    panel = _panel(name)[1]
    return commands([panel[label] for label in labels or panel], traffic)


def _alike(panel: _Panel, labels: tuple[str, ...], word: str, threshold: float) -> Outcome:
    """Whether the throughputs of some networks differ by no more than a word allows."""
    drawn, draws = panel
    compared = means_of({label: draws[label] for label in labels})
    spread = max(compared.values()) / min(compared.values()) - 1
    return check_statements(
        {f"the greatest is within {100 * threshold:g} % of the least": spread <= threshold},
        f"spread {100 * spread:.1f} %: {_in_words(compared)}",
        f"{means(word, threshold)}; {THROUGHPUT_NOTE}",
        figure=drawn,
        details=ranges({label: draws[label] for label in labels}),
    )


#: The figure whose P-HYPERCUBE is simulated beyond saturation, and the load, in flits per host and cycle.
_COLLAPSE_OF, _BEYOND = "5", 0.5


def _with_collapse(outcome: Outcome) -> Outcome:
    """The outcome, with what was tried against the collapse of P-HYPERCUBE beyond saturation in its details."""
    tried = accepted_beyond(_panel(_COLLAPSE_OF)[1]["P-HYPERCUBE"], _BEYOND)
    return replace(
        outcome,
        details=f"{outcome.details}; P-HYPERCUBE at an offered {gbit_s(_BEYOND):.0f} Gbit/s, beyond saturation, accepts, by"
        f" variant of the routing: {listed(tried.items(), '{:.1f}')}",
    )


def _hypercubes(figure: str, n: int, traffic: str) -> None:
    labels = tuple(networks(n))

    @claim(
        f"koibuchi-2013/fig-{figure}/throughput/{traffic}",
        f"throughput of all hypercubes and RING-{n}, {2**n} switches, {traffic} traffic",
        "similar",
        _commands(figure, traffic, labels),
    )
    def compute() -> Outcome:
        outcome = _alike(_figure(figure, traffic), labels, "similar", SIMILAR)
        return _with_collapse(outcome) if (figure, traffic) == (_COLLAPSE_OF, "uniform") else outcome


def _tori(traffic: str) -> None:
    order = ("TORUS-4", "PF-TORUS-4", "P-TORUS-4", "RING-4")

    @claim(
        f"koibuchi-2013/fig-6/throughput/torus-4/{traffic}",
        f"throughput, 256 switches, {traffic} traffic: TORUS-4 saturates first, then PF-, P-TORUS-4, RING-4",
        "the order",
        _commands("6", traffic, order),
    )
    def compute() -> Outcome:
        drawn, draws = _figure("6", traffic)
        tori = {label: draws[label] for label in order}
        loads = means_of(tori)
        return check_statements(
            {f"{first} before {second}": loads[first] < loads[second] for first, second in pairwise(order)},
            _in_words(loads),
            THROUGHPUT_NOTE,
            figure=drawn,
            details=ranges(tori),
        )

    pair = ("P-TORUS-4", "RING-4")

    @claim(
        f"koibuchi-2013/fig-10/degree-4/{traffic}",
        f"throughput: RING-4 above P-TORUS-4, 256 switches, {traffic} traffic",
        "100-150 %",
        _commands("6", traffic, pair),
    )
    def gain() -> Outcome:
        draws = _at_latency(pair, traffic)
        loads = means_of(draws)
        ours = 100 * (loads["RING-4"] / loads["P-TORUS-4"] - 1)
        note = f"{LATENCY_NOTE}: {_in_words(loads)}; {ranges(draws)}"
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
        _commands(name, traffic, ("CLOS", "PF-CLOS")) + " (no command expresses the other racks)",
    )
    def compute() -> Outcome:
        drawn, draws = _figure(name, traffic)
        loads = means_of(draws)
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
            details=f"{THROUGHPUT_NOTE}; {ranges(draws)}",
        )


for _switches in (80, 160):
    _clos(_switches, "uniform")
    _clos(_switches, "transpose")


@claim(
    "koibuchi-2013/fig-13/uniform",
    "throughput of RING-8, Nbr(0.4)-, Nbr(0.5)-, Gau(0.7)-, Gau(1.0)-8, uniform traffic",
    "sensibly the same",
    _commands("13", "uniform"),
)
def _constrained_uniform() -> Outcome:
    return _alike(_figure("13", "uniform"), tuple(_panel("13")[1]), "sensibly the same", SAME)


@claim(
    "koibuchi-2013/fig-13/transpose",
    "throughput, transpose traffic: Nbr(0.4)-8 and Gau(0.7)-8 significantly below the three others",
    "both are",
    _commands("13", "transpose"),
)
def _constrained_transpose() -> Outcome:
    drawn, draws = _figure("13", "transpose")
    loads = means_of(draws)
    least = min(loads[label] for label in ("RING-8", "Nbr(0.5)-8", "Gau(1.0)-8"))
    return check_statements(
        {
            f"{label} is more than {100 * MUCH:g} % below": loads[label] < least * (1 - MUCH)
            for label in ("Nbr(0.4)-8", "Gau(0.7)-8")
        },
        _in_words(loads),
        f"{means('significantly', MUCH)}, compared with the least of the three others; {THROUGHPUT_NOTE}",
        figure=drawn,
        details=ranges(draws),
    )


def _degree_8(traffic: str, published: str) -> None:
    pair = ("P-HYPERCUBE", "RING-8")

    @claim(
        f"koibuchi-2013/fig-10/degree-8/{traffic}",
        f"throughput: RING-8 {'below' if published == 'lower' else 'above'} P-HYPERCUBE, 256 switches, {traffic} traffic",
        published,
        _commands("6", traffic, pair),
    )
    def compute() -> Outcome:
        draws = _at_latency(pair, traffic)
        loads = means_of(draws)
        gain = loads["RING-8"] / loads["P-HYPERCUBE"] - 1
        read, holds = f"the same within {100 * SAME:g} %", abs(gain) <= SAME
        note = f"a curve's points are further apart than 0.04 %: {means('less than 0.04 %', SAME)}, as 'the same' is"
        if published == "lower":
            read, holds, note = "lower", gain < 0, "lower by any amount"
        return check_statements(
            {read: holds},
            f"{100 * gain:+.1f} %: {_in_words(loads)}",
            f"{note}; {LATENCY_NOTE}",
            figure=_figure("6", traffic)[0],
            details=ranges(draws),
        )


_degree_8("uniform", "less than 0.04 %")
_degree_8("transpose", "less than 0.04 %")
_degree_8("bit-reversal", "lower")
