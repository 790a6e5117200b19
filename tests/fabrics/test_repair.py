"""Live tables repaired: what still leads stays, and every state on the way is free of deadlock, by other eyes, too."""

import csv
import json
import runpy
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from click.testing import CliRunner
from fabric_cases import cables_of, recabled

from in_process import run
from topoloom import InputError
from topoloom.cli.main import cli
from topoloom.core.work import Work
from topoloom.fabric.fabric import planned_fabric
from topoloom.fabric.infiniband import lft_dump, lft_text, qos_text, real_ports
from topoloom.fabric.lft import read_lft
from topoloom.fabric.net_text import discovered_text
from topoloom.fabric.repair import repair_fabric
from topoloom.fabric.repair_files import repair_texts, table_pieces, write_repair
from topoloom.fabric.service_levels import read_levels
from topoloom.fabric.table_verifier import verify_tables
from topoloom.model.topology import Topology
from topoloom.routing.host_routings import host_routings
from topoloom.routing.live.destinations import Destinations
from topoloom.routing.live.steps import DROP, REOPEN, SET, Mixtures, order_of_updates
from topoloom.routing.route import route
from topoloom.topologies.spec import build

ROOT = Path(__file__).parents[2]
CASES = [
    ("slimfly:q=5,hosts=4", "orders"),
    ("slimfly:q=5,hosts=4", "levels"),
    ("jellyfish:n=40,degree=5,hosts=2", "orders"),
    ("torus:dims=4x4,hosts=2", "orders"),
    ("fat-tree:k=4", "fat-tree"),
    ("hypercube:n=4,hosts=1", "dor"),
]


def installed(spec, engine):
    """A fabric, its tables and its service levels."""
    fabric = planned_fabric(build(spec))
    routing = route(fabric.topology, engine)
    tables = read_lft(lft_text(routing, fabric), "old.lft", fabric)
    levels = None
    if routing.virtual_channels is not None and routing.virtual_channels.any():
        levels = read_levels(qos_text(routing, fabric), "old.qos", fabric, tables.lid_of)
    return fabric, tables, levels


def less(fabric, lost):
    """The fabric without some links, by their numbers."""
    return recabled(fabric, [cable for number, cable in enumerate(cables_of(fabric)) if number not in set(lost)])


def stages(repair):
    """The tables as installed and after each step, by switch and address."""
    return [repair.stages.after(number) for number in range(len(repair.steps) + 1)]


def can_wait_in_a_cycle(fabric, one, other, levels):
    """By NetworkX: whether packets that meet entries of either table can wait for one another in a cycle, in some level.

    `levels` are several; a pair has any of them. Entries are real ports by switch and host port, -1: dropped.
    """
    topology = fabric.topology
    at = {}
    for (u, v), (p, q) in zip(topology.links.tolist(), fabric.link_ports.tolist(), strict=True):
        at[u, p], at[v, q] = v, u
    waits = {}
    for target in range(topology.endpoints.size):
        home = int(topology.endpoints[target])
        for source in range(topology.endpoints.size):
            for level in {int(given[target, source]) for given in levels}:
                graph = waits.setdefault(level, nx.DiGraph())
                start = int(topology.endpoints[source])
                seen, open_ = {start}, [start]
                while open_:
                    switch = open_.pop()
                    if switch == home:
                        continue
                    for port in {int(one[switch, target]), int(other[switch, target])}:
                        far = at.get((switch, port))
                        if far is None or far == home:
                            continue
                        for further in {int(one[far, target]), int(other[far, target])}:
                            if (far, further) in at:
                                graph.add_edge((switch, port), (far, further))
                        if far not in seen:
                            seen.add(far)
                            open_.append(far)
    return any(not nx.is_directed_acyclic_graph(graph) for graph in waits.values())


