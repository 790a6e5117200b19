"""OpenConfig: the tree ``/lldp`` (openconfig-lldp.yang), whole, or as a list of gNMI updates with one path per value."""

import re
from collections.abc import Mapping
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

_PREFIX = "openconfig-lldp:"
_STEP = re.compile(r"(?:[\w-]+:)?([\w-]+)((?:\[[\w-]+=[^\]]*\])*)")
_KEY = re.compile(r"\[([\w-]+)=([^\]]*)\]")
_DEEPEST = 20


def _matches(value: Any) -> bool:
    return bool(_tree(value)) or bool(_updates(value))


def _tree(value: Any) -> Mapping[str, Any]:
    """The content of the container lldp, if it is the whole value."""
    if not isinstance(value, dict):
        return {}
    inner = _one_of(value, "lldp", value)
    is_tree = isinstance(inner, dict) and isinstance(_one_of(inner, "interfaces"), dict)
    tree: Mapping[str, Any] = _without_prefix(inner) if is_tree else {}
    return tree


def _one_of(value: Mapping[str, Any], key: str, otherwise: Any = None) -> Any:
    """The content of a key, with the prefix of the model or without."""
    return value.get(_PREFIX + key, value.get(key, otherwise))


def _without_prefix(value: Any, depth: int = 0) -> Any:
    if isinstance(value, list):
        return [_without_prefix(entry, depth + 1) for entry in value]
    if not isinstance(value, dict) or depth > _DEEPEST:
        return value
    return {key.removeprefix(_PREFIX): _without_prefix(content, depth + 1) for key, content in value.items()}


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
    return matches if any("lldp/" in path for path, _ in matches) else []


def _path_text(path: Any) -> str:
    if isinstance(path, dict):
        steps = []
        for step in each(path.get("elem")):
            entry = mapping_in(step)
            keys = "".join(f"[{key}={of}]" for key, of in mapping_in(entry.get("key")).items())
            steps.append(f"{text_in(entry.get('name'))}{keys}")
        return "/".join(steps)
    return text_in(path)


def _read(value: Any, source: str) -> DeviceView:
    tree = _tree(value)
    if not tree:
        return _from_updates(_updates(value), source)
    neighbours, ports = [], set()
    for entry in each(mapping_in(tree.get("interfaces")).get("interface")):
        interface = mapping_in(entry)
        port = text_in(interface.get("name")) or text_in(mapping_in(interface.get("config")).get("name"))
        ports.add(port)
        heard = each(mapping_in(interface.get("neighbors")).get("neighbor"))
        neighbours += [_neighbour(port, mapping_in(mapping_in(state).get("state"))) for state in heard]
    return _view(source, mapping_in(tree.get("state")), neighbours, ports)


def _from_updates(updates: list[tuple[str, Any]], source: str) -> DeviceView:
    own: dict[str, Any] = {}
    states: dict[tuple[str, str], dict[str, Any]] = {}
    for path, content in updates:
        steps = [(match[1], dict(_KEY.findall(match[2]))) for match in _STEP.finditer(path)]
        keys = dict(steps)
        if "neighbor" in keys and "interface" in keys:
            place = keys["interface"].get("name", ""), keys["neighbor"].get("id", "")
            state = states.setdefault(place, {})
            if steps[-1][0] in ("neighbor", "state") and isinstance(content, dict):
                state |= mapping_in(_without_prefix(content.get("state", content)))
            else:
                state[steps[-1][0]] = content
        elif len(steps) >= 2 and steps[-2][0] == "state":
            own[steps[-1][0]] = content
    neighbours = [_neighbour(port, state) for (port, _), state in states.items()]
    return _view(source, own, neighbours, {port for port, _ in states})


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


def _view(source: str, own: Mapping[str, Any], neighbours: list[Neighbour], ports: set[str]) -> DeviceView:
    return DeviceView(
        source,
        text_in(own.get("system-name")),
        tuple(neighbours),
        text_in(own.get("chassis-id")),
        ports=frozenset(ports),
    )


READER = ViewReader("OpenConfig", _matches, _read)
