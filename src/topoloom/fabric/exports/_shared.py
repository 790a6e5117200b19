"""What the exports for simulators share: parallel cables as one, hosts that simulators can have, numbers as texts."""

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
    """The pairs of switches that are linked, each once.

    Attributes
    ----------
    pairs : int64[k, 2]
        The lower switch first, in order.
    cables : int64[k]
        How many cables join them.
    delay_ns : float64[k]
        That of the longest.
    rate_gbps : float64[k]
        Of all cables together.
    """

    pairs: np.ndarray
    cables: np.ndarray
    delay_ns: np.ndarray
    rate_gbps: np.ndarray


def parallel_joined(order: ExportRequest, tool: str) -> Joined:
    """Parallel cables as one of as many times the rate, which is said in a warning.

    Parameters
    ----------
    order : ExportRequest
    tool : str
        What reads the file, for the warning.
    """
    topology = order.topology
    pairs, row, count = np.unique(
        topology.links.astype(np.int64).reshape(-1, 2), axis=0, return_inverse=True, return_counts=True
    )
    delay = np.zeros(len(pairs))
    np.maximum.at(delay, row.reshape(-1), order.link_ns)
    more = int((count > 1).sum())
    if more:
        log.warning(
            "%s: %d pairs of switches have several cables; %s has one link for each, with the rate of all together",
            topology.name,
            more,
            tool,
        )
    rate = (
        np.bincount(row.reshape(-1), order.link_gbps, len(pairs))
        if topology.mixed
        else order.settings.rate_gbps * count
    )
    return Joined(pairs, count, delay, rate)


def refuse_parallel(topology: Topology, tool: str) -> None:
    """Raise `InputError` where two cables join the same switches."""
    twice = np.flatnonzero((np.diff(topology.links, axis=0) == 0).all(axis=1))
    if twice.size:
        u, v = topology.links[twice[0]].tolist()
        raise InputError(
            f"{topology.name}: switches {u} and {v} are joined by two links; {tool} has one link between two routers"
        )


def refuse_hostless(topology: Topology) -> None:
    """Raise `InputError` where there are no hosts."""
    if not topology.endpoints.size:
        raise InputError(f"{topology.name}: no hosts, so nothing would send; add them to the spec, as in hosts=4")


def refuse_planes(topology: Topology, tool: str) -> None:
    """Raise `InputError` where switches cannot reach each other, as in planes."""
    count = plane_count(topology)
    if count != 1:
        what = f"{count} planes" if count else "parts that no link joins"
        raise InputError(f"{topology.name}: {what}; {tool} has one network: give one plane")


def equal_hosts(topology: Topology, tool: str) -> int:
    """How many endpoints each switch has, if all have as many; else raise `InputError`."""
    refuse_hostless(topology)
    counts = topology.endpoints_at
    if (counts != counts[0]).any():
        low, high = int(counts.min()), int(counts.max())
        raise InputError(f"{topology.name}: {low} to {high} hosts per switch; {tool} has as many at every router")
    return int(counts[0])


def by_host(topology: Topology) -> np.ndarray:
    """The endpoints, host after host, int64[endpoints]."""
    return np.argsort(topology.host, kind="stable")


def tell_ports(topology: Topology, what: str) -> None:
    """Warn that the ports of hosts with several are taken apart."""
    if topology.hosts < topology.endpoints.size:
        log.warning("%s: hosts with several ports; each port is %s, those of a host in a row", topology.name, what)


def number(value: float) -> str:
    """A number as text: whole where it is, never with an exponent.

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
    """Which node of the simulator each host is, by node; None where they have the same numbers.

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
