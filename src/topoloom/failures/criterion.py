"""One question to the rest of a network, asked of samples: is it connected, and how far is it there?"""

from dataclasses import dataclass

import numpy as np

from topoloom.core.errors import InputError
from topoloom.failures.failure_orders import Failing
from topoloom.graph.connectivity import components
from topoloom.graph.pair_counts import aligned_rows, count_pairs
from topoloom.model.topology import Topology

#: Hops more that are tolerated when nothing is said: Besta 2014's.
TOLERATED = {"diameter": 2.0, "aspl": 1.0}


@dataclass(frozen=True, eq=False)
class Criterion:
    """What is asked, and of which network.

    Attributes
    ----------
    topology : Topology
    what : Failing
    counts : bool[switches]
        The switches that must stay together.
    metric : str
    whole, most : float or None
        Of the whole network, and what it may become.
    """

    topology: Topology
    what: Failing
    counts: np.ndarray
    metric: str
    whole: float | None
    most: float | None

    @property
    def hops(self) -> bool:
        """Whether it is asked level by level, as lengths are."""
        return self.metric != "disconnection"

    @property
    def measured(self) -> bool:
        """Whether lengths are measured."""
        return self.hops

    def pieces(self, states: np.ndarray) -> np.ndarray:
        """The samples that are connected after 0, 1, ... failures: int64[units + 1]."""
        from topoloom.failures.kernels.disconnection import links_held, units_held

        what, topology = self.what, self.topology
        if what.fail == "links":
            held = np.empty(states.size, np.int64)
            links_held(topology.links, self.counts, what.order, what.first, states, held)
            return np.cumsum(np.bincount(held + 1, minlength=what.units + 2)[::-1])[::-1][1:]
        together = np.zeros(what.units + 1, np.int64)
        offsets, neighbours, _ = topology.csr
        start, members = what.members
        units_held(offsets, neighbours, self.counts, start, members, what.order, what.first, states, together)
        return together

    def lengths(self, states: np.ndarray, failures: np.ndarray, halving: bool) -> np.ndarray:
        """By `halving` the place of the last level within `most` (-1: none), int64[samples]; else every level's length.

        Lengths are float64[samples, levels]; inf where the rest is not connected.

        Parameters
        ----------
        states : uint64[samples]
            Where each sample's random stream starts; see `states` of failure_orders.
        failures : int64[levels]
            How many units have failed at each level, ascending.
        halving : bool
            Find the last level within `most` by halving the range, instead of looking at each level.

        Returns
        -------
        int64[samples] or float64[samples, levels]
            With `halving` the place of the last level within `most` (-1: none), else the length at every level, in
            hops; inf where the rest is not connected.
        """
        from topoloom.failures.kernels.surviving_hops import surviving_lengths

        n, most = self.topology.switches, self.most or 0.0
        offsets, neighbours, link = self.topology.csr
        mean = self.metric == "aspl"
        # Nothing asks how much longer than it may be the diameter is, unless all lengths are wanted.
        rounds = min(n, max(1, int(most))) if halving and not mean else n
        values, last = np.empty((states.size, failures.size)), np.empty(states.size, np.int64)
        ranked = np.argsort(~self.counts, kind="stable").astype(np.int32)
        surviving_lengths(
            offsets,
            neighbours,
            link,
            self.topology.links,
            ranked,
            int(self.counts.sum()),
            self.what.unit,
            self.what.order,
            self.what.first,
            states,
            failures,
            most + 1e-9,
            rounds,
            mean,
            halving,
            aligned_rows(n),
            aligned_rows(n),
            aligned_rows(1),
            values,
            last,
        )
        return last if halving else values


def criterion_of(
    topology: Topology, what: Failing, metric: str, of: str, tolerate: float | None, jobs: int | None = None
) -> Criterion:
    """Ask for a metric between the switches of a topology, or between those with hosts.

    Parameters
    ----------
    topology : Topology
        The network before failures.
    what : Failing
        What fails, and in which order.
    metric : "disconnection", "diameter" or "aspl"
        What is asked of the rest: to be connected, or how long its paths are.
    of : "switches" or "hosts"
        Between which switches: all, or those with hosts.
    tolerate : float, optional
        How many hops diameter or ASPL may grow by; the default is that of `TOLERATED`.
    jobs : int, optional
        Threads; all cores by default.

    Returns
    -------
    Criterion
        With the whole network's length, and the most that the rest may have (None for "disconnection").

    Raises
    ------
    InputError
        The network is not connected to begin with, or has no hosts to ask about.
    """
    counts = np.ones(topology.switches, np.bool_) if of == "switches" else topology.endpoints_at > 0
    if not counts.any():
        raise InputError(f"{topology.name}: no switch carries hosts; ask with of='switches', or give it hosts")
    parts = np.unique(components(topology)[counts]).size
    if parts > 1:
        raise InputError(f"{topology.name}: it is in {parts} pieces before anything fails; join them first")
    if metric == "disconnection":
        return Criterion(topology, what, counts, metric, None, None)
    found = count_pairs(topology, counts.astype(np.int64), jobs).pairs
    pairs = int(counts.sum()) * (int(counts.sum()) - 1)
    mean = float(np.dot(found, np.arange(found.size)) / pairs) if pairs else 0.0
    whole = mean if metric == "aspl" else float(found.size - 1)
    return Criterion(
        topology, what, counts, metric, whole, whole + (TOLERATED[metric] if tolerate is None else tolerate)
    )
