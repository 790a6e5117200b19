"""Discovered fabrics: text to `Fabric` and back, every part where it is, and one sentence with the line for what is wrong."""

import re

import numpy as np
import pytest
from fabric_cases import cables_of, networks, recabled
from hypothesis import given, settings

from tiers import examples
from topoloom.core.errors import InputError
from topoloom.fabric.discovery import read_fabric
from topoloom.fabric.fabric import planned_fabric
from topoloom.fabric.infiniband import lft_text
from topoloom.fabric.net_text import discovered_text, net_text
from topoloom.formats import load
from topoloom.formats.ibnetdiscover import load_fabric
from topoloom.routing.route import route
from topoloom.topologies.spec import build

#: Two switches with a host each, as ibnetdiscover 5.8 prints them from ibsim 0.10.
TINY = """#
# Topology file: generated on Sat Nov 21 07:34:35 2026
#
# Initiated from node 0000000000100000 port 0000000000100001

vendid=0x0
devid=0x0
sysimgguid=0x200001
switchguid=0x200001(200001)
Switch	4 "S-0000000000200001"		# "S1" base port 0 lid 3 lmc 0
[1]	"H-0000000000100002"[1](100003) 		# "H1" lid 4 4xSDR
[2]	"S-0000000000200000"[2]		# "S0" lid 2 4xSDR

vendid=0x0
devid=0x0
sysimgguid=0x200000
switchguid=0x200000(200000)
Switch	4 "S-0000000000200000"		# "S0" base port 0 lid 2 lmc 0
[1]	"H-0000000000100000"[1](100001) 		# "H0" lid 1 4xSDR
[2]	"S-0000000000200001"[2]		# "S1" lid 3 4xSDR

vendid=0x0
devid=0x0
sysimgguid=0x100002
caguid=0x100002
Ca	1 "H-0000000000100002"		# "H1"
[1](100003) 	"S-0000000000200001"[1]		# lid 4 lmc 0 "S1" lid 3 4xSDR

vendid=0x0
devid=0x0
sysimgguid=0x100000
caguid=0x100000
Ca	1 "H-0000000000100000"		# "H0"
[1](100001) 	"S-0000000000200000"[1]		# lid 1 lmc 0 "S0" lid 2 4xSDR
"""

#: A real-life look: names with blanks, chassis ports, an empty port, an enhanced port 0, LMC 1, two ports a host.
NAMED = """vendid=0x2c9
switchguid=0x2c90000000010(2c90000000010)
Switch	36 "S-0002c90000000010"		# "MF0;leaf 1:SX6036/U1" enhanced port 0 lid 12 lmc 0
[7][ext 3]	"H-0002c90000000030"[1](2c90000000031) 		# "node17 HCA-1" lid 4 4xFDR
[9]	"S-0002c90000000020"[36][ext 18]		# "leaf 2" lid 14 4xFDR
[10]	"S-0002c90000000020"[35]		# "leaf 2" lid 14 4xFDR
[11]

switchguid=0x2c90000000020(2c90000000020)
Switch	36 "S-0002c90000000020"		# "leaf 2" base port 0 lid 14 lmc 0
[36][ext 18]	"S-0002c90000000010"[9]
[35]	"S-0002c90000000010"[10]
[1]	"H-0002c90000000030"[2](2c90000000032)

caguid=0x2c90000000030
Ca	2 "H-0002c90000000030"		# "node17 HCA-1"
[1](2c90000000031) 	"S-0002c90000000010"[7]		# lid 4 lmc 1 "MF0;leaf 1:SX6036/U1" lid 12 4xFDR
[2](2c90000000032) 	"S-0002c90000000020"[1]		# lid 6 lmc 1 "leaf 2" lid 14 4xFDR
"""


@settings(max_examples=examples(80), deadline=None)
@given(networks())
def test_every_network_comes_back_from_both_forms(topology):
    """Planned and long form: the same topology, and in the long form the same names, GUIDs and ports."""
    fabric = planned_fabric(topology)
    assert read_fabric(net_text(topology), "x.net").topology == topology
    back = read_fabric(discovered_text(fabric), "x.net")
    assert back.topology == topology
    for part in (
        "switch_guids",
        "switch_ports",
        "host_guids",
        "port_guids",
        "link_ports",
        "endpoint_ports",
        "host_ports",
    ):
        assert np.array_equal(getattr(back, part), getattr(fabric, part)), part
    assert (back.switch_names, back.host_names) == (fabric.switch_names, fabric.host_names)


