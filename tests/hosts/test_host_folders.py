"""The folder of a layout with racks of hosts: read back as it was, with names, units and ports that agree."""

import csv

import pytest

from topoloom import build, open_network, place, price
from topoloom.cabling.cabling import cable
from topoloom.cabling.files import load_layout, save_cabling
from topoloom.core.errors import InputError
from topoloom.core.toml_files import parse_toml
from topoloom.placement.hosts.files import housing_toml
from topoloom.placement.hosts.housing import HostType, Housing, RackRule

HOUSING = Housing(
    host=HostType(name="node", nics=4, u=2, power_w=500, weight_kg=30), rack=RackRule(u=12, leaf="mor", row=2)
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A tree of four rails, laid out with its hosts."""
    layout = place(build("fat-tree:k=8,hosts=64+rails:nics=4"), "koibuchi-2013", housing=HOUSING)
    path = tmp_path_factory.mktemp("pod")
    save_cabling(cable(layout), path)
    return path, layout


def test_a_layout_is_read_back(folder):
    """Switches, hosts and cables stand where they stood; its bill is the same."""
    path, layout = folder
    assert load_layout(path) == layout
    opened = open_network(str(path))
    assert opened.layout == layout
    assert price(opened.layout).cost_usd == price(layout).cost_usd


def test_every_port_of_a_host_is_named_where_it_is_plugged_in(folder):
    """hosts.csv, cables.csv and labels agree; no two cables share a port."""
    path, layout = folder
    hosts = list(csv.DictReader((path / "hosts.csv").open()))
    assert [row["name"] for row in hosts] == [f"node{number:04d}" for number in range(1, 17)]
    rows = list(csv.DictReader((path / "cables.csv").open()))
    plugged = {row["b_label"].split(" ")[1]: row["a_label"] for row in rows if row["kind"] == "host"}
    assert len(plugged) == layout.topology.endpoints.size
    for row in hosts:
        ports = row["ports"].split()
        assert [plugged[f"{row['name']}:mlx5_{port}"] for port in range(4)] == ports
        assert len({port.rpartition("-")[0] for port in ports}) == 4  # a leaf for each rail
    assert {row["b_rack"] for row in rows if row["kind"] == "host"} == {row["rack"] for row in hosts}


def test_racks_say_what_they_hold(folder):
    """Units, kilowatts and weight of the hosts; the cables of all racks are all cables, counted at both ends."""
    path, layout = folder
    racks = list(csv.DictReader((path / "racks.csv").open()))
    assert sum(int(row["hosts"]) for row in racks) == 16
    inside, leaving = (sum(int(row[name]) for row in racks) for name in ("cables_inside", "cables_leaving"))
    assert 2 * inside + leaving == 2 * (len(layout.topology.links) + layout.topology.endpoints.size)
    full = next(row for row in racks if row["hosts"] == "4")
    assert (full["units"], full["weight_kg"]) == ("8", "120")


def test_a_list_of_hosts_that_is_damaged_is_told(folder, tmp_path):
    """The file and the line of a rack that the floor does not have, or of a host that is missing."""
    _, layout = folder
    other = tmp_path / "pod"
    save_cabling(cable(layout), other)
    text = (other / "hosts.csv").read_text()
    (other / "hosts.csv").write_text(text.replace("\n0,node0001,", "\n0,node0001,Z", 1))
    with pytest.raises(InputError, match=r"hosts.csv:2: the floor has no slot 'Z"):
        load_layout(other)
    (other / "hosts.csv").write_text("\n".join(text.splitlines()[:-1]))
    with pytest.raises(InputError, match="host 15 has no row"):
        load_layout(other)


def test_an_earlier_folder_loses_its_hosts(folder, tmp_path):
    """Written again without racks of hosts, the folder has no list of hosts that would be believed."""
    _, layout = folder
    other = tmp_path / "pod"
    save_cabling(cable(layout), other)
    save_cabling(cable(place(layout.topology, map="rows")), other)
    assert not (other / "hosts.csv").exists()
    assert load_layout(other).host_slot is None


@pytest.mark.parametrize("name", ['a "b" \\', "Knoten é", "node \N{ROCKET}", "x\x7f\ty"])
def test_any_name_of_a_host_is_read_back(name):
    """Quotes, control characters, and characters beyond 16 bits, which TOML does not take as two escapes."""
    housing = Housing(host=HostType(name=name, u=2))
    assert parse_toml(housing_toml(housing), Housing, "hosts.toml") == housing
