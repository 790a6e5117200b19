"""The objective betweenness-max: no switch is on much more shortest paths than others."""

from topoloom.graph.measures.betweenness import betweenness
from topoloom.model.topology import Topology
from topoloom.optimizer.objective_register import topology_objective


@topology_objective("betweenness-max", "least largest betweenness of a switch, as a share of pairs")
def least_betweenness(topology: Topology) -> float:
    """The largest betweenness of a switch, `topoloom.graph.measures.betweenness`."""
    return float(betweenness(topology).max())
