"""Juniper Junos: ``show lldp neighbors | display json``, and ``| display xml``, which has the same names.

In the detail of EX switches the local port id is the number of SNMP; the value that is not a number counts (py-junos-eznc
issue 1239).
"""

from typing import Any

from topoloom.core.xml_files import local_name
from topoloom.formats._lldp.views import (
    DeviceView,
    Neighbour,
    ViewReader,
    each,
    joined_names,
    mapping_in,
    meaning,
    text_in,
)

WHOLE, _EACH = "lldp-neighbors-information", "lldp-neighbor-information"


def _matches(value: Any) -> bool:
    return isinstance(value, dict) and WHOLE in value


def _read(value: Any, source: str) -> DeviceView:
    entries = [
        {key: _text(content) for key, content in mapping_in(entry).items()}
        for whole in each(value[WHOLE])
        for entry in each(mapping_in(whole).get(_EACH))
    ]
    neighbours = []
    for entry in entries:
        local = [entry.get(f"lldp-local-{what}", "") for what in ("port-id", "interface")]
        neighbours.append(
            Neighbour(
                # A unit is a part of the configuration, not of the port.
                joined_names([name for name in local if not name.isdecimal()] + local).removesuffix(".0"),
                entry.get("lldp-remote-system-name", ""),
                entry.get("lldp-remote-chassis-id", ""),
                entry.get("lldp-remote-port-id", ""),
                meaning(entry.get("lldp-remote-port-id-subtype", "")),
                entry.get("lldp-remote-port-description", ""),
            )
        )
    return DeviceView(source, neighbours=tuple(neighbours), ports=frozenset(entry.port for entry in neighbours))


def _text(value: Any) -> str:
    return joined_names(text_in(entry.get("data") if isinstance(entry, dict) else entry) for entry in each(value))


def as_json(root: Any) -> dict[str, Any]:
    """The value of the JSON output that has the content of an XML output, which may be inside a reply."""
    whole = next((element for element in root.iter() if local_name(element.tag) == WHOLE), root)
    entries = [
        {local_name(part.tag): [{"data": (part.text or "").strip()}] for part in element}
        for element in whole
        if local_name(element.tag) == _EACH
    ]
    return {WHOLE: [{_EACH: entries}]}


READER = ViewReader("Junos", _matches, _read)
