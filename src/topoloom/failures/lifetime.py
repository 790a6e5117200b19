"""How long a network stays connected without repair, from the failure rates of its links and switches."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from topoloom.core.allowance import Allowance
from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.core.threads import over_cores
from topoloom.core.work import Work
from topoloom.failures.criterion import criterion_of
from topoloom.failures.failure_orders import Failing
from topoloom.graph.planes import plane_count
from topoloom.model.results import Provenance, Result, provenance_of
from topoloom.model.sources import NetworkSource, taken
from topoloom.model.topology import Topology

#: The hours that a FIT refers to: 1 FIT is one failure in 1e9 hours.
FIT_HOURS = 1e9
_STREAM, _CHUNK = 8, 32
#: The normal quantile of a 95 % confidence interval.
Z = 1.959963984540054


@dataclass(frozen=True)
class Lifetime(Result):
    """The mean time to disconnection.

    Attributes
    ----------
    hours, low, high : float
        The mean time to disconnection, and its 95 % confidence interval.
    failures : float
        The mean number of failures by then, including the one that disconnects the network.
    link_fit, switch_fit : float
        Failures of a link and of a switch in 1e9 hours.
    of : str
        The switches that must stay connected: "switches" or "hosts".
    samples, seed : int
    """

    record_name = "lifetime"
    derived = ("repair",)

    hours: float
    low: float
    high: float
    failures: float
    link_fit: float
    switch_fit: float
    of: str
    samples: int
    seed: int
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    @property
    def repair(self) -> bool:
        """Whether failed parts are repaired: always False, as all times are without repair."""
        return False


def lifetime(
    topology: NetworkSource,
    *,
    link_fit: float = 0.0,
    switch_fit: float = 0.0,
    of: str = "switches",
    samples: int = 1000,
    seed: int = 1,
    jobs: int | None = None,
    work: Work | None = None,
) -> Lifetime:
    """Return the mean time until the surviving network is disconnected, when links and switches fail without repair.

    Each link and each switch fails independently at its constant rate (exponential lifetimes). Orders of failures are drawn at
    random; the mean time given an order is exact: the sum of 1 / (the rates of all survivors) up to the failure that
    disconnects the network. The confidence interval therefore covers only the choice of orders.

    Parameters
    ----------
    topology : NetworkSource
        A connected network.
    link_fit, switch_fit : float
        Failures per 1e9 hours (FIT), at least one of them positive. A mean time between failures of h hours is 1e9 / h.
    of : str
        "switches": all surviving switches; "hosts": those with hosts.
    samples, seed : int
        How many random orders, and their seed.
    jobs : int, optional
        Threads; all cores when omitted.
    work : Work, optional
        Reports progress in blocks of 32 samples.

    Returns
    -------
    Lifetime

    Raises
    ------
    InputError
        No rate, a network that is not connected even without failures or has several planes, or fewer than two switches to keep
        connected.
    Stopped
        `work` was stopped.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> ring = lifetime(build("torus:dims=10"), link_fit=100)  # the second of ten links: 1e7 (1/10 + 1/9) hours
    >>> round(ring.hours), ring.failures
    (2111111, 2.0)
    """
    from topoloom.failures.kernels.disconnection import times_to_disconnection

    topology = taken(topology, Topology, "lifetime")
    for name, fit in (("link_fit", link_fit), ("switch_fit", switch_fit)):
        if not 0 <= fit < math.inf:
            raise InputError(f"{name}={fit:g}: it is a number of failures per 1e9 hours, at least 0")
    if not link_fit + switch_fit > 0:
        raise InputError(
            "link_fit= and switch_fit= are 0: nothing ever fails; give one of them, in failures per 1e9 hours"
        )
    if samples < 1:
        raise InputError(f"samples={samples}: at least one is needed")
    Allowance("lifetime").take(24.0 * samples, f"{samples:,} samples")
    if plane_count(topology) > 1:
        raise InputError(f"{topology.name}: the lifetime is computed for one plane at a time; give a single plane")
    none = np.empty(0, np.int64)
    counts = criterion_of(topology, Failing("links", none, none, none), "disconnection", of, None, jobs).counts
    if counts.sum() < 2:
        if of == "hosts" and topology.switches > 1:
            raise InputError(
                f"{topology.name}: only one switch has hosts, so it cannot be disconnected from another one with hosts;"
                " use `of` switches, or add hosts to other switches"
            )
        raise InputError(
            f"{topology.name}: the network has one switch, so it cannot be disconnected; give a network of at least two"
        )
    hours, failures = np.empty(samples), np.empty(samples, np.int64)
    streams = Draws(seed, _STREAM).words(samples)

    def task(numbers: Iterator[int]) -> None:
        for number in numbers:
            part = slice(number * _CHUNK, (number + 1) * _CHUNK)
            times_to_disconnection(
                topology.links,
                *topology.csr,
                counts,
                link_fit / FIT_HOURS,
                switch_fit / FIT_HOURS,
                streams[part],
                hours[part],
                failures[part],
            )

    work = Work() if work is None else work
    blocks = -(-samples // _CHUNK)
    work.begin(blocks, "blocks of samples")
    over_cores(task, blocks, jobs, work)
    work.check()
    mean = float(hours.mean())
    half = Z * float(hours.std(ddof=1)) / math.sqrt(samples) if samples > 1 else math.inf
    return Lifetime(
        mean,
        max(0.0, mean - half),
        mean + half,
        float(failures.mean()),
        link_fit,
        switch_fit,
        of,
        samples,
        seed,
        provenance_of(topology, seed=seed),
    )


def wilson(survived: int, samples: int) -> tuple[float, float]:
    """Return the 95 % confidence interval of a probability, after `survived` of `samples` trials (Wilson, 1927).

    (p + z^2/2n -+ z sqrt(p (1 - p)/n + z^2/4n^2)) / (1 + z^2/n): unlike p -+ z sigma it holds near 0 and 1.

    Examples
    --------
    >>> [round(end, 4) for end in wilson(9, 10)]
    [0.5958, 0.9821]
    """
    p, square = survived / samples, Z * Z / samples
    middle = (p + square / 2) / (1 + square)
    half = Z * math.sqrt(p * (1 - p) / samples + square / (4 * samples)) / (1 + square)
    low = 0.0 if survived == 0 else max(0.0, middle - half)
    high = 1.0 if survived == samples else min(1.0, middle + half)
    return low, high
