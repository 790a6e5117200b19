"""MTU, error correction, rate and breakout of ports: read where files have them, compared with each other and with the plan."""

import json

import pytest

from in_process import run
from topoloom import diagnose, open_network
from topoloom.fabric.port_settings import PortSettings


def sonic(folder, name, ports, heard):
    """One device's dump: PORT with all its ports, and what they hear."""
    folder.mkdir(exist_ok=True)
    entries = {
        f"LLDP_ENTRY_TABLE:{port}": {
            "lldp_rem_sys_name": device,
            "lldp_rem_port_id": far,
            "lldp_rem_port_id_subtype": "5",
        }
        for port, (device, far) in heard.items()
    }
    content = {"DEVICE_METADATA": {"localhost": {"hostname": name}}, "PORT": ports, **entries}
    (folder / f"{name}.json").write_text(json.dumps(content))


def nvue(folder, name, heard, others=(), **link):
    """One device's interfaces in NVUE's form: those that hear something, and others."""
    folder.mkdir(exist_ok=True)
    content = {
        port: {
            "type": "swp",
            "link": {"mtu": 9216, "fec": "rs", "speed": "100G"} | link.get(port, {}),
            "lldp": {"neighbor": {"1": {"chassis": {"system-name": of[0]}, "port": {"name": of[1], "type": "ifname"}}}}
            if (of := heard.get(port))
            else {},
        }
        for port in dict.fromkeys([*heard, *others])
    }
    (folder / f"{name}.json").write_text(json.dumps(content))


def plan(path, *rows):
    """A sheet of cables: A device, A port, Z device, Z port, and perhaps a speed."""
    head = "A-Node Name,A-Type,A-Port,Z-Node Name,Z-Type,Z-Port,Speed"
    path.write_text("\n".join([head, *(",".join(row) for row in rows)]) + "\n")
    return path


def told(planned, folder=None, **more):
    """Code and text of all that is found."""
    found = None if folder is None else open_network(folder, lenient=True)
    return [(one.code, one.text) for one in diagnose(planned, found, **more).diagnostics]


def pair(tmp_path, **link):
    """Two switches with a cable, and their plan; `link` has settings of leaf1 port swp1."""
    nvue(tmp_path / "lldp", "leaf1", {"swp1": ("spine1", "swp7")}, swp1=link)
    nvue(tmp_path / "lldp", "spine1", {"swp7": ("leaf1", "swp1")})
    return plan(
        tmp_path / "plan.csv", ("leaf1", "switch", "swp1", "spine1", "switch", "swp7", "100G")
    ), tmp_path / "lldp"


def test_ends_that_agree_are_no_fault(tmp_path):
    """Equal settings at both ends, and the planned rate: nothing."""
    assert told(*pair(tmp_path)) == []


@pytest.mark.parametrize(
    ("setting", "text"),
    [
        ({"mtu": 1500}, "MTU 1500 and 9216"),
        ({"fec": "off"}, "FEC off and rs"),
        ({"fec": "baser", "mtu": 9000}, "MTU 9000 and 9216; FEC fc and rs"),
    ],
)
def test_ends_that_differ_are_found(tmp_path, setting, text):
    """MTU and FEC of the two ends of a cable are compared; the text has both values."""
    wanted = f"leaf1 port swp1 - spine1 port swp7: {text}"
    assert told(*pair(tmp_path, **setting)) == [("TL115", wanted)]


def test_fec_that_is_chosen_by_itself_is_not_compared(tmp_path):
    """``auto`` says nothing about the kind in use."""
    assert told(*pair(tmp_path, fec="auto")) == []


def test_a_cable_is_slow_by_its_plan_or_its_ends_differ(tmp_path):
    """Rates are in Gb/s, not in names of InfiniBand."""
    planned, folder = pair(tmp_path, speed="25G")
    where = "leaf1 port swp1 - spine1 port swp7"
    assert told(planned, folder) == [("TL107", f"slow: {where} runs at 25 Gb/s, planned 100 Gb/s")]
    planned = plan(planned, ("leaf1", "switch", "swp1", "spine1", "switch", "swp7", ""))
    assert told(planned, folder) == [("TL115", f"{where}: 25 and 100 Gb/s")]


def test_a_host_may_have_a_smaller_mtu_than_its_switch(tmp_path):
    """Not a larger one: its packets would be dropped."""
    for mtu, codes in ((1500, []), (9500, ["TL115"])):
        folder = tmp_path / str(mtu)
        nvue(folder, "leaf1", {"swp1": ("gpu1", "eth1")})
        nvue(folder, "gpu1", {"eth1": ("leaf1", "swp1")}, eth1={"mtu": mtu})
        planned = plan(tmp_path / "plan.csv", ("leaf1", "switch", "swp1", "gpu1", "host", "eth1", "100G"))
        assert [code for code, _ in told(planned, folder)] == codes


