"""Which engine fits a network: the one that is made for its kind, where measurements say that it carries more.

Measured by ``benchmarks/fitting.py``, whose rule was fixed before: uniform throughput above that of ``orders`` at some size and
below it at none. By it dimension order on meshes, tori, hypercubes and HyperX, and the Dragonfly's own tables pass (on tori
those with a lane a pair, which can be exported and mended, though they take more lanes than those with datelines); the fat
tree's fail at one of fifteen trees (16-port switches tapered 2:1, 0.319 where ``orders`` has 0.359) and have up to 4.4 times as
much at the others: they are taken for all trees all the same, a choice that was made after the table was seen.
"""

from topoloom.graph.planes import planes_of
from topoloom.routing.registry import engines
from topoloom.topology import Topology

#: What routes any network.
ANY = "orders"


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
    >>> from topoloom.spec import build
    >>> fitting_engine(build("mesh:dims=4x4"))
    ('dor', 'links run along coordinates')
    >>> fitting_engine(build("slimfly:q=5"))
    ('orders', '')
    """
    one = planes_of(topology)[0].topology
    for name, engine in engines.items():
        reason = engine.fits(one) if engine.fits is not None else None
        if reason is not None:
            return name, reason
    return ANY, ""
