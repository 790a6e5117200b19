"""MG: a multigrid solver on a cube, with halos on every level, most of them small."""

from typing import NamedTuple

from topoloom.simulation.applications.nas.actions import DOUBLE, INTEGER, LOGICAL, TraceLines
from topoloom.simulation.applications.nas.skeleton import ClockedParts, NasRun, check_ranks, is_power_of_two, skeleton
from topoloom.simulation.applications.program import RankTraces

SIZES = {"S": (5, 4), "W": (7, 4), "A": (8, 4), "B": (8, 20), "C": (9, 20), "D": (10, 50)}
"""The finest level (its grid has 2^level points per side) and iterations, by class."""

_RESIDUAL, _SMOOTH, _RESTRICT, _INTERPOLATE = 15, 16, 24, 23
"""Operations per point of the routines' loops (the last two: per point of the coarser level), used only for their shares."""


class _Level(NamedTuple):
    """One level, as seen by one rank.

    ``points`` is its number of points by axis, including the halo; ``neighbours`` the ranks before and after it by axis; where
    ranks outnumber the points of the coarser level, ``takes`` and ``gives`` mark the axes on which it borrows or lends.
    """

    points: list[int]
    neighbours: list[tuple[int, int]]
    takes: list[bool]
    gives: list[bool]

    @property
    def inside(self) -> int:
        """The rank's own points, without the halo."""
        x, y, z = self.points
        return (x - 2) * (y - 2) * (z - 2)

    @property
    def omitted(self) -> bool:
        """Whether the rank has no points on this level."""
        return self.inside == 0


