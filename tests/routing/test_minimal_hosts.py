"""Shortest paths per host: complete, free of deadlock also after losses, and no channel has more than with OpenSM's engines.

The loads of OpenSM's best engine are from opensm 3.3.23 on ibsim: minhop, updn, dnup, dfsssp, lash, dor and torus-2QoS.
"""

import numpy as np
import pytest

from topoloom import build, route
from topoloom.fabric.exports.registry import write_export
from topoloom.fabric.fabric import planned_fabric
from topoloom.fabric.installed import read_installed
from topoloom.fabric.table_verifier import verify_tables
from topoloom.fabric.tables_compared import table_figures
from topoloom.routing.engines.minimal_hosts import largest_load
from topoloom.routing.fitted_tables import installable_tables
from topoloom.routing.reroute import without


@pytest.mark.parametrize(
    ("spec", "best_of_opensm"),
    [("torus:dims=4x4,hosts=2", 46), ("jellyfish:n=24,degree=5,hosts=3,seed=1", 132), ("dragonfly:h=2", 92)],
)
def test_loads_are_below_those_of_opensm(spec, best_of_opensm):
    """All pairs arrive by shortest paths, without deadlock, and both ways to count the loads agree."""
    topology = build(spec)
    routing = route(topology, "minimal-hosts")
    assert routing.verification.complete
    assert routing.verification.minimal
    assert routing.verification.deadlock_free
    figures = table_figures(routing, planned_fabric(topology))
    assert figures.max_channel_load == largest_load(routing) <= best_of_opensm
    assert largest_load(installable_tables(topology)) <= figures.max_channel_load


def test_a_torus_that_lost_a_switch_and_a_cable_is_exported_complete_and_without_deadlock(tmp_path):
    """The written tables and service levels, read again and followed host by host, by another verifier."""
    whole = build("torus:dims=4x4,hosts=2")
    left, _ = without(whole, [(0, 1)], [10])
    alive = np.flatnonzero(left.degrees > 0)
    number = np.full(whole.switches, -1)
    number[alive] = np.arange(alive.size)
    topology = left.replace(links=number[left.links], switches=alive.size, endpoints=number[left.endpoints], labels={})
    write_export("opensm", topology, tmp_path)
    fabric = planned_fabric(topology)
    installed = read_installed(fabric, tmp_path / "fabric.lft", tmp_path / "fabric.qos")
    verified = verify_tables(installed.tables, fabric, installed.levels)
    assert verified.reached_pairs == 30 * 29
    assert verified.deadlock_free


def test_hosts_in_different_numbers_share_tables_in_turn():
    """A switch with fewer hosts than others repeats its tables; its loads count once per host."""
    torus = build("torus:dims=3x3")
    topology = torus.replace(endpoints=np.repeat(np.arange(9), [3, 1, 2, 0, 1, 3, 2, 1, 1]))
    routing = route(topology, "minimal-hosts")
    assert len(routing.host_tables) == 3
    assert routing.verification.deadlock_free
    assert largest_load(routing) == table_figures(routing, planned_fabric(topology)).max_channel_load
