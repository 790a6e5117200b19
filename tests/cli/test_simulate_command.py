"""`topoloom simulate`: its JSON, its table, its CSV, its pictures, going on after a break, and its errors."""

import csv
import html
import json
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET

import pytest
from click.testing import CliRunner

from topoloom import LoadCurve, build, cable, place, save_cabling
from topoloom.cli.commands import simulate
from topoloom.cli.main import main
from topoloom.core.errors import InputError
from topoloom.simulation.flits import simulate as operation

KEYS = {
    "offered",
    "accepted",
    "accepted_min",
    "latency_mean",
    "latency_ci95",
    "latency_p99",
    "hops_mean",
    "cycles",
    "saturated",
}


def _run(*arguments):
    result = CliRunner().invoke(simulate.command, arguments, catch_exceptions=False, standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.stdout


def test_json_has_what_scripts_need(tmp_path):
    """A document with a point a load, each with at least the keys promised; the CSV holds the same numbers."""
    file = tmp_path / "points.csv"
    values = json.loads(_run("slimfly:q=3,hosts=2", "--loads", "0.1:0.3:0.1", "--json", "-o", str(file)))
    assert [point["offered"] for point in values["points"]] == [0.1, 0.2, 0.3]
    assert all(point.keys() >= KEYS for point in values["points"])
    rows = list(csv.DictReader(file.open()))
    assert [float(row["latency_mean"]) for row in rows] == [point["latency_mean"] for point in values["points"]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--loads", "0.1:x"), "write first:last:step"),
        (("--loads", "0.5:0.1:0.1"), "write first:last:step"),
        (("--loads", "2"), "at most 1 flit per cycle"),
        (("--traffic", "shufle"), "no traffic pattern named 'shufle'"),
        (("--preset", "x"), "no router preset named 'x'"),
        (("--engine", "mini"), "did you mean 'minimal'"),
    ],
)
def test_mistakes_are_one_line(arguments, message):
    """An `InputError`, which the command line prints as one line before it ends with 2."""
    with pytest.raises(InputError, match=message):
        _run("slimfly:q=3,hosts=2", *arguments)


SMALL = "slimfly:q=3,hosts=2"


def _rows(file):
    """The rows of a CSV file."""
    return list(csv.DictReader(file.open()))


def _timeless(value):
    """A record without the numbers of the machine."""
    if isinstance(value, dict):
        return {key: _timeless(one) for key, one in value.items() if key != "timings"}
    return [_timeless(one) for one in value] if isinstance(value, list) else value


@pytest.fixture
def counted(monkeypatch):
    """The loads that are simulated, one by one."""
    loads, simulate_load = [], operation.simulate_load

    def listed(routing, config, traffic, load, *rest):
        loads.append(load)
        return simulate_load(routing, config, traffic, load, *rest)

    monkeypatch.setattr(operation, "simulate_load", listed)
    return loads


def test_several_topologies_are_curves(tmp_path):
    """One document with a curve each, one table after the other, one CSV with all points."""
    file = tmp_path / "points.csv"
    given = (SMALL, "torus:dims=3x3,hosts=1", "--loads", "0.1,0.2", "-o", str(file))
    curves = json.loads(_run(*given, "--json"))["curves"]
    assert [curve["provenance"]["name"] for curve in curves] == ["slimfly(q=3,hosts=2)", "torus(dims=3x3,hosts=1)"]
    alone = json.loads(_run(SMALL, "--loads", "0.1,0.2", "--json"))
    assert alone.pop("schema") == "topoloom/load-curve/1"
    assert _timeless(curves[0]) == _timeless(alone)
    rows = list(csv.DictReader(file.open()))
    assert [(row["topology"], row["offered"]) for row in rows] == [
        (curve["provenance"]["name"], str(point["offered"])) for curve in curves for point in curve["points"]
    ]
    assert [block.splitlines()[0] for block in _run(*given).split("\n\n")] == [
        f"{curve['provenance']['name']}, {curve['provenance']['engine']}, uniform traffic, slimfly-2014"
        for curve in curves
    ]


