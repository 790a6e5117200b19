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


@pytest.fixture(scope="module")
def script():
    return runpy.run_path(str(_EXAMPLES / "flat_or_tree.py"))


def _printed(script, rows, capsys):
    """The cells of each printed table, without its two lines of titles."""
    script["tables"](rows)
    tables = [table.splitlines()[2:] for table in capsys.readouterr().out.strip().split("\n\n")]
    return [[[cell.strip() for cell in line.strip("|").split("|")] for line in table] for table in tables]


def test_the_example_prints_a_row_per_point(script, tmp_path, capsys):
    """Every ratio of flat to tree with its sign: + for a win with all seeds, - for a loss."""
    study = Study(
        operation="flat-or-tree",
        task={"least_hosts": 24, "radix": 8, "growth": False},
        axes={"oversubscription": [2], "flat_engine": ["ecmp"], "seed": [1]},
    )
    rows = run_study(study, tmp_path / "study", executor="threads", jobs=1).rows()
    printed = _printed(script, rows, capsys)
    assert len(printed) == len(script["TABLES"])
    signs = {"flat": "+", "tree": "-", "even": "=", "unknown": "?"}
    for table, measures in zip(printed, script["TABLES"], strict=True):
        keys = [key for key in measures if f"wins_{key}" in rows[0]]
        (line,) = table
        for cell, key in zip(line[5:], keys, strict=True):
            ratio, beaten = rows[0][f"ratio_{key}"], rows[0].get(f"any_routing_{key}")
            sign = "--" if beaten else signs[rows[0][f"wins_{key}"]]
            assert cell == ("?" if ratio is None else f"{ratio:.2f} {sign}")


def test_the_example_prints_means_and_doubt(script, capsys):
    """Means over the seeds; ~ where they do not agree; nothing is better with any routing unless it is so with all seeds."""
    base = {
        "flat_spec": "dring:size=2",
        "tree_spec": "fat-tree:k=8,taper=3:1",
        "flat_engine": "ecmp",
        "least_hosts": 64,
    }
    base |= {"flat_moved": 1, "tree_moved": 0, "flat_growth_usd": 1200, "tree_growth_usd": None}
    first = base | {"ratio_skewed": 0.5, "wins_skewed": "tree", "any_routing_skewed": True}
    first |= {"ratio_farthest": 0.9, "wins_farthest": "tree", "any_routing_farthest": True}
    second = base | {"ratio_skewed": 1.5, "wins_skewed": "flat", "any_routing_skewed": False}
    second |= {"ratio_farthest": 0.7, "wins_farthest": "tree", "any_routing_farthest": True}
    ratios, growth = _printed(script, [first, second], capsys)
    assert ratios == [["64", "dring", "ecmp", "3:1", "2", "1.00 ~", "0.80 --"]]
    assert growth == [["64", "dring", "ecmp", "3:1", "2", "1.00", "0.00", "1,200", "no plan"]]
