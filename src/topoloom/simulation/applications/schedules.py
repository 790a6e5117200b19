"""Applications as schedules, for simulators that do not run code, and for other tools."""

from topoloom.core.errors import InputError, check_type
from topoloom.simulation.applications.checks import check_whole
from topoloom.simulation.applications.program import AsSchedule, Program, RankTraces, Source
from topoloom.simulation.applications.registry import opened, program_of
from topoloom.simulation.applications.settings import AppSettings
from topoloom.simulation.collectives.messages import schedule_of_trees
from topoloom.simulation.collectives.schedule import CollectiveSchedule
from topoloom.simulation.flows.rank_operations import Operations
from topoloom.simulation.flows.schedule import Schedule


def schedule_of_program(
    app: str | Program | CollectiveSchedule, ranks: int | None = None, settings: AppSettings | None = None
) -> Schedule:
    """Return what the ranks of an application send, receive and compute, message by message.

    Parameters
    ----------
    app : str, Program or CollectiveSchedule
        As for `run_app`, restricted to programs that run as flows: traces, schedules, ``alltoall``, ``allreduce``,
        ``collective``, ``training``, NAS skeletons. Or the schedule of a collective: its messages and their dependencies.
    ranks : int, optional
        The number of ranks; not needed for traces and schedules.
    settings : AppSettings, optional
        Give the speed that converts operations to nanoseconds, and the algorithms of MPI collectives.

    Returns
    -------
    Schedule
        The schedule, which takes as long as the application in the simulator flows. `save_goal` writes it.

    Raises
    ------
    InputError
        A program that exists only as code, a missing number of ranks, or more operations than fit into memory.
    """
    if isinstance(app, CollectiveSchedule):
        schedule = schedule_of_trees(app)
    else:
        check_type(
            app, (str, Source, RankTraces, Schedule), "schedule_of_program", "write, for example, 'alltoall:bytes=8'"
        )
        check_whole("ranks", ranks, 1, none=True)
        app = opened(app)
        if isinstance(app, str):
            if ranks is None:
                raise InputError(f"{app}: it runs on any number of ranks; give one, as in ranks=64")
            app = program_of(app, ranks)
        schedule = as_schedule(app, AppSettings() if settings is None else settings)
    return (
        schedule
        if isinstance(schedule.content, Operations)
        else Schedule(schedule.name, schedule.operations, schedule.eager)
    )


def as_schedule(program: Program, settings: AppSettings) -> Schedule:
    """Return the operations of a program's ranks as a schedule, in compact form.

    Parameters
    ----------
    program : Program
    settings : AppSettings
        Give the speed, and the algorithms of MPI collectives.

    Raises
    ------
    InputError
        A program that exists only as code, or actions and algorithms that only SimGrid supports.
    """
    if isinstance(program, Schedule):
        return program
    if isinstance(program, Source):
        return Schedule(program.name, in_place_of_code(program).programs(settings))
    if program.programs is not None:
        return Schedule(program.name, program.programs)
    from topoloom.simulation.applications.trace_programs import trace_programs

    return Schedule(program.name, trace_programs(program, settings))


def in_place_of_code(program: Source) -> AsSchedule:
    """Return the equivalent of a compiled program for simulators that do not run code.

    Raises
    ------
    InputError
        There is no equivalent.
    """
    if program.schedule is None:
        raise InputError(
            f"{program.name}: only SimGrid runs compiled programs, except alltoall, allreduce and training, which other"
            " simulators run too, as they do traces (collective, NAS skeletons, `trace`); use `simulator` simgrid"
        )
    return program.schedule
