"""The status of a study: its progress, the reasons of failures, and an estimate of the remaining time."""

import time
from collections import Counter
from dataclasses import dataclass, field

import msgspec

from topoloom.core.errors import check_type
from topoloom.core.threads import cores
from topoloom.model.results import Provenance, Result
from topoloom.studies.estimate import Estimates
from topoloom.studies.run import PROGRESS, STALE_S, StudyProgress
from topoloom.studies.store import Store
from topoloom.studies.study import Study


@dataclass(frozen=True)
class StudyStatus(Result):
    """The status of a study.

    Attributes
    ----------
    title, operation : str
    tasks, done, failed, to_go : int
        Number of distinct tasks: in total, with a result, with an error, and with neither. With [replicate], those that are
        decided so far.
    reasons : dict of str to int
        Reasons of failures, with the number of tasks for each.
    seconds_done : float
        Total time of the tasks with a record.
    seconds_to_go : float or None
        Estimated total time of the other tasks; None: no estimate yet.
    tasks_known : int
        Number of tasks that the estimate is based on.
    cores : int
        Cores of this machine; a `processes` run takes about `seconds_to_go` divided by these.
    versions : dict of str to int
        Versions of topoloom in the records, with the number of records.
    running : StudyProgress or None
        The progress of an active run; None: no run is active.
    """

    record_name = "study-status"
    record_version = 2

    title: str
    operation: str
    tasks: int
    done: int
    failed: int
    to_go: int
    reasons: dict[str, int]
    seconds_done: float
    seconds_to_go: float | None
    tasks_known: int
    cores: int
    versions: dict[str, int]
    running: StudyProgress | None = None
    provenance: Provenance = field(default_factory=Provenance, compare=False)


def study_status(study: Study, store: Store) -> StudyStatus:
    """The status of a study with its store."""
    check_type(study, Study, "study_status", "read_study(path) makes one")
    records = store.records()
    tasks = list({task.digest: task for _, task in study.planned(records=records)}.values())
    recorded = [records[task.digest] for task in tasks if task.digest in records]
    left = [task for task in tasks if task.digest not in records]
    estimates = Estimates(records.values())
    failed = [record for record in recorded if record.state == "failed"]
    return StudyStatus(
        title=study.title,
        operation=study.operation,
        tasks=len(tasks),
        done=len(recorded) - len(failed),
        failed=len(failed),
        to_go=len(left),
        reasons=dict(Counter(record.error for record in failed).most_common()),
        seconds_done=sum(record.seconds for record in recorded),
        seconds_to_go=sum(map(estimates.seconds, left)) if estimates.known or not left else None,
        tasks_known=estimates.known,
        cores=cores(study.run.jobs if study.run.executor in ("processes", "threads") else None),
        versions=dict(Counter(record.version for record in recorded)),
        running=_running(store),
        provenance=Provenance.of_run(name=study.title),
    )


def _running(store: Store) -> StudyProgress | None:
    """The progress of an active run; None where it was not updated for a minute."""
    try:
        progress = msgspec.json.decode((store.folder / PROGRESS).read_bytes(), type=StudyProgress)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return progress if time.time() - progress.at < STALE_S else None
