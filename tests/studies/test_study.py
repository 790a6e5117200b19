"""Axes make a study's tasks; what is finished never runs again; every executor gives the same; a bad study is one sentence."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter

import msgspec
import pytest
from click.testing import CliRunner

from topoloom import InputError, Store, Study, read_study, run_study, study_status
from topoloom.cli.main import cli
from topoloom.core.errors import Stopped
from topoloom.core.work import Work
from topoloom.studies.conditions import condition_holds
from topoloom.studies.run import spread
from topoloom.studies.study import Running

TORI = {"operation": "hops", "task": {"topology": "torus:dims={side}x{side}"}, "axes": {"side": [3, 4, 5]}}


def lines_of(folder):
    """Every whole line of all shards."""
    return [json.loads(line) for path in (folder / "records").glob("*.jsonl") for line in path.read_text().splitlines()]


def test_axes_are_crossed_and_seeds_go_fastest():
    """In the order of the file: the first axis goes slowest."""
    study = Study(
        operation="simulate",
        task={"topology": "petersen:hosts=1"},
        axes={"loads": {"from": 0.1, "to": 0.3, "step": 0.1}, "traffic": ["uniform", "tornado"]},
        seeds=2,
    )
    told = [
        (task.arguments["loads"], task.arguments.get("traffic"), task.arguments.get("seed")) for task in study.tasks()
    ]
    assert told[:5] == [
        ([0.1], None, None),
        ([0.1], None, 2),
        ([0.1], "tornado", None),
        ([0.1], "tornado", 2),
        ([0.2], None, None),
    ]
    assert len(told) == 12
    assert study.axis_names == ("loads", "traffic", "seed")


def test_axes_side_by_side_and_conditions():
    """[[together]] goes in step; `where` and [[skip]] take points out."""
    study = Study(
        operation="route",
        together=[{"topology": ["petersen", "ring:n=5"], "engine": ["orders", "updown"]}],
        axes={"virtual_channels": [1, 2, 3]},
        where=["virtual_channels < 3"],
        skip=[{"topology": "ring:n=5", "virtual_channels": 1}],
    )
    assert [(task.arguments["topology"], task.arguments["virtual_channels"]) for task in study.tasks()] == [
        ("petersen", 1),
        ("petersen", 2),
        ("ring:n=5", 2),
    ]


def test_axes_that_change_together_take_every_form():
    """Ranges, names and lists are labelled as under [axes]."""
    study = Study(
        operation="simulate",
        together=[
            {
                "topology": {"Petersen": "petersen:hosts=1", "five": "ring:n=5,hosts=1"},
                "set.vcs": {"from": 3, "to": 4, "step": 1},
                "loads": [[0.1], [0.1, 0.2]],
            }
        ],
    )
    labels, values = zip(*study.points(), strict=True)
    assert labels == (
        {"topology": "Petersen", "set.vcs": 3, "loads": "1"},
        {"topology": "five", "set.vcs": 4, "loads": "2"},
    )
    assert [value["loads"] for value in values] == [[0.1], [0.1, 0.2]]
    assert [task.arguments["topology"] for task in study.tasks()] == ["petersen:hosts=1", "ring:n=5,hosts=1"]


def test_a_table_of_names_and_a_key_of_a_table():
    """Values are called by their names; ``set.vcs`` goes into the table `set`."""
    study = Study(
        operation="simulate",
        task={"loads": 0.1, "set": {"buffer_flits": 8}},
        axes={"topology": {"Petersen": "petersen:hosts=1"}, "set.vcs": [3, 4]},
    )
    (labels, task), _ = study.planned()
    assert labels == {"topology": "Petersen", "set.vcs": 3}
    assert task.arguments["set"] == {"buffer_flits": 8, "vcs": 3}


def test_ranges_by_factors():
    """From 4 to 64, doubling."""
    study = Study(operation="nothing", axes={"number": {"from": 4, "to": 64, "times": 2}})
    assert [task.arguments["number"] for task in study.tasks()] == [4, 8, 16, 32, 64]


@pytest.mark.sweep(1)
@pytest.mark.parametrize("executor", ["processes", "threads"])
def test_executors_give_the_same_and_nothing_runs_twice(executor, tmp_path):
    """Rows and results are equal; a second run does nothing; a longer axis runs what is new."""
    first = run_study(Study(**TORI), tmp_path / "a", executor="threads", jobs=1)
    found = run_study(Study(**TORI), tmp_path / "b", executor=executor, jobs=2)
    assert found.rows() == first.rows()
    records = [Store(tmp_path / name).records() for name in "ab"]
    assert {d: r.result for d, r in records[0].items()} == {d: r.result for d, r in records[1].items()}
    assert [row["diameter"] for row in found.rows()] == [2, 4, 4]
    before = lines_of(tmp_path / "b")
    run_study(Study(**TORI), tmp_path / "b", executor=executor)
    assert lines_of(tmp_path / "b") == before
    longer = run_study(Study(**TORI | {"axes": {"side": [3, 4, 5, 6]}}), tmp_path / "b", executor=executor, jobs=1)
    assert longer.done == 4
    assert len(lines_of(tmp_path / "b")) == 4


def test_failures_are_records_and_are_tried_again_when_asked(tmp_path):
    """A spec that cannot be built fails by itself; `retry_failed` runs it again, an ordinary run does not."""
    study = Study(operation="hops", axes={"topology": ["petersen", "slimfly:q=6"]})
    found = run_study(study, tmp_path / "s", executor="threads")
    assert (found.done, found.failed) == (1, 1)
    assert "q=6" in found.failures[0]["error"]
    assert len(lines_of(tmp_path / "s")) == 2
    run_study(study, tmp_path / "s", executor="threads")
    assert len(lines_of(tmp_path / "s")) == 2
    again = run_study(study, tmp_path / "s", executor="threads", retry_failed=True)
    assert len(lines_of(tmp_path / "s")) == 3
    assert (again.done, again.failed) == (1, 1)
    status = study_status(study, Store(tmp_path / "s"))
    assert (status.done, status.failed, status.to_go) == (1, 1, 0)
    assert list(status.reasons.values()) == [1]


def test_a_condition_that_no_task_meets_is_refused(tmp_path):
    """Before the folder is made, in Python and on the command line."""
    with pytest.raises(InputError, match="no task of the study meets this condition"):
        run_study(Study(**TORI), tmp_path / "s", only="side > 99")
    (tmp_path / "s.toml").write_text('operation = "hops"\naxes.topology = ["petersen"]\n')
    words = ["study", str(tmp_path / "s.toml"), "-o", str(tmp_path / "s"), "--only", "topology == 'k'"]
    with pytest.raises(InputError, match=r"--only .* no task of the study meets"):
        CliRunner().invoke(cli, words, catch_exceptions=False, standalone_mode=False)
    assert not (tmp_path / "s").exists()


def test_a_study_of_which_every_task_failed_is_an_error(tmp_path):
    """Exit code 2 after the table; with one finished task, failures are results."""
    file = tmp_path / "s.toml"
    command = ["study", str(file), "-o", str(tmp_path / "s"), "--executor", "threads"]
    file.write_text('operation = "hops"\naxes.topology = ["slimfly:q=6", "slimfly:q=10"]\n')
    result = CliRunner().invoke(cli, command)
    assert "0 of 2 tasks done, 2 failed" in result.stdout
    assert isinstance(result.exception, InputError)
    assert "every task failed, the first because: " in str(result.exception)
    file.write_text('operation = "hops"\naxes.topology = ["slimfly:q=6", "petersen"]\n')
    assert CliRunner().invoke(cli, command).exit_code == 0


def test_a_task_that_takes_too_long_fails_by_its_limit(tmp_path):
    """Within limit_s, and the next one begins."""
    study = Study(
        operation="optimize",
        task={"topology": "jellyfish:n=400,degree=6,seed=1", "moves": 500_000_000},
        seeds=2,
        run=Running(limit_s=1.0),
    )
    found = run_study(study, tmp_path / "s", jobs=1)
    assert (found.done, found.failed) == (0, 2)
    assert all("more than 1 s" in failure["error"] for failure in found.failures)


@pytest.mark.exhaustive
def test_a_stopped_run_keeps_what_is_finished_and_goes_on(tmp_path):
    """Stopped after some records; the second run has all, each once."""
    study = Study(operation="nothing", axes={"number": list(range(300))})
    work = Work(on_result=lambda _record: work.stop())
    first = run_study(study, tmp_path / "s", jobs=2, work=work)
    assert first.ended == "interrupted"
    assert 0 < first.done < 300
    second = run_study(study, tmp_path / "s", jobs=2)
    assert second.done == 300
    assert max(Counter(line["digest"] for line in lines_of(tmp_path / "s")).values()) == 1


@pytest.mark.exhaustive
def test_ctrl_c_on_the_command_line(tmp_path):
    """Exit code 130 and one sentence; status tells what there is; the second run ends it."""
    (tmp_path / "s.toml").write_text(
        'operation = "optimize"\nseeds = 40\n[task]\ntopology = "jellyfish:n=60,degree=4,seed=1"\nmoves = 20000\n'
    )
    command = [sys.executable, "-m", "topoloom", "study", "s.toml", "-o", "out", "--jobs", "2"]
    process = subprocess.Popen(
        command,
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        # A shell lets what it runs in the background ignore Ctrl-C.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 (no thread runs here)
    )
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not list((tmp_path / "out" / "records").glob("*.jsonl")):
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130, said
    assert "Traceback" not in said
    assert "run it again to go on" in said
    done = len(lines_of(tmp_path / "out"))
    assert 0 < done < 40
    result = CliRunner().invoke(cli, ["study", str(tmp_path / "s.toml"), "-o", str(tmp_path / "out"), "--json"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["done"] == 40
    assert len(lines_of(tmp_path / "out")) == 40


@pytest.mark.exhaustive
def test_the_command_line(tmp_path, monkeypatch):
    """Dry run, run, status, export, merge: what each says."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.toml").write_text(
        'title = "Tori"\noperation = "hops"\ntask.topology = "torus:dims={side}x{side}"\naxes.side = [3, 4, 5, 6]\n'
    )

    def run(*words):
        result = CliRunner().invoke(cli, ["study", *words])
        assert result.exit_code == 0, result.output
        return result

    assert (
        "4: 2 done, 0 failed, 2 to go"
        in run("s.toml", "-o", "out", "--dry-run", "--pilots", "2", "--executor", "threads").stdout
    )
    assert "4 of 4 tasks done" in run("s.toml", "-o", "out", "--executor", "threads").stdout
    assert json.loads(run("status", "out", "--json").stdout)["to_go"] == 0
    run("export", "out", "-o", "t.csv")
    assert (tmp_path / "t.csv").read_text().startswith("side,switches,")
    run("export", "out", "-o", "t.parquet")
    run("export", "out", "-o", "t.nc")
    import pandas
    import xarray

    assert list(pandas.read_parquet("t.parquet")["diameter"]) == [2, 4, 4, 6]
    assert xarray.open_dataset("t.nc")["diameter"].sel(side=6) == 6
    part = run("s.toml", "-o", "half", "--only", "side <= 4", "--executor", "threads")
    assert "2 tasks of hops" in part.stderr
    assert [
        row.split()[0]
        for row in run("s.toml", "-o", "out", "--only", "side > 5", "--executor", "threads").stdout.splitlines()[:2]
    ] == ["side", "6"]
    assert json.loads(run("merge", "new", "half", "out", "--json").stdout) == {"taken": 4, "records": 4}
    assert isinstance(CliRunner().invoke(cli, ["study", "export", "out", "-o", "t.xls"]).exception, InputError)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('operation = "hopps"\n', "no operation named 'hopps'"),
        ('operation = "hops"\naxes.sied = [1]\n', "not an argument of hops"),
        ('operation = "simulate"\naxes.vcs = [1]\n', "(a router setting: set.vcs)"),
        ('operation = "hops"\naxes.samples = []\n', "has no values"),
        ('operation = "hops"\naxes.samples = 3\n', "a list, a range"),
        ('operation = "hops"\ntask.topology = "torus:dims={n}"\n', "contains {n}, which is not an axis"),
        ('operation = "hops"\ntask.topology = "torus:dims={n"\naxes.n = [1]\n', "not closed"),
        ('operation = "info"\ntask.topology = "petersen"\nseeds = 3\n', "no random draws"),
        ('operation = "hops"\naxes.topology = ["petersen"]\nwhere = ["seed < "]\n', "cannot be read"),
        ('operation = "hops"\naxes.topology = ["petersen"]\nwhere = ["sed < 1"]\n', "no axis named 'sed'"),
        ('operation = "hops"\naxes.topology = ["petersen"]\nwhere = ["topology == 1"]\n', "no task remains"),
        ('operation = "hops"\naxes.samples = [0]\ntask.topology = "petersen"\n', "samples"),
        ('operation = "hops"\naxes.samples = {from = 1, to = 9, step = 0}\n', "must increase"),
        (
            'operation = "hops"\naxes.samples = {from = 4, to = 32, factor = 2}\n',
            "axis samples: 'factor' is not a key of a range;",
        ),
        (
            'operation = "hops"\naxes.samples = {start = 4, stop = 32}\n',
            "'start' is not a key of a range; write { from, to, step }",
        ),
        ('operation = "hops"\naxes.samples = {from = 4, to = 32}\n', "either a step or a factor, 'times'; write {"),
        ('operation = "hops"\naxes.samples = {from = 4, to = 32, step = 1, times = 2}\n', "either a step or a factor"),
        ('operation = "hops"\naxes.samples = {from = 4, step = 1}\n', "the range has no 'to'"),
        ('operation = "hops"\nseeds = 3\ntask.seed = 7\n', "keep one of them"),
        ('operation = "hops"\n[[together]]\ntopology = ["a", "b"]\nseed = [1]\n', "need equal numbers of values"),
        ('operation = "hops"\ntask.topology = "petersen"\n[[together]]\n', "a [[together]] has no axes"),
        ('operation = "hops"\n[[together]]\ntopology = "petersen"\n', "the axis 'topology' must be a list, a range"),
        (
            'operation = "hops"\ntask.topology = "petersen"\naxes.topology = ["ring:n=5"]\n',
            "[task] and the axis 'topology' both set topology; keep one of them",
        ),
        ('operation = "hops"\ntask.samples = 3\n[[together]]\nsamples = [3]\ntopology = ["a"]\n', "both set samples"),
        ('operation = "hops"\n[run]\nexecutor = "proceses"\n', "did you mean"),
        ('operation = "hops"\nnodes = 3\n', "nodes"),
        ("operation = 3\n", "operation"),
        ('operation = "hops\n', "s.toml:1: Illegal character '\\n': a quotation mark is missing"),
        ('operation = "hops', "a quotation mark is missing"),
        ("operation = 'hops\n", "a quotation mark is missing"),
        ('operation = "\x01hops"\n', "Illegal character '\\x01'; see the TOML rules"),
        ("", "operation"),
        ('verb = "hops"\n', "there is no key 'verb' (it is called operation)"),
    ],
)
def test_a_bad_study_is_one_sentence(text, words, tmp_path):
    """With the remedy; nothing is run and no folder is made."""
    (tmp_path / "s.toml").write_text(text)
    result = CliRunner().invoke(cli, ["study", str(tmp_path / "s.toml"), "-o", str(tmp_path / "out")])
    assert result.exit_code != 0
    message = str(result.exception) if isinstance(result.exception, InputError) else result.output
    assert words in message
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "condition",
    ["__import__('os')", "side.__class__", "[x for x in side]", "side ** 99999", "'a' * 9", "lambda: 1", "side[0]"],
)
def test_conditions_run_no_code(condition):
    """Only comparisons and sums of names and numbers."""
    with pytest.raises(InputError, match="condition"):
        condition_holds(condition, {"side": 3})


