"""Findings on neighbour tables say what an installer needs: one name per port, its alias, what was not read, and the cause."""

import json

import pytest

from topoloom import InputError, diagnose, open_network

HEADS = "A-Node,A-Type,A-Port,Z-Node,Z-Type,Z-Port"


def planned(folder, *rows):
    (folder / "plan.csv").write_text("\n".join([HEADS, *rows]) + "\n")
    return folder / "plan.csv"


def lldpd(folder, name, **heard):
    """What a device hears by lldpd: for each port one device and its port, or several."""
    folder.mkdir(exist_ok=True)
    entries = [
        {
            port: {
                "via": "LLDP",
                "chassis": {device: {"id": {"type": "local", "value": device}}},
                "port": {"id": {"type": "ifname", "value": far}, "ttl": ttl},
            }
        }
        for port, several in heard.items()
        for device, far, ttl in several
    ]
    (folder / f"{name}.json").write_text(json.dumps({"lldp": {"interface": entries}}))


def findings(plan, folder):
    """Code, text, and the codes of the causes of all findings."""
    numbered = diagnose(plan, open_network(folder, lenient=True)).diagnostics
    code_of = {each.number: each.code for each in numbered}
    return [(each.code, each.text, {code_of[number] for number in each.because_of}) for each in numbered]


@pytest.mark.parametrize(
    "there",
    [
        pytest.param(
            {"leaf1": {"swp1": [("spine1", "swp9", "120")]}, "spine1": {"swp9": [("leaf2", "swp9", "120")]}},
            id="conflict",
        ),
        pytest.param({"leaf1": {"swp1": [("spine1", "swp7", "120"), ("x", "y", "120")]}, "spine1": {}}, id="several"),
        pytest.param({"leaf1": {"swp1": [("spine1", "swp7", "0")]}, "spine1": {}}, id="no time left"),
    ],
)
def test_a_missing_cable_follows_from_entries_that_are_no_cable(tmp_path, there):
    """Its port hears something that cannot be a cable: that is the cause. A cable of another port is missing by itself."""
    plan = planned(
        tmp_path,
        "leaf1,switch,swp1,spine1,switch,swp7",
        "leaf1,switch,swp2,spine1,switch,swp8",
        "leaf2,switch,swp1,spine1,switch,swp1",
        "leaf1,switch,swp3,leaf2,switch,swp3",
    )
    there["leaf1"] = {**there["leaf1"], "swp3": [("leaf2", "swp3", "120")]}
    there["leaf2"] = {"swp1": [("spine1", "swp1", "120")], "swp3": [("leaf1", "swp3", "120")]}
    there["spine1"] = {**there["spine1"], "swp1": [("leaf2", "swp1", "120")]}
    for name, heard in there.items():
        lldpd(tmp_path / "lldp", name, **heard)
    found = findings(plan, tmp_path / "lldp")
    missing = {text: causes for code, text, causes in found if code == "TL101"}
    assert missing == {
        "missing: planned leaf1 port swp1 - spine1 port swp7": {"TL113"},
        "missing: planned leaf1 port swp2 - spine1 port swp8": set(),
    }


def test_an_unseen_host_says_that_its_switch_was_not_read(tmp_path):
    """Only its neighbour names leaf2, so nothing is known of the hosts at its other ports; leaf1 was read."""
    plan = planned(
        tmp_path,
        "leaf1,switch,swp1,leaf2,switch,swp1",
        "leaf1,switch,swp2,gpu1,host,eth1",
        "leaf2,switch,swp2,gpu2,host,eth1",
        "leaf1,switch,swp3,gpu3,host,eth1",
    )
    lldpd(tmp_path / "lldp", "leaf1", swp1=[("leaf2", "swp1", "120")], swp3=[("gpu3", "eth1", "120")])
    lldpd(tmp_path / "lldp", "gpu3", eth1=[("leaf1", "swp3", "120")])
    unseen = "is unseen: no cable to it was read; planned"
    assert [text for code, text, _ in findings(plan, tmp_path / "lldp") if code == "TL209"] == [
        f"host gpu1 {unseen} leaf1 port swp2 - gpu1 port eth1",
        f"host gpu2 {unseen} leaf2 port swp2 - gpu2 port eth1; leaf2 was not read",
    ]


