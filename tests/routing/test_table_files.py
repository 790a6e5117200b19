"""Tables in folders: what is written is read back, whole, and what is damaged is one sentence."""

import json

import numpy as np
import pytest

from topoloom import InputError, Routing, build, open_network, route
from topoloom.network.folder import save_routing
from topoloom.routing.choices import Detour, Layers
from topoloom.routing.table_files import load_tables


def _same(one, other):
    assert one.topology == other.topology
    assert (one.engine, one.virtual_channel_rule, one.minimal, one.packets_choose) == (
        other.engine,
        other.virtual_channel_rule,
        other.minimal,
        other.packets_choose,
    )
    assert (one.ports == other.ports).all()
    assert (one.virtual_channels is None) == (other.virtual_channels is None)
    assert one.virtual_channels is None or (one.virtual_channels == other.virtual_channels).all()
    assert one.record() == other.record()
    assert (one.verification.channel_load == other.verification.channel_load).all()
    assert (one.verification.switch_load == other.verification.switch_load).all()


@pytest.mark.parametrize(
    ("spec", "engine"),
    [
        ("slimfly:q=5,hosts=2", "orders"),
        ("torus:dims=4x4", "minimal"),
        ("torus:dims=4x4", "dor-random"),
        ("torus:dims=4x4", "duato"),
        ("dragonfly:h=2", "ugal-l"),
        ("fat-tree:k=4", "anca"),
        ("slimfly:q=5", "lnmp"),
    ],
)
def test_tables_come_back_as_they_were(spec, engine, tmp_path):
    """Network, tables, virtual channels, what packets may choose, verdict and provenance, of any engine."""
    routing = route(build(spec), engine)
    routing.save(tmp_path / "net")
    again = Routing.load(tmp_path / "net")
    _same(again, routing)
    if isinstance(routing.choice, Layers):
        pairs = zip(again.choice.ports, routing.choice.ports, strict=True)
        assert all((one == other).all() for one, other in pairs)
    if isinstance(routing.choice, Detour):
        assert (again.choice.group == routing.choice.group).all()


def test_nothing_of_earlier_tables_is_left(tmp_path):
    """Tables without virtual channels over tables with layers: no file of the first stays."""
    save_routing(route(build("torus:dims=4x4"), "dor-random"), tmp_path / "net")
    routing = route(build("torus:dims=4x4"), "minimal")
    files = save_routing(routing, tmp_path / "net")
    assert sorted(files) == sorted(path for path in (tmp_path / "net").rglob("*") if path.is_file())
    _same(load_tables(tmp_path / "net"), routing)


def test_tables_made_in_files_are_a_folder_like_any_other(tmp_path):
    """What `route` kept in a folder is saved where it lies, and read back."""
    folder = tmp_path / "net"
    folder.mkdir()
    routing = route(build("jellyfish:n=200,degree=6"), virtual_channels=3, folder=str(folder))
    ports = np.array(routing.ports)
    with pytest.raises(InputError, match=r"tables\.json cannot be read"):
        load_tables(folder)  # without its manifest a folder holds no whole tables
    save_routing(routing, folder)
    _same(load_tables(folder), routing)
    assert (load_tables(folder).ports == ports).all()


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("tables.json", b"{", "is no JSON"),
        ("tables.json", b"[]", "is no record of topoloom; expected topoloom/tables/2"),
        ("tables.json", b'{"schema": "topoloom/tables/9"}', "is topoloom/tables/9; expected topoloom/tables/2"),
        ("ports.npy", b"no array", "is damaged"),
        ("ports.npy", None, "cannot be read"),
        ("network.npz", b"PK", "is damaged"),
    ],
)
def test_what_is_damaged_is_one_sentence(file, content, message, tmp_path):
    """The sentence names the file."""
    save_routing(route(build("petersen")), tmp_path)
    path = tmp_path / "tables" / file
    path.unlink() if content is None else path.write_bytes(content)
    with pytest.raises(InputError, match=rf"{file}.*{message}"):
        load_tables(tmp_path)


def test_ports_that_a_switch_does_not_have_are_refused(tmp_path):
    """Kernels would look past the ends of arrays."""
    save_routing(route(build("petersen")), tmp_path)
    ports = np.load(tmp_path / "tables" / "ports.npy")
    ports[3, 4] = 3
    np.save(tmp_path / "tables" / "ports.npy", ports)
    with pytest.raises(InputError, match="a port that its switch of petersen does not have"):
        load_tables(tmp_path)


def test_tables_of_another_network_are_refused(tmp_path):
    """The opener gives the network that lies beside the tables."""
    save_routing(route(build("petersen")), tmp_path)
    with pytest.raises(InputError, match="the tables are of petersen; they are not of ring"):
        load_tables(tmp_path, build("ring:n=10"))
    manifest = tmp_path / "tables" / "tables.json"
    manifest.write_text(manifest.read_text().replace(build("petersen").digest, "0" * 64))
    with pytest.raises(InputError, match="the network beside them has changed"):
        load_tables(tmp_path)


def test_a_folder_of_route_is_opened_with_its_tables(tmp_path, monkeypatch):
    """`topoloom route -o` writes a network folder: the opener finds the network and its tables."""
    from click.testing import CliRunner

    from topoloom.cli.commands import route as command

    monkeypatch.chdir(tmp_path)
    for option in ("-o", "--on-disk"):
        made = CliRunner().invoke(
            command.command,
            ["jellyfish:n=80,degree=5,hosts=2", "--virtual-channels", "3", option, "net", "--json"],
            catch_exceptions=False,
        )
        network = open_network("net")
        assert network.topology == build("jellyfish:n=80,degree=5,hosts=2")
        assert (
            network.tables.verification.virtual_channels_used
            == json.loads(made.stdout)["verification"]["virtual_channels_used"]
        )
        assert (
            network.tables.ports == route(network.topology, virtual_channels=3).ports
        ).all() or option == "--on-disk"


@pytest.mark.parametrize("name", ["ports", "virtual_channels", "channel_load", "ports_2"])
def test_a_changed_array_beside_an_old_verdict_is_noticed(name, tmp_path):
    """Entries that a switch could have, but that nobody followed: one sentence that names the file."""
    save_routing(route(build("torus:dims=4x4"), "dor-random" if name == "ports_2" else "orders"), tmp_path)
    path = tmp_path / "tables" / f"{name}.npy"
    array = np.load(path)
    array[3] = np.roll(array[3], 1) if name.startswith("ports") else array[3] + 1
    np.save(path, array)
    with pytest.raises(InputError, match=rf"{name}\.npy: has changed since .*; route the network again$"):
        load_tables(tmp_path)


def test_tables_of_before_arrays_were_noted_are_read(tmp_path):
    """A record without digests is believed, as it was."""
    routing = route(build("petersen"))
    save_routing(routing, tmp_path)
    path = tmp_path / "tables" / "tables.json"
    record = json.loads(path.read_text())
    assert record.pop("arrays").keys() >= {"ports", "channel_load", "switch_load"}
    path.write_text(json.dumps(record))
    _same(load_tables(tmp_path), routing)
