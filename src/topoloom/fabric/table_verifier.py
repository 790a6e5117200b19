"""The verifier of tables from outside: what `verify_routing` finds in them, between switches or between host ports."""

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
#: Sources of distances at a time.
_BLOCK = 256


@dataclass(frozen=True, eq=False)
class TableVerification(Followed, Result):
    """What tables from outside do.

    Attributes
    ----------
    tables : str
        The file that they were read from.
    switches : int
    pairs_between : "switches" or "host ports"
        What the pairs are between. Host ports where those of one switch take different paths; hops are those between their
        switches all the same.
    pairs, reached_pairs, minimal_pairs : int
    mean_hops, stretch : float
    max_hops : int
    virtual_channels_used : int
    virtual_channel_pairs : int64[virtual_channels_used]
        Pairs that carry data, by virtual channel: those of hosts, or of switches that have hosts.
    cycle : tuple of (str, str)
        Channels, as names of the switches at their ends, that wait for each other in a cycle; empty: none.
    cycle_virtual_channel : int
        Its virtual channel; -1: none.
    channel_load : int64[2 links]
        Pairs over each channel.
    fault : str
        What is wrong with a pair that does not arrive; empty: all do.
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
        """Whether every pair is reached in the fewest hops."""
        return self.minimal_pairs == self.pairs

    @property
    def minimal_share(self) -> float:
        """The share of pairs that are reached in the fewest hops; 1 where there are no pairs."""
        return self.minimal_pairs / self.pairs if self.pairs else 1.0


def verify_tables(
    tables: Tables, fabric: Fabric, levels: np.ndarray | None = None, jobs: int | None = None
) -> TableVerification:
    """Follow tables from outside, and look for cycles in what waits for what.

    Only data between hosts is looked at for cycles; what switches themselves send and receive (management) is not.

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
    Judgement
        Which pairs arrive, in how many hops, on how many virtual channels, and a cycle of channels that wait for each other, if
        there is one.

    Raises
    ------
    InputError
        As `routing_from`.
    """
    started = time.monotonic()
    routing = routing_from(tables, fabric, levels)
    topology = fabric.topology
    found = verify_routing(routing, jobs)
    wide = routing.topology is not topology
    # The highest virtual channel is that of pairs without data, where there are such.
    spare = routing.virtual_channels is not None and (wide or not topology.endpoints_at.all())
    virtual_channels = found.virtual_channels_used - spare
    waiting = found.cycle if found.cycle_virtual_channel < virtual_channels else ()
    names = [*fabric.switch_names, *(fabric.host_names[h] for h in topology.host.tolist())]
    cycle = tuple((names[a], names[b]) for a, b in waiting)
    vc = found.cycle_virtual_channel if waiting else -1
    if not wide:
        return TableVerification(
            tables.source,
            topology.switches,
            SWITCHES,
            found.pairs,
            found.reached_pairs,
            found.minimal_pairs,
            found.mean_hops,
            found.stretch,
            found.max_hops,
            virtual_channels,
            found.virtual_channel_pairs[:virtual_channels],
            cycle,
            vc,
            found.channel_load,
            _named(found.fault, names),
            _provenance(topology, levels, started),
        )
    between = _between_ports(tables, routing, fabric, virtual_channels, cycle, vc, _named(found.fault, names))
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
    """The judgement of tables by endpoint: every endpoint's paths followed from the switches of all others."""
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
        for home, far in zip(homes.tolist(), distance, strict=True):
            for e in np.flatnonzero(topology.endpoints == home).tolist():
                depth = _follow(routing.ports[n + e, :n], home, channels.first, channels.to, at, load)
                weight = at.copy()
                weight[home] -= 1  # not to itself
                reached = depth >= 0
                histogram += np.bincount(depth[reached], weight[reached], minlength=n + 1).astype(np.int64)
                minimal += int(weight[reached & (depth == far)].sum())
                fewest += int((weight * far)[reached].sum())
    pairs, got = k * (k - 1), int(histogram.sum())
    hops = int(histogram @ np.arange(n + 1))
    # Tables by endpoint always have virtual channels by pair.
    inner = np.asarray(routing.virtual_channels)[n:, n:]
    virtual_channel_pairs = np.bincount(inner.ravel(), minlength=virtual_channels)[:virtual_channels]
    virtual_channel_pairs[0] -= k
    return TableVerification(
        tables.source,
        n,
        PORTS,
        pairs,
        got,
        minimal,
        hops / got if got else 0.0,
        hops / fewest if fewest else 1.0,
        int(np.flatnonzero(histogram)[-1]) if got else 0,
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
    """The hops from every switch to `home`, int64[n] (-1: never there); adds the weights to the channels' loads."""
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
    """A sentence of the verifier's with the names of the fabric for numbers."""
    import re

    return re.sub(r"switch ([0-9]+)", lambda found: names[int(found[1])], fault)
