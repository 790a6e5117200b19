"""The kinds of switches that a network is bought with: one where all cables have the same rate, else by their ports' rates."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from topoloom.core.errors import InputError
from topoloom.cost.cages import SwitchCage
from topoloom.cost.parts import Parts
from topoloom.cost.products import PortCounts, port_total, shown_ports
from topoloom.cost.switch_products import SwitchProduct
from topoloom.cost.terms import Terms
from topoloom.model.link_rates import own_rates
from topoloom.model.topology import Topology
from topoloom.topologies.families.part import Arrival
from topoloom.topologies.spec import build


@dataclass(frozen=True, eq=False)
class SwitchKind:
    """Switches that are bought alike.

    Attributes
    ----------
    switches : int64[k]
        Their numbers.
    rate_gbps : float or None
        The rate of all ports; None where they differ.
    ports, bought : int or mapping of float to int
        The ports that each needs, and is bought with, by rate where rates differ.
    in_use : float
        The mean number of ports in use.
    """

    switches: np.ndarray
    rate_gbps: float | None
    ports: int | PortCounts
    bought: int | PortCounts
    in_use: float

    def product(self, parts: Parts) -> SwitchProduct | None:
        """The product that is bought; None where a line prices switches."""
        return parts.switch_product(self.bought, self.rate_gbps)

    @property
    def words(self) -> str:
        """The ports, for a bill: "64 ports"."""
        return f"{shown_ports(self.ports)} ports"

    def ports_bought(self, parts: Parts) -> int:
        """All ports of one switch, idle ones included."""
        product = self.product(parts)
        if product is None:
            return port_total(self.bought)
        if isinstance(self.bought, int):
            return product.ports_at(self.rate_gbps)
        return port_total(self.bought) + (product.idle_ports(self.bought) or 0)


def switch_kinds(topology: Topology, terms: Terms) -> tuple[SwitchKind, ...]:
    """The switches to buy: of one kind if all ports have the same rate, else one kind for each set of rates.

    Switches with ports of the same rates are bought alike, with the most ports that any of them uses at each rate. If no
    product has all of these, each switch is bought for its own ports.

    Parameters
    ----------
    topology : Topology
    terms : Terms
        Give the catalogue, the rate, the radix and the share of spare ports.

    Returns
    -------
    tuple of SwitchKind

    Raises
    ------
    InputError
        The radix is too small, or is given for a network of several rates; the share of spare ports is out of range.
    """
    if not 0 <= terms.spare_ports < 1e6:
        raise InputError(f"spare_ports={terms.spare_ports:g}: give a share from 0 to a million (0.25 is 25 %)")
    if not topology.mixed:
        ports = topology.radix if terms.radix is None else terms.radix
        if ports < topology.radix:
            raise InputError(f"radix={ports} is too small: a switch of {topology.name} uses {topology.radix} ports")
        in_use = (2 * len(topology.links) + topology.endpoints.size) / topology.switches
        bought = _with_spare(ports, terms.spare_ports)
        return (SwitchKind(np.arange(topology.switches), terms.link_rate_gbps, ports, bought, in_use),)
    if terms.radix is not None:
        raise InputError(
            f"radix={terms.radix}: {topology.name} has ports of several rates, and each switch is bought for its own; give"
            " spare_ports instead"
        )
    return tuple(sorted(_mixed_kinds(topology, terms), key=lambda kind: int(kind.switches[0])))


def kinds_if_sold(topology: Topology, terms: Terms) -> tuple[SwitchKind, ...] | None:
    """The switches to buy, as `switch_kinds`; None where the catalogue has no switch for one of them.

    Parameters
    ----------
    topology : Topology
    terms : Terms
    """
    try:
        kinds = switch_kinds(topology, terms)
        for kind in kinds:
            kind.product(terms.catalogue)
    except InputError:
        return None
    return kinds


def kinds_of_part(kinds: Sequence[SwitchKind], topology: Topology) -> tuple[SwitchKind, ...]:
    """The switches of a part of a network, with the ports that they need in all of it.

    Parameters
    ----------
    kinds : sequence of SwitchKind
        Of the whole network.
    topology : Topology
        The part: the first switches of the network.

    Returns
    -------
    tuple of SwitchKind
    """
    ports = topology.degrees + topology.endpoints_at
    of_part = []
    for kind in kinds:
        switches = kind.switches[kind.switches < topology.switches]
        if switches.size:
            of_part.append(replace(kind, switches=switches, in_use=float(ports[switches].mean())))
    return tuple(of_part)


def kinds_bought(topology: Topology, terms: Terms) -> tuple[SwitchKind, ...]:
    """The switches to buy for a network: as `switch_kinds`; of a part of a network of several rates, for all of that network.

    Parameters
    ----------
    topology : Topology
        A part has a spec that ends in ``+part:hosts=``.
    terms : Terms

    Returns
    -------
    tuple of SwitchKind

    Raises
    ------
    InputError
        As `switch_kinds`.
    """
    whole_spec = (topology.spec or "").rpartition("+part:hosts=")[0]
    if not topology.mixed or not whole_spec:
        return switch_kinds(topology, terms)
    whole = build(whole_spec)
    built = np.flatnonzero(Arrival(whole, (topology.hosts, whole.hosts)).switch == 0)
    number = np.full(whole.switches, topology.switches)
    number[built] = np.arange(built.size)
    kinds = (replace(kind, switches=np.sort(number[kind.switches])) for kind in switch_kinds(whole, terms))
    return kinds_of_part(tuple(kinds), topology)


def _mixed_kinds(topology: Topology, terms: Terms) -> Iterator[SwitchKind]:
    counts, rates = port_counts(topology), topology.rates_gbps.tolist()
    _, pattern = np.unique(counts > 0, axis=0, return_inverse=True)
    for number in range(int(pattern.max()) + 1):
        alike = np.flatnonzero(pattern.reshape(-1) == number)
        whole = _kind(counts, alike, rates, terms)
        try:
            whole.product(terms.catalogue)
        except InputError:
            _, own = np.unique(counts[alike], axis=0, return_inverse=True)
            for mix in range(int(own.max()) + 1):
                yield _kind(counts, alike[own.reshape(-1) == mix], rates, terms)
        else:
            yield whole


def _kind(counts: np.ndarray, switches: np.ndarray, rates: list[float], terms: Terms) -> SwitchKind:
    most = counts[switches].max(axis=0).tolist()
    # A switch without cables has no port at the lowest rate.
    ports = {rate: count for rate, count in zip(rates, most, strict=True) if count} or {rates[0]: 0}
    bought = {rate: _with_spare(count, terms.spare_ports) for rate, count in ports.items()}
    in_use = float(counts[switches].sum() / switches.size)
    if len(ports) != 1:
        return SwitchKind(switches, None, ports, bought, in_use)
    ((rate, count),) = ports.items()
    return SwitchKind(switches, rate, count, bought[rate], in_use)


def _with_spare(ports: int, share: float) -> int:
    # Rounding errors, as in 20 * 1.1, must not buy a port.
    return math.ceil(ports * (1 + share) * (1 - 1e-12))


def port_counts(topology: Topology) -> np.ndarray:
    """The ports of each switch at each of the network's rates, int64[switches, rates], rates ascending."""
    rates = topology.rates_gbps
    counts = np.zeros((topology.switches, rates.size), np.int64)
    if topology.link_rate_gbps is None or topology.endpoint_rate_gbps is None:
        return counts
    column = np.searchsorted(rates, topology.link_rate_gbps)
    for ends in topology.links.T:
        np.add.at(counts, (ends, column), 1)
    np.add.at(counts, (topology.endpoints, np.searchsorted(rates, topology.endpoint_rate_gbps)), 1)
    return counts


