"""The folder of a routing: the command and Python write the same, and what is known of the fabric stays."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from tiers import examples
from topoloom import InputError, Routing, Topology, build, expand, open_network, place, route, save, save_expansion
from topoloom.cli.main import cli
from topoloom.fabric.fabric import planned_fabric
from topoloom.fabric.net_text import discovered_text
from topoloom.network.folder import save_routing

ARRAYS = ("switch_guids", "switch_ports", "host_guids", "host_sizes", "port_guids", "link_ports", "endpoint_ports")
ARRAYS += ("host_ports", "switch_lids", "port_lids", "switch_lmc", "port_lmc", "loops")


def _run(*arguments):
    result = CliRunner().invoke(cli, arguments, catch_exceptions=False, standalone_mode=False)
    if result.exception is not None:
        raise result.exception


def _files(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()}


def _same_fabric(one, other):
    assert one.topology == other.topology
    assert (one.switch_names, one.host_names) == (other.switch_names, other.host_names)
    for name in ARRAYS:
        assert np.array_equal(getattr(one, name), getattr(other, name)), name


def _real(topology, random):
    """The fabric of a topology with names, GUIDs, addresses and ports of its own."""
    planned, n = planned_fabric(topology), topology.switches
    most = int(planned.switch_ports.max()) + 5
    ports = {s: random.permutation(most) + 1 for s in range(n)}
    # The endpoints at a switch are in the order of their ports.
    used = {s: np.sort(ports[s][: topology.endpoints_at[s]]) for s in range(n)}
    place_of = {s: np.concatenate([[0], used[s], ports[s][topology.endpoints_at[s] :]]) for s in range(n)}
    ends = zip(topology.links.tolist(), planned.link_ports.tolist(), strict=True)
    link_ports = np.array([[place_of[u][p], place_of[v][q]] for (u, v), (p, q) in ends])
    # Parallel cables are in the order of their ports.
    link_ports = link_ports[np.lexsort((link_ports[:, 0], topology.links[:, 1], topology.links[:, 0]))]
    endpoint_ports = [place_of[s][p] for s, p in zip(topology.endpoints.tolist(), planned.endpoint_ports, strict=True)]
    return replace(
        planned,
        switch_names=tuple(f'leaf "{s}" of row' for s in range(n)),
        switch_guids=np.arange(n, dtype=np.uint64) + np.uint64(0xFFFF000000000000),
        switch_ports=np.full(n, most, np.int32),
        host_names=tuple(f"node{h} mlx5_0" for h in range(topology.hosts)),
        link_ports=link_ports.astype(np.int32),
        endpoint_ports=np.array(endpoint_ports, np.int32),
        switch_lids=np.arange(1, n + 1, dtype=np.int32),
        port_lids=np.arange(n + 1, n + 1 + topology.endpoints.size, dtype=np.int32) * 4,
        port_lmc=np.full(topology.endpoints.size, 2, np.int32),
        made="found.net",
    )


def test_the_command_and_python_write_the_same_folder(tmp_path):
    """Every file, byte by byte, of the same tables: the network, its note and the tables."""
    _run("route", "slimfly:q=5,hosts=2", "--engine", "dfsssp-switches", "-o", str(tmp_path / "command"))
    Routing.load(tmp_path / "command").save(tmp_path / "python")
    found = _files(tmp_path / "command")
    assert {"topology.json", "provenance.json", "tables/tables.json", "tables/ports.npy"} <= found.keys()
    assert found == _files(tmp_path / "python")
    assert open_network(tmp_path / "python").topology == build("slimfly:q=5,hosts=2")


@settings(max_examples=examples(20), deadline=None)
@given(st.integers(0, 1 << 30))
def test_names_and_ports_of_a_real_fabric_stay(tmp_path_factory, seed):
    """What a fabric is really called and cabled like is read back from the folder, whatever the numbers of its ports."""
    random, folder = np.random.default_rng(seed), tmp_path_factory.mktemp("net")
    links = [(i, (i + 1) % 5) for i in range(5)] + [tuple(random.choice(5, 2, replace=False)) for _ in range(3)]
    host = np.unique(random.integers(0, 5, 7), return_inverse=True)[1]
    fabric = _real(Topology(links, 5, random.integers(0, 5, 7), host), random)
    save_routing(route(fabric.topology), folder, fabric)
    _same_fabric(open_network(folder).fabric, fabric)


def test_a_discovered_fabric_goes_through_a_folder(tmp_path):
    """Exports of the folder are those of the fabric: tables in the ports that cables are really in."""
    fabric = _real(build("torus:dims=3x3,hosts=2"), np.random.default_rng(3))
    (tmp_path / "found.net").write_text(discovered_text(fabric))
    _run("route", str(tmp_path / "found.net"), "-o", str(tmp_path / "net"))
    _run("export", str(tmp_path / "found.net"), "opensm", "-o", str(tmp_path / "wanted"))
    _run("export", str(tmp_path / "net"), "opensm", "-o", str(tmp_path / "found"))
    assert _files(tmp_path / "found") == _files(tmp_path / "wanted")
    assert "node0 mlx5_0" in open_network(tmp_path / "net").fabric.host_names


def test_a_planned_network_says_nothing_of_its_cabling(tmp_path):
    """Names and ports that topoloom plans stand nowhere twice; those of an earlier network are gone."""
    fabric = _real(build("torus:dims=3x3,hosts=2"), np.random.default_rng(3))
    routed = route(fabric.topology)
    save_routing(routed, tmp_path / "net", fabric)
    routed.save(tmp_path / "net")
    assert open_network(tmp_path / "net").fabric.host_names[0] == "node0 mlx5_0"  # the same network: known still
    route(build("ring:n=5")).save(tmp_path / "net")
    assert not (tmp_path / "net" / "cabled.net").exists()
    save_routing(routed, tmp_path / "net", planned_fabric(fabric.topology))
    assert not (tmp_path / "net" / "cabled.net").exists()


def test_ports_of_a_cable_list_stay(tmp_path):
    """A list whose ports are not topoloom's, on switches with more ports than are used."""
    save(build("ring:n=4,hosts=1"), tmp_path / "net.csv")
    lines = (tmp_path / "net.csv").read_text().splitlines()
    column = lines[0].split(",").index("a_port")
    rows = [line.split(",") for line in lines]
    for row in rows[1:5]:
        row[column] = str(int(row[column]) + 7)
    (tmp_path / "net.csv").write_text("\n".join(map(",".join, rows)) + "\n")
    listed = open_network(tmp_path / "net.csv").fabric
    assert listed.link_ports.max() > 7
    assert (listed.switch_ports[listed.topology.links] >= listed.link_ports).all()
    _run("route", str(tmp_path / "net.csv"), "-o", str(tmp_path / "net"))
    _same_fabric(open_network(tmp_path / "net").fabric, listed)