@pytest.mark.exhaustive
def test_paths_start_from_the_file_of_the_study(tmp_path, monkeypatch):
    """Wherever the command runs."""
    folder = tmp_path / "inner"
    folder.mkdir()
    CliRunner().invoke(cli, ["build", "petersen", "-o", str(folder / "net.json")])
    (folder / "s.toml").write_text('operation = "hops"\ntask.topology = "net.json"\n')
    monkeypatch.chdir(tmp_path)
    found = run_study(read_study(folder / "s.toml"), tmp_path / "out", executor="processes")
    assert found.rows()[0]["diameter"] == 2


def test_a_second_run_in_the_folder_waits_its_turn(tmp_path):
    """Two at once would do the same tasks twice."""
    import fcntl

    study = Study(**TORI)
    run_study(study, tmp_path / "s", executor="threads")
    with (tmp_path / "s" / "run.lock").open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(InputError, match="is active"):
            run_study(study, tmp_path / "s", executor="threads")


def test_pilots_are_spread():
    """First, last, and evenly between."""
    assert spread(list(range(100)), 3) == [0, 50, 99]
    assert spread([1, 2], 5) == [1, 2]
    assert spread([1, 2], 0) == []


def test_frames_and_arrays(tmp_path):
    """Rows as a DataFrame, measures over axes as an xarray."""
    study = Study(operation="nothing", axes={"number": [1, 2, 3]}, seeds=2)
    found = run_study(study, tmp_path / "s", executor="threads")
    frame = found.to_frame()
    assert list(frame.columns[:2]) == ["number", "seed"]
    assert len(frame) == 6
    study = Study(**TORI)
    arrays = run_study(study, tmp_path / "t", executor="threads").to_xarray()
    assert arrays["aspl"].sel(side=3) == 1.5


