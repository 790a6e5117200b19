"""The studies in examples/ can be planned, and their quickest tasks run."""

from pathlib import Path

import pytest

from topoloom import read_study, run_study

_STUDIES = sorted((Path(__file__).parents[2] / "examples" / "studies").glob("*.toml"))
#: How many of its tasks are run here, and how many it has in all.
_RUN = {
    "ai-4k-prices": (0, 25),
    "besta-2014-figure-6": (1, 57),
    "flat-or-tree": (1, 108),
    "flat-or-tree-families": (1, 48),
    "flat-or-tree-growth": (0, 48),
    "flat-or-tree-switches": (1, 72),
    "load-curves": (2, 48),
    "truong-2016-sizes": (48, 48),
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("path", _STUDIES, ids=lambda path: path.stem)
def test_an_example_runs(path, tmp_path):
    """As many tasks as it says; some of them, without a failure, as a page with its picture."""
    some, tasks = _RUN[path.stem]
    found = run_study(read_study(path), tmp_path / "s", executor="threads", most=some)
    assert found.tasks == tasks
    assert (found.done, found.failed) == (some, 0)


def test_hops_by_size_are_as_figures_4_and_5_of_truong_2016_tell(tmp_path):
    """Random graphs have the fewest hops at every size, tori the most; DSN-F no more than DSN from 64 switches on."""
    path = next(path for path in _STUDIES if path.stem == "truong-2016-sizes")
    found = run_study(read_study(path), tmp_path / "s", executor="threads")
    frame = found.to_frame().groupby(["n", "family"])["aspl"].mean().unstack()
    assert (frame.idxmin(axis=1) == "RR, degree 4").all()
    assert (frame.idxmax(axis=1) == "2-D torus").all()
    assert (frame["DSN-F"] <= frame["DSN"]).loc[64:].all()
