"""LLDP neighbours: every maker's form gives the same view, views are joined from both ends, and nothing is guessed silently.

The files in ``fixtures/neighbours`` show the device leaf1: cables to spine1, spine2 and gpu1 (``fixtures/README.md``).
"""

import json
from pathlib import Path

import pytest

from in_process import run
from topoloom import InputError, open_network
from topoloom.fabric.flaws import CONFLICTING, NO_NAME, SEVERAL_HEARD, TWO_DEVICES
from topoloom.fabric.port_names import named_plugs
from topoloom.formats._device_files import device_of
from topoloom.formats._lldp.folder import fabric_of_folder
from topoloom.formats._lldp.joining import joined_views
from topoloom.formats._lldp.reading import views_in

HERE = Path(__file__).parent / "fixtures" / "neighbours"
#: For each file: the local ports, and the device and port at the other end of each cable.
CABLES = {
    "lldpcli-json0.json": [
        ("swp31", "spine1", "swp1"),
        ("swp32", "spine2", "swp1"),
        ("swp1s0", "00:00:5e:00:53:11", ""),
    ],
    "lldpcli-json-one.json": [("swp31", "spine1", "swp1")],
    "lldpcli-json-three.json": [
        ("swp31", "spine1", "swp1"),
        ("swp32", "spine2", "swp1"),
        ("swp1s0", "00:00:5e:00:53:11", ""),
    ],
    "lldpcli-json-none.json": [],
    "networkctl-lldp.json": [("eth1", "leaf1", "swp1s0")],
    # eth0 is for management; Ethernet0 hears an adapter without a name.
    "sonic-lldp-table.txt": [
        *(("Ethernet240", "spine1", "Ethernet1/1"), ("Ethernet248", "spine2", "Ethernet1/1")),
        ("Ethernet0", "00:00:5e:00:53:11", "eth1"),
    ],
    "sonic-appl-db-lldp.json": [("Ethernet240", "spine1", "Ethernet1/1"), ("Ethernet0", "00:00:5e:00:53:11", "eth1")],
    "cumulus-net-show-lldp-3x.json": [("swp31", "spine1", "swp1"), ("swp32", "spine2", "swp1")],
    "cumulus-nv-interface-lldp.json": [("swp31", "spine1", "swp1"), ("swp1s0", "gpu1", "eth1")],
    "eos-lldp-detail.json": [
        *(("Ethernet31/1", "spine1.example.net", "Ethernet1/1"), ("Ethernet32/1", "spine2.example.net", "Ethernet1/1")),
        ("Ethernet1/1", "gpu1", "eth1"),
    ],
    "eos-lldp-brief.json": [("Ethernet31/1", "spine1.example.net", "Ethernet1/1")],
    "nxos-lldp-detail.json": [
        ("Ethernet1/31", "spine1.example.net", "Ethernet1/1"),
        ("Ethernet1/1/1", "0000.5e00.5311", "eth1"),
    ],
    "nxos-lldp-detail-one.json": [("Ethernet1/31", "spine1.example.net", "Ethernet1/1")],
    "junos-lldp.json": [("et-0/0/31", "spine1", "et-0/0/1"), ("et-0/0/1:0", "gpu1", "eth1")],
    "openconfig-lldp.json": [("Ethernet31/1", "spine1", "Ethernet1/1"), ("Ethernet1/1", "gpu1", "")],
}
JUNOS_XML = """<rpc-reply xmlns:junos="urn:x"><lldp-neighbors-information><lldp-neighbor-information>
<lldp-local-interface>17</lldp-local-interface><lldp-local-port-id>xe-0/1/0.0</lldp-local-port-id>
<lldp-remote-chassis-id>00:00:5e:00:53:01</lldp-remote-chassis-id>
<lldp-remote-port-description>xe-0/0/0</lldp-remote-port-description><lldp-remote-system-name>spine1</lldp-remote-system-name>
</lldp-neighbor-information></lldp-neighbors-information></rpc-reply>"""
_STATE = "lldp/interfaces/interface[name=Ethernet31/1]/neighbors/neighbor[id=1]/state"
UPDATES = [
    {
        "Path": "lldp/interfaces/interface[name=Ethernet31/1]/neighbors/neighbor[id=1]/state/system-name",
        "values": {"a": "spine1"},
    },
    {
        "Path": "lldp/interfaces/interface[name=Ethernet31/1]/neighbors/neighbor[id=1]/state/port-id",
        "values": {"a": "Ethernet1/1"},
    },
    {"Path": "lldp/state/system-name", "values": {"a": "leaf1"}},
]


