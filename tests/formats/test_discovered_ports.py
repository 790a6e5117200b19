"""Discoveries port by port: what real tools print of one fabric on ibsim is one fabric, whichever tool printed it.

The files in ``fixtures/ibsim`` are the output of ibnetdiscover, ibnetdiscover -p, iblinkinfo, iblinkinfo -l (of version 44)
and OpenSM 3.3.23 (opensm-subnet.lst) of one fabric on ibsim 0.10: three switches of 8 ports, one of them without a name; an
adapter with two cables, two with one; HDR.
"""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from topoloom import InputError, build, open_network, save
from topoloom.fabric.fabric import planned_fabric
from topoloom.fabric.panel_labels import panel_label
from topoloom.formats import FORMATS

IBSIM = Path(__file__).parent / "fixtures" / "ibsim"
DUMPS = ["iblinkinfo.txt", "iblinkinfo-l.txt", "ports.txt", "opensm-subnet.lst"]
BETWEEN = ["ibnetdiscover", "ibnetdiscover-ports", "iblinkinfo", "ibdiagnet", "ibdiagnet-lst", "net-dump"]
LINK = {
    "source_guid": "0c42a103001b7ab6",
    "source_port": "1",
    "destination_guid": "0c42a103009d7af6",
    "destination_port": "19",
    "source_port_dname": "HCA-2/1",
    "destination_port_dname": "19",
    "width": "IB_4x",
    "source_port_node_description": "node7 mlx5_1",
    "destination_port_node_description": "leaf1:19",
    "name": "0c42a103001b7ab6_1:0c42a103009d7af6_19",
}


def cables(fabric, hosts="guid"):
    """Every cable by names, GUIDs, LIDs and ports of both ends, with its rate."""
    topology, found = fabric.topology, set()
    for (u, v), (p, q), rate in zip(
        topology.links.tolist(), fabric.link_ports.tolist(), fabric.link_rate_gbps, strict=True
    ):
        ends = [(fabric.switch_names[s], int(fabric.switch_guids[s]), int(fabric.switch_lids[s])) for s in (u, v)]
        found.add((frozenset([(*ends[0], p), (*ends[1], q)]), float(rate)))
    for e, (s, h) in enumerate(zip(topology.endpoints.tolist(), topology.host.tolist(), strict=True)):
        switch = (fabric.switch_names[s], int(fabric.switch_guids[s]), int(fabric.switch_lids[s]))
        host = (fabric.host_names[h], int(fabric.port_guids[e]), int(fabric.port_lids[e]))
        ends = {(*switch, int(fabric.endpoint_ports[e])), (*host, int(fabric.host_ports[e]))}
        found.add((frozenset(ends), float(fabric.endpoint_rate_gbps[e])))
    return found


@pytest.fixture(scope="module")
def discovered():
    """The fabric as ibnetdiscover prints it."""
    return open_network(IBSIM / "discovered.net").fabric


@pytest.mark.parametrize("name", DUMPS)
def test_each_tool_describes_the_same_fabric(name, discovered, tmp_path):
    """Names, GUIDs and LIDs of ports, numbers of ports and rates agree; the content says what the file is."""
    assert len(cables(discovered)) == 7
    shutil.copy(IBSIM / name, tmp_path / "dump.txt")
    for path in (IBSIM / name, tmp_path / "dump.txt"):
        fabric = open_network(path).fabric
        assert cables(fabric) == cables(discovered)
        assert sorted(fabric.host_names) == sorted(discovered.host_names)
        assert sorted(zip(fabric.switch_names, fabric.switch_ports.tolist(), strict=True)) == sorted(
            zip(discovered.switch_names, discovered.switch_ports.tolist(), strict=True)
        )


def test_opensm_states_devices_with_exchanged_halves(discovered):
    """DevID:D2F0 near, D2F00000 far: one device; the adapter of the subnet manager is CA-SM."""
    fabric = open_network(IBSIM / "opensm-subnet.lst").fabric
    assert set(fabric.switch_device.tolist()) == {0xD2F0}
    assert set(fabric.host_device.tolist()) == {0x101B}
    assert sorted(fabric.host_guids.tolist()) == sorted(discovered.host_guids.tolist())


