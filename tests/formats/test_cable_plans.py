"""Cable plans of the ibutils and UFM, and UFM's NDT: who is a host, ports in parts of a box, rates, and bad files."""

import pytest

from topoloom import build, open_network
from topoloom.core.errors import InputError
from topoloom.fabric.compare import compare_fabrics
from topoloom.fabric.discovery import read_fabric
from topoloom.fabric.exports.registry import write_export
from topoloom.fabric.fabric import planned_fabric
from topoloom.fabric.identify import identify
from topoloom.formats import FORMATS

TOPO = """# made up
MQM8700 leaf1   # a section
   P1 -4x-50G-> HCA_1 node1 P1
   P40 -2x-100G-> MCS8500 core L16/P20

MCS8500 core
   L16/P20 -2x-100G-> MQM8700 leaf1 P40
   L3/P1 -> GSW8 leaf2 P8

MT4129 node2
   U2/P1 -4x-14G-> GSW8 leaf2 P1
"""
NDT = """#StartDevice,StartPort,EndDevice,EndPort,LinkType,Speed,,Cable Length
node1,node1 ibp11s0f0,leaf1,Port 1,Data,200000,200G HDR cable,2
Server 2 IB Port 2,IB Port 2,leaf1,Port 2,Data,200000,200G HDR cable,2.5
leaf1,Port 40,Core-A,Blade 16_Port 2/20,Data,400,,10
leaf1,Port 40,Core-A,Blade 6_Port 1/3,Management,,,
"""


def fabric(text, name):
    """What the format makes of a text."""
    return FORMATS.find(name).fabric(text.encode(), "x")


def test_a_cable_plan():
    """Switches and hosts by their types, parts of a box apart, each cable once or twice, rates in the arrows."""
    found = fabric(TOPO, "cable-plan")
    assert found.switch_names == ("leaf1", "core/L16", "core", "core/L3", "leaf2")
    assert found.host_names == ("node1", "node2 U2")
    cables = {
        (found.switch_names[u], p, found.switch_names[v], q)
        for (u, v), (p, q) in zip(found.topology.links.tolist(), found.link_ports.tolist(), strict=True)
    }
    assert cables == {("leaf1", 40, "core/L16", 20), ("core/L3", 1, "leaf2", 8)}
    assert sorted(found.link_rate_gbps.tolist()) == [0.0, 200.0]
    assert found.endpoint_rate_gbps.tolist() == pytest.approx([200.0, 54.56])
    assert found.switch_ports[found.switch_names.index("leaf2")] == 8


@pytest.mark.parametrize("kind", ["ibutils", "ufm"])
def test_what_topoloom_exports_it_reads(tmp_path, kind):
    """The plan that it writes for the ibutils or UFM is the same fabric; UFM's arrows have rates, HDR where none is known."""
    plan = planned_fabric(build("slimfly:q=5,hosts=2"))
    write_export(kind, plan, tmp_path)
    found = open_network(tmp_path / "fabric.topo").fabric
    assert found.topology.without_rates() == plan.topology.replace(labels={})
    assert found.topology.uniform_rate_gbps == (200 if kind == "ufm" else None)
    assert compare_fabrics(plan, found, identify(plan, found, "name")).same
    assert set(found.link_rate_gbps.tolist()) == ({200.0} if kind == "ufm" else {0.0})


def test_ufms_arrows_say_a_cables_own_rate(tmp_path):
    """Where it is known, as of a discovered fabric: written and read back."""
    text = 'Switch 4 "A"\n[1] "B"[1] # "B" lid 2 2xNDR\n[2] "H"[1] # "n" lid 3 1xFDR10\n'
    text += 'Switch 4 "B"\n[1] "A"[1] # "A" lid 1 2xNDR\nCa 1 "H" # "n"\n[1] "A"[2] # lid 3 lmc 0 "A" lid 1 1xFDR10\n'
    there = read_fabric(text, "x.net")
    write_export("ufm", there, tmp_path)
    found = open_network(tmp_path / "fabric.topo").fabric
    assert (found.link_width.tolist(), found.link_rate_gbps.tolist()) == ([2], [200.0])
    assert (found.endpoint_width.tolist(), found.endpoint_rate_gbps.tolist()) == ([1], [10.0])


def test_an_ndt():
    """Hosts' ports by their names, chips of directors, speeds in Mb/s or Gb/s, lengths; links of another type are none."""
    found = fabric(NDT, "ndt")
    assert found.switch_names == ("leaf1", "Core-A/L16/U2")
    assert found.host_names == ("node1 ibp11s0f0", "Server 2")
    assert found.host_ports.tolist() == [1, 2]
    assert found.link_ports.tolist() == [[40, 20]]
    assert (found.link_rate_gbps.tolist(), found.link_length_m.tolist()) == ([400.0], [10.0])
    assert (found.endpoint_rate_gbps.tolist(), found.endpoint_length_m.tolist()) == ([200.0, 200.0], [2.0, 2.5])


_HEAD = "StartDevice,StartPort,EndDevice,EndPort,LinkType\na,Port 1,b,Port 1,Data\nb,Port 2,c,Port 1,Data\n"