def verify_by_hand(repair, levels):
    """Every step of a repair, by NetworkX and by mixtures that are judged."""
    fabric, rng = repair.fabric, np.random.default_rng(1)
    final = repair.service_levels
    opening = [step.kind for step in repair.steps].index(REOPEN) if REOPEN in {s.kind for s in repair.steps} else -1
    for number, (step, before, after) in enumerate(zip(repair.steps, stages(repair), stages(repair)[1:], strict=False)):
        # Levels change when connections are opened again; without such a step both may be in use.
        met = [levels, final] if opening in (-1, number) else [levels] if number < opening else [final]
        assert not can_wait_in_a_cycle(fabric, before, after, met), step
        for _ in range(3):
            mixed = np.where(rng.random(before.shape) < 0.5, before, after)
            assert not can_wait_in_a_cycle(fabric, mixed, mixed, met[-1:])


def found_levels(fabric, levels):
    """Service levels in force, 0 for all where nobody says otherwise."""
    k = fabric.topology.endpoints.size
    return np.zeros((k, k), np.uint8) if levels is None else levels


def figures(repair, tables):
    """The figures of a repair's tables: before, installed, few-changes, best or to."""
    return next(row for row in repair.figures if row.tables == tables)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("spec", "engine"), CASES)
@pytest.mark.parametrize("many", [1, 3])
def test_lost_cables_are_mended_without_a_deadlock_in_between(spec, engine, many):
    """Entries that lead stay but where a path has to turn round; all arrive; each step is proved here once more."""
    fabric, tables, levels = installed(spec, engine)
    rng = np.random.default_rng(many)
    new = less(fabric, rng.choice(len(fabric.topology.links), many, replace=False).tolist())
    found = repair_fabric(fabric, tables, new, levels=levels)
    assert found.deadlock_free
    assert (found.cables_lost, found.cables_new, found.hosts_lost, found.switches_lost) == (many, 0, 0, 0)
    assert found.entries_broken <= found.entries_changed
    assert found.dropped_addresses == 0
    repaired = figures(found, "few-changes")
    assert (repaired.unreachable_pairs, repaired.longer_pairs) == (0, figures(found, "before").longer_pairs)
    again = verify_tables(found.tables_after(), new, found.service_levels)
    assert again.deadlock_free
    assert again.reached_pairs == again.pairs
    verify_by_hand(found, found_levels(fabric, levels))


def by_host(topology, fabric, count=4):
    """Tables with a path for each host of a leaf, as OpenSM's engines make them."""
    routings = host_routings(topology, "fat-tree", count)
    place = np.arange(topology.endpoints.size) - np.searchsorted(topology.endpoints, topology.endpoints)
    ports = real_ports(routings[0], fabric)
    for number, routing in enumerate(routings):
        mine = np.flatnonzero(place % count == number)
        ports[:, mine] = real_ports(routing, fabric)[:, mine]
    return read_lft(lft_dump(ports, fabric), "old.lft", fabric)


@pytest.mark.exhaustive
def test_tables_by_host_are_mended():
    """Hosts of a leaf keep paths of their own."""
    fabric = planned_fabric(build("fat-tree:k=8"))
    tables = by_host(fabric.topology, fabric)
    new = less(fabric, [3, 40])
    found = repair_fabric(fabric, tables, new)
    assert found.deadlock_free
    assert found.entries_changed > 0
    repaired = figures(found, "few-changes")
    assert repaired.longer_pairs == 0
    # Each of the four channels up and down at a switch carries 124 pairs; with three left, 4/3 as many at best.
    assert figures(found, "before").max_channel_load == 124
    assert 124 * 4 / 3 < repaired.max_channel_load <= 172
    same = found.stages.final == tables.ports
    assert same.mean() > 0.98
    again = verify_tables(read_lft(repair_texts(found)["fabric.lft"], "new.lft", new), new)
    assert again.pairs_between == "host ports"
    assert again.reached_pairs == again.pairs
    assert again.deadlock_free
    verify_by_hand(found, found_levels(fabric, None))


def test_nothing_lost_changes_nothing():
    """Not an entry."""
    fabric, tables, levels = installed("slimfly:q=5,hosts=4", "orders")
    found = repair_fabric(fabric, tables, fabric, levels=levels)
    assert (found.entries_changed, found.entries_broken, found.steps, found.updates) == (0, 0, (), ())
    assert "Nothing is to be changed." in repair_texts(found)["steps.txt"]


