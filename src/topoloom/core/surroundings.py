"""What topoloom takes from where it is started: data that is named, and no code that lies in the current folder.

Python puts the current folder on its path (`python -m`, `python -c`), an empty entry of PATH or PYTHONPATH means the current
folder, and Numba and matplotlib read settings there. Whoever unpacks a colleague's study and runs it there would run what lies
next to it. Nothing but the standard library is imported, and none of it that is not loaded already.
"""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

#: Python's variable that keeps the current folder off the path, and our value of it, by which we know that nobody else set it.
_SAFE, _OURS = "PYTHONSAFEPATH", "topoloom"
#: Linux's CLONE_FS: a thread without it has a current folder of its own.
_OWN_FOLDER = 0x200


def secure() -> None:
    """Have this process, which is topoloom's own, and all that it starts, take no code from the current folder.

    What the user names stays: the entries of PYTHONPATH and PATH but the empty ones and, of PATH, the relative ones.
    """
    listed = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if "" in listed and listed != [""]:
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, listed))
        try:
            here = os.getcwd()
            if here in sys.path and here not in map(os.path.abspath, filter(None, listed)):
                sys.path.remove(here)
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
    """The command that starts this Python with some words, off the current folder: ``python("-m", "topoloom")``."""
    return [sys.executable, "-P", *words]


@contextmanager
def safe_path() -> Iterator[None]:
    """While it is open, a Python that some library starts is off the current folder, and so are those that it starts.

    For `multiprocessing` and Dask, which take no options for their Python. The environment is the whole process's: other
    threads that start a Python meanwhile have it so as well, which does no harm.
    """
    with variables_set(safe_variables()):
        yield


@contextmanager
def variables_set(values: Mapping[str, str]) -> Iterator[None]:
    """While it is open, the process and what it starts have these variables of the environment."""
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
    """What a Python of topoloom's own is given so that the Pythons that it starts are off the current folder."""
    return {_SAFE: os.environ.get(_SAFE) or _OURS}


def users_variables(variables: Mapping[str, str]) -> dict[str, str]:
    """The environment of a program of the user's: as it would be without topoloom, whose Python scripts find each other."""
    return {name: value for name, value in variables.items() if (name, value) != (_SAFE, _OURS)}


def import_library(library: str) -> None:
    """Import a library that reads settings in the current folder where it does not see that folder.

    In a thread with a current folder of its own, so that no other thread's relative paths lead elsewhere meanwhile. What is
    loaded already is the user's, who may have settings there. On a system that has no such threads the library is left to
    whoever imports it.
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
            return  # no Linux
        except BaseException as error:  # handed on to the caller's thread
            failed.append(error)

    thread = threading.Thread(target=away)
    thread.start()
    thread.join()
    if failed:
        raise failed[0]
