"""Hosts as built: cages take modules, ports have the names of their devices, and a dead module takes what shares its cage."""

import math

import pytest

from topoloom import build, place, price
from topoloom.cabling.cabling import cable
from topoloom.cabling.labels import label
from topoloom.cabling.lists import cables_csv
from topoloom.cabling.netbox import netbox_files
from topoloom.core.errors import InputError
from topoloom.cost.parts_files import load_parts
from topoloom.cost.servers import housing_of
from topoloom.placement.hosts.files import housing_toml
from topoloom.placement.hosts.housing import HostType, Housing, OtherPort, RackRule, read_housing
from topoloom.placement.hosts.ports import host_ports_as_built, port_names

#: The devices of the compute ports of a DGX H100, by rail (user guide, table of network modules).
H100 = ["mlx5_0", "mlx5_3", "mlx5_4", "mlx5_5", "mlx5_6", "mlx5_9", "mlx5_10", "mlx5_11"]


def bill_of(spec, host, parts, rate):
    """The modules and links of a network with hosts in racks."""
    layout = place(build(spec), "koibuchi-2013", housing=housing_of(Housing(host=host), load_parts(parts)), map="rows")
    return {line.item: line.count for line in price(layout, load_parts(parts), rate).lines}


def test_two_planes_share_the_cage_of_an_interface():
    """256 hosts of 8 x 2 ports have 2,048 cages: port 1 of each interface is in plane 0, port 2 in plane 1."""
    topology = build("fat-tree:hosts=2048,k=64+rails:nics=8+planes:count=2")
    ports = host_ports_as_built(topology, Housing(host=HostType(nics=8, ports=2)))
    assert (topology.hosts, ports.cages, ports.kinds[0].cage_ports) == (256, 8, 2)
    plane = topology.labels["plane"][topology.endpoints]
    assert (ports.number % 2 == plane).all()
    assert len(set(ports.cage_of_all(topology.host).tolist())) == 2_048


def test_a_module_takes_the_rails_that_share_its_cage():
    """DGX H100: OSFP1 has mlx5_11 and mlx5_6, OSFP2 mlx5_10 and mlx5_9, OSFP3 mlx5_4 and mlx5_3, OSFP4 mlx5_5 and mlx5_0."""
    host = housing_of("DGX H100", load_parts("infiniband-2026")).host
    ports = host_ports_as_built(build("fat-tree:hosts=1016,k=64+rails:nics=8"), Housing(host=host))
    assert [set(pair) for pair in ports.sharing()] == [
        {"mlx5_11", "mlx5_6"},
        {"mlx5_10", "mlx5_9"},
        {"mlx5_4", "mlx5_3"},
        {"mlx5_5", "mlx5_0"},
    ]


def test_a_cage_in_part_in_use_has_its_module_all_the_same():
    """Rails 0 to 3 of a host with the cages of a DGX H100 are in four cages, so four twin-port modules."""
    host = HostType(nics=4, u=8, cages=((0,), (1,), (2,), (3,)), connector="OSFP flat")
    counts = bill_of("fat-tree:hosts=64,k=16+rails:nics=4", host, "infiniband-2026", 400)
    assert sum(count for item, count in counts.items() if item.startswith("host cable")) == 64
    twin = HostType(nics=8, ports=1, u=8, cages=((0, 1), (2, 3), (4, 5), (6, 7)), connector="OSFP flat")
    topology = build("fat-tree:hosts=64,k=16+rails:nics=8")
    assert host_ports_as_built(topology, Housing(host=twin)).cages == 4


