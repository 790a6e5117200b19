"""`topoloom resilience`: its JSON, its tables, its files, an interrupt, and its errors."""

import csv
import json
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from dataclasses import replace

import click
import pytest
from click.testing import CliRunner

from topoloom import build, cable, load, open_network, place, resilience, save_cabling
from topoloom.cli.main import cli, main
from topoloom.core.errors import InputError
from topoloom.failures import resilience as operation
from topoloom.failures.lifetime import lifetime
from topoloom.failures.survival import Survival, Survivals
from topoloom.model.schemas import json_schema
from topoloom.operations.catalogue.placed import LayoutOperation
from topoloom.operations.catalogue.resilience import ResilienceOperation
from topoloom.operations.context import RunContext
from topoloom.report.survival_page import write_survival

FLY = "slimfly:q=5,hosts=4"


def _run(*arguments, command="resilience"):
    result = CliRunner().invoke(cli, [command, *arguments], catch_exceptions=False, standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.stdout


def test_json_is_the_verbs_answer():
    """One object for one topology, with the criterion in words; several are a list, in the order given."""
    values = json.loads(_run(FLY, "--samples", "50", "--seed", "3", "--json"))
    found = resilience(build(FLY), samples=50, seed=3)
    assert [level["survived"] for level in values["levels"]] == [level.survived for level in found.levels]
    assert (values["threshold"], values["exact"], values["units"]) == (found.threshold, found.exact, 175)
    assert values["survives"] == "all surviving switches are connected; P >= 0.75"
    assert (values["metric"], values["fail"], values["order"], values["ended"]) == (
        "disconnection",
        "links",
        "random",
        "done",
    )
    assert values["spec"] == FLY
    assert values["degradation"] == []
    assert values["time_to_disconnection"] is None
    several = json.loads(_run(FLY, "petersen", "--samples", "10", "--json"))
    assert [one["name"] for one in several["topologies"]] == ["slimfly(q=5,hosts=4)", "petersen"]


def test_json_is_the_record_of_a_result(tmp_path):
    """What is printed is a `Survival`, or `Survivals`, as it is read back."""
    asked = ("--samples", "20", "--json")
    printed = json.loads(_run("petersen", *asked))
    one = Survival.from_record(printed)
    assert one.record() == printed
    several = json.loads(_run("petersen", FLY, *asked))
    both = Survivals.from_record(several)
    assert both.record() == several
    assert both.topologies[0] == one
    assert [row["name"] for row in both.rows()] == ["petersen"] * 19 + ["slimfly(q=5,hosts=4)"] * 19
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.validate(printed, json_schema(Survival))
    jsonschema.validate(several, json_schema(Survivals))


def test_names_in_the_table_are_no_formulas(tmp_path):
    """A network may be named as people like; a spreadsheet shows the name instead of computing it."""
    named = build("petersen").replace(name="=cmd|'/c calc'!A1")
    write_survival([resilience(named, samples=5)], tmp_path / "out")
    rows = list(csv.DictReader((tmp_path / "out" / "survival.csv").open()))
    assert {row["topology"] for row in rows} == {"'=cmd|'/c calc'!A1"}


def test_options_reach_the_verb():
    """Metric, order, levels, criterion, tolerance, width and hosts."""
    asked = (
        "--metric",
        "aspl",
        "--tolerate",
        "0.5",
        "--fail",
        "switches",
        "--order",
        "load",
        "--levels",
        "10%,20%,0.3",
    )
    values = json.loads(_run(FLY, *asked, "--of", "hosts", "--criterion", "0.5", "--samples", "20", "--json"))
    found = resilience(
        build(FLY),
        "switches",
        "aspl",
        tolerate=0.5,
        order="load",
        levels=[0.1, 0.2, 0.3],
        of="hosts",
        criterion=0.5,
        samples=20,
    )
    assert [(level["share"], level["survived"]) for level in values["levels"]] == [
        (level.share, level.survived) for level in found.levels
    ]
    assert values["most"] == pytest.approx(values["whole"] + 0.5)
    assert values["levels"][0]["mean"] is not None
    assert json.loads(_run(FLY, "--interval-width", "0.2", "--json"))["samples"] == 1000


def test_tables_have_every_level():
    """One topology: one row per level, with its interval; several: a column each, and their thresholds."""
    said = _run(FLY, "--samples", "20", "--levels", "5%:50%:5%")
    assert "5 %     9      1.0000" in said
    assert len([line for line in said.splitlines() if " %  " in line[:6]]) == 10
    both = _run(FLY, "hypercube:n=5", "--samples", "20", "--levels", "10%,50%").splitlines()
    assert both[2].split() == ["failed", "slimfly(q=5,hosts=4)", "hypercube(n=5)"]
    assert [line.split()[0] for line in both[5:]] == ["threshold", "exactly", "can", "orders"]


def test_lifetimes_from_fit_and_from_mtbf_agree():
    """1e9 / FIT hours between failures."""
    asked = ("--samples", "30", "--json")
    fit = json.loads(_run(FLY, "--link-fit", "200", "--switch-fit", "500", *asked, command="lifetime"))
    mtbf = json.loads(_run(FLY, "--link-mtbf", "5e6", "--switch-mtbf", "2e6", *asked, command="lifetime"))
    assert fit == mtbf
    assert fit["hours"] == lifetime(build(FLY), link_fit=200, switch_fit=500, samples=30).hours
    assert fit["repair"] is False
    assert "without repair" in _run(FLY, "--link-fit", "200", "--samples", "30", command="lifetime")


def test_what_damage_costs():
    """Throughput and tables at each share, in JSON and as a table."""
    asked = (FLY, "--reroute", "--engine", "orders", "--shares", "5%,10%", "--draws", "2")
    values = json.loads(_run(*asked, "--json", command="degradation"))["levels"]
    assert [one["share"] for one in values] == [0.05, 0.1]
    assert all(0 < one["uniform"] < 1 and one["broken"] <= one["changed"] for one in values)
    assert "2 of 2" in _run(*asked, command="degradation")


def test_what_is_left_can_be_saved(tmp_path):
    """The first order's surviving_network, as any format; 5 % of 175 links are 9."""
    file = tmp_path / "left.json"
    _run(FLY, "-o", str(file), "--share", "5%", command="damage")
    assert len(load(file).links) == 175 - 9


def test_the_folder_holds_curves_and_page(tmp_path, monkeypatch):
    """CSV of all levels, pictures, and one page that needs nothing else; without matplotlib no pictures."""
    asked = (FLY, "hypercube:n=5", "--samples", "20")
    _run(*asked, "-o", str(tmp_path / "out"))
    rows = list(csv.DictReader((tmp_path / "out" / "survival.csv").open()))
    assert len(rows) == 2 * 19
    assert float(rows[0]["low"]) <= float(rows[0]["probability"]) <= float(rows[0]["high"])
    ET.parse(tmp_path / "out" / "survival.svg")
    assert (tmp_path / "out" / "survival.png").read_bytes().startswith(b"\x89PNG")
    text = (tmp_path / "out" / "resilience.html").read_text()
    for words in ("<svg", "Thresholds", "hypercube(n=5)"):
        assert words in text
    assert "default-src" in text
    assert "<script src" not in text
    assert "src=" not in text
    written = {"survival.csv", "resilience.html", "survival.svg", "survival.png"}
    assert {file.name for file in (tmp_path / "out").iterdir()} == written


def test_racks_come_from_the_floor_or_from_a_layout(tmp_path):
    """The options of the floor, or the folder that `layout` wrote."""
    fly = build("slimfly:q=5")
    save_cabling(cable(place(fly)), tmp_path)
    asked = ("slimfly:q=5", "--fail", "racks", "--samples", "10", "--json")
    assert json.loads(_run(*asked))["units"] == 5
    assert json.loads(_run(*asked, "--cluster", "sequential", "--switches-per-rack", "5"))["units"] == 10
    assert json.loads(_run(str(tmp_path), *asked[1:]))["units"] == 5
    with pytest.raises(InputError, match="--cluster: the racks are those of "):
        _run(str(tmp_path), *asked[1:], "--cluster", "sequential")
    with pytest.raises(InputError, match="--switches-per-rack: they are for failing racks"):
        _run("slimfly:q=5", "--switches-per-rack", "5")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--levels", "1:x"), "write first:last:step"),
        (("--levels", "0.5:0.1:0.1"), "write first:last:step"),
        (("--levels", "120%"), "1.2 is not a share"),
        (("--levels", "nan"), "is not a share"),
        (("--tolerate", "1"), "not for disconnection"),
        (("--values",), "not for disconnection"),
        (("--order", "cables"), "--order cables does not exist for links; give one of random, load, degree"),
        (("--samples", "0"), "give a whole number from 1"),
        (("--interval-width", "1"), "the width of a confidence interval"),
        (("--metric", "diameter", "--tolerate", "inf"), "at least 0"),
        (("-o", ""), "name of the folder is empty"),
        (("no:such",), "no"),
    ],
)
def test_a_mistake_is_told_in_a_sentence(arguments, message):
    """An error of an option or an `InputError`, which the command line prints as one line before it ends with 2."""
    with pytest.raises((InputError, click.UsageError), match=message):
        _run("slimfly:q=3,hosts=2", "--samples", "2", *arguments)


