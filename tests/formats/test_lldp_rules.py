"""Each rule by which neighbour tables become cables, in one row: what devices print, and the cables that follow.

Devices write lldpd's form unless the row is about another one. A cable is both of its ends, each device and port; "" is a port
that nobody states.
"""

import json

import pytest

from topoloom import InputError, diagnose, open_network
from topoloom.fabric.flaws import SEVERAL_HEARD, STALE
from topoloom.fabric.port_names import is_management_port, named_plugs, whole_port
from topoloom.formats._lldp.folder import fabric_of_folder

MAC = "00:00:5e:00:53:01"


def entry(port, name, far, far_type="ifname", chassis="", descr="", chassis_type="mac", address="", ttl="120"):
    """What lldpd prints for one neighbour."""
    of = {"id": {"type": chassis_type, "value": chassis}} | ({"mgmt-ip": address} if address else {})
    at_port = {"id": {"type": far_type, "value": far}, "descr": descr, "ttl": ttl}
    return {port: {"via": "LLDP", "chassis": {name: of} if name else of, "port": at_port}}


def lldpd(*entries, name="", chassis="", address=""):
    """What lldpd prints on one device, with its own chassis if given."""
    value = {"lldp": {"interface": list(entries)}}
    if chassis or address:
        of = {"id": {"type": "mac", "value": chassis}, "mgmt-ip": address}
        value["local-chassis"] = {"chassis": {name: of}}
    return json.dumps(value)


def eos(**ports):
    """EOS: the port, and the quoted id and the type of the far one."""
    return json.dumps(
        {
            "lldpNeighbors": {
                port: {
                    "lldpNeighborInfo": [
                        {
                            "systemName": name,
                            "neighborInterfaceInfo": {"interfaceId": f'"{far}"', "interfaceIdType": kind},
                        }
                    ]
                }
                for port, (name, far, kind) in ports.items()
            }
        }
    )


def nxos(*rows):
    """NX-OS: one row is an object."""
    table = [{"l_port_id": port, "sys_name": name, "port_id": far} for port, name, far in rows]
    return json.dumps({"TABLE_nbor_detail": {"ROW_nbor_detail": table[0] if len(table) == 1 else table}})


def junos(local_id, interface, name, far="", descr=""):
    """Junos: every leaf is a list of one object."""
    leaves = {
        "local-port-id": local_id,
        "local-interface": interface,
        "local-parent-interface-name": "ae0",
        "remote-system-name": name,
        "remote-port-id": far,
        "remote-port-description": descr,
    }
    row = {f"lldp-{key}": [{"data": value}] for key, value in leaves.items() if value}
    return json.dumps({"lldp-neighbors-information": [{"lldp-neighbor-information": [row]}]})


def openconfig(*neighbours):
    """OpenConfig: the port and the state of each neighbour, without the types of ids."""
    interfaces = [
        {"name": port, "neighbors": {"neighbor": [{"id": "7", "state": state}]}} for port, state in neighbours
    ]
    return json.dumps({"openconfig-lldp:lldp": {"interfaces": {"interface": interfaces}}})


def nvue(**ports):
    """NVUE: the MAC address of each port, and what it hears: name, type and text of the id."""
    return json.dumps(
        {
            port: {
                "type": "swp",
                "link": {"mac": mac},
                "lldp": {
                    "neighbor": {
                        "1": {"chassis": {"system-name": of[0]}, "port": {"type": of[1], "name": of[2]}} if of else {}
                    }
                },
            }
            for port, (mac, of) in ports.items()
        }
    )


TABLE = """Capability codes: (R) Router, (B) Bridge, (O) Other
LocalPort    RemoteDevice    RemotePortID    Capability    RemotePortDescr
-----------  --------------  --------------  ------------  -----------------
Ethernet0    spine1          swp1            BR
Ethernet4                    swp1            BR            x
--------------------------------------------------
Total entries displayed:  2
"""

