"""Every result is drawn, for a screen and for print, and is a table, or says in a sentence why it has no picture."""

import re
from functools import cache

import matplotlib.pyplot
import pytest
from record_cases import CASES

from topoloom import InputError
from topoloom.figures.print_formats import PUBLISHERS
from topoloom.figures.style import svg_text
from topoloom.model.results import Result

#: What is drawn; the others are facts that no picture helps.
DRAWN = {
    "app-run",
    "app-runs",
    "assessments",
    "bill",
    "bills",
    "blast-radius",
    "collective",
    "collective-bound",
    "collective-schedule",
    "design",
    "directed-routing",
    "drawing",
    "expansion",
    "facility",
    "flat-or-tree",
    "hops",
    "layout",
    "load-curve",
    "machine-bill",
    "path-diversity",
    "phases",
    "quality",
    "routing",
    "saturation",
    "study",
    "survival",
    "survivals",
    "verification",
}

#: Pictures with a scale of their own, which no style changes.
SCALED = {"drawing", "layout"}
#: Axes of names, or of numbers without a unit.
NO_UNIT = {"", "probability of survival", "phase", "side", "units of the drawing"}


@cache
def made(record_name: str) -> Result:
    """A result of each result, made once."""
    return CASES[record_name]()


@pytest.mark.sweep(8)
@pytest.mark.parametrize("record_name", CASES)
def test_a_result_is_drawn_or_says_why_not(record_name):
    """On new axes, with something on them and their axes named."""
    result = made(record_name)
    if record_name not in DRAWN:
        with pytest.raises(InputError, match="has no picture"):
            result.plot()
        return
    axes = result.plot()
    assert axes.has_data() or axes.collections
    assert axes.get_xlabel() or axes.get_ylabel()
    axes.figure.canvas.draw()
    matplotlib.pyplot.close("all")


@pytest.mark.parametrize("record_name", CASES)
def test_a_result_is_a_table(record_name):
    """With a row at least, where there is anything to tell."""
    assert len(made(record_name).to_frame()) >= (0 if record_name in ("comparison", "balanced-pairs") else 1)


def test_nothing_is_drawn_without_being_asked_for():
    """The list above is that of the results with a picture of their own."""
    own = {record_name for record_name in CASES if type(made(record_name)).plot is not Result.plot}
    assert own == DRAWN


@pytest.mark.sweep(8)
@pytest.mark.parametrize("record_name", sorted(DRAWN - SCALED))
def test_a_result_is_drawn_for_print(record_name):
    """As wide as a column, type of one size, no title, a unit on every axis of numbers, no formula on a tick."""
    for publisher, style in enumerate(PUBLISHERS.values()):
        axes = made(record_name).plot(style=list(PUBLISHERS)[publisher])
        assert axes.figure.get_figwidth() == style.column_in
        text = svg_text(axes.figure)
        assert set(re.findall(r"([\d.]+)px", text)) == {f"{style.size_pt:g}"}
        assert "mathdefault" not in text
        assert axes.get_title(loc="left") == axes.get_title() == ""
        for label in (axes.get_xlabel(), axes.get_ylabel()):
            assert "[" in label or label in NO_UNIT, label


@pytest.mark.parametrize("record_name", sorted(SCALED))
def test_a_picture_with_its_own_scale_takes_no_style(record_name):
    """It says so."""
    with pytest.raises(InputError, match="has its own scale; omit style and width"):
        made(record_name).plot(style="ieee")
