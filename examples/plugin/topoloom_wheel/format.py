"""The format `adjacency`: one line of 0 and 1 per switch."""

import numpy as np

from topoloom.core.errors import at
from topoloom.formats import Format, register
from topoloom.model.topology import Topology


def read(data: bytes, source: str) -> Topology:
    """Read the topology of an adjacency matrix."""
    rows = data.decode("ascii", "replace").split()
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows) or set(row) - {"0", "1"}:
            raise at(source, number, f"the line must have {len(rows)} digits 0 or 1, the number of lines")
    matrix = np.array([[int(digit) for digit in row] for row in rows])
    return Topology(links=np.argwhere(np.triu(matrix)), switches=len(rows), name=source)


def write(topology: Topology) -> str:
    """Write the symmetric adjacency matrix."""
    matrix = np.zeros((topology.switches, topology.switches), int)
    matrix[topology.links[:, 0], topology.links[:, 1]] = matrix[topology.links[:, 1], topology.links[:, 0]] = 1
    return "".join("".join(map(str, row)) + "\n" for row in matrix.tolist())


register(
    Format(
        name="adjacency",
        suffixes=(".adjacency",),
        description="an adjacency matrix: one line of 0 and 1 per switch",
        keeps=frozenset({"isolated"}),
        read=read,
        write=write,
    )
)
