"""What counts as surviving failures: the rest of the network is connected, and its paths are at most a given length."""

from dataclasses import dataclass

import numpy as np

from topoloom.core.errors import InputError
from topoloom.failures.failure_orders import Failing
from topoloom.graph.connectivity import components
from topoloom.graph.pair_counts import aligned_rows, count_pairs
from topoloom.model.topology import Topology

#: The hops that a path may grow by, by default (Besta 2014).
TOLERATED = {"diameter": 2.0, "aspl": 1.0}


@dataclass(frozen=True, eq=False)
class Criterion:
    """A network, what fails in it, and what the surviving part must satisfy.

    Attributes
    ----------
    topology : Topology
        The network before failures.
    what : Failing
        What fails, and in which order.
    counts : bool[switches]
        The switches that must stay connected to each other.
    metric : str
        "disconnection", "diameter" or "aspl".
    whole, most : float or None
        The metric of the whole network, and its limit after failures, in hops; None for "disconnection".
    """

    topology: Topology
    what: Failing
    counts: np.ndarray
    metric: str
    whole: float | None
    most: float | None

    @property
    def hops(self) -> bool:
        """Whether each level of failures is evaluated separately, as for path lengths."""
        return self.metric != "disconnection"

    @property
    def measured(self) -> bool:
        """Whether path lengths are measured."""
        return self.hops

    @property
    def slow(self) -> bool:
        """Whether one sample takes long, so that few of them are a task of a thread."""
        return self.hops

    def pieces(self, states: np.ndarray) -> np.ndarray:
        """Return how many samples are still connected after 0, 1, ... failures: int64[units + 1]."""
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
        """Return the last level within the limit of each sample or, without `halving`, the length at every level.

        Parameters
        ----------
        states : uint64[samples]
            The initial state of each sample's random stream; see `failure_orders.states`.
        failures : int64[levels]
            How many units have failed at each level, ascending.
        halving : bool
            Find the last level within `most` by bisection, instead of evaluating each level.

        Returns
        -------
        int64[samples] or float64[samples, levels]
            With `halving` the index of the last level within `most` (-1: none); else the length at every level, in hops (inf
            where the rest is not connected).
        """
        from topoloom.failures.kernels.surviving_hops import surviving_lengths

        n, most = self.topology.switches, self.most or 0.0
        offsets, neighbours, link = self.topology.csr
        mean = self.metric == "aspl"
        # The search may stop at the limit: by how much a diameter exceeds it matters only where all lengths are wanted.
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
    """Return the criterion of a metric between all switches of a topology, or between those with hosts.

    Parameters
    ----------
    topology : Topology
        The network before failures.
    what : Failing
        What fails, and in which order.
    metric : "disconnection", "diameter" or "aspl"
        What is evaluated after failures: connectedness, or the length of paths.
    of : "switches" or "hosts"
        Between which switches: all, or those with hosts.
    tolerate : float, optional
        By how many hops the diameter or the ASPL may grow; the default is that of `TOLERATED`.
    jobs : int, optional
        Threads; all cores by default.

    Returns
    -------
    Criterion
        With the metric of the whole network and its limit after failures (None for "disconnection").

    Raises
    ------
    InputError
        The network is not connected to begin with, or no switch has hosts.
    """
    counts = np.ones(topology.switches, np.bool_) if of == "switches" else topology.endpoints_at > 0
    if not counts.any():
        raise InputError(f"{topology.name}: no switch carries hosts; use `of` switches, or add hosts")
    parts = np.unique(components(topology)[counts]).size
    if parts > 1:
        raise InputError(f"{topology.name}: the network is in {parts} parts before anything fails; join them first")
    if metric == "disconnection":
        return Criterion(topology, what, counts, metric, None, None)
    pair_counts = count_pairs(topology, counts.astype(np.int64), jobs).pairs
    pairs = int(counts.sum()) * (int(counts.sum()) - 1)
    mean = float(np.dot(pair_counts, np.arange(pair_counts.size)) / pairs) if pairs else 0.0
    whole = mean if metric == "aspl" else float(pair_counts.size - 1)
    return Criterion(
        topology, what, counts, metric, whole, whole + (TOLERATED[metric] if tolerate is None else tolerate)
    )
