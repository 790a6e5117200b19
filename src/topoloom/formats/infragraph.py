"""InfraGraph files, read back: devices, instances and edges to switches, hosts and cables.

The package ``infragraph`` takes unknown links, ports past their count and ports used twice without a word; here none is.
"""

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec
import numpy as np

from topoloom.core.allowance import Allowance
from topoloom.core.errors import InputError, at
from topoloom.core.json_files import strict_json
from topoloom.core.yaml_files import parse_yaml
from topoloom.fabric.exports.infragraph import infragraph_text
from topoloom.fabric.exports.registry import ExportRequest
from topoloom.fabric.fabric import planned_fabric
from topoloom.formats._registry import Format, register
from topoloom.formats._text import short, stem, text_of, topology_from
from topoloom.model.link_rates import RATE_OF_ENDPOINTS, RATE_OF_LINKS, rate_in, tell_dropped
from topoloom.model.topology import MOST_SWITCHES, Topology

_SLICE = re.compile(r"([A-Za-z0-9_-]+)(?:\[(-?[0-9]{0,9})(?:(:)(-?[0-9]{0,9}))?(?:(:)(-?[0-9]{0,9}))?\])?")
_MOST_CABLES = 1 << 22
#: What a cable takes while the file is read; a port at the end of an edge has one at least.
_CABLE_BYTES = 700.0
_DEEPEST = 50
#: What makes a device a host, whatever else is in it; and what makes any other a switch. The ASICs of switches are
#: processors (cpu) in the files that come with the package.
_OF_HOSTS = {"xpu", "nic"}
_OF_SWITCHES = {"switch", "port"}


class Component(msgspec.Struct):
    """A part of a device: how many there are, and what it is."""

    name: str
    count: int
    choice: str = "custom"


class Device(msgspec.Struct):
    """A kind of machine."""

    name: str
    components: list[Component] = []


class Instance(msgspec.Struct):
    """So many copies of a device."""

    name: str
    device: str
    count: int


class End(msgspec.Struct):
    """One end of an edge: slices of an instance and of its parts."""

    instance: str
    component: str


class InfraEdge(msgspec.Struct):
    """Cables between two ends."""

    ep1: End
    ep2: End
    link: str
    scheme: str = ""


class Bandwidth(msgspec.Struct):
    """A rate in one of several units; ``gigatransfers_per_second`` of a bus is no rate of a cable."""

    choice: str = ""
    gigabits_per_second: float | None = None
    gigabytes_per_second: float | None = None

    @property
    def gbps(self) -> float | None:
        """Gb/s; None where it is given otherwise."""
        if self.choice == "gigabytes_per_second" and self.gigabytes_per_second is not None:
            return rate_in(8 * self.gigabytes_per_second)
        return rate_in(self.gigabits_per_second) if self.choice == "gigabits_per_second" else None


class Physical(msgspec.Struct):
    """What a kind of cable is."""

    bandwidth: Bandwidth | None = None


class Link(msgspec.Struct):
    """A kind of cable; its delay is left aside."""

    name: str
    physical: Physical | None = None


class Document(msgspec.Struct):
    """What of a file tells the topology."""

    name: str = ""
    devices: list[Device] = []
    links: list[Link] = []
    instances: list[Instance] = []
    edges: list[InfraEdge] = []


def read(data: bytes, source: str) -> Topology:
    """The topology in a file: devices with a component ``switch`` or ``port``, and no ``xpu`` or ``nic``, are switches.

    All others are hosts.

    Raises
    ------
    InputError
        No YAML or JSON, what the schema does not know, or cables that cannot be.
    """
    text = text_of(data, source)
    if not text.lstrip().startswith("{"):
        return _Reader(parse_yaml(text, Document, source, "InfraGraph"), source, len(data)).topology()
    try:
        found = msgspec.convert(strict_json(text, source), Document)
    except msgspec.ValidationError as error:
        raise at(source, None, f"is no InfraGraph: {' '.join(str(error).split())}") from None
    return _Reader(found, source, len(data)).topology()


@dataclass
class _Group:
    """An instance: its number among the instances, its device, whether its copies are switches."""

    rank: int
    count: int
    device: str
    switch: bool


