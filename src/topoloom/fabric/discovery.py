"""Reading a fabric as ibnetdiscover prints it, or as ibsim reads it: who is there, and which cable is in which port.

A switch or a host begins with its line ``Switch 36 "S-0002c90000000001" # "leaf1" base port 0 lid 3 lmc 0`` (``Ca``, in ibsim
also ``Hca``), and each of its ports in use has a line ``[7] "S-0002c90000000002"[12] # "spine1" lid 5 4xHDR``. Every cable is
there twice, once from each end, and both must agree; one that a single end tells of is taken and marked. Source: the grammar
of `ibnetdiscover.c` (linux-rdma/rdma-core, infiniband-diags), with what terminals make of it: tabs lost, prompts around it.
"""

import logging
import re
from dataclasses import dataclass, field

import numpy as np

from topoloom.core.errors import at
from topoloom.fabric._assembly import ReadCable, ReadNode, assembled
from topoloom.fabric._inside import is_aggregation_node, omit_internal
from topoloom.fabric._lenient import MOST_PORTS, reconcile_ends
from topoloom.fabric._lines import lines_of
from topoloom.fabric.fabric import Fabric
from topoloom.fabric.flaws import GUID_TWICE, PORT_BEYOND, PORT_TWICE, Flaws
from topoloom.fabric.rates import LANE_GBPS, rate_of

log = logging.getLogger("topoloom")

_LONGEST_NAME = 256
#: What a port that has no LID yet says.
_NO_LID = 0xFFFF
_MOST_LANES = 12

# Blanks are taken whole (*+): a line of a million of them is otherwise tried in a million ways. Terminals lose tabs.
_NODE = re.compile(r'(Switch|Ca|Hca|Rt)\s*+([0-9]{1,9})\s*+"([^"]*+)"\s*+(?:#(.*))?', re.IGNORECASE)
_PORT = re.compile(
    # [ext 3] is the port's number on the outside of a chassis.
    r"\[([0-9]{1,9})\](?:\[ext [0-9]{1,9}\])?\s*+(?:\(([0-9a-fA-F]{1,16})\))?\s*+"
    r'"([^"]*+)"\s*+\[([0-9]{1,9})\](?:\[ext [0-9]{1,9}\])?\s*+(?:\(([0-9a-fA-F]{1,16})\))?\s*+'
    r"(?:#(.*))?.*"
)
_IS_PORT = re.compile(r"\[\s*[0-9]")
_GUID = re.compile(r"(switchguid|caguid|hcaguid|rtguid|nodeguid)\s*=\s*0x([0-9a-fA-F]{1,16})\b.*", re.IGNORECASE)
_DEVICE = re.compile(r"devid\s*=\s*0x([0-9a-fA-F]{1,8})\b.*", re.IGNORECASE)
_SYSTEM = re.compile(r"sysimgguid\s*=\s*0x([0-9a-fA-F]{1,16})\b.*", re.IGNORECASE)
# Of -g: Chassis 1 (guid 0x..), Chassis Switches, Non-Chassis Nodes, Hostname: ...
_ASIDE = re.compile(r"(?:vendid|devid|sysimgguid|module|chassis|non-chassis|hostname)\b.*", re.IGNORECASE)
#: What the tool says of ports that do not answer, in between where a log has both.
_SAID = re.compile(r"(?:src/)?[a-z_]+\.c:[0-9]+[;:].*|ib(?:warn|panic|error|nd)\b.*", re.IGNORECASE)
_ID_GUID = re.compile(r"[SHR]-([0-9a-fA-F]{12,16})")
_NAME = re.compile(r'\s*"(.*)"')
_LID = re.compile(r"\blid ([0-9]{1,9})(?: lmc ([0-9]))?")
_RATE = re.compile(r"\b([0-9]{1,2})x(" + "|".join(sorted(LANE_GBPS, key=len, reverse=True)) + r"|\?+)(?![A-Z0-9])")
_WORDS = ("vendid", "devid", "sysimgguid", "switchguid", "caguid", "hcaguid", "rtguid", "switch", "chassis")


@dataclass
class _Reading:
    """Where the reader stands."""

    source: str
    flaws: Flaws
    guid: int | None = None
    device: int = 0
    system: int | None = None
    node: ReadNode | None = None
    #: Adapters and routers that are parts of switches, by id; whether each is a router.
    inside: dict[str, bool] = field(default_factory=dict)
    begun: bool = False
    #: The first line, since the last one of the format, that is none.
    strange: tuple[int, str] | None = None
    #: How many lines of a terminal stood around the dump.
    around: int = 0
    #: The ids of nodes that have one id in the text, by that.
    twins: dict[str, list[str]] = field(default_factory=dict)