def test_a_folder_that_cannot_be_made_is_said(tmp_path):
    """A file in its place, or no right to write."""
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="file"):
        run_study(Study(**TORI), tmp_path / "file" / "s")
    with pytest.raises(InputError, match="contains no study"):
        Store(tmp_path)
    assert not os.path.exists(tmp_path / "store.json")


@pytest.mark.parametrize(
    ("axes", "message"),
    [
        ({"topology": ["petersen"] * 10_000, "seed": list(range(10_000))}, "100,000,000 points, more than 1,000,000"),
        ({"seed": {"from": 1, "to": 10**9, "step": 1}}, "has 1,000,000,000 values; at most"),
        ({"seed": {"from": 0, "to": 1, "step": 1e-12}}, "has 1,000,000,000,001 values; at most"),
        ({"seed": {"from": 10**400, "to": 10**401, "step": 1}}, "needs numbers up to"),
        ({"seed": {"from": 1, "to": float("nan"), "step": 1}}, "needs numbers up to"),
    ],
)
def test_points_are_counted_before_they_are_made(axes, message):
    """A line of a study may stand for millions of tasks: past the limit it is refused at once, and the limit can be raised."""
    task = {} if "topology" in axes else {"topology": "petersen"}
    with pytest.raises(InputError, match=message):
        Study(operation="route", task=task, axes=axes).planned()


