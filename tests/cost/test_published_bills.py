"""The published reference architectures to the cable and the module: the bill of a network, its servers and a catalogue.

Sources: NVIDIA DGX SuperPOD H100 (RA-11333-001 V11, Table 4 and bill of materials), B200 (RA-11334-001, table of larger numbers
of units), B300 (RA-11337-001), B300 XDR (RA-11339-001), GB200 (RA-11338-001), Rubin NVL8 (SP-12834-001), DGX BasePOD
(RA-11127-001 V5). The tables count four more cables to hosts, those of the two fabric managers, where H100 units give them a
host's place.

A twin-port module serves two links of a switch: the modules of a level are half of its ends, rounded up per switch. A copper
cable between two cages is two links, and has no modules.
"""

import numpy as np
import pytest

from topoloom import build, place, price
from topoloom.cost.parts_files import load_parts

H100 = ("DGX H100", "infiniband-2026", 400)
B200 = ("DGX B200", "infiniband-2026", 400)
B300 = ("DGX B300", "ethernet-2026", 400)
XDR = ("DGX B300", "infiniband-2026", 800)
GB200 = ("GB200 NVL72 tray", "infiniband-2026", 400)
RAILS = "fat-tree:k={},hosts={}+rails:nics=8"

#: Name, spec, purchase, switches of each level, cables to hosts, cables above each level, modules at switches, and at hosts.
SIZES = [
    ("H100, 1 unit", RAILS.format(64, 248), H100, (8, 4), 248, (256,), 384, 124),
    ("H100, 2 units", RAILS.format(64, 504), H100, (16, 8), 504, (512,), 768, 252),
    ("H100, 3 units", RAILS.format(64, 760), H100, (24, 16), 760, (768,), 1_152, 380),
    ("H100, 4 units", RAILS.format(64, 1016), H100, (32, 16), 1_016, (1_024,), 1_536, 508),
    # The place of the 128th host stays free, with its uplinks: a unit is built whole (RA-11333-001, Network Fabrics).
    (
        "H100, 127 of 128 hosts",
        RAILS.format(64, 1024) + "+populated:hosts=127",
        H100,
        (32, 16),
        1_016,
        (1_024,),
        1_536,
        508,
    ),
    ("B200, 2 units", RAILS.format(64, 512), B200, (16, 8), 512, (512,), 768, 256),
    ("B200, 4 units", RAILS.format(64, 1024), B200, (32, 16), 1_024, (1_024,), 1_536, 512),
    ("B200, 8 units", RAILS.format(64, 2048), B200, (64, 32), 2_048, (2_048,), 3_072, 1_024),
    ("B200, 16 units", RAILS.format(64, 4096), B200, (128, 128, 64), 4_096, (4_096, 4_096), 10_240, 2_048),
    ("B200, 32 units", RAILS.format(64, 8192), B200, (256, 256, 128), 8_192, (8_192, 8_192), 20_480, 4_096),
    ("B200, 64 units", RAILS.format(64, 16384), B200, (512, 512, 256), 16_384, (16_384, 16_384), 40_960, 8_192),
    # 800 Gb/s interfaces with a port in each of two planes: the tables count a cable of 800 Gb/s where two of 400 are.
    ("B300, 1 unit", RAILS.format(128, 512) + "+planes:count=2", B300, (16, 8), 1_024, (1_024,), 1_536, 512),
    ("B300, 2 units", RAILS.format(128, 1024) + "+planes:count=2", B300, (32, 16), 2_048, (2_048,), 3_072, 1_024),
    ("B300, 4 units", RAILS.format(128, 2048) + "+planes:count=2", B300, (64, 32), 4_096, (4_096,), 6_144, 2_048),
    ("B300, 8 units", RAILS.format(128, 4096) + "+planes:count=2", B300, (128, 64), 8_192, (8_192,), 12_288, 4_096),
    ("B300, 16 units", RAILS.format(128, 8192) + "+planes:count=2", B300, (256, 128), 16_384, (16_384,), 24_576, 8_192),
    ("B300 XDR, 1 unit", RAILS.format(144, 576), XDR, (8, 4), 576, (576,), 864, 576),
    ("B300 XDR, 2 units", RAILS.format(144, 1152), XDR, (16, 8), 1_152, (1_152,), 1_728, 1_152),
    ("B300 XDR, 4 units", RAILS.format(144, 2304), XDR, (32, 18), 2_304, (2_304,), 3_456, 2_304),
    # Rubin NVL8 has the same compute network with 576 hosts: 4,608 modules at hosts, and 2,304 + 4,608 at switches.
    ("B300 XDR and Rubin, 8 units", RAILS.format(144, 4608), XDR, (64, 36), 4_608, (4_608,), 6_912, 4_608),
    ("B300 XDR, 18 units", RAILS.format(144, 10368), XDR, (144, 72), 10_368, (10_368,), 15_552, 10_368),
    # Each of four rails has 8 leaves of 18:18, one per rack, and 6 spines, whose other 24 ports go to the cores of more units.
    ("GB200, 1 unit", "pgft:m=18x8,w=1x6,p=1x3+rail-only:rails=4", GB200, (32, 24), 576, (576,), 864, 576),
    (
        "GB200, 16 units",
        "pgft:m=18x8x16,w=1x6x6,p=1x3x4+rail-only:rails=4",
        GB200,
        (512, 384, 144),
        9_216,
        (9_216, 9_216),
        23_040,
        9_216,
    ),
]


