"""What one device says of its neighbours (LLDP), in the same form for every maker: `DeviceView`.

A file of neighbours is one device's view, and mostly does not name that device. Each maker's form has a reader here, which is
chosen by the content of the file.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from topoloom.fabric.port_settings import UNSET, PortSettings

#: How an id is meant, by the words and numbers of all makers (IEEE 802.1AB, tables 8-2 and 8-3).
IFNAME, IFALIAS, MAC, ADDRESS, LOCAL, OTHER = "ifname", "ifalias", "mac", "address", "local", "other"
#: The types of the id of a port by their number.
PORT_TYPES = {"1": IFALIAS, "2": OTHER, "3": MAC, "4": ADDRESS, "5": IFNAME, "6": OTHER, "7": LOCAL}
_WORDS = {
    "ifname": IFNAME,
    "interfacename": IFNAME,
    "ifalias": IFALIAS,
    "interfacealias": IFALIAS,
    "mac": MAC,
    "macaddress": MAC,
    "ip": ADDRESS,
    "networkaddress": ADDRESS,
    "local": LOCAL,
    "locallyassigned": LOCAL,
}
_MBPS = 1000
_MAC = re.compile(r"[0-9a-f]{12}")
_IN_MAC = re.compile(r"[:.\-]")
#: A MAC address without one of its digits, which some agents print.
_SHORT_MAC = re.compile(r"(?:[0-9a-f]{1,2}[:-]){5}[0-9a-f]{1,2}|[0-9a-f]{3,4}(?:[.-][0-9a-f]{3,4}){2}")
_DIGITS_OF_SHORT_MAC = 11


@dataclass(frozen=True)
class Neighbour:
    """What one port hears.

    Attributes
    ----------
    port : str
        The local port.
    name : str
        The neighbour's name; empty if it does not say.
    chassis : str
        The id of its chassis, mostly a MAC address.
    port_id, port_type, port_description : str
        The neighbour's port as it calls it, how the id is meant (`IFNAME` ...; empty: not stated), and its description.
    addresses : tuple of str
        Its addresses for management.
    settings : PortSettings
        What the neighbour says of its port.
    expired : bool
        Whether the entry is not valid any more: its time to live is 0.
    is_station : bool
        Whether the neighbour says that it only is a station: neither bridge nor router.
    """

    port: str
    name: str = ""
    chassis: str = ""
    port_id: str = ""
    port_type: str = ""
    port_description: str = ""
    addresses: tuple[str, ...] = ()
    settings: PortSettings = UNSET
    expired: bool = False
    is_station: bool = False


@dataclass(frozen=True)
class DeviceView:
    """A device's own view: its ports and what they hear.

    Attributes
    ----------
    source : str
        The file.
    name : str
        The device, if the file names it; else empty.
    neighbours : tuple of Neighbour
    chassis : str
        The id of its own chassis; empty if not stated.
    aliases : mapping of str to str
        Further names of its ports, and their MAC addresses.
    settings : mapping of str to PortSettings
        The rates and other settings of its ports, where stated.
    ports : frozenset of str
        All its ports that the file names.
    addresses : frozenset of str
        Its addresses for management.
    lists : bool
        Whether the file lists neighbours, and not only the ports.
    """

    source: str
    name: str = ""
    neighbours: tuple[Neighbour, ...] = ()
    chassis: str = ""
    aliases: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    settings: Mapping[str, PortSettings] = field(default_factory=lambda: MappingProxyType({}))
    ports: frozenset[str] = frozenset()
    addresses: frozenset[str] = frozenset()
    lists: bool = True


@dataclass(frozen=True)
class ViewReader:
    """The form of one maker's files.

    Attributes
    ----------
    name : str
        As messages name it: "lldpd".
    matches : callable (value) -> bool
        Whether a JSON value has this form.
    read : callable (value, source: str) -> DeviceView
        Raises ValueError for a part that does not have the form.
    """

    name: str
    matches: Callable[[Any], bool]
    read: Callable[[Any, str], DeviceView]


def meaning(word: str | int) -> str:
    """How an id is meant: one of `IFNAME`, `MAC`, ... for the word of any maker, or for the number of a port's type.

    Examples
    --------
    >>> meaning("Interface name"), meaning("macAddress"), meaning("MAC_ADDRESS"), meaning(5), meaning("unhandled")
    ('ifname', 'mac', 'mac', 'ifname', 'other')
    """
    text = re.sub(r"[^a-z0-9]", "", str(word).lower())
    return PORT_TYPES.get(text) or _WORDS.get(text) or (OTHER if text else "")


def mac_of(text: str) -> str:
    """The twelve hex digits of a MAC address in any of its spellings; empty if the text is not one.

    Examples
    --------
    >>> mac_of("00:00:5E:00:53:01"), mac_of("0000.5e00.5301"), mac_of("0000-5e00-5301"), mac_of("spine1")
    ('00005e005301', '00005e005301', '00005e005301', '')
    """
    digits = _IN_MAC.sub("", text.strip().lower()) if text else ""
    return digits if _MAC.fullmatch(digits) else ""


def is_short_mac(text: str) -> bool:
    """Whether a text is a MAC address with eleven digits, which equals no other.

    Examples
    --------
    >>> is_short_mac("00:00:5e:00:53:1"), is_short_mac("0000.5e00.531"), is_short_mac("00:00:5e:00:53:01")
    (True, True, False)
    """
    plain = text.strip().lower()
    return _SHORT_MAC.fullmatch(plain) is not None and len(_IN_MAC.sub("", plain)) == _DIGITS_OF_SHORT_MAC


def no_time_left(value: Any) -> bool:
    """Whether a time to live is 0 seconds."""
    return text_in(value) == "0"


def text_in(value: Any) -> str:
    """A text or a number as text, without quotation marks around it; empty for anything else."""
    if isinstance(value, str):
        return value.strip().strip('"').strip()
    return "" if isinstance(value, bool) or not isinstance(value, (int, float)) else str(value)


def gbps_of_mbps(text: str) -> float:
    """Gb/s for a text of digits in Mb/s; 0 for any other text."""
    return int(text) / _MBPS if text.isdecimal() else 0.0


def each(value: Any) -> list[Any]:
    """The elements of a value that is an array, or one element, or nothing."""
    if value is None or value == "":
        return []
    return value if isinstance(value, list) else [value]


def texts_in(value: Any) -> tuple[str, ...]:
    """The texts in a value that is an array of texts, one text, or nothing."""
    return tuple(filter(None, map(text_in, each(value))))


def mapping_in(value: Any) -> Mapping[str, Any]:
    """A value that must be a table; an empty one for nothing.

    Raises
    ------
    ValueError
        It is something else.
    """
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ValueError("a table is expected where there is something else")
    return value


def joined_names(names: Iterable[str]) -> str:
    """The first name that is not empty."""
    return next(filter(None, names), "")
