"""Reading a fabric as ibnetdiscover prints it, or as ibsim reads it: its switches and hosts, and the cable in each port.

A switch or a host begins with its line ``Switch 36 "S-0002c90000000001" # "leaf1" base port 0 lid 3 lmc 0`` (``Ca``, in ibsim
also ``Hca``), and each of its ports in use has a line ``[7] "S-0002c90000000002"[12] # "spine1" lid 5 4xHDR``. Every cable
appears twice, once from each end, and both must agree; a cable that only one end lists is accepted and marked. Source: the
grammar of `ibnetdiscover.c` (linux-rdma/rdma-core, infiniband-diags), plus the effects of terminals: lost tabs, added prompts.
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
#: The LID of a port that has none yet.
_NO_LID = 0xFFFF
_MOST_LANES = 12

# Blanks match possessively (*+): otherwise a line of a million blanks is tried in a million ways. Terminals lose tabs.
_NODE = re.compile(r'(Switch|Ca|Hca|Rt)\s*+([0-9]{1,9})\s*+"([^"]*+)"\s*+(?:#(.*))?', re.IGNORECASE)
_PORT = re.compile(
    # [ext 3] is the port number on the outside of a chassis.
    r"\[([0-9]{1,9})\](?:\[ext [0-9]{1,9}\])?\s*+(?:\(([0-9a-fA-F]{1,16})\))?\s*+"
    r'"([^"]*+)"\s*+\[([0-9]{1,9})\](?:\[ext [0-9]{1,9}\])?\s*+(?:\(([0-9a-fA-F]{1,16})\))?\s*+'
    r"(?:#(.*))?.*"
)
_IS_PORT = re.compile(r"\[\s*[0-9]")
_GUID = re.compile(r"(switchguid|caguid|hcaguid|rtguid|nodeguid)\s*=\s*0x([0-9a-fA-F]{1,16})\b.*", re.IGNORECASE)
_DEVICE = re.compile(r"devid\s*=\s*0x([0-9a-fA-F]{1,8})\b.*", re.IGNORECASE)
_SYSTEM = re.compile(r"sysimgguid\s*=\s*0x([0-9a-fA-F]{1,16})\b.*", re.IGNORECASE)
# From ibnetdiscover -g: Chassis 1 (guid 0x..), Chassis Switches, Non-Chassis Nodes, Hostname: ...
_IGNORED = re.compile(r"(?:vendid|devid|sysimgguid|module|chassis|non-chassis|hostname)\b.*", re.IGNORECASE)
#: Messages of the tool about ports that do not answer, in between where a log has both.
_TOOL_MESSAGE = re.compile(r"(?:src/)?[a-z_]+\.c:[0-9]+[;:].*|ib(?:warn|panic|error|nd)\b.*", re.IGNORECASE)
_ID_GUID = re.compile(r"[SHR]-([0-9a-fA-F]{12,16})")
_NAME = re.compile(r'\s*"(.*)"')
_LID = re.compile(r"\blid ([0-9]{1,9})(?: lmc ([0-9]))?")
_RATE = re.compile(r"\b([0-9]{1,2})x(" + "|".join(sorted(LANE_GBPS, key=len, reverse=True)) + r"|\?+)(?![A-Z0-9])")
_WORDS = ("vendid", "devid", "sysimgguid", "switchguid", "caguid", "hcaguid", "rtguid", "switch", "chassis")


@dataclass
class _Reading:
    """The state of the reader."""

    source: str
    flaws: Flaws
    guid: int | None = None
    device: int = 0
    system: int | None = None
    node: ReadNode | None = None
    #: Adapters and routers that are parts of switches, by id; whether each is a router.
    inside: dict[str, bool] = field(default_factory=dict)
    begun: bool = False
    #: The first line, since the last line of the format, that does not belong to the format.
    strange: tuple[int, str] | None = None
    #: Number of lines of a terminal around the dump.
    around: int = 0
    #: The ids of nodes that share one id in the text, by that id.
    twins: dict[str, list[str]] = field(default_factory=dict)


def read_fabric(text: str, source: str, name: str = "fabric", *, lenient: bool = False) -> Fabric:
    """Parse the fabric that the text describes.

    Parameters
    ----------
    text : str
        Output of ibnetdiscover, or a fabric file of ibsim.
    source : str
        The file, for messages.
    name : str
        The name of the topology.
    lenient : bool
        Whether to omit and report invalid entries (a GUID or a port twice, a nonexistent port, ends that disagree) instead of
        refusing the file; `Fabric.flaws` lists them.

    Returns
    -------
    Fabric
        Switches and hosts with the names S0, S1, ... and H0, H1, ... without gaps keep these numbers; others are numbered in
        the order of the text, and the topology has their names and GUIDs as the labels ``id`` and ``guid``. If the text gives
        no GUIDs, they are those of ibsim.

    Raises
    ------
    InputError
        A line does not belong to the format, the two ends of a cable disagree, or a cable leads to an undescribed node.

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
        # A prompt after the dump is harmless; the first letters of a line that was cut off are not.
        last_words = reading.strange[1].lower()
        if not nodes or any(word.startswith(last_words) for word in _WORDS):
            raise _strange(reading)
        reading.around += 1
    if not any(node.switch for node in nodes.values()):
        raise at(source, None, 'names no switch; a fabric has lines like Switch 36 "S-0002c90000000001"')
    if reading.around:
        log.warning("%s: lines of a terminal around the dump are ignored", source)
    omit_internal(reading.inside, nodes, source)
    if lenient:
        reconcile_ends(nodes, reading.twins, flaws)
    return assembled(nodes, source, name, flaws)


