"""Searches side by side: who wins, when they end, and what Ctrl-C leaves."""

import time

import numpy as np
import pytest

from topoloom.core import searches
from topoloom.core.searches import Budget, run_searches
from topoloom.core.work import Work


class Countdown:
    """A search whose cost falls to its number's by steps; before the end it looks better than it is."""

    def __init__(self, number, steps, end=None):
        self.number, self.left, self.end = number, steps, number if end is None else end

    @property
    def best(self):
        return np.array([self.number])

    @property
    def cost(self):
        return float(self.end) if self.done else -1.0

    @property
    def share(self):
        return float(self.done)

    @property
    def done(self):
        return self.left <= 0

    def step(self):
        self.left -= 1
        time.sleep(0.001)


@pytest.mark.parametrize("jobs", [1, 2])
def test_the_cheapest_that_has_ended_wins(jobs):
    """However the steps fall: what a search seems to be worth on its way does not count."""
    work = Work()
    best = run_searches(lambda number: Countdown(number, 300 - 50 * number, 5 - number), 4, jobs, work=work)
    assert (best.tolist(), work.ended) == ([3], "done")
    assert (work.progress.done, work.progress.total) == (4, 4)


def test_of_equals_the_first_wins():
    """Whichever ended first."""
    best = run_searches(lambda number: Countdown(number, 200 - 60 * number, end=7), 3, 2)
    assert best.tolist() == [0]


def test_with_a_deadline_others_begin_in_place_of_those_that_end():
    """Until the time is up."""
    begun = []

    def begin(number):
        begun.append(number)
        return Countdown(number, 5, end=-number)

    best = run_searches(begin, 2, 1, time.monotonic() + 0.5)
    assert len(begun) > 4
    assert best.tolist() == [max(begun)]


def test_ctrl_c_keeps_what_there_is(monkeypatch):
    """The work says that it was interrupted."""

    def interrupted(work, blocks, jobs):
        raise KeyboardInterrupt

    monkeypatch.setattr(searches, "over_cores", interrupted)
    work = Work()
    best = run_searches(lambda number: Countdown(number, 10**9), 2, 1, work=work)
    assert (best.tolist(), work.ended) == ([0], "interrupted")


def test_work_that_is_stopped_ends_the_searches_with_their_best():
    """By its deadline, or from another thread, long before their end; and the answer is there."""
    work = Work(seconds=0.3)
    best = run_searches(lambda number: Countdown(number, 10**9), 2, 2, work=work)
    assert (best.tolist(), work.ended) == ([0], "deadline")
    asked = Work()
    asked.stop()
    assert run_searches(lambda number: Countdown(number, 10**9), 2, 1, work=asked).tolist() == [0]
    assert asked.ended == "interrupted"


def test_a_budget_ends_by_moves_or_by_time():
    """Whichever comes first; never above 1."""
    budget = Budget(10)
    assert budget.share == 0.0
    budget.spent = 5
    assert budget.share == 0.5
    budget.spent = 50
    assert budget.share == 1.0
    assert Budget(10**9, time.monotonic() - 1).share == 1.0
