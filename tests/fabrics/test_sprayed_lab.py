"""Spraypoint on real routers: FRR takes the configurations, and fabrics of them come up in network namespaces."""

import csv
import ipaddress
import json
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest
from lab_up import Lab, needs_lab

from topoloom.core.errors import InputError
from topoloom.fabric.exports.registry import write_export
from topoloom.fabric.fabric import planned_fabric
from topoloom.routing.route import route
from topoloom.topologies.spec import build

#: Sends datagrams of many flows to a host's address.
_FLOWS = """
import socket, sys
for port in range(20000, 20000 + int(sys.argv[2])):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.sendto(b"x", (sys.argv[1], port))
"""


def routed(spec, engine="spraypoint"):
    """The tables of a spec."""
    return route(build(spec), engine)


def next_hops(text):
    """The gateways of each prefix in a configuration."""
    ways = {}
    for prefix, way in re.findall(r"^ip route (\S+) (\d+\.\S+)$", text, re.M):
        ways.setdefault(prefix, set()).add(way)
    return ways


def test_a_configuration_has_the_groups_of_the_tables(tmp_path):
    """Every prefix has its group's members, hosts a table with a default route over all links; vtysh takes the first file."""
    routing = routed("jellyfish:n=8,degree=3,hosts=2")
    write_export("frr:routing=spraypoint", planned_fabric(routing.topology), tmp_path, routing)
    groups, begins = routing.choice, routing.topology.csr[0]
    with open(tmp_path / "addresses.csv") as file:
        switch_of = {
            ipaddress.ip_address(row["address"].partition("/")[0]): row["switch"] for row in csv.DictReader(file)
        }
    for s in range(8):
        text = (tmp_path / f"S{s}.conf").read_text()
        found = next_hops(text)
        assert len(found) == 7
        for prefix, ways in found.items():
            home = next(int(name[1:]) for ip, name in switch_of.items() if ip in ipaddress.ip_network(prefix))
            number = groups.group[1, home, s]
            assert len(ways) == groups.first[number + 1] - groups.first[number]
        assert len(re.findall(r"^ip route 0.0.0.0/0 \S+ table 100", text, re.M)) == begins[s + 1] - begins[s]
        assert (tmp_path / f"S{s}.sh").read_text().count("ip rule add iif swp") == 2
        if s == 0 and shutil.which("vtysh"):
            command = ["vtysh", "--dryrun", "--inputfile", str(tmp_path / f"S{s}.conf")]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert (done.returncode, done.stdout + done.stderr) == (0, "")


@pytest.mark.parametrize("kind", ["frr", "containerlab", "air", "sonic"])
def test_other_tables_are_refused(tmp_path, kind):
    """Without tables of the engine, a sentence says how to make them."""
    topology = build("jellyfish:n=8,degree=3,hosts=2")
    for engine in (None, "minimal", "shortest-union"):
        with pytest.raises(InputError, match=r"routing=spraypoint writes tables of that engine.*--engine spraypoint"):
            write_export(
                f"{kind}:routing=spraypoint",
                planned_fabric(topology),
                tmp_path,
                None if engine is None else route(topology, engine),
            )


def test_sonic_has_a_vrf_for_its_hosts(tmp_path):
    """Host ports lie in a VRF whose default route goes over all links; the main table has the groups."""
    routing = routed("jellyfish:n=8,degree=3,hosts=2")
    write_export("sonic:routing=spraypoint", planned_fabric(routing.topology), tmp_path, routing)
    tables = json.loads((tmp_path / "S0" / "config_db.json").read_text())
    assert list(tables["VRF"]) == ["Vrf_hosts"]
    assert sum(content == {"vrf_name": "Vrf_hosts"} for content in tables["INTERFACE"].values()) == 2
    routes = tables["STATIC_ROUTE"]
    spray = routes["Vrf_hosts|0.0.0.0/0"]
    assert len(spray["nexthop"].split(",")) == 3
    assert set(spray["nexthop-vrf"].split(",")) == {"default"}
    groups = routing.choice
    widths = sorted(
        int(groups.first[number + 1] - groups.first[number]) for number in groups.group[1, :, 0] if number >= 0
    )
    others = [
        route for key, route in routes.items() if key.startswith("default|") and "Vrf" not in route["nexthop-vrf"]
    ]
    assert sorted(len(route["nexthop"].split(",")) for route in others) == widths
    local = [route for key, route in routes.items() if key.startswith("default|") and "Vrf" in route["nexthop-vrf"]]
    assert len(local) == 2


def _comes_up(folder, spec, engine="spraypoint"):
    """Bring a fabric up, ping between all hosts, and send flows of one host: each link of its switch carries some."""
    routing = routed(spec, engine)
    write_export("containerlab:routing=spraypoint", planned_fabric(routing.topology), folder, routing)
    with open(folder / "addresses.csv") as file:
        address = {row["host"]: row["address"].partition("/")[0] for row in csv.DictReader(file)}
    with Lab(folder) as lab:
        lab.until(lambda: all(not lab.unanswered(host, address.values()) for host in lab.hosts), 120)
        for switch in ("S0", f"S{routing.topology.switches - 1}"):
            wanted = next_hops((folder / f"{switch}.conf").read_text())
            made = {
                entry["dst"]: {hop["gateway"] for hop in entry.get("nexthops", [entry])}
                for entry in json.loads(lab.at(switch, "ip", "-j", "route"))
                if "gateway" in entry or "nexthops" in entry
            }
            assert made == wanted

        def sent():
            counters = json.loads(lab.at("S0", "ip", "-j", "-s", "link"))
            return {entry["ifname"]: entry["stats64"]["tx"]["packets"] for entry in counters}

        text = (folder / "S0.conf").read_text()
        links = re.findall(r"^interface (\S+)\n description switch", text, re.M)
        flows, before = 120 * len(links), sent()
        lab.at("H0", sys.executable, "-c", _FLOWS, address[lab.hosts[-1]], str(flows))
        counts = np.array([sent()[link] - before[link] for link in links])
        # The hash of the kernel spreads flows over all links; a share is within half of the mean.
        assert counts.sum() >= flows
        assert (counts > flows / len(links) / 2).all(), counts
        # Hosts of the same switch reach each other without the network.
        near, before = address[lab.hosts[1]], sent()
        lab.at("H0", sys.executable, "-c", _FLOWS, near, str(flows))
        assert sum(sent()[link] - before[link] for link in links) < flows / 4


@needs_lab
def test_three_switches_come_up(tmp_path):
    """The small lab of the first tier: real daemons, ping between all hosts, flows over every link."""
    _comes_up(tmp_path, "complete:n=3,hosts=2")


@pytest.mark.exhaustive
@needs_lab
def test_twenty_switches_come_up(tmp_path):
    """Twenty switches of five links: every host reaches every other, and the ECMP counters of the source's links are even."""
    _comes_up(tmp_path, "jellyfish:n=20,degree=5,hosts=2")
