"""Traffic: what every host sends to whom; the one result of throughput, simulator and applications.

One unit is the rate of a host's link, and of a channel: all links are as fast. Where no switch carries hosts, one host a
switch is assumed. A host with several ports counts once a port.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from scipy.sparse import csr_array

#: By host: to any host but oneself; to one of a list of one's own; to all others in turn.
UNIFORM, LISTS, ROUND = 0, 1, 2
#: By switch: to any host on another switch; as a matrix says.
REMOTE, MATRIX = 3, 4


@dataclass(frozen=True, eq=False, repr=False)
class Traffic:
    """Who sends to whom when every host sends at its full rate. Arrays cannot be written to.

    The functions of `topoloom.throughput.traffic` make it: `traffic_of` by the name of a pattern, `uniform`, `permutation`,
    `matrix` and others from numbers.

    Attributes
    ----------
    name : str
        For people; a pattern's as the user wrote it.
    switch : int64[hosts]
        The switch of each host, ascending.
    switches : int
        How many there are.
    kind : UNIFORM, LISTS, ROUND, REMOTE or MATRIX
        UNIFORM: each packet to any host but its own, drawn again. LISTS: to one of its host's list, drawn again. ROUND: the
        k-th packet of a host goes to the k-th host after it, round and round, itself omitted. REMOTE: as much to every
        host on another switch. MATRIX: as `matrix` says. The last two are amounts between switches: for throughput, not
        for the simulator, which sends from host to host.
    first : int64[hosts + 1]
        LISTS: where each host's list begins in `to`; a host with an empty list is silent. Else empty.
    to : int32[k]
        The hosts of the lists; one that stands twice is drawn twice as often. Else empty.
    share : float
        LISTS: the share of packets that go by the lists; the others go to any host but their own.
    matrix : float64[n, n] or None
        MATRIX: matrix[s, d] goes from the hosts of switch s to those of d.
    """

    name: str
    switch: np.ndarray
    switches: int
    kind: int = REMOTE
    first: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))
    to: np.ndarray = field(default_factory=lambda: np.empty(0, np.int32))
    share: float = 1.0
    matrix: np.ndarray | None = None

    def __post_init__(self) -> None:
        for array in (self.switch, self.first, self.to, self.matrix):
            if array is not None:
                array.setflags(write=False)

    @property
    def hosts(self) -> int:
        """How many there are."""
        return int(self.switch.size)

    @cached_property
    def hosts_at(self) -> np.ndarray:
        """Hosts on each switch, int64[n]."""
        return np.bincount(self.switch, minlength=self.switches)

    @property
    def by_host(self) -> bool:
        """Whether it is known host by host, as the simulator needs it, and not only switch by switch."""
        return self.kind in (UNIFORM, LISTS, ROUND)

    @property
    def senders(self) -> np.ndarray:
        """Hosts that send, bool[hosts]."""
        if self.kind == LISTS:
            return np.diff(self.first) > 0
        if self.matrix is not None:
            return np.asarray(np.take((self.matrix > 0).any(axis=1), self.switch))
        return np.ones(self.hosts, np.bool_)

    @property
    def receivers(self) -> np.ndarray:
        """Hosts that may be sent to, bool[hosts]."""
        if self.matrix is not None:
            return np.asarray(np.take((self.matrix > 0).any(axis=0), self.switch))
        if self.kind != LISTS or self.share < 1:
            return np.ones(self.hosts, np.bool_)
        found = np.zeros(self.hosts, np.bool_)
        found[self.to] = True
        return found

    def demand_to(self, begin: int, end: int) -> np.ndarray:
        """What goes to each of some switches at full rate.

        Parameters
        ----------
        begin, end : int
            Switches begin .. end - 1.

        Returns
        -------
        float64[end - begin, n]
            By destination and source, in rates of a host's link; what stays on a switch is omitted.
        """
        if self.matrix is not None:
            rows = np.array(
                self.matrix[:, begin:end].T, order="C"
            )  # a copy even of one switch, whose part is the matrix itself
        elif self.kind == LISTS:
            rows = self._listed[begin:end].toarray()
            if self.share < 1:
                senders = np.bincount(self.switch[self.senders], minlength=self.switches)
                rows += np.outer(self.hosts_at[begin:end], (1.0 - self.share) * senders / max(1, self.hosts - 1))
        else:
            at = self.hosts_at
            others = self.hosts - (int(at[at > 0].min(initial=self.hosts)) if self.kind == REMOTE else 1)
            rows = np.outer(at[begin:end], at / max(1, others))
        rows[np.arange(end - begin), np.arange(begin, end)] = 0.0
        return rows

    def dense(self) -> np.ndarray:
        """All of it, float64[n, n], by source and destination."""
        return self.demand_to(0, self.switches).T.copy()

    @cached_property
    def host_limit(self) -> float:
        """The share of it that the links of the hosts let through: 1, but where hosts are asked for more, or for less."""
        if self.matrix is not None:
            busiest, at = 0.0, self.hosts_at
            for amount in (self.matrix.sum(axis=0), self.matrix.sum(axis=1)):
                busiest = max(busiest, float((amount[at > 0] / at[at > 0]).max(initial=0.0)))
            return 1.0 / busiest if busiest else float("inf")
        if self.kind != LISTS:
            return 1.0
        senders = self.senders
        listed = np.bincount(self.to, self.weights, self.hosts)
        others = (1.0 - self.share) * (int(senders.sum()) - senders) / max(1, self.hosts - 1)
        return 1.0 / max(1.0, float((listed + others).max(initial=0.0)))

    @property
    def weights(self) -> np.ndarray:
        """The share of its host's packets that each place in the lists gets, float64[k]."""
        count = np.diff(self.first)
        return self.share / np.repeat(count, count)

    @cached_property
    def _listed(self) -> "csr_array":
        """What goes by the lists, by the switches of destination and source."""
        from scipy.sparse import coo_array

        sender = np.repeat(self.switch, np.diff(self.first))
        places = (self.weights, (self.switch[self.to], sender))
        return coo_array(places, shape=(self.switches, self.switches)).tocsr()

    def __repr__(self) -> str:
        return f"Traffic({self.name})"
