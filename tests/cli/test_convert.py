"""`topoloom build` and `topoloom convert`: files in, files out, one line about it."""

import io
import json
import sys
from pathlib import Path

import numpy as np
import pytest

from topoloom import build, load, save, write_export
from topoloom.cli.main import main
from topoloom.fabric.fabric import planned_fabric


@pytest.fixture
def call(tmp_path, monkeypatch, capfdbinary):
    """Run the command line in an empty folder: (exit code, stdout, stderr)."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments, stdin=b""):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as left:
            main(list(arguments))
        sys.stdout.flush()
        out, err = capfdbinary.readouterr()
        return left.value.code, out.decode(), err.decode()

    return run


def test_build_writes_a_file_and_one_line(call):
    """The file holds the topology of the spec; stdout stays empty, stderr has one line."""
    code, out, err = call("build", "slimfly:q=5,hosts=4", "-o", "net.json")
    assert (code, out) == (0, "")
    assert err == "wrote slimfly(q=5,hosts=4) to net.json (topoloom): 50 switches, 175 links, 200 hosts\n"
    assert load("net.json") == build("slimfly:q=5,hosts=4")


def test_build_without_a_file_writes_json_to_stdout(call):
    """Without -o the topology goes to standard output, and `convert -` takes it from there."""
    code, out, _ = call("build", "petersen")
    assert code == 0
    assert json.loads(out)["switches"] == 10
    code, edges, _ = call("convert", "-", "-", "--format", "edges", stdin=out.encode())
    assert code == 0
    assert len(edges.splitlines()) == 15


def test_json_describes_what_was_written(call):
    """--json gives one document with file, format, sizes, digest and what the format leaves out."""
    code, out, _ = call("build", "torus:dims=4x4,hosts=1", "-o", "net.data", "--format", "edges", "--json")
    found = json.loads(out)
    assert code == 0
    assert found["provenance"]["digest"] == build("torus:dims=4x4,hosts=1").digest
    assert (found["file"], found["format"]) == ("net.data", "edges")
    assert (found["switches"], found["links"], found["hosts"]) == (16, 32, 16)
    assert found["omitted"][0] == "16 hosts"


@pytest.mark.parametrize("suffix", ["json", "json.gz", "csv", "dot", "graphml"])
def test_convert_there_and_back(call, suffix):
    """A topology with hosts goes through each format that keeps hosts and comes back with the same links and hosts."""
    call("build", "hypercube:n=4,hosts=2", "-o", "net.json")
    assert call("convert", "net.json", f"other.{suffix}")[0] == 0
    assert call("convert", f"other.{suffix}", "back.json", "--json")[0] == 0
    assert load("back.json").replace(labels={}) == build("hypercube:n=4,hosts=2").replace(labels={})


def test_convert_says_what_is_left_out(call):
    """What the target format cannot hold is told, not dropped in silence."""
    call("build", "hypercube:n=3,hosts=2", "-o", "net.json")
    assert "edges omits 16 hosts" in call("convert", "net.json", "net.edges")[2]


def test_from_names_the_format_of_the_input(call, tmp_path):
    """--from reads a file whose suffix says nothing."""
    (tmp_path / "list").write_text("0 1\n1 2\n")
    assert call("convert", "list", "net.json", "--from", "edges")[0] == 0
    assert load("net.json").switches == 3


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["build", "petersen", "-o", "net.foo"], "belongs to no known format"),
        (["build", "petersen", "-o", "gone/net.json"], "there is no folder"),
        (["build", "petersen", "-o", "."], "is a folder"),
        (["build", "petersen", "-o", "net.json", "--format", "yaml"], "no format named 'yaml'"),
        (["build", "petersen", "--json"], "--json describes the file"),
        (["build", "petersen", "--format", "grid-edges"], "needs labels x and y"),
        (["build", "no-such", "-o", "net.json"], "no family named"),
        (["convert", "gone.json", "net.json"], "gone.json: there is no such file"),
        (["convert", "bad.edges", "net.json"], "bad.edges:2: switch 1 is linked to itself"),
        (["convert", "bad.edges", "net.json", "--from", "topoloom"], "bad.edges:1: is not JSON"),
        (["convert", "-", "net.json"], "<stdin>: the file is empty"),
    ],
)
def test_mistakes_end_with_one_line_and_exit_code_2(call, tmp_path, arguments, reason):
    """The user's mistake is one line `error: ...` on stderr, exit code 2, and no file."""
    (tmp_path / "bad.edges").write_text("0 1\n1 1\n")
    code, out, err = call(*arguments)
    assert code == 2
    assert out == ""
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert reason in err
    assert not (tmp_path / "net.json").exists()


