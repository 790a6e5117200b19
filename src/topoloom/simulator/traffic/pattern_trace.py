"""Traces: packets of a CSV file, each with its cycle."""

import numpy as np

from topoloom.errors import InputError, at
from topoloom.files import read_text
from topoloom.simulator.traffic.kinds import Trace
from topoloom.simulator.traffic.registry import Asked, pattern

#: Characters of the longest trace, some ten million packets; the last cycle; flits of the longest packet.
_LONGEST, _LAST, _MOST_FLITS = 200_000_000, 1 << 30, 1 << 10
_COLUMNS = ("cycle", "source", "destination", "flits")


@pattern("trace", "the packets of a CSV file: columns cycle, source, destination and, if not 1, flits", rest="FILE")
def trace(asked: Asked) -> Trace:
    """Columns in any order under their names; empty lines and lines that begin with # are skipped."""
    table = read_trace(asked.rest, asked.hosts)
    table = table[np.argsort(table[:, 0], kind="stable")]
    cycle, source, destination, flits = (table[:, column] for column in range(4))
    return Trace(
        asked.name, cycle.copy(), source.astype(np.int32), destination.astype(np.int32), flits.astype(np.int32)
    )


def read_trace(path: str, hosts: int) -> np.ndarray:
    """The packets of a CSV file, int64[k, 4] by `_COLUMNS`, in the order of the file.

    Raises
    ------
    InputError
        ``file:line: reason``: a column that is missing or unknown, a cell that is no whole number or out of range; no
        packet at all.
    """
    rows = (
        (number, [cell.strip() for cell in line.split(",")])
        for number, line in enumerate(read_text(path, _LONGEST).splitlines(), 1)
        if line.strip() and not line.startswith("#")
    )
    header, names = next(rows, (1, []))
    if sorted(names) not in (sorted(_COLUMNS), sorted(_COLUMNS[:3])):
        raise at(path, header, f"the first line is '{','.join(names)[:60]}'; it must name {', '.join(_COLUMNS)}")
    place = [names.index(name) if name in names else -1 for name in _COLUMNS]
    highest = (_LAST, hosts - 1, hosts - 1, _MOST_FLITS)
    found: list[int] = []
    for number, cells in rows:
        if len(cells) != len(names):
            raise at(path, number, f"{len(cells)} cells; the first line has {len(names)}")
        for column, most in enumerate(highest):
            cell = cells[place[column]] if place[column] >= 0 else "1"
            least = column == 3
            value = int(cell) if cell.isascii() and cell.isdigit() and len(cell) < 12 else -1
            if not least <= value <= most:
                raise at(
                    path, number, f"{_COLUMNS[column]} '{cell[:40]}'; a whole number of {least:d} to {most} is needed"
                )
            found.append(value)
    if not found:
        raise InputError(f"{path}: no packet; write lines of {', '.join(_COLUMNS)}")
    return np.array(found, np.int64).reshape(-1, 4)
