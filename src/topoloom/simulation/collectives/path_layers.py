"""Paths of messages as layers of tables: with a layer chosen by each message, tables by destination can give any path."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from topoloom.core.errors import InputError
from topoloom.simulation.collectives.path_vcs import vcs_left
from topoloom.simulation.flows.schedule import Way
from topoloom.simulation.flows.state import FlowNetwork

#: The most layers, and the most bytes of their tables.
_MOST_LAYERS, _MOST_BYTES = 4096, 1 << 30


@dataclass(frozen=True, eq=False)
class PathLayers:
    """Layers of tables, and for each path its layer and its ports at both hosts.

    Attributes
    ----------
    ports : tuple of uint8 or uint16[n, n]
        Tables as `topoloom.routing.routing.Routing.ports`, one per layer; only entries that messages need are filled.
    out, into : int32[ways]
        The ports of both hosts, numbered as in the fabric; -1 for paths that are not used.
    layer : int32[ways]
        The layer of each path.
    virtual_channels : tuple of uint8[n, n]
        Per layer, virtual_channels[d, s]: the virtual channel in which switch s sends traffic to d, such that channels do not
        wait for each other in a cycle (`path_vcs`).
    """

    ports: tuple[np.ndarray, ...]
    out: np.ndarray
    into: np.ndarray
    layer: np.ndarray
    virtual_channels: tuple[np.ndarray, ...] = ()

    def of(self, way: np.ndarray) -> "PathLayers":
        """Return the same by operation, given the path number of each operation; -1 where it has none."""
        sends = way >= 0
        out, into, layer = (np.where(sends, column[way], -1) for column in (self.out, self.into, self.layer))
        return replace(self, out=out, into=into, layer=layer)


def path_layers(ways: Sequence[Way | None], fabric: FlowNetwork) -> PathLayers:
    """Return layers in which all messages to a switch leave a switch by the same port; each path uses the first that fits.

    Parameters
    ----------
    ways : sequence of Way or None
        The paths, as `topoloom.simulation.collectives.ways.ways_of` yields them.
    fabric : FlowNetwork

    Returns
    -------
    PathLayers
        The layers, at least one.

    Raises
    ------
    InputError
        A path that passes a switch twice; too many layers.

    Notes
    -----
    A row of a layer is a tree towards its switch; from any switch, the rest of a path is the same as when the entry was made.
    """
    n = fabric.first.size - 1
    origin = np.repeat(np.arange(n), np.diff(fabric.first)).tolist()
    first = fabric.first.tolist()
    rows: dict[int, list[dict[int, int]]] = {}
    layer_of_path: dict[tuple[int, tuple[int, ...]], int] = {}
    out, into, layer = (np.full(len(ways), -1, np.int32) for _ in range(3))
    for number, way in enumerate(ways):
        if way is None:
            continue
        out[number], into[number] = way.out, way.into
        destination = int(fabric.switch[way.into])
        place = layer_of_path.get((destination, way.channels))
        if place is None:
            hops = {origin[channel]: channel - first[origin[channel]] for channel in way.channels}
            if len(hops) < len(way.channels) or destination in hops:
                raise InputError(
                    f"the schedule's path from switch {int(fabric.switch[way.out])} to {destination} passes a switch twice"
                )
            place = layer_of_path[destination, way.channels] = _placed(rows.setdefault(destination, []), hops)
        layer[number] = place
    count = max((len(tables) for tables in rows.values()), default=1)
    if count > _MOST_LAYERS or count * n * n * fabric.ports.itemsize > _MOST_BYTES:
        raise InputError(
            f"the schedule's paths need {count} tables of {n} switches, which is too many; use `simulator` flows"
        )
    none = int(np.iinfo(fabric.ports.dtype).max)
    ports = [np.full((n, n), none, fabric.ports.dtype) for _ in range(count)]
    for destination, tables in rows.items():
        for table, hops in zip(ports, tables, strict=False):
            table[destination, list(hops)] = list(hops.values())
    left = vcs_left([channels for _, channels in layer_of_path], fabric)
    most = max((max(turns, default=0) for turns in left), default=0)
    if most > np.iinfo(np.uint8).max:
        raise InputError(f"the schedule has a path that needs {most + 1} virtual channels; use `simulator` flows")
    virtual_channels = [np.zeros((n, n), np.uint8) for _ in range(count)]
    for ((destination, channels), place), turns in zip(layer_of_path.items(), left, strict=True):
        for channel, behind in zip(channels, turns, strict=True):
            virtual_channels[place][destination, origin[channel]] = most - behind
    return PathLayers(tuple(ports), out, into, layer, tuple(virtual_channels))


def _placed(tables: list[dict[int, int]], hops: dict[int, int]) -> int:
    """Add a path to the first table towards a switch in which it fits; return the table's number."""
    for place, table in enumerate(tables):
        if all(table.get(switch, port) == port for switch, port in hops.items()):
            table.update(hops)
            return place
    tables.append(dict(hops))
    return len(tables) - 1