def mg(run: NasRun) -> RankTraces:
    """Return the skeleton of MG.

    Ranks form a box of powers of two. Every operator on a level is followed by a halo exchange, one point deep, on its three
    axes, one after the other. Coarse levels have fewer points than ranks: ranks without points do nothing there, and receive
    data when the correction is interpolated. One V-cycle and two set-ups are untimed and come first.

    Source: NAS reports 95-020 and 02-007; the program of NPB3.3-MPI.
    """
    finest, default_iterations = SIZES[run.size]
    side = 1 << finest
    check_ranks(
        "mg",
        run.ranks,
        f"a power of two of at most {side}^3 for class {run.size}",
        lambda ranks: is_power_of_two(ranks) and max(_box(ranks)) <= side,
    )
    steps = run.steps(default_iterations)
    unit = 58.0 * side**3 / _loops(finest)

    def parts(me: TraceLines) -> ClockedParts:
        levels = _levels(finest, run.ranks, me.number)
        room = 2 * (2 + side // _box(run.ranks)[0]) ** 2 if run.ranks > 1 else 0
        halo = {k: _halo(me, level, room) for k, level in levels.items()}
        lent = {k: _lend(me, level, room) for k, level in levels.items()}
        norm = me.allreduce(1, DOUBLE) * 2
        charge = me.barrier() + (me.allreduce(1, DOUBLE) + me.allreduce(4, INTEGER)) * 20 + me.barrier() + halo[finest]

        def cycle(unit: float) -> str:
            """Return a V-cycle and the residual after it."""
            work = {k: unit * level.inside for k, level in levels.items()}
            residual = {k: me.compute(_RESIDUAL * work[k]) + halo[k] for k in levels}
            smooth = {k: me.compute(_SMOOTH * work[k]) + halo[k] for k in levels}
            text = "".join(me.compute(_RESTRICT * work[k]) + halo[k] for k in range(finest - 1, 0, -1)) + smooth[1]
            for k in range(2, finest + 1):
                text += me.compute(_INTERPOLATE * work[k - 1]) + lent[k] + residual[k] + smooth[k]
            return text + residual[finest]

        sizes = me.bcast(1, INTEGER) * 5 + me.bcast(8, INTEGER) + me.bcast(1, LOGICAL)
        before = me.barrier() + sizes + charge + norm + halo[finest] + norm + cycle(0.0) + charge + me.barrier()
        return ClockedParts(before, halo[finest] + norm + cycle(unit) * steps + norm, me.reduce(1, DOUBLE))

    return skeleton("mg", run, 58.0 * steps * side**3, parts)


def _loops(finest: int) -> int:
    """Return the operations of one iteration's loops over all levels; the benchmark's own count is divided in proportion."""
    points = [1 << 3 * k for k in range(finest + 1)]
    residual = sum(points[2:finest]) + 2 * points[finest]
    coarser = sum(points[1:finest])
    return _RESIDUAL * residual + _SMOOTH * (coarser + points[finest]) + (_RESTRICT + _INTERPOLATE) * coarser


def _box(ranks: int) -> tuple[int, int, int]:
    exponent = ranks.bit_length() - 1
    first = exponent // 3
    second = (exponent - first) // 2
    return 1 << first, 1 << second, 1 << exponent - first - second


def _levels(finest: int, ranks: int, rank: int) -> dict[int, _Level]:
    """Return the levels of a rank, from the finest to the coarsest, 1."""
    box = _box(ranks)
    strides = (1, box[0], box[0] * box[1])
    place = [rank // stride % wide for stride, wide in zip(strides, box, strict=True)]
    apart = [1, 1, 1]  # distance to the next rank that still has points
    levels: dict[int, _Level] = {}
    for k in range(finest, 0, -1):
        level = _Level([], [], [False] * 3, [False] * 3)
        for axis, (wide, at) in enumerate(zip(box, place, strict=True)):
            own_points = _between(at, wide, 1 << k)
            next_points = _between(at + apart[axis], wide, 1 << k)
            if own_points == 0 or next_points == 0:
                apart[axis] *= 2
            if k < finest:  # during interpolation, the finer level gets data along this axis
                levels[k + 1].gives[axis] = next_points == 0 and own_points == 1
                levels[k + 1].takes[axis] = next_points == 1 and own_points == 0
            before, after = ((at + direction * apart[axis]) % wide for direction in (-1, 1))
            level.neighbours.append((rank + (before - at) * strides[axis], rank + (after - at) * strides[axis]))
            level.points.append(own_points + 2)
        levels[k] = level
    return levels


def _between(at: int, wide: int, points: int) -> int:
    """Return the points of rank `at` among `wide` ranks; `at` may exceed the last rank."""
    return (at + 1) * points // wide - at * points // wide


def _tag(axis: int, direction: int) -> int:
    return 100 * (direction + 2 + 10 * (axis + 1))


def _posted(me: TraceLines, level: _Level, axis: int, room: int) -> str:
    before, after = level.neighbours[axis]
    return me.irecv(after, _tag(axis, -1), room) + me.irecv(before, _tag(axis, 1), room)


def _sent(me: TraceLines, level: _Level, axis: int, forth: int, back: int) -> str:
    before, after = level.neighbours[axis]
    return me.send(after, _tag(axis, 1), forth) + me.send(before, _tag(axis, -1), back)


def _waited(me: TraceLines, level: _Level, axis: int) -> str:
    before, after = level.neighbours[axis]
    return me.wait_received(after, _tag(axis, -1)) + me.wait_received(before, _tag(axis, 1))


def _halo(me: TraceLines, level: _Level, room: int) -> str:
    """Return a halo exchange, one point deep: each axis includes what earlier axes received. A single rank only copies."""
    if not room or level.omitted:
        return ""
    x, y, z = level.points
    faces = ((y - 2) * (z - 2), x * (z - 2), x * y)
    return "".join(
        _posted(me, level, axis, room) + _sent(me, level, axis, face, face) + _waited(me, level, axis)
        for axis, face in enumerate(faces)
    )


def _lend(me: TraceLines, level: _Level, room: int) -> str:
    """Return what ranks with points on the coarser level send to ranks without: one layer back, two layers forward."""
    x, y, z = level.points
    text = ""
    for axis, face in enumerate((y * z, x * z, x * y) if room else ()):
        if level.takes[axis]:
            text += _posted(me, level, axis, room) + _waited(me, level, axis)
        if level.gives[axis]:
            text += _sent(me, level, axis, 2 * face, face)
    return text
