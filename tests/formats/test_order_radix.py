"""Files of the order/radix problem: read by their content, with the h-ASPL of the competition; damaged ones refused."""

import networkx
import pytest

from in_process import run
from topoloom import InputError, build, hops, load, save

#: Four hosts at three switches in a row: two at the first, one at each other.
ROW = "4 3 3\n0 4\n1 4\n2 5\n3 6\n4 5\n5 6\n"


@pytest.mark.parametrize("name", ["row.orp", "row.edges", "row.txt", "row"])
def test_a_host_switch_graph_is_read_by_its_content(name, tmp_path):
    """4 hosts, 3 switches, 2 links; pairs of hosts are 0, 1, 1, 2, 2 and 1 links apart, and 2 more with their own edges."""
    (tmp_path / name).write_text(ROW)
    topology = load(tmp_path / name)
    assert (topology.switches, topology.hosts, topology.links.tolist()) == (3, 4, [[0, 1], [1, 2]])
    assert topology.endpoints.tolist() == [0, 0, 1, 2]
    found = hops(topology)
    assert found.h_aspl == pytest.approx((2 + 3 + 3 + 4 + 4 + 3) / 6)
    assert found.host_diameter + 2 == 4
    printed = run("hops", tmp_path / name).out.splitlines()
    assert f"h-ASPL         {found.h_aspl:.6f}" in printed


@pytest.mark.parametrize("spec", ["slimfly:q=5,hosts=3", "fat-tree:k=4", "jellyfish:n=20,degree=4,hosts=7"])
def test_the_h_aspl_is_the_mean_over_all_pairs_of_hosts(spec, tmp_path):
    """Hosts and switches as vertices of one graph, as its authors define it: counted by NetworkX on the file as written."""
    network = build(spec)
    save(network, tmp_path / "network.orp")
    first, *edges = (tuple(map(int, line.split())) for line in (tmp_path / "network.orp").read_text().splitlines())
    graph = networkx.Graph(edges)
    hosts = range(first[0])
    apart = {a: networkx.single_source_shortest_path_length(graph, a) for a in hosts}
    lengths = [apart[a][b] for a in hosts for b in hosts if a < b]
    assert hops(load(tmp_path / "network.orp")).h_aspl == pytest.approx(sum(lengths) / len(lengths))
    assert hops(build("petersen")).h_aspl is None


def test_it_is_written_as_it_is_read(tmp_path):
    """A trip gives the same bytes; the radix is the most ports of a switch that are in use."""
    (tmp_path / "row.orp").write_text(ROW)
    save(load(tmp_path / "row.orp"), tmp_path / "again.orp")
    assert (tmp_path / "again.orp").read_text() == ROW


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (ROW.replace("3 6\n", "3 9\n"), "x.orp:5: 9 is no host or switch; they count from 0 to 6"),
        (ROW.replace("3 6\n", "3 2\n"), "x.orp:5: an edge joins two hosts: 2 3"),
        (ROW.replace("5 6\n", "6 6\n"), "x.orp:7: an edge joins a switch to itself: 6 6"),
        (ROW.replace("3 6\n", "2 6\n"), "x.orp:5: host 2 already has an edge; a host has one"),
        (ROW.replace("3 6\n", ""), "x.orp: host 3 has no edge"),
        (ROW + "6 5\n", "x.orp:8: the edge 5 6 is there already, in line 7"),
        (ROW.replace("4 3 3", "4 3 2"), "x.orp:6: switch 4 has more than 2 edges, the radix in the first line"),
        (ROW.replace("4 3 3", "4 3"), "x.orp:1: '4 3' is out of place; the first line is 'hosts switches radix'"),
        (ROW.replace("0 4\n", "0 4 7\n"), "x.orp:2: '0 4 7' is out of place"),
        (ROW.replace("0 4\n", "0 x\n"), "x.orp:2: '0 x' is out of place"),
        ("4 0 3\n", "x.orp:1: 4 hosts and 0 switches"),
    ],
)
def test_damaged_files(text, says, tmp_path):
    """One sentence with the line."""
    (tmp_path / "x.orp").write_text(text)
    with pytest.raises(InputError) as raised:
        load(tmp_path / "x.orp")
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)
