"""Seeds are added until the interval is within a share of the mean: the same ones however the study is run."""

import shutil
from statistics import fmean, stdev

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner
from scipy.stats import t

from topoloom import InputError, Store, Study, open_study, run_study, study_status
from topoloom.cli.main import cli
from topoloom.core.work import Work
from topoloom.studies.record import done, failed
from topoloom.studies.replications import Replicate, further_seeds, replicated
from topoloom.studies.task import task_of

#: Two random graphs whose mean distance depends on the seed of a short search.
STUDY = Study(
    operation="optimize",
    task={"topology": "jellyfish:n={n},degree=3,seed=1", "moves": 40},
    axes={"n": [16, 40]},
    replicate=Replicate(value="aspl", within=0.006, least=4, most=12),
)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The study after an undisturbed run, and its folder."""
    folder = tmp_path_factory.mktemp("undisturbed") / "s"
    return run_study(STUDY, folder, executor="threads", jobs=1), folder


def changed(**replicate):
    """The study with another rule."""
    return msgspec.structs.replace(STUDY, replicate=msgspec.structs.replace(STUDY.replicate, **replicate))


def records_of(values, **row):
    """Finished records with these values, in the order of the seeds."""
    task = task_of("hops", {"topology": "petersen"})
    return [done(task, {}, {"latency_mean": value} | row, 0.1) for value in values]


def test_the_points_have_what_the_rule_says(undisturbed):
    """By hand from the table: Student's t of the first four, over the root of all; seeds are 1, 2, ... at every point."""
    found, _ = undisturbed
    assert found.axes == ("n", "seed")
    assert {each.seeds for each in found.replications} - {4}, "no point needs more than the first seeds"
    for point in found.replications:
        rows = [row for row in found.table if row["n"] == point.axes["n"]]
        values = [row["aspl"] for row in rows]
        assert [row["seed"] for row in rows] == list(range(1, point.seeds + 1))
        half = t.ppf(0.975, 3) * stdev(values[:4]) / point.seeds**0.5
        assert point.half_width == pytest.approx(half)
        assert point.reached == (half <= 0.006 * fmean(values))
        assert point.reached or (point.seeds, point.missed) == (12, "most seeds")


def test_a_stopped_study_goes_on_to_the_same(undisturbed, tmp_path):
    """Stopped after each number of records, and run again: the same points, replications and results."""
    expected, _ = undisturbed
    for stop_after in (1, 5, 9):
        works, seen = [], []

        def count(record, works=works, seen=seen, most=stop_after):
            seen.append(record)
            if len(seen) >= most:
                works[0].stop()

        works.append(Work(on_result=count))
        folder = tmp_path / str(stop_after)
        first = run_study(STUDY, folder, executor="threads", jobs=1, work=works[0])
        assert first.done < expected.done
        assert "not done" in {each.missed for each in first.replications}
        again = run_study(STUDY, folder, executor="threads", jobs=2)
        assert (again.table, again.replications) == (expected.table, expected.replications)


def test_other_records_in_the_folder_change_nothing(undisturbed, tmp_path):
    """After a stricter rule in the same folder, the first rule has the seeds that it had."""
    expected, folder = undisturbed
    shutil.copytree(folder, tmp_path / "s")
    strict = run_study(changed(within=0.0005), tmp_path / "s", executor="threads")
    assert strict.done > expected.done
    again = run_study(STUDY, tmp_path / "s", executor="threads")
    assert (again.table, again.replications) == (expected.table, expected.replications)
    assert open_study(tmp_path / "s").replications == expected.replications
    assert study_status(STUDY, Store(tmp_path / "s")).to_go == 0


@pytest.mark.exhaustive
@pytest.mark.parametrize("executor", ["processes", "dask"])
def test_executors_agree(undisturbed, tmp_path, executor):
    """Rounds in worker processes and on a Dask cluster give the seeds and results of threads."""
    if executor == "dask":
        pytest.importorskip("distributed", reason="Dask is not installed (pip install 'topoloom[cluster]')")
    found = run_study(STUDY, tmp_path / "s", executor=executor, jobs=2)
    assert (found.table, found.replications) == (undisturbed[0].table, undisturbed[0].replications)


def test_pilots_run_first_seeds_only(tmp_path):
    """A dry run does not go on to further rounds."""
    assert run_study(STUDY, tmp_path / "s", executor="threads", most=3).done == 3


