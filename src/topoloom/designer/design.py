"""The operation `design`: measure candidates in parallel, apply the limits, rank the rest and mark the Pareto front."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Self

from topoloom.cabling.expansion.phases.phase import Phases
from topoloom.core.amounts import in_currency
from topoloom.core.errors import InputError, check_path
from topoloom.core.former_keys import with_current_keys
from topoloom.core.threads import cores
from topoloom.core.work import Ended, Work
from topoloom.cost.parts import Parts
from topoloom.designer.assessment.assessment import Assessment
from topoloom.designer.candidates import Proposal, enumerate_candidates
from topoloom.designer.duplicates import duplicates
from topoloom.designer.installed import measured_installed
from topoloom.designer.measured_limits import chosen_within_limits
from topoloom.designer.measuring import Measuring
from topoloom.designer.outcomes import MEASURES, Candidate, Dropped, Outcome
from topoloom.designer.pareto import pareto_front
from topoloom.designer.phases import designed_phases, with_phase_figures
from topoloom.designer.reference_designs import reference_specs
from topoloom.designer.requirement import Requirement
from topoloom.designer.requirement_files import read_requirement
from topoloom.designer.screening import Screening
from topoloom.designer.search import DesignSearch, Searched, best_of_catalogue
from topoloom.designer.shortlist import assess_shortlist, chosen_shortlist, in_order, place_shortlist
from topoloom.designer.store import CandidateStore
from topoloom.designer.switch_ports import SwitchPorts
from topoloom.figures.style import Axes, drawn
from topoloom.model.results import Provenance, Result, schema_id
from topoloom.model.sources import NetworkSource, network_of
from topoloom.network import Network
from topoloom.placement.layout.layout import Layout


@dataclass(frozen=True, eq=False)
class Design(Result):
    """The result of a design: ranked candidates for a requirement, and a shortlist that is fully assessed.

    Attributes
    ----------
    requirement : Requirement
    ranked : tuple of Candidate
        Candidates within every limit, best first. All are screened with their racks placed row by row; those of the shortlist
        are then placed by the default placement and ranked by the result: `Candidate.map` names the placement.
    dropped : tuple of Dropped
        Candidates that exceed a limit, each with the limit.
    dropped_by : dict of str to int
        Number of candidates that each limit dropped.
    pareto : frozenset of str
        Specs of candidates that no other beats in cost per host, mean latency and bisection per host at once.
    unmeasured : int
        Number of candidates that were not measured when the run was stopped.
    ended : "done", "deadline" or "interrupted"
    network : Network or None
        The winner's network; not in the record.
    usual : tuple of Candidate or Dropped
        The reference designs: fat trees tapered 1:1, 2:1 and 4:1, and a Dragonfly.
    shortlist : tuple of Assessment
        The fully assessed networks, at most `requirement.shortlist`: the best of the leading families, reference designs, and
        the ends of the Pareto front. The best is first; those that are not ranked are last. `requirement.minutes` is the
        budget of time.
    search : Searched or None
        Networks found beyond the catalogue and what they gain; None where the requirement asks for no search.
    phases : tuple of Phases
        The phases of the winner, or of each network of the shortlist in its order; empty where the requirement has neither
        phases nor a growth.
    no_phases : dict of str to str
        The reason why a network has no phases, by its spec.
    installed : Candidate or Dropped, optional
        The network that the design was compared with (`against`), measured by the same terms: with the limits that it exceeds,
        if any. It is in the shortlist, and not ranked.
    """

    record_name = "design"
    record_version = 5
    unrecorded = ("network",)
    derived = ("best",)

    requirement: Requirement
    ranked: tuple[Candidate, ...]
    dropped: tuple[Dropped, ...]
    dropped_by: dict[str, int]
    pareto: frozenset[str]
    unmeasured: int = 0
    ended: Ended = "done"
    # Any, not Network: a record cannot hold a union of dataclasses; this field is not recorded.
    network: Any = None
    usual: tuple[Outcome, ...] = ()
    shortlist: tuple[Assessment, ...] = ()
    search: Searched | None = None
    phases: tuple[Phases, ...] = ()
    no_phases: dict[str, str] = field(default_factory=dict)
    installed: Outcome | None = None
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    @property
    def layout(self) -> Layout | None:
        """The winner's layout; None where it was not placed in this run."""
        return None if self.network is None else self.network.layout

    @property
    def winner(self) -> Candidate | None:
        """The best candidate, or None when none is within the limits."""
        return self.ranked[0] if self.ranked else None

    def phases_of(self, spec: str | None) -> Phases | None:
        """The phases of a network of the design; None where it has none."""
        return next((phases for phases in self.phases if phases.spec == spec), None)

    @property
    def best(self) -> str | None:
        """The winner's spec."""
        return self.winner.spec if self.winner is not None else None

    @property
    def reused(self) -> int:
        """Number of candidates whose measurements an earlier run had stored."""
        return int(self.provenance.timings.get("reused", 0))

    def rows(self) -> list[dict[str, Any]]:
        """One row per candidate, ranked ones first: rank, Pareto, spec, family, the limit that dropped it, its measures."""
        rows: list[dict[str, Any]] = [
            {"rank": rank, "pareto": c.spec in self.pareto, "spec": c.spec, "family": c.family, "dropped": None}
            | {"map": c.map, **{key: getattr(c, key) for key in MEASURES}}
            for rank, c in enumerate(self.ranked, 1)
        ]
        rows += [
            {"rank": None, "pareto": False, "spec": out.spec, "family": out.family, "dropped": out.limit}
            | {"map": None, **{key: out.known.get(key) for key in MEASURES}}
            for out in self.dropped
        ]
        currency = self.currency
        return [row | {"currency": currency} for row in rows]

    def __repr__(self) -> str:
        """The best network and the counts; the fields are long."""
        best = "no candidate within the limits" if self.winner is None else self.winner.spec
        return (
            f"Design({self.requirement.hosts:,} hosts: {best}; {len(self.ranked):,} ranked, {len(self.dropped):,} dropped,"
            f" {len(self.shortlist)} fully assessed)"
        )

    @drawn()
    def plot(self, axes: "Axes") -> None:
        """Cost against latency of the ranked candidates; the Pareto front is ringed, numbers are ranks.

        Raises
        ------
        InputError
            No candidate is within the limits.
        """
        from topoloom.figures.candidates import draw_candidates

        if not self.ranked:
            raise InputError("no candidate is within every limit, so there is nothing to draw; loosen a limit")
        draw_candidates(
            axes,
            self.ranked,
            self.pareto,
            lambda c: c.cost_per_host_usd,
            lambda c: c.mean_latency_ns,
            (in_currency("cost [USD per host]", self.currency), "mean zero-load latency [ns]"),
            self.leading(),
        )

    @property
    def currency(self) -> str:
        """The currency of all amounts: that of the requirement's catalogue."""
        return self.requirement.currency

    def leading(self, most: int = 6) -> list[tuple[int, Candidate]]:
        """The best candidate of each family with its rank, best first, at most `most`."""
        first: dict[str, tuple[int, Candidate]] = {}
        for rank, candidate in enumerate(self.ranked, 1):
            first.setdefault(candidate.family, (rank, candidate))
        return list(first.values())[:most]

    @classmethod
    def from_record(cls, record: Any, source: str = "record") -> Self:
        """The design in a record, including records of topoloom 0.1.

        Raises
        ------
        InputError
            The record is damaged or of another kind.
        """
        if isinstance(record, dict) and record.get("format") == "topoloom-design":
            record = _renewed(with_current_keys(record))
        return super().from_record(record, source)


