"""`design`: every candidate measured in parallel, limits applied, the rest ranked and the Pareto front marked."""

import os
import signal
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import islice
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait as wait_for
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from topoloom.assessment.assessment import Assessment
from topoloom.cost.parts import Parts
from topoloom.designer.candidates import Proposal, enumerate_candidates
from topoloom.designer.finalists import assess_finalists, chosen_finalists, in_order, place_finalists
from topoloom.designer.measure import MEASURES, Candidate, Dropped, Outcome, measure, numbers, passed_limit
from topoloom.designer.need import Limits, Need, read_need
from topoloom.designer.store import Store
from topoloom.designer.usual import usual_specs
from topoloom.errors import InputError, Stopped
from topoloom.layout.layout import Layout
from topoloom.results import Provenance, Result, schema_id
from topoloom.threads import cores
from topoloom.work import Ended, Work

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Seconds between two looks at whether the work shall end.
_LOOK_EVERY_S = 0.2
#: How long a process that was killed may take to be gone.
_LAST_WORDS_S = 60.0


@dataclass(frozen=True, eq=False)
class Design(Result):
    """The answer to a need.

    Attributes
    ----------
    need : Need
    ranked : tuple of Candidate
        Those within every limit, best first. All are screened with their cabinets row by row; the finalists are then placed by
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
    layout : Layout or None
        Of the winner, where it was placed anew; not in the record.
    usual : tuple of Candidate or Dropped
        What everybody buys, measured beside all others: fat trees tapered 1:1, 2:1 and 4:1, and a Dragonfly.
    finalists : tuple of Assessment
        The best of the leading families, what everybody buys, and the ends of the Pareto front, taken the whole way:
        `need.finalists` of them at most, the best first, within `need.minutes`.
    """

    noun = "design"
    record_version = 2
    unrecorded = ("layout",)
    derived = ("best",)

    need: Need
    ranked: tuple[Candidate, ...]
    dropped: tuple[Dropped, ...]
    dropped_by: dict[str, int]
    pareto: frozenset[str]
    unmeasured: int = 0
    ended: Ended = "done"
    layout: Layout | None = None
    usual: tuple[Outcome, ...] = ()
    finalists: tuple[Assessment, ...] = ()
    provenance: Provenance = field(default_factory=Provenance, compare=False)

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
        """A row a candidate, ranked ones first: rank, Pareto, spec, family, the limit that dropped it, its measures."""
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

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Cost against latency of the ranked candidates; the Pareto front is ringed, numbers are ranks.

        Raises
        ------
        InputError
            No candidate is within the limits.
        """
        from topoloom.figures.candidates import draw_candidates
        from topoloom.figures.style import axes_of, style

        if not self.ranked:
            raise InputError("no candidate is within every limit, so there is nothing to draw; loosen a limit")
        with style():
            axes = axes_of(ax)
            draw_candidates(
                axes,
                self.ranked,
                self.pareto,
                lambda c: c.cost_per_host_usd,
                lambda c: c.mean_latency_ns,
                ("cost [USD a host]", "mean zero-load latency [ns]"),
                self.leading(),
            )
        return axes

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
            record = _renewed(record)
        return super().from_record(record, source)


def _renewed(old: dict[str, Any]) -> dict[str, Any]:
    """A record of topoloom 0.1 as one of today."""
    kept = {key: old.get(key) for key in ("need", "ranked", "dropped", "dropped_by", "pareto", "unmeasured")}
    need = dict(kept["need"] or {})
    need["compare"] = [f"besta-2014/{name.partition('/')[2]}" for name in need.get("compare", [])]
    stopped = "interrupted" if kept["unmeasured"] else "done"
    version = str(old.get("made_by", "")).removeprefix("topoloom ")
    return {"schema": schema_id(Design), "provenance": {"version": version}, **kept, "need": need, "ended": stopped}


def design(
    need: Need | str | Path,
    *,
    store: str | Path | None = None,
    fresh: bool = False,
    jobs: int | None = None,
    work: Work | None = None,
) -> Design:
    """Enumerate every family's candidates for a need, measure and rank them, and take the finalists the whole way.

    Parameters
    ----------
    need : Need or path
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
    work = Work() if work is None else work
    need = need.filled() if isinstance(need, Need) else read_need(need)
    parts = need.catalogue()
    proposals = enumerate_candidates(need, parts)
    if all(proposal.beside for proposal in proposals):
        raise InputError(
            f"no family serves {need.hosts} hosts on {need.radix}-port switches; raise switch.radix or try more families"
        )
    kept = Store(Path(store), need, parts) if store is not None else None
    search = _Search(need, parts, proposals, kept, work, fresh=fresh)
    search.run(cores(jobs))
    outcomes = [search.found[p.spec] for p in proposals if p.spec in search.found]
    beside = {proposal.spec for proposal in proposals if proposal.beside}
    screened = in_order((c for c in outcomes if isinstance(c, Candidate) and c.spec not in beside), need)
    named = tuple(usual_specs(need)) if need.usual else ()
    usual = tuple(search.found[spec] for spec in named if spec in search.found)
    chosen = chosen_finalists(screened, usual, pareto_front(screened), need.finalists)
    # Without finalists the best is still placed: lengths, money and watts of the answer are those that are built.
    placed = [search.found[spec] for spec in chosen or [one.spec for one in screened[:1]]]
    to_place = [one for one in placed if isinstance(one, Candidate)]
    budget = work.share(need.minutes * 60)
    anew, layouts, stopped = place_finalists(to_place, need, parts, kept, work, budget, cores(jobs), fresh=fresh)
    ranked = in_order((anew.get(one.spec, one) for one in screened), need)
    by_spec: dict[str, Outcome] = {**search.found, **anew}
    finalists: tuple[Assessment, ...] = ()
    if chosen and not stopped:
        steps = None if store is None else Path(store)
        chain = [by_spec[spec] for spec in chosen]
        finalists = assess_finalists(chain, layouts, need, parts, steps, work, budget, cores(jobs), fresh=fresh)
    outcomes = [c for c in outcomes if c.spec not in beside]
    proposals = [proposal for proposal in proposals if not proposal.beside]
    dropped = [c for c in outcomes if isinstance(c, Dropped)]
    usual = tuple(by_spec[one.spec] for one in usual)
    for proposal in proposals:
        limit = proposal.passed or ("cost_over_best" if search.too_dear(proposal.least_usd) else None)
        if limit and proposal.spec not in search.found:
            dropped.append(Dropped(proposal.spec, proposal.spec.partition(":")[0], limit))
    return Design(
        need,
        tuple(ranked),
        tuple(dropped),
        dict(Counter(c.limit for c in dropped).most_common()),
        pareto_front(ranked),
        len(proposals) - len(ranked) - len(dropped),
        work.ended if stopped or work.stopped or len(proposals) > len(ranked) + len(dropped) else "done",
        layouts.get(ranked[0].spec) if ranked else None,
        usual,
        finalists,
        Provenance(name=need.title, settings={"parts": need.parts}, timings={"reused": float(search.reused)}),
    )


