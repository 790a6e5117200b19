"""The figures of a machine on one page."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from topoloom.core.errors import check_type
from topoloom.designer.offers import worst_taper
from topoloom.machine.devices import hosts_by_kind
from topoloom.machine.machine import HOW, Machine
from topoloom.model.results import Provenance, Result
from topoloom.placement.layout.layout import Layout


@dataclass(frozen=True)
class KindFigures:
    """A kind of hosts: its number, its ports by network, and the racks in which it stands."""

    name: str
    role: str
    hosts: int
    ports: dict[str, int]
    racks: int
    power_w: float


@dataclass(frozen=True)
class NetworkFigures:
    """A network of a machine.

    Attributes
    ----------
    name, topology : str
    rate_gbps : float
        Of its links.
    switches, leaves : int
        All switches, and those with ports of devices.
    links : int
        Between switches.
    devices, ports : int
        Its hosts and other devices, and their ports on it.
    by_kind : dict of str to int
        The ports of each kind of device.
    cables_m, longest_m : float
        Of all its cables, those of devices included.
    racks : int
        With its switches.
    taper : float or None
        The most ports down per port up, by their rates, at any level of a tree; None for other networks.
    """

    name: str
    topology: str
    rate_gbps: float
    switches: int
    leaves: int
    links: int
    devices: int
    ports: int
    by_kind: dict[str, int]
    cables_m: float
    longest_m: float
    racks: int
    taper: float | None


@dataclass(frozen=True)
class MachineOverview(Result):
    """The figures of a machine.

    Attributes
    ----------
    title : str
    hosts, switches, racks : int
    connections : int
        Links and ports of devices of all networks; fewer cables where one carries several.
    kinds : tuple of KindFigures
    networks : tuple of NetworkFigures
    """

    record_name = "machine-overview"

    title: str
    hosts: int
    switches: int
    racks: int
    connections: int
    kinds: tuple[KindFigures, ...]
    networks: tuple[NetworkFigures, ...]
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    def rows(self) -> list[dict[str, Any]]:
        """One row per network."""
        return [{key: value for key, value in vars(network).items() if key != "by_kind"} for network in self.networks]


def overview(machine: Machine) -> MachineOverview:
    """The figures of a machine.

    Parameters
    ----------
    machine : Machine

    Returns
    -------
    MachineOverview
    """
    check_type(machine, Machine, "overview", HOW)
    networks = tuple(_network(machine, name) for name in machine.networks)
    kinds = []
    for kind, hosts in hosts_by_kind(machine.kinds):
        ports = {
            name: group.ports
            for name, groups in machine.groups.items()
            for group in groups
            if group.origin == "host" and group.of == kind.plan.name
        }
        racks = np.unique(machine.racks.host[hosts]).size
        kinds.append(KindFigures(kind.plan.name, kind.plan.role, len(hosts), ports, racks, kind.plan.power_w))
    return MachineOverview(
        machine.requirement.title,
        machine.hosts,
        machine.switches,
        len(machine.racks),
        sum(network.links + network.ports for network in networks),
        tuple(kinds),
        networks,
        Provenance.of_run(name=machine.requirement.title),
    )


def _network(machine: Machine, name: str) -> NetworkFigures:
    network = machine.networks[name]
    topology, layout = network.topology, network.part(Layout)
    lengths = np.concatenate([layout.length_m, layout.host_length_m])
    return NetworkFigures(
        name=name,
        topology=topology.name,
        rate_gbps=machine.requirement.plan(name).rate_gbps,
        switches=topology.switches,
        leaves=int((topology.endpoints_at > 0).sum()),
        links=len(topology.links),
        devices=topology.hosts,
        ports=topology.endpoints.size,
        by_kind={group.kind: group.total for group in machine.groups[name]},
        cables_m=float(lengths.sum()),
        longest_m=float(lengths.max(initial=0.0)),
        racks=np.unique(layout.slot).size,
        taper=worst_taper(topology),
    )
