"""Cables of NetBox and Nautobot as their REST interface returns them: ``/api/dcim/cables/`` and ``/api/dcim/interfaces/``.

Interfaces state what is at the other end through all panels (``connected_endpoints``); cables end at the ports of panels.
Panels are followed here where each of their ports has one cable in front and one behind, by the same name. A cable of several
terminations per side is that many cables if both sides have as many, else one from the first to each (a breakout). Sources:
netbox-community/netbox 4, dcim API; nautobot/nautobot 2.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from topoloom.core.errors import at
from topoloom.core.json_files import strict_json
from topoloom.fabric.named_cables import NamedCables
from topoloom.fabric.port_settings import PortSettings, bytes_of
from topoloom.formats._lldp.views import text_in
from topoloom.formats._named_format import register_named_format
from topoloom.formats._text import text_of

_FORM = "a cable has a_terminations and b_terminations with device and name"
_PANEL = ("frontport", "rearport", "front-port", "rear-port", "circuittermination")
_METRES = {"m": 1.0, "cm": 0.01, "mm": 0.001, "km": 1000.0, "ft": 0.3048, "in": 0.0254, "mi": 1609.344}
#: Where a cable goes on behind the port of a panel.
_OPPOSITE = {"frontport": "rearport", "rearport": "frontport", "front-port": "rear-port", "rear-port": "front-port"}
#: What NetBox calls speed is in kb/s.
_KBPS = 1_000_000
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
    results = whole.get("results") if isinstance(whole, dict) else whole
    if not isinstance(results, list) or not all(isinstance(entry, dict) for entry in results):
        raise at(source, None, "is no answer of NetBox: it has no list results")
    if isinstance(whole, dict) and whole.get("next"):
        raise at(source, None, f"has {len(results)} of {whole.get('count')} results; ask again with a larger limit")
    cables = NamedCables(source, lenient=lenient)
    if any("connected_endpoints" in entry for entry in results):
        for entry in results:
            near = _end("dcim.interface", entry)
            if near[1] and entry.get("connected_endpoints"):
                speed_kbps = entry.get("speed")
                settings = PortSettings(
                    mtu=bytes_of(text_in(entry.get("mtu"))),
                    rate_gbps=speed_kbps / _KBPS if isinstance(speed_kbps, int) and speed_kbps > 0 else 0.0,
                )
                cables.device(near[1]).set_up(near[2], settings)
            for far_end in entry.get("connected_endpoints") or ():
                _add(cables, near, _end("dcim.interface", far_end))
        return cables
    joined: list[tuple[_End, _End]] = []
    for entry in results:
        sides = [list(_terminations(entry, side)) for side in "ab"]
        length_m = _length(entry)
        if not all(sides):
            continue
        pairs = list(zip(*sides, strict=True)) if len(sides[0]) == len(sides[1]) else _breakout(*sides)
        for first, other in pairs:
            if first[0] == other[0] == "interface":
                _add(cables, first, other, length_m)
            else:
                joined.append((first, other))
    lost = _through_panels(cables, joined)
    if lost:
        cables.note(f"{lost} cables end at a panel, and nothing is behind it; omitted")
    return cables


def _terminations(entry: Mapping[str, Any], side: str) -> Iterator[_End]:
    several = entry.get(f"{side}_terminations")
    if isinstance(several, list):
        for termination in several:
            if isinstance(termination, dict) and isinstance(termination.get("object"), dict):
                yield _end(text_in(termination.get("object_type")), termination["object"])
    elif isinstance(entry.get(f"termination_{side}"), dict):  # Nautobot, NetBox 2.x
        yield _end(text_in(entry.get(f"termination_{side}_type")), entry[f"termination_{side}"])


def _end(kind: str, termination: Mapping[str, Any]) -> _End:
    """What a termination is (``interface``, or the kind of a panel's port), its device and its name."""
    device = termination.get("device")
    name = text_in(device.get("name") or device.get("display")) if isinstance(device, dict) else ""
    plain = kind.rpartition(".")[2].lower()
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


def _length(entry: Mapping[str, Any]) -> float:
    unit = entry.get("length_unit")
    factor = _METRES.get(text_in(unit.get("value") if isinstance(unit, dict) else unit).lower(), 0.0)
    length = entry.get("length")
    return float(length) * factor if isinstance(length, (int, float)) and length > 0 else 0.0


def _through_panels(cables: NamedCables, joined: list[tuple[_End, _End]]) -> int:
    """Follow cables through panels, from a port in front to the one behind with its name, or to the only one.

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
        while end[0] != "interface" and panels < _MOST_PANELS:
            panels += 1
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
