"""Run METIS for threads other than the main one; started as a separate program.

    python -P _metis_process.py

While METIS runs, it catches SIGTERM for the whole process, and the process dies if another thread than METIS's gets the signal.
This process has one thread only, and leaves signals to the process that started it.

Standard input has pickles: first the search path of modules (list of str), then one dict of arguments of `pymetis.part_graph`
per request. Standard output gets the result of each, or the error that it raised. The process ends with its standard input.
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
    # Use the parent's search path of modules.
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
            os._exit(0)  # the parent process has ended


def answer(metis: Any, arguments: dict[str, Any]) -> Any:
    """Return the part of every node, or the error that METIS raised; the arguments can be pickled."""
    options = metis.Options(**arguments.pop("options"))
    if hasattr(metis, "CSRAdjacency"):
        # Since 2025, pymetis takes the graph as one record instead of two arrays.
        arguments["adjacency"] = metis.CSRAdjacency(arguments.pop("xadj"), arguments.pop("adjncy"))
    try:
        return metis.part_graph(**arguments, options=options)[1]
    except RuntimeError as error:
        return error


if __name__ == "__main__":
    output = os.fdopen(os.dup(1), "wb")
    # Output that METIS prints is not an answer: send it to standard error.
    os.dup2(2, 1)
    main(sys.stdin.buffer, output)
