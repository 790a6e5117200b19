"""Traffic: what every host sends, and to which hosts; used by throughput, simulators and applications.

One unit is the lowest rate of the network (`topoloom.model.capacities`): the rate of every host's link and of every channel
where all rates are equal. Where no switch has hosts, one host per switch is assumed, with the lowest rate. A host with several
ports counts once per port.

Where the ports of hosts have different rates, uniform traffic between two ports is proportional to the product of their rates,
and a pair of ports in a permutation sends the lower of its two rates.
"""

import hashlib
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from scipy.sparse import csr_array

#: Traffic between hosts: to any other host; to a host from the sender's list; to all others in turn.
UNIFORM, LISTS, ROUND = 0, 1, 2
#: Traffic between switches: to any host on another switch; as a matrix.
REMOTE, MATRIX = 3, 4


@dataclass(frozen=True, eq=False, repr=False)
class Traffic:
    """The destinations and amounts of traffic when every host sends at its full rate. Arrays cannot be written to.

    Created by the functions of `topoloom.throughput.traffic`: `traffic_of` from the name of a pattern; `uniform_remote`,
    `permutation`, `matrix` and others from arrays.

    Attributes
    ----------
    name : str
        A name for messages and labels; for a pattern, as the user wrote it.
    switch : int64[hosts]
        The switch of each host, ascending.
    switches : int
        The number of switches.
    kind : UNIFORM, LISTS, ROUND, REMOTE or MATRIX
        UNIFORM: each packet to a random host other than its own. LISTS: each packet to a random host of its sender's list.
        ROUND: the k-th packet of a host goes to the k-th host after it, cyclically, skipping the host itself. REMOTE: equally
        to every host on another switch. MATRIX: as given by `matrix`. The last two are amounts between switches: for
        throughput, not for the simulator, which sends from host to host.
    first : int64[hosts + 1]
        LISTS: where each host's list begins in `to`; a host with an empty list is silent. Empty for other kinds.
    to : int32[k]
        The hosts of the lists; a host that occurs twice is drawn twice as often. Empty for other kinds.
    share : float
        LISTS: the share of packets that use the lists; the others go to any other host.
    matrix : float64[n, n] or None
        MATRIX: matrix[s, d] is the amount from the hosts of switch s to those of d.
    rate : float64[hosts] or None
        What each host sends at full rate; None: one unit each.
    weights : float64[k] or None
        LISTS: what each entry gets, relative to its sender's other entries; None: equal parts.
    pace : float64[hosts] or None
        What each host sends at load 1, as a share of its rate; None: all of it.
    limit : float or None
        MATRIX: the share of the traffic that the hosts' links allow, where it is known host by host; None: by switch.
    """

    name: str
    switch: np.ndarray
    switches: int
    kind: int = REMOTE
    first: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))
    to: np.ndarray = field(default_factory=lambda: np.empty(0, np.int32))
    share: float = 1.0
    matrix: np.ndarray | None = None
    rate: np.ndarray | None = None
    weights: np.ndarray | None = None
    pace: np.ndarray | None = None
    limit: float | None = None

    def __post_init__(self) -> None:
        for array in (self.switch, self.first, self.to, self.matrix, self.rate, self.weights, self.pace):
            if array is not None:
                array.setflags(write=False)

    @property
    def hosts(self) -> int:
        """The number of hosts."""
        return int(self.switch.size)

    @cached_property
    def hosts_at(self) -> np.ndarray:
        """Hosts on each switch, int64[n]."""
        return np.bincount(self.switch, minlength=self.switches)

    @cached_property
    def offered_at(self) -> np.ndarray:
        """What the hosts of each switch send together at full rate, int64[n], or float64[n] where rates differ."""
        return self.hosts_at if self.rate is None else np.bincount(self.switch, self.rate, self.switches)

    @cached_property
    def sent_at(self) -> np.ndarray:
        """What the hosts of each switch send together at load 1: `offered_at`, unless hosts send at paces of their own."""
        return self.offered_at if self.pace is None else np.bincount(self.switch, self.sent, self.switches)

    @cached_property
    def digest(self) -> str:
        """16 hexadecimal digits that identify the destinations and amounts."""
        digest = hashlib.sha256(repr((self.switches, self.kind, self.share, self.limit)).encode())
        for array in (self.switch, self.first, self.to, self.matrix, self.rate, self.weights, self.pace):
            digest.update(b"none" if array is None else array.tobytes())
        return digest.hexdigest()[:16]

    @property
    def by_host(self) -> bool:
        """Whether the traffic is defined host by host, as the simulator needs it, and not only switch by switch."""
        return self.kind in (UNIFORM, LISTS, ROUND)

    @property
    def senders(self) -> np.ndarray:
        """Hosts that send, bool[hosts]."""
        if self.matrix is not None:
            return np.asarray(np.take((self.matrix > 0).any(axis=1), self.switch))
        sends = np.diff(self.first) > 0 if self.kind == LISTS else np.ones(self.hosts, np.bool_)
        return sends if self.pace is None else sends & (self.pace > 0)

    @property
    def receivers(self) -> np.ndarray:
        """Hosts that may receive, bool[hosts]."""
        if self.matrix is not None:
            return np.asarray(np.take((self.matrix > 0).any(axis=0), self.switch))
        if self.kind != LISTS or self.share < 1:
            return np.ones(self.hosts, np.bool_)
        receives = np.zeros(self.hosts, np.bool_)
        receives[self.to] = True
        return receives

    def demand_to(self, begin: int, end: int) -> np.ndarray:
        """Return what goes to each of the switches begin .. end - 1 at full rate.

        Parameters
        ----------
        begin, end : int
            The range of destination switches.

        Returns
        -------
        float64[end - begin, n]
            By destination and source, in units; traffic within a switch is 0.
        """
        if self.matrix is not None:
            rows = np.array(
                self.matrix[:, begin:end].T, order="C"
            )  # copy, as a single column could be a view of the matrix
        elif self.kind == LISTS:
            rows = self._listed[begin:end].toarray()
            if self.share < 1:
                senders = np.bincount(self.switch, self.sent, self.switches)
                rows += np.outer(self.offered_at[begin:end], (1.0 - self.share) * senders / self.others)
        else:
            at = self.offered_at
            rows = np.outer(at[begin:end], self.sent_at / self.others)
        rows[np.arange(end - begin), np.arange(begin, end)] = 0.0
        return rows

    def dense(self) -> np.ndarray:
        """Return all traffic, float64[n, n], by source and destination."""
        return self.demand_to(0, self.switches).T.copy()

    @cached_property
    def host_limit(self) -> float:
        """The share of the traffic that the hosts' links allow: 1, unless some hosts must send or receive more, or all less."""
        if self.limit is not None:
            return self.limit
        if self.matrix is not None:
            most, at = 0.0, self.offered_at
            for amount in (self.matrix.sum(axis=0), self.matrix.sum(axis=1)):
                most = max(most, float((amount[at > 0] / at[at > 0]).max(initial=0.0)))
            return 1.0 / most if most else float("inf")
        if self.kind != LISTS:
            return 1.0
        sent = self.sent
        listed = np.bincount(self.to, self.amounts, self.hosts)
        if self.rate is not None:
            listed = listed / self.rate
        others = (1.0 - self.share) * (sent.sum() - sent) / self.others
        return 1.0 / max(1.0, float((listed + others).max(initial=0.0)))

    @property
    def amounts(self) -> np.ndarray:
        """What each entry of the lists gets at full rate, float64[k]: equal shares of its sender's rate, at most its own rate;
        with `weights`, shares by these.
        """
        return self.amounts_at(self.rate)

    def amounts_at(self, rate: np.ndarray | None) -> np.ndarray:
        """Return `amounts` for other rates of the hosts (float64[hosts]), as on another rail."""
        count = np.diff(self.first)
        weights = self.share / np.repeat(count, count)
        if self.weights is not None:
            sender = np.repeat(np.arange(self.hosts), count)
            weights = self.share * self.weights / np.bincount(sender, self.weights, self.hosts)[sender]
        if self.pace is not None:
            weights = weights * np.repeat(self.pace, count)
        if rate is not None and self.weights is not None:
            return np.asarray(weights * np.repeat(rate, count))
        return weights if rate is None else np.minimum(weights * np.repeat(rate, count), rate[self.to])

    @cached_property
    def sent(self) -> np.ndarray:
        """The rate of each host that sends, otherwise 0: float64[hosts]."""
        sent = self.senders * (1.0 if self.rate is None else self.rate)
        return sent if self.pace is None else sent * self.pace

    @cached_property
    def others(self) -> float:
        """The divisor of uniform traffic, with which no host exceeds its rate: all that others offer at most."""
        if self.kind == REMOTE:
            at = self.offered_at
            left = at.sum() - at[at > 0].min(initial=at.sum())
        else:
            left = self.hosts - 1 if self.rate is None else self.rate.sum() - self.rate.min(initial=self.rate.sum())
        return max(1.0, float(left))

    @cached_property
    def _listed(self) -> "csr_array":
        """The traffic of the lists, by the switches of destination and source."""
        from scipy.sparse import coo_array

        sender = np.repeat(self.switch, np.diff(self.first))
        places = (self.amounts, (self.switch[self.to], sender))
        return coo_array(places, shape=(self.switches, self.switches)).tocsr()

    def __repr__(self) -> str:
        return f"Traffic({self.name})"
