"""Planning racks of hosts: which hosts and switches share a rack, and the order of the racks along the rows."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import msgspec
import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.placement.hosts.housing import Housing, RackRule
from topoloom.placement.hosts.rack_device import RackDevice
from topoloom.placement.hosts.stack import Stack

#: Kinds of racks: hosts (with or without their leaves), leaves only, switches without hosts.
HOSTS, LEAVES, SPINES = 0, 1, 2
_ENDLESS = float("inf")
#: The most hosts or switches of a rack without a limit.
_MOST = 10**9


@dataclass(frozen=True, eq=False)
class Racks:
    """The racks, numbered in the order in which they stand.

    Attributes
    ----------
    switch : int32[switches]
        The rack of each switch.
    host : int32[hosts]
        The rack of each host.
    kind : int8[racks]
        `HOSTS`, `LEAVES` or `SPINES`.
    """

    switch: np.ndarray
    host: np.ndarray
    kind: np.ndarray

    def __len__(self) -> int:
        return len(self.kind)

    def loads(self, host_w: float, switch_w: float, devices: tuple[RackDevice, ...] = ()) -> np.ndarray:
        """The load of each rack.

        Parameters
        ----------
        host_w, switch_w : float
            Power of a host and of a switch, W.
        devices : tuple of RackDevice
            The further devices of racks, each kind once (`RackRule.device`).

        Returns
        -------
        float64[racks, 3]
            Switches, hosts, watts.
        """
        switches, hosts = (np.bincount(part, minlength=len(self)) for part in (self.switch, self.host))
        watts = switches * switch_w + hosts * host_w
        for device in devices:
            has = np.full(len(self), True) if device.racks == "all" else (hosts > 0) == (device.racks == "hosts")
            watts = watts + has * device.count * (device.power_w or 0.0)
        return np.column_stack([switches, hosts, watts]).astype(float)


@dataclass(frozen=True)
class RackCapacity:
    """The capacity of one rack: its limits of switches and hosts, and the limits that both share (`RESOURCES`)."""

    housing: Housing
    switch_w: float
    most_switches: float
    most_hosts: float
    power_w: float

    #: What hosts, switches and further devices of a rack share, in words with `{}` for the limit.
    RESOURCES: ClassVar[tuple[str, ...]] = ("{:g} units", "{:,.0f} W", "{:,.0f} kg", "{:,.0f} m³/h of air")

    @classmethod
    def of(cls, housing: Housing, switch_w: float, limits: np.ndarray) -> "RackCapacity":
        """The capacity of a rack in a place with further limits.

        Parameters
        ----------
        housing : Housing
        switch_w : float
            Power of a switch that a rack must supply, W.
        limits : float64[3]
            The limits of the place: switches, hosts, watts; inf without a limit.
        """
        rack = housing.rack
        most_switches = min(float(limits[0]), _ENDLESS if rack.switches is None else rack.switches)
        most_hosts = min(float(limits[1]), _ENDLESS if rack.hosts is None else rack.hosts)
        return cls(housing, switch_w, most_switches, most_hosts, min(float(limits[2]), rack.supply_w))

    @cached_property
    def stack(self) -> Stack:
        """The heights of a rack's devices."""
        return Stack.of(self.housing)

    @cached_property
    def limits(self) -> np.ndarray:
        """The limits of a rack, float64[4], in the order of `RESOURCES`; inf without a limit."""
        rack = self.housing.rack
        return np.array([rack.u, self.power_w, *(_ENDLESS if most is None else most for most in _shared(rack))])

    @cached_property
    def demands(self) -> np.ndarray:
        """What a host and a switch take, float64[2, 4]; the first column is not used, since heights depend on each other.

        Raises
        ------
        InputError
            A rack has a limit of power, weight or air, and that of a host is not known.
        """
        host, rack = self.housing.host, self.housing.rack
        if self.power_w < _ENDLESS and not host.power_w:
            raise InputError(
                f"racks have {self.power_w:,.0f} W, but the power of '{host.name}' is not known; give power_w in [host], or"
                " omit the limit"
            )
        for key, most, value, unit in (
            ("weight_kg", rack.load_kg, host.weight_kg, "kg"),
            ("air_m3h", rack.air_m3h, host.air_m3h, "m³/h"),
        ):
            if most is not None and value is None:
                limit = "load_kg" if key == "weight_kg" else "air_m3h"
                raise InputError(
                    f"[rack] {limit} is {most:g} {unit}, but {key} of '{host.name}' is not known; give it in [host], or omit"
                    " the limit"
                )
        return np.array(
            [
                [host.units, host.power_w, host.weight_kg or 0.0, host.air_m3h or 0.0],
                [rack.switch_u, self.switch_w, rack.switch_kg or 0.0, rack.switch_air_m3h or 0.0],
            ]
        )

    def load(self, switches: int, hosts: int) -> np.ndarray:
        """What a rack with these numbers of both takes, float64[4], in the order of `RESOURCES`."""
        load = hosts * self.demands[0] + switches * self.demands[1]
        load[0] = self.stack.height(switches, hosts)
        for device in self.stack.present(hosts):
            load[1:] += (device.power_w or 0.0, device.weight_kg or 0.0, device.air_m3h or 0.0)
        return np.asarray(load)

    def holds(self, switches: int, hosts: int) -> bool:
        """Whether a rack has places for these numbers of both, and all that they share."""
        if switches > self.most_switches or hosts > self.most_hosts:
            return False
        return bool((self.load(switches, hosts) <= self.limits * (1 + 1e-9)).all())

    def most(self, *, hosts: bool) -> int:
        """The most hosts, or switches, that a rack holds alone.

        Raises
        ------
        InputError
            It does not hold even one.
        """

        def fits(count: int) -> bool:
            return self.holds(0, count) if hosts else self.holds(count, 0)

        if not fits(1):
            raise InputError(
                f"{self.described} holds no {self._named(hosts)}; raise the limits of the rack, or choose smaller ones"
            )
        low, high = 1, 2
        while high < _MOST and fits(high):
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if fits(middle) else (low, middle)
        return low

    @property
    def described(self) -> str:
        """A rack by its limits: "a rack of 42 units and 10,000 W"."""
        limits = [
            words.format(limit) for words, limit in zip(self.RESOURCES, self.limits, strict=True) if limit < _ENDLESS
        ]
        return f"a rack of {', '.join(limits[:-1])} and {limits[-1]}" if len(limits) > 1 else f"a rack of {limits[0]}"

    def _named(self, hosts: bool) -> str:
        host, rack = self.housing.host, self.housing.rack
        also = " with the devices of [rack]" if self.stack.present(int(hosts)) else ""
        if hosts:
            power = f"{host.power_w:,.0f} W and " if host.power_w else ""
            return f"host of {power}{host.units:g} units ('{host.name}'){also}"
        return f"switch of {self.switch_w:,.0f} W and {rack.switch_u:g} units{also}"


