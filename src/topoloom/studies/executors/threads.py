"""The executor threads: tasks in threads of this process; for operations whose time is spent in kernels, which release the
GIL.
"""

import threading
import time

import msgspec

from topoloom.core.threads import cores
from topoloom.studies.executor import EXECUTORS, StudyRun
from topoloom.studies.job import record_of

#: Seconds between two looks at whether the work shall end, and those that tasks have to end when it shall.
_LOOK_EVERY_S, _LAST_WORDS_S = 0.1, 0.6


def run_in_threads(run: StudyRun) -> None:
    """Run the tasks in `run.jobs` threads.

    Raises
    ------
    InputError
        The store cannot be written.
    """
    waiting = iter(run.tasks)
    lock = threading.Lock()
    faults: list[BaseException] = []

    def worker() -> None:
        try:
            with run.store.writer() as shard:
                while not (run.work.stopped or faults):
                    with lock:
                        task = next(waiting, None)
                    if task is None:
                        return
                    record = record_of(task, threads=run.node.threads, limit_s=run.limit_s, work=run.work)
                    if record is None:
                        return
                    # What the process takes is not what the task does: others run in it, and much was there before.
                    record = msgspec.structs.replace(record, memory_mb=0.0)
                    shard.write(record)
                    run.told(record)
        except BaseException as fault:
            faults.append(fault)

    threads = [
        threading.Thread(target=worker, daemon=True) for _ in range(min(cores(run.jobs), max(1, len(run.tasks))))
    ]
    for thread in threads:
        thread.start()
    stopped = None
    for thread in threads:
        while thread.is_alive():
            thread.join(_LOOK_EVERY_S)  # Ctrl-C comes through between two looks
            if run.work.stopped:
                stopped = stopped or time.monotonic()
                if time.monotonic() - stopped > _LAST_WORDS_S:
                    return  # in kernels that do not look; their tasks have no record
    if faults:
        raise faults[0]


EXECUTORS.add("threads", run_in_threads)