@pytest.mark.parametrize("name", BETWEEN)
def test_identities_survive(name, discovered, tmp_path):
    """What one format of InfiniBand holds of another comes back: names, GUIDs, LIDs, ports and rates."""
    path = tmp_path / f"fabric{FORMATS.find(name).suffixes[0]}"
    written = save(open_network(IBSIM / "discovered.net"), path)
    assert written.omitted == ()
    assert cables(open_network(path).fabric) == cables(discovered)


def test_what_a_format_lacks_is_reported(tmp_path):
    """NDT has neither GUIDs nor LIDs, and drops the model from the name; JSON has the names and GUIDs of switches only."""
    text = (IBSIM / "discovered.net").read_text().replace("0000000000", "b859000000").replace("=0x", "=0xb859000000")
    (tmp_path / "real.net").write_text(text.replace("(1000", "(b8590000001000").replace("(2000", "(b8590000002000"))
    network = open_network(tmp_path / "real.net")
    assert save(network, tmp_path / "x.ndt").omitted == ("GUIDs of switches and hosts", "LIDs of switches and hosts")
    plan = open_network(tmp_path / "x.ndt").fabric
    assert {"leaf01", "leaf02"} < set(plan.switch_names)
    lost = save(network, tmp_path / "x.topo").omitted
    assert lost == ("GUIDs of switches and hosts", "LIDs of switches and hosts")


def test_the_case_of_a_cut_report():
    """Two switches, two hosts, one link: port 3 is down, port 4 runs at two of four lanes, and one host has no lines."""
    fabric = FORMATS.find("iblinkinfo").fabric(
        b"CA: node01 mlx5_0:\n"
        b'      0xb8599f0300000001     3    1[  ] ==( 4X        53.125 Gbps Active/  LinkUp)==>       1    1[  ] "leaf" ( )\n'
        b"Switch: 0xb8599f0300000a01 leaf:\n"
        b'           1    1[  ] ==( 4X        53.125 Gbps Active/  LinkUp)==>       3    1[  ] "node01 mlx5_0" ( )\n'
        b'           1    2[  ] ==( 4X        53.125 Gbps Active/  LinkUp)==>       2    2[  ] "spine" ( )\n'
        b'           1    3[  ] ==(                Down/ Polling)==>             [  ] "" ( )\n'
        b'           1    4[  ] ==( 2X        53.125 Gbps Active/  LinkUp)==>       4    1[  ] "node02 mlx5_0" ( Could be 4X)\n'
        b"Switch: 0xb8599f0300000a02 spine:\n"
        b'           2    2[  ] ==( 4X        53.125 Gbps Active/  LinkUp)==>       1    2[  ] "leaf" ( )\n',
        "cut.iblinkinfo",
    )
    assert (fabric.topology.switches, len(fabric.topology.links), fabric.host_names) == (
        *(2, 1),
        ("node01 mlx5_0", "node02 mlx5_0"),
    )
    assert fabric.endpoint_rate_gbps.tolist() == [200.0, 100.0]


def test_labels_of_ports_in_a_net_dump(tmp_path):
    """Ports of Quantum-2 are cage/port; a neighbour's label is its number by the rows of the neighbour."""
    row = ' {} : {} : ACT  : LINK UP : 5 : 4x : 100 : MLNX_RS : NO-RTR : 0x{} : {} : {} : "{}"\n'
    head = " # : IB# : Sta : PhysSta : MTU : LWA : LSA : FEC mode : Retran : Neighbor Guid : N# : NLID : Neighbor Description\n"
    text = (
        '# comment\n\n"MF0;leaf1:MQM9700/U1", Mellanox, 0x1070fd0300000001, LID 2\n'
        + head
        + row.format("1/1/1", 1, "c42a103000000aa", 1, 9, "node7 mlx5_0")
        + row.format("1/17/1", 33, "1070fd0300000002", "1/2/2", 3, "MF0;spine1:MQM9700/U1")
        + " 1/17/2 : 34 : DOWN : POLLING : N/A : N/A : N/A : N/A : N/A :  :  :  : \n"
        + '"MF0;spine1:MQM9700/U1", Mellanox, 0x1070fd0300000002, LID 3\n'
        + head
        + row.format("1/2/2", 4, "1070fd0300000001", "1/17/1", 2, "MF0;leaf1:MQM9700/U1")
    )
    (tmp_path / "ibdiagnet2.net_dump").write_text(text)
    fabric = open_network(tmp_path / "ibdiagnet2.net_dump").fabric
    assert fabric.link_ports.tolist() == [[33, 4]]
    assert (fabric.host_names, fabric.port_lids.tolist(), fabric.link_rate_gbps.tolist()) == (
        ("node7 mlx5_0",),
        [9],
        [400.0],
    )