def test_a_cable_that_is_back_makes_paths_shortest_again():
    """Paths as short as they can be stay; those that the cable shortens take it."""
    fabric, _, _ = installed("torus:dims=4x4,hosts=2", "orders")
    old = less(fabric, [5])
    routing = route(old.topology, "orders")
    tables = read_lft(lft_text(routing, old), "old.lft", old)
    levels = read_levels(qos_text(routing, old), "old.qos", old, tables.lid_of)
    found = repair_fabric(old, tables, fabric, levels=levels)
    assert found.cables_new == 1
    assert found.deadlock_free
    assert (figures(found, "before").longer_pairs, figures(found, "few-changes").longer_pairs) == (0, 0)
    assert 0 < found.entries_changed < 0.1 * found.entries


def test_a_lost_switch_takes_its_hosts_along():
    """The others still reach each other."""
    fabric, tables, levels = installed("slimfly:q=5,hosts=4", "levels")
    topology = fabric.topology
    living = np.arange(1, topology.switches)
    kept = np.flatnonzero((topology.links > 0).all(axis=1))
    ends = topology.endpoints > 0
    small = Topology(topology.links[kept] - 1, topology.switches - 1, topology.endpoints[ends] - 1)
    new = fabric.after_losses(small, living, kept)
    found = repair_fabric(fabric, tables, replace(new, made="new.net"), levels=levels)
    assert (found.switches_lost, found.hosts_lost, found.cables_lost) == (1, 4, 7)
    assert found.deadlock_free
    again = verify_tables(found.tables_after(), new, found.service_levels)
    assert again.reached_pairs == again.pairs


def test_a_new_switch_and_its_hosts_are_reached():
    """Old entries stay; all switches get entries for the new addresses."""
    whole = build("slimfly:q=5,hosts=4")
    fabric = planned_fabric(whole)
    last = whole.switches - 1
    kept = np.flatnonzero((whole.links < last).all(axis=1))
    ends = whole.endpoints < last
    small = Topology(whole.links[kept], last, whole.endpoints[ends])
    old = fabric.after_losses(small, np.arange(last), kept)
    routing = route(small, "orders")
    tables = read_lft(lft_text(routing, old), "old.lft", old)
    levels = read_levels(qos_text(routing, old), "old.qos", old, tables.lid_of)
    found = repair_fabric(old, tables, fabric, levels=levels)
    assert (found.switches_new, found.hosts_new, found.cables_new) == (1, 4, 7)
    assert found.deadlock_free
    moved = (found.stages.installed >= 0) & (found.stages.installed != found.stages.final)
    # Other entries change only where the new switch makes a path shorter.
    assert moved.mean() < 0.02
    again = verify_tables(found.tables_after(), fabric, found.service_levels)
    assert again.reached_pairs == again.pairs


def test_a_host_that_moved_is_followed():
    """Its address leads to its new switch everywhere, and no other address changes."""
    fabric, tables, levels = installed("fat-tree:k=4", "fat-tree")
    topology = fabric.topology
    # The last host of the first leaf goes to a free port of the second.
    order = [0, 2, 1, *range(3, topology.endpoints.size)]
    ends = topology.endpoints.copy()
    ends[1] = topology.endpoints[2]
    new = replace(
        fabric,
        topology=Topology(topology.links, topology.switches, np.sort(ends)),
        endpoint_ports=np.array([1, 1, 5, *fabric.endpoint_ports[3:]], np.int32),
        **{
            name: getattr(fabric, name)[order]
            for name in ("port_guids", "host_guids", "host_sizes", "host_ports", "port_lids", "port_lmc")
        },
        host_names=tuple(fabric.host_names[h] for h in order),
        switch_ports=fabric.switch_ports + 1,
        made="new.net",
    )
    # Where: first leaf has one host, the second three.
    new = replace(
        new,
        topology=Topology(topology.links, topology.switches, [0, 1, 1, 1, *topology.endpoints[4:]]),
        endpoint_ports=np.array([1, 1, 5, 2, *fabric.endpoint_ports[4:]], np.int32),
    )
    found = repair_fabric(fabric, tables, new, levels=levels)
    assert found.hosts_moved == 1
    assert {update.target for update in found.updates} == {"H1"}
    again = verify_tables(found.tables_after(), new)
    assert again.reached_pairs == again.pairs
    assert again.deadlock_free


