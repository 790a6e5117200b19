"""OpenConfig: the trees ``/lldp`` and ``/interfaces``, whole, or as a list of gNMI updates with a path each.

The MTU of an interface has the header of a frame in it (openconfig-interfaces.yang: 1514 for Ethernet), so it counts as the
size of a frame. Rates and error correction are in openconfig-if-ethernet.yang.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from topoloom.fabric.port_settings import UNSET, PortSettings, bytes_of, fec_of, gbps_of
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

_PREFIX = re.compile(r"openconfig-[\w-]+:")
_OF_INTERFACES = "openconfig-interfaces:"
_STEP = re.compile(r"(?:[\w-]+:)?([\w-]+)((?:\[[\w-]+=[^\]]*\])*)")
_KEY = re.compile(r"\[([\w-]+)=([^\]]*)\]")
_DEEPEST = 20


def _matches(value: Any) -> bool:
    return bool(_tree(value))


def _tree(value: Any) -> Mapping[str, Any]:
    """The containers ``lldp`` and ``interfaces`` of a value, without the prefixes of models; empty if it has neither."""
    tree = _grown(_updates(value)) or value
    if not isinstance(tree, dict):
        return {}
    keys = {_PREFIX.sub("", key, count=1): key for key in tree}
    lldp, ports = tree.get(keys.get("lldp", "")), tree.get(keys.get("interfaces", ""))
    if isinstance(lldp, dict) and any(_PREFIX.sub("", key, count=1) == "interfaces" for key in lldp):
        return {"lldp": _without_prefix(lldp), "interfaces": _without_prefix(ports)}
    if not isinstance(ports, dict):
        return {}
    plain = _without_prefix(ports)
    if keys["interfaces"].startswith(_OF_INTERFACES) or any(map(_settings, each(plain.get("interface")))):
        return {"interfaces": plain}
    return {"lldp": _without_prefix(tree)}  # the content of lldp alone


def _without_prefix(value: Any, depth: int = 0) -> Any:
    if isinstance(value, list):
        return [_without_prefix(entry, depth + 1) for entry in value]
    if not isinstance(value, dict) or depth > _DEEPEST:
        return value
    return {_PREFIX.sub("", key, count=1): _without_prefix(content, depth + 1) for key, content in value.items()}


def _updates(value: Any) -> list[tuple[str, Any]]:
    """The paths and values of gNMI updates, in the forms of gnmic and of the protocol's JSON."""
    matches = []
    for notification in each(value):
        if not isinstance(notification, dict):
            return []
        inner = notification.get("notification", notification)
        for part in each(inner):
            if not isinstance(part, dict):
                continue
            for update in each(part.get("update") or part.get("updates")):
                if isinstance(update, dict):
                    path = update.get("Path") or update.get("path")
                    content = update.get("values") or update.get("val") or update.get("value")
                    if isinstance(content, dict) and len(content) == 1:
                        content = next(iter(content.values()))
                    matches.append((_path_text(path), content))
    return matches


def _path_text(path: Any) -> str:
    if isinstance(path, dict):
        steps = []
        for step in each(path.get("elem")):
            entry = mapping_in(step)
            keys = "".join(f"[{key}={of}]" for key, of in mapping_in(entry.get("key")).items())
            steps.append(f"{text_in(entry.get('name'))}{keys}")
        return "/".join(steps)
    return text_in(path)


def _grown(updates: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """The tree that updates describe: a table per step of a path, a list of tables where steps have keys."""
    root: dict[str, Any] = {}
    listed: dict[tuple[int, str, str], dict[str, Any]] = {}
    for path, content in updates:
        steps = [(match[1], match[2]) for match in _STEP.finditer(path)]
        table = root
        for place, (name, keys) in enumerate(steps):
            if place == len(steps) - 1 and not (keys or isinstance(content, dict)):
                table[name] = content
                break
            if keys:
                entry = listed.get((id(table), name, keys))
                if entry is None:
                    entry = listed[id(table), name, keys] = dict(_KEY.findall(keys))
                    _listed_in(table, name).append(entry)
                table = entry
            else:
                inner = table.get(name)
                if not isinstance(inner, dict):
                    inner = table[name] = {}
                table = inner
        else:
            table |= _without_prefix(content) if isinstance(content, dict) else {}
    return root


def _listed_in(table: dict[str, Any], name: str) -> list[Any]:
    entries = table.get(name)
    if not isinstance(entries, list):
        entries = table[name] = []
    return entries


def _read(value: Any, source: str) -> DeviceView:
    tree = _tree(value)
    lldp = mapping_in(tree.get("lldp"))
    neighbours, ports = [], set()
    for entry in each(mapping_in(lldp.get("interfaces")).get("interface")):
        interface = mapping_in(entry)
        port = _name(interface)
        ports.add(port)
        heard = each(mapping_in(interface.get("neighbors")).get("neighbor"))
        neighbours += [_neighbour(port, mapping_in(mapping_in(state).get("state"))) for state in heard]
    entries = [mapping_in(entry) for entry in each(mapping_in(tree.get("interfaces")).get("interface"))]
    settings = {_name(entry): of_port for entry in entries if (of_port := _settings(entry))}
    own = mapping_in(lldp.get("state"))
    return DeviceView(
        source,
        text_in(own.get("system-name")),
        tuple(neighbours),
        text_in(own.get("chassis-id")),
        settings=settings,
        ports=frozenset(ports | settings.keys()),
        lists="lldp" in tree,
    )


def _name(interface: Mapping[str, Any]) -> str:
    return text_in(interface.get("name")) or text_in(mapping_in(interface.get("config")).get("name"))


def _neighbour(port: str, state: Mapping[str, Any]) -> Neighbour:
    return Neighbour(
        port,
        text_in(state.get("system-name")),
        text_in(state.get("chassis-id")),
        text_in(state.get("port-id")),
        meaning(text_in(state.get("port-id-type"))),
        text_in(state.get("port-description")),
        tuple(filter(None, (text_in(state.get("management-address")),))),
        expired=no_time_left(state.get("ttl")),
    )


def _settings(interface: Any) -> PortSettings:
    """What the state of an Ethernet interface says, or else its configuration."""
    if not isinstance(interface, dict):
        return UNSET
    stated: dict[str, str] = {}
    for part in ("config", "state"):
        for table in (interface, interface.get("ethernet")):
            facts = table.get(part) if isinstance(table, dict) else None
            stated |= (
                {key: text for key, of in facts.items() if (text := text_in(of))} if isinstance(facts, dict) else {}
            )
    return PortSettings(
        frame=bytes_of(stated.get("mtu", "")),
        fec=fec_of(stated.get("fec-mode", "")),
        rate_gbps=gbps_of(stated.get("negotiated-port-speed", "")) or gbps_of(stated.get("port-speed", "")),
    )


READER = ViewReader("OpenConfig", _matches, _read)
