"""containerlab's topologies (``*.clab.yml``), with brief and extended links, and its exported ``topology-data.json``.

A node is a host if its label or group says so, or if its kind is ``linux`` with an image that routes nothing. Links to the
machine itself (``host``, ``macvlan``, ``mgmt-net``) are not cables. Source: srl-labs/containerlab, schemas/clab.schema.json.
"""

from collections.abc import Mapping
from typing import Any

from topoloom.core.errors import at
from topoloom.core.json_files import strict_json
from topoloom.core.yaml_files import parse_yaml
from topoloom.fabric.device_kinds import is_switch_role
from topoloom.fabric.named_cables import NamedCables
from topoloom.fabric.port_settings import PortSettings, bytes_of
from topoloom.formats._lldp.views import text_in
from topoloom.formats._named_format import register_named_format
from topoloom.formats._text import short, text_of

_FORM = 'a link is endpoints: ["leaf1:e1-1", "spine1:e1-1"]'
#: Ends of brief links that are the machine, and types of links that have one end.
_NO_DEVICES = {"host", "mgmt-net", "macvlan"}
_ONE_END = {"host", "mgmt-net", "macvlan", "vxlan", "vxlan-stitch", "dummy"}
#: Kinds that join all their links to one segment.
_SEGMENTS = {"bridge", "ovs-bridge"}
_HOST_KINDS = {"linux", "host", "ext-container", "generic_vm"}
#: Images of the kind ``linux`` that are routers.
_ROUTERS = ("frr", "bird", "quagga", "vyos", "gobgp", "sonic", "openbgpd", "exabgp")
_TABLE = dict[str, Any]


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
    text = text_of(data, source)
    if text.lstrip().startswith("{"):
        whole = strict_json(text, source)
        if isinstance(whole, dict) and isinstance(whole.get("nodes"), dict):  # topology-data.json has no level topology
            whole = {"name": whole.get("name"), "topology": whole}
    else:
        whole = parse_yaml(text, _TABLE, source, "topology of containerlab")
    topology = whole.get("topology") if isinstance(whole, dict) else None
    if not isinstance(topology, dict) or not isinstance(topology.get("nodes") or {}, dict):
        raise at(source, None, "is no topology of containerlab: it has no table topology with nodes")
    cables = NamedCables(source, lenient=lenient)
    cables.title = str(whole.get("name") or "")
    segments = set()
    for name, node in (topology.get("nodes") or {}).items():
        kind, image, role = _facts(topology, node if isinstance(node, dict) else {})
        if kind in _SEGMENTS:
            segments.add(name)
        cables.device(name, switch=_is_switch(kind, image, role))
    links = topology.get("links") or []
    for number, link in enumerate(links if isinstance(links, list) else []):
        where = f"link {number + 1}"
        ends = _ends(link, source, where)
        if ends is None:
            continue
        devices = [cables.known(device) for device, _ in ends]
        unknown = next((device for (device, _), entry in zip(ends, devices, strict=True) if entry is None), None)
        if unknown is not None:
            raise at(source, None, f"{where}: node {short(unknown)} is not among the nodes")
        (first, port), (other, far_port) = ((cables.device(device), port) for device, port in ends)
        settings = PortSettings(mtu=bytes_of(text_in(link.get("mtu"))))
        first.set_up(port, settings)
        other.set_up(far_port, settings)
        cables.cable((first, port), (other, far_port), where=where)
    return cables


def _facts(topology: Mapping[str, Any], node: Mapping[str, Any]) -> tuple[str, str, str]:
    """Kind, image and role of a node, which it inherits from its group, its kind and the defaults."""

    def part(*keys: str) -> Mapping[str, Any]:
        value: Any = topology
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        return value if isinstance(value, dict) else {}

    group = part("groups", str(node.get("group") or ""))
    defaults = part("defaults")
    kind = str(node.get("kind") or group.get("kind") or defaults.get("kind") or "")
    of_kind = part("kinds", kind)
    image = str(node.get("image") or group.get("image") or of_kind.get("image") or defaults.get("image") or "")
    labels = {**_table(defaults.get("labels")), **_table(group.get("labels")), **_table(node.get("labels"))}
    return kind, image, str(labels.get("role") or labels.get("graph-icon") or node.get("group") or "")


def _table(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _is_switch(kind: str, image: str, role: str) -> bool | None:
    by_role = is_switch_role(role)
    if by_role is not None or not kind:
        return by_role
    return kind not in _HOST_KINDS or any(name in image.lower() for name in _ROUTERS)


def _ends(link: Any, source: str, where: str) -> list[tuple[str, str]] | None:
    """Both ends of a link as node and interface; None for one that is no cable between nodes."""
    if not isinstance(link, dict):
        raise at(source, None, f"{where} is no table; {_FORM}")
    if link.get("type") in _ONE_END:
        return None
    endpoints = link.get("endpoints")
    if isinstance(endpoints, dict):  # topology-data.json
        endpoints = [endpoints.get("a"), endpoints.get("z")]
    if not isinstance(endpoints, list) or len(endpoints) != 2:
        raise at(source, None, f"{where} has not two endpoints; {_FORM}")
    ends = []
    for endpoint in endpoints:
        if isinstance(endpoint, dict):
            node, interface = endpoint.get("node"), endpoint.get("interface")
        else:
            node, _, interface = str(endpoint).partition(":")
        if not isinstance(node, str) or not isinstance(interface, str) or not interface:
            raise at(source, None, f"{where}: {short(str(endpoint))} is no endpoint; {_FORM}")
        if not isinstance(endpoint, dict) and node in _NO_DEVICES:
            return None
        ends.append((node, interface))
    return ends


register_named_format(
    "containerlab",
    (".clab.yml", ".clab.yaml", "topology-data.json"),
    "topology of containerlab",
    cables_in,
    _FORM,
    shared=(".yml", ".yaml", ".json"),
)
