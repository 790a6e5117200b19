"""The vector type: what its operations do, one by one."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from topoloom.graph.kernels.simd import (
    COSTS,
    WORDS,
    add,
    bits_of,
    either,
    least,
    load,
    lowest_bit,
    ones_of,
    same,
    store,
    total,
    zeros,
)

rows = st.lists(st.integers(0, 2**64 - 1), min_size=WORDS, max_size=WORDS).map(lambda words: np.array(words, np.uint64))


@njit
def combined(words, out):
    """out: a | b, a + b and the ones of a, in three rows; returns total(a), same(a, b), total(zeros)."""
    a, b = load(words, 0), load(words, 8)
    store(out, 0, either(a, b))
    store(out, 8, add(a, b))
    store(out, 16, ones_of(a))
    return total(a), same(a, b), total(zeros(words))


@njit
def lowest(word):
    """The position of the lowest set bit."""
    return lowest_bit(word)


@given(rows, rows)
def test_operations_are_those_of_numpy(a, b):
    """Union, sum and population count act lane by lane, the total over the lanes, modulo 2^64."""
    out = np.zeros(24, np.uint64)
    summed, alike, nothing = combined(np.concatenate([a, b]), out)
    assert out[:8].tolist() == (a | b).tolist()
    assert out[8:16].tolist() == [(int(x) + int(y)) % 2**64 for x, y in zip(a, b, strict=True)]
    assert out[16:].tolist() == [int(x).bit_count() for x in a]
    assert summed % 2**64 == sum(map(int, a)) % 2**64
    assert alike == bool((a == b).all())
    assert nothing == 0


@given(rows, rows, st.sampled_from([np.uint32, np.uint16]))
def test_narrow_rows_do_the_same_with_fewer_bits(a, b, kind):
    """A row is eight words of its array: 256 bits of uint32, 128 of uint16, counted in lanes of 64 bits."""
    a, b = a.astype(kind), b.astype(kind)
    out = np.full(24, 7, kind)
    summed, alike, nothing = combined(np.concatenate([a, b]), out)
    wide = out.view(np.uint64)
    lanes = wide.size // 3
    assert out[:8].tolist() == (a | b).tolist()
    assert wide[2 * lanes :].tolist() == [int(x).bit_count() for x in a.view(np.uint64)]
    assert summed % 2**64 == sum(map(int, a.view(np.uint64))) % 2**64
    assert alike == bool((a == b).all())
    assert nothing == 0


@given(rows, st.integers(0, 511))
def test_rows_are_the_same_only_if_every_bit_is(row, place):
    """One bit of 512 tells two rows apart."""
    other = row.copy()
    other[place // 64] ^= np.uint64(1 << place % 64)
    out = np.zeros(24, np.uint64)
    assert combined(np.concatenate([row, row]), out)[1]
    assert not combined(np.concatenate([row, other]), out)[1]


@given(st.integers(1, 2**64 - 1))
def test_the_lowest_bit(word):
    """Counting trailing zeros, up to bit 63."""
    assert lowest(np.uint64(word)) == (word & -word).bit_length() - 1


@njit
def lesser(costs, step):
    """The first row: the lesser of it and the second with a step more; whether that changed it."""
    before = load(costs, 0)
    after = least(before, load(costs, COSTS), step)
    store(costs, 0, after)
    return same(before, after)


@njit
def counted(word):
    """How many bits are set."""
    return bits_of(word)


@given(
    st.lists(st.floats(0, 1e9) | st.just(np.inf), min_size=2 * COSTS, max_size=2 * COSTS),
    st.floats(0, 1e6),
    st.booleans(),
)
def test_the_lesser_cost_is_taken_in_each_lane(costs, step, alike):
    """As NumPy's minimum of floating-point numbers, infinity too; rows are the same where no lane changes."""
    costs = np.array(costs)
    if alike:
        costs[COSTS:] = np.inf
    expected = np.minimum(costs[:COSTS], costs[COSTS:] + step)
    unchanged = bool((expected == costs[:COSTS]).all())
    assert lesser(costs, step) == unchanged
    assert costs[:COSTS].tolist() == expected.tolist()


@given(st.integers(0, 2**64 - 1))
def test_bits_are_counted(word):
    """Of a word, as Python counts them."""
    assert counted(np.uint64(word)) == word.bit_count()
