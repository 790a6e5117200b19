"""What is cabled becomes a network folder: nothing that a discovery or a plan states is lost, and no other source is taken."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from topoloom import InputError, diagnose, open_network
from topoloom.cli.main import cli
from topoloom.fabric.fabric import Fabric
from topoloom.network.folder import save_network

ROOT = Path(__file__).parents[2]
FIXTURES = ROOT / "tests" / "formats" / "fixtures"
ETHERNET = ROOT / "examples" / "ethernet"
SOURCES = {
    "lldp": ETHERNET / "lldp",
    "ptm": ETHERNET / "plan.dot",
    "one device": FIXTURES / "neighbours" / "eos-lldp-detail.json",
    "sheet with racks": FIXTURES / "plans" / "cvt-p2p-ethernet.csv",
    "netbox": FIXTURES / "plans" / "netbox-api-cables.json",
    "paddle": FIXTURES / "plans" / "paddle.json",
    "settings of ports": FIXTURES / "plans" / "config_db-leaf1.json",
    "rates": FIXTURES / "plans" / "minigraph-leaf1.xml",
    "ibnetdiscover": FIXTURES / "ibsim" / "discovered.net",
    "iblinkinfo": FIXTURES / "ibsim" / "iblinkinfo.txt",
}


def run(*arguments):
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def assert_equal(one: Fabric, other: Fabric, omitted=("made", "collected")):
    """Every field of a fabric, without exception."""
    for each in fields(Fabric):
        a, b = getattr(one, each.name), getattr(other, each.name)
        if each.name in omitted:
            continue
        same = np.array_equal(a, b) if isinstance(a, np.ndarray) else a == b
        assert same, (each.name, a, b)


@pytest.mark.parametrize("name", SOURCES)
def test_every_field_of_a_fabric_is_in_its_folder(tmp_path, name):
    """Names, ports by number and by name, rates, lengths, racks, one-sided cables, entries that are no cable."""
    network = open_network(SOURCES[name], lenient=True)
    adopted = network.adopt(tmp_path / "hall")
    assert adopted.topology == network.topology
    assert_equal(adopted.fabric, network.fabric)
    assert adopted.fabric.made == network.fabric.made
    assert adopted.fabric.collected.endswith("Z")
    assert adopted.provenance.settings == {"source": str(SOURCES[name]), "collected": adopted.fabric.collected}


@pytest.mark.parametrize("name", SOURCES)
def test_an_adopted_network_is_what_was_adopted(tmp_path, name):
    """Compared with its own source, nothing differs; ports are exact where the source states them all."""
    network = open_network(SOURCES[name], lenient=True)
    diagnosis = diagnose(network.adopt(tmp_path / "hall"), SOURCES[name])
    own = {flaw.text for flaw in network.fabric.flaws}
    assert all(any(text in each.text for text in own) for each in diagnosis.diagnostics), diagnosis.diagnostics


def test_the_command_and_python_write_the_same_folder(tmp_path):
    """Also every writer writes the same from the folder as from the source."""
    result = run("convert", ETHERNET / "lldp", tmp_path / "command", "--adopt", "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["format"] == "folder"
    assert "6 switches, 7 links, 16 hosts; ports by name; rates of 0 of 23 cables" in result.stderr
    open_network(ETHERNET / "lldp").adopt(tmp_path / "python")
    for file in ("cabled.json", "topology.json", "provenance.json"):
        assert (tmp_path / "command" / file).read_bytes() == (tmp_path / "python" / file).read_bytes()
    for name in ("ptm", "sheet", "ibnetdiscover"):
        from_folder = run("convert", tmp_path / "command", "-", "--format", name).stdout
        assert from_folder == run("convert", ETHERNET / "lldp", "-", "--format", name).stdout


def test_tables_and_layouts_are_added_to_an_adopted_folder(tmp_path):
    """What other commands write into the folder, or make of it in another, leaves names and ports as they are."""
    folder = tmp_path / "hall"
    fabric = open_network(ETHERNET / "lldp").adopt(folder).fabric
    for arguments in (("route", folder, "-o", folder), ("layout", folder, "--map", "rows", "-o", folder)):
        assert run(*arguments).exit_code == 0
        assert_equal(open_network(folder).fabric, fabric, omitted=())
        noted = open_network(folder).provenance.settings
        assert noted == {"source": str(ETHERNET / "lldp"), "collected": fabric.collected}, arguments
    network = open_network(folder)
    assert network.layout is not None
    assert network.tables is not None
    save_network(network, tmp_path / "copy")
    assert_equal(open_network(tmp_path / "copy").fabric, fabric, omitted=())
    assert open_network(tmp_path / "copy").provenance == network.provenance
    # The cable list names the ports that cables are really in.
    listed = network.cables
    assert np.array_equal(listed.ports, fabric.link_ports)
    result = run("verify", folder, ETHERNET / "lldp")
    assert result.exit_code == 0, result.output
    assert "ports                         exact" in result.stdout


def test_entries_that_are_no_cable_are_listed_and_stay_in_the_folder(tmp_path, caplog):
    """A stale neighbour never prevents the adoption of a fabric, and never becomes a cable."""
    shutil.copytree(ETHERNET / "lldp", tmp_path / "lldp")
    heard = json.loads((tmp_path / "lldp" / "leaf01.json").read_text())
    entries = heard["lldp"]["interface"]
    port, entry = next(iter(entries[0].items()))
    chassis = {"gone99": {"id": {"type": "mac", "value": "00:00:5e:00:53:99"}}}
    entries.append({port: entry | {"chassis": chassis}})
    (tmp_path / "lldp" / "leaf01.json").write_text(json.dumps(heard))
    result = run("convert", tmp_path / "lldp", tmp_path / "hall", "--adopt")
    assert result.exit_code == 0
    assert "not adopted: leaf01 port" in caplog.text
    assert "gone99" in open_network(tmp_path / "hall").fabric.flaws[0].text


@pytest.mark.parametrize(
    ("source", "target", "sentence"),
    [
        ("petersen", "new", "petersen: is a spec, and nothing of it is cabled; 'topoloom layout"),
        ("hall", "new", "is a network folder already; every command opens it"),
        (ETHERNET / "lldp", "hall", "the folder exists and is not empty; name a new folder"),
        (ETHERNET / "lldp", "file.txt", "is a file; adopt writes a folder"),
        (ETHERNET / "lldp", "no/where/new", "no/where"),
        ("edges.txt", "new", "has no names of devices and ports to adopt"),
    ],
)
def test_other_sources_and_targets_are_refused(tmp_path, monkeypatch, source, target, sentence):
    """In one sentence, by the command and by Python, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    open_network(ETHERNET / "lldp").adopt("hall")
    Path("file.txt").write_text("a\n")
    Path("edges.txt").write_text("0 1\n1 2\n")
    before = sorted(Path().rglob("*"))
    result = run("convert", source, target, "--adopt")
    assert isinstance(result.exception, InputError), result.output
    assert sentence in str(result.exception)
    with pytest.raises(InputError, match=r"\w"):
        open_network(source).adopt(target)
    assert sorted(Path().rglob("*")) == before