def _shared(rack: RackRule) -> tuple[float | None, float | None]:
    """The limits of weight and of air."""
    return rack.load_kg, rack.air_m3h


def racks_of_units(
    topology: Topology, housing: Housing, switch_w: float, limits: np.ndarray, switch_u: np.ndarray | None = None
) -> Racks:
    """Racks for the hosts and switches of a network.

    Hosts that share leaves are a unit: the 32 servers and eight leaves of a rail-optimised pod, or a leaf and its hosts. Units
    stand one after another in the order of their leaves. Where a unit fits into a rack, leaves stand on top of it (``tor``);
    else the units of up to `rack.row` racks of hosts share one group of leaf racks, in the middle of these racks or at their
    end. Switches without hosts stand together, in the middle of all racks. Rack-scale units (`rack.unit_hosts`) stay whole:
    consecutive hosts fill their racks, and the leaves of a row of racks stand in the row.

    Parameters
    ----------
    topology : Topology
        With hosts.
    housing : Housing
    switch_w : float
        Power of a switch that a rack must supply, W.
    limits : float64[3]
        Further limits of a place on the floor: switches, hosts, watts; inf without a limit.
    switch_u : float64[switches], optional
        The height of each switch, units; a rack of leaves, or of other switches, counts the tallest of these. All have
        `housing.rack.switch_u`, if omitted.

    Raises
    ------
    InputError
        The network has no hosts, or hosts with another number of interfaces; a rack holds no host or no switch; with ``tor``,
        a leaf does not fit on top of its hosts; a rack-scale unit does not fit into a rack.
    """
    _check_interfaces(topology, housing)
    rack = housing.rack
    is_leaf = topology.endpoints_at > 0
    capacity, bare_capacity = (
        RackCapacity.of(_with_height(housing, switch_u, part), switch_w, limits) for part in (is_leaf, ~is_leaf)
    )
    capacity.most(hosts=True)
    units = units_of(topology)
    whole = rack.unit_hosts or 1
    on_top = rack.leaf == "tor" or (
        rack.leaf == "auto" and whole == 1 and all(capacity.holds(len(a), len(b)) for a, b in units)
    )
    if on_top:
        blocks = _on_top(units, capacity)
    else:
        blocks = _around(units, capacity) if whole == 1 else _whole(units, capacity, whole)
    bare = np.flatnonzero(~is_leaf)
    group = topology.labels.get("group")
    if group is not None:
        bare = bare[np.argsort(group[bare], kind="stable")]
    pile = [(piece, _NONE, SPINES) for piece in _pieces(bare, bare_capacity.most(hosts=False))] if bare.size else []
    half = len(blocks) // 2
    sequence = [planned for block in blocks[:half] for planned in block] + pile
    sequence += [planned for block in blocks[half:] for planned in block]
    switch, host = np.empty(topology.switches, np.int32), np.empty(topology.hosts, np.int32)
    for number, (switches, hosts, _) in enumerate(sequence):
        switch[switches] = number
        host[hosts] = number
    return Racks(switch, host, np.array([kind for *_, kind in sequence], np.int8))