def test_settings_of_the_router_are_changed_and_told(tmp_path):
    """`--set` changes the preset's values; the JSON and the CSV tell all values that were used."""
    file = tmp_path / "points.csv"
    values = json.loads(
        _run(SMALL, "--loads", "0.1", "--set", "vcs=4", "--set", "link_cycles=7", "--json", "-o", str(file))
    )
    assert values["preset"] == "slimfly-2014"
    assert (values["router"]["vcs"], values["router"]["link_cycles"]) == (4, 7)
    assert "link_cycles=7" in _rows(file)[0]["router"].split()
    plain = json.loads(_run(SMALL, "--loads", "0.1", "--json"))
    assert values["points"][0]["latency_mean"] > plain["points"][0]["latency_mean"] + 5
    plot = tmp_path / "a.svg"
    assert ", slimfly-2014 with vcs=4\n" in _run(SMALL, "--loads", "0.1", "--set", "vcs=4", "--plot", str(plot))
    assert "routers of slimfly-2014 with vcs=4" in plot.read_text()


@pytest.mark.exhaustive
def test_a_study_that_is_gone_on_with_is_the_same_as_in_one_go(tmp_path):
    """Some loads, then all with --study: the JSON is that of the sweep, and nothing is simulated twice."""
    folder = tmp_path / "study"
    asked = (SMALL, "--loads", "0.1:0.4:0.1", "--saturation", "--saturation-width", "0.1", "--json")
    _run(SMALL, "--loads", "0.3,0.1", "--study", str(folder))
    before = {path.name: path.stat().st_size for path in (folder / "records").iterdir()}
    kept = json.loads(_run(*asked, "--study", str(folder)))
    lines = [json.loads(line) for path in (folder / "records").iterdir() for line in path.read_text().splitlines()]
    loads = [line["task"]["arguments"].get("loads") for line in lines]
    assert sorted(loads, key=str) == [None, [0.1], [0.2], [0.3], [0.4]]
    assert before.items() <= {path.name: path.stat().st_size for path in (folder / "records").iterdir()}.items()
    assert _timeless(kept) == _timeless(json.loads(_run(*asked)))


def test_an_interrupt_leaves_the_finished_points(tmp_path, capsys, monkeypatch):
    """They are printed and in the file, and the exit code is 130."""
    whole, parts = tmp_path / "whole.csv", tmp_path / "parts.csv"
    asked = [SMALL, "--loads", "0.1,0.2,0.3", "--jobs", "1"]
    _run(*asked, "-o", str(whole))
    simulate_load = operation.simulate_load

    def stopped(routing, config, traffic, load, seed, *rest):
        if load > 0.25:
            raise KeyboardInterrupt
        return simulate_load(routing, config, traffic, load, seed, *rest)

    monkeypatch.setattr(operation, "simulate_load", stopped)
    with pytest.raises(SystemExit) as end:
        main(["simulate", *asked, "-o", str(parts), "--json"])
    said = capsys.readouterr()
    assert end.value.code == 130
    assert said.err.splitlines()[-1] == "error: interrupted"
    values = json.loads(said.out)
    assert values["ended"] == "interrupted"
    assert [one["offered"] for one in values["points"]] == [0.1, 0.2]
    assert _rows(parts) == _rows(whole)[:2]


