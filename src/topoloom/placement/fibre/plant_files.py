"""The file of a fibre plant in a network folder."""

from typing import Any

import msgspec
import numpy as np

from topoloom.core.errors import at
from topoloom.core.json_files import parse_json
from topoloom.model.topology import Topology
from topoloom.placement.fibre.methods import METHODS
from topoloom.placement.fibre.parts import Fibre, FibreUse, Panel, PanelKind, Polarity
from topoloom.placement.fibre.plant import Plant
from topoloom.placement.floors.slots import Slots

_SCHEMA = "topoloom/fibre-plant/1"
#: Most ports of a switch: the ports of all devices make one array.
_MOST_PORTS = 1 << 12


class _Panel(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    name: str
    kind: PanelKind
    front: int
    pairs: list[int]
    inside: list[int]
    u: float
    connectors: int
    connector_db: float
    loss_db: float
    reversals: int
    weight_kg: float | None = None


class _Fibre(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    name: str
    use: FibreUse
    pairs: int
    polarity: Polarity
    loss_db_per_km: float
    connector: str
    lengths_m: list[float]
    slack_m: float
    legs: int = 1
    joins: list[int] = []


class _File(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The content: kinds of panels and fibres; each panel's name, kind and rack; each cord and trunk with both its ends."""

    schema: str
    method: str
    switches: int
    link_pairs: int
    panel_kinds: list[_Panel]
    fibre_kinds: list[_Fibre]
    name: list[str]
    panel: list[int]
    rack: list[str]
    fibre: list[int]
    ends: list[list[list[int]]]
    ports: list[list[int]]
    number: list[int] = []
    owned_m: list[float] = []


def plant_json(plant: Plant, slots: Slots) -> bytes:
    """The content of the file.

    Parameters
    ----------
    plant : Plant
    slots : Slots
        Their names are the racks.
    """
    plain = ("name", "kind", "front", "u", "connectors", "connector_db", "loss_db", "reversals", "weight_kg")
    of_fibre = ("name", "use", "pairs", "polarity", "loss_db_per_km", "connector", "slack_m", "legs")
    record = _File(
        schema=_SCHEMA,
        method=plant.method,
        switches=plant.switches,
        link_pairs=plant.link_pairs,
        panel_kinds=[
            _Panel(
                pairs=panel.pairs.tolist(),
                inside=panel.inside.tolist(),
                **{name: getattr(panel, name) for name in plain},
            )
            for panel in plant.panels
        ],
        fibre_kinds=[
            _Fibre(
                lengths_m=list(fibre.lengths_m),
                joins=list(fibre.joins),
                **{name: getattr(fibre, name) for name in of_fibre},
            )
            for fibre in plant.fibres
        ],
        name=list(plant.names),
        panel=plant.panel.tolist(),
        rack=[slots.names[slot] for slot in plant.slot.tolist()],
        fibre=plant.fibre.tolist(),
        ends=plant.ends.tolist(),
        ports=plant.ports.tolist(),
        number=plant.number.tolist(),
        owned_m=plant.owned_m.tolist(),
    )
    return msgspec.json.encode(record) + b"\n"


def plant_from_json(text: str, source: str, topology: Topology, slots: Slots) -> Plant:
    """The plant in the file `source`.

    Parameters
    ----------
    text : str
        The content.
    source : str
    topology : Topology
    slots : Slots
        The slots of the floor.

    Raises
    ------
    InputError
        The file is damaged, of another network, or names a rack that the floor does not have.
    """
    record = parse_json(text, source, _File, "fibre plant (write the layout again)")
    if record.schema != _SCHEMA:
        raise at(source, None, f"is {record.schema[:60]}; expected {_SCHEMA}")
    number = {name: slot for slot, name in enumerate(slots.names)}
    lost = next((rack for rack in record.rack if rack not in number), None)
    if lost is not None:
        raise at(source, None, f"the floor has no slot {lost[:40]!a}; name one of its slots")
    try:
        plant = Plant(
            method=_one_of(record.method, METHODS),
            switches=topology.switches,
            link_pairs=record.link_pairs,
            panels=tuple(_panel(panel) for panel in record.panel_kinds),
            fibres=tuple(_fibre(fibre) for fibre in record.fibre_kinds),
            panel=np.array(record.panel, np.int64),
            slot=np.array([number[rack] for rack in record.rack], np.int64),
            fibre=np.array(record.fibre, np.int64),
            ends=np.array(record.ends, np.int64).reshape(-1, 2, 2),
            links=topology.links,
            ports=np.array(record.ports, np.int64).reshape(-1, 2),
            names=tuple(record.name),
            number=np.array(record.number, np.int64),
            owned_m=np.array(record.owned_m, np.float64),
        )
        _check(plant, record, topology)
    except (ValueError, TypeError, IndexError, OverflowError) as error:
        raise at(source, None, f"is not the fibre plant of {topology.name}: {error}; write the layout again") from None
    return plant


def _one_of(value: str, names: tuple[str, ...]) -> str:
    if value not in names:
        raise ValueError(f"its method is {value[:40]!a}")
    return value


def _panel(panel: _Panel) -> Panel:
    content: dict[str, Any] = msgspec.structs.asdict(panel)
    pairs, inside = np.array(panel.pairs, np.int64), np.array(panel.inside, np.int64)
    if not 0 < panel.front <= pairs.size or (pairs < 1).any() or inside.size != pairs.sum():
        raise ValueError(f"the ports of '{panel.name[:40]}' do not match its pairs")
    if (inside < 0).any() or (inside >= inside.size).any() or (inside[inside] != np.arange(inside.size)).any():
        raise ValueError(f"the inside of '{panel.name[:40]}' does not join pairs two by two")
    return Panel(**{**content, "pairs": pairs, "inside": inside})


def _fibre(fibre: _Fibre) -> Fibre:
    content: dict[str, Any] = msgspec.structs.asdict(fibre)
    joins = tuple(fibre.joins)
    if (fibre.use == "loop plug") != bool(joins) or any(
        not 0 <= to < len(joins) or joins[to] != pair for pair, to in enumerate(joins)
    ):
        raise ValueError(f"'{fibre.name[:40]}' does not join pairs two by two")
    if joins and len(joins) != fibre.pairs:
        raise ValueError(f"'{fibre.name[:40]}' joins {len(joins)} pairs of {fibre.pairs}")
    return Fibre(**{**content, "lengths_m": tuple(fibre.lengths_m), "joins": joins})


def _check(plant: Plant, record: _File, topology: Topology) -> None:
    """Refuse numbers out of range."""
    panels, n = plant.panel.size, topology.switches
    if record.switches != n or plant.ports.shape != topology.links.shape:
        raise ValueError(f"it has {record.switches} switches and {len(plant.ports)} links")
    if len(plant.names) != panels or plant.slot.size != panels or len(plant.ends) != plant.fibre.size:
        raise ValueError("its lists have different lengths")
    if len(set(plant.names)) != panels:
        raise ValueError("two panels have one name")
    if any(panel.weight_kg is not None and not 0 <= panel.weight_kg < np.inf for panel in plant.panels):
        raise ValueError("the weight of a panel is out of range")
    for of_fibre in (plant.number, plant.owned_m):
        if of_fibre.size not in (0, plant.fibre.size) or (of_fibre < 0).any() or not np.isfinite(of_fibre).all():
            raise ValueError("its numbers or lengths of cords and trunks are out of range")
    if len(np.unique(plant.number)) < plant.number.size or (plant.number.size and not plant.number.all()):
        raise ValueError("two cords or trunks have one number, or one has none")
    for values, most, what in (
        (plant.panel, len(plant.panels), "kind of panel"),
        (plant.fibre, len(plant.fibres), "kind of fibre"),
        (plant.ends[:, :, 0].ravel(), n + panels, "device"),
    ):
        if values.size and not 0 <= values.min() <= values.max() < most:
            raise ValueError(f"a {what} is out of range")
    if min(record.link_pairs, *(min(fibre.pairs, fibre.legs) for fibre in plant.fibres), 1) < 1:
        raise ValueError("a link, a cord or a trunk has no pairs or no legs")
    device, port = plant.ends.reshape(-1, 2).T
    ports = np.array([panel.ports for panel in plant.panels], np.int64)[plant.panel]
    at_panel = device >= n
    if (port < 0).any() or (port[at_panel] >= ports[device[at_panel] - n]).any() or port.max(initial=0) > _MOST_PORTS:
        raise ValueError("a port is out of range")
    kind = plant.panel[device[at_panel] - n]
    first = np.cumsum([0, *(panel.ports for panel in plant.panels)])
    pairs = np.concatenate([np.zeros(0, np.int64), *(panel.pairs for panel in plant.panels)])
    if (pairs[first[kind] + port[at_panel]] != np.repeat(plant.pairs, 2)[at_panel]).any():
        raise ValueError("a cord or a trunk does not fit the port of its panel")
    loops = plant.is_loop
    if (plant.ends[loops, 0] != plant.ends[loops, 1]).any() or (plant.ends[loops, :, 0] < n).any():
        raise ValueError("a loop plug is not in one port of a panel")
    if len(np.unique(plant.ends.reshape(-1, 2), axis=0)) < device.size - int(loops.sum()):
        raise ValueError("two cords or trunks are in one port")
