"""lldpd: ``lldpcli -f json show neighbors`` and ``-f json0``, with or without ``show chassis``; ``lldpctl -f json``.

In ``json0`` every element is an array and every text ``{"value": ...}``. In ``json`` arrays of one element are that element,
texts stand alone, and what has a name is an object by this name; a chassis without a name is not. Both are brought into one
form here. Source: lldpd, src/client/json_writer.c; quirks: lldpd issue 236.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from topoloom.fabric.port_settings import PortSettings, bytes_of
from topoloom.formats._lldp.views import (
    DeviceView,
    Neighbour,
    ViewReader,
    each,
    mapping_in,
    meaning,
    no_time_left,
    text_in,
    texts_in,
)

#: Keys of a chassis or an interface that are not the name of one.
_OF_CHASSIS = {"id", "name", "descr", "mgmt-ip", "mgmt-iface", "capability", "ttl"}
_OF_INTERFACE = {
    "name",
    "via",
    "rid",
    "age",
    "chassis",
    "port",
    "vlan",
    "ppvid",
    "pi",
    "lldp-med",
    "unknown-tlvs",
    "ttl",
}
_PROTOCOL = "LLDP"
_RATE = re.compile(r"([0-9]{2,5})(G?)base-?([a-z]?)", re.IGNORECASE)


def _matches(value: Any) -> bool:
    return isinstance(value, dict) and bool({"lldp", "local-chassis"} & value.keys()) and not _is_netconf(value)


def _is_netconf(value: Mapping[str, Any]) -> bool:
    inner = value.get("lldp")
    return isinstance(inner, dict) and bool({"interfaces", "config", "state"} & inner.keys())


def _read(value: Any, source: str) -> DeviceView:
    neighbours: list[Neighbour] = []
    for entry in each(value.get("lldp")):
        for interface in each(mapping_in(entry).get("interface")):
            for name, content in _named(mapping_in(interface), _OF_INTERFACE):
                neighbours += _heard(name, content)
    own = list(_local(value))
    names = [name for name, _ in own if name]
    ids = [_id(content)[0] for _, content in own]
    addresses = frozenset(address for _, content in own for address in _texts(content.get("mgmt-ip")))
    return DeviceView(
        source,
        names[0] if names else "",
        tuple(neighbours),
        next(filter(None, ids), ""),
        addresses=addresses,
        ports=frozenset(neighbour.port for neighbour in neighbours),
    )


def _local(value: Any, depth: int = 0) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The chassis of the device itself, wherever the file has it."""
    if not isinstance(value, dict) or depth > 3:
        return
    for key, inner in value.items():
        if key == "local-chassis":
            for entry in each(inner):
                for chassis in each(mapping_in(entry).get("chassis")):
                    yield from _named(mapping_in(chassis), _OF_CHASSIS)
        elif key != "lldp":
            yield from _local(inner, depth + 1)


def _named(entry: Mapping[str, Any], own_keys: set[str]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The name and the content of an entry that is keyed by its name, or has it among its keys, or has none."""
    if entry.keys() <= own_keys or "id" in entry or "chassis" in entry:
        yield _text(entry.get("name")), entry
        return
    for name, content in entry.items():
        for part in each(content):
            yield name, mapping_in(part)


def _heard(port: str, content: Mapping[str, Any]) -> Iterator[Neighbour]:
    via = _text(content.get("via"))
    if via and via != _PROTOCOL:
        # lldpd also hears CDP and others, mostly of the same neighbour.
        return
    for at_port in each(content.get("port")) or [{}]:
        port_id, port_type = _id(mapping_in(at_port))
        settings = _settings(mapping_in(at_port))
        for chassis in each(content.get("chassis")) or [{}]:
            for name, of_chassis in _named(mapping_in(chassis), _OF_CHASSIS):
                yield Neighbour(
                    *(port, name, _id(of_chassis)[0], port_id, port_type, _text(mapping_in(at_port).get("descr"))),
                    _texts(of_chassis.get("mgmt-ip")),
                    settings,
                    no_time_left(_text(mapping_in(at_port).get("ttl")) or _text(of_chassis.get("ttl"))),
                    _enabled(of_chassis) == {"station"},
                )


def _settings(of_port: Mapping[str, Any]) -> PortSettings:
    """The largest frame, and the rate in the type of the attachment: ``100GbaseSR4``; only in the details."""
    rate_gbps = 0.0
    for entry in each(of_port.get("auto-negotiation")):
        about = mapping_in(entry)
        rate = _RATE.match(_text(about.get("current")))
        # Twisted pair needs negotiation; virtual interfaces claim 10GbaseT without.
        if rate and (about.get("supported") or rate[3].lower() != "t"):
            rate_gbps = int(rate[1]) / (1 if rate[2] else 1000)
    return PortSettings(frame=bytes_of(_text(of_port.get("mfs"))), rate_gbps=rate_gbps)


def _enabled(of_chassis: Mapping[str, Any]) -> set[str]:
    """The capabilities that a neighbour uses: ``bridge``, ``router``, ``station`` ..."""
    listed = [mapping_in(entry) for entry in each(of_chassis.get("capability"))]
    return {text_in(entry.get("type")).lower() for entry in listed if entry.get("enabled") in (True, "on")}


def _id(content: Mapping[str, Any]) -> tuple[str, str]:
    for entry in each(content.get("id")):
        of_id = mapping_in(entry)
        return text_in(of_id.get("value")), meaning(text_in(of_id.get("type")))
    return "", ""


def _text(value: Any) -> str:
    return next(iter(_texts(value)), "")


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(
        text for entry in each(value) for text in texts_in(entry.get("value") if isinstance(entry, dict) else entry)
    )


READER = ViewReader("lldpd", _matches, _read)
