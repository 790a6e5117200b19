"""StudyResults: what a store has of a study, as a table; frames, arrays and pictures of it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from topoloom.core.errors import InputError, hint
from topoloom.core.work import Ended
from topoloom.figures.style import Axes
from topoloom.model.results import Provenance, Result
from topoloom.studies.record import Record
from topoloom.studies.store import Store
from topoloom.studies.study import Study
from topoloom.studies.task import Task

if TYPE_CHECKING:
    import xarray


@dataclass(frozen=True, eq=False)
class StudyResults(Result):
    """The results of a study: one row per point, with its axes and what was found there.

    Attributes
    ----------
    title, operation : str
    axes : tuple of str
        Their names.
    tasks, done, failed : int
        Different tasks: of the study, with a result, and with an error.
    seconds : float
        That all tasks took together, on one core or as many threads as each had.
    table : tuple of dict
        One row per point that is done: axes, then measures.
    failures : tuple of dict
        One row per point that failed: axes, then ``error``.
    ended : "done", "deadline" or "interrupted"
        How the run that made this came to its end.
    """

    record_name = "study"
    record_version = 2
    derived = ("measures",)

    title: str
    operation: str
    axes: tuple[str, ...]
    tasks: int
    done: int
    failed: int
    seconds: float
    table: tuple[dict[str, Any], ...]
    failures: tuple[dict[str, Any], ...] = ()
    ended: Ended = "done"
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    @classmethod
    def of(
        cls,
        study: Study,
        store: Store,
        planned: Sequence[tuple[dict[str, Any], Task]] | None = None,
        *,
        ended: Ended = "done",
    ) -> Self:
        """What a store has of a study.

        Parameters
        ----------
        study : Study
        store : Store
        planned : sequence, optional
            The study's points, where they are at hand.
        ended : "done", "deadline" or "interrupted"

        Returns
        -------
        StudyResults
        """
        planned = study.planned() if planned is None else planned
        records = store.records()
        rows, failures = [], []
        mine: dict[str, Record | None] = {}
        for labels, task in planned:
            record = mine[task.digest] = records.get(task.digest)
            if record is None:
                continue
            if record.state == "failed":
                failures.append(labels | {"error": record.error})
            else:
                rows.append(labels | {name: value for name, value in record.row.items() if name not in labels})
        found = [record for record in mine.values() if record is not None]
        return cls(
            title=study.title,
            operation=study.operation,
            axes=study.axis_names,
            tasks=len(mine),
            done=sum(record.state == "done" for record in found),
            failed=sum(record.state == "failed" for record in found),
            seconds=sum(record.seconds for record in found),
            table=tuple(rows),
            failures=tuple(failures),
            ended=ended,
            provenance=Provenance(name=study.title, settings={"operation": study.operation, "task": study.task}),
        )

    @property
    def measures(self) -> tuple[str, ...]:
        """The columns of the table that are no axes."""
        names = {name: None for row in self.table for name in row}
        return tuple(name for name in names if name not in self.axes)

    def rows(self) -> list[dict[str, Any]]:
        """The table: one row per point that is done."""
        names = [*self.axes, *self.measures]
        return [{name: row.get(name) for name in names} for row in self.table]

    def column(self, name: str) -> list[Any]:
        """The values of one column.

        Raises
        ------
        InputError
            There is none of that name.
        """
        known = [*self.axes, *self.measures]
        if name not in known:
            raise InputError(f"the study has no column '{name}' ({hint(name, known)})")
        return [row.get(name) for row in self.table]

    def plot(
        self,
        ax: "Axes | None" = None,
        x: str | None = None,
        y: str | None = None,
        by: Sequence[str] | None = None,
        where: str | None = None,
        log: str = "",
    ) -> "Axes":
        """Draw a measure over an axis, a curve for each value of `by`, means with intervals over seeds.

        Parameters
        ----------
        ax : matplotlib axes, optional
            New ones when omitted.
        x, y, by, where, log
            As for `studies.series.curves_of`.

        Returns
        -------
        Axes

        Raises
        ------
        InputError
            What `curves_of` refuses.
        """
        from topoloom.figures.interval_curves import draw_interval_curves
        from topoloom.figures.style import axes_of, style
        from topoloom.studies.series import curves_of

        (curves,) = curves_of(self, x, y, by, where=where, log=log)
        with style():
            axes = axes_of(ax)
            draw_interval_curves(axes, curves)
        return axes

    def to_xarray(self) -> "xarray.Dataset":
        """The measures that are numbers over the axes, as an xarray Dataset (the extra `frames`).

        Points that are missing are NaN.

        Raises
        ------
        InputError
            There is no xarray, or nothing is done.
        """
        try:
            import xarray
        except ImportError:
            raise InputError("arrays need xarray: pip install 'topoloom[frames]'") from None
        if not self.table:
            raise InputError("no task of the study is done, so there is nothing to show; run it first")
        frame = self.to_frame()
        frame = frame.drop_duplicates(list(self.axes)).set_index(list(self.axes)) if self.axes else frame
        found: xarray.Dataset = frame.to_xarray()
        return found
