"""A file of figures draws the pictures of a paper."""

import pytest

from topoloom import InputError, Study, run_study
from topoloom.studies.figure_file import draw_figures

_HEAD = 'study = "s"\nstyle = "acm"\n'


@pytest.fixture(scope="module")
def paper(tmp_path_factory):
    """A folder with a study of three rings."""
    folder = tmp_path_factory.mktemp("paper")
    study = Study(operation="hops", task={"topology": "ring:n={n}"}, axes={"n": [4, 8, 16]})
    run_study(study, folder / "s", executor="threads")
    return folder


def test_every_figure_is_drawn(paper):
    """In its own width and format; the same bytes again."""
    text = _HEAD + (
        '[[figure]]\nfile = "a.svg"\ny = "diameter"\nlog = "xy"\n[[figure]]\nfile = "b.svg"\nwidth = "page"\n'
        '[[figure]]\nfile = "w.csv"\nkind = "winners"\nof = "n"\nvalue = "aspl"\n'
    )
    (paper / "f.toml").write_text(text)
    assert [path.name for path in draw_figures(paper / "f.toml")] == ["a.svg", "b.svg", "w.csv"]
    first = (paper / "a.svg").read_text()
    assert first.startswith('<svg width="239.76pt"')
    assert "diameter [hops]" in first
    assert "mathdefault" not in first
    assert (paper / "b.svg").read_text().startswith('<svg width="504pt"')
    assert (paper / "w.csv").read_text().startswith("winner")
    draw_figures(paper / "f.toml")
    assert (paper / "a.svg").read_text() == first


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (_HEAD + "figure = []", "no figure; add"),
        (_HEAD + '[[figure]]\nfile = "a.svg"\n[[figure]]\nfile = "a.svg"', "two figures are written to a.svg"),
        ('[[figure]]\nfile = "a.svg"', "figure a.svg: study is missing"),
        (_HEAD + '[[figure]]\nfile = "a.gif"', "figure a.gif: .*end its name in .svg, .png, .pdf or .pgf"),
        (_HEAD + '[[figure]]\nfile = "a.svg"\nz = "x"', "z"),
        (_HEAD + '[[figure]]\nfile = "a.svg"\ny = "no"', "figure a.svg: the study has no column 'no'"),
        ('study = "s"\n[[figure]]\nfile = "a.svg"\nwidth = "page"', "needs a style"),
    ],
)
def test_mistakes_are_one_sentence(paper, text, message):
    """With the file and the figure."""
    (paper / "wrong.toml").write_text(text)
    with pytest.raises(InputError, match=message) as error:
        draw_figures(paper / "wrong.toml")
    assert str(error.value).startswith(str(paper / "wrong.toml"))
    assert "\n" not in str(error.value)
