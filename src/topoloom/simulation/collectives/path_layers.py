"""Paths of messages as layers of tables: what forwards by destination can take any paths, if a message says which layer."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from topoloom.core.errors import InputError
from topoloom.simulation.collectives.path_vcs import vcs_left
from topoloom.simulation.flows.schedule import Way
from topoloom.simulation.flows.state import FlowNetwork

#: Layers at most, and bytes of their tables.
_MOST_LAYERS, _MOST_BYTES = 4096, 1 << 30


@dataclass(frozen=True, eq=False)
class PathLayers:
    """Tables, and by which of them and which of the hosts' ports each message goes.

    Attributes
    ----------
    ports : tuple of uint8 or uint16[n, n]
        As `topoloom.routing.routing.Routing.ports`; only what messages need is filled.
    out, into : int32[ways]
        Ports of both hosts, numbered as those of the fabric; -1 where nothing goes.
    layer : int32[ways]
    virtual_channels : tuple of uint8[n, n]
        Of each layer, virtual channels[d, s]: the virtual channel in which switch s sends on what goes to d, without a
        cycle of channels that wait for each other (`path_vcs`).
    """

    ports: tuple[np.ndarray, ...]
    out: np.ndarray
    into: np.ndarray
    layer: np.ndarray
    virtual_channels: tuple[np.ndarray, ...] = ()

    def of(self, way: np.ndarray) -> "PathLayers":
        """The same for operations, each with the number of its way; -1 where it has none."""
        sends = way >= 0
        out, into, layer = (np.where(sends, column[way], -1) for column in (self.out, self.into, self.layer))
        return replace(self, out=out, into=into, layer=layer)


def path_layers(ways: Sequence[Way | None], fabric: FlowNetwork) -> PathLayers:
    """Layers in which no two messages to the same switch leave a switch by different ports: each path in the first that fits.

    Parameters
    ----------
    ways : sequence of Way or None
        As `topoloom.simulation.collectives.flows.ways_of` yields them.
    fabric : FlowNetwork

    Returns
    -------
    PathLayers
        At least one layer.

    Raises
    ------
    InputError
        A path that passes a switch twice; too many layers.

    Notes
    -----
    A row of a layer is a tree towards its switch, and what follows it from any switch goes as the path did that made the entry.
    """
    n = fabric.first.size - 1
    origin = np.repeat(np.arange(n), np.diff(fabric.first)).tolist()
    first = fabric.first.tolist()
    rows: dict[int, list[dict[int, int]]] = {}
    known: dict[tuple[int, tuple[int, ...]], int] = {}
    out, into, layer = (np.full(len(ways), -1, np.int32) for _ in range(3))
    for number, way in enumerate(ways):
        if way is None:
            continue
        out[number], into[number] = way.out, way.into
        goal = int(fabric.switch[way.into])
        place = known.get((goal, way.channels))
        if place is None:
            hops = {origin[channel]: channel - first[origin[channel]] for channel in way.channels}
            if len(hops) < len(way.channels) or goal in hops:
                raise InputError(
                    f"the schedule's path from switch {int(fabric.switch[way.out])} to {goal} passes a switch twice"
                )
            place = known[goal, way.channels] = _placed(rows.setdefault(goal, []), hops)
        layer[number] = place
    count = max((len(tables) for tables in rows.values()), default=1)
    if count > _MOST_LAYERS or count * n * n * fabric.ports.itemsize > _MOST_BYTES:
        raise InputError(f"the schedule's paths would take {count} tables of {n} switches; take `simulator` flows")
    none = int(np.iinfo(fabric.ports.dtype).max)
    ports = [np.full((n, n), none, fabric.ports.dtype) for _ in range(count)]
    for goal, tables in rows.items():
        for table, hops in zip(ports, tables, strict=False):
            table[goal, list(hops)] = list(hops.values())
    left = vcs_left([channels for _, channels in known], fabric)
    most = max((max(turns, default=0) for turns in left), default=0)
    if most > np.iinfo(np.uint8).max:
        raise InputError(f"the schedule has a path of {most + 1} virtual channels; take `simulator` flows")
    virtual_channels = [np.zeros((n, n), np.uint8) for _ in range(count)]
    for ((goal, channels), place), turns in zip(known.items(), left, strict=True):
        for channel, behind in zip(channels, turns, strict=True):
            virtual_channels[place][goal, origin[channel]] = most - behind
    return PathLayers(tuple(ports), out, into, layer, tuple(virtual_channels))


def _placed(tables: list[dict[int, int]], hops: dict[int, int]) -> int:
    """The first of the tables towards a switch that a path fits into, which takes it up."""
    for place, table in enumerate(tables):
        if all(table.get(switch, port) == port for switch, port in hops.items()):
            table.update(hops)
            return place
    tables.append(dict(hops))
    return len(tables) - 1
