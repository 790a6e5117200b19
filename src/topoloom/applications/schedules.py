"""The verb `schedule_of_program`: an application as a schedule, for other tools."""

from topoloom.applications.checks import check_whole
from topoloom.applications.flow_run import plan_of
from topoloom.applications.program import Program, Scheduled, Source, Trace
from topoloom.applications.registry import opened, program_of
from topoloom.applications.settings import AppSettings
from topoloom.collectives.messages import messages_of
from topoloom.collectives.schedule import CollectiveSchedule
from topoloom.errors import InputError, check_type
from topoloom.flows.schedule import Schedule


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
    from topoloom.workloads.from_plan import schedule_of_plan

    if isinstance(app, CollectiveSchedule):
        return messages_of(app)[0]
    check_type(app, (str, Source, Trace, Scheduled), "schedule_of_program", "write 'alltoall:bytes=8', say")
    check_whole("ranks", ranks, 1, none=True)
    settings = AppSettings() if settings is None else settings
    app = opened(app)
    if isinstance(app, str):
        if ranks is None:
            raise InputError(f"{app}: it is for any number of ranks; say how many")
        app = program_of(app, ranks)
    if isinstance(app, Scheduled):
        return app.schedule
    return schedule_of_plan(plan_of(app, settings), settings.speed_gflops * 1e9)
