"""The verifier follows equal planes once, and says what following all of them would."""

from dataclasses import replace

import numpy as np
import pytest

from topoloom import Routing, build, route, verify_routing
from topoloom.core.work import Work
from topoloom.graph.planes import planes_of
from topoloom.routing import fitted_tables, memory
from topoloom.routing.choices import Layers
from topoloom.routing.memory import needed_bytes
from topoloom.routing.verification import verify
from topoloom.routing.verification.parts import parts_to_follow, whole_part
from topoloom.throughput.one_pattern import uniform_throughput

_SPECS = [
    ("fat-tree:k=4,hosts=16+planes:count=3", None),
    ("jellyfish:n=12,degree=4,hosts=2+planes:count=2", "orders"),
    ("ring:n=5,hosts=1+planes:count=2", "minimal"),  # its channels wait in a cycle
    ("slimfly:q=5,hosts=2+planes:count=2", "fatpaths"),
]


def _tables(spec, engine):
    network = build(spec)
    return fitted_tables.fitted_tables(network, jobs=1) if engine is None else route(network, engine, jobs=1)


def _everything(verification):
    return verification.record() | {
        "loads": (verification.channel_load.tolist(), verification.switch_load.tolist()),
        "provenance": None,
    }


@pytest.mark.parametrize(("spec", "engine"), _SPECS)
def test_equal_planes_are_followed_once_and_count_as_all(spec, engine, monkeypatch):
    """Every number, load and cycle is that of following the whole network."""
    routing = _tables(spec, engine)
    (part,) = parts_to_follow(routing)
    assert len(part.places) == len(planes_of(routing.topology))
    once = verify_routing(routing, 1)
    monkeypatch.setattr(verify, "parts_to_follow", lambda routing, wanted: [whole_part(routing, wanted)])
    assert _everything(once) == _everything(verify_routing(routing, 1))


def test_only_one_of_equal_planes_is_walked():
    """The destinations that are reported are those of one plane, once per table."""
    routing = _tables(*_SPECS[0])
    heard = []
    work = Work(on_progress=lambda progress: heard.append(progress.total))
    verify_routing(routing, 1, work=work)
    assert set(heard) == {routing.topology.switches // 3}


def _changed(routing, layer, destination, switch, port):
    """The tables with another port in one entry of one layer."""
    tables = [table.ports.copy() for table in routing.host_tables]
    tables[layer][destination, switch] = port
    more = Layers(tuple(tables[1:]), by_host=True) if len(tables) > 1 else None
    return replace(routing, ports=tables[0], choice=more, verification=None)


@pytest.mark.parametrize("layer", [0, 3])
def test_one_entry_makes_planes_differ(layer):
    """A hole in one layer of the last of three planes: two parts, and the pair is named by its numbers in the whole network."""
    routing = _tables("fat-tree:k=8,hosts=128+planes:count=3", None)
    last = planes_of(routing.topology)[2].switches
    source, destination = int(last[0]), int(last[1])
    broken = _changed(routing, layer, destination, source, routing.none)
    assert [len(part.places) for part in parts_to_follow(broken)] == [2, 1]
    verification = verify_routing(broken, 1)
    assert not verification.complete
    assert f"the path from switch {source} to switch {destination} ends at a switch" in verification.fault
    assert verification.pairs - verification.apart_pairs - verification.reached_pairs == 1


def test_planes_with_other_hosts_or_links_are_parts_of_their_own():
    """A switch without a host, and another wiring of as many links."""
    network = build("ring:n=5,hosts=1+planes:count=2")
    less = network.replace(endpoints=network.endpoints[:-1], host=network.host[:-1])
    assert len(parts_to_follow(route(less, "minimal"))) == 2
    links = network.links.copy()
    links[links[:, 0] >= 5] = [(5, 7), (7, 9), (6, 9), (6, 8), (5, 8)]
    other = network.replace(links=links)
    assert len(parts_to_follow(route(other, "minimal"))) == 2


def test_a_sample_of_destinations_is_followed_in_the_planes_where_they_are():
    """Two destinations of one plane and one of the other: as many pairs as without planes."""
    routing = route(build("petersen:hosts=1+planes:count=2"), "minimal")
    verification = verify_routing(routing, 1, np.array([1, 4, 13]))
    assert (verification.pairs, verification.reached_pairs, verification.apart_pairs) == (3 * 19, 3 * 9, 3 * 10)
    assert verification.checked_destinations == 3


def test_layers_that_close_a_cycle_only_together_block_packets(monkeypatch):
    """Up*/down* paths from two roots of a ring: each table is safe, but the channels of both wait in a cycle."""
    ring, network = build("ring:n=6,hosts=2"), build("ring:n=6,hosts=2+planes:count=2")
    tables = []
    for root in (0, 3):
        ports = np.full((12, 12), 255, np.uint8)
        for first in (0, 6):
            ports[first : first + 6, first : first + 6] = route(ring, "updown", root=root, jobs=1).ports
        tables.append(ports)
    assert all(verify_routing(Routing(network, "", ports), 1).deadlock_free for ports in tables)
    both = Routing(network, "", tables[0], choice=Layers((tables[1],), by_host=True))
    verification = verify_routing(both, 1)
    assert not verification.deadlock_free
    assert set(sum(verification.cycle, ())) == set(range(6))
    monkeypatch.setattr(verify, "parts_to_follow", lambda routing, wanted: [whole_part(routing, wanted)])
    assert _everything(verification) == _everything(verify_routing(both, 1))


@pytest.mark.exhaustive
def test_131_072_hosts_in_eight_planes_have_a_table_per_host():
    """Leaves of 256 hosts: 256 tables, verified once for all eight planes, carry uniform traffic at full rate."""
    network = build("fat-tree:k=512,hosts=131072+planes:count=8")
    routing = fitted_tables.fitted_tables(network)
    assert routing.host_table_count == 256
    assert [len(part.places) for part in parts_to_follow(routing)] == [8]
    assert (routing.verification.complete, routing.verification.minimal) == (True, True)
    assert routing.verification.deadlock_free
    assert uniform_throughput(routing) == pytest.approx((1.0, 1.0))


def test_memory_is_that_of_one_plane():
    """Eight planes need the turns of one; each has temporary memory of its own, and the joined table has all pairs."""
    one, eight = build("fat-tree:k=8,hosts=128"), build("fat-tree:k=8,hosts=128+planes:count=8")
    (tables, turns), (all_tables, all_turns) = (needed_bytes(network, 64.0, jobs=1) for network in (one, eight))
    pairs = one.switches**2
    assert all_turns == turns
    assert (tables, all_tables) == (pairs + 64 * pairs, 64 * pairs + 8 * 64 * pairs)


def test_tables_that_memory_does_not_hold_per_host_say_so(monkeypatch):
    """The reason of the tables names it; without the shortage there is one table per host."""
    network = build("fat-tree:k=4,hosts=16")
    assert fitted_tables.fitted_tables(network, jobs=1).host_table_count == 2
    monkeypatch.setattr(memory, "_SMALL", 0)
    need = sum(needed_bytes(network, 64.0, jobs=1))
    monkeypatch.setattr(memory, "free_bytes", lambda: need - 1)
    routing = fitted_tables.fitted_tables(network, jobs=1)
    assert routing.host_table_count == 1
    assert routing.provenance.settings["fits"] == (
        "a tree by its levels; the hosts of a switch share one table, because memory does not hold one per host"
    )
