"""The pieces of a plant that grows: which cords and trunks stay, go and come, by their ends."""

from dataclasses import replace

import numpy as np

from topoloom.model.topology import Topology
from topoloom.placement.fibre.kit import Kit
from topoloom.placement.fibre.plant import Plant
from topoloom.placement.fibre.shuffled import shuffle_plant
from topoloom.topologies.families._shuffle_boxes import ShuffleBoxes

#: An end of a cord or trunk: at a switch (0) or a panel (1), its number, and its port as in the plant.
End = tuple[int, int, int]
#: Both ends of a cord or trunk, the lower first: the same for as long as it stays where it is.
Piece = tuple[End, End]


def pieces_of(plant: Plant) -> list[Piece]:
    """Both ends of each cord and trunk, in the order of the plant; panels keep their numbers when switches are added.

    Parameters
    ----------
    plant : Plant
    """
    device, port = plant.ends[:, :, 0], plant.ends[:, :, 1]
    at_panel = device >= plant.switches
    columns = (at_panel.astype(int), np.where(at_panel, device - plant.switches, device), port)
    ends = np.stack(columns, axis=2).tolist()
    return [(min(tuple(a), tuple(b)), max(tuple(a), tuple(b))) for a, b in ends]


def grown_plant(
    before: Plant, cord_port: np.ndarray, boxes: ShuffleBoxes, topology: Topology, slot: np.ndarray
) -> Plant:
    """The plant after a step: existing panels and cords are as before, without lengths and without numbers of new pieces.

    Parameters
    ----------
    before : Plant
        Of shuffle panels.
    cord_port : int64[boxes before, r-ports]
        The switch port at which each of its cords begins; 0 at free r-ports.
    boxes : ShuffleBoxes
        After the step: those of the plant first.
    topology : Topology
        After the step.
    slot : int64[boxes]
        The slot of each panel.

    Returns
    -------
    Plant
    """
    of_use = {fibre.use: fibre for fibre in before.fibres}
    kit = Kit(before.panels[0], of_use["cord"], of_use["trunk"], before.link_pairs, of_use.get("loop plug"))
    plant = shuffle_plant(topology, boxes, kit, cord_port)
    return replace(plant, slot=slot, names=before.names + _next_names(before.names, len(slot) - len(before.names)))


def _next_names(names: tuple[str, ...], more: int) -> tuple[str, ...]:
    """The names of new panels: they count on from the highest one."""
    digits = max((len(name.lstrip("SP")) for name in names), default=3)
    highest = max((int(name[2:]) for name in names if name[2:].isdecimal()), default=0)
    return tuple(f"SP{highest + 1 + new:0{digits}d}" for new in range(more))
