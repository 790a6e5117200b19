"""The format of a file by its content, for files whose names do not say it."""

import codecs
import re

from topoloom.core.workbooks import WORKBOOK

#: How much of a file is looked at, from its start, and for a word that only files of one format have.
_BYTES, _MARK_BYTES = 1 << 16, 1 << 20
_BLANK = rb"(?:\xef\xbb\xbf)?(?:\s|#[^\n]*\n)*+"
#: Formats whose beginning no other format has.
_CERTAIN = {
    "ibdiagnet-lst": re.compile(rb"(?:\xef\xbb\xbf)?\s*+\{\s*+(?:CA|SW|RTR?|ROUTER)(?:-SM)?\s+Ports:"),
    "ibdiagnet": re.compile(_BLANK + rb"START_[A-Z]"),
    "ibnetdiscover-ports": re.compile(_BLANK + rb"(?:SW|CA|RT)\s+\d+\s+\d+\s+0x[0-9a-fA-F]{16}\s+[0-9?]+x\s"),
    "iblinkinfo": re.compile(
        _BLANK
        + rb"(?:Switch:\s+0x[0-9a-fA-F]{1,16}\s[^\n]*:\s*\n|(?:CA|RT):\s[^\n]*:\s*\n\s*0x[0-9a-fA-F]{16}\s[^\n]*==\("
        rb"|0x[0-9a-fA-F]{16}\s+\"[^\n\"]*\"\s+\d+\s+\d+\[[^\n\]]*\]\s*==\()"
    ),
    "net-dump": re.compile(_BLANK + rb"\"[^\n\"]*\",[^\n,]*,\s*0x[0-9a-fA-F]{1,16},\s*LID\s"),
    "ufm-links": re.compile(rb"(?:\xef\xbb\xbf)?\s*[\[{].{0,4000}?\"(?:source_guid|system_guid)\"\s*:", re.DOTALL),
    "ndt": re.compile(
        rb"(?:\xef\xbb\xbf)?\s*[^\n]{0,2000}?StartDevice\"?\s*,\s*\"?StartPort\"?\s*,[^\n]{0,500}?EndDevice\"?\s*,",
        re.IGNORECASE,
    ),
    "lldp": re.compile(
        rb"(?:\xef\xbb\xbf)?\s*(?:[\[{].{0,8000}?\"(?:lldp|local-chassis|lldp_loc_chassis|lldpNeighbors|TABLE_nbor(?:_detail)?"
        rb"|lldp-neighbors-information|openconfig-lldp:[\w-]+|LLDP_ENTRY_TABLE[^\"\n]{0,80}|LLDP_LOC_CHASSIS|Neighbors)\"\s*:"
        rb"|[\[{].{0,8000}?(?:openconfig-lldp|\"/?lldp/interfaces)|(?:[^\n]{0,500}\n){0,20}?LocalPort\s+RemoteDevice\s+RemotePortID"
        rb"|<(?:.{0,4000}?<)?lldp-neighbors-information)",
        re.DOTALL,
    ),
    # The numbers of nodes, switches and links; the switches; links with rate and delay.
    "ns3": re.compile(
        rb"(?:\xef\xbb\xbf)?\d+ \d+ \d+[ \t\r]*\n[\d \t\r]*+\n\d+ \d+ [\d.]+[KMGT]?bps [\d.]+(?:ms|us|ns)"
    ),
    "htsim-topo": re.compile(
        rb"(?:\xef\xbb\xbf)?(?:\s|#[^\n]*\n)*+Nodes[ \t]+\d+\s*\n(?:[^\n]*\n){0,8}?[ \t]*Tiers[ \t]+\d"
    ),
    # Three numbers, and from there on two in every line; the end may be cut off.
    "order-radix": re.compile(
        rb"(?:\xef\xbb\xbf)?\s*\d{1,9}[ \t]+\d{1,9}[ \t]+\d{1,9}[ \t]*\r?\n"
        rb"(?:[ \t]*\d{1,9}[ \t]+\d{1,9}[ \t]*(?:\r?\n)+)++[ \t]*\d{0,9}[ \t]*\d{0,9}\s*\Z"
    ),
    "anynet": re.compile(rb"(?:\xef\xbb\xbf)?\s*router[ \t]+\d+[ \t]+(?:node|router)[ \t]+\d+"),
    # An edge with the port of an end, which is no compass point.
    "ptm": re.compile(
        rb"(?:\s|//[^\n]*\n|#[^\n]*\n)*+(?:strict\s+)?graph\b\s*+(?:\"[^\"\n]*\"|\w*+)\s*\{(?:[^\n]*\n)*?[^\n#]*?"
        rb"(?:\"[^\"\n]{0,256}\"|\b[\w.]{1,128})\s*:\s*(?!(?:n|ne|e|se|s|sw|w|nw|c|_)\s*--)(?:\"[^\"\n]{1,128}\"|[\w.]{1,128})\s*--"
    ),
    # Lines of a terminal may precede it.
    "ibnetdiscover": re.compile(
        rb"(?:[^\n]{0,500}\n){0,40}?\s*(?:(?:vendid|devid|sysimgguid|switchguid|caguid)=0x|(?:Switch|Ca|Hca|Rt)\s*\d+\s*\")"
    ),
}
#: Two separators in a line, which a row of heads has at least; and the heads of topoloom's own lists, and of UFM's NDT.
_MAYBE_HEADS = re.compile(rb"^[^\n]*[,;\t][^\n]*[,;\t]", re.MULTILINE)
_OWN_HEADS = re.compile(
    rb"^[^\n]*(?:\ba_switch\b[^\n]*\bb_switch\b|StartDevice[^\n]*LinkType)", re.MULTILINE | re.IGNORECASE
)
#: Formats by their first character, and a word in them that others do not have.
_MARKED = {
    "config-db": (b"{", re.compile(rb"\"DEVICE_NEIGHBOR(?:\||\"\s*:)")),
    "fboss": (b"{", re.compile(rb"\"expectedLLDPValues\"\s*:")),
    "paddle": (b"{", re.compile(rb"\"destination_node_id\"\s*:")),
    "netbox": (
        b"{[",
        re.compile(
            rb"\"(?:a_terminations|termination_a_type|connected_endpoints|rear_port_position)\"\s*:|/api/dcim/interfaces/"
        ),
    ),
    "air": (b"{", re.compile(rb"\"content\"\s*:\s*\{\s*\"(?:oob|nodes|links|netq)\"")),
    "frr-conf": (b"", re.compile(rb"^interface \S+[^\n]*\n[ \t]+description ", re.MULTILINE)),
    "netq": (b"{[", re.compile(rb"\"compounded_links\"\s*:")),
    "minigraph": (b"<", re.compile(rb"<DeviceMiniGraph\b")),
    "avd": (b"", re.compile(rb"^ethernet_interfaces:", re.MULTILINE)),
    "containerlab": (
        b"",
        re.compile(rb"^topology:\s*(?:#[^\n]*)?\n(?:[ #][^\n]*\n|\n)*? +(?:nodes|links|kinds):", re.MULTILINE),
    ),
    "blocks": (b"", re.compile(rb"^[ \t]*\[\[[ \t]*block[ \t]*\]\]", re.MULTILINE)),
    "netlab": (b"", re.compile(rb"^links:\s*\n(?:[ -][^\n]*\n)*?[^\n]*\bifname:", re.MULTILINE)),
}
#: Beginnings that could also be of a file of another program.
_LIKELY = {
    "topoloom": re.compile(rb"(?:\xef\xbb\xbf)?\s*\{"),
    "graphml": re.compile(rb"(?:\xef\xbb\xbf)?\s*<"),
    "dot": re.compile(rb"(?:\s|//[^\n]*\n|#[^\n]*\n)*+(?:strict\s+)?(?:di)?graph\b\s*(?:\"[^\"]*\"|\w*)\s*\{"),
}


