"""What failures cost the network that survives them: the throughput that is left, and the table entries that have to change."""

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
from topoloom.model.link_rates import refuse_mixed
from topoloom.model.results import Provenance, Result, json_value
from topoloom.model.sources import NetworkSource, installed
from topoloom.routing.reroute import reroute
from topoloom.routing.routing import Routing
from topoloom.throughput.quality import MOST_TUB
from topoloom.throughput.tub import tub, uniform_bound


@dataclass(frozen=True)
class Degradation:
    """What is left after one share of failures: means over the samples whose switches with hosts are still connected.

    Attributes
    ----------
    share : float
    failures, samples, connected : int
        How many fail, how many orders were looked at, and in how many all switches with hosts are connected.
    uniform, uniform_least : float or None
        The bound on uniform throughput over that of the whole network: mean and least. None: nothing is connected.
    tub, tub_least : float or None
        The same for the throughput upper bound of the worst permutation; None where the network is too large for it.
    rerouted : int
        The samples whose tables were repaired: those in which all that is left is connected. 0 without tables.
    broken, changed, virtual_channels_changed : float or None
        Of the entries that are left: those that led over what failed, those that lead elsewhere now, and the pairs that travel
        in another virtual channel.
    rebuilt : int
        Samples in which all tables had to be made again.
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
    """What failures cost one network, at several shares.

    Attributes
    ----------
    name : str
        Of the network.
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
        """A row per share."""
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
    """Throughput left and the cost of re-routing after failures, at some levels.

    Parameters
    ----------
    network : NetworkSource
        Of several planes that are alike one is looked at. With installed tables, these are repaired (`routing.reroute`), and
        how many of their entries change is counted.
    fail, order, racks, seed
        As for `resilience`; the samples are the first ones that it looks at.
    levels : floats
        Shares of all links, switches or racks.
    samples : int
        Orders of failures at each level.
    throughput : bool
        Whether to work out the bounds on throughput.
    jobs : int, optional
        Threads; every core when omitted.
    work : Work, optional
        Told of samples.

    Returns
    -------
    list of Degradation
        One a level.

    Raises
    ------
    InputError
        As for `resilience`; tables that cannot be repaired (virtual channels by switch, choices); several planes.
    Stopped
        `work` was stopped.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> found = degradation(build("hypercube:n=5"), levels=[0.1], samples=3)[0]
    >>> found.failures, found.connected, round(found.uniform, 2)
    (8, 3, 0.88)
    """
    network = installed(network, Routing, "degradation")
    topology = network.topology if isinstance(network, Routing) else network
    if throughput:
        refuse_mixed(topology, "degradation")
    if samples < 1:
        raise InputError(f"samples={samples}: at least one is needed")
    if plane_count(topology) > 1:
        if isinstance(network, Routing) or racks is not None or len(distinct_planes(topology)) > 1:
            raise InputError(
                f"{topology.name}: what failures cost is worked out for one plane at a time; give a single plane"
            )
        topology = network = planes_of(topology)[0].topology  # all alike
    what = failing(topology, fail, order, racks, jobs)
    small = topology.switches <= MOST_TUB
    whole = (
        (uniform_bound(topology, jobs), tub(topology, jobs).value if small else None) if throughput else (None, None)
    )
    work, levels = Work() if work is None else work, list(levels)
    work.begin(len(levels) * samples, "samples")
    found = []
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
        uniform, worst = [one for one, _ in shares], [one for _, one in shares if one is not None]
        broken, changed, virtual_channels_changed = (_mean([one[i] for one in repaired]) for i in range(3))
        found.append(
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
                sum(one[3] for one in repaired),
            )
        )
    return found


def _ratio(left: float, whole: float | None) -> float:
    """What is left of a bound; all of one that is infinite."""
    return left / whole if whole and math.isfinite(whole) else 1.0


def _mean(values: list[float]) -> float | None:
    return float(np.mean(values)) if values else None
