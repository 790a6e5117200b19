"""The flat networks of a family that carry a number of hosts: switches, links and mean distance, by the family's own steps."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

#: The share of the most links below which lifts of fewer links are not tried.
_FEWEST_LINKS = 0.75


@dataclass(frozen=True)
class FlatPlan:
    """A flat network of equal switches.

    Attributes
    ----------
    switches, hosts_per_switch, links : int
        `links` are those of each switch to others.
    mean_hops : float
        The expected mean distance between two switches of a network of this size.
    structure : str
        The family's own parameters, as in a spec.
    """

    switches: int
    hosts_per_switch: int
    links: int
    mean_hops: float
    structure: str = ""

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
            Of families that are drawn at random.

        Returns
        -------
        str
        """
        drawn = f",seed={seed}" if FLAT_FAMILIES[family].random else ""
        return f"{family}:{self.structure},hosts={self.hosts_per_switch}{drawn}"


@dataclass(frozen=True)
class FlatFamily:
    """A family of flat networks.

    Attributes
    ----------
    plans : callable
        Yields the networks for hosts, ports of a switch, and hosts on every switch; as many other ports as possible are links.
    random : bool
        Whether its networks are drawn by a seed.
    panels : str
        The passive panels that its links pass through, where both networks have panels.
    """

    plans: Callable[[int, int, int], Iterator[FlatPlan]]
    random: bool = True
    panels: str = "field"


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


def ring_hops(supernodes: int, size: int) -> float:
    """Return the mean distance of two switches of a DRing: two supernodes per hop, and two hops within a supernode.

    Parameters
    ----------
    supernodes, size : int

    Returns
    -------
    float

    Examples
    --------
    >>> ring_hops(5, 1), round(ring_hops(10, 2), 3)
    (1.0, 1.684)
    """
    apart = [min(step, supernodes - step) for step in range(1, supernodes)]
    total = size * sum(-(-steps // 2) for steps in apart) + 2 * (size - 1)
    return total / (supernodes * size - 1)


def _drawn(step: int) -> Callable[[int, int, int], Iterator[FlatPlan]]:
    """Random networks whose switches have a multiple of `step` links, at most one to each other switch."""

    def plans(hosts: int, ports: int, on_switch: int) -> Iterator[FlatPlan]:
        switches = max(3, -(-hosts // on_switch))
        links = min(ports - on_switch, switches - 1) // step * step
        if links >= max(2, step):
            own = f"n={switches},degree={links}"
            yield FlatPlan(switches, on_switch, links, expected_hops(switches, links), own)

    return plans


def _rings(hosts: int, ports: int, on_switch: int) -> Iterator[FlatPlan]:
    """DRings of every size of supernodes."""
    for size in range((ports - on_switch) // 4, 0, -1):
        supernodes = max(5, -(-hosts // (on_switch * size)))
        own = f"supernodes={supernodes},size={size}"
        yield FlatPlan(supernodes * size, on_switch, 4 * size, ring_hops(supernodes, size), own)


def _lifts(hosts: int, ports: int, on_switch: int) -> Iterator[FlatPlan]:
    """Xpanders of one lift, from the most links down: whole meta-nodes, so that fewer links may need fewer switches."""
    most = min(ports - on_switch, -(-hosts // on_switch) - 1)
    for links in range(most, max(1, math.ceil(_FEWEST_LINKS * most) - 1), -1):
        copies = -(-hosts // (on_switch * (links + 1)))
        switches = copies * (links + 1)
        own = f"degree={links},lifts={copies}"
        yield FlatPlan(switches, on_switch, links, expected_hops(switches, links), own)


#: The families of flat networks that are sized.
FLAT_FAMILIES = {
    "jellyfish": FlatFamily(_drawn(1)),
    "shuffled": FlatFamily(_drawn(4), panels="shuffle"),
    "xpander": FlatFamily(_lifts),
    "dring": FlatFamily(_rings, random=False),
}
