"""SIGTERM and Ctrl-C end every command that takes long, wherever it is: in a kernel, between two, in a library of others."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from topoloom import open_network

#: Each would run for minutes on any machine.
_LONG = {
    "hops": ("hops", "jellyfish:n=400000,degree=16"),
    "info": ("info", "jellyfish:n=300000,degree=16"),
    "bounds": ("bounds", "--grid", "1000x1000", "--degree", "4", "--length", "3"),
    "cuts": ("cuts", "jellyfish:n=20000,degree=16", "--seeds", "10000"),
    "quality": ("quality", "jellyfish:n=3000,degree=16,hosts=8", "--bisections", "1000000"),
    "route": ("route", "jellyfish:n=12000,degree=16"),
    "collective": ("collective", "dragonfly:a=24,h=12,p=12", "--bound", "--set", "host_rate_gbps=4000"),
    "simulate": ("simulate", "slimfly:q=19,hosts=15", "--loads", "0.5"),
    "resilience": ("resilience", "slimfly:q=19", "--metric", "aspl", "--samples", "900000"),
    "optimize": ("optimize", "jellyfish:n=200,degree=5", "--seconds", "600"),
    "layout": ("layout", "jellyfish:n=3000,degree=16", "--seconds", "600"),
    "layout-folder": ("layout", "jellyfish:n=1000,degree=16", "--seconds", "600", "-o", "laid"),
    "study": ("study", "s.toml", "-o", "s", "--jobs", "2"),
    "study-threads": ("study", "s.toml", "-o", "s", "--jobs", "2", "--executor", "threads"),
    "design": ("design", "need.toml", "-o", "designed"),
    "compare": ("compare", "slimfly:q=11,hosts=8", "torus:dims=10x10x10,hosts=4", "-o", "compared"),
}
#: For so long a test waits for what would run for minutes to end.
_PATIENCE_SECONDS = 60
_STUDY = 'operation = "optimize"\nseeds = 9\ntask.topology = "jellyfish:n=400,degree=8,seed=1"\ntask.moves = 20000000\n'
_REQUIREMENT = "hosts = 4000\n[switch]\nradix = 36\n"
#: Processor time after which a command has started, and is at what takes long.
_AT_WORK_SECONDS = 3.0


def _listens() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _processor_seconds(process: int) -> float:
    """What a running process has used so far, of a user's time and the system's."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.fixture
def start(tmp_path):
    """Starts a command in a folder and a session of its own, and waits until it is at work; `processes` is to be left empty."""
    (tmp_path / "s.toml").write_text(_STUDY)
    (tmp_path / "need.toml").write_text(_REQUIREMENT)
    started = []

    def started_one(*words, work_seconds=_AT_WORK_SECONDS):
        # Into files: who prints much would wait for a reader of its pipe, and never be at work.
        with (tmp_path / "out").open("w+") as out, (tmp_path / "err").open("w+") as err:
            running = subprocess.Popen(
                [sys.executable, "-m", "topoloom", *words],
                stdout=out,
                stderr=err,
                cwd=tmp_path,
                start_new_session=True,
                preexec_fn=_listens,  # noqa: PLW1509 (no thread runs here)
                env={**os.environ, "COLUMNS": "100"},
            )
        started.append(running)
        while (used := sum(map(_processor_seconds, _processes(tmp_path)))) < work_seconds:
            assert running.poll() is None, (tmp_path / "err").read_text()
            time.sleep(0.02 + max(0.0, work_seconds - used) / 10)
        return running

    yield started_one
    for running in started:
        running.kill()
        running.wait()


def _processes(folder) -> list[int]:
    """The processes that were started in a folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cwd"):
        try:
            if os.path.samefile(path, folder):
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


def _ends(running, folder, *signals) -> str:
    """What a command says that is sent signals; it and all that it started are gone soon after."""
    for number in signals:
        running.send_signal(number)
        time.sleep(0.05)
    running.wait(_PATIENCE_SECONDS)
    until = time.monotonic() + _PATIENCE_SECONDS
    while left := _processes(folder):
        assert time.monotonic() < until, [Path(f"/proc/{one}/cmdline").read_text() for one in left]
        time.sleep(0.05)
    said = (folder / "err").read_text()
    assert "Traceback" not in said
    assert "Exception ignored" not in said
    return said + (folder / "out").read_text()


_SAMPLE = ("hops", "layout-folder", "study", "design")


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in _SAMPLE else pytest.mark.exhaustive) for name in _LONG]
)
def test_sigterm_ends_long_work(name, start, tmp_path):
    """Soon, with code 130, without a traceback, with a word about it, and with all that it started."""
    running = start(*_LONG[name])
    assert "interrupted" in _ends(running, tmp_path, signal.SIGTERM)
    assert running.returncode == 130


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["study", "optimize"])
@pytest.mark.parametrize("signals", [(signal.SIGINT,), (signal.SIGHUP,), (signal.SIGINT, signal.SIGINT)])
def test_ctrl_c_once_and_twice_and_a_closed_terminal(name, signals, start, tmp_path):
    """The same code; tasks and the best graph that are finished stay."""
    running = start(*_LONG[name])
    assert "interrupted" in _ends(running, tmp_path, *signals)
    assert running.returncode == 130


@pytest.mark.exhaustive
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_while_it_is_imported(number, start, tmp_path):
    """One line, and the same code, from the first moment of topoloom's own."""
    running = start("hops", "jellyfish:n=400000,degree=16", work_seconds=0.12)
    _ends(running, tmp_path, number)
    assert running.returncode == 130


@pytest.mark.sweep(1)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_serve_ends_by_signals_as_it_should(number, start, tmp_path):
    """Code 0: it is how the explorer ends; nothing of it is left."""
    pytest.importorskip("uvicorn", reason="the extra `web` is not installed")
    running = start("serve", "--port", "0", "--no-browser", "--store", "store", work_seconds=0.0)
    while "Ctrl-C ends it" not in (tmp_path / "err").read_text():
        assert running.poll() is None
        time.sleep(0.05)
    _ends(running, tmp_path, number)
    assert running.returncode == 0


@pytest.mark.exhaustive
def test_a_layout_that_is_stopped_is_written(start, tmp_path):
    """What was found until then: the folder is whole, but for the pictures, which take longer than whoever stops it waits."""
    running = start(*_LONG["layout-folder"])
    _ends(running, tmp_path, signal.SIGTERM)
    if (
        tmp_path / "laid"
    ).exists():  # on a machine so busy that two seconds are not enough there is nothing, never a part
        assert open_network(tmp_path / "laid").topology.switches == 1000
