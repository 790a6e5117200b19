"""Tables from outside: what is written is read back to the same verdict, and what is wrong with tables is one sentence."""

import re

import networkx as nx
import numpy as np
import pytest
from fabric_cases import cables_of, recabled
from hypothesis import given, settings
from hypothesis import strategies as st

from tiers import examples
from topoloom.core.errors import InputError
from topoloom.fabric.discovery import read_fabric
from topoloom.fabric.exports.opensm import guid2lid_text
from topoloom.fabric.fabric import planned_fabric
from topoloom.fabric.infiniband import lft_text, qos_text
from topoloom.fabric.lft import read_guid2lid, read_lft
from topoloom.fabric.net_text import discovered_text
from topoloom.fabric.service_levels import read_levels
from topoloom.fabric.table_verifier import PORTS, verify_tables
from topoloom.fabric.tables_from import routing_from
from topoloom.routing.route import route
from topoloom.topologies.spec import build


def one_level(fabric):
    """Service level 0 for all pairs."""
    k = fabric.topology.endpoints.size
    return np.zeros((k, k), np.uint8)


CASES = [
    ("slimfly:q=5,hosts=2", "orders"),
    ("jellyfish:n=40,degree=4,hosts=2", "orders"),
    ("torus:dims=4x4,hosts=1", "minimal"),
    ("torus:dims=3x3,hosts=2", "updown"),
]


def read_back(routing, fabric=None):
    """A routing's tables and levels as text and back: (tables, fabric, levels)."""
    fabric = planned_fabric(routing.topology) if fabric is None else fabric
    tables = read_lft(lft_text(routing, fabric), "x.lft", fabric)
    virtual_channels = routing.virtual_channels is not None and routing.virtual_channels.any()
    levels = read_levels(qos_text(routing, fabric), "x.qos", fabric, tables.lid_of) if virtual_channels else None
    return tables, fabric, levels


@pytest.mark.parametrize(("spec", "engine"), CASES)
def test_tables_come_back_with_the_same_verdict(spec, engine):
    """Ports and virtual channels are the same, so everything that the verifier says is; over a discovered fabric too."""
    routing = route(build(spec), engine)
    topology, said = routing.topology, routing.verification
    planned = planned_fabric(topology)
    rng = np.random.default_rng(1)
    ports = [list(5 + rng.permutation(topology.radix)) for _ in range(topology.switches)]
    moved = [[u, int(ports[u].pop()), v, int(ports[v].pop())] for u, _, v, _ in cables_of(planned)]
    odd = recabled(
        planned,
        moved,
        switch_ports=np.full(topology.switches, 90, np.int32),
        endpoint_ports=50 + planned.endpoint_ports,
        switch_guids=planned.switch_guids * np.uint64(1 << 30),
    )
    for fabric in (None, odd, read_fabric(discovered_text(odd), "odd.net")):
        tables, used, levels = read_back(routing, fabric)
        back = routing_from(tables, used, levels)
        assert np.array_equal(back.ports, routing.ports)
        none = np.zeros_like(routing.ports)
        assert np.array_equal(
            *(none if one.virtual_channels is None else one.virtual_channels for one in (back, routing))
        )
        found = verify_tables(tables, used, one_level(used) if levels is None else levels)
        hosts = int(topology.endpoints_at[0])
        ends = hosts * topology.switches
        assert found.pairs == found.reached_pairs == ends * (ends - 1)
        # Pairs of host ports: hosts^2 per pair of switches, and those on one switch, which take no hop.
        assert found.minimal_pairs == said.minimal_pairs * hosts**2 + ends * (hosts - 1)
        assert found.mean_hops == pytest.approx(said.mean_hops * said.pairs * hosts**2 / found.pairs)
        assert found.stretch == pytest.approx(said.stretch)
        for key in ("max_hops", "virtual_channels_used", "deadlock_free"):
            assert getattr(found, key) == getattr(said, key), key
        assert np.array_equal(found.channel_load, said.channel_load * hosts**2)
        between = found.virtual_channel_pairs.copy()
        between[0] -= ends * (hosts - 1)
        assert np.array_equal(between, said.virtual_channel_pairs * hosts**2)


@settings(max_examples=examples(25), deadline=None)
@given(
    st.integers(4, 14),
    st.integers(2, 3),
    st.integers(1, 3),
    st.integers(1, 10**6),
    st.sampled_from(["orders", "minimal", "updown"]),
)
def test_tables_of_random_networks_come_back(n, degree, hosts, seed, engine):
    """Any connected random network, any engine whose virtual channels tables can say: the same ports, virtual channels and
    verdict.
    """
    try:
        topology = build(f"jellyfish:n={n},degree={degree + (n * degree) % 2},hosts={hosts},seed={seed}")
        routing = route(topology, engine)
    except InputError:
        return  # no such network, or one in parts
    tables, fabric, levels = read_back(routing)
    back = routing_from(tables, fabric, levels)
    assert np.array_equal(back.ports, routing.ports)
    found = verify_tables(tables, fabric, one_level(fabric) if levels is None else levels)
    assert found.deadlock_free is routing.verification.deadlock_free
    assert (found.virtual_channels_used, found.max_hops, found.max_channel_load) == (
        routing.verification.virtual_channels_used,
        routing.verification.max_hops,
        routing.verification.edge_forwarding_index * hosts**2,
    )


