"""Forests grown in steps: every rank gets its data, channels carry little more than the bound asks for, ranks take turns."""

import json

import numpy as np
import pytest
from collective_oracle import run_record

from topoloom import AppSettings, InputError, build, collective, read_schedule
from topoloom.simulation.collectives import making, stepping
from topoloom.simulation.collectives.forest import TooManySplitsError
from topoloom.simulation.collectives.network import rank_network

#: Networks, the rate of their hosts (their links have 8 Gb/s), and how much longer than the bound the bytes may take.
NETWORKS = {
    "torus:dims=4x4,hosts=1": (32.0, 0.04),
    "ring:n=4,hosts=1+planes:count=2": (8.0, 0.01),
    "petersen:hosts=1": (20.0, 0.05),
    "fat-tree:k=4": (8.0, 0.10),
    "jellyfish:n=10,degree=4,hosts=2": (7.0, 0.08),
    "complete:n=2,hosts=4": (8.0, 0.25),
}


def grown(spec, operation, size=10_000_000, **more):
    """A collective whose forest is grown, whatever the number of ranks."""
    settings = AppSettings(rate_gbps=8.0, host_rate_gbps=NETWORKS[spec][0])
    return collective(build(spec), operation, size, settings=settings, algorithm="forest", **more)


@pytest.fixture
def too_many(monkeypatch):
    """Networks whose rates divide too badly for packing; few steps."""

    def refuse(*_):
        raise TooManySplitsError

    monkeypatch.setattr(stepping, "_STEPS", 30)
    monkeypatch.setattr(stepping, "_MOST_CHUNKS", 30)
    monkeypatch.setattr(making, "packed_forest", refuse)


@pytest.mark.parametrize("operation", ["allgather", "reduce-scatter", "allreduce", "broadcast"])
@pytest.mark.parametrize("spec", NETWORKS)
def test_grown_trees_deliver_and_come_close_to_the_bound(spec, operation, too_many, tmp_path):
    """Carried out by an interpreter that shares no code with them."""
    result = grown(spec, operation)
    assert all(len(tree.steps) == len(tree.edges) for tree in result.schedule.trees)
    result.schedule.save(tmp_path / "it.json")
    held = run_record(json.loads((tmp_path / "it.json").read_text()))
    n, chunks = result.ranks, result.schedule.chunks
    each = chunks // n
    for rank in range(n):
        for chunk in range(rank * each, (rank + 1) * each) if operation == "reduce-scatter" else range(chunks):
            source = 0 if operation == "broadcast" else chunk // max(1, each)
            gathers = operation in ("allgather", "broadcast")
            assert held[rank][chunk] == ({source: 1} if gathers else dict.fromkeys(range(n), 1))
    least = result.bound.reached_s
    if operation != "broadcast":
        assert least * (1 - 1e-9) <= result.fullest_s <= least * (1 + NETWORKS[spec][1])
    assert result.bound.seconds <= result.seconds * (1 + 1e-9)
    again = collective(build(spec), read_schedule(tmp_path / "it.json"), settings=result.settings)
    assert again.seconds == result.seconds


def test_ranks_take_turns(too_many):
    """In order, the bytes of a torus take the time of its fullest channel, and an all-reduce a little over twice that."""
    result = grown("torus:dims=4x4,hosts=1", "allgather", 1 << 30)
    assert result.seconds < 1.05 * result.bound.seconds
    assert grown("torus:dims=4x4,hosts=1", "allreduce", 1 << 30).seconds < 2.5 * result.seconds


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda r: r["trees"][0]["steps"].pop(), "tree 0 needs one chunk, and a step per edge"),
        (lambda r: r["trees"][1].update(steps=[]), "tree 1 needs one chunk, and a step per edge"),
        (lambda r: r["trees"][0]["steps"].reverse(), "in tree 0 rank .* sends in step .* data that arrive in step"),
    ],
)
def test_steps_of_a_file_are_checked(change, words, too_many, tmp_path):
    """A rank cannot send before it has received."""
    result = grown("torus:dims=4x4,hosts=1", "allgather")
    record = result.schedule.record()
    change(record)
    (tmp_path / "it.json").write_text(json.dumps(record))
    with pytest.raises(InputError, match=words):
        read_schedule(tmp_path / "it.json")


@pytest.mark.parametrize(("spec", "steps"), [("slimfly:q=11,hosts=1", 241), ("dragonfly:h=3", 341)])
def test_hundreds_of_ranks(spec, steps):
    """As many steps as other ranks: each host's port is never idle."""
    topology = build(spec)
    network = rank_network(topology, np.arange(topology.hosts), 40.0, 40.0, alike=False)
    trees, each = stepping.grown_forest(network, np.arange(topology.hosts))
    assert (len(trees), each) == (topology.hosts, 1)
    assert 1 + max(max(tree.steps) for tree in trees) == steps


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("spec", "host_rate"), [("torus:dims=32x32,hosts=1", 160.0), ("jellyfish:n=1024,degree=8,hosts=1", 40.0)]
)
def test_a_thousand_ranks(spec, host_rate):
    """The default beyond 400 ranks, within 1 % of the bound by bytes."""
    result = collective(build(spec), "allgather", 1 << 30, settings=AppSettings(host_rate_gbps=host_rate))
    assert (result.algorithm, result.messages) == ("forest", 1024 * 1023)
    assert result.fullest_s < 1.01 * result.bound.bandwidth_s
