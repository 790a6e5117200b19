"""Groups as multiplication tables."""

import numpy as np
import pytest

from topoloom.optimizer.structures.groups import MOST_ELEMENTS, cyclic, groups_of


@pytest.mark.parametrize("order", [1, 2, 6, 8, 12, 16, 21, 27, 36, 54, 64])
def test_every_table_is_a_group(order: int) -> None:
    """(x y) z = x (y z) for all elements, 0 is neutral, every element has its inverse, and rows are permutations."""
    for group in groups_of(order, most=40):
        times, everything = group.times, np.arange(order)
        assert group.order == order
        assert (times[0] == everything).all()
        assert (times[:, 0] == everything).all()
        assert (times[group.inverse, everything] == 0).all()
        assert (np.sort(times, axis=1) == everything).all()
        # times[c, times[b, a]] = (a b) c; times[times[c, b], a] = a (b c).
        a, b, c = np.ix_(everything, everything, everything)
        assert (times[c, times[b, a]] == times[times[c, b], a]).all(), group.name


@pytest.mark.parametrize(
    ("order", "count"), [(4, 2), (6, 2), (8, 5), (12, 5), (18, 5), (20, 5), (21, 2), (30, 4), (36, 14)]
)
def test_small_orders_are_complete_and_without_doubles(order: int, count: int) -> None:
    """All groups of these orders are semidirect or direct products of cyclic ones, or quaternion, and each comes once."""
    found = groups_of(order)
    assert len({group.kind for group in found}) == len(found) == count


def test_cyclic_group_adds() -> None:
    """times[s, x] of the cyclic group is x + s modulo its order."""
    assert cyclic(5).times[3].tolist() == [3, 4, 0, 1, 2]


def test_involutions_are_their_own_inverses() -> None:
    """The involutions are the elements other than 0 that are their own inverse: n of them, or n + 1, in dihedral groups."""
    dihedral = next(group for group in groups_of(10) if group.name == "Z5:Z2(4)")
    assert dihedral.involutions.size == 5
    assert (dihedral.inverse[dihedral.involutions] == dihedral.involutions).all()


def test_limits() -> None:
    """`most` groups are listed at most, and none of orders for which tables would be too large."""
    assert len(groups_of(64, most=3)) == 3
    assert groups_of(MOST_ELEMENTS + 1) == groups_of(0) == []