def test_hosts_in_each_others_ports_close_no_cycle():
    """A packet that arrives at a wrong host ends there: where two hosts are swapped, every step is verified."""
    fabric = planned_fabric(build("fat-tree:k=8"))
    last = fabric.topology.endpoints.size - 1
    order = [last, *range(1, last), 0]
    swapped = replace(
        fabric,
        **{
            name: getattr(fabric, name)[order]
            for name in ("port_guids", "host_guids", "host_sizes", "port_lids", "port_lmc")
        },
        host_names=tuple(fabric.host_names[host] for host in order),
        made="swapped.net",
    )
    result = repair_fabric(fabric, by_host(fabric.topology, fabric), swapped)
    assert result.hosts_moved == 2
    assert result.installed_deadlock_free
    assert result.deadlock_free
    again = verify_tables(read_lft(repair_texts(result)["fabric.lft"], "new.lft", swapped), swapped)
    assert again.reached_pairs == again.pairs
    assert again.deadlock_free


def test_a_switch_that_comes_back_is_reached_and_has_all_entries(tmp_path):
    """A top switch of a fat tree: entries for and at it, those from switch to switch included; the other modes too."""
    fabric, tables, _ = installed("fat-tree:k=4", "fat-tree")
    topology = fabric.topology
    links = np.flatnonzero((topology.links < topology.switches - 1).all(axis=1))
    living = np.arange(topology.switches - 1)
    small = Topology(topology.links[links], living.size, topology.endpoints)
    lost = repair_fabric(fabric, tables, fabric.after_losses(small, living, links))
    assert (lost.switches_lost, figures(lost, "few-changes").longer_pairs) == (1, 0)
    back = repair_fabric(lost.fabric, lost.tables_after(), fabric)
    assert back.deadlock_free
    assert (back.stages.final >= 0).all()
    assert (figures(back, "few-changes").unreachable_pairs, figures(back, "few-changes").longer_pairs) == (0, 0)
    best = repair_fabric(lost.fabric, lost.tables_after(), fabric, mode="best")
    assert best.deadlock_free
    assert figures(best, "best").max_channel_load <= figures(best, "few-changes").max_channel_load
    # And back to the tables before the loss, in steps.
    wished = repair_fabric(fabric, best.tables_after(), fabric, to=tables, worse=True, alternative=False)
    assert (wished.mode, wished.deadlock_free, wished.dropped_addresses) == ("to", True, 0)
    assert (wished.stages.final == tables.ports).all()
    assert figures(wished, "to").max_channel_load == figures(lost, "before").max_channel_load


def test_the_script_writes_the_tables_of_every_step(tmp_path):
    """By awk, from the final tables and the list of changes: the same as the files of the steps, and the installed entries."""
    fabric, tables, levels = installed("torus:dims=4x4,hosts=2", "orders")
    names = (*fabric.switch_names[:-1], 'last, "of" all')
    fabric = replace(fabric, switch_names=names)
    result = repair_fabric(fabric, tables, less(fabric, [0, 9, 20]), levels=levels)
    write_repair(result, tmp_path / "out")
    assert len(result.steps) > 1
    for number in range(len(result.steps) + 1):
        printed = subprocess.run(
            ["sh", tmp_path / "out" / "step.sh", str(number)], capture_output=True, text=True, check=True
        )
        assert printed.stdout == "".join(table_pieces(result, number))
    failed = subprocess.run(["sh", tmp_path / "out" / "step.sh"], capture_output=True, text=True, check=False)
    assert failed.returncode == 2
    assert "usage" in failed.stderr


