"""A step of the chain, and what it finds."""

from collections.abc import Callable
from dataclasses import dataclass, field

from topoloom.core.work import Work
from topoloom.designer.assessment.figure import Figure
from topoloom.designer.assessment.subject import Subject
from topoloom.model.results import Result


@dataclass(frozen=True)
class StepResult:
    """What a step found of a network.

    Attributes
    ----------
    figures : list of Figure
    results : dict of str to Result
        Whole results, by the name of the field of `Assessment` that keeps them.
    """

    figures: list[Figure]
    results: dict[str, Result] = field(default_factory=dict)


@dataclass(frozen=True)
class AssessmentStep:
    """A step of the chain.

    Attributes
    ----------
    name : str
        In files and messages.
    words : str
        What it works out, for people.
    group : str
        Under which its figures stand, for people.
    run : callable (Subject, Work) -> Found
        Raises `Stopped` where the work was stopped before it was done, and `InputError` where the network has no such figure.
    finer : callable (Subject, Work, int) -> Found, optional
        The same with so many times the seeds, draws or cycles; None: it has no chance in it.
    one_draw : bool
        Whether `run` draws once, so that only `finer` has an interval.
    cheap : bool
        Whether it takes seconds for most networks. Cheap steps come first, and a budget that is over does not omit them.
    """

    name: str
    words: str
    group: str
    run: Callable[[Subject, Work], StepResult]
    finer: Callable[[Subject, Work, int], StepResult] | None = None
    one_draw: bool = False
    cheap: bool = False

    def wants_more(self, found: StepResult, effort: int) -> bool:
        """Whether more draws than `effort` times the usual would say more than was found."""
        drawn = [figure for figure in found.figures if figure.value is not None]
        if self.finer is None or not drawn:
            return False
        return (self.one_draw and effort == 1) or any(figure.wide for figure in drawn)
