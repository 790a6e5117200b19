"""Runs METIS for other threads than the main one; started as a program of its own.

    python -P _metis_process.py

METIS catches SIGTERM for the whole process while it runs, and the process dies of a SIGTERM that comes to another thread than
the one that METIS runs in. A process that does nothing else has one thread, and leaves signals to the one that started it.

Standard input gives pickles: first where modules are found (list of str), then the arguments of `pymetis.part_graph`, a dict
each; standard output takes what it returned, or the error that it raised. It ends with its standard input.
"""

import os
import pickle
import signal
import sys
from typing import Any, BinaryIO


def main(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer until there are no more requests."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    # Found where the parent finds it.
    sys.path[:] = pickle.load(requests)
    import pymetis

    while True:
        try:
            arguments = pickle.load(requests)
        except EOFError:
            return
        try:
            pickle.dump(answer(pymetis, arguments), answers)
            answers.flush()
        except BrokenPipeError:
            os._exit(0)  # whoever asked is gone


def answer(metis: Any, arguments: dict[str, Any]) -> Any:
    """The part of every node, or the error that METIS gave, of arguments that can be pickled."""
    options = metis.Options(**arguments.pop("options"))
    if hasattr(metis, "CSRAdjacency"):
        # The graph as pymetis takes it since 2025: a record and not two arrays.
        arguments["adjacency"] = metis.CSRAdjacency(arguments.pop("xadj"), arguments.pop("adjncy"))
    try:
        return metis.part_graph(**arguments, options=options)[1]
    except RuntimeError as error:
        return error


if __name__ == "__main__":
    output = os.fdopen(os.dup(1), "wb")
    # What METIS prints is not an answer.
    os.dup2(2, 1)
    main(sys.stdin.buffer, output)