#: Of each rule: the files of devices, and the cables.
RULES = {
    "device: exact name": ({"a": lldpd(entry("p1", "b", "q1")), "b": lldpd()}, [("a", "p1", "b", "q1")]),
    "device: capitals": ({"a": lldpd(entry("p1", "B", "q1")), "b": lldpd()}, [("a", "p1", "b", "q1")]),
    "device: domain": ({"a": lldpd(entry("p1", "b.x.net", "q1")), "b": lldpd()}, [("a", "p1", "b", "q1")]),
    "device: domain on the file": (
        {"a": lldpd(entry("p1", "b", "q1")), "b.x.net": lldpd()},
        [("a", "p1", "b.x.net", "q1")],
    ),
    "device: domain, heard by two": (
        {"a": lldpd(entry("p1", "b", "q1")), "c": lldpd(entry("p1", "b.x.net", "q2"))},
        [("a", "p1", "b", "q1"), ("c", "p1", "b", "q2")],
    ),
    "device: dots are of the name": (
        {"a": lldpd(entry("p1", "sw.1", "q1"), entry("p2", "sw.2", "q1")), "sw": lldpd()},
        [("a", "p1", "sw.1", "q1"), ("a", "p2", "sw.2", "q1")],
    ),
    "device: chassis": (
        {"a": lldpd(entry("p1", "", "q1", chassis=MAC)), "b": lldpd(name="b", chassis=MAC)},
        [("a", "p1", "b", "q1")],
    ),
    "device: chassis that another device heard with the name": (
        {"a": lldpd(entry("p1", "", "q1", chassis=MAC)), "c": lldpd(entry("p1", "b", "q2", chassis=MAC))},
        [("a", "p1", "b", "q1"), ("c", "p1", "b", "q2")],
    ),
    "device: chassis of two names tells nothing": (
        {
            "a": lldpd(entry("p1", "", "q1", chassis=MAC)),
            "c": lldpd(entry("p1", "b", "q2", chassis=MAC), entry("p2", "d", "q2", chassis=MAC)),
        },
        [("a", "p1", MAC, "q1"), ("c", "p1", "b", "q2"), ("c", "p2", "d", "q2")],
    ),
    "device: address": (
        {"a": lldpd(entry("p1", "", "q1", address="192.0.2.7")), "b": lldpd(name="b", address="192.0.2.7")},
        [("a", "p1", "b", "q1")],
    ),
    "device: address as the chassis": (
        {
            "a": lldpd(entry("p1", "", "q1", chassis="192.0.2.7", chassis_type="ip")),
            "b": lldpd(name="b", address="192.0.2.7"),
        },
        [("a", "p1", "b", "q1")],
    ),
    "device: a component or local id is its name": (
        {"a": lldpd(entry("p1", "", "q1", chassis="Serial-7", chassis_type="local"))},
        [("a", "p1", "Serial-7", "q1")],
    ),
    **{
        f"port: {kind} as the name": (
            {
                "a": lldpd(entry("p1", "b", "q1", kind, descr="q2")),
                "b": lldpd(entry("q1", "a", "p1"), entry("q2", "c", "p1")),
            },
            [("a", "p1", "b", "q1"), ("b", "q2", "c", "p1")],
        )
        for kind in ("ifname", "ifalias", "local")
    },
    **{
        f"port: {kind} as the description": (
            {"a": lldpd(entry("p1", "b", "uplink", kind, descr="q1")), "b": lldpd(entry("q1", "a", "p1"))},
            [("a", "p1", "b", "q1")],
        )
        for kind in ("ifname", "ifalias", "local")
    },
    "port: alias before description": (
        {
            "a": lldpd(entry("p1", "b", "etp1a", "local", descr="Ethernet4")),
            "b": json.dumps(
                {
                    "DEVICE_METADATA": {"localhost": {"hostname": "b"}},
                    "PORT": {"Ethernet0": {"alias": "etp1a"}, "Ethernet4": {"alias": "etp1b"}},
                }
            ),
        },
        [("a", "p1", "b", "Ethernet0")],
    ),
    **{
        f"port: MAC {mac} of a known port": (
            {"a": lldpd(entry("p1", "b", mac, "mac")), "b": nvue(swp1=(MAC, None), swp2=("00:00:5e:00:53:02", None))},
            [("a", "p1", "b", "swp1")],
        )
        for mac in (MAC, "0000.5e00.5301", "0000-5E00-5301")
    },
    "port: MAC of all ports tells nothing": (
        {"a": lldpd(entry("p1", "b", MAC, "mac")), "b": nvue(swp1=(MAC, None), swp2=(MAC, None))},
        [("a", "p1", "b", "")],
    ),
    "port: MAC, and a description that names a port": (
        {"a": lldpd(entry("p1", "b", MAC, "mac", descr="eth1"))},
        [("a", "p1", "b", "eth1")],
    ),
    "port: MAC, and a description like the names of its ports": (
        {"a": lldpd(entry("p1", "b", MAC, "mac", descr="ens2")), "b": lldpd(entry("ens1", "c", "p1"))},
        [("a", "p1", "b", "ens2"), ("b", "ens1", "c", "p1")],
    ),
    "port: MAC, and words": (
        {"a": lldpd(entry("p1", "b", MAC, "mac", descr="port to leaf 1"))},
        [("a", "p1", "b", "")],
    ),
    "port: MAC, and the entry of the other end": (
        {"a": lldpd(entry("p1", "b", MAC, "mac", descr="to-a-1")), "b": lldpd(entry("swp7", "a", "p1"))},
        [("a", "p1", "b", "swp7")],
    ),
    "port: number of SNMP with a description": (
        {"a": lldpd(entry("p1", "b", "512", "local", descr="et-0/0/1"))},
        [("a", "p1", "b", "et-0/0/1")],
    ),
    "port: number of SNMP, and the entry of the other end": (
        {"a": lldpd(entry("p1", "b", "512", "local", descr="to-a")), "b": lldpd(entry("et-0/0/1", "a", "p1"))},
        [("a", "p1", "b", "et-0/0/1")],
    ),
    "port: numbers are names": ({"a": lldpd(entry("p1", "b", "7", "local", descr="7"))}, [("a", "p1", "b", "7")]),
    "host: firmware alone": (
        {"a": lldpd(entry("p1", "", MAC, "mac", chassis=MAC, descr="ConnectX"))},
        [("a", "p1", MAC, "")],
    ),
    "host: firmware beside an agent": (
        {"a": lldpd(entry("p1", "", MAC, "mac", chassis=MAC), entry("p1", "b", "eth0", chassis="00:00:5e:00:53:77"))},
        [("a", "p1", "b", "eth0")],
    ),
    "host: firmware with the chassis of the agent": (
        {
            "a": lldpd(entry("p1", "", MAC, "mac", chassis=MAC), entry("p1", "b", "eth0", chassis=MAC)),
            "b": lldpd(name="b", chassis=MAC),
        },
        [("a", "p1", "b", "eth0")],
    ),
    "members, not aggregates": (
        {
            "a": lldpd(entry("bond0", "b", "q1"), entry("p1", "b", "q1"), entry("p2", "b", "Port-Channel1")),
            "b": lldpd(entry("q1", "a", "p1"), entry("q2", "a", "p2")),
        },
        [("a", "p1", "b", "q1"), ("a", "p2", "b", "q2")],
    ),
    "management ports are skipped": (
        {
            "a": lldpd(
                *(
                    entry(port, "oob", f"x{i}")
                    for i, port in enumerate(("eth0", "mgmt0", "me0", "fxp0", "Management1"))
                ),
                entry("p1", "b", "q1"),
            )
        },
        [("a", "p1", "b", "q1")],
    ),
    "a switch with itself": (
        {"a": lldpd(entry("p1", "a", "p2"), entry("p2", "a", "p1"), entry("p3", "b", "q1"))},
        [("a", "p1", "a", "p2"), ("a", "p3", "b", "q1")],
    ),
    "NX-OS: Eth1/1 and Ethernet1/1": (
        {
            "a": nxos(("Eth1/1", "b", "Ethernet1/2")),
            "b": nxos(("Eth1/2", "a", "Ethernet1/1"), ("Eth1/3", "c", "not advertised")),
        },
        [("a", "Ethernet1/1", "b", "Ethernet1/2"), ("b", "Ethernet1/3", "c", "")],
    ),
    "SONiC: empty cells": ({"a": TABLE}, [("a", "Ethernet0", "spine1", "swp1")]),
    "Junos: number as the local id": (
        {"a": junos("517", "et-0/0/1.0", "b", "et-0/0/2.0"), "b": junos("", "et-0/0/2", "a", descr="et-0/0/1")},
        [("a", "et-0/0/1", "b", "et-0/0/2")],
    ),
    "EOS: quotation marks": (
        {"a": eos(**{"Ethernet1/1": ("b", "et-0/0/20", "interfaceName")})},
        [("a", "Ethernet1/1", "b", "et-0/0/20")],
    ),
    "OpenConfig: no types": (
        {
            "a": openconfig(
                ("e1", {"system-name": "b", "port-id": "e2"}),
                ("e3", {"system-name": "c", "port-id": MAC, "port-description": "eth1"}),
            )
        },
        [("a", "e1", "b", "e2"), ("a", "e3", "c", "eth1")],
    ),
    "gNMI: an update per value": (
        {
            "a": json.dumps(
                [
                    {
                        "updates": [
                            {
                                "Path": f"lldp/interfaces/interface[name=e1]/neighbors/neighbor[id=1]/state/{key}",
                                "values": {"x": value},
                            }
                            for key, value in (("system-name", "b"), ("port-id", "e2"))
                        ]
                    }
                ]
            )
        },
        [("a", "e1", "b", "e2")],
    ),
    "lldpd: one neighbour, which has no name": (
        {"a": json.dumps({"lldp": {"interface": entry("p1", "", "q1", chassis=MAC)}})},
        [("a", "p1", MAC, "q1")],
    ),
}