def _with_height(housing: Housing, switch_u: np.ndarray | None, part: np.ndarray) -> Housing:
    """Racks for some of the switches, of the height of the tallest."""
    if switch_u is None or not part.any():
        return housing
    return msgspec.structs.replace(
        housing, rack=msgspec.structs.replace(housing.rack, switch_u=float(switch_u[part].max()))
    )


_NONE = np.empty(0, np.int64)
_Rack = tuple[np.ndarray, np.ndarray, int]
_Unit = tuple[np.ndarray, np.ndarray]


def _check_interfaces(topology: Topology, housing: Housing) -> None:
    """Raise an error for a network without hosts, or for hosts whose interfaces differ in number from the network's."""
    if not topology.hosts:
        raise InputError(f"{topology.name} has no hosts to put into racks; give hosts=NUMBER in the spec")
    host = housing.host
    if host.nics is not None:
        counts = np.bincount(topology.host, minlength=topology.hosts)
        wanted = host.nics * host.ports
        if (counts != wanted).any():
            odd = int(np.flatnonzero(counts != wanted)[0])
            planes = "; +planes, +rails and +nics give hosts several"
            raise InputError(
                f"{topology.name}: host {odd} has {counts[odd]} ports on the network, but '{host.name}' has {wanted}"
                f" ({host.nics} x {host.ports}){planes}"
            )


