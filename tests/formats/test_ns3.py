"""The topology text of ns-3: what is written comes back, and what SimAI and others write is read."""

import numpy as np
import pytest
from format_cases import simple, texts, topologies
from hypothesis import HealthCheck, given, settings

from tiers import examples
from topoloom import InputError, build, load, save
from topoloom.fabric.exports.registry import EXPORTS, ExportRequest
from topoloom.fabric.fabric import planned_fabric
from topoloom.formats import FORMATS, encode

RECORD = FORMATS.find("ns3")


def read(text):
    """What the reader makes of a text."""
    return RECORD.read(text.encode(), "net")


@settings(max_examples=examples(60), deadline=None, suppress_health_check=list(HealthCheck))
@given(topologies(texts))
def test_every_network_comes_back(topology):
    """Switches and links as they were, parallel ones as one; every host port as a host of its own, in the hosts' order."""
    back = RECORD.read(encode(topology, RECORD), "net")
    assert back.switches == topology.switches
    assert np.array_equal(back.links, simple(topology).links)
    assert np.array_equal(back.endpoints, topology.endpoints)
    ports = np.argsort(topology.host, kind="stable")
    assert np.array_equal(back.endpoints[np.argsort(back.host)], topology.endpoints[ports])


def test_a_file_of_a_suffix_is_read_by_every_verb(tmp_path):
    """`save` and `load` take .ns3."""
    save(build("fat-tree:k=4"), tmp_path / "net.ns3")
    assert load(tmp_path / "net.ns3") == build("fat-tree:k=4").replace(labels={}).with_rates(400)


def test_the_servers_of_simai_are_hosts():
    """GPUs that share an NVSwitch, or several, are the ports of one host; a server without is a host of one port."""
    rails = build("complete:n=3,hosts=2+planes:count=2")
    text = EXPORTS.find("simai").make(ExportRequest(planned_fabric(rails)))["network.txt"]
    assert read(text) == rails.replace(labels={}).with_rates(400)
    two = "9 2 3 2 8 A100\n4 5 6 7 8\n0 4 9Gbps 1ns 0\n1 4 9Gbps 1ns 0\n0 5 9Gbps 1ns 0\n1 5 9Gbps 1ns 0\n"
    two += "0 7 400Gbps 0.0005ms 0\n1 8 400Gbps 0.0005ms 0\n2 7 400Gbps 0.0005ms 0\n7 8 400Gbps 0.0005ms 0\n"
    found = read(two)
    assert (found.switches, found.hosts, found.host.tolist()) == (2, 2, [0, 1, 0])


def test_lines_may_be_parallel_and_blank():
    """A cable given twice is two; blank lines, tabs and switches over several lines do not matter."""
    found = read("4 2 4\n\n2\n3\n0\t2 1Gbps 1ns 0\n1 3 1Gbps 1ns 0\n2 3 1Gbps 1ns 0.0\n3 2 1Gbps 1ns 0\n")
    assert found.links.tolist() == [[0, 1], [0, 1]]
    assert found.endpoints.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("2 1\n", r"net:1: the first line is 'nodes switches links'"),
        ("3 1 2 x\n", r"net:1: the first line is"),
        ("2 3 0\n", r"net:1: 3 switches among 2 nodes"),
        ("2 0 0\n", r"net:1: no switches"),
        ("2 1 1\n", r"net: names 0 of 1 switches"),
        ("2 1 1\n5\n", r"net:2: '5' is not a node; nodes are 0 to 1"),
        ("3 2 0\n1 1\n", r"net:2: the first line announces 2 switches; list each once"),
        ("2 1 1\n1\n", r"net:1: the first line announces 1 links, but 0 lines follow"),
        ("2 1 1\n1\n0 1 400Gbps\n", r"net:3: write a cable as"),
        ("2 1 1\n1\n0 1 fast 1ns 0\n", r"net:3: write a cable as"),
        ("2 1 1\n1\n1 1 1Gbps 1ns 0\n", r"net:3: node 1 is linked to itself"),
        ("3 1 1\n2\n0 1 1Gbps 1ns 0\n", r"net:3: nodes 0 and 1 are both hosts"),
        ("4 1 1 2 1 H100\n1 2 3\n1 2 1Gbps 1ns 0\n", r"net:3: NVSwitch 1 is linked to another switch"),
        ("999999999 1 0\n0\n", None),
    ],
)
def test_wrong_files_are_refused_in_one_line(text, reason):
    """Each with its line; a count of nodes that nothing is linked to costs nothing."""
    if reason is None:
        assert read(text).switches == 1
        return
    with pytest.raises(InputError, match=reason):
        read(text)