@pytest.mark.parametrize("suffix", ["ns3", "yaml", "nodos", "infragraph.json"])
def test_files_of_simulators_come_back(call, suffix):
    """What a simulator reads is a network for every command, by its suffix."""
    call("build", "hypercube:n=4", "-o", "net.json")
    assert call("convert", "hypercube:n=4", f"net.{suffix}")[0] == 0
    assert call("convert", f"net.{suffix}", "back.json")[0] == 0
    network = load("net.json").replace(labels={})
    # ASTRA-sim's files give every cable a rate, 400 Gb/s where the network has none.
    assert load("back.json") == (network if suffix == "nodos" else network.with_rates(400))


def test_what_carries_no_rates_is_told_once_and_recorded(call, caplog):
    """One line on stderr and `dropped` in the record, where a file is written and where one is read."""
    save(build("fat-tree:k=4").with_rates(800, 400), "mixed.json")
    code, out, _ = call("convert", "mixed.json", "net.nodos", "--json")
    assert code == 0
    assert json.loads(out)["dropped"] == ["rate_gbps"]
    assert caplog.messages == ["caminos: this format holds no rates; dropped rate_gbps"]
    caplog.clear()
    code, out, _ = call("convert", "mixed.json", "net.net", "--json")
    assert json.loads(out)["dropped"] == []
    assert not caplog.messages
    text = Path("net.net").read_text()
    Path("part.net").write_text(text.replace(" 4xNDR", ""))
    code, out, _ = call("convert", "part.net", "part.json", "--json")
    assert json.loads(out)["dropped"] == ["rate_gbps"]
    assert caplog.messages == ["part.net: the rates of 16 of 48 cables are not known; dropped rate_gbps"]
    code, out, _ = call("build", "fat-tree:k=4", "-o", "plain.nodos", "--json")
    assert json.loads(out)["dropped"] == []


@pytest.mark.exhaustive
def test_rates_are_dropped_where_that_is_asked_for(call, caplog):
    """What refuses a mixed network takes it after --drop-rates, which is reported."""
    tree = build("fat-tree:k=4")
    save(tree.with_rates(np.where(np.arange(len(tree.links)) % 2, 800, 400), 400), "mixed.json")
    growth = ["--into", "fat-tree:k=6"]
    code, _, err = call("expand", "mixed.json", *growth)
    assert code == 2
    assert err.startswith(
        "error: expand: fat-tree(k=4) has links between switches of 400 and 800 Gb/s, so the rate of a new cable is not known"
    )
    code, out, _ = call("convert", "mixed.json", "alike.json", "--drop-rates", "--json")
    assert code == 0
    assert json.loads(out)["dropped"] == ["rate_gbps"]
    assert caplog.messages == ["mixed.json: all links are alike (--drop-rates); dropped rate_gbps"]
    assert load("alike.json") == build("fat-tree:k=4")
    assert call("expand", "alike.json", *growth)[0] == 0


def test_a_name_that_is_a_format_s_and_an_export_s(call, tmp_path):
    """A file where OUT has the format's suffix or is standard output; else the folder of the export."""
    assert call("convert", "ring:n=3,hosts=1", "one.ns3", "--format", "ns3")[0] == 0
    assert call("convert", "ring:n=3,hosts=1", "folder", "--format", "ns3")[2].startswith("wrote folder/network.txt")
    out = call("convert", "ring:n=3,hosts=1", "-", "--format", "ns3")[1]
    assert out == (tmp_path / "one.ns3").read_text() == (tmp_path / "folder" / "network.txt").read_text()


