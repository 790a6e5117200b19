"""The register of claims: id, what was published, and how to get our value; the verdict is computed, not stored."""

import re
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from topoloom.core.errors import InputError
from topoloom.core.register import Register
from topoloom_papers.long_runs import LONG_RUNS, Costs, MissingRunError, Run
from topoloom_papers.verdicts import Outcome, Verdict


@dataclass(frozen=True)
class Claim:
    """One claim of a paper. `command` is how a user gets our value."""

    id: str
    what: str
    published: str
    command: str
    compute: Callable[[], Outcome]

    @property
    def paper(self) -> str:
        """Its paper: ``besta-2014``."""
        return self.id.partition("/")[0]

    @property
    def costs(self) -> Costs | None:
        """What it took when its runs were kept; None where nobody measured it."""
        return LONG_RUNS.file(self.paper).costs.get(self.id)


@dataclass(frozen=True)
class Computed:
    """An outcome, with the seconds that it took and the long runs that it was read from or that were made for it."""

    outcome: Outcome
    seconds: float
    runs: tuple[Run, ...] = ()

    @property
    def oldest(self) -> Run | None:
        """The long run that was made first; None where there is none."""
        return min(self.runs, key=lambda run: run.date, default=None)


#: Every claim by its id; packages from outside add theirs by entry points of this group.
CLAIMS: Register[Claim] = Register(
    "claim", package="topoloom_papers.papers", group="topoloom.claims", listed="topoloom reproduce --list"
)


def claim(id: str, what: str, published: str, command: str) -> Callable[[Callable[[], Outcome]], Callable[[], Outcome]]:
    """Register the decorated function, which computes the outcome, under `id` (``paper/place/what``).

    What takes it more than some seconds it asks for with `long_run`.

    Parameters
    ----------
    id : str
        ``author-year/place/what``; unique.
    what : str
        What is claimed, in a line.
    published : str
        The number as the paper prints it.
    command : str
        The command line that computes ours.

    Returns
    -------
    callable
        The decorator; it returns the function as it is.
    """

    def register(compute: Callable[[], Outcome]) -> Callable[[], Outcome]:
        CLAIMS.add(id, Claim(id, what, published, command, compute))
        return compute

    return register


def claims(chosen: Iterable[str] = ()) -> list[Claim]:
    """All claims, or those of some names.

    A name is an id, a part of the tree of ids (``besta-2014``, ``besta-2014/table-iv``), or else what ids begin with
    (``truong-2016/theorem``); a number is never cut: ``koibuchi-2013/fig-1`` is not figure 10.

    Raises
    ------
    InputError
        Nothing has such an id.
    """
    wanted: set[str] = set()
    names = list(chosen)
    for name in names:
        stem = name.rstrip("/")
        found = [one for one in CLAIMS if one == stem or one.startswith(f"{stem}/")]
        if not found:
            begins = re.compile(re.escape(stem) + (r"(?!\d)" if stem[-1:].isdigit() else ""))
            found = [one for one in CLAIMS if stem and begins.match(one)]
        if not found:
            raise InputError(f"no claim '{name}' ('topoloom reproduce --list' shows the ids)")
        wanted.update(found)
    return [one for name, one in CLAIMS.items() if not names or name in wanted]


def listed_claims(chosen: Iterable[str] = ()) -> dict[str, Any]:
    """The record of what there is to reproduce: ids, what was published, the command, and seconds; nothing is computed."""
    found = [
        {
            "id": one.id,
            "what": one.what,
            "published": one.published,
            "command": one.command,
            "seconds": one.costs.seconds if one.costs else None,
            "long_seconds": one.costs.long_seconds if one.costs else None,
        }
        for one in claims(chosen)
    ]
    return {"schema": "topoloom/claims/1", "claims": found}


def run(one: Claim, again: bool = False, missing: bool = False, keep: bool = False) -> Computed:
    """Compute a claim's outcome.

    Parameters
    ----------
    one : Claim
    again : bool
        Make all its long runs; else they are read from what is kept.
    missing : bool
        Make those that are not kept.
    keep : bool
        Keep each that is made at once.

    Returns
    -------
    Computed
    """
    began = time.perf_counter()
    with LONG_RUNS.of(one.paper, again, missing, keep) as used:
        try:
            outcome = one.compute()
        except MissingRunError as error:
            outcome = Outcome("not run", Verdict.NOT_RUN, f"its long run is not kept; add --missing ({error})")
    return Computed(outcome, time.perf_counter() - began, tuple(used))
