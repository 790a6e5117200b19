"""The plugs of a fibre plant, as planned or changed, and the ways of lights as the search for faults takes them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from topoloom.fabric.comparison import Plug
from topoloom.placement.fibre.plant import Plant
from topoloom.placement.fibre.tracing import NOWHERE, PlantWays, PlugTable

#: An end of a cord or trunk: its number, and 0 or 1.
End = tuple[int, int]
#: Where an end can be: a device of the plant (switches first, then panels) and a port; at a switch the first of its ports.
Position = tuple[int, int]


class Joint(NamedTuple):
    """A connector on a way.

    Attributes
    ----------
    position : Position
        The port; at a switch that of the link.
    strand : int
        The pair of the port, from 0; at a switch that of the cord.
    end : End or None
        The end of the cord or trunk in it; None: the port is free, and the way ends.
    enters : bool
        Whether the light goes from the port into the fibre.
    """

    position: Position
    strand: int
    end: End | None
    enters: bool


@dataclass(frozen=True)
class LightWay:
    """The way of a light.

    Attributes
    ----------
    joints : tuple of Joint
        In their order.
    arrival : Plug or None
        The switch and its port where it arrives; None: it ends in a panel or in a free port.
    """

    joints: tuple[Joint, ...]
    arrival: Plug | None

    @property
    def fibres(self) -> tuple[int, ...]:
        """The cords and trunks of the way, each once."""
        return tuple(dict.fromkeys(joint.end[0] for joint in self.joints if joint.end is not None))


class Wiring(PlugTable):
    """The plugs of a plant by their ends and positions.

    Parameters
    ----------
    plant : Plant

    Attributes
    ----------
    other_type : bool[cords and trunks]
        Those of the other type than planned (A in place of B): transmitters meet transmitters, unless there are two on a way.
    """

    def __init__(self, plant: Plant) -> None:
        super().__init__(plant)
        self.other_type = np.zeros(plant.fibre.size, bool)
        self.pairs: list[int] = plant.pairs.tolist()
        self.trunk: list[bool] = plant.is_trunk.tolist()

    def position(self, end: End) -> Position | None:
        """Where an end is; None: nowhere."""
        device, port = self.ends[end].tolist()
        return None if device == NOWHERE else (device, port)

    def served(self, fibre: int) -> int:
        """The ports of a switch that a cord serves."""
        return max(self.pairs[fibre] // self.plant.link_pairs, 1)

    def in_port(self, position: Position) -> End | None:
        """The end that is in a port; None if it is free."""
        fibre, end, _ = self.at(*np.array(position))
        return None if fibre < 0 else (int(fibre), int(end))

    def fits(self, end: End, position: Position) -> bool:
        """Whether an end fits a port: at a panel by its pairs, at a switch if the ports of all its links are free.

        Parameters
        ----------
        end : End
        position : Position
        """
        device, port = position
        n = self.plant.switches
        if device >= n:
            return int(self.plant.panels[self.plant.panel[device - n]].pairs[port]) == self.pairs[end[0]]
        return port > 0 and not any(self.in_port((device, port + place)) for place in range(self.served(end[0])))

    def displaced(self, end: End) -> bool:
        """Whether an end is not where it is planned."""
        return bool((self.ends[end] != self.plant.ends[end]).any())

    def move(self, end: End, position: Position | None) -> None:
        """Move an end into a free port, or nowhere."""
        self.put(*end, *((NOWHERE, NOWHERE) if position is None else position))

    def arrivals(self, plugs: Sequence[Plug]) -> list[Plug | None]:
        """Where the light from each port of a switch arrives; None: nowhere.

        Parameters
        ----------
        plugs : sequence of Plug
        """
        return self._lit(self.followed(np.array(plugs, np.int64).reshape(-1, 2)))

    def _lit(self, ways: PlantWays) -> list[Plug | None]:
        """Where lights arrive, if transmitters meet receivers."""
        crossed = ways.sums(self.other_type.astype(float)) % 2 == 0
        lit = zip(ways.arrival.tolist(), crossed.tolist(), strict=True)
        return [(switch, port) if switch >= 0 and on else None for (switch, port), on in lit]

    def ways(self, plugs: Sequence[Plug]) -> list[LightWay]:
        """The way of the light from each port of a switch.

        Parameters
        ----------
        plugs : sequence of Plug

        Returns
        -------
        list of LightWay
        """
        ways = self.followed(np.array(plugs, np.int64).reshape(-1, 2))
        n, after = self.plant.switches, self.across(ways.fibre, ways.pair)
        columns = (ways.fibre, ways.end, ways.leaving, ways.panel, ways.port, ways.pair, after)
        rows = np.stack([column.astype(np.int64) for column in columns], axis=2).tolist()
        out = []
        for (device, _), steps, arrival in zip(plugs, rows, self._lit(ways), strict=True):
            joints = []
            for fibre, end, leaving, panel, port, pair, pair_after in steps:
                if leaving < 0:
                    break
                joints.append(Joint((device, leaving), pair, None if fibre < 0 else (fibre, end), True))
                if panel >= 0:
                    device = n + panel
                    joints.append(Joint((device, port), pair_after, (fibre, 1 - end), False))
                elif fibre >= 0 and arrival is not None:
                    joints.append(Joint(arrival, pair_after, (fibre, 1 - end), False))
            out.append(LightWay(tuple(joints), arrival))
        return out

    def reached(self, fibres: Iterable[int]) -> set[Plug]:
        """The ports of switches that the pairs of cords and trunks lead to, at both of their ends.

        Parameters
        ----------
        fibres : iterable of int
        """
        numbers = np.array([*fibres], np.int64)
        links = -(-self.plant.pairs[numbers] // self.plant.link_pairs)
        of_end = np.repeat(np.arange(2 * numbers.size), np.repeat(links, 2))
        place = np.arange(of_end.size) - np.searchsorted(of_end, of_end)
        at = self.ends[numbers].reshape(-1, 2)[of_end]
        switch = (at[:, 0] < self.plant.switches) & (at[:, 0] != NOWHERE)
        own = at[switch] + np.stack([np.zeros_like(place[switch]), place[switch]], axis=1)
        panel = at[:, 0] >= self.plant.switches
        arrival = self.followed(at[panel], place[panel] * self.plant.link_pairs, arrived=True).arrival
        return {*map(tuple, own.tolist()), *map(tuple, arrival[arrival[:, 0] >= 0].tolist())}

    def fibres_in(self, device: int) -> tuple[int, ...]:
        """The cords and trunks in the ports of a panel.

        Parameters
        ----------
        device : int
        """
        ports = np.arange(self.plant.panels[self.plant.panel[device - self.plant.switches]].ports)
        fibre = self.at(np.full(ports.size, device), ports)[0]
        return tuple(dict.fromkeys(fibre[fibre >= 0].tolist()))
