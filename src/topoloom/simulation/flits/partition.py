"""One simulation on several cores: each thread simulates some of the switches, with the result of one thread.

The switches are divided into parts of consecutive numbers. All parts advance by two cycles at a time and then exchange flits
and credits (`kernels.messages`): nothing that leaves a switch affects another one earlier.
"""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np

from topoloom.routing.choices import GLOBAL, Adaptive, Detour, Escape, Layers
from topoloom.routing.routing import Routing
from topoloom.simulation.flits import buffers as b
from topoloom.simulation.flits.buffers import Buffers, Demand, NetworkPart
from topoloom.simulation.flits.host_ports import ports_of_hosts
from topoloom.simulation.flits.kernels.fields import (
    APART,
    PACKET_SIZE,
    PLACE_SIZE,
    PORT_NEXT,
    PORT_SIZE,
    VC_NEXT,
    VC_OUTPUT,
    VC_SIZE,
)
from topoloom.simulation.flits.network_state import MOST_RECORDS, NetworkState, free_records
from topoloom.simulation.flits.rates import flit_rates
from topoloom.simulation.flits.router_config import RouterConfig
from topoloom.throughput.traffic import Traffic
from topoloom.throughput.traffic.traffic import ROUND

#: The counters of a part, which are added to those of the run and begin again with every call.
_SUMS = [b.HOPS, b.MADE, b.DONE, b.LATENCY, b.ROUTERS, b.WAITED, b.FLITS, b.INJECTED, b.INSIDE]
#: What each further core adds to the speed of one; the flits per cycle and core that are worth a thread.
_GAIN, _LEAST_FLITS = 0.6, 64


def divisible(routing: Routing, config: RouterConfig, traffic: object) -> bool:
    """Return whether parts of a network give the result of the whole.

    They do not where a switch uses what others did in the same two cycles (escape channels, functions of one's own, UGAL-G),
    where several switches draw from one stream of random numbers, and where packets that arrive create others.

    Parameters
    ----------
    routing : Routing
    config : RouterConfig
    traffic : Traffic, Trace, Loop or Placed
        Only traffic with a load can be divided.

    Returns
    -------
    bool
    """
    choice, topology = routing.choice, routing.topology
    if isinstance(choice, Escape | Adaptive) or (isinstance(choice, Detour) and choice.knows == GLOBAL):
        return False
    drawn = not (choice is None or (isinstance(choice, Layers) and choice.by_host and choice.paths == 1))
    one_stream = config.random_streams == "one" and (drawn or config.host_vcs == "one")
    if one_stream or not config.usual_parts or not isinstance(traffic, Traffic):
        return False
    if config.reply_flits or len(config.packet_lengths) > 1 or ports_of_hosts(topology) is not None:
        return False
    if traffic.kind == ROUND and flit_rates(topology) is not None:
        return False
    # The records of packets are enough for all flits of all buffers, so that packets never wait for one.
    return int((topology.degrees + topology.endpoints_at).sum()) * config.buffer_flits <= MOST_RECORDS


