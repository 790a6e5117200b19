"""`topoloom simulate`: its JSON, its table, its CSV, and its errors."""

import csv
import json

import pytest
from click.testing import CliRunner

from topoloom.cli import simulate
from topoloom.errors import InputError

KEYS = {
    "offered", "accepted", "accepted_min", "latency_mean", "latency_ci95", "latency_p99", "hops_mean", "cycles",
    "flit_hops_per_s", "saturated",
}  # fmt: skip


def _run(*arguments):
    result = CliRunner().invoke(simulate.command, arguments, catch_exceptions=False, standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.stdout


def test_json_has_what_scripts_need(tmp_path):
    """A document with a point a load, each with at least the keys promised; the CSV holds the same numbers."""
    file = tmp_path / "points.csv"
    values = json.loads(_run("slimfly:q=3,hosts=2", "--loads", "0.1:0.3:0.1", "--json", "-o", str(file)))
    assert [point["offered"] for point in values["points"]] == [0.1, 0.2, 0.3]
    assert all(point.keys() >= KEYS for point in values["points"])
    rows = list(csv.DictReader(file.open()))
    assert [float(row["latency_mean"]) for row in rows] == [point["latency_mean"] for point in values["points"]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--loads", "0.1:x"), "write first:last:step"),
        (("--loads", "0.5:0.1:0.1"), "write first:last:step"),
        (("--loads", "2"), "at most 1 flit a cycle"),
        (("--traffic", "shufle"), "no traffic 'shufle'"),
        (("--preset", "x"), "no router preset 'x'"),
        (("--routing", "mini"), "did you mean minimal"),
    ],
)
def test_mistakes_are_one_line(arguments, message):
    """An `InputError`, which the command line prints as one line before it ends with 2."""
    with pytest.raises(InputError, match=message):
        _run("slimfly:q=3,hosts=2", *arguments)