def switch_feeds_w(topology: Topology, parts: Parts, rate_gbps: float) -> float | np.ndarray:
    """The power that a rack must supply to a switch, W.

    Parameters
    ----------
    topology : Topology
    parts : Parts
    rate_gbps : float
        The rate of all ports; in a network of several rates, each port has its own instead.

    Returns
    -------
    float or float64[switches]
        One number, or that of each switch in a network of several rates; 0 where that of any switch is not known.
    """
    if not topology.mixed:
        return parts.switch_feed_w(topology.radix, rate_gbps)
    watts = np.zeros(topology.switches)
    for kind in switch_kinds(topology, Terms(parts=parts)):
        watts[kind.switches] = parts.switch_feed_w(kind.bought, kind.rate_gbps)
    return watts if watts.all() else 0.0


@dataclass(frozen=True, eq=False)
class LinkCages:
    """What the cages of switches take at the ends of links.

    Attributes
    ----------
    kinds : tuple of SwitchCage
    ends : int64[links, n]
        The kind of cage at each end of a link that is at a switch: two of a link, one of a host's cable.
    """

    kinds: tuple[SwitchCage, ...]
    ends: np.ndarray

    def groups(self, links: int) -> Iterator[tuple[np.ndarray, tuple[SwitchCage, ...]]]:
        """Yield the links with the same cages at their ends, bool[links], and these cages; `links` is their number."""
        # One number per pair of cages: sorting rows is slow.
        key = np.zeros(links, np.int64)
        for end in self.ends[:links].T:
            key = key * len(self.kinds) + end
        for number in np.flatnonzero(np.bincount(key)).tolist():
            same = key == number
            yield same, tuple(self.kinds[end] for end in self.ends[same.argmax()].tolist())


def cages_of_ends(
    topology: Topology, parts: Parts, rate_gbps: float, switches: Sequence[SwitchKind] | None = None
) -> tuple[LinkCages, LinkCages] | None:
    """What the cages of the switches take, at the ends of all links and at those of the hosts' cables.

    Parameters
    ----------
    topology : Topology
    parts : Parts
    rate_gbps : float
        The rate of all ports, Gb/s; in a network of several rates, each port has its own instead.
    switches : sequence of SwitchKind, optional
        The switches that are bought; those of the catalogue for the network, if omitted.

    Returns
    -------
    (LinkCages, LinkCages) or None
        None where the catalogue has no suitable switch, or names no cages at all.
    """
    named = (kind.connector for product in parts.switch.product for kind in product.port_kinds)
    if not any(named) and not any(cable.switch_connector for cable in parts.cable):
        return None
    if switches is None:
        switches = kinds_if_sold(topology, Terms(parts=parts, rate_gbps=None if topology.mixed else rate_gbps))
    if switches is None:
        return None
    products = [kind.product(parts) for kind in switches]
    rates = topology.rates_gbps if topology.mixed else np.array([rate_gbps])
    kind_of = np.zeros(topology.switches, np.int64)
    cages = []
    for number, (kind, product) in enumerate(zip(switches, products, strict=True)):
        kind_of[kind.switches] = number
        for rate in rates.tolist():
            needed = kind.bought if isinstance(kind.bought, int) else kind.bought.get(rate, 0)
            cages.append(SwitchCage() if product is None else product.cage_at(rate, needed))
    of_links, of_hosts = own_rates(topology, rate_gbps)
    at_links, at_hosts = (np.searchsorted(rates, own) for own in (of_links, of_hosts))
    links = kind_of[topology.links] * rates.size + np.reshape(at_links, (-1, 1))
    hosts = kind_of[topology.endpoints] * rates.size + at_hosts
    return LinkCages(tuple(cages), links), LinkCages(tuple(cages), hosts[:, None])
