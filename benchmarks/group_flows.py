"""Flows along next-hop groups: a random permutation of the hosts by hashes, compared with an even split of every message.

    python benchmarks/group_flows.py [NETWORK ENGINE SEEDS]

Every host sends the same bytes to one other host, all at once, and links and hosts have one rate. One row per seed of
permutation and hashes: when the last message and, on average, a host ends, in times of a message alone, and the bytes of the
fullest channel, in messages.
"""

import sys
import time

import numpy as np

from topoloom import build, route
from topoloom.routing.routing import Routing
from topoloom.simulation.flows.network import flow_network, over_groups
from topoloom.simulation.flows.operations import RECV, SEND
from topoloom.simulation.flows.rank_operations import Rank
from topoloom.simulation.flows.schedule import Schedule, schedule_of
from topoloom.simulation.flows.simulate import simulate_flows

NETWORK, ENGINE, SEEDS = (
    sys.argv[1:4] if len(sys.argv) > 3 else ("jellyfish:n=1000,degree=64,hosts=16", "spraypoint", "3")
)
RATE, SIZE = 12.5e9, 12.5e6


def permutation(hosts: int, seed: int) -> Schedule:
    """Every host sends a message to the host that follows it in a random order."""
    order = np.random.default_rng(seed).permutation(hosts)
    ranks = [Rank() for _ in range(hosts)]
    for source, goal in zip(order.tolist(), np.roll(order, -1).tolist(), strict=True):
        ranks[source].add(SEND, goal, SIZE, 0)
        ranks[goal].add(RECV, source, SIZE, 0)
    return schedule_of("permutation", ranks)


def row(routing: Routing, seed: int, split: bool) -> str:
    """The figures of one run."""
    topology, began = routing.topology, time.monotonic()
    network = flow_network([routing], link_rate=RATE, host_rate=RATE, cable_s=np.zeros(len(topology.links)))
    network = over_groups(network, split=split, hash_seed=seed)
    result = simulate_flows(network, permutation(topology.hosts, seed), np.arange(topology.hosts))
    figures = (result.seconds * RATE / SIZE, result.finished.mean() * RATE / SIZE, result.carried.max() / SIZE)
    took = time.monotonic() - began
    return f"{seed:>5}{'even' if split else 'hash':>7}" + "".join(f"{x:>11.3f}" for x in figures) + f"{took:>8.1f}"


def main() -> None:
    routing = route(build(NETWORK), ENGINE)
    print(f"{NETWORK}, {routing.engine}")
    print(f"{'seed':>5}{'split':>7}{'last':>11}{'mean':>11}{'fullest':>11}{'s':>8}")
    for seed in range(1, int(SEEDS) + 1):
        for split in (False, True):
            print(row(routing, seed, split), flush=True)


if __name__ == "__main__":
    main()
