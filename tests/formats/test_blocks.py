"""Networks by blocks: the counts of published machines, even loads, labels, rates, and what is refused, with its line."""

import json
import tomllib
from collections import Counter
from itertools import combinations
from math import ceil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import topoloom.cost.catalogues
from in_process import run
from tiers import examples
from topoloom import Block, Blocks, InputError, Join, Topology, build, load, open_network, route, topology_of
from topoloom.routing.fitting import fitting_engine
from topoloom.start.examples import EXAMPLES, examples_folder

MACHINES = examples_folder() / "machines"


def _count(network):
    """Links by the blocks of their ends, those inside a group apart; and host ports by block: counted link by link."""
    block, group = (network.labels[name].tolist() for name in ("block", "group"))
    links = Counter()
    for u, v in network.links.tolist():
        inside = "inside " if group[u] == group[v] else ""
        links[inside + "-".join(sorted((block[u], block[v])))] += 1
    return dict(links), dict(Counter(block[switch] for switch in network.endpoints.tolist()))


#: By machine: switches of each block, links and host ports as `_count` has them, and the diameter.
GOLDEN = {
    "lumi": (
        {"G": 24 * 32, "C": 8 * 16},
        {"inside G-G": 11_904, "inside C-C": 960, "G-G": 5_520, "C-C": 448, "C-G": 768},
        {"G": 24 * 124 * 4, "C": 8 * 256},
        3,
    ),
    "jupiter-cells": ({"L1": 375, "L2": 400}, {"inside L1-L2": 25 * 480, "L2-L2": 300 * 20}, {"L1": 25 * 960}, 3),
    "superpod-h100-storage": (
        {"leaf": 8, "storage leaf": 4, "spine": 4},
        {"leaf-spine": 192, "spine-storage leaf": 48},
        {"leaf": 254, "storage leaf": 96},
        2,
    ),
    "superpod-h100-in-band": (
        {"leaf": 6, "core": 2},
        {"inside leaf-leaf": 6, "core-leaf": 24},
        {"leaf": 254 + 8 + 4 + 8},
        2,
    ),
    "basepod-compute": ({"pair": 2}, {"inside pair-pair": 32}, {"pair": 8 * 8}, 1),
    # Places for ports: in-band for other numbers of servers, too; storage of four units has 4 * 48 and uplinks.
    "basepod-in-band": ({"pair": 2}, {"inside pair-pair": 2}, {"pair": 2 * 62}, 1),
    "a90-pair": ({"pair": 2}, {"inside pair-pair": 2}, {"pair": 2 * 60 * 4}, 1),
    "gb200-in-band": ({"leaf": 4, "spine": 2}, {"leaf-spine": 4 * 24}, {"leaf": 4 * 40 * 4}, 2),
    "rubin-storage": (
        {"leaf": 16, "spine": 12, "storage leaf": 4},
        {"leaf-spine": 16 * 56, "spine-storage leaf": 4 * 56},
        {"leaf": 1_152, "storage leaf": 4 * 56},
        2,
    ),
}


def test_every_machine_is_counted():
    """An example of a machine has its numbers here."""
    assert {path.stem for path in MACHINES.glob("*.toml") if b"\n[[block]]\n" in path.read_bytes()} == set(GOLDEN)


@pytest.mark.parametrize("name", GOLDEN)
def test_published_machines(name):
    """Switches, links between each two blocks, links inside groups, host ports and the diameter."""
    switches, links, hosts, diameter = GOLDEN[name]
    network = load(MACHINES / f"{name}.toml")
    assert Counter(network.labels["block"].tolist()) == switches
    assert _count(network) == (links, hosts)
    document = json.loads(run("info", str(MACHINES / f"{name}.toml"), "--json").out)
    assert (document["diameter"], document["connected"]) == (diameter, True)


