"""The names of ports in a drawing, where a network's ports have names: ``swp1``, ``Ethernet1/1``, ``33 (17/1)``."""

from dataclasses import dataclass

import numpy as np

from topoloom.fabric.fabric import Fabric
from topoloom.fabric.port_texts import port_text
from topoloom.network import Network


@dataclass(frozen=True, eq=False)
class NamedPorts:
    """The different names of ports, and the name of each port that is used.

    Attributes
    ----------
    names : tuple of str
        The first is empty: that of ports with a number only.
    link : int64[links, 2]
        At the lower and at the higher switch of each link, as places in `names`.
    endpoint : int64[endpoints]
        At the switch of each endpoint.
    """

    names: tuple[str, ...]
    link: np.ndarray
    endpoint: np.ndarray


def named_ports(network: Network) -> NamedPorts | None:
    """The names of a network's ports, as its cable list has them; None where ports have numbers only.

    Parameters
    ----------
    network : Network

    Returns
    -------
    NamedPorts or None
    """
    fabric, plugs = network.cabled, network.plugs
    if fabric is None or plugs is None:
        return None
    places = {"": 0}
    columns = [
        _places(fabric, switches, ports, places)
        for switches, ports in (
            *zip(network.topology.links.T, plugs.link.T, strict=True),
            (network.topology.endpoints, plugs.endpoint),
        )
    ]
    return None if len(places) == 1 else NamedPorts(tuple(places), np.stack(columns[:2], axis=1), columns[2])


def _places(fabric: Fabric, switches: np.ndarray, ports: np.ndarray, places: dict[str, int]) -> np.ndarray:
    """The place of each port's name; new names are added to `places`."""
    pairs, place = np.unique(np.stack([switches, ports], axis=1), axis=0, return_inverse=True)
    texts = [(port_text(fabric, switch, port), port) for switch, port in pairs.tolist()]
    own = [places.setdefault("" if text == str(port) else text, len(places)) for text, port in texts]
    return np.array(own, np.int64)[place.reshape(-1)]
