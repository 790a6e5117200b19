"""The installed tables of a fabric, from the files that a subnet manager or topoloom wrote."""

import os
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.files import read_text
from topoloom.fabric._adaptive_paths import follow_groups
from topoloom.fabric.fabric import Fabric
from topoloom.fabric.lft import Tables, read_guid2lid, read_lft
from topoloom.fabric.port_groups import PortGroups
from topoloom.fabric.service_levels import read_levels
from topoloom.fabric.sl2vl import read_sl2vl
from topoloom.fabric.table_verifier import TableVerification, verify_tables
from topoloom.fabric.tables_from import routing_from
from topoloom.routing.choices import AnyShortest
from topoloom.routing.routing import INSTALLED, Routing
from topoloom.routing.verification.verify import verify_routing

#: The text instead of a file of service levels that means: all traffic uses service level 0.
NO_LEVELS = "none"
_MOST_BYTES = 1 << 30


@dataclass(frozen=True, eq=False)
class Installed:
    """The installed tables of a fabric.

    Attributes
    ----------
    tables : Tables
    levels : uint8[endpoints, endpoints], uint8[paths, endpoints, endpoints] or None
        levels[to, from], or levels[path, to, from]: the service level of each pair of host ports; None: not known.
    skipped : tuple of str
        What the file of service levels has that the fabric has not, in sentences.
    """

    tables: Tables
    levels: np.ndarray | None = None
    skipped: tuple[str, ...] = ()

    def routing(self, fabric: Fabric) -> Routing:
        """The tables as a routing with its verification, for measures and simulators.

        Parameters
        ----------
        fabric : Fabric
            The fabric for which they were read.

        Returns
        -------
        Routing
            As `routing_from` makes it. Packets that choose among groups of ports take any shortest path, if the groups hold all
            ports on shortest paths; otherwise the static port of each entry.

        Raises
        ------
        InputError
            The tables do not connect all pairs of host ports.
        """
        verification = verify_tables(self.tables, fabric, self.levels)
        if lost := lost_words(verification):
            raise InputError(lost)
        routing = routing_from(self.tables, fabric, self.levels)
        if self.tables.groups is not None:
            routing = _adaptive(routing, self.tables, self.tables.groups, fabric, self.levels)
        return replace(routing, verification=verify_routing(routing))


def _adaptive(
    routing: Routing, tables: Tables, groups: PortGroups, fabric: Fabric, levels: np.ndarray | None
) -> Routing:
    """A routing whose packets choose among groups of ports, from one with their static ports."""
    one_level = levels is None or not levels.any()
    if one_level and follow_groups(tables, groups, fabric, levels).shortest_only:
        # Any table with shortest paths will do: packets do not follow it.
        return replace(routing, engine=f"{INSTALLED}{tables.source}, adaptive", choice=AnyShortest())
    return replace(routing, engine=f"{routing.engine}, one port of each group")


def lost_words(verification: TableVerification) -> str:
    """A sentence on the pairs of host ports that tables lose; empty if they lose none.

    Such tables have no throughput: commands that measure or simulate refuse them with this sentence, and commands that replace
    them warn with it.
    """
    if not verification.lost_pairs:
        return ""
    return (
        f"{verification.tables}: {verification.lost_pairs:,} of {verification.pairs:,} pairs of host ports do not arrive"
        f" ({verification.fault}); 'topoloom verify-tables' lists the entries"
    )


def read_installed(
    fabric: Fabric,
    tables: str | os.PathLike[str],
    qos: str | os.PathLike[str] | None = None,
    guid2lid: str | os.PathLike[str] | None = None,
    *,
    one_port: str = "",
) -> Installed:
    """Read the installed tables of a fabric, and their service levels.

    Parameters
    ----------
    fabric : Fabric
    tables : path
        A dump by OpenSM, ibroute or ibdiagnet (`read_lft`).
    qos : path, optional
        A QoS policy or a list of levels (`read_levels`); ``none``: all traffic uses service level 0. When omitted, the levels
        are not known.
    guid2lid : path, optional
        OpenSM's guid2lid, for entries without a port GUID (`read_guid2lid`).
    one_port : str
        What needs one port per entry, for the message; if given, tables with groups of ports are refused.

    Returns
    -------
    Installed

    Raises
    ------
    InputError
        The fabric has no hosts, a file cannot be read, or the tables have groups of ports and may not.
    """
    topology = fabric.topology
    k = topology.endpoints.size
    if not k:
        raise InputError(f"{topology.name}: no hosts, so there is nothing to route to; add them, as in hosts=4")
    lids = None if guid2lid is None else read_guid2lid(_text(guid2lid), os.fspath(guid2lid))
    read = read_lft(_text(tables), os.fspath(tables), fabric, lids)
    if one_port and read.groups is not None:
        raise InputError(
            f"{os.fspath(tables)}: packets choose among groups of ports (adaptive routing), which {one_port} would replace by"
            " one port per entry; use the subnet manager's own routing, or give static tables (dump_lfts)"
        )
    if qos is None or os.fspath(qos) == NO_LEVELS:
        return Installed(read, None if qos is None else np.zeros((k, k), np.uint8))
    skipped: list[str] = []
    levels = read_levels(_text(qos), os.fspath(qos), fabric, read, skipped)
    return Installed(read, levels, tuple(skipped))


def read_virtual_lanes(path: str | os.PathLike[str], fabric: Fabric) -> np.ndarray:
    """Read the virtual lanes of service levels from a file, as `read_sl2vl` does.

    Returns
    -------
    uint8[switches, ports + 1, ports + 1, 16]

    Raises
    ------
    InputError
        The file cannot be read.
    """
    return read_sl2vl(_text(path), os.fspath(path), fabric)


def _text(path: str | os.PathLike[str]) -> str:
    return read_text(Path(path), _MOST_BYTES)
