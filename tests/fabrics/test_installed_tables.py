"""Installed tables of real subnet managers, with several addresses per port: read, verified, measured and simulated."""

import json
import re
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import topoloom as t
from tiers import examples
from topoloom.cli.main import main
from topoloom.core.errors import InputError
from topoloom.fabric.fabric import planned_fabric
from topoloom.fabric.infiniband import real_ports
from topoloom.fabric.installed import read_installed
from topoloom.fabric.lft import Tables, read_lft
from topoloom.fabric.service_levels import read_levels
from topoloom.fabric.sl2vl import read_sl2vl
from topoloom.fabric.table_verifier import verify_tables
from topoloom.fabric.tables_compared import table_figures
from topoloom.fabric.tables_from import routing_from
from topoloom.formats.ibnetdiscover import load_fabric
from topoloom.routing.choices import Layers
from topoloom.routing.route import route
from topoloom.routing.routing import Routing
from topoloom.routing.verification.verify import verify_routing
from topoloom.throughput.traffic import uniform_remote
from topoloom.throughput.traffic.loads import expected_loads
from topoloom.topologies.spec import build

DUMPS = Path(__file__).parent / "dumps"


@pytest.fixture
def call(tmp_path, monkeypatch, capsys):
    """Run the command line in an empty folder: (exit code, stdout, stderr)."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        with pytest.raises(SystemExit) as left:
            main([str(word) for word in arguments])
        out, err = capsys.readouterr()
        return left.value.code, out, err

    return run


def installed(name, fabric=None, qos=None):
    """The tables in a file of the folder of dumps, for the fabric of the same name or another one."""
    stem = name.split(".")[0] if fabric is None else fabric
    found = load_fabric(DUMPS / f"{stem}.net")
    return found, read_installed(found, DUMPS / name, qos)


@pytest.mark.parametrize("tool", ["dump_lfts", "dump_fts_a", "dump_fts_n"])
def test_every_tool_writes_the_same_tables(tool):
    """OpenSM ends a table with the highest LID, ibroute with a count; LID 0, names, paths and trailers make no difference."""
    _, ours = installed("gap.opensm.lft")
    _, theirs = installed(f"gap.{tool}.lft")
    assert theirs.tables.paths == 2
    for number in range(2):
        assert np.array_equal(theirs.tables.path(number), ours.tables.path(number))
    assert theirs.tables.lid_of == ours.tables.lid_of
    assert np.array_equal(theirs.tables.base_lids, ours.tables.base_lids)


def test_all_paths_of_a_pair_are_followed():
    """By hand: leaf1 sends cn3 to ports 4 and 5 (LIDs 8 and 9), cn4 to ports 5 and 6 (12 and 13); half a pair each."""
    fabric, read = installed("gap.opensm.lft")
    found = verify_tables(read.tables, fabric)
    assert (found.paths, found.pairs, found.reached_pairs, found.max_hops) == (2, 6, 6, 2)
    leaf = fabric.switch_names.index("leaf1")
    first = fabric.topology.csr[0][leaf]
    at_port = dict(
        zip(fabric.channel_ports[first : first + 3].tolist(), found.channel_load[first : first + 3], strict=True)
    )
    assert at_port == {4: 0.5, 5: 1.0, 6: 0.5}
    assert found.max_channel_load == 1
    assert found.deadlock_free
    (note,) = found.table_notes
    assert note.startswith("2 of 12 entries from switch to switch are missing, as updn and ftree leave them")


def test_a_host_that_is_switched_off_is_a_note_and_one_without_entries_is_an_error():
    """Its LIDs 14 and 15 are in the older tables; the newer tables have no entry for it."""
    fabric, read = installed("gap-before.opensm.lft", "gap")
    found = verify_tables(read.tables, fabric)
    assert found.reached_pairs == found.pairs == 6
    lids = read.tables.notes.other_lids
    assert len(lids) == 2
    assert any(f"LID {lids[0]}, {lids[1]}" in note for note in found.table_notes)
    fabric, read = installed("gap.opensm.lft", "gap-before")
    found = verify_tables(read.tables, fabric)
    (hole,) = found.black_holes
    assert str(hole) == "no switch has an entry: 1 destination (cn2), 3 pairs"
    # cn2 still sends to the three others.
    assert found.pairs - found.reached_pairs == 3


def test_an_address_without_entries_is_one_root_cause():
    """The file engine with an LMC, and tables of the first addresses only: no pair is reached on all its paths."""
    fabric = load_fabric(DUMPS / "gap.net")
    text = (DUMPS / "gap.opensm.lft").read_text()
    text = re.sub(r"(?m)^0x000[39d] .*\n", "", text)
    found = verify_tables(read_lft(text, "x", fabric), fabric)
    (hole,) = found.black_holes
    assert str(hole) == "no switch has an entry for one of the LIDs: 3 destinations (cn3, cn4, cn1), 6 pairs"
    assert (found.pairs, found.reached_pairs, found.paths) == (6, 0, 2)


def test_service_levels_decide_about_a_ring():
    """dfsssp on a ring: a cycle in one lane, none with the levels that the subnet administrator gave for all LIDs."""
    fabric, read = installed("ring.dfsssp.lft")
    unknown = verify_tables(read.tables, fabric)
    assert unknown.deadlock_free is None
    assert [one.code for one in t.diagnose(fabric, None, unknown).diagnostics] == ["TL405"]
    fabric, read = installed("ring.dfsssp.lft", qos="none")
    single = verify_tables(read.tables, fabric, read.levels)
    assert single.deadlock_free is False
    assert [one.code for one in t.diagnose(fabric, None, single).diagnostics] == ["TL401"]
    fabric, read = installed("ring.dfsssp.lft", qos=DUMPS / "ring.dfsssp.saquery")
    # Levels depend on both addresses: two of the source, two of the destination.
    assert read.levels.shape == (4, 5, 5)
    known = verify_tables(read.tables, fabric, read.levels, skipped=read.skipped)
    assert known.deadlock_free
    assert (known.virtual_channels_used, known.virtual_channel_pairs.sum()) == (8, 40)
    assert known.table_notes == ()
    routing = read.routing(fabric)
    assert (routing.paths, routing.verification.deadlock_free) == (2, True)


def test_damaged_path_records_are_refused():
    """A field that is missing, a line of something else, a level that does not exist; a missing record is a note."""
    fabric, read = installed("ring.dfsssp.lft")
    text = (DUMPS / "ring.dfsssp.saquery").read_text()
    for pattern, new, message in (
        (r"\bsl\.+0x\d", "", "x:1: this path record has no sl"),
        (r"\bsl\.+0x\d", "sl......0x1f", "x:1: service level 31"),
        (r"\bsl\.+0x\d", "level 3", "x:5: 'level 3' is not a line of a path record"),
        (r"slid\.+\d+", "slid....many", "x:4: slid 'many' is not a number"),
    ):
        with pytest.raises(InputError, match=message):
            read_levels(re.sub(pattern, new, text, count=1), "x", fabric, read.tables)
    skipped = []
    records = text.split("PathRecord dump:")[1:]
    gone = re.search(r"dlid\.+\d+\n", records[-1])[0]
    rest = [record for record in records if gone not in record]
    read_levels("PathRecord dump:".join(["", *rest]), "x", fabric, read.tables, skipped)
    assert skipped == ["4 pairs of host ports have no service level in the file; level 0 is assumed for them"]


@settings(max_examples=examples(20), deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 3), st.sampled_from([1, 2, 4]))
def test_any_entries_are_followed_as_an_oracle_follows_them(seed, hosts, paths):
    """Random entries, most of them right: reached pairs, loads and lost pairs of every path, pair by pair."""
    rng = np.random.default_rng(seed)
    topology = build(f"jellyfish:n=8,degree=3,hosts={hosts},seed={seed % 97}")
    if (topology.degrees == 0).any():
        return
    fabric = planned_fabric(topology)
    k, n = topology.endpoints.size, 8
    right = real_ports(route(topology, "minimal"), fabric)
    layers = []
    for _ in range(paths):
        ports = right.astype(np.int16)
        wrong = rng.random(ports.shape) < 0.03
        ports[wrong] = rng.integers(-1, topology.radix + 2, int(wrong.sum()))
        layers.append(ports)
    tables = Tables("x", layers[0], {}, tuple(layers[1:]), np.full(k + n, paths), np.arange(k + n) * paths + 1)
    found = verify_tables(tables, fabric)
    plug = {(int(s), int(p)): e for e, (s, p) in enumerate(zip(topology.endpoints, fabric.endpoint_ports, strict=True))}
    far = {}
    for (u, v), (p, q) in zip(topology.links.tolist(), fabric.link_ports.tolist(), strict=True):
        far[u, p], far[v, q] = v, u
    load, reached, channel = np.zeros(2 * len(topology.links)), 0, {}
    first = topology.csr[0]
    for s in range(n):
        for c in range(first[s], first[s + 1]):
            channel[s, int(fabric.channel_ports[c])] = c
    for e in range(k):
        for f in range(k):
            arrives = []
            for ports in layers if e != f else ():
                at, walked = int(topology.endpoints[f]), []
                while len(walked) <= n and (at, int(ports[at, e])) in far and at != topology.endpoints[e]:
                    walked.append(channel[at, int(ports[at, e])])
                    at = far[at, int(ports[at, e])]
                arrives.append(plug.get((at, int(ports[at, e]))) == e and len(walked) <= n)
                if arrives[-1]:
                    np.add.at(load, walked, 1 / paths)
            reached += bool(arrives) and all(arrives)
    assert (found.pairs, found.reached_pairs) == (k * (k - 1), reached)
    assert np.allclose(found.channel_load, load)
    assert sum(hole.pairs for hole in found.black_holes) == found.pairs - reached
    figures = table_figures(tables, fabric)
    assert (figures.unreachable_pairs, figures.max_channel_load) == (found.pairs - reached, pytest.approx(load.max()))


@settings(max_examples=examples(25), deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 4))
def test_lanes_that_change_from_hop_to_hop_are_followed(seed, most):
    """Random lanes of each level at every pair of ports, written and read back: a cycle as NetworkX finds it."""
    rng = np.random.default_rng(seed)
    topology = build(f"jellyfish:n=8,degree=3,hosts=1,seed={seed % 89}")
    fabric = planned_fabric(topology)
    ports = real_ports(route(topology, "minimal", seed=seed % 7), fabric).astype(np.int16)
    levels = rng.integers(0, 2, (8, 8)).astype(np.uint8)
    radix = int(fabric.switch_ports.max())
    lanes = rng.integers(0, most, (8, radix + 1, radix + 1, 16)).astype(np.uint8)
    text = "".join(
        f'Switch 0x{guid:016x}, base LID {s}, "S{s}"\n#in out : 0 1 2\n#---\n'
        + "".join(
            f"{i} {o} : {' '.join(map(str, lanes[s, i, o].tolist()))}\n"
            for i in range(radix + 1)
            for o in range(radix + 1)
        )
        for s, guid in enumerate(fabric.switch_guids.tolist())
    )
    assert np.array_equal(read_sl2vl(text, "x", fabric), lanes)
    found = verify_tables(Tables("x", ports, {}), fabric, levels, sl2vl=lanes)
    far = {}
    for (u, v), (p, q) in zip(topology.links.tolist(), fabric.link_ports.tolist(), strict=True):
        far[u, p], far[v, q] = (v, q), (u, p)
    waits = nx.DiGraph()
    for to, start in np.ndindex(8, 8):
        at, into, walked = start, 1, []
        while at != to:
            out = int(ports[at, to])
            walked.append((at, out, int(lanes[at, into, out, levels[to, start]])))
            at, into = far[at, out]
        nx.add_path(waits, walked)
    assert found.deadlock_free is nx.is_directed_acyclic_graph(waits)


def test_strange_lanes_are_refused():
    """Of another fabric, of another file, a lane or a port that does not exist."""
    fabric = planned_fabric(build("ring:n=3,hosts=1"))
    row = "1 2 : " + " ".join(["0"] * 16) + "\n"
    for text, message in (
        ("Switch 0x1, base LID 1\n" + row, "it maps 0 of 3 switches of planned, and 1 others"),
        ("Unicast lids\n", "x:1: 'Unicast lids' is not a line of opensm-sl2vl.dump"),
        ("Switch 0x200000\n" + row.replace("1 2", "1 9"), "x:2: port 9; the switches of planned have 3 ports"),
        ("Switch 0x200000\n" + row.replace(": 0", ": 16"), "x:2: virtual lane 16; virtual lanes are 0 to 15"),
    ):
        with pytest.raises(InputError, match=message):
            read_sl2vl(text, "x", fabric)


def test_the_loads_of_several_addresses_are_the_mean_of_each():
    """The expected load of a routing with two paths per pair is the mean of the loads of its two tables, host by host."""
    fabric, read = installed("gap-before.opensm.lft")
    routing = routing_from(read.tables, fabric)
    assert (routing.paths, len(routing.host_tables), routing.by_host) == (2, 2, True)
    sent = uniform_remote(fabric.topology)
    both = expected_loads(routing, sent).channels
    single = [
        expected_loads(routing_from(Tables("x", read.tables.path(number), {}), fabric), sent).channels
        for number in range(2)
    ]
    assert not np.allclose(*single)
    assert np.allclose(both, np.mean(single, axis=0))
    assert t.quality(routing, bisections=5).uniform_throughput == pytest.approx(
        table_figures(read.tables, fabric).uniform_throughput
    )


def test_packets_take_all_addresses_of_a_host():
    """Two disjoint paths from one switch to another, each with half of a link's rate to spare: both carry packets."""
    topology = t.Topology(links=[(0, 1), (0, 1)], switches=2, endpoints=[0, 0, 1, 1])
    ports = [np.array([[none, port], [port, none]], np.uint8) for port, none in ((0, 255), (1, 255))]
    one = Routing(topology, "one", ports[0])
    two = Routing(topology, "two", ports[0], choice=Layers((ports[1],), by_host=True, paths=2))
    accepted = []
    for routing in (one, two):
        routing = t.Routing(**{**vars_of(routing), "verification": verify_routing(routing)})
        curve = t.simulate(routing, loads=[1.0], traffic="uniform", seed=1, fast=True)
        accepted.append(curve.points[0].accepted)
    # Two of three destinations are behind the links: one link carries 2/(2 * 2/3) of the hosts' rate, two are enough for it.
    assert accepted[0] < 0.8 < accepted[1]


