"""The settings of ports that devices and plans state: the largest packet, error correction (FEC), rate,
lanes, and alias."""

import re
from dataclasses import dataclass, fields
from functools import lru_cache

#: The words of makers for the kinds of forward error correction; ``auto`` says nothing.
_FEC = {
    **dict.fromkeys(("rs", "rs528", "rs544", "reedsolomon", "cl91", "cl108", "kp4", "kr4"), "rs"),
    **dict.fromkeys(("fc", "baser", "firecode", "cl74"), "fc"),
    **dict.fromkeys(("none", "off", "disabled", "disable", "no"), "off"),
    **dict.fromkeys(("auto", "enabled", "default"), ""),
}
_RS = re.compile(r"rs(?:528|544)[a-z0-9]*")
_RATE = re.compile(r"([0-9]{1,9}(?:[.,][0-9]{1,3})?)\s*([a-z/]*?)(?:full|half)?(?:-[0-9]{1,2})?")
_BEFORE_RATE = re.compile(r"speed_|(?:forced|auto)\s+")
#: What a unit of a rate is in Gb/s; a number alone above `_MOST_GBPS` is in Mb/s.
_UNITS = (
    dict.fromkeys(("g", "gb", "gbps", "gbit", "gbit/s", "gbe", "gb/s", "ge", "gig"), 1.0)
    | dict.fromkeys(("m", "mb", "mbps", "mbit", "mbit/s", "mb/s"), 1e-3)
    | dict.fromkeys(("t", "tb", "tbps", "tb/s"), 1e3)
)
_MOST_GBPS = 3200
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


# A fabric states few different words, each at thousands of ports.
@lru_cache(maxsize=1 << 10)
def fec_of(word: str) -> str:
    """The kind of error correction for the word of any maker; empty for ``auto``.

    Examples
    --------
    >>> fec_of("RS-FEC"), fec_of("FEC_RS544"), fec_of("baser"), fec_of("none"), fec_of("auto"), fec_of("llrs")
    ('rs', 'rs', 'fc', 'off', '', 'llrs')
    """
    plain = re.sub(r"[^a-z0-9]", "", word.rpartition(":")[2].lower()).removeprefix("fec").removesuffix("fec")
    return "rs" if _RS.fullmatch(plain) else _FEC.get(plain, plain)


@lru_cache(maxsize=1 << 10)
def gbps_of(text: str) -> float:
    """Gb/s for a rate in the words of any maker; 0 for another text.

    Examples
    --------
    >>> gbps_of("400G"), gbps_of("400000"), gbps_of("forced 100gfull"), gbps_of("SPEED_2500MB"), gbps_of("auto")
    (400.0, 400.0, 100.0, 2.5, 0.0)
    """
    plain = text.rpartition(":")[2].strip().lower()
    match = _RATE.fullmatch(_BEFORE_RATE.sub("", plain, count=1))
    if match is None or match[2] not in (*_UNITS, ""):
        return 0.0
    number = float(match[1].replace(",", "."))
    if match[2]:
        return number * _UNITS[match[2]]
    return number / 1000 if number > _MOST_GBPS else number


@lru_cache(maxsize=1 << 10)
def bytes_of(text: str) -> int:
    """A number of bytes; 0 for a text that is none, and for what no port has."""
    number = int(text) if text.isascii() and text.isdecimal() and len(text) <= len(str(_MOST_BYTES)) else 0
    return number if number < _MOST_BYTES else 0