def test_panel_labels():
    """Quantum-2: two ports per cage; Quantum: only if split; Quantum-X800: NVOS names. Port 65 leads inside."""

    def label(name, ports, port):
        fabric = planned_fabric(build("complete:n=2,hosts=1"))
        fabric = replace(fabric, switch_names=(name, "other"), switch_ports=np.array([ports, 1], np.int32))
        return panel_label(fabric, 0, port)

    assert [label("MF0;a:MQM9700/U1", 65, port) for port in (1, 2, 64, 65)] == ["1/1", "1/2", "32/2", ""]
    assert [label("MF0;a:MQM8700/U1", ports, 3) for ports in (41, 81)] == ["", "2/1"]
    assert label("MF0;a:Q3400_RA/U3", 144, 144) == "sw72p2"
    assert label("leaf1", 64, 3) == ""


def test_links_and_systems_of_ufm(tmp_path):
    """The description says which end is a switch; systems add switches without links, whatever their descriptions say."""
    (tmp_path / "a.json").write_text(json.dumps([LINK]))
    fabric = open_network(tmp_path / "a.json").fabric
    assert (fabric.switch_names, fabric.host_names) == (("leaf1",), ("node7 mlx5_1",))
    assert (fabric.endpoint_ports.tolist(), fabric.endpoint_width.tolist()) == ([19], [4])
    assert fabric.port_guids.tolist() == [0x0C42A103001B7AB6]
    spare = {"system_name": "spare", "guid": "0c42a10300000001", "role": "core", "type": "switch"}
    leaf = {"system_name": "L1", "guid": "0c42a103009d7af6", "role": "tor", "ports": ["0c42a103009d7af6_40"]}
    spare["ports"] = ["0c42a10300000001_1"]
    (tmp_path / "b.ufm.json").write_text(json.dumps([LINK], indent=1) + "\n" + json.dumps([leaf, spare]))
    fabric = open_network(tmp_path / "b.ufm.json").fabric
    assert set(fabric.switch_names) == {"L1", "spare"}
    assert fabric.switch_ports.max() == 40


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("iblinkinfo", "Switch: 0x1 a:\n 1 1[ ] nonsense\n", r"net:2: .* is not a line of iblinkinfo"),
        ("iblinkinfo", ' 1 1[ ] ==( 4X 2.5 Gbps Active/ LinkUp)==> 2 1[ ] "b" ( )\n', r"net:1: a port before any node"),
        (
            "iblinkinfo",
            'Switch: 0x1 a:\n 1 1[ ] ==( 4X 2.5 Gbps Active/ LinkUp)==> 0 1[ ] "b" ( )\n',
            r"net:2: an end of a cable without GUID and LID",
        ),
        ("ibnetdiscover-ports", "SW 1 2 0x1 4x HDR -\n", r"net:1: .* is not a line of ibnetdiscover -p"),
        ("net-dump", "1 : 1 : ACT\n", r"net:1: .* is not a line of ibdiagnet2\.net_dump"),
        ("ufm-links", "[{}]", "neither links nor systems"),
        ("ufm-links", '[{"source_guid": "x"}]', "link 1, source: no source_guid of 16 hexadecimal digits"),
        ("ufm-links", json.dumps([LINK | {"source_port": "1/1"}]), "source_port is '1/1'"),
        ("ufm-links", json.dumps([LINK]) + "x", "is not JSON"),
        (
            "ufm-links",
            json.dumps([LINK, LINK | {"destination_port": "20"}]),
            "port 1 of node7 mlx5_1 already has the cable",
        ),
    ],
)
def test_refused(name, text, reason):
    """One sentence, with the line or the record."""
    with pytest.raises(InputError, match=reason):
        FORMATS.find(name).fabric(text.encode(), "net")


