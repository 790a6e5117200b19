"""What must hold: the links by definition, and an engine that neither deadlocks nor loses packets."""

import pytest

from topoloom import InputError, build, route, simulate


@pytest.mark.parametrize("p", [5, 7, 11, 101])
def test_every_switch_is_linked_to_its_neighbours_and_to_its_inverse(p):
    """x * y = 1 modulo p, or x and y are neighbours of the ring."""
    topology = build(f"inverse:p={p}")
    for x, y in topology.links.tolist():
        assert x * y % p == 1 or (y - x) % p in (1, p - 1)
    assert topology.degrees.max() <= 3


def test_other_numbers_are_refused():
    """In a sentence that names the spec."""
    with pytest.raises(InputError, match="inverse:p=9: p is not a prime"):
        build("inverse:p=9")


def test_the_engine_is_free_from_deadlock_and_carries_what_is_sent():
    """Verified from its moves; at low load every flit arrives, over shortest paths."""
    routing = route(build("inverse:p=23,hosts=1"), "shorter-queue")
    assert routing.verification.deadlock_free
    point = simulate(routing, "uniform", loads=[0.1], fast=True).points[0]
    assert point.accepted == pytest.approx(0.1, rel=0.05)
