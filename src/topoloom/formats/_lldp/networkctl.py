"""systemd-networkd: ``networkctl lldp --json=short``. Source: systemd, src/network/networkd-json.c; systemd issue 31502."""

from typing import Any

from topoloom.formats._lldp.views import DeviceView, Neighbour, ViewReader, each, mapping_in, meaning, text_in


def _matches(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("Neighbors"), list)


def _read(value: Any, source: str) -> DeviceView:
    neighbours: list[Neighbour] = []
    aliases: dict[str, str] = {}
    for entry in value["Neighbors"]:
        interface = mapping_in(entry)
        port = text_in(interface.get("InterfaceName"))
        aliases |= {text_in(name): port for name in each(interface.get("InterfaceAlternativeNames"))}
        for heard in each(interface.get("Neighbors")):
            neighbour = mapping_in(heard)
            raw = each(neighbour.get("RawPortID"))
            neighbours.append(
                Neighbour(
                    port,
                    text_in(neighbour.get("SystemName")),
                    text_in(neighbour.get("ChassisID")),
                    text_in(neighbour.get("PortID")),
                    # The first byte is the type of the id.
                    meaning(text_in(raw[0])) if raw else "",
                    text_in(neighbour.get("PortDescription")),
                )
            )
    return DeviceView(
        source, neighbours=tuple(neighbours), aliases=aliases, ports=frozenset(entry.port for entry in neighbours)
    )


READER = ViewReader("networkctl", _matches, _read)
