"""`topoloom optimize`: what it prints, what it leaves on disk whatever happens, and what it refuses."""

import json
import signal
import subprocess
import sys
import time

import pytest
from click.testing import CliRunner

from topoloom import build, hops, load, place, save_cabling
from topoloom.cabling.cabling import cable
from topoloom.cli.commands import optimize
from topoloom.core.errors import InputError
from topoloom.cost.bill import price
from topoloom.cost.parts_files import load_parts

_KEYS = {"diameter", "aspl", "aspl_bound", "diameter_bound", "topology", "reason", "ended", "values", "provenance"}


def run(*arguments):
    """What the command prints on stdout; its errors are raised."""
    result = CliRunner().invoke(optimize.command, arguments, catch_exceptions=False, standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.stdout


def heeding_interrupts():
    """A shell lets what it runs in the background ignore Ctrl-C, and so would this test's process."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def begin(*arguments):
    """The command in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "topoloom", "optimize", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=heeding_interrupts,  # noqa: PLW1509 (no thread runs here)
    )


def when_there(path, seconds=240):
    """Wait for a file."""
    end = time.monotonic() + seconds
    while not path.exists() and time.monotonic() < end:
        time.sleep(0.05)
    assert path.exists()


def test_json_says_what_the_graph_is(tmp_path):
    """The keys that scripts rely on; the file holds the graph that they describe."""
    file = tmp_path / "best.json"
    found = json.loads(run("jellyfish:n=60,degree=4", "--moves", "3000", "--chains", "1", "-o", str(file), "--json"))
    assert found.keys() >= _KEYS
    best = load(file)
    measured = hops(best)
    assert (found["diameter"], found["aspl"]) == (measured.diameter, measured.aspl)
    assert found["topology"]["digest"] == best.digest
    assert found["provenance"]["timings"]["moves"] >= 3000
    again = json.loads(run("jellyfish:n=60,degree=4", "--moves", "3000", "--chains", "1", "--json"))
    assert again["topology"]["digest"] == found["topology"]["digest"]


@pytest.mark.exhaustive
def test_a_killed_search_leaves_its_best_and_is_resumed(tmp_path):
    """kill -9: the file is a whole graph of the same degrees, no worse than the start; --resume goes on from it."""
    file, state = tmp_path / "best.edges", tmp_path / "best.edges.progress.json"
    spec = "jellyfish:n=400,degree=5"
    searching = begin(spec, "--seconds", "60", "--chains", "1", "-o", str(file))
    when_there(state)
    time.sleep(1.2)
    searching.kill()
    searching.communicate()
    kept, start = load(file), build(spec)
    assert (kept.degrees == start.degrees).all()
    assert (hops(kept).diameter, hops(kept).aspl) < (hops(start).diameter, hops(start).aspl)
    before = json.loads(state.read_text())
    found = json.loads(
        run(spec, "--seconds", str(before["seconds"] + 1), "--chains", "1", "-o", str(file), "--resume", "--json")
    )
    assert found["provenance"]["timings"]["moves"] > before["moves"]
    assert (found["diameter"], found["aspl"]) <= (hops(kept).diameter, hops(kept).aspl)


@pytest.mark.exhaustive
def test_ctrl_c_keeps_the_best(tmp_path):
    """SIGINT ends the search with exit code 130, and the best so far is in the file."""
    file = tmp_path / "best.json"
    searching = begin("jellyfish:n=300,degree=4", "--seconds", "60", "-o", str(file))
    when_there(tmp_path / "best.json.progress.json")
    searching.send_signal(signal.SIGINT)
    _, told = searching.communicate(timeout=120)
    assert searching.returncode == 130
    assert b"Traceback" not in told
    assert load(file).switches == 300


def test_a_laid_out_network_keeps_its_racks_and_its_longest_cable(tmp_path):
    """A folder of `topoloom layout`: no cable beyond the cap, and as many cables between any two racks as before."""
    layout = place(build("ring-shortcuts:n=64,degree=5"), seconds=0.5)
    save_cabling(cable(layout, load_parts("slimfly-2014")), tmp_path)
    longest = float(layout.length_m.max())
    found = json.loads(run(str(tmp_path), "--keep", "racks", "--cap-m", str(longest), "--moves", "2000", "--json"))
    assert found["aspl"] < hops(layout.topology).aspl
    latency = json.loads(
        run(str(tmp_path), "--objective", "latency", "--cap-m", str(longest), "--moves", "1000", "--json")
    )
    assert latency["values"]["worst_ns_bound"] <= latency["values"]["worst_ns"]
    assert latency["values"]["longest_m"] <= longest + 1e-9
    cables = sum(
        line.cost_usd for line in price(layout, load_parts("slimfly-2014"), 40.0).lines if line.kind == "cable"
    )
    budget = ("--cap-usd", f"{1.01 * cables:.0f}", "--parts", "slimfly-2014", "--rate", "40")
    cheap = json.loads(run(str(tmp_path), *budget, "--moves", "5000", "--json"))
    assert cheap["values"]["cable_usd"] <= 1.01 * cables + 1
    assert cheap["aspl"] < hops(layout.topology).aspl


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["jellyfish:n=20,degree=3", "--resume"], "name it with -o"),
        (["jellyfish:n=20,degree=3", "--cap-ns", "900"], "the objective is hops"),
        (["jellyfish:n=20,degree=3", "--objective", "power"], "power and cost need a catalogue of"),
        (["jellyfish:n=20,degree=3", "--parts", "slimfly-2014"], "--parts: the objective is hops"),
        (["grid:rows=6,columns=6,degree=4,length=3", "--cap-usd", "99"], "cap_usd needs the prices of cables"),
        (["grid:rows=6,columns=6,degree=4,length=3", "--objective", "latency", "--pitch-m", "a,b"], "number of metres"),
        (["grid:rows=6,columns=6,degree=4,length=3", "--keep", "racks"], "no label 'racks'"),
        (["nothing:n=3"], "nothing"),
        (["jellyfish:n=20,degree=3", "-o", "/nowhere/x.json"], "there is no folder"),
    ],
)
def test_mistakes_get_one_sentence(arguments, says):
    """What cannot be done is refused before any search, in a sentence that names it."""
    with pytest.raises(InputError, match=says) as caught:
        run(*arguments)
    assert "\n" not in str(caught.value)


def test_another_networks_file_is_not_resumed(tmp_path):
    """--resume with a file of other degrees, without its state, or with a broken one: refused, and left as it was."""
    file = tmp_path / "best.json"
    run("jellyfish:n=24,degree=3", "--moves", "200", "-o", str(file))
    whole = file.read_bytes()
    with pytest.raises(InputError, match="did not start from"):
        run("jellyfish:n=24,degree=4", "--moves", "200", "-o", str(file), "--resume")
    state = tmp_path / "best.json.progress.json"
    state.write_text("{")
    with pytest.raises(InputError, match="remove it"):
        run("jellyfish:n=24,degree=3", "--moves", "200", "-o", str(file), "--resume")
    state.unlink()
    with pytest.raises(InputError, match="cannot be resumed"):
        run("jellyfish:n=24,degree=3", "--moves", "200", "-o", str(file), "--resume")
    assert file.read_bytes() == whole
