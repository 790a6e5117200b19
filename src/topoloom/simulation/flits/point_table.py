"""Points of load curves as a CSV table: one row per point with all its inputs, for spreadsheets and scripts."""

import hashlib
import inspect
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from pathlib import Path

import msgspec
import numpy as np

from topoloom._version import __version__
from topoloom.core.csv_files import csv_text
from topoloom.core.files import write_atomically
from topoloom.routing.plane_layers import PlaneLayers
from topoloom.routing.routing import Routing
from topoloom.simulation.flits.point import POINT_COLUMNS, Point
from topoloom.simulation.flits.router_config import RouterConfig
from topoloom.throughput.traffic import Traffic

#: The columns of inputs before and after the columns of a point.
_BEFORE, _BEHIND = ("topology", "engine", "traffic", "preset", "seed"), ("router", "tables", "measured", "version")
TABLE_COLUMNS = (*_BEFORE, *POINT_COLUMNS, *_BEHIND)

#: The inputs of a point other than its load, by column.
CurveSettings = Mapping[str, str]


def settings_of(
    routing: Routing,
    traffic: str | Traffic,
    preset: str,
    config: RouterConfig,
    seed: int,
    cables: np.ndarray | None = None,
    fast: bool = False,
    interval: float | None = None,
) -> CurveSettings:
    """Return the inputs of points other than their loads, as in the table's columns.

    Parameters
    ----------
    routing : Routing
    traffic : str or Traffic
    preset : str
        Its name.
    config : RouterConfig
    seed : int
    cables : int64[links], optional
        The cycles of each cable.
    fast : bool
        Whether large networks were measured in short batches.
    interval : float, optional
        The interval of the mean latency, as for `simulate`.

    Returns
    -------
    CurveSettings
        Texts by the names of columns.
    """
    return {
        "topology": routing.topology.name,
        "engine": routing.engine,
        "traffic": name_of_traffic(traffic),
        "preset": preset,
        "seed": str(seed),
        "router": " ".join(f"{name}={value}" for name, value in msgspec.structs.asdict(config).items()),
        "tables": tables_digest(routing, cables),
        "measured": ("fast" if fast else "usual") + (f" to {interval:g}" if interval is not None else ""),
        "version": __version__,
    }


def name_of_traffic(traffic: str | Traffic) -> str:
    """Return a pattern as it was written, or the name of given traffic."""
    return traffic if isinstance(traffic, str) else traffic.name


def tables_digest(routing: Routing, cables: np.ndarray | None = None) -> str:
    """Return 16 hexadecimal digits that identify a network, its tables of next hops and virtual channels, the packets' choices,
    and the cycles of cables.
    """
    digest = hashlib.sha256(routing.topology.digest.encode())
    digest.update(routing.ports.tobytes())
    if routing.virtual_channels is not None:
        digest.update(routing.virtual_channels.tobytes())
    if cables is not None:
        digest.update(cables.tobytes())
    digest.update(type(routing.choice).__name__.encode())
    for value in vars(routing.choice).values() if routing.choice is not None else ():
        for part in value if isinstance(value, tuple | PlaneLayers) else (value,):
            digest.update(part.tobytes() if isinstance(part, np.ndarray) else _words(part).encode())
    return digest.hexdigest()[:16]


def _words(value: object) -> str:
    """What identifies a value of a choice; of a function its source, which is the same in every process."""
    plain = getattr(value, "py_func", value)
    return repr(plain) if not inspect.isfunction(plain) else f"{plain.__qualname__} {inspect.getsource(plain)}"


class PointTable:
    """The points of several load curves, and the file that has them.

    Parameters
    ----------
    curves : sequence of CurveSettings
        The settings of each curve, from `settings_of`.
    path : str, optional
        A CSV file, rewritten after each point; without it, points are only kept in memory.
    """

    def __init__(self, curves: Sequence[CurveSettings], path: str | None = None) -> None:
        self._curves, self._path = list(curves), path
        self._points: list[dict[float, Point]] = [{} for _ in curves]

    def points(self, number: int) -> MutableMapping[float, Point]:
        """Return the points of a curve by load; added points are written to the file at once (to a pipe only by `write`)."""
        return _KeptPoints(self, number)

    def add(self, number: int, point: Point) -> None:
        """Add a point of a curve."""
        self._points[number][point.offered] = point
        if self._path is not None and (not Path(self._path).exists() or Path(self._path).is_file()):
            self.write()

    def write(self) -> None:
        """Write the file, if there is one."""
        if self._path is not None:
            write_atomically(self._path, self.text())

    def text(self) -> str:
        """Return the table: rows by curve and load; numbers are written such that they are read back unchanged."""
        rows = [
            [
                *(settings[name] for name in _BEFORE),
                *(getattr(points[load], name) for name in POINT_COLUMNS),
                *(settings[name] for name in _BEHIND),
            ]
            for settings, points in zip(self._curves, self._points, strict=True)
            for load in sorted(points)
        ]
        return csv_text(TABLE_COLUMNS, rows)


class _KeptPoints(MutableMapping[float, Point]):
    """The points of one curve of a table."""

    def __init__(self, table: PointTable, number: int) -> None:
        self._table, self._number = table, number

    def __getitem__(self, load: float) -> Point:
        return self._table._points[self._number][load]

    def __setitem__(self, load: float, point: Point) -> None:
        self._table.add(self._number, point)

    def __delitem__(self, load: float) -> None:
        del self._table._points[self._number][load]

    def __iter__(self) -> Iterator[float]:
        return iter(list(self._table._points[self._number]))

    def __len__(self) -> int:
        return len(self._table._points[self._number])