@dataclass
class _Reader:
    """Turns a `Document` into a topology."""

    found: Document
    source: str
    text_bytes: int
    devices: dict[str, dict[str, Component]] = field(default_factory=dict)
    groups: dict[str, _Group] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.allowance = Allowance(self.source, self.text_bytes)

    def topology(self) -> Topology:
        """The topology, once names and cables are found to fit."""
        self._declare()
        links, ports = self._cables()
        first: dict[int, int] = {}
        switches = 0
        for group in self.groups.values():
            if group.switch:
                first[group.rank] = switches
                switches += group.count
        if not 0 < switches <= MOST_SWITCHES:
            raise self._wrong(
                f"{switches} switches; a topology has 1 to {MOST_SWITCHES} devices with a component 'switch' or 'port'"
            )
        hosts = {host: h for h, host in enumerate(sorted({host for host, _, _ in ports}))}
        return topology_from(
            self.source,
            links=np.array([[first[g] + i for g, i in ends] for *ends, _ in links], np.int64).reshape(-1, 2),
            switches=switches,
            endpoints=np.array([first[g] + i for _, (g, i), _ in ports], np.int64),
            host=np.array([hosts[host] for host, _, _ in ports], np.int64),
            name=self.found.name if self.found.name.strip() else stem(self.source),
            **self._rates([kind for *_, kind in links], [kind for *_, kind in ports]),
        )

    def _rates(self, links: list[str], ports: list[str]) -> dict[str, np.ndarray]:
        """The rates of all cables by the names of their kinds; none where one is not known."""
        given = {link.name: link.physical.bandwidth for link in self.found.links if link.physical is not None}
        rate = {name: bandwidth.gbps for name, bandwidth in given.items() if bandwidth is not None}
        unknown = sum(rate.get(kind) is None for kind in (*links, *ports))
        if not unknown:
            return {
                RATE_OF_LINKS: np.array([rate[kind] for kind in links], np.float64),
                RATE_OF_ENDPOINTS: np.array([rate[kind] for kind in ports], np.float64),
            }
        if rate.keys() & {*links, *ports}:
            tell_dropped(
                self.source, f"the rates of {unknown} of {len(links) + len(ports)} cables are not known in Gb/s"
            )
        return {}

    def _wrong(self, reason: str) -> InputError:
        return at(self.source, None, reason)

    def _declare(self) -> None:
        """Devices and instances by name."""
        for device in self.found.devices:
            if device.name in self.devices:
                raise self._wrong(f"device {short(device.name)} is there twice")
            self.devices[device.name] = {part.name: part for part in device.components}
            if len(self.devices[device.name]) < len(device.components):
                raise self._wrong(f"device {short(device.name)} has two components of one name")
            for part in device.components:
                if not 0 < part.count <= MOST_SWITCHES:
                    raise self._wrong(
                        f"device {short(device.name)} has {part.count} of component {short(part.name)}; 1 to {MOST_SWITCHES}"
                    )
        for rank, one in enumerate(self.found.instances):
            if one.device not in self.devices:
                raise self._wrong(f"instance {short(one.name)} is of a device {short(one.device)}, which is not there")
            if one.name in self.groups or not 0 < one.count <= MOST_SWITCHES:
                reason = "is there twice" if one.name in self.groups else f"has a count of {one.count}"
                raise self._wrong(f"instance {short(one.name)} {reason}")
            choices = set(self._choices(one.device, 0))
            self.groups[one.name] = _Group(
                rank, one.count, one.device, bool(choices & _OF_SWITCHES) and not choices & _OF_HOSTS
            )

    def _choices(self, device: str, depth: int) -> Iterator[str]:
        """What the parts of a device are, and those of the devices in it."""
        if depth > _DEEPEST:
            raise self._wrong(f"device {short(device)} holds itself, or devices {_DEEPEST} deep")
        for part in self.devices.get(device, {}).values():
            yield part.choice
            if part.choice == "device":
                yield from self._choices(part.name, depth + 1)

    def _cables(self) -> tuple[list[Any], list[Any]]:
        """The ends of links; and of hosts' ports, the host and the switch; of both, the kind of cable."""
        known = {link.name for link in self.found.links}
        used: dict[tuple[int, int, str], bool] = {}
        links: list[Any] = []
        ports: list[Any] = []
        kinds = [group.switch for group in self.groups.values()]
        total = 0
        for number, edge in enumerate(self.found.edges):
            if edge.link not in known:
                raise self._wrong(f"edge {number} is of a link {short(edge.link)}, which is not there")
            pairs = self._pairs(edge, number, _MOST_CABLES - total)
            total += len(pairs)
            for one, other in pairs:
                for end in (one, other):
                    single = edge.scheme == "one2one"
                    if end in used and (single or used[end]):
                        raise self._wrong(f"edge {number} is in {self._shown(end)}, which has a cable already")
                    used[end] = single
                at_switch = [kinds[end[0]] for end in (one, other)]
                if one[:2] == other[:2]:
                    raise self._wrong(
                        f"edge {number} joins {self._shown(one)} to its own device; a link joins two switches"
                    )
                if all(at_switch):
                    links.append((one[:2], other[:2], edge.link))
                elif any(at_switch):
                    host, switch = (other[:2], one[:2]) if at_switch[0] else (one[:2], other[:2])
                    ports.append((host, switch, edge.link))
                else:
                    raise self._wrong(f"edge {number} joins two hosts; a host is linked to switches")
        return links, ports

    def _pairs(self, edge: InfraEdge, number: int, room: int) -> list[Any]:
        """The cables of an edge, each as its two ends."""
        ends = [self._ends(end, number) for end in (edge.ep1, edge.ep2)]
        if edge.scheme not in ("one2one", "many2many"):
            raise self._wrong(f"edge {number} has the scheme {short(edge.scheme)}; one2one and many2many are read")
        one, other = ends
        if edge.scheme == "one2one" and len(one) != len(other):
            raise self._wrong(f"edge {number} joins {len(one)} ports to {len(other)}, one to one")
        count = len(one) if edge.scheme == "one2one" else len(one) * len(other)
        if count > room:
            raise self._wrong(f"edge {number}: more than {_MOST_CABLES} cables in all")
        self.allowance.take(_CABLE_BYTES * count, f"{count:,} cables of edge {number}")
        return list(zip(one, other, strict=True) if edge.scheme == "one2one" else itertools.product(one, other))

    def _ends(self, end: End, number: int) -> list[tuple[int, int, str]]:
        """The ports that an end of an edge names: number of the instance, of its copy, and the path in it."""
        name, span = self._sliced(end.instance, number)
        if name not in self.groups:
            raise self._wrong(f"edge {number} ends at an instance {short(name)}, which is not there")
        group = self.groups[name]
        copies = self._range(span, group.count, end.instance, number)
        device = group.device
        paths = [""]
        for step in end.component.split("."):
            part, span = self._sliced(step, number)
            if part not in self.devices.get(device, {}):
                raise self._wrong(f"edge {number}: device {short(device)} has no component {short(part)}")
            places = self._range(span, self.devices[device][part].count, step, number)
            ports = len(paths) * len(places) * len(copies)
            if ports > _MOST_CABLES:
                raise self._wrong(f"edge {number}: more than {_MOST_CABLES} ports at one end")
            Allowance(self.source, self.text_bytes).take(_CABLE_BYTES * ports, f"{ports:,} ports of edge {number}")
            paths = [f"{path}.{part}.{place}" for path in paths for place in places]
            device = part
        return [(group.rank, copy, path) for copy in copies for path in paths]

    def _sliced(self, text: str, number: int) -> tuple[str, tuple[str | None, ...] | None]:
        match = _SLICE.fullmatch(text)
        if not match:
            raise self._wrong(f"edge {number}: {short(text)} is no slice, as 'port[0]' and 'port[0:4]' are")
        name, start, colon, stop, again, step = match.groups()
        if start is None:
            return name, None
        return name, (start, colon, stop, again, step)

    def _range(self, span: tuple[str | None, ...] | None, count: int, text: str, number: int) -> range:
        """The places of a slice; all of them where none is said."""
        if span is None:
            return range(count)
        start, colon, stop, _, step = (part or None for part in span)
        if colon is None and start is not None:
            place = int(start) + (count if start.startswith("-") else 0)
            found = range(place, place + 1)
        else:
            if step is not None and step.strip("-0") == "":
                raise self._wrong(f"edge {number}: {short(text)} has steps of nothing")
            if stop is not None and stop != "-" and int(stop) > count:
                raise self._wrong(f"edge {number}: {short(text)} goes past the {count} that there are")
            found = range(
                *slice(*(None if part in (None, "-") else int(part) for part in (start, stop, step))).indices(count)
            )
        if not found or min(found) < 0 or max(found) >= count:
            raise self._wrong(f"edge {number}: {short(text)} is none of the {count} that there are")
        return found

    def _shown(self, end: tuple[int, int, str]) -> str:
        name = self.found.instances[end[0]].name
        return f"{name[:40]}.{end[1]}{end[2]}"


register(
    Format(
        name="infragraph",
        suffixes=(".infragraph.json", ".infragraph", ".yaml", ".yml"),
        description="InfraGraph (YAML or JSON), of the Chakra working group",
        keeps=frozenset({"isolated", "endpoints", "host", "rate_gbps"}),
        read=read,
        write=lambda topology: infragraph_text(ExportRequest(planned_fabric(topology))),
        write_order=infragraph_text,
    )
)
