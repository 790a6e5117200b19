"""`topoloom resilience`: what survives when cables, switches or racks fail."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from topoloom.cli.declared import declared, running
from topoloom.cli.output import print_record, say
from topoloom.cli.presentation import Json, PlotOptions, StudyOptions
from topoloom.core.errors import Stopped
from topoloom.core.settings import setting
from topoloom.operations.catalogue.resilience import ResilienceOperation

if TYPE_CHECKING:
    from topoloom.failures.survival import Survival


class _Output(Json, frozen=True, kw_only=True):
    output: (
        Annotated[
            str,
            setting(
                "folder for survival.csv, the curves as survival.svg and .png, and resilience.html",
                option="-o --output",
                metavar="DIRECTORY",
            ),
        ]
        | None
    ) = None


@declared(ResilienceOperation, StudyOptions, _Output, PlotOptions, several="topology")
def command(operations: list[ResilienceOperation], study_options: StudyOptions, to: _Output, look: PlotOptions) -> None:
    from topoloom.core.folders import check_folder

    look.check()
    if to.output is not None:
        check_folder(to.output)
    if study_options.study is not None:
        _run_as_study(operations, study_options, to, look)
        return
    curves: list[Survival] = []
    with running("failures", study_options.jobs) as context:
        try:
            for operation in operations:
                curves.append(operation.run(context))
                if curves[-1].ended != "done":
                    break
        except (KeyboardInterrupt, Stopped):
            if not curves:
                raise
    _show(curves, len(operations) > 1, operations[0].interval_width, to, look)
    if len(curves) < len(operations) or curves[-1].ended != "done":
        say(f"{curves[-1].name}: {curves[-1].samples} samples are finished", err=True)
        raise KeyboardInterrupt


def _run_as_study(
    operations: list[ResilienceOperation], study_options: StudyOptions, to: _Output, look: PlotOptions
) -> None:
    from topoloom.cli.kept_study import end_of, run_in_folder
    from topoloom.studies.sweeps.finished import study_of
    from topoloom.studies.sweeps.survivals import survivals_of

    folder = str(study_options.study)
    study = study_of(operations, "topology")
    ended = run_in_folder(study, folder, study_options.jobs)
    curves = survivals_of(study, folder).topologies
    _show(curves, len({operation.topology for operation in operations}) > 1, operations[0].interval_width, to, look)
    end_of(study, folder, ended)


def _show(
    curves: "Sequence[Survival]", several: bool, interval_width: float | None, to: _Output, look: PlotOptions
) -> None:
    """Write and print the curves that are finished."""
    from topoloom.cli.resilience_text import print_all
    from topoloom.failures.survival import Survivals
    from topoloom.figures.survival import survival_curves, title_of
    from topoloom.report.curve_data import survival_intervals
    from topoloom.report.survival_page import write_survival

    if to.output is not None and curves:
        written = write_survival(curves, to.output)
        say(f"wrote to {to.output}: {', '.join(path.name for path in written)}", err=True)
    if curves and look.plot is not None:
        look.draw(lambda: survival_curves(curves), title_of(curves) or "Resilience", curves=survival_intervals(curves))
        say(f"wrote {look.plot}", err=True)
    if to.json:
        print_record(Survivals(tuple(curves)) if several or not curves else curves[0])
    elif curves:
        print_all(curves, interval_width)
