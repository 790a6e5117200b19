"""The user's code at its worst: each fault ends in one sentence, in time, and no process and no file is left."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from ring_trace import TORUS, ring

from topoloom import InputError
from topoloom.core.errors import Stopped
from topoloom.core.work import Work
from topoloom.simulation.applications.checks import limits_of
from topoloom.simulation.applications.processes import ProcessLimits, output_of
from topoloom.simulation.applications.run import run_app
from topoloom.simulation.applications.settings import AppSettings
from topoloom.simulation.applications.sweep import Case, cases_of, run_apps
from topoloom.simulation.applications.tools import platform_library
from topoloom.simulation.applications.users_programs import program_from

_MAIN = "#include <mpi.h>\n{}\nint main(int c, char **v) {{ MPI_Init(&c, &v); {} MPI_Finalize(); return 0; }}\n"
_FOREVER = "volatile double x = 0; for (;;) x += 1;"


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder for sources, and one for temporary files, which must be empty in the end."""
    sources, temp = tmp_path / "sources", tmp_path / "temp"
    for folder in (sources, temp):
        folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(temp))
    monkeypatch.setattr("tempfile.tempdir", None)
    yield sources
    assert not list(temp.iterdir())
    assert str(tmp_path) not in _running()


def _running():
    return subprocess.run(["ps", "-ewwo", "args"], capture_output=True, text=True, check=True).stdout


def _program(folder, does, before="", name="prog.c", **options):
    (folder / name).write_text(_MAIN.format(before, does))
    return program_from(folder / name, **options)


@pytest.mark.simgrid
def test_a_program_without_an_end_ends_at_the_limit(place):
    """The sentence names the limit and the option that raises it."""
    platform_library(limits_of(60, None))  # compiled once for each user, which may take longer than the limit
    program = _program(place, _FOREVER)
    with pytest.raises(InputError, match=r"prog.c: simulating: it did not end within 1 s, .* \(`time_limit`\)"):
        run_app(TORUS, program, 2, time_limit_s=1)


@pytest.mark.simgrid
def test_a_program_that_leaves_children_behind(place):
    """Daemons that left group and session, and ignore what they are told, end with the program, which counts as run."""
    child = (
        'setsid(); signal(SIGTERM, SIG_IGN); signal(SIGHUP, SIG_IGN); if (!fork()) execlp("sleep", "{}", "1234", NULL);'
    )
    sleeper = str(place / "sleeper")
    program = _program(
        place,
        f'if (!fork()) {{ {child.format(sleeper)} _exit(0); }} puts("done");',
        "#include <signal.h>\n#include <stdio.h>\n#include <unistd.h>",
    )
    assert run_app(TORUS, program, 1).output.strip() == "done"
    assert sleeper not in _running()


@pytest.mark.simgrid
def test_a_program_that_deletes_our_folder(place):
    """Whatever is in the folder for temporary files."""
    program = _program(
        place, f'system("rm -rf {place.parent}/temp/topoloom-app-*");', "#include <stdlib.h>", arguments=["x"]
    )
    with pytest.raises(InputError, match=r"^prog.c: .*(files are gone|simulation failed)"):
        run_app(TORUS, program, 1)


@pytest.mark.simgrid
def test_a_program_that_prints_without_end(place):
    """It is ended long before the disk is full."""
    program = _program(place, 'for (;;) puts("again and again and again and again");', "#include <stdio.h>")
    with pytest.raises(InputError, match=r"prog.c: simulating: it printed more than 64 MiB"):
        run_app(TORUS, program, 1, time_limit_s=60)


@pytest.mark.exhaustive
@pytest.mark.simgrid
def test_an_include_without_an_end(place):
    """A device, and a pipe that nobody writes to: the compiler ends by its memory, or at the limit."""
    with pytest.raises(InputError, match=r"prog.c: it does not compile: .*(memory|device)"):
        _program(place, "", '#include "/dev/zero"', time_limit_s=60)
    os.mkfifo(place / "pipe.h")
    with pytest.raises(InputError, match=r"prog.c: compiling: it did not end within 1 s"):
        _program(place, "", '#include "pipe.h"', time_limit_s=1)