def test_two_stages_cover_and_waste_little():
    """2,000 normal points that need about 20 seeds: 95 % intervals cover 94 % or more, with at most twice the seeds."""
    rule = Replicate(value="x", within=1.96 * 0.1 / 20**0.5, least=5, most=10_000)
    random = np.random.default_rng(3)
    covered, seeds = 0, 0
    for _ in range(2000):
        values = random.normal(1.0, 0.1, 5).tolist()
        while (needed := rule.seeds(values)) > len(values):
            values += random.normal(1.0, 0.1, needed - len(values)).tolist()
        assert rule.half_width(values) <= rule.within * fmean(values)
        covered += abs(fmean(values) - 1.0) <= rule.half_width(values)
        seeds += len(values)
    assert covered / 2000 >= 0.94
    assert seeds / 2000 <= 2.2 * 20


def test_why_a_point_is_not_within():
    """Saturated, failed, no number, too few seeds; none of them gets further seeds, but equal values are exact."""
    rule = Replicate(value="latency_mean", within=0.01, least=3, most=5)
    task = task_of("hops", {"topology": "petersen"})
    spread = [10.0, 20.0, 30.0]
    for records, missed, seeds in (
        (records_of(spread, saturated=True), "saturated", 3),
        ([*records_of(spread[:2]), failed(task, "no")], "failed", 3),
        ([*records_of(spread[:2]), None], "not done", 3),
        (records_of([10.0, None, 30.0]), "no number", 3),
        (records_of(spread), "not done", 5),
        (records_of([*spread, 20.0, 20.0]), "most seeds", 5),
        (records_of([7.0] * 3), "", 3),
        (records_of([0.0, 1.0, -1.0]), "not done", 5),
    ):
        found = replicated(rule, {"load": 0.5}, records)
        assert (found.missed, found.reached, further_seeds(rule, records)) == (missed, not missed, seeds)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"seeds": 3}, "`seeds` and \\[replicate\\] both give the seeds of every point; keep one"),
        ({"operation": "info", "task": {"topology": "ring:n={n}"}}, "info has no random draws.*remove \\[replicate\\]"),
        ({"task": STUDY.task | {"seed": 2}}, "\\[replicate\\] and the seed of \\[task\\] both set the seed"),
        ({"axes": STUDY.axes | {"seed": [1, 2]}}, "the axis 'seed' is defined twice"),
        ({"skip": [{"seed": 1}]}, "\\[\\[skip\\]\\] names 'seed', which is not an axis \\(there are n\\)"),
    ],
)
def test_the_seed_belongs_to_the_rule(changes, text):
    """What else sets it is refused."""
    with pytest.raises(InputError, match=text):
        msgspec.structs.replace(STUDY, **changes)


def test_wrong_rules_are_one_sentence(tmp_path):
    """A condition on seeds, fewer seeds at most than at least, an unknown column: after the first result, not after all."""
    with pytest.raises(InputError, match="no axis named 'seed'"):
        msgspec.structs.replace(STUDY, where=["seed < 3"]).tasks()
    with pytest.raises(InputError, match="most=4 is below least=10; raise it"):
        Replicate(value="aspl", most=4)
    with pytest.raises(InputError, match=r"no column 'asp' \(did you mean aspl"):
        run_study(changed(value="asp"), tmp_path / "s", executor="threads", jobs=1)
    assert len(Store(tmp_path / "s").records()) < 8


def test_the_command_says_which_points_are_within(undisturbed, tmp_path):
    """And which are not, with the reason; the folder has them as a table, the record all of them."""
    _, folder = undisturbed
    shutil.copytree(folder, tmp_path / "s")
    (tmp_path / "s.toml").write_text(
        'operation = "optimize"\n[task]\ntopology = "jellyfish:n={n},degree=3,seed=1"\nmoves = 40\n[axes]\nn = [16, 40]\n'
        '[replicate]\nvalue = "aspl"\nwithin = 1e-6\nleast = 4\nmost = 12\n'
    )
    ran = CliRunner().invoke(
        cli, ["study", str(tmp_path / "s.toml"), "-o", str(tmp_path / "s"), "--executor", "threads"]
    )
    assert ran.exit_code == 0, ran.output
    assert "0 of 2 points: the mean of aspl is within 0.0001 % at 95 %\n" in ran.output
    assert "not within 0.0001 %: n=16, 12 seeds, +- " in ran.output
    assert (tmp_path / "s" / "replications.csv").read_text().splitlines()[0] == "n,seeds,mean,half_width,reached,missed"
    assert "<h2>Replications</h2>" in (tmp_path / "s" / "study.html").read_text()
