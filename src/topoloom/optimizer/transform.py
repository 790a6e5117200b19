"""Optimised links as a part of a spec: ``jellyfish:n=512,degree=9+optimized:moves=200000``; found by its entry point.

So that every operation takes an optimised network by its spec, and a search for designs may propose one. The search is told
moves, and runs in one thread: the same spec is the same network everywhere.
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
    """The same switches, degrees and hosts with the fewest hops that so many exchanges of links' ends find.

    Returns
    -------
    Topology
        Never with more hops than before, nor in more parts.

    Raises
    ------
    InputError
        There are no links to exchange.
    """
    return optimize(topology, moves=moves, seed=seed, jobs=1).topology
