"""The budget of the full assessment, by a clock of the test: it counts work, and cheap steps are done for every network."""

import threading
from dataclasses import replace
from functools import partial

import pytest

import topoloom.designer.assessment.assess as assess_module
from topoloom import as_network
from topoloom.core.clock import WORKING
from topoloom.core.work import Work
from topoloom.designer.assessment.assess import STEPS, assess
from topoloom.designer.assessment.figure import Figure
from topoloom.designer.assessment.step import AssessmentStep, StepResult
from topoloom.designer.assessment.subject import Subject

_SPECS = ("petersen:hosts=1", "ring:n=4,hosts=1", "complete:n=4,hosts=1")


class _Clock:
    """Seconds that pass when a step says so, and what was done in them."""

    def __init__(self) -> None:
        self.now = 0.0
        self.done: list[tuple[str, str]] = []

    def step(
        self, name: str, seconds: float, *, compiling: float = 0.0, cheap: bool = False, by_tables: bool = False
    ) -> AssessmentStep:
        """A step that works, and compiles before, for so long; it looks at its work once a second."""

        def run(subject: Subject, work: Work) -> StepResult:
            self.done.append((name, subject.topology.name))
            WORKING.stop()
            self.now += compiling
            WORKING.go_on()
            for _ in range(int(seconds)):
                work.check()
                self.now += 1.0
            return StepResult([Figure(key=name, label=name, value=1.0, how="by a test", better="more")])

        return AssessmentStep(name, f"step {name}", "Steps", run, cheap=cheap, by_tables=by_tables)


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still until a step moves it."""
    clock = _Clock()
    monkeypatch.setattr(WORKING, "monotonic", lambda: clock.now)
    return clock


def _assessed(monkeypatch, steps, seconds):
    monkeypatch.setattr(assess_module, "STEPS", tuple(steps))
    subjects = [Subject(as_network(spec).placed(map="rows", parts="slimfly-2014", rate_gbps=40.0)) for spec in _SPECS]
    return assess(subjects, objective="", seconds=seconds, jobs=1).networks


def _omitted(one):
    return {missing.step: missing.reason for missing in one.missing}


def test_tables_their_verification_and_throughput_are_the_cheap_steps_and_come_first():
    """Before simulations, failures and growth."""
    cheap = [step.cheap for step in STEPS]
    assert cheap == sorted(cheap, reverse=True)
    assert [step.name for step in STEPS if step.cheap] == ["bill", "tables", "throughput", "patterns", "worst"]


def test_cheap_steps_are_done_for_every_network_after_the_budget_is_over(clock, monkeypatch):
    """And before any other step of any network, whose omission is named with the reason."""
    steps = [clock.step("tables", 5, cheap=True), clock.step("throughput", 7, cheap=True), clock.step("growth", 1)]
    networks = _assessed(monkeypatch, steps, seconds=3.0)
    assert [name for name, _ in clock.done] == ["tables"] * 3 + ["throughput"] * 3
    for one in networks:
        assert [figure.key for figure in one.figures] == ["tables", "throughput"]
        assert _omitted(one).keys() == {"growth"}
        assert "budget" in _omitted(one)["growth"]


def test_compiling_does_not_count(clock, monkeypatch):
    """Neither for the network whose step comes first nor for those after it."""
    steps = [clock.step("tables", 1, compiling=600, cheap=True), clock.step("growth", 1, compiling=600)]
    for one in _assessed(monkeypatch, steps, seconds=30.0):
        assert one.missing == ()
    assert clock.now == 6 * 601


def test_a_cheap_step_of_more_than_a_minute_is_omitted_when_the_budget_is_over(clock, monkeypatch):
    """Of a network in which it is not cheap; with time left in the budget it goes on."""
    steps = [clock.step("tables", 45, cheap=True), clock.step("throughput", 45, cheap=True)]
    for one in _assessed(monkeypatch, steps, seconds=1.0):
        assert _omitted(one).keys() == {"throughput"}
    for one in _assessed(monkeypatch, steps, seconds=10_000.0):
        assert one.missing == ()


def test_a_step_is_not_begun_in_less_time_than_an_earlier_one_took(clock, monkeypatch):
    """Steps become longer: its kernels would be compiled for nothing."""
    steps = [clock.step("growth", 10), clock.step("load", 10, compiling=60), clock.step("saturation", 1)]
    networks = _assessed(monkeypatch, steps, seconds=70.0)
    begun = [network for name, network in clock.done if name == "load"]
    assert [name for name, _ in clock.done].count("growth") == 3
    assert len(begun) == 2, "the first would have had seven seconds"
    for one in networks:
        assert ("load" in _omitted(one)) == (one.name not in begun)


def test_steps_that_follow_tables_are_not_begun_where_these_did_not_fit(clock, monkeypatch):
    """They would make the tables again from the beginning; the others run, and each says why it is missing."""
    steps = [
        clock.step("tables", 100),
        clock.step("throughput", 1, cheap=True, by_tables=True),
        clock.step("growth", 1),
        clock.step("saturation", 1, by_tables=True),
    ]
    for one in _assessed(monkeypatch, steps, seconds=60.0):
        assert [figure.key for figure in one.figures] == ["growth"]
        assert _omitted(one) == {
            "tables": "it did not fit into the time budget; give more minutes",
            **dict.fromkeys(
                ("throughput", "saturation"),
                "the tables that it follows did not fit into the time budget; give more minutes",
            ),
        }
    assert {name for name, _ in clock.done} == {"tables", "growth"}


def test_the_steps_that_follow_tables_are_declared():
    """A failure of links, a bill and a plan to grow need none."""
    assert [step.name for step in STEPS if not step.by_tables] == [
        "bill",
        "tables",
        "failures",
        "degradation",
        "growth",
    ]


def test_a_budget_moves_with_its_clock_and_ends_with_the_whole(clock):
    """Its shares, too; a share of plain work keeps to the wall's clock."""
    whole = Work()
    budget = whole.budget(5.0)
    share = budget.share(2.0)
    WORKING.stop()
    clock.now += 100.0
    assert budget.seconds_left == 5.0
    WORKING.go_on()
    clock.now += 3.0
    assert share.stopped
    assert share.ended == "deadline"
    assert budget.seconds_left == 2.0
    whole.stop()
    assert budget.stopped
    assert budget.flag[0]
    assert budget.ended == "interrupted"


