"""Joining the views of devices to cables: an entry of each end, or of one, is a link between two named ports.

Every entry that is not a cable is reported: several devices on one port (a segment, or an entry that is not valid any more),
two ends that disagree, entries without time to live, and ports of management and aggregates, which are skipped.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from topoloom.fabric.device_kinds import is_switch_role
from topoloom.fabric.diagnosis.finding import enumerated
from topoloom.fabric.flaws import CONFLICTING, SEVERAL_HEARD, STALE, TWO_DEVICES, Flaw
from topoloom.fabric.named_cables import NamedCables, NamedDevice
from topoloom.fabric.port_names import UNKNOWN, canonical_port, is_aggregate, is_host_port, is_management_port
from topoloom.fabric.port_settings import UNSET, PortSettings
from topoloom.formats._lldp.names import with_names
from topoloom.formats._lldp.views import IFALIAS, IFNAME, LOCAL, MAC, DeviceView, Neighbour, is_short_mac, mac_of

_Plug = tuple[str, str]
_FORM = re.compile(r"[0-9]+")
#: A name without a domain and one with it.
_SHORT_AND_LONG = 2


@dataclass
class _Seen:
    """A device: its views together, and what is known of its ports."""

    name: str
    #: Whether there is a file of its own.
    viewed: bool = False
    #: Whether it has a name; the firmware of an adapter answers without.
    named: bool = True
    sources: list[str] = field(default_factory=list)
    chassis: str = ""
    addresses: set[str] = field(default_factory=set)
    ports: dict[str, str] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    settings: dict[str, PortSettings] = field(default_factory=dict)
    heard: dict[str, dict[Neighbour, None]] = field(default_factory=dict)

    def add_port(self, name: str) -> str:
        """The port with this name in any spelling, as first written."""
        return self.ports.setdefault(canonical_port(name), name)

    def set_up(self, port: str, settings: PortSettings) -> None:
        """Add what is stated of a port; what is known of it already stays."""
        self.settings[port] = self.settings.get(port, UNSET).completed(settings)

    def port(self, name: str) -> str | None:
        """The port with this name, alias or MAC address; None if there is none."""
        key = canonical_port(name)
        return self.ports.get(key) or self.aliases.get(key) or self.aliases.get(mac_of(name))

    def has_alike(self, name: str) -> bool:
        """Whether any of its ports has this name but for the numbers."""
        return _FORM.sub("#", canonical_port(name)) in {_FORM.sub("#", port) for port in self.ports}


def joined_views(
    views: Sequence[DeviceView], source: str, *, lenient: bool = True, management: bool = False
) -> NamedCables:
    """The cables in the views of devices.

    Parameters
    ----------
    views : sequence of DeviceView
        Several views of one name are of one device.
    source : str
        The file or folder, for messages.
    lenient : bool
        Whether the caller reports entries that are not cables itself.
    management : bool
        Whether to keep the cables of management ports (``eth0``, ``mgmt0``, ``Management1``).

    Returns
    -------
    NamedCables
        Its `flaws` have all entries that are not cables.
    """
    return _Joiner(source, lenient, management).cables(views)


class _Joiner:
    def __init__(self, source: str, lenient: bool, management: bool) -> None:
        self._source, self._lenient, self._management = source, lenient, management
        self._devices: dict[str, _Seen] = {}
        self._by_chassis: dict[str, str] = {}
        self._by_address: dict[str, str] = {}
        #: The name that stands for another one, with or without a domain.
        self._same_name: dict[str, str] = {}
        self._flaws: list[Flaw] = []
        self._skipped = 0
        self._aggregates = 0
        self._short_macs: dict[str, None] = {}

    def cables(self, views: Sequence[DeviceView]) -> NamedCables:
        """The cables."""
        for view in views:
            valid, flaws = with_names(view)
            self._flaws += flaws
            if valid is not None:
                self._take(valid)
        for key, seen in list(self._devices.items()):
            if seen.chassis:
                self._by_chassis.setdefault(seen.chassis, key)
            for address in seen.addresses:
                self._by_address.setdefault(address, key)
        self._learn()
        # The far plug of each port that hears one device.
        hears: dict[_Plug, _Plug] = {}
        entries: dict[_Plug, Neighbour] = {}
        several: dict[_Plug, list[tuple[str, Neighbour]]] = {}
        for key, seen in list(self._devices.items()):
            for port, heard in seen.heard.items():
                devices = self._devices_heard(heard)
                if len(devices) == 1:
                    ((device, neighbour),) = devices.items()
                    hears[key, port] = device, self._port_of(device, neighbour)
                    entries[key, port] = neighbour
                elif devices:
                    several[key, port] = list(devices.items())
        self._settle(several, hears)
        self._fill_ports(hears)
        for near, neighbour in entries.items():
            device, port = hears[near]
            if neighbour.settings and port != UNKNOWN:
                self._devices[device].set_up(port, neighbour.settings)
        stations = self._stations(hears, entries)
        cables = NamedCables(self._source, lenient=self._lenient)
        cables.by_neighbours = True
        in_use = {key for pair in hears.items() for key, _ in pair if not self._is_skipped(*pair, hears)}
        for key, seen in self._devices.items():
            if not (seen.viewed or key in in_use):
                continue
            entry = cables.device(seen.name, switch=False if not seen.named or key in stations else None)
            entry.ports |= {port for port in seen.ports.values() if self._management or not is_management_port(port)}
            entry.settings |= seen.settings
            entry.is_only_heard = len(views) > 1 and not seen.viewed
        self._add_cables(cables, hears)
        cables.flaws.extend(self._flaws)
        if self._short_macs:
            cables.note(
                f"{len(self._short_macs)} MAC addresses have 11 digits, the first {next(iter(self._short_macs))!a}; they are"
                " compared as they are"
            )
        if self._aggregates:
            cables.note(f"{self._aggregates} entries of aggregates are skipped; LLDP runs on their members")
        if self._skipped:
            many = f"{self._skipped} entr{'ies' if self._skipped > 1 else 'y'}"
            cables.note(f"{many} of management ports: not read (--management includes them)")
        return cables

    def _stations(self, hears: Mapping[_Plug, _Plug], entries: Mapping[_Plug, Neighbour]) -> set[str]:
        """The devices without a file that say to all that they are stations, unless their names are those of switches."""
        says: dict[str, bool] = {}
        for near, neighbour in entries.items():
            key = hears[near][0]
            says[key] = says.get(key, True) and neighbour.is_station
        return {
            key
            for key, is_station in says.items()
            if is_station and not (self._devices[key].viewed or is_switch_role(self._devices[key].name))
        }

    def _take(self, view: DeviceView) -> None:
        key = view.name.lower()
        seen = self._devices.setdefault(key, _Seen(view.name))
        chassis = mac_of(view.chassis) or view.chassis.lower()
        if seen.chassis and chassis and seen.chassis != chassis:
            text = (
                f"{view.source} and {seen.sources[0]} are of two devices with the name {view.name} (chassis"
                f" {view.chassis} and {seen.chassis}); the second one is omitted"
            )
            self._flaws.append(Flaw(TWO_DEVICES, text, 0, ((view.name, 0),)))
            return
        seen.viewed = seen.viewed or view.lists
        seen.sources.append(view.source)
        seen.chassis = seen.chassis or chassis
        seen.addresses |= view.addresses
        for port in sorted(view.ports):
            seen.add_port(port)
        seen.aliases |= {
            mac_of(alias) or canonical_port(alias): seen.add_port(port) for alias, port in view.aliases.items()
        }
        for port, settings in view.settings.items():
            seen.set_up(seen.add_port(port), settings)
        for neighbour in view.neighbours:
            if not neighbour.port:
                continue
            self._short_macs |= dict.fromkeys(filter(is_short_mac, (neighbour.chassis, neighbour.port_id)))
            if is_aggregate(neighbour.port):
                self._aggregates += 1
                continue
            if neighbour.expired:
                text = (
                    f"{view.name} port {neighbour.port} heard {neighbour.name or neighbour.chassis}, but the entry is not"
                    " valid any more (time to live 0); no cable is read"
                )
                self._flaws.append(Flaw(STALE, text, 0, ((view.name, 0),), ((view.name, neighbour.port),)))
                continue
            # A dict as a set in the order of the file.
            seen.heard.setdefault(seen.add_port(neighbour.port), {})[neighbour] = None

    def _learn(self) -> None:
        """Which names are of one device, and what its neighbours say of its chassis and addresses, where all agree."""
        entries = [
            entry for seen in self._devices.values() for heard in seen.heard.values() for entry in heard if entry.name
        ]
        names: dict[str, set[str]] = defaultdict(set)
        for name in (*self._devices, *(entry.name.lower() for entry in entries)):
            names[name.partition(".")[0]].add(name)
        for short, same in names.items():
            if len(same) == _SHORT_AND_LONG and short in same and not same <= self._devices.keys():
                (other,) = same - {short}
                chosen, alias = (other, short) if other in self._devices else (short, other)
                self._same_name[alias] = chosen
        chassis: dict[str, set[str]] = defaultdict(set)
        addresses: dict[str, set[str]] = defaultdict(set)
        for entry in entries:
            key = self._device_of(entry)
            if key is not None:
                if key not in self._devices:
                    self._devices[key] = _Seen(entry.name)
                chassis[mac_of(entry.chassis) or entry.chassis.lower()].add(key)
                for address in entry.addresses:
                    addresses[address].add(key)
        for table, of_devices in ((self._by_chassis, chassis), (self._by_address, addresses)):
            for text, keys in of_devices.items():
                if text and len(keys) == 1:
                    table.setdefault(text, *keys)

    def _devices_heard(self, heard: Iterable[Neighbour]) -> dict[str, Neighbour]:
        """The devices that a port hears, each with the entry that says most; an unnamed one only if it is alone.

        The firmware of an adapter may answer next to the agent of its host.
        """
        devices: dict[str, Neighbour] = {}
        unnamed: dict[str, Neighbour] = {}
        for neighbour in sorted(heard, key=lambda entry: not entry.name):
            key = self._device_of(neighbour)
            if key is None:
                continue
            group = devices if neighbour.name or key in self._devices else unnamed
            group.setdefault(key, neighbour)
        chosen = devices or unnamed
        for key, neighbour in chosen.items():
            if key not in self._devices:
                self._devices[key] = _Seen(
                    neighbour.name or neighbour.chassis or neighbour.port_id, named=bool(neighbour.name)
                )
        return chosen

    def _device_of(self, neighbour: Neighbour) -> str | None:
        """The device that an entry is about: by its name, the first word of it, its chassis, or its address."""
        name = self._same_name.get(neighbour.name.lower(), neighbour.name.lower())
        chassis = mac_of(neighbour.chassis) or neighbour.chassis.lower()
        if name and name in self._devices:
            return name
        if chassis in self._by_chassis:
            return self._by_chassis[chassis]
        for address in (*neighbour.addresses, chassis):
            if address in self._by_address:
                return self._by_address[address]
        return name or chassis or mac_of(neighbour.port_id) or None

    def _port_of(self, key: str, neighbour: Neighbour) -> str:
        """The neighbour's port by the name that it has there; `UNKNOWN` if the entry does not tell."""
        seen = self._devices[key]
        names = [neighbour.port_id, neighbour.port_description]
        is_mac = neighbour.port_type == MAC or bool(mac_of(neighbour.port_id)) or is_short_mac(neighbour.port_id)
        # A number that an agent assigned may be that of SNMP.
        if is_aggregate(neighbour.port_id) or (neighbour.port_type in (LOCAL, "") and neighbour.port_id.isdecimal()):
            names = [neighbour.port_description]
        for name in names:
            if name and (port := seen.port(name)) is not None:
                return port
        if is_mac:
            # Where a card answers without a name, its description mostly is its model.
            is_port = bool(neighbour.name) or is_host_port(neighbour.port_description)
            return self._named_port(seen, neighbour.port_description) if is_port else UNKNOWN
        if neighbour.port_type in (IFNAME, IFALIAS, LOCAL, "") and neighbour.port_id:
            if names[0] != neighbour.port_id and (
                (named := self._named_port(seen, names[0])) or is_aggregate(neighbour.port_id)
            ):
                return named
            # A device with a view of its own lists the ports that it uses; another name is the alias of one of them.
            return neighbour.port_id if seen.viewed and seen.heard else seen.add_port(neighbour.port_id)
        return self._named_port(seen, neighbour.port_description)

    @staticmethod
    def _named_port(seen: _Seen, text: str) -> str:
        """The port with the name in a description, if that is one word that can be a port's name."""
        word = text.strip()
        is_name = bool(word) and " " not in word and any(map(str.isdecimal, word)) and not mac_of(word)
        return seen.add_port(word) if is_name and (not seen.viewed or seen.has_alike(word)) else UNKNOWN

    def _settle(self, several: Mapping[_Plug, list[tuple[str, Neighbour]]], hears: dict[_Plug, _Plug]) -> None:
        """Of several devices on one port, the one that also hears this port is its neighbour; others are reported."""
        for (key, port), entries in several.items():
            name = self._devices[key].name
            backs = [(entry, hears.get((entry[0], self._port_of(*entry)))) for entry in entries]
            exact = [entry for entry, back in backs if back == (key, port)]
            both = exact or [entry for entry, back in backs if back == (key, UNKNOWN)]
            names = enumerated(sorted(self._devices[device].name for device, _ in entries))
            empty: tuple[_Plug, ...] = ()
            if len(both) == 1:
                device, entry = both[0]
                hears[key, port] = device, self._port_of(device, entry)
                text = f"{name} port {port} hears {names}; only {self._devices[device].name} hears it, too, and counts"
            else:
                why = "a segment, or entries that are not valid any more"
                text = f"{name} port {port} hears several devices, {names}: {why}; no cable is read"
                empty = ((name, port),)
            self._flaws.append(Flaw(SEVERAL_HEARD, text, 0, ((name, 0),), empty))

    def _fill_ports(self, hears: dict[_Plug, _Plug]) -> None:
        """Complete ports that one end does not state, or states by another name, from what the other end hears."""
        hearing: dict[tuple[str, str], list[_Plug]] = defaultdict(list)
        for near, (device, _) in hears.items():
            hearing[near[0], device].append(near)
        for near, (device, port) in list(hears.items()):
            seen = self._devices[device]
            if not seen.heard or (device, port) in hears:
                continue
            # Ports of the far device that hear this one, and name this port or none.
            back = [
                plug
                for plug in hearing.get((device, near[0]), [])
                if hears[plug][1] in (near[1], UNKNOWN) or (hears[plug][0], hears[plug][1]) not in hears
            ]
            exact = [plug for plug in back if hears[plug][1] == near[1]]
            candidates = exact or back
            if len(candidates) == 1 and (port == UNKNOWN or port not in seen.ports.values()):
                hears[near] = candidates[0]

    def _add_cables(self, cables: NamedCables, hears: Mapping[_Plug, _Plug]) -> None:
        done: set[frozenset[_Plug]] = set()
        heard_by: dict[_Plug, _Plug] = {far_plug: near for near, far_plug in hears.items()}
        for near, far_plug in hears.items():
            pair = frozenset((near, far_plug))
            if pair in done:
                continue
            (key, port), (device, far_port) = near, far_plug
            back = hears.get(far_plug)
            if self._is_skipped(near, far_plug, hears):
                self._skipped += 1
                continue
            if back is not None and back[0] != key:
                self._conflict(near, far_plug, back)
                continue
            if back is not None and back[1] not in (port, UNKNOWN):
                self._conflict(near, far_plug, back)
                continue
            if back is None and near in heard_by:
                # Another port hears this one, which is reported there: no end agrees.
                continue
            done.add(pair)
            ends = self._plug(cables, near), self._plug(cables, far_plug)
            silent = [1] if back is None and self._devices[device].viewed and far_port != UNKNOWN else []
            source = self._devices[key].sources[0] if self._devices[key].sources else ""
            cables.cable(*ends, silent=silent, source=source)

    def _is_skipped(self, near: _Plug, far_plug: _Plug, hears: Mapping[_Plug, _Plug]) -> bool:
        """Whether a cable is one of management: the eth0 of a host is a data port if a data port of a switch hears it."""
        if self._management or not is_management_port(near[1]):
            return False
        return far_plug not in hears or is_management_port(far_plug[1])

    def _conflict(self, near: _Plug, far_plug: _Plug, back: _Plug) -> None:
        texts = [
            f"{self._devices[key].name}" + (f" port {port}" if port != UNKNOWN else "")
            for key, port in (near, far_plug, back)
        ]
        text = f"{texts[0]} hears {texts[1]}, which hears {texts[2]}: the entries conflict; no cable is read"
        ends = [(self._devices[key].name, port) for key, port in (near, far_plug, back)]
        self._flaws.append(Flaw(CONFLICTING, text, 0, tuple((device, 0) for device, _ in ends[:2]), tuple(ends)))

    def _plug(self, cables: NamedCables, plug: _Plug) -> tuple[NamedDevice, str]:
        return cables.device(self._devices[plug[0]].name), plug[1]
