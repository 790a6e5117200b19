"""METIS (the extra `partition`): cut a graph into parts of nearly equal weight with few links between them."""

import pickle
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO, cast

import numpy as np

from topoloom.core.errors import InputError, Stopped
from topoloom.core.surroundings import python
from topoloom.graph import _metis_process as program
from topoloom.graph._metis_process import answer
from topoloom.model.topology import Topology


@dataclass(frozen=True, eq=False)
class WeightedGraph:
    """CSR without parallel rows: offsets int64[n + 1], others int64[k], and the weight of the links between them, int64[k]."""

    offsets: np.ndarray
    others: np.ndarray
    links: np.ndarray

    def within(self, chosen: np.ndarray) -> "WeightedGraph":
        """The graph that the switches with chosen[switch] (bool[n]) induce."""
        ends = np.repeat(np.arange(chosen.size), np.diff(self.offsets))
        inside = chosen[ends] & chosen[self.others]
        number = np.cumsum(chosen) - 1
        degrees = np.bincount(number[ends[inside]], minlength=int(chosen.sum()))
        return WeightedGraph(np.append(0, np.cumsum(degrees)), number[self.others[inside]], self.links[inside])


def weighted(topology: Topology, weight: np.ndarray | None = None) -> WeightedGraph:
    """The topology as a simple graph; parallel links weigh their number, or the sum of the weights of links, int64[m]."""
    n = topology.switches
    offsets, neighbours, link = topology.csr
    ends = np.repeat(np.arange(n), np.diff(offsets)) * n + neighbours
    key, place, links = np.unique(ends, return_inverse=True, return_counts=True)
    if weight is not None:
        links = np.zeros(key.size, np.int64)
        np.add.at(links, place.reshape(-1), weight[link])
    return WeightedGraph(np.append(0, np.cumsum(np.bincount(key // n, minlength=n))), key % n, links)


def partition(
    graph: WeightedGraph, parts: int, weight: np.ndarray, *, recursive: bool, seed: int, overfill: int | None = None
) -> np.ndarray:
    """Partition a graph; return the part of every switch, int32[n], 0 .. parts - 1.

    Parameters
    ----------
    graph : WeightedGraph
        With links.
    parts : int
    weight : int64[n]
        The weight that parts share equally.
    recursive : bool
        Whether to bisect recursively, or to divide directly into all parts; the seed has no effect on the direct method.
    seed : int
    overfill : int, optional
        How far a part may exceed its share, in thousandths.

    Returns
    -------
    int32[n]
        0 to parts - 1.

    Raises
    ------
    InputError
        pymetis is not installed.
    Stopped
        The process received a request to end while METIS ran.
    """
    arguments = {
        "nparts": parts,
        "xadj": graph.offsets,
        "adjncy": graph.others,
        "eweights": graph.links,
        "vweights": weight,
        "recursive": recursive,
        "options": {"seed": seed} if overfill is None else {"seed": seed, "ufactor": overfill},
    }
    metis = _pymetis()
    if threading.current_thread() is threading.main_thread():
        part = answer(metis, arguments)
    else:
        # METIS catches SIGTERM for the whole process, which dies if the main thread gets the signal meanwhile.
        with _PROCESSES.one() as process:
            part = process.ask(arguments)
    if isinstance(part, RuntimeError):
        # METIS catches SIGTERM itself and raises only this error.
        if str(part) != "Caught an unknown exception!":
            raise part
        raise Stopped("interrupted before a partition was found")
    return np.asarray(part, np.int32)


class _Process:
    """A process that runs METIS, and ends with this one."""

    def __init__(self) -> None:
        command = python(program.__file__)
        self._running = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._requests = cast("BinaryIO", self._running.stdin)
        self._answers = cast("BinaryIO", self._running.stdout)
        self._send(sys.path)

    def ask(self, arguments: dict[str, Any]) -> Any:
        """Return the result of `answer` in that process."""
        self._send(arguments)
        try:
            return pickle.load(self._answers)
        except EOFError:
            raise Stopped("METIS ended before a partition was found") from None

    def _send(self, what: object) -> None:
        pickle.dump(what, self._requests)
        self._requests.flush()


class _Processes:
    """Started processes that wait for work: as many as the threads that used METIS at the same time."""

    def __init__(self) -> None:
        self._idle: list[_Process] = []

    @contextmanager
    def one(self) -> Iterator[_Process]:
        """A process for one partition; one that failed is not used again."""
        try:
            process = self._idle.pop()
        except IndexError:
            process = _Process()
        yield process
        self._idle.append(process)


_PROCESSES = _Processes()


def _pymetis() -> Any:
    try:
        import pymetis
    except ImportError:
        raise InputError("this needs METIS, which is not installed: pip install topoloom[partition]") from None
    return pymetis
