"""Figures of applications relative to a baseline."""

from collections.abc import Mapping
from statistics import fmean

from topoloom_papers._app_runs import Gain
from topoloom_papers.curves import Curves, Series


def relative_figure(
    name: str, title: str, by_setup: dict[str, dict[str, Gain]], y: str, printed: Mapping[str, float] | None = None
) -> Curves:
    """By program, the mean last: how many times as fast as the baseline each network is, with ranks in each setup.

    Parameters
    ----------
    name, title : str
    by_setup : dict of str to (dict of str to Gain)
    y : str
        What the values are.
    printed : mapping of str to float, optional
        The means that the paper prints by network, in % above the baseline.

    Returns
    -------
    Curves
    """
    series = []
    for setup, gains in by_setup.items():
        for network, gain in gains.items():
            values = [fmean(each) for each in gain.programs.values()] + [gain.mean]
            points = tuple((float(at), 1 + value / 100) for at, value in enumerate(values, 1))
            series.append(Series(f"{network}, ranks {setup}", points))
    programs = next(iter(next(iter(by_setup.values())).values())).programs
    for network, value in (printed or {}).items():
        series.append(Series(f"{network}, printed", ((float(len(programs) + 1), 1 + value / 100),)))
    return Curves(name, title, "program", y, tuple(series), joined=False, x_names=(*programs, "mean"))
