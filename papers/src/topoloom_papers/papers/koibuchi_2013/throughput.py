"""Claims of Koibuchi 2013 on throughput, with its curves: figures 5 to 8, 10 and 13; all are long runs."""

from itertools import pairwise

from topoloom_papers.curves import Curves, Series
from topoloom_papers.papers.koibuchi_2013._ranges import compare_range
from topoloom_papers.papers.koibuchi_2013._switch_loads import HIGHEST_NS, Network, sweep, throughput
from topoloom_papers.papers.koibuchi_2013.latency import (
    CLOS_READINGS,
    PATTERNS,
    clos_networks,
    networks,
    torus_networks,
)
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, check_statements, listed

THROUGHPUT_NOTE = (
    "throughput: accepted traffic at which latency passes 1.2 us (Koibuchi 2013 III.D), of one draw, in Gbit/s per host"
)
#: Largest difference of throughputs that count as similar, in %: our reading of Koibuchi 2013.
SIMILAR = 10.0
#: Distance of offered loads; `FINE` for networks of degree 4 and the Clos, which saturate early.
STEP, FINE = 0.05, 0.02

_Panel = tuple[Curves, dict[str, float]]


def throughputs(panel: str, traffic: str) -> dict[str, float]:
    """Throughput in Gbit/s per host of each network of figure 5, 6, 7, 8-80, 8-160 or 13."""
    return _figure(panel, traffic)[1]


def _figure(name: str, traffic: str) -> _Panel:
    """The curves of one panel up to 2 us, and each network's throughput in Gbit/s per host."""
    title, panel_networks = _panel(name)
    series, throughputs = [], {}
    for label, network in panel_networks.items():
        early = label.endswith("-4") or "CLOS" in label
        points = sweep(network, traffic, FINE if early else STEP)
        throughputs[label] = throughput(points)
        series.append(Series(label, tuple(point for point in points if point[1] <= HIGHEST_NS)))
    curves = Curves(
        f"koibuchi-2013-figure-{name}-{traffic}",
        f"{title}, {traffic} traffic",
        "accepted traffic [Gbit/s per host]",
        "mean latency [ns]",
        tuple(series),
    )
    return curves, throughputs


def _panel(name: str) -> tuple[str, dict[str, Network]]:
    if name in ("5", "6", "7"):
        n = {"5": 6, "6": 8, "7": 9}[name]
        return f"{2**n} switches", networks(n) | (torus_networks() if n == 8 else {})
    if name.startswith("8"):
        return f"Myrinet Clos, {name[2:]} switches", clos_networks(int(name[2:]))
    ring = "n=256,degree=8,{},hosts=8,seed={{seed}}"
    constrained = {f"Nbr({p})-8": "nbr:" + ring.format(f"p={p}") for p in (0.4, 0.5)}
    constrained |= {f"Gau({alpha})-8": "gau:" + ring.format(f"alpha={alpha}") for alpha in (0.7, 1.0)}
    others = {label: Network(spec, "silla-duato") for label, spec in constrained.items()}
    return "256 switches, constrained shortcuts", {"RING-8": networks(8)["RING-8"]} | others


def _in_words(throughputs: dict[str, float]) -> str:
    return ", ".join(f"{label} {value:.1f}" for label, value in throughputs.items())


def _command(name: str, label: str, traffic: str) -> str:
    return _panel(name)[1][label].command(traffic, "0.01:0.5:0.05")


