"""The hosts of a network whose rates differ, as the search for the worst permutation needs them."""

import numpy as np

from topoloom.model.capacities import capacities, whole_capacities
from topoloom.model.topology import Topology
from topoloom.throughput.traffic.making import host_switches

#: The highest rate in whole numbers; where rates have no ratio of smaller numbers, they are rounded.
_MOST_RATE = 1 << 24


class RatedHosts:
    """The hosts of a mixed network by switch and rate, and the capacities of its channels in the same whole numbers.

    Parameters
    ----------
    topology : Topology
    tables : int
        Host i of a switch is the destination of table i modulo their number.
    """

    def __init__(self, topology: Topology, tables: int = 1) -> None:
        relative, n = capacities(topology), topology.switches
        steps, level = np.unique(relative.hosts, return_inverse=True)
        self._level = level.reshape(-1)
        whole = whole_capacities(np.append(steps, 1.0) * (relative.unit_gbps or 1.0), _MOST_RATE)
        self._rate, self._capacity = whole[:-1], relative.channels * float(whole[-1])
        self._switch = host_switches(topology)
        place = np.arange(self._switch.size) - np.searchsorted(self._switch, self._switch)
        self._row = place % tables * n + self._switch
        # The hosts of each switch, and those to which each row of the tables leads, by the level of their rate.
        self._hosts, self._wanted = (np.zeros((rows, steps.size), np.int64) for rows in (n, tables * n))
        np.add.at(self._hosts, (self._switch, self._level), 1)
        np.add.at(self._wanted, (self._row, self._level), 1)

    def greatest(
        self,
        first: np.ndarray,
        ports: np.ndarray,
        order: np.ndarray,
        place: np.ndarray,
        size: np.ndarray,
        goal: np.ndarray,
        begin: int,
        end: int,
        known: float,
    ) -> tuple[int, float]:
        """Return the channel of the switches begin .. end - 1 that some permutation fills most, and the share of its capacity.

        Parameters
        ----------
        first, ports, order, place, size, goal
            The channels and trees of the tables (`kernels.worst`).
        begin, end : int
        known : float
            Channels that cannot reach this share are skipped.

        Returns
        -------
        (int, float)
        """
        from topoloom.throughput.traffic.kernels.worst_rates import greatest_share

        trees = first, ports, order, place, size
        hosts = self._hosts, self._wanted, goal, self._rate, self._capacity
        channel, share = greatest_share(*trees, *hosts, begin, end, known)
        return int(channel), float(share)

    def permutation(
        self,
        ports: np.ndarray,
        order: np.ndarray,
        place: np.ndarray,
        size: np.ndarray,
        goal: np.ndarray,
        switch: int,
        port: int,
    ) -> np.ndarray:
        """Return a permutation of the hosts, int64[hosts], that sends as much as possible over a port of a switch.

        Parameters
        ----------
        ports, order, place, size, goal
            The trees of the tables (`kernels.worst`).
        switch, port : int

        Returns
        -------
        int64[hosts]
            Hosts that the matching does not use are paired in order.
        """
        from topoloom.throughput.traffic.kernels.worst_rates import heaviest_matching

        hosts = self._hosts, self._wanted, goal, self._rate
        pairs = heaviest_matching(ports, order, place, size, *hosts, switch, port)
        (senders, sent), (receivers, got) = (
            (np.lexsort((self._level, group)), (np.cumsum(counts.ravel()) - counts.ravel()).reshape(counts.shape))
            for group, counts in ((self._switch, self._hosts), (self._row, self._wanted))
        )
        partner = np.full(senders.size, -1, np.int64)
        for source, level, row, other, amount in pairs.tolist():
            begin, start = sent[source, level], got[row, other]
            partner[senders[begin : begin + amount]] = receivers[start : start + amount]
            sent[source, level] += amount
            got[row, other] += amount
        partner[partner < 0] = np.setdiff1d(np.arange(partner.size), partner)
        return partner
