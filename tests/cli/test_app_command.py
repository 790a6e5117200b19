"""`topoloom app`: what it prints and writes, and what it refuses."""

import json
import shutil

import pytest
from click.testing import CliRunner

from topoloom import InputError
from topoloom.cli.commands import app
from topoloom.simulation.applications.tools import tool


def run(*arguments):
    """What the command prints; its errors are raised."""
    result = CliRunner().invoke(app.command, arguments, catch_exceptions=False, standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.stdout


@pytest.mark.simgrid
def test_one_run_is_one_document():
    """Seconds, results, shares, link use and every setting."""
    found = json.loads(run("torus:dims=4x4,hosts=1", "--app", "pingpong", "--ranks", "16", "--json"))
    assert found["ranks"] == 16
    assert found["results"]["latency"]["unit"] == "s"
    assert {"seconds", "mops", "link_bytes", "link_use_most", "settings", "simgrid", "placement"} <= found.keys()
    assert len(found["communication"]) == 16
    assert found["settings"]["rate_gbps"] == 40
    assert "seconds" in run("torus:dims=4x4,hosts=1", "--app", "ep:class=S", "--ranks", "4")


@pytest.mark.exhaustive
@pytest.mark.simgrid
def test_several_are_compared_and_written(tmp_path):
    """Networks, programs and placements are combined; the folder has one row per run, a page and bars."""
    networks = ("torus:dims=4x4,hosts=1", "complete:n=16,hosts=1")
    options = ("--app", "is:class=S", "--app", "alltoall:bytes=100", "--placement", "linear", "--placement", "random*2")
    found = json.loads(run(*networks, *options, "-o", str(tmp_path), "--json"))
    assert len(found["runs"]) == 12
    assert {row["network"]: row["faster"] for row in found["compared"]}[networks[0]] == 1
    lines = {name: (tmp_path / f"{name}.csv").read_text().splitlines() for name in ("runs", "ranks", "links")}
    # A head; then one row per run, a rank of a run, a link of a run: the torus has 32 links, the complete graph 120.
    assert {name: len(found) - 1 for name, found in lines.items()} == {
        "runs": 12,
        "ranks": 12 * 16,
        "links": 6 * (32 + 120),
    }
    assert "Settings" in (tmp_path / "app.html").read_text()
    assert f"speed: {networks[0]} = 1" in run(*networks, *options)


@pytest.mark.simgrid
def test_each_topology_has_its_engine():
    """One for each in their order; the same topology by two engines is two networks; fat trees go by host."""
    one, two = "fat-tree:k=4", "hypercube:n=4,hosts=1"
    options = ("--app", "alltoall:bytes=100", "--engine", "fat-tree", "--engine", "dor", "--json")
    found = json.loads(run(one, two, *options))["runs"]
    assert [(entry["network"], entry["engine"], entry["host_tables"]) for entry in found] == [
        (one, "fat-tree", 2),
        (two, "dor", 1),
    ]
    found = json.loads(run(two, two, "--app", "alltoall:bytes=100", "--engine", "minimal", "--engine", "dor", "--json"))
    assert [row["network"] for row in found["compared"]] == [f"{two} by minimal", f"{two} by dor"]


@pytest.mark.exhaustive
@pytest.mark.simgrid
def test_what_is_finished_is_kept(tmp_path):
    """A program that fails ends the sweep; the runs before it are in the folder, the baseline's missing one is no number."""
    (tmp_path / "fails.c").write_text(
        "#include <mpi.h>\nint main(int c, char **v) { MPI_Init(&c, &v); MPI_Abort(MPI_COMM_WORLD, 3); }\n"
    )
    options = ("--app", "alltoall:bytes=100", "--mpi", str(tmp_path / "fails.c"), "--jobs", "1")
    with pytest.raises(InputError, match=r"fails.c: the simulation failed: MPI_Abort was called$"):
        run("torus:dims=4x4,hosts=1", "complete:n=16,hosts=1", *options, "-o", str(tmp_path / "out"))
    assert len((tmp_path / "out" / "runs.csv").read_text().splitlines()) == 3
    assert "alltoall" in (tmp_path / "out" / "app.html").read_text()


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ((), "no program is named"),
        (("--app", "nope"), "no application named 'nope'"),
        (("--app", "cg", "--ranks", "12"), "nearest: 8, 16"),
        (("--app", "cg:klass=A"), "no parameter 'klass'"),
        (("--app", "ep:class=S", "--ranks", "17"), "17 ranks, but only 16 hosts"),
        (("--app", "ep:class=S", "--set", "rate_gbps"), "write KEY=VALUE"),
        (("--app", "ep:class=S", "--preset", "truong"), "did you mean 'truong-2016'"),
        (("--app", "ep:class=S", "--placement", "random*many"), "the number of seeds must be"),
        (("--app", "ep:class=S", "--baseline", "ring:n=4"), "not one of the topologies"),
        (("--args", "5", "--app", "ep:class=S"), "give it with one --mpi"),
        (("--mpi", "a.c", "--mpi", "b.c", "--make", "a"), "give it with one --mpi"),
        (("--app", "ep:class=S", "--placement", "linear*3"), "one linear placement"),
        (("torus:dims=4x4,hosts=1", "--app", "ep:class=S"), "is given twice with the same --engine"),
        (("--app", "ep:class=S", "--engine", "dor", "--engine", "dor"), "--engine has 2 values for 1 TOPOLOGY;"),
        (("--app", "ep:class=S", "--set", "eager_bytes=1e6"), "from 0 to 65,536"),
        (("--app", "ep:class=S", "--app", "ep:class=S,x=1"), "no parameter 'x'"),
        (("ring:n=8,hosts=1", "--app", "alltoall"), "numbers of ranks cannot be compared .*ranks=8"),
        (("--mpi", "/nowhere.c"), "no such file"),
        (("--trace", "/nowhere"), "no index of traces"),
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
