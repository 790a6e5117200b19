"""The ports of switches and hosts as people name them: by the name of the port, or by its number and its label on the panel."""

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from topoloom.fabric.fabric import Fabric
from topoloom.fabric.managed_names import managed
from topoloom.fabric.panel_labels import panel_label
from topoloom.fabric.port_names import canonical_port

#: What stands for the name of a port that a file does not state.
_NOT_STATED = "?"


def port_texts(
    *fabrics: tuple[Fabric, np.ndarray, np.ndarray],
) -> tuple[dict[int, Callable[[int], str]], dict[int, Mapping[int, str]]]:
    """The texts for the ports of all nodes whose ports are not just numbers, and the names of ports.

    Parameters
    ----------
    *fabrics : (Fabric, int64[switches], int64[hosts])
        Fabrics, with the numbers of their switches and hosts as nodes. A port that several name has the spelling of the first,
        the plan; its alias or its actual name, where any states one, follows in parentheses.

    Returns
    -------
    dict of int to callable (port: int) -> str, dict of int to mapping of int to str
        By the number of the node.
    """
    texts: dict[int, Callable[[int], str]] = {}
    names: dict[int, dict[int, str]] = {}
    others: dict[int, dict[str, str]] = {}
    for fabric, switches, hosts in fabrics:
        for s, node in enumerate(switches.tolist()):
            if managed(fabric.switch_names[s])[1]:
                texts[node] = partial(_labelled, fabric, s)
        stated = fabric.settings_by_device
        for numbers, devices, of_devices in (
            (switches, fabric.switch_names, fabric.switch_port_names),
            (hosts, fabric.host_names, fabric.host_port_names),
        ):
            for node, device, ports in zip(numbers.tolist(), devices, of_devices, strict=False):
                if ports:
                    present = names.setdefault(node, {})
                    present |= {port: name for port, name in ports.items() if not present.get(port)}
                for name, settings in stated.get(device, {}).items():
                    if settings.alias:
                        others.setdefault(node, {}).setdefault(canonical_port(name), settings.alias)
    texts |= {node: partial(_named, of_node, others.get(node, {})) for node, of_node in names.items()}
    return texts, {**names}


def port_text(fabric: Fabric, switch: int, port: int) -> str:
    """A port of a switch as people name it: ``swp1s0``, ``33 (17/1)``, or its number.

    Parameters
    ----------
    fabric : Fabric
    switch, port : int

    Returns
    -------
    str
    """
    names = fabric.switch_port_names[switch] if fabric.switch_port_names else {}
    return _named(names, {}, port) if names else _labelled(fabric, switch, port)


def _named(names: Mapping[int, str], others: Mapping[str, str], port: int) -> str:
    name = names.get(port, str(port)) or _NOT_STATED
    other = others.get(canonical_port(name), "")
    return f"{name} ({other})" if other and canonical_port(other) != canonical_port(name) else name


def _labelled(fabric: Fabric, switch: int, port: int) -> str:
    label = panel_label(fabric, switch, port)
    return f"{port} ({label})" if label else str(port)
