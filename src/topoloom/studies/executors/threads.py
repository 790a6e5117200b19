"""The executor threads: tasks in threads of this process; for verbs whose time is spent in kernels, which release the GIL."""

import threading

import msgspec

from topoloom.studies.executor import EXECUTORS, Run
from topoloom.studies.job import record_of
from topoloom.threads import cores


def run_in_threads(run: Run) -> None:
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
    for thread in threads:
        while thread.is_alive():
            thread.join(0.2)  # Ctrl-C comes through between two looks
    if faults:
        raise faults[0]


EXECUTORS.add("threads", run_in_threads)
