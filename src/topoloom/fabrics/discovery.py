"""Reading a fabric as ibnetdiscover prints it, or as ibsim reads it: who is there, and which cable is in which port.

A switch or a host begins with its line ``Switch 36 "S-0002c90000000001" # "leaf1" base port 0 lid 3 lmc 0`` (``Ca``, in ibsim
also ``Hca``), and each of its ports in use has a line ``[7] "S-0002c90000000002"[12] # "spine1" lid 5 4xHDR``. Every cable is
there twice, once from each end, and both must agree.
"""

import logging
import re
from dataclasses import dataclass, field, replace

import numpy as np

from topoloom.errors import at
from topoloom.fabrics._assembly import MOST_PORTS, Cable, Node, assembled
from topoloom.fabrics._lines import lines_of
from topoloom.fabrics.fabric import Fabric
from topoloom.fabrics.flaws import GUID_TWICE, PORT_BEYOND, PORT_TWICE, Flaws

log = logging.getLogger("topoloom")

_LONGEST_NAME = 256
#: What sums up messages inside a switch (SHARP) shows itself as an adapter with this device, and is called so.
_SHARP_DEVICE, _SHARP_NAME = 0xCF09, "Mellanox Technologies Aggregation Node"

# Blanks are taken whole (*+): a line of a million of them is otherwise tried in a million ways.
_NODE = re.compile(r'(Switch|Ca|Hca|Rt)\s++([0-9]{1,9})\s++"([^"]*+)"\s*+(?:#(.*))?', re.IGNORECASE)
_PORT = re.compile(
    # [ext 3] is the port's number on the outside of a chassis.
    r"\[([0-9]{1,9})\](?:\[ext [0-9]{1,9}\])?\s*+(?:\(([0-9a-fA-F]{1,16})\))?\s*+"
    r'"([^"]*+)"\s*+\[([0-9]{1,9})\](?:\[ext [0-9]{1,9}\])?\s*+(?:\([0-9a-fA-F]{1,16}\))?\s*+'
    r"(?:#(.*))?.*"
)
_GUID = re.compile(r"(switchguid|caguid|hcaguid|rtguid|nodeguid)\s*=\s*0x([0-9a-fA-F]{1,16})\b.*", re.IGNORECASE)
_DEVICE = re.compile(r"devid\s*=\s*0x([0-9a-fA-F]{1,8})\b.*", re.IGNORECASE)
_ASIDE = re.compile(r"(?:vendid|devid|sysimgguid|module|chassis|non-chassis)\b.*", re.IGNORECASE)
_ID_GUID = re.compile(r"[SHR]-([0-9a-fA-F]{12,16})")
_NAME = re.compile(r'\s*"(.*)"')
_LID = re.compile(r"\blid ([0-9]{1,9})(?: lmc ([0-9]))?")


@dataclass
class _Reading:
    """Where the reader stands."""

    source: str
    flaws: Flaws
    guid: int | None = None
    device: int | None = None
    node: Node | None = None
    aggregation: set[str] = field(default_factory=set)


def read_fabric(text: str, source: str, name: str = "fabric", *, borne: bool = False) -> Fabric:
    """The fabric that the text describes.

    Parameters
    ----------
    text : str
        Of ibnetdiscover, or a fabric file of ibsim.
    source : str
        The file, for messages.
    name : str
        The topology's name.
    borne : bool
        Whether to bear what cannot be (a GUID or a port twice, a port that is none, a cable that one end only tells of): the
        reader goes on without it, and `Fabric.flaws` tells.

    Returns
    -------
    Fabric
        Switches and hosts that are called S0, S1, ... and H0, H1, ... without gaps keep these numbers; others are numbered
        in the order of the text, and the topology has their names and GUIDs as the labels ``id`` and ``guid``. Where the
        text gives no GUIDs they are those of ibsim.

    Raises
    ------
    InputError
        A line that is none of the format's; a cable that is there from one end only, or goes elsewhere from the other.

    Examples
    --------
    >>> text = 'Hca 1 "H0"\\n[1] "S0"[1]\\nSwitch 2 "S0"\\n[1] "H0"[1]\\n'
    >>> read_fabric(text, "tiny.net").topology
    Topology(fabric: 1 switches, 0 links, 1 hosts)
    """
    flaws = Flaws(source, borne)
    reading = _Reading(source, flaws)
    nodes: dict[str, Node] = {}
    for number, line in lines_of(text, source):
        stripped = line.strip()
        if stripped and not stripped.startswith("#"):
            _take(reading, nodes, stripped, number)
    if not any(node.switch for node in nodes.values()):
        raise at(source, None, 'names no switch; a fabric has lines like Switch 36 "S-0002c90000000001"')
    _leave_out(reading, nodes)
    return assembled(nodes, source, name, flaws)


