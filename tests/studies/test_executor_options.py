"""Options of executors: texts are read by the type of the option, numbers stand for their text, and nothing is ignored."""

import pytest

from topoloom import InputError, Study, run_study
from topoloom.core.work import Work
from topoloom.studies.estimate import Estimates
from topoloom.studies.executor import StudyRun, options_of
from topoloom.studies.executors.dask import DaskOptions
from topoloom.studies.executors.slurm import SlurmOptions
from topoloom.studies.node import WorkerNode
from topoloom.studies.store import Store
from topoloom.studies.study import Running


def read(tmp_path, kind, **options):
    """The settings that an executor makes of its options."""
    store = Store(tmp_path / "s", create=True)
    return options_of(StudyRun([], store, WorkerNode(), 1, options, None, 1, Estimates([]), Work()), kind)


@pytest.mark.parametrize(
    ("option", "value", "read_as"),
    [
        ("time", "10", "10"),
        ("time", 10, "10"),
        ("account", "007", "007"),
        ("account", 2024, "2024"),
        ("qos", "1e3", "1e3"),
        ("workers", "4", 4),
        ("workers", 4, 4),
        ("detach", "yes", True),
        ("sbatch", "--constraint=icelake,--exclusive", ("--constraint=icelake", "--exclusive")),
    ],
)
def test_an_option_of_slurm_has_its_type(option, value, read_as, tmp_path):
    """Texts of the command line and plain values of a file give the same."""
    assert getattr(read(tmp_path, SlurmOptions, **{option: value}), option) == read_as


def test_two_numbers_in_a_text(tmp_path):
    """A pair is written with a comma."""
    assert read(tmp_path, DaskOptions, adaptive="0,2").adaptive == (0, 2)


@pytest.mark.parametrize(
    ("kind", "options", "words"),
    [
        (SlurmOptions, {"tim": "10"}, r"no option 'tim' \(did you mean time"),
        (SlurmOptions, {"workers": "many"}, "workers='many'; it is a whole number from 1 to 10,000"),
        (SlurmOptions, {"workers": 0}, "workers"),
        (SlurmOptions, {"time": True}, "time"),
        (SlurmOptions, {"time": "ten minutes"}, "'ten minutes' is not a single word"),
        (DaskOptions, {"adaptive": "3"}, "adaptive='3'; it is a list of 2"),
        (DaskOptions, {"jobqueue": "main"}, "jobqueue='main'"),
    ],
)
def test_a_wrong_option_is_one_sentence(kind, options, words, tmp_path):
    """Place and remedy."""
    with pytest.raises(InputError, match=words):
        read(tmp_path, kind, **options)


@pytest.mark.parametrize("executor", ["processes", "threads"])
def test_an_executor_without_options_refuses_them(executor, tmp_path):
    """None is ignored; options of the file's own executor do not count with another one."""
    study = Study(operation="nothing", axes={"number": [1]})
    with pytest.raises(InputError, match=r"no option 'time' \(this executor has no options\)"):
        run_study(study, tmp_path / "s", executor=executor, options={"time": "10"})
    other = Study(operation="nothing", axes={"number": [1]}, run=Running(executor="slurm", options={"time": "10"}))
    assert run_study(other, tmp_path / "s", executor="threads").done == 1


def test_a_client_of_dask_must_be_usable(tmp_path):
    """A value that is no client, and options next to one."""
    pytest.importorskip("distributed", reason="Dask is not installed (pip install 'topoloom[cluster]')")
    study = Study(operation="nothing", axes={"number": [1]})
    with pytest.raises(InputError, match="the option client takes a Client, not 3"):
        run_study(study, tmp_path / "s", executor="dask", options={"client": 3})
