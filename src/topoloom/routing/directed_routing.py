"""DirectedRouting: forwarding tables of a directed network, and the cables that carry its arcs."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from topoloom.core.errors import InputError
from topoloom.figures.style import Axes, drawn
from topoloom.model.directed import DirectedTopology
from topoloom.model.results import Provenance, Result
from topoloom.model.topology import Topology
from topoloom.routing.routing import HOP, PAIR, SWITCH, Routing
from topoloom.routing.verification.verification import Verification


class Carrier(NamedTuple):
    """The cables of a directed network: one for each arc, of which only one direction carries packets.

    The other direction returns credits, as on the wires of every arc. Only tables of arcs are put on it (`DirectedRouting`), so
    no packet ever uses the other direction.

    topology : Topology
        A link for each arc, with the hosts of the network.
    channel : int64[m]
        The channel of each arc, in the order of `DirectedTopology.arcs`.
    """

    topology: Topology
    channel: np.ndarray


def carrier_of(network: DirectedTopology) -> Carrier:
    """The cables of a directed network, for the functions that follow tables channel by channel.

    Examples
    --------
    >>> carrier = carrier_of(DirectedTopology(arcs=[(0, 1), (1, 0), (1, 2)], switches=3))
    >>> carrier.topology.links.tolist(), carrier.channel.tolist()
    ([[0, 1], [0, 1], [1, 2]], [0, 3, 4])
    """
    arcs = network.arcs
    topology = Topology(arcs, network.switches, network.endpoints, labels=network.labels, name=network.name)
    # Links are sorted by their ends; of parallel ones, the first carry the arcs to the higher switch.
    order = np.lexsort((arcs[:, 0] > arcs[:, 1], arcs.max(axis=1), arcs.min(axis=1)))
    link_of_arc = np.empty(len(arcs), np.int64)
    link_of_arc[order] = np.arange(len(arcs))
    _, to, link = topology.csr
    channel_of = np.empty((len(arcs), 2), np.int64)
    channels = np.arange(to.size)
    upward = to == topology.links[link, 1]
    channel_of[link[upward], 0], channel_of[link[~upward], 1] = channels[upward], channels[~upward]
    return Carrier(topology, channel_of[link_of_arc, (arcs[:, 0] > arcs[:, 1]).astype(int)])


@dataclass(frozen=True, eq=False, repr=False)
class DirectedRouting(Result):
    """Next hops and virtual channels between the switches of a directed network.

    Parameters
    ----------
    network : DirectedTopology
    engine : str
        The name of the engine that made the tables, or one of your own.
    ports : uint8 or uint16[n, n]
        ports[d, s]: the arc of switch s for packets to switch d, counted from 0 in the order of `DirectedTopology.arcs`; the
        highest value of the type if there is none (s = d).
    virtual_channels : uint8[n, n], optional
        virtual_channels[d, s], as in `Routing`; all use virtual channel 0 when omitted.
    virtual_channel_rule : "pair", "switch" or "hop"
        As in `Routing`.
    verification : Verification, optional
        The result of `verify_directed`; `directed_route` always adds it.
    provenance : Provenance

    Raises
    ------
    InputError
        Arrays of a wrong shape, or a port that is no arc of its switch.
    """

    record_name = "directed-routing"
    unrecorded = ("network", "ports", "virtual_channels")

    network: DirectedTopology
    engine: str
    ports: np.ndarray
    virtual_channels: np.ndarray | None = None
    virtual_channel_rule: str = PAIR
    verification: Verification | None = None
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    def __post_init__(self) -> None:
        n, name = self.network.switches, self.network.name
        if self.ports.shape != (n, n) or self.ports.dtype not in (np.uint8, np.uint16):
            raise InputError(f"{name}: ports must be uint8 or uint16, {n} destinations x {n} switches")
        if self.virtual_channels is not None and (
            self.virtual_channels.shape != (n, n) or self.virtual_channels.dtype != np.uint8
        ):
            raise InputError(f"{name}: virtual channels must be uint8, {n} destinations x {n} switches")
        if self.virtual_channel_rule not in (PAIR, SWITCH, HOP):
            raise InputError(f"{name}: virtual_channel_rule is '{PAIR}', '{SWITCH}' or '{HOP}'")
        wrong = np.argwhere((self.ports != self.none) & (self.ports >= self.network.out_degrees[None, :]))
        if wrong.size:
            d, s = wrong[0].tolist()
            raise InputError(
                f"{name}: port {int(self.ports[d, s])} at switch {s} for switch {d}; it has"
                f" {int(self.network.out_degrees[s])} arcs"
            )
        for array in (self.ports, self.virtual_channels):
            if array is not None:
                array.setflags(write=False)

    @property
    def none(self) -> int:
        """The value in `ports` that means no port."""
        return int(np.iinfo(self.ports.dtype).max)

    @cached_property
    def carrier(self) -> Carrier:
        """The cables of the network."""
        return carrier_of(self.network)

    @cached_property
    def carried(self) -> Routing:
        """The same tables on the cables of the network, for the verifier and the simulator."""
        offsets, _ = self.network.out_csr
        topology, channel = self.carrier
        first = topology.csr[0]
        filled = self.ports != self.none
        arc = np.where(filled, offsets[:-1][None, :] + self.ports, 0)
        kind = np.uint8 if int(topology.degrees.max(initial=0)) < np.iinfo(np.uint8).max else np.uint16
        ports = np.where(filled, channel[arc] - first[:-1][None, :], np.iinfo(kind).max) if channel.size else self.ports
        return Routing(
            topology,
            self.engine,
            ports.astype(kind),
            self.virtual_channels,
            self.virtual_channel_rule,
            verification=self.verification,
        )

    def path(self, source: int, destination: int) -> list[int]:
        """The switches from `source` to `destination`, both included; raises `InputError` as `Routing.path`."""
        return self.carried.path(source, destination)

    @drawn()
    def plot(self, axes: "Axes") -> None:
        """Draw the sorted loads of the arcs, from the verification."""
        if self.verification is None:
            raise InputError(f"{self.network.name}: these tables are not verified; call verify_directed(routing) first")
        self.verification.plot(axes)

    def rows(self) -> list[dict[str, Any]]:
        """One row: the network, the engine, and the numbers of the verification."""
        verification = {} if self.verification is None else self.verification.record()
        facts = {key: v for key, v in verification.items() if not isinstance(v, (list, dict)) and key != "schema"}
        return [{"name": self.network.name, "engine": self.engine, **facts}]

    def __repr__(self) -> str:
        return f"DirectedRouting({self.engine} on {self.network.name})"
