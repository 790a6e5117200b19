"""The settings of ports that devices and plans state: the largest packet, error correction (FEC), rate,
lanes, and alias."""

import re
from dataclasses import dataclass, fields

#: The words of makers for the kinds of forward error correction; ``auto`` says nothing.
_FEC = {
    "rs": "rs",
    "rsfec": "rs",
    "reedsolomon": "rs",
    "cl91": "rs",
    "fc": "fc",
    "fcfec": "fc",
    "baser": "fc",
    "firecode": "fc",
    "cl74": "fc",
    "none": "off",
    "off": "off",
    "disabled": "off",
    "auto": "",
}
#: What IEEE 802.3 puts around a packet at most: addresses, type, two VLAN tags, check sequence.
HEADER_BYTES = 26
_MOST_BYTES = 1 << 16


@dataclass(frozen=True)
class PortSettings:
    """The settings of a port; 0 or empty where not known.

    Attributes
    ----------
    mtu, frame : int
        The largest packet, and the largest frame, in bytes. Makers count more or less of the header into a frame.
    fec : str
        ``rs``, ``fc``, ``off``, or another word of a maker.
    rate_gbps : float
    lanes : int
        Lanes of the electrical interface that the port has.
    alias : str
        Another name of the port: ``etp31`` of ``Ethernet240``.
    """

    mtu: int = 0
    frame: int = 0
    fec: str = ""
    rate_gbps: float = 0.0
    lanes: int = 0
    alias: str = ""

    def completed(self, other: "PortSettings") -> "PortSettings":
        """These settings, with those of another source where they are not known."""
        if self == UNSET or other == UNSET:
            return other if self == UNSET else self
        names = [field.name for field in fields(self)]
        return PortSettings(**{name: getattr(self, name) or getattr(other, name) for name in names})

    def __bool__(self) -> bool:
        return self != UNSET


#: Nothing is known.
UNSET = PortSettings()


def fec_of(word: str) -> str:
    """The kind of error correction for the word of any maker; empty for ``auto``.

    Examples
    --------
    >>> fec_of("RS-FEC"), fec_of("baser"), fec_of("none"), fec_of("auto"), fec_of("llrs")
    ('rs', 'fc', 'off', '', 'llrs')
    """
    plain = re.sub(r"[^a-z0-9]", "", word.lower())
    return _FEC.get(plain, plain)


def bytes_of(text: str) -> int:
    """A number of bytes; 0 for a text that is none, and for what no port has."""
    number = int(text) if text.isascii() and text.isdecimal() and len(text) <= len(str(_MOST_BYTES)) else 0
    return number if number < _MOST_BYTES else 0
