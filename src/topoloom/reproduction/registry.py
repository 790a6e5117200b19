"""The register of claims: id, what was published, how to get our value, and the verdict, which is computed, not stored."""

import math
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from topoloom.errors import InputError
from topoloom.figures.curves import Curves, Steps
from topoloom.register import Register


class Verdict(Enum):
    """What came of a claim."""

    REPRODUCED = "reproduced"
    ASSUMED = "reproduced with an assumption"
    PAPER_WRONG = "the paper is wrong"
    NOT_REPRODUCIBLE = "not reproducible"
    #: A program that it needs is not installed; nothing is said of the paper.
    NOT_RUN = "not run"


@dataclass(frozen=True)
class Outcome:
    """Our value as text, the verdict, and the assumption, the right value or the reason that goes with it.

    `figure`: the whole figure that the claim is about.
    """

    ours: str
    verdict: Verdict
    why: str = ""
    seconds: float = 0.0
    figure: Curves | Steps | None = None


@dataclass(frozen=True)
class Claim:
    """One claim of a paper. `command` is how a user gets our value; `full` marks those that only `--full` runs."""

    id: str
    what: str
    published: str
    command: str
    compute: Callable[[], Outcome]
    full: bool = False


#: Every claim by its id; packages from outside add theirs by entry points of this group.
CLAIMS: Register[Claim] = Register(
    "claim", room="topoloom.reproduction.papers", group="topoloom.claims", listed="topoloom reproduce --list"
)


def claim(
    id: str, what: str, published: str, command: str, *, full: bool = False
) -> Callable[[Callable[[], Outcome]], Callable[[], Outcome]]:
    """Register the decorated function, which computes the outcome, under `id` (``paper/place/what``).

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
    full : bool
        Whether it takes more than some seconds, and is computed on request only.

    Returns
    -------
    callable
        The decorator; it returns the function as it is.
    """

    def register(compute: Callable[[], Outcome]) -> Callable[[], Outcome]:
        CLAIMS.add(id, Claim(id, what, published, command, compute, full))
        return compute

    return register


def claims(chosen: Iterable[str] = ()) -> list[Claim]:
    """All claims, or those whose id is given or starts with what is given (``besta-2014``, ``besta-2014/table-iv``).

    Raises
    ------
    InputError
        Nothing has such an id.
    """
    wanted = list(chosen)
    for prefix in wanted:
        if not any(_matches(name, prefix) for name in CLAIMS):
            raise InputError(f"no claim '{prefix}' ('topoloom reproduce --list' shows the ids)")
    return [c for name, c in CLAIMS.items() if not wanted or any(_matches(name, prefix) for prefix in wanted)]


def listed(chosen: Iterable[str] = ()) -> dict[str, Any]:
    """The record of what there is to reproduce: ids, what was published, and the command; nothing is computed."""
    found = [
        {"id": c.id, "what": c.what, "published": c.published, "command": c.command, "full": c.full}
        for c in claims(chosen)
    ]
    return {"schema": "topoloom/claims/1", "claims": found}


def _matches(name: str, prefix: str) -> bool:
    return name == prefix or name.startswith(prefix.rstrip("/") + "/")


def run(one: Claim) -> Outcome:
    """Compute a claim's outcome, with the seconds that it took."""
    start = time.perf_counter()
    outcome = one.compute()
    return replace(outcome, seconds=time.perf_counter() - start)


def judge(
    published: Mapping[str, float],
    ours: Mapping[str, float],
    *,
    tolerance: float | dict[str, float] = 0.0,
    assumption: str = "",
    right: Mapping[str, float] | None = None,
    reason: str = "",
    digits: int = 6,
    at_most: bool = False,
    figure: Curves | Steps | None = None,
) -> Outcome:
    """The verdict on several numbers at once.

    Every published number within `tolerance` of ours (`at_most`: none of ours further above it): reproduced (with the
    assumption, if one is named). Else, every number of `right` (the errata's corrections) within tolerance of ours: the
    paper is wrong. Else: not reproducible, for `reason`.

    Parameters
    ----------
    published : mapping of str to float
        What the paper prints, by name.
    ours : mapping of str to float
        What was computed; it has every name of `published`.
    tolerance : float or dict of str to float
        How far ours may be from the printed number, in the number's own unit; by name, where a name that is left out
        has 0.
    assumption : str
        What the paper does not say and was assumed; "" for nothing.
    right : mapping of str to float, optional
        The numbers that the errata put in the place of printed ones.
    reason : str
        Why the paper is wrong, or why its numbers cannot be had.
    digits : int
        Significant digits of ours in the text.
    at_most : bool
        Whether ours may be as far below as they like: only above the printed numbers the tolerance counts.
    figure : Curves or Steps, optional
        The picture of the numbers.

    Returns
    -------
    Outcome
        Ours as text, the verdict, and its reason.
    """

    def near(wanted: Mapping[str, float]) -> bool:
        allowed = {k: tolerance.get(k, 0.0) if isinstance(tolerance, dict) else tolerance for k in wanted}
        above = {key: ours[key] - value for key, value in wanted.items()}
        return all((above[key] if at_most else abs(above[key])) <= allowed[key] + 1e-12 for key in wanted)

    text = ", ".join(f"{key} {_number(value, digits)}" for key, value in ours.items())
    if near(published):
        return Outcome(text, Verdict.ASSUMED if assumption else Verdict.REPRODUCED, assumption, figure=figure)
    if right is not None and near({**published, **right}):
        told = ", ".join(
            f"{key} is {_number(ours[key], digits)}, not {_number(published[key], digits)}" for key in right
        )
        return Outcome(text, Verdict.PAPER_WRONG, f"{told}{'; ' + reason if reason else ''}", figure=figure)
    return Outcome(text, Verdict.NOT_REPRODUCIBLE, reason, figure=figure)


def _number(value: float, digits: int) -> str:
    return f"{value:.{digits}g}" if not math.isfinite(value) or value != int(value) else f"{int(value)}"
