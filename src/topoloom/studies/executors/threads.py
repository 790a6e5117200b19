"""The executor threads: tasks in threads of this process, for operations that spend their time in kernels, which release the
GIL.
"""

import threading
import time

import msgspec

from topoloom.core.threads import cores
from topoloom.studies.executor import EXECUTORS, NoOptions, StudyRun, options_of
from topoloom.studies.job import record_of

#: Seconds between two checks whether the work was stopped, and that tasks have to end then.
_CHECK_EVERY_S, _END_TIMEOUT_S = 0.1, 0.6


def run_in_threads(run: StudyRun) -> None:
    """Run the tasks in `run.jobs` threads.

    Raises
    ------
    InputError
        The store cannot be written; there are options.
    """
    options_of(run, NoOptions)
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
                    # The memory of the process is not that of the task, since others run in it too.
                    record = msgspec.structs.replace(record, memory_mb=0.0)
                    shard.write(record)
                    run.report(record)
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
            thread.join(_CHECK_EVERY_S)  # a short timeout lets Ctrl-C interrupt the wait
            if run.work.stopped:
                stopped = stopped or time.monotonic()
                if time.monotonic() - stopped > _END_TIMEOUT_S:
                    return  # some kernels do not check for a stop; their tasks have no record
    if faults:
        raise faults[0]


EXECUTORS.add("threads", run_in_threads)