def _strange(reading: _Reading) -> Exception:
    number, line = reading.strange or (0, "")
    if not line.replace("\t", " ").isprintable():
        return at(reading.source, number, f"{line[:60]!a} has characters that no name can have")
    return at(reading.source, number, f"'{line[:60]}' is not a line of ibnetdiscover or ibsim")


def _take(reading: _Reading, nodes: dict[str, ReadNode], line: str, number: int) -> None:
    """Process one line that is neither empty nor a comment."""
    node = None
    if not line.replace("\t", " ").isprintable():
        recognised = False
    else:
        node = _NODE.fullmatch(line)
        recognised = bool(node or _IS_PORT.match(line) or _GUID.fullmatch(line) or _IGNORED.fullmatch(line))
    if not recognised:
        if not _TOOL_MESSAGE.fullmatch(line):
            reading.strange = reading.strange or (number, line)
        return
    if reading.strange is not None:
        # Before the dump, other lines are terminal output; within the dump no line may be lost.
        if reading.begun or _IS_PORT.match(line):
            raise _strange(reading)
        reading.around, reading.strange = reading.around + 1, None
    reading.begun = True
    if node:
        _begin(reading, nodes, node, number)
    elif line.startswith("["):
        _port(reading, line, number)
    elif value := _GUID.fullmatch(line):
        reading.guid = int(value[2], 16)
        reading.node = None
    else:
        reading.node = None
        if value := _DEVICE.fullmatch(line):
            reading.device = int(value[1], 16) & 0xFFFF
        elif value := _SYSTEM.fullmatch(line):
            reading.system = int(value[1], 16)


def _begin(reading: _Reading, nodes: dict[str, ReadNode], match: re.Match[str], number: int) -> None:
    """Begin a switch or a host, or a part of a switch that appears as one."""
    node = _node(reading, match, number)
    if (first := nodes.get(node.id)) is not None:
        text = f"'{node.id}' appeared already, on line {first.line}"
        reading.flaws.report(GUID_TWICE, number, text, (first.name, 0), (node.name, 0))
        same = reading.twins.setdefault(node.id, [node.id])
        node.id = f"{node.id}, line {number}"
        same.append(node.id)
    nodes[node.id] = reading.node = node
    if match[1].lower() == "rt":
        reading.inside[node.id] = True
    elif not node.switch and is_aggregation_node(node):
        reading.inside[node.id] = False
    reading.guid, reading.device, reading.system = None, 0, None


def _node(reading: _Reading, match: re.Match[str], number: int) -> ReadNode:
    kind, ports, id_, comment = match[1].lower(), int(match[2]), match[3], match[4] or ""
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
    match = _PORT.fullmatch(line)
    if not match:
        if re.fullmatch(r"\[[0-9]{1,9}\]\s*(#.*)?", line):
            return  # a port that is not in use
        shown = line if line.isprintable() else ascii(line)
        raise at(
            reading.source, number, f"'{shown[:60]}' is not a port; write a port like [7] \"S-0002c90000000002\"[12]"
        )
    if reading.node is None:
        raise at(reading.source, number, "a port line before any switch or host")
    node, port = reading.node, int(match[1])
    # With lenient parsing a cable in a port too high stays, because it exists; a diagnosis rule reports its port.
    if not 1 <= port <= (MOST_PORTS if reading.flaws.lenient else node.ports):
        text = f"port {port} of {node.name}; its ports are 1 to {node.ports}"
        reading.flaws.report(PORT_BEYOND, number, text, (node.name, port))
        return
    if port in node.cables:
        text = f"port {port} of {node.name} already has the cable of line {node.cables[port].line}"
        reading.flaws.report(PORT_TWICE, number, text, (node.name, port))
        return
    guid = None if match[2] is None else int(match[2], 16)
    far_guid = None if match[5] is None else int(match[5], 16)
    # A host's port lists its own LID first; a switch's lists that of the far end. Names may hold anything.
    before, _, rest = (match[6] or "").partition('"')
    after = rest.rpartition('"')[2]
    lid, lmc = (0, 0) if node.switch else _lid(reading, before, number)
    width, speed = (0, "") if (rate := _RATE.search(after)) is None else (int(rate[1]), rate[2])
    node.cables[port] = ReadCable(
        *(match[3], int(match[4]), guid, lid, lmc, number),
        width=min(width, _MOST_LANES),
        rate_gbps=rate_of(width, speed) if width <= _MOST_LANES else 0.0,
        far_guid=far_guid,
        far_lid=_lid(reading, after, number)[0],
    )


def _lid(reading: _Reading, comment: str, number: int) -> tuple[int, int]:
    """LID and LMC in a comment; 0 and 0 where it has none."""
    match = _LID.search(comment)
    if not match:
        return 0, 0
    lid, lmc = int(match[1]), int(match[2] or 0)
    if lid > np.iinfo(np.uint16).max or lmc > 7:
        raise at(reading.source, number, f"lid {lid} lmc {lmc}; the highest LID is 65535, the highest LMC 7")
    return (0 if lid == _NO_LID else lid), lmc
