"""Common parts of the skeletons: the trace of three parts, even shares, and checks of the number of ranks."""

from collections.abc import Callable
from typing import NamedTuple

from topoloom.core.errors import InputError
from topoloom.simulation.applications.nas.actions import TraceLines
from topoloom.simulation.applications.program import CLOCK_STARTS, CLOCK_STOPS, RankTraces

_MOST = 1 << 20  # the largest number of ranks that is suggested


class ClockedParts(NamedTuple):
    """The trace text of a rank: before the benchmark's clock runs, while it runs, and after."""

    before: str
    timed: str
    after: str


class NasRun(NamedTuple):
    """The inputs of a benchmark: ranks, class, iterations (0: the class's default), and whether untimed parts are included."""

    ranks: int
    size: str
    iterations: int = 0
    untimed: bool = True

    def steps(self, default: int) -> int:
        """The requested iterations, or the class's default."""
        return self.iterations or default


def skeleton(name: str, run: NasRun, operations: float, parts: Callable[[TraceLines], ClockedParts]) -> RankTraces:
    """Return the trace of a benchmark whose ranks have these parts.

    Without the untimed parts, the trace is exactly what the benchmark's clock measures. With them, marks show where the clock
    starts and stops, so that operations per simulated second are the rate that the benchmark would print.

    Parameters
    ----------
    name : str
        The benchmark, in lower case.
    run : NasRun
        Class, ranks, iterations, and whether untimed parts are included.
    operations : float
        Operations that the benchmark counts for its rate.
    parts : callable (TraceLines) to ClockedParts
        A rank's actions before, within and after what the benchmark's clock measures.

    Returns
    -------
    RankTraces
        The traces; the text of a rank is created on demand.
    """

    def text(rank: int, marks: tuple[str, str] = ("", "")) -> str:
        before, timed, after = parts(TraceLines(rank))
        inside = before + marks[0] + timed + marks[1] + after if run.untimed else timed
        return f"{rank} init\n{inside}{rank} finalize\n"

    def marked(rank: int) -> str:
        me = TraceLines(rank)
        return text(rank, (me.compute(CLOCK_STARTS), me.compute(CLOCK_STOPS)))

    cut = [f"iterations={run.iterations}"] * bool(run.iterations) + ["untimed=no"] * (not run.untimed)
    label = f"{name.upper()}.{run.size}" + f"({','.join(cut)})" * bool(cut)
    return RankTraces(label, run.ranks, text, operations, timed=not run.untimed, marked=marked if run.untimed else None)


def share(total: int, parts: int, part: int) -> int:
    """Return the share of part number `part` when `total` is divided as evenly as possible; the first parts get one more.

    Parameters
    ----------
    total : int
        The number to divide.
    parts : int
        The number of parts.
    part : int
        The part, from 0.

    Returns
    -------
    int
        total // parts, or one more.

    Examples
    --------
    >>> [share(10, 4, part) for part in range(4)]
    [3, 3, 2, 2]
    """
    return total // parts + (part < total % parts)


def check_ranks(name: str, ranks: int, rule: str, accepts: Callable[[int], bool]) -> None:
    """Refuse a number of ranks that the benchmark does not accept.

    Parameters
    ----------
    name : str
        The benchmark, for the message.
    ranks : int
        The number of ranks to check.
    rule : str
        The condition in words: ``a power of two``.
    accepts : callable
        Whether a number of ranks is accepted.

    Raises
    ------
    InputError
        The number is not accepted; the message names the nearest accepted ones.
    """
    if ranks >= 1 and accepts(ranks):
        return
    start = min(max(ranks, 0), _MOST + 1)
    below = next((number for number in range(start - 1, 0, -1) if accepts(number)), None)
    above = next((number for number in range(start + 1, min(4 * start + 1100, _MOST + 1)) if accepts(number)), None)
    near = ", ".join(str(number) for number in (below, above) if number is not None)
    raise InputError(f"{name}: {ranks} ranks; the number of ranks must be {rule} (nearest: {near})")


def is_power_of_two(number: int) -> bool:
    """Return whether a positive whole number is a power of two."""
    return number & (number - 1) == 0
