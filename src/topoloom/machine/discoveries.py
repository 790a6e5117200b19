"""Discoveries of a machine's networks: which networks a discovered fabric shows, and what of it is one of them."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from topoloom.core.errors import InputError
from topoloom.fabric.fabric import Fabric
from topoloom.fabric.fabric_parts import part_of, plane_of
from topoloom.fabric.flaws import Flaw
from topoloom.fabric.identify import Match, plain_name
from topoloom.fabric.own_switches import with_own_switches
from topoloom.fabric.planned_kinds import with_kinds
from topoloom.fabric.port_names import UNKNOWN, is_management_port, named_plugs
from topoloom.machine.common_causes import in_words
from topoloom.machine.machine import Machine

#: A discovery shows a network if it has at least this part of its share of the network that it shows best.
_LEAST_SHARE = 0.02
_Pairs = dict[str, set[frozenset[str]]]
_Plugs = tuple[tuple[str, str], tuple[str, str]]


class PlannedDevices:
    """The devices of a machine by their names, and which of them each network joins.

    One discovery may show several networks, such as a folder with the neighbours that all Ethernet switches hear. A cable is of
    the network that joins its two devices; at a switch's port for management, of the network that serves this switch; else of
    the networks of its switches, or of that of the two to which the other one has its uplinks.

    Parameters
    ----------
    machine : Machine
    """

    def __init__(self, machine: Machine) -> None:
        self._networks = list(machine.networks)
        self._leads_to = {name: machine.requirement.plan(name).uplink for name in machine.networks}
        self._switches: dict[str, str] = {}
        self._known: set[str] = set()
        #: The pairs that each network joins, those at ports for management, and those between switches of two networks.
        self._data: _Pairs = defaultdict(set)
        self._management: _Pairs = defaultdict(set)
        self._uplinks: _Pairs = defaultdict(set)
        self._serving: dict[str, set[str]] = defaultdict(set)
        self._devices: dict[str, set[str]] = {}
        self._is_host: dict[str, bool] = {}
        for name, network in machine.networks.items():
            fabric = network.fabric
            self._switches |= dict.fromkeys(map(plain_name, fabric.switch_names), name)
            self._devices[name] = {*map(plain_name, (*fabric.switch_names, *fabric.host_names))}
            self._known |= self._devices[name]
            self._is_host |= dict.fromkeys(fabric.host_names, True)
        self._is_host |= dict.fromkeys(self._switches, False)
        for name, network in machine.networks.items():
            served = {
                plain_name(device)
                for group in machine.groups[name]
                for device in group.names
                if group.origin == "switch" and machine.requirement.plan(group.of).uplink != name
            }
            for device in served:
                self._serving[device].add(name)
            fabric, topology = network.fabric, network.topology
            for u, v in topology.links.tolist():
                self._data[name].add(self._pair(fabric.switch_names[u], fabric.switch_names[v]))
            for s, h in zip(topology.endpoints.tolist(), topology.host.tolist(), strict=True):
                pair = self._pair(fabric.switch_names[s], fabric.host_names[h])
                device = plain_name(fabric.host_names[h])
                pairs = self._management if device in served else self._data
                pairs[name].add(pair)
                if device in self._switches and device not in served:
                    self._uplinks[name].add(pair)

    def by_network(self, discoveries: Sequence[tuple[str | None, Fabric]]) -> dict[str, list[Fabric]]:
        """What each network was discovered as.

        Parameters
        ----------
        discoveries : sequence of (str or None, Fabric)
            Each with the name of its network; None: the networks whose switches it shows.

        Returns
        -------
        dict of str to list of Fabric
            In the order of the machine's networks; several fabrics: one of each plane.

        Raises
        ------
        InputError
            A discovery is of another network, or its network is not clear by the names of its devices.
        """
        shown: dict[str, list[Fabric]] = {name: [] for name in self._networks}
        for name, discovery in discoveries:
            if name is not None and name not in shown:
                raise InputError(f"the machine has no network '{name}' (it has {', '.join(self._networks)})")
            fabric = with_kinds(self._is_host, with_own_switches(discovery)[0])
            shares = self.shares(fabric)
            best = max(shares, key=lambda other: shares[other])
            clear = [other for other, share in shares.items() if share > 0 and share >= _LEAST_SHARE * shares[best]]
            # What switches of one network hear of another one is a part of that; a user may name it.
            own = [other for other in clear if other in self._read(fabric)]
            if name is None and not own:
                raise InputError(
                    f"{fabric.made}: no two of its devices are joined by a network of the machine; name its network, as in"
                    f" {best}={fabric.made}"
                )
            if name is not None and clear and name not in clear:
                raise InputError(
                    f"{fabric.made}: is a discovery of {in_words(own or clear)}, not of {name}; give that of the network"
                )
            for other in own if name is None else [name]:
                shown[other].append(self.part(other, fabric))
        return {name: fabrics for name, fabrics in shown.items() if fabrics}

    def shares(self, discovery: Fabric) -> dict[str, float]:
        """The share of the connected pairs of each network that a discovery shows; uplinks of other networks do not count.

        Parameters
        ----------
        discovery : Fabric
        """
        shown: dict[str, set[frozenset[str]]] = defaultdict(set)
        for cable in named_plugs(discovery):
            pair = self._pair(cable[0][0], cable[1][0])
            for name in self._networks:
                if (pair in self._data[name] or pair in self._management[name]) and self._is_of(name, cable):
                    shown[name].add(pair)
        return {name: self._share(name, shown[name]) for name in self._networks}

    def _share(self, name: str, shown: set[frozenset[str]]) -> float:
        planned = self._data[name] | self._management[name]
        counted = planned - self._uplinks[name] or planned
        return len(shown & counted) / len(counted)

    def part(self, name: str, discovery: Fabric) -> Fabric:
        """What of a discovery is of one network: without the cables of others, and the switches that have no other cables.

        Parameters
        ----------
        name : str
            The network.
        discovery : Fabric
        """
        topology = discovery.topology
        m, k = len(topology.links), topology.endpoints.size
        belongs = np.array([self._is_of(name, cable) for cable in named_plugs(discovery)], bool)
        if belongs.all():
            return discovery
        links, endpoints = np.flatnonzero(belongs[:m]), np.flatnonzero(belongs[m : m + k])
        cabled = {*topology.links[links].ravel().tolist(), *topology.endpoints[endpoints].tolist()}
        switches = [
            switch
            for switch, device in enumerate(discovery.switch_names)
            if switch in cabled or self._is_own(name, self._device(device))
        ]
        plane = plane_of(topology, np.array(switches, np.int64), endpoints, links, topology.name)
        flaws = tuple(flaw for flaw in discovery.flaws if self._concerns(name, flaw))
        own = replace(discovery, loops=discovery.loops[belongs[m + k :]], flaws=flaws)
        return part_of(own, plane)

    def _read(self, discovery: Fabric) -> set[str]:
        """The networks of which a discovery has a switch itself, and not only what others hear of it.

        Parameters
        ----------
        discovery : Fabric
        """
        named = {*discovery.switch_names, *discovery.host_names}.difference(discovery.unread)
        return {self._switches[device] for device in map(self._device, named) if device in self._switches}

    def without_others(self, plan: Fabric, actual: Fabric, match: Match) -> Match:
        """A node matching in which no device of the machine is taken for another one, because it is in that one's place.

        Parameters
        ----------
        plan, actual : Fabric
        match : Match
        """
        columns = []
        for numbers, own, planned in (
            (match.switch, actual.switch_names, plan.switch_names),
            (match.host, actual.host_names, plan.host_names),
        ):
            devices = map(self._device, own)
            columns.append(
                np.array(
                    [
                        -1
                        if device in self._known and number >= 0 and plain_name(planned[number]) != device
                        else number
                        for device, number in zip(devices, numbers.tolist(), strict=True)
                    ],
                    np.int64,
                )
            )
        return replace(match, switch=columns[0], host=columns[1])

    def _is_own(self, name: str, device: str) -> bool:
        """Whether a device is a switch of a network, or not of the machine."""
        return device not in self._known or self._switches.get(device) == name

    def _concerns(self, name: str, flaw: Flaw) -> bool:
        named = set(map(self._device, (*(device for device, _ in (*flaw.plugs, *flaw.ports)), *flaw.others)))
        of_switches = {self._switches[device] for device in named if device in self._switches}
        if of_switches:
            return name in of_switches
        return not named or any(device not in self._known or device in self._devices[name] for device in named)

    def _is_of(self, name: str, cable: _Plugs) -> bool:
        """Whether a cable is one of a network."""
        ends = [(self._device(device), port) for device, port in cable]
        for device, port in ends:
            if device in self._serving and is_management_port(port):
                return name in self._serving[device]
        pair = frozenset(device for device, _ in ends)
        joining = {other for other in self._networks if pair in self._data[other]}
        of_switches = {self._switches[device] for device, _ in ends if device in self._switches}
        # A cable between a network with an uplink and the one that it leads to is the latter's, as planned uplinks are.
        leading = {own for own in of_switches if self._leads_to[own] in of_switches}
        if not joining and not (leading and all(port != UNKNOWN for _, port in ends)):
            joining = {other for other in self._networks if pair in self._management[other]}
        if joining:
            return name in joining
        of_switches -= leading
        return name in of_switches or not of_switches

    def _pair(self, first: str, second: str) -> frozenset[str]:
        return frozenset((self._device(first), self._device(second)))

    def _device(self, name: str) -> str:
        """A device by the machine's name for it: a discovery may add an adapter or a domain."""
        plain = plain_name(name)
        if plain in self._known:
            return plain
        shorter = (plain.split()[0] if plain.strip() else plain, plain.partition(".")[0])
        return next((word for word in shorter if word in self._known), plain)