def test_the_totals_of_lumi_and_the_ports_of_its_groups():
    """896 switches, 12,864 links inside, 6,736 between groups; a group G uses 508 of 544 ports with the service groups."""
    whole = tomllib.loads((MACHINES / "lumi.toml").read_text())
    network = topology_of(whole)
    group = network.labels["group"][network.links]
    between = group[:, 0] != group[:, 1]
    assert (network.switches, int((~between).sum()), int(between.sum())) == (896, 11_904 + 960, 6_736)
    # Login, flash and disks: 2.4, 7.2 and 9.6 TB/s to 24 groups G, 0.8, 3.2 and 3.2 to 8 groups C; 0.1, 0.4, 0.4 between them.
    whole["block"] += [{"name": name, "switches": 16} for name in "MFP"]
    wanted = {"GM": 2, "GF": 6, "GP": 8, "CM": 2, "CF": 8, "CP": 8, "MF": 2, "MP": 8, "FP": 8}
    whole["join"] += [{"between": list(pair), "links": links} for pair, links in wanted.items()]
    network = topology_of(whole)
    group = network.labels["group"][network.links]
    ports = np.bincount(group[group[:, 0] != group[:, 1]].ravel())
    assert set(ports[:24].tolist()) == {508}
    assert 32 * (64 - 16 - 31) == 544
    assert int((group[:, 0] != group[:, 1]).sum()) == 7_282


def test_one_block_is_the_slingshot_of_the_families():
    """A Dragonfly of like groups is that of the family, link by link."""
    mine = topology_of(
        Blocks(
            block=(Block(name="G", groups=24, switches=32, hosts=16, inside="mesh"),),
            join=(Join(between=("G", "G"), links=20),),
        )
    )
    family = build("slingshot:groups=24,pair_links=20")
    assert np.array_equal(mine.links, family.links)
    assert np.array_equal(mine.endpoints, family.endpoints)


_SIZES = st.integers(1, 5)


@st.composite
def _described(draw):
    """Up to three blocks, with joins of any of them."""
    names = "ABC"[: draw(st.integers(1, 3))]
    blocks = tuple(Block(name=name, groups=draw(_SIZES), switches=draw(_SIZES)) for name in names)
    pairs = [(a, a) for a in blocks if a.groups > 1] + list(combinations(blocks, 2))
    joins = tuple(
        Join(
            between=(a.name, b.name),
            links=draw(st.integers(1, 40)),
            within="group" if a is not b and a.groups == b.groups and draw(st.booleans()) else None,
        )
        for a, b in pairs
    )
    return Blocks(block=blocks, join=joins)


@settings(max_examples=examples(200), deadline=None)
@given(_described().filter(lambda blocks: blocks.join and len(blocks.block) + blocks.block[0].groups > 2))
def test_links_are_spread_evenly(blocks):
    """Each pair of groups has its links; loads differ by one; parallel links only where there are no others."""
    network = topology_of(blocks)
    place = [
        (block, group, member)
        for block in blocks.block
        for group in range(block.groups)
        for member in range(block.switches)
    ]
    assert network.switches == len(place)
    by_groups, by_switches = Counter(), Counter()
    for u, v in network.links.tolist():
        ends = (place[u][0].name, place[u][1]), (place[v][0].name, place[v][1])
        by_groups[frozenset(ends)] += 1
        by_switches[u, v] += 1
    wanted = Counter()
    sizes = {block.name: block for block in blocks.block}
    for join in blocks.join:
        a, b = (sizes[name] for name in join.between)
        for i in range(a.groups):
            for j in range(b.groups):
                if (a is b and i < j) or (a is not b and (join.within is None or i == j)):
                    wanted[frozenset(((a.name, i), (b.name, j)))] += join.links
    assert by_groups == wanted
    for (u, v), count in by_switches.items():
        (a, i, _), (b, j, _) = place[u], place[v]
        assert count <= ceil(wanted[frozenset(((a.name, i), (b.name, j)))] / (a.switches * b.switches))
    first = 0
    for block in blocks.block:
        loads = network.degrees[first : first + block.groups * block.switches].reshape(block.groups, block.switches)
        first += loads.size
        assert (np.ptp(loads, axis=1) <= 1).all()


