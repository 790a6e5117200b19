"""NetBox's bulk import by its rules, for tests of the files that are written for it.

The rules were read in NetBox 4.6.8 (and hold in 4.0): github.com/netbox-community/netbox,
netbox/dcim/forms/bulk_import.py (columns, required ones, what refers to what), netbox/dcim/choices.py (words),
netbox/dcim/models (lengths, uniqueness, racks, cables), netbox/utilities/forms (how a CSV file is read).
"""

import csv
import io
import re

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
    "rear-ports.csv": ({"device", "name", "type", "positions"}, {"label", "color", "mark_connected", "description"}),
    # In releases before 4.5, front ports have no positions: the column must be deleted there.
    "front-ports.csv": (
        {"device", "name", "type", "positions", "rear_port"},
        {"rear_port_position", "label", "color", "mark_connected", "description"},
    ),
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
#: The files of components of devices, with the types of their ends of cables.
PORTS = {"interfaces.csv": "dcim.interface", "front-ports.csv": "dcim.frontport", "rear-ports.csv": "dcim.rearport"}
#: netbox/dcim/choices.py, PortTypeChoices of 4.6.8: those of fibres.
PORT_CHOICES = {"lc", "lc-pc", "lc-upc", "lc-apc", "sc", "sc-pc", "sc-upc", "sc-apc", "mpo", "cs", "sn", "mdc", "other"}
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
            if table and key in table[0] and name not in PORTS:
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


def rear_ports(table, tables):
    """A known device, a name once a device, a type of the list, 1 to 1,024 positions."""
    known = names(tables, "devices.csv")
    assert all(row["device"] in known for row in table)
    assert len({(row["device"], row["name"]) for row in table}) == len(table)
    assert {row["type"] for row in table} <= PORT_CHOICES
    assert all(1 <= int(row["positions"]) <= 1024 for row in table)


def front_ports(table, tables):
    """As rear ports; each position of a rear port of the device has at most one front port."""
    rear_ports(table, tables)
    assert {row["positions"] for row in table} == {"1"}, "the import maps the first position only"
    size = {(row["device"], row["name"]): int(row["positions"]) for row in tables["rear-ports.csv"]}
    mapped = [(row["device"], row["rear_port"], int(row["rear_port_position"] or 1)) for row in table]
    assert len(set(mapped)) == len(mapped)
    assert all(1 <= position <= size[device, port] for device, port, position in mapped)


def cables(table, tables):
    """Both ends are ports that exist and have no other cable; eight digits, two of them after the point."""
    ends = {(PORTS[file], row["device"], row["name"]) for file in PORTS if file in tables for row in tables[file]}
    used = set()
    for row in table:
        for side in "ab":
            end = row[f"side_{side}_type"], row[f"side_{side}_device"], row[f"side_{side}_name"]
            assert end in ends, end
            assert end not in used
            used.add(end)
        assert row["type"] in CABLE_TYPES
        assert row["length_unit"] in ("km", "m", "cm", "mi", "ft", "in")
        assert re.fullmatch(r"\d{1,6}(\.\d{1,2})?", row["length"])
        assert len(row["label"]) <= 100


def traced(tables):
    """The interface where the path of each interface with a cable ends; None where the trace stops before one.

    netbox/dcim/models/cables.py, CablePath.from_origin, 4.6.8: cables without a profile; a front port leads to its rear port,
    and puts the position on a stack if that has several; a rear port takes it from there, and stops if the stack is empty.
    """
    far = {}
    for row in tables["cables.csv"]:
        a, b = ((row[f"side_{side}_type"], row[f"side_{side}_device"], row[f"side_{side}_name"]) for side in "ab")
        far[a], far[b] = b, a
    fronts = tables.get("front-ports.csv", [])
    rear_of = {(row["device"], row["name"]): (row["rear_port"], int(row["rear_port_position"])) for row in fronts}
    front_of = {(device, *rear): name for (device, name), rear in rear_of.items()}
    size = {(row["device"], row["name"]): int(row["positions"]) for row in tables.get("rear-ports.csv", [])}
    out = {}
    for start in [end for end in far if end[0] == "dcim.interface"]:
        end, stack = start, []
        while end is not None:
            kind, device, name = far.get(end, (None, None, None))
            if kind == "dcim.interface":
                out[start[1:]] = device, name
                break
            if kind == "dcim.frontport":
                rear, position = rear_of[device, name]
                stack += [position] * (size[device, rear] > 1)
                end = ("dcim.rearport", device, rear)
            elif kind == "dcim.rearport" and (stack or size[device, name] == 1):
                position = stack.pop() if size[device, name] > 1 else 1
                front = front_of.get((device, name, position))
                end = None if front is None else ("dcim.frontport", device, front)
            else:
                end = None
        out.setdefault(start[1:], None)
    return out


IMPORTS = {
    "device-types.csv": device_types,
    "racks.csv": racks,
    "devices.csv": devices,
    "interfaces.csv": interfaces,
    "rear-ports.csv": rear_ports,
    "front-ports.csv": front_ports,
    "cables.csv": cables,
}
