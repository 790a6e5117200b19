"""Reading InfraGraph files: devices, instances and edges, converted to switches, hosts and cables.

The package ``infragraph`` silently accepts unknown links, ports above their count and ports used twice; this reader refuses
them.
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
#: Bytes per cable while the file is read; a port at the end of an edge has at least one.
_CABLE_BYTES = 700.0
_MOST_DEPTH = 50
_NONE = (
    "is YAML or JSON without the cables of a network in a form that is known: devices and instances (InfraGraph), topology with"
    " links (containerlab), links with interfaces (netlab), ethernet_interfaces (AVD)"
)
#: Parts that make a device a host, whatever its other parts; and parts that make any other device a switch. In the files
#: that come with the package, the ASICs of switches are processors (cpu).
_OF_HOSTS = {"xpu", "nic"}
_OF_SWITCHES = {"switch", "port"}


class Component(msgspec.Struct):
    """A part of a device: its name, its number, and its kind."""

    name: str
    count: int
    choice: str = "custom"


class Device(msgspec.Struct):
    """A kind of machine."""

    name: str
    components: list[Component] = []


class Instance(msgspec.Struct):
    """A number of copies of a device."""

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
    """A rate in one of several units; the ``gigatransfers_per_second`` of a bus is not a rate of a cable."""

    choice: str = ""
    gigabits_per_second: float | None = None
    gigabytes_per_second: float | None = None

    @property
    def gbps(self) -> float | None:
        """Gb/s; None if it is given in another form."""
        if self.choice == "gigabytes_per_second" and self.gigabytes_per_second is not None:
            return rate_in(8 * self.gigabytes_per_second)
        return rate_in(self.gigabits_per_second) if self.choice == "gigabits_per_second" else None


class Physical(msgspec.Struct):
    """The physical properties of a kind of cable."""

    bandwidth: Bandwidth | None = None


class Link(msgspec.Struct):
    """A kind of cable; its delay is ignored."""

    name: str
    physical: Physical | None = None


class Document(msgspec.Struct):
    """The parts of a file that determine the topology."""

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
        The file is not YAML or JSON, does not match the schema, or has impossible cables.
    """
    text = text_of(data, source)
    if not text.lstrip().startswith("{"):
        return _Reader(parse_yaml(text, Document, source, "InfraGraph"), source, len(data)).topology()
    try:
        document = msgspec.convert(strict_json(text, source), Document)
    except msgspec.ValidationError as error:
        raise at(source, None, f"is not an InfraGraph: {' '.join(str(error).split())}") from None
    return _Reader(document, source, len(data)).topology()


@dataclass
class _Group:
    """An instance: its index among the instances, its number of copies, its device, and whether they are switches."""

    rank: int
    count: int
    device: str
    switch: bool


