"""Compiled kernels on disk: found again, never stale, never in the way."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

import tiers
from topoloom.core.compiling import kept
from topoloom.core.compiling.levels import LEVELS

_PART = """
from topoloom.core.compiling.decorators import {kind}

STEP = {step}

@{kind}
def part(x):
    return x + {more}
"""
_WHOLE = """
import numpy as np
from topoloom.core.compiling.decorators import kernel
from topoloom.spare.part import STEP, part

@kernel
def whole(values):
    values[0] = part(values[0]) * STEP
"""
_RUN = """
import sys, types
from pathlib import Path
import topoloom
spare = types.ModuleType("topoloom.spare")
spare.__path__ = [{folder!r}]
sys.modules["topoloom.spare"] = spare
{before}
import numpy as np
from topoloom.spare.whole import whole
values = np.ones(1, np.{dtype})
whole(values)
print(values[0], sum(whole._cache_hits.values()))
"""


@pytest.fixture
def run(tmp_path):
    """Run a kernel of two files in a process of its own; its answer, and how many compiled forms it found."""
    package, cache = tmp_path / "spare", tmp_path / "cache"
    package.mkdir()

    def go(more=1, step=2, kind="inner", dtype="int64", before="", write=True, **environment):
        if write:
            (package / "part.py").write_text(_PART.format(more=more, step=step, kind=kind))
            (package / "whole.py").write_text(_WHOLE)
        # Without -B, Python would take a module of equal size that is changed within a second for the one before.
        done = subprocess.run(
            [sys.executable, "-B", "-c", _RUN.format(folder=str(package), dtype=dtype, before=before)],
            env={**os.environ, "NUMBA_CACHE_DIR": str(cache), **environment},
            capture_output=True,
            text=True,
            check=True,
        )
        go.stderr.append(done.stderr)
        answer, found = done.stdout.split()
        return float(answer), int(found)

    go.cache, go.stderr = cache, []
    return go


def _files(folder):
    return [path for path in folder.rglob("*") if path.is_file() and not path.name.startswith(".")]


@pytest.mark.exhaustive
def test_what_was_compiled_is_found_again(run):
    """For the same types of arguments; for others it is compiled, and both are kept."""
    assert run() == (4, 0)
    assert run() == (4, 1)
    assert run(dtype="float64") == (4, 0)
    assert run() == (4, 1)
    assert run(dtype="float64") == (4, 1)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("kind", ["inner", "stage", "kernel", "allocating"])
def test_a_changed_part_or_constant_in_another_file_makes_it_stale(run, kind):
    """A kernel is as new as all that it is made from; the stale form is removed."""
    assert run(kind=kind) == (4, 0)
    files = len(_files(run.cache))
    assert run(kind=kind, more=2) == (6, 0)
    assert run(kind=kind, more=2, step=5) == (15, 0)
    if tiers.EVERYTHING:  # the first tier finds a kernel again below
        assert run(kind=kind, more=2, step=5) == (15, 1)
    assert len(_files(run.cache)) == files


@pytest.mark.exhaustive
def test_a_damaged_file_is_compiled_anew(run):
    """Half a file, or one of something else, is no error."""
    run()
    for path in _files(run.cache):
        path.write_bytes(path.read_bytes()[:100])
    assert run() == (4, 0)
    assert run() == (4, 1)


@pytest.mark.exhaustive
@pytest.mark.parametrize("level", kept._shipped_levels())
def test_what_was_compiled_for_a_level_of_processors_is_used_on_this_one(run, tmp_path, level):
    """Kernels in the package are used before those of the user, the best level first."""
    name, features, _ = LEVELS[level]
    shipped = tmp_path / "shipped"
    ahead = f"from topoloom.core.compiling import kept; kept.keep_in(Path({str(shipped)!r}))"
    assert run(before=ahead, NUMBA_CPU_NAME=name, NUMBA_CPU_FEATURES=features) == (4, 0)
    assert {path.parent.name for path in _files(shipped)} == {level}
    there = f"from topoloom.core.compiling import kept; kept.SHIPPED = Path({str(shipped)!r})"
    assert run(before=there) == (4, 1)
    assert _files(run.cache) == []
    assert run(before=there, more=2) == (6, 0)


@pytest.mark.exhaustive
def test_compiling_ahead_takes_what_the_user_has(run, tmp_path):
    """Nothing is compiled twice."""
    run()
    ahead = f"from topoloom.core.compiling import kept; kept.keep_in(Path({str(tmp_path / 'shipped')!r}))"
    assert run(before=ahead) == (4, 1)
    assert len(_files(tmp_path / "shipped")) == 1


@pytest.mark.exhaustive
def test_processes_that_compile_ahead_wait_for_each_other(run, tmp_path):
    """Two that need the same kernel at the same time: one compiles it, the other loads it."""
    run(dtype="float64")
    ahead = f"from topoloom.core.compiling import kept; kept.keep_in(Path({str(tmp_path / 'shipped')!r}))"
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda _: run(before=ahead, write=False), range(2)))
    assert sorted(found) == [(4, 0), (4, 1)]


def test_budgets_do_not_count_what_numba_compiles(run):
    """The clock of budgets stands still while a kernel is compiled, and goes on after it."""
    before = (
        "from topoloom.core.clock import WORKING\n"
        "import atexit, time\n"
        "wall, work = time.monotonic(), WORKING.seconds\n"
        "def check():\n"
        "    spent, worked = time.monotonic() - wall, WORKING.seconds - work\n"
        "    assert worked < spent - 0.05, (worked, spent)\n"
        "    later = WORKING.seconds\n"
        "    time.sleep(0.01)\n"
        "    assert WORKING.seconds > later\n"
        "    print('checked', file=sys.stderr)\n"
        "atexit.register(check)"
    )
    assert run(before=before) == (4, 0)
    assert "checked" in run.stderr[-1]


@pytest.mark.exhaustive
def test_the_user_is_told_when_it_takes_long(tmp_path):
    """One line on stderr, however much is compiled; the next process within the hour says nothing."""
    code = (
        "from pathlib import Path; from topoloom.core.compiling import kept; import topoloom\n"
        "kept._PATIENCE_SECONDS, kept.SHIPPED = 0, Path('nowhere')\n"
        "for name in ('petersen', 'torus:dims=4x4'): topoloom.hops(topoloom.build(name), paths=True)"
    )

    def errors():
        return subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
        ).stderr

    assert errors() == f"{kept._ALL}\n"
    for kernel in _files(tmp_path):
        kernel.unlink()
    assert errors() == ""
    assert _files(tmp_path)
