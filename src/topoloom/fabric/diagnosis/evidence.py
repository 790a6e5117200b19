"""The input of rules: the plan, the fabric with its differences, the verification of its tables, and the limits."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Literal

import numpy as np

from topoloom.core.errors import InputError
from topoloom.fabric.compare import cables_between
from topoloom.fabric.comparison import EXTRA, MISSING, SWAPPED, WRONG, Cable, Comparison, Plug, Words
from topoloom.fabric.diagnosis.finding import Ends
from topoloom.fabric.diagnosis.passive.facts import PassiveFacts
from topoloom.fabric.diagnosis.root import SPLIT_FURTHER, Root
from topoloom.fabric.distinct_names import distinct_names, unplanned_nodes
from topoloom.fabric.fabric import Fabric, each_node
from topoloom.fabric.identify import Match, plain_name
from topoloom.fabric.port_names import canonical_port
from topoloom.fabric.port_settings import UNSET, PortSettings
from topoloom.fabric.port_texts import port_texts
from topoloom.fabric.running import Rate
from topoloom.fabric.table_verifier import TableVerification
from topoloom.graph.connectivity import components
from topoloom.routing.verification.verification import Verification

#: The data VLs that InfiniBand has: VL0 to VL14 (InfiniBand Architecture Specification 1.7, 7.6.3).
MOST_VIRTUAL_CHANNELS = 15
#: The kinds of differences in which a cable is not where it should be.
ELSEWHERE = (WRONG, MISSING, EXTRA, SWAPPED)


@dataclass(frozen=True)
class PlanFacts:
    """Facts about a plan in addition to its fabric, for texts and lengths; `Network.facts` has those of an opened network.

    Attributes
    ----------
    racks : sequence of str
        The rack of each planned switch; empty: not known.
    cable_numbers : mapping of (switch, port) to str
        The number of the planned cable in a port.
    labels : sequence of str
        The label on each switch, which counts as one of its names.
    length_m, stock_m : float64[links] or None
        The path length of each link's cable, and the length in which it was bought, in m; NaN where not known.
    product : sequence of str
        The product of each link's cable; empty where not known.
    units : sequence of str
        The unit of each rack in `racks`; empty: not known.
    passive : PassiveFacts or None
        The panels, cords and trunks that links pass through; None if there are none.
    """

    racks: Sequence[str] = ()
    cable_numbers: Mapping[Plug, str] = field(default_factory=lambda: MappingProxyType({}))
    labels: Sequence[str] = ()
    length_m: np.ndarray | None = None
    stock_m: np.ndarray | None = None
    product: Sequence[str] = ()
    units: Sequence[str] = ()
    passive: PassiveFacts | None = None

    @property
    def places(self) -> tuple[str, ...]:
        """The rack of each planned switch, as in `racks`, with its unit where it is known: ``R01 U40``."""
        if not self.units:
            return tuple(self.racks)
        return tuple(rack_and_unit(rack, unit) for rack, unit in zip(self.racks, self.units, strict=True))


@dataclass(frozen=True)
class HardwareLimits:
    """Requirements on a network in addition to its plan.

    Attributes
    ----------
    radix : int or None
        Ports of a switch; None: as many as the fabric states.
    virtual_channels : int
        Data virtual channels that the switches have.
    longest_m : float or None
        The greatest length of a cable between switches.
    reach_m : mapping of str to float
        The greatest length of a cable of a product, by its title.
    taper : float or None
        The greatest number of host ports of a leaf per link upwards, or of their Gb/s where rates differ: 2 for a taper of 2:1.
    rate : (int, float) or None
        Lanes (0: any) and Gb/s at which every cable must run (`topoloom.fabric.rates.parse_rate`).
    connectors : int or None
        The most mated connector pairs that a link passes in panels.
    """

    radix: int | None = None
    virtual_channels: int = MOST_VIRTUAL_CHANNELS
    longest_m: float | None = None
    reach_m: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    taper: float | None = None
    rate: Rate | None = None
    connectors: int | None = None

    def __post_init__(self) -> None:
        for name, value, least in (
            ("radix", self.radix, 1),
            ("virtual_channels", self.virtual_channels, 1),
            ("connectors", self.connectors, 1),
        ):
            if value is not None and value < least:
                raise InputError(f"{name}={value}: must be {least} or more")
        for name, amount in (("longest_m", self.longest_m), ("taper", self.taper)):
            if amount is not None and not amount > 0:
                raise InputError(f"{name}={amount}: must be more than 0")


@dataclass(frozen=True)
class Side:
    """The plan, or the fabric compared with it, with its nodes by the numbers of the comparison.

    Attributes
    ----------
    which : "plan" or "actual"
    fabric : Fabric
    switch, host : int64[switches], int64[hosts]
        The number of each as a node.
    """

    which: Literal["plan", "actual"]
    fabric: Fabric
    switch: np.ndarray
    host: np.ndarray

    @cached_property
    def link_cables(self) -> list[Cable]:
        """The cables of links in their order, each with its lower plug first."""
        ends = np.stack([self.switch[self.fabric.topology.links], self.fabric.link_ports], axis=2).tolist()
        return [_ordered((u, p), (v, q)) for (u, p), (v, q) in ends]

    @cached_property
    def end_cables(self) -> list[Cable]:
        """The cables of endpoints in their order."""
        fabric = self.fabric
        rows = zip(
            self.switch[fabric.topology.endpoints].tolist(),
            fabric.endpoint_ports.tolist(),
            self.host[fabric.topology.host].tolist(),
            fabric.host_ports.tolist(),
            strict=True,
        )
        return [_ordered((s, p), (x, q)) for s, p, x, q in rows]

    @cached_property
    def _names(self) -> dict[int, tuple[str, Mapping[int, str]]]:
        """The name of each node, and the names of its ports."""
        fabric = self.fabric
        nodes = (
            (self.switch, fabric.switch_names, fabric.switch_port_names),
            (self.host, fabric.host_names, fabric.host_port_names),
        )
        return {
            node: (name, of_ports)
            for numbers, names, ports in nodes
            for node, name, of_ports in zip(numbers.tolist(), names, each_node(ports, len(names)), strict=True)
        }

    def port_names(self, node: int) -> Mapping[int, str]:
        """The names of a node's ports by number; none if the node is not there, or its ports have numbers only."""
        return self._names.get(node, ("", {}))[1]

    def settings(self, node: int, port: int) -> PortSettings:
        """What is stated of a port."""
        name, ports = self._names.get(node, ("", {}))
        return self.fabric.port_settings.get((name, ports.get(port, "")), UNSET)

    def listed_ports(self, node: int) -> set[str]:
        """The ports of a node of which anything is stated; devices that list all their ports state something of each."""
        return {*self.fabric.settings_by_device.get(self._names.get(node, ("", {}))[0], ())}

    @cached_property
    def part(self) -> np.ndarray:
        """The connected part of the network that contains each switch, int64[switches]."""
        return components(self.fabric.topology)

    @cached_property
    def level(self) -> np.ndarray:
        """Hops from the nearest switch with hosts, int64[switches]; -1 without a path to one."""
        topology = self.fabric.topology
        offsets, to, _ = topology.csr
        level = np.where(topology.endpoints_at > 0, 0, -1)
        front = np.flatnonzero(level == 0)
        hop = 0
        while front.size:
            hop += 1
            near = np.unique(np.concatenate([to[offsets[s] : offsets[s + 1]] for s in front.tolist()] or [front]))
            front = near[level[near] < 0]
            level[front] = hop
        return level

    @cached_property
    def leaves(self) -> np.ndarray:
        """Switches with hosts whose links all go to switches without, int64[leaves]: those that have a taper."""
        topology = self.fabric.topology
        flat = np.zeros(topology.switches, bool)
        both = (self.level[topology.links] == 0).all(axis=1)
        flat[topology.links[both].ravel()] = True
        return np.flatnonzero((self.level == 0) & ~flat & (topology.degrees > 0))


