"""Faults that several networks of a machine show: a device that is missing in each, and a cable in the wrong network."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from topoloom.fabric.comparison import Plugged
from topoloom.fabric.diagnosis.diagnostics import Diagnostic, Diagnostics
from topoloom.fabric.identify import plain_name
from topoloom.machine.machine import Machine
from topoloom.placement.layout.layout import Layout

#: The rules whose findings are about devices that are missing.
_MISSING = ("TL201", "TL203", "TL205", "TL207", "TL209")
_Cable = tuple[Plugged, Plugged]


@dataclass(frozen=True)
class NumberedFinding:
    """A finding: the name of its network, and its number there."""

    network: str
    number: int


@dataclass(frozen=True)
class CommonCause:
    """One fault that several networks show.

    Attributes
    ----------
    kind : "device", "rack" or "cable"
        A device is missing in several networks; all devices of a rack are missing; a cable is in the wrong network.
    text : str
        The fault in one line.
    devices : tuple of str
    networks : tuple of str
    findings : tuple of NumberedFinding
        What the networks say of it.
    """

    kind: Literal["device", "rack", "cable"]
    text: str
    devices: tuple[str, ...]
    networks: tuple[str, ...]
    findings: tuple[NumberedFinding, ...]


def common_causes(
    machine: Machine, results: Mapping[str, Diagnostics], unread: Mapping[str, Collection[str]]
) -> tuple[CommonCause, ...]:
    """The faults that several networks of a machine show.

    Parameters
    ----------
    machine : Machine
    results : mapping of str to Diagnostics
        Of the networks that were compared with a discovery.
    unread : mapping of str to collection of str
        The switches of each network that were not read, so that nothing is known of what they hear.

    Returns
    -------
    tuple of CommonCause
        Racks, then devices, then cables.
    """
    missing: dict[str, dict[str, int]] = defaultdict(dict)
    for name, result in results.items():
        for diagnostic in result.diagnostics:
            if diagnostic.code in _MISSING and not _is_unread(diagnostic, unread.get(name, ())):
                for device in diagnostic.nodes:
                    missing[device].setdefault(name, diagnostic.number)
    planned = _networks_of(machine, results)
    racks, dark = _racks(machine, missing, planned)
    devices = [
        _device(device, numbers, planned.get(device, ()))
        for device, numbers in missing.items()
        if len(numbers) > 1 and device not in dark
    ]
    return (*racks, *devices, *_cables(results, planned))


def in_words(words: Sequence[str]) -> str:
    """Words as a sentence has them.

    >>> in_words(["a"]), in_words(["a", "b"]), in_words(["a", "b", "c"])
    ('a', 'a and b', 'a, b and c')
    """
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _is_unread(diagnostic: Diagnostic, unread: Collection[str]) -> bool:
    """Whether none of the switches that would show a missing device was read."""
    hidden = {plain_name(switch) for switch in unread}
    others = {plain_name(end.node) for cable in diagnostic.planned for end in cable if end.node not in diagnostic.nodes}
    return bool(others) and others <= hidden


def _networks_of(machine: Machine, results: Mapping[str, Diagnostics]) -> dict[str, list[str]]:
    """The compared networks that each device is on, in the order of the machine."""
    networks: dict[str, list[str]] = defaultdict(list)
    for name in results:
        fabric = machine.networks[name].fabric
        for device in dict.fromkeys((*fabric.switch_names, *fabric.host_names)):
            networks[device].append(name)
    return networks


def _device(device: str, numbers: Mapping[str, int], planned: Sequence[str]) -> CommonCause:
    present = [name for name in planned if name not in numbers]
    text = f"{device} is missing in {in_words([*numbers])}"
    text += f", but it is there in {in_words(present)}" if present else ""
    return CommonCause("device", text, (device,), tuple(numbers), _findings(numbers))


def _racks(
    machine: Machine, missing: Mapping[str, Mapping[str, int]], planned: Mapping[str, Sequence[str]]
) -> tuple[list[CommonCause], set[str]]:
    """The racks of which every device is missing in every compared network, and their devices."""
    in_rack: dict[str, list[str]] = defaultdict(list)
    for network in machine.networks.values():
        layout, fabric = network.part(Layout), network.fabric
        names = layout.rack_names
        places = [*layout.rack.tolist(), *layout.host_rack.tolist()]
        for device, rack in zip((*fabric.switch_names, *fabric.host_names), places, strict=True):
            if device in planned and device not in in_rack[names[rack]]:
                in_rack[names[rack]].append(device)
    causes, dark = [], set()
    for rack, devices in in_rack.items():
        numbers = [(name, number) for device in devices for name, number in missing.get(device, {}).items()]
        if len(devices) < 2 or any(len(missing.get(device, ())) < len(planned[device]) for device in devices):
            continue
        networks = [name for name in machine.networks if any(name == other for other, _ in numbers)]
        text = f"rack {rack}: all its {len(devices)} devices are missing, in {in_words(networks)}"
        findings = tuple(NumberedFinding(*pair) for pair in dict.fromkeys(numbers))
        causes.append(CommonCause("rack", text, tuple(devices), tuple(networks), findings))
        dark.update(devices)
    return causes, dark


def _cables(results: Mapping[str, Diagnostics], planned: Mapping[str, Sequence[str]]) -> Iterator[CommonCause]:
    """The cables of a device that are missing in one network, and extra in another."""
    lost: dict[str, list[tuple[str, Diagnostic, _Cable]]] = defaultdict(list)
    extra: dict[str, list[tuple[str, Diagnostic, _Cable]]] = defaultdict(list)
    for name, result in results.items():
        for diagnostic in result.diagnostics:
            present = {end for cable in diagnostic.found for end in cable}
            for cables, by_device in ((diagnostic.planned, lost), (diagnostic.found, extra)):
                if cables and not (diagnostic.planned and present.intersection(*diagnostic.planned)):
                    for cable in cables:
                        for end in cable:
                            by_device[end.node].append((name, diagnostic, cable))
    for device, places in lost.items():
        others = extra.get(device, [])
        if len(places) != 1 or len(others) != 1 or places[0][0] == others[0][0] or len(planned.get(device, ())) < 1:
            continue
        (name, diagnostic, wanted), (other, instead, present_cable) = places[0], others[0]
        text = f"{device} is cabled to {_far(present_cable, device)} of {other}, should be {_far(wanted, device)} of {name}"
        numbers = {name: diagnostic.number, other: instead.number}
        yield CommonCause("cable", text, (device,), (name, other), _findings(numbers))


def _far(cable: _Cable, device: str) -> str:
    end = next((end for end in cable if end.node != device), cable[1])
    return f"{end.node} port {end.port_text}"


def _findings(numbers: Mapping[str, int]) -> tuple[NumberedFinding, ...]:
    return tuple(NumberedFinding(name, number) for name, number in numbers.items())
