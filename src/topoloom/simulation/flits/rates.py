"""The rates of links and hosts as the time of a flit, in cycles: a cycle is the time of a flit on the fastest link."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from msgspec import structs

from topoloom.core.errors import InputError
from topoloom.model.link_rates import shown_rate
from topoloom.model.topology import Topology
from topoloom.simulation.flits.kernels.fields import PACE_CYCLES, PACE_FLITS, PACE_SIZE
from topoloom.simulation.flits.router_config import RouterConfig
from topoloom.throughput.traffic import LISTS, Traffic

#: The most cycles of a flit on a slow link; the largest denominator of that number, of which more digits are lost.
_MOST_CYCLES, _MOST_FLITS = 1 << 12, 1 << 17


@dataclass(frozen=True, eq=False)
class FlitRates:
    """The rates of a network with several.

    Attributes
    ----------
    fastest_gbps : float
        The highest rate of a link or an endpoint.
    link, endpoint : int64[links, 2], int64[endpoints, 2]
        A flit takes ``[:, 0] / [:, 1]`` cycles on the link, and on the link of the endpoint, exactly.
    """

    fastest_gbps: float
    link: np.ndarray
    endpoint: np.ndarray

    @property
    def flits(self) -> np.ndarray:
        """The flits per cycle of each endpoint at load 1.0, float64[endpoints]."""
        return np.asarray(self.endpoint[:, 1] / self.endpoint[:, 0])

    def by_host(self, ports: np.ndarray | None) -> np.ndarray:
        """Return the flits per cycle of all ports of each host, float64[hosts].

        Parameters
        ----------
        ports : int32[hosts, k] or None
            The endpoints of each host, from `ports_of_hosts`; None: one each.
        """
        return self.flits if ports is None else np.asarray(self.flits[ports].sum(axis=1))

    def cycles_of_channels(self, topology: Topology) -> np.ndarray:
        """Return the cycles of a flit on each channel, float64[channels].

        Parameters
        ----------
        topology : Topology
            The network of these rates.
        """
        return np.asarray((self.link[:, 0] / self.link[:, 1])[topology.csr[2]])

    def pace(self, places: int, channel_port: np.ndarray, link: np.ndarray, host_port: np.ndarray) -> np.ndarray:
        """Return the argument `pace` of the kernels, int64[places * 4], with free ports.

        Parameters
        ----------
        places : int
            The port indices of all switches.
        channel_port, link : int64[channels]
            The port index of each channel, and its link.
        host_port : int64[endpoints]
            The port index of each endpoint.

        Returns
        -------
        int64[places * 4]
        """
        pace = np.zeros((places, PACE_SIZE), np.int64)
        for where, ratio in ((channel_port, self.link[link]), (host_port, self.endpoint)):
            pace[where, PACE_CYCLES], pace[where, PACE_FLITS] = ratio.T
        return pace.reshape(-1)


def flit_rates(topology: Topology) -> FlitRates | None:
    """Return the rates of a network; None where all links and endpoints have the same, or none.

    Parameters
    ----------
    topology : Topology

    Returns
    -------
    FlitRates or None

    Raises
    ------
    InputError
        The rates differ by more than the simulator's limit.

    Examples
    --------
    >>> line = Topology(links=[(0, 1)], switches=2, endpoints=[0, 1], name="line")
    >>> flit_rates(line.with_rates(400, 150)).endpoint.tolist(), flit_rates(line.with_rates(400))
    ([[8, 3], [8, 3]], None)
    """
    if not topology.mixed or topology.link_rate_gbps is None or topology.endpoint_rate_gbps is None:
        return None
    fastest = float(topology.rates_gbps[-1])
    if fastest > _MOST_CYCLES * topology.rates_gbps[0]:
        raise InputError(
            f"{topology.name}: links of {shown_rate(topology.rates_gbps)}; rates that differ by a factor of at most"
            f" {_MOST_CYCLES} can be simulated"
        )
    cycles = {
        rate: (Fraction(repr(fastest)) / Fraction(repr(rate))).limit_denominator(_MOST_FLITS)
        for rate in topology.rates_gbps.tolist()
    }
    link, endpoint = (
        np.array([cycles[rate].as_integer_ratio() for rate in rates.tolist()], np.int64).reshape(-1, 2)
        for rates in (topology.link_rate_gbps, topology.endpoint_rate_gbps)
    )
    return FlitRates(fastest, link, endpoint)


def router_at(topology: Topology, config: RouterConfig) -> RouterConfig:
    """Return a router whose cycle is the time of a flit on the fastest link of a network with several rates.

    Without the size of a flit, and where all rates are the same, it is the given router.

    Parameters
    ----------
    topology : Topology
    config : RouterConfig

    Returns
    -------
    RouterConfig
    """
    if not topology.mixed or not config.flit_bits:
        return config
    return structs.replace(config, cycle_ns=config.flit_bits / float(topology.rates_gbps[-1]))


def flits_at_full_load(
    traffic: Traffic, rates: FlitRates | None, ports: np.ndarray | None, itself: bool = False
) -> float:
    """Return the flits per cycle that all hosts together create at load 1.0, when each sends at its own rate.

    Parameters
    ----------
    traffic : Traffic
        Between hosts.
    rates : FlitRates or None
        None: every endpoint creates one flit per cycle.
    ports : int32[hosts, k] or None
        The endpoints of each host; None: one each.
    itself : bool
        Whether uniform traffic includes the sender itself.

    Returns
    -------
    float
    """
    each = 1 if ports is None else ports.shape[1]
    if rates is None:
        return each * (int(traffic.senders.sum()) if traffic.pace is None else float(traffic.sent.sum()))
    own = rates.by_host(ports)
    to_any = own * uniform_shares(own, itself) * (1.0 if traffic.pace is None else traffic.pace)
    if traffic.kind != LISTS:
        return float(to_any.sum())
    return float(traffic.amounts_at(own).sum() + (1.0 - traffic.share) * to_any[traffic.senders].sum())


def uniform_shares(own: np.ndarray, itself: bool) -> np.ndarray:
    """Return the share of its rate that each host sends in uniform traffic, float64[hosts].

    Traffic between two hosts is proportional to the rates of both, and no host receives more than its rate. Without traffic to
    itself, hosts of more than the lowest rate then send a little less than their own.

    Parameters
    ----------
    own : float64[hosts]
        The rate of each host.
    itself : bool
        Whether uniform traffic includes the sender itself.

    Returns
    -------
    float64[hosts]
    """
    if itself or own.size < 2:
        return np.ones(own.size)
    return np.asarray((own.sum() - own) / (own.sum() - own.min()))
