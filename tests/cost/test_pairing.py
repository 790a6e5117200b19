"""Which cable and which module fits which switch and host: connectors, lanes, fibres, breakouts by mode, and sockets.

Sources: NVIDIA LinkX, 100G-PAM4 product line overview (2025-11-27) and interconnect cabling for NDR and 400 GbE: switch cages
take finned modules and interfaces flat ones; 200 Gb/s is two lanes of a 400 Gb/s module behind a 1:2 splitter fibre; lanes of
100 Gb/s do not step down. Four hosts of 200 Gb/s on a cage are one module, two splitters and four modules at hosts.
"""

import msgspec
import pytest

from topoloom import InputError, build, place, price
from topoloom.cost.parts_files import load_parts


def with_only(catalogue, switch):
    """A catalogue whose only switch is this one."""
    parts = load_parts(catalogue)
    product = tuple(sold for sold in parts.switch.product if sold.name == switch)
    return msgspec.structs.replace(parts, switch=msgspec.structs.replace(parts.switch, product=product))


def counts(spec, catalogue, switch, rate, floor="slimfly-2014", **more):
    """The count of each line of a bill with this switch, and host cables."""
    layout = place(build(spec), floor, map="rows", **more)
    bill = price(layout, with_only(catalogue, switch), rate, host_cables=True)
    return {line.item: line.count for line in bill.lines if line.kind != "switch"}


def without(catalogue, *cables):
    """A catalogue without cables of these names."""
    parts = catalogue if not isinstance(catalogue, str) else load_parts(catalogue)
    return msgspec.structs.replace(parts, cable=tuple(sold for sold in parts.cable if sold.name not in cables))


#: Ports by mode: (catalogue, switch, ports at each rate).
MODES = [
    ("infiniband-2026", "QM9700", {400: 64, 200: 128}),
    ("infiniband-2026", "Q3400-RA", {800: 144}),
    ("infiniband-2026", "Q3450-LD", {800: 144}),
    ("infiniband-2026", "Q3200-RA", {800: 36}),
    ("ethernet-2026", "SN5600", {800: 64, 400: 128, 200: 256, 100: 256}),
    ("ethernet-2026", "SN5610", {800: 64, 400: 128, 200: 256, 100: 256}),
    ("ethernet-2026", "SN6600", {1600: 64, 800: 128, 400: 256, 200: 512}),
    ("ethernet-2026", "SN6810-LD", {800: 128, 400: 256, 200: 512}),
    ("ethernet-2026", "SN4600C", {100: 64, 50: 128}),
    ("ethernet-2026", "SN5400", {400: 64, 200: 128, 100: 256}),
    ("ethernet-2026", "7060X6-64PE", {800: 64, 400: 128, 200: 256, 100: 320}),
    ("ethernet-2026", "8122-64EH", {800: 64, 400: 128, 200: 256, 100: 512}),
]


@pytest.mark.parametrize(("catalogue", "switch", "modes"), MODES, ids=[row[1] for row in MODES])
def test_ports_by_mode(catalogue, switch, modes):
    """The ports of a switch at each rate: its cages times the legs of the mode, within its logical ports."""
    product = with_only(catalogue, switch).switch.product[0]
    assert {rate: product.ports_at(rate) for rate in modes} == modes


def test_a_management_switch_has_ports_of_two_kinds():
    """SN2201: 48 ports of 1 Gb/s on twisted pairs, and four of 100 Gb/s; an uplink is a QSFP28 cable."""
    network = "complete:n=2,hosts=48+rates:links=100,hosts=1"
    layout = place(build(network))
    lines = {line.item: line.count for line in price(layout, "ethernet-2026", host_cables=True).lines}
    assert lines == {"switch, 48 x 1G + 1 x 100G ports (SN2201)": 2, "cable, DAC, 100G": 1, "host cable, Cat5e": 96}


def test_256_hosts_of_200g_on_one_switch():
    """64 cages of four: copper of four legs next to the switch; with fibres, 64 modules, 128 splitters, 256 at hosts."""
    spec = "fat-tree:k=256,hosts=256"
    assert counts(spec, "ethernet-2026", "SN5600", 200) == {"host cable, MCP7Y50": 64}
    parts = without(with_only("ethernet-2026", "SN5600"), "MCP7Y50", "MCP7Y40")
    bill = price(place(build(spec), "slimfly-2014", map="rows"), parts, 200, host_cables=True)
    assert {line.item: line.count for line in bill.lines if line.kind != "switch"} == {
        "host cable, MFP7E20": 128,
        "transceiver, MMA4Z00-NS, 4 x 200G": 64,
        "transceiver, MMA4Z00-NS400, 200G": 256,
    }
    assert bill.power_w == 64 * 15 + 256 * 5


def test_256_hosts_of_100g_on_one_switch():
    """Eight lanes of a cage, a host on each: 32 modules, 64 fibres of four, and a module per host."""
    assert counts("fat-tree:k=256,hosts=256", "ethernet-2026", "SN5600", 100) == {
        "host cable, MPO-12 to 4 x LC duplex OS2": 64,
        "transceiver, MMS4X00-NS, 8 x 100G": 32,
        "transceiver, MMS1V70-CM": 256,
    }


