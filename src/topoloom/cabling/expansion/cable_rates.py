"""The rates of new cables: one of the links between switches, and one of the hosts' ports."""

from dataclasses import dataclass

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.link_rates import only_rate, shown_rate
from topoloom.model.topology import Topology


@dataclass(frozen=True)
class CableRates:
    """The rate of every link between switches, and of every host's port, Gb/s."""

    links: float
    hosts: float

    @property
    def common(self) -> float | None:
        """The rate of all cables; None where both differ, and each cable has its own."""
        return self.links if self.links == self.hosts else None

    def of(self, host: bool) -> float:
        """The rate of a cable to a host, or between switches."""
        return self.hosts if host else self.links

    def given_to(self, topology: Topology) -> Topology:
        """The network with these rates."""
        return topology.replace(link_rate_gbps=self.links, endpoint_rate_gbps=self.hosts)


def own_cable_rates(topology: Topology) -> CableRates | None:
    """The rates of a network's cables; None without rates.

    Parameters
    ----------
    topology : Topology

    Raises
    ------
    InputError
        Links between switches differ in rate, or hosts' ports do: the rate of a new cable is not known.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> own_cable_rates(build("ring:n=4,hosts=1+rates:links=400,hosts=100"))
    CableRates(links=400.0, hosts=100.0)
    """
    links, hosts = topology.link_rate_gbps, topology.endpoint_rate_gbps
    if links is None or hosts is None:
        return None
    for rates, which in ((links, "links between switches"), (hosts, "hosts' ports")):
        if rates.size and only_rate(rates) is None:
            raise InputError(
                f"expand: {topology.name} has {which} of {shown_rate(np.unique(rates))}, so the rate of a new cable is not"
                " known; plan the larger network in phases (topoloom phases), where each cable has its own, or make all links"
                " alike (topoloom convert IN OUT --drop-rates)"
            )
    of_links, of_hosts = (only_rate(rates) for rates in (links, hosts))
    if of_links is None and of_hosts is None:
        return None
    return CableRates(*(of_links or of_hosts or 0.0, of_hosts or of_links or 0.0))
