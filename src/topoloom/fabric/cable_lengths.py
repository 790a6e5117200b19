"""Lengths of a fabric's cables, from a layout or from a cable list."""

from dataclasses import dataclass

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.placement.layout.layout import Layout


@dataclass(frozen=True, eq=False)
class CableLengths:
    """The lengths of a network's cables.

    Attributes
    ----------
    link_m : float64[links]
        In the order of `Topology.links`.
    host_m : float64[endpoints]
        Of the cable of each host port, in the order of `Topology.endpoints`.
    """

    link_m: np.ndarray
    host_m: np.ndarray

    def part(self, links: np.ndarray, endpoints: np.ndarray) -> "CableLengths":
        """The lengths of a subset of the cables: those of a plane, or those left after losses.

        Parameters
        ----------
        links : int64[k]
            Indices of the links.
        endpoints : int64[l]
            Indices of the endpoints, or a mask of them.
        """
        return CableLengths(self.link_m[links], self.host_m[endpoints])


def lengths_in(layout: Layout, topology: Topology) -> CableLengths:
    """The lengths that a layout gives the cables of its topology.

    Parameters
    ----------
    layout : Layout
    topology : Topology
        The topology whose lengths are wanted.

    Raises
    ------
    InputError
        The layout is of another network.
    """
    own = layout.topology
    if not (np.array_equal(own.links, topology.links) and np.array_equal(own.endpoints, topology.endpoints)):
        raise InputError(f"{topology.name}: the layout is of another network")
    return CableLengths(layout.length_m, layout.host_length_m)
