"""What lost links and switches do to traffic over next-hop groups: at once, with members withdrawn, and with new tables."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.failures.lost_parts import LostParts
from topoloom.failures.repaired_planes import repaired_tables
from topoloom.graph.planes import plane_count
from topoloom.routing.choices import AnyShortest, NextHopGroups
from topoloom.routing.groups.making import next_hop_groups_of
from topoloom.routing.groups.withdrawing import withdrawn
from topoloom.routing.routing import Routing
from topoloom.routing.verification.verify import verify_routing
from topoloom.throughput.one_pattern import requested_traffic
from topoloom.throughput.traffic import Traffic, matrix, uniform_remote
from topoloom.throughput.traffic.loads import expected_loads, loads_with_losses


@dataclass(frozen=True)
class GroupLosses:
    """What the loss of some links and switches at once does: a link, a trunk, or all links of a box.

    Shares of traffic are those of an even split over the members of every group, as many flows give it. Traffic of lost
    switches does not count.

    Attributes
    ----------
    links : int
        Lost links, with those of lost switches.
    switches : int
        Switches that are left and lose links.
    share_most, share_mean : float
        The share of its links that such a switch loses: the most, and the mean of those that lose some.
    pairs : int
        Ordered pairs of the switches that are left.
    pairs_withdrawn : int
        Pairs that lose some or all packets while each switch only withdraws dead members from its own groups.
    pairs_recomputed : int
        Pairs without a path once all switches have new tables: those that no link joins any more.
    traffic : str
        The traffic whose shares follow.
    lost_at_once, lost_withdrawn, lost_recomputed : float
        The share of it that is lost: while packets are still hashed to dead links, while dead members are withdrawn, and with
        new tables.
    throughput_before, throughput_withdrawn, throughput_recomputed : float
        The share of a host's rate at which this traffic fills the most loaded channel, or a host's link; of what is not lost.
    """

    links: int
    switches: int
    share_most: float
    share_mean: float
    pairs: int
    pairs_withdrawn: int
    pairs_recomputed: int
    traffic: str
    lost_at_once: float
    lost_withdrawn: float
    lost_recomputed: float
    throughput_before: float
    throughput_withdrawn: float
    throughput_recomputed: float


def losses_of_groups(
    routing: Routing,
    sets: Iterable[np.ndarray],
    traffic: str | Traffic | None = None,
    jobs: int | None = None,
    *,
    work: Work | None = None,
) -> list[GroupLosses]:
    """Return what the loss of each set of links does, before and after all tables are made again.

    Parameters
    ----------
    routing : Routing
        With next-hop groups, of an engine of topoloom.
    sets : iterable of int64[k]
        Links that are lost together, as rows of `Topology.links`: one link, a trunk, or a box.
    traffic : str or Traffic, optional
        A pattern with a load, or traffic of the same network; uniform when omitted.
    jobs : int, optional
        Threads; all cores when omitted.
    work : Work, optional

    Returns
    -------
    list of GroupLosses
        The same figures as `topoloom.outage` gives for the same links.

    Raises
    ------
    InputError
        No such link; no next-hop groups; a pattern without a load; several planes.
    Stopped
        `work` was stopped.

    Examples
    --------
    >>> from topoloom.routing.route import route
    >>> from topoloom.topologies.spec import build
    >>> network = build("jellyfish:n=30,degree=8")
    >>> loss = losses_of_groups(route(network, "spraypoint"), [np.array([0])])[0]
    >>> loss.switches, loss.share_most, loss.pairs_recomputed, loss.lost_recomputed
    (2, 0.125, 0, 0.0)
    >>> loss.lost_at_once > loss.lost_withdrawn > 0
    True
    """
    work = Work() if work is None else work
    results = []
    for links in sets:
        lost = LostParts(routing.topology, cables=np.asarray(links, np.int64).tolist())
        after = repaired_tables(routing, lost.main, lost.links, lost.surviving, jobs=jobs, work=work).routing
        loss = losses_by_groups(routing, lost, after, "uniform" if traffic is None else traffic, jobs, work)
        if loss is not None:
            results.append(loss)
    return results


def losses_by_groups(
    routing: Routing,
    lost: LostParts,
    after: Routing | None,
    traffic: str | Traffic | None,
    jobs: int | None,
    work: Work,
) -> GroupLosses | None:
    """Return what losses do to the next-hop groups of tables; None for tables without groups where no traffic is given.

    Parameters
    ----------
    routing : Routing
        Before the losses.
    lost : LostParts
        Of its network.
    after : Routing or None
        New tables of `lost.surviving`; None where no link is left.
    traffic : str, Traffic or None
        As for `losses_of_groups`.
    jobs : int or None
    work : Work

    Returns
    -------
    GroupLosses or None

    Raises
    ------
    InputError
        As `losses_of_groups`.
    """
    topology, alive = routing.topology, lost.alive
    grouped = isinstance(routing.choice, NextHopGroups | AnyShortest) and plane_count(topology) == 1
    if not grouped and traffic is None:
        return None
    if not grouped:
        raise InputError(
            f"{topology.name}: the share of a traffic that is lost is known for next-hop groups of one plane (ecmp, spraypoint,"
            f" shortest-union, ksp, vlb), not for engine {routing.engine}; omit the traffic"
        )
    sent = None if traffic == "uniform" else requested_traffic(routing, traffic, 1)
    sent = replace(uniform_remote(topology), name="uniform") if sent is None else sent
    gone = lost.links | ~alive[topology.links].all(axis=1)
    groups = _grouped(routing)
    locally = withdrawn(groups, np.flatnonzero(gone))
    _, at_once = loads_with_losses(groups, sent, gone, ~alive, jobs, work=work)
    left, later = loads_with_losses(locally, sent, gone, ~alive, jobs, work=work)
    checked = verify_routing(locally, jobs, work=work)
    work.check()
    hit = np.bincount(topology.links[gone].reshape(-1), minlength=topology.switches)
    shares = (hit / np.maximum(topology.degrees, 1))[alive & (hit > 0)]
    n, among = topology.switches, int(alive.sum())
    sizes = np.bincount(lost.part[alive])
    demand = np.where(alive[:, None] & alive, sent.dense(), 0.0)
    apart, total = demand[lost.part[:, None] != lost.part].sum(), demand.sum()
    again = 0.0
    if after is not None:
        rest = matrix(lost.surviving, demand[np.ix_(lost.main, lost.main)])
        again = min(expected_loads(_grouped(after), rest, jobs, work=work).network, sent.host_limit)
    return GroupLosses(
        links=int(gone.sum()),
        switches=int(shares.size),
        share_most=float(shares.max(initial=0.0)),
        share_mean=float(shares.mean()) if shares.size else 0.0,
        pairs=among * (among - 1),
        # Walks from and to lost switches end, too: they are no pairs that are left.
        pairs_withdrawn=checked.pairs - checked.reached_pairs - (n * (n - 1) - among * (among - 1)),
        pairs_recomputed=int(among**2 - sizes @ sizes),
        traffic=sent.name,
        lost_at_once=at_once,
        lost_withdrawn=later,
        lost_recomputed=float(apart / total) if total else 0.0,
        throughput_before=expected_loads(groups, sent, jobs, work=work).throughput,
        throughput_withdrawn=left.throughput,
        throughput_recomputed=again,
    )


def _grouped(routing: Routing) -> Routing:
    """Return tables whose packets choose by next-hop groups."""
    return replace(routing, choice=next_hop_groups_of(routing), verification=None)
