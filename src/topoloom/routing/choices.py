"""What a packet may choose in addition to the path of the tables: adaptive and multi-path routing, described for simulators."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology

#: The queues that a packet's source knows when it picks a detour.
NOTHING, LOCAL, GLOBAL = "nothing", "local", "global"

#: Most states of next-hop groups: the next state of a member is a byte.
MOST_STATES = 255


@dataclass(frozen=True)
class AnyShortest:
    """Any channel on a shortest path, at every switch: ECMP groups, and nearest common ancestors in a tree.

    Attributes
    ----------
    by_queue : bool
        Whether a packet takes the shorter queue of two channels drawn at random; otherwise one channel drawn at random.
    """

    by_queue: bool = False


@dataclass(frozen=True)
class Escape:
    """Any channel on a shortest path, in separate virtual channels; a blocked packet escapes to the path of the tables.

    The tables' virtual channels come first, then `virtual_channels` adaptive ones. Sources: Duato, IEEE TPDS 4(12), 1993 and
    6(10), 1995; Silla and Duato, IEEE TPDS 11(7), 2000.

    Attributes
    ----------
    virtual_channels : int
        Adaptive virtual channels.
    returns : bool
        Whether a packet may leave the tables' virtual channels again (Duato); otherwise it stays in them until it arrives
        (Silla and Duato).
    """

    virtual_channels: int
    returns: bool


@dataclass(frozen=True, eq=False)
class Detour:
    """By the tables to a random switch and from there, by the tables and in separate virtual channels, to the destination.

    A packet compares the path of the tables with `tries` detours by hops times the queue at its source (`local`), or by the sum
    of the queues on the path (`global`). A packet that knows `nothing` always takes its detour. Sources: Valiant, SIAM J.
    Computing 11(2), 1982; Singh, UGAL, 2005; Besta 2014 IV.B and C.

    Attributes
    ----------
    knows : "nothing", "local" or "global"
    tries : int
    group : int64[n], optional
        The group of each switch: packets within a group take no detour, and no detour leads to the packet's own group. When
        omitted, all packets may take any detour.
    longest : int
        The most hops of a detour; 0: no limit. Longer detours are not considered: a packet that knows nothing takes the next
        of its `tries`.
    """

    knows: str
    tries: int
    group: np.ndarray | None = None
    longest: int = 0


@dataclass(frozen=True, eq=False)
class Layers:
    """Several tables of the same kind. A host has one address per table, and its packets are spread over the tables; or each
    host of a switch uses one table, or several of its own.

    Attributes
    ----------
    ports : sequence of uint8 or uint16[n, n]
        As `Routing.ports`, which is the first layer. Of planes `PlaneLayers`, which makes a table when it is asked for.
    virtual_channels : tuple of uint8[n, n], optional
        As `Routing.virtual_channels`, which is the first layer's; when omitted, all layers use that of the first.
    allowed : int64[n, n], optional
        allowed[d, s]: the layers that packets from s to d may take, as bits; when omitted, all.
    by_host : bool
        Packets do not choose: packets to a host port take the layer (index of the port at its switch, from 0) modulo (number of
        layers) (`Routing.layer_of_ports`), as in forwarding tables with one entry per address.
    paths : int
        With `by_host`: addresses of a host port (2^LMC), over which its packets are spread. Layer i * paths + p is for address
        p of the hosts with index i, modulo (number of layers / paths).
    by_message : bool
        Packets do not choose: a schedule gives the layer of each message. Tables then hold only the entries that messages use.
    """

    ports: Sequence[np.ndarray]
    virtual_channels: tuple[np.ndarray, ...] | None = None
    allowed: np.ndarray | None = None
    by_host: bool = False
    by_message: bool = False
    paths: int = 1


@dataclass(frozen=True, eq=False)
class NextHopGroups:
    """Explicit next-hop groups, as routers of Ethernet have them: a switch hashes each flow to one member of a group.

    The group depends on the destination and on a state: the VRF, or what the packet has done so far. A packet is in state 0 at
    its source switch, the member that it takes gives its next state, and it arrives at its destination in any state. All
    members of a group have equal shares.

    Attributes
    ----------
    group : int32[states, n, n]
        group[q, d, s]: the group of switch s for packets to d in state q; -1: none.
    first : int64[groups + 1]
        The first member of each group. Every group belongs to one switch; equal groups of a switch are counted once
        (`topoloom.routing.groups.state.group_counts`).
    port : uint16[members]
        The link of the switch, counted from 0 as in `Routing.ports`.
    next_state : uint8[members]
        The state of packets that take the member.
    """

    group: np.ndarray
    first: np.ndarray
    port: np.ndarray
    next_state: np.ndarray

    @property
    def states(self) -> int:
        """The number of states."""
        return len(self.group)

    def members_of(self, group: np.ndarray) -> np.ndarray:
        """The members of groups (int[k]), those of one after those of the other, int64[sum of their widths]."""
        widths = self.widths[group]
        return np.asarray(np.arange(widths.sum()) + np.repeat(self.first[group] - np.cumsum(widths) + widths, widths))

    @property
    def widths(self) -> np.ndarray:
        """The members of each group, int64[groups]."""
        return np.diff(self.first)

    def fault(self, degrees: np.ndarray) -> str:
        """What is wrong with the groups for switches of these degrees (int[n]); empty if kernels can follow them."""
        n, group, first, count = degrees.size, self.group, self.first, self.first.size - 1
        if group.shape[1:] != (n, n) or not 1 <= len(group) <= MOST_STATES or group.dtype != np.int32:
            return f"groups of shape {group.shape} and type {group.dtype}; they must be int32, 1 to {MOST_STATES} x {n} x {n}"
        types = [array.dtype.name for array in (self.port, self.next_state, first)]
        if types != ["uint16", "uint8", "int64"] or self.port.shape != self.next_state.shape:
            return "members of groups must have ports of uint16, next states of uint8, and first members of int64"
        if count < 0 or first[0] != 0 or first[-1] != self.port.size or (np.diff(first) < 1).any():
            return "the members of groups do not follow each other, or a group has none"
        if (group >= count).any() or (group < -1).any() or (self.next_state >= len(group)).any():
            return "next-hop groups or states that do not exist"
        highest = np.maximum.reduceat(self.port, first[:-1]) if count else np.zeros(0, np.uint16)
        most = np.append(highest.astype(np.int64), -1)[group]  # -1, no group, is the last one
        return "a next-hop group has a port that its switch does not have" if (most >= degrees).any() else ""


#: Most classes of virtual channels of a function of one's own: pairs of them are the bits of a 64-bit word.
MOST_CLASSES = 8


@dataclass(frozen=True, eq=False)
class Adaptive:
    """A function of one's own chooses the port and the class of virtual channels, for each packet at each switch.

    Numba compiles the function for the simulator. It takes a `topoloom.simulation.flits.adaptive.At` and returns two whole
    numbers: a port, which is the number of a link of the switch as in `Routing.ports`, or -1 to be asked again in the next
    cycle; and a class, from 0. It is not called at the packet's destination.

    Attributes
    ----------
    function : callable (At) -> (int, int), or str
        Or where it is, as ``package.module:name``: then tables with it can be saved, and used by other processes.
    classes : int
        1 to 8 classes of virtual channels, which share the VCs of a port equally.
    moves : callable (Topology, int, int) -> bool[classes + 1, channels, classes], or str, optional
        What the function may do with packets to a switch: ``moves(topology, d, classes)[a, c, b]`` says whether a packet to d
        may take channel c (numbered as `routing.channels.channels_of` does) in class b where it has come in class a - 1, or for
        a = 0 where it enters the network; `moves_by_hop` is one. The verifier searches these moves for cycles, and the
        simulator refuses turns that none of them makes.
    escape : bool
        Whether a packet that the function gives no free virtual channel asks for the path of the tables, in virtual channels of
        their own, and stays there (Silla and Duato, IEEE TPDS 11(7), 2000). The function may then do anything in its classes.
    again : bool
        Whether a packet without a virtual channel is decided again in every cycle; always so with `escape`.
    memory : int
        Whole numbers that each packet keeps; 0 when it enters the network.
    data : int64[k]
        Constants for the function.
    learned : float64[k]
        Numbers that all calls share and may change, such as a table of queues; every run begins with these.

    Raises
    ------
    InputError
        The number of classes is out of range, or `moves` and `escape` are both given.

    Notes
    -----
    Without `moves` and `escape` nothing is verified: `Verification.deadlock_free` is None, and the simulator ends with an error
    when it finds a deadlock. That packets arrive at all is for the function; it is not verified.
    """

    function: Callable[[Any], tuple[int, int]] | str
    classes: int = 1
    moves: Callable[[Topology, int, int], np.ndarray] | str | None = None
    escape: bool = False
    again: bool = False
    memory: int = 0
    data: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    learned: np.ndarray = field(default_factory=lambda: np.zeros(0))

    def __post_init__(self) -> None:
        if not 1 <= self.classes <= MOST_CLASSES:
            raise InputError(f"Adaptive: {self.classes} classes; they must be 1 to {MOST_CLASSES}")
        if self.moves is not None and self.escape:
            raise InputError("Adaptive: with escape the function may do anything; omit moves, or escape")
        if self.memory < 0:
            raise InputError(f"Adaptive: memory={self.memory}; it must be 0 or more")

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.function if isinstance(self.function, str) else str(getattr(self.function, "__name__", "function"))

    @property
    def call(self) -> Callable[[Any], tuple[int, int]]:
        """The function itself.

        Raises
        ------
        InputError
            There is none of that name.
        """
        function: Callable[[Any], tuple[int, int]] = _imported(self.function)
        return function

    def allowed(self, topology: Topology, destination: int) -> np.ndarray:
        """The declared moves of packets to a switch, bool[classes + 1, channels, classes]; all, where none are declared.

        Raises
        ------
        InputError
            `moves` returns something else, or there is no function of that name.
        """
        shape = (self.classes + 1, 2 * len(topology.links), self.classes)
        if self.moves is None:
            return np.ones(shape, np.bool_)
        moves = _imported(self.moves)(topology, destination, self.classes)
        if not isinstance(moves, np.ndarray) or moves.shape != shape or moves.dtype != np.bool_:
            what = f"{moves.dtype} of shape {moves.shape}" if isinstance(moves, np.ndarray) else type(moves).__name__
            raise InputError(
                f"{self.name}: moves to switch {destination} are {what}; they must be bool of shape {shape}: classes + 1,"
                " channels, classes"
            )
        return np.ascontiguousarray(moves)


def _imported(place: Any) -> Any:
    """A function, or the one at ``package.module:name``."""
    if callable(place):
        return place
    module, _, name = place.partition(":") if isinstance(place, str) else ("", "", "")
    try:
        function = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise InputError(
            f"Adaptive: there is no function {place!r} ({error}); give one, or package.module:name"
        ) from error
    if not callable(function):
        raise InputError(f"Adaptive: {place!r} is no function; give one, or package.module:name")
    return function


Choice = AnyShortest | Escape | Detour | Layers | NextHopGroups | Adaptive
#: The kinds of choices; what is none of them has no meaning to the verifier and the simulator.
CHOICES = (AnyShortest, Escape, Detour, Layers, NextHopGroups, Adaptive)
