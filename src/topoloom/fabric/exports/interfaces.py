"""Interfaces in Linux for the ports of a fabric: their own names where Linux allows them, else ``swp7`` and ``eth1``."""

import logging
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from topoloom.fabric.diagnosis.finding import enumerated
from topoloom.fabric.distinct_names import distinct_names
from topoloom.fabric.fabric import Fabric, each_node
from topoloom.fabric.port_names import UNKNOWN

log = logging.getLogger("topoloom")

#: Linux takes more, but shells, FRR and containerlab do not.
_ALLOWED = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,14}")
#: Interfaces that every machine has for itself.
_TAKEN = {"lo", "eth0"}
#: Devices that a message names.
_SHOWN = 4


@lru_cache(maxsize=2)
def interfaces(fabric: Fabric) -> tuple[Callable[[int, int], str], Callable[[int, int], str]]:
    """The interface of a port of a switch, and of a host.

    A device with a port whose name is none of Linux (``Ethernet1/1``) has ``swp7`` or ``eth1`` for all, by their numbers; a
    line reports it.

    Parameters
    ----------
    fabric : Fabric

    Returns
    -------
    (callable (switch: int, port: int) -> str, callable (host: int, port: int) -> str)
    """
    topology = fabric.topology
    named_switches, named_hosts = distinct_names(fabric)
    renamed: list[str] = []

    def each(names: tuple[Mapping[int, str], ...], devices: Sequence[str], prefix: str) -> Callable[[int, int], str]:
        usable = [own if _usable(own, prefix) else {} for own in each_node(names, len(devices))]
        renamed.extend(device for device, own, used in zip(devices, names, usable, strict=False) if own and not used)
        return lambda device, port: usable[device].get(port) or f"{prefix}{port}"

    at = (each(fabric.switch_port_names, named_switches, "swp"), each(fabric.host_port_names, named_hosts, "eth"))
    if renamed:
        devices = enumerated(renamed, _SHOWN)
        log.warning("%s: ports with names that are none of Linux are swp1, eth1, ...: %s", topology.name, devices)
    return at


def _usable(names: Mapping[int, str], prefix: str) -> bool:
    """Whether the names of the ports of a device can be those of interfaces; ports without a name get their numbers."""
    stated = [name for name in names.values() if name != UNKNOWN]
    numbered = {f"{prefix}{port}" for port, name in names.items() if name == UNKNOWN}
    whole = len(set(stated)) == len(stated) and not numbered.intersection(stated)
    return whole and all(_ALLOWED.fullmatch(name) and name not in _TAKEN for name in stated)
