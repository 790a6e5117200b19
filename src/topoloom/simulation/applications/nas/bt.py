"""BT: an implicit solver with blocks of 5 x 5, and pipelines along the three axes of a cube."""

from topoloom.simulation.applications.nas.actions import DOUBLE, INTEGER, LOGICAL, TraceLines
from topoloom.simulation.applications.nas.cells import Cells, cells_of, check_cells, faces
from topoloom.simulation.applications.nas.skeleton import ClockedParts, NasRun, skeleton
from topoloom.simulation.applications.program import RankTraces

SIZES = {"S": (12, 60), "W": (24, 200), "A": (64, 200), "B": (102, 200), "C": (162, 200), "D": (408, 250)}
"""Points per side and time steps, by class."""

_RIGHT_SIDE, _FORWARD, _BACKWARD = 0.1, 0.285, 0.015
"""Shares of a step's operations: the right-hand side, and for each axis the elimination and the substitution."""

_FORWARD_TAGS = (3000, 5000, 6000)
_BACKWARD_TAGS = (2000, 4000, 7000)


def bt(run: NasRun) -> RankTraces:
    """Return the skeleton of BT.

    A step exchanges faces, then solves along x, y and z: elimination goes through the slabs of the axis from the first to
    the last, substitution goes back, and every rank has work in every slab. One untimed step comes first.

    Source: NAS reports 95-020 and 02-007; the program of NPB3.3-MPI.
    """
    size, default_steps = SIZES[run.size]
    check_cells("bt", run, size)
    steps = run.steps(default_steps)
    step = 3478.8 * size**3 - 17655.7 * size**2 + 28023.7 * size

    def parts(me: TraceLines) -> ClockedParts:
        cells = cells_of(size, run.ranks, me.number)
        room = (size // cells.side + 1) ** 2

        def step_text(unit: float) -> str:
            right = _RIGHT_SIDE * unit * sum(cells.points(cell) for cell in range(cells.side))
            solves = "".join(_solve(me, cells, axis, room, unit) for axis in range(3))
            return faces(me, cells) + me.compute(right) + solves

        sizes = me.bcast(1, INTEGER) + me.bcast(1, DOUBLE) + me.bcast(3, INTEGER) + me.bcast(1, INTEGER) * 2
        norm = me.allreduce(5, DOUBLE)
        return ClockedParts(
            sizes + me.bcast(1, LOGICAL) + step_text(0.0) + me.barrier(),
            step_text(step / size**3) * steps,
            norm + faces(me, cells) + norm + me.reduce(1, DOUBLE) + me.barrier(),
        )

    return skeleton("bt", run, steps * step, parts)


def _solve(me: TraceLines, cells: Cells, axis: int, room: int, unit: float) -> str:
    """Return the two sweeps along an axis. The blocks of a face travel forward, its solution back."""
    last = cells.side - 1
    before, after = cells.before[axis], cells.after[axis]
    text, sent = "", ""
    for place in range(cells.side):
        cell = cells.slab(axis, place)
        tag = _FORWARD_TAGS[axis] + _line(cells, cell, axis)
        if place > 0:
            text += me.irecv(before, tag, room * 30) + sent + me.wait_received(before, tag)
        text += me.compute(_FORWARD * unit * cells.points(cell))
        if place < last:
            text += me.isend(after, tag, room * 30)
            sent = me.wait_sent(after, tag)
    for place in range(last, -1, -1):
        cell = cells.slab(axis, place)
        tag = _BACKWARD_TAGS[axis] + _line(cells, cell, axis)
        if place < last:
            text += me.irecv(after, tag, room * 5) + sent + me.wait_received(after, tag)
        text += me.compute(_BACKWARD * unit * cells.points(cell))
        if place > 0:
            text += me.isend(before, tag, room * 5)
            sent = me.wait_sent(before, tag)
    return text


def _line(cells: Cells, cell: int, axis: int) -> int:
    """Return the number of a line of cells, among all along an axis; it distinguishes the messages of lines."""
    first, second = (at for other, at in enumerate(cells.at[cell]) if other != axis)
    return first + second * cells.side
