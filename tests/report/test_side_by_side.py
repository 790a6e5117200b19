"""Designs side by side, and curves with intervals: what a page has without a script."""

import re

import pytest

from topoloom.figures.interval_curves import IntervalCurves, IntervalPoint, IntervalSeries, interval_curves_svg
from topoloom.figures.marks import MARKS, looks, marker, svg_path
from topoloom.report.curve_data import curve_data
from topoloom.report.side_by_side import MeasureRow, RowGroup, SideBySide, Value, side_by_side

DESIGNS = SideBySide(
    ("one <b>", "two", "three"),
    (
        RowGroup(
            "Failures & growth",
            (
                MeasureRow("throughput", (Value(0.5, 0.4, 0.6, "max-flow"), None, Value(0.75)), "of full", "high", 2),
                MeasureRow("cost", (Value(100.0), Value(90.0), Value(120.0)), "USD", "low"),
                MeasureRow("engine", (Value("dor"), Value("fat-tree"), None)),
                MeasureRow("diameter", (Value(2), Value(2), Value(2)), "hops", "low", 0),
            ),
        ),
    ),
)


def _lines(text: str) -> list[list[str]]:
    rows = re.findall(r"<tr>(.*?)</tr>", text)
    return [[re.sub(r"<[^>]+>", "", cell) for cell in re.findall(r"<td.*?</td>", row)] for row in rows]


def test_values_stand_beside_the_first_with_intervals_and_origin():
    """In per cent of the first column; a dash where nothing is known."""
    throughput, cost, engine, diameter = _lines(side_by_side(DESIGNS))[1:]
    assert throughput == ["0.50 0.40 to 0.60", "\N{EN DASH}", "0.75 +50.0 %"]
    assert cost == ["100", "90 \N{MINUS SIGN}10.0 %", "120 +20.0 %"]
    assert engine == ["dor", "fat-tree", "\N{EN DASH}"]
    assert diameter == ["2", "2", "2"]


def test_the_best_of_a_row_is_marked_where_one_is_better():
    """One cell for throughput, one for cost; none where all are as good, or where words stand."""
    text = side_by_side(DESIGNS)
    assert re.findall(r'good"[^>]*><b>([^<]*)', text) == ["0.75", "90"]


def test_names_are_text():
    """Nothing of a name is read as HTML."""
    text = side_by_side(DESIGNS)
    assert "one &lt;b&gt;" in text
    assert "Failures &amp; growth" in text


def test_a_row_of_another_length_is_refused():
    """A value for every column."""
    with pytest.raises(ValueError, match="row 'cost' has 1 values for 2 columns"):
        side_by_side(SideBySide(("a", "b"), (RowGroup("", (MeasureRow("cost", (Value(1.0),)),)),)))


def test_the_structure_is_plain_json():
    """What a script draws: columns, groups, rows, values; what is not said is omitted."""
    plain = DESIGNS.plain()
    assert plain["columns"] == ["one <b>", "two", "three"]
    row = plain["groups"][0]["rows"][0]
    assert row["values"] == [{"value": 0.5, "low": 0.4, "high": 0.6, "how": "max-flow"}, None, {"value": 0.75}]


def test_curves_are_drawn_with_bands_marks_and_whole_ticks():
    """As a figure, and as data with a look a series."""
    points = tuple(IntervalPoint(float(x), 2.0 + x % 2, 2.0, 3.0) for x in range(4))
    curves = IntervalCurves(
        "growth", "step", "hops", (IntervalSeries("a", points), IntervalSeries("b", points)), True, True
    )
    drawn = interval_curves_svg(curves)
    assert ">growth<" in drawn
    assert "2.5" not in re.findall(r">([\d.]+)</text>", drawn)
    data = curve_data([curves])
    first, second = data["curves"][0]["series"]
    assert first["look"] != second["look"]
    assert first["points"][1] == [1, 3, 2, 3, None]
    assert data["marks"][first["look"][1]].startswith("M")


def test_each_of_many_families_has_a_look_of_its_own():
    """The first as many as there are marks differ by mark alone, all of many by mark and colour."""
    chosen = looks([f"family {number}" for number in range(120)])
    assert len(set(chosen.values())) == 120
    first = list(chosen.values())[: len(MARKS)]
    assert len({look.mark for look in first}) == len(MARKS) >= 20


@pytest.mark.parametrize("mark", MARKS)
def test_a_mark_is_the_same_in_pictures_and_on_pages(mark):
    """Matplotlib's outline has y upwards, that of the page y downwards."""
    numbers = [float(number) for number in re.findall(r"-?[\d.]+(?:e-?\d+)?", svg_path(mark))]
    drawn = list(zip(numbers[::2], [-y for y in numbers[1::2]], strict=True))
    vertices = marker(mark).vertices[:-1].tolist()
    assert [pytest.approx(pair, abs=0.006) for pair in drawn] == [tuple(pair) for pair in vertices]
