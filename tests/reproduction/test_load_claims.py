"""Claims on simulated loads: what is compared is what the paper compares, and verdicts follow from the curves."""

import pytest

from topoloom.reproduction import Verdict, _load_curves, claims
from topoloom.reproduction._load_curves import (
    Contender,
    above,
    accepted,
    latency_figure,
    not_below,
    saturates,
    stated,
    swept,
)
from topoloom.reproduction.papers.besta_2014 import buffers as besta_buffers
from topoloom.reproduction.papers.besta_2014 import loads as besta_loads
from topoloom.reproduction.papers.besta_2014.loads import FULL, LOADS, NAMES, SMALL
from topoloom.routing.registry import engines
from topoloom.simulator.load_curve import LoadCurve
from topoloom.simulator.point import Point
from topoloom.spec import build
from topoloom.traffic import PATTERNS


def made_up(*points):
    """A curve of (load, accepted, latency, saturated)."""
    found = tuple(
        Point(
            offered=load,
            accepted=got,
            accepted_min=got,
            latency_mean=latency,
            latency_ci95=0.0,
            latency_p50=0,
            latency_p99=0,
            latency_p999=0,
            hops_mean=2.0,
            packets=1,
            cycles=1,
            saturated=over,
        )
        for load, got, latency, over in points
    )
    return LoadCurve("uniform", "custom", found)


@pytest.mark.parametrize(
    ("size", "hosts"), [(SMALL, (200, 180, 216)), (FULL, (10_830, 9_702, 10_648))], ids=["small", "full"]
)
def test_the_networks_are_of_the_sizes_that_are_told(size, hosts):
    """Besta 2014 V prints 10,830, 9,702 and 10,648 hosts; the small ones differ by as little, a fifth at most."""
    found = [build(spec).endpoints.size for spec in (size.slimfly, size.dragonfly, size.tree)]
    assert tuple(found) == hosts
    assert max(found) <= 1.2 * min(found)


def test_every_small_claim_has_its_full_size_and_a_command_that_exists():
    """Ids differ by /full alone; the command's engine and traffic are known."""
    ours = {c.id: c for c in claims(["besta-2014"]) if c.id.startswith(("besta-2014/fig-6", "besta-2014/fig-8"))}
    assert {name for name, c in ours.items() if c.full} == {name for name in ours if name.endswith("/full")}
    for name in ours:
        assert name.endswith("/full") or f"{name}/full" in ours or name == "besta-2014/fig-8/oversubscribed"
    for one in ours.values():
        words = one.command.split()
        assert words[:2] == ["topoloom", "simulate"]
        engines.find(words[words.index("--engine") + 1])
        PATTERNS.find(words[words.index("--traffic") + 1])


def test_what_is_stated_without_numbers_is_reproduced_if_all_of_it_holds():
    """One that does not is named, with what was assumed."""
    assert stated({"a": True, "b": True}, "1 and 2", "if").verdict is Verdict.ASSUMED
    outcome = stated({"a": True, "b": False}, "1 and 2", "if")
    assert (outcome.verdict, outcome.why, outcome.ours) == (
        Verdict.NOT_REPRODUCIBLE,
        "does not hold: b (if)",
        "1 and 2",
    )
    assert above(0.92, 0.9)
    assert not above(0.905, 0.9)
    assert not_below(0.895, 0.9)
    assert not not_below(0.88, 0.9)


def test_figures_leave_out_what_is_saturated():
    """Latency without limit is no point of a curve, and a curve without points is none."""
    some = made_up((0.2, 0.2, 10.0, False), (0.4, 0.4, 12.0, False), (1.0, 0.6, 900.0, True))
    none = made_up((0.2, 0.1, 900.0, True))
    figure = latency_figure("name", "title", {"some": some, "none": none})
    assert [(s.name, s.points) for s in figure.series] == [("some", ((0.2, 10.0), (0.4, 12.0)))]
    assert accepted(some) == 0.6


def test_figure_6_verdicts_follow_from_the_curves(monkeypatch):
    """Curves as the paper prints them reproduce every statement; without the fat tree's lead one no longer holds."""
    full = {"SF-MIN": 0.97, "SF-VAL": 0.45, "SF-UGAL-L": 0.9, "SF-UGAL-G": 0.95, "DF-UGAL-L": 0.85, "FT-ANCA": 0.99}
    cycles = {"SF-MIN": 10, "SF-VAL": 15, "SF-UGAL-L": 12, "SF-UGAL-G": 11, "DF-UGAL-L": 16, "FT-ANCA": 18}

    def pretend(contender, traffic, loads, preset="slimfly-2014"):
        name = contender.name
        return made_up((0.2, 0.2, float(cycles[name]), False), (1.0, full[name], 500.0, True))

    monkeypatch.setattr(besta_loads, "swept", pretend)
    asked = (
        lambda: besta_loads._best(SMALL),
        lambda: besta_loads._topologies(SMALL),
        lambda: besta_loads._lowest(SMALL, "a"),
        lambda: besta_loads._permutations(SMALL, "b"),
    )
    assert [ask().verdict for ask in asked] == [Verdict.ASSUMED] * 4
    full["FT-ANCA"], cycles["FT-ANCA"] = 0.9, 9
    assert [ask().verdict for ask in asked] == [Verdict.ASSUMED] + [Verdict.NOT_REPRODUCIBLE] * 3
    assert [series.name for series in asked[0]().figure.series] == list(NAMES)


def test_shortest_ways_in_the_worst_case_get_what_their_one_link_carries():
    """2 p senders over one link: the host that gets least gets 1/(2 p) of its rate, simulated."""
    curve = swept(SMALL.contender("SF-MIN"), "worst-case", LOADS)
    assert curve.points[-1].accepted_min == pytest.approx(1 / 8, abs=0.005)


def test_oversubscribed_hosts_saturate_below_their_busiest_channel():
    """With p = 6 on q = 5 the link that the tables use most is full at 0.628; saturation is no later."""
    fly = Contender("p = 6", "slimfly:q=5,hosts=6", "hop-lanes")
    most = besta_buffers._busiest(fly)
    assert most == pytest.approx(0.628, abs=0.001)
    assert most - 0.1 < saturates(fly, "uniform", (1.0,), 0.05) <= most


def test_an_interrupted_sweep_is_no_curve(monkeypatch):
    """Ctrl-C in a claim's simulation ends the claim."""

    def stopped(*_, **__):
        return LoadCurve("uniform", "custom", (), ended="interrupted")

    monkeypatch.setattr(_load_curves, "simulate", stopped)
    with pytest.raises(KeyboardInterrupt):
        swept(SMALL.contender("SF-MIN"), "uniform", (0.123,))
