"""Following the light: from the port of a switch through cords, panels and trunks to the port at the other end."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from topoloom.placement.fibre.plant import Plant

#: Most cords and trunks on one way: more form a circle.
MOST_FIBRES = 64


@dataclass(frozen=True, eq=False)
class PlantWays:
    """The ways of links through a plant.

    Attributes
    ----------
    arrival : int32[links, 2]
        The switch and the port where each link arrives; -1 and 0 where it ends in a panel.
    fibre : int32[links, most]
        The cords and trunks of each way in their order; -1 after the last.
    panel : int32[links, most]
        The panel after each of them; -1 after the last.
    port : int32[links, most]
        The port at which each enters that panel; -1 after the last.
    pair : int32[links, most]
        The first pair of fibres of each cord and trunk that the link uses, from 0; -1 after the last.
    """

    arrival: np.ndarray
    fibre: np.ndarray
    panel: np.ndarray
    port: np.ndarray
    pair: np.ndarray

    def __len__(self) -> int:
        return len(self.arrival)

    def sums(self, of_fibre: np.ndarray) -> np.ndarray:
        """The sum over the cords and trunks of each way, float64[links], of a value per cord and trunk."""
        return _sums(self.fibre, of_fibre)

    def sums_of_panels(self, of_panel: np.ndarray) -> np.ndarray:
        """The sum over the panels of each way, float64[links], of a value per panel."""
        return _sums(self.panel, of_panel)


def _sums(passed: np.ndarray, values: np.ndarray) -> np.ndarray:
    return np.asarray((np.append(values, 0.0)[passed]).sum(axis=1))


def followed(plant: "Plant", ends: np.ndarray, start: np.ndarray) -> PlantWays:
    """Follow links from their first ports, all at the same time, one cord or trunk per step.

    Parameters
    ----------
    plant : Plant
    ends : int32[cords and trunks, 2, 2]
        Device and port of both ends of each.
    start : int32[links, 2]
        The switch and the port where each link begins.

    Returns
    -------
    PlantWays
    """
    plugs = _Plugs(plant, ends)
    links = len(start)
    arrival = np.tile(np.array([-1, 0], np.int32), (links, 1))
    fibres, panels, ports, pairs = [], [], [], []
    moving = np.arange(links)
    device, port = start[:, 0].astype(np.int64), start[:, 1].astype(np.int64)
    strand = np.zeros(links, np.int64)
    for _ in range(MOST_FIBRES):
        fibre, end, offset = plugs.at(device, port)
        lit = fibre >= 0
        moving, fibre, end, strand = moving[lit], fibre[lit], end[lit], strand[lit] + offset[lit]
        passed, into, entered, lit_pair = (np.full(links, -1, np.int32) for _ in range(4))
        passed[moving], lit_pair[moving] = fibre, strand
        device, port = ends[fibre, 1 - end].astype(np.int64).T
        home = device < plant.switches
        arrival[moving[home]] = np.stack([device[home], port[home] + strand[home] // plant.link_pairs], axis=1)
        moving, device, port, strand = moving[~home], device[~home], port[~home], strand[~home]
        into[moving], entered[moving] = device - plant.switches, port
        fibres.append(passed)
        panels.append(into)
        ports.append(entered)
        pairs.append(lit_pair)
        if not moving.size:
            break
        moving, device, port, strand = plugs.inside(moving, device, port, strand)
    return PlantWays(arrival, *(np.stack(passed, axis=1) for passed in (fibres, panels, ports, pairs)))


class _Plugs:
    """What is plugged into each port, and the insides of the panels, as flat arrays."""

    def __init__(self, plant: "Plant", ends: np.ndarray) -> None:
        self._plant = plant
        ports = np.array([panel.ports for panel in plant.panels], np.int64)[plant.panel]
        fibres = np.arange(plant.fibre.size)
        flat = ends.reshape(-1, 2).astype(np.int64)
        fibre, end = np.repeat(fibres, 2), np.tile([0, 1], fibres.size)
        # A cord at a switch serves several ports: one entry per port, with the pairs before it.
        at_switch = flat[:, 0] < plant.switches
        served = np.where(at_switch, np.maximum(plant.pairs[fibre] // plant.link_pairs, 1), 1)
        of_end = np.repeat(np.arange(flat.shape[0]), served)
        place = np.arange(of_end.size) - np.repeat(np.cumsum(served) - served, served)
        device, port = flat[of_end, 0], flat[of_end, 1] + place
        most = 1 + max(int(port[device < plant.switches].max(initial=0)), int(ports.max(initial=0)))
        self._most = most
        self._fibre = np.full((plant.switches + plant.panel.size) * most, -1, np.int64)
        self._end, self._offset = np.zeros_like(self._fibre), np.zeros_like(self._fibre)
        key = device * most + port
        self._fibre[key], self._end[key] = fibre[of_end], end[of_end]
        self._offset[key] = place * plant.link_pairs
        base = np.cumsum([0, *(panel.inside.size for panel in plant.panels)])[:-1]
        first_port = np.cumsum([0, *(panel.ports for panel in plant.panels)])[:-1]
        self._base, self._first_port = base, first_port
        self._first = np.concatenate([np.zeros(0, np.int64), *(panel.first for panel in plant.panels)])
        self._inside = np.concatenate([np.zeros(0, np.int64), *(panel.inside for panel in plant.panels)])
        self._port_of = np.concatenate([np.zeros(0, np.int64), *(panel.port_of for panel in plant.panels)])

    def at(self, device: np.ndarray, port: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The cord or trunk in each port (-1: none), which of its ends, and the pair of it where the port begins."""
        key = device * self._most + np.minimum(port, self._most - 1)
        return self._fibre[key], self._end[key], self._offset[key]

    def inside(
        self, moving: np.ndarray, device: np.ndarray, port: np.ndarray, strand: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Pass through panels; a pair that is joined to none inside ends there."""
        kind = self._plant.panel[device - self._plant.switches]
        at = self._first[self._first_port[kind] + port] + strand
        to = self._inside[self._base[kind] + at]
        on = to != at
        moving, device, kind, to = moving[on], device[on], kind[on], to[on]
        port = self._port_of[self._base[kind] + to]
        return moving, device, port, to - self._first[self._first_port[kind] + port]
