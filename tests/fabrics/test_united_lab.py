"""Shortest-Union on real routers: FRR takes the configurations, and BGP between the VRFs finds the groups of the engine.

Kernels with VRF and VLAN devices run the export as it is. Others run each VRF of a switch in a network namespace of its own,
with a veth pair per VLAN: the configurations are those of the export, one VRF in each.
"""

import csv
import json
import os
import re
import shutil
import subprocess

import pytest
import yaml
from lab_up import Lab, missing, needs_lab

from topoloom.core.errors import InputError
from topoloom.fabric.exports.registry import write_export
from topoloom.fabric.exports.united import union_cost
from topoloom.fabric.fabric import planned_fabric
from topoloom.routing.route import route
from topoloom.topologies.spec import build


def missing_devices():
    """Why switches with VRFs cannot be brought up here, in words; empty where they can."""
    if missing():
        return missing()
    space = f"tlvrf{os.getpid()}"
    subprocess.run(["ip", "netns", "add", space], check=True)
    try:
        cable = ["ip", "-n", space, "link", "add", "v0", "type", "veth", "peer", "name", "v1"]
        subprocess.run(cable, check=True)
        for device in (["v", "type", "vrf", "table", "9"], ["link", "v0", "name", "v0.9", "type", "vlan", "id", "9"]):
            done = subprocess.run(["ip", "-n", space, "link", "add", *device], capture_output=True, check=False)
            if done.returncode:
                return f"this kernel has no {'VRF' if 'vrf' in device else 'VLAN'} devices"
    finally:
        subprocess.run(["ip", "netns", "del", space], check=False)
    return ""


_VLAN = re.compile(r"ip link add link (\S+) name (\S+) type vlan id (\d+)")


def test_vtysh_takes_the_configurations(tmp_path):
    """K VRFs, a VLAN per pair of them that a path uses, and a route map per cost; other options are refused."""
    fabric = planned_fabric(build("jellyfish:n=6,degree=3,hosts=2"))
    write_export("frr:routing=shortest-union,vrfs=3", fabric, tmp_path)
    text, commands = (tmp_path / "S0.conf").read_text(), (tmp_path / "S0.sh").read_text()
    assert re.findall(r"^router bgp 4200000000 vrf (vrf.)$", text, re.M) == ["vrf1", "vrf2", "vrf3"]
    used = sum(bool(union_cost(3, i, j) or union_cost(3, j, i)) for i in (1, 2, 3) for j in (1, 2, 3))
    assert commands.count("type vlan") == 3 * used
    assert " set as-path prepend 4200000000 4200000000\n" in text
    assert text.count("addpath-tx-bestpath-per-AS") == text.count("remote-as external")
    if shutil.which("vtysh"):
        command = ["vtysh", "--dryrun", "--inputfile", str(tmp_path / "S0.conf")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout + done.stderr) == (0, "")
    for options, reason in [
        ("bgp,vrfs=2", "vrfs=2: applies to"),
        ("shortest-union,asn=tier", "asn=tier: does not apply"),
    ]:
        with pytest.raises(InputError, match=reason):
            write_export(f"frr:routing={options}", fabric, tmp_path)
    with pytest.raises(InputError, match="'shortest-union' is unknown"):
        write_export("sonic:routing=shortest-union", fabric, tmp_path)


def test_costs_are_those_of_the_vrfs():
    """(K, a) to (i, b): i; (i, a) to (i + 1, b): 1; (1, a) to (1, b): 1."""
    assert [[union_cost(3, i, j) for j in (1, 2, 3)] for i in (1, 2, 3)] == [[1, 1, 0], [0, 0, 1], [1, 2, 3]]


