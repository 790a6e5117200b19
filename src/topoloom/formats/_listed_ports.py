"""Fabrics listed port by port (iblinkinfo, ibnetdiscover -p, ibdiagnet's net_dump, UFM's links): who each port belongs to.

These forms name an end of a cable by the GUID or the LID of its port. A switch has one GUID and one LID for all ports. Every
port of an adapter has its own, and the GUID of the adapter itself is not stated: ports whose GUIDs differ as their numbers do,
under one name, are one adapter, and its first port's GUID stands for it.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from topoloom.core.errors import at
from topoloom.fabric._assembly import ReadNode
from topoloom.fabric.fabric import Fabric
from topoloom.fabric.plugging import Plugging
from topoloom.fabric.rates import SPEED_OF_SIGNAL, rate_of
from topoloom.formats._text import fabric_from, stem

#: LIDs above are of multicast groups; 65535 is that of a port without one.
_MOST_LID = 0xBFFF
#: The signal rate of a lane in Gb/s as iblinkinfo shows it, with its coding, by the speed's name.
SHOWN_GBPS = {
    "SDR": "2.5",
    "DDR": "5.0",
    "QDR": "10.0",
    "FDR10": "10.3125",
    "FDR": "14.0625",
    "EDR": "25.78125",
    "HDR": "53.125",
    "NDR": "106.25",
    "XDR": "212.5",
}
_SHOWN = {**SPEED_OF_SIGNAL, **{gbps: speed for speed, gbps in SHOWN_GBPS.items()}}
#: Parts of the default names of switches, and the beginning of the names of managed ones.
_SWITCH_NAMES = ("mf0;", "quantum", "switch-ib", "switchib", "switchx", "infiniscale", "anafa")


@dataclass(frozen=True)
class PortEnd:
    """One end of a cable, as a line names it.

    Attributes
    ----------
    port : int
    name : str
        The name of the node; empty where not stated.
    guid : int or None
        That of the port; of the node, for a switch.
    lid : int
        0 where not stated.
    switch : bool or None
        Whether the node is a switch; None where not stated.
    node : int or None
        The GUID of the node, where the line states it next to that of a host's port.
    group : int
        Ends of hosts with one number above 0 belong to one adapter.
    ports : int
        The number of ports of the node; 0 where not stated.
    router : bool
        Whether the node is a router.
    """

    port: int
    name: str
    guid: int | None = None
    lid: int = 0
    switch: bool | None = None
    node: int | None = None
    group: int = 0
    ports: int = 0
    router: bool = False


@dataclass(frozen=True)
class ListedCable:
    """A line of a port: both ends of its cable, its width and rate (0: not stated), and the number of the line."""

    near: PortEnd
    far: PortEnd
    width: int
    rate_gbps: float
    line: int


def rate_shown(width: int, gbps: str) -> float:
    """The rate of a cable by its lanes and the signal rate of one, as tools show it (``53.125``); 0 where not known."""
    text = gbps.strip()
    speed = _SHOWN.get(text) or _SHOWN.get(text.partition(".")[0], "")
    return rate_of(width, speed)


def listed_fabric(cables: list[ListedCable], ports: Iterable[PortEnd], source: str, what: str) -> Fabric:
    """The fabric of all cables.

    Parameters
    ----------
    cables : list of ListedCable
        A cable may appear once, or from both ends.
    ports : iterable of PortEnd
        Every port that a line lists as its own, also those without a cable.
    source : str
        The file, for messages.
    what : str
        The form of a line with a switch, for the message if there is none.

    Raises
    ------
    InputError
        An end cannot be identified, two cables are in one port, or there is no switch.
    """
    ports = list(ports)
    owners = _Owners(source, [*ports, *(end for cable in cables for end in (cable.near, cable.far))])
    plugging = Plugging(source)
    for end in ports:
        if owners.guid(end) is not None:
            owners.node(plugging, end, 0)
    for cable in cables:
        ends = (cable.near, cable.far)
        nodes = [owners.node(plugging, end, cable.line) for end in ends]
        own = [
            (None, 0) if node.switch else (owners.guid(end), _unicast(end.lid))
            for node, end in zip(nodes, ends, strict=True)
        ]
        plugging.cable(
            *((nodes[0], cable.near.port), (nodes[1], cable.far.port), cable.line),
            width=cable.width,
            rate_gbps=cable.rate_gbps,
            guids=(own[0][0], own[1][0]),
            lids=(own[0][1], own[1][1]),
        )
    return fabric_from(source, lambda: plugging.fabric(stem(source), what))


def _unicast(lid: int) -> int:
    return lid if lid <= _MOST_LID else 0


class _Owners:
    """Finds the node of each end: by the GUID of its port, else by its LID.

    Parameters
    ----------
    source : str
        The file, for messages.
    ends : list of PortEnd
        All ends of the file.
    """

    def __init__(self, source: str, ends: list[PortEnd]) -> None:
        self._source = source
        self._by_guid: dict[int, list[PortEnd]] = defaultdict(list)
        self._by_lid: dict[int, int] = {}
        for end in ends:
            if end.guid is not None:
                self._by_guid[end.guid].append(end)
                if _unicast(end.lid):
                    self._by_lid.setdefault(end.lid, end.guid)
        self._is_switch = {guid: self._switch(listed) for guid, listed in self._by_guid.items()}
        self._nodes: dict[int, ReadNode] = {}
        # The first port of each adapter, by its key: its GUID stands for the adapter's.
        self._first: dict[str, int] = {}
        for guid, listed in self._by_guid.items():
            key = self._key(listed[0], guid)
            self._first[key] = min(guid, self._first.get(key, guid))

    def guid(self, end: PortEnd) -> int | None:
        """The GUID of the port of an end; None where no line states it."""
        return end.guid if end.guid is not None else self._by_lid.get(end.lid)

    def node(self, plugging: Plugging, end: PortEnd, line: int) -> ReadNode:
        """The node of an end, as `Plugging.node` returns it."""
        guid = self.guid(end)
        if guid in self._nodes:
            return self._nodes[guid]
        if guid is None:
            if not _unicast(end.lid):
                raise at(self._source, line, "an end of a cable without GUID and LID; its device cannot be identified")
            key, listed = f"LID {end.lid}", [end]
            switch = end.switch if end.switch is not None else _named_switch(end.name)
        else:
            listed, switch = self._by_guid[guid], self._is_switch[guid]
            # A line on the other side of a cable may lack what the node's own lines state.
            own = next((other for other in listed if other.group or other.node is not None), listed[0])
            key = self._key(own, guid)
        name = next((other.name for other in listed if other.name), end.name)
        node = next((other.node for other in listed if other.node is not None), None)
        entry = plugging.node(
            *(key, name or key, line),
            switch=switch,
            ports=max(max(other.port if switch else other.ports, other.ports) for other in listed),
            guid=node if node is not None else self._first.get(key),
            lid=_unicast(next((other.lid for other in listed if other.lid), 0)) if switch else 0,
            router=any(other.router for other in listed),
        )
        if guid is not None:
            self._nodes[guid] = entry
        return entry

    def _switch(self, listed: list[PortEnd]) -> bool:
        stated = next((end.switch for end in listed if end.switch is not None), None)
        if stated is not None:
            return stated
        return len({end.port for end in listed}) > 1 or any(_named_switch(end.name) for end in listed)

    def _key(self, end: PortEnd, guid: int) -> str:
        if self._is_switch[guid]:
            return f"{guid:x}"
        own = next((other for other in self._by_guid[guid] if other.group or other.node is not None), end)
        if own.node is not None:
            return f"{own.node:x}"
        return f"adapter {own.group}" if own.group else f"{own.name} {guid - own.port:x}"


def _named_switch(name: str) -> bool:
    return name.lower().startswith(_SWITCH_NAMES)
