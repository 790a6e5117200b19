"""What the tests of throughput share: small networks, their golden values, slow oracles."""

import networkx as nx

from topoloom.core.random_streams import Draws
from topoloom.model.topology import Topology
from topoloom.throughput.traffic import permutation
from topoloom.throughput.tub import tub
from topoloom.topologies.spec import build

#: Bounds and exact flows with unit links: spec, hosts per switch, TUB, flow of a maximal permutation where it is unique,
#: bound of uniform traffic 2 m / (H sum d / (N - 1)). From the definitions of TUB (Namyar et al., SIGCOMM 2021) and of the
#: concurrent flow, computed once by another program; several maximal permutations have different flows, so these are omitted.
GOLDEN = [
    ("torus:dims=8", 1, 0.5, 0.5, 0.875),
    ("hypercube:n=4", 1, 1.0, 1.0, 1.875),
    ("complete:n=8", 1, 7.0, 4.0, 7.0),
    ("petersen", 2, 0.75, None, 0.9),
    ("hoffman-singleton", 4, 0.875, None, 0.9423),
    ("polarfly:q=5", 3, 0.9677, None, 1.0714),
    ("dragonfly:h=2", 2, 0.8333, None, 1.0628),
    ("hyperx:dims=5x5", 4, 1.0, None, 1.2),
]

#: Small networks of all kinds: irregular, with parallel links, with hosts on some switches, with none.
SMALL = {
    "ring": build("torus:dims=6"),
    "petersen": build("petersen").with_hosts(2),
    "hypercube": build("hypercube:n=3"),
    "random": build("jellyfish:n=14,degree=3").with_hosts(3),
    "clos": build("clos:leaves=4,spines=2,width=2"),
    "fat-tree": build("fat-tree:k=4"),
    "uneven": Topology(
        links=[(0, 1), (0, 1), (1, 2), (2, 3), (3, 0), (1, 3), (3, 4)],
        switches=5,
        endpoints=[0, 0, 0, 1, 2, 2, 4],
        name="uneven",
    ),
}


def maximal_permutation(topology):
    """The traffic between partners as far apart as can be (`tub`)."""
    return permutation(topology, tub(topology).partner, "maximal permutation")


def walk(routing, source, destination):
    """The channels (numbers) of a way, switch by switch."""
    channels, ways = routing.channels, []
    while source != destination:
        ways.append(int(channels.first[source]) + int(routing.ports[destination, source]))
        source = int(channels.to[ways[-1]])
    return ways


def slow_loads(routing, demand):
    """The load of every channel by walking every pair in Python."""
    found = [0.0] * routing.channels.to.size
    for s, row in enumerate(demand.tolist()):
        for d, amount in enumerate(row):
            for channel in walk(routing, s, d) if amount and s != d else ():
                found[channel] += amount
    return found


def random_permutations(count, how_many, seed=1):
    """Random orders of 0 .. count - 1."""
    draws = Draws(seed)
    return [draws.permutation(count) for _ in range(how_many)]


def slow_worst(routing, switch):
    """The heaviest matching of any channel, hosts one by one, by NetworkX."""
    crossing = {}
    for a, s in enumerate(switch.tolist()):
        for b, d in enumerate(switch.tolist()):
            for channel in walk(routing, s, d) if s != d else ():
                crossing.setdefault(channel, []).append((("from", a), ("to", b)))
    most = 0
    for pairs in crossing.values():
        graph = nx.Graph(pairs)
        top = {node for node in graph if node[0] == "from"}
        most = max(most, len(nx.bipartite.hopcroft_karp_matching(graph, top)) // 2)
    return most
