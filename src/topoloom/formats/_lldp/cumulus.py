"""Cumulus Linux: ``nv show interface -o json`` (NVUE), and ``net show lldp json`` of 3.x. Later NCLU prints lldpd's form.

Sources: NVIDIA, Cumulus Linux documentation; public outputs used by configuration tools.
"""

from typing import Any

from topoloom.formats._lldp.views import DeviceView, Neighbour, ViewReader, each, mapping_in, meaning, text_in


def _matches(value: Any) -> bool:
    return isinstance(value, dict) and any(
        isinstance(content, dict) and ("iface_obj" in content or _has_neighbour(content.get("lldp")))
        for content in value.values()
    )


def _has_neighbour(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("neighbor"), dict)


def _read(value: Any, source: str) -> DeviceView:
    neighbours: list[Neighbour] = []
    ports = set()
    for port, content in value.items():
        facts = mapping_in(content)
        if facts.get("type") == "loopback":
            continue
        ports.add(port)
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
                )
            )
    return DeviceView(source, neighbours=tuple(neighbours), ports=frozenset(ports))


READER = ViewReader("Cumulus Linux", _matches, _read)