def opened(folder, files):
    """The fabric of a folder with these files."""
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        (folder / f"{name}.{'txt' if content is TABLE else 'json'}").write_text(content)
    return fabric_of_folder(folder, lenient=True)


@pytest.mark.parametrize("rule", RULES)
def test_rule(rule, tmp_path):
    """The cables are exactly those of the rule, and nothing is reported as no cable."""
    files, cables = RULES[rule]
    fabric = opened(tmp_path / "lldp", files)
    assert {frozenset(ends) for ends in named_plugs(fabric)} == {frozenset({(a, p), (b, q)}) for a, p, b, q in cables}
    assert not fabric.flaws


@pytest.mark.parametrize("where", ["chassis", "port"])
def test_a_mac_of_eleven_digits_warns(where, tmp_path, caplog):
    """It equals no MAC of twelve digits, and as the id of a port it is no name."""
    short = MAC.replace("01", "1")
    row = entry("p1", "", "q1", chassis=short) if where == "chassis" else entry("p1", "b", short, "")
    fabric = opened(tmp_path / "lldp", {"a": lldpd(row), "b": lldpd(name="b", chassis=MAC)})
    (ends,) = named_plugs(fabric)
    assert set(ends) == {("a", "p1"), (short, "q1") if where == "chassis" else ("b", "")}
    assert f"1 MAC addresses have 11 digits, the first '{short}'" in caplog.text