def lldpd(folder, name, port, far_name, far_port, **of_port):
    """One neighbour as lldpd prints it in its details."""
    folder.mkdir(exist_ok=True)
    chassis = {far_name: {"id": {"type": "mac", "value": "00:00:5e:00:53:01"}}}
    content = {"id": {"type": "ifname", "value": far_port}, "descr": far_port, **of_port}
    entry = {port: {"via": "LLDP", "chassis": chassis, "port": content}}
    (folder / f"{name}.json").write_text(json.dumps({"lldp": {"interface": entry}}))


def test_frames_and_rates_that_neighbours_state(tmp_path):
    """lldpd's maximum frame size counts with or without a header; 10GbaseT without negotiation is a virtual interface."""
    copper = {"auto-negotiation": {"supported": False, "enabled": False, "current": "10GbaseT - Four-pair Category 6A"}}
    fibre = {
        "auto-negotiation": {"supported": False, "enabled": False, "current": "40GbaseSR4 - fiber over 4 lane PMD"}
    }
    for mine, theirs, about, codes in (
        ("9216", "9238", copper, []),
        ("1500", "9216", copper, ["TL115"]),
        ("9216", "9216", fibre, ["TL107"]),
    ):
        folder = tmp_path / f"{mine}-{theirs}-{len(codes)}"
        lldpd(folder, "leaf1", "swp1", "spine1", "swp7", mfs=theirs, **about)
        lldpd(folder, "spine1", "swp7", "leaf1", "swp1", mfs=mine, **about)
        planned = plan(tmp_path / "plan.csv", ("leaf1", "switch", "swp1", "spine1", "switch", "swp7", "100G"))
        assert [code for code, _ in told(planned, folder)] == codes


def test_a_plan_that_states_settings_is_compared(tmp_path):
    """config_db.json of the plan against that of the switch: MTU, FEC, and a rate above the planned one."""
    ports = {"Ethernet0": {"lanes": "1,2,3,4", "mtu": "9100", "fec": "rs", "speed": "100000"}}
    neighbour = {"DEVICE_NEIGHBOR": {"Ethernet0": {"name": "spine1", "port": "Ethernet8"}}}
    metadata = {"DEVICE_METADATA": {"localhost": {"hostname": "leaf1"}}}
    kinds = {"DEVICE_NEIGHBOR_METADATA": {"spine1": {"type": "SpineRouter"}}}
    planned = tmp_path / "leaf1.config_db.json"
    planned.write_text(json.dumps(metadata | {"PORT": ports} | neighbour | kinds))
    set_up = {"Ethernet0": {"lanes": "1,2,3,4", "mtu": "1500", "fec": "none", "speed": "200000"}}
    sonic(tmp_path / "lldp", "leaf1", set_up, {"Ethernet0": ("spine1", "Ethernet8")})
    (code, text), *more = told(planned, tmp_path / "lldp")
    assert (code, more) == ("TL116", [])
    assert text == (
        "leaf1 port Ethernet0 - spine1 port Ethernet8: leaf1 port Ethernet0 has MTU 1500, planned 9100; leaf1 port Ethernet0"
        " has FEC off, planned rs; runs at 200 Gb/s, planned 100 Gb/s"
    )


def test_plans_state_settings_too(tmp_path):
    """containerlab's links, AVD's interfaces and NetBox's have MTUs; NetBox's speed is in kb/s."""
    lab = tmp_path / "x.clab.yml"
    lab.write_text(
        "name: x\ntopology:\n  nodes: {leaf1: {kind: srl}, spine1: {kind: srl}}\n  links:\n"
        "  - {endpoints: ['leaf1:e1-1', 'spine1:e1-1'], mtu: 9000}\n"
    )
    assert open_network(lab).fabric.port_settings["spine1", "e1-1"] == PortSettings(mtu=9000)
    avd = tmp_path / "leaf1.avd.yml"
    avd.write_text(
        "hostname: leaf1\nethernet_interfaces:\n- {name: Ethernet1, peer: spine1, peer_interface: Ethernet1, peer_type: spine,"
        " mtu: 9214, error_correction_encoding: {reed_solomon: true, fire_code: false}}\n"
    )
    assert open_network(avd).fabric.port_settings["leaf1", "Ethernet1"] == PortSettings(mtu=9214, fec="rs")
    box = tmp_path / "x.netbox.json"
    far_end = {"device": {"name": "spine1"}, "name": "swp7"}
    near_end = {"device": {"name": "leaf1"}, "name": "swp1", "mtu": 9216, "speed": 100_000_000}
    box.write_text(json.dumps({"results": [{**near_end, "connected_endpoints": [far_end]}]}))
    found = open_network(box).fabric
    assert found.port_settings["leaf1", "swp1"] == PortSettings(mtu=9216, rate_gbps=100)
    assert found.link_rate_gbps.tolist() == [100]


