"""Ports for the new devices of a network: free ports as its existing devices have them, then further switches."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from topoloom.cost.parts import Parts
from topoloom.cost.switch_kinds import switch_kinds
from topoloom.cost.switch_products import SwitchProduct
from topoloom.cost.terms import Terms
from topoloom.machine.attaching import allowed_switches, free_places, leaves_of_each
from topoloom.machine.choices import blocks_of
from topoloom.machine.devices import DeviceGroup
from topoloom.machine.faults import MachineError
from topoloom.machine.requirement import MachineNetwork
from topoloom.network import Network

_ROUNDING = 1 + 1e-9


class Ports:
    """The ports that are in use at each switch of a network, and for how many more each has room.

    Parameters
    ----------
    network : Network
        Of a machine.
    plan : MachineNetwork
    parts : Parts
        Its catalogue.
    """

    def __init__(self, network: Network, plan: MachineNetwork, parts: Parts) -> None:
        topology = network.topology
        self.plan, self.links = plan, topology.links
        count, rate = topology.switches, plan.rate_gbps
        self.in_use: list[Counter[float]] = [Counter() for _ in range(count)]
        self.most: list[int] = network.fabric.switch_ports.tolist()
        self.product: list[SwitchProduct | None] = [None] * count
        terms = Terms(parts=parts, rate_gbps=None if topology.mixed else rate)
        for kind in switch_kinds(topology, terms):
            product = kind.product(parts)
            for switch in kind.switches.tolist():
                self.product[switch] = product
        of_links = topology.link_rate_gbps
        self.link_gbps = np.full(len(topology.links), rate) if of_links is None else of_links
        of_ends = topology.endpoint_rate_gbps
        ends_gbps = np.full(topology.endpoints.size, rate) if of_ends is None else of_ends
        for some, rates in ((topology.links[:, 0], self.link_gbps), (topology.links[:, 1], self.link_gbps)):
            self._count(some, rates)
        self._count(topology.endpoints, ends_gbps)
        #: The switch that each new one is a copy of.
        self.copies: list[int] = []
        level = topology.labels.get("level")
        #: The sums of the rates of the ports down and up, where a limit of the taper holds.
        self.down, self.up = np.zeros((2, count))
        if plan.limits.taper is not None and level is not None:
            ends = topology.links[np.arange(len(topology.links))[:, None], np.argsort(level[topology.links], axis=1)]
            between = level[topology.links[:, 0]] != level[topology.links[:, 1]]
            np.add.at(self.up, ends[between, 0], self.link_gbps[between])
            np.add.at(self.down, ends[between, 1], self.link_gbps[between])
            np.add.at(self.down, topology.endpoints, ends_gbps)
        #: The free ports of products by what is in use, and the room of switches as it is now.
        self._idle: dict[tuple[str, tuple[tuple[float, int], ...], float, int], int] = {}
        self._room: list[dict[float, int]] = [{} for _ in range(count)]

    def _count(self, switches: np.ndarray, rates: np.ndarray) -> None:
        for switch, rate in zip(switches.tolist(), rates.tolist(), strict=True):
            self.in_use[switch][rate] += 1

    def room(self, switch: int, rate_gbps: float) -> int:
        """How many more ports of this rate a switch has: by the cages of its product, where this is known, and by the taper."""
        rooms = self._room[switch]
        if rate_gbps not in rooms:
            ports = self._free(switch, rate_gbps)
            if self.up[switch] and self.plan.limits.taper is not None:
                more_gbps = self.plan.limits.taper * self.up[switch] - self.down[switch]
                ports = max(0, min(ports, int(more_gbps / rate_gbps * _ROUNDING)))
            rooms[rate_gbps] = ports
        return rooms[rate_gbps]

    def _free(self, switch: int, rate_gbps: float) -> int:
        used, product = self.in_use[switch], self.product[switch]
        left: int = self.most[switch] - sum(used.values())
        if product is None or self.plan.switch.radix is not None:
            return max(0, left)
        key = (product.name, tuple(sorted(used.items())), rate_gbps, left)
        if key not in self._idle:
            low, high = 0, max(left, product.ports_at(rate_gbps))
            while low < high:
                middle = (low + high + 1) // 2
                fits = product.serves(used + Counter({rate_gbps: middle}))
                low, high = (middle, high) if fits else (low, middle - 1)
            self._idle[key] = low
        return self._idle[key]

    def rooms(self, rate_gbps: float) -> np.ndarray:
        """As `room` of every switch, int64[switches]."""
        return np.array([self.room(switch, rate_gbps) for switch in range(len(self.in_use))], np.int64)

    def take(self, switch: int, rate_gbps: float, count: int = 1) -> None:
        """Use ports of a switch for devices, or for switches below it.

        Parameters
        ----------
        switch : int
        rate_gbps : float
        count : int
            How many.
        """
        self.in_use[switch][rate_gbps] += count
        self.down[switch] += rate_gbps * count
        self._room[switch].clear()

    def links_of(self, switch: int) -> Iterator[tuple[int, float]]:
        """Yield the links of an existing switch: the other end, and the rate."""
        for link in np.flatnonzero((self.links == switch).any(axis=1)).tolist():
            u, v = self.links[link].tolist()
            yield v if u == switch else u, float(self.link_gbps[link])

    def copy(self, switch: int) -> int:
        """Another switch with the links of an existing one, and no devices; its number."""
        self.in_use.append(Counter())
        self.most.append(self.most[switch])
        self.product.append(self.product[switch])
        self.copies.append(switch)
        self._room.append({})
        number = len(self.in_use) - 1
        self.down, self.up = np.append(self.down, 0.0), np.append(self.up, self.up[switch])
        for other, rate in self.links_of(switch):
            self.take(other, rate)
            self.in_use[number][rate] += 1
        return number


@dataclass(frozen=True, eq=False)
class NewPorts:
    """The ports of the new devices of a network.

    Attributes
    ----------
    copies : tuple of int
        The existing switch that each new switch is a copy of.
    switches : dict of str to int64[ports]
        The switch of each port of each new device, by its name.
    free : int
        The free ports of all switches with devices, at the network's rate, afterwards.
    """

    copies: tuple[int, ...]
    switches: Mapping[str, np.ndarray]
    free: int


@dataclass(frozen=True, eq=False)
class KnownPlaces:
    """Where the devices and the switches of a network stand.

    Attributes
    ----------
    slot : dict of str to int
        That of the rack of each, by its name; those without a place yet are missing.
    apart_m : callable
        The length of a cable between slots.
    inside : dict of int to tuple of int
        For slots with switches of their own for what stands there: the numbers of these switches.
    switch_names : sequence of str
        All switches, those that are planned included.
    """

    slot: Mapping[str, int]
    apart_m: Callable[[np.ndarray, np.ndarray], np.ndarray]
    inside: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    switch_names: Sequence[str] = ()


def new_ports(
    network: Network,
    plan: MachineNetwork,
    parts: Parts,
    groups: Sequence[DeviceGroup],
    standing: KnownPlaces,
    least: int,
) -> NewPorts:
    """Ports for the devices of a network that it does not have yet.

    A new device is connected as those of its kind are: to a set of leaf switches that one of them has, in its rack if
    possible, else to the set with most free ports. Without rails or planes, any other leaf switches with free ports follow.
    At last leaf switches are added, with the links of those that such a set has. On a network with an uplink, a device takes
    the nearest switch with free ports, and as many switches are added as are needed.

    Parameters
    ----------
    network : Network
        Of the existing machine.
    plan : MachineNetwork
    parts : Parts
        Its catalogue.
    groups : sequence of DeviceGroup
        All devices, the existing ones included.
    standing : KnownPlaces
    least : int
        At least as many switches are added to a network with an uplink.

    Returns
    -------
    NewPorts

    Raises
    ------
    InputError
        There are too few free ports, and no switches can be added.
    """
    existing = {name: number for number, name in enumerate(network.fabric.host_names)}
    ports = Ports(network, plan, parts)
    new = [(group, [name for name in group.names if name not in existing]) for group in groups]
    if plan.uplink:
        chosen = _nearest(ports, new, standing, least)
    else:
        order = np.argsort(network.topology.host, kind="stable")
        counts = np.bincount(network.topology.host, minlength=network.topology.hosts)
        of_device = np.split(network.topology.endpoints[order].astype(np.int64), np.cumsum(counts)[:-1])
        chosen = {}
        for group, names in new:
            if names:
                own = {name: of_device[existing[name]] for name in group.names if name in existing}
                chosen |= _like_others(ports, network, group, names, own, standing)
    leaves = np.zeros(len(ports.in_use), bool)
    leaves[network.topology.endpoints] = True
    leaves[len(leaves) - len(ports.copies) :] = True
    free = int(ports.rooms(plan.rate_gbps)[leaves].sum())
    return NewPorts(tuple(ports.copies), chosen, free)


def _nearest(
    ports: Ports, new: Sequence[tuple[DeviceGroup, list[str]]], standing: KnownPlaces, least: int
) -> dict[str, np.ndarray]:
    """The nearest switches with free ports for each device; switches are added until all have theirs."""
    existing = len(ports.in_use)
    for _ in range(least):
        ports.copy(existing - 1)
    slot = [standing.slot.get(name, -1) for name in standing.switch_names]
    reserved = {switch: at for at, switches in standing.inside.items() for switch in switches}
    chosen: dict[str, np.ndarray] = {}
    apart: dict[int, list[float]] = {}
    number = {name: switch for switch, name in enumerate(standing.switch_names)}
    for group, names in new:
        own = number if group.origin == "switch" and group.of == ports.plan.name else {}
        for name in names:
            at, itself = standing.slot.get(name, -1), own.get(name, -1)
            if at not in apart:
                apart[at] = _apart(standing, at, slot)
            near, room = apart[at], ports.rooms(group.rate_gbps)
            outside = [switch for switch in np.flatnonzero(room).tolist() if reserved.get(switch, at) == at]
            spread = leaves_of_each(group, len(outside))
            each = group.ports // spread
            order = sorted(
                (switch for switch in outside if room[switch] >= each),
                key=lambda switch: (
                    switch == itself,  # it could not be reached when it fails
                    reserved.get(switch, -2) != at,
                    near[switch] if switch < len(near) else np.inf,
                    -int(room[switch]),
                    switch,
                ),
            )
            while len(order) < spread:
                order.append(ports.copy(existing - 1))
            picked = sorted(order[:spread])
            for switch in picked:
                ports.take(switch, group.rate_gbps, each)
            chosen[name] = np.array(picked)[np.arange(group.ports) % spread]
    return chosen


def _apart(standing: KnownPlaces, at: int, slot: Sequence[int]) -> list[float]:
    """The length from a device to each switch; endless to switches without a place, and 0 for a device without one."""
    places = np.array(slot)
    apart = np.zeros(places.size)
    if at >= 0:
        apart = np.round(standing.apart_m(np.full(places.size, at), np.maximum(places, 0)), 6)
    lengths: list[float] = np.where(places < 0, np.inf, apart).tolist()
    return lengths


class _Sets:
    """Sets of leaf switches that devices of a kind have, one entry per port, and for how many more devices each has room."""

    def __init__(self, ports: Ports, rate_gbps: float) -> None:
        self._ports, self._rate = ports, rate_gbps
        #: The slots of the devices at each set.
        self.slots: dict[tuple[int, ...], set[int]] = {}
        self._counts: dict[tuple[int, ...], Counter[int]] = {}
        self._room: dict[tuple[int, ...], int] = {}
        self._with: dict[int, list[tuple[int, ...]]] = {}

    def add(self, switches: tuple[int, ...], slot: int) -> None:
        """A device with these switches stands in a slot."""
        if switches not in self.slots:
            self.slots[switches] = set()
            self._counts[switches] = Counter(switches)
            for switch in self._counts[switches]:
                self._with.setdefault(switch, []).append(switches)
            self._measure(switches)
        self.slots[switches].add(slot)

    def best(self, slot: int) -> tuple[int, ...] | None:
        """The set for a device in a slot: one that devices there have, then the one with most room; None where none has any."""
        able = [switches for switches, room in self._room.items() if room]
        return max(able, key=lambda switches: (slot in self.slots[switches], self._room[switches]), default=None)

    def take(self, switches: tuple[int, ...]) -> None:
        """Use the ports of a device."""
        for switch in switches:
            self._ports.take(switch, self._rate)
        for changed in {some for switch in switches for some in self._with.get(switch, ())}:
            self._measure(changed)

    def _measure(self, switches: tuple[int, ...]) -> None:
        counts = self._counts[switches].items()
        self._room[switches] = min(self._ports.room(switch, self._rate) // count for switch, count in counts)


def _like_others(
    ports: Ports,
    network: Network,
    group: DeviceGroup,
    names: list[str],
    own: Mapping[str, np.ndarray],
    standing: KnownPlaces,
) -> dict[str, np.ndarray]:
    """The switches of new devices of a group on a network with links of its own."""
    sets = _Sets(ports, group.rate_gbps)
    for name, switches in own.items():
        sets.add(tuple(switches.tolist()), standing.slot.get(name, -1))
    chosen: dict[str, np.ndarray] = {}

    def of_sets(some: Sequence[str]) -> list[str]:
        """Connect devices to sets of leaf switches that others of their kind have; those that find none."""
        left = []
        for name in some:
            best = sets.best(standing.slot.get(name, -1))
            if best is None:
                left.append(name)
            else:
                sets.take(best)
                chosen[name] = np.array(best, np.int64)
        return left

    topology = network.topology
    allowed = allowed_switches(group, ports.plan.name, blocks_of(topology), topology.switches) & (
        topology.endpoints_at > 0
    )
    left = of_sets(names)
    if left and not _on_rails(ports.plan, network, group, list(sets.slots)):
        at = _most_places(ports.rooms(group.rate_gbps)[: allowed.size], group, len(left), allowed)
        for name, switches in zip(left, at.tolist(), strict=False):
            sets.take(tuple(sorted(switches)))
            chosen[name] = np.sort(switches)
        left = left[len(at) :]
    while left:
        before = len(left)
        pattern, why = _copied_set(ports, network, group, list(sets.slots), allowed)
        if not why:
            sets.add(pattern, -1)
            left = of_sets(left)
            why = "another leaf switch has no room for it" if len(left) == before else ""
        if why:
            free = int(ports.rooms(group.rate_gbps)[: allowed.size][allowed].sum())
            raise MachineError(
                f"network '{ports.plan.name}' has ports for {len(names) - len(left):,} of {len(names):,} new '{group.kind}'"
                f" ({group.ports} port{'s' * (group.ports > 1)} of {group.rate_gbps:g} Gb/s each; {free:,} more are free on"
                f" its leaf switches{f' of block {group.block!r}' if group.block else ''}); {why}: add fewer hosts, or design"
                " the machine again with all of them",
                *(
                    ("host", group.of, "ports", ports.plan.name)
                    if group.origin == "host"
                    else ("network", ports.plan.name)
                ),
            )
    return chosen


def _on_rails(plan: MachineNetwork, network: Network, group: DeviceGroup, sets: Sequence[tuple[int, ...]]) -> bool:
    """Whether each port of a device has leaf switches of its own: those of its rail or plane."""
    if group.ports == 1:
        return False
    given = bool(plan.rails or plan.planes or "+rails" in plan.spec or "plane" in network.topology.labels)
    # Otherwise ports are spread over two leaf switches, or over as many as the file says.
    return given or (group.leaves is None and any(len(set(some)) > 2 for some in sets))


def _most_places(free: np.ndarray, group: DeviceGroup, count: int, allowed: np.ndarray) -> np.ndarray:
    """The switches of as many of some devices as find places, int64[placed, ports]."""
    low, best = 0, np.zeros((0, group.ports), np.int64)
    high = min(count, int(free[allowed].sum()) // group.ports)
    while low < high:
        middle = (low + high + 1) // 2
        at = free_places(free, group, middle, allowed)
        low, high, best = (low, middle - 1, best) if at is None else (middle, high, at)
    return best


def _copied_set(
    ports: Ports, network: Network, group: DeviceGroup, sets: Sequence[tuple[int, ...]], allowed: np.ndarray
) -> tuple[tuple[int, ...], str]:
    """Another set of leaf switches, with the links of one that devices of a group have; or why there can be none."""
    topology = network.topology
    level = topology.labels.get("level")
    if sets:
        pattern = next(some for some in reversed(sets) if max(some) < topology.switches)
    else:
        leaves = np.flatnonzero(allowed)
        if group.leaves is not None and group.leaves > leaves.size:
            return (), f"its ports are spread over {group.leaves} leaf switches, but the network has {leaves.size}"
        pattern = tuple(np.resize(leaves[-leaves_of_each(group, leaves.size) :], group.ports).tolist())
    distinct = sorted(set(pattern))
    needed: Counter[tuple[int, float]] = Counter()
    for switch in distinct:
        for other, rate in ports.links_of(switch):
            if level is None or level[other] <= level[switch]:
                return (), "it is no tree, to which leaf switches could be added"
            needed[other, rate] += 1
    for (other, rate), count in needed.items():
        room = ports.room(other, rate)
        if room < count:
            what = f"{len(distinct)} more leaf switch{'es' * (len(distinct) > 1)}"
            return (), f"{what} would need {count} ports of {network.fabric.switch_names[other]}, which has {room} free"
    copied = {switch: ports.copy(switch) for switch in distinct}
    return tuple(copied[switch] for switch in pattern), ""
