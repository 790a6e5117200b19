"""StudyStatus: how far a study is, what failed and why, and how long the rest takes."""

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
    """How far a study is.

    Attributes
    ----------
    title, operation : str
    tasks, done, failed, to_go : int
        Different tasks: all, with a result, with an error, and with neither.
    reasons : dict of str to int
        Why tasks failed, and how many for each reason.
    seconds_done : float
        That the tasks with a record took, all together.
    seconds_to_go : float or None
        That the others take together, estimated from those; None: nothing is known yet.
    tasks_known : int
        Tasks that the estimate stands on.
    cores : int
        Of this machine; a `processes` run takes about `seconds_to_go` over so many.
    versions : dict of str to int
        Versions of topoloom that made the records.
    running : StudyProgress or None
        What a run running says of itself.
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
    """How far a study is in a store."""
    check_type(study, Study, "study_status", "read_study(path) makes one")
    tasks = study.tasks()
    records = store.records()
    known = [records[task.digest] for task in tasks if task.digest in records]
    left = [task for task in tasks if task.digest not in records]
    estimates = Estimates(records.values())
    failed = [record for record in known if record.state == "failed"]
    return StudyStatus(
        title=study.title,
        operation=study.operation,
        tasks=len(tasks),
        done=len(known) - len(failed),
        failed=len(failed),
        to_go=len(left),
        reasons=dict(Counter(record.error for record in failed).most_common()),
        seconds_done=sum(record.seconds for record in known),
        seconds_to_go=sum(map(estimates.seconds, left)) if estimates.known or not left else None,
        tasks_known=estimates.known,
        cores=cores(study.run.jobs if study.run.executor in ("processes", "threads") else None),
        versions=dict(Counter(record.version for record in known)),
        running=_running(store),
        provenance=Provenance(name=study.title),
    )


def _running(store: Store) -> StudyProgress | None:
    """What a run running says of itself; None where it has said nothing for a minute."""
    try:
        told = msgspec.json.decode((store.folder / PROGRESS).read_bytes(), type=StudyProgress)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return told if time.time() - told.at < STALE_S else None
