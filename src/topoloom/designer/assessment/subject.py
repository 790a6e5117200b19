"""What is assessed: a network on its floor, with parts, and the tables that its engine makes."""

from dataclasses import dataclass, field
from functools import cached_property

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.cost.bill import Bill
from topoloom.cost.parts import Parts
from topoloom.model.topology import Topology
from topoloom.network import Network
from topoloom.placement.layout.layout import Layout
from topoloom.routing.fitting import ANY
from topoloom.routing.host_routings import host_routings
from topoloom.routing.registry import engines
from topoloom.routing.route import route
from topoloom.routing.routing import Routing

#: Virtual virtual channels for data of most switches of InfiniBand (IBA 1.5, 7.6: 1, 2, 4, 8 or 15).
VIRTUAL_CHANNELS = 8
#: How many times the usual draws are made where time is left over, one after the other; and at most.
EFFORTS = (4, 16)
MOST_REPEATS = EFFORTS[-1]
#: Engines with tables for each host of a switch, and those that spread packets over them.
_SPREAD = {"fat-tree": "fat-tree-hosts"}


@dataclass(eq=False)
class Subject:
    """A network under assessment; what is dear to make is made when it is first asked for, and kept.

    Attributes
    ----------
    network : Network
        With a layout; its terms say what it is bought by.
    switch_ns, cable_ns_per_m : float
        Delays, ns.
    virtual_channels : int
        Virtual virtual channels of a switch.
    radix : int or None
        Ports of the switches that can be had; None: as many as the fullest needs.
    all_to_all_mib, all_reduce_mib : float
        What a host sends to all others together, and the vector that is reduced.
    seed : int
    jobs : int or None
    tables : Routing or None
        Those that were worked out; None: not yet.
    """

    network: Network
    switch_ns: float = 100.0
    cable_ns_per_m: float = 5.0
    virtual_channels: int = VIRTUAL_CHANNELS
    radix: int | None = None
    all_to_all_mib: float = 256.0
    all_reduce_mib: float = 256.0
    seed: int = 1
    jobs: int | None = None
    tables: Routing | None = None
    _by_host: dict[str, tuple[Routing, ...]] = field(default_factory=dict)
    _spread: Routing | None = None

    @property
    def topology(self) -> Topology:
        """The network itself."""
        return self.network.topology

    @cached_property
    def layout(self) -> Layout:
        """Where its switches stand."""
        return self.network.part(Layout)

    @property
    def parts(self) -> Parts:
        """The catalogue."""
        return self.network.terms.catalogue

    @property
    def rate_gbps(self) -> float:
        """Of every link."""
        return self.network.terms.link_rate_gbps

    @property
    def bill(self) -> Bill:
        """What it costs.

        Raises
        ------
        InputError
            A part that the catalogue does not have.
        """
        return self.network.bill

    @property
    def assessed(self) -> Network:
        """The network with its tables, as it is kept."""
        return self.network if self.tables is None else self.network.with_installed(self.tables)

    def routed(self, work: Work) -> Routing:
        """Its tables: the installed ones, else of the engine that fits the network.

        Raises
        ------
        InputError
            It cannot be routed in so many virtual channels.
        Stopped
            `work` was stopped.
        """
        if self.tables is None and self.network.tables is not None:
            self.tables = self.network.tables
        if self.tables is None:
            found = route(self.topology, None, seed=self.seed, jobs=self.jobs, layout=self.layout, work=work)
            self.tables = (
                found if _virtual_channels(found) <= self.virtual_channels else self._within_vcs(found.engine, work)
            )
        if (used := _virtual_channels(self.tables)) > self.virtual_channels:
            raise InputError(
                f"{self.topology.name}: its tables take {used} virtual channels, the switches have {self.virtual_channels}"
            )
        return self.tables

    def routed_by_host(self, work: Work, network: Topology | None = None) -> tuple[Routing, ...]:
        """Tables for each host of a switch, where the engine leads them over other paths; else those of `routed`, once.

        Of the whole network, or of one of its planes.

        As InfiniBand has them, whose hosts have addresses of their own: a fat tree needs them for its full bandwidth.

        Raises
        ------
        InputError, Stopped
            As `routed`.
        """
        of = self.topology if network is None else network
        if of.digest not in self._by_host:
            routing = self.routed(work)
            count = int(of.endpoints_at.max(initial=1))
            by_host = engines.find(routing.engine).by_host and count > 1 and routing.choice is None
            self._by_host[of.digest] = (
                host_routings(of, routing.engine, count, seed=self.seed, jobs=self.jobs, work=work)
                if by_host
                else (routing,)
            )
        return self._by_host[of.digest]

    def routed_spread(self, work: Work) -> Routing:
        """Tables for a simulation of uniform traffic: a fat tree's for each host of a switch, else those of `routed`.

        Raises
        ------
        InputError, Stopped
            As `routed`.
        """
        if self._spread is None:
            routing = self.routed(work)
            spread = _SPREAD.get(routing.engine)
            self._spread = (
                routing if spread is None else route(self.topology, spread, seed=self.seed, jobs=self.jobs, work=work)
            )
        return self._spread

    def _within_vcs(self, engine: str, work: Work) -> Routing:
        """Tables in so many virtual channels as there are: of that engine, else of the one that routes anything."""
        try:
            return route(
                self.topology, engine, virtual_channels=self.virtual_channels, seed=self.seed, jobs=self.jobs, work=work
            )
        except InputError:
            return route(
                self.topology, ANY, virtual_channels=self.virtual_channels, seed=self.seed, jobs=self.jobs, work=work
            )


def _virtual_channels(routing: Routing) -> int:
    return 1 if routing.verification is None else routing.verification.virtual_channels_used
