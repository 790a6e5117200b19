"""Lengths of a fabric's cables, from a layout, from a cable list, or as the source of the fabric states them."""

import logging
from dataclasses import dataclass

import numpy as np

from topoloom.core.errors import InputError
from topoloom.fabric.fabric import Fabric
from topoloom.model.topology import Topology
from topoloom.placement.layout.layout import Layout

log = logging.getLogger("topoloom")

#: The assumed length of a cable whose length is not known: a few racks further.
UNKNOWN_M = 5.0


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


def stated_cables(fabric: Fabric) -> tuple[int, int]:
    """Number of cables whose length the source of a fabric states, and number of all cables."""
    lengths = np.concatenate([fabric.link_length_m, fabric.endpoint_length_m])
    return int((lengths > 0).sum()), lengths.size


def length_words(fabric: Fabric) -> str:
    """How many cables of a laid-out network have stated lengths, in words; empty if none has."""
    stated, count = stated_cables(fabric)
    others = "" if stated == count else "; the others those of the floor"
    return f"{stated} of {count} cables have the lengths that the source states{others}" if stated else ""


def lengths_of(fabric: Fabric) -> CableLengths | None:
    """The lengths that the source of a fabric states, and `UNKNOWN_M` for other cables; None if it states none.

    A warning says how many it states, if these are not all.
    """
    stated, count = stated_cables(fabric)
    if not stated:
        return None
    if stated < count:
        log.warning(
            "%s: the source states the lengths of %d of %d cables; the others count as %g m",
            *(fabric.made, stated, count, UNKNOWN_M),
        )
    lengths = (fabric.link_length_m, fabric.endpoint_length_m)
    return CableLengths(*(np.where(length_m > 0, length_m, UNKNOWN_M) for length_m in lengths))


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
