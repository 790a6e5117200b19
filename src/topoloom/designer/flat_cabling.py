"""What is pulled and plugged in a layout, with panels or with a cable per link, and what the loss of one part takes."""

from dataclasses import dataclass

import numpy as np

from topoloom.placement.fibre.plant import Plant
from topoloom.placement.layout.layout import Layout
from topoloom.throughput.flow import arcs


@dataclass(frozen=True)
class CablingFacts:
    """The cabling of a layout.

    Attributes
    ----------
    cables : int
        Pieces: cords, trunks, and the cables of links that pass through no panel. Legs of one cord are one piece.
    cable_m : float
        Their length on the floor.
    runs : int
        Pairs of racks with cables between them.
    panels : int
    lost_cable, lost_panel, lost_switch : float
        The share of its links that a switch with hosts loses at most with one piece, one panel, and one other switch.
    """

    cables: int
    cable_m: float
    runs: int
    panels: int
    lost_cable: float
    lost_panel: float
    lost_switch: float


def cabling_facts(layout: Layout, share: np.ndarray) -> CablingFacts:
    """The cabling of a layout in figures.

    Parameters
    ----------
    layout : Layout
    share : float64[links]
        The part of a cable that each link has, as `Cables.share` of the bill; 0 for links through panels. Without panels, every
        link counts as a cable of its own.
    """
    topology, plant, alone = layout.topology, layout.plant, layout.cabled_alone
    origin, _, capacity = arcs(topology)
    links = np.bincount(origin, capacity, topology.switches)
    served = topology.endpoints_at > 0
    lost_switch = float((capacity / np.maximum(links[origin], 1))[served[origin]].max(initial=0.0))
    # The links that one cable of its own carries, at each end.
    together = np.ones(len(topology.links)) if plant is None else np.round(1.0 / np.where(alone, share, 1.0))
    own, together = topology.links[alone].ravel(), np.repeat(together[alone], 2)
    lost_cable = float((together / links[own])[served[own]].max(initial=0.0))
    if plant is None:
        return CablingFacts(
            layout.links, layout.total_m, layout.rack_pairs, 0, lost_cable, lost_panel=0.0, lost_switch=lost_switch
        )

    def lost(part: np.ndarray, link: np.ndarray) -> float:
        """The most that the loss of a part takes of the links of a switch with hosts; `link` is on `part`."""
        part, link = np.unique(np.stack([part, link]), axis=1)
        ends = np.stack([np.repeat(part, 2), topology.links[link].ravel()])
        (_, switch), count = np.unique(ends[:, served[ends[1]]], axis=1, return_counts=True)
        return float((count / links[switch]).max(initial=0.0))

    return CablingFacts(
        cables=round(share.sum()) + plant.pieces.size,
        cable_m=float(layout.length_m @ share + plant.length_m[plant.pieces].sum()),
        runs=layout.rack_pairs,
        panels=plant.panel.size,
        lost_cable=max(lost_cable, lost(*_pieces_of_links(plant))),
        lost_panel=lost(*_panels_of_links(plant)),
        lost_switch=lost_switch,
    )


def _pieces_of_links(plant: Plant) -> tuple[np.ndarray, np.ndarray]:
    """The piece and the link wherever a link runs in a piece, int64[...] each."""
    links, first = plant.carried
    return np.repeat(plant.piece, np.diff(first)), links


def _panels_of_links(plant: Plant) -> tuple[np.ndarray, np.ndarray]:
    """The panel and the link wherever a link passes a panel, int64[...] each."""
    row, step = np.nonzero(plant.ways.panel >= 0)
    return plant.ways.panel[row, step], np.flatnonzero(plant.through)[row]