def cables(fabric):
    """Every cable as a set of its two ends, each device and port."""
    return {frozenset(ends) for ends in named_plugs(fabric)}


def heard(port, name, far, far_type="ifname", chassis="00:00:5e:00:53:ff", descr="x"):
    """An entry of lldpd's JSON."""
    at_port = {"id": {"type": far_type, "value": far}, "descr": descr}
    of = {"id": {"type": "mac", "value": chassis}}
    return {port: {"via": "LLDP", "chassis": {name: of} if name else of, "port": at_port}}


def device(folder, name, *entries, chassis=None):
    """Write the file of a device."""
    value = {"lldp": {"interface": list(entries)}}
    if chassis:
        value["local-chassis"] = {"chassis": {name: {"id": {"type": "mac", "value": chassis}}}}
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(value))


@pytest.mark.parametrize("name", CABLES)
def test_the_form_of_every_maker_is_read(name):
    """The cables of the device are those of the file; the device is named by the content, else by the file."""
    fabric = open_network(HERE / name).fabric
    own = "leaf1" if name in ("sonic-appl-db-lldp.json", "openconfig-lldp.json") else device_of(str(HERE / name))
    assert cables(fabric) == {frozenset({(own, port), (far, at)}) for port, far, at in CABLES[name]}
    assert fabric.topology.switches + fabric.topology.hosts == 1 + len({far for _, far, _ in CABLES[name]})


@pytest.mark.parametrize(
    ("name", "content"),
    [("leaf1.xml", JUNOS_XML), ("leaf1.json", json.dumps([{"update": UPDATES}]))],
    ids=["junos", "gnmi"],
)
def test_further_forms_are_read(tmp_path, name, content):
    """Junos' XML inside a reply, with SNMP's number as a local interface; gNMI updates of one value each."""
    (tmp_path / name).write_text(content)
    far = "xe-0/0/0" if name.endswith("xml") else "Ethernet1/1"
    near = "xe-0/1/0" if name.endswith("xml") else "Ethernet31/1"
    assert cables(open_network(tmp_path / name).fabric) == {frozenset({("leaf1", near), ("spine1", far)})}


def test_many_devices_in_one_file(tmp_path):
    """An object of outputs by the names of devices is that many views."""
    whole = {
        "leaf1": {"lldp": {"interface": heard("swp31", "spine1", "swp1")}},
        "spine1": {"lldp": {"interface": heard("swp1", "leaf1", "swp31")}},
    }
    (tmp_path / "all.json").write_text(json.dumps(whole))
    fabric = open_network(tmp_path / "all.json").fabric
    assert cables(fabric) == {frozenset({("leaf1", "swp31"), ("spine1", "swp1")})}
    assert not fabric.link_one_sided.any()


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("a/leaf1.json", "leaf1"),
        ("a/leaf1.lldp.json", "leaf1"),
        ("a/leaf1/lldp.json", "leaf1"),
        ("a/sw1.dc.example.json", "sw1.dc.example"),
    ],
)
def test_a_device_is_named_by_its_file(path, name):
    """Endings that say what is in the file are no part of the name; dots may be."""
    assert device_of(path) == name


def test_both_ends_make_one_cable(tmp_path):
    """Entries of both ends are one cable; one end alone is a one-sided cable if the other device lists its neighbours."""
    device(
        tmp_path,
        "leaf1",
        heard("swp31", "spine1", "swp1"),
        heard("swp32", "spine1", "swp2"),
        heard("swp1", "gpu1", "eth1"),
    )
    device(tmp_path, "spine1", heard("swp1", "leaf1", "swp31"))
    fabric = open_network(tmp_path).fabric
    assert (len(fabric.topology.links), fabric.topology.hosts) == (2, 1)
    assert fabric.link_one_sided.tolist() == [False, True]
    assert not fabric.endpoint_one_sided.any()  # gpu1 has no file, so it cannot list anything


def test_devices_are_known_by_name_domain_and_chassis(tmp_path):
    """Capitals and a domain do not matter; a device that says no name is known by its MAC in any spelling."""
    device(
        tmp_path,
        "leaf1",
        heard("swp31", "SPINE1.example.net", "swp1"),
        heard("swp32", "", "swp1", chassis="0000.5e00.5302"),
    )
    device(tmp_path, "spine1", heard("swp1", "leaf1", "swp31"))
    device(tmp_path, "spine2", heard("swp1", "leaf1", "swp32"), chassis="00:00:5e:00:53:02")
    fabric = open_network(tmp_path).fabric
    assert cables(fabric) == {
        frozenset({("leaf1", "swp31"), ("spine1", "swp1")}),
        frozenset({("leaf1", "swp32"), ("spine2", "swp1")}),
    }
    assert not fabric.link_one_sided.any()