def read_fabric(text: str, source: str, name: str = "fabric", *, lenient: bool = False) -> Fabric:
    """The fabric that the text describes.

    Parameters
    ----------
    text : str
        Of ibnetdiscover, or a fabric file of ibsim.
    source : str
        The file, for messages.
    name : str
        The topology's name.
    lenient : bool
        Whether to bear what cannot be (a GUID or a port twice, a port that is none, ends that disagree): the reader goes on
        without it, and `Fabric.flaws` tells.

    Returns
    -------
    Fabric
        Switches and hosts that are called S0, S1, ... and H0, H1, ... without gaps keep these numbers; others are numbered
        in the order of the text, and the topology has their names and GUIDs as the labels ``id`` and ``guid``. Where the
        text gives no GUIDs they are those of ibsim.

    Raises
    ------
    InputError
        A line that is none of the format's; a cable that goes elsewhere from its other end, or to what is not described.

    Examples
    --------
    >>> text = 'Hca 1 "H0"\\n[1] "S0"[1]\\nSwitch 2 "S0"\\n[1] "H0"[1]\\n'
    >>> read_fabric(text, "tiny.net").topology
    Topology(fabric: 1 switches, 0 links, 1 hosts)
    """
    flaws = Flaws(source, lenient)
    reading = _Reading(source, flaws)
    nodes: dict[str, ReadNode] = {}
    for number, line in lines_of(text, source):
        stripped = line.strip()
        if stripped and not stripped.startswith("#"):
            _take(reading, nodes, stripped, number)
    if reading.strange is not None:
        # A prompt after the dump is no harm; the first letters of a line that was cut off are.
        said = reading.strange[1].lower()
        if not nodes or any(word.startswith(said) for word in _WORDS):
            raise _strange(reading)
        reading.around += 1
    if not any(node.switch for node in nodes.values()):
        raise at(source, None, 'names no switch; a fabric has lines like Switch 36 "S-0002c90000000001"')
    if reading.around:
        log.warning("%s: lines of a terminal around the dump are left aside", source)
    omit_internal(reading.inside, nodes, source)
    if lenient:
        reconcile_ends(nodes, reading.twins, flaws)
    return assembled(nodes, source, name, flaws)


def _strange(reading: _Reading) -> Exception:
    number, line = reading.strange or (0, "")
    if not line.replace("\t", " ").isprintable():
        return at(reading.source, number, f"{line[:60]!a} has characters that no name can have")
    return at(reading.source, number, f"'{line[:60]}' is no line of ibnetdiscover or ibsim")


def _take(reading: _Reading, nodes: dict[str, ReadNode], line: str, number: int) -> None:
    """One line that is not empty and no comment."""
    node = None
    if not line.replace("\t", " ").isprintable():
        known = False
    else:
        node = _NODE.fullmatch(line)
        known = bool(node or _IS_PORT.match(line) or _GUID.fullmatch(line) or _ASIDE.fullmatch(line))
    if not known:
        if not _SAID.fullmatch(line):
            reading.strange = reading.strange or (number, line)
        return
    if reading.strange is not None:
        # Before the dump stands what the terminal said; within it nothing may be lost.
        if reading.begun or _IS_PORT.match(line):
            raise _strange(reading)
        reading.around, reading.strange = reading.around + 1, None
    reading.begun = True
    if node:
        _begin(reading, nodes, node, number)
    elif line.startswith("["):
        _port(reading, line, number)
    elif found := _GUID.fullmatch(line):
        reading.guid = int(found[2], 16)
        reading.node = None
    else:
        reading.node = None
        if found := _DEVICE.fullmatch(line):
            reading.device = int(found[1], 16) & 0xFFFF
        elif found := _SYSTEM.fullmatch(line):
            reading.system = int(found[1], 16)


def _begin(reading: _Reading, nodes: dict[str, ReadNode], found: re.Match[str], number: int) -> None:
    """A switch, a host, or what shows itself as one though it is a part of a switch."""
    node = _node(reading, found, number)
    if (first := nodes.get(node.id)) is not None:
        text = f"'{node.id}' is there already, on line {first.line}"
        reading.flaws.report(GUID_TWICE, number, text, (first.name, 0), (node.name, 0))
        same = reading.twins.setdefault(node.id, [node.id])
        node.id = f"{node.id}, line {number}"
        same.append(node.id)
    nodes[node.id] = reading.node = node
    if found[1].lower() == "rt":
        reading.inside[node.id] = True
    elif not node.switch and is_aggregation_node(node):
        reading.inside[node.id] = False
    reading.guid, reading.device, reading.system = None, 0, None


def _node(reading: _Reading, found: re.Match[str], number: int) -> ReadNode:
    kind, ports, id_, comment = found[1].lower(), int(found[2]), found[3], found[4] or ""
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
    return ReadNode(
        id_, kind == "switch", ports, name, guid, lid, lmc, number, device=reading.device, system=reading.system
    )


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
    # Where it is lenient a cable in a port too high stays, for it is there; a rule tells of its port.
    if not 1 <= port <= (MOST_PORTS if reading.flaws.lenient else node.ports):
        text = f"port {port} of {node.name}; its ports are 1 to {node.ports}"
        reading.flaws.report(PORT_BEYOND, number, text, (node.name, port))
        return
    if port in node.cables:
        text = f"port {port} of {node.name} already has the cable of line {node.cables[port].line}"
        reading.flaws.report(PORT_TWICE, number, text, (node.name, port))
        return
    guid = None if found[2] is None else int(found[2], 16)
    far_guid = None if found[5] is None else int(found[5], 16)
    # A host's port says its own LID first; a switch's says that of the far end. Names may hold anything.
    before, _, rest = (found[6] or "").partition('"')
    after = rest.rpartition('"')[2]
    lid, lmc = (0, 0) if node.switch else _lid(reading, before, number)
    width, speed = (0, "") if (rate := _RATE.search(after)) is None else (int(rate[1]), rate[2])
    node.cables[port] = ReadCable(
        *(found[3], int(found[4]), guid, lid, lmc, number),
        width=min(width, _MOST_LANES),
        rate_gbps=rate_of(width, speed) if width <= _MOST_LANES else 0.0,
        far_guid=far_guid,
        far_lid=_lid(reading, after, number)[0],
    )


def _lid(reading: _Reading, comment: str, number: int) -> tuple[int, int]:
    """LID and LMC in a comment; 0 and 0 where it has none."""
    found = _LID.search(comment)
    if not found:
        return 0, 0
    lid, lmc = int(found[1]), int(found[2] or 0)
    if lid > np.iinfo(np.uint16).max or lmc > 7:
        raise at(reading.source, number, f"lid {lid} lmc {lmc}; LIDs end at 65535 and LMCs at 7")
    return (0 if lid == _NO_LID else lid), lmc
