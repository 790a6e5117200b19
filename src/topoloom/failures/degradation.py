"""What failures cost the surviving network: the throughput that it loses, and the table entries that change."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.failures.failure_orders import failing, failures_at
from topoloom.failures.hosts_reach import hosts_reach
from topoloom.failures.surviving_network import first_failures, without_losses
from topoloom.graph.connectivity import components
from topoloom.graph.planes import plane_count, planes_of
from topoloom.model.results import Provenance, Result, json_value
from topoloom.model.sources import NetworkSource, installed
from topoloom.model.topology import Topology
from topoloom.routing.reroute import reroute
from topoloom.routing.routing import Routing
from topoloom.throughput.one_pattern import MOST_TUB
from topoloom.throughput.tub import tub, uniform_bound


@dataclass(frozen=True)
class Degradation:
    """One share of failures: means over the samples whose switches with hosts are still connected.

    Attributes
    ----------
    share : float
    failures, samples, connected : int
        How many units fail, how many orders of failures were simulated, and in how many of them all switches with hosts stay
        connected.
    uniform, uniform_least : float or None
        The bound on uniform throughput relative to the whole network's: mean and least; None when no sample is connected.
    tub, tub_least : float or None
        The same for the throughput upper bound of the worst permutation; None where the network is too large for it.
    rerouted : int
        How many samples' tables were repaired: those whose surviving network is connected; 0 without tables.
    broken, changed, virtual_channels_changed : float or None
        Shares of the surviving table entries: those that led over failed parts, those that change, and the pairs that use
        another virtual channel.
    rebuilt : int
        Samples whose tables had to be computed again from scratch.
    """

    share: float
    failures: int
    samples: int
    connected: int
    uniform: float | None
    uniform_least: float | None
    tub: float | None
    tub_least: float | None
    rerouted: int = 0
    broken: float | None = None
    changed: float | None = None
    virtual_channels_changed: float | None = None
    rebuilt: int = 0


@dataclass(frozen=True)
class Degradations(Result):
    """What failures cost one network, at several shares of failures.

    Attributes
    ----------
    name : str
        The network's name.
    fail, order : str
        What fails, and what fails first.
    levels : tuple of Degradation
        One per share.
    """

    record_name = "degradation"
    record_version = 2

    name: str
    fail: str
    order: str
    levels: tuple[Degradation, ...]
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    def rows(self) -> list[dict[str, Any]]:
        """One row per share."""
        return [json_value(level) for level in self.levels]


def degradation(
    network: NetworkSource,
    fail: str = "links",
    *,
    levels: Iterable[float] = (0.05, 0.1, 0.2),
    order: str = "random",
    samples: int = 5,
    racks: np.ndarray | None = None,
    seed: int = 1,
    throughput: bool = True,
    jobs: int | None = None,
    work: Work | None = None,
) -> list[Degradation]:
    """Return the throughput that is left and the cost of rerouting after failures, at several shares.

    Parameters
    ----------
    network : NetworkSource
        Of several planes, the parts of all planes fail together, and the bounds are the means of all planes: a plane whose
        switches with hosts are no longer connected counts as 0. Installed tables are repaired (`routing.reroute`), and the
        entries that change are counted.
    fail, order, racks, seed
        As for `resilience`; with the same seed, samples 0, 1, ... are the same orders of failures.
    levels : floats
        Shares of all links, switches or racks.
    samples : int
        Random orders of failures per level.
    throughput : bool
        Whether to compute the bounds on throughput.
    jobs : int, optional
        Threads; all cores when omitted.
    work : Work, optional
        Reports progress in samples.

    Returns
    -------
    list of Degradation
        One per level.

    Raises
    ------
    InputError
        As for `resilience`; tables that cannot be repaired (virtual channels by switch, choices); tables of several planes.
    Stopped
        `work` was stopped.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> result = degradation(build("hypercube:n=5"), levels=[0.1], samples=3)[0]
    >>> result.failures, result.connected, round(result.uniform, 2)
    (8, 3, 0.88)
    """
    network = installed(network, Routing, "degradation")
    topology = network.topology if isinstance(network, Routing) else network
    if samples < 1:
        raise InputError(f"samples={samples}: at least one is needed")
    several = plane_count(topology) > 1
    if several and isinstance(network, Routing):
        raise InputError(f"{topology.name}: tables are repaired one plane at a time; give a single plane")
    what = failing(topology, fail, order, racks, jobs)
    reach = hosts_reach(topology, what, "disconnection") if several else None
    bounds = _Bounds.of(topology, jobs) if throughput else None
    work, levels = Work() if work is None else work, list(levels)
    work.begin(len(levels) * samples, "samples")
    results = []
    for share in levels:
        shares: list[tuple[float, float | None]] = []
        repaired: list[tuple[float, float, float, bool]] = []
        connected = 0
        for sample in range(samples):
            work.check()
            work.advance()
            lost = first_failures(topology, what, share, seed, sample)
            if lost.switches.size == topology.switches:
                continue
            left = without_losses(topology, lost)
            parts = components(left)
            if _reached(left, parts, topology.hosts) if reach is None else reach.reached(lost.units):
                connected += 1
                if bounds is not None:
                    shares.append(bounds.left(left))
            if isinstance(network, Routing) and parts.max() == 0 and len(left.links):
                new = reroute(
                    network,
                    links=[(u, v) for u, v in lost.links.tolist()],
                    switches=lost.switches.tolist(),
                    jobs=jobs,
                    work=work.step(),
                )
                entries = max(1, new.entries)
                repaired.append(
                    (
                        new.entries_broken / entries,
                        new.entries_changed / entries,
                        new.virtual_channels_changed / entries,
                        new.rebuilt,
                    )
                )
        uniform, worst = [value for value, _ in shares], [value for _, value in shares if value is not None]
        broken, changed, virtual_channels_changed = (_mean([costs[i] for costs in repaired]) for i in range(3))
        results.append(
            Degradation(
                share,
                failures_at(share, what.units),
                samples,
                connected,
                _mean(uniform),
                min(uniform) if uniform else None,
                _mean(worst),
                min(worst) if worst else None,
                len(repaired),
                broken,
                changed,
                virtual_channels_changed,
                sum(costs[3] for costs in repaired),
            )
        )
    return results


def _reached(left: Topology, parts: np.ndarray, hosts: int) -> bool:
    """Whether all switches with hosts (without hosts: all switches) are in one part."""
    carries = left.endpoints_at > 0 if hosts else np.ones(left.switches, np.bool_)
    return np.unique(parts[carries]).size == 1


@dataclass(frozen=True, eq=False)
class _Bounds:
    """The bounds of a network, plane by plane, before any failure.

    Attributes
    ----------
    plane : int64[n]
        The plane of each switch.
    whole : tuple of (float, float or None)
        The bound on uniform throughput and the bound (TUB) of each plane; None where it is too large.
    hosts : int
    jobs : int or None
    """

    plane: np.ndarray
    whole: tuple[tuple[float, float | None], ...]
    hosts: int
    jobs: int | None

    @classmethod
    def of(cls, topology: Topology, jobs: int | None) -> "_Bounds":
        """The bounds of a network; equal planes are computed once."""
        plane = np.zeros(topology.switches, np.int64)
        bounds: dict[str, tuple[float, float | None]] = {}
        whole = []
        for number, part in enumerate(planes_of(topology) if plane_count(topology) > 1 else ()):
            plane[part.switches] = number
            key = part.topology.replace(labels={}).digest
            if key not in bounds:
                bounds[key] = _bounds_of(part.topology, jobs)
            whole.append(bounds[key])
        return cls(plane, tuple(whole) or (_bounds_of(topology, jobs),), topology.hosts, jobs)

    def left(self, left: Topology) -> tuple[float, float | None]:
        """The share of both bounds that is left, the mean of all planes."""
        if len(self.whole) == 1:
            return _shares(_bounds_of(left, self.jobs), self.whole[0])
        plane = self.plane[np.asarray(left.labels["was"])] if "was" in left.labels else self.plane
        shares = []
        for number, whole in enumerate(self.whole):
            own = _part(left, plane == number)
            whole_part = own is not None and _reached(own, components(own), self.hosts)
            shares.append(_shares(_bounds_of(own, self.jobs), whole) if own is not None and whole_part else (0.0, 0.0))
        worst = [value for _, value in shares if value is not None]
        return float(np.mean([value for value, _ in shares])), _mean(worst) if len(worst) == len(shares) else None


def _part(left: Topology, chosen: np.ndarray) -> Topology | None:
    """The chosen switches (bool[n]) of a network, which no links leave; None where no host is left."""
    ports = chosen[left.endpoints]
    if not ports.any():
        return None
    number, links = np.cumsum(chosen) - 1, chosen[left.links[:, 0]]
    return Topology(
        links=number[left.links[links]],
        switches=int(chosen.sum()),
        endpoints=number[left.endpoints[ports]],
        name=left.name,
        **left.rates_of(links, ports),
    )


def _bounds_of(topology: Topology, jobs: int | None) -> tuple[float, float | None]:
    small = topology.switches <= MOST_TUB
    return uniform_bound(topology, jobs), tub(topology, jobs).value if small else None


def _shares(left: tuple[float, float | None], whole: tuple[float, float | None]) -> tuple[float, float | None]:
    worst = None if left[1] is None or whole[1] is None else _ratio(left[1], whole[1])
    return _ratio(left[0], whole[0]), worst


def _ratio(left: float, whole: float | None) -> float:
    """Return the share of a bound that is left; 1 when the bound of the whole network is infinite or 0."""
    return left / whole if whole and math.isfinite(whole) else 1.0


def _mean(values: list[float]) -> float | None:
    return float(np.mean(values)) if values else None
