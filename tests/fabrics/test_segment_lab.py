"""Segment lists at switches: the lists are the paths of ksp and the waypoints of vlb, and Linux carries packets along them."""

import csv
import json
import re
import sys
from collections import Counter

import numpy as np
import pytest
from lab_up import Lab, needs_lab

from topoloom.core.errors import InputError
from topoloom.fabric.exports.lab import Lab as LabPlan
from topoloom.fabric.exports.registry import ExportRequest, write_export
from topoloom.fabric.exports.segment_lists import source_ways
from topoloom.fabric.fabric import planned_fabric
from topoloom.model.topology import Topology
from topoloom.routing.groups.segments import segment_counts, waypoints
from topoloom.routing.route import route
from topoloom.topologies.spec import build

_FLOWS = """
import socket, sys
for port in range(20000, 20000 + int(sys.argv[2])):
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as one:
        one.sendto(b"x", (sys.argv[1], port))
"""


def written(folder, spec, engine, kind="srv6"):
    """The tables of a spec, written as segment lists at switches."""
    routing = route(build(spec), engine)
    write_export(
        f"{kind}:lists=switches" if kind == "srv6" else kind, planned_fabric(routing.topology), folder, routing
    )
    return routing


def scripts(folder, switches):
    """The lines of each switch's script."""
    return [(folder / "switches" / f"S{s}.sh").read_text().splitlines() for s in range(switches)]


def paths_of(routing, source, goal):
    """The paths of ksp between two switches, as channels."""
    groups, (begins, to, _) = routing.choice, routing.topology.csr
    own = groups.group[0, goal, source]
    found = []
    for member in range(groups.first[own], groups.first[own + 1]):
        channel, state = int(begins[source] + groups.port[member]), int(groups.next_state[member])
        path = [channel]
        while to[channel] != goal:
            at = int(to[channel])
            k = groups.first[groups.group[state, goal, at]]
            channel, state = int(begins[at] + groups.port[k]), int(groups.next_state[k])
            path.append(channel)
        found.append(tuple(path))
    return found


def test_lists_are_the_paths_of_ksp(tmp_path):
    """Each route has a next hop per path; read back, its segments are the path's later links, and the last one unpacks."""
    routing = written(tmp_path, "jellyfish:n=12,degree=4,hosts=2", "ksp:k=5")
    topology = routing.topology
    begins, to, _ = topology.csr
    lines = scripts(tmp_path, 12)
    address = {
        found[1]: s for s in range(12) for line in lines[s] if (found := re.match(r"ip -6 addr add (\S+)/127", line))
    }
    channel_at = {}
    for s in range(12):
        for line in lines[s]:
            if found := re.search(r"add (\S+)/128 encap seg6local action End.X nh6 (\S+) dev (\S+)", line):
                peer = address[found[2]]
                channel_at[found[1]] = next(c for c in range(int(begins[s]), int(begins[s + 1])) if to[c] == peer)
    counts = np.zeros(12, np.int64)
    for s in range(12):
        for line in lines[s]:
            found = re.match(r"ip -6 route add fd00(?::0:([0-9a-f]+))?::/48 (?!.*blackhole)(.*via.*)", line)
            if not found:
                continue
            goal = int(found[1] or "0", 16)
            read = Counter()
            for hop in re.split(r"\bnexthop ", found[2]):
                if not hop.strip():
                    continue
                first = address[re.search(r"via (\S+)", hop)[1]]
                segments = re.search(r"segs (\S+)", hop)
                *later, last = segments[1].split(",") if segments else (None,)
                assert last == (None if segments is None else f"fcbb:0:{goal:x}:ffff::" if goal else "fcbb:0:0:ffff::")
                counts[s] += segments is not None
                weight = int(found_weight[1]) if (found_weight := re.search(r"weight (\d+)", hop)) else 1
                read[first, tuple(channel_at[segment] for segment in later)] += weight
            assert read == Counter((int(to[path[0]]), path[1:]) for path in paths_of(routing, s, goal))
    assert counts.tolist() == segment_counts(routing, routing.choice)[0].tolist()


def test_lists_of_detours_are_counted(tmp_path):
    """The different lists of a switch's script, by first link, are those that `quality` counts against an ASIC's limits."""
    routing = written(tmp_path, "jellyfish:n=14,degree=4,hosts=1", "vlb:detours=3")
    lists, longest = segment_counts(routing, routing.choice)
    for s, lines in enumerate(scripts(tmp_path, 14)):
        own = {found for line in lines for found in re.findall(r"segs (\S+) via (\S+)", line)}
        assert len(own) == lists[s]
        assert max(segments.count(",") + 1 for segments, _ in own) == longest[s]
        weights = [int(weight) for line in lines for weight in re.findall(r"weight (\d+)", line)]
        assert max(weights) <= 256


def test_parallel_links_are_named():
    """Of two links between the same switches, a list names the one of its path: Linux would keep one of them for all flows."""
    topology = Topology([(0, 1), (0, 1), (1, 2), (0, 2)], 3, [0, 1, 2])
    routing = route(topology, "ksp:k=3")
    lists, longest = segment_counts(routing, routing.choice)
    files = {}
    for home in range(3):
        lab = LabPlan(ExportRequest(planned_fabric(topology), routing))
        for switch, ways in source_ways(lab, home):
            files[switch, home] = ways
    ways = files[0, 2]
    assert sorted(len(way.segments) for way in ways) == [0, 3, 3]
    assert len({way.segments[0] for way in ways if way.segments}) == 2
    assert lists[0] == sum(bool(way.segments) for home in (1, 2) for way in files[0, home])
    assert longest[0] == 3


