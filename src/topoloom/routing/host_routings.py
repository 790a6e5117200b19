"""Separate tables for the hosts of a switch, as in InfiniBand, where every host has its own address."""

from dataclasses import replace

import msgspec

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.core.work import Work
from topoloom.graph.planes import plane_count
from topoloom.model.sources import NetworkSource, taken
from topoloom.model.topology import Topology
from topoloom.placement.layout.layout import Layout
from topoloom.routing.bundles import spread_over_bundles
from topoloom.routing.fitting import ANY, fitting_engine
from topoloom.routing.memory import MOST_HOST_ENTRIES
from topoloom.routing.registry import engines
from topoloom.routing.route import route
from topoloom.routing.routing import Routing, tables_for
from topoloom.routing.verification.verify import verify_routing


def host_routings(
    topology: NetworkSource,
    engine: str,
    count: int,
    *,
    seed: int = 1,
    jobs: int | None = None,
    layout: Layout | None = None,
    work: Work | None = None,
) -> tuple[Routing, ...]:
    """Make `count` tables: packets to host i of each switch, counted from 0, follow table i modulo `count`.

    Engine ``fat-tree`` takes the digits of the host's number, as d-mod-k does (Zahavi et al., CCPE 22(2), 2010): packets to the
    hosts of a switch pass through different ancestors. Other engines draw each table from a different seed, and of parallel
    cables between two switches each table takes the next one.

    Parameters
    ----------
    topology : NetworkSource
        Connected.
    engine : str
    count : int
        Tables, each of which serves every `count`-th host of a switch.
    seed, jobs, layout, work
        As for `route`.

    Returns
    -------
    tuple of Routing
        `count` routings, each with its verification.

    Raises
    ------
    InputError
        A count below 1, and every error of `route`.
    Stopped
        `work` was stopped before all tables were made.
    """
    topology = taken(topology, Topology, "host_routings")
    if count < 1:
        raise InputError(f"count={count}; at least one table is needed")
    if count == 1:
        return (route(topology, engine, seed=seed, jobs=jobs, layout=layout, work=work),)
    together = engines.find(engine).together
    if together and count == int(topology.endpoints_at.max(initial=0)):
        routed = route(topology, together, seed=seed, jobs=jobs, work=work)
        if len(routed.host_tables) == count:
            return tuple(
                _of_host(routed, table, engine, number, jobs, work) for number, table in enumerate(routed.host_tables)
            )
    seeds = [seed, *(Draws(seed, number).word() >> 33 for number in range(1, count))]
    return tuple(
        route(topology, engine, seed=table_seed, jobs=jobs, layout=layout, host=(number, count), work=work)
        for number, table_seed in enumerate(seeds)
    )


def _of_host(routed: Routing, table: Routing, engine: str, number: int, jobs: int | None, work: Work | None) -> Routing:
    """One table of a routing with a table per host, as `route` makes it with ``host``."""
    settings = {**routed.provenance.settings, "host": (number, len(routed.host_tables))}
    provenance = msgspec.structs.replace(routed.provenance, engine=engine, settings=settings)
    return replace(table, engine=engine, verification=verify_routing(table, jobs, work=work), provenance=provenance)


def tables_by_host(
    topology: Topology,
    saved: Routing | None = None,
    engine: str | None = None,
    count: int | None = None,
    *,
    seed: int = 1,
    jobs: int | None = None,
    layout: Layout | None = None,
    work: Work | None = None,
) -> tuple[Routing, ...]:
    """The tables for traffic between hosts: the installed tables, otherwise those of an engine; host i uses table i modulo
    count.

    Parameters
    ----------
    topology : Topology
    saved : Routing, optional
        The installed tables, which are used unless an engine or a count is given.
    engine : str, optional
        When omitted, the engine that fits the network.
    count : int, optional
        Tables for the hosts of a switch. When omitted: one, or one per host for engines that give each host separate paths
        (fat-tree), reduced to fit memory if the engine is not named. With neither engine nor count, the hosts of a switch
        take the parallel cables between two switches in turn (`spread_over_bundles`).
    seed, jobs, layout, work
        As for `route`.

    Returns
    -------
    tuple of Routing

    Raises
    ------
    InputError, Stopped
        As `host_routings`.
    """
    if saved is not None and engine is None and count is None:
        return tables_for(topology, saved).host_tables
    name = engine
    if name is None:
        name = fitting_engine(topology)[0] if plane_count(topology) else ANY
    if count is None:
        count = int(topology.endpoints_at.max(initial=1)) if engines.find(name).by_host else 1
        if engine is None:
            count = max(1, min(count, MOST_HOST_ENTRIES // topology.switches**2))
            if count == 1:
                routed = route(topology, name, seed=seed, jobs=jobs, layout=layout, work=work)
                return spread_over_bundles(routed, jobs, work).host_tables
    return host_routings(topology, name, count, seed=seed, jobs=jobs, layout=layout, work=work)