@pytest.mark.parametrize("rate", [200, 100])
@pytest.mark.parametrize(
    "spec",
    [
        "fat-tree:k=64,hosts=256",
        "slimfly:q=5,hosts=6",
        "dragonfly:a=4,h=2,p=4",
        "hyperx:dims=4x4,hosts=8",
        "torus:dims=4x4,hosts=8",
    ],
)
def test_every_family_has_its_cables_at_low_rates(spec, rate):
    """On a switch of 800 Gb/s cages: no link without a cable, and at least the modules that its links need."""
    network = build(spec)
    lines = counts(spec, "ethernet-2026", "SN5600", rate)
    side = {module.name: module for module in load_parts("ethernet-2026").transceiver}
    modules = [
        (side[item.removeprefix("transceiver, ")], lines[item]) for item in lines if item.startswith("transceiver")
    ]
    assert sum(count * module.links for module, count in modules if module.side != "host") >= 2 * len(network.links)
    assert any(item.startswith("host cable") for item in lines)


def test_single_links_share_splitters_in_a_panel():
    """Three switches in a triangle: each has two links of 200 Gb/s, one splitter and one module; with two links per pair,
    a straight fibre per pair."""
    assert counts("complete:n=3", "ethernet-2026", "SN5600", 200) == {
        "cable, MFP7E20, joined in a panel": 3,
        "transceiver, MMA4Z00-NS, 4 x 200G": 3,
    }
    double = counts("hyperx:dims=3,width=2", "ethernet-2026", "SN5600", 200)
    assert double == {"cable, MPO-12 OM4, 2 x 200G": 3, "transceiver, MMA4Z00-NS, 4 x 200G": 3}


def test_a_switch_of_400g_qsfp_dd_gets_modules_for_it():
    """SN4700: DR4 modules of QSFP-DD at switches, OSFP ones at hosts, on the same single-mode fibre; no OSFP at a switch."""
    lines = counts("fat-tree:k=8", "ethernet-2026", "SN4700", 400)
    network = build("fat-tree:k=8")
    assert lines["transceiver, DR4, QSFP-DD"] == 2 * len(network.links) + network.hosts
    assert lines["transceiver, MMS4X00-NS400"] == network.hosts
    assert set(lines) == {
        "cable, MPO-12 OS2",
        "host cable, MPO-12 OS2",
        "transceiver, DR4, QSFP-DD",
        "transceiver, MMS4X00-NS400",
    }


def test_lanes_do_not_step_down():
    """HDR switches (lanes of 50 Gb/s) get HDR cables, although NDR optics of 200 Gb/s are in the same catalogue."""
    lines = counts("fat-tree:k=8", "infiniband-2026", "QM8700", 200)
    assert not any(item.startswith("transceiver") for item in lines)
    only_ndr = without(with_only("infiniband-2026", "QM8700"), "MCP1650", "AOC, 200G")
    with pytest.raises(InputError, match=r"no cable .* fits switches with QSFP56 cages at 200 Gb/s; add one"):
        price(place(build("fat-tree:k=8")), only_ndr, 200)


def test_faster_lanes_serve_two_ports_of_a_cage():
    """SN6600 at 128 ports of 800 Gb/s: two per cage, which modules with lanes of 100 Gb/s do not give; SN5600 takes them."""
    assert "transceiver, 2 x DR4, 1.6T" in counts("fat-tree:k=128,hosts=256", "ethernet-2026", "SN6600", 800)
    assert "transceiver, MMA4Z00-NS, 800G" in counts("fat-tree:k=64,hosts=128", "ethernet-2026", "SN5600", 800)


def test_co_packaged_optics_have_no_modules():
    """Q3450-LD: fibres at both ends of links between switches, and modules at hosts only."""
    lines = counts("fat-tree:k=144,hosts=576", "infiniband-2026", "Q3450-LD", 800)
    assert lines == {"cable, MPO-12 OS2, XDR": 576, "host cable, MPO-12 OS2, XDR": 576, "transceiver, DR4, 800G": 576}
    with pytest.raises(InputError, match=r"fits switches with MMC-12 socket cages"):
        counts("fat-tree:k=128,hosts=256", "ethernet-2026", "SN6810-LD", 800)


def test_bluefield_takes_no_osfp():
    """A host with QSFP112 cages gets modules or copper for QSFP112, of 400 and of 200 Gb/s."""
    hosts = "[host]\nnics = 1\nu = 1\nconnector = 'QSFP112'\n"
    for rate, module in ((400, "MMA1Z00-NS400"), (200, "MCP7Y40")):
        lines = hosts_of(hosts, rate)
        assert any(module in item for item in lines)
        assert not any("MMA4Z00-NS400" in item or "MCP7Y50" in item for item in lines)


def hosts_of(text, rate):
    """The lines of the bill of a fat tree on SN5600 whose hosts are described by this text."""
    import tomllib

    from topoloom.core.toml_files import table_of
    from topoloom.placement.hosts.housing import Housing

    housing = table_of(tomllib.loads(text), Housing, "hosts")
    return counts("fat-tree:k=64,hosts=128", "ethernet-2026", "SN5600", rate, "koibuchi-2013", housing=housing)


CATALOGUE = """
name = "fibres"
source = "made up for this test"

[switch]
per_port_usd = 300

[[cable]]
medium = "fibre"
use = "any"
base_usd = 100
fibre = "MPO-12/APC OM4"
modules = ["one"]

[[transceiver]]
name = "one"
fibre = "{}"
"""


@pytest.mark.parametrize("other", ["MPO-12/UPC OM4", "MPO-12/APC OS2"])
def test_fibres_that_do_not_mate_are_refused(tmp_path, other):
    """Polish and mode: the line of the cable is named."""
    path = tmp_path / "parts.toml"
    path.write_text(CATALOGUE.format("MPO-12/APC OM4"))
    assert load_parts(path).cable[0].fibre == "MPO-12/APC OM4"
    path.write_text(CATALOGUE.format(other))
    with pytest.raises(InputError, match=r"parts.toml:\d+: modules: 'one' takes .*, but 'fibre' is .* do not mate"):
        load_parts(path)
