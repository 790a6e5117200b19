"""`topoloom reproduce`: its output, and the figures of claims as points and as pictures."""

import csv
import json
from collections import Counter

import click
import pytest
from click.testing import CliRunner

from topoloom.core.errors import InputError
from topoloom.figures.style import axes_of
from topoloom_papers.command import command
from topoloom_papers.curves import Curves, Series, curves_svg, draw_curves


def _run(*arguments):
    result = CliRunner().invoke(command, arguments, catch_exceptions=False, standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.stdout


def test_it_prints_published_and_ours():
    """A claim's page has both numbers and the verdict; --list computes nothing."""
    text = _run("besta-2014/table-iv/sf-cost")
    for words in ("published: 1033 USD", "1033.167", "published value explained by an error"):
        assert words in text
    listed = json.loads(_run("--list", "--json"))["claims"]
    assert len({claim["id"] for claim in listed}) == len(listed) > 70


@pytest.mark.parametrize("name", ["007", "n" * 300, "no/such/claim", ""])
def test_a_name_that_no_claim_has_is_one_sentence(name):
    """It names the name."""
    with pytest.raises(InputError, match=f"^no claim '{name}' "):
        _run(name)


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path):
    """One whose name no file system takes, and one that is a file."""
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be a folder: file name too long"):
        _run("besta-2014/fig-11a", "-o", str(tmp_path / ("n" * 300)))
    with pytest.raises((InputError, click.UsageError), match="file"):
        _run("besta-2014/fig-11a", "-o", str(tmp_path / "file"))


def test_a_figure_is_written_as_points_and_as_a_picture(tmp_path):
    """Figure 9 of Koibuchi 2013: six networks, each a point whose length the claim's number follows from."""
    found = json.loads(_run("koibuchi-2013/fig-9", "-o", str(tmp_path), "--json"))
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "koibuchi-2013-figure-9.csv",
        "koibuchi-2013-figure-9.svg",
        "koibuchi-2013.html",
    ]
    with (tmp_path / "koibuchi-2013-figure-9.csv").open(newline="") as file:
        points = {row["series"]: (float(row["x"]), float(row["y"])) for row in csv.DictReader(file)}
    assert set(points) == {"TORUS-4", "P-TORUS-4", "RING-4", "HYPERCUBE", "P-HYPERCUBE", "RING-8"}
    # Koibuchi 2013: a permuted topology has the cable length of its base, and a lower latency.
    assert points["P-TORUS-4"][0] == points["TORUS-4"][0]
    assert points["P-TORUS-4"][1] < points["TORUS-4"][1]
    claim = next(one for one in found["claims"] if one["id"] == "koibuchi-2013/fig-9/length-4")
    longer = 100 * (points["RING-4"][0] / points["P-TORUS-4"][0] - 1)
    assert float(claim["ours"].split()[-1]) == pytest.approx(longer, abs=0.05)
    svg = (tmp_path / "koibuchi-2013-figure-9.svg").read_text()
    assert svg.startswith("<svg")
    assert "P-HYPERCUBE" in svg


def test_the_ticks_of_a_picture_can_be_read():
    """Numbers of switches as numbers: text is written as it is, so no tick may be a formula."""
    curves = Curves("f", "t", "x", "y", (Series("a b", ((64.0, 1.0), (4096.0, 2.0))),), log_x=True)
    svg = curves_svg(curves)
    assert ">4,096<" in svg
    assert "mathdefault" not in svg


def test_bounds_are_drawn_with_their_curves():
    """In the colour of what they bound, thinner, and without marks."""
    curves = Curves(
        "f", "t", "x", "y", (Series("K=3", ((1.0, 2.0), (2.0, 1.0))), Series("K=3 bound", ((1.0, 1.0),), True))
    )
    axes = axes_of(None)
    draw_curves(axes, curves)
    found, bound = axes.get_lines()
    assert found.get_color() == bound.get_color()
    assert found.get_linewidth() > bound.get_linewidth()
    assert (found.get_marker(), bound.get_marker()) == ("o", "")


def test_the_steps_of_a_grid_are_written_as_links_and_as_a_picture(tmp_path):
    """Figure 7 of Nakano 2016: three panels of 98 switches with 196 links each, drawn side by side."""
    _run("nakano-2016/fig-7", "-o", str(tmp_path))
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "nakano-2016-figure-7.csv",
        "nakano-2016-figure-7.svg",
        "nakano-2016.html",
    ]
    with (tmp_path / "nakano-2016-figure-7.csv").open(newline="") as file:
        panels = Counter(row["panel"].partition(":")[0] for row in csv.DictReader(file))
    assert panels == {"step 1": 196, "step 2": 196, "step 3": 196}
    svg = (tmp_path / "nakano-2016-figure-7.svg").read_text()
    assert "step 3: optimised by 2-opt" in svg
    assert "diameter 5" in svg


def test_claims_without_a_figure_write_a_page_only(tmp_path):
    """The page has the claim, the published value, ours and the verdict, all escaped."""
    _run("besta-2014/table-iv/sf-cost", "xu-2019/table-1/petersen", "-o", str(tmp_path))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["besta-2014.html", "xu-2019.html"]
    page = (tmp_path / "besta-2014.html").read_text()
    for text in (
        "Table IV",
        "1033 USD",
        "USD 1033.167",
        "published value explained by an error",
        "Besta and Hoefler, Slim Fly",
    ):
        assert text in page


def test_lines_of_json_come_claim_by_claim():
    """Each line has the fields of the whole document; the counts go to standard error."""
    lines = _run("besta-2014/table-iv/sf", "--json-lines").splitlines()
    found = [json.loads(line) for line in lines]
    assert [one["id"].rpartition("/")[2] for one in found] == ["sf-cables", "sf-cost", "sf-power", "sf-size"]
    assert found == json.loads(_run("besta-2014/table-iv/sf", "--json"))["claims"]
    with pytest.raises(InputError, match="give one of the two"):
        _run("besta-2014/table-iv/sf", "--json-lines", "--json")


def test_kept_runs_are_shown_with_their_age():
    """Date, commit and duration of the measurement; the list shows the seconds with and without --full."""
    text = _run("besta-2014/fig-6a/latency")
    assert "measured 2026-" in text
    assert "--full measures again" in text
    assert "with --full" in _run("besta-2014/fig-6a", "--list")
