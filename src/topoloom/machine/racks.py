"""Racks of a machine: the hosts of all kinds and the switches of all networks share them, within power, weight and height."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

import msgspec
import numpy as np

from topoloom.machine.devices import HostKind
from topoloom.machine.faults import MachineError
from topoloom.placement.hosts.housing import Housing, RackRule
from topoloom.placement.hosts.rack_device import RackDevice
from topoloom.placement.hosts.stack import Stack, host_units, piled, switch_units

_ENDLESS = float("inf")
_ROUNDING = 1 + 1e-9
#: What devices of a rack share, and the key of its limit.
_SHARED = (("units", "u"), ("W", "power_w or feed_w"), ("kg", "load_kg"), ("m³/h of air", "air_m3h"))


@dataclass(frozen=True, eq=False)
class NetworkSwitches:
    """The switches of a network, for their places.

    Attributes
    ----------
    name : str
        Of the network.
    place : "rack", "row", "end" or "central"
        Where those with ports of devices stand.
    demands : float64[switches, 4]
        Units, W, kg and m³/h of each.
    hosts : list of int64[n]
        The devices at each switch, by their numbers in the machine; empty for a switch without ports of devices.
    home : int64[switches]
        A host in whose rack the switch stands, whatever `place` says; -1: none.
    """

    name: str
    place: Literal["rack", "row", "end", "central"]
    demands: np.ndarray
    hosts: list[np.ndarray]
    home: np.ndarray


@dataclass
class _Rack:
    """A rack while it is filled."""

    kind: int | None  # the kind of hosts that fill it; None for a network rack
    hosts: list[int] = field(default_factory=list)  # by their numbers in the machine
    switches: list[tuple[int, int]] = field(default_factory=list)  # network, switch
    load: np.ndarray = field(default_factory=lambda: np.zeros(4))


@dataclass(frozen=True, eq=False)
class MachineRacks:
    """The racks of a machine, numbered in the order in which they stand.

    Attributes
    ----------
    host, host_unit : int32[hosts], float64[hosts]
        The rack and the lowest unit of each host, by its number in the machine.
    switch, switch_unit : tuple of int32[switches]
        Likewise of each switch, network by network.
    devices : tuple of (int, RackDevice, int or None)
        The further devices: the rack, the device, and its lowest unit.
    load : float64[racks, 4]
        Units in use, and W, kg and m³/h of all devices whose figures are known.
    """

    host: np.ndarray
    host_unit: np.ndarray
    switch: tuple[np.ndarray, ...]
    switch_unit: tuple[np.ndarray, ...]
    devices: tuple[tuple[int, RackDevice, int | None], ...]
    load: np.ndarray

    @property
    def contents(self) -> np.ndarray:
        """The switches, hosts and watts of each rack, float64[racks, 3]."""
        hosts, *switches = (np.bincount(some, minlength=len(self)) for some in (self.host, *self.switch))
        return np.column_stack([sum(switches, np.zeros(len(self))), hosts, self.load[:, 1]]).astype(float)

    def device_names(self, rack_names: Sequence[str]) -> list[str]:
        """The name of each further device: its rack, its kind, and its number among those of the rack.

        Parameters
        ----------
        rack_names : sequence of str
            The name of each rack.
        """
        numbers: Counter[tuple[int, str]] = Counter()
        names = []
        for rack, device, _ in self.devices:
            numbers[rack, device.name] += 1
            names.append(f"{rack_names[rack]} {device.name} {numbers[rack, device.name]}")
        return names

    def __len__(self) -> int:
        return len(self.load)


def machine_racks(
    kinds: Sequence[HostKind],
    rule: RackRule,
    networks: Sequence[NetworkSwitches],
    optics_w: Mapping[str, float] = MappingProxyType({}),
) -> MachineRacks:
    """The racks of all hosts and switches.

    Kinds with racks of their own fill them one after another, `rule.row` racks to a row. A switch with ports of devices stands
    in the rack of most of these, or in a network rack of their row, as its network says; hosts without racks of their own and
    all other switches stand in network racks in the middle of the room.

    Parameters
    ----------
    kinds : sequence of HostKind
        Their hosts are numbered one after another.
    rule : RackRule
    networks : sequence of NetworkSwitches
    optics_w : mapping of str to float
        What transceivers and cables add to the power of a host of each kind, W.

    Returns
    -------
    MachineRacks

    Raises
    ------
    InputError
        A rack does not hold one host, one rack-scale system, or one switch.
    """
    return _Planner(tuple(kinds), rule, tuple(networks), optics_w).planned()


def host_demands(kind: HostKind, optics_w: float) -> np.ndarray:
    """What a host takes of its rack, float64[4]: units, W, kg, m³/h; 0 where a figure is not known.

    Parameters
    ----------
    kind : HostKind
    optics_w : float
        What its transceivers and cables add to its power.
    """
    plan = kind.plan
    return np.array([host_units(kind.units), plan.power_w + optics_w, plan.weight_kg or 0.0, plan.air_m3h or 0.0])


class _Planner:
    def __init__(
        self,
        kinds: tuple[HostKind, ...],
        rule: RackRule,
        networks: tuple[NetworkSwitches, ...],
        optics_w: Mapping[str, float],
    ) -> None:
        self.kinds, self.rule, self.networks, self.optics_w = kinds, rule, networks, optics_w
        self.limits = np.array(
            [rule.u, rule.supply_w, *(_ENDLESS if m is None else m for m in (rule.load_kg, rule.air_m3h))]
        )
        self.first = np.cumsum([0, *(len(kind.names) for kind in kinds)])
        self.kind_of = np.repeat(np.arange(len(kinds)), np.diff(self.first))
        self.demands = [self._demands(kind) for kind in kinds]
        self.stacks = [Stack.of(Housing(host=kind.body(), rack=self._rule_of(kind))) for kind in kinds]
        self.bare = Stack.of(Housing(host=kinds[0].body(), rack=rule))

    def _rule_of(self, kind: HostKind) -> RackRule:
        return msgspec.structs.replace(self.rule, device=(*kind.plan.device, *self.rule.device))

    def _demands(self, kind: HostKind) -> np.ndarray:
        plan = kind.plan
        for limit, value, key in zip(
            self.limits[1:],
            (plan.power_w, plan.weight_kg, plan.air_m3h),
            ("power_w", "weight_kg", "air_m3h"),
            strict=True,
        ):
            if limit < _ENDLESS and not value:
                raise MachineError(
                    f"racks have a limit, but {key} of the host '{plan.name}' is not known; give it in its [[host]], or omit"
                    " the limit in [rack]",
                    "host",
                    plan.name,
                )
        return host_demands(kind, self.optics_w.get(plan.name, 0.0))

    def planned(self) -> MachineRacks:
        rows = self._rows()
        central: list[_Rack] = []
        for number, kind in enumerate(self.kinds):
            if not kind.plan.own_racks:
                for host in range(self.first[number], self.first[number + 1]):
                    self._put_host(central, number, host)
        row_of, rack_of = self._homes(rows)
        of_rows: list[list[_Rack]] = [[] for _ in rows]
        for number, network in enumerate(self.networks):
            for switch, (hosts, home) in enumerate(zip(network.hosts, network.home.tolist(), strict=True)):
                if home >= 0:
                    self._put_inside(rows[row_of[home]][rack_of[home]], number, switch)
                    continue
                at = hosts[row_of[hosts] >= 0] if hosts.size else hosts
                if not at.size or network.place == "central":
                    self._put_switch(central, number, switch)
                    continue
                row = int(np.bincount(row_of[at]).argmax())
                own = int(np.bincount(rack_of[at[row_of[at] == row]]).argmax())
                if network.place != "rack" or not self._added(rows[row][own], number, switch):
                    self._put_switch(of_rows[row], number, switch)
        sequence: list[_Rack] = []
        for row, (racks, others) in enumerate(zip(rows, of_rows, strict=True)):
            # The middle of the room is between two rows, and that of a single row in it.
            half = (len(racks) + 1) // 2 if len(rows) == 1 else 0
            middle = len(racks) if self._at_end(others) else (len(racks) + 1) // 2
            in_middle = central if row == len(rows) // 2 else []
            sequence += [*racks[:half], *in_middle, *racks[half:middle], *others, *racks[middle:]]
        return self._finished(sequence if rows else central)

    def _at_end(self, racks: list[_Rack]) -> bool:
        """Whether the network racks of a row stand at its end."""
        return any(self.networks[network].place == "end" for rack in racks for network, _ in rack.switches)

    def _rows(self) -> list[list[_Rack]]:
        """The racks of kinds with racks of their own, in rows."""
        racks: list[_Rack] = []
        for number, kind in enumerate(self.kinds):
            if not kind.plan.own_racks:
                continue
            hosts = np.arange(self.first[number], self.first[number + 1])
            whole = kind.plan.unit_hosts or 1
            most = self._most_hosts(number) // whole * whole
            if not most:
                what = f"rack-scale system of {whole} x '{kind.plan.name}'" if whole > 1 else f"host '{kind.plan.name}'"
                raise MachineError(
                    f"{self._described()} holds no {what}{self._why(number, whole)}; raise the limits in [rack]",
                    "host",
                    kind.plan.name,
                )
            count = -(-len(hosts) // most)
            pieces = (
                np.array_split(hosts, count)
                if whole == 1
                else [hosts[i : i + most] for i in range(0, len(hosts), most)]
            )
            for piece in pieces:
                rack = _Rack(number, piece.tolist())
                rack.load = self._load(rack)
                racks.append(rack)
        return [racks[start : start + self.rule.row] for start in range(0, len(racks), self.rule.row)]

    def _most_hosts(self, number: int) -> int:
        """The most hosts of a kind in a rack with the switches that stand in racks."""
        plan = self.kinds[number].plan
        most = min(self.rule.hosts or 10**9, plan.rack_hosts or 10**9, len(self.kinds[number].names))
        low, high, switches = 0, most, self._inside(number)
        while low < high:
            middle = (low + high + 1) // 2
            fits = self._holds(_Rack(number, list(range(middle)), switches))
            low, high = (middle, high) if fits else (low, middle - 1)
        return low

    def _inside(self, number: int) -> list[tuple[int, int]]:
        """The switches that stand in a rack of a kind of hosts, whatever hosts it has: those of its first rack."""
        switches = []
        for place, network in enumerate(self.networks):
            own = (network.home >= self.first[number]) & (network.home < self.first[number + 1])
            of_first = np.flatnonzero(own & (network.home == network.home[own].min(initial=self.first[-1])))
            switches += [(place, switch) for switch in of_first.tolist()]
        return switches

    def _holds(self, rack: _Rack) -> bool:
        return bool((self._load(rack) <= self.limits * _ROUNDING).all())

    def _load(self, rack: _Rack) -> np.ndarray:
        """What a rack takes, float64[4]: units to the top of its highest device, W, kg, m³/h."""
        load = np.zeros(4)
        for host in rack.hosts:
            load += self.demands[self.kind_of[host] if rack.kind is None else rack.kind]
        for network, switch in rack.switches:
            load += self.networks[network].demands[switch]
        stack, hosts = (self.bare, 0) if rack.kind is None else (self.stacks[rack.kind], len(rack.hosts))
        for device in stack.present(hosts):
            load[1:] += (device.power_w or 0.0, device.weight_kg or 0.0, device.air_m3h or 0.0)
        load[0] = stack.height(0, hosts, float(self._pile(rack)[1]))
        return load

    def _pile(self, rack: _Rack) -> tuple[np.ndarray, float]:
        """The units below each device that is piled on the hosts of a kind, and the units of all: shared hosts, switches."""
        heights = (
            [] if rack.kind is not None else [host_units(self.kinds[self.kind_of[host]].units) for host in rack.hosts]
        )
        heights += [switch_units(float(self.networks[network].demands[switch, 0])) for network, switch in rack.switches]
        below, top = piled(np.array(heights), np.zeros(len(heights), np.int64), 1)
        return below, float(top[0])

    def _added(self, rack: _Rack, network: int, switch: int) -> bool:
        """Put a switch into a rack if it fits."""
        if len(rack.switches) >= (self.rule.switches or 10**9):
            return False
        rack.switches.append((network, switch))
        load = self._load(rack)
        if (load <= self.limits * _ROUNDING).all():
            rack.load = load
            return True
        rack.switches.pop()
        return False

    def _put_inside(self, rack: _Rack, network: int, switch: int) -> None:
        if not self._added(rack, network, switch):
            raise MachineError(
                f"{self._described()} holds no switch of network '{self.networks[network].name}' next to its hosts; give fewer"
                " rack_switches in their [[host]], or raise the limits in [rack]",
                "host",
                self.kinds[self.kind_of[rack.hosts[0]]].plan.name,
                "rack_switches",
            )

    def _put_switch(self, racks: list[_Rack], network: int, switch: int) -> None:
        if racks and self._added(racks[-1], network, switch):
            return
        racks.append(_Rack(None))
        if not self._added(racks[-1], network, switch):
            units, watts = self.networks[network].demands[switch, :2]
            raise MachineError(
                f"{self._described()} holds no switch of network '{self.networks[network].name}' ({units:g} units,"
                f" {watts:,.0f} W); raise the limits in [rack]",
                "network",
                self.networks[network].name,
            )

    def _put_host(self, racks: list[_Rack], number: int, host: int) -> None:
        if racks:
            racks[-1].hosts.append(host)
            load = self._load(racks[-1])
            if (load <= self.limits * _ROUNDING).all():
                racks[-1].load = load
                return
            racks[-1].hosts.pop()
        racks.append(_Rack(None, [host]))
        racks[-1].load = self._load(racks[-1])
        if (racks[-1].load > self.limits * _ROUNDING).any():
            raise MachineError(
                f"{self._described()} holds no host '{self.kinds[number].plan.name}'{self._why(number, 1)}; raise the limits in"
                " [rack]",
                "host",
                self.kinds[number].plan.name,
            )

    def _why(self, number: int, count: int) -> str:
        """What that many hosts of a kind take, in parentheses."""
        load = self._load(_Rack(number, list(range(count))))
        taken = [
            f"{value:,.0f} {unit}"
            for value, (unit, _), limit in zip(load, _SHARED, self.limits, strict=True)
            if limit < _ENDLESS
        ]
        return f" ({', '.join(taken)})"

    def _described(self) -> str:
        limits = [
            f"{limit:,.0f} {unit}" for limit, (unit, _) in zip(self.limits, _SHARED, strict=True) if limit < _ENDLESS
        ]
        return f"a rack of {' and '.join(limits)}"

    def _homes(self, rows: list[list[_Rack]]) -> tuple[np.ndarray, np.ndarray]:
        """The row of each host, and its rack in the row; -1 for those in network racks."""
        row_of, rack_of = np.full((2, int(self.first[-1])), -1)
        for row, racks in enumerate(rows):
            for number, rack in enumerate(racks):
                row_of[rack.hosts], rack_of[rack.hosts] = row, number
        return row_of, rack_of

    def _finished(self, racks: list[_Rack]) -> MachineRacks:
        """The units of all devices."""
        count = int(self.first[-1])
        host, host_unit = np.zeros(count, np.int32), np.ones(count)
        switch = tuple(np.zeros(len(network.demands), np.int32) for network in self.networks)
        switch_unit = tuple(np.ones(len(network.demands), np.int32) for network in self.networks)
        devices: list[tuple[int, RackDevice, int | None]] = []
        for number, rack in enumerate(racks):
            own = 0 if rack.kind is None else len(rack.hosts)
            stack = self.bare if rack.kind is None else self.stacks[rack.kind]
            below, top = self._pile(rack)
            base = stack.switch_base(own)
            host[rack.hosts] = number
            if rack.kind is None:
                host_unit[rack.hosts] = below[: len(rack.hosts)] + 1
            elif own:
                host_unit[rack.hosts] = stack.host_bottoms(own)
            for (network, at), under in zip(
                rack.switches, below[len(rack.hosts) if rack.kind is None else 0 :], strict=True
            ):
                switch[network][at], switch_unit[network][at] = number, base + under + 1
            units = stack.device_units(len(rack.switches), own, top)
            devices += [(number, device, unit) for device, unit in zip(stack.present(own), units, strict=True)]
        load = np.array([rack.load for rack in racks]).reshape(-1, 4)
        return MachineRacks(host, host_unit, switch, switch_unit, tuple(devices), load)
