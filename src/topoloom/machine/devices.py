"""The devices of a machine: its hosts by kind, completed by the catalogue, and what each has on each network."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

import msgspec

from topoloom.core.errors import hint
from topoloom.cost.host_products import ServerProduct
from topoloom.cost.parts import Parts
from topoloom.machine.faults import MachineError
from topoloom.machine.requirement import (
    MANAGER,
    MANAGERS_OF,
    MachineHosts,
    MachineNetwork,
    MachineRequirement,
    NetworkPorts,
)
from topoloom.placement.hosts.housing import HostType, OtherPort

#: The keys of a host that its server in the catalogue fills.
_BODY = (
    "u",
    "power_w",
    "weight_kg",
    "typical_w",
    "air_m3h",
    "liquid_share",
    "inlets",
    "scale_up",
    "scale_up_gb_per_s",
    "node",
)
#: Rates up to this one are those of management ports, Gb/s.
_MANAGEMENT_GBPS = 10.0


@dataclass(frozen=True)
class HostKind:
    """A kind of hosts.

    Attributes
    ----------
    plan : MachineHosts
        With the keys that the catalogue supplies.
    server : ServerProduct or None
        Its product in the catalogue.
    names : tuple of str
        The name of each of its hosts.
    """

    plan: MachineHosts
    server: ServerProduct | None
    names: tuple[str, ...]

    @classmethod
    def named(cls, plan: MachineHosts, server: ServerProduct | None, digits: int | None = None) -> "HostKind":
        """A kind with the names of its hosts: the prefix and a number.

        Parameters
        ----------
        plan : MachineHosts
        server : ServerProduct or None
        digits : int, optional
            The digits of the numbers, at least; by default three, or as many as the last number has.
        """
        if digits is None:
            digits = max(1 if plan.role == "management" else 3, len(str(plan.count)))
        return cls(plan, server, tuple(f"{plan.node}{number:0{digits}d}" for number in range(1, plan.count + 1)))

    @property
    def digits(self) -> int:
        """The digits of the number in the name of the first."""
        return len(self.names[0]) - len(self.plan.node)

    @property
    def units(self) -> float:
        """The height of one, units.

        Raises
        ------
        InputError
            It is not known.
        """
        if self.plan.u is None:
            raise MachineError(
                f"the height of the host '{self.plan.name}' is not known; give `u` in its [[host]]",
                "host",
                self.plan.name,
            )
        return self.plan.u

    def body(self, **ports: object) -> HostType:
        """One of these hosts, with these keys of its ports."""
        own = {key: getattr(self.plan, key) for key in _BODY}
        return HostType(name=self.plan.name, **{**own, **ports})


def hosts_by_kind(kinds: Iterable[HostKind]) -> Iterator[tuple[HostKind, range]]:
    """Yield each kind with the numbers of its hosts in the machine: kinds are numbered one after another.

    Parameters
    ----------
    kinds : iterable of HostKind
    """
    first = 0
    for kind in kinds:
        yield kind, range(first, first + len(kind.names))
        first += len(kind.names)


@dataclass(frozen=True)
class DeviceGroup:
    """Devices of one kind on one network.

    Attributes
    ----------
    kind : str
        The kind of host, or of switch or device: "DGX H100", "switches of compute", "PDU".
    origin : "host", "switch" or "device"
    of : str
        The name of the kind of host, of the network of the switches, or of the device.
    host : HostType
        One of them, with its ports on this network.
    names : tuple of str
        The name of each device.
    ports : int
        The ports of each.
    rate_gbps : float
        Of each port.
    leaves : int or None
        Over how many leaf switches the ports of each are spread; None: as usual.
    block : str
        The block of leaf switches, if named.
    """

    kind: str
    origin: Literal["host", "switch", "device"]
    of: str
    host: HostType
    names: tuple[str, ...]
    ports: int
    rate_gbps: float
    leaves: int | None = None
    block: str = ""

    @property
    def total(self) -> int:
        """All ports of the group."""
        return len(self.names) * self.ports


def host_kinds(requirement: MachineRequirement, parts: Parts) -> tuple[HostKind, ...]:
    """The kinds of hosts, and the managers of networks, completed by the catalogue.

    Parameters
    ----------
    requirement : MachineRequirement
    parts : Parts
        With servers.

    Returns
    -------
    tuple of HostKind

    Raises
    ------
    InputError
        Two hosts have the same name, the catalogue lacks a server, or a server has fewer ports than are asked for.
    """
    servers = {server.name: server for server in parts.server}
    for plan in requirement.host:
        if plan.product and plan.product not in servers:
            raise MachineError(
                f"host '{plan.name}': the catalogue '{parts.name}' has no server '{plan.product}'"
                f" ({hint(plan.product, servers) if servers else 'it has none'}); omit `product`, and give u and power_w",
                "host",
                plan.name,
                "product",
            )
    managed = [network for network in requirement.network if network.managers]
    for network in managed:
        if network.manager not in servers:
            raise MachineError(
                f"network '{network.name}': the catalogue '{parts.name}' has no server '{network.manager}' for its managers"
                f" ({hint(network.manager, servers) if servers else 'it has none'}); give another `manager`, or make the"
                " managers a [[host]] with u and power_w",
                "network",
                network.name,
                "manager" if network.manager != MANAGER else "managers",
            )
    plans = [*requirement.host, *map(_managers, managed)]
    kinds = [_kind(plan, servers.get(plan.product or plan.name), requirement) for plan in plans]
    for kind in kinds:
        _check_interfaces(kind, requirement)
    seen: dict[str, str] = {}
    for kind in kinds:
        for name in kind.names:
            if name in seen:
                raise MachineError(
                    f"host '{kind.plan.name}': its name {name} is also one of '{seen[name]}'; give each kind its own `node`",
                    "host",
                    kind.plan.name,
                    "node",
                )
            seen[name] = kind.plan.name
    return tuple(kinds)


def _check_interfaces(kind: HostKind, requirement: MachineRequirement) -> None:
    """Refuse more ports on fast networks than the server has interfaces for them, and two networks on one port."""
    if kind.server is None:
        return
    own: dict[str, int] = {}
    management: dict[str, int] = {}
    for network in requirement.network:
        ports = kind.plan.on(network.name)
        rate = network.rate_gbps if ports.rate_gbps is None else ports.rate_gbps
        others = any(_is_for(port, network.name, rate) for port in kind.server.other_ports)
        if ports.nic or ports.connector:
            continue
        if rate <= _MANAGEMENT_GBPS:
            management[network.name] = ports.count
        elif ports.count and not others:
            own[network.name] = ports.count
    if sum(own.values()) > kind.server.nics:
        asked = " and ".join(f"{count} on '{name}'" for name, count in own.items())
        raise MachineError(
            f"host '{kind.plan.name}': {asked}, but the server of the catalogue has {kind.server.nics} such ports; give fewer,"
            " or `nic` or `connector` with the ports of an interface that is added",
            "host",
            kind.plan.name,
            "ports",
            next(iter(own)),
        )
    managed = {name: count for name, count in management.items() if count}
    sockets = sum(port.rate_gbps is not None and port.rate_gbps <= _MANAGEMENT_GBPS for port in kind.server.other_ports)
    # How many management ports a tray of a rack-scale system has is not published: its host and each of its cards may have one.
    if sockets and not kind.plan.unit_hosts and sum(managed.values()) > sockets:
        asked = " and ".join(f"{count} on '{name}'" for name, count in managed.items())
        raise MachineError(
            f"host '{kind.plan.name}': {asked}, but the server of the catalogue has {sockets} management"
            f" port{'s' * (sockets > 1)}; give fewer, or `nic` or `connector` with the ports of an interface that is added",
            "host",
            kind.plan.name,
            "ports",
            next(iter(managed)),
        )


def _managers(network: MachineNetwork) -> MachineHosts:
    """The managers of a network as hosts."""
    return MachineHosts(
        name=f"{MANAGERS_OF}{network.name}",
        product=network.manager,
        count=network.managers,
        role="management",
        ports={network.name: 2},
        node=f"{network.name}-manager",
    )


def _kind(plan: MachineHosts, server: ServerProduct | None, requirement: MachineRequirement) -> HostKind:
    changes: dict[str, object] = {} if plan.node else {"node": _prefix(plan.name)}
    if server is not None:
        defaults = msgspec.structs.replace(plan, **{key: _DEFAULTS[key] for key in _BODY if key != "node"})
        for key in _BODY:
            value = getattr(server, key, None)
            if key != "node" and value is not None and getattr(plan, key) == getattr(defaults, key):
                changes[key] = value
        if plan.unit_hosts is None and server.unit_hosts is not None:
            changes["unit_hosts"] = server.unit_hosts
        if not plan.device:
            changes["device"] = server.rack_device
    filled = msgspec.structs.replace(plan, **changes)
    if partial := filled.partial_system:
        raise MachineError(partial, "host", plan.name, "count")
    # Switches of a network that stand in the rack are no further devices of it.
    switches = {requirement.plan(name).switch.product for name in plan.rack_switches}
    devices = tuple(device for device in filled.device if device.name not in switches)
    for key, own in (("unit_power_w", "power_w"), ("unit_weight_kg", "weight_kg")):
        whole = getattr(plan, key)
        if whole is not None:
            if not filled.unit_hosts:
                raise MachineError(
                    f"host '{plan.name}': {key} is that of a rack-scale system; give unit_hosts, or {own}",
                    "host",
                    plan.name,
                    key,
                )
            filled = msgspec.structs.replace(filled, **{own: whole / filled.unit_hosts})
            devices = tuple(msgspec.structs.replace(device, **{own: 0.0}) for device in devices)
    return HostKind.named(msgspec.structs.replace(filled, device=devices), server)


_DEFAULTS = {field: getattr(HostType(), field) for field in _BODY}


def _prefix(name: str) -> str:
    """The prefix of names from a name: "DGX H100" gives "dgx-h100-"."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") + "-"


