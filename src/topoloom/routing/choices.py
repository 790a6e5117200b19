"""What a packet may choose beside the one path of the tables: adaptive and multi-path routing, described for a simulator."""

from dataclasses import dataclass

import numpy as np

#: What a packet's source knows of the queues when it picks a detour.
NOTHING, LOCAL, GLOBAL = "nothing", "local", "global"


@dataclass(frozen=True)
class AnyShortest:
    """At every switch any channel on a shortest path: ECMP groups, and nearest common ancestors in a tree.

    Attributes
    ----------
    by_queue : bool
        Of two drawn at random the one with the shorter queue; else one drawn at random.
    """

    by_queue: bool = False


@dataclass(frozen=True)
class Escape:
    """Any channel on a shortest path in virtual channels of their own; the tables are what a packet that is blocked escapes to.

    The tables' virtual channels come first, then `virtual_channels` adaptive ones. Sources: Duato, IEEE TPDS 4(12), 1993 and
    6(10), 1995; Silla and Duato, IEEE TPDS 11(7), 2000.

    Attributes
    ----------
    virtual_channels : int
        Adaptive virtual channels.
    returns : bool
        Whether a packet may leave the tables' virtual channels again (Duato); else it stays in them to its end (Silla and
        Duato).
    """

    virtual_channels: int
    returns: bool


@dataclass(frozen=True, eq=False)
class Detour:
    """By the tables to a switch drawn at random and from there, by the tables, in virtual channels of their own, to the
    destination.

    A packet compares the path of the tables with `tries` detours: hops times the queue at its source (`local`), or the sum of
    the queues on the path (`global`); one that knows `nothing` always takes its detour. Sources: Valiant, SIAM J. Computing
    11(2), 1982; Singh, UGAL, 2005; Besta 2014 IV.B and C.

    Attributes
    ----------
    knows : "nothing", "local" or "global"
    tries : int
    group : int64[n], optional
        Of each switch: packets within a group make no detour, nor is a detour to one's own group. Left out: all may.
    longest : int
        The most hops of a detour; switches that are drawn for a longer one do not count, and of a packet that knows nothing the
        next of `tries` is taken. 0: any.
    """

    knows: str
    tries: int
    group: np.ndarray | None = None
    longest: int = 0


@dataclass(frozen=True, eq=False)
class Layers:
    """More tables of the same kind: a host has an address in each, and its packets are spread over them; or one for each host.

    Attributes
    ----------
    ports : tuple of uint8 or uint16[n, n]
        As `Routing.ports`, which is the first layer.
    virtual_channels : tuple of uint8[n, n], optional
        As `Routing.virtual_channels`, which is the first layer's; omitted: those for all layers.
    allowed : int64[n, n], optional
        allowed[d, s]: the layers that packets from s to d may take, as bits; omitted: all.
    by_host : bool
        Nothing is chosen: what goes to a host's port takes the layer of the port's place at its switch, counted from 0, modulo
        the layers (`Routing.layer_of_ports`), as forwarding tables with an entry for each address have it.
    by_message : bool
        Nothing is chosen: each message of a schedule says its layer. Tables then need no more than the messages take.
    """

    ports: tuple[np.ndarray, ...]
    virtual_channels: tuple[np.ndarray, ...] | None = None
    allowed: np.ndarray | None = None
    by_host: bool = False
    by_message: bool = False


Choice = AnyShortest | Escape | Detour | Layers