def expected_shares(routing, source, goal):
    """The share of a pair's packets on each channel: those of all walks, where detours go to their waypoint first."""
    groups, (begins, to, _) = routing.choice, routing.topology.csr
    ends, shares = waypoints(routing, groups), Counter()

    def go(at, end, state, part):
        if at == end:
            return
        own = groups.group[state, end, at]
        members = range(groups.first[own], groups.first[own + 1])
        for member in members:
            channel, after = int(begins[at] + groups.port[member]), int(groups.next_state[member])
            each = part / len(members)
            shares[channel] += each
            if ends is not None and after > 1:
                waypoint = int(ends[after, goal])
                go(int(to[channel]), waypoint, 1, each)
                go(waypoint, goal, 1, each)
            else:
                go(int(to[channel]), end, after, each)

    go(source, goal, 0, 1.0)
    return shares


def _carries(folder, spec, engine, pairs, flows):
    """Ping between all hosts; then flows of some pairs cross exactly the planned cables, in the planned shares."""
    routing = written(folder, spec, engine, "containerlab:routing=srv6,lists=switches")
    topology = routing.topology
    begins, _, _ = topology.csr
    with open(folder / "addresses6.csv") as file:
        address = {row["host"]: row["address"].partition("/")[0] for row in csv.DictReader(file)}
    fabric = planned_fabric(topology)
    with Lab(folder) as lab:
        lab.until(lambda: all(not lab.unanswered(host, address.values()) for host in lab.hosts), 90)

        # The namespaces of one kernel hash alike, which switches of their own do not: each gets a seed.
        for s in range(topology.switches):
            lab.at(f"S{s}", "sysctl", "-qw", f"net.ipv4.fib_multipath_hash_seed={s + 1}")

        def sent():
            counts = np.zeros(begins[-1], np.int64)
            for s in range(topology.switches):
                counters = {e["ifname"]: e for e in json.loads(lab.at(f"S{s}", "ip", "-j", "-s", "link"))}
                for c in range(int(begins[s]), int(begins[s + 1])):
                    counts[c] = counters[f"swp{fabric.channel_ports[c]}"]["stats64"]["tx"]["packets"]
            return counts

        for source, goal in pairs:
            before = sent()
            lab.at(f"H{source}", sys.executable, "-c", _FLOWS, address[f"H{goal}"], str(flows))
            count = sent() - before
            # The destination answers each datagram (port unreachable), at a limited rate: its own way back is not counted.
            ahead, back = (expected_shares(routing, *pair) for pair in ((source, goal), (goal, source)))
            wanted = np.array([ahead.get(c, 0.0) for c in range(begins[-1])]) * flows
            only = np.array([c not in back for c in range(begins[-1])])
            likely = np.sqrt(np.maximum(wanted, 1.0))
            assert (np.abs(count - wanted)[only] <= 6 * likely[only] + 25).all(), (count[only], wanted[only])
            assert (count >= wanted - 6 * likely - 25).all()
            assert (count[only & (wanted == 0)] < 25).all()


@needs_lab
def test_three_switches_carry_lists(tmp_path):
    """The small lab of the first tier: both ways around a ring of three, by SRv6 on Linux."""
    _carries(tmp_path, "ring:n=3,hosts=1", "ksp:k=2", [(0, 1)], 400)


@pytest.mark.exhaustive
@needs_lab
@pytest.mark.parametrize("engine", ["ksp:k=4", "vlb:share=0.5,detours=3", "vlb:share=0.25,detours=2"])
def test_ten_switches_carry_lists(tmp_path, engine):
    """Ten switches: every host reaches every other, and flows cross the links of their lists and no others."""
    _carries(tmp_path, "jellyfish:n=10,degree=3,hosts=1", engine, [(0, 7), (3, 9), (8, 2)], 3000)


@pytest.mark.parametrize(
    ("options", "engine", "spec", "message"),
    [
        ("srv6:lists=switches", "spraypoint", "jellyfish:n=8,degree=3,hosts=2", "writes tables of engine ksp or vlb"),
        ("srv6:lists=switches", "minimal", "jellyfish:n=8,degree=3,hosts=2", "writes tables of engine ksp or vlb"),
        ("srv6", "ksp", "jellyfish:n=8,degree=3,hosts=2", "hosts write one path, and engine ksp has several"),
        (
            "containerlab:lists=switches",
            "ksp",
            "jellyfish:n=8,degree=3,hosts=2",
            "applies to routing=srv6 only; add it",
        ),
        ("srv6:lists=switches", "vlb:share=0.51", "jellyfish:n=24,degree=6,hosts=2", "Linux takes 256"),
    ],
)
def test_refusals_name_the_remedy(tmp_path, options, engine, spec, message):
    """What lists cannot carry is one sentence."""
    routing = route(build(spec), engine)
    with pytest.raises(InputError, match=re.escape(message)):
        write_export(options, planned_fabric(routing.topology), tmp_path, routing)