def nxos(folder, name, *rows):
    folder.mkdir(exist_ok=True)
    keys = ("l_port_id", "sys_name", "port_id")
    content = [{**dict(zip(keys, row, strict=True)), "chassis_id": "", "port_type": "5", "ttl": "120"} for row in rows]
    (folder / f"{name}.json").write_text(json.dumps({"TABLE_nbor_detail": {"ROW_nbor_detail": content}}))


@pytest.mark.parametrize("spelling", ["Ethernet", "Eth"])
def test_a_port_has_one_spelling_in_a_report(tmp_path, spelling):
    """That of the plan, else the whole word: NX-OS shortens its own ports and not those of neighbours."""
    plan = planned(tmp_path, f"leaf1,switch,{spelling}1/1,spine1,switch,{spelling}1/7")
    nxos(tmp_path / "lldp", "leaf1", ("Eth1/1", "spine1", "Ethernet1/9"))
    nxos(tmp_path / "lldp", "spine1", ("Eth1/9", "leaf1", "Ethernet1/1"))
    ((_, text, _),) = findings(plan, tmp_path / "lldp")
    place = "other port: leaf1 port {0}1/1 is in spine1 port Ethernet1/9, should be port {0}1/7"
    assert text == place.format(spelling)
    names = open_network(tmp_path / "lldp").fabric.switch_port_names
    assert [*map(dict, names)] == [{1: "Ethernet1/1"}, {9: "Ethernet1/9"}]


@pytest.mark.parametrize(
    ("word", "texts"),
    [("Ethernet8", ("Ethernet0 (etp1)", "Ethernet8 (etp2)")), ("etp2", ("etp1 (Ethernet0)", "etp2 (Ethernet8)"))],
)
def test_the_other_name_of_a_port_follows_it(tmp_path, word, texts):
    """A port that has an alias is shown with both names: the plan's first."""
    plan = planned(tmp_path, f"leaf1,switch,{word},spine1,switch,swp7")
    (tmp_path / "lldp").mkdir()
    content = {
        "DEVICE_METADATA": {"localhost": {"hostname": "leaf1"}},
        "PORT": {"Ethernet0": {"alias": "etp1"}, "Ethernet8": {"alias": "etp2"}},
        "LLDP_ENTRY_TABLE:Ethernet0": {
            "lldp_rem_sys_name": "spine1",
            "lldp_rem_port_id": "swp7",
            "lldp_rem_port_id_subtype": "5",
        },
    }
    (tmp_path / "lldp" / "leaf1.json").write_text(json.dumps(content))
    ((_, text, _),) = findings(plan, tmp_path / "lldp")
    assert text == f"other port: spine1 port swp7 is in leaf1 port {texts[0]}, should be port {texts[1]}"


@pytest.mark.parametrize("form", ["lldpd", "sonic"])
@pytest.mark.parametrize("name", ["=HYPERLINK(1)", "<b>x</b>", "'; drop", "\u202etxt"])
def test_a_station_is_a_host_whatever_its_name(tmp_path, form, name):
    """A device that says that it is neither bridge nor router is no switch, though its name and port tell nothing."""
    plan = planned(tmp_path, "leaf1,switch,Ethernet0,spine1,switch,Ethernet8", "leaf1,switch,Ethernet4,gpu1,host,eth1")
    heard = {"Ethernet0": ("spine1", "Ethernet8", False), "Ethernet4": ("gpu1", "eth1", True)}
    heard |= {"Ethernet12": (name, "00:00:5e:00:53:77", True), "Ethernet16": ("leaf7", "00:00:5e:00:53:78", True)}
    (tmp_path / "lldp").mkdir()
    if form == "sonic":
        content = {
            f"LLDP_ENTRY_TABLE:{port}": {
                "lldp_rem_sys_name": device,
                "lldp_rem_port_id": far,
                "lldp_rem_port_id_subtype": "3" if ":" in far else "5",
                "lldp_rem_sys_cap_enabled": "01 00" if station else "28 00",
            }
            for port, (device, far, station) in heard.items()
        }
        content["DEVICE_METADATA"] = {"localhost": {"hostname": "leaf1"}}
    else:
        capability = [{"type": "Bridge", "enabled": False}, {"type": "Station", "enabled": True}]
        entries = [
            {
                port: {
                    "via": "LLDP",
                    "chassis": {
                        device: {"capability": capability if station else [{"type": "Router", "enabled": True}]}
                    },
                    "port": {"id": {"type": "mac" if ":" in far else "ifname", "value": far}},
                }
            }
            for port, (device, far, station) in heard.items()
        ]
        content = {"lldp": {"interface": entries}}
    (tmp_path / "lldp" / "leaf1.json").write_text(json.dumps(content))
    codes = {code: text for code, text, _ in findings(plan, tmp_path / "lldp")}
    if name.isprintable():
        assert codes.keys() == {"TL202", "TL204"}
        assert codes["TL202"].startswith("switch leaf7 is not in the plan")
        assert codes["TL204"].startswith(f"host {name} is not in the plan")
    else:
        assert codes.keys() == {"TL202", "TL113"}


