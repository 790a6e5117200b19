"""The plugs of a fibre plant, as planned or changed: where a light that enters at the port of a switch arrives."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from topoloom.fabric.comparison import Plug
from topoloom.placement.fibre.plant import Plant
from topoloom.placement.fibre.tracing import MOST_FIBRES

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


class Wiring:
    """The plugs of a plant, which can be moved.

    Parameters
    ----------
    plant : Plant

    Attributes
    ----------
    position : dict of End to Position or None
        Where each end is; None: nowhere.
    dark : set of int
        The panels that pass no light.
    """

    def __init__(self, plant: Plant) -> None:
        self.plant = plant
        self.pairs: list[int] = plant.pairs.tolist()
        self.trunk: list[bool] = plant.is_trunk.tolist()
        self.dark: set[int] = set()
        self.position: dict[End, Position | None] = {}
        self._kind: list[int] = plant.panel.tolist()
        self._inside = [panel.inside.tolist() for panel in plant.panels]
        self._first = [panel.first.tolist() for panel in plant.panels]
        self._port_of = [panel.port_of.tolist() for panel in plant.panels]
        #: The end in each port, and the pairs of the cord before it.
        self._plugged: dict[Position, tuple[End, int]] = {}
        self._planned = {
            (fibre, end): (device, port)
            for fibre, both in enumerate(plant.ends.tolist())
            for end, (device, port) in enumerate(both)
        }
        for at, position in self._planned.items():
            self.put(at, position)

    def served(self, fibre: int) -> int:
        """The ports of a switch that a cord serves."""
        return max(self.pairs[fibre] // self.plant.link_pairs, 1)

    def in_port(self, position: Position) -> End | None:
        """The end that is in a port; None if it is free."""
        plugged = self._plugged.get(position)
        return None if plugged is None else plugged[0]

    def fits(self, end: End, position: Position) -> bool:
        """Whether an end fits a port: at a panel by its pairs, at a switch if the ports of all its links are free.

        Parameters
        ----------
        end : End
        position : Position
        """
        device, port = position
        if device >= self.plant.switches:
            return int(self.plant.panels[self._kind[device - self.plant.switches]].pairs[port]) == self.pairs[end[0]]
        return port > 0 and not any(self.in_port(at) for at, _ in self._ports(end, position))

    def displaced(self, end: End) -> bool:
        """Whether an end is not where it is planned."""
        return self.position[end] != self._planned[end]

    def put(self, end: End, position: Position | None) -> None:
        """Move an end into a free port, or nowhere.

        Parameters
        ----------
        end : End
        position : Position or None
        """
        before = self.position.get(end)
        if before is not None:
            for port, _ in self._ports(end, before):
                if self.in_port(port) == end:
                    del self._plugged[port]
        self.position[end] = position
        if position is not None:
            for port, offset in self._ports(end, position):
                self._plugged[port] = end, offset

    def _ports(self, end: End, position: Position) -> Iterator[tuple[Position, int]]:
        device, port = position
        if device >= self.plant.switches:
            yield position, 0
            return
        for place in range(self.served(end[0])):
            yield (device, port + place), place * self.plant.link_pairs

    def way(self, plug: Plug) -> LightWay:
        """The way of a light from the port of a switch.

        Parameters
        ----------
        plug : Plug

        Returns
        -------
        LightWay
        """
        return self._way(plug, 0)

    def _way(self, at: Position, strand: int) -> LightWay:
        joints: list[Joint] = []
        for _ in range(MOST_FIBRES):
            plugged = self._plugged.get(at)
            if plugged is None:
                joints.append(Joint(at, strand, None, True))
                return LightWay(tuple(joints), None)
            (fibre, end), offset = plugged
            joints.append(Joint(at, strand, (fibre, end), True))
            strand += offset
            to = self.position[fibre, 1 - end]
            if to is None:
                return LightWay(tuple(joints), None)
            device, port = to
            if device < self.plant.switches:
                arrival = device, port + strand // self.plant.link_pairs
                joints.append(Joint(arrival, strand, (fibre, 1 - end), False))
                return LightWay(tuple(joints), arrival)
            joints.append(Joint(to, strand, (fibre, 1 - end), False))
            inside = self._beyond(device, port, strand)
            if inside is None:
                return LightWay(tuple(joints), None)
            at, strand = inside
        return LightWay(tuple(joints), None)

    def _beyond(self, device: int, port: int, strand: int) -> tuple[Position, int] | None:
        """The port of a panel, and its pair, to which a pair of another port is joined."""
        if device in self.dark:
            return None
        kind = self._kind[device - self.plant.switches]
        before = self._first[kind][port] + strand
        to = self._inside[kind][before]
        if to == before:
            return None
        port = self._port_of[kind][to]
        return (device, port), to - self._first[kind][port]

    def reached(self, fibre: int) -> Iterator[Plug]:
        """The ports of switches that the pairs of a cord or trunk lead to, at both of its ends.

        Parameters
        ----------
        fibre : int
        """
        for end in (0, 1):
            position = self.position[fibre, end]
            if position is None:
                continue
            device, port = position
            for strand in range(0, self.pairs[fibre], self.plant.link_pairs):
                if device < self.plant.switches:
                    yield device, port + strand // self.plant.link_pairs
                elif (inside := self._beyond(device, port, strand)) is not None:
                    arrival = self._way(*inside).arrival
                    if arrival is not None:
                        yield arrival

    def fibres_in(self, device: int) -> tuple[int, ...]:
        """The cords and trunks in the ports of a panel.

        Parameters
        ----------
        device : int
        """
        ports = self.plant.panels[self._kind[device - self.plant.switches]].ports
        ends = [self.in_port((device, port)) for port in range(ports)]
        return tuple(dict.fromkeys(end[0] for end in ends if end is not None))
