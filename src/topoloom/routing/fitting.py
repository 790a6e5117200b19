"""Which engine fits a network: the one that is made for its kind, where measurements say that it carries more.

Measured by ``benchmarks/fitting.py``, whose rule was fixed before: uniform throughput above that of ``orders`` at some size and
below it at none. By it dimension order on meshes, tori, hypercubes and HyperX, and the Dragonfly's own tables pass (on tori
those with a virtual channel a pair, which can be exported and repaired, though they take more virtual channels than those with
datelines); the fat tree's fail at one of fifteen trees (16-port switches tapered 2:1, 0.319 where ``orders`` has 0.359) and
have up to 4.4 times as much at the others: they are taken for all trees all the same, a choice that was made after the table
was seen. Ancestors pass on trees of two levels in which any two leaves share a spine (OFT, MLFM, random folded Clos); on random
folded Clos networks of three levels they carry less than ``orders`` at one size of two.

Networks of diameter 2 and 3 for which no engine is made get ``levels``, by the rule of ``benchmarks/levels.py``: by ``orders``
paths are as short and as even, but near saturation its long chains of packets that wait for one another let much less arrive.
"""

from topoloom.graph.path_lengths import host_path_lengths, path_lengths
from topoloom.graph.planes import planes_of
from topoloom.model.topology import Topology
from topoloom.routing.registry import engines
from topoloom.routing.routing import carriers_of
from topoloom.routing.virtual_channels.by_level import MOST_CARRIERS

#: What routes any network, and what networks of low diameter get for which no engine is made.
ANY, LOW = "orders", "levels"
#: Those diameters.
_LOW_DIAMETERS = (2, 3)


def fitting_engine(topology: Topology) -> tuple[str, str]:
    """The engine for a network, and why, in words.

    Parameters
    ----------
    topology : Topology
        Of several planes the first decides.

    Returns
    -------
    (str, str)
        The name of an engine; the reason, empty where none fits better than `ANY`.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> fitting_engine(build("mesh:dims=4x4"))
    ('dor', 'links run along coordinates')
    >>> fitting_engine(build("slimfly:q=5"))
    ('levels', 'its diameter is 2')
    """
    one = planes_of(topology)[0].topology
    for name, engine in engines.items():
        reason = engine.fits(one) if engine.fits is not None else None
        if reason is not None:
            return name, reason
    diameter = _low_diameter(one)
    return (ANY, "") if diameter is None else (LOW, f"its diameter is {diameter}")


def _low_diameter(topology: Topology) -> int | None:
    """The hops between the farthest two switches with hosts, where `LOW` is for networks of such; else None."""
    carries = carriers_of(topology)
    if len(topology.links) < topology.switches:
        return None  # a tree, in which nothing waits in a cycle: one virtual channel does
    if not 2 <= int(carries.sum()) <= MOST_CARRIERS:
        return None
    between = path_lengths(topology)
    farthest = host_path_lengths(topology, between.histogram)[1] if topology.hosts else between.diameter
    return int(farthest) if farthest in _LOW_DIAMETERS else None
