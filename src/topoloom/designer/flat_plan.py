"""The size of a flat network for a number of hosts: servers and links per switch, by a rule, for a wanted oversubscription."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology

#: The families of random networks that are sized, and the number that the links of a switch are a multiple of.
FLAT_FAMILIES = {"jellyfish": 1, "shuffled": 4}
#: Times that a plan is corrected by what its network was measured to carry, before single hosts are taken off its switches.
_CORRECTIONS = 4
_TOO_MUCH = (
    "no flat network of {ports}-port switches carries {hosts:,} hosts at {ratio:g}:1 with this routing; allow more"
    " oversubscription, or more ports"
)


@dataclass(frozen=True)
class FlatPlan:
    """A flat network of equal switches.

    Attributes
    ----------
    switches, hosts_per_switch, links : int
        `links` are those of each switch to others.
    mean_hops : float
        The expected mean distance between two switches of a random network of this size.
    """

    switches: int
    hosts_per_switch: int
    links: int
    mean_hops: float

    @property
    def throughput(self) -> float:
        """The share of full rate that shortest paths can carry of uniform traffic at most: links / (hosts x mean hops)."""
        return self.links / (self.hosts_per_switch * self.mean_hops)

    def spec(self, family: str, seed: int) -> str:
        """The network as a spec of a family of `FLAT_FAMILIES`.

        Parameters
        ----------
        family : str
        seed : int

        Returns
        -------
        str
        """
        return f"{family}:n={self.switches},degree={self.links},hosts={self.hosts_per_switch},seed={seed}"


def expected_hops(switches: int, links: int) -> float:
    """Return the expected mean distance of two switches of a random regular network.

    The links of switches at distance k, less one to where they came from, end at those not reached yet, with all their links,
    and at each other: an end of an unreached switch is taken with p = a (d - 1) / (u d + a (d - 1)) for a switches at distance
    k and u unreached ones of degree d, and such a switch stays unreached with (1 - p)^d.

    Parameters
    ----------
    switches, links : int

    Returns
    -------
    float
        inf where the network would fall apart.

    Examples
    --------
    >>> round(expected_hops(1000, 64), 2)
    1.95
    """
    others = switches - 1
    at, unreached = float(min(links, others)), float(others - min(links, others))
    total, distance = at, 1
    while unreached > 0.5 and at > 1e-9:
        distance += 1
        ends = at * (links - 1)
        at = unreached * (1.0 - (1.0 - ends / (unreached * links + ends)) ** links)
        total, unreached = total + distance * at, unreached - at
    return math.inf if unreached > 0.5 else (total + unreached * (distance + 1)) / others


def flat_plan(hosts: int, ports: int, hosts_per_switch: int, family: str = "jellyfish") -> FlatPlan | None:
    """Return the flat network with a number of hosts on every switch; all other ports are links, at most one per other switch.

    Parameters
    ----------
    hosts, ports, hosts_per_switch : int
    family : str
        A key of `FLAT_FAMILIES`.

    Returns
    -------
    FlatPlan or None
        None where fewer than two links are left.
    """
    switches = max(3, -(-hosts // hosts_per_switch))
    step = FLAT_FAMILIES[family]
    links = min(ports - hosts_per_switch, switches - 1) // step * step
    if links < max(2, step):
        return None
    return FlatPlan(switches, hosts_per_switch, links, expected_hops(switches, links))


def sized_plan(
    hosts: int, ports: int, oversubscription: float, family: str = "jellyfish", carried: float = 1.0
) -> FlatPlan:
    """Return the flat network with the fewest switches that carries uniform traffic at an oversubscription.

    Parameters
    ----------
    hosts, ports : int
        Hosts of the network, and ports of each switch.
    oversubscription : float
        1 / the share of full rate that uniform traffic gets.
    family : str
        A key of `FLAT_FAMILIES`.
    carried : float
        The share of the bound of shortest paths that the routing carries.

    Returns
    -------
    FlatPlan

    Raises
    ------
    InputError
        No number of hosts per switch is small enough.

    Examples
    --------
    >>> plan = sized_plan(61440, 128, 2)
    >>> plan.switches, plan.hosts_per_switch, plan.links
    (960, 64, 64)
    """
    for on_switch in range(min(ports - 2, hosts), 0, -1):
        plan = flat_plan(hosts, ports, on_switch, family)
        if plan is not None and plan.throughput * carried * oversubscription >= 1.0:
            return plan
    raise InputError(_TOO_MUCH.format(ports=ports, hosts=hosts, ratio=oversubscription))


def measured_plan(
    hosts: int,
    ports: int,
    oversubscription: float,
    family: str,
    seed: int,
    measure: Callable[[str], tuple[Topology, float]],
) -> tuple[FlatPlan, Topology]:
    """Return a flat network whose routing was measured to carry uniform traffic at a ratio.

    The plan for the bound of shortest paths is corrected by what its network carries, up to four times; then hosts are taken
    off its switches until it carries enough. The result is not proven to have the fewest switches.

    Parameters
    ----------
    hosts, ports, oversubscription, family
        As for `sized_plan`.
    seed : int
        The seed of the network.
    measure : callable
        Returns the network of a spec, and the share of full rate that its routing carries of uniform traffic.

    Returns
    -------
    (FlatPlan, Topology)

    Raises
    ------
    InputError
        As `sized_plan`.
    """
    carried, plan = 1.0, sized_plan(hosts, ports, oversubscription, family)
    enough: dict[int, tuple[FlatPlan, Topology]] = {}
    tried: set[int] = set()
    for _ in range(_CORRECTIONS):
        topology, share = measure(plan.spec(family, seed))
        tried.add(plan.hosts_per_switch)
        if share * oversubscription >= 1.0:
            enough[plan.hosts_per_switch] = plan, topology
        carried = share / plan.throughput
        plan = sized_plan(hosts, ports, oversubscription, family, carried)
        if plan.hosts_per_switch in tried:
            break
    while not enough:
        on_switch = min(tried) - 1
        smaller = flat_plan(hosts, ports, on_switch, family) if on_switch > 0 else None
        if smaller is None:
            raise InputError(_TOO_MUCH.format(ports=ports, hosts=hosts, ratio=oversubscription))
        topology, share = measure(smaller.spec(family, seed))
        tried.add(on_switch)
        if share * oversubscription >= 1.0:
            enough[on_switch] = smaller, topology
    return enough[max(enough)]


def ratio_text(oversubscription: float) -> str:
    """Return an oversubscription as two whole numbers, such as ``5:2``, as the spec of a fat tree takes it.

    Examples
    --------
    >>> ratio_text(2.5)
    '5:2'
    """
    ratio = Fraction(oversubscription).limit_denominator(100)
    return f"{ratio.numerator}:{ratio.denominator}"


def shares_of_links(topology: Topology) -> tuple[float, float]:
    """Return what one loss takes of the links of a switch with hosts at most: the loss of a cable, and of another switch.

    Parameters
    ----------
    topology : Topology

    Returns
    -------
    (float, float)
        Shares of the links of the switch that loses most.
    """
    from topoloom.throughput.flow import arcs

    origin, _, capacity = arcs(topology)
    links = np.bincount(origin, capacity, topology.switches)
    carries = topology.endpoints_at[origin] > 0
    share = (capacity / links[origin])[carries]
    return float((1.0 / links[origin[carries]]).max(initial=0.0)), float(share.max(initial=0.0))
