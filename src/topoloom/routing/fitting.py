"""Which engine fits a network: the one made for its family, where measurements show that it carries more traffic.

``benchmarks/fitting.py`` measures this. The rule was fixed before the measurement: an engine passes if its uniform throughput
is above that of ``orders`` at one size or more and below it at none. Dimension order passes on meshes, tori, hypercubes and
HyperX, and the Dragonfly's tables pass. Tori use the variant with one virtual channel per pair, which can be exported and
repaired, although it needs more virtual channels than datelines. The fat tree's tables fail at one of fifteen trees (16-port
switches tapered 2:1: 0.319, where ``orders`` has 0.359) and have up to 4.4 times as much at the others. They are used for all
trees nevertheless; this choice was made after the table was seen. Ancestors pass on trees of two levels in which any two leaves
share a spine (OFT, MLFM, random folded Clos); on random folded Clos networks of three levels they carry less than ``orders`` at
one size of two.

Networks of diameter 2 and 3 without such an engine get ``levels``, by the rule of ``benchmarks/levels.py``. The paths of
``orders`` are as short and as even, but near saturation its long chains of waiting packets reduce the throughput a lot.
"""

from topoloom.graph.path_lengths import host_path_lengths, path_lengths
from topoloom.graph.planes import planes_of
from topoloom.model.topology import Topology
from topoloom.routing.registry import engines
from topoloom.routing.routing import carriers_of
from topoloom.routing.virtual_channels.by_level import MOST_CARRIERS

#: The engine for any network, and the engine for networks of low diameter without an engine of their family.
ANY, LOW = "orders", "levels"
#: The diameters for which LOW is used.
_LOW_DIAMETERS = (2, 3)


def fitting_engine(topology: Topology) -> tuple[str, str]:
    """Return the engine that fits a network, and the reason in words.

    Parameters
    ----------
    topology : Topology
        If it has several planes, the first one decides.

    Returns
    -------
    (str, str)
        The name of an engine; the reason, empty if no engine fits better than `ANY`.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> fitting_engine(build("mesh:dims=4x4"))
    ('dor', 'links run along coordinates')
    >>> fitting_engine(build("slimfly:q=5"))
    ('levels', 'its diameter is 2')
    """
    plane = planes_of(topology)[0].topology
    for name, engine in engines.items():
        reason = engine.fits(plane) if engine.fits is not None else None
        if reason is not None:
            return name, reason
    diameter = _low_diameter(plane)
    return (ANY, "") if diameter is None else (LOW, f"its diameter is {diameter}")


def _low_diameter(topology: Topology) -> int | None:
    """The diameter between switches with hosts if engine `LOW` is for it; otherwise None."""
    carries = carriers_of(topology)
    if len(topology.links) < topology.switches:
        return None  # a tree has no cycles: one virtual channel suffices
    if not 2 <= int(carries.sum()) <= MOST_CARRIERS:
        return None
    between = path_lengths(topology)
    farthest = host_path_lengths(topology, between.histogram)[1] if topology.hosts else between.diameter
    return int(farthest) if farthest in _LOW_DIAMETERS else None