def cores_per_load(loads: int, threads: int, hosts: float) -> int:
    """Return how many cores each of several loads should have, so that all are simulated soonest.

    Parameters
    ----------
    loads : int
        Loads of a divisible network.
    threads : int
        The cores.
    hosts : float
        The hosts times the least load: flits per cycle.

    Returns
    -------
    int
    """
    most = max(1, min(threads, int(hosts // _LEAST_FLITS)))
    return min(range(1, most + 1), key=lambda k: (-(-loads // (threads // k)) / (1 + _GAIN * (k - 1)), k))


class Partition:
    """The parts of a network, each for one thread.

    Parameters
    ----------
    network : NetworkState
        A divisible network at cycle 0. Its counters and its histogram stay those of the run; its other buffers are the parts'
        from now on, and its ports to other parts lead to copies of VCs.
    demand : Demand
    parts : int
        At least 2, at most the number of switches.

    Attributes
    ----------
    other_seconds : float
        Processor time of the threads in addition to the caller's.
    """

    def __init__(self, network: NetworkState, demand: Demand, parts: int) -> None:
        self.network, self.demand, self.other_seconds = network, demand, 0.0
        whole, rules = network.buffers, network.rules
        switches, ports = whole.active.size // rules.words, network.ports
        port = whole.port.reshape(-1, PORT_SIZE)
        slots = 1 << rules.slot_bits
        used = (port[:, PORT_NEXT] >= 0) | (network.net.host_at >= 0)
        ports_in_use = np.bincount(np.flatnonzero(used) // ports, minlength=switches)
        bounds = _bounds(ports_in_use, parts)
        part_of = np.repeat(np.arange(parts), np.diff(bounds))
        # Channels between parts: the sender's port leads to the copies, and the receiver's knows them.
        channels = np.flatnonzero(port[:, PORT_NEXT] >= 0)
        entered = port[channels, PORT_NEXT].astype(np.int64) >> rules.slot_bits
        leaves, enters = part_of[channels // ports], part_of[entered // ports]
        channels, entered = channels[leaves != enters], entered[leaves != enters]
        leaves, enters = leaves[leaves != enters], enters[leaves != enters]
        vcs = switches * rules.words * 64
        copies = vcs + slots * np.arange(channels.size)
        port[channels, PORT_NEXT] = copies
        copy, sender = np.full(len(port), -1, np.int32), np.zeros(len(port), np.int32)
        copy[entered], sender[entered] = copies, leaves
        original = ((entered << rules.slot_bits)[:, None] + np.arange(slots)).reshape(-1)
        rec = np.zeros((copies.size * slots, VC_SIZE), np.int32)
        rec[:, VC_OUTPUT] = -1
        records = whole.packets.size // PACKET_SIZE
        self._copied = whole._replace(
            rec=np.concatenate([whole.rec, rec.reshape(-1)]),
            popped=np.concatenate([whole.popped, np.zeros(original.size * (rules.history + 1), np.int64)]),
            packets=free_records(records, parts),
            pool=whole.pool[:0],
            spare=whole.spare[:0],
        )
        self._vcs, self._original = vcs, original
        network.buffers = self._copied
        crossing = np.zeros((parts, parts), np.int64)
        np.add.at(crossing, (leaves, enters), 1)
        hosts = np.bincount(part_of[network.net.home >> 16], minlength=parts)
        steps = max(rules.speedup, -(-rules.tenths // 10))
        most = 2 * steps * int((crossing + crossing.T + hosts[:, None]).max()) + 1
        shared = NetworkPart(
            number=0,
            parts=parts,
            first=0,
            last=0,
            vcs=vcs,
            original=original.astype(np.int32),
            where=np.repeat(enters, slots).astype(np.int32),
            copy=copy,
            sender=sender,
            records=max(1, records),
            most=most,
            box=np.zeros(2 * parts * parts * most * 4, np.int32),
            sent=np.zeros(2 * parts * parts * APART, np.int64),
            visits=np.zeros(parts * APART, np.int64),
        )
        self._parts = [shared._replace(number=k, first=int(bounds[k]), last=int(bounds[k + 1])) for k in range(parts)]
        room = ports_in_use * rules.vcs * rules.room * (2 if whole.later.size else 1)
        self._buffers = [
            self._own(part, int(room[part.first : part.last].sum()) + rules.most * int(hosts[part.number]) + 8)
            for part in self._parts
        ]

    def _own(self, part: NetworkPart, pool: int) -> Buffers:
        """The buffers of a part: those of the network, and its own places, counters and working space."""
        whole = self._copied
        state = whole.state.copy()
        state[b.FREE] = pool
        state[b.RECORD] = part.number * part.records
        return whole._replace(
            pool=np.zeros(PLACE_SIZE * pool, np.int32),
            spare=np.arange(pool - 1, -1, -1, dtype=np.int32),
            fresh=whole.fresh.copy(),
            touched=whole.touched.copy(),
            nearest=whole.nearest.copy(),
            winner=whole.winner.copy(),
            tried=whole.tried.copy(),
            backlog=whole.backlog.copy(),
            burst=whole.burst.copy(),
            later=whole.later.copy(),
            histogram=np.zeros_like(whole.histogram),
            state=state,
        )

    def run(self, until: int, begin: int, end: int) -> None:
        """Run all parts.

        Parameters
        ----------
        until : int
            The cycle at which they stop.
        begin, end : int
            Packets created from cycle `begin` to before `end` are measured.
        """
        at = self.network

        def run_part(part: NetworkPart, own: Buffers) -> float:
            began = time.thread_time()
            at.run(self.demand, None, until, begin, end, part, own)
            return time.thread_time() - began

        with ThreadPoolExecutor(len(self._parts) - 1) as threads:
            others = [threads.submit(run_part, *each) for each in zip(self._parts[1:], self._buffers[1:], strict=True)]
            run_part(self._parts[0], self._buffers[0])
            self.other_seconds += sum(other.result() for other in others)
        state = at.state
        for own in self._buffers:
            state[_SUMS] += own.state[_SUMS]
            own.state[_SUMS] = 0
            at.buffers.histogram[:] += own.histogram
            own.histogram[:] = 0
        state[b.TIME] = until
        state[b.BACKLOG] = sum(int(own.state[b.BACKLOG]) for own in self._buffers)

    def whole(self) -> NetworkState:
        """Return the network with VCs that wait for VCs and not for copies of them, to look for a deadlock."""
        rec = self._copied.rec[: self._vcs * VC_SIZE].reshape(-1, VC_SIZE).copy()
        waits = rec[:, VC_NEXT] >= self._vcs
        rec[waits, VC_NEXT] = self._original[rec[waits, VC_NEXT] - self._vcs]
        later = np.concatenate([own.later for own in self._buffers])
        return replace(self.network, buffers=self._copied._replace(rec=rec.reshape(-1), later=later))


def _bounds(weights: np.ndarray, parts: int) -> np.ndarray:
    """Return the first switch of each part and the number of switches, int64[parts + 1]: parts of about equal weights."""
    sums = np.cumsum(weights)
    goals = sums[-1] * np.arange(1, parts) / parts
    inner = np.searchsorted(sums, goals) + 1
    least = np.arange(1, parts)  # no part is empty
    return np.concatenate([[0], np.clip(inner, least, weights.size - parts + least), [weights.size]])
