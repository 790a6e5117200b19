"""A routed network as the flat arrays for the router kernels."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.graph.aligned import aligned_zeros
from topoloom.routing.choices import Adaptive
from topoloom.routing.routing import Routing
from topoloom.simulation.flits import buffers as b
from topoloom.simulation.flits.buffers import Buffers, Demand, NetworkPart, Play, RouterNetwork, Rules
from topoloom.simulation.flits.kernels.fields import (
    NEAR_PACKETS,
    PACKET_NEXT,
    PACKET_SIZE,
    PLACE_SIZE,
    VC_OUTPUT,
    VC_SIZE,
)
from topoloom.simulation.flits.network_tables import table_vcs, tables_and_rules
from topoloom.simulation.flits.own_choice import OwnArrays
from topoloom.simulation.flits.own_functions import compiled_function, own_arrays
from topoloom.simulation.flits.parts import RouterParts, router_parts
from topoloom.simulation.flits.rates import FlitRates
from topoloom.simulation.flits.router_config import RouterConfig

#: The limits of a flit's word and a port's number: switches, ports, hops, virtual channels.
_MOST_SWITCHES, _MOST_PORTS, _MOST_HOPS, MOST_VIRTUAL_CHANNELS = 1 << 15, 1 << 9, 127, 16
#: The most packets that wait per host, and at all hosts together; the most records of packets in the network.
_QUEUED, _MOST_QUEUED, MOST_RECORDS = 1024, 1 << 23, 1 << 21
#: The most cycles of a credit that one word of a VC's history covers.
_SHORT_CREDIT = 15
_HISTOGRAM = 1 << 14
#: The least cycles of the calendar of arrivals, its most bytes if it has more, and the lists of later arrivals.
_LEAST_CYCLES, _CALENDAR_BYTES, _PERIODS = 64, 1 << 24, 1 << 8


@dataclass
class NetworkState:
    """The state of a simulation: the arguments of `kernels.router.run`, and the port index of each channel, int64[channels]."""

    records: int | None
    long_credits: int | None
    any_shortest: int | None
    detours: int | None
    pace: np.ndarray | None
    parts: RouterParts | None
    adaptive: Any
    own: OwnArrays | None
    net: RouterNetwork
    buffers: Buffers
    rules: Rules
    channel_port: np.ndarray

    @property
    def ports(self) -> int:
        """The ports per switch in the arrays; port p of switch r has index r * ports + p."""
        return (64 * self.rules.words) >> self.rules.slot_bits

    @property
    def state(self) -> np.ndarray:
        """The counters, at indices such as `buffers.FREE`."""
        return self.buffers.state

    def run(
        self,
        demand: Demand,
        play: Play | None,
        until: int,
        begin: int,
        end: int,
        part: NetworkPart | None = None,
        buffers: Buffers | None = None,
    ) -> None:
        """Run all switches, or those of a part with its buffers, until a cycle.

        Parameters
        ----------
        demand : Demand
        play : Play or None
        until : int
        begin, end : int
            Packets created from cycle `begin` to before `end` are measured.
        part : NetworkPart, optional
        buffers : Buffers, optional
            Those of the part.
        """
        from topoloom.simulation.flits.kernels.router import run

        run(
            self.records,
            self.long_credits,
            self.any_shortest,
            self.detours,
            self.pace,
            self.parts,
            self.adaptive,
            self.own,
            part,
            self.net,
            self.buffers if buffers is None else buffers,
            self.rules,
            demand,
            play,
            until,
            begin,
            end,
        )


def empty_network(
    routing: Routing,
    config: RouterConfig,
    cables: np.ndarray,
    demand: Demand,
    *,
    rates: FlitRates | None,
    seed: int,
    log: int = 0,
    messages: int = 0,
) -> NetworkState:
    """Return the empty network of a routing, at cycle 0.

    Parameters
    ----------
    routing : Routing
        Tables and virtual channels.
    config : RouterConfig
        VCs, buffers and delays of every router.
    cables : int64[links]
        The delay of a flit on each cable, in cycles.
    demand : Demand
        The traffic of hosts.
    rates : FlitRates or None
        None: all links and hosts have the same rate.
    seed : int
        The seed of all random numbers: destinations, sizes, times.
    log : int
        The most packets that are logged.
    messages : int
        Packets of a schedule's messages; 0 without a schedule.

    Returns
    -------
    NetworkState
        The state at cycle 0.

    Raises
    ------
    InputError
        More switches, ports, hops or virtual channels than a flit's word can hold; sets of shortest paths that exceed memory.
    """
    from topoloom.simulation.flits.kernels.flits import AHEAD, TIMES

    topology, channels = routing.topology, routing.channels
    n, name = topology.switches, topology.name
    virtual_channels = table_vcs(routing)
    vcs = max(config.vcs, virtual_channels)
    room = config.buffer_flits // vcs
    degrees, at = topology.degrees, topology.endpoints_at
    widest = int((degrees + at).max())
    if n >= _MOST_SWITCHES or widest > _MOST_PORTS or virtual_channels > MOST_VIRTUAL_CHANNELS:
        raise InputError(
            f"{name}: {n:,} switches of {widest} ports, {virtual_channels} virtual channels; at most"
            f" {_MOST_SWITCHES - 1:,} switches, {_MOST_PORTS} ports and {MOST_VIRTUAL_CHANNELS} virtual channels can be"
            " simulated"
        )
    if routing.verification is not None and routing.verification.max_hops > _MOST_HOPS:
        raise InputError(
            f"{name}: paths of {routing.verification.max_hops} hops; at most {_MOST_HOPS} can be simulated (another engine may"
            " find shorter ones)"
        )
    longest = max(config.reply_flits, *(length for length, _ in config.packet_lengths))
    if demand.events.size:
        longest = max(longest, int(demand.events[3::4].max()))
    if room < 1 or (config.cut_through and room < longest):
        raise InputError(
            f"{name}: {vcs} VCs share a buffer of {config.buffer_flits} flits, {room} each; at least"
            f" {longest if config.cut_through else 1} are needed (increase buffer_flits)"
        )
    shift = (vcs - 1).bit_length()
    words = -(-(widest << shift) // 64)
    ports, cells = (words * 64) >> shift, words * 64
    first = np.concatenate([[0], np.cumsum(at)])[:-1]
    hosts = topology.endpoints.size
    host_port = degrees[topology.endpoints] + np.arange(hosts) - first[topology.endpoints]
    # The delay of a hop in addition to its cable.
    hop_delay = 1 + config.pipeline_cycles + config.switch_cycles + config.crossbar_cycles
    spare = config.credit_cycles + config.switch_cycles
    port = np.zeros((n * ports, 8), np.int32)
    port[:, 0], port[:, 2] = -1, -1
    port[:, 1] = config.host_cycles + hop_delay - config.pipeline_cycles
    host_place = topology.endpoints.astype(np.int64) * ports + host_port
    out = np.arange(channels.to.size) - channels.first[channels.origin]
    _, _, link = topology.csr
    channel_port = channels.origin.astype(np.int64) * ports + out
    port[channel_port, 0] = (channels.to.astype(np.int64) * ports + out[channels.back]) << shift
    port[channel_port, 1] = cables[link] + hop_delay
    port[channel_port, 7] = cables[link] + spare
    credits, host_credit = np.unique(cables + spare), config.host_cycles + 1 + config.switch_cycles
    # With one message per cycle as many credits can wait at an input as its buffer has flits.
    waiting = vcs * room if config.credits_wait else 0
    slowest = max(int(credits.max(initial=1)), host_credit) + waiting
    long_credits = slowest > _SHORT_CREDIT or credits.size > 1
    # Words of 32 cycles; one more than a credit's delay needs, as it may begin within a word and routers run ahead.
    history = 1 << (slowest + 34 >> 5).bit_length() if long_credits else 0
    rec = aligned_zeros((n * cells, VC_SIZE), np.int32)
    rec[:, VC_OUTPUT] = -1
    # The calendar covers the longest wire, behind an output queue that is as long as credits allow.
    latest = max(int(port[:, 1].max()), config.host_cycles + config.pipeline_cycles + 1) + vcs * room
    fits = 1 << (_CALENDAR_BYTES // (8 * n * words)).bit_length() >> 1
    slots = max(_LEAST_CYCLES, min(1 << (latest + AHEAD + 1).bit_length(), fits))
    late = latest > slots - AHEAD - 1 or rates is not None
    # All places in which a packet or a late flit can wait: the buffers and the hosts' queues.
    most = max(1, min(_QUEUED, _MOST_QUEUED // hosts))
    held = int((degrees + at).sum()) * vcs * room
    pool = held * (1 + late) + most * hosts + demand.events.size // 4 + messages + 8
    records = (
        routing.choice is not None
        or config.cut_through
        or len(config.packet_lengths) > 1
        or log > 0
        or config.host_vcs != "any"
        or demand.loop.size > 0
        or demand.events.size > 0
        or messages > 0
        or (rates is not None and longest > 1)
    )
    state = np.zeros(32, np.int64)
    state[b.FREE] = pool
    state[b.RANDOM] = (seed * 0x9E3779B97F4A7C15 + 0x1234567) & 0x7FFFFFFFFFFFFFFF
    net, rules = tables_and_rules(routing, config, vcs, shift, words)
    net = net._replace(
        layer_at=_layers_at(routing, host_port, n * ports, ports),
        home=((topology.endpoints.astype(np.int64) << 16) | (host_port << 7)).astype(np.int32),
        host_at=_hosts_at(topology.endpoints, host_port, n, ports),
    )
    # A host returns a credit when it has received the flit; the credit then takes as long as any other.
    last_vcs = vcs if config.host_vcs == "any" else 1
    trip = 2 * config.host_cycles + 1 + config.credit_cycles
    eject, per_vc = max(1, last_vcs * room - trip), config.host_credits == "per-vc"
    rules = rules._replace(
        room=room,
        spare=room - longest,
        credit=int(credits.max(initial=spare + 1)),
        host_credit=host_credit,
        slots=slots - 1,
        period=slots.bit_length() - 3,
        flits=longest,
        most=most,
        history=history,
        many=max(int(longest > 1 or demand.loop.size > 0 or records), _shift(credits, host_credit, waiting)),
        last_vcs=last_vcs,
        eject=rules.bound if per_vc else min(eject, rules.bound),
        eject_trip=trip + config.switch_cycles + config.crossbar_cycles,
    )
    int32, int64 = np.int32, np.int64
    fresh, touched, nearest, winner, tried = (
        np.zeros(k, int64) for k in (words, (ports + 63) >> 6, ports, ports, 2 * vcs)
    )
    made = Buffers(
        np.zeros(PLACE_SIZE * pool, int32),
        np.arange(pool - 1, -1, -1, dtype=int32),
        rec.reshape(-1),
        np.zeros(n * cells * (history + 1), int64),
        port.reshape(-1),
        np.zeros(slots * n * words, int64),
        np.full(_PERIODS if late else 0, -1, int32),
        np.zeros(TIMES * n * words, int64),
        np.zeros(NEAR_PACKETS * n * cells if config.route_cycles or rates is not None else 0, int32),
        np.zeros(n * words, int64),
        np.zeros(n * words, int64),
        np.zeros(n * cells, int32),
        np.zeros(n * words, int64),
        np.zeros(n * words, int64),
        np.zeros(n * words, int64),
        np.full(n * words, -1, int64),
        np.zeros(n * cells * (words + 1), int64),
        np.zeros(n * words if records else 0, int64),
        np.zeros(n * words if config.route_cycles else 0, int64),
        _ejected(hosts * vcs, room) if longest > room or per_vc else np.zeros(0, int32),
        fresh,
        touched,
        nearest,
        winner,
        tried,
        np.zeros(hosts * 8, int32),
        np.zeros(hosts, int32),
        np.zeros(hosts * 4, int32),
        free_records(min(held, MOST_RECORDS) if records else 0),
        np.zeros(PLACE_SIZE * pool if demand.loop.size or messages else 0, int32),
        np.zeros(_HISTOGRAM, int64),
        np.zeros(8 * log, int32),
        _streams(seed, n) if config.random_streams == "per-switch" else np.zeros(0, int64),
        state,
    )
    any_shortest, detours = rules.choice in (b.ANY, b.SHORTER, b.ESCAPE, b.GROUPS), rules.choice == b.DETOUR
    pace = None if rates is None else rates.pace(n * ports, channel_port, link, host_place)
    function, arrays = None, None
    if isinstance(routing.choice, Adaptive):
        any_shortest, function = False, compiled_function(routing.choice)
        arrays = own_arrays(routing, routing.choice, made.packets.size // PACKET_SIZE, pace)
    return NetworkState(
        _flag(records),
        _flag(long_credits),
        _flag(any_shortest),
        _flag(detours),
        pace,
        router_parts(config, n, widest, vcs, words),
        function,
        arrays,
        net,
        made,
        rules,
        channel_port,
    )


def _flag(value: bool) -> int | None:
    """Return None or 1, which compiled kernels evaluate at compile time."""
    return 1 if value else None


def free_records(records: int, parts: int = 1) -> np.ndarray:
    """Return free records of packets, a chain for each part: each record has the number of the next one, the last one -1.

    Parameters
    ----------
    records, parts : int

    Returns
    -------
    int32[parts * records * PACKET_SIZE]
    """
    chain = np.zeros((parts * records, PACKET_SIZE), np.int32)
    chain[:, PACKET_NEXT] = np.arange(1, parts * records + 1)
    chain[records - 1 :: max(1, records), PACKET_NEXT] = -1
    return chain.reshape(-1)


def _streams(seed: int, switches: int) -> np.ndarray:
    """Return the first word of each switch's random stream, int64[switches], none of them 0 (the words of SplitMix64)."""
    word = np.arange(1, switches + 1, dtype=np.uint64) + np.uint64(seed & 0xFFFFFFFF) * np.uint64(1 << 32)
    word *= np.uint64(0x9E3779B97F4A7C15)
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((word ^ (word >> np.uint64(31))) | np.uint64(1)).view(np.int64)


