"""The opener: whatever a user names as a network is opened, or refused in one sentence."""

import csv
import gzip
import io
import os
import sys
import threading
from dataclasses import replace

import numpy as np
import pytest

from topoloom import InputError, build, cable, expand, open_network, place, save, save_cabling, save_expansion
from topoloom.core.csv_files import csv_text
from topoloom.cost.parts_files import load_parts
from topoloom.fabric.fabric import planned_fabric
from topoloom.formats import FORMATS, encode
from topoloom.model.topology import Topology

GRID = Topology([(0, 1), (1, 2), (2, 3)], 5, labels={"x": np.array([-1, 0, 1, 0, 1]), "y": np.array([0, 0, 0, 1, 1])})


def test_a_topology_argument_is_a_file_or_a_spec(tmp_path, monkeypatch):
    """On the command line a known suffix or a slash means a file, `-` standard input, anything else a spec."""
    monkeypatch.chdir(tmp_path)
    save(GRID, "net.json")
    assert open_network("net.json").topology == GRID
    assert open_network("./net.json").topology == GRID
    assert open_network("petersen").topology.switches == 10
    with pytest.raises(InputError, match=r"gone\.json: there is no such file"):
        open_network("gone.json")
    with pytest.raises(InputError, match=r"a/b: there is no such file"):
        open_network("a/b")
    with pytest.raises(InputError, match="no family, file or folder named 'no-such-thing'"):
        open_network("no-such-thing")
    stream = io.TextIOWrapper(io.BytesIO(encode(GRID, FORMATS.find("topoloom"))))
    monkeypatch.setattr(sys, "stdin", stream)
    assert open_network("-").topology == GRID


