"""A fibre plant in figures, and its panels as devices of a rack."""

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec
import numpy as np

from topoloom.placement.fibre.plant import Plant
from topoloom.placement.fibre.polarity import method_of


class PassiveParts(msgspec.Struct, frozen=True, kw_only=True):
    """The passive parts of a layout.

    Attributes
    ----------
    method : str
        How panels were planned: ``shuffle``, ``racks``, ``rows`` or ``field``.
    panels, cords, trunks : int
        Legs of one piece are one cord.
    links : int
        Links that pass through panels; all others are cables of their own.
    loops : int
        Loop plugs in ports whose trunk comes later.
    cord_total_m, trunk_total_m : float
        Total length of all cords, and of all trunks, m.
    trunk_runs : int
        Pairs of racks with trunks between them.
    trunk_lengths : int
        Distinct lengths of trunks, to the next whole metre.
    panel_racks : int
        Racks with panels.
    most_connectors : int
        Most mated connector pairs on a link, without those at its transceivers.
    most_loss_db : float
        Greatest loss of a link between its transceivers, dB.
    uncrossed : int
        Links on which transmitters meet transmitters; 0 in a plan that works.
    polarity : str
        The polarity method of TIA-568.3-E whose parts the plan has: ``A``, ``U1`` or ``U2``; empty for none of these.
    """

    method: str
    panels: int
    cords: int
    trunks: int
    links: int
    cord_total_m: float
    trunk_total_m: float
    trunk_runs: int
    trunk_lengths: int
    panel_racks: int
    most_connectors: int
    most_loss_db: float
    uncrossed: int
    polarity: str
    loops: int = 0


def passive_parts(plant: Plant, switch_slot: np.ndarray) -> PassiveParts:
    """A plant in figures.

    Parameters
    ----------
    plant : Plant
        With its lengths.
    switch_slot : int32[switches]
        The slot of each switch.
    """
    trunk, pieces = plant.is_trunk, plant.pieces
    ends = np.sort(plant.slots_of_ends(switch_slot)[trunk], axis=1)
    return PassiveParts(
        method=plant.method,
        panels=int(plant.panel.size),
        cords=plant.cords,
        trunks=plant.trunks,
        links=int(plant.through.sum()),
        cord_total_m=float(plant.length_m[pieces][~trunk[pieces]].sum()),
        trunk_total_m=float(plant.length_m[trunk].sum()),
        trunk_runs=len(np.unique(ends[ends[:, 0] != ends[:, 1]], axis=0)),
        trunk_lengths=np.unique(np.ceil(plant.length_m[trunk] - 1e-9)).size,
        panel_racks=np.unique(plant.slot).size,
        most_connectors=int(plant.connectors.max(initial=0)),
        most_loss_db=float(plant.loss_db.max(initial=0.0)),
        uncrossed=int((~plant.crossed).sum()),
        polarity=method_of(plant),
        loops=int(plant.is_loop.sum()),
    )


@dataclass(frozen=True)
class PanelDevice:
    """A panel as a further device of a rack: like a `RackDevice`, but it may be lower than a unit, and it draws no power."""

    name: str
    u: float
    power_w: float = 0.0
    weight_kg: float | None = None
    vendor: str = ""
    part_number: str = ""


def panel_units(plant: Plant, slot: int, base_u: float) -> Iterator[tuple[str, PanelDevice, float | None]]:
    """Yield the name, the device and the lowest unit of each panel in a rack.

    Several panels of less than a unit stand side by side: the third of four in unit 12 has the lowest unit 12.5.

    Parameters
    ----------
    plant : Plant
    slot : int
        The slot of the rack.
    base_u : float
        The units below the panels.

    Returns
    -------
    iterator of (str, PanelDevice, float or None)
        None: it takes no unit.
    """
    base = float(np.ceil(base_u))
    for number in np.flatnonzero(plant.slot == slot).tolist():
        panel = plant.panels[plant.panel[number]]
        yield (
            plant.names[number],
            PanelDevice(panel.name, panel.u, weight_kg=panel.weight_kg),
            round(base + 1, 6) if panel.u else None,
        )
        base += panel.u
