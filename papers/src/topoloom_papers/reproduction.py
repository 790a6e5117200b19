"""The operation `reproduce`: computes the papers' claims again, one after the other."""

import threading
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Annotated, Any

from topoloom.core.calls import awaited
from topoloom.core.errors import InputError, Stopped, check_all, wrong_type
from topoloom.core.settings import setting
from topoloom.core.work import Ended, Work
from topoloom.model.results import Provenance, Result
from topoloom_papers.long_runs import LONG_RUNS
from topoloom_papers.registry import Claim, Computed, claims, run
from topoloom_papers.runs_anywhere import submitted
from topoloom_papers.verdicts import Verdict, verdicts_named

#: Options for long runs, shared by the command and the tasks of a study.
Full = Annotated[bool, setting("make the long runs again (minutes to hours) instead of reading the kept ones")]
Missing = Annotated[bool, setting("make the long runs that are not kept; read the others")]
_WORDS = " or ".join([", ".join(verdict.word for verdict in [*Verdict][:-1]), [*Verdict][-1].word])
Verdicts = Annotated[
    tuple[str, ...], setting(f"only claims with this verdict: {_WORDS}; may be repeated", metavar="VERDICT")
]

#: Seconds between two checks whether the work is stopped.
_LOOK_SECONDS = 0.1


@dataclass(frozen=True)
class Reproduced:
    """One claim compared with our value: the published value, ours, the verdict with its reason, and the command for ours.

    Attributes
    ----------
    readings : int
        Number of readings of the paper that were tried, if one was chosen after the results were known; otherwise 1.
    details : str
        The numbers of each reading or setup, the settings, and all statements that do not hold; empty if `why` has all.
    measured : str
        Date of the oldest long run used, ``2026-11-23``; empty if no long run was used.
    commit : str
        Commit of topoloom that made this run.
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
    details: str = ""

    @classmethod
    def of(cls, claim: Claim, computed: Computed) -> "Reproduced":
        """A claim with its outcome."""
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
            outcome.details,
        )


@dataclass(frozen=True)
class Reproduction(Result):
    """Claims with their verdicts, in the papers' order.

    Attributes
    ----------
    claims : tuple of Reproduced
    ended : Ended
        How the computation ended; if it was stopped, `claims` has only the finished ones.
    others : int, optional
        Number of claims that were computed and left out, because they have other verdicts than those asked for; None without
        such a choice.
    """

    record_name = "reproduction"
    derived = ("verdicts",)
    omitted_if_none = ("others",)

    claims: tuple[Reproduced, ...]
    ended: Ended = "done"
    others: int | None = None
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    @property
    def verdicts(self) -> dict[str, int]:
        """How many claims have each verdict."""
        return dict(Counter(claim.verdict for claim in self.claims))

    def rows(self) -> list[dict[str, Any]]:
        """One row per claim."""
        names = Reproduced.__dataclass_fields__
        return [{name: getattr(claim, name) for name in names} for claim in self.claims]


def reproduce(
    chosen: Iterable[str] = (),
    *,
    verdict: Iterable[str] = (),
    full: bool = False,
    missing: bool = False,
    keep: bool = False,
    work: Work | None = None,
) -> Reproduction:
    """Compute the papers' claims again.

    Parameters
    ----------
    chosen : texts
        Ids, or beginnings of ids (``besta-2014``, ``truong-2016/theorem``); empty: all claims.
    verdict : texts
        Return only claims with these verdicts: ``["not-reproducible", "paper-wrong"]``; empty: all verdicts.
    full : bool
        Make the long runs again, which takes minutes to hours; otherwise they are read from the package.
    missing : bool
        Make the long runs that are not kept; read the others.
    keep : bool
        Store the measurements and the time of each claim in the package's data, each as soon as it is available.
    work : Work, optional
        Receives each (`Claim`, `Computed`) as soon as it is available. Stopping it discards the claim being computed. With an
        executor, the long runs are made there, claim by claim.

    Returns
    -------
    Reproduction
        The verdict on each claim, in the papers' order; only the finished claims if the work was stopped.

    Raises
    ------
    InputError
        No claim has such an id, or no verdict such a name; both `full` and `missing` are set; or the measurements cannot be
        stored.

    Examples
    --------
    >>> reproduce(["xu-2019/table-1/petersen"]).verdicts
    {'exact': 1}
    """
    names = _texts(chosen, "reproduce", "name claims, as in ['besta-2014']")
    shown = verdicts_named(_texts(verdict, "verdict", "name verdicts, as in ['not-reproducible']"))
    work = Work() if work is None else work
    if full and missing:
        raise InputError("full makes all long runs, missing only those that are not kept: give one of the two")
    wanted = claims(names)
    work.begin(len(wanted), "claims")
    finished, others, seconds = list[Reproduced](), 0, dict[str, float]()
    with work.interruptible():
        long_runs = {}
        if work.executor is not None and (full or missing):
            long_runs = submitted(work.executor, wanted, full, missing)
        for claim in wanted:
            if claim.id in long_runs:
                try:
                    LONG_RUNS.take(awaited(long_runs[claim.id], work))
                except Stopped:
                    break
            computed = None if work.stopped else _computed(claim, full, missing, keep, work)
            if computed is None:
                break
            if keep:
                LONG_RUNS.keep(claim.id, computed.seconds)
            seconds[claim.id] = computed.seconds
            if computed.outcome.verdict in shown:
                finished.append(Reproduced.of(claim, computed))
                work.deliver((claim, computed))
            else:
                others += 1
            work.advance(note=claim.id)
    settings = {"full": full, "missing": missing, "verdict": [one.word for one in shown]}
    provenance = Provenance.of_run(settings=settings, timings=seconds)
    return Reproduction(tuple(finished), work.ended, others if len(shown) < len(Verdict) else None, provenance)


def _texts(given: Iterable[str], where: str, remedy: str) -> list[str]:
    """A list of texts, checked."""
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise wrong_type(given, Iterable, where, remedy)
    texts = list(given)
    check_all(texts, str, where, remedy)
    return texts


def _computed(claim: Claim, full: bool, missing: bool, keep: bool, work: Work) -> Computed | None:
    """Compute a claim; None if the work is stopped before it is finished.

    The claim runs in its own thread, so that stopping does not wait for a kernel that runs for minutes.
    """
    computed: list[Computed] = []
    errors: list[BaseException] = []

    def compute() -> None:
        try:
            computed.append(run(claim, again=full, missing=missing, keep=keep))
        except BaseException as error:  # raised again in the caller's thread
            errors.append(error)

    thread = threading.Thread(target=compute, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(_LOOK_SECONDS)
        if work.stopped and thread.is_alive():
            return None
    if errors:
        raise errors[0]
    return computed[0]
