"""``graph500``: searches of a Kronecker graph, as messages between the ranks that hold its parts."""

from topoloom.simulation.applications.graph500 import graph500
from topoloom.simulation.applications.program import RankTraces
from topoloom.simulation.applications.registry import application
from topoloom.topologies.spec import Choice, Integer, Seed


@application(
    "graph500",
    "Graph500's searches of a Kronecker graph: all-to-alls of uneven messages, level by level; no computation",
    source="Graph500's specification and its reference code 3.0.0",
    kernel=Choice(("bfs", "sssp"), "breadth-first search, or shortest paths by delta-stepping", default="bfs"),
    scale=Integer(4, 22, "2^scale vertices, with 16 edges each, are drawn and searched", default=16),
    grow=Integer(0, 12, "each message counts 2^grow times, as in a graph of scale + grow", default=0),
    roots=Integer(1, 64, "searches, one after the other", default=1),
    seed=Seed(),
)
def program(ranks: int, kernel: str, scale: int, grow: int, roots: int, seed: int) -> RankTraces:
    """Return the trace, for any number of ranks."""
    return graph500(ranks, kernel, scale, grow, roots, seed)
