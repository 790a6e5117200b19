"""The NetBox files, read again by the rules of NetBox's bulk import.

The rules below were read in NetBox 4.6.8 (and hold in 4.0): github.com/netbox-community/netbox,
netbox/dcim/forms/bulk_import.py (columns, required ones, what refers to what), netbox/dcim/choices.py (words),
netbox/dcim/models (lengths, uniqueness, racks, cables), netbox/utilities/forms (how a CSV file is read).
"""

import csv
import io
import json
import re
from collections import Counter

import numpy as np
import pytest
from cabling_cases import FABRIC, odd_floor, stand

from topoloom import build, place
from topoloom.cabling.cabling import cable
from topoloom.cabling.labels import label
from topoloom.cabling.netbox import netbox_files
from topoloom.cabling.netbox_breakouts import carriers
from topoloom.cost.parts_files import load_parts
from topoloom.model.topology import Topology
from topoloom.placement.layout.layout import Layout

PLANNED = {"planned", "active", "staged", "connected", "decommissioning"}
#: Of each file: the columns that must be there and filled; others that may be.
COLUMNS = {
    "sites.csv": ({"name", "slug", "status"}, {"region", "facility", "description"}),
    "manufacturers.csv": ({"name", "slug"}, {"description"}),
    "device-roles.csv": ({"name", "slug", "color"}, {"vm_role", "description"}),
    "device-types.csv": (
        {"manufacturer", "model", "slug", "u_height"},
        {"part_number", "is_full_depth", "weight", "weight_unit", "airflow"},
    ),
    "racks.csv": (
        {"site", "name", "status"},
        {"width", "u_height", "form_factor", "role", "location", "weight", "max_weight", "weight_unit", "description"},
    ),
    "devices.csv": (
        {"role", "manufacturer", "device_type", "status", "site"},
        {"name", "rack", "position", "face", "location", "tenant"},
    ),
    "interfaces.csv": ({"device", "name", "type"}, {"label", "speed", "duplex", "enabled", "mtu", "description"}),
    "cables.csv": (
        {"side_a_type", "side_a_name", "side_b_type", "side_b_name"},
        {
            "side_a_device",
            "side_b_device",
            "type",
            "status",
            "label",
            "color",
            "length",
            "length_unit",
            "tenant",
            "tags",
        },
    ),
}
#: netbox/dcim/choices.py, InterfaceTypeChoices of 4.6.8: pluggable Ethernet from 1 Gb/s on, InfiniBand, and the rest.
INTERFACE_CHOICES = {
    "other",
    *("1000base-t", "1000base-x-sfp", "10gbase-x-sfpp", "25gbase-x-sfp28", "50gbase-x-sfp56", "40gbase-x-qsfpp"),
    *("50gbase-x-sfp28", "100gbase-x-cfp", "100gbase-x-sfp112", "100gbase-x-sfpdd", "100gbase-x-qsfp28"),
    *("100gbase-x-qsfpdd", "200gbase-x-qsfp56", "200gbase-x-qsfpdd", "400gbase-x-qsfp112", "400gbase-x-qsfpdd"),
    *("400gbase-x-osfp", "400gbase-x-osfp-rhs", "800gbase-x-qsfpdd", "800gbase-x-osfp"),
    *("1.6tbase-x-osfp1600", "1.6tbase-x-osfp1600-rhs", "1.6tbase-x-qsfpdd1600"),
    *(f"infiniband-{rate}" for rate in ("sdr", "ddr", "qdr", "fdr10", "fdr", "edr", "hdr", "ndr", "xdr")),
}
CABLE_TYPES = {"", "dac-active", "dac-passive", "mmf", "mmf-om3", "mmf-om4", "smf", "smf-os2", "aoc", "cat6", "cat8"}
SLUG = re.compile(r"[-a-zA-Z0-9_]{1,100}")


def read(text):
    """A file as the import form reads it: the dialect is guessed, cells are stripped."""
    try:
        dialect = csv.Sniffer().sniff(text.strip(), delimiters=",;\t|")
    except csv.Error:
        dialect = csv.excel
    header, *lines = csv.reader(io.StringIO(text.strip()), dialect=dialect)
    assert len(set(header)) == len(header)
    assert all(len(line) == len(header) for line in lines)
    return [dict(zip(header, (cell.strip() for cell in line), strict=True)) for line in lines]