@pytest.mark.parametrize(
    ("command", "arguments", "message"),
    [
        (
            "lifetime",
            ("--link-fit", "1", "--link-mtbf", "1"),
            "--link-fit and --link-mtbf are two forms of the same rate",
        ),
        ("lifetime", ("--link-fit", "nan"), "give a number from 0"),
        ("lifetime", ("--link-fit", "inf"), "give a number from 0"),
        ("lifetime", ("--link-fit", "0"), "--link-fit and --switch-fit: at 0 nothing ever fails"),
        ("lifetime", (), "--link-fit and --switch-fit are missing"),
        ("degradation", ("--reroute", "--engine", "mini"), "did you mean 'minimal'"),
        ("degradation", ("--reroute", "--engine", "valiant"), "lets packets choose"),
        ("degradation", ("--reroute", "--engine", "segments"), "changes virtual channels on the path"),
        ("degradation", ("--engine", "minimal"), "only with --reroute"),
        ("damage", ("-o", "/nowhere/x.json"), "there is no folder"),
        ("damage", ("-o", "x.json", "--share", "5"), "is not a share"),
    ],
)
def test_a_mistake_in_what_failures_cost_is_one_sentence(command, arguments, message):
    """It spells arguments as options of the command."""
    with pytest.raises((InputError, click.UsageError), match=message):
        _run("slimfly:q=3,hosts=2", *arguments, command=command)


