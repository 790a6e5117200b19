"""`design`: every candidate measured in parallel, limits applied, the rest ranked and the Pareto front marked."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from topoloom.core.errors import InputError, check_path
from topoloom.core.former_keys import with_current_keys
from topoloom.core.threads import cores
from topoloom.core.work import Ended, Work
from topoloom.designer.assessment.assessment import Assessment
from topoloom.designer.candidates import enumerate_candidates
from topoloom.designer.measure import MEASURES, Candidate, Dropped, Outcome
from topoloom.designer.measuring import Measuring
from topoloom.designer.pareto import pareto_front
from topoloom.designer.requirement import Requirement
from topoloom.designer.requirement_files import read_requirement
from topoloom.designer.screening import Screening
from topoloom.designer.search import DesignSearch, Searched, best_of_catalogue
from topoloom.designer.shortlist import assess_shortlist, chosen_shortlist, in_order, place_shortlist
from topoloom.designer.store import CandidateStore
from topoloom.designer.usual import usual_specs
from topoloom.figures.style import Axes, drawn
from topoloom.model.results import Provenance, Result, schema_id
from topoloom.network import Network
from topoloom.placement.layout.layout import Layout


@dataclass(frozen=True, eq=False)
class Design(Result):
    """The answer to a need.

    Attributes
    ----------
    requirement : Need
    ranked : tuple of Candidate
        Those within every limit, best first. All are screened with their racks row by row; the shortlist are then placed by
        the default placement, and ranked by what that gives: `Candidate.map` says which.
    dropped : tuple of Dropped
        Those past a limit, with the limit named.
    dropped_by : dict of str to int
        How many each limit dropped.
    pareto : frozenset of str
        Specs that no other candidate beats in cost, mean latency and bisection a host all at once.
    unmeasured : int
        How many were left when the run was stopped.
    ended : "done", "deadline" or "interrupted"
    network : Network or None
        The winner as it is built; not in the record.
    usual : tuple of Candidate or Dropped
        What everybody buys, measured beside all others: fat trees tapered 1:1, 2:1 and 4:1, and a Dragonfly.
    shortlist : tuple of Assessment
        The best of the leading families, reference designs, and the ends of the Pareto front, fully assessed:
        `requirement.shortlist` of them at most, the best first, within `requirement.minutes`.
    search : Searched or None
        What was found beyond the catalogue, and what that gains, where the need asks for it.
    """

    record_name = "design"
    record_version = 3
    unrecorded = ("network",)
    derived = ("best",)

    requirement: Requirement
    ranked: tuple[Candidate, ...]
    dropped: tuple[Dropped, ...]
    dropped_by: dict[str, int]
    pareto: frozenset[str]
    unmeasured: int = 0
    ended: Ended = "done"
    # Not as a Network: records of a union of dataclasses cannot be read, and this is in none.
    network: Any = None
    usual: tuple[Outcome, ...] = ()
    shortlist: tuple[Assessment, ...] = ()
    search: Searched | None = None
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    @property
    def layout(self) -> Layout | None:
        """Of the winner, where it was placed here."""
        return None if self.network is None else self.network.layout

    @property
    def winner(self) -> Candidate | None:
        """The best candidate, or None when none is within the limits."""
        return self.ranked[0] if self.ranked else None

    @property
    def best(self) -> str | None:
        """The winner's spec."""
        return self.winner.spec if self.winner is not None else None

    @property
    def reused(self) -> int:
        """How many candidates an earlier run had measured."""
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
        return rows

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
            ("cost [USD per host]", "mean zero-load latency [ns]"),
            self.leading(),
        )

    def leading(self, most: int = 6) -> list[tuple[int, Candidate]]:
        """The best of each family with its rank, best first, at most so many."""
        first: dict[str, tuple[int, Candidate]] = {}
        for rank, candidate in enumerate(self.ranked, 1):
            first.setdefault(candidate.family, (rank, candidate))
        return list(first.values())[:most]

    @classmethod
    def from_record(cls, record: Any, source: str = "record") -> Self:
        """The design that a record is of, also one of topoloom 0.1.

        Raises
        ------
        InputError
            The record is of something else, or damaged.
        """
        if isinstance(record, dict) and record.get("format") == "topoloom-design":
            record = _renewed(with_current_keys(record))
        return super().from_record(record, source)


def _renewed(old: dict[str, Any]) -> dict[str, Any]:
    """A record of topoloom 0.1 as one of today."""
    kept = {key: old.get(key) for key in ("requirement", "ranked", "dropped", "dropped_by", "pareto", "unmeasured")}
    requirement = dict(kept["requirement"] or {})
    requirement["compare"] = [f"besta-2014/{name.partition('/')[2]}" for name in requirement.get("compare", [])]
    stopped = "interrupted" if kept["unmeasured"] else "done"
    version = str(old.get("made_by", "")).removeprefix("topoloom ")
    return {
        "schema": schema_id(Design),
        "provenance": {"version": version},
        **kept,
        "requirement": requirement,
        "ended": stopped,
    }


