"""The results of a study from its store, as a table, frames, arrays or pictures."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from topoloom.core.errors import InputError, hint
from topoloom.core.work import Ended
from topoloom.figures.print_formats import StyleName, WidthName
from topoloom.figures.style import Axes
from topoloom.model.results import Provenance, Result
from topoloom.studies.record import Record
from topoloom.studies.replications import Replicated
from topoloom.studies.store import Store
from topoloom.studies.study import Study
from topoloom.studies.task import Task

if TYPE_CHECKING:
    import xarray

    from topoloom.studies.winners import StudyDifferences


@dataclass(frozen=True, eq=False)
class StudyResults(Result):
    """The results of a study: one row per point, with its axes and its measures.

    Attributes
    ----------
    title, operation : str
    axes : tuple of str
        The names of the axes.
    tasks, done, failed : int
        Number of distinct tasks: in total, with a result, and with an error.
    seconds : float
        Total time of all tasks, each on its own threads.
    table : tuple of dict
        One row per finished point: axes, then measures.
    failures : tuple of dict
        One row per failed point: axes, then ``error``.
    ended : "done", "deadline" or "interrupted"
        How the run ended.
    replications : tuple of Replicated
        With [replicate], one per point: its seeds, and whether the interval of its mean is narrow enough.
    """

    record_name = "study"
    record_version = 3
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
    replications: tuple[Replicated, ...] = ()
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
        """The results of a study in a store.

        Parameters
        ----------
        study : Study
        store : Store
        planned : sequence, optional
            The study's points by the records of the store, if they are known already.
        ended : "done", "deadline" or "interrupted"

        Returns
        -------
        StudyResults
        """
        records = store.records()
        planned = study.planned(records=records) if planned is None else planned
        rows, failures = [], []
        by_digest: dict[str, Record | None] = {}
        for labels, task in planned:
            record = by_digest[task.digest] = records.get(task.digest)
            if record is None:
                continue
            if record.state == "failed":
                failures.append(labels | {"error": record.error})
            else:
                rows.append(labels | {name: value for name, value in record.row.items() if name not in labels})
        recorded = [record for record in by_digest.values() if record is not None]
        return cls(
            title=study.title,
            operation=study.operation,
            axes=study.axis_names,
            tasks=len(by_digest),
            done=sum(record.state == "done" for record in recorded),
            failed=sum(record.state == "failed" for record in recorded),
            seconds=sum(record.seconds for record in recorded),
            table=tuple(rows),
            failures=tuple(failures),
            ended=ended,
            replications=study.replications(planned, records),
            provenance=Provenance.of_run(name=study.title, settings={"operation": study.operation, "task": study.task}),
        )

    @property
    def measures(self) -> tuple[str, ...]:
        """The columns of the table that are not axes."""
        names = {name: None for row in self.table for name in row}
        return tuple(name for name in names if name not in self.axes)

    def rows(self) -> list[dict[str, Any]]:
        """The table: one row per finished point."""
        names = [*self.axes, *self.measures]
        return [{name: row.get(name) for name in names} for row in self.table]

    def column(self, name: str) -> list[Any]:
        """The values of one column.

        Raises
        ------
        InputError
            No column has this name.
        """
        names = [*self.axes, *self.measures]
        if name not in names:
            raise InputError(f"the study has no column '{name}' ({hint(name, names)})")
        return [row.get(name) for row in self.table]

    def plot(
        self,
        ax: "Axes | None" = None,
        x: str | None = None,
        y: str | None = None,
        by: Sequence[str] | None = None,
        where: str | Sequence[str] | None = None,
        log: str = "",
        *,
        style: StyleName | None = None,
        width: WidthName | None = None,
    ) -> "Axes":
        """Draw a measure over an axis, with one curve per value of `by`: means over seeds, with intervals.

        Parameters
        ----------
        ax : matplotlib axes, optional
            New ones when omitted.
        x, y, by, where, log
            As in `studies.series.curves_of`.
        style : "ieee" or "acm", optional
            Draw for print; for a screen when omitted.
        width : "column" or "page", optional
            With `style`: the width of one column, or of the page.

        Returns
        -------
        Axes

        Raises
        ------
        InputError
            As in `curves_of`; an unknown style or width; or one of them together with `ax`.
        """
        from topoloom.figures.interval_curves import draw_interval_curves
        from topoloom.figures.style import plotted
        from topoloom.studies.series import curves_of

        (curves,) = curves_of(self, x, y, by, where=where, log=log)
        return plotted(lambda axes: draw_interval_curves(axes, curves), ax, style, width)

    def differences(
        self, of: str, measure: str | None = None, *, where: str | Sequence[str] | None = None
    ) -> "StudyDifferences":
        """The paired differences of a measure between all pairs of values of an axis, over common seeds.

        Parameters
        ----------
        of, measure, where
            As in `studies.winners.paired_differences_of`.

        Returns
        -------
        StudyDifferences

        Raises
        ------
        InputError
            No such axis or measure, or no pair of values has a common draw.
        """
        from topoloom.studies.winners import paired_differences_of

        return paired_differences_of(self, of, measure, where=where)

    def to_xarray(self) -> "xarray.Dataset":
        """The numeric measures over the axes, as an xarray Dataset (the extra `frames`).

        Missing points are NaN.

        Raises
        ------
        InputError
            xarray is not installed, or no task is done.
        """
        try:
            import xarray
        except ImportError:
            raise InputError("arrays need xarray: pip install 'topoloom[frames]'") from None
        if not self.table:
            raise InputError("no task of the study is done; run it first")
        frame = self.to_frame()
        frame = frame.drop_duplicates(list(self.axes)).set_index(list(self.axes)) if self.axes else frame
        dataset: xarray.Dataset = frame.to_xarray()
        return dataset
