"""`topoloom app`: what it prints and writes, and what it refuses."""

import json
import shutil

import pytest
from click.testing import CliRunner

from topoloom import InputError
from topoloom.applications.tools import available, tool
from topoloom.cli import app

needs_simgrid = pytest.mark.skipif(not available(), reason="SimGrid is not installed (Debian: libsimgrid-dev, g++)")


def run(*arguments):
    """What the command prints; its errors are raised."""
    result = CliRunner().invoke(app.command, arguments, catch_exceptions=False, standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.stdout


@needs_simgrid
def test_one_run_is_one_document():
    """Seconds, results, shares, link use and every setting."""
    found = json.loads(run("torus:dims=4x4,hosts=1", "--app", "pingpong", "--ranks", "16", "--json"))
    assert found["ranks"] == 16
    assert found["results"]["latency"]["unit"] == "s"
    assert {"seconds", "mops", "communication_share", "link_bytes", "settings", "simgrid", "placement"} <= found.keys()
    assert found["settings"]["rate_gbps"] == 40
    assert "seconds" in run("torus:dims=4x4,hosts=1", "--app", "ep:class=S", "--ranks", "4")


@needs_simgrid
def test_several_are_compared_and_written(tmp_path):
    """Networks, programs and placements are combined; the folder has a row a run, a page and bars."""
    networks = ("torus:dims=4x4,hosts=1", "complete:n=16,hosts=1")
    options = ("--app", "is:class=S", "--app", "alltoall:bytes=100", "--placement", "linear", "--placement", "random*2")
    found = json.loads(run(*networks, *options, "-o", str(tmp_path), "--json"))
    assert len(found["runs"]) == 12
    assert {row["topology"]: row["faster"] for row in found["compared"]}[networks[0]] == 1
    assert len((tmp_path / "runs.csv").read_text().splitlines()) == 13
    assert "Settings" in (tmp_path / "app.html").read_text()
    assert f"speed: {networks[0]} = 1" in run(*networks, *options)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ((), "say what runs"),
        (("--app", "nope"), "no application 'nope'"),
        (("--app", "cg", "--ranks", "12"), "nearest: 8, 16"),
        (("--app", "cg:klass=A"), "no parameter 'klass'"),
        (("--app", "ep:class=S", "--ranks", "17"), "17 ranks, but only 16 hosts"),
        (("--app", "ep:class=S", "--set", "rate_gbps"), "write KEY=VALUE"),
        (("--app", "ep:class=S", "--preset", "truong"), "did you mean truong-2017"),
        (("--app", "ep:class=S", "--placement", "random*many"), "how many seeds"),
        (("--app", "ep:class=S", "--baseline", "ring:n=4"), "none of the topologies"),
        (("--args", "5", "--app", "ep:class=S"), "give it with --mpi"),
        (("--mpi", "/nowhere.c"), "there is no such file"),
        (("--trace", "/nowhere"), "there is no index of traces"),
    ],
)
def test_refused(arguments, reason):
    """One sentence each, before anything runs."""
    with pytest.raises(InputError, match=reason):
        run("torus:dims=4x4,hosts=1", *arguments)


def test_without_simgrid_the_packages_are_named(monkeypatch):
    """One line says what to install."""
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    with pytest.raises(InputError, match=r"smpirun is not installed; .*apt-get install libsimgrid-dev"):
        tool("smpirun")
