"""--study: a sweep of one command as a study in a folder, where what is done is never done again."""

from typing import TYPE_CHECKING

from topoloom.cli.output import say
from topoloom.core.errors import Stopped

if TYPE_CHECKING:
    from topoloom.core.work import Ended
    from topoloom.studies.study import Study


def run_kept(study: "Study", folder: str, jobs: int | None) -> "Ended":
    """Run what has no record yet, and say how many have one; how the run ended.

    Parameters
    ----------
    study : Study
    folder : str
    jobs : int or None
        Tasks side by side; every core when None.

    Returns
    -------
    "done", "deadline" or "interrupted"
    """
    from topoloom.cli.progress import working
    from topoloom.studies.run import run_study
    from topoloom.studies.store import Store

    tasks = {task.digest for task in study.tasks()}
    known = len(tasks & set(Store(folder, create=True).records()))
    say(f"{folder}: {len(tasks):,} task{'s' * (len(tasks) != 1)}; {known:,} have a record", err=True)
    with working("study") as work:
        return run_study(study, folder, jobs=jobs, work=work).ended


def end_of(study: "Study", folder: str, ended: "Ended") -> None:
    """Say what is left of a study, after its results.

    Parameters
    ----------
    study : Study
    folder : str
    ended : "done", "deadline" or "interrupted"
        As `run_kept` had it.

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