def test_ports_that_are_not_topolooms_are_kept():
    """A fabric whose cables are in ports of their own comes back with them, gaps and all."""
    fabric = planned_fabric(build("petersen:hosts=1"))
    used = [[u, 10 + i, v, 30 + i] for i, (u, _, v, _) in enumerate(cables_of(fabric))]
    odd = recabled(fabric, used, switch_ports=np.full(10, 64, np.int32), loops=np.array([[3, 60, 61]], np.int32))
    back = read_fabric(discovered_text(odd), "x.net")
    assert cables_of(back) == cables_of(odd)
    assert back.loops.tolist() == [[3, 60, 61]]


def test_what_ibnetdiscover_prints():
    """The tiny fabric: numbers from the names, GUIDs, LIDs, in an order that is not the file's."""
    fabric = read_fabric(TINY, "tiny.net")
    assert fabric.topology.links.tolist() == [[0, 1]]
    assert fabric.topology.labels == {}
    assert fabric.switch_guids.tolist() == [0x200000, 0x200001]
    assert fabric.port_guids.tolist() == [0x100001, 0x100003]
    assert (fabric.switch_lids.tolist(), fabric.port_lids.tolist()) == ([2, 3], [1, 4])
    assert fabric.addressed


def test_names_lids_chassis_ports_and_parallel_cables():
    """A fabric with names of its own gets numbers in the order of the text, and its names and GUIDs as labels."""
    fabric = read_fabric(NAMED, "named.net")
    assert fabric.switch_names == ("MF0;leaf 1:SX6036/U1", "leaf 2")
    assert fabric.topology.labels["id"].tolist() == list(fabric.switch_names)
    assert fabric.topology.labels["guid"].tolist()[1] == "0x0002c90000000020"
    assert fabric.link_ports.tolist() == [[9, 36], [10, 35]]
    assert fabric.topology.host.tolist() == [0, 0]
    assert fabric.host_ports.tolist() == [1, 2]
    assert (fabric.port_lids.tolist(), fabric.port_lmc.tolist()) == ([4, 6], [1, 1])


def test_tables_are_written_with_a_discovered_fabrics_ports_and_lids():
    """Real ports, both LIDs of an LMC of 1, and GUIDs stand in the tables; each entry is a cable of the fabric."""
    fabric = read_fabric(NAMED, "named.net")
    text = lft_text(route(fabric.topology), fabric)
    first = text.split("Unicast lids")[1].splitlines()
    assert "of switch Lid 12 guid 0x0002c90000000010" in first[0]
    entries = dict(re.findall(r"^0x(\w+) (\d+) ", "\n".join(first), re.MULTILINE))
    assert entries == {
        "0004": "007",
        "0005": "007",
        "0006": entries["0006"],
        "0007": entries["0006"],
        "000c": "000",
        "000e": entries["0006"],
    }
    assert entries["0006"] in {"009", "010"}


def test_files_of_either_suffix_are_loaded(tmp_path):
    """`load` gives the topology, `load_fabric` the names too; CR LF does not matter."""
    (tmp_path / "tiny.net").write_bytes(TINY.replace("\n", "\r\n").encode())
    assert load(tmp_path / "tiny.net") == build("complete:n=2,hosts=1").replace(labels={}).with_rates(8)
    (tmp_path / "named.ibnetdiscover").write_text(NAMED)
    assert load_fabric(tmp_path / "named.ibnetdiscover").host_names == ("node17 HCA-1",)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            '[2]	"S-0000000000200000"[2]',
            '[2]	"S-0000000000200000"[1]',
            "x:12: S1 port 2 .* cabled to H0 port 1 .line 19",
        ),
        ('[2]	"S-0000000000200000"[2]', '[2]	"S-0000000000200000"[2', "x:12: .* is not a port"),
        (
            '[2]	"S-0000000000200000"[2]',
            '[9]	"S-0000000000200000"[2]',
            "x:12: port 9 of S1; its ports are 1 to 4",
        ),
        ('[2]	"S-0000000000200000"[2]', '[1]	"S-0000000000200000"[2]', "x:12: port 1 of S1 already .* line 11"),
        ('[2]	"S-0000000000200000"[2]', '[2]	"S-00000000002000ff"[2]', "which the file does not describe"),
        (
            "switchguid=0x200001(200001)\nSwitch	4",
            "switchguid=0x200001(200001)\nSwich	4",
            "x:10: .* is not a line of",
        ),
        ("Switch	4", "Switch	0", "x:10: 0 ports"),
        ("lid 3 lmc 0", "lid 99999 lmc 0", "x:10: lid 99999"),
        ("switchguid=0x200000(", "switchguid=0x200001(", "x:18: S0 has GUID 0x200001, which S1 has too"),
        (
            'Switch	4 "S-0000000000200000"',
            'Switch	4 "S-0000000000200001"',
            "x:18: .* appeared already, on line 10",
        ),
    ],
)
def test_damage_is_named_with_its_line(old, new, message):
    """One sentence that says which line, and which cable from which end."""
    assert old in TINY
    with pytest.raises(InputError, match=message):
        read_fabric(TINY.replace(old, new, 1), "x")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# nothing\n", "names no switch"),
        ('[1] "S0"[1]\n', "x:1: a port line before any switch"),
        ('Hca 1 "H0"\n[1] "H1"[1]\nHca 1 "H1"\n[1] "H0"[1]\nSwitch 1 "S0"\n', "x:2: H0 port 1 is cabled to host H1"),
        ('Switch 4 "S0"\n[1] "S0"[1]\n', "x:2: S0 port 1"),
    ],
)
def test_what_is_no_network_is_refused(text, message):
    """No switches, ports of nobody, hosts back to back, a plug in itself."""
    with pytest.raises(InputError, match=message):
        read_fabric(text, "x")


