"""Cisco NX-OS: ``show lldp neighbors detail | json``. One row is an object, several are an array (napalm issue 771)."""

import re
from typing import Any

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

_NONE = "not advertised"
#: Of a device's own port; neighbours send the whole word.
_SHORT = re.compile(r"Eth(?=[0-9])")


def _matches(value: Any) -> bool:
    return isinstance(value, dict) and ("TABLE_nbor_detail" in value or "TABLE_nbor" in value)


def _read(value: Any, source: str) -> DeviceView:
    neighbours = []
    for name in ("nbor_detail", "nbor"):
        for rows in each(value.get(f"TABLE_{name}")):
            for row in each(mapping_in(rows).get(f"ROW_{name}")):
                entry = {key: "" if text_in(of) == _NONE else text_in(of) for key, of in mapping_in(row).items()}
                neighbours.append(
                    Neighbour(
                        _SHORT.sub("Ethernet", entry.get("l_port_id", ""), count=1),
                        entry.get("sys_name", ""),
                        entry.get("chassis_id", ""),
                        entry.get("port_id", ""),
                        meaning(entry.get("port_type", "")),
                        entry.get("port_desc", ""),
                        (entry["mgmt_addr"],) if entry.get("mgmt_addr") else (),
                        expired=no_time_left(entry.get("ttl")),
                    )
                )
    return DeviceView(source, neighbours=tuple(neighbours), ports=frozenset(entry.port for entry in neighbours))


READER = ViewReader("Cisco NX-OS", _matches, _read)
