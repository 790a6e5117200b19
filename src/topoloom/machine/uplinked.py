"""Networks without links of their own, whose switches are connected to another network: how many, and where they stand."""

from collections import Counter

import numpy as np

from topoloom.cost.parts import Parts
from topoloom.machine.devices import DeviceGroup, HostKind, hosts_by_kind
from topoloom.machine.faults import MachineError
from topoloom.machine.racks import MachineRacks
from topoloom.machine.requirement import MachineNetwork, MachineRequirement
from topoloom.model.topology import Topology


def unlinked(count: int, ports: int) -> Topology:
    """Switches without links, with this number of ports each."""
    endpoints = np.repeat(np.arange(count), ports)
    return Topology(np.empty((0, 2), np.int32), count, endpoints, labels={"level": np.zeros(count, np.int32)})


def racks_of_switches(kinds: tuple[HostKind, ...], network: MachineNetwork, racks: MachineRacks | None) -> np.ndarray:
    """The rack of each switch of a network that stands in the racks of a kind of hosts, ascending.

    Parameters
    ----------
    kinds : tuple of HostKind
    network : MachineNetwork
    racks : MachineRacks or None
        None: not known yet.

    Returns
    -------
    int64[switches]
    """
    counts: dict[int, int] = {}
    for kind, hosts in hosts_by_kind(kinds):
        if racks is not None and network.name in kind.plan.rack_switches:
            counts |= dict.fromkeys(np.unique(racks.host[hosts]).tolist(), kind.plan.rack_switches[network.name])
    return np.repeat(np.array(sorted(counts), np.int64), [counts[rack] for rack in sorted(counts)])


def homes_of_switches(switches: int, inside: np.ndarray, racks: MachineRacks | None) -> np.ndarray:
    """A host in whose rack each switch of a network stands.

    Parameters
    ----------
    switches : int
        All of the network.
    inside : int64[n]
        As of `racks_of_switches`, for its first switches.
    racks : MachineRacks or None

    Returns
    -------
    int64[switches]
        -1 for switches outside racks of hosts.
    """
    homes = np.full(switches, -1)
    if racks is not None:
        homes[: inside.size] = [np.flatnonzero(racks.host == rack)[0] for rack in inside.tolist()]
    return homes


def switches_and_zones(
    requirement: MachineRequirement,
    network: MachineNetwork,
    groups: tuple[DeviceGroup, ...],
    parts: Parts,
    near: np.ndarray | None,
    inside: np.ndarray,
) -> tuple[Topology, tuple[np.ndarray, np.ndarray] | None]:
    """The switches of a network with an uplink: first those in racks of hosts, then as many as the other devices need.

    Parameters
    ----------
    requirement : MachineRequirement
    network : MachineNetwork
    groups : tuple of DeviceGroup
        Its devices.
    parts : Parts
    near : int64[devices] or None
        The rack of each device, if known.
    inside : int64[switches]
        As of `racks_of_switches`.

    Returns
    -------
    (Topology, (int64[devices], int64[switches]) or None)
        The switches without links, each with all its ports; and the zones for `topoloom.machine.attaching.attached`: racks with
        switches of their own are one each, all others are -1.

    Raises
    ------
    InputError
        Its switch is not known, or has no ports for the uplinks; its `leaves` have too few ports.
    """
    ports = np.repeat([group.ports for group in groups], [len(group.names) for group in groups])
    own = np.zeros(ports.size, bool) if near is None else np.isin(near, inside)
    switches = switches_for(requirement, network, int(ports[~own].sum()), parts, inside.size)
    if near is None or not inside.size:
        return switches, None
    zone = np.concatenate([inside, np.full(switches.switches - inside.size, -1)])
    return switches, (np.where(own, near, -1), zone)


def switches_for(
    requirement: MachineRequirement, network: MachineNetwork, ports: int, parts: Parts, inside: int
) -> Topology:
    """The switches of a network with an uplink, each with all its ports.

    Parameters
    ----------
    requirement : MachineRequirement
    network : MachineNetwork
    ports : int
        Those of devices outside racks with switches of their own.
    parts : Parts
    inside : int
        The switches in racks of hosts.

    Returns
    -------
    Topology

    Raises
    ------
    InputError
        As `switches_and_zones`.
    """
    product = parts.switch_product(1, network.rate_gbps)
    uplink_gbps = requirement.uplink_gbps(network)
    each = network.switch.radix
    if each is None and product is not None:
        up, most = Counter({uplink_gbps: network.uplinks}), product.ports_at(network.rate_gbps)
        fitting = (some for some in range(most, 0, -1) if product.serves(up + Counter({network.rate_gbps: some})))
        each = next(fitting, 0)
    if each == 0:
        raise MachineError(
            f"network '{network.name}': '{network.switch.product}' has no ports for {network.uplinks} uplinks of"
            f" {uplink_gbps:g} Gb/s; give another switch, fewer uplinks, or their rate as `uplink_gbps`",
            "network",
            network.name,
            "uplinks",
        )
    if each is None:
        raise MachineError(
            f"network '{network.name}': give its switch a `product` or a `radix`", "network", network.name, "switch"
        )
    count = network.leaves or max(0 if inside else 1, -(-ports // each))
    if count * each < ports:
        raise MachineError(
            f"network '{network.name}': leaves = {count} have {count * each:,} ports, but its devices need {ports:,}; give"
            " more",
            "network",
            network.name,
            "leaves",
        )
    return unlinked(inside + count, each).replace(name=network.name)
