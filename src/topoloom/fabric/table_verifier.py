"""Verifying tables of other tools: the results of `verify_routing` on them, between switches or between host ports."""

import time
from dataclasses import dataclass, field, replace

import numpy as np

from topoloom.fabric.fabric import Fabric
from topoloom.fabric.lft import Tables
from topoloom.fabric.tables_from import routing_from
from topoloom.graph.distances import distances_from
from topoloom.model.results import Provenance, Result, provenance_of
from topoloom.model.topology import Topology
from topoloom.routing.channels import channels_of
from topoloom.routing.routing import Routing
from topoloom.routing.verification.verification import Followed
from topoloom.routing.verification.verify import verify_routing

SWITCHES, PORTS = "switches", "host ports"
#: Number of sources whose distances are computed at a time.
_BLOCK = 256


@dataclass(frozen=True, eq=False)
class TableVerification(Followed, Result):
    """The verification of tables of other tools.

    Attributes
    ----------
    tables : str
        The file of the tables.
    switches : int
    pairs_between : "switches" or "host ports"
        The kind of the pairs. Host ports if the ports of one switch have different paths; hops are still counted between
        their switches.
    pairs, reached_pairs, minimal_pairs : int
    mean_hops, stretch : float
    max_hops : int
    virtual_channels_used : int
    virtual_channel_pairs : int64[virtual_channels_used]
        Number of pairs that carry data, by virtual channel: pairs of hosts, or of switches that have hosts.
    cycle : tuple of (str, str)
        Channels that wait for each other in a cycle, by the names of the switches at their ends; empty: no cycle.
    cycle_virtual_channel : int
        The virtual channel of the cycle; -1: none.
    channel_load : int64[2 links]
        Pairs over each channel.
    fault : str
        The defect of a pair that does not arrive; empty: all pairs arrive.
    """

    record_name = "table-verification"
    former_names = ("judgement",)
    unrecorded = ("channel_load",)
    derived = ("deadlock_free", "minimal", "minimal_share", "edge_forwarding_index", "load_over_mean")

    tables: str
    switches: int
    pairs_between: str
    pairs: int
    reached_pairs: int
    minimal_pairs: int
    mean_hops: float
    stretch: float
    max_hops: int
    virtual_channels_used: int
    virtual_channel_pairs: np.ndarray
    cycle: tuple[tuple[str, str], ...]
    cycle_virtual_channel: int
    channel_load: np.ndarray
    fault: str
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    @property
    def minimal(self) -> bool:
        """Whether every pair takes the fewest hops."""
        return self.minimal_pairs == self.pairs

    @property
    def minimal_share(self) -> float:
        """The share of pairs that take the fewest hops; 1 if there are no pairs."""
        return self.minimal_pairs / self.pairs if self.pairs else 1.0


def verify_tables(
    tables: Tables, fabric: Fabric, levels: np.ndarray | None = None, jobs: int | None = None
) -> TableVerification:
    """Follow the tables of other tools, and search for cycles in the channel dependencies.

    Only data between hosts is searched for cycles, not what switches themselves send and receive (management).

    Parameters
    ----------
    tables : Tables
    fabric : Fabric
    levels : uint8[endpoints, endpoints], optional
        levels[to, from]: the virtual channel of each pair of endpoints; omitted: virtual channel 0 for all.
    jobs : int, optional
        Threads; every core when omitted.

    Returns
    -------
    TableVerification
        Which pairs arrive, in how many hops, on how many virtual channels, and a cycle of channels that wait for each other if
        one exists.

    Raises
    ------
    InputError
        As `routing_from`.
    """
    started = time.monotonic()
    routing = routing_from(tables, fabric, levels)
    topology = fabric.topology
    verification = verify_routing(routing, jobs)
    by_port = routing.topology is not topology
    # The highest virtual channel is that of pairs without data, if there are any.
    spare = routing.virtual_channels is not None and (by_port or not topology.endpoints_at.all())
    virtual_channels = verification.virtual_channels_used - spare
    waiting = verification.cycle if verification.cycle_virtual_channel < virtual_channels else ()
    names = [*fabric.switch_names, *(fabric.host_names[h] for h in topology.host.tolist())]
    cycle = tuple((names[a], names[b]) for a, b in waiting)
    vc = verification.cycle_virtual_channel if waiting else -1
    if not by_port:
        return TableVerification(
            tables.source,
            topology.switches,
            SWITCHES,
            verification.pairs,
            verification.reached_pairs,
            verification.minimal_pairs,
            verification.mean_hops,
            verification.stretch,
            verification.max_hops,
            virtual_channels,
            verification.virtual_channel_pairs[:virtual_channels],
            cycle,
            vc,
            verification.channel_load,
            _named(verification.fault, names),
            _provenance(topology, levels, started),
        )
    between = _between_ports(tables, routing, fabric, virtual_channels, cycle, vc, _named(verification.fault, names))
    return replace(between, provenance=_provenance(topology, levels, started))


