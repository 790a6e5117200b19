"""MTU, error correction and rates reach the rules from every form of a plan or of neighbours that states them."""

import json

import pytest

from in_process import run
from topoloom import diagnose, open_network
from topoloom.fabric.port_settings import fec_of, gbps_of

_CONFIG_DB = {
    "DEVICE_METADATA": {"localhost": {"hostname": "leaf1"}},
    "PORT": {"swp1": {"mtu": "9100", "fec": "rs", "speed": "100000"}},
    "DEVICE_NEIGHBOR": {"swp1": {"name": "spine1", "port": "swp7"}},
    "DEVICE_NEIGHBOR_METADATA": {"spine1": {"type": "SpineRouter"}},
}
_MINIGRAPH = """<DeviceMiniGraph><PngDec><DeviceInterfaceLinks><DeviceLinkBase><ElementType>DeviceInterfaceLink</ElementType>
<StartDevice>leaf1</StartDevice><StartPort>swp1</StartPort><EndDevice>spine1</EndDevice><EndPort>swp7</EndPort>
</DeviceLinkBase></DeviceInterfaceLinks><Devices><Device><ElementType>SpineRouter</ElementType><Hostname>spine1</Hostname>
</Device></Devices></PngDec><DeviceInfos><DeviceInfo><EthernetInterfaces><EthernetInterface><InterfaceName>swp1</InterfaceName>
<Speed>100000</Speed></EthernetInterface></EthernetInterfaces><HwSku>sku</HwSku></DeviceInfo><DeviceInfo><EthernetInterfaces>
<EthernetInterface><InterfaceName>swp1</InterfaceName><Speed>10000</Speed></EthernetInterface></EthernetInterfaces>
<HwSku>other</HwSku></DeviceInfo></DeviceInfos><LinkMetadataDeclaration><Link><LinkMetadata><Properties><DeviceProperty>
<Name>FECDisabled</Name><Value>True</Value></DeviceProperty></Properties><Key>spine1:swp7;leaf1:swp1</Key></LinkMetadata></Link>
</LinkMetadataDeclaration><Hostname>leaf1</Hostname><HwSku>sku</HwSku></DeviceMiniGraph>"""
_HEADS = "A-Node,A-Type,A-Port,Z-Node,Z-Type,Z-Port"
_ROW = "leaf1,switch,swp1,spine1,switch,swp7"
#: For each form: name of the file, content, and what it states of port swp1 of leaf1.
PLANS = {
    "sheet, of a cable": ("plan.csv", f"{_HEADS},MTU,FEC,Speed\n{_ROW},9100,RS,100G\n", ("9100", "rs", 100.0)),
    "sheet, of each end": (
        "plan.csv",
        f"{_HEADS},A-MTU,A-FEC,A-Port Speed,Z-MTU,Z-FEC,Z-Port Speed\n{_ROW},9100,RS,100G,9100,RS,100G\n",
        ("9100", "rs", 100.0),
    ),
    "sheet with a row of two heads": (
        "plan.csv",
        "From,,,,To,,,\nDevice,Type,Port,MTU,Device,Type,Port,MTU\n"
        'leaf1,switch,swp1,"9,100",spine1,switch,swp7,9100 bytes\n',
        ("9100", "", 0.0),
    ),
    "config_db.json": ("leaf1.config_db.json", json.dumps(_CONFIG_DB), ("9100", "rs", 100.0)),
    "minigraph": ("minigraph.xml", _MINIGRAPH, ("", "off", 100.0)),
    "avd": (
        "leaf1.avd.yml",
        "hostname: leaf1\nethernet_interfaces:\n- {name: swp1, peer: spine1, peer_interface: swp7, peer_type: spine, mtu: 9100,"
        " speed: forced 100gfull, error_correction_encoding: {enabled: true, reed_solomon: true}}\n",
        ("9100", "rs", 100.0),
    ),
    "containerlab": (
        "plan.clab.yml",
        "name: x\ntopology:\n  nodes: {leaf1: {kind: sonic-vs}, spine1: {kind: sonic-vs}}\n  links:\n"
        '  - {endpoints: ["leaf1:swp1", "spine1:swp7"], mtu: 9100}\n',
        ("9100", "", 0.0),
    ),
    "netlab, of a link": (
        "plan.netlab.yml",
        "nodes: {leaf1: {device: cumulus}, spine1: {device: cumulus}}\nlinks:\n- mtu: 9100\n"
        "  bandwidth: 100000000\n  interfaces:\n"
        "  - {node: leaf1, ifname: swp1}\n  - {node: spine1, ifname: swp7}\n",
        ("9100", "", 100.0),
    ),
    "netlab, of an interface before its node": (
        "plan.netlab.yml",
        "nodes:\n  leaf1: {device: cumulus, mtu: 1500, interfaces: [{ifname: swp1, mtu: 9100, bandwidth: 100000000}]}\n"
        "  spine1: {device: cumulus, mtu: 9100}\n"
        "links:\n- interfaces: [{node: leaf1, ifname: swp1}, {node: spine1, ifname: swp7}]\n",
        ("9100", "", 100.0),
    ),
    "netbox": (
        "plan.netbox.json",
        json.dumps(
            [
                {
                    "name": "swp1",
                    "device": {"name": "leaf1"},
                    "mtu": 9100,
                    "speed": 100_000_000,
                    "connected_endpoints": [{"name": "swp7", "device": {"name": "spine1"}}],
                    "connected_endpoints_reachable": True,
                }
            ]
        ),
        ("9100", "", 100.0),
    ),
    "fboss": (
        "leaf1.fboss.json",
        json.dumps(
            {
                "sw": {
                    "ports": [
                        {
                            "name": "swp1",
                            "speed": 100000,
                            "maxFrameSize": 9114,
                            "expectedLLDPValues": {"2": "swp7", "5": "spine1"},
                        }
                    ]
                }
            }
        ),
        ("frame 9114", "", 100.0),
    ),
}