def design(
    requirement: Requirement | str | Path,
    *,
    store: str | Path | None = None,
    fresh: bool = False,
    jobs: int | None = None,
    work: Work | None = None,
) -> Design:
    """Enumerate every family's candidates for a need, measure and rank them, and take the shortlist a full assessment.

    Parameters
    ----------
    requirement : Need or path
        The requirement, or the TOML file that says it.
    store : path, optional
        A folder where measurements are kept and found again.
    fresh : bool
        Measure again what the store has, and keep the new measurements.
    jobs : int, optional
        Processes; the default is one for each core. They are started afresh (spawn), so a script that calls this with
        more than one must do so under ``if __name__ == "__main__":``.
    work : Work, optional
        Told of each candidate (`Candidate` or `Dropped`) as soon as it is measured; may stop the measuring.

    Returns
    -------
    Design
        The candidates within the limits, the best first; those out, with the limit that each of them passes; the
        Pareto front.

    Raises
    ------
    InputError
        The need cannot be read, or no family has a candidate for it.

    Notes
    -----
    A stop or Ctrl-C ends the measuring; the design is then made of what was measured: `ended` says so, and `unmeasured`
    how much is missing.
    """
    if not isinstance(requirement, Requirement):
        check_path(requirement, "design", "give a Need, or the path of a requirement file")
    work = Work() if work is None else work
    requirement = requirement.filled() if isinstance(requirement, Requirement) else read_requirement(requirement)
    parts = requirement.catalogue()
    proposals = enumerate_candidates(requirement, parts)
    if all(proposal.beside for proposal in proposals):
        raise InputError(
            f"no family serves {requirement.hosts} hosts on {requirement.radix}-port switches; raise switch.radix or try more "
            "families"
        )
    kept = CandidateStore(Path(store), requirement, parts) if store is not None else None
    with Measuring(requirement, parts, cores(jobs), work) as measuring, work.interruptible():
        screening = Screening(requirement, measuring, kept, work, fresh=fresh)
        beyond = DesignSearch(requirement, parts, screening, proposals, work)
        work.begin(sum(proposal.passed is None for proposal in proposals), "candidates")
        screening.take(proposals)
        if requirement.search.networks:
            beyond.run()
    proposals += beyond.proposals
    screening.settle(proposals)
    outcomes = [screening.found[p.spec] for p in proposals if p.spec in screening.found]
    beside = {proposal.spec for proposal in proposals if proposal.beside}
    screened = in_order((c for c in outcomes if isinstance(c, Candidate) and c.spec not in beside), requirement)
    named = tuple(usual_specs(requirement)) if requirement.usual else ()
    usual = tuple(screening.found[spec] for spec in named if spec in screening.found)
    searched = beyond.told(screened) if requirement.search.networks else None
    catalogue = None if searched is None else best_of_catalogue(screened, searched)
    chosen = chosen_shortlist(screened, usual, pareto_front(screened), requirement.shortlist, catalogue)
    # Without shortlist the best is still placed: lengths, money and watts of the answer are those that are built.
    placed = [screening.found[spec] for spec in chosen or [one.spec for one in screened[:1]]]
    to_place = [one for one in placed if isinstance(one, Candidate)]
    budget = work.budget(requirement.minutes * 60)
    rebuilt, networks, stopped = place_shortlist(
        to_place, requirement, parts, kept, work, budget, cores(jobs), fresh=fresh
    )
    ranked = in_order((rebuilt.get(one.spec, one) for one in screened), requirement)
    by_spec: dict[str, Outcome] = {**screening.found, **rebuilt}
    shortlist: tuple[Assessment, ...] = ()
    if chosen and not stopped:
        steps = None if store is None else Path(store)
        chain = [by_spec[spec] for spec in chosen]
        shortlist = assess_shortlist(chain, networks, requirement, parts, steps, work, budget, cores(jobs), fresh=fresh)
    outcomes = [c for c in outcomes if c.spec not in beside]
    proposals = [proposal for proposal in proposals if not proposal.beside]
    dropped = [c for c in outcomes if isinstance(c, Dropped)]
    usual = tuple(by_spec[one.spec] for one in usual)
    for proposal in proposals:
        limit = proposal.passed or ("cost_over_best" if screening.too_dear(proposal.least_usd) else None)
        if limit and proposal.spec not in screening.found:
            dropped.append(Dropped(proposal.spec, proposal.spec.partition(":")[0], limit))
    return Design(
        requirement,
        tuple(ranked),
        tuple(dropped),
        dict(Counter(c.limit for c in dropped).most_common()),
        pareto_front(ranked),
        len(proposals) - len(ranked) - len(dropped),
        work.ended if stopped or work.stopped or len(proposals) > len(ranked) + len(dropped) else "done",
        _winner(ranked[0].spec, networks, shortlist) if ranked else None,
        usual,
        shortlist,
        searched,
        Provenance(
            name=requirement.title, settings={"parts": requirement.parts}, timings={"reused": float(screening.reused)}
        ),
    )


def _winner(spec: str, networks: dict[str, Network], shortlist: tuple[Assessment, ...]) -> Network | None:
    """The winner's network, with its tables where it went a full assessment."""
    assessed = (one.network for one in shortlist if one.spec == spec and one.network is not None)
    return next(assessed, networks.get(spec))
