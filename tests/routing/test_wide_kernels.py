"""Kernels on many trees at a time say what one tree after the other says."""

import numpy as np
import pytest

from topoloom.graph.distances import distances_from
from topoloom.routing.channels import channels_of, turn_rows
from topoloom.routing.route import route
from topoloom.routing.routing import new_table
from topoloom.routing.trees.kernels.wide_loads import add_loads, senders_first
from topoloom.routing.verification.kernels.nearest import hops_to
from topoloom.topologies.spec import build


@pytest.mark.parametrize("spec", ["jellyfish:n=90,degree=4", "torus:dims=5x5", "slimfly:q=5"])
def test_hops_are_those_of_single_searches(spec):
    """Where the rounds suffice; and it says so where they do not."""
    topology = build(spec)
    channels, some = channels_of(topology), np.arange(0, topology.switches, 2)[:64]
    right = distances_from(topology, some, 1)
    found = np.empty((some.size, topology.switches + 7), np.int32)
    assert hops_to(channels.first, channels.to, some, int(right.max()) + 1, found)
    assert (found[:, : topology.switches] == right).all()
    assert not hops_to(channels.first, channels.to, some, 1, found)


def test_senders_come_before_whom_they_send_to():
    """Every switch but the destination comes once."""
    onward = np.array([0, 0, 1, 1, 6, 4, 0, 5], np.uint32)
    order = np.empty(9, np.uint32)
    count = senders_first(onward, np.empty(8, np.int32), order)
    assert sorted(order[:count].tolist()) == [1, 2, 3, 4, 5, 6, 7]
    place = {int(switch): i for i, switch in enumerate(order[:count])}
    assert all(place[v] < place[int(onward[v])] for v in place if onward[v] != 0)


def test_loads_are_those_of_the_judge_and_go_away_again():
    """Added tree by tree they are what following every path finds; taken out nothing is left."""
    topology = build("jellyfish:n=75,degree=5")
    routing, channels, every = route(topology, "minimal"), channels_of(topology), np.arange(75)
    load, one = np.zeros(channels.to.size, np.int64), np.ones(75, np.int64)
    where = channels.first, channels.to, every, every, routing.ports, one, load
    add_loads(*where, 1)
    assert (load == routing.verification.channel_load).all()
    add_loads(*where, -1)
    assert not load.any()


def test_turn_rows_are_where_turns_begin():
    """Turns of all channels, port by port, are each of the turns once."""
    channels = channels_of(build("dln:n=32,x=2,random=2"))
    degrees = np.diff(channels.first)[channels.to]
    turns = np.concatenate(
        [np.arange(row, row + width) for row, width in zip(turn_rows(channels), degrees, strict=True)]
    )
    assert (np.sort(turns) == np.arange(channels.turn_first[-1])).all()


def test_new_tables_hold_one_value(tmp_path):
    """In memory and in a file."""
    topology = build("petersen")
    for folder in (None, str(tmp_path)):
        assert (new_table(topology, np.uint8, folder, "virtual_channels.npy") == 0).all()
        assert (new_table(topology, np.uint8, folder, "ports.npy", 255) == 255).all()
