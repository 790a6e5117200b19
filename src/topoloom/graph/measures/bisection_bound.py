"""A lower bound on the bisection from the spectrum."""

from topoloom.core.errors import InputError
from topoloom.graph.measure_register import topology_measure
from topoloom.model.topology import Topology


@topology_measure(
    "bisection-bound", "spectral lower bound on the links between two halves", "links", over_planes=sum, better="more"
)
def bisection_bound(topology: Topology) -> float:
    """A lower bound on the links between two halves of the switches, whose sizes differ by at most one.

    lambda * a * b / n for halves of a and b switches, with lambda the algebraic connectivity (Fiedler 1973; Mohar 1991): for
    even n lambda * n / 4. In a regular graph of degree d, lambda is d minus the second eigenvalue of the adjacency matrix.
    Parallel links count separately.

    Raises
    ------
    InputError
        There is one switch only.

    Examples
    --------
    >>> round(bisection_bound(Topology(links=[(u, v) for v in range(6) for u in range(v)], switches=6)), 6)
    9.0
    """
    from topoloom.graph.spectrum import spectrum

    n = topology.switches
    if n == 1:
        raise InputError("the network or a plane has one switch; a bisection needs at least two")
    return spectrum(topology).algebraic_connectivity * (n // 2) * (n - n // 2) / n
