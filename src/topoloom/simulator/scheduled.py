"""A schedule as routers play it: what is said of flits and cycles, and where its ranks are."""

import math

import numpy as np

from topoloom.errors import InputError
from topoloom.flows.operations import SEND
from topoloom.flows.schedule import Schedule
from topoloom.flows.simulate_schedule import order_of
from topoloom.simulator.buffers import Play
from topoloom.simulator.router_config import RouterConfig
from topoloom.topology import Topology

#: Packets of a schedule that is simulated flit by flit, and bytes of a send that is done at once, as in `run_app`.
_MOST_PACKETS, _DETACHED = 1 << 23, 1 << 16


def play_of(schedule: Schedule, config: RouterConfig, topology: Topology) -> tuple[Play, int]:
    """A schedule before its first cycle, with rank r on host r, and how many packets its messages are.

    Parameters
    ----------
    schedule : Schedule
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
    if not (config.flit_bits and config.cycle_ns):
        raise InputError(
            f"{schedule.name}: its messages have bytes and its computing nanoseconds; say what a flit and a cycle are, as in"
            " --set flit_bits=256 --set cycle_ns=2"
        )
    if schedule.ranks > topology.hosts:
        raise InputError(f"{schedule.name}: it has {schedule.ranks} ranks; {topology.name} has {topology.hosts} hosts")
    longest = max(length for length, _ in config.packet_lengths)
    flit_bytes = config.flit_bits / 8
    sends = schedule.amount[schedule.kind == SEND]
    packets = np.ceil(np.maximum(1.0, np.ceil(sends / flit_bytes)) / longest).sum()
    if packets > _MOST_PACKETS:
        raise InputError(
            f"{schedule.name}: its messages are {packets:,.0f} packets of {longest} flits; {_MOST_PACKETS:,} can be simulated;"
            " make packet_flits or flit_bits greater, or run it as flows (topoloom app)"
        )
    order = order_of(schedule, config.cycle_ns, _DETACHED, 0.0)
    things = order.busy.size + schedule.operations
    play = Play(
        order=order,
        home=np.arange(schedule.ranks),
        to_come=np.zeros(schedule.operations, np.int32),
        heap=np.zeros(things, np.int32),
        place=np.full(things, -1, np.int32),
        key=np.zeros(things),
        counter=np.zeros(3, np.int64),
        flit_bytes=flit_bytes,
        packet_flits=longest,
        by_nic=int(schedule.nics > 1),
    )
    return play, max(1, int(packets))


def cycles_of(play: Play) -> int:
    """The cycle in which the last operation ended."""
    return math.ceil(float(play.order.finished.max(initial=0.0)))