def test_every_address_of_a_port_is_repaired():
    """LMC 1: two paths of each pair by different top switches; both are repaired, and stay different where they can."""
    fabric, tables, _ = installed("clos:leaves=3,spines=3,hosts=2", "fat-tree")
    k, n = fabric.topology.endpoints.size, fabric.topology.switches
    other = real_ports(host_routings(fabric.topology, "fat-tree", 2)[1], fabric).astype(np.int16)
    lids = np.arange(2, 2 + 2 * k, 2).astype(np.int32)
    fabric = replace(
        fabric, port_lids=lids, port_lmc=np.ones(k, np.int32), switch_lids=100 + np.arange(n, dtype=np.int32)
    )
    counts = np.concatenate([np.full(k, 2), np.ones(n, np.int64)])
    more = np.where(counts > 1, other, np.int16(-1))
    tables = replace(tables, more_ports=(more,), path_counts=counts, base_lids=np.concatenate(fabric.lids))
    found = repair_fabric(fabric, tables, less(fabric, [0]))
    assert found.entries == n * (2 * k + n)
    assert found.deadlock_free
    assert (found.unreachable_pairs, figures(found, "few-changes").longer_pairs) == (0, 0)
    after = found.tables_after()
    assert (after.more_ports[0][:, :k] >= 0).all()
    assert (after.more_ports[0][:, :k] != after.ports[:, :k]).any()
    again = read_lft(repair_texts(found)["fabric.lft"], "new.lft", found.fabric)
    assert (again.more_ports[0] == after.more_ports[0]).all()


def with_two_addresses(fabric, tables):
    """The fabric with LMC 1 at all host ports, and the tables with one path for both addresses."""
    k, n = fabric.topology.endpoints.size, fabric.topology.switches
    lids = np.arange(2, 2 + 2 * k, 2).astype(np.int32)
    fabric = replace(
        fabric, port_lids=lids, port_lmc=np.ones(k, np.int32), switch_lids=100 + np.arange(n, dtype=np.int32)
    )
    counts = np.concatenate([np.full(k, 2), np.ones(n, np.int64)])
    more = np.where(counts > 1, tables.ports, np.int16(-1))
    return fabric, replace(tables, more_ports=(more,), path_counts=counts, base_lids=np.concatenate(fabric.lids))


@pytest.mark.parametrize(
    ("spec", "engine", "lost"),
    [("clos:leaves=3,spines=3,hosts=2", "fat-tree", [0]), ("fat-tree:k=4", "fat-tree-hosts", [])],
)
def test_the_best_tables_give_each_address_of_a_port_its_own_path(spec, engine, lost):
    """LMC 1, both addresses on one path before: in mode best, leaves send to them over different cables, in verified steps."""
    fabric, tables, levels = installed(spec, engine)
    fabric, tables = with_two_addresses(fabric, tables)
    done = repair_fabric(fabric, tables, less(fabric, lost), mode="best", levels=levels, alternative=False)
    assert done.deadlock_free
    assert (done.lost_pairs, done.dropped_addresses) == (0, 0)
    after, ends = done.tables_after(), done.fabric.topology.endpoints
    away = ends[:, None] != ends[None, :]
    different = (after.more_ports[0][ends, : ends.size] != after.ports[ends, : ends.size]) & away
    assert different.sum() > away.sum() / 3