def is_sheet(start: bytes) -> bool:
    """Whether text begins with the heads of a sheet of cables that is not of a format with heads of its own."""
    if start[:1] in (b"{", b"<") or not _MAYBE_HEADS.search(start) or _OWN_HEADS.search(start):
        return False
    # Only a text that may be a sheet needs its reader.
    from topoloom.formats._sheet_heads import find_heads
    from topoloom.formats.sheet import first_rows

    return find_heads(first_rows(start)) is not None


def certain_format(data: bytes) -> str:
    """The name of the format that only this content can have; empty if there is none."""
    start, more = data[:_BYTES], data[:_MARK_BYTES]
    first = start.removeprefix(codecs.BOM_UTF8).lstrip()[:1]
    for name, (characters, mark) in _MARKED.items():
        if (not characters or (first and first in characters)) and mark.search(more):
            return name
    if start.startswith(WORKBOOK) and b"[Content_Types].xml" in more:
        return "xlsx"
    if is_sheet(start):
        return "sheet"
    return _beginning(_CERTAIN, start)


def likely_format(data: bytes) -> str:
    """The name of the format of content that is not certain, by a beginning that files of other programs may have, too."""
    return _beginning(_LIKELY, data[:_BYTES])


def _beginning(patterns: dict[str, re.Pattern[bytes]], start: bytes) -> str:
    return next((name for name, pattern in patterns.items() if pattern.match(start)), "")
