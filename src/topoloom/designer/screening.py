"""The first round: candidates measured, found again in the store, and omitted where they are too dear to pursue."""

from collections.abc import Iterable, Iterator, Sequence

from topoloom.core.work import Work
from topoloom.designer.candidates import Proposal
from topoloom.designer.measure import Candidate, Dropped, Outcome, passed_limit, single_numbers
from topoloom.designer.measuring import Measuring
from topoloom.designer.requirement import DesignLimits, Requirement
from topoloom.designer.store import CandidateStore
from topoloom.designer.usual import usual_specs


class Screening:
    """What was found so far, and the cheapest of it, which decides what is too dear to pursue.

    Parameters
    ----------
    requirement : Need
    measuring : Measuring
        Measures what the store has not.
    kept : CandidateStore or None
        Where candidates are found and kept.
    work : Work
        A stop ends it; what was measured stays.
    fresh : bool
        Do not look what the store has.
    """

    def __init__(
        self, requirement: Requirement, measuring: Measuring, kept: CandidateStore | None, work: Work, *, fresh: bool
    ) -> None:
        self.found: dict[str, Outcome] = {}
        self.reused = 0
        self._requirement, self._measuring, self._kept, self._work, self._fresh = (
            requirement,
            measuring,
            kept,
            work,
            fresh,
        )
        # Specs that the user names, and reference designs, are measured and ranked whatever they cost.
        self._wanted = frozenset(requirement.families.specs) | frozenset(
            usual_specs(requirement) if requirement.usual else ()
        )

    @property
    def _cheapest(self) -> float:
        costs = (c.cost_per_host_usd for c in self.found.values() if isinstance(c, Candidate))
        return min(costs, default=float("inf"))

    def too_dear(self, usd_per_host: float) -> bool:
        """Whether something costs too many times the cheapest design found."""
        return usd_per_host > self._requirement.limits.cost_over_best * self._cheapest

    def take(self, proposals: Sequence[Proposal], *, every: bool = False) -> None:
        """Measure all that is neither stored nor too dear; those that theory sees past a limit are omitted.

        Parameters
        ----------
        proposals : sequence of Proposal
            The cheapest possible first.
        every : bool
            Measure those, too, that become too dear by what others cost meanwhile.
        """
        pursued = [proposal for proposal in proposals if proposal.passed is None]
        before = len(self.found)
        for proposal in pursued:
            old = self._kept.get(proposal.spec) if self._kept is not None and not self._fresh else None
            if old is not None and (limited := _limited(old, self._requirement)) is not None:
                self.found[proposal.spec] = limited
        reused = len(self.found) - before
        self.reused += reused
        if reused:
            self._work.advance(reused)
        for candidate in self._measuring.outcomes(self._not_found(pursued, every)):
            self.found[candidate.spec] = candidate
            if self._kept is not None:
                self._kept.put(candidate)
            self._work.advance()
            self._work.deliver(candidate)

    def settle(self, proposals: Iterable[Proposal]) -> None:
        """One rule for all, however the measuring was interleaved: what is too dear in the end is out."""
        self.found = {
            p.spec: self.found[p.spec] for p in proposals if p.spec in self.found and not self.too_dear(p.least_usd)
        }
        for spec, one in self.found.items():
            if spec not in self._wanted and isinstance(one, Candidate) and self.too_dear(one.cost_per_host_usd):
                self.found[spec] = Dropped(spec, one.family, "cost_over_best", None, single_numbers(one))

    def _not_found(self, proposals: Sequence[Proposal], every: bool) -> Iterator[str]:
        """The specs to measure; what has become too dear is passed over, unless every one is wanted."""
        for proposal in proposals:
            if proposal.spec not in self.found and (every or not self.too_dear(proposal.least_usd)):
                yield proposal.spec


def _limited(found: Outcome, requirement: Requirement) -> Outcome | None:
    """A stored outcome held against this need's limits; None if it has to be measured further than it was."""
    if isinstance(found, Dropped) and found.limit not in DesignLimits.__struct_fields__:
        return found
    known = single_numbers(found) if isinstance(found, Candidate) else found.known
    limit = passed_limit(known, requirement.limits)
    if limit is not None:
        return Dropped(found.spec, found.family, limit, None, known)
    return found if isinstance(found, Candidate) else None
