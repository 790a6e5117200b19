"""`design`: every candidate measured in parallel, limits applied, the rest ranked and the Pareto front marked."""

import os
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import msgspec
import numpy as np

from topoloom.designer.candidates import enumerate_candidates
from topoloom.designer.measure import Candidate, measure, passed_limit
from topoloom.designer.need import Limits, Need, read_need
from topoloom.designer.store import Store
from topoloom.errors import InputError

Progress = Callable[[int, int, Candidate | None], None]


@dataclass(frozen=True)
class Design:
    """The answer to a need.

    ranked: candidates within every limit, best first. dropped: those past a limit, with the limit named. dropped_by: how
    many each limit dropped. pareto: specs that no other candidate beats in cost, mean latency and bisection a host all at
    once. unmeasured: how many were left when the run was interrupted.
    """

    need: Need
    ranked: tuple[Candidate, ...]
    dropped: tuple[Candidate, ...]
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
    jobs : int, optional
        Processes; the default is one for each core.
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
    specs, by_theory = enumerate_candidates(need)
    if not specs:
        if by_theory:
            told = ", ".join(f"{limit} ({count})" for limit, count in Counter(limit for _, limit in by_theory).items())
            raise InputError(f"every candidate is past a limit: {told}; loosen it, or allow a larger radix")
        raise InputError(
            f"no family serves {need.hosts} hosts on {need.switch.radix}-port switches; raise switch.radix or try more families"
        )
    kept = Store(Path(store), need) if store is not None else None
    found = {spec: old for spec in specs if kept is not None and (old := kept.get(spec)) is not None}
    reused = len(found)
    todo = [spec for spec in specs if spec not in found]
    if progress is not None:
        progress(reused, len(specs), None)
    for candidate in _measured(todo, need, jobs or os.cpu_count() or 1):
        found[candidate.spec] = candidate
        if kept is not None:
            kept.put(candidate)
        if progress is not None:
            progress(len(found), len(specs), candidate)
    # The store knows no limits, so stored candidates are held against this need's limits again.
    measured = [_limited(found[spec], need) for spec in specs if spec in found]
    early = [Candidate(spec, spec, spec.partition(":")[0], dropped=limit) for spec, limit in by_theory]
    ranked = sorted(
        (c for c in measured if c.dropped is None), key=lambda c: (getattr(c, need.minimize), c.cost_per_host_usd, c.spec)
    )
    dropped = [c for c in measured if c.dropped is not None] + early
    return Design(
        need,
        tuple(ranked),
        tuple(dropped),
        dict(Counter(c.dropped or "" for c in dropped).most_common()),
        pareto_front(ranked),
        len(specs) - len(measured),
        reused,
    )


def pareto_front(candidates: list[Candidate]) -> frozenset[str]:
    """Specs of the candidates that none beats in cost a host, mean latency and bisection a host all at once."""
    if not candidates:
        return frozenset()
    values = np.array([[c.cost_per_host_usd, c.mean_latency_ns, -(c.bisection_per_host or 0.0)] for c in candidates])
    better = (values[None, :, :] <= values[:, None, :]).all(axis=2) & (values[None, :, :] < values[:, None, :]).any(axis=2)
    return frozenset(c.spec for c, beaten in zip(candidates, better.any(axis=1), strict=True) if not beaten)


_LIMITS = frozenset(Limits.__struct_fields__)


def _limited(candidate: Candidate, need: Need) -> Candidate:
    if candidate.dropped is not None and candidate.dropped not in _LIMITS:
        return candidate
    return msgspec.structs.replace(candidate, dropped=passed_limit(candidate, need))


def _measured(specs: list[str], need: Need, jobs: int) -> Iterator[Candidate]:
    """Candidates as they are finished, from `jobs` processes; Ctrl-C ends the measuring quietly."""
    if not specs:
        return
    if jobs == 1:
        try:
            for spec in specs:
                yield measure(spec, need)
        except KeyboardInterrupt:
            return
        return
    pool = ProcessPoolExecutor(min(jobs, len(specs)), get_context("spawn"), initializer=_ignore_interrupts)
    try:
        # Large candidates first would end sooner, but sizes are known only once built: a short queue keeps both busy.
        waiting: set[Future[Candidate]] = {pool.submit(measure, spec, need) for spec in specs}
        while waiting:
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                yield future.result()
    except KeyboardInterrupt:
        return
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in list((getattr(pool, "_processes", None) or {}).values()):
            process.terminate()


def _ignore_interrupts() -> None:
    """Ctrl-C reaches the whole process group; only the parent acts on it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
