"""Intervals of means of batches that depend on each other: their coverage on series with a known mean."""

import math

import numpy as np
import pytest
from scipy.signal import lfilter

from topoloom import build, route, simulate
from topoloom.simulation.flits.latency_interval import half_width


def autoregressive(correlation, count, series):
    """Series of mean 0 and variance 1, each value correlated with the one before; float[series, count]."""
    random = np.random.default_rng(47)
    noise = random.standard_normal((series, count)) * math.sqrt(1 - correlation**2)
    noise[:, 0] = random.standard_normal(series)
    return lfilter([1.0], [1.0, -correlation], noise)


def coverage(values, **given):
    """The share of series whose interval holds the mean of the process, 0."""
    return np.mean([abs(each.mean()) <= half_width(each, **given) for each in values])


@pytest.mark.parametrize(
    ("correlation", "count", "least"),
    [(0.0, 10, 0.94), (0.0, 100, 0.93), (0.3, 40, 0.91), (0.6, 40, 0.9), (0.8, 200, 0.91)],
)
def test_intervals_cover_the_mean_of_an_autoregressive_process(correlation, count, least):
    """Nominal 95 %, over 600 series; intervals for independent batches fail on all that are correlated."""
    values = autoregressive(correlation, count, 600)
    assert least <= coverage(values) <= 0.99
    if correlation:
        assert coverage(values, independent=True) < least - 0.03


def test_intervals_are_no_wider_than_needed():
    """Long series: within a tenth of the half width from the process' variance, with and without correlation."""
    for correlation in (0.0, 0.6):
        exact = 1.96 * math.sqrt((1 + correlation) / (1 - correlation) / 2000)
        mean = np.mean([half_width(each) for each in autoregressive(correlation, 2000, 50)])
        assert mean == pytest.approx(exact, rel=0.1)


def test_independent_batches_have_students_interval():
    """By hand; a falling correlation never makes the interval narrower; one batch says nothing, equal ones all."""
    assert half_width([1.0, 3.0, 2.0], independent=True) == pytest.approx(4.302653 / math.sqrt(3))
    assert half_width([1.0, 3.0, 1.0, 3.0]) == half_width([1.0, 3.0, 1.0, 3.0], independent=True)
    assert half_width([2.0]) == math.inf
    assert half_width([2.0] * 10) == 0


def test_the_usual_measurement_is_as_long_as_ever_and_states_a_wider_interval():
    """Near saturation: cycles and mean of a run that ends at 1 % of independent batches; its interval is above 1 %.

    A demanded interval is met, by a longer measurement with the same beginning.
    """
    routing = route(build("torus:dims=8x8,hosts=1"), "dor")
    usual, narrow = (simulate(routing, "uniform", "booksim", loads=[0.65], interval=i).points[0] for i in (None, 0.01))
    assert (usual.cycles, round(usual.latency_mean, 2)) == (12_101, 24.45)  # as in version 0.2
    assert usual.latency_ci95 > 0.01 * usual.latency_mean
    assert narrow.latency_ci95 <= 0.01 * narrow.latency_mean
    assert narrow.cycles > usual.cycles
