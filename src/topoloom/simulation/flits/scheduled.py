"""A schedule as routers play it: what is said of flits and cycles, and where its ranks are."""

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

#: Packets of a schedule that is simulated flit by flit, and bytes of a send that is done at once, as in `run_app`.
_MOST_PACKETS, _DETACHED = 1 << 23, 1 << 16


@dataclass(frozen=True, eq=False)
class Placed:
    """A schedule on hosts, and where its messages go.

    Attributes
    ----------
    schedule : Schedule
    homes : int64[ranks], optional
        The host of each rank, numbered as `topoloom.simulation.flits.host_ports.ports_of_hosts` lists them, or as endpoints
        where each has one port; when omitted, rank r is on host r.
    out, into : int32[operations], optional
        The endpoints that the message of each send leaves and arrives by; omitted: those of the hosts.
    layer : int32[operations], optional
        By which layer it goes, where tables are `Layers.by_message`.
    in_turn : bool
        Whether packets of the messages that a host sends take turns, as those of a network card's connections do, and each
        message takes one of its ports; else a message leaves after the one before.
    detached_bytes, eager_bytes : float
        A send of fewer is done at once; a message of fewer sets out before it is awaited.
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
    """A schedule before its first cycle, and how many packets of its messages may wait at hosts.

    Parameters
    ----------
    placed : Placed
    config : RouterConfig
        Whose `flit_bits` and `cycle_ns` say what bytes and nanoseconds are; its longest packet is what messages are cut into.
    topology : Topology

    Returns
    -------
    Play
    int

    Raises
    ------
    InputError
        A router that does not say these, more ranks than hosts, or more packets than memory has room for.
    """
    schedule, operations = placed.schedule, placed.schedule.operations
    if not (config.flit_bits and config.cycle_ns):
        raise InputError(
            f"{schedule.name}: its messages have bytes and its computing nanoseconds; say what a flit and a cycle are, as in"
            " `set` flit_bits=256, cycle_ns=2"
        )
    if schedule.ranks > topology.hosts:
        raise InputError(f"{schedule.name}: it has {schedule.ranks} ranks; {topology.name} has {topology.hosts} hosts")
    longest = max(length for length, _ in config.packet_lengths)
    flit_bytes = config.flit_bits / 8
    sends = operations.amount[operations.kind == SEND]
    # Those that wait at hosts: one a message where they take turns.
    packets = sends.size if placed.in_turn else np.ceil(np.maximum(1.0, np.ceil(sends / flit_bytes)) / longest).sum()
    if packets > _MOST_PACKETS:
        raise InputError(
            f"{schedule.name}: its messages are {packets:,.0f} packets of {longest} flits; {_MOST_PACKETS:,} can be simulated;"
            " make packet_flits or flit_bits greater, or run it as flows (topoloom app)"
        )
    order = waiting_operations(schedule, config.cycle_ns, placed.detached_bytes, placed.eager_bytes)
    things = order.busy.size + operations.count
    play = Play(
        order=order,
        home=np.arange(schedule.ranks) if placed.homes is None else np.asarray(placed.homes, np.int64).copy(),
        to_come=np.zeros(operations.count, np.int32),
        heap=np.zeros(things, np.int32),
        place=np.full(things, -1, np.int32),
        key=np.zeros(things),
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
    """A copy for kernels, empty where there is none."""
    return np.zeros(0, np.int32) if column is None else np.array(column, np.int32)


def cycles_of(play: Play) -> int:
    """The cycle in which the last operation ended."""
    return math.ceil(float(play.order.finished.max(initial=0.0)))
