"""The way of links through panels, in words."""

from typing import TYPE_CHECKING

import numpy as np

from topoloom.placement.fibre.plant import Plant

if TYPE_CHECKING:
    from topoloom.cabling.cabling import Cabling


def ways_through_panels(cabling: "Cabling") -> list[str]:
    """The panels on the way of each row, from its end a: ``SP012:F05/R2 > SP340:R3/F17``; empty for a cable of its own.

    Each panel has its name, the port of entry and the port of exit.

    Parameters
    ----------
    cabling : Cabling
    """
    plant, texts = cabling.layout.plant, [""] * len(cabling)
    if plant is None:
        return texts
    passed = _passed(plant)
    place = np.cumsum(plant.through) - 1
    rows = np.flatnonzero(cabling.through)
    links = cabling.link[rows]
    # Ways begin at the lower switch, rows at the rack that comes first.
    turned = cabling.ends[rows, 0] != cabling.layout.topology.links[links, 0]
    names = [
        [panel.port_name(port) for port in range(panel.ports)] for panel in plant.panels
    ]  # of each kind, since names are many
    kind = plant.panel.tolist()
    for row, way, back in zip(rows.tolist(), place[links].tolist(), turned.tolist(), strict=True):
        steps = [step for step in passed[way].tolist() if step[0] >= 0]
        if back:
            steps = [(panel, leaving, entering) for panel, entering, leaving in reversed(steps)]
        texts[row] = " > ".join(
            f"{plant.names[panel]}:{names[kind[panel]][entering]}/{names[kind[panel]][leaving]}"
            for panel, entering, leaving in steps
        )
    return texts


def _passed(plant: Plant) -> np.ndarray:
    """The panels on the way of each link, with the ports of entry and exit, int64[links, most, 3]; -1 after them."""
    ways = plant.ways
    leaving = np.full_like(ways.port, -1)
    leaving[:, :-1] = ways.leaving[:, 1:]
    return np.stack([ways.panel, ways.port, leaving], axis=2).astype(np.int64)