def pareto_front(candidates: list[Candidate]) -> frozenset[str]:
    """Specs of the candidates that none beats in cost a host, mean latency and bisection a host all at once."""
    if not candidates:
        return frozenset()
    values = np.array([[c.cost_per_host_usd, c.mean_latency_ns, -(c.bisection_per_host or 0.0)] for c in candidates])
    no_worse = np.all(values[None, :, :] <= values[:, None, :], axis=2)
    better = np.any(values[None, :, :] < values[:, None, :], axis=2)
    beaten = np.any(no_worse & better, axis=1)
    return frozenset(c.spec for c, out in zip(candidates, beaten.tolist(), strict=True) if not out)


class _Search:
    """The measuring: what was found so far, and the cheapest of it, which decides what is too dear to pursue."""

    def __init__(
        self, need: Need, parts: Parts, proposals: list[Proposal], kept: Store | None, work: Work, *, fresh: bool
    ) -> None:
        self.found: dict[str, Outcome] = {}
        self.reused = 0
        self._need, self._parts, self._kept, self._work, self._fresh = need, parts, kept, work, fresh
        self._usual = frozenset(usual_specs(need)) if need.usual else frozenset[str]()
        self._proposals = [p for p in proposals if p.passed is None]

    @property
    def _cheapest(self) -> float:
        costs = (c.cost_per_host_usd for c in self.found.values() if isinstance(c, Candidate))
        return min(costs, default=float("inf"))

    def too_dear(self, usd_per_host: float) -> bool:
        """Whether something costs too many times the cheapest design found."""
        return usd_per_host > self._need.limits.cost_over_best * self._cheapest

    def run(self, jobs: int) -> None:
        """Measure all that is neither stored nor too dear. A stop ends it; what was measured stays."""
        self._work.begin(len(self._proposals), "candidates")
        for proposal in self._proposals:
            old = self._kept.get(proposal.spec) if self._kept is not None and not self._fresh else None
            if old is not None and (limited := _limited(old, self._need)) is not None:
                self.found[proposal.spec] = limited
        self.reused = len(self.found)
        if self.reused:
            self._work.advance(self.reused)
        with self._work.interruptible():
            for candidate in self._measured(jobs):
                self.found[candidate.spec] = candidate
                if self._kept is not None:
                    self._kept.put(candidate)
                self._work.advance()
                self._work.deliver(candidate)
        # One rule for all, however the measuring was interleaved: what is too dear in the end is out.
        self.found = {
            p.spec: self.found[p.spec]
            for p in self._proposals
            if p.spec in self.found and not self.too_dear(p.least_usd)
        }
        for spec, one in self.found.items():
            # Specs that the user names, and what everybody buys, are measured and ranked whatever they cost.
            if spec in self._need.families.specs or spec in self._usual:
                continue
            if isinstance(one, Candidate) and self.too_dear(one.cost_per_host_usd):
                self.found[spec] = Dropped(spec, one.family, "cost_over_best", None, numbers(one))

    def _pursued(self) -> Iterator[str]:
        """The specs to measure, the cheapest possible first; what has become too dear is passed over."""
        for proposal in self._proposals:
            if proposal.spec not in self.found and not self.too_dear(proposal.least_usd):
                yield proposal.spec

    def _measured(self, jobs: int) -> Iterator[Outcome]:
        """Candidates as they are finished, from `jobs` processes, until the work is stopped."""
        if jobs == 1:
            for spec in self._pursued():
                if self._work.stopped:
                    return
                with suppress(Stopped):
                    yield measure(spec, self._need, self._parts, self._work.flag)
            return
        pool = ProcessPoolExecutor(jobs, get_context("spawn"), initializer=_end_with_parent)
        pursued = self._pursued()
        try:
            # Two in hand for each process keep it busy, and leave the rest to what is found meanwhile.
            waiting = self._submitted(pool, islice(pursued, 2 * jobs))
            while waiting and not self._work.stopped:
                done, waiting = wait(waiting, timeout=_LOOK_EVERY_S, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()
                waiting |= self._submitted(pool, islice(pursued, len(done)))
        finally:
            # The pool offers no way to end a task that runs, and nobody waits for it.
            processes = list((getattr(pool, "_processes", None) or {}).values())
            pool.shutdown(wait=False, cancel_futures=True)
            for process in processes:
                process.kill()
            for process in processes:
                process.join(_LAST_WORDS_S)

    def _submitted(self, pool: ProcessPoolExecutor, specs: Iterable[str]) -> set[Future[Outcome]]:
        with _without_signals():
            return {pool.submit(measure, spec, self._need, self._parts) for spec in specs}


def _limited(found: Outcome, need: Need) -> Outcome | None:
    """A stored outcome held against this need's limits; None if it has to be measured further than it was."""
    if isinstance(found, Dropped) and found.limit not in Limits.__struct_fields__:
        return found
    known = numbers(found) if isinstance(found, Candidate) else found.known
    limit = passed_limit(known, need.limits)
    if limit is not None:
        return Dropped(found.spec, found.family, limit, None, known)
    return found if isinstance(found, Candidate) else None


def _end_with_parent() -> None:
    """In a worker: end when the parent does, however it does, instead of living on and holding its output open."""
    parent = parent_process()

    def watch() -> None:
        if parent is not None:
            wait_for([parent.sentinel])
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def _without_signals() -> Iterator[None]:
    """Processes started here never see Ctrl-C and `kill`, which may reach the whole group; only this one acts on them.

    They inherit that both are held back, so not even one that is still starting up complains; here both come afterwards.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
