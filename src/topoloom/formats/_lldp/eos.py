"""Arista EOS: ``show lldp neighbors detail | json``, and without ``detail``. Source: eAPI outputs in napalm's tests."""

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
)


def _matches(value: Any) -> bool:
    return isinstance(value, dict) and "lldpNeighbors" in value


def _read(value: Any, source: str) -> DeviceView:
    heard = value["lldpNeighbors"]
    if isinstance(heard, list):
        entries = [mapping_in(entry) for entry in heard]
        brief = [
            Neighbour(
                text_in(entry.get("port")),
                text_in(entry.get("neighborDevice")),
                port_id=text_in(entry.get("neighborPort")),
                expired=no_time_left(entry.get("ttl")),
            )
            for entry in entries
        ]
        return DeviceView(source, neighbours=tuple(brief), ports=frozenset(entry.port for entry in brief))
    neighbours = []
    for port, content in mapping_in(heard).items():
        for info in each(mapping_in(content).get("lldpNeighborInfo")):
            entry = mapping_in(info)
            far_port = mapping_in(entry.get("neighborInterfaceInfo"))
            neighbours.append(
                Neighbour(
                    port,
                    text_in(entry.get("systemName")),
                    text_in(entry.get("chassisId")),
                    text_in(far_port.get("interfaceId_v2")) or text_in(far_port.get("interfaceId")),
                    meaning(text_in(far_port.get("interfaceIdType"))),
                    text_in(far_port.get("interfaceDescription")),
                    tuple(
                        text_in(mapping_in(each_one).get("address"))
                        for each_one in each(entry.get("managementAddresses"))
                    ),
                    PortSettings(frame=bytes_of(text_in(far_port.get("maxFrameSize")))),
                    no_time_left(entry.get("ttl")),
                )
            )
    return DeviceView(source, neighbours=tuple(neighbours), ports=frozenset(heard))


READER = ViewReader("Arista EOS", _matches, _read)
