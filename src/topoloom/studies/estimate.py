"""Estimates of the time and memory of a task, from the tasks that are done."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from statistics import fmean
from typing import Any

from topoloom.core.settings import written
from topoloom.studies.record import Record
from topoloom.studies.task import Task

#: Least time of a task, so that logarithms and rates exist.
_SHORTEST_S = 1e-4
#: Assumed time and memory of a task, where nothing is known.
_DEFAULT_S, _DEFAULT_MB = 1.0, 300.0
#: Weight of the overall mean, in tasks, against the tasks with one value of an argument.
_PRIOR_TASKS = 1.0


class Estimates:
    """Times of tasks: a mean, and its change with each value of each argument (additive, in logarithms).

    Parameters
    ----------
    records : iterable of Record
        The records to start from; `learn` adds more.

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
        """Add the time and memory of a task; a failed one gives no time."""
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
        """Number of tasks that the estimates are based on."""
        return len(self._logs)

    def seconds(self, task: Task) -> float:
        """Estimated time of a task."""
        if not self._logs:
            return _DEFAULT_S
        mean = fmean(self._logs)
        estimate = mean
        for name, value in _values(task.arguments):
            logs = self._by.get((name, value))
            if logs:
                estimate += (fmean(logs) - mean) * len(logs) / (len(logs) + _PRIOR_TASKS)
        # Arguments that always change together count twice, so limit the estimate to times that occurred.
        return math.exp(min(max(estimate, min(self._logs)), max(self._logs)))

    def memory_mb(self, task: Task) -> float:
        """Estimated memory of a task: the most of those on its network, else the most of all."""
        on_network = self._memory.get(_topology(task))
        return on_network or max(self._memory.values(), default=_DEFAULT_MB) or _DEFAULT_MB


def _topology(task: Task) -> str:
    return str(task.arguments.get("topology", task.arguments.get("requirement", "")))


def _values(arguments: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    return ((name, written(value)) for name, value in arguments.items() if name not in ("seed", "number"))
