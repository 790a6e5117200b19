"""The kinds of programs: C or Fortran sources to compile, MPI traces to replay, or a schedule."""

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
    """The equivalent of a compiled program for simulators of schedules.

    Attributes
    ----------
    programs : callable (AppSettings) -> Programs
        Returns the operations of each rank, with the collectives that the settings choose.
    results : callable (ScheduleRun, AppSettings) -> dict of str to Measurement
        Returns the results that the program would print.
    """

    programs: "Callable[[AppSettings], Programs]"
    results: "Callable[[ScheduleRun, AppSettings], dict[str, Measurement]]"


@dataclass(frozen=True)
class Moved:
    """A program that is a collective of all its ranks, whose lower bound is known.

    Attributes
    ----------
    operation : str
        A key of `topoloom.simulation.collectives.bound.OPERATIONS`.
    bytes : int
        Bytes as defined there, for all repetitions together.
    """

    operation: str
    bytes: int


@dataclass(frozen=True)
class Source:
    """A program that is compiled and run.

    Attributes
    ----------
    name : str
        A label for messages and tables: ``alltoall(bytes=65536)``.
    files : tuple of Path
        C (.c) or Fortran (.f, .f90) sources, compiled together by smpicc or smpiff.
    arguments : tuple of str
        The program's arguments.
    built_in : bool
        Whether the program is part of topoloom: these print their results as lines ``result NAME VALUE UNIT``, have no global
        variables, and always end, so that no time limit is needed.
    binary : Path, optional
        The compiled program, if it is built already.
    measure : str
        The result by which networks are compared; empty: the total time.
    schedule : AsSchedule, optional
        The equivalent for simulators that do not run code.
    moved : Moved, optional
        The collective that the program performs.
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
    """A program as time-independent traces: what each rank sends, receives and computes, in order.

    Attributes
    ----------
    name : str
        A label for messages and tables: ``CG.A``.
    ranks : int
    text : callable
        The trace of a rank in SimGrid's format, from ``RANK init`` to ``RANK finalize``, one line per action.
    operations : float
        The operations that the program counts, for Mop/s; 0 where it counts none.
    timed : bool
        Whether the traces cover exactly what the program's clock measures, so that operations per second are its rate.
    marked : callable, optional
        The trace of a rank with computations of `CLOCK_STARTS` and `CLOCK_STOPS` operations where the program's clock starts
        and stops, for programs that measure only a part.
    programs : Programs, optional
        The equivalent for simulators of schedules, if known without reading the traces.
    moved : Moved, optional
        The collective that the program performs.
    notes : tuple of str
        What the files leave open, a sentence each: messages that are all empty.
    """

    name: str
    ranks: int
    text: Callable[[int], str]
    operations: float = 0.0
    timed: bool = True
    marked: Callable[[int], str] | None = None
    programs: Programs | None = None
    moved: Moved | None = None
    notes: tuple[str, ...] = ()


#: Numbers of operations that no program has: in a trace they are marks for platform.cpp, and take negligible time.
CLOCK_STARTS, CLOCK_STOPS = 2.0**-10, 2.0**-11

Program = Source | RankTraces | Schedule
