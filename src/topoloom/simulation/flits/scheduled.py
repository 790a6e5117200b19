"""A schedule for routers: converted to flits and cycles, with the hosts of its ranks."""

import math
from dataclasses import dataclass

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.simulation.flits.buffers import Play
from topoloom.simulation.flits.router_config import RouterConfig
from topoloom.simulation.flows.operations import SEND
from topoloom.simulation.flows.schedule import Schedule
from topoloom.simulation.flows.waiting import waiting_operations

#: The most packets of a simulated schedule, and the bytes below which a send completes at once, as in `run_app`.
_MOST_PACKETS, _DETACHED = 1 << 23, 1 << 16


@dataclass(frozen=True, eq=False)
class Placed:
    """A schedule with the hosts of its ranks, and the paths of its messages.

    Attributes
    ----------
    schedule : Schedule
    homes : int64[ranks], optional
        The host of each rank, numbered as in `topoloom.simulation.flits.host_ports.ports_of_hosts`, or as endpoints where each
        host has one port; when omitted, rank r is on host r.
    out, into : int32[operations], optional
        The endpoints by which the message of each send leaves and arrives; when omitted, those of the hosts.
    layer : int32[operations], optional
        The layer of each message, for tables with `Layers.by_message`.
    in_turn : bool
        Whether packets of a host's messages take turns, like those of a network card's connections, and each message uses one
        of its ports; otherwise a message leaves after the previous one.
    detached_bytes, eager_bytes : float
        A send of fewer bytes completes at once; a message of fewer bytes starts before its receive is posted.
    """

    schedule: Schedule
    homes: np.ndarray | None = None
    out: np.ndarray | None = None
    into: np.ndarray | None = None
    layer: np.ndarray | None = None
    in_turn: bool = False
    detached_bytes: float = _DETACHED
    eager_bytes: float = 0.0


def play_of(placed: Placed, config: RouterConfig, topology: Topology) -> tuple[Play, int]:
    """Return a schedule before its first cycle, and how many packets of its messages may wait at hosts.

    Parameters
    ----------
    placed : Placed
    config : RouterConfig
        The router; its `flit_bits` and `cycle_ns` convert bytes and nanoseconds, and messages are divided into its longest
        packets.
    topology : Topology

    Returns
    -------
    Play
    int

    Raises
    ------
    InputError
        A router without these, more ranks than hosts, or more packets than memory can hold.
    """
    schedule, operations = placed.schedule, placed.schedule.operations
    if not (config.flit_bits and config.cycle_ns):
        raise InputError(
            f"{schedule.name}: a schedule with bytes and nanoseconds needs the sizes of a flit and a cycle; set them, as in"
            " `set` flit_bits=256, cycle_ns=2"
        )
    if schedule.ranks > topology.hosts:
        raise InputError(f"{schedule.name}: it has {schedule.ranks} ranks; {topology.name} has {topology.hosts} hosts")
    longest = max(length for length, _ in config.packet_lengths)
    flit_bytes = config.flit_bits / 8
    sends = operations.amount[operations.kind == SEND]
    # Packets that wait at hosts: one per message where they take turns.
    packets = sends.size if placed.in_turn else np.ceil(np.maximum(1.0, np.ceil(sends / flit_bytes)) / longest).sum()
    if packets > _MOST_PACKETS:
        raise InputError(
            f"{schedule.name}: its messages are {packets:,.0f} packets of {longest} flits, but at most {_MOST_PACKETS:,} can be"
            " simulated; increase packet_flits or flit_bits, or run it as flows (topoloom app)"
        )
    order = waiting_operations(schedule, config.cycle_ns, placed.detached_bytes, placed.eager_bytes)
    entries = order.busy.size + operations.count
    play = Play(
        order=order,
        home=np.arange(schedule.ranks) if placed.homes is None else np.asarray(placed.homes, np.int64).copy(),
        to_come=np.zeros(operations.count, np.int32),
        heap=np.zeros(entries, np.int32),
        place=np.full(entries, -1, np.int32),
        key=np.zeros(entries),
        counter=np.zeros(3, np.int64),
        flit_bytes=flit_bytes,
        packet_flits=longest,
        by_nic=int(operations.nics > 1),
        out=_int32(placed.out),
        into=_int32(placed.into),
        layer=_int32(placed.layer),
        unsent=np.zeros(operations.count if placed.in_turn else 0, np.int64),
    )
    return play, max(1, int(packets))


def _int32(column: np.ndarray | None) -> np.ndarray:
    """Return a copy for kernels; empty for None."""
    return np.zeros(0, np.int32) if column is None else np.array(column, np.int32)


def cycles_of(play: Play) -> int:
    """Return the cycle in which the last operation ended."""
    return math.ceil(float(play.order.finished.max(initial=0.0)))
