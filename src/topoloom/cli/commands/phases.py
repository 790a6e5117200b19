"""`topoloom phases TOPOLOGY --hosts N,N`: a network that grows in phases, and what is bought for each."""

from pathlib import Path
from typing import Annotated

from topoloom.cli.declared import declared, performed
from topoloom.cli.output import print_record, say
from topoloom.cli.presentation import Json, Threads
from topoloom.core.settings import setting
from topoloom.operations.catalogue.phases import PhasesOperation


class _Output(Json, frozen=True, kw_only=True):
    output: (
        Annotated[
            str,
            setting(
                "folder for the phases; or a file of what is bought when: a workbook (.xlsx), or a table (.csv)",
                option="-o --output",
                metavar="PATH",
            ),
        ]
        | None
    ) = None


@declared(PhasesOperation, Threads, _Output)
def command(operation: PhasesOperation, threads: Threads, to: _Output) -> None:
    from topoloom.cabling.expansion.phases.files import save_phases
    from topoloom.cli.phases_text import print_phases
    from topoloom.core.folders import check_folder
    from topoloom.cost.purchase_files import SUFFIXES

    to_file = to.output is not None and Path(to.output).suffix in SUFFIXES
    if to.output is not None and not to_file:
        check_folder(to.output)
    result = performed(operation, threads.jobs)
    if to.output is not None:
        if to_file:
            result.save(to.output)
        else:
            save_phases(result, to.output)
    if to.json:
        print_record(result)
        return
    print_phases(result)
    if to.output is not None:
        say(f"wrote {to.output}")