SHARP = """vendid=0x2c9
devid=0xd2f0
sysimgguid=0x10
switchguid=0x10(10)
Switch 41 "S-0000000000000010" # "leaf" enhanced port 0 lid 1 lmc 0
[1] "H-0000000000000030"[1](30) # "node HCA-1" lid 3 4xHDR
[41] "H-0000000000000020"[1](20) # "Mellanox Technologies Aggregation Node" lid 2 4xHDR

vendid=0x2c9
devid=0xcf09
sysimgguid=0x10
caguid=0x20
Ca 1 "H-0000000000000020" # "Mellanox Technologies Aggregation Node"
[1](20) "S-0000000000000010"[41] # lid 2 lmc 0 "leaf" lid 1 4xHDR

vendid=0x2c9
devid=0x101b
sysimgguid=0x30
caguid=0x30
Ca 1 "H-0000000000000030" # "node HCA-1"
[1](30) "S-0000000000000010"[1] # lid 3 lmc 0 "leaf" lid 1 4xHDR
"""


@pytest.mark.parametrize(
    "change", [("", ""), ("devid=0xcf09", "devid=0x1"), ("Mellanox Technologies Aggregation Node", "x")]
)
def test_aggregation_nodes_are_no_hosts(caplog, change):
    """What sums up messages inside a switch is omitted with its port, by its device or its name, and a line says so."""
    fabric = read_fabric(SHARP.replace(*change), "sharp.txt")
    assert fabric.host_names == ("node HCA-1",)
    assert fabric.switch_ports.tolist() == [40]
    assert "sharp.txt: 1 aggregation node (SHARP) omitted: inside switches, no hosts" in caplog.text


@pytest.mark.parametrize(
    "line",
    [
        "[1]" + " " * 900_000 + "x",
        '[1] "S0"' + "\t" * 900_000 + "x",
        "[1](1)" + " " * 900_000 + "(",
        "[1" + "1" * 900_000,
    ],
)
def test_a_long_line_is_refused(line):
    """Whatever blanks it has; what takes time with the square of its length would not come back."""
    with pytest.raises(InputError, match=r"not a port|such files have at most"):
        read_fabric(f'Switch 4 "S0"\n{line}\n', "x.net")
    with pytest.raises(InputError, match=r"a line of 1,[0-9,]+ characters"):
        read_fabric(f'Switch 4 "S0"\n{line}{" " * 300_000}x\n', "x.net")


def test_a_cable_that_one_end_tells_of_is_taken_and_marked(caplog):
    """It is a cable like any other, with the GUID and LID that the other end says; a line names the first of them."""
    half = TINY.replace('[2]	"S-0000000000200001"[2]		# "S1" lid 3 4xSDR\n', "")
    half = half.replace('[1](100003) 	"S-0000000000200001"[1]		# lid 4 lmc 0 "S1" lid 3 4xSDR\n', "")
    whole, fabric = read_fabric(TINY, "x.net"), read_fabric(half, "x.net")
    assert fabric.topology == whole.topology
    assert (fabric.link_one_sided.tolist(), fabric.endpoint_one_sided.tolist()) == ([True], [False, True])
    assert not whole.link_one_sided.any()
    assert np.array_equal(fabric.port_guids, whole.port_guids)
    assert np.array_equal(fabric.port_lids, whole.port_lids)
    assert np.array_equal(fabric.link_rate_gbps, whole.link_rate_gbps)
    assert "x.net: 2 cables are listed by one end only, the first S1 port 1 to H1 port 1 (line 11)" in caplog.text


