"""Verdicts on claims, and the rule by which they follow from the published numbers and from ours."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

from topoloom.core.errors import InputError
from topoloom_papers.curves import Curves, Steps


class Verdict(Enum):
    """The outcome of a claim. A choice made after the results were known gives `READING` or `EXPLAINED`, never `EXACT`."""

    #: Every number equals the published one, to its last digit.
    EXACT = "exact"
    #: A statement without a number, or one that something is at most or at least a number, is true.
    HOLDS = "holds"
    #: The difference is at most one step, which the outcome names: the paper's own step, or the spread of random draws.
    STEP = "within one step"
    #: The paper leaves something open; `Outcome.readings` readings were tried, and one agrees.
    READING = "best of several readings"
    #: The published value results only if an error of the paper is repeated, which the outcome names.
    EXPLAINED = "published value explained by an error"
    PAPER_WRONG = "the paper is wrong"
    NOT_REPRODUCIBLE = "not reproducible"
    #: A required program is not installed, or its long run is neither kept nor requested; no verdict on the paper.
    NOT_RUN = "not run"

    @property
    def word(self) -> str:
        """The verdict as users write it: ``not-reproducible``."""
        return self.name.lower().replace("_", "-")


def verdicts_named(words: Iterable[str]) -> tuple[Verdict, ...]:
    """The verdicts that words name; all verdicts if there are none.

    Raises
    ------
    InputError
        A word names no verdict.
    """
    named = {verdict.word: verdict for verdict in Verdict}
    wanted = list(words)
    for word in wanted:
        if word not in named:
            raise InputError(f"no verdict '{word}'; the verdicts are {', '.join(named)}")
    return tuple(named[word] for word in wanted) or tuple(Verdict)


#: The verdicts that agree with the paper.
AGREE = (Verdict.EXACT, Verdict.HOLDS, Verdict.STEP, Verdict.READING)


#: Most characters of our numbers and of a reason in one line; the rest is details.
LONGEST_WHY = 400
#: Most characters of the statements that do not hold, within a reason.
_LONGEST_FAILING = 200


@dataclass(frozen=True)
class Outcome:
    """Our value compared with a published value.

    Attributes
    ----------
    ours : str
        Our numbers, as text.
    verdict : Verdict
    why : str
        The assumptions, the step or the readings, the right value, or why no value can be computed; in at most `LONGEST_WHY`
        characters.
    details : str
        What `why` has no room for: the numbers of each reading or setup, the settings, all statements that do not hold.
    readings : int
        Number of readings of the paper that were tried, if one was chosen after the results were known; otherwise 1.
    figure : Curves or Steps or None
        The complete figure that the claim is about.
    """

    ours: str
    verdict: Verdict
    why: str = ""
    readings: int = 1
    figure: Curves | Steps | None = None
    details: str = ""

    def __post_init__(self) -> None:
        """Shorten what is too long for a line of a table; the whole text stands in the details."""
        for field in ("why", "ours"):
            text = getattr(self, field)
            if len(text) > LONGEST_WHY:
                object.__setattr__(self, "details", _joined([text, self.details]))
                object.__setattr__(self, field, _shortened(text))

    @property
    def verdict_text(self) -> str:
        """The verdict in words, with the number of readings."""
        return f"best of {self.readings} readings" if self.verdict is Verdict.READING else self.verdict.value


@dataclass(frozen=True)
class Step:
    """The difference from the published number that is allowed, in the number's unit (a mapping: by name), and its meaning."""

    of: float | Mapping[str, float]
    what: str

    def at(self, name: str) -> float:
        """The step of one number; 0 if it has none."""
        return self.of.get(name, 0.0) if isinstance(self.of, Mapping) else self.of