@pytest.mark.exhaustive
def test_settings_and_the_lengths_of_a_folder_go_into_files(call, tmp_path):
    """--set changes rates; a network folder, and its cable list alone, give each cable its delay."""
    assert call("layout", "slimfly:q=5,hosts=2", "--map", "rows", "-o", "plan")[0] == 0
    assert call("convert", "plan", "out", "--format", "ns3", "--set", "rate_gbps=800")[0] == 0
    text = (tmp_path / "out" / "network.txt").read_text()
    assert " 800Gbps 5ns 0\n" in text
    assert " 800Gbps 20ns 0\n" in text
    assert call("convert", "plan", "plan.ns3", "--set", "rate_gbps=800")[0] == 0
    assert (tmp_path / "plan.ns3").read_text() == text
    (tmp_path / "list.csv").write_bytes((tmp_path / "plan" / "cables.csv").read_bytes())
    assert call("convert", "list.csv", "list.ns3", "--set", "rate_gbps=800")[0] == 0
    assert (tmp_path / "list.ns3").read_text() == text


@pytest.mark.exhaustive
def test_the_rate_is_that_of_the_cables(call, tmp_path):
    """A folder remembers the rate that it was made for, also the default one; --set goes first."""
    layout = ("layout", "slimfly:q=5,hosts=2", "--map", "rows", "-o")
    assert call(*layout, "plan", "--parts", "infiniband-2026", "--rate", "200")[0] == 0
    for folder, more, rate in (("plan", (), "200Gbps"), ("plan", ("--set", "rate_gbps=25"), "25Gbps")):
        assert call("convert", folder, "out", "--format", "ns3", *more)[0] == 0
        lines = (tmp_path / "out" / "network.txt").read_text().splitlines()[2:]
        assert {line.split()[2] for line in lines} == {rate}
    assert call(*layout, "plain")[0] == 0
    assert call("convert", "plain", "plain.ns3")[0] == 0
    assert " 40Gbps " in (tmp_path / "plain.ns3").read_text()


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["petersen:hosts=1", "out", "--format", "slurm", "--set", "rate_gbps=1"], "slurm does not write"),
        (["petersen:hosts=1", "out.json", "--set", "rate_gbps=1"], "the format topoloom does not hold"),
        (["petersen:hosts=1", "out", "--format", "ns3", "--set", "rate=1"], "no export setting 'rate'"),
        (["petersen:hosts=1", "out", "--format", "ns3", "--set", "rate_gbps"], "write KEY=VALUE"),
        (["petersen:hosts=1", "out", "--format", "ns3", "--set", "cable_m=-1"], "cable_m='-1'; it is a number from 0"),
        (["petersen", "out", "--format", "ns3"], "no hosts, so there is no traffic"),
        (["petersen:hosts=1", "out", "--format", "htsim"], "htsim supports fat trees"),
    ],
)
def test_settings_that_say_nothing_are_refused(call, tmp_path, arguments, reason):
    """A setting that the file does not hold, that there is not, or that is out of its range: one line, and no file."""
    code, _, err = call("convert", *arguments)
    assert (code, err.count("\n")) == (2, 1)
    assert reason in err
    assert not list(tmp_path.glob("out*"))


def test_an_export_takes_options_and_gives_what_python_gives(call):
    """`--format NAME:key=value` writes the files of `write_export` with the same name; a wrong option is one line."""
    code, out, _ = call("convert", "fat-tree:k=4", "typed", "--format", "containerlab:routing=bgp,asn=tier", "--json")
    assert code == 0
    told = json.loads(out)
    assert told["format"] == "containerlab:routing=bgp,asn=tier"
    names = write_export(told["format"], planned_fabric(build("fat-tree:k=4")), "called")
    assert told["files"] == [f"typed/{name}" for name in names]
    assert all(Path("typed", name).read_text() == Path("called", name).read_text() for name in names)
    code, _, error = call("convert", "fat-tree:k=4", "wrong", "--format", "frr:routing=ospf")
    assert code == 2
    assert error == "error: frr: routing='ospf' is unknown; it must be static or bgp or spraypoint or shortest-union\n"
    assert not Path("wrong").exists()
