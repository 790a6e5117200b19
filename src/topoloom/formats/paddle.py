"""canu's paddles (CCJ): ``topology[]`` with ports and the node, slot and port at the other end; every cable from both ends.

Source: Cray-HPE/canu, canu/validate/paddle and its JSON schema.
"""

from typing import Any

from topoloom.core.errors import at
from topoloom.core.json_files import strict_json
from topoloom.fabric.device_kinds import is_switch_role
from topoloom.fabric.named_cables import NamedCables
from topoloom.formats._named_format import register_named_format
from topoloom.formats._text import text_of

_FORM = "a port has port, destination_node_id and destination_port"


def cables_in(data: bytes, source: str, lenient: bool) -> NamedCables:
    """The cables in a file.

    Parameters
    ----------
    data : bytes
    source : str
    lenient : bool
        Whether the caller reports cables that cannot be right itself.

    Returns
    -------
    NamedCables

    Raises
    ------
    InputError
        The file is damaged.
    """
    whole = strict_json(text_of(data, source), source)
    nodes = whole.get("topology") if isinstance(whole, dict) else None
    if not isinstance(nodes, list):
        raise at(source, None, "is no paddle of canu: it has no list topology")
    cables = NamedCables(source, lenient=lenient)
    names: dict[Any, str] = {}
    for node in nodes:
        if not isinstance(node, dict) or not isinstance(node.get("common_name"), str):
            raise at(source, None, "a node without common_name")
        location = node.get("location")
        rack, unit = (
            str(location.get(key) or "") if isinstance(location, dict) else "" for key in ("rack", "elevation")
        )
        kind = str(node.get("type") or "")
        switch = True if kind == "switch" else is_switch_role(kind)
        names[node.get("id")] = node["common_name"]
        cables.device(node["common_name"], switch=False if switch is None else switch, rack=rack, unit=unit)
    for node in nodes:
        for port in node.get("ports") or ():
            peer = names.get(port.get("destination_node_id")) if isinstance(port, dict) else None
            if peer is None:
                raise at(source, None, f"{node['common_name']}: a port to a node that is not in the file; {_FORM}")
            ends = (
                (cables.device(node["common_name"]), _port(port.get("slot"), port.get("port"))),
                (cables.device(peer), _port(port.get("destination_slot"), port.get("destination_port"))),
            )
            speed = port.get("speed")
            cables.cable(*ends, rate_gbps=float(speed) if isinstance(speed, (int, float)) and speed > 0 else 0.0)
    cables.only_in_use()
    return cables


def _port(slot: Any, port: Any) -> str:
    number = "" if port is None else str(port)
    return f"{slot}:{number}" if slot and number else number


register_named_format(
    "paddle", (".paddle.json", ".ccj.json"), "paddle of canu (CCJ)", cables_in, _FORM, shared=(".json",), rates=True
)