def test_switches_without_hosts_send_no_data():
    """In a fat tree only leaves' pairs count for circles: the tables are safe in the virtual channels of the leaves."""
    routing = route(build("fat-tree:k=4"))
    tables, fabric, levels = read_back(routing)
    found = verify_tables(tables, fabric, levels)
    assert found.deadlock_free
    assert found.virtual_channel_pairs.sum() == found.pairs == 16 * 15
    # 3 of 15 hosts are 2 hops away or on the same switch: 1 at 0 hops, 2 at 2 hops, 12 at 4 hops.
    assert found.mean_hops == pytest.approx((2 * 2 + 12 * 4) / 15)


def per_host(routing):
    """The tables of a routing, but what goes to every second host of a switch leaves by the other way round the ring."""
    text = lft_text(routing)
    fabric = planned_fabric(routing.topology)
    tables = read_lft(text, "x.lft", fabric)
    ports = tables.ports.copy()
    for e in range(1, routing.topology.endpoints.size, 2):
        home = routing.topology.endpoints[e]
        for s in range(routing.topology.switches):
            if s != home:
                # Clockwise for ever: port 3 or 4 is the next switch of the ring.
                after = (s + 1) % routing.topology.switches
                offsets, to, _ = routing.topology.csr
                ports[s, e] = fabric.channel_ports[
                    offsets[s] + int(np.flatnonzero(to[offsets[s] : offsets[s + 1]] == after)[0])
                ]
    return ports, fabric


def written(ports, fabric):
    """Tables by LID alone, as ibroute prints them."""
    k = fabric.topology.endpoints.size
    lines = []
    for s, row in enumerate(ports.tolist()):
        lines.append(
            f"Unicast lids [0x0-0x{len(row):x}] of switch Lid {k + 1 + s} guid 0x{fabric.switch_guids[s]:016x} (S{s}):"
        )
        lines += ["  Lid  Out   Destination", "       Port     Info "]
        lines += [f"0x{lid:04x} {port:03d} : (somebody)" for lid, port in enumerate(row, start=1)]
        lines.append(f"{len(row)} valid lids dumped ")
    return "\n".join(lines) + "\n"


def test_hosts_of_a_switch_that_go_different_ways_are_judged_one_by_one():
    """A ring where every second host is reached clockwise: pairs, hops, loads and the circle as an oracle finds them."""
    routing = route(build("torus:dims=6,hosts=2"), "updown")
    ports, fabric = per_host(routing)
    found = verify_tables(read_lft(written(ports, fabric), "x.lft", fabric), fabric, one_level(fabric))
    assert found.pairs_between == PORTS
    assert not found.fault
    hops, load, waits = [], {}, nx.DiGraph()
    topology = fabric.topology
    offsets, to, _ = topology.csr
    for e, home in enumerate(topology.endpoints.tolist()):
        for f, start in enumerate(topology.endpoints.tolist()):
            at, walked = start, []
            while at != home:
                (index,) = np.flatnonzero(fabric.channel_ports[offsets[at] : offsets[at + 1]] == ports[at, e])
                walked.append((at, int(to[offsets[at] + index])))
                at = walked[-1][1]
            if e != f:
                hops.append(len(walked))
                nx.add_path(waits, walked)
                for channel in walked:
                    load[channel] = load.get(channel, 0) + 1
    assert found.pairs == found.reached_pairs == len(hops) == 12 * 11
    assert found.mean_hops == pytest.approx(np.mean(hops))
    assert found.max_hops == max(hops)
    assert found.max_channel_load == max(load.values())
    assert found.deadlock_free is nx.is_directed_acyclic_graph(waits) is False
    assert {name[0] for name, _ in found.cycle} == {"S"}


def test_the_levels_of_a_pair_list_are_the_same():
    """Lines of source node GUID, LID and level say what the policy says; unknown ones are refused."""
    routing = route(build("slimfly:q=5,hosts=1"))
    tables, fabric, levels = read_back(routing)
    lines = [
        f"0x{fabric.host_guids[f]:016x} {e + 1} {levels[e, f]}" for e in range(50) for f in range(50) if levels[e, f]
    ]
    assert np.array_equal(read_levels("\n".join(lines), "x.psl", fabric, tables.lid_of), levels)
    for line, message in (
        ("0x1 2 0", "planned has no host with node GUID 0x1; does the file belong to another fabric"),
        ("0x100000 999 0", "planned has no port with LID 999; does the file belong to another fabric"),
        ("0x100000 1 16", "service level 16"),
    ):
        with pytest.raises(InputError, match=f"x.psl:1: {message}"):
            read_levels(line, "x.psl", fabric, tables.lid_of)