@pytest.mark.simgrid
def test_links_in_a_folder_with_a_makefile(place):
    """To the folder, themselves, nowhere, files in and outside it: it builds; to what holds it, pipes, devices: refused."""
    folder = place / "folder"
    (folder / "inner").mkdir(parents=True)
    (place / "what.h").write_text('#define WHAT "built"\n')
    (folder / "real.c").write_text(_MAIN.format('#include <stdio.h>\n#include "what.h"', "puts(WHAT);"))
    (folder / "Makefile").write_text("prog: inner/prog.c\n\t$(MPICC) -I. inner/prog.c -o prog\n")
    links = {
        "loop": ".",
        "itself": "itself",
        "nowhere": "none.c",
        "what.h": "../what.h",
        "inner/prog.c": "../real.c",
        "inner/up": "../",
    }
    for name, target in links.items():
        (folder / name).symlink_to(target)
    assert run_app(TORUS, program_from(folder, make="prog"), 1).output.strip() == "built"
    for name, target, reason in (
        ("around", "..", "a link to a folder that contains the link"),
        ("around", "/", "a link to a folder that contains the link"),
        ("device", "/dev/zero", "a pipe or a device"),
    ):
        (folder / name).symlink_to(target)
        with pytest.raises(InputError, match=f"{name} cannot be copied: it is {reason}; remove it"):
            program_from(folder, make="prog")
        (folder / name).unlink()
    os.mkfifo(folder / "pipe")
    with pytest.raises(InputError, match="pipe cannot be copied"):
        program_from(folder, make="prog")


@pytest.mark.simgrid
def test_makefiles_that_misbehave(place):
    """One without an end, one that leaves a process behind, one that removes its folder."""
    (place / "Makefile").write_text(
        "endless:\n\twhile :; do sleep 0.1; done\n"
        f"leaves:\n\tsetsid sh -c 'exec -a {place}/left sleep 1234' &\n"
        "removes:\n\trm -rf $(CURDIR)\n"
        "prints:\n\tyes\n"
    )
    with pytest.raises(InputError, match="make endless: it did not end within 1 s"):
        program_from(place, make="endless", time_limit_s=1)
    for target, reason in (
        ("leaves", "builds 0 MPI programs"),
        ("removes", "removes its own working folder"),
        ("prints", "64 MiB"),
    ):
        with pytest.raises(InputError, match=f"make {target}:? .*{reason}"):
            program_from(place, make=target, time_limit_s=60)
    assert (place / "Makefile").exists()


@pytest.mark.exhaustive
@pytest.mark.simgrid
def test_work_ends_what_runs(place):
    """A simulation, a compiler and make: stopped from another thread."""
    program = _program(place, _FOREVER)
    os.mkfifo(place / "pipe.h")
    (place / "prog2.c").write_text('#include "pipe.h"\n')
    (place / "Makefile").write_text("endless:\n\tsleep 1234\n")
    (place / "pipe.h").unlink()
    (place / "made").mkdir()
    (place / "Makefile").rename(place / "made" / "Makefile")
    os.mkfifo(place / "pipe.h")
    for operation in (
        lambda work: run_app(TORUS, program, 1, work=work),
        lambda work: program_from(place / "prog2.c", work=work),
        lambda work: program_from(place / "made", make="endless", work=work),
    ):
        work = Work()
        threading.Timer(1.0, work.stop).start()
        with pytest.raises(Stopped):
            operation(work)


def test_a_command_is_ended_with_all_its_children(tmp_path):
    """Exit codes, signals, a command that is not there; a tree of processes, each in a session of its own."""
    limits = ProcessLimits(20.0)
    assert output_of(["sh", "-c", "echo out; echo err >&2; exit 3"], tmp_path, limits, "sh") == (3, "err\nout\n")
    assert output_of(["sh", "-c", "kill -9 $$"], tmp_path, limits, "sh")[0] == -9
    code, text = output_of(["no-such-program"], tmp_path, limits, "it")
    assert code == 127
    assert "cannot be started" in text
    with pytest.raises(InputError, match=r"it: it cannot be started in .*: no such file"):
        output_of(["true"], tmp_path / "none", limits, "it")
    script = tmp_path / "tree.sh"
    script.write_text('[ "$1" = 0 ] && exec sleep 1234\nsetsid sh "$0" $(($1 - 1)) & setsid sh "$0" $(($1 - 1)) &\n')
    assert output_of(["sh", str(script), "4"], tmp_path, limits, "sh")[0] == 0
    assert "tree.sh" not in _running()
    assert "sleep 1234" not in _running()