def _leave_out(reading: _Reading, nodes: dict[str, Node]) -> None:
    """Take the aggregation nodes out of the switches that they are in: they are no hosts."""
    for id_ in reading.aggregation:
        for cable in nodes.pop(id_).cables.values():
            far = nodes.get(cable.to)
            if far is not None and (there := far.cables.get(cable.port)) is not None and there.to == id_:
                del far.cables[cable.port]
                # It is the switch's last port, which nothing else can be plugged into.
                far.ports -= cable.port == far.ports
    if reading.aggregation:
        many = len(reading.aggregation)
        log.warning(
            "%s: %d aggregation node%s (SHARP) left out: inside switches, no hosts",
            reading.source,
            many,
            "s" * (many > 1),
        )


def _take(reading: _Reading, nodes: dict[str, Node], line: str, number: int) -> None:
    """One line that is not empty and no comment."""
    if not line.replace("\t", " ").isprintable():
        raise at(reading.source, number, f"{line[:60]!a} has characters that no name can have")
    if line.startswith("["):
        _port(reading, line, number)
    elif found := _NODE.fullmatch(line):
        node = _node(reading, found, number)
        if (first := nodes.get(node.id)) is not None:
            text = f"'{node.id}' is there already, on line {first.line}"
            reading.flaws.report(GUID_TWICE, number, text, (first.name, 0), (node.name, 0))
            node = replace(node, key=f"{node.id}, line {number}")
        nodes[node.key] = reading.node = node
        if not node.switch and (reading.device == _SHARP_DEVICE or _SHARP_NAME in node.name):
            reading.aggregation.add(node.key)
        reading.guid = reading.device = None
    elif found := _GUID.fullmatch(line):
        reading.guid = int(found[2], 16)
        reading.node = None
    elif _ASIDE.fullmatch(line):
        reading.node = None
        if found := _DEVICE.fullmatch(line):
            reading.device = int(found[1], 16)
    else:
        raise at(reading.source, number, f"'{line[:60]}' is no line of ibnetdiscover or ibsim")


def _node(reading: _Reading, found: re.Match[str], number: int) -> Node:
    kind, ports, id_, comment = found[1].lower(), int(found[2]), found[3], found[4] or ""
    if kind == "rt":
        raise at(reading.source, number, f"'{id_[:60]}' is a router; topoloom reads single subnets")
    named = _NAME.match(comment)
    name = named[1] if named and named[1].strip() else id_
    for text in (id_, name):
        if not text.strip() or len(text) > _LONGEST_NAME or not text.isprintable():
            raise at(reading.source, number, f"a name has 1 to {_LONGEST_NAME} printable characters")
    if not 1 <= ports <= MOST_PORTS:
        raise at(reading.source, number, f"{ports} ports; a switch or a host has 1 to {MOST_PORTS}")
    guid = reading.guid
    if guid is None and (in_id := _ID_GUID.fullmatch(id_)):
        guid = int(in_id[1], 16)
    lid, lmc = _lid(reading, comment[named.end() :] if named else comment, number)
    return Node(id_, kind == "switch", ports, name, guid, lid, lmc, number)


def _port(reading: _Reading, line: str, number: int) -> None:
    found = _PORT.fullmatch(line)
    if not found:
        if re.fullmatch(r"\[[0-9]{1,9}\]\s*(#.*)?", line):
            return  # a port that is not in use
        shown = line if line.isprintable() else ascii(line)
        raise at(reading.source, number, f"'{shown[:60]}' is no port; a port is like [7] \"S-0002c90000000002\"[12]")
    if reading.node is None:
        raise at(reading.source, number, "a port before any switch or host")
    node, port = reading.node, int(found[1])
    # Where it is borne a cable in a port too high stays, for it is there; a rule tells of its port.
    if not 1 <= port <= (MOST_PORTS if reading.flaws.borne else node.ports):
        text = f"port {port} of {node.name}; its ports are 1 to {node.ports}"
        reading.flaws.report(PORT_BEYOND, number, text, (node.name, port))
        return
    if port in node.cables:
        text = f"port {port} of {node.name} already has the cable of line {node.cables[port].line}"
        reading.flaws.report(PORT_TWICE, number, text, (node.name, port))
        return
    guid = None if found[2] is None else int(found[2], 16)
    # A host's port says its own LID first; a switch's says that of the far end.
    lid, lmc = (0, 0) if node.switch else _lid(reading, (found[5] or "").split('"')[0], number)
    node.cables[port] = Cable(found[3], int(found[4]), guid, lid, lmc, number)


def _lid(reading: _Reading, comment: str, number: int) -> tuple[int, int]:
    """LID and LMC in a comment; 0 and 0 where it has none."""
    found = _LID.search(comment)
    if not found:
        return 0, 0
    lid, lmc = int(found[1]), int(found[2] or 0)
    if lid > np.iinfo(np.uint16).max or lmc > 7:
        raise at(reading.source, number, f"lid {lid} lmc {lmc}; LIDs end at 65535 and LMCs at 7")
    return lid, lmc
