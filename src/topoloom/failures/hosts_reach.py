"""The criterion of a network of several planes: do all surviving hosts still reach each other, through any plane?"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from topoloom.core.errors import InputError
from topoloom.failures.criterion import Criterion
from topoloom.failures.failure_orders import Failing
from topoloom.graph.connectivity import components
from topoloom.model.topology import Topology


@dataclass(frozen=True, eq=False)
class HostsReach(Criterion):
    """Whether any two surviving hosts have live ports in the same connected part of some plane; hosts do not forward.

    Attributes
    ----------
    kind, switch : int64[k]
        The kinds of hosts and the switches that they have ports at, each pair once: hosts attached to the same switches are of
        one kind.
    """

    kind: np.ndarray
    switch: np.ndarray

    @property
    def hops(self) -> bool:
        """Whether each level of failures is evaluated separately: where switches fail, because their hosts no longer count."""
        return self.what.fail != "links"

    @property
    def measured(self) -> bool:
        """False: no path length is measured."""
        return False

    @property
    def slow(self) -> bool:
        """True."""
        return True

    def pieces(self, states: np.ndarray) -> np.ndarray:
        """Return how many samples still reach each other after 0, 1, ... failed links, as `Criterion.pieces`: by bisection."""
        units = self.what.units
        last = np.empty(states.size, np.int64)
        for sample, state in enumerate(states.tolist()):
            order = self.what.drawn(state)
            low, high = 0, units + 1
            while high - low > 1:
                middle = (low + high) // 2
                reached = self.reached(order[:middle], order[middle:])
                low, high = (middle, high) if reached else (low, middle)
            last[sample] = low
        return np.cumsum(np.bincount(last, minlength=units + 1)[::-1])[::-1]

    def lengths(self, states: np.ndarray, failures: np.ndarray, halving: bool) -> np.ndarray:
        """Return as `Criterion.lengths`: 0 where all surviving hosts reach each other, inf where they do not.

        Parameters
        ----------
        states : uint64[samples]
        failures : int64[levels]
        halving : bool
            Not possible: fewer switches may have fewer hosts to connect.

        Returns
        -------
        float64[samples, levels]
        """
        values = np.empty((states.size, failures.size))
        for sample, state in enumerate(states.tolist()):
            order = self.what.drawn(state)
            values[sample] = [0.0 if self.reached(order[:count]) else np.inf for count in failures.tolist()]
        return values

    def reached(self, gone: np.ndarray, left: np.ndarray | None = None) -> bool:
        """Return whether all surviving hosts reach each other after these failures; False when no host survives.

        Parameters
        ----------
        gone : int64[f]
            The failed links, or the failed units of switches.
        left : int64[units - f], optional
            The links or units that survive.
        """
        from topoloom.failures.kernels.hosts_reach import surviving_parts

        topology = self.topology
        n, alive = topology.switches, np.ones(topology.switches, np.bool_)
        links = np.empty(0, np.int64) if left is None else left
        if self.what.fail != "links":
            alive[np.isin(self.what.unit, gone)] = False
        elif left is None:
            survives = np.ones(self.what.units, np.bool_)
            survives[gone] = False
            links = np.flatnonzero(survives)
        # No more parts can be joined when as many are left as planes.
        planes = np.unique(self._plane[alive]).size
        part = np.empty(n, np.int64)
        surviving_parts(topology.links, links, self.what.fail == "links", alive, planes, part)
        live = alive[self.switch]
        kinds, kind = np.unique(self.kind[live], return_inverse=True)
        if not kinds.size:
            return False
        places = np.unique(kind.reshape(-1) * np.int64(n) + part[self.switch[live]])
        kind, part = np.divmod(places, n)
        count = np.bincount(part, minlength=n)
        if (count == kinds.size).any():
            return True  # one part contains a port of every host
        # Parts with hosts of one kind connect no two kinds.
        shared = count[part] > 1
        used, part = np.unique(part[shared], return_inverse=True)
        host_in_part = np.zeros((kinds.size, used.size), np.float32)
        host_in_part[kind[shared], part.reshape(-1)] = 1.0
        host_in_part = np.unique(host_in_part, axis=0)
        return bool((host_in_part @ host_in_part.T > 0).all())

    @cached_property
    def _plane(self) -> np.ndarray:
        """The plane of each switch before failures."""
        return components(self.topology)


def hosts_reach(topology: Topology, what: Failing, metric: str) -> HostsReach:
    """Return the criterion of a network of several planes.

    Parameters
    ----------
    topology : Topology
        A network of several planes.
    what : Failing
        What fails, and in which order.
    metric : str
        Must be "disconnection".

    Raises
    ------
    InputError
        The metric is a path length, or some hosts do not reach each other even without failures.
    """
    if metric != "disconnection":
        raise InputError(
            f"{topology.name}: {metric} after failures is defined for one plane, and this network has several; use"
            " metric='disconnection', or give a single plane"
        )
    order = np.lexsort([topology.endpoints, topology.host])
    host_starts = np.flatnonzero(np.diff(topology.host[order])) + 1
    numbers: dict[bytes, int] = {}
    kind_of_host = [
        numbers.setdefault(switches.tobytes(), len(numbers))
        for switches in np.split(topology.endpoints[order], host_starts)
    ]
    counts = topology.endpoints_at > 0
    kind = np.array(kind_of_host, np.int64)[topology.host]
    kind, switch = np.divmod(np.unique(kind * topology.switches + topology.endpoints), topology.switches)
    criterion = HostsReach(topology, what, counts, metric, None, None, kind, switch)
    if not criterion.reached(what.order[:0]):
        raise InputError(
            f"{topology.name}: some hosts share no plane, before anything fails; give every host a port in each plane"
        )
    return criterion
