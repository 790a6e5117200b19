"""A routed network as the flat arrays that the router kernels work on."""

from dataclasses import dataclass

import numpy as np

from topoloom.errors import InputError
from topoloom.routing.routing import HOP, PAIR, SWITCH, Routing

#: What a flit's word has room for: hosts, hops and lanes.
_MOST_HOSTS, _MOST_HOPS, _MOST_LANES = 1 << 20, 127, 16
#: Packets that wait at a host, and at all together.
_QUEUED, _MOST_QUEUED = 1024, 1 << 23
_RULES = {"any": 0, HOP: 1, PAIR: 2, SWITCH: 3}


@dataclass
class Machine:
    """The state of a simulation; every array as `_router_kernels.run` describes it."""

    words: tuple[int, ...]
    slots: tuple[int, ...]
    vcs: tuple[int, ...]
    rec: np.ndarray
    popped: np.ndarray
    port: np.ndarray
    calendar: np.ndarray
    active: np.ndarray
    pending: np.ndarray
    unowned: np.ndarray
    asked: np.ndarray
    table: np.ndarray
    lane_table: np.ndarray
    lane_rule: int
    width: int
    host_switch: np.ndarray
    host_port: np.ndarray
    pool: np.ndarray
    queue: np.ndarray
    backlog: np.ndarray
    most: int
    state: np.ndarray


def machine(routing: Routing, vcs: int, room: int, wire_cycles: np.ndarray, *, seed: int) -> Machine:
    """Routers without a flit, for the tables of a routing.

    Parameters
    ----------
    vcs : int
        VCs a port; each lane of the routing has as many of them, what is left over stays empty.
    wire_cycles : int64[links]
        Cycles that a flit is on each cable.
    room : int
        Flits of a VC's buffer.

    Raises
    ------
    InputError
        Fewer VCs than lanes; more hosts, hops or lanes than a flit's word has room for.
    """
    from topoloom.simulator._flit_kernels import SLOTS
    from topoloom.simulator._router_kernels import RANDOM

    topology, channels = routing.topology, routing.channels
    n, hosts = topology.switches, topology.endpoints.size
    verdict = routing.verdict
    lanes = verdict.lanes_used if verdict is not None else 1
    if vcs < lanes:
        raise InputError(f"{topology.name}: {vcs} VCs, but engine {routing.engine} takes {lanes} lanes")
    if hosts >= _MOST_HOSTS or lanes > _MOST_LANES or (verdict is not None and verdict.max_hops > _MOST_HOPS):
        raise InputError(f"{topology.name}: more than {_MOST_HOSTS} hosts, {_MOST_LANES} lanes or {_MOST_HOPS} hops")
    shift = (vcs - 1).bit_length()
    degrees, at = topology.degrees, topology.endpoints_at
    words = -(-(int((degrees + at).max()) << shift) // 64)
    per_router = words * 64
    ports = per_router >> shift
    first = np.concatenate([[0], np.cumsum(at)])[:-1]
    host_port = degrees[topology.endpoints] + np.arange(hosts) - first[topology.endpoints]
    port = np.zeros((n * ports, 8), np.int32)
    port[:, 0], port[:, 1], port[:, 2] = -1, 2, -1
    out = np.arange(channels.to.size) - channels.first[channels.origin]
    back = out[channels.back]
    _, _, link = topology.csr
    mine = channels.origin.astype(np.int64) * ports + out
    port[mine, 0] = (channels.to.astype(np.int64) * ports + back) << shift
    port[mine, 1] = wire_cycles[link] + 1
    rec = np.zeros((n * per_router, 8), np.int32)
    rec[:, 5] = -1
    # Every place that a flit can wait in: the buffers, and the hosts' queues.
    most = max(1, min(_QUEUED, _MOST_QUEUED // hosts))
    pool = int((degrees + at).sum()) * vcs * room + most * hosts
    places = np.zeros((pool, 4), np.int32)
    places[:, 0] = np.arange(1, pool + 1)
    places[-1, 0] = -1
    state = np.zeros(32, np.int64)
    state[RANDOM] = (seed * 0x9E3779B97F4A7C15 + 0x1234567) & 0x7FFFFFFFFFFFFFFF
    rule = _RULES["any"] if lanes == 1 else _RULES[routing.lane_rule]
    lane_table = np.zeros(0, np.uint8)
    if rule in (_RULES[PAIR], _RULES[SWITCH]) and routing.lanes is not None:
        lane_table = routing.lanes.reshape(-1)
    return Machine(
        words=(0,) * words, slots=(0,) * shift, vcs=(0,) * vcs, rec=rec.reshape(-1),
        popped=np.zeros(n * per_router, np.int64), port=port.reshape(-1), calendar=np.zeros(SLOTS * n * words, np.int64),
        active=np.zeros(n * words, np.int64), pending=np.zeros(n * words, np.int64),
        unowned=np.full(n * words, -1, np.int64), asked=np.zeros(n * per_router * (words + 1), np.int64),
        table=routing.ports.reshape(-1), lane_table=lane_table, lane_rule=rule, width=vcs // lanes,
        host_switch=topology.endpoints.astype(np.int32), host_port=host_port.astype(np.int32), pool=places.reshape(-1),
        queue=np.zeros(hosts * 8, np.int32), backlog=np.zeros(hosts, np.int32), most=most, state=state,
    )  # fmt: skip
