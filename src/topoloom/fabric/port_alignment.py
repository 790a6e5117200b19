"""Ports by their names: giving the ports of a discovered fabric the numbers that the plan gives to ports of the same names.

`compare_fabrics` compares numbers of ports. Where ports have names, equal names count, also in another spelling, and numbers
mean nothing: SONiC's ``Ethernet8`` is the second port of one switch and the third of another. Where one of the two does not
state a port, a cable counts as in its place if it leads from the right port at its other end to the right device.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from topoloom.fabric.comparison import Cable, Plug
from topoloom.fabric.fabric import Fabric, each_node
from topoloom.fabric.identify import Match
from topoloom.fabric.port_aliases import with_planned_words
from topoloom.fabric.port_names import UNKNOWN, PortMatcher, cage_number, is_host_port, is_management_port, port_numbers

_DIGITS = re.compile(r".*?([0-9]+)", re.DOTALL)
#: SONiC numbers the lanes of all ports.
_FIRST_LANE = re.compile(r"Ethernet([0-9]{1,5})")
_Names = Mapping[int, str]


@dataclass(frozen=True, eq=False)
class AlignedPorts:
    """A discovered fabric with the port numbers of the plan.

    Attributes
    ----------
    actual : Fabric
    comparable : bool
        Whether both state ports in a form that can be compared, at any switch that is in both.
    """

    actual: Fabric
    comparable: bool


def aligned_ports(plan: Fabric, actual: Fabric, match: Match) -> AlignedPorts:
    """The discovered fabric with the plan's numbers for the ports that have the planned names.

    Parameters
    ----------
    plan, actual : Fabric
    match : Match
        The node matching.

    Returns
    -------
    AlignedPorts
        `actual` unchanged if no port of the two has a name.
    """
    if not (plan.named_ports or actual.named_ports):
        return AlignedPorts(actual, comparable=True)
    actual = with_planned_words(plan, actual, match)
    nodes, of_switches = _Nodes(), None
    n = plan.topology.switches
    stated = actual.settings_by_device
    for planned, own, devices, sizes, numbers, first in (
        (plan.switch_port_names, actual.switch_port_names, actual.switch_names, plan.switch_ports, match.switch, 0),
        (plan.host_port_names, actual.host_port_names, actual.host_names, plan.host_sizes, match.host, n),
    ):
        planned, own = each_node(planned, sizes.size), each_node(own, numbers.size)
        for number, names, device in zip(numbers.tolist(), own, devices, strict=True):
            if number >= 0:
                own_settings = stated.get(device, {})
                lanes = {own_settings[name].lanes for name in names.values() if name in own_settings}
                nodes.add(first + number, planned[number], names, int(sizes[number]), lanes, host=first > 0)
        of_switches = nodes.comparable if of_switches is None else of_switches
    return AlignedPorts(nodes.renumbered(plan, actual, match), bool(of_switches))


class _Nodes:
    """The new number of every port of the discovered devices that are in the plan."""

    def __init__(self) -> None:
        self.comparable = False
        #: The new number of each port by its old one, and the name of each port by its new number.
        self._new: dict[int, dict[int, int]] = {}
        self._named: dict[int, dict[int, str]] = {}
        #: Ports that the discovery, and that the plan, does not state so that they could be compared.
        self._unstated: set[Plug] = set()
        self._unplanned: set[Plug] = set()
        self._beyond: dict[int, int] = {}

    def add(
        self, node: int, planned: _Names, own: _Names, size: int, lanes: Collection[int] = (), *, host: bool = False
    ) -> None:
        """Number the ports of a device.

        Parameters
        ----------
        node : int
            Its number in the plan.
        planned, own : mapping of int to str
            The names of its ports in the plan and in the discovery; empty: numbers only.
        size : int
            Its number of ports in the plan.
        lanes : collection of int
            The numbers of lanes that its ports have, where stated.
        host : bool
            Whether it is a host, whose ports are counted from 0 (ens3f0, ens3f1) or from 1.
        """
        self._beyond[node] = max([size, *planned, *own])
        self._unplanned |= {(node, port) for port, name in planned.items() if name == UNKNOWN}
        if aside := _beside_management(planned, own):
            numbers, stated = aside
        elif planned and own:
            matcher = PortMatcher({name: port for port, name in planned.items()})
            numbers = {port: None if name == UNKNOWN else matcher.number(name) for port, name in own.items()}
            stated = {port for port, name in own.items() if name != UNKNOWN}
        elif planned or own:
            # The numbers of one side are compared with the numbers in the names of the other.
            as_named = all(name == UNKNOWN or _number_in(name) == port for port, name in (planned or own).items())
            if host and own:
                as_named &= {_number_in(name) for name in own.values()} == {*range(1, size + 1)}
            if planned:
                self._named[node] = dict(planned)
                if not as_named:
                    self._unplanned |= {(node, port) for port in planned}
                self.comparable |= as_named
                return
            by_lane = _numbers_by_lane(own, lanes)
            numbers = by_lane or {port: port if as_named and name != UNKNOWN else None for port, name in own.items()}
            stated = {port for port, name in own.items() if (as_named or by_lane) and name != UNKNOWN}
        else:
            self.comparable = True
            return
        self.comparable |= bool(stated) and (not planned or any(planned.values()))
        new = self._new[node] = {}
        names = self._named[node] = dict(planned)
        planned_most = max([size, *planned])
        in_plan = {number for number in numbers.values() if number is not None}
        for port, number in numbers.items():
            if number is None or number in new.values():
                # Not in the plan, or another spelling of a port that is already there. A fabric that is aligned again keeps its
                # numbers.
                number = port if port > planned_most and port not in new.values() else self._following(node)
            new[port] = number
            if own[port] != UNKNOWN or number not in in_plan:
                names[number] = own[port]
            if port not in stated:
                self._unstated.add((node, number))

    def _following(self, node: int) -> int:
        self._beyond[node] += 1
        return self._beyond[node]

    def renumbered(self, plan: Fabric, actual: Fabric, match: Match) -> Fabric:
        """The discovered fabric with the new numbers and names."""
        n = plan.topology.switches
        switch = match.switch
        host = np.where(match.host >= 0, match.host + n, -1)
        topology = actual.topology
        link_ports = self._moved(switch[topology.links].ravel(), actual.link_ports.ravel()).reshape(-1, 2)
        endpoint_ports = self._moved(switch[topology.endpoints], actual.endpoint_ports)
        host_ports = self._moved(host[topology.host], actual.host_ports)
        loops = actual.loops.copy()
        for end in (1, 2):
            loops[:, end] = self._moved(switch[loops[:, 0]], loops[:, end])
        nodes = [*switch[topology.links].ravel().tolist()]
        ends = [
            *zip(nodes, link_ports.ravel().tolist(), strict=True),
            *zip(switch[topology.endpoints].tolist(), endpoint_ports.tolist(), strict=True),
            *zip(host[topology.host].tolist(), host_ports.tolist(), strict=True),
        ]
        k = topology.endpoints.size
        first = ends[: -2 * k] if k else ends
        cables = list(zip(first[::2], first[1::2], strict=True))
        cables += zip(ends[len(first) : len(first) + k], ends[len(first) + k :], strict=True)
        places = self._places(_planned_cables(plan), cables)
        if places:
            ends = [places.get(plug, plug) for plug in ends]
            link_ports = np.array([port for _, port in ends[: len(first)]], np.int32).reshape(-1, 2)
            endpoint_ports = np.array([port for _, port in ends[len(first) : len(first) + k]], np.int32)
            host_ports = np.array([port for _, port in ends[len(first) + k :]], np.int32)
        return replace(
            actual,
            link_ports=link_ports,
            endpoint_ports=endpoint_ports,
            host_ports=host_ports,
            loops=loops,
            switch_ports=self._sizes(switch, actual.switch_ports),
            host_sizes=self._sizes(host, actual.host_sizes),
            switch_port_names=self._names(switch, actual.switch_port_names),
            host_port_names=self._names(host, actual.host_port_names),
        )

    def _places(self, planned: Iterable[Cable], cables: Iterable[Cable]) -> dict[Plug, Plug]:
        """The planned port for ports that one of the two does not state, by what is stated at the other end."""
        used = {plug for cable in cables for plug in cable}
        planned_at = {plug: cable for cable in planned for plug in cable}
        places: dict[Plug, Plug] = {}
        taken: set[Plug] = set()
        open_ = []

        def place(plug: Plug, wanted: Plug) -> None:
            if plug != wanted:
                places[plug] = wanted
                name = self._named.get(plug[0], {}).pop(plug[1], None)
                if name:
                    self._named[plug[0]][wanted[1]] = name
            taken.add(wanted)

        for cable in cables:
            for near, far_plug in (cable, cable[::-1]):
                wanted = planned_at.get(near)
                if wanted is None or near in taken:
                    continue
                end = wanted[1] if wanted[0] == near else wanted[0]
                is_open = far_plug in self._unstated or end in self._unplanned
                if end[0] == far_plug[0] and is_open and end not in taken and (end == far_plug or end not in used):
                    taken.add(near)
                    place(far_plug, end)
                    break
            else:
                if all(plug in self._unstated for plug in cable) or all(plug not in planned_at for plug in cable):
                    open_.append(cable)
        # Neither end is stated on both sides: any planned cable between the same devices will do.
        free: defaultdict[tuple[int, int], list[Cable]] = defaultdict(list)
        for cable in dict.fromkeys(planned_at.values()):
            if not taken.intersection(cable) and not used.intersection(cable):
                (a, _), (b, _) = cable
                free[min(a, b), max(a, b)].append(cable)
        for cable in open_:
            (a, _), (b, _) = cable
            for wanted in free[min(a, b), max(a, b)]:
                ends = wanted if wanted[0][0] == cable[0][0] else wanted[::-1]
                pairs = list(zip(cable, ends, strict=True))
                if all(plug in self._unstated or end in self._unplanned for plug, end in pairs):
                    for plug, end in pairs:
                        place(plug, end)
                    free[min(a, b), max(a, b)].remove(wanted)
                    break
        # A device with one port that is not stated, and one planned port that nothing is in: this one.
        empty: defaultdict[int, list[Plug]] = defaultdict(list)
        for plug in planned_at:
            if plug not in taken and plug not in used:
                empty[plug[0]].append(plug)
        rest = [plug for plug in self._unstated if plug in used and plug not in places]
        many = Counter(node for node, _ in rest)
        for plug in rest:
            if many[plug[0]] == 1 == len(empty[plug[0]]):
                place(plug, empty[plug[0]][0])
        return places

    def _moved(self, nodes: np.ndarray, ports: np.ndarray) -> np.ndarray:
        moved = [
            self._new.get(node, {}).get(port, port) for node, port in zip(nodes.tolist(), ports.tolist(), strict=True)
        ]
        return np.array(moved, np.int32)

    def _sizes(self, numbers: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        pairs = zip(numbers.tolist(), sizes.tolist(), strict=True)
        return np.array([self._beyond[node] if node in self._new else size for node, size in pairs], np.int32)

    def _names(self, numbers: np.ndarray, names: tuple[_Names, ...]) -> tuple[_Names, ...]:
        own = each_node(names, numbers.size)
        return tuple(self._named.get(node, of_node) for node, of_node in zip(numbers.tolist(), own, strict=True))


def _planned_cables(plan: Fabric) -> list[Cable]:
    topology, n = plan.topology, plan.topology.switches
    links = [((u, p), (v, q)) for (u, v), (p, q) in zip(topology.links.tolist(), plan.link_ports.tolist(), strict=True)]
    ends = (topology.endpoints, plan.endpoint_ports, topology.host, plan.host_ports)
    return links + [((s, p), (n + h, q)) for s, p, h, q in zip(*(each.tolist() for each in ends), strict=True)]


def _beside_management(planned: _Names, own: _Names) -> tuple[dict[int, int | None], set[int]] | None:
    """The planned number of each port of a device, where the plan names at most its port for management; and the stated ports.

    None if that is not so: eth0 of a host is a port like others.
    """
    management = [port for port, name in own.items() if is_management_port(name)]
    data = {port: name for port, name in own.items() if name != UNKNOWN and port not in management}
    if not all(map(is_management_port, planned.values())) or not (management or planned) or not own:
        return None
    if not planned and (not data or any(map(is_host_port, data.values()))):
        return None
    by_name = port_numbers(data.values())
    as_named = all(_number_in(name) == number for name, number in by_name.items())
    numbers: dict[int, int | None] = dict.fromkeys(own)
    if len(management) == len(planned) == 1:
        numbers = {management[0]: next(iter(planned)), **{port: None for port in own if port not in management}}
    stated = {port for port, number in numbers.items() if number is not None}
    if as_named:
        numbers |= {port: by_name[name] for port, name in data.items() if by_name[name] not in planned}
        stated |= data.keys()
    return numbers, stated


def _numbers_by_lane(names: _Names, lanes: Collection[int]) -> dict[int, int | None]:
    """The place of each port of a SONiC switch on its panel, if all have as many lanes; none if the names do not tell."""
    matches = {port: _FIRST_LANE.fullmatch(name) for port, name in names.items() if name != UNKNOWN}
    if len(lanes) != 1 or not (width := next(iter(lanes))) or not all(matches.values()):
        return {}
    places: dict[int, int | None] = dict.fromkeys(names)
    return places | {port: int(match[1]) // width + 1 for port, match in matches.items() if match}


def _number_in(name: str) -> int:
    match = _DIGITS.fullmatch(name)
    if number := cage_number(name):
        return number
    return int(match[1]) if match else 0
