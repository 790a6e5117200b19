"""Parts shared by exports for simulators: parallel cables as one, checks of hosts, numbers as text."""

import logging
from dataclasses import dataclass

import numpy as np

from topoloom.core.errors import InputError
from topoloom.fabric.exports.registry import ExportRequest
from topoloom.graph.planes import plane_count
from topoloom.model.topology import Topology

log = logging.getLogger("topoloom")


@dataclass(frozen=True, eq=False)
class Joined:
    """The linked pairs of switches, each once.

    Attributes
    ----------
    pairs : int64[k, 2]
        The lower switch first, sorted.
    cables : int64[k]
        Number of cables between them.
    delay_ns : float64[k]
        Delay of the longest cable.
    rate_gbps : float64[k]
        Total rate of all cables.
    """

    pairs: np.ndarray
    cables: np.ndarray
    delay_ns: np.ndarray
    rate_gbps: np.ndarray


def parallel_joined(request: ExportRequest, tool: str) -> Joined:
    """Combine parallel cables into one with their total rate, and log a warning.

    Parameters
    ----------
    request : ExportRequest
    tool : str
        The tool that reads the file, for the warning.
    """
    topology = request.topology
    pairs, row, count = np.unique(
        topology.links.astype(np.int64).reshape(-1, 2), axis=0, return_inverse=True, return_counts=True
    )
    delay = np.zeros(len(pairs))
    np.maximum.at(delay, row.reshape(-1), request.link_ns)
    more = int((count > 1).sum())
    if more:
        log.warning(
            "%s: %d pairs of switches have several cables; %s gets one link per pair, with the total rate",
            topology.name,
            more,
            tool,
        )
    rate = (
        np.bincount(row.reshape(-1), request.link_gbps, len(pairs))
        if topology.mixed
        else request.settings.rate_gbps * count
    )
    return Joined(pairs, count, delay, rate)


def refuse_parallel(topology: Topology, tool: str) -> None:
    """Raise `InputError` if two cables join the same switches."""
    twice = np.flatnonzero((np.diff(topology.links, axis=0) == 0).all(axis=1))
    if twice.size:
        u, v = topology.links[twice[0]].tolist()
        raise InputError(
            f"{topology.name}: switches {u} and {v} are joined by two links; {tool} supports one link between two routers"
        )


def refuse_hostless(topology: Topology) -> None:
    """Raise `InputError` if there are no hosts."""
    if not topology.endpoints.size:
        raise InputError(f"{topology.name}: no hosts, so there is no traffic; add them to the spec, as in hosts=4")


def refuse_planes(topology: Topology, tool: str) -> None:
    """Raise `InputError` if switches cannot reach each other, as in planes."""
    count = plane_count(topology)
    if count != 1:
        what = f"{count} planes" if count else "not connected"
        raise InputError(f"{topology.name}: {what}; {tool} needs one connected network: give one plane")


def equal_hosts(topology: Topology, tool: str) -> int:
    """The number of endpoints of each switch if it is the same for all; otherwise raise `InputError`."""
    refuse_hostless(topology)
    counts = topology.endpoints_at
    if (counts != counts[0]).any():
        low, high = int(counts.min()), int(counts.max())
        raise InputError(
            f"{topology.name}: {low} to {high} hosts per switch; {tool} needs the same number at every router"
        )
    return int(counts[0])


def by_host(topology: Topology) -> np.ndarray:
    """The endpoints ordered by host, int64[endpoints]."""
    return np.argsort(topology.host, kind="stable")


def tell_ports(topology: Topology, what: str) -> None:
    """Warn that the ports of a host with several become separate nodes."""
    if topology.hosts < topology.endpoints.size:
        log.warning("%s: hosts with several ports; each port is %s, consecutive for a host", topology.name, what)


def number(value: float) -> str:
    """A number as text, without an exponent, and without a fraction if it is whole.

    Examples
    --------
    >>> number(400.0), number(12.5), number(1e-7)
    ('400', '12.5', '0.0000001')
    """
    whole = round(value)
    if whole == value:
        return str(whole)
    return f"{value:.9f}".rstrip("0").rstrip(".")


def nodes_of_hosts(node: np.ndarray) -> str | None:
    """A table of the simulator's nodes and the hosts that they are; None if both have the same numbers.

    Parameters
    ----------
    node : int64[hosts]
        The simulator's number of each host.

    Returns
    -------
    str or None
        A CSV with the columns node and host.
    """
    order = np.argsort(node)
    if (order == np.arange(node.size)).all():
        return None
    return "node,host\n" + "".join(f"{place},{host}\n" for place, host in enumerate(order.tolist()))