@pytest.mark.parametrize(
    "row",
    [
        *(
            f"a,{port},c,Port 2,Data"
            for port in ("Prot 2", "Port 2a", "Port", "P", "2", "-", "Port １", "HCA-1", "IB Port 1")
        ),
        *(f"c,Port 2,a,{port},Data" for port in ("Prt 2", "Blade 1_Prot 2/3", "Blad 1_Port 2/3", "port_2")),
        *(
            f"new,{port},c,Port 2,Data"
            for port in ("Prot 2", "Potr 2", "Pot 2", "PORTT 2", "Blda 1_Port 2/3", "IB Prot 1", "7")
        ),
        *("a,Port 2,c,Port 2,Dta", "a,Port 2,c,Port 2,Dat a"),
    ],
)
def test_a_misspelt_row_of_an_ndt_is_refused(row):
    """No cable is lost or becomes a host's: a switch has ports of switches only, and what is nearly a port is no adapter."""
    for text in (f"{_HEAD}{row}\n", f"{_HEAD.splitlines()[0]}\n{row}\n" + "\n".join(_HEAD.splitlines()[1:])):
        with pytest.raises(InputError, match=r"^x:[0-9]+: "):
            fabric(text, "ndt")


def test_what_of_an_ndt_is_not_read_is_reported(caplog):
    """Rows of other types and cells that hold no number are counted; adapters may be called as they like."""
    text = NDT + "node3,mlx5_0,leaf1,Port 3,Data,fast,,\nnode4,node4 ens2f0,leaf1,Port 4,,,,3 m\n"
    assert fabric(text, "ndt").host_names[-2:] == ("node3 mlx5_0", "node4 ens2f0")
    assert [record.getMessage() for record in caplog.records if record.levelname == "WARNING"] == [
        "x: 1 rows of LinkType 'Management' are not data cables and were not read",
        "x: 2 cells of Speed or Cable Length are not numbers and were not read",
        "x: the rates of 2 of 5 cables are not known; dropped rate_gbps",
    ]


def test_an_ndt_is_the_plan_of_what_calls_itself_by_box_and_chip():
    """MF0;core-a:MCS8500/L16/U2 is chip 2 of leaf 16 of Core-A, with a zero before it or without."""
    text = 'Switch 41 "A" # "MF0;LEAF1:MQM8700/U1"\n[40] "B"[20]\n[1] "H"[1]\n[2] "I"[2]\n'
    text += 'Switch 41 "B" # "MF0;core-a:MCS8500/L16/U2"\n[20] "A"[40]\n'
    text += 'Ca 1 "H" # "node1 ibp11s0f0"\n[1] "A"[1]\nCa 2 "I" # "Server 2"\n[2] "A"[2]\n'
    plan = fabric(NDT, "ndt")
    for there in (text, text.replace("L16", "L016")):
        actual = read_fabric(there, "x.net")
        assert compare_fabrics(plan, actual, identify(plan, actual, "name")).same


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("cable-plan", "   P1 -> GSW4 leaf P1\n", "x:1: a cable before any system"),
        ("cable-plan", "GSW4 a\n  P1 -> GSW4 b\n", "x:2: 'P1 -> GSW4 b' is not a line of a cable plan"),
        (
            "cable-plan",
            "GSW4 a\n  P1 -> GSW4 b P1\n  P1 -> GSW4 c P1\n",
            "x:3: port 1 of a already has the cable of line 2",
        ),
        ("cable-plan", "GSW4 a\n  X -> GSW4 b P1\n", "x:2: 'X' is not a port; write P7"),
        ("cable-plan", "GSW4 a\n  P0 -> GSW4 b P1\n", "x:2: port 0 of a"),
        ("cable-plan", "GSW4 a\nGCA4 a\n", "x:2: a is a host here, and a switch on line 1"),
        ("cable-plan", "GCA1 a\n  P1 -> GCA1 b P1\n", "x: names no switch"),
        (
            "ndt",
            "a,b\n1,2\n",
            "x:1: the first row needs the columns StartDevice,StartPort,EndDevice,EndPort; StartDevice is missing",
        ),
        ("ndt", "StartDevice,StartPort,EndDevice,EndPort\na,Port 1,b\n", "x:2: a row without EndPort"),
        (
            "ndt",
            "StartDevice,StartPort,EndDevice,EndPort\na,Port 0,b,Port 1\n",
            "x:2: 'Port 0': ports are numbered from 1",
        ),
        ("ndt", "StartDevice,StartPort,EndDevice,EndPort\na,IB Port 1,b,IB Port 1\n", "x: names no switch"),
        (
            "ndt",
            "StartDevice,StartPort,EndDevice,EndPort\na,Port 1,b,Port 1\na,Port 1,c,Port 1\n",
            "x:3: port 1 of a already",
        ),
    ],
)
def test_what_is_wrong_is_said(name, text, reason):
    """One sentence with the line."""
    with pytest.raises(InputError, match=reason):
        fabric(text, name)
