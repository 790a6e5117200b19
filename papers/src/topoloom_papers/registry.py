"""The register of claims: id, published value, and how to compute our value; the verdict is computed, not stored."""

import re
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from topoloom.core.errors import InputError
from topoloom.core.register import Register
from topoloom_papers.long_runs import LONG_RUNS, Costs, MissingRunError, Run
from topoloom_papers.places import order_of
from topoloom_papers.verdicts import Outcome, Verdict


@dataclass(frozen=True)
class Claim:
    """One claim of a paper. `command` is the command line that gives our value."""

    id: str
    what: str
    published: str
    command: str
    compute: Callable[[], Outcome]

    @property
    def paper(self) -> str:
        """The id of its paper: ``besta-2014``."""
        return self.id.partition("/")[0]

    @property
    def costs(self) -> Costs | None:
        """Its computing time when its runs were kept; None if it was never measured."""
        return LONG_RUNS.file(self.paper).costs.get(self.id)


@dataclass(frozen=True)
class Computed:
    """An outcome, with its computing time in seconds and the long runs that it used."""

    outcome: Outcome
    seconds: float
    runs: tuple[Run, ...] = ()

    @property
    def oldest(self) -> Run | None:
        """The oldest of the long runs; None if it used none."""
        return min(self.runs, key=lambda run: run.date, default=None)


#: All claims by id; other packages add theirs by entry points of this group.
CLAIMS: Register[Claim] = Register(
    "claim", package="topoloom_papers.papers", group="topoloom.claims", listed="topoloom reproduce --list"
)


def claim(id: str, what: str, published: str, command: str) -> Callable[[Callable[[], Outcome]], Callable[[], Outcome]]:
    """Register the decorated function, which computes the outcome, under `id` (``paper/place/what``).

    Computations that take more than a few seconds go through `long_run`.

    Parameters
    ----------
    id : str
        ``author-year/place/what``; unique.
    what : str
        The claim, in one line.
    published : str
        The published value, with the digits of the paper.
    command : str
        The command line that computes our value.

    Returns
    -------
    callable
        The decorator; it returns the function unchanged.
    """

    def register(compute: Callable[[], Outcome]) -> Callable[[], Outcome]:
        CLAIMS.add(id, Claim(id, what, published, command, compute))
        return compute

    return register


def claims(chosen: Iterable[str] = ()) -> list[Claim]:
    """The claims that names select, in the papers' order; all claims if no name is given.

    A name is an id, a part of the tree of ids (``besta-2014``, ``besta-2014/table-iv``), or otherwise the beginning of ids
    (``truong-2016/theorem``). Numbers match as a whole: ``koibuchi-2013/fig-1`` does not select figure 10.

    Raises
    ------
    InputError
        A name selects no claim.
    """
    wanted: set[str] = set()
    names = list(chosen)
    for name in names:
        stem = name.rstrip("/")
        ids = [id for id in CLAIMS if id == stem or id.startswith(f"{stem}/")]
        if not ids:
            begins = re.compile(re.escape(stem) + (r"(?!\d)" if stem[-1:].isdigit() else ""))
            ids = [id for id in CLAIMS if stem and begins.match(id)]
        if not ids:
            raise InputError(f"no claim '{name}' ('topoloom reproduce --list' shows the ids)")
        wanted.update(ids)
    return [CLAIMS[id] for id in sorted(CLAIMS, key=order_of) if not names or id in wanted]


def listed_claims(chosen: Iterable[str] = ()) -> dict[str, Any]:
    """The record of the available claims: ids, published values, commands and computing times; computes nothing."""
    rows = [
        {
            "id": claim.id,
            "what": claim.what,
            "published": claim.published,
            "command": claim.command,
            "seconds": claim.costs.seconds if claim.costs else None,
            "long_seconds": claim.costs.long_seconds if claim.costs else None,
        }
        for claim in claims(chosen)
    ]
    return {"schema": "topoloom/claims/1", "claims": rows}


def run(claim: Claim, again: bool = False, missing: bool = False, keep: bool = False) -> Computed:
    """Compute a claim's outcome.

    Parameters
    ----------
    claim : Claim
    again : bool
        Make all its long runs again; otherwise they are read from the package.
    missing : bool
        Make the runs that are not kept.
    keep : bool
        Store each new run immediately.

    Returns
    -------
    Computed
    """
    began = time.perf_counter()
    with LONG_RUNS.of(claim.paper, again, missing, keep) as used:
        try:
            outcome = claim.compute()
        except MissingRunError as error:
            outcome = Outcome("not run", Verdict.NOT_RUN, f"its long run is not kept; add --missing ({error})")
    return Computed(outcome, time.perf_counter() - began, tuple(used))