def _renewed(old: dict[str, Any]) -> dict[str, Any]:
    """Convert a record of topoloom 0.1 to the present format."""
    fields = {key: old.get(key) for key in ("requirement", "ranked", "dropped", "dropped_by", "pareto", "unmeasured")}
    requirement = dict(fields["requirement"] or {})
    requirement["compare"] = [f"besta-2014/{name.partition('/')[2]}" for name in requirement.get("compare", [])]
    stopped = "interrupted" if fields["unmeasured"] else "done"
    version = str(old.get("made_by", "")).removeprefix("topoloom ")
    return {
        "schema": schema_id(Design),
        "provenance": {"version": version},
        **fields,
        "requirement": requirement,
        "ended": stopped,
    }


def design(
    requirement: Requirement | str | Path,
    *,
    against: NetworkSource | None = None,
    shortlist: int | None = None,
    minutes: float | None = None,
    repeats: int | None = None,
    store: str | Path | None = None,
    fresh: bool = False,
    jobs: int | None = None,
    work: Work | None = None,
) -> Design:
    """Measure and rank every family's candidates for a requirement, then assess the shortlist in full.

    Parameters
    ----------
    requirement : Requirement or path
        The requirement, or the path of its TOML file.
    against : NetworkSource, optional
        An installed network (`Network.adopt`), measured by the terms of the requirement and assessed with the shortlist. It is
        never ranked. Its layout is used if it has one.
    shortlist : int, optional
        How many networks are fully assessed; as in the requirement when omitted.
    minutes : float, optional
        The time for the full assessments; as in the requirement when omitted.
    repeats : int, optional
        Most repetitions of the random draws, if time is left; as in the requirement when omitted.
    store : path, optional
        A folder that keeps measurements for later runs.
    fresh : bool
        Ignore stored measurements, measure again and store the new ones.
    jobs : int, optional
        Number of processes; by default one per core. They are started by the method "spawn": a script that calls this with
        more than one must do so under ``if __name__ == "__main__":``.
    work : Work, optional
        Reports each candidate (`Candidate` or `Dropped`) when it is measured; can stop the run.

    Returns
    -------
    Design
        The candidates within the limits, best first; the dropped ones, each with the limit that it exceeds; the Pareto front.

    Raises
    ------
    InputError
        The requirement cannot be read, a value is out of its range, or no family has a candidate for it.

    Notes
    -----
    A stop or Ctrl-C ends the measuring; the design then contains what was measured: `ended` gives the reason, and
    `unmeasured` the number of candidates that are missing.
    """
    if not isinstance(requirement, Requirement):
        check_path(requirement, "design", "give a Requirement, or the path of a requirement file")
    work = Work() if work is None else work
    requirement = requirement if isinstance(requirement, Requirement) else read_requirement(requirement)
    given = {"shortlist": shortlist, "minutes": minutes, "repeats": repeats}
    requirement = requirement.changed({key: value for key, value in given.items() if value is not None}).filled()
    parts = requirement.catalogue()
    installed, existing = (
        (None, None)
        if against is None
        else measured_installed(network_of(against, "design"), requirement, parts, cores(jobs), work)
    )
    proposals = enumerate_candidates(requirement, parts)
    if all(proposal.compared_only for proposal in proposals):
        raise InputError(_no_family(requirement, parts))
    stored = CandidateStore(Path(store), requirement, parts) if store is not None else None
    named = tuple(reference_specs(requirement, parts)) if requirement.usual else ()
    with Measuring(requirement, parts, cores(jobs), work) as measuring:
        screening = Screening(requirement, measuring, stored, work, named, fresh=fresh)
        beyond = DesignSearch(requirement, parts, screening, proposals, work)
        with work.interruptible():
            work.begin(sum(proposal.passed is None for proposal in proposals), "candidates")
            screening.take(proposals)
            if requirement.search.networks:
                beyond.run()
        proposals += beyond.proposals
        screening.settle(proposals)
        budget = work.budget(requirement.minutes * 60)
        compared_only = frozenset(proposal.spec for proposal in proposals if proposal.compared_only)
        tested: set[str] = set()
        failing: dict[str, Dropped] = {}
        while True:
            screened = _screened(screening, proposals, compared_only, requirement)
            equals = duplicates(screened, requirement, frozenset((*named, *requirement.families.specs)))
            screening.found |= equals
            screened = [candidate for candidate in screened if candidate.spec not in equals]
            usual = tuple(screening.found[spec] for spec in named if spec in screening.found)
            searched = beyond.summary(screened) if requirement.search.networks else None
            catalogue = None if searched is None else best_of_catalogue(screened, searched)
            # Without a shortlist, only the winner is tested.
            choose = partial(_chosen, screened, usual, max(1, requirement.shortlist), catalogue)
            # Formulas only filter: a network whose tables fail a limit leaves the ranking, and the shortlist is chosen again.
            chosen, failed = chosen_within_limits(
                choose, screening.found, requirement, cores(jobs), work, budget, tested
            )
            failing |= failed
            if not screening.without(failed):
                break
            # Without the cheapest design, others are no longer too expensive. Their time is not that of the shortlist.
            left = budget.seconds_left
            with work.interruptible():
                screening.take(proposals)
            screening.settle(proposals)
            budget = work.budget(left)
    outcomes = [screening.found[p.spec] for p in proposals if p.spec in screening.found]
    screened = [candidate for candidate in screened if candidate.spec not in failing]
    by_spec: dict[str, Outcome] = {**screening.found, **failing}
    # Where no candidate is within every limit, there is nothing that a reference design could be compared with.
    chosen = chosen if requirement.shortlist and screened else []
    # Without a shortlist the winner is still placed: its lengths, cost and power are those of the network as built.
    placed = [by_spec[spec] for spec in chosen or [candidate.spec for candidate in screened[:1]]]
    to_place = [outcome for outcome in placed if isinstance(outcome, Candidate)]
    rebuilt, networks, stopped = place_shortlist(
        to_place, requirement, parts, stored, work, budget, cores(jobs), fresh=fresh
    )
    ranked = in_order((rebuilt.get(candidate.spec, candidate) for candidate in screened), requirement)
    by_spec |= rebuilt
    assessed: tuple[Assessment, ...] = ()
    if chosen and not stopped:
        steps = None if store is None else Path(store)
        chain = [by_spec[spec] for spec in chosen]
        if installed is not None and existing is not None and installed.spec not in by_spec:
            chain.append(installed)
            networks = networks | {installed.spec: existing}
            compared_only |= {installed.spec}
        assessed, late = assess_shortlist(
            chain,
            networks,
            requirement,
            parts,
            steps,
            work,
            budget,
            cores(jobs),
            fresh=fresh,
            compared_only=compared_only,
        )
        by_spec |= late
        failing |= late
        installed = None if installed is None else late.get(installed.spec, installed)
    ranked = [candidate for candidate in ranked if candidate.spec not in failing]
    outcomes = [failing.get(outcome.spec, outcome) for outcome in outcomes]
    grown: tuple[Phases, ...] = ()
    refused: dict[str, str] = {}
    in_phases = bool(requirement.phase) or requirement.grown_hosts > requirement.hosts
    if in_phases and ranked and not stopped and not work.stopped:
        grown, refused = designed_phases(ranked[0], assessed, networks, requirement, parts, cores(jobs), work, budget)
        assessed = with_phase_figures(assessed, grown, parts.currency)
    outcomes = [c for c in outcomes if c.spec not in compared_only]
    proposals = [proposal for proposal in proposals if not proposal.compared_only]
    dropped = [c for c in outcomes if isinstance(c, Dropped)]
    usual = tuple(by_spec[outcome.spec] for outcome in usual)
    most_usd = screening.most_usd
    for proposal in proposals:
        limit = proposal.passed or ("cost_over_best" if proposal.least_usd > most_usd else None)
        if limit and proposal.spec not in screening.found:
            dropped.append(Dropped(proposal.spec, proposal.spec.partition(":")[0], limit, proposal.reason))
    return Design(
        requirement,
        tuple(ranked),
        tuple(dropped),
        dict(Counter(c.limit for c in dropped).most_common()),
        pareto_front(ranked),
        len(proposals) - len(ranked) - len(dropped),
        work.ended if stopped or work.stopped or len(proposals) > len(ranked) + len(dropped) else "done",
        _winner(ranked[0].spec, networks, assessed) if ranked else None,
        usual,
        assessed,
        searched,
        grown,
        refused,
        installed,
        Provenance.of_run(
            name=requirement.title, settings={"parts": requirement.parts}, timings={"reused": float(screening.reused)}
        ),
    )


