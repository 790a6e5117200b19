"""FRR's configuration of one router, by the descriptions of its interfaces: ``description switch S2 port 1``.

topoloom writes such descriptions. Those that people write as ``to leaf1 swp3``, ``leaf1:swp3`` or ``leaf1 port swp3`` are
read, too. Source: FRR, doc/user (interface, description).
"""

import re

from topoloom.core.errors import at
from topoloom.fabric.named_cables import NamedCables
from topoloom.formats._device_files import device_of
from topoloom.formats._named_format import register_named_format
from topoloom.formats._text import text_of

_FORM = "an interface has a description like 'switch S2 port 1' or 'to leaf1 swp3'"
_INTERFACE = re.compile(r"interface\s+(\S{1,64})(?:\s.*)?")
_HOSTNAME = re.compile(r"hostname\s+(\S{1,256})")
_DESCRIPTION = re.compile(r"\s+description\s+(.{1,240})")
_OWN = re.compile(r"(switch|host) (\S.{0,199}) port (\S{1,64})")
_PEOPLE = re.compile(r"(?:to\s+)?([\w.-]{1,200})(?::|\s+port\s+|\s+)([A-Za-z][\w./:-]{0,63})", re.IGNORECASE)
#: The interfaces that topoloom's port numbers stand for.
_KINDS = {"switch": "swp", "host": "eth"}


def cables_in(data: bytes, source: str, lenient: bool) -> NamedCables:
    """The cables of one router.

    Parameters
    ----------
    data : bytes
    source : str
    lenient : bool
        Whether the caller reports cables that cannot be right itself.

    Returns
    -------
    NamedCables

    Raises
    ------
    InputError
        No interface has a description that names a device and a port.
    """
    cables = NamedCables(source, lenient=lenient)
    lines = text_of(data, source).splitlines()
    name = next((match[1] for line in lines if (match := _HOSTNAME.fullmatch(line.strip()))), "")
    own = cables.device(name or device_of(source), switch=True)
    cables.title = own.name
    port = ""
    for number, line in enumerate(lines, 1):
        if match := _INTERFACE.fullmatch(line):
            port = match[1]
            own.ports.add(port)
        elif port and (match := _DESCRIPTION.fullmatch(line)):
            text = match[1].strip()
            if planned := _OWN.fullmatch(text):
                kind, device, far_port = planned.groups()
                far_port = f"{_KINDS[kind]}{far_port}" if far_port.isdecimal() else far_port
                cables.cable((own, port), (cables.device(device, number, switch=kind == "switch"), far_port), number)
            elif written := _PEOPLE.fullmatch(text):
                cables.cable((own, port), (cables.device(written[1], number), written[2]), number)
    if not len(cables):
        raise at(source, None, f"no interface says what it is cabled to; {_FORM}")
    return cables


register_named_format(
    "frr-conf",
    (".frr.conf",),
    "FRR's configuration of one router, by the descriptions of interfaces",
    cables_in,
    _FORM,
    shared=(".conf",),
)