@pytest.mark.parametrize("option", [["--format", "ptm"], ["--set", "rate_gbps=100"]])
def test_options_of_files_are_refused(tmp_path, option):
    """A network folder has no format and no settings."""
    result = run("convert", ETHERNET / "lldp", tmp_path / "new", "--adopt", *option)
    assert isinstance(result.exception, InputError)
    assert option[0] in str(result.exception)


_DAMAGE = [
    lambda record: record.update(switch_names=record["switch_names"][1:]),
    lambda record: record["switch_names"].__setitem__(0, "leaf\x1b[31m"),
    lambda record: record["switch_port_names"][0].update({"1": "swp\n1"}),
    lambda record: record["switch_port_names"].pop(),
    lambda record: record.update(digest="0" * 64),
    lambda record: record.update(version=9),
    lambda record: record.update(more=1),
    lambda record: record["arrays"].update(link_ports=[[1, 2]]),
    lambda record: record["arrays"].update(link_ports=[[1, 2], [3]]),
    lambda record: record["arrays"].update(link_ports="x"),
    lambda record: record["arrays"].update(made=[1]),
    lambda record: record["arrays"].update(endpoint_ports=[1] * 16),
    lambda record: record["arrays"].update(endpoint_ports=[99] * 16),
    lambda record: record["arrays"].update(endpoint_ports=[None] * 16),
    lambda record: record["arrays"].update(endpoint_ports=[1.5] * 16),
    lambda record: record["arrays"].update(endpoint_ports=[1 << 40] * 16),
    lambda record: record["arrays"].update(switch_guids=["zz"] * 6),
    lambda record: record["arrays"].update(switch_rack=[1] * 6),
    lambda record: record["arrays"].update(switch_rack=["\x1b[0m"] * 6),
    lambda record: record["arrays"].update(link_length_m=[float("1e400")] * 7),
    lambda record: record["arrays"].update(loops=[[99, 1, 2]]),
]


@pytest.mark.parametrize("damage", _DAMAGE)
def test_a_damaged_file_is_refused_in_one_sentence(tmp_path, damage):
    """Whatever is wrong with the names and ports of a folder, it names the file, and no number comes of it."""
    open_network(ETHERNET / "lldp").adopt(tmp_path / "hall")
    file = tmp_path / "hall" / "cabled.json"
    record = json.loads(file.read_text())
    damage(record)
    file.write_text(json.dumps(record))
    with pytest.raises(InputError, match=r"cabled\.json") as error:
        _ = open_network(tmp_path / "hall").fabric
    assert "\n" not in str(error.value)


@pytest.mark.exhaustive
def test_equal_sources_give_equal_bytes_in_every_process(tmp_path):
    """The order of sets, which Python draws per process, is in no file."""
    lldp = Path(__file__).parents[2] / "examples" / "ethernet" / "lldp"
    for seed in ("1", "2"):
        command = [sys.executable, "-m", "topoloom", "convert", str(lldp), str(tmp_path / seed), "--adopt"]
        subprocess.run(command, env={**os.environ, "PYTHONHASHSEED": seed}, check=True, capture_output=True)
    first, second = ((tmp_path / seed / "cabled.json").read_bytes() for seed in ("1", "2"))
    assert first == second
