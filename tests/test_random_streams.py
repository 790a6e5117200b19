"""Draws: one stream, the same for vectors and kernels, on every machine."""

import numpy as np

from topoloom.core.random_streams import Draws
from topoloom.core.random_streams.kernels import next_below, next_word, shuffle


def test_the_stream_is_splitmix64():
    """The words are those of SplitMix64: its published first outputs for the state 1234567."""
    draws = Draws(0)
    draws._state = 1234567
    assert draws.words(3).tolist() == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def test_kernels_and_vectors_draw_the_same_words():
    """A kernel that steps the stream sees what a vector of words holds."""
    state = np.array([1234567], np.uint64)
    assert [int(next_word(state)) for _ in range(3)] == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def test_a_block_is_the_same_as_its_parts():
    """Five words at once are two and then three."""
    together, apart = Draws(7), Draws(7)
    assert together.words(5).tolist() == [*apart.words(2).tolist(), *apart.words(3).tolist()]


def test_seeds_and_streams_differ():
    """Another seed or another stream of the same seed gives other words."""
    assert len({Draws(seed, stream).word() for seed in range(10) for stream in range(10)}) == 100


def test_bounded_draws_are_even_and_within():
    """60,000 draws below 6 fall on every number about as often (within five standard deviations), none outside."""
    for values in (Draws(1).below(6, 60_000), [next_below(Draws(1).state(), 6) for _ in range(1)]):
        assert set(np.unique(values)) <= set(range(6))
    counts = np.bincount(Draws(1).below(6, 60_000))
    assert np.abs(counts - 10_000).max() < 5 * (10_000 * 5 / 6) ** 0.5


def test_a_shuffle_and_a_permutation_lose_nothing():
    """Both are orders of all items."""
    items = np.arange(100)
    shuffle(Draws(3).state(), items)
    assert sorted(items.tolist()) == list(range(100))
    assert sorted(Draws(3).permutation(100).tolist()) == list(range(100))
    assert items.tolist() != list(range(100))