def _drawn(low: float | None, value: float, high: float | None, key: str = "time") -> StepResult:
    return StepResult([Figure(key=key, label=key, value=value, low=low, high=high)])


@pytest.mark.parametrize(
    ("own", "others", "more"),
    [
        (_drawn(9.0, 10.0, 11.0), [], True),
        (_drawn(9.0, 10.0, 11.0), [_drawn(10.9, 12.0, 13.0)], True),
        (_drawn(9.0, 10.0, 11.0), [_drawn(11.1, 12.0, 13.0)], False),
        (_drawn(9.0, 10.0, 11.0), [_drawn(11.1, 12.0, 13.0), _drawn(None, 9.5, None)], True),
        (_drawn(9.0, 10.0, 11.0), [_drawn(11.1, 12.0, 13.0, key="other")], True),
        (_drawn(9.99, 10.0, 10.01), [_drawn(9.99, 10.0, 10.01)], False),
        (_drawn(None, 10.0, None), [_drawn(11.1, 12.0, 13.0)], False),
    ],
)
def test_only_what_is_not_decided_is_drawn_again(own, others, more):
    """A wide interval that overlaps another network's; alone, a wide interval; never one that is narrow or not there."""
    step = AssessmentStep("draws", "draws", "Steps", lambda *_: own, finer=lambda *_: own)
    assert step.wants_more(own, 1, others) is more
    assert not AssessmentStep("exact", "no draws", "Steps", lambda *_: own).wants_more(own, 1, others)
    once = AssessmentStep("once", "one draw", "Steps", lambda *_: own, finer=lambda *_: own, one_draw=True)
    assert once.wants_more(own, 1, others) is (more or own.figures[0].low is None)


def test_networks_that_are_told_apart_get_no_more_draws(clock, monkeypatch):
    """Four times the draws for two whose intervals overlap, sixteen times for none, as they do not overlap then."""
    centres, drawn = {"Petersen": 10.0, "ring(n=4,hosts=1)": 10.8, "complete(n=4,hosts=1)": 20.0}, []

    def finer(subject: Subject, work: Work, effort: int) -> StepResult:
        name = next(name for name in centres if name.lower()[:4] == subject.topology.name.lower()[:4])
        drawn.append((name, effort))
        half = 1.0 / effort
        return _drawn(centres[name] - half, centres[name], centres[name] + half)

    step = AssessmentStep("draws", "draws", "Steps", lambda subject, work: finer(subject, work, 1), finer=finer)
    _assessed(monkeypatch, [step], seconds=100.0)
    first, second, third = centres
    assert drawn == [(first, 1), (second, 1), (third, 1), (first, 4), (second, 4)]


def test_no_thread_waits_for_the_slowest_network(monkeypatch):
    """While one network is in its first step, another does all of its own."""
    others_done, order = threading.Event(), []

    def run(name: str, subject: Subject, work: Work) -> StepResult:
        if subject.topology.name == "slow":
            assert others_done.wait(30)
        order.append((name, subject.topology.name))
        if order.count(("last", "quick")):
            others_done.set()
        return _drawn(None, 1.0, None, key=name)

    steps = tuple(AssessmentStep(name, name, "Steps", partial(run, name)) for name in ("first", "last"))
    monkeypatch.setattr(assess_module, "STEPS", steps)
    subjects = [
        Subject(as_network(spec).placed(map="rows", parts="slimfly-2014", rate_gbps=40.0)) for spec in _SPECS[:2]
    ]
    for subject, name in zip(subjects, ("slow", "quick"), strict=True):
        subject.network = as_network(replace(subject.topology, name=name)).placed(map="rows", parts="slimfly-2014")
    assess(subjects, objective="", jobs=2)
    assert order == [("first", "quick"), ("last", "quick"), ("first", "slow"), ("last", "slow")]