def compare(
    published: Mapping[str, float | str],
    ours: Mapping[str, float],
    *,
    step: Step | None = None,
    cut: bool = False,
    readings: int = 1,
    error: str = "",
    right: Mapping[str, float | str] | None = None,
    assumption: str = "",
    reason: str = "",
    digits: int = 6,
    figure: Curves | Steps | None = None,
    details: str = "",
) -> Outcome:
    """The outcome of comparing our numbers with the published ones; the first rule that applies gives the verdict.

    1. Every number equals the published one to its last digit: "exact". With an `error` of the paper repeated: "published
       value explained by an error". With several `readings`: "best of n readings".
    2. Every number is within a `step`: "within one step", or as above with an `error` or `readings`.
    3. Every number equals the `right` one, or the published one if it has none: "the paper is wrong".
    4. Otherwise: "not reproducible".

    Parameters
    ----------
    published : mapping of str to float or str
        The published numbers by name. A text gives the number of digits: ours agrees with "2.20" from 2.195 to 2.205, and
        with the float 2.2 only if it is equal.
    ours : mapping of str to float
        Our numbers; every name of `published` is required.
    step : Step, optional
        None: only exact numbers agree.
    cut : bool
        The paper truncates digits: 2.0769 agrees with "2.07".
    readings : int
        Number of readings of the paper that were tried, if `ours` is from the one that fits best.
    error : str
        The error of the paper that `ours` repeats.
    right : mapping of str to float or str, optional
        The right values of published numbers that are wrong, from an independent source.
    assumption : str
        A choice that the paper leaves open and that was made before the results were known.
    reason : str
        Why the published numbers are wrong, or cannot be reproduced.
    digits : int
        Significant digits of our numbers in the text.
    figure : Curves or Steps, optional
        The picture of the numbers.
    details : str
        The numbers of each reading or setup, and the settings.

    Returns
    -------
    Outcome
        Our numbers as text, the verdict, and its explanation.

    Examples
    --------
    >>> compare({"ASPL": "2.20"}, {"ASPL": 2.2025}).verdict.value
    'exact'
    >>> compare({"ASPL": "2.20"}, {"ASPL": 2.23}, step=Step(0.05, "the spread of seeds")).why
    'a step: the spread of seeds (0.05)'
    """
    text = ", ".join(f"{key} {_number(value, digits)}" for key, value in ours.items())
    exact = all(_agrees(value, ours[key], cut) for key, value in published.items())
    stepped = step is not None and all(
        _agrees(value, ours[key], cut) or abs(ours[key] - float(value)) <= step.at(key) + 1e-12
        for key, value in published.items()
    )
    if exact or stepped:
        step_note = [] if exact or step is None else [f"a step: {step.what} ({_sizes(step)})"]
        if error:
            return Outcome(text, Verdict.EXPLAINED, _joined([error, *step_note, assumption]), 1, figure, details)
        verdict = Verdict.READING if readings > 1 else Verdict.EXACT if exact else Verdict.STEP
        return Outcome(text, verdict, _joined([*step_note, assumption]), readings, figure, details)
    if right is not None and all(_agrees(right.get(key, value), ours[key], cut) for key, value in published.items()):
        wrong = ", ".join(f"{key} is {_number(ours[key], digits)}, not {published[key]}" for key in right)
        return Outcome(text, Verdict.PAPER_WRONG, _joined([wrong, reason]), 1, figure, details)
    return Outcome(text, Verdict.NOT_REPRODUCIBLE, _joined([error, reason]), 1, figure, details)


def check_statements(
    statements: Mapping[str, bool],
    numbers: str,
    assumption: str = "",
    *,
    readings: int = 1,
    wrong: bool = False,
    figure: Curves | Steps | None = None,
    details: str = "",
) -> Outcome:
    """The outcome of a claim without numbers: it holds only if every statement holds.

    Parameters
    ----------
    statements : mapping of str to bool
        Each statement, and whether it holds for our numbers.
    numbers : str
        Our numbers, as text.
    assumption : str
        How the claim was turned into testable statements, before the results were known.
    readings : int
        Number of readings of the paper that were tried, if these numbers are from the one that fits best.
    wrong : bool
        Whether a failing statement means that the paper is wrong (for exact facts); otherwise it is not reproducible.
    figure : Curves or Steps, optional
    details : str
        The numbers of each reading or setup, and the settings.

    Returns
    -------
    Outcome
    """
    failing = [text for text, holds in statements.items() if not holds]
    if not failing:
        return Outcome(
            numbers, Verdict.READING if readings > 1 else Verdict.HOLDS, assumption, readings, figure, details
        )
    verdict = Verdict.PAPER_WRONG if wrong else Verdict.NOT_REPRODUCIBLE
    shown = _first(failing)
    why = f"does not hold: {'; '.join(shown)}"
    if len(shown) < len(failing):
        why += f"; and {len(failing) - len(shown)} more of {len(statements)} statements"
        details = _joined([f"does not hold: {'; '.join(failing)}", details])
    return Outcome(numbers, verdict, _joined([why, assumption]), 1, figure, details)


def listed(values: Iterable[tuple[str, float]], form: str = "{:.3f}") -> str:
    """Names with their numbers, in one line."""
    return ", ".join(f"{name} {form.format(value)}" for name, value in values)


def _first(statements: list[str]) -> list[str]:
    """The first statements, at least one, that a reason has room for."""
    room, shown = _LONGEST_FAILING, list[str]()
    for text in statements:
        room -= len(text) + 2
        if room < 0 and shown:
            break
        shown.append(text)
    return shown


def _shortened(text: str) -> str:
    """The first whole parts of a text that fit into `LONGEST_WHY`, and that it goes on."""
    more = " ... (details)"
    room = text[: LONGEST_WHY - len(more)]
    end = max(room.rfind("; "), room.rfind(", "))
    return (room[:end] if end > 0 else room) + more


def _agrees(published: float | str, value: float, cut: bool) -> bool:
    """Whether a value equals the published one, to its last digit."""
    if not isinstance(published, str):
        return abs(value - published) <= 1e-9 * max(1.0, abs(published))
    number = published.replace(",", "")
    unit = 10.0 ** -len(number.partition(".")[2])
    off = value - float(number)
    return abs(off) <= unit / 2 + 1e-9 or (cut and 0 <= math.copysign(1, float(number)) * off < unit)


def _sizes(step: Step) -> str:
    if isinstance(step.of, Mapping):
        return ", ".join(f"{name} {size:g}" for name, size in step.of.items())
    return f"{step.of:g}"


def _joined(parts: Iterable[str]) -> str:
    return "; ".join(part for part in parts if part)


def _number(value: float, digits: int) -> str:
    return f"{value:.{digits}g}" if not math.isfinite(value) or value != int(value) else f"{int(value)}"