def test_ports_have_the_names_of_their_devices():
    """In cable lists, labels and NetBox: rail 1 of a DGX H100 is mlx5_3, where counting would say mlx5_1."""
    parts = load_parts("infiniband-2026")
    layout = place(build("fat-tree:hosts=64,k=16+rails:nics=8"), "koibuchi-2013", housing=housing_of("DGX H100", parts))
    assert port_names(layout.topology, layout.housing) == [H100] * 8
    cabling = cable(layout, parts, 400)
    labels = label(cabling)
    assert labels.host_end(0, 2) == "node0001:mlx5_3"
    assert "-U25 node0008:mlx5_11," in cables_csv(cabling, labels)
    netbox = netbox_files(cabling, labels)
    assert "node0001,mlx5_11," in netbox["interfaces.csv"]
    assert ",node0008,dcim.interface,mlx5_10," in netbox["cables.csv"]
    assert "mlx5_1," not in netbox["cables.csv"]  # a port for storage


def test_a_description_is_read_back_whole(tmp_path):
    """Cages, devices and other ports are in hosts.toml, in the syntax of TOML."""
    housing = Housing(
        host=HostType(
            name='a "host"',
            nics=2,
            u=2,
            cages=((1, 0),),
            connector="OSFP flat",
            devices=("a", "b"),
            other_ports=(OtherPort(use="storage", device="c", rate_gbps=200), OtherPort(use="BMC", connector="RJ45")),
        ),
        rack=RackRule(u=48),
    )
    path = tmp_path / "hosts.toml"
    path.write_text(housing_toml(housing))
    assert read_housing(path) == housing


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("cages = [[0, 1], [1, 2]]", "cages: name each port once, numbered from 0"),
        ("cages = [[1, 2]]", "cages: name each port once"),
        ("cages = [[0], []]", "a cage without ports"),
        ("nics = 4\ncages = [[0, 1]]", r"they have 2 ports, but the host has 4 \(4 x 1\)"),
        ("devices = ['a', 'a']", "two interfaces have the same name"),
        ("nics = 3\ndevices = ['a', 'b']", "2 names for 3 interfaces"),
        ("connector = 'OSFP'", "connector.*it is one of"),
        ("other_ports = [{ device = 'a' }]", "use"),
    ],
)
def test_what_a_description_may_not_say(tmp_path, text, words):
    """One sentence with the file and the line."""
    path = tmp_path / "hosts.toml"
    path.write_text(f"[host]\n{text}\n")
    with pytest.raises(InputError, match=words) as caught:
        read_housing(path)
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize(
    ("host", "words"),
    [
        (HostType(cages=((0, 1),)), "those of 'host' have 2 ports, but its hosts have 8 on this network"),
        (HostType(devices=("a",)), "'host' has 1 names, but its hosts have 8 ports on this network"),
    ],
)
def test_a_network_with_more_ports_than_the_host_is_refused(host, words):
    """The numbers of both are in the sentence."""
    with pytest.raises(InputError, match=words):
        host_ports_as_built(build("fat-tree:hosts=64,k=16+rails:nics=8"), Housing(host=host))


def test_cages_that_no_cable_fits_are_refused():
    """QSFP28 hosts on a catalogue of OSFP modules: one sentence that names the cages."""
    parts = load_parts("infiniband-2026")
    housing = Housing(host=HostType(nics=8, u=8, connector="QSFP28"))
    layout = place(build("fat-tree:hosts=64,k=16+rails:nics=8"), "koibuchi-2013", housing=housing)
    with pytest.raises(InputError, match="fits hosts with QSFP28 cages"):
        price(layout, parts, 400)


def test_the_other_interfaces_of_a_server_keep_their_cages():
    """A host with other numbers of interfaces than its server has none of its cages and names; what it says stays."""
    parts = load_parts("infiniband-2026")
    half = housing_of(Housing(host=HostType(name="DGX H100", nics=4)), parts).host
    assert (half.cages, half.devices, half.u) == ((), (), 8)
    whole = housing_of(Housing(host=HostType(name="DGX H100", u=9)), parts).host
    assert (len(whole.cages), len(whole.devices), whole.u, whole.connector) == (4, 8, 9, "OSFP flat")
    assert math.isclose(whole.weight_kg, 130.45)
