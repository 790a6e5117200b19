"""Plugs: known facts about installed cables: their ports, their numbers, their products."""

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from topoloom.core.errors import InputError
from topoloom.cost.parts import Parts
from topoloom.formats.cable_reader import CableList
from topoloom.formats.cables import load_cables
from topoloom.model.topology import Topology
from topoloom.placement.layout.layout import Layout


@dataclass(frozen=True, eq=False)
class Plugs:
    """The ports of cables, the numbers on them, and their products.

    A new network has the ports of its `Topology`; one that has grown keeps those of the cables that stayed.

    Attributes
    ----------
    link : int32[links, 2]
        The ports at both ends of each link, from 1.
    endpoint : int32[endpoints]
        The port of each endpoint at its switch, from 1.
    number, endpoint_number : int64[links], int64[endpoints]
        The numbers on the cables, from 1; 0 for cables without a number.
    product : tuple of str
        The product of each link's cable; empty if it is yet to be bought.
    stock_m : float64[links]
        The length in which it was bought, in m; NaN if not known.
    """

    link: np.ndarray
    endpoint: np.ndarray
    number: np.ndarray
    endpoint_number: np.ndarray
    product: tuple[str, ...]
    stock_m: np.ndarray

    @classmethod
    def of(cls, network: Topology | Layout) -> "Plugs":
        """The ports of a new network, as the panels of its layout have them; its cables are yet to be bought."""
        topology = network.topology if isinstance(network, Layout) else network
        m = len(topology.links)
        numbers = np.zeros(m, np.int64), np.zeros(topology.endpoints.size, np.int64)
        return cls(network.link_ports, topology.endpoint_ports, *numbers, ("",) * m, np.full(m, np.nan))

    @classmethod
    def listed(cls, cables: CableList) -> "Plugs":
        """The plugs of a cable list, in the order of its topology."""
        return cls(
            cables.ports, cables.endpoint_ports, cables.number, cables.endpoint_number, cables.product, cables.stock_m
        )

    def product_in(self, parts: Parts) -> np.ndarray:
        """The index of each link's product in a catalogue, int64[links]; -1 if it, or its length, is not known.

        Raises
        ------
        InputError
            The catalogue does not have a product.
        """
        place = {product.title: index for index, product in enumerate(parts.cable)}
        lost = next((title for title in self.product if title and title not in place), None)
        if lost is not None:
            raise InputError(
                f"the cable list has cables '{lost[:60]}', which are not in the catalogue {parts.name}; give the catalogue"
                " from which they were bought (`parts`)"
            )
        indices = np.array([place.get(title, -1) for title in self.product], np.int64)
        return np.where(np.isnan(self.stock_m), -1, indices)


def load_plugs(path: str | os.PathLike[str]) -> Plugs:
    """The plugs of the links and endpoints of a cable list, in the order of its topology.

    Raises
    ------
    InputError
        A file is missing or wrong.
    """
    source = Path(path)
    return Plugs.listed(load_cables(source / "cables.csv" if source.is_dir() else source))
