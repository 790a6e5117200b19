"""`--plot` of simulate, resilience and app: the same options, formats and refusals."""

import re

import pytest
from click.testing import CliRunner

from topoloom.cli.main import cli
from topoloom.core.errors import InputError

SHORT = {
    "simulate": ("ring:n=3,hosts=1", "--loads", "0.1"),
    "resilience": ("petersen", "--samples", "20"),
    "app": ("ring:n=3,hosts=1", "--app", "alltoall:bytes=64", "--simulator", "flows"),
}


def _run(*words):
    result = CliRunner().invoke(cli, [*words, "-q"], catch_exceptions=False, standalone_mode=False)
    if result.exception is not None:
        raise result.exception


@pytest.mark.parametrize("command", sorted(SHORT))
def test_a_figure_for_print_is_as_wide_as_its_column(command, tmp_path):
    """3.5 inches are 252 points for IEEE; for a screen it is wider than a page."""
    for options, points in ((("--style", "ieee"), 252.0), (("--style", "acm", "--width", "page"), 504.0)):
        _run(command, *SHORT[command], "--plot", str(tmp_path / "figure.pdf"), *options)
        (box,) = re.findall(rb"/MediaBox \[ ?0 0 ([\d.]+) ", (tmp_path / "figure.pdf").read_bytes())
        assert float(box) == pytest.approx(points, abs=0.01)
    _run(command, *SHORT[command], "--plot", str(tmp_path / "page.html"))
    assert "<svg" in (tmp_path / "page.html").read_text()


@pytest.mark.parametrize("command", sorted(SHORT))
@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--style", "acm"), "without --plot there is no figure"),
        (("--outlines",), "without --plot there is no figure"),
        (("--plot", "figure.doc"), r"end its name in \.svg, \.png, \.pdf or \.pgf, or in \.html"),
        (("--plot", "nowhere/figure.pdf"), "there is no folder nowhere"),
        (("--plot", "figure.pdf", "--width", "page"), "needs a style"),
    ],
)
def test_options_without_a_figure_are_refused_before_any_work(command, options, reason, tmp_path, monkeypatch):
    """Each in one sentence; no file is left."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=reason):
        _run(command, *SHORT[command], *options)
    assert not list(tmp_path.iterdir())