@pytest.mark.parametrize(
    ("spec", "bought", "switches", "to_hosts", "above", "at_switches", "at_hosts"),
    [pytest.param(*row, id=name) for name, *row in SIZES],
)
def test_bills_are_the_published_ones(spec, bought, switches, to_hosts, above, at_switches, at_hosts):
    """Switches and cables of each level, and the modules at switches and hosts."""
    server, catalogue, rate = bought
    network = build(spec)
    level = network.labels["level"]
    assert tuple(np.bincount(level).tolist()) == switches
    assert tuple(np.bincount(level[network.links].min(axis=1), minlength=len(above)).tolist()) == above
    layout = place(network, "koibuchi-2013", housing=server, parts=catalogue, rate_gbps=rate, map="rows")
    bill = price(layout, catalogue, rate)
    counts = {line.item: line.count for line in bill.lines}
    parts = load_parts(catalogue)
    links = {cable.title: cable.links for cable in parts.cable}
    side = {module.name: (module.side, module.links) for module in parts.transceiver}

    def carried(what, copper):
        """The links of the cables between switches ("cable") or to hosts, on copper or on fibre."""
        of_kind = {
            item.removeprefix(f"{what}, "): count for item, count in counts.items() if item.startswith(f"{what}, ")
        }
        medium = {cable.title: cable.medium for cable in parts.cable}
        return sum(count * links[name] for name, count in of_kind.items() if ("copper" in medium[name]) == copper)

    fibres, copper = carried("cable", False), carried("cable", True)
    assert (bill.switches, fibres + copper) == (sum(switches), sum(above))
    assert (carried("host cable", False), carried("host cable", True)) == (to_hosts, 0)
    modules = {"switch": 0, "host": 0}
    for item, count in counts.items():
        name = item.removeprefix("transceiver, ")
        if name != item:
            modules[side[name][0]] += count
    # Both cages of a copper cable would have a module each: the tables count fibres only.
    assert modules == {"switch": at_switches - copper, "host": at_hosts}


def test_basepod_of_two_switches():
    """DGX BasePOD with eight hosts: 64 cables to hosts, 32 modules at each side, and 16 copper cables of two links.

    The two switches stand in one rack. The reference architecture prints 32 fibres, one per module.
    """
    pair = build("hyperx:dims=2,width=32,hosts=32")
    parts = load_parts("infiniband-2026")
    switches = price(place(pair, "slimfly-2014", map="rows"), parts, 400)
    assert {line.item: line.count for line in switches.lines[1:]} == {"cable, MCP4Y10": 16}
    network = build("hyperx:dims=2,width=32,hosts=32+nics:count=8")
    layout = place(network, "koibuchi-2013", housing="DGX H100", parts=parts, rate_gbps=400, map="rows")
    lines = {line.item: line.count for line in price(layout, parts, 400).lines}
    assert sum(count for item, count in lines.items() if item.startswith("host cable")) == 64
    assert lines["transceiver, MMA4Z00-NS-FLT"] == 32
    # 32 for hosts; in two racks, the 32 links between the switches are fibres, with as many again.
    assert lines["transceiver, MMA4Z00-NS"] == 64


def test_ethernet_of_a_gb200_unit():
    """576 x 200 Gb/s of 144 trays on 144 cages of four: 144 modules and 288 splitters to hosts (5:3 above them)."""
    network = build("fat-tree:k=256,hosts=576,leaf=160:96+nics:count=4")
    layout = place(
        network, "koibuchi-2013", housing="GB200 NVL72 tray", parts="ethernet-2026", rate_gbps=200, map="rows"
    )
    lines = {line.item: line.count for line in price(layout, "ethernet-2026", 200).lines}
    links = len(network.links)
    assert lines["host cable, MFP7E20"] == 288
    assert lines["transceiver, MMA4Z00-NS, 4 x 200G"] == 144 + 2 * links // 4
    assert lines["transceiver, MMA4Z00-NS400, 200G"] == 576