def _listens_to_ctrl_c():
    """A shell without job control lets what it starts in the background ignore Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.exhaustive
def test_ctrl_c_ends_a_real_run(tmp_path):
    """SIGINT after the first point: code 130, the rows are there, and no traceback."""
    file = tmp_path / "points.csv"
    loads = ",".join(["0.01", *(f"{0.9 + step / 1000:g}" for step in range(90))])
    words = ["simulate", "slimfly:q=5,hosts=4", "--engine", "hop-vcs", "--loads", loads]
    running = subprocess.Popen(
        [sys.executable, "-m", "topoloom", *words, "--jobs", "1", "-o", str(file)],
        text=True,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        preexec_fn=_listens_to_ctrl_c,  # noqa: PLW1509 (no thread runs here)
    )
    until = time.monotonic() + 120
    while not file.exists() and time.monotonic() < until:
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert running.returncode == 130, err
    assert "Traceback" not in err
    assert err.splitlines()[-1] == "error: interrupted"
    assert 1 <= len(_rows(file)) < 91
    assert len(out.splitlines()) == 2 + len(_rows(file))


def test_a_closed_loop_is_run_to_its_end():
    """Its execution time, as a document and as a table; options of sweeps are refused."""
    asked = ("torus:dims=9x8,hosts=1", "--engine", "dor", "--set", "vcs=2", "--traffic", "chip:requests=5")
    values = json.loads(_run(*asked, "--json"))
    assert values["packets"] >= 2 * 8 * 5
    assert values["cycles"] > values["latency_mean"] > 0
    assert f"{values['cycles']}  " in _run(*asked)
    with pytest.raises(InputError, match="--plot: 'chip:requests=5' is simulated to its end"):
        _run(*asked, "--plot", "x.svg")


def test_results_are_in_nanoseconds_and_gigabits_where_the_preset_knows():
    """A cycle of 8/3 ns and flits of 256 bits, at 96 Gb/s: accepted flits a cycle times 96."""
    asked = ("ring:n=8,hosts=1", "--engine", "silla-duato", "--preset", "koibuchi-2013", "--loads", "0.05")
    point = json.loads(_run(*asked, "--json"))["points"][0]
    assert point["latency_mean_ns"] == pytest.approx(point["latency_mean"] * 8 / 3)
    assert point["accepted_gbps"] == pytest.approx(point["accepted"] * 96)
    assert "accepted gbps" in _run(*asked)


def test_packets_are_written_one_by_one(tmp_path):
    """One row per packet of a trace, with when it was made, left and arrived."""
    trace, file = tmp_path / "trace.csv", tmp_path / "packets.csv"
    trace.write_text("cycle,source,destination,flits\n4,0,1,2\n9,3,0,1\n")
    _run("torus:dims=3x3,hosts=1", "--engine", "dor", "--traffic", f"trace:{trace}", "--packets", str(file))
    rows = list(csv.DictReader(file.open()))
    assert [(row["source"], row["destination"], row["flits"], row["made"]) for row in rows] == [
        ("0", "1", "2", "4"),
        ("3", "0", "1", "9"),
    ]
    assert [int(row["arrived"]) - int(row["made"]) for row in rows] == [9, 8]


def test_cables_have_their_own_cycles(tmp_path):
    """By label, or by the lengths of a layout."""
    asked = ("dragonfly:p=1", "--engine", "dragonfly", "--loads", "0.05", "--set", "link_cycles=10", "--json")
    same, apart = (json.loads(_run(*asked, *more))["points"][0] for more in ((), ("--between", "group=100")))
    assert apart["latency_mean"] > same["latency_mean"] + 50
    for text, message in (("group", "write LABEL=CYCLES"), ("group=x", "between=.* each a whole number")):
        with pytest.raises(InputError, match=message):
            _run(*asked, "--between", text)
    placed = place(build("dragonfly:p=1"))
    save_cabling(cable(placed), tmp_path)
    by_folder = (str(tmp_path), *asked[1:])
    assert json.loads(_run(*by_folder))["points"][0]["latency_mean"] == same["latency_mean"]
    laid = json.loads(_run(*by_folder, "--set", "cycle_ns=0.1"))["points"][0]
    assert laid["latency_mean"] > same["latency_mean"]


def test_saturation_is_told(tmp_path):
    """In the JSON and as a line; its points are in the table."""
    file = tmp_path / "points.csv"
    asked = (SMALL, "--loads", "0.1", "--saturation", "--saturation-width", "0.1", "-o", str(file))
    values = json.loads(_run(*asked, "--json"))
    found = values["saturation"]
    assert set(found) == {"offered", "accepted", "width", "points"}
    assert 0.3 <= found["offered"] <= 1
    assert [point["offered"] for point in values["points"]] == [0.1]
    assert float(_rows(file)[-1]["offered"]) >= found["offered"]
    assert f"saturates at {found['offered']:.1f}, where {found['accepted']:.4f} arrives\n" in _run(*asked)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("ending", ["svg", "png", "html"])
def test_curves_and_links_are_drawn(tmp_path, counted, ending):
    """As the name says; the first topology's links at its highest load."""
    plot, heat = tmp_path / f"plot.{ending}", tmp_path / f"heat.{ending}"
    _run(SMALL, "torus:dims=3x3,hosts=1", "--loads", "0.1,0.2", "--plot", str(plot), "--heat", str(heat))
    assert sorted(counted) == [0.01, 0.01, 0.1, 0.1, 0.2, 0.2]
    for picture, said in ((plot, "torus(dims=3x3,hosts=1)"), (heat, "offered 0.2")):
        if ending == "png":
            assert picture.read_bytes().startswith(b"\x89PNG")
            continue
        text = picture.read_text()
        assert said in text
        if ending == "svg":
            ET.fromstring(text)
        else:
            assert text.startswith("<!doctype html>")
            assert not re.search(r'<script[^>]* src|<link|(?:src|href)="https?:', text)
            assert "default-src 'none'" in html.unescape(text)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--plot", "a.gif"), r"--plot a.gif: end its name in .svg, .png, .pdf or .pgf, or in .html"),
        (("--heat", "nowhere/a.svg"), "--heat nowhere/a.svg: there is no folder nowhere"),
        (("-o", "a.xlsx"), "-o a.xlsx: the file is a CSV table; end its name in .csv"),
        (("--packets", "a.json"), "--packets a.json: the file is a CSV table; end its name in .csv"),
        (("-o", "nowhere/a.csv"), "nowhere/a.csv: there is no folder nowhere"),
        (("--set", "vsc=3"), "did you mean vcs"),
        (("--study", "s", "-o", "a.csv"), "--output: a study stores points in its folder"),
    ],
)
def test_more_mistakes_are_one_line(arguments, message, counted):
    """Said before any simulation."""
    with pytest.raises(InputError, match=message):
        _run(SMALL, *arguments)
    assert counted == []