def apart(folder, vrfs):
    """Rewrite a lab: a node per VRF of each switch, a cable per VLAN; hosts stay at the last VRF."""
    told = yaml.safe_load((folder / "fabric.clab.yml").read_text())["topology"]
    nodes, links, vlans = {}, [], {}
    for name, node in told["nodes"].items():
        if node["labels"]["role"] == "host":
            nodes[name] = node
            continue
        text = (folder / f"{name}.conf").read_text()
        head, maps = text[: text.index("router bgp")], text[text.index("route-map cost-0 deny") :]
        master = dict(re.findall(r"ip link set (\S+) master vrf(\d)", "\n".join(node["exec"])))
        for port, interface, number in _VLAN.findall("\n".join(node["exec"])):
            vlans.setdefault((name, port), {})[int(number)] = (master[interface], interface)
        for vrf in range(1, vrfs + 1):
            block = re.search(rf"^router bgp \d+ vrf vrf{vrf}\n.*?^!$", text, re.M | re.S)[0]
            own = head if vrf == vrfs else "\n".join(head.splitlines()[:5]) + "\n"
            own = re.sub(r"vrf vrf\d\n ip route", "ip route", own).replace("exit-vrf\n", "")
            (folder / f"{name}-{vrf}.conf").write_text(own + block.replace(f" vrf vrf{vrf}", "", 1) + "\n" + maps)
            binds = [f"{name}-{vrf}.conf:/etc/frr/frr.conf", "daemons:/etc/frr/daemons"]
            nodes[f"{name}-{vrf}"] = {key: value for key, value in node.items() if key != "exec"} | {"binds": binds}
    for link in told["links"]:
        near, far = (tuple(end.split(":")) for end in link["endpoints"])
        if near in vlans and far in vlans:
            for number, (vrf, interface) in vlans[near].items():
                there, other = vlans[far][number]
                links.append({"endpoints": [f"{near[0]}-{vrf}:{interface}", f"{far[0]}-{there}:{other}"]})
        else:
            ends = [f"{name}:{port}" if name in nodes else f"{name}-{vrfs}:{port}" for name, port in (near, far)]
            links.append({"endpoints": ends})
    (folder / "fabric.clab.yml").write_text(yaml.safe_dump({"topology": {"nodes": nodes, "links": links}}))


def interfaces_of(topology, fabric, groups, state, s):
    """The VLANs of the members of each group of a switch in one state, by destination; the last VRF is state 0."""
    own, here = {}, state or groups.states
    for d in range(topology.switches):
        number = groups.group[state, d, s]
        if number < 0:
            continue
        part = slice(groups.first[number], groups.first[number + 1])
        own[d] = set()
        for port, after in zip(groups.port[part].tolist(), groups.next_state[part].tolist(), strict=True):
            channel = int(topology.csr[0][s]) + port
            there = after or groups.states
            first = topology.links[topology.csr[2][channel], 0] == s
            pair = f"{here}{there}" if first else f"{there}{here}"
            own[d].add(f"swp{fabric.channel_ports[channel]}.{pair}")
    return own


def comes_up(folder, spec, *, vrfs=2, devices=False):
    """All hosts reach each other, and the kernel's next hops are the groups of engine shortest-union in all VRFs."""
    topology = build(spec)
    groups, fabric = route(topology, f"shortest-union:K={vrfs}").choice, planned_fabric(topology)
    write_export(f"containerlab:routing=shortest-union,vrfs={vrfs}", fabric, folder)
    if not devices:
        apart(folder, vrfs)
    with open(folder / "addresses.csv") as file:
        rows = list(csv.DictReader(file))
    addresses = [row["address"].partition("/")[0] for row in rows]
    prefix = {int(row["switch"][1:]): f"{row['gateway']}/31" for row in rows}
    with Lab(folder) as lab:
        lab.until(lambda: all(not lab.unanswered(host, addresses) for host in lab.hosts), 120)

        def next_hops(s, vrf):
            node, table = (f"S{s}", ["vrf", f"vrf{vrf}"]) if devices else (f"S{s}-{vrf}", [])
            return {
                entry["dst"]: {hop["dev"] for hop in entry.get("nexthops", [entry])}
                for entry in json.loads(lab.at(node, "ip", "-j", "route", "show", *table, "proto", "bgp"))
            }

        def settled():
            return all(
                next_hops(s, state or vrfs)
                == {prefix[d]: hops for d, hops in interfaces_of(topology, fabric, groups, state, s).items()}
                for s in range(topology.switches)
                for state in range(vrfs)
            )

        lab.until(settled)


@pytest.mark.exhaustive
@needs_lab
def test_vrfs_come_up_with_the_groups_of_the_engine(tmp_path):
    """Golden 14 by BGP: the AS paths give the groups of Shortest-Union(2) in both VRFs."""
    comes_up(tmp_path, "jellyfish:n=8,degree=3,hosts=1")


@pytest.mark.exhaustive
@needs_lab
def test_three_vrfs_come_up_with_the_groups_of_the_engine(tmp_path):
    """K = 3: a neighbour's best route may pass the switch itself, which drops it; so neighbours announce several."""
    comes_up(tmp_path, "jellyfish:n=6,degree=3,hosts=1", vrfs=3)


@pytest.mark.exhaustive
@pytest.mark.skipif(bool(missing_devices()), reason=missing_devices() or "-")
def test_devices_come_up_with_the_groups_of_the_engine(tmp_path):
    """The same with the VRF and VLAN devices that the export's commands make, on kernels that have them."""
    comes_up(tmp_path, "jellyfish:n=8,degree=3,hosts=1", devices=True)
