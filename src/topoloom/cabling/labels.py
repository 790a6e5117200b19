"""Labels of cables, switches and hosts: ``A01-U03-P12`` is port 12 of the switch whose lowest unit is the third of rack A01."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from topoloom.cabling.cabling import Cabling
from topoloom.placement.hosts.housing import host_names
from topoloom.placement.hosts.ports import port_names
from topoloom.placement.layout.layout import Layout


@dataclass(frozen=True, eq=False)
class Labels:
    """The texts of a cabling: `cable`, one text per cable; `switch`, one per switch; `a` and `b`, one per cable.

    `port_digits` is the number of digits of port numbers. `hosts` are the names of hosts in separate racks, empty if hosts
    stand with their switches; `devices` are the device names of the ports of each.
    """

    cable: list[str]
    switch: list[str]
    a: list[str]
    b: list[str]
    port_digits: int
    hosts: list[str] = field(default_factory=list)
    devices: list[list[str]] = field(default_factory=list)

    def end(self, switch: int, port: int) -> str:
        """The label of a port of a switch, even if no cable is in it."""
        return f"{self.switch[switch]}-P{port:0{self.port_digits}d}"

    def host_end(self, host: int, port: int) -> str:
        """The label of a host's port."""
        return host_end(host, port, self.hosts, self.devices)


def host_end(host: int, port: int, names: Sequence[str] = (), devices: Sequence[Sequence[str]] = ()) -> str:
    """The label of a host's port: ``H17-P1``, or with names of hosts and interfaces ``node0018:mlx5_0``.

    Parameters
    ----------
    host, port : int
        The host, from 0, and its port, from 1.
    names : sequence of str
        Names of hosts; empty: hosts are identified by their numbers.
    devices : sequence of sequences of str
        The device names of the ports of each host.

    Returns
    -------
    str
    """
    return f"{names[host]}:{devices[host][port - 1]}" if names else f"H{host}-P{port}"


def label(cabling: Cabling) -> Labels:
    """The labels of a cabling.

    A cable is labelled with its number, ``00123``; a switch with its rack and lowest unit, ``A01-U03``; a port
    ``A01-U03-P12``; a host's port ``H17-P1`` if the host stands with its switch, otherwise ``A02-U09 node0018:mlx5_0``: its
    rack, its lowest unit, and the names in its housing. Units are counted from 1 at the bottom. All numbers of one kind have
    as many digits as the largest.
    """
    layout = cabling.layout
    names = layout.rack_names
    height_digits = _digits(layout.height, 2)
    switch = [
        f"{names[rack]}-U{height:0{height_digits}d}"
        for rack, height in zip(layout.rack.tolist(), layout.height.tolist(), strict=True)
    ]
    at_switch = np.concatenate([cabling.port[:, 0], cabling.port[~cabling.to_host, 1]])
    highest = max(layout.topology.radix, int(at_switch.max(initial=0)))
    port_digits = _digits(np.array([highest]), 2)
    port = [f"-P{number:0{port_digits}d}" for number in range(highest + 1)]
    (a, b), (a_port, b_port) = cabling.ends.T.tolist(), cabling.port.T.tolist()
    nodes = [] if layout.housing is None else host_names(layout.housing.host, layout.topology.hosts)
    devices = [] if layout.housing is None else port_names(layout.topology, layout.housing.host)
    places = host_places(layout)
    b_labels = [
        (f"{places[end]} " if places else "") + host_end(end, plug, nodes, devices)
        if host
        else switch[end] + port[plug]
        for end, plug, host in zip(b, b_port, cabling.to_host.tolist(), strict=True)
    ]
    digits = _digits(cabling.number, 5)
    return Labels(
        cable=[f"{number:0{digits}d}" for number in cabling.number.tolist()],
        switch=switch,
        a=[switch[end] + port[plug] for end, plug in zip(a, a_port, strict=True)],
        b=b_labels,
        port_digits=port_digits,
        hosts=nodes,
        devices=devices,
    )


def host_places(layout: Layout) -> list[str]:
    """The rack and the lowest unit of each host, ``A02-U09``; empty where hosts stand with their switches."""
    if layout.housing is None:
        return []
    names = layout.rack_names
    columns = layout.host_rack.tolist(), layout.host_unit.tolist()
    return [f"{names[rack]}-U{unit_text(unit)}" for rack, unit in zip(*columns, strict=True)]


def unit_text(unit: float) -> str:
    """A unit with at least two digits before the point: ``09``, ``10.5``."""
    return f"{int(unit):02d}" + f"{unit % 1:.2g}"[1:] * (unit % 1 > 0)


def _digits(values: np.ndarray, least: int) -> int:
    return max(least, len(str(values.max(initial=0))))