@pytest.mark.exhaustive
def test_several_engines_and_kinds_of_traffic_are_curves(tmp_path):
    """Network by network, engine by engine, traffic by traffic; a study gives the same."""
    given = ("torus:dims=3x3,hosts=1", "--loads", "0.1", "--json")
    asked = ("--engine", "dor", "--engine", "updown", "--traffic", "uniform", "--traffic", "tornado")
    curves = json.loads(_run(*given, *asked))["curves"]
    assert [(curve["provenance"]["engine"], curve["traffic"]) for curve in curves] == [
        ("dor", "uniform"),
        ("dor", "tornado"),
        ("updown", "uniform"),
        ("updown", "tornado"),
    ]
    study = json.loads(_run(*given, *asked, "--study", str(tmp_path / "study")))["curves"]
    assert [_timeless(curve) for curve in study] == [_timeless(curve) for curve in curves]
    with pytest.raises(InputError, match="'chip:requests=5' is simulated to its end and 'uniform' at loads"):
        _run("torus:dims=9x8,hosts=1", "--engine", "dor", "--traffic", "uniform", "--traffic", "chip:requests=5")


def test_the_record_is_what_python_returns():
    """`--json` prints the record of `simulate` for the same call, but for timings; it is read back as an equal curve."""
    printed = json.loads(_run(SMALL, "--loads", "0.1,0.2", "--set", "vcs=4", "--json"))
    curve = operation.simulate(SMALL, settings=["vcs=4"], loads=[0.1, 0.2])
    assert _timeless(printed) == _timeless(curve.record())
    assert LoadCurve.from_record(printed) == curve
    assert set(printed["provenance"]["timings"]) == {"seconds", "flit_hops_per_s"}


def test_the_help_lists_patterns_presets_and_settings():
    """Each by its name, made from the registers and from the router's own description."""
    text = CliRunner().invoke(simulate.command, ["--help"], catch_exceptions=False).output
    for word in (
        "worst-case",
        "koibuchi-2013",
        "credit_cycles",
        "(a whole number from 1 to 16,384; 3 cycles)",
        "Example:",
    ):
        assert word in " ".join(text.split())