@pytest.mark.parametrize(
    ("name", "steps"),
    [
        ("torus", [("best", [("cable", 4)])]),
        ("slimfly", [("best", [("switch", 0)]), ("few-changes", [])]),
        ("slimfly", [("best", [("switch", 31)]), ("best", [])]),
    ],
)
def test_the_smallest_sequences_of_modes_that_could_deadlock(name, steps):
    """Levels of old and new tables met each other unverified, or levels changed before all entries did, or not at all: every
    mixture is followed by code of the benchmark; nothing is dropped, lost or unverified.
    """
    soak = runpy.run_path(str(ROOT / "benchmarks" / "repair_soak.py"))
    fabric, tables, levels = soak["installed"](name, 0)
    now, result = fabric, soak["Soaked"]()
    for mode, lost in steps:
        new = soak["remaining"](fabric, lost)
        done = repair_fabric(now, tables, new, mode=mode, levels=levels, alternative=False)
        soak["check"](done, soak["_present"](levels, now, new), result)
        now, tables, levels = new, done.tables_after(), done.service_levels
    wrong = result.cycles, result.lost_between, result.unreached, result.dropped, result.unverified
    assert (result.events, *wrong) == (len(steps), 0, 0, 0, 0, 0)


def soak_of(fabrics, events, rounds, mode="few-changes"):
    """The lines of a soak, and its exit code."""
    command = [
        sys.executable,
        "benchmarks/repair_soak.py",
        "--fabrics",
        fabrics,
        "--events",
        str(events),
        "--mode",
        mode,
    ]
    return subprocess.run(
        [*command, "--rounds", str(rounds)], cwd=ROOT, capture_output=True, text=True, check=False, timeout=1800
    )


@pytest.mark.exhaustive
def test_losses_and_returns_lose_no_packet_in_between():
    """Cables, switches and hosts of a Slim Fly: every mixture of every step, by code that shares nothing with the repair."""
    done = soak_of("slimfly", 6, 1)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "unverified 0  dropped 0" in done.stdout


@pytest.mark.exhaustive
@pytest.mark.parametrize(("mode", "events"), [("few-changes", 100), ("best", 40), ("mixed", 60)])
def test_a_week_of_losses_and_returns(mode, events):
    """A tree with tables of a real OpenSM, a torus with service levels, a Slim Fly; three times each."""
    done = soak_of("tree,torus,slimfly", events, 3, mode)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("unverified 0  dropped 0") == 9


def test_a_switch_without_a_table_gets_one():
    """It counts as broken, entry by entry, and nothing else changes."""
    fabric, tables, _ = installed("fat-tree:k=4", "fat-tree")
    torn = replace(tables, ports=np.where(np.arange(len(tables.ports))[:, None] == 3, -1, tables.ports))
    found = repair_fabric(fabric, torn, fabric)
    assert found.unreachable_pairs == 0
    k = fabric.topology.endpoints.size
    assert found.entries_broken == found.entries_changed
    assert {update.switch for update in found.updates} == {"S3"}
    assert found.entries_changed >= k


def test_a_leaf_that_lost_everything_refuses_nothing():
    """The rest is repaired; the leaf, its hosts and the pairs without a path are named and counted."""
    fabric, tables, _ = installed("fat-tree:k=4", "fat-tree")
    leaf = np.flatnonzero(fabric.topology.links[:, 0] == 0).tolist()
    found = repair_fabric(fabric, tables, less(fabric, [*leaf, 8]))
    assert found.cut_off == ("S0", "H0", "H1")
    assert found.deadlock_free
    assert (found.unreachable_pairs, figures(found, "few-changes").longer_pairs) == (2 * 2 * 14, 0)
    assert figures(found, "best").unreachable_pairs == 2 * 2 * 14
    back = repair_fabric(found.fabric, found.tables_after(), fabric)
    assert back.unreachable_pairs == 0


def test_tables_that_can_deadlock_are_said_to():
    """Repaired all the same, and nothing is called proved."""
    fabric, tables, _ = installed("torus:dims=5x5,hosts=1", "minimal")
    assert not verify_tables(tables, fabric).deadlock_free
    found = repair_fabric(fabric, tables, less(fabric, [0]))
    assert not found.deadlock_free
    assert not found.installed_deadlock_free
    assert "NOT VERIFIED" in repair_texts(found)["steps.txt"]


