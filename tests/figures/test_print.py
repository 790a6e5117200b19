"""Figures for print: their formats, widths and type, and what tells series apart without colour."""

import re
import shutil
import subprocess

import pytest

from topoloom import InputError
from topoloom.figures.bars import draw_ratios
from topoloom.figures.files import ENDINGS, pdf_bytes, save_figure, svg_file
from topoloom.figures.interval_curves import IntervalCurves, IntervalPoint, IntervalSeries, draw_interval_curves
from topoloom.figures.log_axis import log_axis
from topoloom.figures.panels import panels
from topoloom.figures.pgf import tex_text
from topoloom.figures.style import axes_of, plotted, printed, sheet, svg_text

NAMES = ("slimfly:q=5", "a_b & 5% of $x#", "{c} ~ ^ \\ <d>", "e")


def _curves(log_y=False):
    series = tuple(
        IntervalSeries(name, tuple(IntervalPoint(x, x + k, x + k - 0.2, x + k + 0.2) for x in (1.0, 2.0, 3.0)))
        for k, name in enumerate(NAMES, 1)
    )
    return IntervalCurves("title", "load [1]", "latency [cycles]", series, log_y=log_y)


def _figure(style="ieee", width=None):
    return plotted(lambda axes: draw_interval_curves(axes, _curves()), None, style, width).figure


@pytest.mark.parametrize("ending", ENDINGS)
def test_equal_figures_have_equal_bytes(tmp_path, ending):
    """In every format: no date, no random name; `savefig` without options writes the same."""
    for name in ("a", "b"):
        save_figure(_figure(), tmp_path / f"{name}{ending}")
    _figure().savefig(tmp_path / f"c{ending}")
    a, b, c = ((tmp_path / f"{name}{ending}").read_bytes() for name in "abc")
    assert a == b == c
    assert b"20" + b"26-" not in a
    assert b"CreationDate" not in a


def test_a_pdf_embeds_its_fonts():
    """As TrueType, type 42: FontFile2, and no Type 3, which IEEE refuses; on a screen's figure too."""
    for figure in (_figure(), _figure(None)):
        pdf = pdf_bytes(figure)
        assert pdf.startswith(b"%PDF")
        assert b"/FontFile2" in pdf
        assert b"/Type3" not in pdf


def test_text_of_svg_is_letters_or_outlines():
    """Letters by default, which can be searched; outlines have no text and no font."""
    figure = _figure()
    letters, outlines = svg_file(figure), svg_file(figure, outlines=True)
    assert ">latency [cycles]<" in letters
    assert "<text" not in outlines
    assert "font" not in re.sub("<!--.*?-->", "", outlines)
    assert 'width="252pt"' in letters  # 3.5 in
    with pytest.raises(InputError, match=r"a\.pdf: only text of \.svg can be outlines"):
        save_figure(figure, "a.pdf", outlines=True)


def test_pgf_needs_no_tex(tmp_path, monkeypatch):
    """Written where no program of TeX can start; all text is escaped."""

    def refuse(*_args, **_kwargs):
        raise AssertionError("a program was started")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    save_figure(_figure(), tmp_path / "a.pgf")
    text = (tmp_path / "a.pgf").read_text()
    for name in NAMES:
        assert tex_text(name) in text
    assert "load [1]" in text
    assert text.count(r"\begin{pgfscope}") == text.count(r"\end{pgfscope}") > 10


@pytest.mark.exhaustive
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is missing: apt install texlive-pictures")
def test_latex_reads_pgf(tmp_path):
    """A document with the package pgf sets the figure, with every special character in a name."""
    save_figure(_figure(), tmp_path / "a.pgf")
    document = r"\documentclass{article}\usepackage{pgf}\begin{document}\input{a.pgf}\end{document}"
    (tmp_path / "d.tex").write_text(document)
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "d.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Missing character" not in done.stdout
    assert (tmp_path / "d.pdf").stat().st_size > 5_000


