"""NetBox files of real products: makers, part numbers, plugs, fibres, and the same units as labels, lists and elevations."""

import csv
import io
import re

import pytest

from netbox_import import INTERFACE_CHOICES, imported
from topoloom import cable
from topoloom.cabling.elevations import elevation_files
from topoloom.cabling.labels import label
from topoloom.cabling.lists import cables_csv, host_list
from topoloom.cabling.netbox import netbox_files
from topoloom.cabling.netbox_choices import (
    INTERFACE_TYPES,
    cable_type,
    host_interface_type,
    interface_type,
    native_type,
)
from topoloom.cost.parts_files import load_parts
from topoloom.network.opening import open_network
from topoloom.placement.hosts.housing import HostType, Housing, RackRule
from topoloom.placement.hosts.rack_device import RackDevice
from topoloom.placement.layout.contents import rack_contents, rack_types

NVL72 = Housing(
    host=HostType(name="GB200 tray", nics=4, u=1, power_w=6_660, scale_up=72),
    rack=RackRule(
        u=48,
        unit_hosts=18,
        load_kg=None,
        empty_kg=180,
        device=(
            RackDevice("power shelf", count=4, hosts_below=0, power_w=0),
            RackDevice("NVLink switch tray", count=9, hosts_below=8, power_w=0, vendor="NVIDIA"),
            RackDevice("power shelf", count=4, power_w=0),
            RackDevice("SN2201", count=2, power_w=0, weight_kg=7.41, vendor="NVIDIA"),
        ),
    ),
)
CASES = {
    "H100": (
        "fat-tree:hosts=256,k=64+rails:nics=8",
        {"hosts": Housing(HostType(name="DGX H100"), RackRule(u=48, leaf="mor")), "parts": "infiniband-2026"},
    ),
    "NVL72": ("fat-tree:hosts=576,k=64,leaf=18:18+rails:nics=4", {"hosts": NVL72, "parts": "infiniband-2026"}),
    "SN5600": ("complete:n=4,hosts=80", {"parts": "ethernet-2026", "hosts": Housing(HostType(u=2), RackRule(u=42))}),
    "no racks of hosts": ("complete:n=4,hosts=80", {"parts": "ethernet-2026"}),
}


@pytest.fixture(params=CASES, scope="module")
def done(request):
    """A cabling of one of the cases."""
    spec, placing = CASES[request.param]
    rate = 400
    network = open_network(spec).placed("koibuchi-2013", map="rows", rate_gbps=rate, **placing)
    return cable(network, host_cables=True)


def plain(files):
    """The files of the bulk import, without those of cables of several links."""
    return {name: text for name, text in files.items() if "/" not in name and name.endswith(".csv")}


def test_netbox_would_import_the_products(done):
    """Every rule of the import holds; switches have the maker, the model and the height of the catalogue."""
    tables = imported(plain(netbox_files(done, label(done))))
    product = done.bought.parts.switch_product(done.layout.topology.radix, done.rate_gbps)
    kinds = {row["model"]: row for row in tables["device-types.csv"]}
    assert kinds[product.name]["manufacturer"] == product.vendor
    assert kinds[product.name]["part_number"] == product.part_number
    assert float(kinds[product.name]["u_height"]) == (product.u or 1)
    if product.weight_kg:
        assert float(kinds[product.name]["weight"]) == product.weight_kg
    assert {row["type"] for row in tables["interfaces.csv"]} & {"infiniband-ndr", "400gbase-x-osfp"}


def test_units_are_the_same_everywhere(done):
    """Labels, the cable list, the host list, NetBox and the elevations have one unit for each device."""
    layout, labels = done.layout, label(done)
    devices = imported(plain(netbox_files(done, labels)))["devices.csv"]
    netbox = {row["name"]: (row["rack"], row["position"]) for row in devices}
    for switch, text in enumerate(labels.switch):
        rack, unit = netbox[f"S{switch}"]
        assert text == f"{rack}-U{int(unit):02d}"
    for row in csv.DictReader(io.StringIO(cables_csv(done, labels))):
        assert (row["a_rack"], row["a_height"]) == netbox[f"S{row['a_switch']}"]
    if layout.housing is not None:
        for row in csv.DictReader(io.StringIO(host_list(done, labels))):
            assert (row["rack"], row["unit"]) == netbox[row["name"]]
    files = elevation_files(done)
    for rack_type in rack_types(layout):
        picture = files[f"elevations/{rack_type.name.replace(' ', '-')}.svg"]
        drawn = {name: unit for unit, name in re.findall(r"<title>U([0-9.]+): (.*?) · ", picture)}
        standing = [device for device in rack_contents(layout, rack_type.racks[0]) if device.unit is not None]
        assert len(drawn) == len(standing)
        for device in standing:
            assert netbox[device.name] == (layout.rack_names[rack_type.racks[0]], drawn[device.name])