def test_a_host_without_an_agent_is_unseen(tmp_path):
    """A planned host that nobody hears is a note (TL209), not a missing host."""
    plan = tmp_path / "plan.dot"
    plan.write_text('graph g { "leaf1":"p1" -- "spine1":"q1"; "leaf1":"p2" -- "gpu1":"eth0"; }')
    opened(
        tmp_path / "lldp", {"leaf1": lldpd(entry("p1", "spine1", "q1")), "spine1": lldpd(entry("q1", "leaf1", "p1"))}
    )
    assert [each.code for each in diagnose(plan, open_network(tmp_path / "lldp")).diagnostics] == ["TL209"]


def test_a_planned_cable_of_a_switch_with_itself_is_right(tmp_path):
    """Loops are legal where they are planned: no rule about wrong or missing cables."""
    plan = tmp_path / "plan.dot"
    plan.write_text('graph g { "leaf1":"p1" -- "leaf1":"p2"; "leaf1":"p3" -- "spine1":"q1"; }')
    rows = entry("p1", "leaf1", "p2"), entry("p2", "leaf1", "p1"), entry("p3", "spine1", "q1")
    opened(tmp_path / "lldp", {"leaf1": lldpd(*rows), "spine1": lldpd(entry("q1", "leaf1", "p3"))})
    assert diagnose(plan, open_network(tmp_path / "lldp")).comparison["same"]