CONFIGURATIONS = {
    "config_db.json": lambda peers: json.dumps(
        {
            "DEVICE_METADATA": {"localhost": {"hostname": "leaf1"}},
            "DEVICE_NEIGHBOR": {f"Ethernet{i}": {"name": peer, "port": "swp1"} for i, peer in enumerate(peers)},
        }
    ),
    "leaf1.avd.yml": lambda peers: json.dumps(
        {
            "hostname": "leaf1",
            "ethernet_interfaces": [
                {"name": f"Ethernet{i}", "peer": peer, "peer_interface": "swp1"} for i, peer in enumerate(peers)
            ],
        }
    ),
    "leaf1.fboss.json": lambda peers: json.dumps(
        {
            "sw": {
                "ports": [
                    {"name": f"eth1/{i}", "expectedLLDPValues": {"2": "swp1", "5": peer}}
                    for i, peer in enumerate(peers)
                ]
            }
        }
    ),
    "minigraph.xml": lambda peers: (
        "<DeviceMiniGraph><PngDec><DeviceInterfaceLinks>"
        + "".join(
            f"<DeviceLinkBase><ElementType>DeviceInterfaceLink</ElementType><StartDevice>leaf1</StartDevice><StartPort>e{i}"
            f"</StartPort><EndDevice>{peer}</EndDevice><EndPort>swp1</EndPort></DeviceLinkBase>"
            for i, peer in enumerate(peers)
        )
        + "</DeviceInterfaceLinks></PngDec><Hostname>leaf1</Hostname></DeviceMiniGraph>"
    ),
}


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_a_neighbour_without_a_valid_name_is_one_entry(tmp_path, caplog, name):
    """A name that is too long omits its entry, with a line, and the others are read."""
    (tmp_path / name).write_text(CONFIGURATIONS[name](["spine1", "x" * 300, "spine2"]))
    network = open_network(tmp_path / name)
    assert {"spine1", "spine2"} <= {*network.fabric.switch_names}
    assert len(network.topology.links) == 2
    assert "is too long, or has characters that cannot be printed; omitted" in caplog.text


def test_a_neighbour_without_any_name_is_one_entry(tmp_path, caplog):
    """An entry of DEVICE_NEIGHBOR without a name is omitted, with a line."""
    (tmp_path / "config_db.json").write_text(CONFIGURATIONS["config_db.json"](["spine1", ""]))
    assert len(open_network(tmp_path / "config_db.json").topology.links) == 1
    assert "DEVICE_NEIGHBOR 'Ethernet1' has no name: omitted" in caplog.text


@pytest.mark.parametrize("name", ["x.json", "x.csv", "x.xml", "x.lldp.json", "x.dot", "x"])
@pytest.mark.parametrize("content", ["", " \n"])
def test_an_empty_file_says_so_and_what_to_do(tmp_path, name, content):
    """Whatever its suffix; a suffix that many formats have says nothing about the format."""
    (tmp_path / name).write_text(content)
    with pytest.raises(
        InputError, match=r"the file is empty; expected .*: run what writes it again, and look at its errors"
    ):
        open_network(tmp_path / name)


def test_an_empty_file_in_a_folder_is_named(tmp_path, caplog):
    """A device that answered nothing is one line, and the others are read."""
    lldpd(tmp_path / "lldp", "leaf1", swp1=[("leaf2", "swp1", "120")])
    (tmp_path / "lldp" / "leaf2.json").write_text("")
    open_network(tmp_path / "lldp")
    assert "leaf2.json: the file is empty; expected what a device hears of its neighbours" in caplog.text
    (tmp_path / "none").mkdir()
    (tmp_path / "none" / "leaf2.json").write_text("")
    with pytest.raises(InputError, match=r"leaf2\.json: the file is empty"):
        open_network(tmp_path / "none")
