"""The ports of hosts as built: the interface and the cage of each, and the device name."""

from dataclasses import dataclass

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.placement.hosts.housing import HostType


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
        The cages of a host.
    cage_ports : int
        The most ports of a cage: the links of a module that fills it.
    names : list of str
        The device name of each port of a host, by the number of the port.
    """

    number: np.ndarray
    cage: np.ndarray
    cages: int
    cage_ports: int
    names: list[str]

    def cage_of_all(self, host: np.ndarray) -> np.ndarray:
        """The cage of each endpoint, numbered through all hosts, int64[endpoints]; `host` is the host of each endpoint."""
        return np.asarray(host.astype(np.int64) * self.cages + self.cage)

    def sharing(self) -> list[list[str]]:
        """The device names that share a cage, cage by cage: one dead module takes all of them."""
        pairs = np.unique(np.stack([self.cage, self.number], axis=1), axis=0)
        return [[self.names[port] for port in pairs[pairs[:, 0] == cage, 1]] for cage in np.unique(pairs[:, 0])]


def host_ports_as_built(topology: Topology, host: HostType) -> HostPorts:
    """The interface, cage and device name of each port of the hosts.

    A host has its ports in the order of the endpoints: rail by rail, plane by plane. Where an interface has several ports and
    the network has planes, the ports of each interface are in different planes (port 1 of every twin module in plane 1).

    Parameters
    ----------
    topology : Topology
    host : HostType

    Returns
    -------
    HostPorts

    Raises
    ------
    InputError
        A host has more ports on the network than the cages or device names that are given.
    """
    order = _order_in_host(topology.host, topology.hosts)
    number = order
    plane = topology.labels.get("plane")
    if host.ports > 1 and plane is not None:
        # The rank of the port among those of its host in its plane comes first, then the plane.
        of_plane = plane[topology.endpoints].astype(np.int64)
        planes = int(plane.max()) + 1
        number = _order_in_host(topology.host * planes + of_plane, topology.hosts * planes) * planes + of_plane
    most = int(number.max(initial=-1)) + 1
    cage_of, names = _cage_of(host, most), _names(host, most)
    cage = cage_of[number]
    return HostPorts(
        number=number,
        cage=cage,
        cages=int(cage_of.max(initial=0)) + 1,
        cage_ports=int(np.bincount(cage_of).max(initial=1)),
        names=names,
    )


def port_names(topology: Topology, host: HostType) -> list[list[str]]:
    """The device names of the ports of each host, in the order of its endpoints.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> port_names(build("fat-tree:hosts=16,k=8+rails:nics=2"), HostType(devices=("mlx5_0", "mlx5_3")))[7]
    ['mlx5_0', 'mlx5_3']
    """
    ports = host_ports_as_built(topology, host)
    order = np.argsort(topology.host, kind="stable")
    counts = np.bincount(topology.host, minlength=topology.hosts)
    rows: dict[bytes, list[str]] = {}  # hosts with the same ports share a list
    names = []
    for numbers in np.split(ports.number[order], np.cumsum(counts)[:-1]):
        key = numbers.tobytes()
        if key not in rows:
            rows[key] = [ports.names[number] for number in numbers.tolist()]
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