@pytest.mark.parametrize("form", ["lldpd", "nvue", "eos", "nxos", "openconfig"])
def test_an_entry_without_time_to_live_is_reported_and_no_cable(form, tmp_path):
    """The other entries of the file are read; next to a valid entry of the same port nothing is unclear."""
    stale = {
        "lldpd": lldpd(entry("p1", "b", "q1", ttl="0"), entry("p1", "c", "q1"), entry("p2", "c", "q2")),
        "nvue": json.dumps(
            {
                "p1": {
                    "type": "swp",
                    "lldp": {
                        "neighbor": {
                            "b": {"chassis": {"system-name": "b"}, "port": {"ttl": 0}},
                            "c": {"chassis": {"system-name": "c"}, "port": {"name": "q1", "ttl": 120}},
                        }
                    },
                },
                "p2": {
                    "type": "swp",
                    "lldp": {"neighbor": {"c": {"chassis": {"system-name": "c"}, "port": {"name": "q2", "ttl": 120}}}},
                },
            }
        ),
        "eos": json.dumps(
            {
                "lldpNeighbors": [
                    {"port": p, "neighborDevice": n, "neighborPort": q, "ttl": t}
                    for p, n, q, t in (("p1", "b", "q1", 0), ("p1", "c", "q1", 120), ("p2", "c", "q2", 120))
                ]
            }
        ),
        "nxos": json.dumps(
            {
                "TABLE_nbor_detail": {
                    "ROW_nbor_detail": [
                        {"l_port_id": p, "sys_name": n, "port_id": q, "ttl": t}
                        for p, n, q, t in (("p1", "b", "q1", "0"), ("p1", "c", "q1", "120"), ("p2", "c", "q2", "99"))
                    ]
                }
            }
        ),
        "openconfig": openconfig(
            ("p1", {"system-name": "b", "port-id": "q1", "ttl": 0}),
            ("p1", {"system-name": "c", "port-id": "q1", "ttl": 120}),
            ("p2", {"system-name": "c", "port-id": "q2"}),
        ),
    }[form]
    fabric = opened(tmp_path / "lldp", {"a": stale})
    assert {frozenset(ends) for ends in named_plugs(fabric)} == {
        frozenset({("a", p), ("c", q)}) for p, q in (("p1", "q1"), ("p2", "q2"))
    }
    assert [flaw.kind for flaw in fabric.flaws] == [STALE]
    assert [each.code for each in diagnose(fabric).diagnostics if "time to live" in each.text] == ["TL113"]


def test_several_neighbours_of_one_port_are_reported(tmp_path):
    """A segment is no cable."""
    fabric = opened(
        tmp_path / "lldp", {"a": lldpd(entry("p1", "b", "q1"), entry("p1", "c", "q1"), entry("p2", "c", "q2"))}
    )
    assert [flaw.kind for flaw in fabric.flaws] == [SEVERAL_HEARD]


@pytest.mark.parametrize(
    ("lane", "whole"),
    [
        *(
            ("swp1s0", "swp1"),
            ("sw1p1", "sw1"),
            ("etp1a", "etp1"),
            ("et-0/0/0:0", "et-0/0/0"),
            ("et-0/0/0:0.0", "et-0/0/0"),
        ),
        *(
            ("Ethernet1/1/1", "ethernet1/1"),
            ("Eth1/1/1", "ethernet1/1"),
            ("Ethernet1/1", ""),
            ("Ethernet4", ""),
            ("1/2", ""),
        ),
    ],
)
def test_lanes_of_all_makers(lane, whole):
    """The port that is split, where the name tells; SONiC's names are numbers of lanes."""
    assert whole_port(lane) == whole


@pytest.mark.parametrize("name", ["eth0", "mgmt0", "me0", "fxp0", "Management1", "me0.0"])
def test_ports_of_management(name):
    """Of all makers."""
    assert is_management_port(name)


PLAN = 'graph g {\n"leaf1":"swp1" -- "spine1":"swp1"\n"leaf1":"swp2" -- "spine2":"swp1"\n"leaf1":"swp3" -- "srv1":"ens1f0"\n}\n'
TO_SPINES = (entry("swp1", "spine1", "swp1"), entry("swp2", "spine2", "swp1"))
FROM_SPINES = {"spine1": lldpd(entry("swp1", "leaf1", "swp1")), "spine2": lldpd(entry("swp1", "leaf1", "swp2"))}


def diagnosed(folder, files):
    """The diagnostics of a small fabric against its plan."""
    (folder / "plan.dot").write_text(PLAN)
    (folder / "found").mkdir()
    return diagnose(str(folder / "plan.dot"), opened(folder / "found", files))


def test_an_old_entry_next_to_the_right_one_is_no_fault_of_the_cable(tmp_path):
    """Both ends hear each other; an old entry of another device, which hears another port of this one, is only reported."""
    old = entry("swp1", "spine2", "swp1")
    leaf = lldpd(*TO_SPINES, old, entry("swp3", "srv1", "ens1f0"))
    report = diagnosed(tmp_path, {"leaf1": leaf, **FROM_SPINES})
    assert [finding.code for finding in report.diagnostics] == ["TL113"]
    assert "only spine1 hears it, too, and counts" in report.diagnostics[0].text