def test_tables_of_another_fabric_and_no_hosts_are_refused():
    """In one sentence."""
    fabric, tables, _ = installed("fat-tree:k=4", "fat-tree")
    other = planned_fabric(build("ring:n=5,hosts=1"))
    with pytest.raises(InputError, match="tables of shape"):
        repair_fabric(other, tables, fabric)
    with pytest.raises(InputError, match="the modes are few-changes and best"):
        repair_fabric(fabric, tables, fabric, mode="fast")
    bare = planned_fabric(build("ring:n=5"))
    with pytest.raises(InputError, match="no hosts"):
        repair_fabric(fabric, tables, bare)


def square(topology):
    """Every switch as a destination and a sender."""
    every = np.arange(topology.switches)
    return Destinations(topology, every, topology.endpoints_at, every)


def test_worse_wished_tables_are_refused_unless_asked_for():
    """Tables of another fabric, damaged ones, and ones that load a channel more must not be led to unasked."""
    fabric, tables, _ = installed("fat-tree:k=4", "fat-tree-hosts")
    ports = tables.ports.copy()
    ports[int(fabric.topology.endpoints[0]), -5:] = ports[int(fabric.topology.endpoints[0]), 3] = -1
    damaged = replace(tables, source="wished.lft", ports=ports)
    with pytest.raises(
        InputError, match=r"wished.lft: these tables .*: \d+ of 240 pairs of hosts do not arrive, instead of 0"
    ):
        repair_fabric(fabric, tables, fabric, to=damaged)
    other = replace(installed("fat-tree:k=4", "levels")[1], source="other.lft")
    with pytest.raises(InputError, match="maximum channel load of"):
        repair_fabric(fabric, tables, fabric, to=other)
    assert repair_fabric(fabric, tables, fabric, to=other, worse=True).lost_pairs == 0
    assert repair_fabric(fabric, tables, fabric, to=damaged, worse=True).lost_pairs > 0


@pytest.mark.parametrize("kind", ["cut off", "lost", "unverified", "whole"])
def test_the_exit_code_tells_lost_pairs_from_hosts_that_no_cable_joins(kind, tmp_path, monkeypatch):
    """0: all pairs that cables join have a path, and everything is verified; 3: not."""
    monkeypatch.chdir(tmp_path)
    spec = ("torus:dims=5x5,hosts=1", "minimal") if kind == "unverified" else ("fat-tree:k=4", "fat-tree-hosts")
    fabric, tables, _ = installed(*spec)
    (tmp_path / "old.net").write_text(discovered_text(fabric))
    (tmp_path / "old.lft").write_text(lft_dump(tables.ports, fabric))
    leaf = np.flatnonzero(fabric.topology.links[:, 0] == 0).tolist() if kind == "cut off" else [0]
    (tmp_path / "new.net").write_text(discovered_text(less(fabric, leaf)))
    asked = ["repair", "old.net", "old.lft", "new.net"]
    if kind == "lost":
        (tmp_path / "wished.lft").write_text((tmp_path / "old.lft").read_text())
        asked += ["--to", "wished.lft", "--worse"]
    done = run(*asked, "--json")
    assert done.code == (3 if kind in ("lost", "unverified") else 0), done.err
    record = done.record
    assert (record["lost_pairs"] > 0) == (kind == "lost")
    assert (record["apart_pairs"], record["cut_off"]) == ((56, ["S0", "H0", "H1"]) if kind == "cut off" else (0, []))
    assert ("56 pairs of host ports cannot reach each other, whatever the tables" in done.err) == (kind == "cut off")
    assert ("have no path for" in done.err) == (kind == "lost")


def test_the_best_tables_need_no_service_levels_that_nobody_asked_for():
    """On a ring minhop can deadlock in one virtual channel; the best tables cannot, and use no other one."""
    fabric = planned_fabric(build("torus:dims=5,hosts=2"))
    tables = read_lft(lft_text(route(fabric.topology, "minimal"), fabric), "old.lft", fabric)
    repair = repair_fabric(fabric, tables, less(fabric, [0]), mode="best")
    best = next(figures for figures in repair.figures if figures.chosen)
    assert (best.virtual_channels, best.unreachable_pairs) == (1, 0)
    assert not repair.service_levels.any()


