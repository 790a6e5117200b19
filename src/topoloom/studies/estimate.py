"""Estimates: how long a task takes and how much memory, from the tasks that are done."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from statistics import fmean
from typing import Any

from topoloom.core.settings import written
from topoloom.studies.record import Record
from topoloom.studies.task import Task

#: A task is counted as this long at least, so that logarithms and rates exist.
_SHORTEST_S = 1e-4
#: What is taken of a task of which nothing is known.
_USUAL_S, _USUAL_MB = 1.0, 300.0
#: How many tasks the whole's mean counts as, beside those of one value of an argument.
_BELIEF = 1.0


class Estimates:
    """What tasks take: a mean, and how much more or less with each value of each argument (in logarithms, additive).

    Parameters
    ----------
    records : iterable of Record
        What is known at the beginning; `learn` adds more.

    Examples
    --------
    >>> Estimates([]).seconds(Task("nothing"))
    1.0
    """

    def __init__(self, records: Iterable[Record] = ()) -> None:
        self._logs: list[float] = []
        self._by: dict[tuple[str, str], list[float]] = defaultdict(list)
        self._memory: dict[str, float] = {}
        for record in records:
            self.learn(record)

    def learn(self, record: Record) -> None:
        """Take what a task took; one that failed says nothing of time."""
        key = _topology(record.task)
        self._memory[key] = max(self._memory.get(key, 0.0), record.memory_mb)
        if record.state != "done":
            return
        log = math.log(max(record.seconds, _SHORTEST_S))
        self._logs.append(log)
        for name, value in _values(record.task.arguments):
            self._by[name, value].append(log)

    @property
    def known(self) -> int:
        """How many tasks they stand on."""
        return len(self._logs)

    def seconds(self, task: Task) -> float:
        """How long a task takes, about."""
        if not self._logs:
            return _USUAL_S
        mean = fmean(self._logs)
        found = mean
        for name, value in _values(task.arguments):
            logs = self._by.get((name, value))
            if logs:
                found += (fmean(logs) - mean) * len(logs) / (len(logs) + _BELIEF)
        # Arguments that always come together say the same thing twice: no estimate is beyond what was ever seen.
        return math.exp(min(max(found, min(self._logs)), max(self._logs)))

    def memory_mb(self, task: Task) -> float:
        """How much memory a task takes, about: the most of those on its network, else the most of all."""
        known = self._memory.get(_topology(task))
        return known or max(self._memory.values(), default=_USUAL_MB) or _USUAL_MB


def _topology(task: Task) -> str:
    return str(task.arguments.get("topology", task.arguments.get("requirement", "")))


def _values(arguments: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    return ((name, written(value)) for name, value in arguments.items() if name not in ("seed", "number"))
