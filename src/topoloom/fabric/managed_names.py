"""Descriptions of managed switches, ``MF0;NAME:MODEL/U1``: name, model and part; and the descriptions of planned devices.

A planned switch is written with the model ``topoloom``, and a planned host as an adapter ``NAME mlx5_0``: readers of real
discoveries look for these forms. When such a file is read, its devices have their planned names again.
"""

import re
from collections.abc import Iterable

from topoloom.fabric._assembly import ReadNode

#: The model of planned switches, and the adapter of planned hosts.
_PLANNED, _ADAPTER = "topoloom", "mlx5_0"
_MANAGED = re.compile(r"MF0;([^;:]+):([^:/]*)((?:/[^:/]+)*)", re.IGNORECASE)


def managed(description: str) -> tuple[str, str, str]:
    """The name, the model and the part of a managed switch; model and part are empty for other descriptions.

    Examples
    --------
    >>> managed("MF0;leaf1:MQM8700/U1"), managed("MF0;core:MCS8500/L16/U2"), managed("S12")
    (('leaf1', 'MQM8700', '/U1'), ('core', 'MCS8500', '/L16/U2'), ('S12', '', ''))
    """
    match = _MANAGED.fullmatch(description)
    return (match[1], match[2], match[3]) if match else (description, "", "")


def switch_description(name: str) -> str:
    """The description of a planned switch: ``MF0;S12:topoloom/U1``."""
    return f"MF0;{name}:{_PLANNED}/U1"


def host_description(name: str) -> str:
    """The description of the adapter of a planned host: ``H7 mlx5_0``."""
    return f"{name} {_ADAPTER}"


def restore_planned_names(nodes: Iterable[ReadNode]) -> None:
    """Give the nodes of a planned network their planned names, if all switches are described as planned ones."""
    entries = list(nodes)
    switches = [managed(node.name) for node in entries if node.switch]
    if not switches or any((model, part) != (_PLANNED, "/U1") for _, model, part in switches):
        return
    for node in entries:
        node.name = managed(node.name)[0] if node.switch else node.name.removesuffix(f" {_ADAPTER}")
