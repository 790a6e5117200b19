"""Fabric: a topology with the real identities of its parts: names, GUIDs, LIDs, and the ports that cables are plugged into.

`Topology` numbers ports itself: endpoints first, then links. An installed fabric has its own port numbers, which its tables
and cable lists must use. A planned fabric has the names H0, H1, ... and S0, S1, ..., topoloom's ports, and the GUIDs that
ibsim 0.10 assigns when it reads the file: hosts from 0x100000 in the file's order, plus one per port; switches from
0x200000.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from topoloom.fabric.flaws import Flaw
from topoloom.fabric.port_settings import PortSettings
from topoloom.fabric.rates import lanes_of
from topoloom.model.topology import Topology

_HOST_GUID, _SWITCH_GUID = 0x100000, 0x200000


def _no_loops() -> np.ndarray:
    return np.empty((0, 3), np.int32)


def _unknown() -> np.ndarray:
    return np.empty(0)


#: Properties of cables that only an inspection finds: the array's type, by the end of the field's name.
_OF_CABLES: dict[str, type] = {
    "width": np.int8,
    "rate_gbps": np.float64,
    "one_sided": np.bool_,
    "length_m": np.float64,
    "part": np.str_,
}
_OF_LINKS = {f"link_{name}": kind for name, kind in _OF_CABLES.items()}
_OF_ENDPOINTS = {f"endpoint_{name}": kind for name, kind in _OF_CABLES.items()}
#: Properties of devices that may be unknown, likewise.
_OF_NODES: dict[str, type] = {"device": np.int32, "system": np.uint64, "rack": np.str_, "unit": np.str_}
_OF_SWITCHES = {f"switch_{name}": kind for name, kind in _OF_NODES.items()}
_OF_HOSTS = {f"host_{name}": kind for name, kind in _OF_NODES.items()}


@dataclass(frozen=True, eq=False, repr=False)
class Fabric:
    """A topology with the names, addresses and ports of its parts.

    Parameters
    ----------
    topology : Topology
    switch_names, host_names : tuple of str
    switch_guids : uint64[switches]
        Node GUIDs; port 0 of a switch has the same.
    switch_ports : int32[switches]
        Number of ports of each switch, in use or not.
    host_guids : uint64[hosts]
        Node GUIDs.
    host_sizes : int32[hosts]
        Number of ports of each host's adapter, in use or not.
    port_guids : uint64[endpoints]
    link_ports : int32[links, 2]
        The port at each end of each link, in the order of `Topology.links`.
    endpoint_ports : int32[endpoints]
        The switch port of each endpoint.
    host_ports : int32[endpoints]
        The number of each endpoint among the ports of its host, from 1.
    switch_lids, port_lids : int32[switches], int32[endpoints]
        Base LIDs; 0 where not known.
    switch_lmc, port_lmc : int32[switches], int32[endpoints]
        An address has 2^lmc LIDs, starting at its base LID.
    loops : int32[loops, 3]
        Cables from a switch to itself, which a topology cannot hold: switch, port, port.
    made : str
        The origin: "planned", or the name of the file.
    collected : str
        When the file was written, as ``2026-11-26T23:31:18Z``; empty where not known.
    link_width, endpoint_width : int8[links], int8[endpoints]
        Lanes of each cable in operation; 0 where not known. When omitted, none is known.
    link_rate_gbps, endpoint_rate_gbps : float64[links], float64[endpoints]
        Data rate of each cable in operation, in Gb/s (width times speed); 0 where not known. The rates of `topology`, if it
        has rates.
    link_one_sided, endpoint_one_sided : bool[links], bool[endpoints]
        Cables that only one of their two ends lists.
    link_length_m, endpoint_length_m : float64[links], float64[endpoints]
        The length that each cable reports; 0 where not known.
    link_part, endpoint_part : str[links], str[endpoints]
        The part number that each cable reports; empty where not known.
    switch_device, host_device : int32[switches], int32[hosts]
        Device ids (``devid``), which distinguish models; 0 where not known.
    switch_system, host_system : uint64[switches], uint64[hosts]
        The GUID of the system that contains each (``sysimgguid``); 0 where not known.
    switch_rack, host_rack : str[switches], str[hosts]
        The rack of each, as a plan states it; empty where not known.
    switch_unit, host_unit : str[switches], str[hosts]
        The unit of its rack, as a plan states it; empty where not known.
    switch_port_names, host_port_names : tuple of mapping of int to str
        The names of the ports of each switch and of each host, by number, where ports have names (``swp1s0``); an empty name:
        the file does not state the port. When omitted, ports have numbers only.
    port_settings : mapping of (str, str) to PortSettings
        The settings of ports that files state, by the names of device and port.
    guids_given : bool
        Whether GUIDs are those of the devices; False where the file has none, and they only count the devices.
    by_neighbours : bool
        Whether the cables are those that devices hear of each other (LLDP), so that a host without an agent is not there.
    unread : tuple of str
        Switches that only their neighbours name, though other devices were read.
    flaws : tuple of Flaw
        The flaws of the file, if it was read with lenient parsing.
    """

    topology: Topology
    switch_names: tuple[str, ...]
    switch_guids: np.ndarray
    switch_ports: np.ndarray
    host_names: tuple[str, ...]
    host_guids: np.ndarray
    host_sizes: np.ndarray
    port_guids: np.ndarray
    link_ports: np.ndarray
    endpoint_ports: np.ndarray
    host_ports: np.ndarray
    switch_lids: np.ndarray
    port_lids: np.ndarray
    switch_lmc: np.ndarray
    port_lmc: np.ndarray
    loops: np.ndarray = field(default_factory=_no_loops)
    made: str = "planned"
    collected: str = ""
    link_width: np.ndarray = field(default_factory=_unknown)
    link_rate_gbps: np.ndarray = field(default_factory=_unknown)
    link_one_sided: np.ndarray = field(default_factory=_unknown)
    link_length_m: np.ndarray = field(default_factory=_unknown)
    link_part: np.ndarray = field(default_factory=_unknown)
    endpoint_width: np.ndarray = field(default_factory=_unknown)
    endpoint_rate_gbps: np.ndarray = field(default_factory=_unknown)
    endpoint_one_sided: np.ndarray = field(default_factory=_unknown)
    endpoint_length_m: np.ndarray = field(default_factory=_unknown)
    endpoint_part: np.ndarray = field(default_factory=_unknown)
    switch_device: np.ndarray = field(default_factory=_unknown)
    host_device: np.ndarray = field(default_factory=_unknown)
    switch_system: np.ndarray = field(default_factory=_unknown)
    host_system: np.ndarray = field(default_factory=_unknown)
    switch_rack: np.ndarray = field(default_factory=_unknown)
    host_rack: np.ndarray = field(default_factory=_unknown)
    switch_unit: np.ndarray = field(default_factory=_unknown)
    host_unit: np.ndarray = field(default_factory=_unknown)
    switch_port_names: tuple[Mapping[int, str], ...] = ()
    host_port_names: tuple[Mapping[int, str], ...] = ()
    port_settings: Mapping[tuple[str, str], PortSettings] = field(default_factory=dict)
    guids_given: bool = True
    by_neighbours: bool = False
    unread: tuple[str, ...] = ()
    flaws: tuple[Flaw, ...] = ()

    def __post_init__(self) -> None:
        topology = self.topology
        for kinds, size in (
            (_OF_LINKS, len(topology.links)),
            (_OF_ENDPOINTS, topology.endpoints.size),
            (_OF_SWITCHES, topology.switches),
            (_OF_HOSTS, topology.hosts),
        ):
            for name, kind in kinds.items():
                values = np.asarray(getattr(self, name))
                if values.size != size:
                    if values.astype(bool).any():
                        raise ValueError(f"{name} has {values.size} values, and there are {size}")
                    # Unknown for all cables, of whatever number.
                    values = np.zeros(size, kind)
                object.__setattr__(self, name, values.astype(kind, copy=False))
        for names, count in ((self.switch_port_names, topology.switches), (self.host_port_names, topology.hosts)):
            if len(names) not in (0, count):
                raise ValueError(f"the ports of {len(names)} nodes have names, and there are {count}")
        # The topology owns the rates of all cables.
        for name, rates in topology.rates_of().items():
            object.__setattr__(self, name, rates)
            width = name.replace("rate_gbps", "width")
            if not getattr(self, width).any():
                each, place = np.unique(rates, return_inverse=True)
                lanes = np.array([lanes_of(rate) for rate in each.tolist()], np.int8)
                object.__setattr__(self, width, lanes[place.reshape(-1)])

    @property
    def rated(self) -> bool:
        """Whether the rate of any cable is known."""
        return bool((self.link_rate_gbps > 0).any() or (self.endpoint_rate_gbps > 0).any())

    @property
    def planned(self) -> bool:
        """Whether names, GUIDs and ports are topoloom's own."""
        return self.made == "planned"

    @property
    def as_planned(self) -> bool:
        """Whether names, GUIDs and all ports are those that topoloom gives."""
        if not self.planned:
            return False
        return self.same_ports(planned_fabric(self.topology))

    def same_ports(self, other: "Fabric") -> bool:
        """Whether all parts have the names of another fabric, and all cables are in the same ports."""
        names = self.switch_names == other.switch_names and self.host_names == other.host_names
        ports = ("link_ports", "endpoint_ports", "host_ports")
        return names and all(np.array_equal(getattr(self, name), getattr(other, name)) for name in ports)

    @property
    def named_ports(self) -> bool:
        """Whether any port has a name, and not only a number."""
        return any(any(names.values()) for names in (*self.switch_port_names, *self.host_port_names))

    @cached_property
    def settings_by_device(self) -> Mapping[str, Mapping[str, PortSettings]]:
        """What files state of the ports of each device: the settings of each port by its name."""
        devices: dict[str, dict[str, PortSettings]] = {}
        for (device, port), settings in self.port_settings.items():
            devices.setdefault(device, {})[port] = settings
        return devices

    @property
    def addressed(self) -> bool:
        """Whether every port and switch has a unique LID."""
        lids = np.concatenate([self.port_lids, self.switch_lids])
        return bool((lids > 0).all()) and np.unique(lids).size == lids.size

    @cached_property
    def lids(self) -> tuple[np.ndarray, np.ndarray]:
        """The base LIDs of endpoints and of switches: the fabric's if all are known, otherwise counted from 1."""
        if self.addressed:
            return self.port_lids, self.switch_lids
        k = self.topology.endpoints.size
        return np.arange(1, k + 1, dtype=np.int32), np.arange(k + 1, k + 1 + self.topology.switches, dtype=np.int32)

    @property
    def lmcs(self) -> tuple[np.ndarray, np.ndarray]:
        """The LMC of endpoints and of switches; 0 where LIDs are counted from 1."""
        if self.addressed:
            return self.port_lmc, self.switch_lmc
        return np.zeros_like(self.port_lmc), np.zeros_like(self.switch_lmc)

    @cached_property
    def channel_ports(self) -> np.ndarray:
        """The real port by which each channel leaves its switch, int32[2 links], in the order of `Topology.csr`."""
        topology = self.topology
        _, _, link = topology.csr
        origin = np.repeat(np.arange(topology.switches), topology.degrees)
        at_first = topology.links[link, 0] == origin
        ports: np.ndarray = np.where(at_first, self.link_ports[link, 0], self.link_ports[link, 1]).astype(np.int32)
        return ports

    def after_losses(self, topology: Topology, switches: np.ndarray, links: np.ndarray) -> "Fabric":
        """The rest of the fabric after losses, with its names and ports.

        `topology` holds only `switches` of the switches, only `links` of the links, int64[k] each, and all hosts of these
        switches.

        Parameters
        ----------
        topology : Topology
            The remaining network, renumbered: switch i is `switches[i]`, link k is `links[k]`.
        switches : int64[topology.switches]
            The remaining switches, by their numbers before the losses, ascending.
        links : int64[topology.links]
            The remaining links, by their numbers before the losses.

        Returns
        -------
        Fabric
            With all hosts of the remaining switches, and their names, GUIDs and ports.
        """
        ends = np.isin(self.topology.endpoints, switches)
        hosts = np.unique(self.topology.host[ends])
        return replace(
            self,
            topology=topology,
            made=f"{self.made}, after losses",
            link_ports=self.link_ports[links],
            switch_names=tuple(self.switch_names[s] for s in switches.tolist()),
            switch_guids=self.switch_guids[switches],
            switch_ports=self.switch_ports[switches],
            switch_lids=self.switch_lids[switches],
            switch_lmc=self.switch_lmc[switches],
            host_names=tuple(self.host_names[h] for h in hosts.tolist()),
            host_guids=self.host_guids[hosts],
            host_sizes=self.host_sizes[hosts],
            port_guids=self.port_guids[ends],
            host_ports=self.host_ports[ends],
            endpoint_ports=self.endpoint_ports[ends],
            port_lids=self.port_lids[ends],
            port_lmc=self.port_lmc[ends],
            switch_device=self.switch_device[switches],
            host_device=self.host_device[hosts],
            switch_system=self.switch_system[switches],
            host_system=self.host_system[hosts],
            switch_rack=self.switch_rack[switches],
            host_rack=self.host_rack[hosts],
            switch_unit=self.switch_unit[switches],
            host_unit=self.host_unit[hosts],
            switch_port_names=names_of_nodes(self.switch_port_names, switches),
            host_port_names=names_of_nodes(self.host_port_names, hosts),
            **{name: getattr(self, name)[links] for name in _OF_LINKS},
            **{name: getattr(self, name)[ends] for name in _OF_ENDPOINTS},
        )

    def __repr__(self) -> str:
        return f"Fabric({self.made}, {self.topology!r})"


