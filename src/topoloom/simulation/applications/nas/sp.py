"""SP: an implicit solver with five scalar equations per point, and pipelines along the three axes of a cube."""

from topoloom.simulation.applications.nas.actions import DOUBLE, INTEGER, LOGICAL, TraceLines
from topoloom.simulation.applications.nas.cells import Cells, cells_of, check_cells, faces
from topoloom.simulation.applications.nas.skeleton import ClockedParts, NasRun, skeleton
from topoloom.simulation.applications.program import RankTraces

SIZES = {"S": (12, 100), "W": (36, 400), "A": (64, 400), "B": (102, 400), "C": (162, 400), "D": (408, 500)}
"""Points per side and time steps, by class."""

_RIGHT_SIDE, _LEFT_SIDE, _FORWARD, _BACKWARD = 0.4, 0.05, 0.11, 0.04
"""Shares of a step's operations: the right-hand side, and for each axis its coefficients and its two sweeps."""


def sp(run: NasRun) -> RankTraces:
    """Return the skeleton of SP.

    It works as BT does, with smaller messages without the boundary, and with overlap: a receive is posted, the coefficients of
    the cell are computed, then the rank waits for the receive and for the previous send.

    Source: NAS reports 95-020 and 02-007; the program of NPB3.3-MPI.
    """
    size, default_steps = SIZES[run.size]
    check_cells("sp", run, size)
    steps = run.steps(default_steps)
    step = 881.174 * size**3 - 4683.91 * size**2 + 11484.5 * size - 19272.4

    def parts(me: TraceLines) -> ClockedParts:
        cells = cells_of(size, run.ranks, me.number)

        def step_text(unit: float) -> str:
            right = _RIGHT_SIDE * unit * sum(cells.points(cell) for cell in range(cells.side))
            return faces(me, cells) + me.compute(right) + "".join(_solve(me, cells, axis, unit) for axis in range(3))

        sizes = me.bcast(1, INTEGER) + me.bcast(1, DOUBLE) + me.bcast(3, INTEGER) + me.bcast(1, LOGICAL)
        norm = me.allreduce(5, DOUBLE)
        return ClockedParts(
            sizes + step_text(0.0) + me.barrier(),
            step_text(step / size**3) * steps,
            norm + faces(me, cells) + norm + me.reduce(1, DOUBLE) + me.barrier(),
        )

    return skeleton("sp", run, steps * step, parts)


def _solve(me: TraceLines, cells: Cells, axis: int, unit: float) -> str:
    """Return the two sweeps along an axis: 22 numbers per line forward, 10 back."""
    last = cells.side - 1
    before, after = cells.before[axis], cells.after[axis]
    text = ""
    for place in range(cells.side):
        cell = cells.slab(axis, place)
        lines = _lines(cells, cell, axis)
        work = unit * cells.points(cell)
        if place > 0:
            text += me.irecv(before, 0, 22 * lines)
        text += me.compute(_LEFT_SIDE * work)
        if place > 0:
            text += me.waitall(2)
        text += me.compute(_FORWARD * work)
        if place < last:
            text += me.isend(after, 0, 22 * lines)
    for place in range(last, -1, -1):
        cell = cells.slab(axis, place)
        lines = _lines(cells, cell, axis)
        if place < last:
            text += me.irecv(after, 0, 10 * lines) + me.waitall(2)
        text += me.compute(_BACKWARD * unit * cells.points(cell))
        if place > 0:
            text += me.isend(before, 0, 10 * lines)
    return text


def _lines(cells: Cells, cell: int, axis: int) -> int:
    """Return the lines of points of a cell along an axis, without those on the boundary of the cube."""
    lines = 1
    for other, (size, at) in enumerate(zip(cells.sizes[cell], cells.at[cell], strict=True)):
        if other != axis:
            lines *= size - (at == 0) - (at == cells.side - 1)
    return lines
