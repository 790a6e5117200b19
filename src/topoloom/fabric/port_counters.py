"""Error counters of ports, from what ibqueryerrors, perfquery and ibdiagnet (PM_INFO of its db_csv) print.

Counters of traffic are left aside, and those that are 0. Sources: `ibqueryerrors.c` and `perfquery.c` (linux-rdma/rdma-core,
infiniband-diags); for ibdiagnet, whose text names its columns, public parsers of its files.
"""

import re
from dataclasses import dataclass, field

from topoloom.core.errors import at
from topoloom.core.text_parts import whole_in
from topoloom.fabric._lines import lines_of
from topoloom.fabric.db_csv_sections import sections

#: Counters by their letters alone, without Port, Counter(s) and Ext: what each tool calls them, and how they are shown.
_SHOWN = {
    "symbolerror": "SymbolErrors",
    "symbolerrors": "SymbolErrors",
    "linkerrorrecovery": "LinkErrorRecoveries",
    "linkrecovers": "LinkErrorRecoveries",
    "linkdowned": "LinkDowned",
    "rcverrors": "RcvErrors",
    "rcvremotephysicalerrors": "RcvRemotePhysicalErrors",
    "rcvremotephyserrors": "RcvRemotePhysicalErrors",
    "rcvswitchrelayerrors": "RcvSwitchRelayErrors",
    "rcvswrelayerrors": "RcvSwitchRelayErrors",
    "xmitdiscards": "XmitDiscards",
    "xmtdiscards": "XmitDiscards",
    "xmitconstrainterrors": "XmitConstraintErrors",
    "xmtconstrainterrors": "XmitConstraintErrors",
    "rcvconstrainterrors": "RcvConstraintErrors",
    "locallinkintegrityerrors": "LocalLinkIntegrityErrors",
    "linkintegrityerrors": "LocalLinkIntegrityErrors",
    "excessivebufferoverrunerrors": "ExcessiveBufferOverrunErrors",
    "excbufoverrunerrors": "ExcessiveBufferOverrunErrors",
    "qp1dropped": "QP1Dropped",
    "qp1drops": "QP1Dropped",
    "vl15dropped": "VL15Dropped",
    "uncorrectableblocks": "FECUncorrectableBlocks",
    "fecuncorrectableblocks": "FECUncorrectableBlocks",
}
_ERRORS_FOR = re.compile(r"Errors for (?:GUID )?0x([0-9a-fA-F]{1,16})\b.*", re.IGNORECASE)
_OF_PORT = re.compile(r"GUID 0x([0-9a-fA-F]{1,16}) port ([0-9]{1,5}):(.*)", re.IGNORECASE)
_ONE = re.compile(r"\[([A-Za-z0-9]{1,60}) == ([0-9]{1,20})(?: \([^)]{0,40}\))?\]")
_PERFQUERY = re.compile(r"# Port (?:extended )?counters: Lid ([0-9]{1,5}) port ([0-9]{1,5})\b.*", re.IGNORECASE)
_DOTTED = re.compile(r"([A-Za-z0-9]{1,60}):\.{2,80}([0-9]{1,20})")
_PM_INFO = "PM_INFO"


@dataclass
class PortCounters:
    """Errors that ports counted.

    Attributes
    ----------
    by_guid : dict of (int, int) to dict of str to int
        By the GUID of a node or of a port, and the port's number.
    by_lid : dict of (int, int) to dict of str to int
        By LID and port.
    """

    by_guid: dict[tuple[int, int], dict[str, int]] = field(default_factory=dict)
    by_lid: dict[tuple[int, int], dict[str, int]] = field(default_factory=dict)

    def of(self, guids: tuple[tuple[int, int], ...], lid: tuple[int, int]) -> dict[str, int]:
        """What a port counted, by the first of its GUIDs (with the port's number there) that is known, else by its LID."""
        known = (self.by_guid[guid] for guid in guids if guid in self.by_guid)
        return next(known, {}) or (self.by_lid.get(lid, {}) if lid[0] else {})

    def add(self, other: "PortCounters") -> None:
        """Take what another file says, too; of one port the later one counts."""
        self.by_guid.update(other.by_guid)
        self.by_lid.update(other.by_lid)


def read_counters(text: str, source: str) -> PortCounters:
    """The error counters in a file of ibqueryerrors, perfquery or ibdiagnet; which one, its content tells.

    Parameters
    ----------
    text : str
    source : str
        The file, for messages.

    Raises
    ------
    InputError
        A file of none of these; an ibdiagnet file without its counters.
    """
    if f"START_{_PM_INFO}" in text or text.lstrip().startswith("START_"):
        return _of_ibdiagnet(text, source)
    found = PortCounters()
    node, lid, known = None, None, False
    for _, line in lines_of(text, source):
        stripped = line.strip()
        if header := _ERRORS_FOR.fullmatch(stripped):
            node, known = int(header[1], 16), True
        elif port := _OF_PORT.fullmatch(stripped):
            counted = _errors(_ONE.findall(port[3]))
            for guid in {int(port[1], 16), node if node is not None else int(port[1], 16)}:
                found.by_guid[guid, int(port[2])] = counted
            known = True
        elif header := _PERFQUERY.fullmatch(stripped):
            lid, known = (int(header[1]), int(header[2])), True
        elif lid is not None and (one := _DOTTED.fullmatch(stripped)):
            found.by_lid.setdefault(lid, {}).update(_errors([(one[1], one[2])]))
    if not known:
        raise at(
            source,
            None,
            "has no counters: they are what ibqueryerrors or perfquery print, or the db_csv of 'ibdiagnet --pc'",
        )
    return found


def _of_ibdiagnet(text: str, source: str) -> PortCounters:
    found = PortCounters()
    rows = sections(text, source, wanted=(_PM_INFO,)).get(_PM_INFO)
    if rows is None:
        raise at(source, None, f"has no section {_PM_INFO}; ibdiagnet writes it with --pc")
    for row in rows:
        port = row.number("PortNumber", "PortNum")
        counted = _errors(row.cells.items())
        for name in ("NodeGUID", "PortGUID"):
            if (guid := row.guid(name, needed=False)) is not None and port is not None:
                found.by_guid[guid, port] = counted
    return found


def _errors(counted: object) -> dict[str, int]:
    """The counters of errors that are not 0, by the names that are shown; of two of one name the larger."""
    found: dict[str, int] = {}
    for name, value in counted:  # type: ignore[attr-defined]
        plain = name.lower().removeprefix("port").removesuffix("extended").removesuffix("ext")
        plain = plain.removesuffix("counters").removesuffix("counter")
        shown = _SHOWN.get(plain)
        count = whole_in(value, (1 << 64) - 1)
        if shown is not None and count:
            found[shown] = max(found.get(shown, 0), count)
    return found