def names_of_nodes(names: tuple[Mapping[int, str], ...], nodes: np.ndarray) -> tuple[Mapping[int, str], ...]:
    """The port names of some of the nodes; none if ports have numbers only.

    Parameters
    ----------
    names : tuple of mapping of int to str
        Of all nodes, or empty.
    nodes : int64[nodes]

    Returns
    -------
    tuple of mapping of int to str
    """
    return tuple(names[node] for node in nodes.tolist()) if names else ()


def each_node(names: tuple[Mapping[int, str], ...], nodes: int) -> tuple[Mapping[int, str], ...]:
    """Port names with an entry for every node, which is empty where its ports have numbers only.

    Parameters
    ----------
    names : tuple of mapping of int to str
        Of all nodes, or empty.
    nodes : int

    Returns
    -------
    tuple of mapping of int to str
    """
    return names or tuple({} for _ in range(nodes))


def without_rates(fabric: Fabric) -> Fabric:
    """The fabric without the rates and widths of its cables."""
    names = [name for name in (*_OF_LINKS, *_OF_ENDPOINTS) if name.endswith(("_width", "_rate_gbps"))]
    changes: dict[str, Any] = dict.fromkeys(names, _unknown())
    return replace(fabric, topology=fabric.topology.without_rates(), **changes)


