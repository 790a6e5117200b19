"""Several paths for each pair of hosts: 2^LMC addresses per host port, each with its own table, for OpenSM."""

from dataclasses import replace
from typing import Any

import numpy as np

from topoloom.fabric.deployment import CONF
from topoloom.fabric.fabric import Fabric
from topoloom.fabric.infiniband import lft_text, opensm_texts, qos_text, real_ports
from topoloom.fabric.net_text import discovered_text
from topoloom.fabric.tables_compared import table_figures
from topoloom.model.topology import Topology
from topoloom.routing.compared import TableFigures
from topoloom.routing.fitted_tables import installable_tables
from topoloom.routing.further_paths import with_further_paths
from topoloom.routing.registry import engines
from topoloom.routing.route import route
from topoloom.routing.routing import Routing


def paths_of(routing: Routing, lmc: int) -> Routing:
    """Tables for 2^lmc addresses per host port: a table per address of a switch's hosts.

    They are those of the engine of the given tables, if one virtual channel is enough for these and for the given ones.
    Otherwise the first path of a pair is the given one, and all its paths share its virtual channel: OpenSM's policy gives a
    service level to a pair of ports, not of addresses.

    Parameters
    ----------
    routing : Routing
    lmc : int
        At least 1.

    Returns
    -------
    Routing
        With its verification, of all paths together, on a topology with each host port 2^lmc times, one after another.

    Raises
    ------
    InputError
        The given tables can deadlock, or change the virtual channel on the path.
    """
    topology, count = routing.topology, 1 << lmc
    rates = topology.endpoint_rate_gbps
    wide = topology.replace(
        endpoints=np.repeat(topology.endpoints, count),
        host=np.repeat(topology.host, count),
        **({} if rates is None else {"endpoint_rate_gbps": np.repeat(rates, count)}),
    )
    if _virtual_channels(routing) == 1:
        named = routing.engine in engines and engines.find(routing.engine)
        tables = route(wide, routing.engine) if named else installable_tables(wide)
        verification = tables.verification
        # Engines with one table for all hosts of a switch have one path for all addresses, too.
        by_address = len(tables.host_tables) > len(routing.host_tables)
        if by_address and verification and verification.deadlock_free and verification.virtual_channels_used == 1:
            return tables
    return with_further_paths(routing, wide, count)


def _virtual_channels(routing: Routing) -> int:
    """The virtual channels of tables."""
    return 1 + max(
        (int(each.virtual_channels.max()) for each in routing.host_tables if each.virtual_channels is not None),
        default=0,
    )


def with_addresses(fabric: Fabric, lmc: int) -> Fabric:
    """The fabric with 2^lmc LIDs per host port: its own where it has them, otherwise counted, hosts first."""
    if fabric.addressed and bool((fabric.port_lmc == lmc).all()):
        return fabric
    k, n = fabric.topology.endpoints.size, fabric.topology.switches
    return replace(
        fabric,
        port_lids=((np.arange(k) + 1) << lmc).astype(np.int32),
        switch_lids=(((k + 1) << lmc) + np.arange(n)).astype(np.int32),
        port_lmc=np.full(k, lmc, np.int32),
        switch_lmc=np.zeros(n, np.int32),
    )


def several_paths_texts(given: Routing, fabric: Fabric, lmc: int, guid2lid: str) -> dict[str, str]:
    """The files for OpenSM with 2^lmc paths per pair of hosts.

    Parameters
    ----------
    given : Routing
        Tables with one path per pair.
    fabric : Fabric
        As `with_addresses` makes it.
    lmc : int
    guid2lid : str
        The file with the addresses.

    Returns
    -------
    dict of str to str
        The texts of the files by name.
    """
    routing = paths_of(given, lmc)
    texts = opensm_texts(routing, _by_address(fabric, routing.topology, lmc))
    if "fabric.qos" in texts:
        # A rule per port, of which all addresses have one level.
        texts["fabric.qos"] = qos_text(given, fabric)
    conf = f"# 2^{lmc} addresses per host port; copy guid2lid to OpenSM's cache (/var/cache/opensm).\nlmc {lmc}\n"
    return texts | {
        "fabric.net": discovered_text(fabric),
        "fabric.lft": lft_text(routing, _by_address(fabric, routing.topology, lmc)),
        "guid2lid": guid2lid,
        CONF: f"{texts[CONF]}{conf}honor_guid2lid_file TRUE\n",
    }


def figures_of_paths(routing: Routing, fabric: Fabric, lmc: int) -> TableFigures:
    """The figures of tables with several paths; the data of a pair is split evenly over its paths.

    Parameters
    ----------
    routing : Routing
        As `paths_of` makes it.
    fabric : Fabric
        As `with_addresses` makes it.
    lmc : int

    Returns
    -------
    TableFigures
    """
    return table_figures(ports_by_path(routing, fabric, lmc), fabric)


def ports_by_path(routing: Routing, fabric: Fabric, lmc: int) -> list[np.ndarray]:
    """The real ports by which switches send on each path of a pair.

    Parameters
    ----------
    routing : Routing
        As `paths_of` makes it.
    fabric : Fabric
        As `with_addresses` makes it.
    lmc : int

    Returns
    -------
    list of int[n, k + n]
        One array per path: to the k host ports and the n switches.
    """
    count, k = 1 << lmc, fabric.topology.endpoints.size
    ports = real_ports(routing, _by_address(fabric, routing.topology, lmc))
    return [np.hstack([ports[:, path : k * count : count], ports[:, k * count :]]) for path in range(count)]


def distinct_first_cables(routing: Routing, fabric: Fabric, lmc: int) -> float:
    """The mean number of cables over which a switch with hosts sends to the addresses of one host port elsewhere.

    Parameters
    ----------
    routing : Routing
        As `paths_of` makes it.
    fabric : Fabric
        As `with_addresses` makes it.
    lmc : int

    Returns
    -------
    float
    """
    topology = fabric.topology
    ports = np.stack([path[:, : topology.endpoints.size] for path in ports_by_path(routing, fabric, lmc)], axis=2)
    different = (np.diff(np.sort(ports, axis=2), axis=2) != 0).sum(axis=2) + 1
    away = (np.arange(topology.switches)[:, None] != topology.endpoints) & (topology.endpoints_at > 0)[:, None]
    return float(different[away].mean()) if away.any() else 1.0


def _by_address(fabric: Fabric, wide: Topology, lmc: int) -> Fabric:
    """The fabric with an endpoint per address."""
    count = 1 << lmc
    k = fabric.topology.endpoints.size
    place = np.tile(np.arange(count), k)

    def each(values: np.ndarray) -> np.ndarray:
        return np.repeat(values, count)

    of_cables: dict[str, Any] = {name: each(getattr(fabric, name)) for name in _OF_ENDPOINTS}
    return replace(
        fabric,
        topology=wide,
        port_guids=each(fabric.port_guids),
        endpoint_ports=each(fabric.endpoint_ports),
        host_ports=each(fabric.host_ports),
        port_lids=(each(fabric.port_lids) + place).astype(np.int32),
        port_lmc=np.zeros(k * count, np.int32),
        **of_cables,
    )


_OF_ENDPOINTS = tuple(f"endpoint_{name}" for name in ("width", "rate_gbps", "one_sided", "length_m", "part"))