def discovery(folder, mtu=9100, fec="rs", speed="100G"):
    """Two switches with one cable, as NVUE prints it."""
    folder.mkdir(exist_ok=True)
    for name, port, far, far_port in (("leaf1", "swp1", "spine1", "swp7"), ("spine1", "swp7", "leaf1", "swp1")):
        heard = {"neighbor": {"1": {"chassis": {"system-name": far}, "port": {"name": far_port, "type": "ifname"}}}}
        link = {"mtu": mtu, "fec": fec, "speed": speed}
        (folder / f"{name}.json").write_text(json.dumps({port: {"type": "swp", "link": link, "lldp": heard}}))
    return folder


def codes(plan, actual=None, **more):
    found = None if actual is None else open_network(actual, lenient=True)
    return [(each.code, each.text) for each in diagnose(plan, found, **more).diagnostics]


@pytest.mark.parametrize("form", PLANS)
def test_what_a_plan_states_of_a_port_is_compared(tmp_path, form):
    """The settings of a plan are those of its ports; another MTU, FEC or rate that is found there is a fault."""
    name, content, (mtu, fec, rate_gbps) = PLANS[form]
    (tmp_path / name).write_text(content)
    plan = tmp_path / name
    settings = open_network(plan).fabric.settings_by_device["leaf1"]["swp1"]
    size = f"frame {settings.frame}" if settings.frame else str(settings.mtu or "")
    assert (size, settings.fec) == (mtu, fec)
    assert open_network(plan).fabric.link_rate_gbps.tolist() == [rate_gbps]
    right = {"mtu": 9100, "fec": fec or "rs", "speed": "100G"}
    assert codes(plan, discovery(tmp_path / "right", **right)) == []
    found = codes(plan, discovery(tmp_path / "wrong", 1500, "baser", "25G"))
    text = " ".join(text for _, text in found)
    assert ("MTU 1500, planned" in text) == bool(mtu)
    assert (f"FEC fc, planned {fec}" in text) == bool(fec)
    assert ("runs at 25 Gb/s, planned 100 Gb/s" in text) == bool(rate_gbps)
    assert {code for code, _ in found} == ({"TL116"} if mtu or fec else set()) | ({"TL107"} if rate_gbps else set())


