"""The operation: the papers' claims, computed again one after the other."""

import threading
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Annotated, Any

from topoloom.core.errors import InputError, check_all, wrong_type
from topoloom.core.settings import setting
from topoloom.core.work import Ended, Work
from topoloom.model.results import Provenance, Result
from topoloom_papers.long_runs import LONG_RUNS
from topoloom_papers.registry import Claim, Computed, claims, run

#: How long runs are made, for the command and for tasks of a study.
Full = Annotated[bool, setting("make the long runs again, which take minutes to hours, instead of reading kept ones")]
Missing = Annotated[bool, setting("make the long runs that are not kept, and read the others")]

#: Seconds between two looks at whether the work shall end.
_LOOK_SECONDS = 0.1


@dataclass(frozen=True)
class Reproduced:
    """One claim beside our value: what was published, ours, the verdict, what goes with it, and the command that gives ours.

    Attributes
    ----------
    readings : int
        How many readings of the paper were tried, where one was chosen after its result had been seen; else 1.
    measured : str
        The date of the oldest of the long runs that ours were read from, ``2026-11-23``; empty where all is computed now.
    commit : str
        Of topoloom, when that run was made.
    """

    id: str
    what: str
    published: str
    ours: str
    verdict: str
    why: str
    command: str
    readings: int = 1
    measured: str = ""
    commit: str = ""

    @classmethod
    def of(cls, claim: Claim, computed: Computed) -> "Reproduced":
        """A claim with what came of it."""
        outcome, oldest = computed.outcome, computed.oldest
        return cls(
            claim.id,
            claim.what,
            claim.published,
            outcome.ours,
            outcome.verdict.value,
            outcome.why,
            claim.command,
            outcome.readings,
            oldest.date if oldest else "",
            oldest.commit if oldest else "",
        )


@dataclass(frozen=True)
class Reproduction(Result):
    """Claims with their verdicts, in the order of their ids.

    Attributes
    ----------
    claims : tuple of Reproduced
    ended : Ended
        Cut short, `claims` are those that were finished.
    """

    record_name = "reproduction"
    derived = ("verdicts",)

    claims: tuple[Reproduced, ...]
    ended: Ended = "done"
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    @property
    def verdicts(self) -> dict[str, int]:
        """How many claims have each verdict."""
        return dict(Counter(one.verdict for one in self.claims))

    def rows(self) -> list[dict[str, Any]]:
        """One row per claim."""
        names = Reproduced.__dataclass_fields__
        return [{name: getattr(one, name) for name in names} for one in self.claims]


def reproduce(
    chosen: Iterable[str] = (),
    *,
    full: bool = False,
    missing: bool = False,
    keep: bool = False,
    work: Work | None = None,
) -> Reproduction:
    """Compute the papers' claims again.

    Parameters
    ----------
    chosen : texts
        Ids, or what they begin with (``besta-2014``, ``truong-2016/theorem``); all when empty.
    full : bool
        Make the long runs again, which take minutes to hours; else they are read from what is kept with the package.
    missing : bool
        Make the long runs that are not kept, and read the others.
    keep : bool
        Keep what was measured, and how long each claim took, in the package's own data, each as soon as it is there.
    work : Work, optional
        Given each (`Claim`, `Computed`) as soon as it is there. Stopped, it ends at once: what was being computed is left.

    Returns
    -------
    Reproduction
        The verdict on each claim, in the order of their ids; of those that were finished, when the work was stopped.

    Raises
    ------
    InputError
        No claim has such an id; both all long runs and those that are missing; what was measured cannot be kept.

    Examples
    --------
    >>> reproduce(["xu-2019/table-1/petersen"]).verdicts
    {'exact': 1}
    """
    remedy = "name claims, as in ['besta-2014']"
    if isinstance(chosen, (str, bytes)) or not isinstance(chosen, Iterable):
        raise wrong_type(chosen, Iterable, "reproduce", remedy)
    names = list(chosen)
    check_all(names, str, "reproduce", remedy)
    work = Work() if work is None else work
    if full and missing:
        raise InputError("full makes all long runs, missing those that are not kept: give one of the two")
    wanted = claims(names)
    work.begin(len(wanted), "claims")
    found, seconds = list[Reproduced](), dict[str, float]()
    with work.interruptible():
        for claim in wanted:
            computed = None if work.stopped else _computed(claim, full, missing, keep, work)
            if computed is None:
                break
            if keep:
                LONG_RUNS.keep(claim.id, computed.seconds)
            found.append(Reproduced.of(claim, computed))
            seconds[claim.id] = computed.seconds
            work.deliver((claim, computed))
            work.advance(note=claim.id)
    return Reproduction(
        tuple(found), work.ended, Provenance(settings={"full": full, "missing": missing}, timings=seconds)
    )


def _computed(claim: Claim, full: bool, missing: bool, keep: bool, work: Work) -> Computed | None:
    """What came of a claim; None if the work shall end before it is there.

    It is computed by a thread of its own, so that nobody waits for a kernel that runs for minutes.
    """
    found: list[Computed] = []
    failed: list[BaseException] = []

    def compute() -> None:
        try:
            found.append(run(claim, again=full, missing=missing, keep=keep))
        except BaseException as error:  # handed on to the caller's thread
            failed.append(error)

    thread = threading.Thread(target=compute, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(_LOOK_SECONDS)
        if work.stopped and thread.is_alive():
            return None
    if failed:
        raise failed[0]
    return found[0]