def imported(files):
    """Import the files in their order; every rule that NetBox checks is asserted. Returns the tables."""
    tables = {}
    for name, text in files.items():
        table = tables[name] = read(text)
        needed, allowed = COLUMNS[name]
        for row in table:
            assert needed <= set(row) <= needed | allowed, name
            assert all(row[column] for column in needed), (name, row)
            assert all(SLUG.fullmatch(row[key]) for key in row if key == "slug")
            assert all(re.fullmatch("[0-9a-f]{6}|", row[key]) for key in row if key == "color")
            assert row.get("status", "planned") in PLANNED
        for key in ("name", "slug", "model"):
            if table and key in table[0] and name != "interfaces.csv":
                found = [row[key].lower() for row in table]
                assert len(set(found)) == len(found), (name, key)
                assert max(map(len, found)) <= (64 if name == "devices.csv" else 100)
        IMPORTS.get(name, lambda *_: None)(table, tables)
    return tables


def names(tables, file, column="name"):
    """What may be referred to."""
    assert file in tables, f"{file} must be imported before"
    return {row[column] for row in tables[file]}


def device_types(table, tables):
    """A type has a known maker and a height in halves of a unit."""
    for row in table:
        assert row["manufacturer"] in names(tables, "manufacturers.csv")
        assert float(row["u_height"]) % 0.5 == 0
        assert row["is_full_depth"] in ("true", "false")
        assert len(row["part_number"]) <= 50
        assert re.fullmatch(r"(\d{1,6}\.\d{2})?", row["weight"])
        assert (row["weight_unit"] == "kg") == bool(row["weight"])


def racks(table, tables):
    """A rack has a known site, a width in inches and at most 100 units."""
    for row in table:
        assert row["site"] in names(tables, "sites.csv")
        assert row["width"] in ("10", "19", "21", "23")
        assert 1 <= int(row["u_height"]) <= 100


def devices(table, tables):
    """Everything referred to is there; no two devices in a unit; none above its rack; a position needs a face."""
    height = {row["model"]: float(row["u_height"]) for row in tables["device-types.csv"]}
    units = {row["name"]: int(row["u_height"]) for row in tables["racks.csv"]}
    taken = set()
    for row in table:
        assert row["role"] in names(tables, "device-roles.csv")
        assert (row["manufacturer"], row["device_type"]) in {
            (one["manufacturer"], one["model"]) for one in tables["device-types.csv"]
        }
        assert row["site"] in names(tables, "sites.csv")
        assert row["rack"] in units or not row["rack"]
        assert row["face"] in ("front", "rear", "")
        if not row["rack"]:
            assert not row["face"]
            assert not row["position"]
        if row["position"]:
            assert row["face"]
            assert height[row["device_type"]] > 0
            low, tall = float(row["position"]), height[row["device_type"]]
            assert low % 0.5 == 0
            assert 1 <= low <= low + tall - 1 <= units[row["rack"]]
            halves = {(row["rack"], half / 2) for half in range(round(2 * low), round(2 * (low + tall)))}
            assert not halves & taken
            taken |= halves


def interfaces(table, tables):
    """A known device, a name once a device, a type of the list, whole kilobits a second."""
    known = names(tables, "devices.csv")
    assert all(row["device"] in known for row in table)
    assert len({(row["device"], row["name"]) for row in table}) == len(table)
    assert {row["type"] for row in table} <= INTERFACE_CHOICES
    assert all(row["speed"].isdecimal() for row in table)
    assert max((len(row["name"]) for row in table), default=0) <= 64


def cables(table, tables):
    """Both ends are interfaces that exist and have no other cable; eight digits, two of them after the point."""
    ends = {(row["device"], row["name"]) for row in tables["interfaces.csv"]}
    used = set()
    for row in table:
        for side in "ab":
            assert row[f"side_{side}_type"] == "dcim.interface"
            end = row[f"side_{side}_device"], row[f"side_{side}_name"]
            assert end in ends
            assert end not in used
            used.add(end)
        assert row["type"] in CABLE_TYPES
        assert row["length_unit"] in ("km", "m", "cm", "mi", "ft", "in")
        assert re.fullmatch(r"\d{1,6}(\.\d{1,2})?", row["length"])
        assert len(row["label"]) <= 100