def _provenance(topology: Topology, levels: np.ndarray | None, started: float) -> Provenance:
    return provenance_of(
        topology, settings={"with_levels": levels is not None}, timings={"seconds": time.monotonic() - started}
    )


def _between_ports(
    tables: Tables,
    routing: Routing,
    fabric: Fabric,
    virtual_channels: int,
    cycle: tuple[tuple[str, str], ...],
    vc: int,
    fault: str,
) -> TableVerification:
    """The verification of tables by endpoint: every endpoint's paths are followed from the switches of all others."""
    topology = fabric.topology
    n, k = topology.switches, topology.endpoints.size
    channels = channels_of(topology)
    at = topology.endpoints_at
    load = np.zeros(channels.to.size, np.int64)
    histogram = np.zeros(n + 1, np.int64)
    minimal = fewest = 0
    order = np.unique(topology.endpoints)
    for begin in range(0, order.size, _BLOCK):
        homes = order[begin : begin + _BLOCK]
        distance = distances_from(topology, homes, 1)
        for home, fewest_hops in zip(homes.tolist(), distance, strict=True):
            for e in np.flatnonzero(topology.endpoints == home).tolist():
                depth = _follow(routing.ports[n + e, :n], home, channels.first, channels.to, at, load)
                weight = at.copy()
                weight[home] -= 1  # without the pair to itself
                reached = depth >= 0
                histogram += np.bincount(depth[reached], weight[reached], minlength=n + 1).astype(np.int64)
                minimal += int(weight[reached & (depth == fewest_hops)].sum())
                fewest += int((weight * fewest_hops)[reached].sum())
    pairs, arrived = k * (k - 1), int(histogram.sum())
    hops = int(histogram @ np.arange(n + 1))
    # Tables by endpoint always have virtual channels per pair.
    inner = np.asarray(routing.virtual_channels)[n:, n:]
    virtual_channel_pairs = np.bincount(inner.ravel(), minlength=virtual_channels)[:virtual_channels]
    virtual_channel_pairs[0] -= k
    return TableVerification(
        tables.source,
        n,
        PORTS,
        pairs,
        arrived,
        minimal,
        hops / arrived if arrived else 0.0,
        hops / fewest if fewest else 1.0,
        int(np.flatnonzero(histogram)[-1]) if arrived else 0,
        virtual_channels,
        virtual_channel_pairs,
        cycle,
        vc,
        load,
        fault,
    )


def _follow(
    ports: np.ndarray, home: int, first: np.ndarray, to: np.ndarray, weight: np.ndarray, load: np.ndarray
) -> np.ndarray:
    """The hops from every switch to `home`, int64[n] (-1: it does not arrive); adds the weights to the channels' loads."""
    n = weight.size
    depth = np.full(n, -1, np.int64)
    depth[home] = 0
    start = np.flatnonzero(np.arange(n) != home)
    now = start.copy()
    for hop in range(1, n):
        channel = first[now] + ports[now]
        np.add.at(load, channel, weight[start])
        now = to[channel]
        arrived = now == home
        depth[start[arrived]] = hop
        start, now = start[~arrived], now[~arrived]
        if not start.size:
            break
    return depth


def _named(fault: str, names: list[str]) -> str:
    """A sentence of the verifier with the fabric's names instead of numbers."""
    import re

    return re.sub(r"switch ([0-9]+)", lambda match: names[int(match[1])], fault)
