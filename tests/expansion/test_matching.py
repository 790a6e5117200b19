"""Matching the switches of two networks: what is one network under other names is found to be one."""

import numpy as np
import pytest

from topoloom import InputError, Topology, build, expand
from topoloom.cabling.expansion.matching import by_labels, matched
from topoloom.cabling.expansion.stages import difference
from topoloom.core.random_streams import Draws


def renamed(topology, seed):
    """The same network with its switches in another order, and without labels."""
    order = Draws(seed).permutation(topology.switches)
    return Topology(links=order[topology.links], switches=topology.switches, endpoints=order[topology.endpoints])


def kept(before, goal, found):
    """How many links stay."""
    place = found.copy()
    place[found < 0] = np.arange(before.switches, goal.switches)
    return len(difference(before, Topology(links=place[goal.links], switches=goal.switches))[2])


@pytest.mark.parametrize(
    "spec", ["torus:dims=6x6", "hypercube:n=6", "jellyfish:n=200,degree=10,hosts=2", "dsn-f:n=64", "slimfly:q=5"]
)
def test_a_network_under_other_numbers_is_found(spec):
    """Where only the numbers differ, no cable moves."""
    before = build(spec)
    goal = renamed(before, 7)
    found = matched(before, goal)
    assert sorted(found.tolist()) == list(range(before.switches))
    assert kept(before, goal, found) == len(before.links)


def test_a_hypercube_is_a_torus():
    """Q6 and the 4 x 4 x 4 torus are one network: no cable moves."""
    plan = expand(build("hypercube:n=6"), into=build("torus:dims=4x4x4"))
    assert (plan.removed, plan.added, plan.kept) == (0, 0, 192)


def test_never_worse_than_by_numbers_or_labels():
    """The search starts from both, and keeps the best that it sees."""
    before, goal = build("torus:dims=5x6"), build("torus:dims=6x7")
    by_numbers = np.where(np.arange(42) < 30, np.arange(42), -1)
    best = kept(before, goal, matched(before, goal))
    assert best >= kept(before, goal, by_labels(before, goal))
    assert best >= kept(before, goal, by_numbers)


def test_hosts_do_not_move():
    """A switch with hosts becomes one with at least as many; where that cannot be, one sentence says so."""
    before, goal = build("fat-tree:k=4"), build("jellyfish:n=24,degree=4,hosts=2")
    found = matched(before, goal)
    stays = found >= 0
    assert (goal.endpoints_at[stays] >= before.endpoints_at[found[stays]]).all()
    with pytest.raises(InputError, match="hosts would have to move"):
        matched(build("torus:dims=4x4,hosts=3"), build("torus:dims=4x5,hosts=2"))
    with pytest.raises(InputError, match="at least its size"):
        matched(build("torus:dims=4x4"), build("torus:dims=3x4"))


def test_seeds_and_threads():
    """One seed, one matching, on any number of threads."""
    before, goal = build("jellyfish:n=60,degree=4"), build("jellyfish:n=64,degree=4,seed=9")
    assert np.array_equal(matched(before, goal, 5, jobs=1), matched(before, goal, 5, jobs=2))


def test_tries_of_wide_switches_are_limited_by_their_ports(monkeypatch):
    """Each try looks at twelve times a mean degree of ports: with few ports there are few tries, and the match is valid."""
    from topoloom.cabling.expansion import matching
    from topoloom.cabling.expansion.kernels import matching as kernels

    tries, exchange = [], kernels.exchange

    def counted(*arguments):
        tries.append(arguments[11])
        exchange(*arguments)

    monkeypatch.setattr(kernels, "exchange", counted)
    before, goal = build("jellyfish:n=40,degree=6,hosts=2"), build("jellyfish:n=50,degree=6,hosts=2,seed=2")
    matched(before, goal, jobs=1)
    assert set(tries) == {400 * (50 + 150)}
    tries.clear()
    monkeypatch.setattr(matching, "_MOST_PORTS", 36_000)
    found = matched(before, goal, jobs=1)
    assert set(tries) == {36_000 // (8 * 3 + 4 * 3)}
    assert sorted(place for place in found.tolist() if place >= 0) == list(range(40))
