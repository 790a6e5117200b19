"""Lost links and next-hop groups: switches withdraw the members on their own dead links, compared with tables made again."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.graph.connectivity import component_count, components
from topoloom.model.topology import Topology
from topoloom.routing.choices import NextHopGroups
from topoloom.routing.groups.making import next_hop_groups_of
from topoloom.routing.registry import RoutingRequest, engines
from topoloom.routing.routing import Routing
from topoloom.routing.verification.verify import verify_routing


@dataclass(frozen=True)
class GroupLosses:
    """What the loss of some links at once does: a link, a trunk, or all links of a box.

    Attributes
    ----------
    links : int
        Lost links.
    switches : int
        Switches that lose links.
    share_most, share_mean : float
        The share of its links that a switch loses: the most, and the mean of those that lose some.
    pairs : int
        Ordered pairs of switches.
    pairs_withdrawn : int
        Pairs that lose some or all packets while each switch only withdraws dead members from its own groups.
    pairs_recomputed : int
        Pairs without a path once all switches have new tables: those that no link joins any more.
    """

    links: int
    switches: int
    share_most: float
    share_mean: float
    pairs: int
    pairs_withdrawn: int
    pairs_recomputed: int


def withdrawn(routing: Routing, links: np.ndarray) -> Routing:
    """Return a routing whose switches withdrew the members on lost links from their groups; nothing else changes.

    Parameters
    ----------
    routing : Routing
        With next-hop groups, of shortest paths or of one next hop.
    links : int64[k]
        The lost links, as rows of `Topology.links`.

    Returns
    -------
    Routing
        Of the same topology, so that ports keep their numbers. A group without a member is gone: its packets are dropped.

    Raises
    ------
    InputError
        No such link; or packets have a choice that next-hop groups cannot express.
    """
    topology, groups = routing.topology, next_hop_groups_of(routing)
    lost = np.asarray(links, np.int64)
    if lost.size and (lost.min() < 0 or lost.max() >= len(topology.links)):
        raise InputError(f"{topology.name}: lost links are numbers from 0 to {len(topology.links) - 1}")
    n, widths = topology.switches, groups.widths
    owner = np.zeros(widths.size, np.int64)
    for table in groups.group:
        filled = table >= 0
        owner[table[filled]] = np.broadcast_to(np.arange(n), (n, n))[filled]
    channel = topology.csr[0][np.repeat(owner, widths)] + groups.port
    stays = ~np.isin(topology.csr[2][channel], lost)
    left = np.bincount(np.repeat(np.arange(widths.size), widths)[stays], minlength=widths.size)
    number = np.where(left > 0, np.cumsum(left > 0) - 1, -1).astype(np.int32)
    choice = NextHopGroups(
        np.where(groups.group >= 0, number[groups.group], -1).astype(np.int32),
        np.concatenate([[0], np.cumsum(left[left > 0])]),
        groups.port[stays],
        groups.next_state[stays],
    )
    return replace(routing, choice=choice, verification=None)


def losses_of_groups(
    routing: Routing, sets: Iterable[np.ndarray], jobs: int | None = None, *, work: Work | None = None
) -> list[GroupLosses]:
    """Return what the loss of each set of links does, before and after all tables are made again.

    Parameters
    ----------
    routing : Routing
        With next-hop groups, of an engine of topoloom.
    sets : iterable of int64[k]
        Links that are lost together, as rows of `Topology.links`: one link, a trunk, or a box.
    jobs : int, optional
        Threads; all cores when omitted.
    work : Work, optional

    Returns
    -------
    list of GroupLosses

    Raises
    ------
    InputError
        As `withdrawn`; or tables of no engine of topoloom.
    Stopped
        `work` was stopped.

    Examples
    --------
    >>> from topoloom.routing.route import route
    >>> from topoloom.topologies.spec import build
    >>> network = build("jellyfish:n=30,degree=8")
    >>> loss = losses_of_groups(route(network, "spraypoint"), [np.array([0])])[0]
    >>> loss.switches, loss.share_most, loss.pairs_recomputed
    (2, 0.125, 0)
    """
    topology = routing.topology
    engine = engines.find(routing.engine)
    work = Work() if work is None else work
    results = []
    for links in sets:
        locally = verify_routing(withdrawn(routing, links), jobs, work=work)
        hit = np.bincount(topology.links[links].reshape(-1), minlength=topology.switches)
        shares = hit[hit > 0] / topology.degrees[hit > 0]
        stays = np.setdiff1d(np.arange(len(topology.links)), links)
        rest = topology.replace(links=topology.links[stays], **topology.rates_of(stays))
        results.append(
            GroupLosses(
                links=int(np.unique(links).size),
                switches=int(shares.size),
                share_most=float(shares.max(initial=0.0)),
                share_mean=float(shares.mean()) if shares.size else 0.0,
                pairs=locally.pairs,
                pairs_withdrawn=locally.pairs - locally.reached_pairs,
                pairs_recomputed=_unreached(rest, engine.make, routing.provenance.seed or 1, jobs, work),
            )
        )
    return results


def _unreached(topology: Topology, make: Callable[..., Routing], seed: int, jobs: int | None, work: Work) -> int:
    """Return the pairs without a path by new tables of the same engine."""
    if component_count(topology) > 1:
        sizes = np.bincount(components(topology))
        return int(topology.switches**2 - sizes @ sizes)
    made = verify_routing(make(RoutingRequest(topology, seed=seed, jobs=jobs, work=work)), jobs, work=work)
    return made.pairs - made.reached_pairs
