"""Code that lies in the current folder never runs, by no command and in no process that a command starts."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from topoloom import InputError, Store, build, read_study, save
from topoloom.core.surroundings import python, safe_path, users_variables
from topoloom.core.work import Work
from topoloom.studies.estimate import Estimates
from topoloom.studies.executor import StudyRun
from topoloom.studies.executors.slurm import SlurmOptions, _Submissions
from topoloom.studies.node import WorkerNode

#: Modules that topoloom, its libraries and the standard library import, and those that Python looks for when it starts.
_MODULES = (
    *("secrets", "random", "json", "struct", "signal", "socket", "tempfile", "subprocess", "logging", "typing", "enum"),
    *("numpy", "numba", "scipy", "click", "msgspec", "rich", "matplotlib", "jinja2", "markupsafe", "pymetis", "yaml"),
    *("distributed", "dask", "psutil", "uvicorn", "topoloom", "sitecustomize", "usercustomize"),
)
#: Programs that commands start by their names.
_PROGRAMS = ("git", "sh", "make", "gcc", "g++", "smpirun", "smpicc", "squeue", "sbatch", "scancel", "env")
_STUDY = 'operation = "hops"\ntask.topology = "torus:dims={side}x{side}"\naxes.side = [4, 5]\n'
_REQUIREMENT = 'hosts = 60\n[switch]\nradix = 12\n[families]\ntry = ["torus", "hypercube"]\n'
_TRAP = "import pathlib; (pathlib.Path(__file__).parent / 'MARK').open('a').write(__name__ + ' ')\n"


@pytest.fixture
def hostile(tmp_path):
    """A folder with such code, settings of libraries that would load it, and what commands work on."""
    for name in _MODULES:
        (tmp_path / f"{name}.py").write_text(_TRAP)
    for name in _PROGRAMS:
        (tmp_path / name).write_text(f"#!/bin/bash\necho -n '{name} ' >> '{tmp_path}/MARK'\nexit 1\n")
        (tmp_path / name).chmod(0o755)
    (tmp_path / "matplotlibrc").write_bytes(b"backend: module://secrets\nfont.size: \xff\n")
    (tmp_path / ".numba_config.yaml").write_text("cpu_name: [nonsense\n")
    (tmp_path / "here.pth").write_text("import secrets\n")
    (tmp_path / "dask.yaml").write_text("distributed: {worker: {preload: [secrets]}}\n")
    (tmp_path / "pyproject.toml").write_text("[project.entry-points.'topoloom.operations']\nmine = 'secrets'\n")
    (tmp_path / "s.toml").write_text(_STUDY)
    (tmp_path / "need.toml").write_text(_REQUIREMENT)
    save(build("petersen:hosts=1"), tmp_path / "a.json")
    return tmp_path


def _environment() -> dict[str, str]:
    """With the current folder on both paths, as `export PATH=$PATH:$NOTHING` leaves it."""
    paths = os.pathsep.join(["", os.environ["PATH"], "."])
    return {**os.environ, "PATH": paths, "PYTHONPATH": "", "MPLCONFIGDIR": "", "COLUMNS": "100"}


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    """The command `topoloom` as an installation writes it."""
    path = tmp_path_factory.mktemp("bin") / "topoloom.script"
    path.write_text(
        "import sys\nfrom topoloom.__main__ import main\nif __name__ == '__main__':\n    sys.exit(main())\n"
    )
    return [sys.executable, str(path)]


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    "words",
    [
        "study s.toml -o s --jobs 2",
        pytest.param("study s.toml -o s --executor threads", marks=pytest.mark.exhaustive),
        pytest.param("study s.toml -o s --executor dask --jobs 1", marks=pytest.mark.exhaustive),
        "design need.toml -o designed --jobs 2 --shortlist 0",
        "layout a.json -o laid --map rows",
        pytest.param("cuts a.json --ways 3", marks=pytest.mark.exhaustive),
        pytest.param("resilience a.json --samples 5 --levels 10% -o survived", marks=pytest.mark.exhaustive),
        pytest.param("compare a.json -o compared --minutes 0.02 --jobs 2", marks=pytest.mark.exhaustive),
        pytest.param("app a.json --app alltoall:bytes=64", marks=[pytest.mark.exhaustive, pytest.mark.simgrid]),
    ],
)
def test_no_command_runs_it(hostile, script, words):
    """Neither itself nor what it starts: workers, pools, schedulers, compilers, simulators."""
    ran = subprocess.run(
        [*script, *words.split()], cwd=hostile, env=_environment(), capture_output=True, text=True, check=False
    )
    assert not (hostile / "MARK").exists(), (hostile / "MARK").read_text()
    assert ran.returncode == 0, ran.stderr


@pytest.mark.exhaustive
def test_python_m_topoloom_runs_nothing_but_topoloom(hostile):
    """What Python imports before topoloom is Python's to protect (`python -P -m topoloom`); all that follows is not there."""
    for name in ("topoloom.py", "typing.py", "enum.py"):
        (hostile / name).unlink()
    ran = subprocess.run(
        [sys.executable, "-m", "topoloom", "study", "s.toml", "-o", "s", "--jobs", "1"],
        cwd=hostile,
        env=_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert not (hostile / "MARK").exists(), (hostile / "MARK").read_text()
    assert ran.returncode == 0, ran.stderr


@pytest.mark.exhaustive
def test_a_script_of_the_users_has_its_workers_run_nothing(hostile, tmp_path_factory):
    """The library in a script elsewhere, started in that folder: workers look where the script looks, and nowhere else."""
    script = tmp_path_factory.mktemp("mine") / "mine.py"
    script.write_text(
        "from topoloom import Study, run_study\n"
        "study = Study(operation='hops', task={'topology': 'ring:n={n}'}, axes={'n': [4, 5]})\n"
        "if __name__ == '__main__':\n"
        "    assert run_study(study, 's', executor='processes', jobs=1).done == 2\n"
    )
    ran = subprocess.run([sys.executable, script], cwd=hostile, capture_output=True, text=True, check=False)
    assert not (hostile / "MARK").exists(), (hostile / "MARK").read_text()
    assert ran.returncode == 0, ran.stderr


@pytest.mark.exhaustive
def test_what_the_user_puts_on_the_path_is_found(hostile, tmp_path_factory):
    """An operation of a package that PYTHONPATH names, in the command and in its workers."""
    place = tmp_path_factory.mktemp("package")
    (place / "extra-1.0.dist-info").mkdir()
    (place / "extra-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: extra\nVersion: 1.0\n")
    (place / "extra-1.0.dist-info" / "entry_points.txt").write_text("[topoloom.operations]\nextra = extra\n")
    (place / "extra.py").write_text(
        "from topoloom.operations.operation import Operation, operation\n"
        "@operation\n"
        "class Extra(Operation, frozen=True, kw_only=True):\n"
        "    group = 'extra'\n"
        "    number: int = 0\n"
        "    def run(self, context):\n"
        "        return {'number': self.number}\n"
    )
    (hostile / "e.toml").write_text('operation = "extra"\naxes.number = [1, 2]\n')
    words = [
        sys.executable,
        "-c",
        "from topoloom.__main__ import main; main()",
        "study",
        "e.toml",
        "-o",
        "e",
        "--jobs",
        "1",
    ]
    (hostile / "sitecustomize.py").unlink()  # of an empty entry of PYTHONPATH, which only Python itself can keep out
    (hostile / "usercustomize.py").unlink()
    environment = _environment() | {"PYTHONPATH": str(place), "PYTHONSAFEPATH": "1"}
    ran = subprocess.run(words, cwd=hostile, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert not (hostile / "MARK").exists(), (hostile / "MARK").read_text()


def test_the_script_of_a_slurm_job_starts_python_off_its_folder(tmp_path):
    """Jobs begin where sbatch was called; values of the script are words, and its lines are ours."""
    store = Store(tmp_path / "s", create=True)
    run = StudyRun(
        [], store, WorkerNode(), jobs=1, options={}, limit_s=None, attempts=1, estimates=Estimates([]), work=Work()
    )
    lines = _Submissions(run, SlurmOptions())._script(tmp_path, 1).splitlines()
    assert lines[-1].startswith(f"exec {sys.executable} -P -m topoloom.studies.cluster_worker ")
    assert "export PYTHONSAFEPATH=topoloom" in lines
    for name, value in (("partition", "a\ntouch MARK"), ("account", "a b"), ("time", "1;x"), ("sbatch", ("x\n",))):
        with pytest.raises(InputError, match=name):
            SlurmOptions(**{name: value})


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    "line",
    [
        'node.environment = {PYTHONPATH = "."}',
        'node.environment = {LD_PRELOAD = "./x.so"}',
        'node.environment = {BASH_ENV = "./x"}',
        'node.environment = {NUMBA_CACHE_DIR = "."}',
        'node.environment = {OMP_NUM_THREADS = "1", OMP_TOOL_LIBRARIES = "./x.so"}',
        'node.setup = ["touch MARK"]',
        'options.sbatch = ["--wrap=touch MARK"]',
        'options.jobqueue = {queue = "main"}',
        'options.address = "tcp://evil:8786"',
    ],
)
def test_a_study_file_is_data_unless_the_user_trusts_it(tmp_path, script, line):
    """What has code run is refused, with its line and the word that allows it, before anything is made."""
    (tmp_path / "s.toml").write_text(f"{_STUDY}[run]\n{line}\n")
    with pytest.raises(InputError, match=r"s\.toml:5: run\..*`trust`"):
        read_study(tmp_path / "s.toml")
    assert read_study(tmp_path / "s.toml", trust=True).operation == "hops"
    ran = subprocess.run(
        [*script, "study", "s.toml", "-o", "s"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 2
    assert not (tmp_path / "s").exists()


def test_threads_and_words_need_no_trust(tmp_path):
    """Variables by which nothing can be loaded; a name that is none is a mistake in any case."""
    (tmp_path / "s.toml").write_text(f'{_STUDY}[run.node]\nenvironment = {{OMP_NUM_THREADS = "1", LANG = "C"}}\n')
    assert read_study(tmp_path / "s.toml").run.node.environment == {"OMP_NUM_THREADS": "1", "LANG": "C"}
    (tmp_path / "s.toml").write_text(f"{_STUDY}[run.node]\nenvironment = {{'A;touch MARK' = '1'}}\n")
    with pytest.raises(InputError, match="is not a variable's name"):
        read_study(tmp_path / "s.toml", trust=True)


def test_children_of_libraries_are_off_the_folder_and_users_programs_are_not(monkeypatch):
    """The variable is there while a pool is started, gone afterwards, and never in the environment of a user's program."""
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    with safe_path():
        assert os.environ["PYTHONSAFEPATH"]
        assert "PYTHONSAFEPATH" not in users_variables(os.environ)
    assert "PYTHONSAFEPATH" not in os.environ
    assert users_variables({"PYTHONSAFEPATH": "1"}) == {"PYTHONSAFEPATH": "1"}
    assert python("-m", "x") == [sys.executable, "-P", "-m", "x"]


def test_every_python_that_topoloom_starts_is_off_the_folder():
    """A new place that starts one does it with `surroundings.python`."""
    source = Path(__file__).parents[1] / "src" / "topoloom"
    places = {
        path.relative_to(source).as_posix() for path in source.rglob("*.py") if "sys.executable" in path.read_text()
    }
    assert places == {"core/surroundings.py", "simulation/applications/processes.py"}  # the latter by -I
