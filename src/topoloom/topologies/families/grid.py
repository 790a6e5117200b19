"""Grids and diagrids: K-regular, L-restricted random graphs on the points of a floor."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.graph.geometry import Geometry
from topoloom.model.topology import Topology
from topoloom.topologies.families._sizing import host_counts, near_square, serving
from topoloom.topologies.spec import Facts, Integer, Seed, family

_SOURCE = "Nakano 2016 III (steps 1 and 2); errata of Nakano 2016, 3, Nakano 2016, 4, Nakano 2016, 11"
_SWEEPS = Integer(0, 10_000, "sweeps of random 2-toggles; about 30 are well mixed", default=30)
_DEGREE = Integer(1, 512, "K, links at each switch; one switch has K - 1 when n K is odd")
_LENGTH = Integer(1, 10_000, "L, the longest link, in grid steps")


def _facts(rows: int, columns: int, degree: int, length: int, sweeps: int = 30, seed: int = 1) -> Facts:
    n = rows * columns
    if degree >= n:
        raise InputError(f"degree={degree} needs more than {degree} switches; the grid has {n}")
    return Facts(n, degree, degree - n * degree % 2, n * degree // 2)


def _points(rows: int, columns: int, *, diagonal: bool) -> tuple[np.ndarray, np.ndarray]:
    """The places of the switches, (x, y), row by row; on a diagrid X = 2 column + (row mod 2), Y = row."""
    y, x = (axis.ravel() for axis in np.indices((rows, columns)))
    return (2 * x + y % 2 if diagonal else x), y


def _floors(hosts: int, radix: int, *, diagonal: bool) -> Iterator[dict[str, Any]]:
    """Yield near-square floors that use all remaining ports, with the length that balances degree and reach (Nakano 2016 VII).

    Corner switches have the fewest switches within reach: the length is large enough for 1.5 times their degree.
    """
    for per_switch in host_counts(radix - 3):
        rows, columns = near_square(-(-hosts // per_switch))
        degree = min(radix - per_switch, 32)
        n = rows * columns
        if n <= 4 * degree:
            continue
        # By Moore's bound, about log_K n hops reach every switch; with this length, as many hops cross half the floor.
        hops = max(2.0, np.log(n) / np.log(max(2, degree - 1)))
        length = max(2, int(np.ceil((rows + columns) / hops / 2)))
        x, y = _points(rows, columns, diagonal=diagonal)
        while 2 * _corner_room(x, y, length, diagonal=diagonal) < 3 * degree:
            length += 1
        parameters = {"rows": rows, "columns": columns, "degree": degree, "length": length}
        yield from serving(hosts, radix, [(parameters, n, degree)])


@family(
    "grid",
    title="random grid",
    rows=Integer(1, 4096, "rows of the floor"),
    columns=Integer(1, 4096, "switches in a row"),
    degree=_DEGREE,
    length=_LENGTH,
    sweeps=_SWEEPS,
    seed=Seed(),
    facts=_facts,
    source=_SOURCE,
    sizes=lambda hosts, radix: _floors(hosts, radix, diagonal=False),
    labels={"x": "column, in grid steps", "y": "row, in grid steps"},
)
def grid(rows: int, columns: int, degree: int, length: int, sweeps: int, seed: int, attempt: int = 0) -> Topology:
    """A random K-regular graph on a grid in which no link is longer than L (Manhattan).

    Returns
    -------
    Topology
        Row by row; labels ``x`` and ``y``.

    Raises
    ------
    InputError
        No such graph was found.
    """
    x, y = _points(rows, columns, diagonal=False)
    links = _restricted("grid", x, y, degree, length, sweeps, Draws(seed, attempt), diagonal=False)
    return Topology(links=links, switches=x.size, labels={"x": x, "y": y})


@family(
    "diagrid",
    title="random diagonal grid",
    rows=Integer(1, 4096, "rows of the floor; Nakano 2016 uses sqrt(2n) rows"),
    columns=Integer(1, 4096, "switches in a row; Nakano 2016 uses sqrt(n/2)"),
    degree=_DEGREE,
    length=_LENGTH,
    sweeps=_SWEEPS,
    seed=Seed(),
    facts=_facts,
    source="Nakano 2016 VI; errata of Nakano 2016, 3: rows and columns are the other way round in the text",
    sizes=lambda hosts, radix: _floors(hosts, radix, diagonal=True),
    labels={"row": "the row; odd ones are shifted by half a step", "column": "the place in the row"},
)
def diagrid(rows: int, columns: int, degree: int, length: int, sweeps: int, seed: int, attempt: int = 0) -> Topology:
    """A random K-regular graph on a diagonal grid, no link longer than L along the diagonals.

    At X = 2 column + (row mod 2), Y = row the distance is max(|dX|, |dY|).

    Returns
    -------
    Topology
        Row by row; labels ``row`` and ``column``.

    Raises
    ------
    InputError
        No such graph was found.
    """
    x, row = _points(rows, columns, diagonal=True)
    links = _restricted("diagrid", x, row, degree, length, sweeps, Draws(seed, attempt), diagonal=True)
    return Topology(links=links, switches=row.size, labels={"row": row, "column": x // 2})


def _restricted(
    name: str, x: np.ndarray, y: np.ndarray, degree: int, length: int, sweeps: int, draws: Draws, *, diagonal: bool
) -> np.ndarray:
    """Links, int64[m, 2], of a random K-regular L-restricted graph on the points (x, y)."""
    from topoloom.topologies.families.kernels.random import fill_restricted, links_of, toggle_sweeps

    offsets, near = Geometry(np.stack([x, y], axis=1), "diagrid" if diagonal else "grid").near(length)
    fewest = int(np.diff(offsets).min())
    if fewest < degree:
        raise InputError(
            f"{name}: a corner has only {fewest} switches within length={length}, so degree={degree} cannot be reached;"
            f" use a degree up to {fewest} or a larger length"
        )
    n = x.size
    missing = 0
    for _ in range(20):
        table, filled = np.empty((n, degree), np.int32), np.zeros(n, np.int32)
        state = draws.state()
        missing = fill_restricted(
            table, filled, x, y, degree, length, diagonal, near, offsets, state, 20_000 + 2_000 * n * degree
        )
        if missing == n * degree % 2:
            links: np.ndarray = links_of(table, filled)
            toggle_sweeps(links, table, filled, x, y, length, diagonal, state, sweeps)
            return links
    raise InputError(
        f"{name}: no {degree}-regular graph with links up to {length} was found on these {n} switches"
        f" ({missing} ends stayed open); use a larger length or a lower degree"
    )


def _corner_room(x: np.ndarray, y: np.ndarray, length: int, *, diagonal: bool) -> int:
    """The smallest number of switches within `length` of a switch (one of the four corners)."""
    corners = [0, int(x[y == 0].size) - 1, x.size - int(x[y == y.max()].size), x.size - 1]
    dx, dy = np.abs(x[corners][:, None] - x), np.abs(y[corners][:, None] - y)
    return int(((np.maximum(dx, dy) if diagonal else dx + dy) <= length).sum(axis=1).min()) - 1