def groups_of_hosts(kinds: Iterable[HostKind], network: MachineNetwork) -> list[DeviceGroup]:
    """The hosts on a network, in the order of their kinds.

    Parameters
    ----------
    kinds : iterable of HostKind
    network : MachineNetwork

    Returns
    -------
    list of DeviceGroup

    Raises
    ------
    InputError
        A server of the catalogue has fewer ports than are asked for.
    """
    groups = []
    for kind in kinds:
        ports = kind.plan.on(network.name)
        if ports.count:
            rate = network.rate_gbps if ports.rate_gbps is None else ports.rate_gbps
            host = kind.body(**_filled_ports(kind, ports, network, rate))
            groups.append(
                DeviceGroup(
                    kind.plan.name,
                    "host",
                    kind.plan.name,
                    host,
                    kind.names,
                    ports.count,
                    rate,
                    ports.leaves,
                    ports.block,
                )
            )
    return groups


def _filled_ports(kind: HostKind, ports: NetworkPorts, network: MachineNetwork, rate_gbps: float) -> dict[str, object]:
    """The keys of a host's ports on a network; ports without a device name are called by the network: ``storage-1``."""
    filled = _known_ports(kind, ports, network, rate_gbps)
    names = tuple(f"{network.name}-{number}" for number in range(1, ports.count + 1))
    return {"devices": names, **filled}


