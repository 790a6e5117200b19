"""Objectives of one's own: the spectral gap in NumPy, and the mean square of hops compiled by Numba.

64 switches of four links. Both objectives are functions of a graph; `optimize` exchanges ends of links and calls them at each
move. The first gets a Topology and is maximised. The second gets the table of neighbours, which is made in microseconds.
"""

import numpy as np
from numba import njit

from topoloom import build, hops, optimize
from topoloom.optimizer.objective_register import Objective

START = build("jellyfish:n=64,degree=4")
MOVES = 3000


def spectral_gap(topology):
    """The degree less the second largest eigenvalue of the adjacency matrix."""
    adjacency = np.zeros((topology.switches, topology.switches))
    a, b = topology.links.T
    adjacency[a, b] = adjacency[b, a] = 1
    largest = np.linalg.eigvalsh(adjacency)
    return largest[-1] - largest[-2]


@njit
def mean_square_hops(table, degree):
    """The mean over ordered pairs of the square of their hops, by a search from every switch."""
    n = degree.size
    total = 0
    for source in range(n):
        far = np.full(n, -1)
        waiting = np.empty(n, np.int64)
        far[source], waiting[0] = 0, source
        done, count = 0, 1
        while done < count:
            u = waiting[done]
            done += 1
            total += far[u] ** 2
            for slot in range(degree[u]):
                v = table[u, slot]
                if far[v] < 0:
                    far[v] = far[u] + 1
                    waiting[count] = v
                    count += 1
    return total / (n * (n - 1))


def main():
    """Optimise for both, and print what each does to the value of the other."""
    gap = Objective("spectral-gap", "degree less second eigenvalue", "", spectral_gap, most=True)
    squares = Objective("mean-square-hops", "mean square of hops", "", mean_square_hops, of_table=True)
    print("objective           gap  mean square  ASPL    moves/s")  # noqa: T201
    for name, objective in (("(start)", None), ("spectral-gap", gap), ("mean-square-hops", squares), ("hops", "hops")):
        found = None if objective is None else optimize(START, objective, moves=MOVES, jobs=1)
        graph = START if found is None else found.topology
        speed = "" if found is None else f"{found.moves_per_s:10,.0f}"
        aspl = hops(graph).aspl
        print(f"{name:17} {gap.of_topology(graph):6.4f} {squares.of_topology(graph):12.4f} {aspl:6.4f} {speed}")  # noqa: T201


if __name__ == "__main__":
    main()
