"""Algebraic graphs of the catalogue as starts, trimmed or extended to a given order."""

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.model.topology import Topology
from topoloom.topologies.spec import facts_of

#: Smallest and largest order to trim or extend, relative to the wanted order.
_LEAST, _MOST = 0.75, 1.35
#: Families of one parameter with hops close to the bounds, and the values to try.
_FAMILIES, _VALUES = ("polarfly:q={}", "slimfly:q={}", "bdf:u={}", "delorme:v={}"), range(2, 65)
#: Most graphs to try.
_MOST_GRAPHS = 6
#: Most switches with free ports whose distances are compared.
_MOST_SORTED = 1100


def algebraic(switches: int, degree: int) -> list[str]:
    """Return specs of graphs with about `switches` switches, at most `degree` links and hops close to the bounds; nearest
    first.

    Polarity graphs (PolarFly), Slim Fly, Bermond-Delorme-Farhi and Delorme graphs; a stored optimum if there is one.

    Examples
    --------
    >>> algebraic(64, 8)
    ['polarfly:q=7', 'bdf:u=3', 'slimfly:q=5']
    """
    ranked = []
    for spec in (f"optimal:n={switches},degree={degree}", *(name.format(q) for name in _FAMILIES for q in _VALUES)):
        try:
            facts = facts_of(spec)
        except InputError:
            continue
        if facts and facts.degree and facts.degree <= degree and _LEAST <= facts.switches / switches <= _MOST:
            ranked.append((abs(facts.switches - switches), degree - facts.degree, spec))
    return [spec for _, _, spec in sorted(ranked)[:_MOST_GRAPHS]]


def resized(topology: Topology, switches: int, degree: int, draws: Draws) -> np.ndarray | None:
    """Trim or extend a graph to an order and degree; return its links, int32[m, 2] with u < v, or None if that failed.

    Switches with the fewest links are removed, the last ones among equals. Free ports are linked, those of the farthest
    switches first. If switches * degree is odd, one switch has one link less.

    Parameters
    ----------
    topology : Topology
        The graph.
    switches : int
        The wanted order.
    degree : int
        Links per switch.
    draws : Draws
        Breaks ties.

    Returns
    -------
    int32[m, 2] or None
        Links, u < v.

    Raises
    ------
    InputError
        Switches of the graph have more than `degree` links.

    Examples
    --------
    >>> from topoloom.topologies.families.polarfly import polarfly
    >>> links = resized(polarfly(3), switches=14, degree=4, draws=Draws(1))
    >>> np.bincount(links.ravel()).tolist()
    [4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4]
    """
    from topoloom.optimizer.kernels.resize import fill_ports
    from topoloom.topologies.families.kernels.random import links_of

    if int(topology.degrees.max()) > degree:
        raise InputError(f"{topology.name} has switches with more than {degree} links; use a higher degree")
    old = min(switches, topology.switches)
    number = np.full(topology.switches, -1)
    number[np.sort(np.argsort(-topology.degrees, kind="stable")[:old])] = np.arange(old)
    links = number[topology.links]
    links = links[(links >= 0).all(axis=1)]
    ends = np.concatenate([links, links[:, ::-1]])
    ends = ends[np.argsort(ends[:, 0], kind="stable")]
    filled = np.bincount(ends[:, 0], minlength=switches).astype(np.int32)
    table = np.empty((switches, degree), np.int32)
    table[np.arange(degree) < filled[:, None]] = ends[:, 1]
    _join_farthest_ports(table, filled, draws)
    filled_up = fill_ports(table, filled, degree, old, draws.state()) == switches * degree % 2
    return links_of(table, filled).astype(np.int32) if filled_up else None


def _join_farthest_ports(table: np.ndarray, filled: np.ndarray, draws: Draws) -> None:
    """Link free ports of the switches that are farthest from each other, in rounds with one link per switch, until none is
    possible.
    """
    from topoloom.graph.distances import distance_matrix
    from topoloom.optimizer.kernels.resize import join_first
    from topoloom.topologies.families.kernels.random import links_of

    n, degree = table.shape
    made = 1
    while made:
        free = np.flatnonzero(filled < degree)
        if free.size > _MOST_SORTED:
            return
        # Disconnected pairs have the largest value, so they are linked first.
        hops = distance_matrix(Topology(links=links_of(table, filled), switches=n)).astype(np.int64)
        distance = hops[np.ix_(free, free)]
        u, v = np.nonzero(np.triu(distance == max(2, distance.max(initial=0))))
        made = join_first(table, filled, degree, free[u], free[v], draws.permutation(u.size))