def _shift(credits: np.ndarray, host_credit: int, waiting: int) -> int:
    """Return the least k such that (cycles of a credit + AHEAD) << k are at least as many more as credits wait."""
    from topoloom.simulation.flits.kernels.flits import AHEAD

    least = min(int(credits.min(initial=host_credit)), host_credit) + AHEAD
    return (-(-(least + waiting) // least) - 1).bit_length()


def _ejected(vcs: int, room: int) -> np.ndarray:
    """Return `Buffers.ejected` before any flit has left to a host."""
    ejected = np.full((vcs, room + 1), -(1 << 30), np.int32)
    ejected[:, 0] = 0
    return ejected.reshape(-1)


def _hosts_at(endpoints: np.ndarray, host_port: np.ndarray, n: int, ports: int) -> np.ndarray:
    host_of_port = np.full(n * ports, -1, np.int32)
    host_of_port[endpoints.astype(np.int64) * ports + host_port] = np.arange(endpoints.size)
    return host_of_port


def _layers_at(routing: Routing, host_port: np.ndarray, places: int, ports: int) -> np.ndarray:
    """Return the layer of traffic to the host at each port index (switch * ports + port), int64[places]; empty if random.

    If a host has several addresses, the number of its layers, of which the first is given, is the value divided by 2^16.

    Parameters
    ----------
    routing : Routing
    host_port : int64[hosts]
        The port of each host at its switch.
    places, ports : int
        The port indices of all switches, and the ports per switch.

    Returns
    -------
    int64[places] or int64[0]
    """
    if not routing.by_host:
        return np.zeros(0, np.int64)
    layer_of_port = np.zeros(places, np.int64)
    layers = routing.paths * routing.layer_of_ports + ((routing.paths << 16) if routing.paths > 1 else 0)
    layer_of_port[routing.topology.endpoints.astype(np.int64) * ports + host_port] = layers
    return layer_of_port