def test_an_interrupt_keeps_what_is_finished(tmp_path, capsys, monkeypatch):
    """The samples so far are printed and written, the code is 130; of rows for all topologies only whole tables."""

    def stopped(*words, **more):
        return replace(resilience(*words, **more), ended="interrupted")

    monkeypatch.setattr(operation, "resilience", stopped)
    with pytest.raises(SystemExit) as end:
        main(["resilience", FLY, "petersen", "--samples", "9", "--json", "-o", str(tmp_path)])
    said = capsys.readouterr()
    assert end.value.code == 130
    assert "9 samples are finished" in said.err
    assert said.err.splitlines()[-1] == "error: interrupted"
    only = json.loads(said.out)["topologies"]
    assert [one["ended"] for one in only] == ["interrupted"]
    assert len((tmp_path / "survival.csv").read_text().splitlines()) == 20


def _listens_to_ctrl_c():
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.exhaustive
def test_ctrl_c_ends_a_real_run():
    """SIGINT in a run that would take an hour: code 130, JSON with the finished samples, no traceback."""
    words = ["resilience", "torus:dims=12x12x12", "--metric", "aspl", "--samples", "900000", "--jobs", "2", "--json"]
    running = subprocess.Popen(
        [sys.executable, "-m", "topoloom", *words],
        text=True,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        preexec_fn=_listens_to_ctrl_c,  # noqa: PLW1509 (no thread runs here)
    )
    time.sleep(6)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=120)
    assert running.returncode == 130, err
    assert "Traceback" not in err
    # On a machine that is slow to compile nothing may be finished.
    assert err.splitlines()[-1] == ("error: interrupted" if out else "error: interrupted before there was a result")
    if out:
        values = json.loads(out)
        assert values["ended"] == "interrupted"
        assert 0 < values["samples"] < 900_000


def test_losses_are_a_table_and_a_record():
    """`losses` prints the worst loss of each kind."""
    spec = "fat-tree:k=8,hosts=32+planes:count=2"
    rows = [line.split()[:4] for line in _run(spec, "--lose", "leaf", "--lose", "plane", command="losses").splitlines()]
    assert ["leaf", "16", "0", "0"] in rows
    assert ["plane", "2", "0", "0"] in rows
    record = json.loads(_run(spec, "--json", command="losses"))
    assert record["schema"] == "topoloom/blast-radius/2"
    assert [loss["lose"] for loss in record["losses"]] == ["port", "leaf", "spine", "plane"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["petersen:hosts=1", "ring:n=4,hosts=1", "--lose", "leaf", "--json"], "name one TOPOLOGY"),
        (["petersen:hosts=1", "--lose", "spine"], "the network has no spine"),
    ],
)
def test_what_does_not_go_with_losses_is_refused(arguments, message):
    """One sentence each."""
    with pytest.raises(InputError, match=message):
        _run(*arguments, command="losses")


def test_racks_are_those_of_the_layout(tmp_path):
    """Which switches fail together is as `topoloom layout` places them on the same floor, its limit of power included."""
    floor = str(tmp_path / "hall.toml")
    (tmp_path / "hall.toml").write_text(
        'name = "hall"\nwidth_m = 1.0\ndepth_m = 1.0\n[grid]\nrows = 4\ncolumns = 5\n[limits]\npower_w = 125\n'
    )
    failing = ResilienceOperation(topology="slimfly:q=5,hosts=4", fail="racks", floor=floor)
    placed = LayoutOperation(topology="slimfly:q=5,hosts=4", floor=floor, map="rows").run(RunContext(1))
    assert placed.switches_per_rack == 4
    assert (failing.racks(open_network("slimfly:q=5,hosts=4"), 1) == placed.rack).all()