def test_a_whole_port_for_lanes_is_one_fault(tmp_path):
    """Four planned lanes, and the port is whole: one fault with all cables, and no cable to move."""
    nvue(tmp_path / "lldp", "leaf1", {"swp1": ("spine0", "swp1")}, ("swp2",))
    for lane in range(4):
        nvue(tmp_path / "lldp", f"spine{lane}", {"swp1": ("leaf1", "swp1")} if lane == 0 else {}, ("swp1", "swp2"))
    planned = plan(
        tmp_path / "plan.csv",
        *(("leaf1", "switch", f"swp1s{lane}", f"spine{lane}", "switch", "swp1", "") for lane in range(4)),
    )
    found = run("verify", planned, tmp_path / "lldp", "--only", "TL1xx")
    assert [line for line in found.out.splitlines() if "TL" in line] == [
        "TL117 error: breakout: leaf1 has port swp1 where swp1s0, swp1s1, swp1s2, swp1s3 are planned"
    ]


@pytest.mark.parametrize(
    ("wanted", "there"),
    [("swp1", "swp1s0"), ("swp1s0", "swp1"), ("Ethernet1/1", "Ethernet1/1/2"), ("et-0/0/1:0", "et-0/0/1")],
)
def test_a_port_split_otherwise_at_both_ends_is_found(tmp_path, wanted, there):
    """Both ends have other names than planned, and the cable is still the planned one."""
    nvue(tmp_path / "lldp", "leaf1", {there: ("spine1", there)})
    nvue(tmp_path / "lldp", "spine1", {there: ("leaf1", there)})
    planned = plan(tmp_path / "plan.csv", ("leaf1", "switch", wanted, "spine1", "switch", wanted, ""))
    assert [code for code, _ in told(planned, tmp_path / "lldp")] == ["TL117"]


def test_two_lanes_for_four_are_found_where_all_ports_are_listed(tmp_path):
    """The device lists swp2 without a cable, so swp1s2 is not there; a device that lists only neighbours does not tell."""
    planned = plan(
        tmp_path / "plan.csv",
        *(("leaf1", "switch", f"swp1s{lane}", f"spine{lane}", "switch", "swp1", "") for lane in range(4)),
    )
    for folder, others, wanted in (
        (tmp_path / "all", ("swp2",), ["TL117"]),
        (tmp_path / "heard", (), ["TL101", "TL101"]),
    ):
        nvue(folder, "leaf1", {f"swp1s{lane}": (f"spine{lane}", "swp1") for lane in range(2)}, others)
        for lane in range(4):
            nvue(folder, f"spine{lane}", {"swp1": ("leaf1", f"swp1s{lane}")} if lane < 2 else {}, ("swp2",))
        found = told(planned, folder, only=["TL1xx"])
        assert [code for code, _ in found] == wanted
    assert (
        "leaf1 is split into fewer ports: swp1s2, swp1s3 are planned"
        in told(planned, tmp_path / "all", only=["TL117"])[0][1]
    )


def split(tmp_path, planned_lanes, cabled, others=(), more=()):
    """Faults of leaf1, with servers planned in lanes of swp1, and found in others; `more` has further rows of the plan."""
    rows = [("leaf1", "switch", f"swp1s{lane}", f"server{lane}", "host", "eth1", "") for lane in range(planned_lanes)]
    nvue(tmp_path / "lldp", "leaf1", {port: (server, "eth1") for port, server in cabled.items()}, others)
    return told(plan(tmp_path / "plan.csv", *rows, *more), tmp_path / "lldp")


def test_more_lanes_than_planned_are_a_breakout(tmp_path):
    """Two planned lanes fill a port, and cables are in its third and fourth: split further, and the servers there follow."""
    cabled = {f"swp1s{lane}": f"server{lane}" for lane in range(4)}
    found = split(tmp_path, 2, cabled)
    text = "breakout: leaf1 is split into more ports: swp1s0, swp1s1 are planned, and cables are in swp1s2, swp1s3"
    assert [code for code, _ in found] == ["TL117", "TL204", "TL204"]
    assert found[0] == ("TL117", text)
    numbered = diagnose(tmp_path / "plan.csv", tmp_path / "lldp").diagnostics
    assert [each.because_of for each in numbered] == [(), (1,), (1,)]