def test_what_a_half_seen_cable_cannot_be():
    """Its other end is a port that there is, and one without another cable."""
    half = TINY.replace('[2]	"S-0000000000200001"[2]		# "S1" lid 3 4xSDR\n', "")
    with pytest.raises(InputError, match="x:12: port 7 of S0; its ports are 1 to 4"):
        read_fabric(half.replace('"S-0000000000200000"[2]', '"S-0000000000200000"[7]'), "x")
    with pytest.raises(InputError, match="S1 port 2 is cabled to S0 port 1, but that is cabled to H0 port 1"):
        read_fabric(half.replace('"S-0000000000200000"[2]', '"S-0000000000200000"[1]'), "x")


def test_what_did_not_say_what_it_is_is_left_out(caplog):
    """A cable to a node of unknown kind is none; a line says how many there are."""
    fabric = read_fabric(
        TINY.replace(
            '[2]	"S-0000000000200001"',
            '[3]	"?-0000000000300000"[1]		# "" lid 9 4xSDR\n[2]	"S-0000000000200001"',
        ),
        "x",
    )
    assert fabric.topology == read_fabric(TINY, "x").topology
    assert "x: 1 cables lead to devices that did not identify themselves; omitted" in caplog.text


#: A Q3400: two of its chips, each with its router inside; and a router that stands by itself, on port 1.
ROUTED = """vendid=0x2c9
devid=0xd2f4
sysimgguid=0xa0
switchguid=0xa1(a1)
Switch\t149 "S-00000000000000a1"\t\t# "MF0;spine:Q3400_RA/U1" enhanced port 0 lid 1 lmc 0
[1]\t"R-00000000000000c0"[1](c1) \t\t# "gate" lid 7 4xNDR
[2]\t"H-00000000000000d0"[1](d0) \t\t# "node1 mlx5_0" lid 8 4xXDR
[149]\t"R-00000000000000b1"[1](b1) \t\t# "MF0;spine:Q3400_RA/U1/RT" lid 5 1xXDR

vendid=0x2c9
devid=0xd2f4
sysimgguid=0xa0
switchguid=0xa2(a2)
Switch\t149 "S-00000000000000a2"\t\t# "MF0;spine:Q3400_RA/U2" enhanced port 0 lid 2 lmc 0
[2]\t"H-00000000000000d1"[1](d1) \t\t# "node1 mlx5_1" lid 9 2xXDR

vendid=0x2c9
devid=0xc839
sysimgguid=0xa0
rtguid=0xb1
Rt\t1 "R-00000000000000b1"\t\t# "MF0;spine:Q3400_RA/U1/RT"
[1](b1) \t"S-00000000000000a1"[149]\t\t# lid 5 lmc 0 "MF0;spine:Q3400_RA/U1" lid 1 1xXDR

vendid=0x2c9
devid=0xc738
sysimgguid=0xc0
rtguid=0xc0
Rt\t8 "R-00000000000000c0"\t\t# "gate"
[1](c1) \t"S-00000000000000a1"[1]\t\t# lid 7 lmc 0 "MF0;spine:Q3400_RA/U1" lid 1 4xNDR

caguid=0xd0
Ca\t1 "H-00000000000000d0"\t\t# "node1 mlx5_0"
[1](d0) \t"S-00000000000000a1"[2]\t\t# lid 8 lmc 0 "MF0;spine:Q3400_RA/U1" lid 1 4xXDR

caguid=0xd1
Ca\t1 "H-00000000000000d1"\t\t# "node1 mlx5_1"
[1](d1) \t"S-00000000000000a2"[2]\t\t# lid 9 lmc 0 "MF0;spine:Q3400_RA/U2" lid 2 2xXDR
"""


def test_routers_are_left_out(caplog):
    """Those inside switches with their ports, others with their cables; the chips of a box stay switches of their own."""
    fabric = read_fabric(ROUTED, "q.net")
    assert fabric.switch_names == ("MF0;spine:Q3400_RA/U1", "MF0;spine:Q3400_RA/U2")
    assert fabric.host_names == ("node1 mlx5_0", "node1 mlx5_1")
    assert fabric.switch_ports.tolist() == [148, 149]
    assert (
        "q.net: 2 routers omitted: topoloom reads one subnet, and the network behind a router is another" in caplog.text
    )


