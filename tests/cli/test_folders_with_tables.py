"""What lies in a network folder is taken: tables and cables' lengths, by commands and in Python alike."""

import json
import shutil

import pytest
from click.testing import CliRunner

from topoloom import (
    Delays,
    InputError,
    as_network,
    build,
    cases_of,
    degradation,
    hops,
    open_network,
    quality,
    reroute,
    route,
)
from topoloom import run_app as run_program
from topoloom.cli.main import cli
from topoloom.formats import save
from topoloom.simulation.flits.presets import router_of
from topoloom.simulation.flits.simulate import simulate
from topoloom.simulation.flits.sweep import subjects

SPEC, ENGINE = "torus:dims=4x4,hosts=1", "dfsssp-switches"
SAID = f"with the tables in this folder, of engine {ENGINE}\n"
LOADS = ("--loads", "0.1", "--jobs", "1")


def _run(name, *arguments):
    result = CliRunner().invoke(cli, [name, *arguments], catch_exceptions=False, standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result


def _record(name, *arguments):
    """The record that the command prints, without what differs from run to run, and its stderr."""
    result = _run(name, *arguments, "--json")
    record = json.loads(result.stdout)
    record["provenance"].pop("timings")
    return record, result.stderr


def _same(found, wanted):
    """Equal but for timings, as JSON has it."""
    wanted = json.loads(json.dumps(wanted.record()))
    wanted["provenance"].pop("timings")
    assert _without_timings(found) == _without_timings(wanted)


def _without_timings(value):
    if isinstance(value, dict):
        return {key: _without_timings(one) for key, one in value.items() if key != "timings"}
    return [_without_timings(one) for one in value] if isinstance(value, list) else value


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a layout, and tables of an engine that no command has for its default."""
    name = str(tmp_path_factory.mktemp("network") / "net")
    _run("layout", SPEC, "--map", "rows", "--floor", "slimfly-2014", "--switches-per-rack", "4", "-o", name)
    _run("route", name, "--engine", ENGINE, "-o", name)
    return name


@pytest.mark.exhaustive
def test_a_simulation_takes_the_tables_of_its_folder(folder):
    """The folder, the engine by name, and the tables in Python give the same curve; a line and the provenance say which."""
    found, told = _record("simulate", folder, *LOADS)
    by_engine, nothing_told = _record("simulate", SPEC, "--engine", ENGINE, *LOADS)
    assert found["points"] == by_engine["points"]
    assert (found["provenance"]["engine"], found["provenance"]["settings"]) == (
        ENGINE,
        by_engine["provenance"]["settings"],
    )
    assert SAID in told
    assert SAID not in nothing_told
    network = open_network(folder)
    _same(found, simulate(network.tables, loads=[0.1]))
    _, router = router_of("slimfly-2014")
    one = subjects([network], router=router)
    assert [subject.routing.engine for subject in one] == [ENGINE]


@pytest.mark.exhaustive
def test_an_engine_that_is_named_makes_new_tables(folder):
    """--engine, or virtual channels, ask for tables that do not lie there; of several topologies each has its own."""
    found, told = _record("simulate", folder, "--engine", "orders", *LOADS)
    assert found["provenance"]["engine"] == "orders"
    assert SAID not in told
    record = json.loads(_run("simulate", folder, SPEC, *LOADS, "--json").stdout)
    assert [curve["provenance"]["engine"] for curve in record["curves"]] == [ENGINE, "dor-pairs"]


@pytest.mark.exhaustive
def test_quality_measures_the_tables_of_its_folder(folder):
    """As `quality` of the tables does."""
    found, told = _record("quality", folder, "--bisections", "5")
    assert SAID in told
    _same(found, quality(open_network(folder).tables, bisections=5))
    assert found["provenance"]["engine"] == ENGINE


@pytest.mark.simgrid
def test_programs_run_along_the_tables_of_their_folder(folder):
    """With the folder's cables; `cases_of` takes the same tables."""
    asked = ("--app", "pingpong", "--ranks", "4", "--jobs", "1")
    found, told = _record("app", folder, *asked)
    assert SAID in told
    assert found["engine"] == ENGINE
    network = open_network(folder)
    (case,) = cases_of(folder, network)
    assert case.routing_seed == 1
    assert run_program(case.routings, "pingpong", 4, layout=case.layout).seconds == found["seconds"]
    with pytest.raises(InputError, match=r"--floor: .* is laid out already, and its layout does not change; omit it"):
        _run("app", folder, *asked, "--floor", "slimfly-2014")
    by_seeds, nothing_told = _record("app", folder, *asked, "--routing-seeds", "2")
    assert {run["engine"] for run in by_seeds["runs"]} == {"dor-pairs"}
    assert SAID not in nothing_told


def test_mending_begins_with_the_tables_of_the_folder(folder):
    """`reroute` and `degradation --reroute` repair what lies there, as `reroute` and `degradation` do."""
    tables = open_network(folder).tables
    found, told = _record("reroute", folder, "0-1,5")
    assert SAID in told
    _same(found, reroute(tables, links=[(0, 1)], switches=[5]))
    asked = ("--shares", "10%", "--draws", "2", "--jobs", "1", "--reroute")
    found, told = _record("degradation", folder, *asked)
    assert SAID in told
    assert found["provenance"]["engine"] == ENGINE
    assert found["levels"] == _record("degradation", SPEC, *asked, "--engine", ENGINE)[0]["levels"]
    (cost,) = degradation(tables, levels=[0.1], samples=2, throughput=False)
    assert found["levels"][0]["changed"] == cost.changed
    with pytest.raises(InputError, match=r"--reroute without an --engine needs forwarding tables; give a folder"):
        _run("degradation", SPEC, *asked)


def test_an_export_writes_the_tables_of_the_folder(folder, tmp_path):
    """The files of --engine by name are the same."""
    told = _run("export", folder, "opensm", "-o", str(tmp_path / "found")).stderr
    assert SAID in told
    _run("export", folder, "opensm", "--engine", ENGINE, "-o", str(tmp_path / "wanted"))
    files = sorted(path.name for path in (tmp_path / "wanted").iterdir())
    assert files
    for name in files:
        assert (tmp_path / "found" / name).read_bytes() == (tmp_path / "wanted" / name).read_bytes()


def test_to_route_a_folder_is_to_make_new_tables(folder):
    """Without anything to repair or to export the tables that lie there say nothing."""
    found, told = _record("route", folder)
    assert found["engine"] == "dor-pairs"  # the one that fits a torus
    assert SAID not in told


def test_latency_is_of_the_cables_as_they_lie(folder):
    """Each cable has its length in the layout, in the command and in Python; --length-m would say otherwise and is refused."""
    network = open_network(folder)
    found, told = _record("hops", folder, "--latency")
    assert "with the cable lengths of its layout" in told
    wanted = hops(network.topology, latency=Delays(), length_m=network.layout.length_m)
    assert found["latency"]["mean_ns"] == wanted.latency.mean_ns
    assert found["latency"]["mean_ns"] != _record("hops", SPEC, "--latency")[0]["latency"]["mean_ns"]
    with pytest.raises(InputError, match=r"--length-m: the cables of .*net have the lengths of its layout; omit it"):
        _run("hops", folder, "--latency", "--length-m", "3")


def test_tables_of_another_network_are_one_sentence(folder, tmp_path):
    """Hosts that came since are another network: the sentence says of what the tables are and what to do."""
    routed = tmp_path / "routed"
    route(build(SPEC), ENGINE).save(routed)
    other = build("torus:dims=4x4,hosts=2")
    save(other, routed / "topology.json")
    for name in ("simulate", "quality"):
        with pytest.raises(
            InputError, match=r"tables\.json: the tables are of torus.*; they do not belong to torus.*hosts=2"
        ):
            _run(name, str(routed))
    _run("quality", str(routed), "--engine", "orders", "--bisections", "1")
    shutil.rmtree(routed / "tables")
    _run("quality", str(routed), "--bisections", "1")
    tables = open_network(folder).tables
    with pytest.raises(InputError, match="the tables are of another network"):
        as_network(other).with_installed(tables)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("simulate", ("--engine", "latency", *LOADS)),
        ("quality", ("--engine", "latency", "--bisections", "2")),
        ("degradation", ("--reroute", "--engine", "latency", "--shares", "5%")),
    ],
)
def test_an_engine_that_needs_a_layout_takes_that_of_the_folder(folder, name, options):
    """What a command routes again is routed on the layout that it was given; without one the engine says what it lacks."""
    assert _record(name, folder, *options)[0]["provenance"]["engine"] == "latency"
    with pytest.raises(InputError, match="layout"):
        _run(name, SPEC, *options)
