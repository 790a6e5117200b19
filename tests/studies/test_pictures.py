"""Pictures of a study: means with intervals by hand, an axis that nobody spoke of is named, names stay text."""

import html
import math
import re
import statistics
import xml.etree.ElementTree as ET

import pytest
from click.testing import CliRunner
from scipy.stats import t

from topoloom import InputError, Study, StudyResults, run_study
from topoloom.cli.main import cli
from topoloom.report.study_page import study_page
from topoloom.studies.pictures import draw_study
from topoloom.studies.series import curves_of, heat_of
from topoloom.studies.winners import winners_of


def results(rows, axes, title="A title"):
    """Results with these rows."""
    count = len(rows)
    return StudyResults(title, "simulate", axes, count, count, 0, 1.0, tuple(rows))


ROWS = [
    {"load": load, "topology": name, "seed": seed, "latency_mean": base * (1 + load) + seed / 10, "saturated": False}
    for load in (0.1, 0.5)
    for name, base in (("ring", 20.0), ("slimfly", 10.0))
    for seed in (1, 2, 3)
]
FOUND = results(ROWS, ("load", "topology", "seed"))


def test_points_are_means_with_students_interval():
    """Over seeds, by hand."""
    (curves,) = curves_of(FOUND)
    assert (curves.x, curves.y) == ("load [flits per host and cycle]", "latency mean [cycles]")
    assert [series.name for series in curves.series] == ["ring", "slimfly"]
    point = curves.series[0].points[1]
    values = [20.0 * 1.5 + seed / 10 for seed in (1, 2, 3)]
    half = t.ppf(0.975, 2) * statistics.stdev(values) / math.sqrt(3)
    assert (point.x, point.y) == (0.5, pytest.approx(statistics.fmean(values)))
    assert (point.low, point.high) == (pytest.approx(point.y - half), pytest.approx(point.y + half))


def test_small_multiples_have_a_panel_a_value():
    """And the same curves in each."""
    assert [one.title for one in curves_of(FOUND, x="load", by=[], each="topology")] == [
        "topology: ring",
        "topology: slimfly",
    ]


def test_an_axis_that_nobody_speaks_of_is_named():
    """No mean over topologies is meant."""
    with pytest.raises(InputError, match="the axis 'topology' has 2 values"):
        curves_of(FOUND, x="load", by=[])
    (kept,) = curves_of(FOUND, x="load", by=[], where="topology == 'ring'")
    assert len(kept.series) == 1


def test_saturated_points_have_no_mean_latency():
    """Their marks are open and say why."""
    rows = [row | {"saturated": row["load"] == 0.5} for row in ROWS]
    (curves,) = curves_of(results(rows, ("load", "topology", "seed")))
    first, second = curves.series[0].points
    assert first.note is None
    assert "saturated" in second.note


def test_words_stand_on_the_axis():
    """An axis of names has them as ticks, in their order."""
    (curves,) = curves_of(FOUND, x="topology", by=["load"])
    assert curves.x_names == ("ring", "slimfly")


def test_maps_and_winners():
    """Means over seeds; who has the least, and by what share."""
    found = heat_of(FOUND, "load", "topology")
    assert (found.across, found.up) == (("0.1", "0.5"), ("ring", "slimfly"))
    assert found.cells[1][0] == pytest.approx(10.0 * 1.1 + 0.2)
    rows = winners_of(FOUND, "topology")
    assert [row["winner"] for row in rows] == ["slimfly", "slimfly"]
    assert rows[0]["ahead_by"] == pytest.approx((22.2 - 11.2) / 22.2)
    assert winners_of(FOUND, "topology", most=True)[0]["winner"] == "ring"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"x": "laod"}, "did you mean load"),
        ({"y": "latency"}, "no column 'latency'"),
        ({"by": ["q"]}, "no axis 'q'"),
        ({"each": "q"}, "no axis 'q'"),
        ({"where": "load > 1"}, "nothing to draw"),
        ({"log": "z"}, "x, y or xy"),
    ],
)
def test_what_cannot_be_drawn_is_one_sentence(given, words):
    """With what there is."""
    with pytest.raises(InputError, match=words):
        curves_of(FOUND, **given)


@pytest.mark.parametrize("kind", ["lines", "heat"])
def test_axes_have_the_texts_that_are_given(kind, tmp_path):
    """In curves and in maps; a table of winners has no axes."""
    where = {"x": "load", "y": "topology"} if kind == "heat" else {}
    labels = {"x_label": "offered load [flits/host/cycle]", "y_label": "packets & flits"}
    draw_study(FOUND, tmp_path / "one.svg", kind=kind, **where, **labels)
    text = html.unescape((tmp_path / "one.svg").read_text())
    assert all(f">{label}<" in text for label in labels.values())
    with pytest.raises(InputError, match="a table of winners has no axes; omit them"):
        draw_study(FOUND, tmp_path / "one.csv", kind="winners", of="topology", **labels)


def test_hostile_names_stay_text():
    """A title and labels with markup are shown, not run; nothing is fetched."""
    evil = "<script>alert(1)</script>"
    rows = [row | {"topology": evil + row["topology"]} for row in ROWS]
    text = study_page(results(rows, ("load", "topology", "seed"), evil))
    assert evil not in text
    assert not re.search(r'(src|href|url)\s*[=(]\s*["\']?\s*(https?:)?//', text)


@pytest.mark.exhaustive
def test_the_command_draws_and_the_run_writes_a_page(tmp_path, monkeypatch):
    """.svg, .png, a map, a table of winners, and study.html beside the records."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.toml").write_text(
        'operation = "hops"\ntask.topology = "{family}"\naxes.n = [16, 32, 64]\n'
        '[axes.family]\nring = "ring:n={n}"\nrandom = "jellyfish:n={n},degree=4,seed=1"\n'
    )

    def run(*words):
        result = CliRunner().invoke(cli, ["study", *words])
        assert result.exit_code == 0, result.output
        return result.stdout

    run("s.toml", "-o", "out")
    assert "least aspl at each point" in (tmp_path / "out" / "study.html").read_text().lower()
    run("plot", "out", "-o", "a.svg", "--log", "x")
    ET.parse(tmp_path / "a.svg")
    run("plot", "out", "-o", "a.png", "--each", "family")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    run("plot", "out", "--kind", "heat", "--value", "diameter", "-o", "h.svg")
    assert "random" in run("plot", "out", "--kind", "winners", "--of", "family")
    assert CliRunner().invoke(cli, ["study", "plot", "out", "-o", "a.gif"]).exit_code != 0


def test_results_plot_by_themselves(tmp_path):
    """In Python: axes with a curve."""
    study = Study(operation="hops", task={"topology": "ring:n={n}"}, axes={"n": [4, 8, 16]})
    axes = run_study(study, tmp_path / "s", executor="threads").plot(y="diameter")
    assert axes.get_ylabel() == "diameter [hops]"