IMPORTS = {
    "device-types.csv": device_types,
    "racks.csv": racks,
    "devices.csv": devices,
    "interfaces.csv": interfaces,
    "cables.csv": cables,
}
ODD = odd_floor("A,1", '"B"', "=C;")
LAYOUTS = {
    "slimfly": stand(build("slimfly:q=5,hosts=4"), 10),
    "no slug": stand(FABRIC, 3, name="Ω"),
    "odd names": Layout(FABRIC, ODD, ODD.fixed, np.array([0, 0, 1, 1, 2, 2, 2], np.int32)),
    "more than a rack holds": stand(build("complete:n=120,hosts=1"), 120),
    "one each": stand(build("torus:dims=4x4,hosts=1"), 1, "nakano-grid"),
    "fractions": stand(build("torus:dims=4x4"), 2, "koibuchi-2013", width_m=1 / 3),
}


@pytest.mark.sweep(3)
@pytest.mark.parametrize("hosts", [False, True])
@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_netbox_would_import_the_files(layout, hosts):
    """Read by NetBox's rules in the order given, a rack for each rack, a device for each switch, a cable each."""
    done = cable(layout, host_cables=hosts)
    tables = imported(netbox_files(done, label(done)))
    topology = layout.topology
    assert [row["name"] for row in tables["racks.csv"]] == [name.strip() for name in layout.rack_names]
    placed = {row["name"]: row for row in tables["devices.csv"]}
    assert len(placed) == topology.switches + (topology.hosts if hosts else 0)
    for switch in range(topology.switches):
        device = placed[f"S{switch}"]
        assert device["rack"] == layout.rack_names[layout.rack[switch]].strip()
        assert device["position"] in (str(layout.height[switch]), "" if layout.height[switch] > 100 else "never")
    ends = {
        frozenset((row[f"side_{side}_device"], row[f"side_{side}_name"]) for side in "ab")
        for row in tables["cables.csv"]
    }
    ports = zip(topology.links.tolist(), topology.link_ports.tolist(), strict=True)
    assert {frozenset([(f"S{u}", f"P{p}"), (f"S{v}", f"P{q}")]) for (u, v), (p, q) in ports} <= ends
    assert len(ends) == len(topology.links) + (topology.endpoints.size if hosts else 0)
    assert len(tables["interfaces.csv"]) == 2 * len(topology.links) + topology.endpoints.size * (1 + hosts)
    assert np.allclose([float(row["length"]) for row in tables["cables.csv"]], done.bought.stock_m, atol=0.005)


def test_the_cable_columns_are_those_of_the_import():
    """The twelve columns, in NetBox's order; a medium becomes NetBox's word for it."""
    done = cable(LAYOUTS["slimfly"])
    text = netbox_files(done, label(done))["cables.csv"]
    assert text.splitlines()[0] == (
        "side_a_device,side_a_type,side_a_name,side_b_device,side_b_type,side_b_name,"
        "type,status,label,color,length,length_unit"
    )
    kinds = [row["type"] for row in read(text)]
    assert kinds == ["aoc" if medium == "fibre" else "dac-passive" for medium in done.medium]


#: Profiles of cables of one connector that a catalogue may need, with the most ends that each side may have (4.6.8).
PROFILES = {"single-1c2p": (1, 1), "breakout-1c2p-2c1p": (1, 2), "breakout-1c4p-4c1p": (1, 4)}


def several_links():
    """A cabling of 400 Gb/s with twin-port cages: hosts on breakouts, switches on cables of two links where they fit."""
    parallel = Topology(links=[(0, 2), (0, 2), (1, 2), (1, 2)], switches=3, endpoints=[0, 0, 0, 1, 1], host=range(5))
    layout = stand(parallel, 3)
    return cable(layout, "infiniband-2026", 400, host_cables=True)


def test_cables_of_several_links_are_one_object():
    """As many as are bought: the shares of their links sum to one; every link and every host is in one of them."""
    done = several_links()
    groups = carriers(done)
    assert sorted(row for group in groups for row in group) == list(range(len(done)))
    assert len(groups) == round(float(done.bought.share.sum()))
    assert sorted(map(len, groups)) == [1, 2, 2, 2, 2]


