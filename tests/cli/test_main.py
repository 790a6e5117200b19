"""The command line as a user meets it: help, exit codes, one-line errors, JSON on stdout."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from in_process import run

_EXAMPLES = Path(__file__).parents[2] / "examples"


def topoloom(
    *arguments: str, cwd: Path | None = None, text_input: str | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the command line as its own process."""
    return subprocess.run(
        [sys.executable, "-m", "topoloom", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=cwd,
        input=text_input,
        check=False,
    )


_IMPORTED_BY_HELP = """
import atexit, sys
from topoloom.__main__ import main
atexit.register(lambda: print([name for name in ("numpy", "numba", "scipy") if name in sys.modules], file=sys.stderr))
sys.argv[1:] = ["--help"]
main()
"""


def test_help_imports_no_numerics():
    """`topoloom --help` is there at once: it loads no NumPy, no Numba, no SciPy."""
    done = subprocess.run([sys.executable, "-c", _IMPORTED_BY_HELP], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "[]\n")
    assert "design" in done.stdout


@pytest.mark.parametrize(
    "command",
    [
        "families",
        "info",
        "hops",
        "bounds",
        "cuts",
        "build",
        "convert",
        "layout",
        "cost",
        "design",
        "route",
        "quality",
        "simulate",
        "collective",
        "verify",
    ],
)
def test_every_command_has_help_and_json(command):
    """Each command explains itself and takes --json."""
    done = run(command, "--help")
    assert done.code == 0, done.err
    assert "--json" in done.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["info", "slimfly:q=6"], "slimfly: q=6 is not a prime power (nearest: 5, 7)"),
        (["info", "hypercubes:n=3"], "no family named 'hypercubes'"),
        (["info", "d3x"], "no family, file or folder named 'd3x'"),
        (
            ["info", "fat-tree:k=64,host=3000"],
            "no parameter 'host' (did you mean hosts? it takes k, pods, hosts, levels",
        ),
        (["design", "r.toml"], "Missing option '-o' / '--output', such as -o design"),
        (["cost", "fat-tree:k=4", "--rate", "12M"], "at most 1,000,000,000; write 12e6"),
        (["info", "no/such/file.json"], "no/such/file.json"),
        (["info", "here"], "here"),
        (["hops"], "Missing argument"),
        (["cuts", "petersen", "--parts", "0"], "--parts"),
        (["cuts", "petersen", "--ways", "11"], "11"),
        (["build", "petersen", "-o", "/no/such/folder/x.json"], "/no/such/folder"),
        (["build", "petersen", "-o", "x.unknown"], "x.unknown"),
        (["convert", "petersen"], "Missing argument"),
        (["layout", "petersen", "--floor", "moon"], "no floor named 'moon'"),
        (["layout", "petersen", "-o", "/dev/null/x"], "there is no folder /dev/null"),
        (["cost", "slimfly:q=5,hosts=4", "--radix", "3"], "uses 11 ports"),
        (["cost", "petersen", "--as-published"], "is not a network of Table IV"),
        (["design", "none.toml", "-o", "out"], "none.toml cannot be read"),
        (["families", "fat-three"], "no family named 'fat-three'"),
        (["families", "--hosts", "10"], "--hosts and --radix go together"),
        (["hopps", "petersen"], "did you mean 'hops'?"),
        (["info", "petersen", "--jsn"], "--jsn"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(arguments, words, tmp_path, monkeypatch):
    """`error: ...` on stderr, nothing on stdout, no traceback."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path)
    done = run(*arguments)
    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith("error: ")
    assert done.err.count("\n") == 1
    assert words in done.err


@pytest.mark.exhaustive
def test_a_catalogue_page_tells_parameters_and_source():
    """`topoloom families slimfly` says what q may be and where the family comes from; --json is one document."""
    assert "a prime power" in topoloom("families", "slimfly").stdout
    # A family whose `hosts` has a meaning of its own does not list the usual one too.
    for name, meaning in {"slimfly": "hosts on each switch that", "host-switch": "hosts of the network"}.items():
        (line,) = [row for row in topoloom("families", name).stdout.splitlines() if row.startswith("  hosts ")]
        assert line.split(maxsplit=1)[1].startswith(meaning)
    found = json.loads(topoloom("families", "--json").stdout)
    assert found["schema"] == "topoloom/families/1"
    names = {record["name"] for record in found["families"]}
    assert {"torus", "slimfly", "dragonfly", "dsn-f", "jellyfish", "permute"} <= names


@pytest.mark.exhaustive
def test_sizes_can_be_asked_for():
    """`families --hosts --radix` lists specs that serve a number of hosts."""
    listed = topoloom("families", "slimfly", "--hosts", "10000", "--radix", "48").stdout.split()
    assert "slimfly:q=19,hosts=15" in listed
    found = json.loads(topoloom("families", "slimfly", "--hosts", "10000", "--radix", "48", "--json").stdout)
    assert (found["schema"], found["hosts"], found["radix"]) == ("topoloom/family-sizes/1", 10000, 48)
    assert [size["spec"] for size in found["families"][0]["sizes"]] == listed
    assert {"q": 19, "hosts": 15} in [size["parameters"] for size in found["families"][0]["sizes"]]


def test_cost_gives_the_exact_bill_and_the_printed_one():
    """Slim Fly: 1,168.2 USD exactly, 1,033.17 with the paper's assumptions, 1,033 in print."""
    done = json.loads(topoloom("cost", "slimfly:q=19,hosts=15", "--as-published", "--json").stdout)
    assert done["cost_per_host_usd"] == pytest.approx(1168.248, abs=0.001)
    assert done["power_per_host_w"] == pytest.approx(8.2133, abs=1e-4)
    assert done["as_published"]["cost_per_host_usd"] == pytest.approx(1033.167, abs=0.001)
    assert done["as_published"]["published_cost_usd"] == 1033


@pytest.mark.exhaustive
def test_layout_measures_and_draws(tmp_path):
    """The numbers of the layout on stdout, its floor plan and its cables in files."""
    for name in ("floor.svg", "cables.csv"):
        done = topoloom("layout", "slimfly:q=5,hosts=4", "-o", name, "--json", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["racks"] == 5
        assert (tmp_path / name).stat().st_size > 500


_WITHOUT = """
import importlib.metadata as metadata, sys
whole = metadata.entry_points
metadata.entry_points = lambda **chosen: [one for one in whole(**chosen) if one.dist.name != "topoloom-papers"]
from topoloom.__main__ import main
main()
"""


@pytest.mark.exhaustive
def test_a_command_of_a_package_that_is_not_installed_names_the_package(tmp_path):
    """`reproduce` is of topoloom-papers: the help has it no more, and one sentence says what to install, to studies, too."""
    (tmp_path / "s.toml").write_text('operation = "reproduce"\ntask.claim = "xu-2019/table-1"\n')

    def without(*words):
        return subprocess.run(
            [sys.executable, "-c", _WITHOUT, *words], capture_output=True, text=True, cwd=tmp_path, check=False
        )

    assert "reproduce" not in without("--help").stdout
    for words in (("reproduce",), ("reproduce", "--help"), ("study", "s.toml", "-o", "s")):
        done = without(*words)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), words
        assert "reproduce: install topoloom-papers, which has this" in done.stderr


_REQUIREMENT = """
hosts = 120
[switch]
radix = 12
[families]
try = ["torus", "hypercube", "hyperx", "jellyfish", "dragonfly", "fat-tree"]
"""


@pytest.mark.exhaustive
def test_design_writes_its_files_and_reuses_them(tmp_path):
    """The first run measures, the second reuses; both print the winner and the report's place."""
    (tmp_path / "need.toml").write_text(_REQUIREMENT)
    first = topoloom("design", "need.toml", "-o", "out", "--shortlist", "0", "--jobs", "1", cwd=tmp_path)
    assert first.returncode == 0, first.stderr
    assert "report: out/report.html" in first.stdout
    for name in (
        "report.html",
        "candidates.csv",
        "design.json",
        "topology.json",
        "cables.csv",
        "bill.csv",
        "bill.xlsx",
        "floorplan.svg",
    ):
        assert (tmp_path / "out" / name).stat().st_size > 0
    again = topoloom("design", "need.toml", "-o", "out", "--shortlist", "0", "--jobs", "1", "--json", cwd=tmp_path)
    assert json.loads(again.stdout)["best"] in first.stdout


def _heeding_interrupts():
    """A shell lets what it runs in the background ignore Ctrl-C, and so would these tests' processes."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("how", "code"), [(signal.SIGINT, 130), (signal.SIGKILL, -9)])
def test_a_design_that_is_stopped_leaves_only_whole_files(tmp_path, how, code):
    """Ctrl-C writes a report of what was measured; kill -9 leaves whole files only, and the next run goes on from them."""
    (tmp_path / "need.toml").write_text(_REQUIREMENT)
    process = subprocess.Popen(
        [sys.executable, "-m", "topoloom", "design", "need.toml", "-o", "out", "--shortlist", "0", "--jobs", "2"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=_heeding_interrupts,  # noqa: PLW1509 (no thread runs here)
    )
    measured = tmp_path / "out" / "measured" / "screening"

    def kept() -> list[str]:
        return [line for path in measured.glob("*.jsonl") for line in path.read_text().splitlines()]

    deadline = time.monotonic() + 90
    while time.monotonic() < deadline and len(kept()) < 5:
        time.sleep(0.05)
    os.killpg(process.pid, how)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == code, errors
    assert "Traceback" not in errors
    before = [json.loads(line)["key"] for line in kept()]
    assert len(before) >= 5
    if how is signal.SIGINT:
        assert "not measured" in errors
        assert "Interrupted" in (tmp_path / "out" / "report.html").read_text()
    again = topoloom("design", "need.toml", "-o", "out", "--shortlist", "0", "--jobs", "1", "--json", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout)["unmeasured"] == 0
    keys = [json.loads(line)["key"] for line in kept()]
    assert set(before) < set(keys)
    assert len(keys) == len(set(keys)), "nothing is measured twice"


def test_a_closed_pipe_is_no_error():
    """`topoloom families | head -1` ends quietly."""
    done = subprocess.run(
        f"{sys.executable} -m topoloom families --json | head -c 10",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
