"""--study: run a sweep of one command as a study in a folder; a finished task never runs again."""

from typing import TYPE_CHECKING

from topoloom.cli.output import say
from topoloom.core.errors import Stopped

if TYPE_CHECKING:
    from topoloom.cli.presentation import Elsewhere
    from topoloom.core.work import Ended
    from topoloom.studies.study import Study


def run_in_folder(study: "Study", folder: str, jobs: int | None, elsewhere: "Elsewhere | None" = None) -> "Ended":
    """Run the tasks without a record, print how many have one, and return how the run ended.

    Parameters
    ----------
    study : Study
    folder : str
    jobs : int or None
        Tasks that run at the same time; one per core if None.
    elsewhere : Elsewhere, optional
        The executor of the tasks; processes of this machine when omitted.

    Returns
    -------
    "done", "deadline" or "interrupted"
    """
    from topoloom.cli.progress import working
    from topoloom.studies.run import run_study
    from topoloom.studies.store import Store

    tasks = {task.digest for task in study.tasks()}
    recorded = len(tasks & set(Store(folder, create=True).records()))
    say(f"{folder}: {len(tasks):,} task{'s' * (len(tasks) != 1)}; {recorded:,} have a record", err=True)
    with working("study") as work:
        executor, options = (None, {}) if elsewhere is None else (elsewhere.executor, elsewhere.executor_options)
        return run_study(study, folder, executor=executor, jobs=jobs, options=dict(options), work=work).ended


def end_of(study: "Study", folder: str, ended: "Ended") -> None:
    """Raise an error if the study has failed tasks or was interrupted; called after its results are printed.

    Parameters
    ----------
    study : Study
    folder : str
    ended : "done", "deadline" or "interrupted"
        The return value of `run_in_folder`.

    Raises
    ------
    InputError
        A task failed.
    Stopped
        The run was interrupted.
    """
    from topoloom.studies.sweeps.finished import refuse_failed

    refuse_failed(study, folder)
    if ended != "done":
        raise Stopped(f"interrupted; run it again with --study {folder} to go on")
