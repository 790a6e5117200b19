"""Applications as schedules, for the simulators that run no code, and for other tools."""

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
    """What the ranks of an application send, receive and compute, message by message.

    Parameters
    ----------
    app : str, Program or CollectiveSchedule
        As `run_app` takes it, of those that run as flows: traces, schedules, ``alltoall``, ``allreduce``, ``collective``,
        ``training``, NAS skeletons. Or the schedule of a collective: its messages, and what each waits for.
    ranks : int, optional
        How many; a trace and a schedule know by themselves.
    settings : AppSettings, optional
        Whose speed makes nanoseconds of operations, and whose algorithms those of MPI's collectives.

    Returns
    -------
    Schedule
        As flows it takes as long as the application. `save_goal` writes it.

    Raises
    ------
    InputError
        A program that is code alone, no number of ranks where one is needed, or more operations than memory has room for.
    """
    if isinstance(app, CollectiveSchedule):
        found = schedule_of_trees(app)
    else:
        check_type(app, (str, Source, RankTraces, Schedule), "schedule_of_program", "write 'alltoall:bytes=8', say")
        check_whole("ranks", ranks, 1, none=True)
        app = opened(app)
        if isinstance(app, str):
            if ranks is None:
                raise InputError(f"{app}: it is for any number of ranks; say how many")
            app = program_of(app, ranks)
        found = as_schedule(app, AppSettings() if settings is None else settings)
    return found if isinstance(found.content, Operations) else Schedule(found.name, found.operations, found.eager)


def as_schedule(program: Program, settings: AppSettings) -> Schedule:
    """What the ranks of a program do, in the form in which it is written down.

    Parameters
    ----------
    program : Program
    settings : AppSettings
        Whose speed and whose algorithms of MPI's collectives are taken.

    Returns
    -------
    Schedule

    Raises
    ------
    InputError
        A program that is code alone, or actions and algorithms that only SimGrid knows.
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
    """What runs in the place of a compiled program where no code is run.

    Raises
    ------
    InputError
        Nothing that is known.
    """
    if program.schedule is None:
        raise InputError(
            f"{program.name}: no simulator but SimGrid runs compiled programs other than alltoall, allreduce and training, and"
            " traces (collective, NAS skeletons, `trace`); take `simulator` simgrid"
        )
    return program.schedule
