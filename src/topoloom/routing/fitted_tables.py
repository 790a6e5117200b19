"""The tables that a network is assessed by: those of the engine that fits it, within the virtual channels of its switches."""

from contextlib import suppress
from dataclasses import replace
from typing import Any

import msgspec

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.graph.planes import plane_count
from topoloom.model.topology import Topology
from topoloom.placement.layout.layout import Layout
from topoloom.routing.bundles import spread_over_bundles
from topoloom.routing.engines.minimal_hosts import largest_load
from topoloom.routing.fitting import ANY, fitting_engine
from topoloom.routing.memory import MemoryShortageError
from topoloom.routing.registry import engines
from topoloom.routing.route import route
from topoloom.routing.routing import PAIR, Routing
from topoloom.routing.virtual_channels.by_pair import MOST_VIRTUAL_CHANNELS

#: Virtual lanes for data of most InfiniBand switches (IBA 1.5, 7.6: 1, 2, 4, 8 or 15).
VIRTUAL_CHANNELS = 8
#: Tables per host of trees, and of other networks, up to this many switches.
_OF_TREES, _BY_HOST, _MOST_SWITCHES = "fat-tree-hosts", "minimal-hosts", 2048


def fitted_tables(
    topology: Topology,
    layout: Layout | None = None,
    *,
    virtual_channels: int = VIRTUAL_CHANNELS,
    seed: int = 1,
    jobs: int | None = None,
    work: Work | None = None,
) -> Routing:
    """Route a network by the engine that fits; a fat tree gets one table per host of a switch, as in InfiniBand.

    In other networks the hosts of a switch take the parallel cables between two switches in turn (`spread_over_bundles`).

    Parameters
    ----------
    topology : Topology
    layout : Layout, optional
    virtual_channels : int
        Virtual channels of a switch.
    seed : int
    jobs : int, optional
    work : Work, optional

    Returns
    -------
    Routing
        With its verification. A fat tree has one table per leaf where memory does not hold one per host; its reason says so.

    Raises
    ------
    InputError
        The network cannot be routed.
    Stopped
        `work` was stopped.
    """
    routing = _fitting(topology, layout, seed, jobs, work)
    if virtual_channels_of(routing) > virtual_channels:
        settings: dict[str, Any] = {"virtual_channels": virtual_channels, "seed": seed, "jobs": jobs, "work": work}
        try:
            routing = route(topology, routing.engine, **settings)
        except InputError:
            routing = route(topology, ANY, **settings)
    return spread_over_bundles(routing, jobs, work)


def installable_tables(
    topology: Topology,
    layout: Layout | None = None,
    *,
    seed: int = 1,
    jobs: int | None = None,
    work: Work | None = None,
) -> Routing:
    """Route a network by the engine that fits, as forwarding tables of InfiniBand can hold it.

    Forwarding tables have one entry per host address, and one virtual channel per pair: a tree gets one table per host of a
    switch, and engines that change the virtual channel on the path are replaced by ``orders``. Other networks get shortest
    paths per host (``minimal-hosts``) if these have a smaller maximum channel load in pairs of hosts.

    Parameters
    ----------
    topology : Topology
    layout : Layout, optional
    seed : int
    jobs : int, optional
    work : Work, optional

    Returns
    -------
    Routing
        With its verification.

    Raises
    ------
    InputError
        The network cannot be routed.
    Stopped
        `work` was stopped.
    """
    routing = fitted_tables(topology, layout, virtual_channels=MOST_VIRTUAL_CHANNELS, seed=seed, jobs=jobs, work=work)
    if routing.virtual_channel_rule != PAIR:
        routing = spread_over_bundles(route(topology, ANY, seed=seed, jobs=jobs, work=work), jobs, work)
    if (
        routing.engine == _OF_TREES
        or plane_count(topology) != 1
        or not topology.hosts
        or topology.switches > _MOST_SWITCHES
    ):
        return routing
    with suppress(InputError):
        by_host = route(topology, _BY_HOST, seed=seed, jobs=jobs, work=work)
        if largest_load(by_host) < largest_load(routing):
            return _with_reason(by_host, "its maximum channel load is smallest with tables per host")
    return routing


def _fitting(topology: Topology, layout: Layout | None, seed: int, jobs: int | None, work: Work | None) -> Routing:
    engine, reason = fitting_engine(topology) if plane_count(topology) else (ANY, "")
    by_host = engines.find(engine).together
    short = ""
    if by_host:
        try:
            return _with_reason(route(topology, by_host, seed=seed, jobs=jobs, work=work), reason)
        except MemoryShortageError:
            short = "; the hosts of a switch share one table, because memory does not hold one per host"
        except InputError:
            pass
    routing = route(topology, None, seed=seed, jobs=jobs, layout=layout, work=work)
    return _with_reason(routing, f"{routing.provenance.settings.get('fits', '')}{short}") if short else routing


def _with_reason(routing: Routing, reason: str) -> Routing:
    """The tables with the reason why they suit the network."""
    settings = {**routing.provenance.settings, "fits": reason}
    return replace(routing, provenance=msgspec.structs.replace(routing.provenance, settings=settings))


def virtual_channels_of(routing: Routing) -> int:
    """The virtual channels that tables use; 1 where they are not verified."""
    return 1 if routing.verification is None else routing.verification.virtual_channels_used