def test_ports_are_known_by_mac_alias_and_description(tmp_path):
    """A MAC or a number of SNMP is no name: the other end, the aliases of SONiC's PORT table, or the description tell."""
    device(
        tmp_path,
        "leaf1",
        heard("swp31", "spine1", "00:00:5e:00:53:0a", "mac"),
        heard("swp32", "spine2", "10", "local", descr="et-0/0/3"),
    )
    device(tmp_path, "leaf2", heard("swp31", "sonic1", "etp1a", "local"))
    device(tmp_path, "spine1", heard("swp7", "leaf1", "swp31"))
    table = {
        "DEVICE_METADATA": {"localhost": {"hostname": "sonic1"}},
        "PORT": {"Ethernet0": {"alias": "etp1a", "speed": "400000"}},
    }
    (tmp_path / "sonic1").mkdir()
    (tmp_path / "sonic1" / "config_db.json").write_text(json.dumps(table))
    fabric = open_network(tmp_path).fabric
    assert cables(fabric) == {
        frozenset({("leaf1", "swp31"), ("spine1", "swp7")}),
        frozenset({("leaf1", "swp32"), ("spine2", "et-0/0/3")}),
        frozenset({("leaf2", "swp31"), ("sonic1", "Ethernet0")}),
    }
    assert sorted(fabric.link_rate_gbps.tolist()) == [0, 0, 400]


def test_several_devices_on_one_port_are_no_cable(tmp_path):
    """A segment is reported; if one of the devices hears the port, too, it is the neighbour and the others are old entries."""
    device(
        tmp_path,
        "leaf1",
        heard("swp1", "a", "eth0"),
        heard("swp1", "b", "eth0"),
        heard("swp2", "spine1", "swp1"),
        heard("swp2", "spine2", "swp1"),
    )
    device(tmp_path, "spine1", heard("swp1", "leaf1", "swp2"))
    fabric = fabric_of_folder(tmp_path, lenient=True)
    assert cables(fabric) == {frozenset({("leaf1", "swp2"), ("spine1", "swp1")})}
    assert [flaw.kind for flaw in fabric.flaws] == [SEVERAL_HEARD, SEVERAL_HEARD]
    assert "hears several devices, a, b" in fabric.flaws[0].text
    assert "only spine1 hears it, too" in fabric.flaws[1].text


def test_a_nic_that_answers_next_to_its_host_is_not_a_second_device(tmp_path):
    """The firmware of an adapter answers without a name; the named agent of the host counts."""
    device(
        tmp_path,
        "leaf1",
        heard("swp1", "", "00:00:5e:00:53:11", "mac", chassis="00:00:5e:00:53:11"),
        heard("swp1", "gpu1", "eth1"),
    )
    fabric = open_network(tmp_path).fabric
    assert cables(fabric) == {frozenset({("leaf1", "swp1"), ("gpu1", "eth1")})}
    assert not fabric.flaws


def test_ends_that_disagree_are_reported(tmp_path, caplog):
    """leaf1 hears spine1, which hears leaf2 on that port: neither entry is a cable, and a warning says so."""
    device(tmp_path, "leaf1", heard("swp1", "spine1", "swp1"))
    device(tmp_path, "leaf2", heard("swp1", "spine1", "swp2"))
    device(tmp_path, "spine1", heard("swp1", "leaf2", "swp1"), heard("swp2", "leaf2", "swp2"))
    fabric = open_network(tmp_path).fabric
    assert {flaw.kind for flaw in fabric.flaws} == {CONFLICTING}
    assert "leaf1 port swp1 hears spine1 port swp1, which hears leaf2 port swp1" in caplog.text


def test_two_devices_with_one_name_are_not_mixed(tmp_path):
    """Files of one name with two chassis: the second is omitted and reported."""
    device(tmp_path / "a", "leaf1", heard("swp1", "spine1", "swp1"), chassis="00:00:5e:00:53:03") if (
        tmp_path / "a"
    ).mkdir() is None else None
    device(tmp_path / "b", "leaf1", heard("swp2", "spine1", "swp2"), chassis="00:00:5e:00:53:04")
    fabric = fabric_of_folder(tmp_path, lenient=True)
    assert [flaw.kind for flaw in fabric.flaws] == [TWO_DEVICES]
    assert cables(fabric) == {frozenset({("leaf1", "swp1"), ("spine1", "swp1")})}


