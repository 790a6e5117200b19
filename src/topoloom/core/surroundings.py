"""Protection against code in the current folder: topoloom reads named data there, but never runs code from there.

Python puts the current folder on its path (`python -m`, `python -c`), an empty entry of PATH or PYTHONPATH means the current
folder, and Numba and matplotlib read settings there. A user who unpacks a colleague's study and runs it there would run code
next to it. This module imports only those parts of the standard library that are already loaded.
"""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

#: Python's variable that keeps the current folder off the path, and topoloom's value, which shows that the user did not set it.
_SAFE, _OURS = "PYTHONSAFEPATH", "topoloom"
#: Linux's CLONE_FS: a thread that unshares it has a separate current folder.
_OWN_FOLDER = 0x200


def secure() -> None:
    """Keep the current folder off the code paths of this process, which belongs to topoloom, and of its child processes.

    Entries of PYTHONPATH and PATH from the user stay, except empty ones and relative ones of PATH.
    """
    listed = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if "" in listed and listed != [""]:
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, listed))
        try:
            current = os.getcwd()
            if current in sys.path and current not in map(os.path.abspath, filter(None, listed)):
                sys.path.remove(current)
        except OSError:  # the current folder has been removed
            pass
    sys.path[:] = filter(None, sys.path)
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if package not in sys.path:  # `python -m topoloom` in a checkout's src
        sys.path.append(package)
    os.environ.setdefault(_SAFE, _OURS)
    if "PATH" in os.environ:
        os.environ["PATH"] = os.pathsep.join(filter(os.path.isabs, os.environ["PATH"].split(os.pathsep)))


def python(*words: str) -> list[str]:
    """The command that starts this Python with some arguments, without the current folder on its path: ``python("-m",
    "topoloom")``.
    """
    return [sys.executable, "-P", *words]


@contextmanager
def safe_path() -> Iterator[None]:
    """A context in which child Pythons of libraries, and their children, do not have the current folder on their paths.

    For `multiprocessing` and Dask, which take no options for their Python. The environment belongs to the whole process: a
    Python that another thread starts meanwhile has the same, which is harmless.
    """
    with variables_set(safe_variables()):
        yield


@contextmanager
def variables_set(values: Mapping[str, str]) -> Iterator[None]:
    """A context in which the process and its children have these environment variables."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def safe_variables() -> dict[str, str]:
    """Environment variables for a Python of topoloom, so that its child Pythons do not have the current folder on their
    paths.
    """
    return {_SAFE: os.environ.get(_SAFE) or _OURS}


def users_variables(variables: Mapping[str, str]) -> dict[str, str]:
    """The environment of a user's program, as it would be without topoloom, so that its Python scripts find each other."""
    return {name: value for name, value in variables.items() if (name, value) != (_SAFE, _OURS)}


def import_library(library: str) -> None:
    """Import a library that reads settings in the current folder, in a thread that does not see that folder.

    The thread has a separate current folder, so relative paths of other threads stay valid. A library that is already loaded
    was imported by the user, who may have settings there. On systems without such threads the library is not imported here.
    """
    if library in sys.modules:
        return
    import ctypes
    import threading
    from importlib import import_module

    failed: list[BaseException] = []

    def away() -> None:
        try:
            if ctypes.CDLL(None).unshare(_OWN_FOLDER) == 0:
                os.chdir(os.sep)
                import_module(library)
        except AttributeError:
            return  # not Linux
        except BaseException as error:  # handed on to the caller's thread
            failed.append(error)

    thread = threading.Thread(target=away)
    thread.start()
    thread.join()
    if failed:
        raise failed[0]