def units_of(topology: Topology) -> list[_Unit]:
    """The switches and the hosts of every unit, in the order of their first leaves (by group, where there are groups)."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n, hosts = topology.switches, topology.hosts
    ports = np.ones(topology.endpoints.size, np.int8)
    shape = (n + hosts, n + hosts)
    joined = coo_array((ports, (topology.endpoints, topology.host + n)), shape=shape)
    _, part = connected_components(joined, directed=False)
    leaves = np.flatnonzero(topology.endpoints_at)
    group = topology.labels.get("group")
    if group is not None:
        leaves = leaves[np.argsort(group[leaves], kind="stable")]
    # Units are in the order of their first leaf; inside a unit, leaves and hosts keep their order.
    _, first = np.unique(part[leaves], return_index=True)
    rank = np.full(int(part.max()) + 1, -1)
    rank[part[leaves[np.sort(first)]]] = np.arange(first.size)
    by_leaf, by_host = rank[part[leaves]], rank[part[n:]]
    leaf_order, host_order = (np.argsort(ranks, kind="stable") for ranks in (by_leaf, by_host))
    edges = np.arange(1, first.size)
    leaf_parts = np.split(leaves[leaf_order], np.searchsorted(by_leaf[leaf_order], edges))
    host_parts = np.split(host_order, np.searchsorted(by_host[host_order], edges))
    return list(zip(leaf_parts, host_parts, strict=True))


def _on_top(units: list[_Unit], capacity: RackCapacity) -> list[list[_Rack]]:
    """Put whole units into racks, one after another: as few racks as possible, of nearly equal size."""
    whole = capacity.housing.rack.unit_hosts or 1
    for switches, own in units:
        if len(own) % whole and len(units) > 1:
            raise InputError(
                f'leaf = "tor": {len(own)} hosts share leaves, which would divide rack-scale units of {whole} hosts; give'
                ' leaf = "mor"'
            )
        if not capacity.holds(len(switches), len(own)):
            raise InputError(
                f'leaf = "tor": {len(own)} hosts and their {len(switches)} switch{"es" * (len(switches) > 1)} do not fit into'
                ' one rack; give leaf = "mor", or fewer hosts per leaf'
            )

    def fits(some: list[_Unit]) -> bool:
        return capacity.holds(sum(len(switches) for switches, _ in some), sum(len(own) for _, own in some))

    return [
        [(np.concatenate([unit[0] for unit in some]), np.concatenate([unit[1] for unit in some]), HOSTS)]
        for some in _groups(units, fits)
    ]


def _around(units: list[_Unit], capacity: RackCapacity) -> list[list[_Rack]]:
    """Group units until their hosts fill the racks of a row, around one group of leaf racks."""
    each, rule = capacity.most(hosts=True), capacity.housing.rack

    def fits(some: list[_Unit]) -> bool:
        return -(-sum(len(own) for _, own in some) // each) <= rule.row

    return [
        _row(_pieces(np.concatenate([own for _, own in some]), each), [leaves for leaves, _ in some], capacity)
        for some in _groups(units, fits)
    ]


def _whole(units: list[_Unit], capacity: RackCapacity, whole: int) -> list[list[_Rack]]:
    """Put rack-scale units of `whole` consecutive hosts into racks, and the leaves into the row of most of their hosts."""
    each = capacity.most(hosts=True) // whole
    if not each:
        most = capacity.most(hosts=True)
        raise InputError(
            f"{capacity.described} holds {most} host{'s' * (most > 1)}, but a rack-scale unit has {whole}; raise the limits of"
            " the rack, or give another unit_hosts"
        )
    hosts = np.concatenate([own for _, own in units])
    wholes = [hosts[first : first + whole] for first in range(0, len(hosts), whole)]
    racks = [np.concatenate([wholes[i] for i in piece]) for piece in _pieces(np.arange(len(wholes)), each)]
    rows = _pieces(np.arange(len(racks)), capacity.housing.rack.row)
    row_of_rack = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    row_of_host = np.empty(int(hosts.max()) + 1, np.int64)
    for rack, own in enumerate(racks):
        row_of_host[own] = row_of_rack[rack]
    leaves: list[list[np.ndarray]] = [[] for _ in rows]
    for switches, own in units:
        leaves[int(np.bincount(row_of_host[own]).argmax())].append(switches)
    return [_row([racks[i] for i in row], some, capacity) for row, some in zip(rows, leaves, strict=True)]


def _row(hosts: list[np.ndarray], leaves: list[np.ndarray], capacity: RackCapacity) -> list[_Rack]:
    """A row: the racks of its hosts, with those of their leaves in the middle or at the end."""
    racks: list[_Rack] = [(_NONE, some, HOSTS) for some in hosts]
    if leaves:
        middle = len(racks) if capacity.housing.rack.leaf == "eor" else (len(racks) + 1) // 2
        pieces = _pieces(np.concatenate(leaves), capacity.most(hosts=False))
        racks[middle:middle] = [(some, _NONE, LEAVES) for some in pieces]
    return racks


def _groups(units: list[_Unit], fits: Callable[[list[_Unit]], bool]) -> list[list[_Unit]]:
    """Consecutive units in as few groups as possible, of nearly equal size where each of these fits, too."""
    greedy: list[list[_Unit]] = []
    for unit in units:
        if greedy and fits([*greedy[-1], unit]):
            greedy[-1].append(unit)
        else:
            greedy.append([unit])
    edges = np.linspace(0, len(units), len(greedy) + 1).round().astype(int).tolist()
    even = [units[first:end] for first, end in itertools.pairwise(edges)]
    return even if all(len(some) == 1 or fits(some) for some in even) else greedy


def _pieces(members: np.ndarray, most: int) -> list[np.ndarray]:
    """As few pieces of at most `most` members as possible, of nearly equal size."""
    return np.array_split(members, max(1, -(-len(members) // most)))