def test_a_plan_is_compared_with_itself(tmp_path):
    """Ends that a sheet sets up differently are a fault of the sheet."""
    plan = tmp_path / "plan.csv"
    heads = f"{_HEADS},A-MTU,Z-MTU,A-FEC,Z-FEC,A-Speed,Z-Speed"
    plan.write_text(f"{heads}\n{_ROW},9100,1500,rs,none,100G,25G\n")
    assert codes(plan) == [
        ("TL115", "leaf1 port swp1 - spine1 port swp7: MTU 9100 and 1500; FEC rs and off; 100 and 25 Gb/s")
    ]


def test_columns_that_are_named_have_settings(tmp_path):
    """``--columns`` names MTU, FEC and rate of an end, or of the cable."""
    plan = tmp_path / "plan.csv"
    plan.write_text("Von,B,Nach,D,P,Q,R\nleaf1,swp1,spine1,swp7,9100,1500,RS\n")
    columns = "a_device=Von,a_port=B,b_device=Nach,b_port=D,a_mtu=P,b_mtu=Q,fec=R"
    settings = open_network(plan, columns=columns).fabric.settings_by_device
    assert [(of.mtu, of.fec) for of in (settings["leaf1"]["swp1"], settings["spine1"]["swp7"])] == [
        (9100, "rs"),
        (1500, "rs"),
    ]


def test_cells_that_are_not_understood_are_reported(tmp_path, caplog):
    """Row by row, with their texts; the cables stay."""
    plan = tmp_path / "plan.csv"
    plan.write_text(f"{_HEADS},MTU,Speed,Length\n{_ROW},jumbo,fast,long\n{_ROW.replace('swp', 'eth')},n/a,auto,-\n")
    assert len(open_network(plan).topology.links) == 2
    for what in ("MTU 'jumbo'", "rate 'fast'", "length 'long'"):
        assert f"row 2: {what}: not read; the cable is" in caplog.text
    assert "row 3" not in caplog.text


def test_settings_of_ends_without_a_port_are_reported(tmp_path, caplog):
    """There is no port to compare; the rate is that of the cable."""
    plan = tmp_path / "plan.csv"
    plan.write_text(f"{_HEADS},MTU,Z-Speed\nleaf1,switch,,spine1,switch,,9100,100G\n")
    assert open_network(plan).fabric.link_rate_gbps.tolist() == [100.0]
    assert "row 2: MTU or FEC of an end without a port: not read" in caplog.text


@pytest.mark.parametrize("suffix", [".p2p.csv", ".xlsx"])
def test_settings_are_written_to_sheets(tmp_path, suffix):
    """MTU and FEC of both ends stay when a plan is converted."""
    (tmp_path / "leaf1.config_db.json").write_text(json.dumps(_CONFIG_DB))
    run("convert", tmp_path / "leaf1.config_db.json", tmp_path / f"plan{suffix}")
    settings = open_network(tmp_path / f"plan{suffix}").fabric.settings_by_device
    assert (settings["leaf1"]["swp1"].mtu, settings["leaf1"]["swp1"].fec) == (9100, "rs")
    assert "spine1" not in settings


def openconfig(name, port, far, far_port, mtu=9214, fec="FEC_RS528", speed="SPEED_100GB"):
    """What one device states by OpenConfig: its neighbours, and how its interfaces are set up."""
    state = {"system-name": far, "port-id": far_port, "port-id-type": "INTERFACE_NAME"}
    neighbours = {"neighbor": [{"id": "1", "state": {"id": "1", **state}}]}
    lldp = {"state": {"system-name": name}, "interfaces": {"interface": [{"name": port, "neighbors": neighbours}]}}
    ethernet = {
        "config": {"port-speed": "openconfig-if-ethernet:SPEED_400GB"},
        "state": {
            "port-speed": f"openconfig-if-ethernet:{speed}",
            "openconfig-if-ethernet:fec-mode": f"openconfig-if-ethernet:{fec}",
        },
    }
    interface = {
        "name": port,
        "config": {"mtu": 1514},
        "state": {"mtu": mtu},
        "openconfig-if-ethernet:ethernet": ethernet,
    }
    return {"openconfig-lldp:lldp": lldp}, {"openconfig-interfaces:interfaces": {"interface": [interface]}}