def test_content_wins_over_a_wrong_name(tmp_path, caplog):
    """A dump under another format's suffix is read as what it is, and that is reported; a real edge list stays one."""
    shutil.copy(IBSIM / "opensm-subnet.lst", tmp_path / "x.net")
    assert open_network(tmp_path / "x.net").topology.switches == 3
    assert "read as ibdiagnet-lst by its content, not as ibnetdiscover by its name" in caplog.text
    (tmp_path / "list.txt").write_text("0 1\n1 2\n")
    assert open_network(tmp_path / "list.txt").topology.switches == 3
    (tmp_path / "note.lst").write_text("0 1\n")
    with pytest.raises(InputError, match=r"note\.lst:1: '0 1' is not a link of ibdiagnet2\.lst"):
        open_network(tmp_path / "note.lst")


def test_a_planned_network_is_written_as_ibnetdiscover_prints_it(tmp_path):
    """The forms that other readers look for: descriptions of managed switches and adapters, LIDs, GUIDs of ports."""
    topology = build("fat-tree:k=4").with_rates(800, 400)
    save(topology, tmp_path / "spec.net")
    lines = (tmp_path / "spec.net").read_text().splitlines()
    assert lines[3].startswith("# Initiated from node 0000000000100000 port 0000000000100001")
    first = lines.index('Switch\t4 "S-0000000000200000"\t\t# "MF0;S0:topoloom/U1" enhanced port 0 lid 17 lmc 0')
    assert lines[first - 5 : first] == [
        *("", "vendid=0x0", "devid=0x0", "sysimgguid=0x200000", "switchguid=0x200000(200000)")
    ]
    assert lines[first + 1] == '[1]\t"H-0000000000100000"[1](100001) \t\t# "H0 mlx5_0" lid 1 4xNDR'
    assert lines[first + 3] == '[3]\t"S-0000000000200008"[1]\t\t# "MF0;S8:topoloom/U1" lid 25 4xXDR'
    host = lines.index('Ca\t1 "H-0000000000100000"\t\t# "H0 mlx5_0"')
    assert lines[host + 1] == (
        '[1](100001) \t"S-0000000000200000"[1]\t\t# lid 1 lmc 0 "MF0;S0:topoloom/U1" lid 17 4xNDR'
    )
    fabric = open_network(tmp_path / "spec.net").fabric
    assert fabric.same_ports(planned_fabric(topology))
    assert fabric.addressed


