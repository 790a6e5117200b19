"""The subject of an assessment: a network on its floor, with parts, and the tables of its engine."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.cost.bill import Bill
from topoloom.cost.parts import Parts
from topoloom.model.topology import Topology
from topoloom.network import Network
from topoloom.placement.layout.layout import Layout
from topoloom.routing.fitted_tables import VIRTUAL_CHANNELS, fitted_tables, virtual_channels_of
from topoloom.routing.routing import Routing
from topoloom.simulation.applications.rail_collectives import ScaleUp
from topoloom.simulation.flits.point import Point

#: Multiples of the normal number of draws, tried in this order if time is left; and the largest of them.
EFFORTS = (4, 16)
MOST_REPEATS = EFFORTS[-1]


@dataclass(eq=False)
class Subject:
    """A network under assessment; what is expensive to compute is computed when it is first needed, and kept.

    Attributes
    ----------
    network : Network
        With a layout; its terms give the parts, prices and rate.
    switch_ns, cable_ns_per_m : float
        Delay of a switch, ns, and of a metre of cable, ns.
    virtual_channels : int
        Virtual channels of a switch.
    radix : int or None
        Ports of the available switches; None: as many as the fullest switch uses.
    all_to_all_mib, all_reduce_mib : float
        Bytes that a host sends to all others together, and the size of the reduced vector, both in MiB.
    scale_up : ScaleUp
        The accelerators that reach each other without the network.
    seed : int
    jobs : int or None
    tables : Routing or None
        The tables of `routed`; None: not computed yet.
    simulated : dict of float to Point
        The loads that were simulated with one number of draws, for the search of the saturation.
    drawn : dict of str to list
        The draws of each collective so far, in the order of their seeds: more draws repeat none of them.
    """

    network: Network
    switch_ns: float = 100.0
    cable_ns_per_m: float = 5.0
    virtual_channels: int = VIRTUAL_CHANNELS
    radix: int | None = None
    all_to_all_mib: float = 256.0
    all_reduce_mib: float = 256.0
    scale_up: ScaleUp = field(default_factory=ScaleUp)
    seed: int = 1
    jobs: int | None = None
    tables: Routing | None = None
    simulated: dict[float, Point] = field(default_factory=dict)
    drawn: dict[str, list[Any]] = field(default_factory=dict)

    @property
    def topology(self) -> Topology:
        """The topology."""
        return self.network.topology

    @cached_property
    def layout(self) -> Layout:
        """The positions of its racks and the lengths of its cables."""
        return self.network.part(Layout)

    @property
    def parts(self) -> Parts:
        """The parts catalogue."""
        return self.network.terms.catalogue

    @property
    def rate_gbps(self) -> float:
        """The rate of every link, Gb/s; the highest one where rates differ."""
        topology = self.topology
        return float(topology.rates_gbps[-1]) if topology.mixed else self.network.terms.link_rate_gbps

    @property
    def bill(self) -> Bill:
        """What the network costs, by its terms: the parts, prices and rate.

        Returns
        -------
        Bill
            That of its layout.

        Raises
        ------
        InputError
            The catalogue lacks a part.
        """
        return self.network.bill

    @property
    def assessed(self) -> Network:
        """The network with its tables, as its folder keeps it."""
        return self.network if self.tables is None else self.network.with_installed(self.tables)

    def routed(self, work: Work) -> Routing:
        """The network's tables, which every step uses: the installed ones, or those of the engine that suits it.

        Raises
        ------
        InputError
            It cannot be routed with the virtual channels of its switches.
        Stopped
            `work` was stopped.
        """
        if self.tables is None and self.network.tables is not None:
            self.tables = self.network.tables
        if self.tables is None:
            self.tables = fitted_tables(
                self.topology,
                self.layout,
                virtual_channels=self.virtual_channels,
                seed=self.seed,
                jobs=self.jobs,
                work=work,
            )
        if (used := virtual_channels_of(self.tables)) > self.virtual_channels:
            raise InputError(
                f"{self.topology.name}: its tables take {used} virtual channels, the switches have {self.virtual_channels}"
            )
        return self.tables
