"""FatPaths: several layers of tables, each with shortest paths over a random subset of the links; packets use all layers."""

from dataclasses import replace

import numpy as np

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

#: The defaults of engine fatpaths: layers, and the share of the links that each layer except the first keeps.
LAYERS, KEEP = 9, 0.6
#: Rounds in which the trees of a layer are removed and rebuilt.
_ROUNDS = 3
#: An InfiniBand port has at most 128 addresses (LMC 7).
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
    """Make layers of tables: the first with shortest paths, each other one with shortest paths over a share of the links.

    The links that a layer omits force other paths, mostly one hop longer: packets that take a random layer are spread over more
    paths than the network has shortest ones (`topoloom.path_diversity`).

    Parameters
    ----------
    topology : NetworkSource
        Connected, of one plane.
    layers : int
        Tables in all, 1 to 128.
    keep : float
        The share of the links that a layer keeps, rho, above 0 and up to 1; links that are needed to keep the layer connected
        are also kept.
    seed : int
        Of the random choice of links.
    jobs : int, optional
        Threads; no table depends on them.
    work : Work, optional
        Receives the progress of the trees of each layer.

    Returns
    -------
    Routing
        With its verification. A packet's virtual channel is its number of hops so far, so the tables are deadlock-free.

    Raises
    ------
    InputError
        Layers or a share out of range; a network that is not connected, or that has several planes.
    Stopped
        `work` was stopped before the tables were made and verified.

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
        raise InputError(f"{topology.name}: not connected, or of several planes; make layers for each plane")
    work = Work() if work is None else work
    routing = layered_tables(RoutingRequest(topology, seed=seed, jobs=jobs, work=work), layers, keep)
    settings = {"layers": layers, "keep": keep}
    provenance = provenance_of(topology, engine=routing.engine, seed=seed, settings=settings)
    return replace(routing, verification=verify_routing(routing, jobs, work=work), provenance=provenance)


def layered_tables(request: RoutingRequest, layers: int, keep: float) -> Routing:
    """The tables of `layered_routing`, without a verification.

    Parameters
    ----------
    request : RoutingRequest
        Its seed, threads and work are used.
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
        layer_links = np.arange(len(topology.links)) if number == 0 else _kept(topology, keep, draws)
        part = topology.replace(links=topology.links[layer_links], **topology.rates_of(layer_links))
        ports = empty_ports(part)
        order = draws.permutation(topology.switches)
        fill_minimal(part, order, ports, _ROUNDS, request.jobs, work=request.work)
        tables.append(ports if number == 0 else _ports_of_whole(topology, part, layer_links, ports))
    request.work.check()
    choice = Layers(tuple(tables[1:])) if layers > 1 else None
    return Routing(topology, "fatpaths", tables[0], virtual_channel_rule=HOP, choice=choice)


def _kept(topology: Topology, keep: float, draws: Draws) -> np.ndarray:
    """The links of a layer, int64[k], ascending: the first ones of a random order, and those of the rest that connect it."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import minimum_spanning_tree

    order = draws.permutation(len(topology.links))
    u, v = topology.links[order].astype(np.int64).T
    # Of parallel links, the first in the order is a candidate for the tree.
    _, first = np.unique(u * topology.switches + v, return_index=True)
    weights = coo_array((first + 1.0, (u[first], v[first])), shape=(topology.switches,) * 2).tocsr()
    tree = minimum_spanning_tree(weights).data.astype(np.int64) - 1
    return np.union1d(order[: round(keep * order.size)], order[tree])


def _ports_of_whole(topology: Topology, part: Topology, layer_links: np.ndarray, ports: np.ndarray) -> np.ndarray:
    """Translate the tables of a network with some of the links into tables of the whole network, which has other port numbers.

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
    # A link and the switch where it begins identify a channel.
    at = np.argsort(topology.csr[2].astype(np.int64) * n + whole.origin)
    key = (topology.csr[2].astype(np.int64) * n + whole.origin)[at]
    place = at[np.searchsorted(key, layer_links[part.csr[2]].astype(np.int64) * n + some.origin)]
    port = place - whole.first[some.origin]
    none = int(np.iinfo(ports.dtype).max)
    filled = ports != none
    channel = np.where(filled, some.first[:-1] + np.where(filled, ports, 0), 0)
    whole_ports = empty_ports(topology)
    whole_ports[filled] = port[channel[filled]]
    return whole_ports
