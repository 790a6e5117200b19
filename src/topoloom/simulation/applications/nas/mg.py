"""MG: a multigrid solver on a cube, halos on every level, most of them small."""

from typing import NamedTuple

from topoloom.simulation.applications.nas.actions import DOUBLE, INTEGER, LOGICAL, TraceLines
from topoloom.simulation.applications.nas.skeleton import ClockedParts, NasRun, check_ranks, is_power_of_two, skeleton
from topoloom.simulation.applications.program import RankTraces

SIZES = {"S": (5, 4), "W": (7, 4), "A": (8, 4), "B": (8, 20), "C": (9, 20), "D": (10, 50)}
"""The finest level (its grid has 2^level points a side) and the iterations, by class."""

_RESIDUAL, _SMOOTH, _RESTRICT, _INTERPOLATE = 15, 16, 24, 23
"""Operations a point of the routines' loops (the two last: a point of the coarser level), for their shares only."""


class _Level(NamedTuple):
    """A level as one rank sees it.

    ``points`` are its points by axis, halo and all; ``neighbours`` the ranks before and after it by axis; where ranks
    outnumber the points of the coarser level, ``takes`` and ``gives`` tell the axes on which it borrows or lends.
    """

    points: list[int]
    neighbours: list[tuple[int, int]]
    takes: list[bool]
    gives: list[bool]

    @property
    def inside(self) -> int:
        """Points of its own."""
        x, y, z = self.points
        return (x - 2) * (y - 2) * (z - 2)

    @property
    def omitted(self) -> bool:
        """Whether it has none on this level."""
        return self.inside == 0


def mg(run: NasRun) -> RankTraces:
    """The skeleton of MG.

    Ranks are a box of powers of two, and every operator on a level is followed by a halo of one point on its three axes,
    one after the other. Coarse levels have fewer points than ranks: those that are omitted do nothing, and are served
    when the correction comes back down. One V-cycle and two set-ups come before the clock starts.

    Source: NAS reports 95-020 and 02-007; the program of NPB3.3-MPI.
    """
    finest, usual = SIZES[run.size]
    side = 1 << finest
    check_ranks(
        "mg",
        run.ranks,
        f"a power of two of at most {side}^3 for class {run.size}",
        lambda ranks: is_power_of_two(ranks) and max(_box(ranks)) <= side,
    )
    steps = run.steps(usual)
    unit = 58.0 * side**3 / _loops(finest)

    def parts(me: TraceLines) -> ClockedParts:
        levels = _levels(finest, run.ranks, me.number)
        room = 2 * (2 + side // _box(run.ranks)[0]) ** 2 if run.ranks > 1 else 0
        halo = {k: _halo(me, level, room) for k, level in levels.items()}
        lent = {k: _lend(me, level, room) for k, level in levels.items()}
        norm = me.allreduce(1, DOUBLE) * 2
        charge = me.barrier() + (me.allreduce(1, DOUBLE) + me.allreduce(4, INTEGER)) * 20 + me.barrier() + halo[finest]

        def cycle(unit: float) -> str:
            """A V-cycle and the residual after it."""
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
    """Operations of an iteration's loops, level by level, by which the benchmark's own count is shared out."""
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
    """The levels from the finest to the coarsest, 1, for a rank."""
    box = _box(ranks)
    strides = (1, box[0], box[0] * box[1])
    place = [rank // stride % wide for stride, wide in zip(strides, box, strict=True)]
    apart = [1, 1, 1]  # to the next rank that still has points
    levels: dict[int, _Level] = {}
    for k in range(finest, 0, -1):
        level = _Level([], [], [False] * 3, [False] * 3)
        for axis, (wide, at) in enumerate(zip(box, place, strict=True)):
            here = _between(at, wide, 1 << k)
            there = _between(at + apart[axis], wide, 1 << k)
            if here == 0 or there == 0:
                apart[axis] *= 2
            if k < finest:  # on the way up, the level above is served along this axis
                levels[k + 1].gives[axis] = there == 0 and here == 1
                levels[k + 1].takes[axis] = there == 1 and here == 0
            before, after = ((at + direction * apart[axis]) % wide for direction in (-1, 1))
            level.neighbours.append((rank + (before - at) * strides[axis], rank + (after - at) * strides[axis]))
            level.points.append(here + 2)
        levels[k] = level
    return levels


def _between(at: int, wide: int, points: int) -> int:
    """The points that the at-th of `wide` has; `at` may be beyond the last."""
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
    """A halo of one point: each axis takes along what the axes before it brought. One rank alone copies."""
    if not room or level.omitted:
        return ""
    x, y, z = level.points
    faces = ((y - 2) * (z - 2), x * (z - 2), x * y)
    return "".join(
        _posted(me, level, axis, room) + _sent(me, level, axis, face, face) + _waited(me, level, axis)
        for axis, face in enumerate(faces)
    )


def _lend(me: TraceLines, level: _Level, room: int) -> str:
    """What those with points on the coarser level send to those without: one layer back, two layers on."""
    x, y, z = level.points
    text = ""
    for axis, face in enumerate((y * z, x * z, x * y) if room else ()):
        if level.takes[axis]:
            text += _posted(me, level, axis, room) + _waited(me, level, axis)
        if level.gives[axis]:
            text += _sent(me, level, axis, 2 * face, face)
    return text
