"""`topoloom build` and `topoloom convert`: files in, files out, one line about it."""

import io
import json
import sys
from pathlib import Path

import pytest

from topoloom import build, load, write_export
from topoloom.cli.main import main
from topoloom.fabrics.fabric import planned_fabric


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
    assert found["left_out"][0] == "16 hosts"


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
    assert "edges leaves out 16 hosts" in call("convert", "net.json", "net.edges")[2]


def test_from_names_the_format_of_the_input(call, tmp_path):
    """--from reads a file whose suffix says nothing."""
    (tmp_path / "list").write_text("0 1\n1 2\n")
    assert call("convert", "list", "net.json", "--from", "edges")[0] == 0
    assert load("net.json").switches == 3


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["build", "petersen", "-o", "net.foo"], "names no known format"),
        (["build", "petersen", "-o", "gone/net.json"], "there is no folder"),
        (["build", "petersen", "-o", "."], "is a folder"),
        (["build", "petersen", "-o", "net.json", "--format", "yaml"], "no format named 'yaml'"),
        (["build", "petersen", "--json"], "--json tells of the file"),
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
    assert error == "error: frr: routing='ospf' is not known; it must be static or bgp\n"
    assert not Path("wrong").exists()
