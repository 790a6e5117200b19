"""Labels of cables, switches, panels and hosts.

``A01-U03-P12`` is port 12 of the switch whose lowest unit is the third of rack A01.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from topoloom.cabling.cabling import Cabling
from topoloom.cabling.laid import panel_units_of
from topoloom.cabling.real_names import RealNames
from topoloom.placement.hosts.housing import host_names
from topoloom.placement.hosts.ports import port_names
from topoloom.placement.layout.layout import Layout


@dataclass(frozen=True, eq=False)
class Labels:
    """The texts of a cabling: `cable`, `a` and `b`, one text per row; `switch`, one per switch; `laid`, three per cable that is
    laid, cords and trunks included: its number and both its ends; `panel`, one per panel.

    The row of a link through panels has no `cable`.

    `port_digits` is the number of digits of port numbers. `hosts` are the names of hosts in separate racks, empty if hosts
    stand with their switches; `devices` are the device names of the ports of each. `names` are the real names of a network
    that is cabled.
    """

    cable: list[str]
    switch: list[str]
    a: list[str]
    b: list[str]
    port_digits: int
    laid: list[tuple[str, str, str]]
    panel: list[str] = field(default_factory=list)
    hosts: list[str] = field(default_factory=list)
    devices: list[list[str]] = field(default_factory=list)
    names: RealNames | None = None

    def end(self, switch: int, port: int) -> str:
        """The label of a port of a switch, even if no cable is in it."""
        return f"{self.switch[switch]}-{self.port(switch, port)}"

    def port(self, switch: int, port: int) -> str:
        """The label of a port of a switch without its switch: ``P12``, or its real name."""
        name = "" if self.names is None else self.names.port_name(switch, port)
        return name or f"P{port:0{self.port_digits}d}"

    def host_end(self, host: int, port: int) -> str:
        """The label of a host's port."""
        if self.names is not None and not self.hosts:
            return f"{self.names.hosts[host]}:{self.names.host_port(host, port)}"
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
    ``A01-U03-P12``, or with its real name ``A01-U03-swp12``; a host's port ``H17-P1`` if the host
    stands with its switch, ``gpu17:eth0`` by its real names, otherwise ``A02-U09 node0018:mlx5_0``: its rack, its lowest unit,
    and the names in its housing. The port of a panel is labelled ``C03-U14 SP012:F05``, with the rack, the unit and the name of
    the panel; the end of a cord in a port of a switch that carries several links ``A01-U03-P49..P52``. Units are counted from 1
    at the bottom. All numbers of one kind have as many digits as the largest.
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
    (a, b), (a_port, b_port) = cabling.ends.T.tolist(), cabling.port.T.tolist()
    nodes = [] if layout.housing is None else host_names(layout.housing, layout.topology.hosts)
    devices = [] if layout.housing is None else port_names(layout.topology, layout.housing)
    places = host_places(layout)
    digits = _digits(cabling.laid.number, 5)
    labels = Labels(
        cable=[f"{number:0{digits}d}" if number else "" for number in cabling.number.tolist()],
        switch=switch,
        a=[],
        b=[],
        port_digits=port_digits,
        laid=[],
        panel=_panels(layout),
        hosts=nodes,
        devices=devices,
        names=cabling.names,
    )
    labels.a.extend(labels.end(end, plug) for end, plug in zip(a, a_port, strict=True))
    labels.b.extend(
        (f"{places[end]} " if places else "") + labels.host_end(end, plug) if host else labels.end(end, plug)
        for end, plug, host in zip(b, b_port, cabling.to_host.tolist(), strict=True)
    )
    fibre_ends = iter(_fibre_ends(cabling, labels))
    labels.laid.extend(
        (f"{number:0{digits}d}", *((labels.a[row], labels.b[row]) if row >= 0 else next(fibre_ends)))
        for number, row in zip(cabling.laid.number.tolist(), cabling.laid.row.tolist(), strict=True)
    )
    return labels


def _panels(layout: Layout) -> list[str]:
    """The label of each panel: ``C03-U14 SP012``."""
    if layout.plant is None:
        return []
    racks = np.searchsorted(layout.used, layout.plant.slot).tolist()
    units = panel_units_of(layout).tolist()
    return [
        f"{layout.rack_names[rack]}{'' if np.isnan(unit) else f'-U{int(unit):02d}'} {name}"
        for rack, unit, name in zip(racks, units, layout.plant.names, strict=True)
    ]


def fibre_ports(cabling: Cabling, labels: Labels) -> list[tuple[str, str]]:
    """The ports at both ends of each cord and trunk, in the order of work: ``F05``, or those of a switch, ``P49..P52``.

    Parameters
    ----------
    cabling : Cabling
    labels : Labels
    """
    plant = cabling.layout.plant
    if plant is None:
        return []
    n = plant.switches
    kind: list[int] = plant.panel.tolist()
    names = [[panel.port_name(port) for port in range(panel.ports)] for panel in plant.panels]

    def text(end: Sequence[int], links: int) -> str:
        device, port = end
        if device >= n:
            return names[kind[device - n]][port]
        return labels.port(device, port) + (f"..{labels.port(device, port + links - 1)}" if links > 1 else "")

    fibres = cabling.laid.fibre[~cabling.laid.own]
    links = np.maximum(plant.pairs[fibres] // plant.link_pairs, 1).tolist()
    return [
        (text(a, several), text(b, several))
        for (a, b), several in zip(cabling.laid.ends(plant).tolist(), links, strict=True)
    ]


def _fibre_ends(cabling: Cabling, labels: Labels) -> list[tuple[str, str]]:
    """The labels of both ends of each cord and trunk, in the order of work."""
    plant = cabling.layout.plant
    if plant is None:
        return []
    device = [f"{name}-" for name in labels.switch] + [f"{name}:" for name in labels.panel]
    return [
        (device[a] + a_port, device[b] + b_port)
        for (a, b), (a_port, b_port) in zip(
            cabling.laid.ends(plant)[:, :, 0].tolist(), fibre_ports(cabling, labels), strict=True
        )
    ]


def host_places(layout: Layout) -> list[str]:
    """The rack and the lowest unit of each host, ``A02-U09``; empty where hosts stand with their switches."""
    if layout.housing is None:
        return []
    names, racks, units = layout.rack_names, layout.host_rack.tolist(), layout.host_unit.tolist()
    # Devices of a machine, such as a power distribution unit, may take no unit.
    return [
        names[racks[host]] + (f"-U{unit_text(units[host])}" if kind.units else "")
        for kind, hosts in layout.housing.kinds(layout.topology.hosts)
        for host in hosts
    ]


def unit_text(unit: float) -> str:
    """A unit with at least two digits before the point: ``09``, ``10.5``."""
    return f"{int(unit):02d}" + f"{unit % 1:.2g}"[1:] * (unit % 1 > 0)


def _digits(values: np.ndarray, least: int) -> int:
    return max(least, len(str(values.max(initial=0))))