def test_more_links_than_pairs_are_parallel_evenly():
    """Seven links between two groups of two switches: one or two of each pair, and three or four at each switch."""
    network = topology_of(
        {"block": [{"name": "A", "groups": 2, "switches": 2}], "join": [{"between": ["A", "A"], "links": 7}]}
    )
    assert sorted(Counter(map(tuple, network.links.tolist())).values()) == [1, 2, 2, 2]
    assert sorted(network.degrees.tolist()) == [3, 3, 4, 4]


def test_labels_and_levels():
    """Groups are unique over all blocks, and one where a join is within groups; blocks without hosts stand above."""
    cells = load(MACHINES / "jupiter-cells.toml")
    assert np.unique(cells.labels["group"]).size == 25
    assert np.bincount(cells.labels["group"]).tolist() == [31] * 25
    assert set(zip(cells.labels["block"].tolist(), cells.labels["level"].tolist(), strict=True)) == {
        ("L1", 0),
        ("L2", 1),
    }
    for group in range(25):
        assert sorted(cells.labels["member"][cells.labels["group"] == group].tolist()) == list(range(31))
    lumi = load(MACHINES / "lumi.toml")
    assert np.unique(lumi.labels["group"]).size == 32
    assert "level" not in lumi.labels
    three = {
        "block": [
            {"name": "leaf", "switches": 4, "hosts": 2},
            *({"name": name, "switches": 2} for name in ("spine", "core")),
        ],
        "join": [{"between": pair, "links_per_pair": 1} for pair in (["core", "spine"], ["leaf", "spine"])],
    }
    assert topology_of(three).labels["level"].tolist() == [0] * 4 + [1] * 2 + [2] * 2
    # A core that is linked to spines and to leaves is on no level.
    three["join"].append({"between": ["core", "leaf"], "links_per_pair": 1})
    assert "level" not in topology_of(three).labels


@pytest.mark.parametrize(
    ("name", "engine"),
    [
        ("lumi", "dragonfly"),
        ("jupiter-cells", "levels"),
        ("superpod-h100-storage", "fat-tree"),
        ("superpod-h100-in-band", "levels"),
    ],
)
def test_the_engine_that_fits(name, engine):
    """Minimal Dragonfly routing by the groups, up and down a tree of blocks, else shortest paths."""
    assert fitting_engine(load(MACHINES / f"{name}.toml"))[0] == engine


@pytest.mark.parametrize("name", ["superpod-h100-storage", "superpod-h100-in-band"])
def test_tables_are_free_of_deadlock(name):
    """Every pair is reached, and the verifier finds no cycle of channels."""
    verification = route(MACHINES / f"{name}.toml").verification
    assert verification.deadlock_free
    assert verification.reached_pairs == verification.pairs


def test_rates_and_hosts_with_several_ports():
    """Links and hosts have their own rate, else that of the file; a host has a port on each switch of a run."""
    network = load(MACHINES.parents[1] / "tests/formats/fixtures/two-kinds.blocks.toml")
    block = network.labels["block"][network.links]
    rates = Counter(zip(map("".join, np.sort(block, axis=1).tolist()), network.link_rate_gbps.tolist(), strict=True))
    assert rates == {("GG", 200.0): 3 * 6 + 3 * 3, ("CC", 200.0): 2 * 2, ("CG", 400.0): 6 * 2}
    assert Counter(network.endpoint_rate_gbps.tolist()) == {200.0: 30, 100.0: 16}
    assert network.hosts == 30 + 8
    own = network.host[network.endpoints >= 12]
    assert Counter(own.tolist()) == dict.fromkeys(range(30, 38), 2)
    for host in range(30, 38):
        assert network.endpoints[network.host == host].tolist() in ([12, 13], [14, 15])
    assert not topology_of({"block": [{"name": "A", "switches": 1, "hosts": 2}]}).rated