@dataclass
class _Reader:
    """Converts a `Document` to a topology."""

    found: Document
    source: str
    text_bytes: int
    devices: dict[str, dict[str, Component]] = field(default_factory=dict)
    groups: dict[str, _Group] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.allowance = Allowance(self.source, self.text_bytes)

    def topology(self) -> Topology:
        """The topology, after all checks of names and cables."""
        if not (self.found.devices or self.found.instances):
            raise at(self.source, None, _NONE)
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
        """The rates of all cables by the names of their kinds; empty if any is not known."""
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
        """Index devices and instances by name."""
        for device in self.found.devices:
            if device.name in self.devices:
                raise self._wrong(f"device {short(device.name)} appears twice")
            self.devices[device.name] = {part.name: part for part in device.components}
            if len(self.devices[device.name]) < len(device.components):
                raise self._wrong(f"device {short(device.name)} has two components of one name")
            for part in device.components:
                if not 0 < part.count <= MOST_SWITCHES:
                    raise self._wrong(
                        f"device {short(device.name)} has {part.count} of component {short(part.name)}; 1 to {MOST_SWITCHES}"
                    )
        for rank, instance in enumerate(self.found.instances):
            if instance.device not in self.devices:
                raise self._wrong(
                    f"instance {short(instance.name)} has the device {short(instance.device)}, which does not exist"
                )
            if instance.name in self.groups or not 0 < instance.count <= MOST_SWITCHES:
                reason = "appears twice" if instance.name in self.groups else f"has a count of {instance.count}"
                raise self._wrong(f"instance {short(instance.name)} {reason}")
            choices = set(self._choices(instance.device, 0))
            self.groups[instance.name] = _Group(
                rank, instance.count, instance.device, bool(choices & _OF_SWITCHES) and not choices & _OF_HOSTS
            )

    def _choices(self, device: str, depth: int) -> Iterator[str]:
        """The kinds of the parts of a device, including those of nested devices."""
        if depth > _MOST_DEPTH:
            raise self._wrong(f"device {short(device)} contains itself, or nests devices {_MOST_DEPTH} deep")
        for part in self.devices.get(device, {}).values():
            yield part.choice
            if part.choice == "device":
                yield from self._choices(part.name, depth + 1)

    def _cables(self) -> tuple[list[Any], list[Any]]:
        """The links, each as its two ends and the kind of cable, and the ports of hosts, each as host, switch and kind."""
        link_names = {link.name for link in self.found.links}
        used: dict[tuple[int, int, str], bool] = {}
        links: list[Any] = []
        ports: list[Any] = []
        kinds = [group.switch for group in self.groups.values()]
        total = 0
        for number, edge in enumerate(self.found.edges):
            if edge.link not in link_names:
                raise self._wrong(f"edge {number} has the link {short(edge.link)}, which does not exist")
            pairs = self._pairs(edge, number, _MOST_CABLES - total)
            total += len(pairs)
            for first, second in pairs:
                for end in (first, second):
                    single = edge.scheme == "one2one"
                    if end in used and (single or used[end]):
                        raise self._wrong(f"edge {number} uses {self._shown(end)}, which already has a cable")
                    used[end] = single
                at_switch = [kinds[end[0]] for end in (first, second)]
                if first[:2] == second[:2]:
                    raise self._wrong(
                        f"edge {number} joins {self._shown(first)} to its own device; a link joins two switches"
                    )
                if all(at_switch):
                    links.append((first[:2], second[:2], edge.link))
                elif any(at_switch):
                    host, switch = (second[:2], first[:2]) if at_switch[0] else (first[:2], second[:2])
                    ports.append((host, switch, edge.link))
                else:
                    raise self._wrong(f"edge {number} joins two hosts; a host is linked to switches")
        return links, ports

    def _pairs(self, edge: InfraEdge, number: int, room: int) -> list[Any]:
        """The cables of an edge, each as its two ends."""
        ends = [self._ends(end, number) for end in (edge.ep1, edge.ep2)]
        if edge.scheme not in ("one2one", "many2many"):
            raise self._wrong(f"edge {number} has the scheme {short(edge.scheme)}; use one2one or many2many")
        first, second = ends
        if edge.scheme == "one2one" and len(first) != len(second):
            raise self._wrong(f"edge {number} joins {len(first)} ports to {len(second)}, one to one")
        count = len(first) if edge.scheme == "one2one" else len(first) * len(second)
        if count > room:
            raise self._wrong(f"edge {number}: more than {_MOST_CABLES} cables in total")
        self.allowance.take(_CABLE_BYTES * count, f"{count:,} cables of edge {number}")
        return list(zip(first, second, strict=True) if edge.scheme == "one2one" else itertools.product(first, second))

    def _ends(self, end: End, number: int) -> list[tuple[int, int, str]]:
        """The ports at an end of an edge: index of the instance, of its copy, and the path in it."""
        name, span = self._sliced(end.instance, number)
        if name not in self.groups:
            raise self._wrong(f"edge {number} ends at the instance {short(name)}, which does not exist")
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
            raise self._wrong(f"edge {number}: {short(text)} is not a slice like 'port[0]' or 'port[0:4]'")
        name, start, colon, stop, again, step = match.groups()
        if start is None:
            return name, None
        return name, (start, colon, stop, again, step)

    def _range(self, span: tuple[str | None, ...] | None, count: int, text: str, number: int) -> range:
        """The indices of a slice; all of them without brackets."""
        if span is None:
            return range(count)
        start, colon, stop, _, step = (part or None for part in span)
        if colon is None and start is not None:
            place = int(start) + (count if start.startswith("-") else 0)
            indices = range(place, place + 1)
        else:
            if step is not None and step.strip("-0") == "":
                raise self._wrong(f"edge {number}: {short(text)} has a step of 0")
            if stop is not None and stop != "-" and int(stop) > count:
                raise self._wrong(f"edge {number}: {short(text)} exceeds the {count} that exist")
            indices = range(
                *slice(*(None if part in (None, "-") else int(part) for part in (start, stop, step))).indices(count)
            )
        if not indices or min(indices) < 0 or max(indices) >= count:
            raise self._wrong(f"edge {number}: {short(text)} selects none of the {count} that exist")
        return indices

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
