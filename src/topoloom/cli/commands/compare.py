"""`topoloom compare NETWORK...`: networks that the user names, fully assessed and ranked."""

from pathlib import Path
from typing import Annotated

from topoloom.cli.declared import declared, running
from topoloom.cli.output import print_record, say
from topoloom.cli.presentation import Elsewhere, Json, Threads, ToolFiles
from topoloom.cli.signals import hurried
from topoloom.core.errors import Stopped
from topoloom.core.settings import setting
from topoloom.operations.catalogue.compare import CompareOperation


class _Output(Json, frozen=True, kw_only=True):
    output: (
        Annotated[
            str,
            setting(
                "folder for the report and the networks' folders",
                option="-o --output",
                metavar="DIRECTORY",
                names="new folder",
            ),
        ]
        | None
    ) = None


@declared(CompareOperation, Threads, Elsewhere, ToolFiles, _Output)
def command(operation: CompareOperation, threads: Threads, elsewhere: Elsewhere, files: ToolFiles, to: _Output) -> None:
    from topoloom.cli.assessment_text import print_assessment, print_assessments
    from topoloom.report.compare_files import write_comparison

    store = None if to.output is None else Path(to.output) / "measured"
    with running(operation.doing, threads.jobs, elsewhere) as context:
        result = operation.compared(context, store)
    if to.output is not None and hurried():
        going_on = f"run it again to go on from {store}" if store is not None and store.is_dir() else "run it again"
        raise Stopped(f"interrupted; {going_on}")
    if to.output is not None:
        write_comparison(result, to.output, everything=files.everything)
    if to.json:
        print_record(result)
    elif len(result.networks) == 1:
        print_assessment(result.networks[0], operation.budget)
    else:
        print_assessments(result.networks, operation.budget, result.reference)
    if to.output is not None and not to.json:
        say(f"report: {Path(to.output) / 'compare.html'}")
    if result.ended == "interrupted":
        raise KeyboardInterrupt