def test_rates_and_devices_are_read_and_written():
    """Width, Gb/s and device ids are kept, split ports among them, and stand in the long form again."""
    fabric = read_fabric(ROUTED, "q.net")
    assert fabric.endpoint_width.tolist() == [4, 2]
    assert fabric.endpoint_rate_gbps.tolist() == [800, 400]
    assert fabric.switch_device.tolist() == [0xD2F4, 0xD2F4]
    back = read_fabric(discovered_text(fabric), "q.net")
    for part in ("endpoint_width", "endpoint_rate_gbps", "link_rate_gbps", "switch_device", "host_device"):
        assert np.array_equal(getattr(back, part), getattr(fabric, part)), part
    assert not read_fabric(net_text(build("petersen:hosts=1")), "x.net").rated


@pytest.mark.parametrize(
    ("said", "width", "gbps"),
    [
        ("4xFDR10", 4, 40.0),
        ("4xFDR", 4, 54.56),
        ("1xSDR s=1 w=1 v=4", 1, 2.0),
        ("12xQDR (scp)", 12, 96.0),
        ("2xHDR slot 3", 2, 100.0),
        ("4x???", 4, 0.0),
        ("??x???", 0, 0.0),
        ("", 0, 0.0),
    ],
)
def test_every_rate_of_ibnetdiscover(said, width, gbps):
    """All widths and speeds, with what -f and -g put behind them; unknown ones are unknown."""
    text = TINY.replace('"S0" lid 2 4xSDR', f'"S0 4xHDR" lid 2 {said}').replace(
        '"S1" lid 3 4xSDR', f'"S1" lid 3 {said}'
    )
    fabric = read_fabric(text, "x")
    assert (fabric.link_width.tolist(), fabric.link_rate_gbps.tolist()) == ([width], [pytest.approx(gbps)])


def test_of_two_ends_the_slower_counts():
    """A link that was slowed down between two looks is as slow as the later one says."""
    text = TINY.replace(
        '[2]	"S-0000000000200001"[2]		# "S1" lid 3 4xSDR',
        '[2]	"S-0000000000200001"[2]		# "S1" lid 3 1xSDR',
    )
    fabric = read_fabric(text, "x")
    assert (fabric.link_width.tolist(), fabric.link_rate_gbps.tolist()) == ([1], [2.0])


def test_a_log_of_a_terminal_is_read(caplog):
    """Tabs are lost, CR LF ends lines, prompts stand around it, the tool complains in between."""
    log = TINY.replace("\t", "")
    log = "=~=~= PuTTY log =~=~=\n[root@node ~]# ibnetdiscover\n" + log + "\n[root@node ~]#\n"
    log = log.replace(
        "\ndevid=0x0", "\nsrc/query_smp.c:195; umad (DR path slid 0) bad status 110; timed out\ndevid=0x0", 2
    )
    fabric = read_fabric(log.replace("\n", "\r\n"), "log.txt")
    assert discovered_text(fabric) == discovered_text(read_fabric(TINY, "log.txt"))
    assert "log.txt: lines of a terminal around the dump are ignored" in caplog.text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TINY + "Swi", "x:35: 'Swi' is not a line"),
        (TINY + "caguid", "x:35: 'caguid' is not a line"),
        (TINY.replace("\nswitchguid", "\nwhat is this\nswitchguid", 1), "x:9: 'what is this' is not a line"),
        ("some text\nmore\n", "x:1: 'some text' is not a line"),
    ],
)
def test_nothing_within_a_dump_is_lost(text, message):
    """A line that was cut off, or a strange one in between, is an error and no prompt."""
    with pytest.raises(InputError, match=message):
        read_fabric(text, "x")


def test_the_lines_of_g_and_m_are_known():
    """Chassis, outside ports and hops are said in ways of their own; they change nothing."""
    grouped = TINY.replace("# Initiated", "# Max of 3 hops discovered\n# Initiated")
    grouped = grouped.replace(
        "vendid=0x0", "\nChassis 1 (guid 0x200000)\n# Spine Nodes\nHostname: gate\n\nvendid=0x0", 1
    )
    grouped = grouped.replace("sysimgguid=0x200000", "sysimgguid=0x200000\t\t# Chassis 1 (gate)")
    grouped = grouped.replace(
        "vendid=0x0\ndevid=0x0\nsysimgguid=0x100002", "Non-Chassis Nodes\nvendid=0x0\ndevid=0x0\nsysimgguid=0x100002"
    )
    grouped = grouped.replace('[2]	"S-0000000000200000"[2]', '[2][ext 17]	"S-0000000000200000"[2][ext 4]')
    assert discovered_text(read_fabric(grouped, "x")) == discovered_text(read_fabric(TINY, "x"))
