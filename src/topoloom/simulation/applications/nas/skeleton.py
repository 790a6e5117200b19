"""What the skeletons share: the trace of three parts, even shares, and the numbers of ranks that are refused."""

from collections.abc import Callable
from typing import NamedTuple

from topoloom.core.errors import InputError
from topoloom.simulation.applications.nas.actions import TraceLines
from topoloom.simulation.applications.program import CLOCK_STARTS, CLOCK_STOPS, RankTraces

_MOST = 1 << 20  # ranks that are looked at for the nearest


class ClockedParts(NamedTuple):
    """The text of a rank: what the benchmark does before its clock runs, while it runs, and after."""

    before: str
    timed: str
    after: str


class NasRun(NamedTuple):
    """What a run of a benchmark is told: its ranks, its class, its iterations (0: the class's own), its untimed parts."""

    ranks: int
    size: str
    iterations: int = 0
    untimed: bool = True

    def steps(self, usual: int) -> int:
        """The iterations asked for, or the class's own."""
        return self.iterations or usual


def skeleton(name: str, run: NasRun, operations: float, parts: Callable[[TraceLines], ClockedParts]) -> RankTraces:
    """The trace of a benchmark whose ranks have these parts.

    Without the untimed parts the trace is what the benchmark's clock measures; with them it is marked where that starts and
    stops, so that operations over simulated seconds is the rate that it would print.

    Parameters
    ----------
    name : str
        The benchmark, in lower case.
    run : NasRun
        Class, ranks, iterations, and whether the untimed parts are in.
    operations : float
        Operations that the benchmark counts for its rate.
    parts : callable (TraceLines) to ClockedParts
        A rank's actions before, within and after what the benchmark's clock measures.

    Returns
    -------
    RankTraces
        Whose text of each rank is made when it is asked for.
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
    """How many of `total` the part-th of `parts` has, as even as can be, the first ones having one more.

    Parameters
    ----------
    total : int
        What is shared out.
    parts : int
        Among how many.
    part : int
        Whose share, from 0.

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
    """Refuse a number of ranks that the benchmark does not take.

    Parameters
    ----------
    name : str
    ranks : int
    rule : str
        What the number of ranks is: ``a power of two``.
    accepts : callable
        Whether a number of ranks is taken.

    Raises
    ------
    InputError
        Naming the nearest numbers that it takes.
    """
    if ranks >= 1 and accepts(ranks):
        return
    start = min(max(ranks, 0), _MOST + 1)
    below = next((number for number in range(start - 1, 0, -1) if accepts(number)), None)
    above = next((number for number in range(start + 1, min(4 * start + 1100, _MOST + 1)) if accepts(number)), None)
    near = ", ".join(str(number) for number in (below, above) if number is not None)
    raise InputError(f"{name}: {ranks} ranks; the number of ranks is {rule} (nearest: {near})")


def is_power_of_two(number: int) -> bool:
    """Whether a whole number above zero is a power of two."""
    return number & (number - 1) == 0