def test_free_lanes_may_be_unplanned(tmp_path):
    """Another port of the device has four lanes, or the lanes do not fill one: the plan may leave some free."""
    cabled = {f"swp1s{lane}": f"server{lane}" for lane in range(3)}
    others = [("leaf1", "switch", f"swp2s{lane}", f"node{lane}", "host", "eth1", "") for lane in range(4)]
    assert "TL117" not in [code for code, _ in split(tmp_path, 2, cabled, more=others)]
    assert "TL117" not in [code for code, _ in split(tmp_path, 1, cabled)]
    listed = {f"swp1s{lane}": f"server{lane}" for lane in range(2)}
    nothing_else = tmp_path / "listed"
    nothing_else.mkdir()
    assert split(nothing_else, 2, listed, ("swp1s2", "swp1s3")) == []


@pytest.mark.parametrize("others", [(), ("swp1s1", "swp1s3")])
def test_a_lane_keeps_its_place_when_a_port_is_split_further(tmp_path, others):
    """The second of two lanes is the third of four; in the fourth, a cable is in another port, too."""
    found = split(tmp_path, 2, {"swp1s0": "server0", "swp1s2": "server1"}, others)
    assert found == [("TL117", "breakout: leaf1 has port swp1s2 where swp1s1 is planned")]
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert [code for code, _ in split(elsewhere, 2, {"swp1s0": "server0", "swp1s3": "server1"})] == ["TL117", "TL105"]


def test_lanes_of_sonic_tell_a_breakout(tmp_path):
    """Ethernet4 is planned and Ethernet0 has 8 lanes: the same cage; with 4 lanes it is another port."""
    planned = plan(tmp_path / "plan.csv", ("leaf1", "switch", "Ethernet4", "spine1", "switch", "Ethernet0", ""))
    for lanes, code in ((8, "TL117"), (4, "TL105")):
        ports = {"Ethernet0": {"lanes": ",".join(map(str, range(1, lanes + 1)))}}
        folder = tmp_path / str(lanes)
        sonic(folder, "leaf1", ports, {"Ethernet0": ("spine1", "Ethernet0")})
        sonic(folder, "spine1", ports, {"Ethernet0": ("leaf1", "Ethernet0")})
        assert [each for each, _ in told(planned, folder)] == [code]


def test_the_rules_are_in_every_output(tmp_path):
    """SARIF, Prometheus and JSON have the new rules as they have the others."""
    planned, folder = pair(tmp_path, mtu=1500, fec="off")
    for option, file in (("--sarif", "x.sarif"), ("--prom", "x.prom")):
        assert run("verify", planned, folder, option, tmp_path / file).code == 3
        assert "TL115" in (tmp_path / file).read_text()
    assert [one["code"] for one in run("verify", planned, folder, "--json").record["diagnostics"]] == ["TL115"]


def test_hosts_of_several_rates_are_no_fault_of_the_few(tmp_path):
    """Three servers at 100 Gb/s and one at 25, without planned rates: nothing; with one end at another rate: that."""
    ports = {f"Ethernet{4 * i}": {"speed": "25000" if i == 3 else "100000"} for i in range(4)}
    heard = {port: (f"server{i}", "eth1") for i, port in enumerate(ports)}
    sonic(tmp_path / "lldp", "leaf1", ports, heard)
    rows = [("leaf1", "switch", port, f"server{i}", "host", "eth1", "") for i, port in enumerate(ports)]
    planned = plan(tmp_path / "plan.csv", *rows)
    assert open_network(tmp_path / "lldp").fabric.endpoint_rate_gbps.tolist() == [100, 100, 100, 25]
    assert [code for code, _ in told(planned, tmp_path / "lldp") if code != "TL209"] == []
    nvue(tmp_path / "lldp", "server2", {"eth1": ("leaf1", "Ethernet8")}, eth1={"speed": "25G"})
    assert [code for code, _ in told(planned, tmp_path / "lldp") if code != "TL209"] == ["TL115"]
    rows[3] = (*rows[3][:-1], "100G")
    plan(tmp_path / "plan.csv", *rows)
    assert [code for code, _ in told(planned, tmp_path / "lldp") if code != "TL209"] == ["TL107", "TL115"]
