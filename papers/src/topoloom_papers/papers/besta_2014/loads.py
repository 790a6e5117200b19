"""Claims of Besta 2014's Figure 6: Slim Fly, Dragonfly and fat tree of the paper's sizes under four traffic patterns."""

from collections.abc import Callable
from typing import cast

from topoloom.throughput.traffic import Traffic, traffic_of
from topoloom.throughput.traffic.loads import table_loads
from topoloom.topologies.spec import build
from topoloom_papers._load_curves import (
    EQUAL,
    SLIGHTLY,
    Contender,
    LoadPoint,
    above,
    latency_figure,
    mean_and_all,
    not_below,
    saturates,
    slightly_above,
    swept,
)
from topoloom_papers.curves import Curves
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, Step, Verdict, check_statements, compare, listed

SLIMFLY, DRAGONFLY, TREE = "slimfly:q=19,hosts=15", "dragonfly:h=7", "kary-tree:k=22,n=3"
LOADS = (0.1, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
#: The loads of UGAL-G in figures 6b and 6d, where only its accepted load at full load is compared.
_FEW_LOADS = (0.3, 0.5, 1.0)
#: Step of the search for saturation; the published loads are multiples of twice this step.
WIDTH = 0.025
_PATTERNS = {"a": "uniform", "b": "bit-reversal", "c": "shift", "d": "worst-case"}
TITLES = {"a": "Random traffic", "b": "Bit reversal", "c": "Shift", "d": "Worst case"}
_ENGINES = {"MIN": "hop-vcs", "VAL": "valiant", "UGAL-L": "ugal-l", "UGAL-G": "ugal-g", "ANCA": "anca"}
_SPECS = {"SF": SLIMFLY, "DF": DRAGONFLY, "FT": TREE}
NAMES = ("SF-MIN", "SF-VAL", "SF-UGAL-L", "SF-UGAL-G", "DF-UGAL-L", "FT-ANCA")
_SLIM = ("SF-MIN", "SF-UGAL-L", "SF-UGAL-G")
SETUP_NOTE = (
    "10,830, 9,702 and 10,648 hosts (errata of Besta 2014, 6); 3 virtual channels, 4 for detours, which share 64 flits per"
    " port; UGAL compares 4 detours, each through a random switch; shorter batches above 500 packets per cycle (--fast)"
)
_SLIGHT = f"equal: within {EQUAL:g} of accepted load; slightly: by at most {SLIGHTLY:g}"
_SEEDS = (1, 2, 3)


def contender(name: str) -> Contender:
    """One of the figure's curves, by its name in the figure."""
    family, _, protocol = name.partition("-")
    return Contender(name, _SPECS[family], _ENGINES[protocol])


def curves(part: str) -> dict[str, list[LoadPoint]]:
    """All curves of one part of the figure, by name."""
    return {
        name: swept(contender(name), _PATTERNS[part], _FEW_LOADS if part in "bd" and name == "SF-UGAL-G" else LOADS)
        for name in NAMES
    }


def _figure(part: str) -> Curves:
    return latency_figure(f"besta-2014-figure-6{part}", TITLES[part], curves(part))


def _bandwidth(part: str) -> dict[str, float]:
    """Accepted load at full offered load, by curve."""
    return {name: points[-1].accepted for name, points in curves(part).items()}


def _bandwidths(got: dict[str, float]) -> str:
    return f"accepted at full load: {listed(got.items())}"


def _claim(id: str, what: str, published: str, name: str, more: str = "") -> Callable[[Callable[[], Outcome]], object]:
    part = id[len("fig-6")]
    loads = ",".join(f"{load:g}" for load in LOADS)
    command = contender(name).command(_PATTERNS[part], more or f" --loads {loads}")
    return claim(f"besta-2014/{id}", f"{TITLES[part].lower()}: {what}", published, command)


@claim(
    "besta-2014/v/sizes-apart",
    "the networks compared in Figure 6 vary by at most 10 % in N",
    "10 %",
    "topoloom info slimfly:q=19,hosts=15; topoloom info dragonfly:h=7; topoloom info kary-tree:k=22,n=3",
)
def _apart() -> Outcome:
    sizes = {name: build(spec).hosts for name, spec in _SPECS.items()}
    of = {"10,000": 10_000.0, "Slim Fly's": float(sizes["SF"]), "their mean": sum(sizes.values()) / len(sizes)}
    off = {name: max(abs(100 * (hosts / reference - 1)) for hosts in sizes.values()) for name, reference in of.items()}
    nearest = min(off.values())
    return check_statements(
        {"none differs by more than 10 %": nearest <= 10},
        f"{listed(((name, float(hosts)) for name, hosts in sizes.items()), '{:,.0f}')} hosts; at most"
        f" {', '.join(f'{value:.1f} % from {name}' for name, value in off.items())}",
        "the paper, with 'N about 10K', does not state relative to what",
        readings=len(of),
    )


@_claim("fig-6a/best", "UGAL-G and MIN are the best of Slim Fly", "best", "SF-UGAL-G")
def _best() -> Outcome:
    got = _bandwidth("a")
    slower = max(got["SF-VAL"], got["SF-UGAL-L"])
    return check_statements(
        {f"{name} is not below VAL and UGAL-L": not_below(got[name], slower) for name in ("SF-MIN", "SF-UGAL-G")},
        _bandwidths(got),
        f"by the accepted load at full load; {_SLIGHT}",
        details=SETUP_NOTE,
        figure=_figure("a"),
    )


@_claim(
    "fig-6a/converges", "UGAL-L is around 5 % below full bandwidth at the highest injection rate", "5 %", "SF-UGAL-L"
)
def _converges() -> Outcome:
    got = _bandwidth("a")
    full = {"UGAL-G's": got["SF-UGAL-G"], "MIN's": got["SF-MIN"], "the offered load": 1.0}
    below = {name: 100 * (1 - got["SF-UGAL-L"] / most) for name, most in full.items()}
    nearest = min(below, key=lambda name: abs(below[name] - 5))
    note = f"full bandwidth, taken as {listed(below.items(), '{:.1f}')}; {_bandwidths(got)}"
    return compare(
        {"% below": "5"},
        {"% below": below[nearest]},
        step=Step(2.5, "half of five, for 'around'"),
        readings=len(below),
        assumption=f"% below {note}",
        reason=f"% below {note}",
        details=SETUP_NOTE,
        digits=3,
        figure=_figure("a"),
    )


@_claim(
    "fig-6a/topologies",
    "Dragonfly has less bandwidth than Slim Fly, the fat tree slightly more",
    "less, slightly more",
    "DF-UGAL-L",
)
def _topologies() -> Outcome:
    got = _bandwidth("a")
    slim = max(got[name] for name in _SLIM)
    return check_statements(
        {
            "Dragonfly is below Slim Fly, both with UGAL-L": above(got["SF-UGAL-L"], got["DF-UGAL-L"]),
            "the fat tree is slightly above the best of Slim Fly": slightly_above(got["FT-ANCA"], slim),
        },
        _bandwidths(got),
        f"by the accepted load at full load; {_SLIGHT}",
        details=SETUP_NOTE,
        figure=_figure("a"),
    )


@_claim("fig-6a/latency", "Slim Fly has the lowest latency", "lowest", "SF-UGAL-L")
def _lowest() -> Outcome:
    statements, rows = dict[str, bool](), list[str]()
    for load, latency in _carried("a").items():
        others = min(latency["DF-UGAL-L"], latency["FT-ANCA"])
        rows.append(f"at {load:g} {listed(latency.items(), '{:.1f}')}")
        statements |= {f"{name} is below Dragonfly and fat tree at {load:g}": latency[name] < others for name in _SLIM}
    return check_statements(
        statements,
        f"cycles at loads that all but VAL carry: {'; '.join(rows)}",
        "Slim Fly with MIN, UGAL-L and UGAL-G, at every load; VAL always takes detours",
        details=SETUP_NOTE,
        figure=_figure("a"),
    )


def _carried(part: str) -> dict[float, dict[str, float]]:
    """Latency in cycles by load and curve, at the loads at which no curve except Valiant's is saturated."""
    latencies = {}
    for points in zip(*curves(part).values(), strict=True):
        by_name = dict(zip(NAMES, points, strict=True))
        if not any(point.saturated for name, point in by_name.items() if name != "SF-VAL"):
            latencies[points[0].offered] = {name: point.latency_mean or 0.0 for name, point in by_name.items()}
    return latencies


def _permutations(part: str) -> None:
    note = "hosts above the largest power of two send nothing"
    if part == "c":
        note += "; half of all packets go to their own sender, as Besta 2014 defines the pattern"

    @_claim(
        f"fig-6{part}/tree",
        "the fat tree carries more than UGAL-L, and only slightly more than UGAL-G",
        "more, slightly more",
        "FT-ANCA",
    )
    def tree() -> Outcome:
        got = _bandwidth(part)
        return check_statements(
            {
                "the fat tree is above UGAL-L": above(got["FT-ANCA"], got["SF-UGAL-L"]),
                "the fat tree is slightly above UGAL-G": slightly_above(got["FT-ANCA"], got["SF-UGAL-G"]),
            },
            _bandwidths(got),
            f"by the accepted load at full load; {_SLIGHT}; {note}",
            details=SETUP_NOTE,
            figure=_figure(part),
        )

    @_claim(
        f"fig-6{part}/dragonfly",
        "Slim Fly has slightly more bandwidth than Dragonfly, and less latency",
        "slightly more, less",
        "DF-UGAL-L",
    )
    def dragonfly() -> Outcome:
        got, fly, other = _bandwidth(part), curves(part)["SF-UGAL-L"], curves(part)["DF-UGAL-L"]
        latencies = [
            (ours.offered, ours.latency_mean or 0.0, theirs.latency_mean or 0.0)
            for ours, theirs in zip(fly, other, strict=True)
            if not (ours.saturated or theirs.saturated)
        ]
        cycles = "; ".join(f"{load:g}: {ours:.1f} and {theirs:.1f}" for load, ours, theirs in latencies)
        return check_statements(
            {
                "Slim Fly is slightly above Dragonfly, both with UGAL-L": slightly_above(
                    got["SF-UGAL-L"], got["DF-UGAL-L"]
                ),
                "Slim Fly has less latency than Dragonfly at every load that both carry": bool(latencies)
                and all(ours < theirs for _, ours, theirs in latencies),
            },
            f"{_bandwidths(got)}; cycles of Slim Fly and Dragonfly, both with UGAL-L, by load: {cycles}",
            f"by the accepted load at full load; {_SLIGHT}; {note}",
            details=SETUP_NOTE,
            figure=_figure(part),
        )


_permutations("b")
_permutations("c")


@_claim(
    "fig-6d/topologies",
    "VAL and UGAL-L carry slightly more than Dragonfly, the fat tree more than both",
    "slightly more, more",
    "DF-UGAL-L",
)
def _adversary() -> Outcome:
    got = _bandwidth("d")
    return check_statements(
        {
            "VAL is slightly above Dragonfly": slightly_above(got["SF-VAL"], got["DF-UGAL-L"]),
            "UGAL-L is slightly above Dragonfly": slightly_above(got["SF-UGAL-L"], got["DF-UGAL-L"]),
            "the fat tree is above all": above(got["FT-ANCA"], max(got[n] for n in got if n != "FT-ANCA")),
        },
        _bandwidths(got),
        f"by the accepted load at full load; {_SLIGHT}",
        details=SETUP_NOTE,
        figure=_figure("d"),
    )


@_claim("fig-6d/min", "MIN is limited to a fraction", "1/ (digits missing in our copy)", "SF-MIN")
def _limit() -> Outcome:
    routing = contender("SF-MIN").routed
    hosts = int(routing.topology.endpoints_at.max())
    last = swept(contender("SF-MIN"), "worst-case", LOADS)[-1]
    sent = cast("Traffic", traffic_of("worst-case", routing, 1))
    max_load = float(table_loads(routing, sent).channels.max())
    text = (
        f"accepted at full load {last.accepted:.4f}, by the host with the least {last.accepted_min:.4f}; the maximum channel"
        f" load would be {max_load:g} flits per cycle, so that its senders get {1 / max_load:.4f} each"
    )
    return Outcome(
        text,
        Verdict.NOT_REPRODUCIBLE,
        f"the fraction is missing in our copy of the paper, so no comparison is possible; 1/(2p) = {1 / (2 * hosts):.4f} is the"
        f" share of 2p senders over one channel (errata of Besta 2014, 17), 1/(p + 1) = {1 / (hosts + 1):.4f}",
        details=SETUP_NOTE,
        figure=_figure("d"),
    )


def _saturated(part: str, name: str, published: float, below: bool = False) -> None:
    @_claim(
        f"fig-6{part}/{name.partition('-')[2].lower()}",
        f"{name} saturates",
        f"{'below ' if below else ''}{published:.0%} of the injection rate",
        name,
        f" --loads 1 --saturation --saturation-width {WIDTH:g}",
    )
    def compute() -> Outcome:
        load, each = mean_and_all(saturates(contender(name), _PATTERNS[part], WIDTH, _SEEDS))
        full = _bandwidth(part)[name]
        note = f"seeds {_SEEDS[0]} to {_SEEDS[-1]}: {each}"
        text = f"saturates at {load:.3f}, accepted at full load {full:.3f}"
        if below:
            return check_statements({f"it is below {published:g}": load < published}, text, note, figure=_figure(part))
        return compare(
            {"saturates at": f"{published:.2f}"},
            {"saturates at": load, "accepted at full load": full},
            step=Step(WIDTH, "of our search"),
            digits=3,
            assumption=note,
            details=SETUP_NOTE,
            figure=_figure(part),
            reason=f"{note}; the paper does not state UGAL's threshold, how queues are counted, or how ties between shortest"
            " paths are broken",
        )


_saturated("a", "SF-VAL", 0.5, below=True)
_saturated("a", "SF-UGAL-L", 0.8)
_saturated("d", "SF-VAL", 0.4)
_saturated("d", "SF-UGAL-L", 0.45)
