"""One question to several planes, asked of samples: do all hosts that are left still reach each other, through any plane?"""

from dataclasses import dataclass

import numpy as np

from topoloom.core.errors import InputError
from topoloom.failures.criterion import Criterion
from topoloom.failures.failure_orders import Failing
from topoloom.model.topology import Topology


@dataclass(frozen=True, eq=False)
class HostsReach(Criterion):
    """Whether any two hosts that are left have live ports in one part of a plane; hosts do not forward.

    Attributes
    ----------
    kind : int64[k]
        Of each endpoint the kind of its host: hosts on the same switches are of one kind.
    """

    kind: np.ndarray

    @property
    def hops(self) -> bool:
        """Asked level by level, as lengths are."""
        return True

    @property
    def measured(self) -> bool:
        """There is no length to tell."""
        return False

    def lengths(self, states: np.ndarray, failures: np.ndarray, halving: bool) -> np.ndarray:
        """As `Criterion.lengths`: 0 where all that are left reach each other, inf where they do not.

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
                well = self.reached(order[: int(failures[middle])])
                low, high = (middle, high) if well else (low, middle)
            last[sample] = low
        return last if halving else values

    def reached(self, gone: np.ndarray) -> bool:
        """Whether all hosts that are left reach each other without these links or units; not when no host is left.

        Parameters
        ----------
        gone : int64[f]
            Links, or units of switches.
        """
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        topology = self.topology
        n, stays = topology.switches, np.ones(topology.switches, np.bool_)
        kept = np.ones(len(topology.links), np.bool_)
        if self.what.fail == "links":
            kept[gone] = False
        else:
            stays[np.isin(self.what.unit, gone)] = False
            kept = stays[topology.links].all(axis=1)
        u, v = topology.links[kept].T
        count, part = connected_components(coo_array((np.ones(u.size, np.int8), (u, v)), shape=(n, n)), directed=False)
        alive = stays[topology.endpoints]
        kinds, kind = np.unique(self.kind[alive], return_inverse=True)
        if not kinds.size:
            return False
        places = np.unique(kind.reshape(-1) * np.int64(count) + part[topology.endpoints[alive]])
        kind, part = np.divmod(places, count)
        if (np.bincount(part) == kinds.size).any():
            return True  # one part has a port of every host
        used, part = np.unique(part, return_inverse=True)
        has = np.zeros((kinds.size, used.size), np.float32)
        has[kind, part] = 1.0
        has = np.unique(has, axis=0)
        return bool((has @ has.T > 0).all())


def hosts_reach(topology: Topology, what: Failing, metric: str) -> HostsReach:
    """The question to a network of several planes.

    Parameters
    ----------
    topology : Topology
        Of several planes.
    what : Failing
        What fails, and in which order.
    metric : str
        Must be "disconnection".

    Raises
    ------
    InputError
        Lengths are asked for, or hosts that do not all reach each other to begin with.
    """
    if metric != "disconnection":
        raise InputError(
            f"{topology.name}: the {metric} after failures is that of one network, and this one is of several planes; ask for"
            " disconnection, or give a single plane"
        )
    order = np.lexsort([topology.endpoints, topology.host])
    split = np.flatnonzero(np.diff(topology.host[order])) + 1
    numbers: dict[bytes, int] = {}
    of_host = [numbers.setdefault(one.tobytes(), len(numbers)) for one in np.split(topology.endpoints[order], split)]
    counts = topology.endpoints_at > 0
    made = HostsReach(topology, what, counts, metric, None, None, np.array(of_host, np.int64)[topology.host])
    if not made.reached(np.empty(0, np.int64)):
        raise InputError(
            f"{topology.name}: some hosts have no plane in common before anything fails; give every host a port in each"
        )
    return made