@pytest.mark.parametrize(
    ("style", "width", "inches"),
    [("ieee", None, 3.5), ("ieee", "page", 7.16), ("acm", "column", 3.33), ("acm", "page", 7.0), (None, None, 8.6)],
)
def test_a_figure_has_the_width_of_its_style(style, width, inches):
    """Text stays within it: the legend takes more rows where it needs them."""
    figure = _figure(style, width)
    assert figure.get_figwidth() == inches
    figure.draw_without_rendering()
    for legend in figure.legends:
        assert legend.get_window_extent().width <= inches * figure.dpi


def test_series_differ_without_colour():
    """Each curve has its own mark and its own dashes, in the figure and in its legend; intervals are bars."""
    figure = _figure()
    (axes,) = figure.axes
    text = svg_text(figure)
    assert len(re.findall(r"stroke-dasharray: [^;]+", text)) >= 2 * (len(NAMES) - 1)
    lines = [line for line in axes.lines if line.get_linestyle() != "None"]
    assert len({str(line._unscaled_dash_pattern) for line in lines}) == len(NAMES)
    assert len({str(handle._unscaled_dash_pattern) for handle in figure.legends[0].legend_handles}) == len(NAMES)
    assert len({handle.get_marker() for handle in figure.legends[0].legend_handles}) == len(NAMES)
    assert len(axes.containers) == len(NAMES)
    words = ("flat wins", "even", "tree wins")
    ratios = [("a", 1.5, 1), ("b", 0.7, -1)]
    figure = plotted(lambda axes: draw_ratios(axes, ratios, "r [1]", "t", words), None, "acm", None).figure
    bars = [bar.get_hatch() for container in figure.axes[0].containers for bar in container]
    assert len(set(bars)) == 2
    assert [handle.get_hatch() for handle in figure.legends[0].legend_handles][::2] == bars


def test_panels_of_a_column_are_two_in_a_row():
    """Three on a page and on a screen; titles of panels stay."""
    curves = [_curves()] * 3
    narrow, wide = printed(lambda: panels(curves), "ieee", None), printed(lambda: panels(curves), "ieee", "page")
    assert len(narrow.axes) == 4
    assert len(wide.axes) == 3
    assert wide.axes[0].get_title(loc="left") == "title"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nature", None), "unknown style 'nature'"),
        (("ieee", "wide"), "unknown width 'wide'; give column or page"),
        ((None, "page"), "width 'page' needs a style"),
    ],
)
def test_mistakes_are_one_sentence(arguments, message):
    """A style, a width, and a width alone."""
    with pytest.raises(InputError, match=message):
        _figure(*arguments)


def test_given_axes_take_no_style():
    """They belong to a figure that has a size."""
    axes = sheet(3, 3).add_subplot()
    with pytest.raises(InputError, match="omit ax, or draw on ax without them"):
        plotted(lambda axes: None, axes, "ieee", None)


def test_an_image_has_no_pgf(tmp_path):
    """Pixels would need a second file."""
    axes = axes_of(None)
    axes.imshow([[1, 2], [3, 4]])
    with pytest.raises(InputError, match=r"no PGF form; write it as \.pdf"):
        axes.figure.savefig(tmp_path / "a.pgf")


@pytest.mark.parametrize(("low", "high"), [(3.0, 5.0), (3.0, 40.0), (2e-3, 9e4), (99.0, 101.0), (7.0, 7.0)])
@pytest.mark.parametrize("side", ["x", "y"])
def test_ticks_of_logarithmic_axes_are_numbers(low, high, side):
    """Whatever they span: at least two labels, each the number at its place, no formula."""

    def draw(axes):
        values = ([low, high], [1.0, 2.0])
        axes.plot(*(values if side == "x" else values[::-1]))
        log_axis(axes, side)

    figure = plotted(draw, None, None, None).figure
    axes = figure.axes[0]
    assert "mathdefault" not in svg_text(figure)
    axis = axes.xaxis if side == "x" else axes.yaxis
    ends = sorted(axis.get_view_interval())
    ticks = [tick for tick in axis.get_majorticklocs() if ends[0] <= tick <= ends[1]]
    labels = axis.get_major_formatter().format_ticks(ticks)
    assert len(labels) >= 2
    assert [float(label.replace(",", "")) for label in labels] == pytest.approx(ticks)