def gnmi(tree):
    """The same as updates, one per value."""

    def values(table, path):
        for key, content in table.items():
            step = f"{path}/{key}"
            if isinstance(content, list):
                for entry in content:
                    name = "id" if "id" in entry else "name"
                    yield from values(entry, f"{step}[{name}={entry[name]}]")
            elif isinstance(content, dict):
                yield from values(content, step)
            else:
                yield {"Path": step.removeprefix("/"), "values": {step: content}}

    return [{"source": "x:57400", "updates": [*values(tree, "")]}]


FORMS = {
    "one tree": lambda lldp, ports: {"": lldp | ports},
    "a file each": lambda lldp, ports: {"": lldp, ".interfaces": ports},
    "updates": lambda lldp, ports: {"": gnmi(lldp | ports)},
    "whole trees as updates": lambda lldp, ports: {
        "": [{"updates": [{"Path": "lldp", "values": lldp}, {"Path": "interfaces", "values": ports}]}]
    },
}


@pytest.mark.parametrize("form", FORMS)
def test_openconfig_states_settings(tmp_path, form):
    """MTU (with the header of a frame), rate and error correction, of the state before the configuration."""
    plan = tmp_path / "plan.csv"
    plan.write_text(f"{_HEADS},MTU,FEC,Speed\n{_ROW},9200,RS,100G\n")
    for folder, wrong in (("right", {}), ("wrong", {"mtu": 1514, "fec": "FEC_DISABLED", "speed": "SPEED_25GB"})):
        (tmp_path / folder).mkdir()
        for name, port, far, far_port in (("leaf1", "swp1", "spine1", "swp7"), ("spine1", "swp7", "leaf1", "swp1")):
            for part, content in FORMS[form](*openconfig(name, port, far, far_port, **wrong)).items():
                (tmp_path / folder / f"{name}{part}.json").write_text(json.dumps(content))
    assert codes(plan, tmp_path / "right") == []
    where = "leaf1 port swp1 - spine1 port swp7"
    ends = "; ".join(
        f"{end} has FEC off, planned rs; {end} has frame size 1514, planned MTU 9200"
        for end in ("leaf1 port swp1", "spine1 port swp7")
    )
    assert codes(plan, tmp_path / "wrong") == [
        ("TL107", f"slow: {where} runs at 25 Gb/s, planned 100 Gb/s"),
        ("TL116", f"{where}: {ends}"),
    ]


@pytest.mark.parametrize(
    ("text", "gbps"),
    [
        *(
            ("100G", 100),
            ("100", 100),
            ("100000", 100),
            ("25GbE", 25),
            ("1.6T", 1600),
            ("10 Gb/s", 10),
            ("2,5 Gbps", 2.5),
        ),
        *(("forced 100gfull", 100), ("auto 100g-4", 100), ("SPEED_10MB", 0.01), ("auto", 0), ("fast", 0), ("", 0)),
    ],
)
def test_rates_in_the_words_of_makers(text, gbps):
    """A number alone is Gb/s, or Mb/s where no port has as many Gb/s."""
    assert gbps_of(text) == pytest.approx(gbps)


def test_error_correction_in_the_words_of_makers():
    """One kind has one name."""
    assert {fec_of(word) for word in ("RS", "rs-fec", "RS544", "FEC_RS544_2X_INTERLEAVE", "reed_solomon", "CL91")} == {
        "rs"
    }
    assert {fec_of(word) for word in ("fc", "FC-FEC", "BaseR", "fire_code", "FEC_FC")} == {"fc"}
    assert {fec_of(word) for word in ("none", "off", "disabled", "FEC_DISABLED")} == {"off"}
    assert {fec_of(word) for word in ("auto", "FEC_AUTO", "FEC_ENABLED", "")} == {""}
