"""Capacities of links and rates of host ports as multiples of one reference rate: the units of loads, cuts and throughput.

The reference is the lowest rate of the network. Where all rates are equal, or none is known, every capacity is exactly 1, so
that loads and throughputs are those of a network without rates.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from topoloom.model.topology import Topology

#: The largest denominator of a rate in Gb/s that `whole_capacities` keeps exactly.
_DENOMINATOR = 1000


@dataclass(frozen=True, eq=False)
class Capacities:
    """The rates of a network as multiples of its lowest rate.

    Attributes
    ----------
    topology : Topology
    unit_gbps : float or None
        The reference: the lowest rate, Gb/s; None for a network without rates.
    """

    topology: Topology
    unit_gbps: float | None

    @property
    def mixed(self) -> bool:
        """Whether rates differ; otherwise every capacity is 1."""
        return self.topology.mixed

    @cached_property
    def links(self) -> np.ndarray:
        """The capacity of each link per direction, float64[m]."""
        return self._relative(self.topology.link_rate_gbps, len(self.topology.links))

    @cached_property
    def ports(self) -> np.ndarray:
        """The rate of each endpoint, float64[k]."""
        return self._relative(self.topology.endpoint_rate_gbps, self.topology.endpoints.size)

    @cached_property
    def channels(self) -> np.ndarray:
        """The capacity of each channel, float64[2 m], in the order of `Topology.csr`."""
        return np.asarray(self.links[self.topology.csr[2]])

    @cached_property
    def hosts(self) -> np.ndarray:
        """The rate of each host port, float64[hosts]; where the network has none, one port per switch of the lowest rate."""
        return self.ports if self.topology.endpoints.size else np.ones(self.topology.switches)

    @cached_property
    def at_switches(self) -> np.ndarray:
        """The rate of all host ports of each switch together, float64[n]; where the network has none, 1 for each."""
        topology = self.topology
        if not topology.endpoints.size:
            return np.ones(topology.switches)
        return np.bincount(topology.endpoints, self.ports, topology.switches)

    def _relative(self, rates: np.ndarray | None, count: int) -> np.ndarray:
        if rates is None or self.unit_gbps is None or not self.mixed:
            return np.ones(count)
        return np.asarray(rates / self.unit_gbps)


def capacities(topology: Topology) -> Capacities:
    """Return the capacities of a network.

    Examples
    --------
    >>> pair = Topology(links=[(0, 1)], switches=2, endpoints=[0, 1], link_rate_gbps=400, endpoint_rate_gbps=[100, 200])
    >>> relative = capacities(pair)
    >>> relative.unit_gbps, relative.links.tolist(), relative.ports.tolist()
    (100.0, [4.0], [1.0, 2.0])
    """
    return Capacities(topology, float(topology.rates_gbps[0]) if topology.rates_gbps.size else None)


def channel_capacities(topology: Topology) -> np.ndarray | None:
    """Return the capacity of each channel, float64[2 m] in the order of `Topology.csr`; None where every capacity is 1."""
    return capacities(topology).channels if topology.mixed else None


def whole_capacities(rates_gbps: np.ndarray, most: int | None = None) -> np.ndarray:
    """Return whole numbers in the ratio of the rates: the least such numbers, for methods that need integers.

    Parameters
    ----------
    rates_gbps : float64[m]
        Rates are taken as multiples of 1/1000 Gb/s at finest.
    most : int, optional
        Where a number would exceed it, all are scaled down and rounded, so that the ratio is approximate.

    Returns
    -------
    int64[m]
        At least 1 each.

    Examples
    --------
    >>> whole_capacities(np.array([25.0, 100.0, 400.0])).tolist(), whole_capacities(np.array([54.56, 100.0])).tolist()
    ([1, 4, 16], [341, 625])
    """
    distinct, place = np.unique(rates_gbps, return_inverse=True)
    if not distinct.size:
        return np.empty(0, np.int64)
    fractions = [Fraction(rate).limit_denominator(_DENOMINATOR) for rate in distinct.tolist()]
    common = int(np.lcm.reduce([fraction.denominator for fraction in fractions]))
    numbers = np.array([max(1, int(fraction * common)) for fraction in fractions], np.int64)
    numbers //= np.gcd.reduce(numbers)
    if most is not None and numbers.max() > most:
        numbers = np.maximum(1, np.rint(numbers * (most / numbers.max()))).astype(np.int64)
    return np.asarray(numbers[place.reshape(-1)])
