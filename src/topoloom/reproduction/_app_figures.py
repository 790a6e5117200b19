"""Figures of applications relative to a baseline."""

from statistics import fmean

from topoloom.figures.curves import Curves, Series
from topoloom.reproduction._app_runs import Gain


def relative_figure(name: str, title: str, by_setup: dict[str, dict[str, Gain]], y: str) -> Curves:
    """By program, the mean last: how many times as fast as the baseline each network is, with ranks in each setup."""
    series = []
    for setup, gains in by_setup.items():
        for network, gain in gains.items():
            values = [fmean(each) for each in gain.programs.values()] + [gain.mean]
            points = tuple((float(at), 1 + value / 100) for at, value in enumerate(values, 1))
            series.append(Series(f"{network}, ranks {setup}", points))
    programs = next(iter(next(iter(by_setup.values())).values())).programs
    return Curves(name, title, "program", y, tuple(series), joined=False, x_names=(*programs, "mean"))