def rack_and_unit(rack: str, unit: str) -> str:
    """A rack and a unit as texts have them; empty without a rack.

    Examples
    --------
    >>> rack_and_unit("R01", "40"), rack_and_unit("R01", "u40"), rack_and_unit("R01", "")
    ('R01 U40', 'R01 U40', 'R01')
    """
    plain = unit.strip().upper()
    return " ".join(filter(None, (rack, f"U{plain}" if plain[:1].isdecimal() else plain))) if rack else ""


def _ordered(first: Plug, second: Plug) -> Cable:
    return (first, second) if first <= second else (second, first)


class Evidence:
    """Everything that the checks of rules use.

    Parameters
    ----------
    plan : Fabric
    actual : Fabric, optional
    match : Match, optional
        The node matching.
    comparison : Comparison, optional
        The differences.
    verification : TableVerification or Verification, optional
        Of the tables of the fabric (of the plan, without a fabric).
    facts : PlanFacts
    limits : HardwareLimits
    hosts : bool
        Whether to include hosts and their cables.

    Attributes
    ----------
    names : tuple of str
        Names of all nodes: the planned switches, planned hosts, then nodes that are not planned.
    words : Words
        Formats texts.
    roots : list of Root
        The causes of the differences, each once, from `roots_of`.
    """

    def __init__(
        self,
        plan: Fabric,
        actual: Fabric | None = None,
        match: Match | None = None,
        comparison: Comparison | None = None,
        verification: TableVerification | Verification | None = None,
        facts: PlanFacts | None = None,
        limits: HardwareLimits | None = None,
        hosts: bool = True,
    ) -> None:
        self.verification, self.limits, self.hosts = verification, limits or HardwareLimits(), hosts
        self.facts = facts or PlanFacts()
        self.comparison = comparison
        self.roots: list[Root] = []
        n, h = plan.topology.switches, plan.topology.hosts
        self.planned_switches, self.planned_nodes = n, n + h
        self.plan = Side("plan", plan, np.arange(n), n + np.arange(h))
        self.actual: Side | None = None
        called: dict[int, str] = {}
        self.names: tuple[str, ...] = tuple(name for part in distinct_names(plan) for name in part)
        if actual is not None and match is not None and comparison is not None:
            switch, host = match.switch.copy(), np.where(match.host >= 0, match.host + n, -1)
            own_names = distinct_names(actual)
            more, more_hosts = unplanned_nodes(switch, own_names[0]), unplanned_nodes(host, own_names[1])
            switch[more] = n + h + np.arange(more.size)
            host[more_hosts] = n + h + more.size + np.arange(more_hosts.size)
            self.actual = Side("actual", actual, switch, host)
            self.names, called = comparison.names, comparison.called
        texts, of_ports = port_texts(*((side.fabric, side.switch, side.host) for side in self.sides))
        self.words = Words(self.names, called, self.facts.places, self.facts.cable_numbers, texts, of_ports)

    @property
    def sides(self) -> Iterator[Side]:
        """The plan, then the fabric compared with it, if any."""
        yield self.plan
        if self.actual is not None:
            yield self.actual

    @property
    def by_neighbours(self) -> bool:
        """Whether the discovery has only what devices hear of each other: a host without an agent is never in it."""
        return self.actual is not None and self.actual.fabric.by_neighbours

    @cached_property
    def not_right(self) -> frozenset[Cable]:
        """The planned cables that are not as planned."""
        comparison = self.comparison
        if comparison is None:
            return frozenset()
        return frozenset(
            cable
            for difference in comparison.differences
            if difference.kind in ELSEWHERE
            for cable in difference.planned
        )

    @cached_property
    def unplanned(self) -> frozenset[Cable]:
        """The cables where none is planned."""
        comparison = self.comparison
        if comparison is None:
            return frozenset()
        return frozenset(
            cable for difference in comparison.differences if difference.kind in ELSEWHERE for cable in difference.found
        )

    @cached_property
    def in_further_lanes(self) -> frozenset[Cable]:
        """The cables in lanes of ports that are split further than planned; known when `roots` are."""
        return frozenset(cable for root in self.roots if root.kind == SPLIT_FURTHER for cable in root.found)

    @cached_property
    def _lost_by_port(self) -> dict[tuple[str, str], Cable]:
        """The planned cables that are not right, by the names of device (also the actual one) and port."""
        return {
            (plain_name(name), canonical_port(port_name)): cable
            for cable in self.not_right
            for node, port in cable
            if (port_name := self.plan.port_names(node).get(port))
            for name in (self.names[node], self.words.called.get(node, ""))
        }

    def lost_at(self, ports: Iterable[tuple[str, str]]) -> frozenset[Cable]:
        """The planned cables that are not right and have an end in one of these ports, by the names of device and port."""
        keys = [(plain_name(device), canonical_port(port)) for device, port in ports if port]
        return frozenset(self._lost_by_port[key] for key in keys if key in self._lost_by_port)

    @cached_property
    def unclear(self) -> frozenset[Cable]:
        """The planned cables that are not right because of entries of the discovery that are no cable."""
        flaws = () if self.actual is None else self.actual.fabric.flaws
        return self.lost_at(end for flaw in flaws for end in flaw.ports)

    def is_unread(self, node: int) -> bool:
        """Whether only neighbours name a switch of the discovery, so that no cable at its other ports can be seen."""
        unread = () if self.actual is None else self.actual.fabric.unread
        return plain_name(self.words.called.get(node, self.names[node])) in map(plain_name, unread)

    @cached_property
    def planned(self) -> set[Cable]:
        """Every planned cable."""
        return cables_between(self.plan.fabric, self.plan.switch, self.plan.host, self.hosts)

    @cached_property
    def planned_at(self) -> dict[int, list[Cable]]:
        """The planned cables of every planned node."""
        at: dict[int, list[Cable]] = {}
        for cable in sorted(self.planned):
            for node, _ in cable:
                at.setdefault(node, []).append(cable)
        return at

    def is_host(self, node: int) -> bool:
        """Whether a node is a host."""
        if node < self.planned_nodes:
            return node >= self.planned_switches
        extra = 0 if self.comparison is None else len(self.comparison.extra_switches)
        return node >= self.planned_nodes + extra

    def node(self, node: int) -> str:
        """A switch or host as texts name it: with its rack, and with its actual name in brackets."""
        other = self.words.called.get(node)
        return self.words.node(node) + (f" ({other})" if other else "")

    def ends(self, cables: Iterable[Cable]) -> tuple[Ends, ...]:
        """Cables by the names of their nodes."""
        return self.words.plugged_cables(cables)

    def numbers(self, cables: Iterable[Cable]) -> tuple[str, ...]:
        """The numbers of planned cables, where the cable list has them."""
        return tuple(number for cable in cables if (number := self.words.number(cable)))

    def racks(self, nodes: Iterable[int]) -> tuple[str, ...]:
        """The racks of nodes, each once."""
        rack_of = self.facts.racks
        return tuple(dict.fromkeys(rack_of[node] for node in nodes if node < len(rack_of) and rack_of[node]))
