"""Following the light: from the port of a switch through cords, panels and trunks to the port at the other end."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from topoloom.placement.fibre.plant import Plant

#: Most cords and trunks on one way: more form a circle.
MOST_FIBRES = 64
#: The device of an end that is in no port.
NOWHERE = -1


@dataclass(frozen=True, eq=False)
class PlantWays:
    """The ways of links through a plant.

    Attributes
    ----------
    arrival : int32[links, 2]
        The switch and the port where each link arrives; -1 and 0 where it ends in a panel.
    fibre : int32[links, most]
        The cords and trunks of each way in their order; -1 after the last.
    end : int32[links, most]
        The end, 0 or 1, at which the light enters each of them; -1 after the last.
    leaving : int32[links, most]
        The port of the switch or panel at which the light enters each of them; after the last the free port of its end, or -1.
    panel : int32[links, most]
        The panel after each of them; -1 after the last.
    port : int32[links, most]
        The port at which each enters that panel; -1 after the last.
    pair : int32[links, most]
        The first pair of fibres of each cord and trunk, and of such a free port, that the link uses, from 0; -1 after them.
    """

    arrival: np.ndarray
    fibre: np.ndarray
    end: np.ndarray
    leaving: np.ndarray
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
    """Follow links from their first ports.

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
    return PlugTable(plant, ends).followed(start)


