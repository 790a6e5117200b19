"""Zero-load latency: the delay of the switches and cables of the fastest path without other traffic, and of a packet's bits."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, Literal

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.settings import Settings, setting
from topoloom.core.threads import over_cores
from topoloom.core.work import Work
from topoloom.graph.delay_graph import delay_graph
from topoloom.graph.distances import distances_from
from topoloom.graph.paths import sample_switches
from topoloom.graph.serialization import Serialization
from topoloom.model.results import Provenance, Result, provenance_of
from topoloom.model.sources import NetworkSource, taken
from topoloom.model.topology import Topology

#: Most buckets of a search; more would cost more than they save.
_MOST_BUCKETS = 4096
#: Most hops from switch 0 for which sweeps over all switches are faster than a search from each.
_MOST_SWEEPS = 24


class Delays(Settings, frozen=True, kw_only=True):
    """The delays of a switch and of a metre of cable. The defaults are those of Nakano et al. 2016, Section VIII.

    Raises
    ------
    InputError
        A delay out of range.
    """

    group = "delays"

    switch_ns: Annotated[float, setting("delay of a switch", unit="ns", least=0.0, most=1e6)] = 60.0
    cable_ns_per_m: Annotated[float, setting("delay of a metre of cable", unit="ns/m", least=0.0, most=1e6)] = 5.0

    def link_ns(self, length_m: np.ndarray) -> np.ndarray:
        """The delay of links of these lengths, each including the switch that it leads to, float64 of the same shape."""
        return self.switch_ns + self.cable_ns_per_m * length_m


@dataclass(frozen=True)
class Latency(Result):
    """Zero-load latency over ordered pairs.

    Attributes
    ----------
    mean_ns, max_ns : float
        Over the pairs; inf if some have no path, 0 if there are no pairs.
    between : "hosts" or "switches"
        The kind of the pairs.
    sources : int
        Number of switches from which pairs start; where hosts have several ports, of groups of hosts with their ports at the
        same switches.
    sampled : bool
        Whether those are a sample; then `max_ns` is a lower bound.
    """

    record_name = "latency"

    mean_ns: float
    max_ns: float
    between: str
    sources: int
    sampled: bool
    provenance: Provenance = field(default_factory=Provenance, compare=False)


def latencies(
    topology: NetworkSource,
    length_m: np.ndarray | float,
    switch_delay_ns: float,
    cable_delay_ns_per_m: float,
    between: Literal["hosts", "switches"] = "hosts",
    sources: int | None = None,
    seed: int = 1,
    jobs: int | None = None,
    *,
    packet: Serialization | None = None,
    work: Work | None = None,
) -> Latency:
    """Measure mean and maximum zero-load latency over the fastest paths.

    The latency of a path is `switch_delay_ns` for every switch on it, both ends included, plus `cable_delay_ns_per_m`
    for each metre of its links; a path of h hops passes h + 1 switches. The cables between hosts and switches are not included.
    The fastest path need not have the fewest hops. With `packet`, the time of its bits on every link counts too, and on the
    hosts' links (`Serialization`).

    Parameters
    ----------
    topology : NetworkSource
    length_m : float64[m] or float
        The length of every link, in the order of `topology.links`, in metres.
    switch_delay_ns, cable_delay_ns_per_m : float
        Nakano 2016, VIII uses 60 ns and 5 ns/m.
    between : "hosts" or "switches"
        Pairs of distinct hosts (on one switch: that switch's delay), or of distinct switches. A host with several ports uses
        the best pair of ports.
    sources : int, optional
        Start only from this many random switches, or groups of hosts with their ports at the same switches where hosts have
        several; all when omitted.
    seed : int
        Of the sample.
    jobs : int, optional
        Threads; every core when omitted.
    packet : Serialization, optional
        The size of a packet. None, and 0 bytes: its time on the links is not counted.
    work : Work, optional
        Receives the progress in blocks of 16 switches.

    Raises
    ------
    InputError
        Lengths or delays that are negative or not finite; a wrong number of lengths; `between` hosts if there are none; a
        packet where the rate is not known.

    Examples
    --------
    >>> square = Topology(links=[(0, 1), (1, 2), (2, 3), (3, 0)], switches=4)
    >>> found = latencies(square, 2.0, switch_delay_ns=60, cable_delay_ns_per_m=5, between="switches")
    >>> found.max_ns, round(found.mean_ns, 4)
    (200.0, 153.3333)
    """
    from topoloom.graph.kernels.latency import latency_sums, row_latency_sums
    from topoloom.graph.kernels.simd import COSTS

    topology = taken(topology, Topology, "latencies")
    lengths = _lengths(topology, length_m)
    for name, delay in (("switch_delay_ns", switch_delay_ns), ("cable_delay_ns_per_m", cable_delay_ns_per_m)):
        if not (math.isfinite(delay) and delay >= 0):
            raise InputError(f"{name}={delay}: a delay must be a number of nanoseconds, 0 or more")
    _check_ends(topology, between)
    graph = delay_graph(topology, (switch_delay_ns + cable_delay_ns_per_m * lengths)[topology.csr[2]], packet, between)
    origins = np.unique(graph.origin)
    chosen = sample_switches(origins, sources, seed)
    drawn = np.isin(graph.origin, chosen)
    starts, own, near_ns, near_pairs = (
        values[drawn] for values in (graph.start, graph.own, graph.near_ns, graph.near_pairs)
    )
    sweeps = graph.undirected and _few_sweeps(topology)
    width, buckets = _buckets(graph.cost)

    sums, greatest = np.empty(starts.size), np.empty(starts.size)
    chunk = COSTS

    def measure(numbers: Iterator[int]) -> None:
        distance = np.empty(graph.weight.size * COSTS if sweeps else 0)
        for number in numbers:
            part = slice(number * chunk, (number + 1) * chunk)
            searched = graph.offsets, graph.neighbours, graph.cost, graph.weight, starts[part]
            if sweeps:
                row_latency_sums(*searched, distance, sums[part], greatest[part])
            else:
                latency_sums(*searched, width, buckets, sums[part], greatest[part])

    work = Work() if work is None else work
    work.begin(-(-starts.size // chunk), f"blocks of {chunk} switches")
    over_cores(measure, -(-starts.size // chunk), jobs, work)
    work.check()
    settings = {"switch_ns": switch_delay_ns, "cable_ns_per_m": cable_delay_ns_per_m, "sources": sources}
    if packet is not None:
        settings |= packet.settings()
    provenance = provenance_of(topology, seed=seed, settings=settings)
    pairs = int(own.sum()) * (int(graph.weight.sum()) - 1)
    if not pairs:
        return Latency(0.0, 0.0, between, int(chosen.size), chosen.size < origins.size, provenance)
    if near_ns.any():
        sums = sums + near_pairs * near_ns
        greatest = np.where(near_pairs > 0, np.maximum(greatest, near_ns), greatest)
    extra_ns = switch_delay_ns + graph.all_ns
    mean = float(own @ sums) / pairs + extra_ns
    longest = float(greatest.max()) + extra_ns
    return Latency(mean, longest, between, int(chosen.size), chosen.size < origins.size, provenance)


def _lengths(topology: Topology, length_m: np.ndarray | float) -> np.ndarray:
    lengths = np.asarray(length_m, dtype=np.float64)
    if lengths.ndim and lengths.shape != (len(topology.links),):
        raise InputError(
            f"{topology.name}: lengths of shape {lengths.shape} for {len(topology.links)} links; give one each"
        )
    if lengths.size and not (np.isfinite(lengths).all() and lengths.min() >= 0):
        raise InputError(f"{topology.name}: a link's length must be a number of metres, 0 or more")
    return np.broadcast_to(lengths, (len(topology.links),))


def _check_ends(topology: Topology, between: str) -> None:
    if between not in ("hosts", "switches"):
        raise InputError(f"latency is between 'hosts' or 'switches', not '{between}'")
    if between == "hosts" and not topology.endpoints.size:
        raise InputError(f"{topology.name}: no hosts; measure the latency between switches")


def _few_sweeps(topology: Topology) -> bool:
    """Whether paths are short enough for sweeps over all switches."""
    reached = distances_from(topology, [0]) if topology.switches else np.zeros(0, np.int64)
    return bool(reached.max(initial=0) <= _MOST_SWEEPS)


def _buckets(cost: np.ndarray) -> tuple[float, int]:
    """The width of a bucket, just below the least cost if that makes few enough, and their number, a power of two."""
    greatest = float(cost.max()) if cost.size else 0.0
    if greatest == 0.0:
        return 1.0, 4
    width = max(0.999 * float(cost.min()), greatest / _MOST_BUCKETS)
    return width, 1 << (int(greatest / width) + 3).bit_length()
