"""One step of an assessment, and its result."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from topoloom.core.work import Work
from topoloom.designer.assessment.figure import Figure
from topoloom.designer.assessment.subject import Subject
from topoloom.model.results import Result


@dataclass(frozen=True)
class StepResult:
    """The result of a step for one network.

    Attributes
    ----------
    figures : list of Figure
    results : dict of str to Result
        Whole results, each under the name of the field of `Assessment` that keeps it.
    """

    figures: list[Figure]
    results: dict[str, Result] = field(default_factory=dict)


@dataclass(frozen=True)
class AssessmentStep:
    """One step of an assessment.

    Attributes
    ----------
    name : str
        Its name in files and messages.
    words : str
        Its description, for readers.
    group : str
        The heading of its figures, for readers.
    run : callable (Subject, Work) -> StepResult
        Raises `Stopped` where the work was stopped first, and `InputError` where the network has no such figure.
    finer : callable (Subject, Work, int) -> StepResult, optional
        Runs the step with a multiple of the seeds, draws or cycles; None: the step has no random draws.
    one_draw : bool
        Whether `run` draws once, so that only `finer` gives an interval.
    cheap : bool
        Whether it takes seconds for most networks. Cheap steps come first, and run even if the time budget is spent.
    by_tables : bool
        Whether it follows the tables, so that it does not run where these could not be made.
    """

    name: str
    words: str
    group: str
    run: Callable[[Subject, Work], StepResult]
    finer: Callable[[Subject, Work, int], StepResult] | None = None
    one_draw: bool = False
    cheap: bool = False
    by_tables: bool = False

    def wants_more(self, result: StepResult, effort: int, others: Sequence[StepResult] = ()) -> bool:
        """Whether more draws than `effort` times the normal number would say more.

        Parameters
        ----------
        result : StepResult
            Of one network.
        effort : int
        others : sequence of StepResult
            Of the networks that it is compared with.

        Returns
        -------
        bool
            True where a figure was drawn once and has no interval yet, or where its interval is wide and overlaps that of
            another network: which of the two is better is not decided then. A single network has nothing to be compared
            with, and gets more draws as long as an interval is wide.
        """
        drawn = [figure for figure in result.figures if figure.value is not None]
        if self.finer is None or not drawn:
            return False
        if self.one_draw and effort == 1 and any(figure.low is None for figure in drawn):
            return True
        compared: dict[str, list[Figure]] = {figure.key: [] for figure in drawn}
        for figure in (figure for other in others for figure in other.figures if figure.value is not None):
            compared.setdefault(figure.key, []).append(figure)
        return any(
            figure.wide and (not compared[figure.key] or any(map(figure.overlaps, compared[figure.key])))
            for figure in drawn
        )