@pytest.mark.parametrize("seed", range(6))
def test_any_tables_become_any_others(seed):
    """Two trees of up*/down* on one virtual channel: where they cannot be mixed there are more steps, or addresses that are
    cut off.
    """
    rng = np.random.default_rng(seed)
    topology = build(f"jellyfish:n=14,degree=3,hosts=1,seed={seed + 1}") if seed else build("ring:n=7,hosts=1")
    one, other = (
        route(topology, "updown", virtual_channels=1, root=int(root))
        for root in rng.choice(topology.switches, 2, replace=False)
    )
    zeros = np.zeros((topology.switches,) * 2, np.uint8)
    steps, by_step, *_ = order_of_updates(Mixtures(square(topology), one.ports, other.ports, zeros, zeros, Work()))
    assert not by_step
    fabric = planned_fabric(topology)
    none, n = one.none, topology.switches

    def real(ports):
        found = np.full((n, n), -1)
        for d, s in np.argwhere(ports != none).tolist():
            found[s, d] = fabric.channel_ports[one.channels.first[s] + int(ports[d, s])]
        return found

    now = one.ports.copy()
    for step in steps:
        assert step.kind in (SET, DROP)
        then = now.copy()
        d, s = step.entries.T
        then[d, s] = other.ports[d, s] if step.kind == SET else none
        assert not can_wait_in_a_cycle(fabric, real(now), real(then), [zeros])
        now = then
    assert (now == other.ports).all()


def test_a_ring_turned_round_needs_several_steps():
    """All at once could close the ring: no single step is enough."""
    ring = build("ring:n=8,hosts=1")
    one, other = (route(ring, "updown", virtual_channels=1, root=root) for root in (0, 4))
    zeros = np.zeros((8, 8), np.uint8)
    assert len(order_of_updates(Mixtures(square(ring), one.ports, other.ports, zeros, zeros, Work())).steps) > 1


def test_the_command_and_its_files(tmp_path, monkeypatch):
    """`repair`: the record, the list of entries, the steps; every table can be read and judged."""
    monkeypatch.chdir(tmp_path)
    fabric, _, _ = installed("slimfly:q=5,hosts=4", "orders")
    assert (
        CliRunner()
        .invoke(cli, ["export", "slimfly:q=5,hosts=4", "opensm", "--engine", "orders", "-o", "old"])
        .exit_code
        == 0
    )
    (tmp_path / "new.net").write_text(discovered_text(less(fabric, [7])))
    asked = ["repair", "old/fabric.net", "old/fabric.lft", "new.net", "--qos", "old/fabric.qos"]
    done = CliRunner().invoke(cli, [*asked, "-o", "out", "--json"])
    assert done.exit_code == 0, done.output
    record = json.loads(done.stdout)
    assert record["schema"].startswith("topoloom/repair/")
    rows = list(csv.DictReader((tmp_path / "out" / "updates.csv").open()))
    assert len(rows) == record["entries_changed"] == len(record["updates"])
    assert (tmp_path / "out" / "steps.txt").read_text().count("\n") == 3 + len(record["steps"])
    last = CliRunner().invoke(cli, ["verify-tables", "new.net", "out/fabric.lft", "--qos", "out/fabric.qos", "--json"])
    assert last.exit_code == 0
    assert json.loads(last.stdout)["table_verification"]["deadlock_free"]
    for number, step in enumerate(record["steps"], 1):
        assert (tmp_path / "out" / f"step-{number}.lft").exists() == (step["kind"] != REOPEN)


def test_files_of_an_earlier_mending_go(tmp_path):
    """A step that there is no more is not left behind."""
    fabric, tables, levels = installed("torus:dims=4x4,hosts=2", "orders")
    write_repair(repair_fabric(fabric, tables, less(fabric, [0, 9, 20]), levels=levels), tmp_path / "out")
    write_repair(repair_fabric(fabric, tables, fabric, levels=levels), tmp_path / "out")
    assert not list((tmp_path / "out").glob("step-*.lft"))