def planned_fabric(topology: Topology) -> Fabric:
    """The fabric that topoloom plans: hosts H0, H1, ..., switches S0, S1, ..., its own ports, ibsim's GUIDs.

    Examples
    --------
    >>> fabric = planned_fabric(Topology(links=[(0, 1)], switches=2, endpoints=[0, 1]))
    >>> fabric.host_names, [hex(guid) for guid in fabric.port_guids.tolist()], fabric.link_ports.tolist()
    (('H0', 'H1'), ['0x100001', '0x100003'], [[2, 2]])
    """
    n, k = topology.switches, topology.endpoints.size
    counts = np.bincount(topology.host, minlength=topology.hosts)
    return Fabric(
        topology=topology,
        switch_names=tuple(f"S{s}" for s in range(n)),
        switch_guids=_SWITCH_GUID + np.arange(n, dtype=np.uint64),
        switch_ports=np.full(n, max(1, topology.radix), np.int32),
        host_names=tuple(f"H{h}" for h in range(topology.hosts)),
        host_guids=_host_guids(counts).astype(np.uint64),
        host_sizes=counts.astype(np.int32),
        port_guids=port_guids(topology).astype(np.uint64),
        link_ports=topology.link_ports,
        endpoint_ports=topology.endpoint_ports,
        host_ports=number_in_host(topology).astype(np.int32),
        switch_lids=np.zeros(n, np.int32),
        port_lids=np.zeros(k, np.int32),
        switch_lmc=np.zeros(n, np.int32),
        port_lmc=np.zeros(k, np.int32),
    )


def port_guids(topology: Topology) -> np.ndarray:
    """The port GUID of each endpoint, int64[k], as ibsim numbers them: a host's own GUID comes before its ports'."""
    counts = np.bincount(topology.host, minlength=topology.hosts)
    return np.asarray(_host_guids(counts)[topology.host] + number_in_host(topology))


def number_in_host(topology: Topology) -> np.ndarray:
    """The number of each endpoint among the ports of its host, int64[k], from 1."""
    order = np.argsort(topology.host, kind="stable")
    counts = np.bincount(topology.host, minlength=topology.hosts)
    starts = np.concatenate([[0], np.cumsum(counts)])[:-1]
    number = np.empty(order.size, np.int64)
    number[order] = np.arange(order.size) - np.repeat(starts, counts) + 1
    return number


def _host_guids(counts: np.ndarray) -> np.ndarray:
    """The node GUIDs of hosts with the given numbers of ports, int64[hosts]."""
    return np.asarray(_HOST_GUID + np.concatenate([[0], np.cumsum(counts + 1)])[:-1])
