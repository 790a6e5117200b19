"""netlab's transformed topologies: ``links[].interfaces[]{node, ifname}``, as ``netlab create -o yaml`` prints them.

A link with more than two interfaces is a segment of a LAN: it becomes a switch with the name of the link. Sources that netlab
has not transformed yet lack the names of interfaces, and are refused. Bandwidths are in kb/s. Source: ipspace/netlab,
docs/links.md.
"""

from collections.abc import Mapping
from typing import Any

from topoloom.core.errors import at
from topoloom.core.yaml_files import parse_yaml
from topoloom.fabric.named_cables import NamedCables
from topoloom.fabric.port_settings import PortSettings, bytes_of
from topoloom.formats._lldp.views import text_in
from topoloom.formats._named_format import register_named_format
from topoloom.formats._text import short, text_of

_FORM = "a link has interfaces with node and ifname"
_TABLE = dict[str, Any]
_KBPS = 1_000_000


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
    whole = parse_yaml(text_of(data, source), _TABLE, source, "topology of netlab")
    nodes, links = whole.get("nodes"), whole.get("links")
    if not isinstance(nodes, (dict, list)) or not isinstance(links, list):
        raise at(source, None, "is no topology of netlab: it has no nodes and links")
    cables = NamedCables(source, lenient=lenient)
    cables.title = str(whole.get("name") or "")
    for name in nodes:
        facts = nodes[name] if isinstance(nodes, dict) else {}
        cables.device(_name(name, source), switch=_is_switch(facts if isinstance(facts, dict) else {}))
    of_ports = _interfaces(nodes)
    segments = 0
    for number, link in enumerate(links, 1):
        where = f"link {number}"
        interfaces = link.get("interfaces") if isinstance(link, dict) else None
        if not isinstance(interfaces, list):
            raise at(
                source, None, f"{where} has no interfaces; give the transformed topology ('netlab create -o yaml')"
            )
        ends = [_end(entry, source, where) for entry in interfaces]
        for entry, (node, name) in zip(interfaces, ends, strict=True):
            if name:
                cables.device(node).set_up(name, _settings(entry, link, of_ports.get((node, name), {})))
        rate_gbps = _gbps(link.get("bandwidth"))
        if len(ends) == 2:
            (first, port), (other, far_port) = ((cables.device(node), name) for node, name in ends)
            cables.cable((first, port), (other, far_port), rate_gbps=rate_gbps, where=where)
        elif len(ends) > 2:
            segments += 1
            bridge = cables.device(str(link.get("bridge") or f"segment-{number}"), switch=True)
            for place, (node, name) in enumerate(ends, 1):
                cables.cable((cables.device(node), name), (bridge, f"port{place}"), rate_gbps=rate_gbps, where=where)
    if segments:
        cables.note(f"{segments} links of more than two nodes are switches here")
    return cables


def _name(name: Any, source: str) -> str:
    text = name.get("name") if isinstance(name, dict) else name
    if not isinstance(text, str):
        raise at(source, None, f"{short(str(name))} is no name of a node")
    return text


def _is_switch(facts: Mapping[str, Any]) -> bool | None:
    device, role = facts.get("device"), facts.get("role")
    if role in ("router", "bridge"):
        return True
    if role == "host" or device == "linux":
        return False
    return True if device and device != "none" else None


def _interfaces(nodes: Any) -> dict[tuple[str, str], _TABLE]:
    """What the nodes say of their interfaces, which have the settings of the node, too, by node and name."""
    entries = {}
    for node, facts in nodes.items() if isinstance(nodes, dict) else ():
        of_node = {key: facts[key] for key in ("mtu",) if key in facts} if isinstance(facts, dict) else {}
        listed = facts.get("interfaces") if isinstance(facts, dict) else None
        for interface in listed if isinstance(listed, list) else ():
            if isinstance(interface, dict) and isinstance(interface.get("ifname"), str):
                entries[node, interface["ifname"]] = of_node | interface
    return entries


def _settings(entry: Mapping[str, Any], link: Mapping[str, Any], of_node: Mapping[str, Any]) -> PortSettings:
    """MTU and rate of an interface: its own before those of the link, before those of the node."""
    first = {key: value for part in (of_node, link, entry) for key, value in part.items() if value is not None}
    return PortSettings(mtu=bytes_of(text_in(first.get("mtu"))), rate_gbps=_gbps(first.get("bandwidth")))


def _gbps(kilobits: Any) -> float:
    return kilobits / _KBPS if isinstance(kilobits, int) and kilobits > 0 else 0.0


def _end(entry: Any, source: str, where: str) -> tuple[str, str]:
    node = entry.get("node") if isinstance(entry, dict) else None
    name = entry.get("ifname") if isinstance(entry, dict) else None
    if not isinstance(node, str):
        raise at(source, None, f"{where}: an interface without a node; {_FORM}")
    return node, name if isinstance(name, str) else ""


register_named_format(
    "netlab", (".netlab.yml",), "transformed topology of netlab", cables_in, _FORM, shared=(".yml", ".yaml"), rates=True
)