_QUANTUM = """#
# Topology file: generated on Mon Jan 1 18:36:59 2024
#
# Initiated from node a088c20300736bfc port a088c20300736bfc

vendid=0x2c9
devid=0xd2f2
sysimgguid=0xfc6a1c0300ba7040
switchguid=0xfc6a1c0300ba7040(fc6a1c0300ba7040)
Switch\t65 "S-fc6a1c0300ba7040"\t\t# "zone5-8/8" base port 0 lid 5601 lmc 0
[1]\t"S-fc6a1c0300d0ec00"[61]\t\t# "zone5-8/1" lid 5658 4xNDR
[33]\t"H-a088c20300f0298c"[1](a088c20300f0298c) \t\t# "node9 mlx5_12" lid 10271 4xNDR
[65]\t"H-fc6a1c0300ba7048"[1](fc6a1c0300ba7048) \t\t# "Mellanox Technologies Aggregation Node" lid 5654 4xNDR

vendid=0x2c9
devid=0xd2f2
sysimgguid=0xfc6a1c0300d0ec00
switchguid=0xfc6a1c0300d0ec00(fc6a1c0300d0ec00)
Switch\t65 "S-fc6a1c0300d0ec00"\t\t# "zone5-8/1" base port 0 lid 5658 lmc 0
[61]\t"S-fc6a1c0300ba7040"[1]\t\t# "zone5-8/8" lid 5601 4xNDR

vendid=0x2c9
devid=0xcf09
sysimgguid=0xfc6a1c0300ba7040
caguid=0xfc6a1c0300ba7048
Ca\t1 "H-fc6a1c0300ba7048"\t\t# "Mellanox Technologies Aggregation Node"
[1](fc6a1c0300ba7048) \t"S-fc6a1c0300ba7040"[65]\t\t# lid 5654 lmc 0 "zone5-8/8" lid 5601 4xNDR

vendid=0x2c9
devid=0x1021
sysimgguid=0xa088c20300f0298c
caguid=0xa088c20300f0298c
Ca\t1 "H-a088c20300f0298c"\t\t# "node9 mlx5_12"
[1](a088c20300f0298c) \t"S-fc6a1c0300ba7040"[33]\t\t# lid 10271 lmc 0 "zone5-8/8" lid 5601 4xNDR
"""
_OLD_LINKS = """CA: data-204 HCA-1:
    0x0002c903000d7aad      5    1[  ] ==( 4X          10.0 Gbps Active/ LinkUp)==>       2    4[  ] "Infiniscale-IV" ( )
Switch: 0x0002c9020046c588 Infiniscale-IV:
           2    4[  ] ==( 4X          10.0 Gbps Active/  LinkUp)==>       5    1[  ] "data-204 HCA-1" ( )
           2    5[  ] ==(                Down/ Polling)==>             [  ] "" ( )
"""
_PADDED_LINE = (
    '0xf452140300f55051 "              ib-test-7 mlx4_0"     37    1[  ] ==( 4X       14.0625 Gbps Active/  LinkUp)==>'
    '  0xf45214030067c630      5   16[  ] "MF0;switch-e1be74:SX6036/U1" ( )\n'
)
_NAMELESS = (
    "{ CA Ports:02 SystemGUID:0002c90300165e63 NodeGUID:0002c90300165e60 PortGUID:0002c90300165e61 VenID:000002c9 DevID:1003"
    " Rev:00000000  LID:0005 PN:01 } { SW Ports:24 SystemGUID:0002c90300688830 NodeGUID:0002c90300688830"
    " PortGUID:0002c90300688830 VenID:000002c9 DevID:c738 Rev:000000a1  LID:0002 PN:14 } PHY=4x LOG=ACT SPD=2.5\n"
)


@pytest.mark.parametrize(
    ("text", "switches", "host", "guid", "port", "lid"),
    [
        (_QUANTUM, ("zone5-8/8", "zone5-8/1"), "node9 mlx5_12", 0xA088C20300F0298C, 33, 10271),
        (_OLD_LINKS, ("Infiniscale-IV",), "data-204 HCA-1", 0x0002C903000D7AAD, 4, 5),
        (_PADDED_LINE, ("MF0;switch-e1be74:SX6036/U1",), "ib-test-7 mlx4_0", 0xF452140300F55051, 16, 37),
        (_NAMELESS, ("0x0002c90300688830",), "0x0002c90300165e60", 0x0002C90300165E61, 20, 5),
    ],
    ids=[
        "Rapimt, ibnetdiscover of Quantum-2",
        "iblinkinfo of ConnectX-2",
        "iblinkinfo -l",
        "ibdiagnet2.lst without names",
    ],
)
def test_excerpts_of_public_files(text, switches, host, guid, port, lid, tmp_path):
    """Forms that real tools printed, with other names: GUIDs, ports and LIDs are read, whatever the file is named."""
    (tmp_path / "found.txt").write_text(text)
    fabric = open_network(tmp_path / "found.txt", lenient=True).fabric
    assert fabric.switch_names == switches
    end = fabric.host_names.index(host)
    (endpoint,) = np.flatnonzero(fabric.topology.host == end)
    assert int(fabric.port_guids[endpoint]) == guid
    assert (int(fabric.endpoint_ports[endpoint]), int(fabric.port_lids[endpoint])) == (port, lid)