def test_a_file_called_like_a_family_does_not_hide_it(tmp_path, monkeypatch):
    """`petersen` builds the Petersen graph even where a file of that name lies."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "petersen").write_text("0 1\n")
    assert open_network("petersen").topology.switches == 10
    for pipe in ("complete", "ring:n=4"):
        os.mkfifo(tmp_path / pipe)
    assert open_network("ring:n=4").kind == "spec"
    with pytest.raises(InputError, match="complete: n= is missing"):
        open_network("complete")
    with pytest.raises(InputError, match=r"\./complete: (nobody|no program) writes (in)?to this pipe"):
        open_network("./complete")


def test_what_gzip_compressed_is_read_from_standard_input_and_from_pipes(tmp_path, monkeypatch):
    """They have no name that could say so; a file says so by its suffix, and one that does not is told to."""
    monkeypatch.chdir(tmp_path)
    packed = gzip.compress(encode(GRID, FORMATS.find("topoloom")))
    for data, told in ((packed, None), (packed[:40], "<stdin>: is not a whole gzip file; compress it again$")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        if told is None:
            assert open_network("-").topology == GRID
        else:
            with pytest.raises(InputError, match=told):
                open_network("-")
    os.mkfifo("pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(packed,))
    writer.start()
    assert open_network("pipe").topology == GRID
    writer.join()
    (tmp_path / "net.json").write_bytes(packed)
    with pytest.raises(InputError, match=r"net\.json: is compressed by gzip; end its name in \.gz$"):
        open_network("net.json")
    (tmp_path / "net.json").rename("net.json.gz")
    assert open_network("net.json.gz").topology == GRID


@pytest.mark.exhaustive
def test_a_small_file_does_not_fill_memory(monkeypatch):
    """Zeros without end in a few kilobytes are refused from standard input as from a file."""
    bomb = gzip.compress(bytes(200 << 20))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(bomb)))
    with pytest.raises(InputError, match=r"<stdin>: holds more than 64 MiB; no fabric needs that much"):
        open_network("-")


def test_a_spec_has_a_planned_fabric_and_nothing_else():
    """What a spec does not say is None; names and ports are those that topoloom plans."""
    network = open_network("slimfly:q=5,hosts=4")
    assert (network.kind, network.layout, network.cables, network.tables, network.expansion) == ("spec", *[None] * 4)
    assert network.fabric.planned
    assert network.provenance.digest == network.topology.digest
    assert set(network.labels) == {""} == set(network.racks)
    for what, told in (("layout", "where its switches stand"), ("tables", "forwarding tables")):
        with pytest.raises(InputError, match=rf"^slimfly.*: packing needs {told}; give a folder that 'topoloom \w+ -"):
            network.needs(what, "packing")


def test_a_discovered_fabric_keeps_its_names(tmp_path):
    """A .net file is a fabric with the ports and names in it."""
    fabric = replace(planned_fabric(build("petersen:hosts=2")), switch_names=tuple(f"leaf{i}" for i in range(10)))
    from topoloom.fabric.net_text import net_text

    (tmp_path / "found.net").write_text(net_text(fabric.topology).replace("S0", "leaf0"))
    network = open_network(tmp_path / "found.net")
    assert network.kind == "fabric"
    assert "leaf0" in network.fabric.switch_names


def test_a_folder_of_a_layout_is_the_layout(tmp_path):
    """The folder, or the cable list in it: topology, layout, plugs, labels and cable numbers."""
    layout = place(build("slimfly:q=5,hosts=4"))
    save_cabling(cable(layout), tmp_path)
    for source in (tmp_path, tmp_path / "cables.csv"):
        network = open_network(source)
        assert network.kind == "folder"
        assert network.topology == layout.topology
        assert network.needs("layout", "x") == layout
        assert network.labels[0].endswith("-U01")
        assert sorted(map(int, set(network.cable_numbers.values()))) == list(range(1, 176))
        assert network.plugs is not None
        assert (network.fabric.link_ports == layout.topology.link_ports).all()


def test_a_label_with_semicolons_is_a_label(tmp_path):
    """What stands in quotes separates nothing, whoever reads the list."""
    layout = place(build("petersen"))
    save_cabling(cable(layout), tmp_path)
    path = tmp_path / "cables.csv"
    rows = list(csv.reader(io.StringIO(path.read_text())))
    column = rows[0].index("a_label")
    for row in rows[1:]:
        row[column] = f"{row[column]};;;;;;;;;;;;;;;;;;;;;;;;;"
    path.write_text(csv_text(rows[0], rows[1:]))
    network = open_network(tmp_path)
    assert network.topology == layout.topology
    assert network.labels[0].endswith(";;;")


def test_a_folder_of_a_plan_is_what_stands(tmp_path):
    """The folder of `expand` opens as what stands before, with the plan; its folders before and after as what they hold."""
    plan = expand(place(build("dsn-f:n=24")), 32, parts=load_parts("slimfly-2014"))
    save_expansion(plan, tmp_path / "plan")
    assert open_network(tmp_path / "plan").topology == plan.before.layout.topology
    assert open_network(tmp_path / "plan").needs("expansion", "growing").record() == plan.record()
    with pytest.raises(
        InputError, match="growing needs a plan of how it grows; give a folder that 'topoloom expand -o'"
    ):
        open_network(tmp_path / "plan" / "before").needs("expansion", "growing")
    assert open_network(tmp_path / "plan" / "before").topology == plan.before.layout.topology
    after = open_network(tmp_path / "plan" / "after")
    assert after.topology == plan.topology
    ends, ports, links = plan.after.ends, plan.after.port, ~plan.after.to_host
    plugs = {*zip(ends[:, 0], ports[:, 0], strict=True), *zip(ends[links, 1], ports[links, 1], strict=True)}
    assert set(after.cable_numbers) == plugs


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({}, "the folder holds no network; topoloom layout, expand, route and design write folders that do"),
        ({"cables.csv": "x"}, r"holds no cables\.csv with its floor\.toml"),
        ({"design.json": "{}"}, "this design has no winner"),
        ({"ports.npy": ""}, r"holds tables, but no topology\.json"),
        ({"plan.csv": ""}, r"needs before/cables\.csv"),
        ({"provenance.json": '{"version": 99}'}, r"of version 99; topoloom .* reads up to 2"),
        ({"provenance.json": "[]"}, "is no note of a network folder"),
    ],
)
def test_folders_that_hold_no_network(tmp_path, files, reason):
    """Each is one sentence that says what is missing."""
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=reason):
        open_network(tmp_path)


def test_a_folder_called_like_a_family_does_not_hide_it(tmp_path, monkeypatch):
    """Unless it holds a network."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "petersen").mkdir()
    assert open_network("petersen").kind == "spec"
    save(GRID, "petersen/topology.json")
    assert open_network("petersen").topology == GRID


@pytest.mark.parametrize("wrong", [3, None, GRID, b"x"])
def test_wrong_types_are_one_sentence(wrong):
    """What is no name of a network is told so."""
    with pytest.raises(InputError, match="open_network takes a str or a PathLike"):
        open_network(wrong)
