"""The ports of switches and hosts as people name them: by the name of the port, or by its number and its label on the panel."""

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from topoloom.fabric.fabric import Fabric
from topoloom.fabric.managed_names import managed
from topoloom.fabric.panel_labels import panel_label

#: What stands for the name of a port that a file does not state.
_NOT_STATED = "?"


def port_texts(fabric: Fabric, switches: np.ndarray, hosts: np.ndarray) -> dict[int, Callable[[int], str]]:
    """The texts for the ports of every node of a fabric whose ports are not just numbers.

    Parameters
    ----------
    fabric : Fabric
    switches, hosts : int64[switches], int64[hosts]
        The number of each as a node.

    Returns
    -------
    dict of int to callable (port: int) -> str
        By the number of the node.
    """
    texts: dict[int, Callable[[int], str]] = {
        node: partial(_labelled, fabric, s)
        for s, node in enumerate(switches.tolist())
        if managed(fabric.switch_names[s])[1]
    }
    texts |= {node: partial(_named, names) for node, names in names_of_ports(fabric, switches, hosts).items()}
    return texts


def names_of_ports(fabric: Fabric, switches: np.ndarray, hosts: np.ndarray) -> dict[int, Mapping[int, str]]:
    """The names of ports of the nodes of a fabric whose ports have names.

    Parameters
    ----------
    fabric : Fabric
    switches, hosts : int64[switches], int64[hosts]
        The number of each as a node.

    Returns
    -------
    dict of int to mapping of int to str
        By the number of the node.
    """
    nodes = [(switches, fabric.switch_port_names), (hosts, fabric.host_port_names)]
    return {node: names for numbers, of in nodes for node, names in zip(numbers.tolist(), of, strict=False) if names}


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
    return _named(names, port) if names else _labelled(fabric, switch, port)


def _named(names: Mapping[int, str], port: int) -> str:
    return names.get(port, str(port)) or _NOT_STATED


def _labelled(fabric: Fabric, switch: int, port: int) -> str:
    label = panel_label(fabric, switch, port)
    return f"{port} ({label})" if label else str(port)
