"""The criterion of a network of several planes: do all surviving hosts still reach each other, through any plane?"""

from dataclasses import dataclass

import numpy as np

from topoloom.core.errors import InputError
from topoloom.failures.criterion import Criterion
from topoloom.failures.failure_orders import Failing
from topoloom.model.topology import Topology


@dataclass(frozen=True, eq=False)
class HostsReach(Criterion):
    """Whether any two surviving hosts have live ports in the same connected part of some plane; hosts do not forward.

    Attributes
    ----------
    kind : int64[k]
        For each endpoint, the kind of its host: hosts attached to the same switches are of one kind.
    """

    kind: np.ndarray

    @property
    def hops(self) -> bool:
        """True: each level of failures is evaluated separately, as for path lengths."""
        return True

    @property
    def measured(self) -> bool:
        """False: no path length is measured."""
        return False

    def lengths(self, states: np.ndarray, failures: np.ndarray, halving: bool) -> np.ndarray:
        """Return as `Criterion.lengths`: 0 where all surviving hosts reach each other, inf where they do not.

        Parameters
        ----------
        states : uint64[samples]
        failures : int64[levels]
        halving : bool

        Returns
        -------
        int64[samples] or float64[samples, levels]
        """
        last = np.empty(states.size, np.int64)
        values = np.empty((states.size, failures.size))
        for sample, state in enumerate(states.tolist()):
            order = self.what.drawn(state)
            if not halving:
                values[sample] = [0.0 if self.reached(order[:count]) else np.inf for count in failures.tolist()]
                continue
            low, high = -1, failures.size
            while high - low > 1:
                middle = (low + high) // 2
                connected = self.reached(order[: int(failures[middle])])
                low, high = (middle, high) if connected else (low, middle)
            last[sample] = low
        return last if halving else values

    def reached(self, gone: np.ndarray) -> bool:
        """Return whether all surviving hosts reach each other after these failures; False when no host survives.

        Parameters
        ----------
        gone : int64[f]
            The failed links, or the failed units of switches.
        """
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        topology = self.topology
        n, alive_switches = topology.switches, np.ones(topology.switches, np.bool_)
        alive_links = np.ones(len(topology.links), np.bool_)
        if self.what.fail == "links":
            alive_links[gone] = False
        else:
            alive_switches[np.isin(self.what.unit, gone)] = False
            alive_links = alive_switches[topology.links].all(axis=1)
        u, v = topology.links[alive_links].T
        count, part = connected_components(coo_array((np.ones(u.size, np.int8), (u, v)), shape=(n, n)), directed=False)
        alive_ports = alive_switches[topology.endpoints]
        kinds, kind = np.unique(self.kind[alive_ports], return_inverse=True)
        if not kinds.size:
            return False
        places = np.unique(kind.reshape(-1) * np.int64(count) + part[topology.endpoints[alive_ports]])
        kind, part = np.divmod(places, count)
        if (np.bincount(part) == kinds.size).any():
            return True  # one part contains a port of every host
        used, part = np.unique(part, return_inverse=True)
        host_in_part = np.zeros((kinds.size, used.size), np.float32)
        host_in_part[kind, part] = 1.0
        host_in_part = np.unique(host_in_part, axis=0)
        return bool((host_in_part @ host_in_part.T > 0).all())


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
    criterion = HostsReach(topology, what, counts, metric, None, None, np.array(kind_of_host, np.int64)[topology.host])
    if not criterion.reached(np.empty(0, np.int64)):
        raise InputError(
            f"{topology.name}: some hosts share no plane, before anything fails; give every host a port in each plane"
        )
    return criterion