def test_wrong_types_are_sentences(tmp_path):
    """Each argument of `run_app` and `program_from`, given what somebody may take for it."""
    with pytest.raises(InputError, match="petersen: no hosts for the ranks"):
        run_app("petersen", "alltoall")
    with pytest.raises(InputError, match=r"run_app takes .*, not 3"):
        run_app(3, "alltoall")
    for arguments, reason in (
        ({"app": 3}, "app=3: give a text"),
        ({"ranks": "4"}, "ranks='4': give a whole number of at least 1"),
        ({"ranks": 2.5}, "ranks=2.5"),
        ({"placement": 1}, "placement=1: give a text"),
        ({"settings": {"rate_gbps": 1}}, "settings={'rate_gbps': 1}: give AppSettings"),
        ({"layout": "hall"}, "layout='hall': give a Layout"),
        ({"seed": -1}, "seed=-1: give a whole number of at least 0"),
        ({"seed": None}, "seed=None"),
        ({"jobs": 0}, "jobs=0: give a whole number of at least 1"),
        ({"time_limit_s": "60"}, "time_limit_s='60': give a number of seconds above 0"),
        ({"time_limit_s": float("nan")}, "time_limit_s=nan"),
    ):
        with pytest.raises(InputError, match=reason):
            run_app(TORUS, **({"app": "alltoall"} | arguments))
    with pytest.raises(InputError, match="program_from takes a str or a PathLike, not None"):
        program_from(None)
    with pytest.raises(InputError, match="arguments='-n 5': give a sequence"):
        program_from(tmp_path, "-n 5")
    with pytest.raises(InputError, match="make=3"):
        program_from(tmp_path, make=3)
    with pytest.raises(InputError, match="rate_gbps='fast'; it is a number above 0"):
        AppSettings(rate_gbps="fast")


@pytest.mark.simgrid
def test_a_placement_or_a_program_given_twice_runs_once():
    """Of several placements each seed counts once."""
    runs = run_apps(cases_of("torus", TORUS), ["alltoall:bytes=8"] * 2, 4, ["random*2", "random", "linear", "linear"])
    assert [(run.placement, run.seed) for run in runs.runs] == [("random", 1), ("random", 2), ("linear", 1)]
    assert runs.wanted == 3
    assert runs.ended == "done"


@pytest.mark.simgrid
def test_a_sweep_that_is_stopped_has_what_is_finished(place):
    """Its runs are delivered one by one; a failure says why and keeps the others; nothing finished is no result."""
    case = cases_of("torus", TORUS)[0]
    work = Work()
    work._on_result = lambda run: work.stop()
    runs = run_apps([case], [ring(4, 100, 0), _program(place, _FOREVER)], 4, jobs=1, work=work)
    assert (runs.ended, runs.failure, len(runs.runs), runs.wanted) == ("interrupted", "", 1, 2)
    fails = _program(place, "MPI_Abort(MPI_COMM_WORLD, 3);", name="fails.c")
    runs = run_apps([case], [ring(4, 100, 0), fails], 4, jobs=1)
    assert (runs.ended, len(runs.runs)) == ("done", 1)
    assert runs.failure == "fails.c: the simulation failed: MPI_Abort was called"
    with pytest.raises(InputError, match="MPI_Abort was called"):
        run_apps([case], [fails], 4)
    work = Work()
    work.stop()
    with pytest.raises(Stopped):
        run_apps([case], [ring(4, 100, 0)], 4, work=work)


@pytest.mark.exhaustive
@pytest.mark.simgrid
def test_a_first_run_that_fails_leaves_no_folder(place):
    """The command says why, and makes nothing; nor where the folder could not be written."""
    (place / "fails.c").write_text(_MAIN.format("", "MPI_Abort(MPI_COMM_WORLD, 3);"))
    words = [sys.executable, "-m", "topoloom", "app", "torus:dims=3x3,hosts=1", "--mpi", str(place / "fails.c")]
    for folder, reason in ((place / "out", "MPI_Abort was called"), (place / "none" / "out", "there is no folder")):
        done = subprocess.run([*words, "-o", str(folder)], capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert reason in done.stderr
        assert not folder.exists()


@pytest.mark.simgrid
def test_records_are_read_back_and_equal_runs_are_equal():
    """But for timings; also of a sweep, with each run's own numbers."""
    one, two = (run_app(TORUS, ring(4, 100, 1e6), 4) for _ in range(2))
    records = [json.loads(json.dumps(run.record())) for run in (one, two)]
    for record in records:
        assert record["provenance"].pop("timings").keys() == {"cpu_s"}
    assert records[0] == records[1]
    again = type(one).from_record(json.loads(json.dumps(one.record())))
    assert again.record() == one.record()
    runs = run_apps([Case("=cmd", cases_of("x", TORUS)[0].routings, None, 1)], [ring(4, 100, 0)], 4)
    again = type(runs).from_record(json.loads(json.dumps(runs.record())))
    assert again.rows() == runs.rows()
    assert again.runs[0].network == "=cmd"


@pytest.mark.simgrid
def test_no_cell_is_a_formula(tmp_path):
    """A network's name that a spreadsheet would compute is guarded in every file."""
    from topoloom.report.app_page import write_apps

    cases = [Case("=cmd|'/c calc'!A1", cases_of("x", TORUS)[0].routings, None, 1)]
    write_apps(tmp_path / "out", run_apps(cases, [ring(4, 100, 0)], 4), cases)
    for name in ("runs.csv", "ranks.csv", "links.csv"):
        assert ",'=cmd" in Path(tmp_path / "out" / name).read_text()
        assert ",=cmd" not in Path(tmp_path / "out" / name).read_text()
