"""The ports of hosts as built: the interface and the cage of each, and the device name."""

from dataclasses import dataclass

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.placement.hosts.housing import HostType, Housing


@dataclass(frozen=True, eq=False)
class KindPorts:
    """The ports of the hosts of one kind.

    Attributes
    ----------
    host : HostType
    cage_ports : int
        The most ports of a cage: the links of a module that fills it.
    names : list of str
        The device name of each port of a host, by the number of the port.
    """

    host: HostType
    cage_ports: int
    names: list[str]


@dataclass(frozen=True, eq=False)
class HostPorts:
    """The ports of all hosts on a network, one entry per endpoint.

    Attributes
    ----------
    number : int64[endpoints]
        The port's number in its host, interface by interface, from 0.
    cage : int64[endpoints]
        The number of its cage in its host, from 0.
    cages : int
        The cages of a host; of the kind with most, where there are several.
    kind : int64[endpoints]
        The kind of its host.
    kinds : tuple of KindPorts
        At least one.
    """

    number: np.ndarray
    cage: np.ndarray
    cages: int
    kind: np.ndarray
    kinds: tuple[KindPorts, ...]

    def cage_of_all(self, host: np.ndarray) -> np.ndarray:
        """The cage of each endpoint, numbered through all hosts, int64[endpoints]; `host` is the host of each endpoint."""
        return np.asarray(host.astype(np.int64) * self.cages + self.cage)

    def sharing(self) -> list[list[str]]:
        """The device names that share a cage, kind by kind and cage by cage: one dead module takes all of them."""
        rows = np.unique(np.stack([self.kind, self.cage, self.number], axis=1), axis=0)
        sharing: dict[tuple[int, int], list[str]] = {}
        for kind, cage, port in rows.tolist():
            sharing.setdefault((kind, cage), []).append(self.kinds[kind].names[port])
        return list(sharing.values())


def host_ports_as_built(topology: Topology, housing: Housing) -> HostPorts:
    """The interface, cage and device name of each port of the hosts.

    A host has its ports in the order of the endpoints: rail by rail, plane by plane. Where an interface has several ports and
    the network has planes, the ports of each interface are in different planes (port 1 of every twin module in plane 1).

    Parameters
    ----------
    topology : Topology
    housing : Housing
        The kinds of hosts.

    Returns
    -------
    HostPorts

    Raises
    ------
    InputError
        A host has more ports on the network than the cages or device names that are given.
    """
    number = _order_in_host(topology.host, topology.hosts)
    kinds, cages = [], 1
    kind_of, cage = np.zeros(number.size, np.int64), np.empty(number.size, np.int64)
    for index, (host, hosts) in enumerate(housing.kinds(topology.hosts)):
        own = (topology.host >= hosts.start) & (topology.host < hosts.stop)
        if host.ports > 1 and "plane" in topology.labels:
            number[own] = _by_planes(topology)[own]
        most = int(number[own].max(initial=-1)) + 1
        cage_of = _cage_of(host, most)
        kind_of[own], cage[own] = index, cage_of[number[own]]
        cages = max(cages, int(cage_of.max(initial=0)) + 1)
        kinds.append(KindPorts(host, int(np.bincount(cage_of).max(initial=1)), _names(host, most)))
    return HostPorts(number, cage, cages, kind_of, tuple(kinds))


def _by_planes(topology: Topology) -> np.ndarray:
    """The number of each port in its host where interfaces have several ports, which are in different planes."""
    # The rank of the port among those of its host in its plane comes first, then the plane.
    plane = topology.labels["plane"]
    of_plane = plane[topology.endpoints].astype(np.int64)
    planes = int(plane.max()) + 1
    rank = _order_in_host(topology.host * planes + of_plane, topology.hosts * planes)
    return np.asarray(rank * planes + of_plane)


def port_names(topology: Topology, housing: Housing) -> list[list[str]]:
    """The device names of the ports of each host, in the order of its endpoints.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> twins = Housing(host=HostType(devices=("mlx5_0", "mlx5_3")))
    >>> port_names(build("fat-tree:hosts=16,k=8+rails:nics=2"), twins)[7]
    ['mlx5_0', 'mlx5_3']
    """
    ports = host_ports_as_built(topology, housing)
    order = np.argsort(topology.host, kind="stable")
    numbers = np.split(ports.number[order], np.cumsum(np.bincount(topology.host, minlength=topology.hosts))[:-1])
    rows: dict[tuple[int, bytes], list[str]] = {}  # hosts of a kind with the same ports share a list
    names = []
    for kind, (_, hosts) in enumerate(housing.kinds(topology.hosts)):
        of_kind = ports.kinds[kind].names
        for host in hosts:
            key = (kind, numbers[host].tobytes())
            if key not in rows:
                rows[key] = [of_kind[number] for number in numbers[host].tolist()]
            names.append(rows[key])
    return names


def _order_in_host(host: np.ndarray, hosts: int) -> np.ndarray:
    """The number of each endpoint among those of its host, from 0, int64[endpoints]."""
    order = np.argsort(host, kind="stable")
    counts = np.bincount(host, minlength=hosts)
    number = np.empty(order.size, np.int64)
    number[order] = np.arange(order.size) - np.repeat(np.cumsum(counts) - counts, counts)
    return number


def _cage_of(host: HostType, ports: int) -> np.ndarray:
    """The cage of each port of a host, int64[ports]."""
    if not host.cages:
        return np.arange(max(ports, 1)) // host.ports
    count = sum(map(len, host.cages))
    if ports > count:
        raise InputError(
            f"cages: those of '{host.name}' have {count} ports, but its hosts have {ports} on this network"
        )
    cage_of = np.empty(count, np.int64)
    for cage, members in enumerate(host.cages):
        cage_of[list(members)] = cage
    return cage_of


def _names(host: HostType, ports: int) -> list[str]:
    """The device name of each port of a host."""
    if not host.devices:
        return [f"{host.device}{port}" for port in range(ports)]
    if len(host.devices) >= ports:
        return list(host.devices)
    if len(host.devices) * host.ports < ports:
        raise InputError(
            f"devices: '{host.name}' has {len(host.devices)} names, but its hosts have {ports} ports on this network;"
            " give a name for each interface"
        )
    return [f"{name}p{port + 1}" for name in host.devices for port in range(host.ports)]