def test_guid2lid_gives_tables_without_guids_their_meaning():
    """A guid2lid that numbers otherwise is followed; LIDs that nobody has are refused."""
    routing = route(build("torus:dims=3x3,hosts=1"))
    fabric = planned_fabric(routing.topology)
    lids = read_guid2lid(guid2lid_text(fabric), "guid2lid")
    assert lids[1] == 0x100001
    shifted = {lid + 7: guid for lid, guid in lids.items()}
    bare = re.sub(r" #.*", "", lft_text(routing))
    moved = re.sub(r"^0x(\w{4}) ", lambda m: f"0x{int(m[1], 16) + 7:04x} ", bare, flags=re.MULTILINE)
    assert np.array_equal(read_lft(moved, "x", fabric, shifted).ports, read_lft(lft_text(routing), "x", fabric).ports)
    # 7 of 18 addresses lie above those of the fabric: skipped, as for hosts that are switched off; with most, refused.
    assert read_lft(moved, "x", fabric).notes.other_lids == tuple(range(19, 26))
    far = re.sub(r"^0x(\w{4}) ", lambda m: f"0x{int(m[1], 16) + 12:04x} ", bare, flags=re.MULTILINE)
    with pytest.raises(InputError, match=r"12 of 18 addresses are not in planned .LID 19 is the first.*another fabric"):
        read_lft(far, "x", fabric)
    with pytest.raises(InputError, match="guid2lid:2: LID 1 belongs"):
        read_guid2lid("0x1 0x1 0x1\n0x2 0x1 0x1\n", "guid2lid")
    with pytest.raises(InputError, match="guid2lid:1: not a line like"):
        read_guid2lid("what\n", "guid2lid")


@pytest.mark.parametrize(
    ("pattern", "new", "message"),
    [
        (r"0x0002 \d+ .*\n", "", "x:19: 17 entries above, the last for LID 18, but '19 lids dumped'"),
        (r"0x0002 00\d # Channel", "0x0002 # Channel", "x:3: .* is not a line of forwarding tables"),
        (r"0x0002 00\d", "0x0002 300", "x:3: port 300; ports are 0 to 254"),
        (r"0x0002 (00\d)", r"0x0001 \1", "x:3: LID 1 belonged to port GUID 0x100001 above, not 0x100003"),
        (r"0x0002 .*\n", "0x0003 001\n", "x:20: LID 3 has two entries above"),
        (r"18 lids dumped\nUni", "Uni", r"x:20: the table of switch 0x200000 has no end"),
        (r"18 lids dumped\n$", "", "x: the table of switch 0x200008 has no end"),
        (r"(?s)^(.*?)(0x0009.*)$", r"\1", "x: the table of switch 0x200000 has no end .*; the file is cut off"),
        (r"(?s)^(.*?lids dumped\n)(.*)$", r"\1\1", "x:21: switch 0x200000 has a table already, on line 1"),
        (r"(?s)^(.*?lids dumped\n)(.*)$", r"\1", "x: no table for switch S1 .8 of 9 switches without one"),
        (
            r"guid 0x00000000002",
            "guid 0x00000000003",
            "x:1: no switch of planned has GUID 0x300000, nor those of 8 other",
        ),
        (r"portguid 0x0000000000", "portguid 0x0000000001", "x: 18 of 18 addresses are not in planned"),
        (r"(?s).*", "0x0001 001\n", "x:1: an entry before the first"),
        (r"(?s).*", "AR groups of switch S0\n", "x:1: 'AR groups of switch S0' is not a line of forwarding tables"),
        (r"(?s).*", "", "x: no table of a switch"),
    ],
)
def test_what_is_no_dump_of_this_fabric_is_refused(pattern, new, message):
    """Damaged and cut files, and those of which most does not fit the fabric: one sentence each."""
    routing = route(build("torus:dims=3x3,hosts=1"))
    fabric = planned_fabric(routing.topology)
    count = 0 if pattern.startswith(("guid", "portguid")) else 1
    text = re.sub(pattern, new, lft_text(routing), count=count)
    if "19 lids" in message:
        text = text.replace("18 lids dumped", "19 lids dumped", 1)
    with pytest.raises(InputError, match=message):
        read_lft(text, "x", fabric)