def _known_ports(kind: HostKind, ports: NetworkPorts, network: MachineNetwork, rate_gbps: float) -> dict[str, object]:
    """The keys of a host's ports on a network: as given, else as the catalogue has them."""
    given: dict[str, object] = {"nics": ports.count, "rate_gbps": rate_gbps}
    given |= {key: value for key in ("nic", "connector", "cages", "devices") if (value := getattr(ports, key))}
    server = kind.server
    if server is None:
        return given
    if server.nics == ports.count and server.rate_gbps in (None, rate_gbps):
        own = {key: getattr(server, key) for key in ("nic", "nic_included", "connector", "cages", "devices")}
        return {**{key: value for key, value in own.items() if value}, **given}
    others = [port for port in server.other_ports if _is_for(port, network.name, rate_gbps)]
    if (
        others
        and len(others) < ports.count
        and rate_gbps > _MANAGEMENT_GBPS
        and not {"nic", "connector"} & given.keys()
    ):
        raise MachineError(
            f"host '{kind.plan.name}': {ports.count} ports on network '{network.name}', but the server of the catalogue has"
            f" {len(others)} for it; give `nic` or `connector` with these ports to add interfaces",
            "host",
            kind.plan.name,
            "ports",
            network.name,
        )
    if len(others) >= ports.count:
        chosen = others[: ports.count]
        connectors = {port.connector for port in chosen}
        names = tuple(port.device for port in chosen if port.device)
        if len(connectors) == 1 and None not in connectors:
            given.setdefault("connector", connectors.pop())
        if len(set(names)) == ports.count:
            given.setdefault("devices", names)
    return given


def _is_for(port: OtherPort, network: str, rate_gbps: float) -> bool:
    """Whether a further port of a server is for a network: by its use, or as a management port."""
    if port.rate_gbps is not None and port.rate_gbps <= _MANAGEMENT_GBPS:
        return rate_gbps <= _MANAGEMENT_GBPS
    return network.lower() in port.use.lower()