def vars_of(routing):
    """The fields of a routing."""
    return {name: getattr(routing, name) for name in ("topology", "engine", "ports", "choice")}


def test_hosts_of_layers_use_the_turns_of_all():
    """Each table alone has no cycle, both together have one: the verification of tables by host finds it."""
    ring = build("ring:n=4,hosts=2")
    tables = []
    for ways in ((0, 1), (2, 3)):
        # Clockwise two hops from the switches in `ways`, otherwise the shorter way, counter-clockwise if equal.
        ports = np.full((4, 4), 255, np.uint8)
        offsets, to, _ = ring.csr
        for s in range(4):
            for d in range(4):
                if s != d:
                    gap = (d - s) % 4
                    ahead = gap == 1 or (gap == 2 and s in ways) or (gap == 1)
                    step = (s + (1 if ahead else -1)) % 4
                    ports[d, s] = np.flatnonzero(to[offsets[s] : offsets[s + 1]] == step)[0]
        tables.append(Routing(ring, "x", ports))
    assert all(verify_routing(table).deadlock_free for table in tables)
    both = Routing(ring, "x", tables[0].ports, choice=Layers((tables[1].ports,), by_host=True))
    assert not verify_routing(both).deadlock_free


def test_folders_of_exports_and_repairs_are_networks(call):
    """A folder of `export opensm` or `repair -o` opens with its tables, which quality and simulate use."""
    assert call("export", "fat-tree:k=4", "opensm", "-o", "made")[0] == 0
    network = t.open_network("made")
    assert network.tables.by_host == (len(network.tables.host_tables) > 1)
    assert network.tables.engine.startswith("tables of made/fabric.lft")
    assert network.tables.verification.complete
    assert network.fabric.host_names[:2] == ("H0", "H1")
    code, out, err = call("quality", "made", "--json", "--bisections", "10")
    assert code == 0
    assert "made: with the installed tables of made/fabric.lft" in err
    by_file = call("quality", "made/fabric.net", "--tables", "made/fabric.lft", "--json", "--bisections", "10")[1]
    assert json.loads(out)["uniform_throughput"] == json.loads(by_file)["uniform_throughput"]
    assert call("info", "made")[0] == 0
    assert call("repair", "made/fabric.net", "made/fabric.lft", "made/fabric.net", "-o", "again")[0] == 0
    assert t.open_network("again").tables.verification.complete


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["quality", "made/fabric.net", "--qos", "none"], "--qos has the service levels of installed tables"),
        (
            ["quality", "made/fabric.net", "--tables", "made/fabric.lft", "--engine", "minimal"],
            "--engine makes new ones",
        ),
        (["quality", "fat-tree:k=6", "--tables", "made/fabric.lft"], "belongs to another fabric"),
        (["quality", "petersen", "--tables", "made/fabric.lft"], "no hosts, so there is nothing to route to"),
        (["quality", "made/fabric.net", "--tables", "bad.lft"], "pairs of host ports do not arrive"),
        (["simulate", "made", "petersen", "--tables", "made/fabric.lft"], "--tables are of one fabric"),
    ],
)
def test_installed_tables_that_cannot_be_measured_are_refused(call, arguments, message):
    """One sentence each."""
    assert call("export", "fat-tree:k=4", "opensm", "-o", "made")[0] == 0
    text = Path("made/fabric.lft").read_text()
    Path("bad.lft").write_text(re.sub(r"(?m)^0x0005 \d+", "0x0005 255", text))
    code, _, err = call(*arguments)
    assert code == 2
    assert message in " ".join(err.split())