def test_the_limit_of_points_can_be_raised():
    """[run] most_points says how many are meant."""
    study = Study(operation="route", task={"topology": "petersen"}, seeds=30)
    few = msgspec.structs.replace(study, run=msgspec.structs.replace(study.run, most_points=29))
    with pytest.raises(InputError, match=r"30 points, more than 29; shorten an axis, or set most_points in \[run\]"):
        few.tasks()
    assert len(study.tasks()) == 30


def test_long_lists_of_tasks_show_their_progress_and_can_be_stopped():
    """Points are a stage of the work, with their number from its beginning on."""
    seen = []
    study = Study(operation="route", task={"topology": "petersen"}, seeds=3000)
    study.planned(Work(on_progress=seen.append))
    assert (seen[0].done, seen[0].total, seen[0].what) == (0, 3000, "points")
    work = Work()
    work.stop()
    with pytest.raises(Stopped):
        study.planned(work)


def test_every_condition_counts(tmp_path):
    """`--only` and `--where`, given twice, both hold; one alone would leave more."""
    (tmp_path / "s.toml").write_text('operation = "nothing"\naxes.number = [1, 2, 3, 4]\n')
    folder = str(tmp_path / "out")
    twice = ["--only", "number > 1", "--only", "number < 4"]
    command = ["study", "run", str(tmp_path / "s.toml"), "-o", folder, *twice, "--executor", "threads"]
    result = CliRunner().invoke(cli, command)
    assert result.exit_code == 0, result.output
    assert sorted(line["task"]["arguments"]["number"] for line in lines_of(tmp_path / "out")) == [2, 3]
    none = ["--where", "number > 2", "--where", "number < 3"]
    result = CliRunner().invoke(cli, ["study", "plot", folder, "-o", str(tmp_path / "p.svg"), *none])
    assert "no finished task meets 'number > 2' and 'number < 3'" in str(result.exception)