def _no_family(requirement: Requirement, parts: Parts) -> str:
    """Why no family has a candidate, and the remedy."""
    sold, hosts = SwitchPorts.of(requirement, parts), requirement.grown_hosts
    product = requirement.switch.product
    if sold.most_links == requirement.radix:
        return f"no family serves {hosts:,} hosts on {requirement.radix}-port switches; raise switch.radix or try more families"
    named = f"of '{product}'" if product else "of a switch"
    remedy = (
        "omit switch.product, so that spines may be other switches" if product else "add a switch with more of them"
    )
    return (
        f"no family serves {hosts:,} hosts: only {sold.most_links} ports {named} run at the {requirement.rate_gbps:g} Gb/s of"
        f" links; {remedy}, or try more families"
    )


def _screened(
    screening: Screening, proposals: Sequence[Proposal], compared_only: frozenset[str], requirement: Requirement
) -> list[Candidate]:
    """The candidates within every limit so far, best first, without those that are only compared."""
    outcomes = (screening.found.get(proposal.spec) for proposal in proposals if proposal.spec not in compared_only)
    return in_order((outcome for outcome in outcomes if isinstance(outcome, Candidate)), requirement)


def _chosen(
    screened: Sequence[Candidate], usual: Sequence[Outcome], count: int, catalogue: str | None, failing: frozenset[str]
) -> list[str]:
    """The shortlist (`chosen_shortlist`) without the networks that fail a limit."""
    left = [candidate for candidate in screened if candidate.spec not in failing]
    return chosen_shortlist(left, usual, pareto_front(left), count, catalogue)


def _winner(spec: str, networks: dict[str, Network], shortlist: tuple[Assessment, ...]) -> Network | None:
    """The winner's network, with its tables where it was fully assessed."""
    assessed = (
        assessment.network for assessment in shortlist if assessment.spec == spec and assessment.network is not None
    )
    return next(assessed, networks.get(spec))
