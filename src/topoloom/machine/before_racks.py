"""The devices of each network of a machine before its racks are known, for the choice of its networks."""

from collections.abc import Mapping

from topoloom.cost.parts import Parts
from topoloom.machine.connecting import groups_on, within_floor
from topoloom.machine.devices import DeviceGroup, HostKind, groups_of_hosts
from topoloom.machine.naming import named_devices
from topoloom.machine.racks import machine_racks
from topoloom.machine.requirement import MachineRequirement
from topoloom.machine.uplinked import racks_of_switches, switches_for


def groups_before_racks(
    requirement: MachineRequirement,
    kinds: tuple[HostKind, ...],
    parts: Mapping[str, Parts],
    switches: Mapping[str, int] | None = None,
) -> dict[str, tuple[DeviceGroup, ...]]:
    """The devices of each network as far as they are known before the racks are.

    A network with an uplink has as many switches as these devices need, and one more: what is not known yet will need ports.

    Parameters
    ----------
    requirement : MachineRequirement
    kinds : tuple of HostKind
    parts : mapping of str to Parts
        The catalogue of each network.
    switches : mapping of str to int, optional
        The most switches of networks that are known so far.

    Returns
    -------
    dict of str to tuple of DeviceGroup
        By the names of networks.
    """
    of_hosts = {network.name: tuple(groups_of_hosts(kinds, network)) for network in requirement.network}
    names: dict[str, tuple[str, ...]] = {network.name: () for network in requirement.network}
    names |= {name: _numbered(name, count) for name, count in (switches or {}).items()}
    # Those of hosts alone: racks of switches, and their devices, are not known yet.
    racks = machine_racks(kinds, within_floor(requirement.rack, requirement.floor.floor()), [])
    devices = named_devices(racks, _numbered("rack", len(racks)))
    for network in requirement.network:
        if network.uplink:
            served = tuple(groups_on(requirement, kinds, network, names, devices))
            inside = racks_of_switches(kinds, network, racks)
            own = {kind.plan.name for kind in kinds if network.name in kind.plan.rack_switches}
            others = sum(group.total for group in served if group.of not in own)
            least = switches_for(requirement, network, others, parts[network.name], inside.size).switches
            names[network.name] = _numbered(network.name, least if network.leaves else least + 1)
    groups = {
        network.name: tuple(groups_on(requirement, kinds, network, names, devices)) for network in requirement.network
    }
    return {name: tuple(group for group in some if group.names) or of_hosts[name] for name, some in groups.items()}


def _numbered(stem: str, count: int) -> tuple[str, ...]:
    """Names of devices that are only counted."""
    return tuple(f"{stem} {number}" for number in range(count))
