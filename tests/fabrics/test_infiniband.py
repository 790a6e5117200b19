"""InfiniBand files: what ibsim and OpenSM read is the fabric and its tables, entry by entry."""

import re

import numpy as np
import pytest

from topoloom.core.errors import InputError
from topoloom.fabric.exports.registry import write_export
from topoloom.fabric.fabric import planned_fabric
from topoloom.fabric.infiniband import lft_text, net_text, opensm_texts, port_guids, qos_text
from topoloom.model.topology import Topology
from topoloom.routing.reroute import reroute
from topoloom.routing.route import route
from topoloom.topologies.spec import build

#: Two switches with a host each, as OpenSM 3.3.23 on ibsim 0.10 dumps them (opensm-lfts.dump).
TINY = """Unicast lids [0x0-0x4] of switch Lid 3 guid 0x0000000000200000 ('S0'):
0x0001 001 # Channel Adapter portguid 0x0000000000100001: 'H0'
0x0002 002 # Channel Adapter portguid 0x0000000000100003: 'H1'
0x0003 000 # Switch portguid 0x0000000000200000: 'S0'
0x0004 002 # Switch portguid 0x0000000000200001: 'S1'
4 lids dumped
Unicast lids [0x0-0x4] of switch Lid 4 guid 0x0000000000200001 ('S1'):
0x0001 002 # Channel Adapter portguid 0x0000000000100001: 'H0'
0x0002 001 # Channel Adapter portguid 0x0000000000100003: 'H1'
0x0003 002 # Switch portguid 0x0000000000200000: 'S0'
0x0004 000 # Switch portguid 0x0000000000200001: 'S1'
4 lids dumped
"""


def tiny():
    """Two switches with a host each."""
    return Topology(links=[(0, 1)], switches=2, endpoints=[0, 1])


def wires(text):
    """{(node, port): (node, port)} of a fabric's text, and the ports of each node."""
    ends, ports, node = {}, {}, ""
    for line in text.splitlines():
        if found := re.match(r'(?:Switch|Hca)\t(\d+) "(\w+)"$', line):
            node = found[2]
            ports[node] = int(found[1])
        elif found := re.match(r'\[(\d+)\]\t"(\w+)"\[(\d+)\]$', line):
            ends[node, int(found[1])] = found[2], int(found[3])
    return ends, ports


def test_tables_are_what_opensm_itself_dumps():
    """The tiny fabric's tables, byte for byte."""
    assert lft_text(route(tiny())) == TINY


def test_every_cable_is_there_from_both_ends():
    """Each end names the other, no port is beyond its node, and the cables are the topology's."""
    topology = build("slimfly:q=5,hosts=3")
    ends, ports = wires(net_text(topology))
    assert all(ends[other] == end for end, other in ends.items())
    assert all(1 <= port <= ports[node] for node, port in ends)
    between = sorted(
        {tuple(sorted((int(a[1:]), int(b[1:])))) for (a, _), (b, _) in ends.items() if a[0] == b[0] == "S"}
    )
    assert between == sorted(map(tuple, topology.links.tolist()))
    assert sum(node[0] == "H" for node, _ in ends) == 150


def test_following_the_written_tables_arrives():
    """From each switch to each host's port GUID, over the cables of the written fabric."""
    topology = build("torus:dims=3x3,hosts=2")
    routing = route(topology)
    ends, _ = wires(net_text(topology))
    tables, switch = {}, ""
    for line in lft_text(routing).splitlines():
        if found := re.search(r"guid 0x\w+ \('(S\d+)'\):$", line):
            switch = found[1]
        elif found := re.match(r"0x\w+ (\d+) # Channel Adapter portguid 0x(\w+): 'H(\d+)'", line):
            tables[switch, int(found[3])] = int(found[1])
            assert int(found[2], 16) == port_guids(topology)[int(found[3])]
    for start in range(9):
        for host in range(18):
            node, hops = f"S{start}", 0
            while node[0] == "S":
                node, _port = ends[node, tables[node, host]]
                hops += 1
                assert hops <= 10
            assert node == f"H{host}"


