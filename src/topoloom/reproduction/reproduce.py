"""The verb: the papers' claims, computed again one after the other."""

import threading
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from topoloom.reproduction.registry import Claim, Outcome, claims, run
from topoloom.results import Provenance, Result
from topoloom.work import Ended, Work

#: Seconds between two looks at whether the work shall end.
_LOOK_SECONDS = 0.1


@dataclass(frozen=True)
class Reproduced:
    """One claim beside our value: what was published, ours, the verdict, what goes with it, and the command that gives ours."""

    id: str
    what: str
    published: str
    ours: str
    verdict: str
    why: str
    command: str

    @classmethod
    def of(cls, claim: Claim, outcome: Outcome) -> "Reproduced":
        """A claim with its outcome."""
        verdict = outcome.verdict.value
        return cls(claim.id, claim.what, claim.published, outcome.ours, verdict, outcome.why, claim.command)


@dataclass(frozen=True)
class Reproduction(Result):
    """Claims with their verdicts, in the order of their ids.

    Attributes
    ----------
    claims : tuple of Reproduced
    ended : Ended
        Cut short, `claims` are those that were finished.
    """

    noun = "reproduction"
    derived = ("verdicts",)

    claims: tuple[Reproduced, ...]
    ended: Ended = "done"
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    @property
    def verdicts(self) -> dict[str, int]:
        """How many claims have each verdict."""
        return dict(Counter(one.verdict for one in self.claims))

    def rows(self) -> list[dict[str, Any]]:
        """A row a claim."""
        names = Reproduced.__dataclass_fields__
        return [{name: getattr(one, name) for name in names} for one in self.claims]


def reproduce(chosen: Iterable[str] = (), *, full: bool = False, work: Work | None = None) -> Reproduction:
    """Compute the papers' claims again.

    Parameters
    ----------
    chosen : texts
        Ids, or what they begin with (``besta-2014``, ``besta-2014/table-iv``); all when empty.
    full : bool
        Also those of full size, which take minutes to hours; one that is named by its whole id is computed anyway.
    work : Work, optional
        Given each (`Claim`, `Outcome`) as soon as it is there. Stopped, it ends at once: what was being computed is left.

    Returns
    -------
    Reproduction
        The verdict on each claim, in the order of their ids; of those that were finished, when the work was stopped.

    Raises
    ------
    InputError
        No claim has such an id.

    Examples
    --------
    >>> reproduce(["xu-2019/products"]).verdicts
    {'reproduced': 1}
    """
    work = Work() if work is None else work
    named = tuple(chosen)
    wanted = [claim for claim in claims(named) if full or not claim.full or claim.id in named]
    work.begin(len(wanted), "claims")
    found, seconds = list[Reproduced](), dict[str, float]()
    with work.interruptible():
        for claim in wanted:
            outcome = None if work.stopped else _computed(claim, work)
            if outcome is None:
                break
            found.append(Reproduced.of(claim, outcome))
            seconds[claim.id] = outcome.seconds
            work.deliver((claim, outcome))
            work.advance(note=claim.id)
    return Reproduction(tuple(found), work.ended, Provenance(settings={"full": full}, timings=seconds))


def _computed(claim: Claim, work: Work) -> Outcome | None:
    """The outcome of a claim; None if the work shall end before it is there.

    It is computed by a thread of its own, so that nobody waits for a kernel that runs for minutes.
    """
    found: list[Outcome] = []
    failed: list[BaseException] = []

    def compute() -> None:
        try:
            found.append(run(claim))
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