_LEAF = '[[block]]\nname = "leaf"\nswitches = 4\nhosts = 2\n'
_SPINE = '[[block]]\nname = "spine"\nswitches = 2\n'
_JOIN = '[[join]]\nbetween = ["leaf", "spine"]\nlinks_per_pair = 1\n'
_WHOLE = _LEAF + _SPINE + _JOIN


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (_LEAF + _SPINE + _JOIN.replace("spine", "spin"), r":9: there is no block 'spin' \(did you mean spine\?\)"),
        (_LEAF + _SPINE + _JOIN.rpartition("links")[0], r":9: join: between: the join gives no links; give links"),
        (_WHOLE + "links = 3\n", r":9: join: between: the join gives links twice"),
        (_WHOLE + _JOIN, r":12: join 1 has the blocks 'leaf' and 'spine' already"),
        (_WHOLE.replace("links_per_pair = 1", "links = 0"), r":10: join.links = 0: it is a whole number from 1"),
        (
            "radix = 5\n" + _WHOLE.replace("switches = 2", "switches = 4"),
            r":2: switch 1 of group 1 of block 'leaf' needs 6 ports",
        ),
        (
            _WHOLE.replace("hosts = 2", "radix = 1"),
            r":1: switch 1 of group 1 of block 'leaf' needs 2 ports \(0 to hosts\)",
        ),
        (_WHOLE.replace("hosts = 2", "hosts = [2, 2]"), r":4: block: hosts: 2 numbers for 4 switches of a group"),
        (
            _WHOLE.replace("hosts = 2", "host_ports = 3"),
            r":4: block: host_ports: hosts with 3 ports take 3 neighbouring",
        ),
        (
            _WHOLE.replace("hosts = 2", "hosts = [2, 2, 1, 2]\nhost_ports = 2"),
            r":4: block: hosts: hosts with 2 ports need 2",
        ),
        (
            _WHOLE.replace("switches = 4", "switches = 3\npair_links = 1"),
            r":4: block: pair_links: 3 switches of a group make no",
        ),
        (_WHOLE.replace("hosts = 2", "inside_links = 2"), r":4: block: inside_links: it has no effect with inside"),
        (
            _WHOLE.replace("switches = 4", 'switches = 1\ninside = "mesh"'),
            r":4: block: inside: a mesh needs several switches",
        ),
        (_WHOLE.replace("hosts = 2", "inside_gbps = 100"), r":4: block: inside_gbps: a group has no links inside"),
        (_WHOLE.replace("hosts = 2", "host_gbps = 100"), r":4: block: host_gbps: the block has no host ports"),
        (_WHOLE.replace("hosts = 2", "host_gbps = 100\nhosts = 1"), r":9: there are rates, but no rate_gbps of join 1"),
        (
            _WHOLE + "rate_gbps = 100\n",
            r":1: there are rates, but no host_gbps of block 'leaf'; give it, or rate_gbps for all",
        ),
        (_WHOLE.replace('"spine"\ns', '"leaf"\ns'), r":6: two blocks are called 'leaf'"),
        (_LEAF.replace('"leaf"', '""'), r":2: block: name: give the block a printable name"),
        (_LEAF, r":1: nothing joins block 'leaf'; give a \[\[join\]\]"),
        (
            _WHOLE.replace('["leaf", "spine"]', '["leaf", "leaf"]'),
            r":9: block 'leaf' has one group, so there is no pair",
        ),
        (_WHOLE + 'within = "group"\n' + '[[block]]\nname = "x"\nswitches = 1\n', r":12: nothing joins block 'x'"),
        (
            _WHOLE.replace("hosts = 2", "groups = 2") + 'within = "group"\n',
            r":11: block 'leaf' has 2 groups and 'spine' has 1",
        ),
        (_WHOLE.replace('"spine"]', '"leaf"]') + 'within = "group"\n', r":11: join: within: both blocks are 'leaf'"),
        (
            _LEAF.replace("switches = 4", 'switches = 60000\ninside = "mesh"'),
            r":1: 1,799,970,000 links inside block 'leaf' take",
        ),
        (
            _WHOLE.replace("links_per_pair = 1", "links = 16000000") + "\n",
            r":8: 16,000,000 links between the blocks .* take about",
        ),
        (_WHOLE.replace("hosts", "host"), r":4: there is no key 'host' in \[block\] \(did you mean hosts\?\)"),
    ],
)
def test_a_wrong_description_is_refused_by_line(text, message, tmp_path):
    """One sentence with the file and the line."""
    path = tmp_path / "net.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        load(path)
    assert str(caught.value).startswith(str(path))


