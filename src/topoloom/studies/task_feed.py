"""TaskFeed: tasks that arrive while an executor runs, and those that are cancelled."""

import threading
from collections.abc import Collection, Sequence

from topoloom.studies.task import Task


class TaskFeed:
    """A `Feed`: any thread adds and drops tasks, and the executor takes them; subclasses learn what has begun."""

    def __init__(self) -> None:
        self._feed_lock = threading.Lock()
        self._new: list[Task] = []
        self._dropped: set[str] = set()

    def add(self, task: Task) -> None:
        """Add a task, unless it waits already."""
        with self._feed_lock:
            self._dropped.discard(task.digest)
            if all(queued.digest != task.digest for queued in self._new):
                self._new.append(task)

    def drop(self, digest: str) -> None:
        """Cancel a task."""
        with self._feed_lock:
            self._new = [task for task in self._new if task.digest != digest]
            self._dropped.add(digest)

    def more(self) -> Sequence[Task]:
        """The tasks that were added since the last call."""
        with self._feed_lock:
            taken, self._new = self._new, []
            return taken

    def dropped(self) -> Collection[str]:
        """Digests of the tasks that were cancelled since the last call."""
        with self._feed_lock:
            taken, self._dropped = self._dropped, set()
            return taken

    def begun(self, digest: str) -> None:
        """Nothing is shown of a task that has started."""

    def workers(self, count: int) -> None:
        """Nothing is shown of the workers."""