def test_cabling_of_another_network_is_one_sentence(tmp_path):
    """The file was put there by hand, or the network beside it was changed."""
    route(build("ring:n=5,hosts=1")).save(tmp_path / "net")
    other = _real(build("ring:n=6,hosts=1"), np.random.default_rng(1))
    (tmp_path / "net" / "cabled.net").write_text(discovered_text(other))
    network = open_network(tmp_path / "net")
    with pytest.raises(
        InputError, match=r"cabled\.net: is of another network than ring.*; remove it, or route the fabric again"
    ):
        _ = network.fabric


def test_tables_are_added_to_what_is_there(tmp_path):
    """To the folder of a plan those of what stands before; those of another network are refused, and nothing is written."""
    plan = expand(place(build("dsn-f:n=24")), 32)
    save_expansion(plan, tmp_path / "plan")
    before = _files(tmp_path / "plan")
    routed = route(plan.before.layout.topology)
    routed.save(tmp_path / "plan")
    found = _files(tmp_path / "plan")
    assert {name for name in found if found[name] != before.get(name)} == {
        name for name in found if name[:7] == "tables/"
    }
    assert (open_network(tmp_path / "plan").tables.ports == routed.ports).all()
    with pytest.raises(InputError, match=r"the folder is of another network, .*; choose another folder"):
        route(build("ring:n=5")).save(tmp_path / "plan")
    assert _files(tmp_path / "plan") == found
