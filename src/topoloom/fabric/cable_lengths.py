"""How long the cables of a fabric are, where somebody knows: from a layout, or from a cable list."""

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
        """Those of some cables: what a plane has, or what losses leave.

        Parameters
        ----------
        links : int64[k]
            Which links.
        endpoints : int64[l]
            Which endpoints; a mask of them will do.
        """
        return CableLengths(self.link_m[links], self.host_m[endpoints])


def lengths_in(layout: Layout, topology: Topology) -> CableLengths:
    """The lengths that a layout gives the cables of its topology.

    Parameters
    ----------
    layout : Layout
    topology : Topology
        Whose lengths are wanted.

    Raises
    ------
    InputError
        The layout is of another network.
    """
    own = layout.topology
    if not (np.array_equal(own.links, topology.links) and np.array_equal(own.endpoints, topology.endpoints)):
        raise InputError(f"{topology.name}: the layout is of another network")
    return CableLengths(layout.length_m, layout.host_length_m)
