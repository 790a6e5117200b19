"""Winners with ties, paired differences over common draws, and corrections for many comparisons."""

import json

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.stats import ttest_rel

from topoloom import InputError, Study, StudyDifferences, StudyResults, run_study
from topoloom.cli.main import cli
from topoloom.studies.comparison import holm, paired_difference
from topoloom.studies.export import export_study
from topoloom.studies.winners import winners_of


def results(rows, axes):
    """Results with these rows."""
    return StudyResults("A title", "simulate", axes, len(rows), len(rows), 0, 1.0, tuple(rows))


def rows_of(values, **more):
    """One row per name and seed."""
    return [
        {"topology": name, "seed": seed, "latency_mean": value, "saturated": False} | more
        for name, each in values.items()
        for seed, value in enumerate(each, 1)
    ]


def test_a_paired_difference_is_students():
    """As SciPy's paired test, which knows nothing of draws; draws of one competitor alone do not count."""
    first, second = [10.0, 12.0, 15.0, 11.0], [10.4, 12.1, 15.9, 11.3]
    found = paired_difference(dict(enumerate(first)) | {9: 1e9}, dict(enumerate(second)))
    expected = ttest_rel(second, first)
    low, high = expected.confidence_interval(0.95)
    assert found.p == pytest.approx(expected.pvalue)
    assert (found.mean - found.half_width, found.mean + found.half_width) == pytest.approx((low, high))
    assert (found.draws, paired_difference({1: 2.0}, {2: 3.0})) == (4, None)


def test_common_random_numbers_find_what_independent_draws_hide():
    """Seeds differ by 10, networks by 0.1 at every seed: a winner by pairs of seeds, a tie of shuffled seeds."""
    noise = np.random.default_rng(1).normal(0, 0.01, 8)
    values = {"a": [10.0 * seed for seed in range(8)], "b": [10.0 * seed + 0.1 + noise[seed] for seed in range(8)]}
    (row,) = winners_of(results(rows_of(values), ("topology", "seed")), "topology")
    assert (row["winner"], "tied" in row) == ("a", False)
    assert row["difference_low"] < 0.1 < row["difference_high"] < 0.13
    shuffled = values | {"b": values["b"][::-1]}
    (row,) = winners_of(results(rows_of(shuffled), ("topology", "seed")), "topology")
    assert (row["winner"], row["tied"]) == (None, "a, b")


def test_one_seed_is_judged_by_the_intervals_of_the_simulation():
    """5e-6 ahead within intervals of 0.1 is a tie; 1 ahead is not; exact values have no ties but equal ones."""
    for ahead, winner in ((5e-6, None), (1.0, "a")):
        rows = rows_of({"a": [10.0], "b": [10.0 + ahead]}, latency_ci95=0.1)
        assert winners_of(results(rows, ("topology", "seed")), "topology")[0]["winner"] == winner
        rows = rows_of({"a": [10.0], "b": [10.0 + ahead]})
        assert winners_of(results(rows, ("topology", "seed")), "topology")[0]["winner"] == "a"
    (row,) = winners_of(results(rows_of({"a": [10.0], "b": [10.0]}), ("topology", "seed")), "topology")
    assert (row["winner"], row["tied"]) == (None, "a, b")


def test_saturated_networks_win_no_latency():
    """Not even with the least; where all are saturated, nobody wins; other measures are not concerned."""
    rows = rows_of({"a": [10.0, 11.0]}, saturated=True) + rows_of({"b": [20.0, 22.0]})
    found = results([row | {"accepted": row["latency_mean"]} for row in rows], ("topology", "seed"))
    (row,) = winners_of(found, "topology", "latency_mean")
    assert (row["winner"], row["latency_mean"], row["saturated"]) == ("b", 21.0, "a")
    assert winners_of(found, "topology", "accepted")[0]["accepted"] == 10.5
    (row,) = winners_of(results(rows_of({"a": [1.0], "b": [2.0]}, saturated=True), ("topology", "seed")), "topology")
    assert (row["winner"], row["latency_mean"], row["saturated"]) == (None, None, "a, b")


def test_equal_networks_rarely_have_a_winner():
    """200 tables of five points and three equal competitors: at most 5 % have a winner anywhere, but chance allows 8 %."""
    random, wrong = np.random.default_rng(2), 0
    for _ in range(200):
        rows = [
            {"topology": name, "seed": seed, "load": load, "latency_mean": float(random.normal(20, 1))}
            for name in "abc"
            for seed in range(6)
            for load in range(5)
        ]
        found = winners_of(results(rows, ("topology", "seed", "load")), "topology")
        wrong += any(row["winner"] is not None for row in found)
    assert wrong <= 16


