"""Shuffle panels: the cords, panels and trunks of a network of the family `shuffled`."""

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.placement.fibre.kit import Kit
from topoloom.placement.fibre.plant import Plant
from topoloom.topologies.families._shuffle_boxes import ShuffleBoxes


def shuffle_plant(topology: Topology, boxes: ShuffleBoxes, kit: Kit, cord_port: np.ndarray | None = None) -> Plant:
    """The plant of shuffle panels, all in slot 0.

    Parameters
    ----------
    topology : Topology
    boxes : ShuffleBoxes
        As `topoloom.topologies.families.shuffled.boxes_of` gives them.
    kit : Kit
    cord_port : int64[boxes, r-ports], optional
        The port of its switch at which each existing cord begins; 0 where there is none yet, or for boxes after the last one.

    Returns
    -------
    Plant

    Raises
    ------
    InputError
        The network has other links than its boxes.

    Notes
    -----
    A switch's cords are in the order of its boxes: the first serves the ports after those of its hosts. Pair i of a cord leads
    to rear port i of its panel. A trunk joins front port k of one panel with front port k of the other.
    """
    n, (count, r), c = topology.switches, boxes.switch_at.shape, boxes.far.shape[1]
    box, position = np.nonzero(boxes.switch_at >= 0)
    switch = boxes.switch_at[box, position]
    # The number of a cord at its switch, in the order of boxes.
    order = np.argsort(switch, kind="stable")
    rank = np.empty(switch.size, np.int64)
    rank[order] = np.arange(switch.size) - np.searchsorted(switch[order], np.arange(n))[switch[order]]
    port = topology.endpoints_at[switch] + 1 + rank * c
    if cord_port is not None:
        stated = np.zeros((count, r), np.int64)
        stated[: len(cord_port)] = cord_port
        port = np.where(stated[box, position] > 0, stated[box, position], port)
    cords = np.stack([np.stack([switch, port], 1), np.stack([n + box, position], 1)], axis=1)
    ends = boxes.trunks.astype(np.int64)
    trunks = np.stack([n + ends[:, :, 0], r + ends[:, :, 1]], axis=2)
    port_at = np.full((count, r), -1, np.int64)
    port_at[box, position] = port
    of_lane = boxes.switch_at[ends[:, :, 0]].transpose(0, 2, 1).reshape(-1, 2)  # trunks x positions, 2
    ports = (port_at[ends[:, :, 0]] + ends[:, :, 1, None]).transpose(0, 2, 1).reshape(-1, 2)
    # A loop plug joins the links of one c-port two by two.
    box, port, *places = boxes.loops.T
    of_lane = np.concatenate([of_lane, boxes.loop_lanes])
    ports = np.concatenate([ports, np.stack([port_at[box, place] + port for place in places], axis=1)])
    plugs = np.argwhere(boxes.is_loop) + np.array([n, r])
    joined = (of_lane >= 0).all(axis=1) & (of_lane[:, 0] != of_lane[:, 1])
    of_lane, ports = of_lane[joined], ports[joined]
    swapped = of_lane[:, 0] > of_lane[:, 1]
    of_lane[swapped], ports[swapped] = of_lane[swapped, ::-1], ports[swapped, ::-1]
    sequence = np.lexsort((of_lane[:, 1], of_lane[:, 0]))
    if not np.array_equal(of_lane[sequence], topology.links):
        raise InputError(
            f"{topology.name}: its links are not those of its boxes, so shuffle panels cannot be planned; give the spec"
            " without transforms that change links"
        )
    return Plant(
        method="shuffle",
        switches=n,
        link_pairs=kit.link_pairs,
        panels=(kit.panel,),
        fibres=(kit.cord, kit.trunk, *(() if kit.loop is None else (kit.loop,))),
        panel=np.zeros(count),
        slot=np.zeros(count),
        fibre=np.repeat([0, 1, 2], [len(cords), len(trunks), len(plugs)]),
        ends=np.concatenate([cords, trunks, np.stack([plugs, plugs], axis=1)]),
        links=topology.links,
        ports=ports[sequence],
    )


