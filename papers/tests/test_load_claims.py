"""Claims on simulated loads: what is compared is what the paper compares, and verdicts follow from the curves."""

import pytest

from topoloom.routing.registry import engines
from topoloom.simulation.flits.load_curve import LoadCurve
from topoloom.throughput.traffic import PATTERNS
from topoloom.topologies.spec import build
from topoloom_papers import _load_curves
from topoloom_papers._load_curves import Contender, LoadPoint, above, latency_figure, not_below, slightly_above, swept
from topoloom_papers.long_runs import LONG_RUNS
from topoloom_papers.papers.besta_2014 import buffers as besta_buffers
from topoloom_papers.papers.besta_2014 import loads as besta_loads
from topoloom_papers.papers.besta_2014.loads import DRAGONFLY, LOADS, NAMES, SLIMFLY, TREE, contender
from topoloom_papers.registry import claims
from topoloom_papers.verdicts import Verdict

_SMALL = Contender("SF-MIN", "slimfly:q=5,hosts=4", "hop-vcs")


def made_up(*points):
    """A curve of (load, accepted, latency, saturated)."""
    return [LoadPoint(load, got, got, latency, latency, over) for load, got, latency, over in points]


def test_the_networks_are_of_the_printed_sizes():
    """Besta 2014 V prints 10,830, 9,702 and 10,648 hosts."""
    assert [build(spec).endpoints.size for spec in (SLIMFLY, DRAGONFLY, TREE)] == [10_830, 9_702, 10_648]


def test_a_command_names_what_there_is():
    """Its engine and traffic are known."""
    ours = [c for c in claims(["besta-2014"]) if c.id.startswith(("besta-2014/fig-6", "besta-2014/fig-8"))]
    assert len(ours) > 15
    for one in ours:
        words = one.command.split()
        assert words[:2] == ["topoloom", "simulate"]
        engines.find(words[words.index("--engine") + 1])
        PATTERNS.find(words[words.index("--traffic") + 1])


def test_slightly_more_is_more_and_not_much_more():
    """Equal within 0.01, slightly to 0.10."""
    assert above(0.92, 0.9)
    assert not above(0.905, 0.9)
    assert slightly_above(0.95, 0.9)
    assert not slightly_above(0.905, 0.9)
    assert not slightly_above(1.01, 0.9)
    assert not_below(0.895, 0.9)
    assert not not_below(0.88, 0.9)


def test_figures_leave_out_what_is_saturated():
    """Latency without limit is no point of a curve, and a curve without points is none; from injection on it has one."""
    some = made_up((0.2, 0.2, 10.0, False), (0.4, 0.4, 12.0, False), (1.0, 0.6, 900.0, True))
    none = made_up((0.2, 0.1, 900.0, True))
    figure = latency_figure("name", "title", {"some": some, "none": none})
    assert [(s.name, s.points) for s in figure.series] == [("some", ((0.2, 10.0), (0.4, 12.0)))]
    assert len(latency_figure("name", "title", {"some": some}, network=True).series[0].points) == 3


def test_figure_6_verdicts_follow_from_the_curves(monkeypatch):
    """Curves as the paper prints them agree with every statement; without the fat tree's lead one no longer holds."""
    full = {"SF-MIN": 0.95, "SF-VAL": 0.45, "SF-UGAL-L": 0.9, "SF-UGAL-G": 0.95, "DF-UGAL-L": 0.85, "FT-ANCA": 0.99}
    cycles = {"SF-MIN": 10, "SF-VAL": 15, "SF-UGAL-L": 12, "SF-UGAL-G": 11, "DF-UGAL-L": 16, "FT-ANCA": 18}

    def pretend(contender, traffic, loads, seed=1):
        name = contender.name
        return made_up((0.2, 0.2, float(cycles[name]), False), (1.0, full[name], 500.0, True))

    monkeypatch.setattr(besta_loads, "swept", pretend)
    asked = [
        next(c.compute for c in claims([f"besta-2014/fig-6{part}"]))
        for part in ("a/best", "a/topologies", "a/latency", "b/tree", "b/dragonfly")
    ]
    assert [ask().verdict for ask in asked] == [Verdict.HOLDS] * 5
    full["FT-ANCA"], cycles["FT-ANCA"] = 0.9, 9
    assert [ask().verdict.name for ask in asked] == ["HOLDS", *["NOT_REPRODUCIBLE"] * 3, "HOLDS"]
    full["FT-ANCA"] = 1.2
    assert asked[1]().verdict is Verdict.NOT_REPRODUCIBLE  # much more is not slightly more
    assert [series.name for series in asked[0]().figure.series] == list(NAMES)
    assert contender("DF-UGAL-L").spec == DRAGONFLY
    assert LOADS[-1] == 1


def test_shortest_paths_in_the_worst_case_get_what_their_one_link_carries(monkeypatch):
    """2 p senders over one link: the host that gets least gets 1/(2 p) of its rate, simulated."""
    monkeypatch.setattr(LONG_RUNS, "_fresh", {})
    with LONG_RUNS.of("besta-2014", again=True):
        curve = swept(_SMALL, "worst-case", (0.2, 1.0))
    assert curve[-1].accepted_min == pytest.approx(1 / 8, abs=0.005)


def test_the_busiest_channel_of_oversubscribed_hosts():
    """MIN's busiest channel carries 55 pairs of switches, counted apart; each host sends to N - 1 others."""
    for hosts in (15, 16, 18):
        others = 722 * hosts - 1
        assert besta_buffers._channel_bound(hosts) == pytest.approx(others / (hosts**2 * 55), rel=1e-9)


def test_an_interrupted_sweep_is_no_curve(monkeypatch):
    """Ctrl-C in a claim's simulation ends the claim."""

    def stopped(*_, **__):
        return LoadCurve("uniform", "custom", (), ended="interrupted")

    monkeypatch.setattr(_load_curves, "simulate", stopped)
    monkeypatch.setattr(LONG_RUNS, "_fresh", {})
    with LONG_RUNS.of("besta-2014", again=True), pytest.raises(KeyboardInterrupt):
        swept(_SMALL, "uniform", (0.123,))