def _similar(panel: _Panel, labels: tuple[str, ...]) -> Outcome:
    """Whether the throughputs of some networks differ by at most 10 %."""
    curves, throughputs = panel
    compared = [throughputs[label] for label in labels]
    text = f"{THROUGHPUT_NOTE}: {_in_words(throughputs)}"
    spread = 100 * (max(compared) / min(compared) - 1)
    return check_statements(
        {f"the greatest is within {SIMILAR:.0f} % of the least": spread <= SIMILAR},
        f"spread {spread:.1f} %",
        f"similar: within {SIMILAR:.0f} %; {text}",
        figure=curves,
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
        return _similar(_figure(figure, traffic), labels)


def _tori(traffic: str) -> None:
    @claim(
        f"koibuchi-2013/fig-6/throughput/torus-4/{traffic}",
        f"throughput, 256 switches, {traffic} traffic: TORUS-4 saturates first, then PF-, P-TORUS-4, RING-4",
        "the order",
        _command("6", "RING-4", traffic),
    )
    def compute() -> Outcome:
        curves, throughputs = _figure("6", traffic)
        tori = {label: throughputs[label] for label in ("TORUS-4", "PF-TORUS-4", "P-TORUS-4", "RING-4")}
        return check_statements(
            {f"{first} before {second}": a < b for (first, a), (second, b) in pairwise(tori.items())},
            _in_words(tori),
            THROUGHPUT_NOTE,
            figure=curves,
        )

    @claim(
        f"koibuchi-2013/fig-10/degree-4/{traffic}",
        f"throughput: RING-4 above P-TORUS-4, 256 switches, {traffic} traffic",
        "100-150 %",
        _command("6", "RING-4", traffic),
    )
    def gain() -> Outcome:
        curves, throughputs = _figure("6", traffic)
        compared = {label: throughputs[label] for label in ("P-TORUS-4", "RING-4")}
        ours = 100 * (throughputs["RING-4"] / throughputs["P-TORUS-4"] - 1)
        note = f"{THROUGHPUT_NOTE}: {_in_words(compared)}"
        return compare_range(100, 150, {"%": ours}, assumption=note, reason=note, figure=curves)


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
        curves, throughputs = _figure(name, traffic)
        spread = {
            reading: 100
            * (max(throughputs["CLOS"], throughputs[label]) / min(throughputs["CLOS"], throughputs[label]) - 1)
            for reading, label in CLOS_READINGS.items()
        }
        return check_statements(
            {f"{reading}: within {SIMILAR:.0f} %": value <= SIMILAR for reading, value in spread.items()},
            f"difference: {listed(spread.items(), '{:.1f} %')}",
            f"the same: within {SIMILAR:.0f} % of each other with all sizes of racks that were tried, as the paper gives no"
            f" size; {THROUGHPUT_NOTE}: {_in_words(throughputs)}",
            figure=curves,
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
    return _similar(_figure("13", "uniform"), tuple(_panel("13")[1]))


@claim(
    "koibuchi-2013/fig-13/transpose",
    "throughput, transpose traffic: Nbr(0.4)-8 and Gau(0.7)-8 significantly below the three others",
    "both are",
    _command("13", "Nbr(0.4)-8", "transpose"),
)
def _constrained_transpose() -> Outcome:
    curves, throughputs = _figure("13", "transpose")
    least = min(throughputs[label] for label in ("RING-8", "Nbr(0.5)-8", "Gau(1.0)-8"))
    return check_statements(
        {
            f"{label} is {SIMILAR:.0f} % or more below": throughputs[label] < least * (1 - SIMILAR / 100)
            for label in ("Nbr(0.4)-8", "Gau(0.7)-8")
        },
        _in_words(throughputs),
        f"significantly: by {SIMILAR:.0f} % or more; {THROUGHPUT_NOTE}",
        figure=curves,
    )


def _degree_8(traffic: str, published: str, less: bool) -> None:
    @claim(
        f"koibuchi-2013/fig-10/degree-8/{traffic}",
        f"throughput: RING-8 above P-HYPERCUBE, 256 switches, {traffic} traffic",
        published,
        _command("6", "RING-8", traffic),
    )
    def compute() -> Outcome:
        curves, throughputs = _figure("6", traffic)
        gain = 100 * (throughputs["RING-8"] / throughputs["P-HYPERCUBE"] - 1)
        parts = {"lower": gain < 0} if less else {"higher": gain > 0, "by less than 0.04 %": gain < 0.04}
        return check_statements(
            parts,
            f"{gain:+.2f} %: P-HYPERCUBE {throughputs['P-HYPERCUBE']:.2f}, RING-8 {throughputs['RING-8']:.2f}",
            f"{THROUGHPUT_NOTE}; two draws differ by more than 0.04 %",
            figure=curves,
        )


_degree_8("uniform", "less than 0.04 %", False)
_degree_8("transpose", "less than 0.04 %", False)
_degree_8("bit-reversal", "lower", True)