def boxes_in(plant: Plant) -> tuple[ShuffleBoxes, np.ndarray]:
    """The boxes of a plant of shuffle panels, in the order of its panels, and the switch port at which each cord begins.

    Parameters
    ----------
    plant : Plant
        By method ``shuffle``.

    Returns
    -------
    (ShuffleBoxes, int64[boxes, r-ports])
        The port is 0 at a free r-port.

    Raises
    ------
    InputError
        Its cords do not join switches and front ports, or its trunks rear ports.
    """
    n, panel = plant.switches, plant.panels[0]
    r, c, count = panel.front, panel.ports - panel.front, plant.panel.size
    front = (plant.ends[:, :, 0] >= n) & (plant.ends[:, :, 1] < r)
    rear = (plant.ends[:, :, 0] >= n) & (plant.ends[:, :, 1] >= r)
    if (
        plant.panel.any()
        or not np.where(plant.of_use("cord"), front.sum(axis=1) == 1, rear.all(axis=1)).all()
        or (rear.any(axis=1) == plant.of_use("cord")).any()
    ):
        raise InputError("panels: these are not shuffle panels with cords in front and trunks behind; plan them again")
    switch_at, port = np.full((count, r), -1, np.int32), np.zeros((count, r), np.int64)
    opposite = np.full((count, c, 2), -1, np.int32)
    ends = plant.ends.astype(np.int64)
    cords = ends[plant.of_use("cord")]
    switch, at_panel = (np.take_along_axis(cords, order[:, None, None], 1)[:, 0] for order in _panel_last(cords, n))
    switch_at[at_panel[:, 0] - n, at_panel[:, 1]] = switch[:, 0]
    port[at_panel[:, 0] - n, at_panel[:, 1]] = switch[:, 1]
    trunks = ends[~plant.of_use("cord")] - [n, r]
    each = max(1, int(panel.pairs[-1]) // r)
    joins = next((tuple(to // each for to in fibre.joins[::each]) for fibre in plant.fibres if fibre.joins), ())
    for near, other in (trunks.transpose(1, 0, 2), trunks[:, ::-1].transpose(1, 0, 2)):
        opposite[near[:, 0], near[:, 1]] = other
    return ShuffleBoxes(switch_at, opposite[..., 0], opposite[..., 1], joins), port


def _panel_last(cords: np.ndarray, switches: int) -> tuple[np.ndarray, np.ndarray]:
    """Which end of each cord is at its switch, and which at its panel, int64[cords] each."""
    at_panel = (cords[:, 1, 0] >= switches).astype(np.int64)
    return 1 - at_panel, at_panel


def panel_groups(boxes: ShuffleBoxes, fit: int) -> tuple[np.ndarray, list[np.ndarray]]:
    """The rack of each box, int64[boxes], and the switches wired to each rack of boxes.

    Boxes of the same switches stand in one rack, as far as `fit` boxes allow it.

    Parameters
    ----------
    boxes : ShuffleBoxes
    fit : int
        Boxes that fit into a rack.
    """
    # Boxes whose switches come later are the last.
    first = np.where(boxes.switch_at >= 0, boxes.switch_at, np.iinfo(np.int32).max).min(axis=1)
    group = np.unique(first, return_inverse=True)[1]
    rack = np.empty(len(first), np.int64)
    current, used = -1, fit
    for number in range(int(group.max(initial=-1)) + 1):
        members = np.flatnonzero(group == number)
        if used + members.size > fit:
            current, used = current + 1, 0
        place = used + np.arange(members.size)
        rack[members] = current + place // fit
        current, used = current + int(place[-1]) // fit, int(place[-1]) % fit + 1
    return rack, [
        np.unique(cords[cords >= 0]) for cords in (boxes.switch_at[rack == number] for number in range(current + 1))
    ]
