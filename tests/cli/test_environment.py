"""What the user's environment says to other programs does not stop topoloom."""

import os
import subprocess
import sys

import pytest

from topoloom import Store


def _topoloom(*arguments, **variables):
    return subprocess.run(
        [sys.executable, "-m", "topoloom", *arguments],
        env=os.environ | variables,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.exhaustive
@pytest.mark.parametrize("variable", ["NUMBA_NUM_THREADS=0", "NUMBA_NUM_THREADS=abc", "NUMBA_DISABLE_JIT=1"])
def test_numbas_variables(variable):
    """A number of threads that Numba refuses, or what it cannot parse: kernels run, and nothing is said."""
    name, value = variable.split("=")
    done = _topoloom("hops", "petersen", **{name: value})
    assert done.returncode == 0, done.stderr
    assert "diameter    2" in done.stdout
    assert "Traceback" not in done.stderr
    assert "NUMBA" not in done.stderr


@pytest.mark.exhaustive
def test_matplotlibs_backend(tmp_path):
    """Pictures are files: a backend that there is none of changes nothing."""
    file = tmp_path / "picture.svg"
    arguments = ("optimize", "complete:n=4", "--moves", "1", "--chains", "1", "--picture", str(file))
    done = _topoloom(*arguments, MPLBACKEND="bogus")
    assert done.returncode == 0, done.stderr
    assert "</svg>" in file.read_text()


def test_slurms_numbers(tmp_path):
    """A worker whose place in the array is no number says so."""
    Store(tmp_path / "s", create=True)
    done = subprocess.run(
        [sys.executable, "-m", "topoloom.studies.cluster_worker", str(tmp_path / "s"), str(tmp_path), "1"],
        env=os.environ | {"SLURM_ARRAY_TASK_ID": "abc"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("error: SLURM_ARRAY_TASK_ID=abc: Slurm gives a whole number")
    assert "Traceback" not in done.stderr
