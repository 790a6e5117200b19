"""`topoloom resilience`: what survives when cables, switches or racks fail."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from topoloom.cli.declared import declared, running
from topoloom.cli.output import print_record, say
from topoloom.cli.presentation import Json, KeptText
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


@declared(ResilienceOperation, KeptText, _Output, several="topology")
def command(operations: list[ResilienceOperation], kept: KeptText, to: _Output) -> None:
    from topoloom.core.folders import check_folder

    if to.output is not None:
        check_folder(to.output)
    if kept.study is not None:
        _run_as_study(operations, kept, to)
        return
    curves: list[Survival] = []
    with running("failures", kept.jobs) as context:
        try:
            for one in operations:
                curves.append(one.run(context))
                if curves[-1].ended != "done":
                    break
        except (KeyboardInterrupt, Stopped):
            if not curves:
                raise
    _show(curves, len(operations) > 1, operations[0].width, to)
    if len(curves) < len(operations) or curves[-1].ended != "done":
        say(f"{curves[-1].name}: {curves[-1].samples} samples are finished", err=True)
        raise KeyboardInterrupt


def _run_as_study(operations: list[ResilienceOperation], kept: KeptText, to: _Output) -> None:
    from topoloom.cli.kept_study import end_of, run_kept
    from topoloom.studies.sweeps.finished import study_of
    from topoloom.studies.sweeps.survivals import survivals_of

    folder = str(kept.study)
    study = study_of(operations, "topology")
    ended = run_kept(study, folder, kept.jobs)
    curves = survivals_of(study, folder).topologies
    _show(curves, len({one.topology for one in operations}) > 1, operations[0].width, to)
    end_of(study, folder, ended)


def _show(curves: "Sequence[Survival]", several: bool, width: float | None, to: _Output) -> None:
    """Write and print the curves that are finished."""
    from topoloom.cli.resilience_text import print_all
    from topoloom.failures.survival import Survivals
    from topoloom.report.survival_page import write_survival

    if to.output is not None and curves:
        written = write_survival(curves, to.output)
        say(f"wrote to {to.output}: {', '.join(path.name for path in written)}", err=True)
    if to.json:
        print_record(Survivals(tuple(curves)) if several or not curves else curves[0])
    elif curves:
        print_all(curves, width)
