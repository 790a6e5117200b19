"""Survival curves, drawn: points, bands and the criterion are where the numbers say."""

import pytest

from topoloom import InputError, build, resilience
from topoloom.figures.survival import curve_names, survival_curves, title_of
from topoloom.report.survival_page import resilience_page

TWO = [resilience(build(spec), samples=40, levels=[0.2, 0.4, 0.6]) for spec in ("petersen", "hypercube:n=4")]


def test_points_and_bands_are_the_levels():
    """Each curve from no failure, which is survived, on; its band spans the interval; the dashed line is the criterion."""
    axes = survival_curves(TWO).axes[0]
    for line, band, curve in zip(axes.get_lines(), axes.collections, TWO, strict=False):
        assert line.get_xdata() == pytest.approx([0, 20, 40, 60])
        assert line.get_ydata() == pytest.approx([1.0, *(level.probability for level in curve.levels)])
        corners = {tuple(point) for point in band.get_paths()[0].vertices.round(6).tolist()}
        for level in curve.levels:
            for end in (level.low, level.high):
                assert (round(100 * level.share, 6), round(end, 6)) in corners
    assert list(axes.get_lines()[-1].get_ydata()) == [0.75, 0.75]


def test_names_say_what_differs_and_the_title_the_rest():
    """Of two metrics on one network the metric tells them apart."""
    assert curve_names(TWO) == ["petersen", "hypercube(n=4)"]
    assert title_of(TWO) == "Surviving switches connected, links fail at random"
    other = resilience(build("petersen"), metric="aspl", samples=5)
    assert curve_names([TWO[0], other]) == ["disconnection", "aspl"]
    assert title_of([TWO[0], other]) == "links fail at random"


def test_a_page_of_one_curve_has_its_facts():
    """The threshold in steps and exactly; no empty tables for what nobody asked."""
    text = resilience_page(TWO[:1])
    assert "of the links may fail" in text
    assert "Mean time" not in text
    assert "What failures cost" not in text


def test_nothing_to_draw_is_refused():
    """No curve."""
    with pytest.raises(InputError, match="no survival curve"):
        survival_curves([])
