"""One wiring through circuit switches, several logical networks: what each carries and what a change moves.

64 blocks have 16 links each. Two links of every block go to each of eight circuit switches of 128 ports, and stay there. A
circuit switch joins its ports in pairs; its circuits are the logical network.
"""

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from topoloom import Topology, build, hops
from topoloom.throughput.approximate import approximate_flow
from topoloom.throughput.traffic import matrix

BLOCKS, LINKS, HOSTS = 64, 16, 16
SWITCHES = LINKS // 2
#: Blocks as a grid of 4 x 4 x 4, for the traffic and the network with neighbours; four tenants have 16 blocks each.
GRID = np.arange(BLOCKS).reshape(4, 4, 4)
TENANT = np.arange(BLOCKS) // 16
#: Turns of the solver of the best flow; a flow within 5 % of the bound ends earlier.
TURNS = 300


def both_ways(pairs):
    """The number of links between each two blocks."""
    count = np.zeros((BLOCKS, BLOCKS), np.int64)
    for a, b in pairs:
        count[a, b] += 1
        count[b, a] += 1
    return count


def with_random(count, seed):
    """The links of `count`, and random ones until every block has `LINKS`."""
    free = LINKS - count.sum(axis=1)
    more = build(f"jellyfish:n={BLOCKS},degree={int(free[0])},seed={seed}").links if free[0] else []
    return count + both_ways(more)


def logical_networks():
    """The logical networks, each as the number of links between two blocks."""
    steps = [(GRID, np.roll(GRID, -1, axis), times) for axis, times in ((0, 2), (1, 3), (2, 3))]
    torus = [
        (a, b) for at, to, times in steps for a, b in zip(at.ravel(), to.ravel(), strict=True) for _ in range(times)
    ]
    inside = [(a, a // 16 * 16 + (a + step) % 16) for a in range(BLOCKS) for step in range(1, 7)]
    partners = [(a, a + BLOCKS // 2) for a in range(BLOCKS // 2) for _ in range(LINKS // 2)]
    return {
        "even": with_random(both_ways([]), 1),
        "torus": both_ways(torus),
        "tenants": with_random(both_ways(inside), 1),
        "partners": with_random(both_ways(partners), 1),
    }


def demands():
    """What the blocks send to each other; every block sends as much as its hosts can."""
    other = 1.0 - np.eye(BLOCKS)
    near = np.zeros((BLOCKS, BLOCKS))
    for axis in range(3):
        for step in (1, -1):
            near[GRID.ravel(), np.roll(GRID, step, axis).ravel()] += 1
    same = other * (TENANT[:, None] == TENANT)
    partner = np.eye(BLOCKS)[(np.arange(BLOCKS) + BLOCKS // 2) % BLOCKS]
    amounts = {"uniform": other, "neighbours": near, "in tenants": same, "partners": partner}
    return {name: HOSTS * each / each.sum(axis=1, keepdims=True) for name, each in amounts.items()}


def network(count):
    """A logical network as a topology."""
    a, b = np.nonzero(np.triu(count))
    links = np.repeat(np.column_stack([a, b]), count[a, b], axis=0)
    return Topology(links=links, switches=BLOCKS, endpoints=np.repeat(np.arange(BLOCKS), HOSTS))


def circuits(count):
    """Circuits of each switch, as a permutation of the blocks: block b's first port is joined to the second of block p[b].

    Petersen (1891): the links of a network whose switches have 2 k links each are the union of k such permutations. An Euler
    tour directs the links, so that k begin and k end at each block; then matchings of beginnings to ends are taken off.
    """
    ways = [[int(other) for other in np.repeat(np.arange(BLOCKS), row)] for row in count]
    directed = np.zeros((BLOCKS, BLOCKS), np.int64)
    for start in range(BLOCKS):
        while ways[start]:  # a closed tour, as every block has an even number of links left
            at = start
            while ways[at]:
                to = ways[at].pop()
                ways[to].remove(at)
                directed[at, to] += 1
                at = to
    found = []
    for _ in range(SWITCHES):
        match = maximum_bipartite_matching(csr_array(directed), perm_type="column")
        directed[np.arange(BLOCKS), match] -= 1
        found.append(match)
    return np.array(found)


def moved(one, other):
    """Circuits that differ if every permutation of `other` goes to the switch where it differs least from that of `one`."""
    differ = (one[:, None, :] != other[None, :, :]).sum(axis=2)
    return int(differ[linear_sum_assignment(differ)].sum())


def main():
    """Print what each network carries, and what each change moves."""
    logical, wanted = logical_networks(), demands()
    print(f"best flow, of full rate     hops  {'  '.join(f'{name:>10}' for name in wanted)}")  # noqa: T201
    carried = []
    for name, count in logical.items():
        topology = network(count)
        shares = [approximate_flow(topology, matrix(topology, each), turns=TURNS).lower for each in wanted.values()]
        carried.append(np.minimum(shares, 1.0))
        row = "  ".join(f"{share:10.2f}" for share in carried[-1])
        print(f"{name:26}  {hops(topology).aspl:.2f}  {row}")  # noqa: T201
    print(f"{'changed for each traffic':32}  {'  '.join(f'{share:10.2f}' for share in np.max(carried, axis=0))}")  # noqa: T201
    held = {name: circuits(count) for name, count in logical.items()}
    for name, each in held.items():
        if not (both_ways(pair for circuit in each for pair in enumerate(circuit)) == logical[name]).all():
            raise SystemExit(f"{name}: the circuits are not the links")
    total = SWITCHES * BLOCKS
    print(f"\ncircuits moved, of {total}      {'  '.join(f'{name:>8}' for name in held)}")  # noqa: T201
    for name, own in held.items():
        print(f"{'from ' + name:24}    {'  '.join(f'{moved(own, other):8}' for other in held.values())}")  # noqa: T201


main()