class PlugTable:
    """What is in each port of a plant, and the insides of its panels, as flat arrays; plugs can be moved.

    Parameters
    ----------
    plant : Plant
    ends : int[cords and trunks, 2, 2], optional
        Device and port of both ends of each; those of the plant, if omitted.

    Attributes
    ----------
    ends : int64[cords and trunks, 2, 2]
        Where both ends are; device -1: in no port. Changed by `put` only.
    dark : bool[panels]
        The panels that pass no light.
    turned : bool[cords and trunks]
        Those whose links arrive in the opposite order.
    """

    def __init__(self, plant: "Plant", ends: np.ndarray | None = None) -> None:
        self.plant = plant
        self.ends = np.array(plant.ends if ends is None else ends, np.int64)
        self.dark = np.zeros(plant.panel.size, bool)
        self.turned = np.zeros(plant.fibre.size, bool)
        self._served = np.maximum(plant.pairs // plant.link_pairs, 1)
        self._base = np.cumsum([0, *(panel.inside.size for panel in plant.panels)])[:-1]
        self._first_port = np.cumsum([0, *(panel.ports for panel in plant.panels)])[:-1]
        self._first = np.concatenate([np.zeros(0, np.int64), *(panel.first for panel in plant.panels)])
        self._inside = np.concatenate([np.zeros(0, np.int64), *(panel.inside for panel in plant.panels)])
        self._port_of = np.concatenate([np.zeros(0, np.int64), *(panel.port_of for panel in plant.panels)])
        self._most_at_panel = max((panel.ports for panel in plant.panels), default=0)
        self._fill()

    def _fill(self) -> None:
        """Make the table of ports. Its last column is empty: it stands for all ports beyond."""
        flat = self.ends.reshape(-1, 2)
        fibre, end = np.repeat(np.arange(len(self.ends)), 2), np.tile([0, 1], len(self.ends))
        # A cord at a switch serves several ports: one entry per port, with the pairs before it.
        served = np.where(flat[:, 0] < self.plant.switches, self._served[fibre], 1)
        served[flat[:, 0] == NOWHERE] = 0
        of_end = np.repeat(np.arange(len(flat)), served)
        place = np.arange(of_end.size) - np.repeat(np.cumsum(served) - served, served)
        device, port = flat[of_end, 0], flat[of_end, 1] + place
        self._most = 2 + max(int(port.max(initial=0)), self._most_at_panel)
        self._fibre = np.full((self.plant.switches + self.plant.panel.size) * self._most, -1, np.int64)
        self._end, self._offset = np.full_like(self._fibre, -1), np.zeros_like(self._fibre)
        key = device * self._most + port
        self._fibre[key], self._end[key] = fibre[of_end], end[of_end]
        self._offset[key] = place * self.plant.link_pairs

    def put(self, fibre: int, end: int, device: int, port: int) -> None:
        """Move an end of a cord or trunk into a free port, or into none (device -1).

        Parameters
        ----------
        fibre, end : int
        device, port : int
            At a switch the first of the ports that the cord serves.
        """
        before = self._keys(fibre, end)
        own = before[(self._fibre[before] == fibre) & (self._end[before] == end)]
        self._fibre[own], self._end[own], self._offset[own] = -1, -1, 0
        self.ends[fibre, end] = device, port
        if device == NOWHERE:
            return
        if port + int(self._served[fibre]) >= self._most:
            self._fill()
            return
        key = self._keys(fibre, end)
        self._fibre[key], self._end[key] = fibre, end
        self._offset[key] = np.arange(key.size) * self.plant.link_pairs

    def _keys(self, fibre: int, end: int) -> np.ndarray:
        """The places in the table of the ports that an end is in."""
        device, port = self.ends[fibre, end].tolist()
        if device == NOWHERE:
            return np.zeros(0, np.int64)
        served = int(self._served[fibre]) if device < self.plant.switches else 1
        return np.asarray(np.arange(served) + (device * self._most + port))

    def at(self, device: np.ndarray, port: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The cord or trunk in each port (-1: none), which of its ends, and the pair of it where the port begins."""
        key = device * self._most + np.minimum(port, self._most - 1)
        return self._fibre[key], self._end[key], self._offset[key]

    def across(self, fibre: np.ndarray, strand: np.ndarray) -> np.ndarray:
        """The pair at the other end of each cord or trunk, int64[...]: the same, unless it is turned, or a loop plug.

        Parameters
        ----------
        fibre, strand : int64[...]
            Any shape; cord or trunk -1 keeps its pair.
        """
        pairs = self.plant.pairs
        turned = self.turned[fibre] & (fibre >= 0)
        strand = np.where(turned, pairs[fibre] - self.plant.link_pairs - strand, strand)
        for kind, part in enumerate(self.plant.fibres):
            if part.joins:
                own = (self.plant.fibre[fibre] == kind) & (fibre >= 0)
                strand[own] = np.array(part.joins, np.int64)[strand[own]]
        return strand

    def followed(self, start: np.ndarray, strand: np.ndarray | None = None, *, arrived: bool = False) -> PlantWays:
        """Follow lights, all at the same time, one cord or trunk per step.

        Parameters
        ----------
        start : int[lights, 2]
            The device and the port where each begins: it enters the cord or trunk in this port.
        strand : int[lights], optional
            The first pair of the port; 0, if omitted.
        arrived : bool
            Whether the lights come to these ports of panels from outside, and pass the panels first.

        Returns
        -------
        PlantWays
        """
        plant, lights = self.plant, len(start)
        arrival = np.tile(np.array([-1, 0], np.int32), (lights, 1))
        columns: tuple[list[np.ndarray], ...] = ([], [], [], [], [], [])
        moving = np.arange(lights)
        device, port = np.asarray(start).reshape(-1, 2).astype(np.int64).T
        strand = np.zeros(lights, np.int64) if strand is None else np.asarray(strand, np.int64)
        if arrived:
            moving, device, port, strand = self._beyond(moving, device, port, strand)
        for _ in range(MOST_FIBRES):
            fibre, end, offset = self.at(device, port)
            strand = strand + offset
            step = [np.full(lights, -1, np.int32) for _ in columns]
            for cells, values in zip(step, (fibre, end, port), strict=False):
                cells[moving] = values
            step[5][moving] = strand
            lit = fibre >= 0
            moving, fibre, end, strand = moving[lit], fibre[lit], end[lit], strand[lit]
            strand = self.across(fibre, strand)
            device, port = self.ends[fibre, 1 - end].T
            home = (device < plant.switches) & (device != NOWHERE)
            arrival[moving[home]] = np.stack([device[home], port[home] + strand[home] // plant.link_pairs], axis=1)
            on = device >= plant.switches
            moving, device, port, strand = moving[on], device[on], port[on], strand[on]
            step[3][moving], step[4][moving] = device - plant.switches, port
            for column, cells in zip(columns, step, strict=True):
                column.append(cells)
            if not moving.size:
                break
            moving, device, port, strand = self._beyond(moving, device, port, strand)
        return PlantWays(arrival, *(np.stack(column, axis=1) for column in columns))

    def _beyond(
        self, moving: np.ndarray, device: np.ndarray, port: np.ndarray, strand: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Pass through panels; in a dark one, and at a pair that is joined to none inside, a light ends."""
        panel = device - self.plant.switches
        kind = self.plant.panel[panel]
        at = self._first[self._first_port[kind] + port] + strand
        to = self._inside[self._base[kind] + at]
        on = (to != at) & ~self.dark[panel]
        moving, device, kind, to = moving[on], device[on], kind[on], to[on]
        port = self._port_of[self._base[kind] + to]
        return moving, device, port, to - self._first[self._first_port[kind] + port]