def test_holm_corrects_step_by_step():
    """By hand; the least is multiplied by all, none falls below a lesser one, none exceeds 1."""
    assert holm([0.04, 0.001, 0.03, 0.5]) == pytest.approx([0.09, 0.004, 0.09, 0.5])
    assert holm([]) == []
    assert holm([0.9, 0.8]) == [1.0, 1.0]


def test_differences_of_all_pairs_are_students_with_holm(tmp_path):
    """Three competitors at two points: six rows, as SciPy's paired test of the common seeds; as a record and as a table."""
    random = np.random.default_rng(4)
    values = {(name, load): random.normal(20 + load, 1, 6) for name in "abc" for load in (1, 2)}
    rows = [
        {"topology": name, "load": load, "seed": seed, "latency_mean": float(value), "saturated": False}
        for (name, load), each in values.items()
        for seed, value in enumerate(each, 1)
        if (name, seed) != ("c", 6)
    ]
    found = results(rows, ("topology", "load", "seed")).differences("topology")
    assert (found.of, found.measure) == ("topology", "latency_mean")
    pairs = [(row["load"], row["first"], row["second"]) for row in found.differences]
    assert pairs == [(load, *pair) for load in (1, 2) for pair in ("ab", "ac", "bc")]
    for row in found.differences:
        common = 5 if row["second"] == "c" or row["first"] == "c" else 6
        first, second = (values[row[which], row["load"]][:common] for which in ("first", "second"))
        expected = ttest_rel(second, first)
        interval = expected.confidence_interval(0.95)
        assert row["draws"] == common
        assert (row["first_mean"], row["second_mean"]) == pytest.approx((first.mean(), second.mean()))
        assert row["difference"] == pytest.approx(second.mean() - first.mean())
        assert (row["difference_low"], row["difference_high"]) == pytest.approx(tuple(interval))
        assert row["p"] == pytest.approx(expected.pvalue)
    assert [row["p_holm"] for row in found.differences] == holm([row["p"] for row in found.differences])
    assert StudyDifferences.from_record(found.record()) == found
    export_study(found, tmp_path / "d.csv")
    assert (tmp_path / "d.csv").read_text().splitlines()[0] == ",".join(found.differences[0])
    with pytest.raises(InputError, match=r"end its name in \.csv .*, \.parquet"):
        export_study(found, tmp_path / "d.nc")


def test_what_cannot_be_compared_is_one_sentence():
    """Saturated networks, other seeds, an unknown axis."""
    rows = rows_of({"a": [10.0], "b": [20.0]}, saturated=True)
    apart = [{"topology": name, "seed": seed, "aspl": 2.0} for seed, name in enumerate("ab")]
    for found in (results(rows, ("topology", "seed")), results(apart, ("topology", "seed"))):
        with pytest.raises(InputError, match="no two values of 'topology' have a common draw"):
            found.differences("topology")
    with pytest.raises(InputError, match="no axis 'engine'"):
        results(rows, ("topology", "seed")).differences("engine")


def test_the_command_exports_differences(tmp_path):
    """On the screen, to a file, as a record; options without their axis, and no file, are one sentence."""
    study = Study(
        operation="optimize", task={"topology": "jellyfish:n=16,degree=3,seed=1"}, axes={"moves": [20, 2000]}, seeds=5
    )
    folder = str(tmp_path / "s")
    found = run_study(study, folder, executor="threads").differences("moves", "aspl")

    def ran(*words):
        return CliRunner().invoke(cli, ["study", "export", folder, *words])

    words = ("--of", "moves", "--value", "aspl")
    assert ran(*words).stdout.split()[:3] == ["first", "second", "draws"]
    assert json.loads(ran(*words, "--json").stdout)["differences"] == list(found.differences)
    assert ran(*words, "-o", str(tmp_path / "d.csv")).exit_code == 0
    assert (tmp_path / "d.csv").read_text().startswith("first,second,draws,first_mean")
    assert json.loads(ran("--json").stdout)["schema"] == "topoloom/study/3"
    assert str(ran("--value", "aspl", "-o", "x.csv").exception).startswith("--value: it belongs to differences")
    assert str(ran().exception).startswith("-o is missing: name the table's file")
    (row,) = found.differences
    assert row["difference"] < 0
    assert row["p_holm"] == row["p"] < 0.05
