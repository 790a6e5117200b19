"""Verdicts, and the one rule by which they follow from the print and from our numbers."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

from topoloom_papers.curves import Curves, Steps


class Verdict(Enum):
    """What came of a claim. What was chosen after results had been seen is `READING` or `EXPLAINED`, never `EXACT`."""

    #: Every number as printed, to its last digit.
    EXACT = "exact"
    #: What the paper says without a number, or says is at most or at least a number, is so.
    HOLDS = "holds"
    #: Off by no more than one step, which the outcome names: the paper's own step, or the spread of random draws.
    STEP = "within one step"
    #: The paper leaves something open, several readings were tried, and one agrees; `Outcome.readings` says how many.
    READING = "best of several readings"
    #: The print comes out only where a mistake of the paper is repeated, which the outcome names.
    EXPLAINED = "print explained by an error"
    PAPER_WRONG = "the paper is wrong"
    NOT_REPRODUCIBLE = "not reproducible"
    #: A program that it needs is not installed, or its long run is neither kept nor asked for; nothing is said of the paper.
    NOT_RUN = "not run"


#: Those that agree with the paper.
AGREE = (Verdict.EXACT, Verdict.HOLDS, Verdict.STEP, Verdict.READING)


@dataclass(frozen=True)
class Outcome:
    """Our value beside a print.

    Attributes
    ----------
    ours : str
        Our numbers, as text.
    verdict : Verdict
    why : str
        What was assumed, the step or the readings, the right value, or why there is none.
    readings : int
        How many readings of the paper were tried, when one was chosen after their results had been seen; 1: none was.
    figure : Curves or Steps or None
        The whole figure that the claim is about.
    """

    ours: str
    verdict: Verdict
    why: str = ""
    readings: int = 1
    figure: Curves | Steps | None = None

    @property
    def told(self) -> str:
        """The verdict in words, with the number of readings."""
        return f"best of {self.readings} readings" if self.verdict is Verdict.READING else self.verdict.value


@dataclass(frozen=True)
class Step:
    """How far a number may be off the print, in the number's own unit (by name, where it is a mapping), and what that is."""

    of: float | Mapping[str, float]
    what: str

    def at(self, name: str) -> float:
        """The step of one number; 0 where it has none."""
        return self.of.get(name, 0.0) if isinstance(self.of, Mapping) else self.of


def judge(
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
) -> Outcome:
    """The verdict on numbers: the first of these that is so.

    Every number is the printed one, to its last digit: exact. Every number is within a `step`: within one step. Either, by
    one of several `readings`: best of so many. Either, by repeating an `error` of the paper: explained by an error. Every
    number is the printed one or, where there is one, the `right` one: the paper is wrong. Else: not reproducible.

    Parameters
    ----------
    published : mapping of str to float or str
        What the paper prints, by name; as text it says to how many digits: ours agrees with "2.20" from 2.195 to 2.205, with
        2.2 where it is that float.
    ours : mapping of str to float
        What was computed; it has every name of `published`.
    step : Step, optional
        None: only exact numbers agree.
    cut : bool
        The paper cuts digits off: 2.0769 agrees with "2.07".
    readings : int
        How many readings of the paper were tried, when ours are of the one that fits best.
    error : str
        The mistake of the paper that ours repeat.
    right : mapping of str to float or str, optional
        What stands in the place of printed numbers that are wrong, of independent origin.
    assumption : str
        What the paper leaves open and was settled beforehand.
    reason : str
        Why its numbers are wrong, or cannot be had.
    digits : int
        Significant digits of ours in the text.
    figure : Curves or Steps, optional
        The picture of the numbers.

    Returns
    -------
    Outcome
        Ours as text, the verdict, and what goes with it.

    Examples
    --------
    >>> judge({"ASPL": "2.20"}, {"ASPL": 2.2025}).verdict.value
    'exact'
    >>> judge({"ASPL": "2.20"}, {"ASPL": 2.23}, step=Step(0.05, "the spread of seeds")).why
    'a step: the spread of seeds (0.05)'
    """
    text = ", ".join(f"{key} {_number(value, digits)}" for key, value in ours.items())
    exact = all(_is(value, ours[key], cut) for key, value in published.items())
    stepped = step is not None and all(
        _is(value, ours[key], cut) or abs(ours[key] - float(value)) <= step.at(key) + 1e-12
        for key, value in published.items()
    )
    if exact or stepped:
        told = [] if exact or step is None else [f"a step: {step.what} ({_sizes(step)})"]
        if error:
            return Outcome(text, Verdict.EXPLAINED, _joined([error, *told, assumption]), figure=figure)
        verdict = Verdict.READING if readings > 1 else Verdict.EXACT if exact else Verdict.STEP
        return Outcome(text, verdict, _joined([*told, assumption]), readings, figure)
    if right is not None and all(_is(right.get(key, value), ours[key], cut) for key, value in published.items()):
        wrong = ", ".join(f"{key} is {_number(ours[key], digits)}, not {published[key]}" for key in right)
        return Outcome(text, Verdict.PAPER_WRONG, _joined([wrong, reason]), figure=figure)
    return Outcome(text, Verdict.NOT_REPRODUCIBLE, _joined([error, reason]), figure=figure)


def stated(
    statements: Mapping[str, bool],
    numbers: str,
    assumption: str = "",
    *,
    readings: int = 1,
    wrong: bool = False,
    figure: Curves | Steps | None = None,
) -> Outcome:
    """The verdict on what a paper says without numbers: it holds only where every statement does.

    Parameters
    ----------
    statements : mapping of str to bool
        Each, and whether it holds for ours.
    numbers : str
        Ours.
    assumption : str
        How the statements were made ones that can be tested, beforehand.
    readings : int
        How many readings of the paper were tried, when these numbers are of the one that fits best.
    wrong : bool
        Whether a statement that fails is wrong of the paper, as what it is about is exact; else it is not reproducible.
    figure : Curves or Steps, optional

    Returns
    -------
    Outcome
    """
    failing = [text for text, holds in statements.items() if not holds]
    if not failing:
        return Outcome(numbers, Verdict.READING if readings > 1 else Verdict.HOLDS, assumption, readings, figure)
    verdict = Verdict.PAPER_WRONG if wrong else Verdict.NOT_REPRODUCIBLE
    return Outcome(numbers, verdict, _joined([f"does not hold: {'; '.join(failing)}", assumption]), figure=figure)


def listed(values: Iterable[tuple[str, float]], form: str = "{:.3f}") -> str:
    """Names with numbers, in one line."""
    return ", ".join(f"{name} {form.format(value)}" for name, value in values)


def _is(printed: float | str, value: float, cut: bool) -> bool:
    """Whether a value is the printed one, to its last digit."""
    if not isinstance(printed, str):
        return abs(value - printed) <= 1e-9 * max(1.0, abs(printed))
    number = printed.replace(",", "")
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