def test_multicast_tables_are_skipped_and_counted():
    """ibroute prints a row of ports per group; multicast addresses in unicast tables are skipped too."""
    fabric = load_fabric(DUMPS / "gap.net")
    text = (DUMPS / "gap.dump_fts_n.lft").read_text()
    more = (
        "Multicast mlids [0xc000-0xc3ff] of switch Lid 4 guid 0x0000000000200000 (leaf1):\n"
        "            0                   1\n     Ports: 0 1 2 3 4 5 6\n MLid\n"
        "0xc000           x     x\n0xc001             x\n2 valid mlids dumped \n"
    )
    read = read_lft(text + more, "x", fabric)
    assert read.notes.multicast_entries == 2
    assert np.array_equal(read.ports, read_lft(text, "x", fabric).ports)
    with pytest.raises(InputError, match="x: the last multicast table has no end"):
        read_lft(text + more.rsplit("\n", 2)[0], "x", fabric)


def test_path_records_of_no_pair_of_hosts_are_refused(tmp_path):
    """A query that was cut off has the records of switches only: level 0 is not assumed for all pairs."""
    records = (DUMPS / "ring.dfsssp.saquery").read_text().split("PathRecord dump:\n")
    lids = [re.search(r"slid\.+(\d+)", record)[1] for record in records[1:]]
    own = re.sub(r"dlid(\.+)\d+", rf"dlid\g<1>{lids[0]}", records[1])
    (tmp_path / "sa.txt").write_text("PathRecord dump:\n" + own)
    with pytest.raises(InputError, match="has the service level of no pair of hosts"):
        installed("ring.dfsssp.lft", qos=tmp_path / "sa.txt")
