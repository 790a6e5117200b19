"""Groups of modules: laws of a group, the number of conjugacy classes, and what lifts over them reach."""

import numpy as np
import pytest

from topoloom.core.random_streams import Draws
from topoloom.core.searches import Budget
from topoloom.optimizer.structures.groups import groups_of
from topoloom.optimizer.structures.lift_search import LiftSearch
from topoloom.optimizer.structures.module_groups import _ranked, groups_of_modules


def _conjugacy_classes(times):
    """Classes by their definition: x and s x s^-1."""
    inverse = np.argmin(times, axis=0)
    conjugates = [frozenset(times[inverse, times[x]].tolist()) for x in range(len(times))]
    return len(set(conjugates))


@pytest.mark.parametrize("order", [6, 12, 21, 48, 64, 72])
def test_they_are_groups_with_the_number_of_classes_that_ranks_them(order):
    groups = groups_of_modules(order, 12)
    classes = []
    for group in groups:
        times, everything = group.times, np.arange(order)
        assert np.array_equal(times[0], everything)
        assert np.array_equal(times[:, 0], everything)
        for row in (times, times.T):
            assert np.array_equal(np.sort(row, axis=1), np.tile(everything, (order, 1)))
        # times[s, x] = x s: x (s t) = (x s) t.
        for s in range(0, order, 5):
            assert np.array_equal(times[times[:, s]], times[:, times[s]])
        classes.append(_conjugacy_classes(times))
    assert classes == sorted(classes)
    assert classes[0] == _ranked(order)[0][0]
    assert len({group.kind for group in groups}) == len(groups)


def test_they_hold_kinds_that_the_other_families_lack():
    others = {group.kind for group in groups_of(512, 64)}
    names = [group.name for group in groups_of_modules(512, 48) if group.kind not in others]
    assert len(names) > 20
    assert "Z4^3:Z8(1,1,1)" in names


def test_orders_without_such_groups():
    assert groups_of_modules(15, 10) == []  # 3 does not divide 5 - 1, nor 5 divide 3 - 1
    assert groups_of_modules(1, 10) == groups_of_modules(0, 10) == groups_of_modules(4097, 10) == []


def test_a_short_search_over_one_of_them_finds_what_the_others_need_two_million_moves_for():
    """1,024 switches of degree 11: lifts over the groups of `groups_of` ended at 3.0601, Graph Golf's best of 2016 at 3.059."""
    group = next(group for group in groups_of_modules(1024, 24) if group.name == "Z4^3:Z16(1,1,1)")
    search = LiftSearch(group, 1, 11, Draws(1, 1), Budget(10_000))
    while not search.done:
        search.step()
    diameter, hops = search.cost
    assert diameter == 4
    assert hops / (1024 * 1023) < 3.0601
