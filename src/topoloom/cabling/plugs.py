"""Plugs: what is known of cables that lie already: their ports, their numbers, what they are."""

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from topoloom.core.errors import InputError
from topoloom.cost.parts import Parts
from topoloom.formats.cable_reader import CableList
from topoloom.formats.cables import load_cables
from topoloom.model.topology import Topology


@dataclass(frozen=True, eq=False)
class Plugs:
    """The ports that cables are plugged into, the numbers on them, and what they are.

    A network as built has the ports of its `Topology`; one that has grown keeps those of the cables that stayed.

    Attributes
    ----------
    link : int32[links, 2]
        The ports at both ends of each link, from 1.
    endpoint : int32[endpoints]
        The port of each endpoint at its switch, from 1.
    number, endpoint_number : int64[links], int64[endpoints]
        The numbers on the cables, from 1; 0 where a cable has none.
    product : tuple of str
        The product of each link's cable; empty where it is yet to be bought.
    stock_m : float64[links]
        The length in which it was bought; NaN where it is not known.
    """

    link: np.ndarray
    endpoint: np.ndarray
    number: np.ndarray
    endpoint_number: np.ndarray
    product: tuple[str, ...]
    stock_m: np.ndarray

    @classmethod
    def of(cls, topology: Topology) -> "Plugs":
        """The ports of a network as built; its cables are yet to be bought."""
        m = len(topology.links)
        numbers = np.zeros(m, np.int64), np.zeros(topology.endpoints.size, np.int64)
        return cls(topology.link_ports, topology.endpoint_ports, *numbers, ("",) * m, np.full(m, np.nan))

    @classmethod
    def listed(cls, found: CableList) -> "Plugs":
        """The plugs of a cable list, in the order of its topology."""
        return cls(found.ports, found.endpoint_ports, found.number, found.endpoint_number, found.product, found.stock_m)

    def product_in(self, parts: Parts) -> np.ndarray:
        """The place of each link's product in a catalogue, int64[links]; -1 where it, or its length, is not known.

        Raises
        ------
        InputError
            A product that the catalogue does not have.
        """
        place = {product.title: index for index, product in enumerate(parts.cable)}
        lost = next((title for title in self.product if title and title not in place), None)
        if lost is not None:
            raise InputError(
                f"the cable list has cables '{lost[:60]}', which the catalogue {parts.name} has not; give the one that they"
                " were bought from (`parts`)"
            )
        found = np.array([place.get(title, -1) for title in self.product], np.int64)
        return np.where(np.isnan(self.stock_m), -1, found)


def load_plugs(path: str | os.PathLike[str]) -> Plugs:
    """The plugs of the links and endpoints of a cable list, in the order of the topology that it describes.

    Raises
    ------
    InputError
        A file that is missing or wrong.
    """
    source = Path(path)
    return Plugs.listed(load_cables(source / "cables.csv" if source.is_dir() else source))
