"""What failures cost the surviving network: the throughput that it loses, and the table entries that change."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.failures.failure_orders import failing, failures_at
from topoloom.failures.surviving_network import first_failures, without_losses
from topoloom.graph.connectivity import components
from topoloom.graph.planes import distinct_planes, plane_count, planes_of
from topoloom.model.results import Provenance, Result, json_value
from topoloom.model.sources import NetworkSource, installed
from topoloom.routing.reroute import reroute
from topoloom.routing.routing import Routing
from topoloom.throughput.quality import MOST_TUB
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
        Of several identical planes one is evaluated. Installed tables are repaired (`routing.reroute`), and the entries that
        change are counted.
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
        As for `resilience`; tables that cannot be repaired (virtual channels by switch, choices); several planes
        that differ, or several planes with tables or racks.
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
    if plane_count(topology) > 1:
        if isinstance(network, Routing) or racks is not None or len(distinct_planes(topology)) > 1:
            raise InputError(f"{topology.name}: degradation takes one plane at a time; give a single plane")
        topology = network = planes_of(topology)[0].topology  # all planes are identical
    what = failing(topology, fail, order, racks, jobs)
    small = topology.switches <= MOST_TUB
    whole = (
        (uniform_bound(topology, jobs), tub(topology, jobs).value if small else None) if throughput else (None, None)
    )
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
            carries = left.endpoints_at > 0 if topology.hosts else np.ones(left.switches, np.bool_)
            if np.unique(parts[carries]).size == 1:
                connected += 1
                if throughput:
                    shares.append(
                        (
                            _ratio(uniform_bound(left, jobs), whole[0]),
                            _ratio(tub(left, jobs).value, whole[1]) if small else None,
                        )
                    )
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


def _ratio(left: float, whole: float | None) -> float:
    """Return the share of a bound that is left; 1 when the bound of the whole network is infinite or 0."""
    return left / whole if whole and math.isfinite(whole) else 1.0


def _mean(values: list[float]) -> float | None:
    return float(np.mean(values)) if values else None
