"""Rings on all ports: each visits every switch once, and no two use the same share of a channel."""

import numpy as np
import pytest
from collective_oracle import run_record

from topoloom import AppSettings, InputError, build, collective, read_schedule
from topoloom.simulation.collectives.network import rank_network
from topoloom.simulation.collectives.port_rings import disjoint_rings, why_no_rings


def arcs_of(topology):
    """The arcs of a network in both directions, and how many links each has."""
    n, (u, v) = topology.switches, topology.links.astype(np.int64).T
    keys, room = np.unique(np.concatenate([u * n + v, v * n + u]), return_counts=True)
    return n, keys // n, keys % n, room


#: Networks, and the rings that a switch's links could carry, and those that exist or are found.
FOUND = {
    "ring:n=5": (2, 2),
    "torus:dims=4x4": (4, 4),
    "torus:dims=3x3x3": (6, 6),
    "hypercube:n=4": (4, 4),
    "slimfly:q=5": (7, 7),
    "mesh:dims=4x4": (2, 2),
    # An odd number of switches in two colours: none exists.
    "mesh:dims=5x5": (2, 0),
    # Tillson, JCTB 29(1), 1980: all complete graphs but these two decompose into rings in both directions.
    "complete:n=4": (3, 2),
    "complete:n=6": (5, 4),
    "complete:n=8": (7, 7),
}


@pytest.mark.parametrize("spec", FOUND)
def test_rings_visit_every_switch_and_share_no_link(spec):
    n, tail, head, room = arcs_of(build(spec))
    wanted, expected = FOUND[spec]
    assert np.bincount(tail, room, n).min() == wanted
    rings = disjoint_rings(n, tail, head, room, wanted)
    assert len(rings) == expected
    used = np.zeros(room.size, np.int64)
    for successor in rings:
        at, order = 0, []
        for _ in range(n):
            order.append(at)
            at = int(successor[at])
        assert (at, sorted(order)) == (0, list(range(n)))
        used[np.searchsorted(tail * n + head, np.arange(n) * n + successor)] += 1
    assert (used <= room).all()


@pytest.mark.parametrize("operation", ["allreduce", "allgather", "reduce-scatter"])
@pytest.mark.parametrize("spec", ["torus:dims=3x3,hosts=1", "complete:n=3,hosts=2", "complete:n=1,hosts=5"])
def test_every_rank_gets_its_data(spec, operation):
    settings = AppSettings(rate_gbps=8.0, host_rate_gbps=16.0)
    result = collective(build(spec), operation, 9_000_000, algorithm="rings", settings=settings)
    run_record(result.schedule.record())
    assert result.schedule.chunks == 2 * result.ranks if result.ranks != 5 else result.ranks
    assert result.fullest_s <= result.bound.bandwidth_s * (1 + 1e-12) or spec.startswith("complete:n=3")


def test_ports_that_rates_divide_carry_rings_of_the_common_rate():
    # 12 Gb/s of a host are 3 rings of 4; 2 of them share a link of 8 Gb/s.
    settings = AppSettings(rate_gbps=8.0, host_rate_gbps=12.0)
    result = collective(build("torus:dims=4x4,hosts=1"), "allgather", 9_000_000, algorithm="rings", settings=settings)
    assert result.schedule.chunks == 3 * 16
    assert result.fullest_s == pytest.approx(result.bound.bandwidth_s)


def test_many_ranks_use_all_ports_without_a_request_and_small_data_do_not():
    network, settings = build("torus:dims=6x6,hosts=1"), AppSettings(host_rate_gbps=160.0)
    large = collective(network, "allreduce", 1 << 26, settings=settings)
    assert (large.algorithm, large.trees) == ("rings", 4 * 36)
    assert large.fullest_s == pytest.approx(large.bound.bandwidth_s)
    assert large.gap < 0.02
    assert collective(network, "allreduce", 1 << 12, settings=settings).algorithm == "forest"


def test_many_ranks_without_such_rings_have_a_forest():
    """An odd mesh has no ring that visits each switch once: nothing is refused that was not requested."""
    settings = AppSettings(host_rate_gbps=160.0)
    assert collective(build("mesh:dims=7x5,hosts=1"), "allgather", 1 << 26, settings=settings).algorithm == "forest"


def test_the_schedule_is_saved_and_read(tmp_path):
    settings = AppSettings(host_rate_gbps=160.0)
    result = collective(build("torus:dims=4x4,hosts=1"), "allreduce", 1 << 20, algorithm="rings", settings=settings)
    result.schedule.save(tmp_path / "rings.json")
    again = collective(build("torus:dims=4x4,hosts=1"), read_schedule(tmp_path / "rings.json"), settings=settings)
    assert again.seconds == result.seconds


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("fat-tree:k=4", "switch 8 has no rank; algorithm rings is for ranks on every switch, use ring or forest"),
        ("complete:n=2,hosts=2+planes:count=2", "host 0 has ports on several switches"),
        ("mesh:dims=5x5,hosts=1", "no ring was found that visits every switch once; use algorithm ring"),
    ],
)
def test_networks_without_rings_on_all_ports_are_refused(spec, sentence):
    with pytest.raises(InputError, match=sentence):
        collective(build(spec), "allgather", 1 << 20, algorithm="rings", settings=AppSettings(host_rate_gbps=160.0))


def test_too_many_messages_are_refused():
    network = rank_network(build("ring:n=800,hosts=1"), np.arange(800), 40.0, 160.0, alike=False)
    assert why_no_rings(network) == (
        "2 rings of 800 ranks have 1,278,400 messages, at most 1,200,000 are possible; use algorithm forest"
    )
