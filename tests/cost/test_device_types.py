"""NetBox device types as parts: what the rules make of files, and of what is no device type.

The figures of the three switches are those of the community's library (netbox-community/devicetype-library, device-types:
Edgecore/AS9716-32D.yaml at 4113d718, Nvidia/Q3400-RA.yaml at edd51b57, Nvidia/SN5600.yaml at 00d0806d).
"""

import pytest

from topoloom import InputError, build, place, price
from topoloom.cost.parts_files import load_parts

yaml = pytest.importorskip("yaml", reason="not installed: PyYAML (the extra yaml)")


def ports(stem, count, kind, **more):
    """So many interfaces, numbered from 1."""
    return [{"name": f"{stem}{number}", "type": kind, **more} for number in range(1, count + 1)]


AS9716 = {
    "manufacturer": "Edgecore",
    "model": "AS9716-32D",
    "slug": "edgecore-as9716-32d",
    "u_height": 1.0,
    "is_full_depth": True,
    "weight": 11.06,
    "weight_unit": "kg",
    "power-ports": [{"name": f"PSU 0{n}", "type": "iec-60320-c20", "maximum_draw": 1300} for n in (1, 2)],
    "interfaces": ports("Management ", 2, "1000base-t", mgmt_only=True) + ports("Port ", 32, "400gbase-x-qsfpdd"),
}
Q3400 = {
    "manufacturer": "Nvidia",
    "model": "Q3400-RA",
    "slug": "nvidia-q3400-ra",
    "u_height": 4,
    "is_full_depth": True,
    "weight": 60,
    "weight_unit": "kg",
    "power-ports": [{"name": f"PSU{n}", "type": "iec-60320-c20", "maximum_draw": 875} for n in range(1, 9)],
    "interfaces": [
        {"name": "eth0", "type": "1000base-t", "mgmt_only": True},
        {"name": "eth1", "type": "1000base-t"},
        {"name": "fnm1", "type": "infiniband-xdr"},
        *({"name": f"sw{cage}p{port}", "type": "infiniband-xdr"} for cage in range(1, 73) for port in (1, 2)),
    ],
}
SN5600 = {
    "manufacturer": "Nvidia",
    "model": "SN5600",
    "slug": "nvidia-sn5600",
    "u_height": 2,
    "is_full_depth": True,
    "weight": 23.5,
    "weight_unit": "kg",
    "interfaces": [{"name": "eth0", "type": "1000base-t", "mgmt_only": True}, *ports("swp", 64, "800gbase-x-osfp")],
}
SERVER = {"manufacturer": "A", "model": "server", "interfaces": ports("eth", 4, "100gbase-x-qsfp28")}


def written(path, told):
    """A file of one device type."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(yaml.safe_dump(told))
    return path


@pytest.mark.parametrize(
    ("told", "count", "rate", "watts", "u", "cables"),
    [
        (AS9716, 32, 400, 2600, 1, "ethernet-2026"),
        (Q3400, 144, 800, 7000, 4, "infiniband-2026"),
        (SN5600, 64, 800, None, 2, "ethernet-2026"),
    ],
)
def test_a_file_is_a_catalogue(tmp_path, told, count, rate, watts, u, cables):
    """Ports without management and odd ones, the rate of the type's name, watts as an upper bound that says so."""
    parts = load_parts(written(tmp_path / "one.yaml", told))
    (product,) = parts.switch.product
    assert (product.name, product.vendor) == (told["model"], told["manufacturer"])
    assert (product.ports, product.rate_gbps, product.power_max_w, product.u) == (count, rate, watts, u)
    assert product.weight_kg == pytest.approx(told["weight"])
    assert product.power_w is None
    assert product.price_usd is None
    assert ("upper bound" in product.source) == (watts is not None)
    assert parts.cable == load_parts(cables).cable
    assert cables in parts.source


def test_a_folder_is_a_catalogue_of_all_its_switches(tmp_path):
    """Servers and what is no YAML are omitted; folders in it are looked through; two of one name get their makers'."""
    written(tmp_path / "Edgecore" / "AS9716-32D.yaml", AS9716)
    written(tmp_path / "Nvidia" / "SN5600.yml", SN5600)
    written(tmp_path / "Nvidia" / "server.yaml", SERVER)
    written(tmp_path / "Other" / "SN5600.yaml", SN5600 | {"manufacturer": "Other"})
    (tmp_path / "README.md").write_text("no device type")
    parts = load_parts(tmp_path)
    assert [one.name for one in parts.switch.product] == ["AS9716-32D", "Nvidia SN5600", "Other SN5600"]
    layout = place(build("fat-tree:k=8"), map="rows")
    bill = price(layout, parts, 400)
    assert bill.parts == tmp_path.name


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("manufacturer: A\nmodel: [", "is no YAML"),
        ("a: &x [1]\nb: *x\n", "wrong.yaml:2: a YAML alias"),
        ("- 1\n", "is no device type"),
        ("manufacturer: A\nmodel: B\ninterfaces: [{name: a, type: 7}]\n", "is no device type"),
        ("manufacturer: A\n", "is no device type: Object missing required field `model`"),
        ("manufacturer: A\nmodel: B\npower-ports: [{maximum_draw: -3}]\n", "is no device type"),
        ("manufacturer: A\nmodel: B\n", "is not a switch: a switch has 8 or more"),
        ("[" * 5000, "nest"),
        ("!!python/object/apply:os.system [true]\n", "wrong.yaml:1: a tag"),
        ("x" * 500_000, "longer than"),
    ],
)
def test_what_is_no_device_type_is_one_sentence(tmp_path, text, message):
    """The file, and what is wrong with it; nothing in a file is run, and none eats memory."""
    path = tmp_path / "wrong.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        load_parts(path)
    assert "wrong.yaml" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_folder_without_switches(tmp_path):
    """It says what a switch is; a name that is nothing says what may be given."""
    written(tmp_path / "server.yaml", SERVER)
    with pytest.raises(InputError, match="no file describes a switch"):
        load_parts(tmp_path)
    with pytest.raises(InputError, match=r"no parts catalogue named 'ethernet-2025'.*device types of NetBox"):
        load_parts("ethernet-2025")
