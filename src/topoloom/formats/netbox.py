"""Cables of NetBox and Nautobot as their REST interface returns them: cables, interfaces, front ports, traces.

Interfaces state what is at the other end through all panels (``connected_endpoints``), and so do traces; cables end at the
ports of panels. Panels are followed by the positions of their ports (``/api/dcim/front-ports/``, in the same file: one list, or
a list of answers), else where each has one cable in front and one behind, by the same name. A cable of several terminations per
side is that many cables if both sides have as many, else one from the first to each (a breakout). Sources: netbox 4, dcim API
(`rear_ports` from 4.5, before `rear_port` and `rear_port_position`); nautobot 2.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from topoloom.core.errors import at
from topoloom.core.json_files import strict_json
from topoloom.fabric.diagnosis.finding import enumerated
from topoloom.fabric.named_cables import NamedCables
from topoloom.fabric.port_settings import PortSettings, bytes_of
from topoloom.formats._lldp.views import text_in
from topoloom.formats._named_format import register_named_format
from topoloom.formats._text import text_of

_FORM = "a cable has a_terminations and b_terminations with device and name"
_FRONT, _REAR = "frontport", "rearport"
_PANEL = (_FRONT, _REAR, "circuittermination")
#: Cables of these states are not there.
_NOT_THERE = {"decommissioning", "removed", "deprecated"}
#: Devices that a message names.
_SHOWN = 4
_METRES = {"m": 1.0, "cm": 0.01, "mm": 0.001, "km": 1000.0, "ft": 0.3048, "in": 0.0254, "mi": 1609.344}
#: Where a cable goes on behind the port of a panel.
_OPPOSITE = {_FRONT: _REAR, _REAR: _FRONT}
#: What NetBox calls speed is in kb/s.
_KBPS = 1_000_000
#: A trace's segment: terminations, a cable, terminations.
_OF_SEGMENT = 3
#: Most panels between two devices.
_MOST_PANELS = 20
_End = tuple[str, str, str]


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
    cables = NamedCables(source, lenient=lenient)
    if _is_trace(whole):
        whole = [whole]
    if isinstance(whole, list) and whole and all(map(_is_trace, whole)):
        for trace in whole:
            _add(cables, _end("", trace[0][0][0]), _end("", trace[-1][2][0]))
        return cables
    results = _entries(whole, source)
    joined: list[tuple[_End, _End]] = []
    ids: dict[Any, str] = {}
    omitted: Counter[str] = Counter()
    unseen = []
    for entry in results:
        if "connected_endpoints" in entry:
            near, far_ends = _end("dcim.interface", entry), entry.get("connected_endpoints") or ()
            reachable = entry.get("connected_endpoints_reachable") is not False
            for far_end in far_ends if reachable else ():
                _add(cables, near, _end("dcim.interface", far_end))
                if near[1]:
                    cables.device(near[1]).set_up(near[2], _settings(entry))
            if (far_ends and not reachable) or (entry.get("mark_connected") and not far_ends):
                unseen.append(f"{near[1]} port {near[2]}")
            continue
        status = entry.get("status")
        state = text_in(status.get("value") or status.get("name") if isinstance(status, dict) else status).lower()
        if state in _NOT_THERE:
            omitted[state] += 1
            continue
        sides = [list(_terminations(entry, side, ids)) for side in "ab"]
        length_m = _length(entry)
        if not all(sides):
            continue
        pairs = list(zip(*sides, strict=True)) if len(sides[0]) == len(sides[1]) else _breakout(*sides)
        for first, other in pairs:
            if first[0] == other[0] == "interface":
                _add(cables, first, other, length_m)
            else:
                joined.append((first, other))
    lost = _through_panels(cables, joined, _Positions(results, ids))
    if lost:
        cables.note(f"{lost} cables end at a panel, and nothing is behind it; omitted")
    for state, count in omitted.items():
        cables.note(f"{count} cables of status {state}: not read")
    if unseen:
        cables.note(f"marked as connected, or not reachable, so without a cable: {enumerated(unseen, _SHOWN)}")
    return cables


def _is_trace(value: Any) -> bool:
    """Whether a value is a trace: segments of terminations, a cable, and terminations."""
    if not isinstance(value, list) or not value:
        return False
    return all(
        isinstance(part, list) and len(part) == _OF_SEGMENT and all(isinstance(end, list) and end for end in part[::2])
        for part in value
    )


def _entries(whole: Any, source: str) -> list[dict[str, Any]]:
    """The entries of an answer, of a list of entries, or of a list of answers."""
    answers = whole if isinstance(whole, list) else [whole]
    entries: list[Any] = []
    for answer in answers:
        results = answer.get("results", [answer]) if isinstance(answer, dict) else None
        if not isinstance(results, list) or not all(isinstance(entry, dict) for entry in results):
            raise at(source, None, "is no answer of NetBox: it has no list results")
        if answer.get("next"):
            raise at(
                source, None, f"has {len(results)} of {answer.get('count')} results; ask again with a larger limit"
            )
        entries += results
    return entries


class _Positions:
    """Which front port of a panel leads to which position of which rear port, where the file states it.

    Parameters
    ----------
    entries : list of dict
        All entries; those of front ports count.
    ids : dict of id to str
        The names of rear ports.
    """

    def __init__(self, entries: list[dict[str, Any]], ids: dict[Any, str]) -> None:
        self._rear: dict[tuple[str, str], tuple[str, int]] = {}
        self._front: dict[tuple[str, str, int], str] = {}
        for entry in entries:
            _, device, name = _end(_FRONT, entry)
            several = entry.get("rear_ports")
            mappings = several if isinstance(several, list) else [entry] if "rear_port" in entry else []
            for mapping in mappings:
                rear = mapping.get("rear_port")
                rear_name = text_in(rear.get("name")) if isinstance(rear, dict) else ids.get(rear, "")
                position = mapping.get("rear_port_position")
                if rear_name and isinstance(position, int):
                    self._rear[device, name] = rear_name, position
                    self._front[device, rear_name, position] = name

    def behind(self, end: _End, within: list[int]) -> _End | None:
        """The other side of a port of a panel; `within` has the positions of the rear ports on the way, the last one last."""
        kind, device, name = end
        if kind == _FRONT and (device, name) in self._rear:
            rear, position = self._rear[device, name]
            within.append(position)
            return _REAR, device, rear
        if kind == _REAR and within and (device, name, within[-1]) in self._front:
            return _FRONT, device, self._front[device, name, within.pop()]
        return None


def _terminations(entry: Mapping[str, Any], side: str, ids: dict[Any, str]) -> Iterator[_End]:
    """The terminations of a side of a cable; `ids` gets the names of rear ports by their ids."""
    several = entry.get(f"{side}_terminations")
    if isinstance(several, list):
        for termination in several:
            if isinstance(termination, dict) and isinstance(termination.get("object"), dict):
                end = _end(text_in(termination.get("object_type")), termination["object"])
                if end[0] == _REAR:
                    ids[termination.get("object_id", termination["object"].get("id"))] = end[2]
                yield end
    elif isinstance(entry.get(f"termination_{side}"), dict):  # Nautobot, NetBox 2.x
        yield _end(text_in(entry.get(f"termination_{side}_type")), entry[f"termination_{side}"])


def _end(kind: str, termination: Mapping[str, Any]) -> _End:
    """What a termination is (``interface``, or the kind of a panel's port), its device and its name."""
    device = termination.get("device")
    name = text_in(device.get("name") or device.get("display")) if isinstance(device, dict) else ""
    plain = kind.rpartition(".")[2].lower().replace("-", "")
    return (
        (plain if plain in _PANEL else "interface"),
        name,
        text_in(termination.get("name") or termination.get("display")),
    )


def _breakout(first: list[_End], other: list[_End]) -> list[tuple[_End, _End]]:
    """One termination to many: a lane of the first to each; the name of the first gets the number of the lane."""
    few, many = (first, other) if len(first) < len(other) else (other, first)
    lanes = [few[lane * len(few) // len(many)] for lane in range(len(many))]
    return [
        ((kind, device, f"{name}:{lane}" if kind == "interface" else name), far_end)
        for lane, ((kind, device, name), far_end) in enumerate(zip(lanes, many, strict=True))
    ]


def _settings(entry: Mapping[str, Any]) -> PortSettings:
    """The MTU and the rate of an interface."""
    speed_kbps = entry.get("speed")
    rate_gbps = speed_kbps / _KBPS if isinstance(speed_kbps, int) and speed_kbps > 0 else 0.0
    return PortSettings(mtu=bytes_of(text_in(entry.get("mtu"))), rate_gbps=rate_gbps)


def _length(entry: Mapping[str, Any]) -> float:
    unit = entry.get("length_unit")
    factor = _METRES.get(text_in(unit.get("value") if isinstance(unit, dict) else unit).lower(), 0.0)
    length = entry.get("length")
    return float(length) * factor if isinstance(length, (int, float)) and length > 0 else 0.0


def _through_panels(cables: NamedCables, joined: list[tuple[_End, _End]], positions: _Positions) -> int:
    """Follow cables through panels: by position, or from a port in front to the one behind with its name, or the only one.

    Returns the number of cables that lead nowhere.
    """
    at: dict[_End, _End] = {}
    of_panel: defaultdict[tuple[str, str], list[_End]] = defaultdict(list)
    for first, other in joined:
        at[first], at[other] = other, first
        for end in (first, other):
            if end[0] != "interface":
                of_panel[end[0], end[1]].append(end)
    lost = 0
    done: set[_End] = set()
    for start in [end for pair in joined for end in pair if end[0] == "interface"]:
        if start in done:
            continue
        end, panels = at[start], 0
        within: list[int] = []
        while end[0] != "interface" and panels < _MOST_PANELS:
            panels += 1
            if (known_side := positions.behind(end, within)) is not None:
                if known_side not in at:
                    break
                end = at[known_side]
                continue
            opposite = _OPPOSITE.get(end[0], end[0])
            same = (opposite, end[1], end[2])
            behind = [same] if same in at else of_panel.get((opposite, end[1]), [])
            if len(behind) != 1:
                break
            end = at[behind[0]]
        if end[0] == "interface":
            done |= {start, end}
            _add(cables, start, end)
        else:
            lost += 1
    return lost


def _add(cables: NamedCables, first: _End, other: _End, length_m: float = 0.0) -> None:
    if first[1] and other[1]:
        cables.cable((cables.device(first[1]), first[2]), (cables.device(other[1]), other[2]), length_m=length_m)


register_named_format(
    "netbox",
    (".netbox.json",),
    "cables or interfaces of NetBox or Nautobot (REST)",
    cables_in,
    _FORM,
    shared=(".json",),
    rates=True,
)
