"""The screening: candidates are measured or read from the store; those that are too expensive are skipped."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from topoloom.core.work import Work
from topoloom.designer.candidates import Proposal
from topoloom.designer.measuring import Measuring
from topoloom.designer.outcomes import Candidate, Dropped, Outcome, passed_limit, single_numbers
from topoloom.designer.requirement import Requirement
from topoloom.designer.requirement_tables import DesignLimits
from topoloom.designer.store import CandidateStore


class Screening:
    """The outcomes so far, and the cheapest of them, which decides what is too expensive to measure.

    Parameters
    ----------
    requirement : Requirement
    measuring : Measuring
        Measures candidates that are not stored.
    kept : CandidateStore or None
        Stores outcomes; None: nothing is stored.
    work : Work
        A stop ends the screening; what was measured stays.
    references : iterable of str
        The specs of the reference designs, which are measured whatever they cost.
    fresh : bool
        Ignore the outcomes in the store.
    """

    def __init__(
        self,
        requirement: Requirement,
        measuring: Measuring,
        kept: CandidateStore | None,
        work: Work,
        references: Iterable[str],
        *,
        fresh: bool,
    ) -> None:
        self.found: dict[str, Outcome] = {}
        self.reused = 0
        #: `most_usd`, kept up to date while candidates are measured: many are compared with it.
        self._most_usd = float("inf")
        #: Measured, but too expensive next to the cheapest design found so far.
        self._expensive: dict[str, Outcome] = {}
        self._requirement, self._measuring, self._kept, self._work, self._fresh = (
            requirement,
            measuring,
            kept,
            work,
            fresh,
        )
        # Specs that the user names, and reference designs, are measured and ranked whatever they cost.
        self._wanted = frozenset(requirement.families.specs) | frozenset(references)

    @property
    def most_usd(self) -> float:
        """The most that a network may cost per host: the allowed multiple of the cheapest found; infinite if there is none.

        It looks at all outcomes: ask once for many networks.
        """
        return min((self._most_usd_after(outcome) for outcome in self.found.values()), default=float("inf"))

    def _most_usd_after(self, outcome: Outcome) -> float:
        """The most that another network may cost per host, next to one outcome."""
        if not isinstance(outcome, Candidate):
            return float("inf")
        return self._requirement.limits.cost_over_best * outcome.cost_per_host_usd

    def take(self, proposals: Sequence[Proposal], *, every: bool = False) -> None:
        """Measure all that is neither stored nor too expensive; those that exceed a limit by theory are omitted.

        Parameters
        ----------
        proposals : sequence of Proposal
            Sorted by the lower bound of their cost.
        every : bool
            Measure also those that become too expensive while others are measured.
        """
        pursued = [proposal for proposal in proposals if proposal.passed is None]
        before = len(self.found)
        for proposal in pursued:
            if self._kept is None or self._fresh or proposal.spec in self.found:
                continue
            old = self._kept.get(proposal.spec)
            if old is not None and (limited := _limited(old, self._requirement)) is not None:
                self.found[proposal.spec] = limited
        reused = len(self.found) - before
        self.reused += reused
        if reused:
            self._work.advance(reused)
        self._most_usd = self.most_usd
        for candidate in self._measuring.outcomes(self._not_found(pursued, every)):
            self.found[candidate.spec] = candidate
            self._most_usd = min(self._most_usd, self._most_usd_after(candidate))
            if self._kept is not None:
                self._kept.put(candidate)
            self._work.advance()
            self._work.deliver(candidate)

    def settle(self, proposals: Iterable[Proposal]) -> None:
        """Drop what is too expensive in the end: the same rule for all, in whatever order they were measured."""
        least = {p.spec: p.least_usd for p in proposals if p.spec in self.found}
        most = self.most_usd
        expensive = {spec: self.found[spec] for spec, usd in least.items() if usd > most}
        self.found = {spec: self.found[spec] for spec in least if spec not in expensive}
        self._expensive |= expensive
        most = self.most_usd
        for spec, outcome in self.found.items():
            if spec not in self._wanted and isinstance(outcome, Candidate) and outcome.cost_per_host_usd > most:
                self._expensive[spec] = outcome
                self.found[spec] = Dropped(spec, outcome.family, "cost_over_best", None, single_numbers(outcome))

    def without(self, failing: Mapping[str, Dropped]) -> bool:
        """Take designs away that fail a limit; what was too expensive next to them is taken back, to be settled again.

        Parameters
        ----------
        failing : mapping of str to Dropped
            By spec.

        Returns
        -------
        bool
            Whether the cheapest design was among them: then more candidates are to be measured.
        """
        before = self.most_usd
        self.found |= failing
        if self.most_usd <= before:
            return False
        self.found |= {spec: outcome for spec, outcome in self._expensive.items() if spec not in failing}
        self._expensive.clear()
        return True

    def _not_found(self, proposals: Sequence[Proposal], every: bool) -> Iterator[str]:
        """The specs to measure; those that have become too expensive are skipped, unless `every` is set."""
        for proposal in proposals:
            if proposal.spec not in self.found and (every or proposal.least_usd <= self._most_usd):
                yield proposal.spec


def _limited(outcome: Outcome, requirement: Requirement) -> Outcome | None:
    """A stored outcome under this requirement's limits; None if it has to be measured further."""
    if isinstance(outcome, Dropped) and outcome.limit not in DesignLimits.__struct_fields__:
        return outcome
    measures = single_numbers(outcome) if isinstance(outcome, Candidate) else outcome.known
    limit = passed_limit(measures, requirement.limits)
    if limit is not None:
        return Dropped(outcome.spec, outcome.family, limit, None, measures)
    return outcome if isinstance(outcome, Candidate) else None
