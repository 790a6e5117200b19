"""The units of a rack: from the bottom, hosts with the devices between them, then switches, then the other devices."""

import math
from dataclasses import dataclass

import numpy as np

from topoloom.placement.hosts.housing import Housing
from topoloom.placement.hosts.rack_device import RackDevice


def host_units(u: float) -> float:
    """The units that a host occupies: a multiple of half a unit; below one unit several hosts share it."""
    return u if u < 1 else math.ceil(2 * u - 1e-9) / 2


def switch_units(u: float) -> float:
    """The units that a switch occupies: whole ones; below one unit several switches share it."""
    return u if u < 1 else math.ceil(u - 1e-9)


def piled(units: np.ndarray, rack: np.ndarray, racks: int) -> tuple[np.ndarray, np.ndarray]:
    """Switches of several heights on top of each other, in their order.

    Parameters
    ----------
    units : float64[switches]
        Units that each occupies: whole ones, or less than one.
    rack : int[switches]
        The rack of each.
    racks : int

    Returns
    -------
    (int64[switches], float64[racks])
        The units below each switch, and the units that all switches of a rack take.
    """
    below, top = np.zeros(units.size, np.int64), np.zeros(racks)
    for switch, (own, number) in enumerate(zip(units.tolist(), rack.tolist(), strict=True)):
        # A switch of whole units begins at a whole unit.
        start = top[number] if own < 1 else math.ceil(top[number] - 1e-9)
        below[switch] = math.floor(start + 1e-9)
        top[number] = start + own
    return below, top


@dataclass(frozen=True)
class Stack:
    """The order of devices in racks of one kind, and the height of each.

    Attributes
    ----------
    host_u, switch_u : float
        Units of a host and of a switch.
    bare : tuple of RackDevice
        The devices of a rack without hosts, each once per piece.
    devices : tuple of RackDevice
        The devices of a rack with hosts, each once per piece.
    """

    host_u: float
    switch_u: float
    devices: tuple[RackDevice, ...] = ()
    bare: tuple[RackDevice, ...] = ()

    @classmethod
    def of(cls, housing: Housing) -> "Stack":
        """The stack of hosts and racks."""
        pieces = [device for device in housing.rack.device for _ in range(device.count)]
        return cls(
            host_units(housing.host.units),
            switch_units(housing.rack.switch_u),
            tuple(device for device in pieces if device.racks != "switches"),
            tuple(device for device in pieces if device.racks != "hosts"),
        )

    def present(self, hosts: int) -> tuple[RackDevice, ...]:
        """The further devices of a rack with this number of hosts."""
        return self.devices if hosts else self.bare

    def host_bottoms(self, hosts: int) -> np.ndarray:
        """The lowest unit of each host of a rack, float64[hosts], from 1."""
        bottom = 1 + self.host_u * np.arange(hosts)
        for below in sorted({device.hosts_below for device in self.devices if device.hosts_below is not None}):
            if below < hosts:
                # A device begins at a whole unit.
                begins = math.ceil(bottom[below] - 1e-9)
                bottom[below:] += begins - bottom[below] + _height(self.devices, below)
        return bottom

    def switch_base(self, hosts: int) -> int:
        """The units below the lowest switch of a rack with this number of hosts."""
        top = 0
        if hosts:
            last = min(hosts, 1 + max((device.hosts_below or 0 for device in self.devices), default=0))
            bottom = self.host_bottoms(last)[-1] + (hosts - last) * self.host_u
            top = math.ceil(bottom + self.host_u - 1 - 1e-9)
        return top + sum(
            device.u for device in self.present(hosts) if device.hosts_below is not None and device.hosts_below >= hosts
        )

    def height(self, switches: int, hosts: int, switches_u: float | None = None) -> float:
        """The units in use of a rack.

        Parameters
        ----------
        switches, hosts : int
            The contents of the rack.
        switches_u : float, optional
            The units of all its switches together; if omitted, each has `switch_u`.

        Returns
        -------
        float
        """
        above = sum(device.u for device in self.present(hosts) if device.hosts_below is None)
        body = self.switch_base(hosts) + (switches * self.switch_u if switches_u is None else switches_u)
        return body + above if not above else math.ceil(body - 1e-9) + above

    def device_units(self, switches: int, hosts: int, switches_u: float | None = None) -> list[int | None]:
        """The lowest unit of each further device of a rack, from 1; None for a device without height.

        Parameters
        ----------
        switches, hosts : int
            The contents of the rack.
        switches_u : float, optional
            As in `height`.

        Returns
        -------
        list of int or None
            In the order of `present`.
        """
        present = self.present(hosts)
        switches_u = switches * self.switch_u if switches_u is None else switches_u
        order = sorted(range(len(present)), key=lambda i: (_rank(present[i], hosts), i))
        bottoms = self.host_bottoms(hosts) if hosts else np.empty(0)
        unit: list[int | None] = [None] * len(present)
        for place, index in enumerate(order):
            device = present[index]
            if not device.u:
                continue
            rank = _rank(device, hosts)
            same = order[:place]
            before = sum(present[other].u for other in same if _rank(present[other], hosts) == rank)
            if rank < hosts:
                first = round(float(bottoms[int(rank)])) - _height(self.devices, int(rank))
            elif rank == hosts:
                own = sum(other.u for other in present if _rank(other, hosts) == rank)
                first = self.switch_base(hosts) - own + 1
            else:
                first = math.ceil(self.switch_base(hosts) + switches_u - 1e-9) + 1
            unit[index] = first + before
        return unit


def _rank(device: RackDevice, hosts: int) -> float:
    """The number of hosts below a device: at most all; more for a device above the switches."""
    return math.inf if device.hosts_below is None else min(device.hosts_below, hosts)


def _height(devices: tuple[RackDevice, ...], below: int) -> int:
    """The units of all devices with this number of hosts below."""
    return sum(device.u for device in devices if device.hosts_below == below)