def test_a_port_that_two_devices_disagree_about_has_no_cable(tmp_path):
    """spine1 hears the leaf's port, which hears a third switch that hears nothing there: no cable is invented."""
    leaf = lldpd(entry("swp1", "spine2", "swp7"), TO_SPINES[1], entry("swp3", "srv1", "ens1f0"))
    report = diagnosed(tmp_path, {"leaf1": leaf, **FROM_SPINES})
    codes = {finding.code for finding in report.diagnostics}
    assert {"TL101", "TL113"} <= codes
    assert not {"TL103", "TL106"} & codes


def test_a_card_without_a_name_is_the_planned_host(tmp_path):
    """Its chassis and port are a MAC, and its description is its model: the port is not stated, and nothing is wrong."""
    card = entry("swp3", "", "00:00:5e:00:54:01", "mac", "00:00:5e:00:54:01", "ConnectX-7")
    report = diagnosed(tmp_path, {"leaf1": lldpd(*TO_SPINES, card), **FROM_SPINES})
    assert report.diagnostics == ()


def test_hosts_with_names_stay_who_they_are_next_to_one_without(tmp_path):
    """The order of devices decides nothing: only those without a planned name are matched by their place."""
    (tmp_path / "plan.dot").write_text(
        "graph g {\n" + "".join(f'"leaf1":"swp{i}" -- "srv{i}":"ens1f0"\n' for i in range(1, 9)) + "}\n"
    )
    entries = [entry(f"swp{i}", f"srv{i}", "ens1f0") for i in range(2, 9)]
    card = entry("swp1", "", "00:00:5e:00:54:01", "mac", "00:00:5e:00:54:01", "ConnectX-7")
    (tmp_path / "found").mkdir()
    assert (
        diagnose(str(tmp_path / "plan.dot"), opened(tmp_path / "found", {"leaf1": lldpd(card, *entries)})).diagnostics
        == ()
    )


@pytest.mark.parametrize("order", [1, -1])
def test_show_chassis_and_show_neighbors_in_one_file(order, tmp_path):
    """One output after the other, as a shell writes them; the file's own name does not count then."""
    outputs = ['{"local-chassis": {"chassis": {"leaf1": {}}}}\n', lldpd(*TO_SPINES) + "\n"]
    fabric = opened(tmp_path, {"out0": "".join(outputs[::order]), **FROM_SPINES})
    assert sorted(fabric.switch_names) == ["leaf1", "spine1", "spine2"]


def test_outputs_of_several_devices_need_their_names(tmp_path):
    """Two tables one after the other, and nobody says whose the second is."""
    with pytest.raises(InputError, match="several outputs, of which one does not name its device"):
        opened(tmp_path, {"out0": lldpd(*TO_SPINES) + "\n" + lldpd(TO_SPINES[0])})


def test_a_switch_without_a_file_is_named(tmp_path, caplog):
    """A file that was forgotten is not a full check; hosts have none."""
    leaf = lldpd(*TO_SPINES, entry("swp3", "srv1", "ens1f0"))
    opened(tmp_path, {"leaf1": leaf, "spine1": FROM_SPINES["spine1"]})
    assert "1 switch not read, only heard by neighbours: spine2; 1 cable is seen from one end" in caplog.text


def test_cables_seen_from_one_end_are_counted_once(tmp_path, caplog):
    """One for each port that hears a switch without a file; the cables of hosts are not among them."""
    leaf = lldpd(*TO_SPINES, entry("swp4", "spine2", "swp2"), entry("swp3", "srv1", "ens1f0"))
    opened(tmp_path, {"leaf1": leaf, "spine1": FROM_SPINES["spine1"]})
    assert "only heard by neighbours: spine2; 2 cables are seen from one end" in caplog.text


@pytest.mark.parametrize("folder", ["hall", "hall.2", "hall.gz", ".hall"])
def test_the_name_of_a_folder_has_no_suffix(folder, tmp_path):
    """Metrics and reports call a discovery as its folder is called."""
    assert opened(tmp_path / folder, {"leaf1": lldpd(*TO_SPINES), **FROM_SPINES}).topology.name == folder
