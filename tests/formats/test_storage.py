"""Faults of input: pipes, closed standard input, and file names that are no UTF-8 are answered, never with a traceback."""

import io
import json
import os
import sys
import threading

import pytest

from topoloom import InputError, build, load, open_network, save
from topoloom.cli.main import main
from topoloom.core.files import read_text
from topoloom.fabric.fabric import planned_fabric
from topoloom.formats import FORMATS, encode

TORUS = build("torus:dims=4x4,hosts=1")


@pytest.fixture
def pipe(tmp_path, monkeypatch):
    """A named pipe without a suffix, into which `fill(data)` writes."""
    monkeypatch.setattr("topoloom.core.files._WRITER_SECONDS", 0.05)
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writers = []

    def fill(data):
        writers.append(threading.Thread(target=path.write_bytes, args=(data,), daemon=True))
        monkeypatch.setattr("topoloom.core.files._WRITER_SECONDS", 10.0)
        writers[-1].start()
        return path

    yield fill if sys.platform != "win32" else pytest.skip("no named pipes")
    for writer in writers:
        writer.join(10)


def test_closed_standard_input_is_one_sentence(monkeypatch):
    """`topoloom hops - <&-`: Python has no stdin at all then."""
    monkeypatch.setattr(sys, "stdin", None)
    for opener in (load, open_network):
        with pytest.raises(InputError, match=r"^<stdin>: standard input is closed; pipe a network into it"):
            opener("-")


@pytest.mark.parametrize("name", ["pipe", "net.json", "net.edges", "net.edges.gz", "fabric.net", "cables.csv"])
def test_a_pipe_without_a_writer_does_not_block(tmp_path, monkeypatch, name):
    """Whatever its suffix, it is told that nobody writes."""
    monkeypatch.setattr("topoloom.core.files._WRITER_SECONDS", 0.05)
    os.mkfifo(tmp_path / name)
    with pytest.raises(InputError, match="writes (in)?to this pipe"):
        open_network(tmp_path / name)
    with pytest.raises(InputError, match="writes (in)?to this pipe"):
        read_text(tmp_path / name, 100)


@pytest.mark.parametrize("name", ["topoloom", "graphml", "dot", "ibnetdiscover"])
def test_the_content_of_a_pipe_tells_its_format(pipe, name):
    """The formats that begin like no other need no suffix; megabytes come through whole."""
    large = build("torus:dims=40x40,hosts=1")
    found = open_network(pipe(encode(large, FORMATS.find(name)))).topology
    assert (found.links == large.links).all()


def test_a_pipe_of_another_format_needs_its_name(pipe):
    """An edge list and a cable list are any text; with the format's name they are read."""
    data = encode(TORUS, FORMATS.find("edges"))
    path = pipe(data)
    with pytest.raises(InputError, match=r"pipe: the format cannot be recognised from the content; .*--from FORMAT"):
        open_network(path)
    assert load(pipe(data), "edges").links.tolist() == TORUS.links.tolist()


@pytest.mark.parametrize("name", ["ibnetdiscover", "cables"])
def test_standard_input_of_a_named_format_keeps_names_and_ports(monkeypatch, name):
    """A fabric or a cable list through standard input is as good as from a file."""
    data = encode(TORUS, FORMATS.find(name))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    network = open_network("-", name)
    assert "fabric" in network.known
    assert (network.fabric.link_ports == planned_fabric(TORUS).link_ports).all()


@pytest.mark.parametrize("suffix", ["json", "edges", "net"])
@pytest.mark.parametrize("operation", [["hops"], ["info"], ["bounds"], ["cuts"]])
def test_a_file_name_that_is_no_utf8(tmp_path, capfd, suffix, operation):
    """It opens, and the JSON is UTF-8; where the file is missing, one sentence says so in printable letters."""
    path = os.fsdecode(os.fsencode(tmp_path) + b"/a\xff.") + suffix
    try:
        save(TORUS, path)
    except (InputError, OSError):
        pytest.skip("this file system takes only UTF-8")
    with pytest.raises(SystemExit) as left:
        main([*operation, path, "--json"])
    out, error = capfd.readouterr()
    assert (left.value.code, error) == (0, "")
    assert json.loads(out.encode())
    with pytest.raises(SystemExit) as left:
        main([*operation, path + ".gone." + suffix, "--json"])
    out, error = capfd.readouterr()
    assert (left.value.code, out) == (2, "")
    assert error.startswith("error: ")
    assert r"a\udcff." in error
    assert error.endswith(": there is no such file\n")
