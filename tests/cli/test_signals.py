"""SIGTERM and Ctrl-C end every command that takes long, wherever it is: in a kernel, between two, in a library of others."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

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
    "reproduce": ("reproduce",),
}
#: What a busy machine may add to the second in which work ends.
_PATIENCE_SECONDS = 20
#: Processor time after which a command has started, and is at what takes long.
_AT_WORK_SECONDS = 3.0


def _listens() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _processor_seconds(process: int) -> float:
    """What a running process has used so far, of a user's time and the system's."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize("name", list(_LONG))
def test_sigterm_ends_long_work(name, tmp_path):
    """Soon, without a traceback, and with a word about it."""
    # Into files: who prints much would wait for a reader of its pipe, and never be at work.
    with (tmp_path / "out").open("w+") as out, (tmp_path / "err").open("w+") as err:
        running = subprocess.Popen(
            [sys.executable, "-m", "topoloom", *_LONG[name]],
            stdout=out,
            stderr=err,
            preexec_fn=_listens,  # noqa: PLW1509 (no thread runs here)
            env={**os.environ, "COLUMNS": "100"},
        )
        while (used := _processor_seconds(running.pid)) < _AT_WORK_SECONDS:
            assert running.poll() is None, (tmp_path / "err").read_text()
            time.sleep(0.05 + (_AT_WORK_SECONDS - used) / 10)
        running.send_signal(signal.SIGTERM)
        began = time.monotonic()
        running.wait(60)
    said = (tmp_path / "err").read_text()
    assert time.monotonic() - began < _PATIENCE_SECONDS
    assert "Traceback" not in said
    assert running.returncode in (0, 130), (running.returncode, said)
    assert "interrupted" in said or "interrupted" in (tmp_path / "out").read_text()
