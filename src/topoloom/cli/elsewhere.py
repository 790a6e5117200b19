"""--executor: the parts of a command run as tasks of an executor, in a folder that survives a killed command."""

import hashlib
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import click

from topoloom.cli.presentation import Elsewhere
from topoloom.core.folders import users_cache
from topoloom.core.work import Work

#: Days after which the tasks of a killed command are removed from the cache.
_KEPT_DAYS = 30


@contextmanager
def carried_out_elsewhere(work: Work, elsewhere: Elsewhere, jobs: int | None = None) -> Iterator[None]:
    """A context in which the parts of a work run on the executor that the user has named, if there is one.

    Parameters
    ----------
    work : Work
    elsewhere : Elsewhere
    jobs : int, optional
        Tasks at a time.

    Yields
    ------
    None
        The work has its executor meanwhile.

    Raises
    ------
    InputError
        No such executor, or another command uses the folder of the tasks.
    """
    if elsewhere.executor is None:
        yield
        return
    from topoloom.studies.call_executor import open_executor

    own = elsewhere.tasks is None
    folder = _folder_in_cache() if elsewhere.tasks is None else Path(elsewhere.tasks)
    with open_executor(elsewhere.executor, folder, jobs=jobs, options=elsewhere.executor_options) as executor:
        work.executor = executor
        try:
            yield
        finally:
            work.executor = None
    if own and not work.stopped:
        shutil.rmtree(folder, ignore_errors=True)


def _folder_in_cache() -> Path:
    """The folder for the tasks of this command: the same for the same command in the same folder; old ones are removed."""
    folders = users_cache() / "tasks"
    for old in folders.glob("*"):
        with suppress(OSError):
            if time.time() - old.stat().st_mtime > _KEPT_DAYS * 86_400:
                shutil.rmtree(old)
    context = click.get_current_context()
    words = repr([context.command_path, os.getcwd(), sorted(context.params.items())])
    return folders / hashlib.sha256(words.encode()).hexdigest()[:16]