@pytest.mark.parametrize(
    ("pattern", "new", "text", "destinations", "pairs"),
    [
        (
            r"0x0001 001 # Chan",
            "0x0001 002 # Chan",
            "S0 sends them to port 2 .switch S.., but its cable is in port 1",
            1,
            8,
        ),
        (r"0x0002 \d+", "0x0002 255", "S0 has no entry", 1, 1),
        (r"0x0002 .*\n", "", "S0 has no entry", 1, 1),
        (r"0x0002 \d+", "0x0002 001", "S0 port 1 leads to host H0", 1, 1),
        (r"0x0002 \d+", "0x0002 000", "S0 port 0 leads to the switch itself", 1, 1),
        (r"0x0002 \d+", "0x0002 099", "S0 port 99 leads to nothing: the switch has 5 ports", 1, 1),
        (r"(?s)Unicast lids \S+ of switch Lid 18 .*", "", "S8 has no table in the file", 9, 16),
        (r"0x0002 .*\n", "", "no switch has an entry", 1, 8),
    ],
)
def test_black_holes_are_reported_with_their_entries(pattern, new, text, destinations, pairs):
    """Entries that lead to a wrong host, to a port without a cable, to the switch itself, and missing ones."""
    routing = route(build("torus:dims=3x3,hosts=1"))
    fabric = planned_fabric(routing.topology)
    count = 0 if text.startswith("no switch") else 1
    found = verify_tables(read_lft(re.sub(pattern, new, lft_text(routing), count=count), "x", fabric), fabric)
    worst = max(found.black_holes, key=lambda hole: hole.destinations)
    assert re.search(text, str(worst)), str(worst)
    assert worst.destinations == destinations
    assert worst.pairs >= pairs
    assert sum(hole.pairs for hole in found.black_holes) == found.pairs - found.reached_pairs


def test_tables_that_go_in_circles_are_told():
    """Two switches that send to each other: the pair is named, and not all pairs arrive."""
    routing = route(build("torus:dims=5,hosts=1"), "updown")
    fabric = planned_fabric(routing.topology)
    tables = read_lft(lft_text(routing), "x", fabric)
    ports = tables.ports.copy()
    ports[3, 0], ports[2, 0] = ports[3, 2], ports[2, 3]
    found = verify_tables(read_lft(written(ports, fabric), "x", fabric), fabric)
    (hole,) = found.black_holes
    assert str(hole).startswith("S2 and others send them in a circle, S2 -> S3 -> S2: 1 destination (H0)")
    assert hole.pairs == found.pairs - found.reached_pairs > 0


def test_damaged_files_are_refused_in_one_line():
    """Tables, policies, pair lists and guid2lid with a few characters changed are read, or refused in one sentence."""
    routing = route(build("slimfly:q=5,hosts=1"))
    tables, fabric, _ = read_back(routing)
    pairs = "0x100000 2 0\n0x100002 1 1\n"
    texts = {
        "lft": "\n".join(lft_text(routing).splitlines()[:104]) + "\n",
        "qos": qos_text(routing)[:3000],
        "psl": pairs,
        "guid2lid": guid2lid_text(fabric)[:400],
    }
    readers = {
        "lft": lambda text: read_lft(text, "x", fabric),
        "qos": lambda text: read_levels(text, "x", fabric, tables.lid_of),
        "psl": lambda text: read_levels(text, "x", fabric, tables.lid_of),
        "guid2lid": lambda text: read_guid2lid(text, "x"),
    }

    @settings(max_examples=examples(300), deadline=None)
    @given(
        st.sampled_from(sorted(texts)),
        st.integers(0, 10**6),
        st.integers(0, 12),
        st.text(max_size=6) | st.sampled_from(BITS),
    )
    def check(kind, where, width, splinter):
        text = texts[kind]
        where %= len(text)
        said = "x: nothing"
        try:
            readers[kind](text[:where] + splinter + text[where + width :])
        except InputError as error:
            said = str(error)
        assert re.fullmatch(r"x(:\d+)?: [^\n\r]+", said)

    check()


BITS = [
    "\n",
    "0x",
    "-",
    "end-",
    "99999",
    "0xffffffffffffffff",
    ",",
    ":",
    "Unicast lids guid 0x1 ",
    "lids dumped",
    "#",
    "\u2028",
]


@pytest.mark.parametrize("block", ["qos-match-rle", "qos-ulps", "port-grp"])
def test_a_block_of_a_policy_that_is_not_read_is_refused(block):
    """A misspelt rule would else be no rule, without a word."""
    routing = route(build("torus:dims=3x3,hosts=1"), virtual_channels=2)
    fabric = planned_fabric(routing.topology)
    tables = read_lft(lft_text(routing), "x.lft", fabric)
    policy = f"{block}\n  source: A\nend-{block}\n" + qos_text(routing, fabric)
    with pytest.raises(InputError, match=f"x.qos:1: unknown block '{block}'; the supported blocks are port-groups"):
        read_levels(policy, "x.qos", fabric, tables.lid_of)
