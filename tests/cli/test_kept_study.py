"""--study of app and resilience: what they print without it, and nothing twice."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from topoloom import InputError
from topoloom.cli.commands import app as app_command
from topoloom.cli.commands import resilience as resilience_command

_APPS = (
    *("fat-tree:k=4", "petersen:hosts=2", "--app", "alltoall:bytes=4096", "--app", "allreduce:bytes=64"),
    *(
        "--ranks",
        "16",
        "--placement",
        "random*2",
        "--placement",
        "linear",
        "--simulator",
        "flows",
        "--routing-seeds",
        "2",
    ),
)


def _run(module, *arguments):
    result = CliRunner().invoke(module.command, arguments, catch_exceptions=False, standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.output


def _records(folder: Path) -> int:
    return sum(len(path.read_text().splitlines()) for path in (folder / "records").iterdir())


def _numbers(text: str) -> dict:
    """A record without what tells runs apart."""
    record = json.loads(text[text.index("{") :])
    del record["provenance"]
    for one in record.get("runs", ()):
        one.pop("provenance", None)
    return record


@pytest.mark.exhaustive
def test_a_sweep_of_programs_as_a_study(tmp_path):
    """The same runs, compared in the same way; asked for again, none is run."""
    folder = tmp_path / "apps"
    kept = _run(app_command, *_APPS, "--study", str(folder), "--json")
    tasks = _records(folder)
    assert tasks == 2 * 2 * 3 * 2
    plain = _numbers(_run(app_command, *_APPS, "--json"))
    assert {json.dumps(run, sort_keys=True) for run in _numbers(kept)["runs"]} == {
        json.dumps(run, sort_keys=True) for run in plain["runs"]
    }
    assert _numbers(kept)["compared"] == plain["compared"]
    assert "_24 have a record" in _run(app_command, *_APPS, "--study", str(folder)).replace("; ", "_")
    assert _records(folder) == tasks


@pytest.mark.exhaustive
def test_survival_as_a_study(tmp_path):
    """The curves, and the files of -o."""
    asked = ("petersen", "ring:n=10", "--samples", "50", "--metric", "aspl", "--values")
    kept = _run(resilience_command, *asked, "--study", str(tmp_path / "s"), "-o", str(tmp_path / "out"), "--json")
    plain = json.loads(_run(resilience_command, *asked, "--json"))
    for one in (found := json.loads(kept[kept.index("{") :]))["topologies"] + plain["topologies"]:
        one.pop("provenance", None)
    assert found["topologies"] == plain["topologies"]
    assert (tmp_path / "out" / "resilience.html").is_file()


@pytest.mark.exhaustive
def test_a_task_that_fails_is_said_after_what_is_done(tmp_path):
    """The other networks' curves stay."""
    with pytest.raises(
        InputError, match="1 of 2 tasks failed, the first because: no family, file or folder named 'nonsense:n=3'"
    ):
        _run(resilience_command, "petersen", "nonsense:n=3", "--samples", "5", "--study", str(tmp_path / "s"))
    assert _records(tmp_path / "s") == 2


def test_programs_of_ones_own_are_no_tasks(tmp_path):
    """Their files are the user's, and they run with the user's rights."""
    with pytest.raises(InputError, match="--mpi: a study runs applications by their names"):
        _run(app_command, "petersen:hosts=1", "--mpi", "a.c", "--study", str(tmp_path / "s"))
