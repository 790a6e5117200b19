"""Optimised links as a part of a spec: ``jellyfish:n=512,degree=9+optimized:moves=200000``; found by its entry point.

Every operation can take an optimised network by its spec, and a design search may propose one. The budget is a number of moves,
and the search runs in one thread, so the same spec gives the same network everywhere.
"""

from topoloom.model.topology import Topology
from topoloom.optimizer.optimize import optimize
from topoloom.topologies.spec import Integer, Seed, transform


@transform(
    "optimized",
    moves=Integer(1, 1_000_000_000, "exchanges of links' ends that are tried", default=200_000),
    seed=Seed(),
    source="Nakano 2016, III, step 3; topoloom optimize",
)
def optimized(topology: Topology, moves: int, seed: int) -> Topology:
    """Return the same switches, degrees and hosts with the fewest hops that `moves` exchanges of links' ends find.

    Returns
    -------
    Topology
        Never with more hops or more components than before.

    Raises
    ------
    InputError
        The network has no links to exchange.
    """
    return optimize(topology, moves=moves, seed=seed, jobs=1).topology
