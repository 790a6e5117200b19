"""Error counters of ports, from the output of ibqueryerrors, perfquery and ibdiagnet (PM_INFO of its db_csv).

Counters of traffic and counters that are 0 are omitted. Sources: `ibqueryerrors.c` and `perfquery.c` (linux-rdma/rdma-core,
infiniband-diags); for ibdiagnet, whose files name their columns, public parsers of these files.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from topoloom.core.errors import at
from topoloom.core.text_parts import whole_in
from topoloom.fabric._lines import lines_of
from topoloom.fabric.db_csv_sections import sections

#: The displayed name of each counter, by the name that a tool uses: letters only, without Port, Counter(s) and Ext.
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
#: The counters of a bad cable or plug, and the number up to which each is normal: those that the file error_thresholds of
#: infiniband-diags proposes. Others (XmitDiscards, VL15Dropped, ...) count congestion, or errors of other cables.
CABLE_ERRORS = {
    "SymbolErrors": 10,
    "LinkErrorRecoveries": 10,
    "LinkDowned": 10,
    "RcvErrors": 10,
    "LocalLinkIntegrityErrors": 10,
    "ExcessiveBufferOverrunErrors": 10,
    "FECUncorrectableBlocks": 0,
}
_ERRORS_FOR = re.compile(r"Errors for (?:GUID )?0x([0-9a-fA-F]{1,16})\b.*", re.IGNORECASE)
_OF_PORT = re.compile(r"GUID 0x([0-9a-fA-F]{1,16}) port ([0-9]{1,5}):(.*)", re.IGNORECASE)
_COUNTER = re.compile(r"\[([A-Za-z0-9]{1,60}) == ([0-9]{1,20})(?: \([^)]{0,40}\))?\]")
_PERFQUERY = re.compile(r"# Port (?:extended )?counters: Lid ([0-9]{1,5}) port ([0-9]{1,5})\b.*", re.IGNORECASE)
_DOTTED = re.compile(r"([A-Za-z0-9]{1,60}):\.{2,80}([0-9]{1,20})")
_PM_INFO = "PM_INFO"


@dataclass
class PortCounters:
    """Errors that ports counted.

    Attributes
    ----------
    by_guid : dict of (int, int) to dict of str to int
        By the GUID of a node or of a port, and the port number.
    by_lid : dict of (int, int) to dict of str to int
        By LID and port.
    """

    by_guid: dict[tuple[int, int], dict[str, int]] = field(default_factory=dict)
    by_lid: dict[tuple[int, int], dict[str, int]] = field(default_factory=dict)

    def of(self, guids: tuple[tuple[int, int], ...], lid: tuple[int, int]) -> dict[str, int]:
        """The counters of a port, by the first of its GUIDs (with the port's number there) that has any, else by its LID."""
        counters = (self.by_guid[guid] for guid in guids if guid in self.by_guid)
        return next(counters, {}) or (self.by_lid.get(lid, {}) if lid[0] else {})

    def above(self, limits: Mapping[str, int]) -> "PortCounters":
        """The counters of cable errors above their limits.

        Parameters
        ----------
        limits : mapping of str to int
            The greatest normal number of a counter, in place of that in `CABLE_ERRORS`; a counter that is only here counts as
            a cable error too.

        Returns
        -------
        PortCounters
        """
        most = CABLE_ERRORS | dict(limits)

        def errors(counted: dict[str, int]) -> dict[str, int]:
            return {name: number for name, number in counted.items() if name in most and number > most[name]}

        return PortCounters(
            {port: errors(counted) for port, counted in self.by_guid.items()},
            {port: errors(counted) for port, counted in self.by_lid.items()},
        )

    def add(self, other: "PortCounters") -> None:
        """Add the counters of another file; for a port in both, the other file's replace these."""
        self.by_guid.update(other.by_guid)
        self.by_lid.update(other.by_lid)


def counter_limit(text: str) -> tuple[str, int]:
    """The counter and the greatest normal number in ``SymbolErrors=100``; names as tools write them are accepted.

    Raises
    ------
    ValueError
        The text is not of this form, or names no counter.

    Examples
    --------
    >>> counter_limit("SymbolErrors=100"), counter_limit("PortXmitDiscards=5")
    (('SymbolErrors', 100), ('XmitDiscards', 5))
    """
    name, _, number = text.partition("=")
    shown, limit = _shown(name), whole_in(number, (1 << 64) - 1)
    if shown is None or limit is None:
        raise ValueError(
            f"a limit of a counter; write SymbolErrors=100 (counters: {', '.join(sorted({*_SHOWN.values()}))})"
        )
    return shown, limit


def _shown(name: str) -> str | None:
    """The displayed name of a counter; None for a counter that is not read."""
    plain = name.strip().lower().removeprefix("port").removesuffix("extended").removesuffix("ext")
    return _SHOWN.get(plain.removesuffix("counters").removesuffix("counter"))


def read_counters(text: str, source: str) -> PortCounters:
    """The error counters in a file of ibqueryerrors, perfquery or ibdiagnet, recognised by its content.

    Parameters
    ----------
    text : str
    source : str
        The file, for messages.

    Raises
    ------
    InputError
        The file is of none of these tools, or an ibdiagnet file has no counters.
    """
    if f"START_{_PM_INFO}" in text or text.lstrip().startswith("START_"):
        return _of_ibdiagnet(text, source)
    counters = PortCounters()
    node, lid, recognised = None, None, False
    for _, line in lines_of(text, source):
        stripped = line.strip()
        if header := _ERRORS_FOR.fullmatch(stripped):
            node, recognised = int(header[1], 16), True
        elif port := _OF_PORT.fullmatch(stripped):
            counted = _errors(_COUNTER.findall(port[3]))
            for guid in {int(port[1], 16), node if node is not None else int(port[1], 16)}:
                counters.by_guid[guid, int(port[2])] = counted
            recognised = True
        elif header := _PERFQUERY.fullmatch(stripped):
            lid, recognised = (int(header[1]), int(header[2])), True
        elif lid is not None and (counter := _DOTTED.fullmatch(stripped)):
            counters.by_lid.setdefault(lid, {}).update(_errors([(counter[1], counter[2])]))
    if not recognised:
        raise at(
            source,
            None,
            "has no counters; give the output of ibqueryerrors or perfquery, or the db_csv of 'ibdiagnet --pc'",
        )
    return counters


def _of_ibdiagnet(text: str, source: str) -> PortCounters:
    counters = PortCounters()
    rows = sections(text, source, wanted=(_PM_INFO,)).get(_PM_INFO)
    if rows is None:
        raise at(source, None, f"has no section {_PM_INFO}; ibdiagnet writes it with --pc")
    for row in rows:
        port = row.number("PortNumber", "PortNum")
        counted = _errors(row.cells.items())
        for name in ("NodeGUID", "PortGUID"):
            if (guid := row.guid(name, needed=False)) is not None and port is not None:
                counters.by_guid[guid, port] = counted
    return counters


def _errors(counted: object) -> dict[str, int]:
    """The error counters that are not 0, by displayed name; the largest of several with one name."""
    errors: dict[str, int] = {}
    for name, value in counted:  # type: ignore[attr-defined]
        shown = _shown(name)
        count = whole_in(value, (1 << 64) - 1)
        if shown is not None and count:
            errors[shown] = max(errors.get(shown, 0), count)
    return errors
