"""The format of a file by its content, for files whose names do not say it."""

import re

#: How much of a file is looked at.
_BYTES = 1 << 16
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
    # Lines of a terminal may precede it.
    "ibnetdiscover": re.compile(
        rb"(?:[^\n]{0,500}\n){0,40}?\s*(?:(?:vendid|devid|sysimgguid|switchguid|caguid)=0x|(?:Switch|Ca|Hca|Rt)\s*\d+\s*\")"
    ),
}
#: Beginnings that could also be of a file of another program.
_LIKELY = {
    "topoloom": re.compile(rb"(?:\xef\xbb\xbf)?\s*\{"),
    "graphml": re.compile(rb"(?:\xef\xbb\xbf)?\s*<"),
    "dot": re.compile(rb"(?:\s|//[^\n]*\n|#[^\n]*\n)*+(?:strict\s+)?(?:di)?graph\b\s*(?:\"[^\"]*\"|\w*)\s*\{"),
}


def format_by_content(data: bytes, *, certain: bool = False) -> str:
    """The name of the format that a file's content has; empty if none is recognised.

    Parameters
    ----------
    data : bytes
    certain : bool
        Whether only formats count whose beginning no other format has.
    """
    start = data[:_BYTES]
    beginnings = _CERTAIN if certain else _CERTAIN | _LIKELY
    return next((name for name, beginning in beginnings.items() if beginning.match(start)), "")
