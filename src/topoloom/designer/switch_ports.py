"""What fits on a switch of a requirement: links and host ports, each at their own rate; and the sizes of candidates."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import product as pairs_of
from typing import Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.cost.parts import Parts
from topoloom.cost.switch_kinds import kinds_if_sold, port_counts
from topoloom.cost.switch_products import SwitchProduct
from topoloom.cost.terms import Terms
from topoloom.designer.requirement import Requirement
from topoloom.model.topology import Topology
from topoloom.topologies.families.fattree import TAPERS, fat_tree_sizes
from topoloom.topologies.families.tree_plan import TreePlan, plan_tree
from topoloom.topologies.spec import Family

#: The largest second number of the ratio that is closest to a limit.
_RATIO = 8


@dataclass(frozen=True)
class SwitchPorts:
    """The ports of the switches that a requirement allows.

    Attributes
    ----------
    radix : int
        The most ports of a switch, of all rates together.
    rate_gbps, host_gbps : float
        The rates of links and of host ports, Gb/s.
    products : tuple of SwitchProduct
        The switches that may be bought; empty where a line prices switches, each port of which takes any rate.
    most_taper : float or None
        The most bandwidth down per bandwidth up that the limits allow; None without such a limit.

    Examples
    --------
    >>> from topoloom.cost.parts_files import load_parts
    >>> sold = [one for one in load_parts("ethernet-2026").switch.product if one.name == "SN5600"]
    >>> ports = SwitchPorts(256, 400.0, 200.0, tuple(sold))
    >>> ports.most_links, ports.most_hosts(64), ports.fits(65, 128)  # two links, or four hosts, to a cage
    (128, 128, False)
    """

    radix: int
    rate_gbps: float
    host_gbps: float
    products: tuple[SwitchProduct, ...]
    most_taper: float | None = None

    @classmethod
    def of(cls, requirement: Requirement, parts: Parts) -> "SwitchPorts":
        """The ports that a completed requirement allows; `parts` as `Requirement.catalogue` returns them."""
        limits = requirement.limits
        ratios = [ratio for ratio in (limits.taper, limits.blocking, limits.oversubscription) if ratio is not None]
        most = min(ratios, default=None)
        return cls(requirement.radix, requirement.rate_gbps, requirement.host_gbps, parts.switch.product, most)

    @property
    def mixed(self) -> bool:
        """Whether host ports and links differ in rate."""
        return self.rate_gbps != self.host_gbps

    def fits(self, links: int, hosts: int) -> bool:
        """Whether a switch has ports for these numbers of links and host ports."""
        if links + hosts > self.radix:
            return False
        if not self.mixed or not self.products:
            return True
        ports = {rate: count for rate, count in ((self.rate_gbps, links), (self.host_gbps, hosts)) if count}
        return not ports or any(product.serves(ports) for product in self.products)

    def most_hosts(self, links: int) -> int:
        """The most host ports of a switch with that many links; 0 where the links do not fit."""
        fitting, beyond = 0, max(0, self.radix - links) + 1
        while beyond - fitting > 1:
            middle = (fitting + beyond) // 2
            fitting, beyond = (middle, beyond) if self.fits(links, middle) else (fitting, middle)
        return fitting

    @cached_property
    def most_links(self) -> int:
        """The most links of a switch without hosts."""
        return max((links for links in range(self.radix + 1) if self.fits(links, 0)), default=0)

    @cached_property
    def split(self) -> int:
        """The host ports that have the bandwidth of a link: 4 of 100 Gb/s under links of 400; at least 1."""
        return max(1, int(self.rate_gbps / self.host_gbps * (1 + 1e-9)))

    @cached_property
    def leaves(self) -> tuple["SwitchPorts", ...]:
        """The ports of leaves: those of each product that has ports of both rates, one for products with the same cages."""
        shapes = {
            (
                tuple((kind.cages, kind.modes, kind.totals) for kind in product.port_kinds),
                product.logical_ports,
            ): product
            for product in reversed(self.products)
        }
        of_products = [replace(self, products=(product,)) for product in shapes.values()]
        return tuple(ports for ports in reversed(of_products) if ports.fits(1, 1)) or (self,)

    @cached_property
    def tapers(self) -> tuple[tuple[int, int], ...]:
        """Bandwidth down to bandwidth up at the leaves of the proposed trees: the usual ratios and the largest allowed.

        Examples
        --------
        >>> SwitchPorts(64, 100, 100, (), 3.0).tapers, SwitchPorts(64, 100, 100, (), 2.0).tapers
        (((1, 1), (3, 2), (2, 1), (4, 1), (3, 1)), ((1, 1), (3, 2), (2, 1), (4, 1)))
        """
        most = 1.0 if self.most_taper is None else min(max(1.0, self.most_taper), float(self.radix))
        allowed = (Fraction(int(most * down * (1 + 1e-9)), down) for down in range(1, _RATIO + 1))
        return tuple(dict.fromkeys((*TAPERS, max(allowed).as_integer_ratio())))

    def carries(self, topology: Topology) -> bool:
        """Whether every switch of a network can be bought."""
        if not topology.mixed:
            return topology.radix <= self.radix
        rates, counts = topology.rates_gbps.tolist(), np.unique(port_counts(topology), axis=0)
        if counts.sum(axis=1).max() > self.radix:
            return False
        needs = [{rate: count for rate, count in zip(rates, row, strict=True) if count} for row in counts.tolist()]
        return not self.products or all(
            any(product.serves(ports) for product in self.products) for ports in needs if ports
        )

    def idle_hosts(self, topology: Topology, parts: Parts | None = None) -> int:
        """The host ports that still fit on the switches that carry hosts, as they are bought.

        Parameters
        ----------
        topology : Topology
        parts : Parts, optional
            The catalogue that they are bought from; without it, and where it lacks one of them, any of `products` may serve.
        """
        terms = None if parts is None else Terms(parts=parts, rate_gbps=None if topology.mixed else self.rate_gbps)
        kinds = None if terms is None else kinds_if_sold(topology, terms)
        if kinds is None or parts is None:
            return self._idle_hosts(topology, np.arange(topology.switches))
        idle = 0
        for kind in kinds:
            product = kind.product(parts)
            bought = self if product is None else replace(self, products=(product,))
            if product is not None and not self.mixed:
                bought = replace(bought, radix=min(self.radix, product.ports_at(self.rate_gbps)))
            idle += bought._idle_hosts(topology, kind.switches)
        return idle

    def _idle_hosts(self, topology: Topology, switches: np.ndarray) -> int:
        """The host ports that still fit on those of some switches that carry hosts."""
        carrying = switches[topology.endpoints_at[switches] > 0]
        links, hosts = topology.degrees[carrying], topology.endpoints_at[carrying]
        if not self.mixed:
            return int(np.maximum(self.radix - links - hosts, 0).sum())
        degrees, place = np.unique(links, return_inverse=True)
        most = np.array([self.most_hosts(int(degree)) for degree in degrees], np.int64)
        return int(np.maximum(most[place] - hosts, 0).sum())


def sizes_of(record: Family, hosts: int, ports: SwitchPorts) -> Iterator[dict[str, Any]]:
    """The parameter sets of a family for a number of host ports.

    Where host ports are slower than links, several of them take the bandwidth of one link: also sizes are offered in which that
    many host ports take the place of each.

    Parameters
    ----------
    record : Family
    hosts : int
        Host ports.
    ports : SwitchPorts

    Returns
    -------
    iterator of dict
        As `Family.sizes` gives them. The switches of some may not be available where rates differ.
    """
    if record.sizes is None:
        return
    if not ports.mixed:
        yield from record.sizes(hosts, ports.radix)
        further = ports.tapers[len(TAPERS) :]
        if record.name == "fat-tree" and further:
            yield from fat_tree_sizes(hosts, ports.radix, further)
    elif record.name == "fat-tree":
        yield from trees(hosts, ports)
    else:
        if record.name == "clos":
            yield from _leaf_spines(hosts, ports)
        yield from record.sizes(hosts, ports.most_links)
        key = "hosts" if record.takes_hosts else "p" if "p" in record.parameters else None
        if ports.split > 1 and key is not None:
            for values in record.sizes(-(-hosts // ports.split), _equivalent_radix(ports)):
                if values.get(key) is not None:
                    yield {**values, key: values[key] * ports.split}


def trees(hosts: int, ports: SwitchPorts) -> Iterator[dict[str, Any]]:
    """Fat trees for host ports and links of different rates, with the leaves of each product and each of `ports.tapers`.

    Parameters
    ----------
    hosts : int
        Host ports.
    ports : SwitchPorts

    Returns
    -------
    iterator of dict
        Parameters of family ``fat-tree``, with a leaf whose ports are numbered apart from those of the switches above.
    """
    for leaves, taper in pairs_of(ports.leaves, ports.tapers):
        for even in (True, False):
            plan = tree_of_taper(hosts, ports, taper, even=even, leaves=leaves)
            if plan is None:
                break
            if even:
                evenly = plan
            elif plan.switches >= evenly.switches:
                continue
            values = parameters_of(plan)
            yield values
            if even and plan.pods and taper > (1, 1):
                slower = tree_of_taper(hosts, ports, (1, 1), core_taper=taper, leaves=leaves)
                if slower is not None and slower.pods:
                    yield parameters_of(slower) | {"core_taper": taper}


def _leaf_spines(hosts: int, ports: SwitchPorts) -> Iterator[dict[str, Any]]:
    """The trees of two levels as parameters of family ``clos``."""
    for leaves, taper in pairs_of(ports.leaves, ports.tapers):
        plan = tree_of_taper(hosts, ports, taper, leaves=leaves)
        if plan is not None and not plan.pods and plan.leaves > 1:
            yield {"leaves": plan.leaves, "spines": plan.tops, "width": plan.bundle, "hosts": plan.down}


def parameters_of(plan: TreePlan) -> dict[str, Any]:
    """The parameters of family ``fat-tree`` that build a plan."""
    values: dict[str, Any] = {"k": plan.k, "hosts": plan.hosts, "leaf": (plan.down, plan.up)}
    if plan.down + plan.up > plan.k:
        values["leaf_k"] = plan.down + plan.up
    return values | ({} if plan.even else {"bundles": "uneven"})


def tree_of_taper(
    hosts: int,
    ports: SwitchPorts,
    taper: tuple[int, int],
    core_taper: tuple[int, int] = (1, 1),
    *,
    even: bool = True,
    leaves: SwitchPorts | None = None,
) -> TreePlan | None:
    """The tree of fewest switches, then fewest links, whose leaves keep a ratio of bandwidth down to bandwidth up.

    Parameters
    ----------
    hosts : int
        Host ports.
    ports : SwitchPorts
    taper, core_taper : (int, int)
        The largest ratio at a leaf, and at an aggregation switch.
    even : bool
        Whether all bundles of links have the same number of links.
    leaves : SwitchPorts, optional
        The ports of a leaf, if other than those of the switches above.

    Returns
    -------
    TreePlan or None
        None where no leaf makes a tree of two or three levels.
    """
    k, best = ports.most_links, None
    for up in range(1, k):
        carried = int(taper[0] * up * ports.rate_gbps / (taper[1] * ports.host_gbps) * (1 + 1e-9))
        most = min((leaves or ports).most_hosts(up), carried, hosts - 1)
        if most < 1:
            continue
        # The fewest hosts that need no more leaves, which fill these evenly; and as many as fit.
        for down in dict.fromkeys((-(-hosts // -(-hosts // most)), most)):
            try:
                plan = plan_tree(k, hosts, leaf=(down, up), leaf_k=down + up, core_taper=core_taper, even=even)
            except InputError:
                continue
            size = (plan.switches, plan.leaf_links + plan.core_links)
            if plan.tops and (best is None or size < best[0]):
                best = (size, plan)
    return None if best is None else best[1]


def _equivalent_radix(ports: SwitchPorts) -> int:
    """The bandwidth of the largest switch in links: of 48 ports of 25 Gb/s and 6 of 100, 18 links of 100."""
    capacity = max((product.capacity_gbps for product in ports.products), default=float("inf"))
    return ports.most_links if capacity == float("inf") else max(ports.most_links, int(capacity / ports.rate_gbps))
