"""LU: sweeps over a cube whose columns are shared by ranks; a wave of small messages for every plane."""

from topoloom.simulation.applications.nas.actions import DOUBLE, INTEGER, LOGICAL, TraceLines
from topoloom.simulation.applications.nas.skeleton import ClockedParts, NasRun, check_ranks, share, skeleton
from topoloom.simulation.applications.program import RankTraces

SIZES = {"S": (12, 50), "W": (33, 300), "A": (64, 250), "B": (102, 250), "C": (162, 250), "D": (408, 300)}
"""Points per side and steps, by class."""

_LOWER, _UPPER, _RIGHT_SIDE = 0.42, 0.42, 0.16
"""Shares of a step's operations: the sweep up, the sweep down, the right-hand side."""

_FROM_SOUTH, _FROM_NORTH, _FROM_EAST, _FROM_WEST = 1, 2, 3, 4


def lu(run: NasRun) -> RankTraces:
    """Return the skeleton of LU.

    Ranks form a grid, as square as possible, over x (north to south) and y (west to east); each has all planes of its columns.
    The sweep up passes a row of points south and east, plane by plane; the sweep down passes them back; then the right-hand
    side exchanges faces two points deep. One untimed step comes first.

    Source: NAS reports 95-020 and 02-007; the program of NPB3.3-MPI.
    """
    size, default_steps = SIZES[run.size]
    check_ranks(
        "lu",
        run.ranks,
        f"x times y with y <= x <= 2 y and x <= {size // 3} for class {run.size}",
        lambda ranks: _fits(ranks, size),
    )
    steps = run.steps(default_steps)
    step = 1984.77 * size**3 - 10923.3 * size**2 + 27770.9 * size - 144010

    def parts(me: TraceLines) -> ClockedParts:
        grid = _Grid(me, size, run.ranks)
        norm = me.allreduce(5, DOUBLE)
        once = me.allreduce(1, DOUBLE)
        swap = grid.swap("x") + grid.swap("y")
        # With a single step, the first solve, also of one step, includes the norms.
        first = grid.step(0.0, norm if steps == 1 else "", norm if steps == 1 else "")
        sizes = me.bcast(1, INTEGER) * 3 + me.bcast(1, DOUBLE) * 2 + me.bcast(5, DOUBLE) + me.bcast(1, INTEGER) * 3
        start = swap + norm + me.barrier()
        timed = grid.step(step, "", "") * (steps - 1) + grid.step(step, norm, norm)
        integral = grid.corner() + once + grid.edges("y") + once + grid.edges("x") + once
        return ClockedParts(
            sizes + me.bcast(1, LOGICAL) + swap + start + first + once + start, timed, once + norm + integral
        )

    return skeleton("lu", run, steps * step, parts)


def _shape(ranks: int) -> tuple[int, int]:
    along = next(number for number in range(int((ranks + 0.5) ** 0.5), 0, -1) if ranks % number == 0)
    return ranks // along, along


def _fits(ranks: int, size: int) -> bool:
    down, along = _shape(ranks)
    return along <= down <= 2 * along and size // down >= 3


class _Grid:
    """The columns of a rank, its neighbours (None at the border) and the messages that they exchange."""

    def __init__(self, me: TraceLines, size: int, ranks: int) -> None:
        down, along = _shape(ranks)
        self.me, self.size = me, size
        column, row = divmod(me.number, down)
        self.x, self.y = share(size, down, row), share(size, along, column)
        self.north = me.number - 1 if row > 0 else None
        self.south = me.number + 1 if row < down - 1 else None
        self.west = me.number - down if column > 0 else None
        self.east = me.number + down if column < along - 1 else None
        self.part = self.x * self.y / size**2

    def step(self, operations: float, correction: str, residual: str) -> str:
        """Return a step, with the norms that it computes of the correction and of the residual."""
        me, planes = self.me, self.size - 2
        share_of_operations = operations * self.part
        lower, upper = (
            me.compute(_LOWER * share_of_operations / planes),
            me.compute(_UPPER * share_of_operations / planes),
        )
        up = self._received(self.north, self.west, _FROM_NORTH, _FROM_WEST) + lower
        up += self._sent(self.south, self.east, _FROM_NORTH, _FROM_WEST)
        down = self._received(self.south, self.east, _FROM_SOUTH, _FROM_EAST) + upper
        down += self._sent(self.north, self.west, _FROM_SOUTH, _FROM_EAST)
        right = me.compute(_RIGHT_SIDE * share_of_operations / 2)
        right = self.swap("x") + right + self.swap("y") + right
        return up * planes + down * planes + correction + right + residual

    def _rows(self) -> tuple[int, int]:
        """Return the numbers in a row of points along y and along x, five per point, without the cube's boundary."""
        return (
            5 * (self.y - (self.west is None) - (self.east is None)),
            5 * (self.x - (self.north is None) - (self.south is None)),
        )

    def _received(self, first: int | None, second: int | None, first_tag: int, second_tag: int) -> str:
        along_y, along_x = self._rows()
        text = "" if first is None else self.me.recv(first, first_tag, along_y)
        return text + ("" if second is None else self.me.recv(second, second_tag, along_x))

    def _sent(self, first: int | None, second: int | None, first_tag: int, second_tag: int) -> str:
        along_y, along_x = self._rows()
        text = "" if first is None else self.me.send(first, first_tag, along_y)
        return text + ("" if second is None else self.me.send(second, second_tag, along_x))

    def swap(self, axis: str) -> str:
        """Return the exchange of faces two points deep along an axis, forward and back."""
        if axis == "x":
            count = 10 * self.y * self.size
            return self._pass(self.north, self.south, _FROM_NORTH, count) + self._pass(
                self.south, self.north, _FROM_SOUTH, count
            )
        count = 10 * self.x * self.size
        return self._pass(self.west, self.east, _FROM_WEST, count) + self._pass(self.east, self.west, _FROM_EAST, count)

    def _pass(self, source: int | None, to: int | None, tag: int, count: int) -> str:
        """Post a receive, send, wait; parts without a neighbour are omitted."""
        me = self.me
        text = "" if source is None else me.irecv(source, tag, count)
        text += "" if to is None else me.send(to, tag, count)
        return text + ("" if source is None else me.wait_received(source, tag))

    def _chain(self, source: int | None, to: int | None, tag: int, count: int) -> str:
        """Receive from one side, then send to the other: a chain through the line of ranks."""
        me = self.me
        text = "" if source is None else me.irecv(source, tag, count) + me.wait_received(source, tag)
        return text + ("" if to is None else me.send(to, tag, count))

    def corner(self) -> str:
        """Return the top and bottom of the surface integral: a row from the east, one from the south with its corners."""
        return self._chain(self.east, self.west, _FROM_EAST, 2 * self.x) + self._chain(
            self.south, self.north, _FROM_SOUTH, 2 * (self.y + 2)
        )

    def edges(self, axis: str) -> str:
        """Return two sides of the surface integral, across an axis: a line of points for each side at which the rank is."""
        if axis == "y":
            sides = (self.west is None) + (self.east is None)
            return self._chain(self.south, self.north, _FROM_SOUTH, self.size) * sides
        sides = (self.north is None) + (self.south is None)
        return self._chain(self.east, self.west, _FROM_EAST, self.size) * sides
