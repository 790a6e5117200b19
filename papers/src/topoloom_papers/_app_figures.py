"""Figures of application performance relative to a baseline."""

from collections.abc import Mapping
from statistics import fmean

from topoloom_papers._app_runs import Gain
from topoloom_papers.curves import Curves, Series


def relative_figure(
    name: str, title: str, by_setup: dict[str, dict[str, Gain]], y: str, published: Mapping[str, float] | None = None
) -> Curves:
    """The speedup of each network over the baseline, per program and setup; the last column is the mean.

    Parameters
    ----------
    name, title : str
    by_setup : dict of str to (dict of str to Gain)
    y : str
        Label of the y axis.
    published : mapping of str to float, optional
        The published mean per network, in % above the baseline.

    Returns
    -------
    Curves
    """
    series = []
    for setup, gains in by_setup.items():
        for network, gain in gains.items():
            values = [fmean(gains_percent) for gains_percent in gain.programs.values()] + [gain.mean]
            points = tuple((float(x), 1 + value / 100) for x, value in enumerate(values, 1))
            series.append(Series(f"{network}, ranks {setup}", points))
    programs = next(iter(next(iter(by_setup.values())).values())).programs
    for network, value in (published or {}).items():
        series.append(Series(f"{network}, published", ((float(len(programs) + 1), 1 + value / 100),)))
    return Curves(name, title, "program", y, tuple(series), joined=False, x_names=(*programs, "mean"))
