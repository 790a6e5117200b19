"""What runs: C or Fortran to compile, traces of MPI to replay, or a schedule."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from topoloom.simulation.flows.programs import Programs
from topoloom.simulation.flows.schedule import Schedule

if TYPE_CHECKING:
    from topoloom.simulation.applications.app_run import Measurement
    from topoloom.simulation.applications.schedule_run import ScheduleRun
    from topoloom.simulation.applications.settings import AppSettings


@dataclass(frozen=True)
class AsSchedule:
    """What simulators of schedules run in the place of a compiled program.

    Attributes
    ----------
    programs : callable (AppSettings) -> Programs
        What each rank does, with the collectives that the settings choose.
    results : callable (ScheduleRun, AppSettings) -> dict of str to Measurement
        What the program would print.
    """

    programs: "Callable[[AppSettings], Programs]"
    results: "Callable[[ScheduleRun, AppSettings], dict[str, Measurement]]"


@dataclass(frozen=True)
class Moved:
    """A program as a collective of all its ranks, whose least time is known.

    Attributes
    ----------
    operation : str
        Of `topoloom.simulation.collectives.bound.OPERATIONS`.
    bytes : int
        As it has them, of all repetitions together.
    """

    operation: str
    bytes: int


@dataclass(frozen=True)
class Source:
    """A program that is compiled and run.

    Attributes
    ----------
    name : str
        For people: ``alltoall(bytes=65536)``.
    files : tuple of Path
        C (.c) or Fortran (.f, .f90) sources, compiled together by smpicc or smpiff.
    arguments : tuple of str
        What it is called with.
    built_in : bool
        Whether it is one of topoloom's: those print their results as lines ``result NAME VALUE UNIT``, have no global
        variables, and end by themselves, so that no time limit is needed.
    binary : Path, optional
        The program, where it is built already.
    measure : str
        Which of its results networks are compared by; empty: the whole time.
    schedule : AsSchedule, optional
        The same for simulators that run no code.
    moved : Moved, optional
        The collective that it is.
    """

    name: str
    files: tuple[Path, ...]
    arguments: tuple[str, ...] = ()
    built_in: bool = True
    binary: Path | None = None
    measure: str = ""
    schedule: AsSchedule | None = None
    moved: Moved | None = None


@dataclass(frozen=True)
class RankTraces:
    """A program as time-independent traces: what each rank sends, receives and computes, in its order.

    Attributes
    ----------
    name : str
        For people: ``CG.A``.
    ranks : int
    text : callable
        The trace of a rank in SimGrid's format, from ``RANK init`` to ``RANK finalize``, a line an action.
    operations : float
        What the program counts as its operations, for Mop/s; 0 where it counts none.
    timed : bool
        Whether the traces are what the program's own clock measures, so that operations over seconds are its Mop/s.
    marked : callable, optional
        The trace of a rank with `CLOCK_STARTS` and `CLOCK_STOPS` computed where the program's own clock does so, where it
        measures only a part.
    programs : Programs, optional
        The same for simulators of schedules, where it is known without reading the traces.
    moved : Moved, optional
        The collective that it is.
    """

    name: str
    ranks: int
    text: Callable[[int], str]
    operations: float = 0.0
    timed: bool = True
    marked: Callable[[int], str] | None = None
    programs: Programs | None = None
    moved: Moved | None = None


#: Operations that no program has: in a trace they are marks for platform.cpp, which take no time that matters.
CLOCK_STARTS, CLOCK_STOPS = 2.0**-10, 2.0**-11

Program = Source | RankTraces | Schedule
