"""The limits of a network that is built: switches, links, hosts, memory."""

import logging
import math
import os
import resource
from typing import Any

from topoloom.core.errors import InputError
from topoloom.model.topology import MOST_SWITCHES
from topoloom.topologies.spec.registry import Facts

log = logging.getLogger("topoloom")

_MOST_LINKS = 1 << 28
_MOST_HOSTS = 16 * MOST_SWITCHES
#: Bytes per switch, per link and per host while a topology is built (measured).
_BYTES = (100, 60, 50)
#: Bytes of memory above which a warning is logged.
_MUCH_MEMORY = 4e9


def check_size(name: str, facts: Facts, hosts: Any = None) -> None:
    """Refuse a network above the limits or this machine's memory, before any memory is taken; warn of much memory.

    Parameters
    ----------
    name : str
        The family or transform, for messages.
    facts : Facts
        Switches, links or degree, and hosts of the network to build.
    hosts : int, "full" or None
        Hosts on each switch that carries any; None: those of `facts`.

    Raises
    ------
    InputError
        The switches, links or hosts are above their limits, or do not fit into memory.
    """
    if facts.switches > MOST_SWITCHES:
        raise InputError(f"{name}: {facts.switches} switches; at most {MOST_SWITCHES} are built")
    links = facts.links if facts.links is not None else facts.switches * (facts.degree or 0) // 2
    if links > _MOST_LINKS:
        raise InputError(f"{name}: about {links} links; at most {_MOST_LINKS} are built")
    each = facts.full_hosts or 0 if hosts == "full" else int(hosts or 0)
    carriers = facts.switches if facts.carriers is None else facts.carriers
    check_host_count(name, each, carriers)
    attached = each * carriers if hosts is not None else facts.hosts
    if attached > _MOST_HOSTS:
        raise InputError(f"{name}: {attached:,} ports of hosts; at most {_MOST_HOSTS:,} are attached")
    needed = sum(count * size for count, size in zip((facts.switches, links, attached), _BYTES, strict=True))
    present, whose = _memory()
    size = f"{name}: {facts.switches:,} switches, {links:,} links and {attached:,} hosts"
    if needed > present:
        raise InputError(f"{size} take about {needed / 1e9:.1f} GB of memory; {whose} {present / 1e9:.1f} GB")
    if needed > _MUCH_MEMORY:
        log.warning("%s take about %.0f GB of memory", size, needed / 1e9)


def check_host_count(name: str, each: int, carriers: int) -> None:
    """Refuse more hosts than are attached.

    Parameters
    ----------
    name : str
        The family, for messages.
    each, carriers : int
        Hosts on each switch, and switches that carry them.

    Raises
    ------
    InputError
        There are too many.
    """
    if each * carriers > _MOST_HOSTS:
        raise InputError(
            f"{name}: {each:,} hosts on each of {carriers:,} switches are {each * carriers:,} hosts; at most"
            f" {_MOST_HOSTS:,} are attached"
        )


def _memory() -> tuple[float, str]:
    """Bytes of memory available (inf where unknown), and a phrase that names the limit."""
    try:
        present = float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")
        allowed = resource.getrlimit(resource.RLIMIT_AS)[0]
        if allowed != resource.RLIM_INFINITY and allowed < present:
            return float(allowed), "ulimit -v allows"
    except (AttributeError, ValueError, OSError):
        return math.inf, ""
    return present, "this machine has"
