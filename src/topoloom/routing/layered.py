"""FatPaths: layers of tables, each of shortest paths over some of the links drawn at random, over which packets are spread."""

from dataclasses import replace

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import minimum_spanning_tree

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.core.work import Work
from topoloom.graph.planes import plane_count
from topoloom.model.results import provenance_of
from topoloom.model.sources import NetworkSource, taken
from topoloom.model.topology import Topology
from topoloom.routing.channels import channels_of
from topoloom.routing.choices import Layers
from topoloom.routing.registry import RoutingRequest
from topoloom.routing.routing import HOP, Routing, empty_ports
from topoloom.routing.trees.shortest import fill_minimal
from topoloom.routing.verification.verify import verify_routing

#: What engine fatpaths takes: tables, and the share of the links that each but the first keeps.
LAYERS, KEEP = 9, 0.6
#: Rounds in which the trees of a layer are taken out and made again.
_ROUNDS = 3
#: As many layers as a port of InfiniBand has addresses.
_MOST_LAYERS = 128


def layered_routing(
    topology: NetworkSource,
    layers: int = LAYERS,
    keep: float = KEEP,
    *,
    seed: int = 1,
    jobs: int | None = None,
    work: Work | None = None,
) -> Routing:
    """Layers of tables: the first of shortest paths, each other one of shortest paths over a share of the links.

    What is omitted of a layer makes its paths go other ways, most of them a hop longer: packets that take a layer at random
    are spread over more paths than the network has shortest ones (`topoloom.path_diversity`).

    Parameters
    ----------
    topology : NetworkSource
        Connected, of one plane.
    layers : int
        Tables in all, 1 to 128.
    keep : float
        The share of the links that a layer keeps, rho, above 0 and up to 1; links that join what else would fall apart are
        kept, too.
    seed : int
        Of what is kept.
    jobs : int, optional
        Threads; no table depends on them.
    work : Work, optional
        Told of the trees of each layer.

    Returns
    -------
    Routing
        With its verdict. Virtual channels are by hop, as many as the longest path has, so that it is free of deadlock.

    Raises
    ------
    InputError
        Layers or a share out of range; a network in parts, or of several planes.
    Stopped
        `work` was stopped before the tables stood and were followed.

    Notes
    -----
    Source: Besta et al., FatPaths, SC 2020, random uniform edge sampling; its layers of least interference, a hop longer
    than shortest, are those of engine ``lnmp``.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> routed = layered_routing(build("slimfly:q=5"), layers=4)
    >>> len(routed.choice.ports), routed.verification.deadlock_free
    (3, True)
    """
    topology = taken(topology, Topology, "layered_routing")
    if plane_count(topology) != 1:
        raise InputError(f"{topology.name}: it is in several parts or planes; make layers for each of them")
    work = Work() if work is None else work
    routing = layered_tables(RoutingRequest(topology, seed=seed, jobs=jobs, work=work), layers, keep)
    settings = {"layers": layers, "keep": keep}
    provenance = provenance_of(topology, engine=routing.engine, seed=seed, settings=settings)
    return replace(routing, verification=verify_routing(routing, jobs, work=work), provenance=provenance)


def layered_tables(request: RoutingRequest, layers: int, keep: float) -> Routing:
    """The tables of `layered_routing`, without a verdict.

    Parameters
    ----------
    request : RoutingRequest
        Whose seed, threads and work count.
    layers : int
    keep : float

    Raises
    ------
    InputError
        Layers or a share out of range.
    Stopped
        The request's work was stopped.
    """
    topology = request.topology
    if not 1 <= layers <= _MOST_LAYERS:
        raise InputError(f"layers={layers}; they must be 1 to {_MOST_LAYERS}")
    if not 0 < keep <= 1:
        raise InputError(f"keep={keep}; it must be a share of the links, above 0 and up to 1, as {KEEP}")
    tables = []
    for number in range(layers):
        request.work.check()
        draws = Draws(request.seed, 20 + number)
        kept = np.arange(len(topology.links)) if number == 0 else _kept(topology, keep, draws)
        part = topology.replace(links=topology.links[kept], **topology.rates_of(kept))
        ports = empty_ports(part)
        order = draws.permutation(topology.switches)
        fill_minimal(part, order, ports, _ROUNDS, request.jobs, work=request.work)
        tables.append(ports if number == 0 else _ports_of_whole(topology, part, kept, ports))
    request.work.check()
    choice = Layers(tuple(tables[1:])) if layers > 1 else None
    return Routing(topology, "fatpaths", tables[0], virtual_channel_rule=HOP, choice=choice)


def _kept(topology: Topology, keep: float, draws: Draws) -> np.ndarray:
    """The links of a layer, ascending: the first of a random order, and what of the others joins pieces, int64[k]."""
    order = draws.permutation(len(topology.links))
    u, v = topology.links[order].astype(np.int64).T
    # Of parallel links the first in the order counts for the tree.
    _, first = np.unique(u * topology.switches + v, return_index=True)
    weights = coo_array((first + 1.0, (u[first], v[first])), shape=(topology.switches,) * 2).tocsr()
    tree = minimum_spanning_tree(weights).data.astype(np.int64) - 1
    return np.union1d(order[: round(keep * order.size)], order[tree])


def _ports_of_whole(topology: Topology, part: Topology, kept: np.ndarray, ports: np.ndarray) -> np.ndarray:
    """The tables of a network of some links as tables of the whole one, whose ports have other numbers.

    Parameters
    ----------
    topology, part : Topology
        The whole network, and the one of the links `kept`.
    kept : int64[k]
    ports : uint8 or uint16[n, n]
        Of `part`.

    Returns
    -------
    uint8 or uint16[n, n]
    """
    whole, some = channels_of(topology), channels_of(part)
    n = topology.switches
    # A channel is known by its link and where it begins.
    at = np.argsort(topology.csr[2].astype(np.int64) * n + whole.origin)
    key = (topology.csr[2].astype(np.int64) * n + whole.origin)[at]
    place = at[np.searchsorted(key, kept[part.csr[2]].astype(np.int64) * n + some.origin)]
    port = place - whole.first[some.origin]
    none = int(np.iinfo(ports.dtype).max)
    filled = ports != none
    channel = np.where(filled, some.first[:-1] + np.where(filled, ports, 0), 0)
    found = empty_ports(topology)
    found[filled] = port[channel[filled]]
    return found
