"""`design`: every candidate measured in parallel, limits applied, the rest ranked and the Pareto front marked."""

import os
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait as wait_for
from pathlib import Path

import numpy as np

from topoloom.designer.candidates import Proposal, enumerate_candidates
from topoloom.designer.measure import Candidate, Dropped, Outcome, measure, numbers, passed_limit
from topoloom.designer.need import Limits, Need, read_need
from topoloom.designer.store import Store
from topoloom.errors import InputError
from topoloom.threads import cores

Progress = Callable[[int, int, Outcome | None], None]


@dataclass(frozen=True)
class Design:
    """The answer to a need.

    ranked: candidates within every limit, best first. dropped: those past a limit, with the limit named. dropped_by: how
    many each limit dropped. pareto: specs that no other candidate beats in cost, mean latency and bisection a host all at
    once. unmeasured: how many were left when the run was interrupted.
    """

    need: Need
    ranked: tuple[Candidate, ...]
    dropped: tuple[Dropped, ...]
    dropped_by: dict[str, int]
    pareto: frozenset[str]
    unmeasured: int = 0
    reused: int = 0

    @property
    def winner(self) -> Candidate | None:
        """The best candidate, or None when none is within the limits."""
        return self.ranked[0] if self.ranked else None


def design(
    need: Need | str | Path,
    *,
    store: str | Path | None = None,
    fresh: bool = False,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Design:
    """Enumerate every family's candidates for a need, measure them in parallel, and rank those within the limits.

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
    progress : function, optional
        Called with (done, all, candidate) after each measurement, first with (0, all, None).

    Raises
    ------
    InputError
        The need cannot be read, or no family has a candidate for it.

    Notes
    -----
    Ctrl-C ends the measuring; the design is then made of what was measured, and `unmeasured` says how much is missing.
    """
    need = need if isinstance(need, Need) else read_need(need)
    proposals = enumerate_candidates(need)
    if not proposals:
        raise InputError(
            f"no family serves {need.hosts} hosts on {need.switch.radix}-port switches; raise switch.radix or try more families"
        )
    kept = Store(Path(store), need) if store is not None else None
    search = _Search(need, proposals, kept, progress, fresh=fresh)
    search.run(cores(jobs))
    outcomes = [search.found[p.spec] for p in proposals if p.spec in search.found]
    ranked = sorted(
        (c for c in outcomes if isinstance(c, Candidate)),
        key=lambda c: (getattr(c, need.minimize), c.cost_per_host_usd, c.spec),
    )
    dropped = [c for c in outcomes if isinstance(c, Dropped)]
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
        search.reused,
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
        self, need: Need, proposals: list[Proposal], kept: Store | None, progress: Progress | None, *, fresh: bool
    ) -> None:
        self.found: dict[str, Outcome] = {}
        self.reused = 0
        self._need, self._kept, self._progress, self._fresh = need, kept, progress, fresh
        self._proposals = [p for p in proposals if p.passed is None]

    @property
    def _cheapest(self) -> float:
        costs = (c.cost_per_host_usd for c in self.found.values() if isinstance(c, Candidate))
        return min(costs, default=float("inf"))

    def too_dear(self, usd_per_host: float) -> bool:
        """Whether something costs too many times the cheapest design found."""
        return usd_per_host > self._need.limits.cost_over_best * self._cheapest

    def run(self, jobs: int) -> None:
        """Measure all that is neither stored nor too dear. Ctrl-C ends it; what was measured stays."""
        for proposal in self._proposals:
            old = self._kept.get(proposal.spec) if self._kept is not None and not self._fresh else None
            if old is not None and (limited := _limited(old, self._need)) is not None:
                self.found[proposal.spec] = limited
        self.reused = len(self.found)
        self._tell(None)
        with suppress(KeyboardInterrupt):
            for candidate in self._measured(jobs):
                self.found[candidate.spec] = candidate
                if self._kept is not None:
                    self._kept.put(candidate)
                self._tell(candidate)
        # One rule for all, however the measuring was interleaved: what is too dear in the end is out.
        self.found = {
            p.spec: self.found[p.spec]
            for p in self._proposals
            if p.spec in self.found and not self.too_dear(p.least_usd)
        }
        for spec, one in self.found.items():
            # Specs that the user names are measured and ranked whatever they cost.
            if spec in self._need.families.specs:
                continue
            if isinstance(one, Candidate) and self.too_dear(one.cost_per_host_usd):
                self.found[spec] = Dropped(spec, one.family, "cost_over_best", None, numbers(one))

    def _tell(self, candidate: Outcome | None) -> None:
        if self._progress is not None:
            self._progress(len(self.found), len(self._proposals), candidate)

    def _pursued(self) -> Iterator[str]:
        """The specs to measure, the cheapest possible first; what has become too dear is passed over."""
        for proposal in self._proposals:
            if proposal.spec not in self.found and not self.too_dear(proposal.least_usd):
                yield proposal.spec

    def _measured(self, jobs: int) -> Iterator[Outcome]:
        """Candidates as they are finished, from `jobs` processes."""
        if jobs == 1:
            for spec in self._pursued():
                yield measure(spec, self._need)
            return
        pool = ProcessPoolExecutor(jobs, get_context("spawn"), initializer=_end_with_parent)
        pursued = self._pursued()
        try:
            # The first submission starts all processes. Two in hand for each keep it busy, and leave the rest to what is
            # found meanwhile.
            with _children_without_interrupts():
                waiting = {pool.submit(measure, spec, self._need) for spec in islice(pursued, 2 * jobs)}
            while waiting:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()
                waiting |= {pool.submit(measure, spec, self._need) for spec in islice(pursued, len(done))}
        finally:
            # The pool offers no way to stop a task that runs; after Ctrl-C nobody waits for it.
            processes = list((getattr(pool, "_processes", None) or {}).values())
            pool.shutdown(wait=False, cancel_futures=True)
            for process in processes:
                process.terminate()


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
def _children_without_interrupts() -> Iterator[None]:
    """Processes started here never see Ctrl-C, which reaches the whole process group; only the parent acts on it.

    They inherit that it is ignored, so not even one that is still starting up complains.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may set handlers, and only it gets Ctrl-C
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
