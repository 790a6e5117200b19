"""The study of flat networks and trees: its file is right, and the example prints its tables."""

import runpy
from pathlib import Path

import pytest

from topoloom import Study, read_study, run_study

_EXAMPLES = Path(__file__).parents[2] / "examples"


def test_the_study_has_all_sizes_ratios_routings_and_seeds():
    """Three sizes, four ratios, three routings, three seeds: 108 tasks of the operation, with panels in both networks."""
    study = read_study(_EXAMPLES / "studies" / "flat-or-tree.toml")
    tasks = list(study.tasks())
    assert len(tasks) == 3 * 4 * 3 * 3
    assert {task.arguments["panels"] for task in tasks} == {"racks"}
    assert {(task.arguments["least_hosts"], task.arguments["radix"]) for task in tasks} == {
        (1024, 64),
        (8192, 128),
        (61440, 128),
    }


@pytest.mark.parametrize(
    ("name", "tasks", "same"),
    [
        ("switches", 72, {"equal": "switches", "panels": "racks", "family": "shuffled"}),
        ("families", 48, {"panels": "racks", "oversubscription": 3}),
        ("growth", 48, {}),
    ],
)
def test_the_further_studies_change_one_rule(name, tasks, same):
    """As many switches; other families; growth with a cable per link, at 51.2 Tb/s per switch."""
    study = list(read_study(_EXAMPLES / "studies" / f"flat-or-tree-{name}.toml").tasks())
    assert len(study) == tasks
    for task in study:
        assert {key: task.arguments[key] for key in same} == same
        if name == "growth":
            assert task.arguments["radix"] * task.arguments["rate_gbps"] == 51_200


def test_the_example_prints_a_row_per_point(tmp_path, capsys):
    """Every ratio of flat to tree with its sign: + for a win with all seeds, - for a loss."""
    script = runpy.run_path(str(_EXAMPLES / "flat_or_tree.py"))
    study = Study(
        operation="flat-or-tree",
        task={"least_hosts": 24, "radix": 8, "growth": False},
        axes={"oversubscription": [2], "flat_engine": ["ecmp"], "seed": [1]},
    )
    rows = run_study(study, tmp_path / "study", executor="threads", jobs=1).rows()
    script["tables"](rows)
    lines = [line for line in capsys.readouterr().out.splitlines() if "ecmp" in line]
    assert len(lines) == 2
    signs = {"flat": "+", "tree": "-", "even": "=", "unknown": "?"}
    for line, measures in zip(lines, (script["MEASURES"], script["TRAFFIC"]), strict=True):
        cells = [cell.strip() for cell in line.strip("|").split("|")][-len(measures) :]
        for cell, key in zip(cells, measures, strict=True):
            ratio = rows[0][f"ratio_{key}"]
            assert cell == ("?" if ratio is None else f"{ratio:.2f} {signs[rows[0][f'wins_{key}']]}")