def test_the_policy_gives_each_pair_its_lane():
    """A rule for each destination switch and virtual channel above 0, its sources exactly the hosts whose virtual channel that
    is.
    """
    topology = build("jellyfish:n=40,degree=4,hosts=2")
    routing = route(topology)
    text = qos_text(routing)
    groups = {
        name: {int(guid, 16) for guid in guids.split(", ")}
        for name, guids in re.findall(r"name: (\w+)\n    port-guid: (.*)\n", text)
    }
    rules = re.findall(r"source: (\w+)\n    destination: (\w+)\n    qos-level-name: L(\d+)\n", text)
    switch_of = dict(zip(port_guids(topology).tolist(), topology.endpoints.tolist(), strict=True))
    given = np.zeros((40, 40), int)
    for source, destination, vc in rules:
        (to,) = {switch_of[guid] for guid in groups[destination]}
        for guid in groups[source]:
            given[to, switch_of[guid]] = int(vc)
    assert (given == routing.virtual_channels).all()
    assert routing.virtual_channels.max() > 0


def test_hosts_with_several_ports_have_a_guid_for_each():
    """Two hosts with two ports each on different switches: GUIDs count on over a host's ports."""
    topology = Topology(links=[(0, 1)], switches=2, endpoints=[0, 0, 1, 1], host=[0, 1, 0, 1])
    assert [hex(guid) for guid in port_guids(topology)] == ["0x100001", "0x100004", "0x100002", "0x100005"]
    ends, ports = wires(net_text(topology))
    assert ports["H0"] == 2
    assert ends["H0", 2] == ("S1", 1)


def test_files_are_written(tmp_path):
    """A policy only where there is a second virtual channel."""
    assert write_export("opensm", tiny(), tmp_path / "new", route(tiny())) == [
        "fabric.net",
        "fabric.lft",
        "opensm.conf",
        "deploy.txt",
    ]
    many = write_export("opensm", build("slimfly:q=5,hosts=1"), tmp_path, route(build("slimfly:q=5,hosts=1")))
    assert many == ["fabric.net", "fabric.lft", "fabric.qos", "opensm.conf", "deploy.txt"]
    assert "\nqos TRUE\n" in (tmp_path / "opensm.conf").read_text()


@pytest.mark.parametrize(
    ("spec", "engine", "message"),
    [
        ("slimfly:q=5,hosts=1", "hop-vcs", "changes the virtual channel at every hop"),
        ("jellyfish:n=20,degree=3", "orders", "no hosts"),
        ("complete:n=4,hosts=300", "orders", "303 ports; InfiniBand numbers 254"),
    ],
)
def test_what_tables_cannot_hold_is_refused(tmp_path, spec, engine, message):
    """One sentence, and no file."""
    with pytest.raises(InputError, match=message):
        write_export("opensm", build(spec), tmp_path / "out", route(build(spec), engine))
    assert not (tmp_path / "out").exists()


def test_a_folder_that_is_a_file_is_refused(tmp_path):
    """The place is named."""
    (tmp_path / "taken").write_text("")
    with pytest.raises(InputError, match="taken: is a file; name a folder"):
        write_export("opensm", tiny(), tmp_path / "taken", route(tiny()))


def test_after_losses_ports_and_guids_stay():
    """Repaired tables go to the fabric that is there: a cable lost renumbers no port, a switch lost is in no file."""
    topology = build("slimfly:q=5,hosts=2")
    before = planned_fabric(topology)
    found = reroute(route(topology, virtual_channels=8), switches=[7], links=[(0, 1)])
    small, living = found.surviving, found.surviving_switches
    after = before.after_losses(small.topology, living, found.kept)
    assert after.switch_names == tuple(f"S{s}" for s in range(50) if s != 7)
    assert (after.link_ports == before.link_ports[found.kept]).all()
    assert after.port_guids.tolist() == [
        g for g, s in zip(before.port_guids, topology.endpoints, strict=True) if s != 7
    ]
    text = opensm_texts(small, after)["fabric.lft"]
    assert "'S7'" not in text
    assert text.count("Unicast lids") == 49


@pytest.mark.parametrize("engine", ["dor", "hop-vcs", "duato", "valiant", "lnmp", "segments"])
def test_what_no_table_can_say_is_refused(engine):
    """Virtual channels that change on the way, and packets that choose it."""
    routing = route(build("torus:dims=4x4,hosts=1"), engine)
    with pytest.raises(InputError, match="forwarding tables cannot express; use orders"):
        opensm_texts(routing)
