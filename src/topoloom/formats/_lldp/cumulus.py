"""Cumulus Linux: ``nv show interface -o json`` (NVUE), and ``net show lldp json`` of 3.x. Later NCLU prints lldpd's form.

Sources: NVIDIA, Cumulus Linux documentation; public outputs used by configuration tools.
"""

from collections import Counter
from functools import lru_cache
from typing import Any

from topoloom.fabric.port_settings import PortSettings, bytes_of, fec_of, gbps_of
from topoloom.formats._lldp.views import (
    DeviceView,
    Neighbour,
    ViewReader,
    each,
    mapping_in,
    meaning,
    no_time_left,
    text_in,
)


def _matches(value: Any) -> bool:
    return isinstance(value, dict) and any(
        isinstance(content, dict)
        and ("iface_obj" in content or _has_neighbour(content.get("lldp")) or _is_interface(content))
        for content in value.values()
    )


def _has_neighbour(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("neighbor"), dict)


def _is_interface(content: dict[str, Any]) -> bool:
    """Whether NVUE says of a port how it is set up; a device may hear nothing at all."""
    return isinstance(content.get("link"), dict) and content.get("type") in ("swp", "eth", "bond")


def _read(value: Any, source: str) -> DeviceView:
    neighbours: list[Neighbour] = []
    ports: set[str] = set()
    settings: dict[str, PortSettings] = {}
    macs: dict[str, str] = {}
    for port, content in value.items():
        facts = mapping_in(content)
        if facts.get("type") == "loopback":
            continue
        ports.add(port)
        link = facts.get("link")
        if isinstance(link, dict):
            macs[port] = text_in(link.get("mac"))
            settings[port] = _settings(*(text_in(link.get(key)) for key in ("mtu", "fec", "speed")))
        for heard in each(mapping_in(facts.get("iface_obj")).get("lldp")):
            entry = mapping_in(heard)
            neighbours.append(Neighbour(port, text_in(entry.get("adj_hostname")), "", text_in(entry.get("adj_port"))))
        for heard in mapping_in(mapping_in(facts.get("lldp")).get("neighbor")).values():
            chassis, at_port = mapping_in(mapping_in(heard).get("chassis")), mapping_in(mapping_in(heard).get("port"))
            neighbours.append(
                Neighbour(
                    port,
                    text_in(chassis.get("system-name")),
                    text_in(chassis.get("chassis-id")),
                    text_in(at_port.get("name")),
                    meaning(text_in(at_port.get("type"))),
                    text_in(at_port.get("description")),
                    expired=no_time_left(at_port.get("ttl")),
                )
            )
    times = Counter(macs.values())
    aliases = {mac: port for port, mac in macs.items() if mac and times[mac] == 1}
    return DeviceView(source, neighbours=tuple(neighbours), aliases=aliases, ports=frozenset(ports), settings=settings)


# Thousands of ports are set up alike.
@lru_cache(maxsize=1 << 10)
def _settings(mtu: str, fec: str, speed: str) -> PortSettings:
    return PortSettings(mtu=bytes_of(mtu), fec=fec_of(fec), rate_gbps=gbps_of(speed))


READER = ViewReader("Cumulus Linux", _matches, _read)