def test_in_python_the_name_stands_in_place_of_the_file():
    """Without a file, the sentence begins with the title."""
    leaf = Block(name="leaf", switches=2)
    with pytest.raises(InputError, match=r"^hall: nothing joins block 'leaf'"):
        topology_of(Blocks(title="hall", block=(leaf,)))
    with pytest.raises(InputError, match=r"pair_links: 3 switches"):
        Block(name="leaf", switches=3, pair_links=1)
    with pytest.raises(InputError, match="topology_of takes"):
        topology_of("lumi.toml")


def test_three_ways_give_the_same(tmp_path):
    """A file, a dict and objects of Python; its conversion to JSON holds all of it."""
    (tmp_path / "hall.toml").write_text(_WHOLE)
    network = open_network(tmp_path / "hall.toml").topology
    assert network.name == "hall"
    assert topology_of(tomllib.loads(_WHOLE)) == network
    blocks = Block(name="leaf", switches=4, hosts=2), Block(name="spine", switches=2)
    assert topology_of(Blocks(block=blocks, join=(Join(between=("leaf", "spine"), links_per_pair=1),))) == network
    run("convert", str(tmp_path / "hall.toml"), str(tmp_path / "hall.json"))
    assert load(tmp_path / "hall.json") == network
    assert isinstance(network, Topology)


def test_other_files_in_toml_keep_their_own_messages(tmp_path):
    """What is no network is called what it is: every example in TOML, catalogues of parts, hosts, floors."""
    kinds = {
        "requirement": "a requirement",
        "study": "a study",
        "floor": "a floor",
        "quotes": "a file of parts or prices",
    }
    tried = [(MACHINES.parent / one.file, kinds[one.kind]) for one in EXAMPLES.values() if one.kind in kinds]
    (tmp_path / "hosts.toml").write_text("[rack]\nu = 42  # units\n[host]\nnics = 8\n")
    (tmp_path / "floor.toml").write_text('[[slot]]\nname = "A"\n[limits]\nhosts = 3\n')
    tried += [(tmp_path / "hosts.toml", "a file of hosts and racks"), (tmp_path / "floor.toml", "a floor")]
    catalogues = sorted(Path(topoloom.cost.catalogues.__path__[0]).glob("*.toml"))
    tried += [(path, "a file of parts or prices") for path in catalogues]
    assert len(tried) > 15
    for path, kind in tried:
        if path.suffix == ".toml":
            with pytest.raises(InputError, match=f"{path.name}: is {kind}; topoloom"):
                open_network(path)


def test_blocks_within_another_file_are_refused_by_its_lines():
    """A machine's file may hold a description in one of its tables."""
    text = "hosts = 4\n[[network]]\n[[network.block]]\nname = 'leaf'\nswitches = 2\n"
    blocks = tomllib.loads(text)["network"][0]
    with pytest.raises(InputError, match=r"^machine.toml:3: nothing joins block 'leaf'"):
        topology_of(blocks, source="machine.toml", text=text, keys=("network", "0"))
