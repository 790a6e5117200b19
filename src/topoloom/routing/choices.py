"""What a packet may choose in addition to the path of the tables: adaptive and multi-path routing, described for simulators."""

from dataclasses import dataclass

import numpy as np

#: The queues that a packet's source knows when it picks a detour.
NOTHING, LOCAL, GLOBAL = "nothing", "local", "global"


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
    ports : tuple of uint8 or uint16[n, n]
        As `Routing.ports`, which is the first layer.
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

    ports: tuple[np.ndarray, ...]
    virtual_channels: tuple[np.ndarray, ...] | None = None
    allowed: np.ndarray | None = None
    by_host: bool = False
    by_message: bool = False
    paths: int = 1


Choice = AnyShortest | Escape | Detour | Layers
