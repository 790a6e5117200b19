"""Searches side by side: who wins, when they end, and what Ctrl-C leaves."""

import time

import numpy as np
import pytest

from topoloom import searches
from topoloom.searches import Budget, run


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
    def done(self):
        return self.left <= 0

    def step(self):
        self.left -= 1
        time.sleep(0.001)


@pytest.mark.parametrize("jobs", [1, 2])
def test_the_cheapest_that_has_ended_wins(jobs):
    """However the steps fall: what a search seems to be worth on its way does not count."""
    best, stopped = run(lambda number: Countdown(number, 300 - 50 * number, 5 - number), 4, jobs)
    assert (best.tolist(), stopped) == ([3], False)


def test_of_equals_the_first_wins():
    """Whichever ended first."""
    best, _ = run(lambda number: Countdown(number, 200 - 60 * number, end=7), 3, 2)
    assert best.tolist() == [0]


def test_with_a_deadline_others_begin_in_place_of_those_that_end():
    """Until the time is up."""
    begun = []

    def begin(number):
        begun.append(number)
        return Countdown(number, 5, end=-number)

    best, _ = run(begin, 2, 1, time.monotonic() + 0.5)
    assert len(begun) > 4
    assert best.tolist() == [max(begun)]


def test_ctrl_c_keeps_what_there_is(monkeypatch):
    """The search says that it was stopped, and warns."""

    def interrupted(work, blocks, jobs):
        raise KeyboardInterrupt

    monkeypatch.setattr(searches, "over_cores", interrupted)
    best, stopped = run(lambda number: Countdown(number, 10**9), 2, 1)
    assert (best.tolist(), stopped) == ([0], True)


def test_a_budget_ends_by_moves_or_by_time():
    """Whichever comes first; never above 1."""
    budget = Budget(10)
    assert budget.share == 0.0
    budget.spent = 5
    assert budget.share == 0.5
    budget.spent = 50
    assert budget.share == 1.0
    assert Budget(10**9, time.monotonic() - 1).share == 1.0