def test_management_ports_are_not_cables_of_data(tmp_path, caplog):
    """eth0 of a switch is skipped, which is said; `management` includes it. eth0 of a host counts if a switch hears it."""
    device(tmp_path, "leaf1", heard("eth0", "oob1", "Ethernet5"), heard("swp1", "gpu1", "eth0"))
    device(tmp_path, "gpu1", heard("eth0", "leaf1", "swp1"))
    fabric = open_network(tmp_path).fabric
    assert cables(fabric) == {frozenset({("leaf1", "swp1"), ("gpu1", "eth0")})}
    assert "oob1" not in fabric.switch_names
    assert "1 entry of management ports: not read" in caplog.text
    everything = {frozenset({("leaf1", "eth0"), ("oob1", "Ethernet5")}), *cables(fabric)}
    assert cables(open_network(tmp_path, management=True).fabric) == everything
    assert cables(open_network(tmp_path / "leaf1.json", management=True).fabric) == everything
    plan = tmp_path.with_suffix(".csv")
    run("convert", tmp_path, plan, "--format", "sheet", "--management")
    assert cables(open_network(plan).fabric) == everything
    assert run("verify", plan, tmp_path, "--management").code == 0
    assert run("verify", plan, tmp_path).code == 3
    assert run("watch", plan, tmp_path, "--management").code == 0
    shown = run("info", tmp_path, "--management").out
    assert "links                   1" in shown


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ('{"lldp": {"interface": 7}}', "has the keys of lldpd's LLDP output, but not its form"),
        ('{"lldpNeighbors": 3}', "has the keys of Arista EOS's LLDP output, but not its form"),
        ('{"lldp": {"interface": {"swp1": {"chassis": ', "is no JSON|is not JSON|JSON"),
        ("LocalPort RemoteDevice RemotePortID\nEthernet0 a b\n", "no line of dashes"),
        ('<!DOCTYPE x [<!ENTITY y "z">]><lldp-neighbors-information/>', "declares entities or a document type"),
    ],
)
def test_damaged_files_are_one_sentence(tmp_path, content, reason):
    """The file is named, and what is wrong with it."""
    path = tmp_path / "leaf1.lldp"
    path.write_text(content)
    with pytest.raises(InputError, match=reason) as error:
        open_network(path)
    assert str(path) in str(error.value)


def test_a_damaged_file_in_a_folder_is_omitted_and_reported(tmp_path, caplog):
    """The others are read; a folder without any is refused with what was expected."""
    device(tmp_path, "leaf1", heard("swp1", "spine1", "swp1"))
    (tmp_path / "spine1.json").write_text('{"lldp": {"interface": 7}}')
    (tmp_path / "notes.txt").write_text("call the electrician\n")
    assert len(open_network(tmp_path).fabric.topology.links) == 1
    assert "spine1.json" in caplog.text
    assert "notes.txt" in caplog.text
    (tmp_path / "none").mkdir()
    (tmp_path / "none" / "notes.txt").write_text("nothing\n")
    with pytest.raises(InputError, match="holds no network"):
        open_network(tmp_path / "none")


def test_hostile_names_are_reported_and_escaped(tmp_path):
    """An entry with control characters in a name is one printable line."""
    device(tmp_path, "leaf1", heard("swp1", "spine1\x1b[31m", "swp1"))
    (flaw,) = open_network(tmp_path, lenient=True).fabric.flaws
    assert flaw.kind == NO_NAME
    assert flaw.text.isprintable()


def test_many_entries_are_read_quickly():
    """5,000 entries on one device are one view, not a quadratic search."""
    entries = [heard(f"swp{i}", f"d{i}", "swp1") for i in range(5_000)]
    (view,) = views_in(json.dumps({"lldp": {"interface": entries}}).encode(), "leaf1.json")
    assert len(view.neighbours) == 5_000


def test_many_neighbours_on_one_port_are_one_short_sentence():
    """A segment of 4,000 devices: one flaw, which names the first and the number of the others."""
    entries = [heard("swp1", f"d{i:05d}", "swp1") for i in range(4_000)]
    views = views_in(json.dumps({"lldp": {"interface": entries}}).encode(), "leaf1.json")
    (flaw,) = joined_views(views, "found").fabric("found", "").flaws
    assert "d00000, d00001" in flaw.text
    assert "and 3992 more" in flaw.text
