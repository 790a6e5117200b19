"""Traces: the packets of a CSV file, each with its cycle."""

import numpy as np

from topoloom.core.errors import InputError, at
from topoloom.core.files import read_text
from topoloom.core.text_parts import text_lines, whole_in
from topoloom.throughput.traffic.finite import Trace
from topoloom.throughput.traffic.register import PatternRequest, pattern

#: Characters in the longest trace file (about ten million packets); the last cycle; flits in the longest packet.
_MOST_CHARACTERS, _LAST, _MOST_FLITS = 200_000_000, 1 << 30, 1 << 10
_COLUMNS = ("cycle", "source", "destination", "flits")


@pattern(
    "trace", "the packets of a CSV file with the columns cycle, source, destination and, optionally, flits", rest="FILE"
)
def trace(request: PatternRequest) -> Trace:
    """Columns may be in any order under their names; empty lines and lines that start with # are skipped."""
    table = read_trace(request.rest, request.hosts)
    table = table[np.argsort(table[:, 0], kind="stable")]
    cycle, source, destination, flits = (table[:, column] for column in range(4))
    return Trace(
        request.name, cycle.copy(), source.astype(np.int32), destination.astype(np.int32), flits.astype(np.int32)
    )


def read_trace(path: str, hosts: int) -> np.ndarray:
    """Return the packets of a CSV file, int64[k, 4] by `_COLUMNS`, in the order of the file.

    Raises
    ------
    InputError
        ``file:line: reason``: a missing or unknown column, a cell that is not a whole number or is out of range; no packets.
    """
    lines = [
        (number, line)
        for number, line in enumerate(text_lines(read_text(path, _MOST_CHARACTERS)), 1)
        if line.strip() and not line.startswith("#")
    ]
    header, first = lines.pop(0) if lines else (1, "")
    names = [name.strip() for name in first.split(",")]
    if sorted(names) not in (sorted(_COLUMNS), sorted(_COLUMNS[:3])):
        raise at(
            path, header, f"the first line is '{','.join(names)[:60]}'; it must name the columns {', '.join(_COLUMNS)}"
        )
    if not lines:
        raise InputError(f"{path}: no packets; add lines with {', '.join(_COLUMNS)}")
    for number, line in lines:
        if line.count(",") != len(names) - 1:
            raise at(path, number, f"{line.count(',') + 1} cells; the first line has {len(names)}")
    cells = ",".join(line for _, line in lines).split(",")
    table = np.ones((len(lines), len(_COLUMNS)), np.int64)
    table[:, [_COLUMNS.index(name) for name in names]] = np.fromiter(map(_whole, cells), np.int64).reshape(
        len(lines), -1
    )
    least, most = (0, 0, 0, 1), (_LAST, hosts - 1, hosts - 1, _MOST_FLITS)
    wrong = np.argwhere((table < least) | (table > most))
    if wrong.size:
        row, column = wrong[0].tolist()
        cell = lines[row][1].split(",")[names.index(_COLUMNS[column])].strip()
        wanted = f"it must be a whole number from {least[column]} to {most[column]}"
        raise at(path, lines[row][0], f"{_COLUMNS[column]} '{cell[:40]}'; {wanted}")
    return table


def _whole(cell: str) -> int:
    """Return the number in a cell; -1 when it is not a whole number."""
    number = whole_in(cell, 10**12)
    return -1 if number is None else number
