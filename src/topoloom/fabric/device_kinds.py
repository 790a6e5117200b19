"""Whether a device is a switch or a host, by what files say of it, and by names that makers and sites use."""

import re
from collections.abc import Collection

from topoloom.fabric.port_names import is_host_port

#: What makers and sites call servers.
_WORDS = r".*(?:^|[^a-z])(?:{})(?:[^a-z].*|$)"
_HOST_NAME = re.compile(
    _WORDS.format("host|node|srv|serv|server|gpu|dgx|hgx|compute|nid|cn|worker|client|storage|vm|esx|hca"),
    re.IGNORECASE,
)
_SWITCH_NAME = re.compile(
    _WORDS.format("leaf|spine|core|tor|switch|sw|superspine|agg|border|router|rtr"), re.IGNORECASE
)


def is_switch_role(role: str) -> bool | None:
    """Whether a device with this role, function or type is a switch; None if the word does not tell.

    Examples
    --------
    >>> is_switch_role("spine"), is_switch_role("Compute Node"), is_switch_role("internet")
    (True, False, None)
    """
    if _SWITCH_NAME.fullmatch(role):
        return True
    return False if _HOST_NAME.fullmatch(role) else None


def looks_like_host(name: str, ports: Collection[str]) -> bool:
    """Whether a device that no file describes is a host: by its ports, if all are those of adapters, or by its own name.

    Examples
    --------
    >>> looks_like_host("x17", ["ens1f0np0"]), looks_like_host("x17", ["p4p1"]), looks_like_host("serv-17", ["1"])
    (True, True, True)
    >>> looks_like_host("leaf1", ["eth1"])
    False
    """
    if _SWITCH_NAME.fullmatch(name):
        return False
    by_ports = bool(ports) and all(map(is_host_port, ports))
    return by_ports or _HOST_NAME.fullmatch(name) is not None