def test_netbox_4_7_would_import_breakouts():
    """Interfaces: channels of a cage that comes before them, each number once; cables: ends that are no channel, used once, as
    many as the profile has; followed through channels, they join the ports that the plain list joins."""
    done = several_links()
    files = netbox_files(done, label(done))
    interfaces = {}
    for row in read(files["4.7/interfaces.csv"]):
        key = row["device"], row["name"]
        assert key not in interfaces
        if row["parent"]:
            cage = interfaces[row["device"], row["parent"]]
            assert 1 <= int(row["channel_id"]) <= int(cage["channels"])
            assert int(cage["speed"]) == int(cage["channels"]) * int(row["speed"])
        interfaces[key] = row
    inside = {(k[0], row["parent"], row["channel_id"]): k for k, row in interfaces.items() if row["parent"]}
    assert len(inside) == sum(bool(row["parent"]) for row in interfaces.values())
    joined, used = set(), set()
    for row in read(files["4.7/cables.csv"]):
        sides = []
        for side in "ab":
            devices, names = row[f"side_{side}_device"].split(","), row[f"side_{side}_name"].split(",")
            assert len(devices) == len(names)
            ends = list(zip(devices, names, strict=True))
            assert all(not interfaces[end]["parent"] for end in ends)
            assert not used & set(ends)
            used |= set(ends)
            sides.append(ends)
        if row["profile"]:
            assert tuple(map(len, sides)) <= PROFILES[row["profile"]]
        ports = []
        for ends in sides:
            # A cage stands for its channels in their order, a port for itself.
            ports.append([])
            for end in ends:
                count = int(interfaces[end]["channels"] or 0)
                ports[-1] += [inside[(*end, str(k + 1))] for k in range(count) if (*end, str(k + 1)) in inside] or [end]
        assert len(ports[0]) == len(ports[1]) == len(row["label"].split("+"))
        joined |= {frozenset(pair) for pair in zip(*ports, strict=True)}
    plain = {
        frozenset((row[f"side_{side}_device"], row[f"side_{side}_name"]) for side in "ab")
        for row in read(files["cables.csv"])
    }
    assert joined == plain
    profiles = [row["profile"] for row in read(files["4.7/cables.csv"])]
    assert sorted(profiles) == ["breakout-1c2p-2c1p"] * 3 + ["single-1c2p"] * 2


def test_cages_of_several_rates_have_their_own_speed(tmp_path):
    """Hosts on breakouts of 4 x 100G, links on cables of 2 x 400G: cages of 400G and 800G, each with channels of one rate."""
    (tmp_path / "parts.toml").write_text("""
name = "two rates"
source = "made up for this test"
unpriced = ["switch"]

[[switch.product]]
name = "any"
ports = [{ count = 8, rate_gbps = 100 }, { count = 4, rate_gbps = 400 }]

[[switch.product]]
name = "spine"
ports = 8
rate_gbps = 400

[[cable]]
name = "breakout"
medium = "copper"
use = "any"
to = "host"
links = 4
breakout = true
rates_gbps = [100]
base_usd = 10

[[cable]]
name = "twin"
medium = "fibre"
use = "any"
links = 2
rates_gbps = [400]
base_usd = 50
""")
    parts = load_parts(tmp_path / "parts.toml")
    layout = place(build("pgft:m=8x2,w=1x1,p=1x4+rates:links=400,hosts=100"), map="rows", parts=parts)
    done = cable(layout, parts, host_cables=True)
    rows = read(netbox_files(done, label(done))["4.7/interfaces.csv"])
    cages = Counter((row["channels"], row["speed"]) for row in rows if row["channels"])
    # Two leaves of 8 hosts (2 breakouts each), 4 links each: 2 twin cables per leaf, with a cage at both ends.
    assert cages == {("4", "400000000"): 4, ("2", "800000000"): 8}
    speed = {(row["device"], row["name"]): int(row["speed"]) for row in rows}
    assert all(
        speed[row["device"], row["parent"]] == 4 * 100_000_000 or speed[row["device"], row["name"]] == 400_000_000
        for row in rows
        if row["parent"]
    )


def test_the_rest_data_has_the_same_cables():
    """A list for each side, with type, device and name; as many cables as the lines of the import."""
    done = several_links()
    files = netbox_files(done, label(done))
    for one, row in zip(json.loads(files["cables.rest.json"]), read(files["4.7/cables.csv"]), strict=True):
        for side in "ab":
            ends = one[f"{side}_terminations"]
            assert {end["object_type"] for end in ends} == {"dcim.interface"}
            assert ",".join(end["device"] for end in ends) == row[f"side_{side}_device"]
            assert ",".join(end["name"] for end in ends) == row[f"side_{side}_name"]
        assert one.get("profile", "") == row["profile"]
        assert one["label"] == row["label"]


def test_a_catalogue_of_single_cables_has_no_such_files():
    """Where every cable has one link, the plain files say all."""
    done = cable(LAYOUTS["slimfly"])
    assert "cables.rest.json" not in netbox_files(done, label(done))