def test_the_page_counts_every_rack_once(done):
    """The types' racks are all racks; the page has each picture."""
    types = rack_types(done.layout)
    assert sorted(rack for rack_type in types for rack in rack_type.racks) == list(range(done.layout.racks))
    page = elevation_files(done)["elevations.html"]
    assert page.count("<svg ") == len(types)
    for rack_type in types:
        assert f"{rack_type.name}: {len(rack_type.racks)} rack" in page


def test_a_name_is_text_in_a_picture():
    """A host's name with markup is escaped."""
    housing = Housing(HostType(name="<script>x</script>", u=1), RackRule(u=42))
    network = open_network("complete:n=2,hosts=2").placed("koibuchi-2013", map="rows", hosts=housing)
    files = elevation_files(cable(network))
    assert all("<script>" not in text for text in files.values())


def test_cables_have_the_fibre_of_their_product():
    """OM4 is mmf-om4, OS2 is smf-os2; copper is dac, a cable with its optics is aoc."""
    kinds = {product.title: cable_type(product) for product in load_parts("infiniband-2026").cable}
    assert kinds["MPO-12 OM4"] == "mmf-om4"
    assert kinds["MPO-12 OS2"] == "smf-os2"
    assert kinds["MCP4Y10"] == "dac-passive"
    assert kinds["LACC, 2 x 400G"] == "dac-active"
    assert kinds["AOC, 200G"] == "aoc"


def test_interfaces_have_the_plug_and_the_rate():
    """A lower rate has its own type where NetBox has one; all types are NetBox's."""
    assert INTERFACE_TYPES <= INTERFACE_CHOICES
    assert interface_type("400gbase-x-qsfpdd", 200) == "200gbase-x-qsfpdd"
    assert interface_type("infiniband-ndr", 200) == "infiniband-ndr"
    assert interface_type("", 400) == "other"
    assert host_interface_type("800gbase-x-osfp", "OSFP flat", 400) == "400gbase-x-osfp-rhs"
    assert host_interface_type("800gbase-x-osfp", "OSFP flat", 800) == "800gbase-x-osfp"
    assert host_interface_type("infiniband-ndr", "OSFP flat", 400) == "infiniband-ndr"
    assert host_interface_type("800gbase-x-osfp", None, 400) == "other"
    kinds = {}
    for name in ("infiniband-2026", "ethernet-2026"):
        for product in load_parts(name).switch.product:
            kinds[product.name] = native_type(product, infiniband=name.startswith("infiniband"))
    assert set(kinds.values()) <= {"", *INTERFACE_CHOICES}
    assert kinds["SN5400"] == kinds["AS9716-32D"] == "400gbase-x-qsfpdd"
    assert kinds["AS9817-64O"] == kinds["SN5610"] == "800gbase-x-osfp"
    assert kinds["Q3401-RD"] == kinds["Q3450-LD"] == "infiniband-xdr"
    assert (kinds["SN6600"], kinds["SN6600-LD"]) == ("1.6tbase-x-osfp1600", "1.6tbase-x-osfp1600-rhs")
    (management,) = [sold for sold in load_parts("ethernet-2026").switch.product if sold.name == "SN2201"]
    by_rate = [native_type(management, infiniband=False, rate_gbps=rate) for rate in (1, 40, 100)]
    assert by_rate == ["1000base-t", "100gbase-x-qsfp28", "100gbase-x-qsfp28"]
    # The shape of the cages is not known; co-packaged optics have none.
    assert kinds["8122-64EH"] == kinds["SN6810-LD"] == ""
